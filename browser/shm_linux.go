package browser

import "golang.org/x/sys/unix"

// enoughSharedMemory is what Chrome's renderers need to share pictures;
// containers have 64 MiB by default.
const enoughSharedMemory = 256 << 20

// sharedMemoryIsSmall reports whether /dev/shm has too little room: then the
// browser is told to use files in /tmp.
func sharedMemoryIsSmall() bool {
	var fs unix.Statfs_t
	if err := unix.Statfs("/dev/shm", &fs); err != nil {
		return true
	}
	return fs.Bavail*uint64(fs.Bsize) < enoughSharedMemory
}
