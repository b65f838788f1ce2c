package files

import (
	"cmp"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// Stamp is what distinguishes a file from what it was before without reading it. The zero
// value is that of no file.
type Stamp struct {
	Inode    uint64
	Size     int64
	Modified int64 // nanoseconds since 1970
}

// StampOf returns the stamp of a file that Read has described.
func StampOf(info fs.FileInfo) Stamp {
	s := Stamp{Size: info.Size(), Modified: info.ModTime().UnixNano()}
	if system, is := info.Sys().(*syscall.Stat_t); is {
		s.Inode = system.Ino
	}
	return s
}

// Stamps returns the stamps of files of a folder, in the order of their names; the zero value
// for one that is not there. It opens none of them, and follows no links.
func (d *Dir) Stamps(folder string, names []string) ([]Stamp, error) {
	stamps := make([]Stamp, len(names))
	if len(names) == 0 {
		return stamps, nil
	}
	// By a descriptor, so that the path of the folder is not looked up for each.
	at, err := unix.Open(d.Path(folder), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, d.fail("list", d.Path(folder), err)
	}
	defer func() { _ = unix.Close(at) }() // it was only read
	failed := make([]error, len(names))
	Each(len(names), func(i int) { stamps[i], failed[i] = stampAt(at, names[i]) })
	return stamps, d.fail("list", d.Path(folder), cmp.Or(failed...))
}

func stampAt(at int, name string) (Stamp, error) {
	var s unix.Stat_t
	for {
		switch err := unix.Fstatat(at, name, &s, unix.AT_SYMLINK_NOFOLLOW); err {
		case nil:
			return Stamp{s.Ino, s.Size, s.Mtim.Nano()}, nil
		case unix.ENOENT:
			return Stamp{}, nil
		case unix.EINTR:
		default:
			return Stamp{}, err
		}
	}
}
