package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
)

// ErrClaimed is the error of a file that is claimed already, by this process or another.
var ErrClaimed = errors.New("the file is claimed")

// Claim is a file that one holder at a time has locked. The system unlocks it when the
// holder's process ends, however it ends.
type Claim struct {
	lock *flock.Flock
	fail Fail
}

// Claim locks a file, which is made where it is not there, and writes data into it. With
// ErrClaimed it returns what the holder wrote. In a directory that cannot be written the
// claim is nil.
func (d *Dir) Claim(ctx context.Context, name string, data []byte) (claim *Claim, holder []byte, err error) {
	if err := d.Ready(ctx); err != nil {
		return nil, nil, err
	}
	path := d.Path(name)
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW), flock.SetPermissions(filePerm))
	locked := false
	if err = d.makeDir(filepath.Dir(path)); err == nil {
		locked, err = lock.TryLock()
		err = d.fail("lock", path, err)
	}
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	case !locked:
		holder, _, _ := d.Read(name, maxHolder) // it may be being written: then no one is named
		return nil, holder, ErrClaimed
	}
	if err := os.WriteFile(path, data, filePerm); err != nil { // in place: the lock is on this very file
		return nil, nil, errors.Join(d.fail("save", path, err), lock.Unlock())
	}
	return &Claim{lock, d.fail}, nil, nil
}

// maxHolder bounds what is read of a claimed file.
const maxHolder = 4 << 10

// Release unlocks the file. It may be called again.
func (c *Claim) Release() error {
	if c == nil {
		return nil
	}
	return c.fail("unlock", c.lock.Path(), c.lock.Unlock())
}
