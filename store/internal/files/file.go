package files

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"
)

const (
	dirPerm  = 0o700 // names of files show which accounts a user has
	filePerm = 0o600
)

// Replace replaces a file whole: after a crash at any point there is the old or the new
// one. The temporary file is made in its folder, which is on the same file system, and is
// gone when an error is returned. A symbolic link in the place of the file is replaced,
// not followed.
func (d *Dir) Replace(name string, data []byte) error {
	path := d.Path(name)
	if err := d.makeDir(filepath.Dir(path)); err != nil {
		return err
	}
	folder, _, _ := strings.Cut(name, "/")
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(d.Path(folder)), renameio.WithPermissions(filePerm))
	if err != nil {
		return d.fail("save", path, err)
	}
	defer f.Cleanup() // an error here adds nothing to the one that is returned
	if _, err := f.Write(data); err != nil {
		return d.fail("save", path, err)
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return d.fail("save", path, err)
	}
	return d.fail("save", path, syncDir(filepath.Dir(path)))
}

// Create makes a file that must not be there yet, durably; where it is, the error is
// fs.ErrExist. The name is taken first: who finds it knows that a writer was here,
// whatever has become of the contents.
func (d *Dir) Create(name string, data []byte) error {
	path := d.Path(name)
	if err := d.makeDir(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, filePerm)
	if errors.Is(err, fs.ErrExist) {
		return fs.ErrExist
	}
	if err != nil {
		return d.fail("save", path, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		_ = os.Remove(path) // the caller takes it as not made; where this fails too, it is there
		return d.fail("save", path, err)
	}
	return nil
}

// Read reads a plain file of at most limit bytes, and returns what it was like when it
// was read.
func (d *Dir) Read(name string, limit int64) ([]byte, fs.FileInfo, error) {
	path := d.Path(name)
	// Not blocking, so that a pipe in the place of a file is refused and not
	// waited for.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, d.fail("read", path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, nil, d.fail("read", path, err)
	case !info.Mode().IsRegular():
		return nil, nil, d.fail("read", path, ErrNotRegular)
	case info.Size() > limit:
		return nil, nil, d.fail("read", path, ErrTooLarge)
	}
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	_, err = data.ReadFrom(io.LimitReader(f, limit+1))
	if err == nil && int64(data.Len()) > limit {
		err = ErrTooLarge // it has grown since
	}
	return data.Bytes(), info, d.fail("read", path, err)
}

// Stat returns what a file is like, and the error of the system as it is.
func (d *Dir) Stat(name string) (fs.FileInfo, error) { return os.Lstat(d.Path(name)) }

// Remove removes a file, durably.
func (d *Dir) Remove(name string) error {
	path := d.Path(name)
	err := os.Remove(path)
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	return d.fail("delete", path, err)
}

// Rename renames a file or a folder within its directory, durably.
func (d *Dir) Rename(from, to string) error {
	err := os.Rename(d.Path(from), d.Path(to))
	if err == nil {
		err = syncDir(filepath.Dir(d.Path(to)))
	}
	return d.fail("rename", d.Path(from), err)
}

// RemoveAll removes a file or a folder with all that is in it, also where some or all of it has
// gone already. It need not survive a crash: the caller removes what is left later.
func (d *Dir) RemoveAll(name string) error {
	return d.fail("delete", d.Path(name), os.RemoveAll(d.Path(name)))
}

// makeDir makes a directory and what is missing above it, and has each survive
// a crash.
func (d *Dir) makeDir(path string) error {
	err := os.Mkdir(path, dirPerm)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path {
		if err := d.makeDir(filepath.Dir(path)); err != nil {
			return err
		}
		err = os.Mkdir(path, dirPerm)
	}
	if err == nil {
		return d.fail("make directory", path, syncDir(filepath.Dir(path)))
	}
	// A read-only file system may return its own error before it reports that it is there.
	switch info, statErr := os.Stat(path); {
	case statErr != nil:
		return d.fail("make directory", path, err)
	case !info.IsDir():
		return d.fail("make directory", path, syscall.ENOTDIR)
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

const (
	// MaxName is the length of a name in a folder. The usual limit is 255 bytes; the
	// temporary name of the same file has a dot before it and up to 19 digits after it.
	MaxName = 255 - 1 - 19

	// What stays as it is in an escaped name, in addition to digits and lower-case letters.
	// Everything else is percent-encoded: capitals, because some file systems do not
	// tell them from small letters, and what is not ASCII, because some write it in
	// another normal form.
	plainInNames = "@.-_+"
)

// Escape makes a part of a file name of any text. url.PathUnescape reads it back.
func Escape(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte(plainInNames, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}
