package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/google/renameio/v2"
)

const (
	dirPerm  = 0o700 // automations say which accounts a person has
	filePerm = 0o600
)

// writeFile replaces a file whole: after a crash at any point there is the old
// or the new one. The temporary file is made in dir, which is on the same file
// system, and is gone when an error is returned. A symbolic link in the place of
// the file is replaced, not followed.
func writeFile(dir, path string, data []byte) error {
	if err := makeDir(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithPermissions(filePerm))
	if err != nil {
		return pathError("save", path, err)
	}
	defer f.Cleanup() // an error here adds nothing to the one that is returned
	if _, err := f.Write(data); err != nil {
		return pathError("save", path, err)
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return pathError("save", path, err)
	}
	return pathError("save", path, syncDir(filepath.Dir(path)))
}

// readFile reads a plain file of at most limit bytes, and gives what it was
// like when it was read.
func readFile(path string, limit int64) ([]byte, fs.FileInfo, error) {
	// Not blocking, so that a pipe in the place of a file is refused and not
	// waited for.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, pathError("read", path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, nil, pathError("read", path, err)
	case !info.Mode().IsRegular():
		return nil, nil, pathError("read", path, ErrNotRegular)
	case info.Size() > limit:
		return nil, nil, pathError("read", path, ErrTooLarge)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = ErrTooLarge // it has grown since
	}
	return data, info, pathError("read", path, err)
}

// removeFile removes a file for good.
func removeFile(path string) error {
	if err := os.Remove(path); err != nil {
		return pathError("delete", path, err)
	}
	return pathError("delete", path, syncDir(filepath.Dir(path)))
}

// makeDir makes a directory and what is missing above it, and has each survive
// a crash.
func makeDir(path string) error {
	err := os.Mkdir(path, dirPerm)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path {
		if err := makeDir(filepath.Dir(path)); err != nil {
			return err
		}
		err = os.Mkdir(path, dirPerm)
	}
	if err == nil {
		return pathError("make directory", path, syncDir(filepath.Dir(path)))
	}
	// A read-only file system may say so before it says that it is there.
	switch info, statErr := os.Stat(path); {
	case statErr != nil:
		return pathError("make directory", path, err)
	case !info.IsDir():
		return pathError("make directory", path, syscall.ENOTDIR)
	}
	return nil
}

// syncDir makes a new name in a directory durable, where the file system can:
// some that are mounted over a network refuse the call for a directory.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// What renameio calls a temporary file: .NAME.json or .NAME.age and a random number.
var tempPattern = regexp.MustCompile(`^\..*\.(json|age)[0-9]+$`)

// sweep removes the temporary files that killed processes left in a directory.
// The caller holds the lock that every writer holds, so nobody writes them.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return pathError("clean", dir, err)
	}
	for _, e := range entries {
		if !tempPattern.MatchString(e.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return pathError("clean", dir, err)
		}
	}
	return nil
}
