// Package files is the layer of files under the directory store: files that are replaced
// whole, logs that only grow, one writer at a time over all processes. It knows nothing of
// what is in the files, and no type of package store, which imports it.
//
//	d, err := files.Open(path, []string{"runs"}, fail)
//	err = d.Write(ctx, func() error { return d.Replace("runs/1/run.json", data) })
//	data, _, err := d.Read("runs/1/run.json", maxSize)
//
// A file is named by its path from the directory, with slashes; the first part is its
// folder. Readers take no lock, because a reader sees the old file or the new one.
package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// The errors of this package, in addition to those of the system.
var (
	ErrClosed     = errors.New("store: it is closed")
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("file too large")
)

const (
	lockFile = ".lock"

	// How often a writer asks for the lock that another process holds: about
	// the time that one save takes, which is mostly the disk's.
	lockPoll = 2 * time.Millisecond
)

// Dir is a directory of files. It is safe for concurrent use, also by several processes.
type Dir struct {
	root    string
	folders []string
	fail    Fail

	turn   Turn
	lock   *flock.Flock // used by the holder of the turn
	swept  bool         // used by the holder of the turn
	closed atomic.Bool
}

// Fail makes the error for what could not be done with a file; nil for nil.
type Fail func(op, path string, err error) error

// Open opens a directory, which need not exist: the first call that writes makes it. In
// folders, temporary files that a killed process left are removed.
func Open(path string, folders []string, fail Fail) (*Dir, error) {
	root, err := filepath.Abs(path)
	if err != nil {
		return nil, fail("open", path, err)
	}
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fail("open", root, err)
	case !info.IsDir():
		return nil, fail("open", root, syscall.ENOTDIR)
	}
	flags := os.O_CREATE | os.O_RDONLY | syscall.O_NOFOLLOW
	return &Dir{
		root: root, folders: folders, fail: fail, turn: NewTurn(),
		lock: flock.New(filepath.Join(root, lockFile), flock.SetFlag(flags), flock.SetPermissions(filePerm)),
	}, nil
}

// Path returns the path of a file, for messages.
func (d *Dir) Path(name string) string { return filepath.Join(d.root, filepath.FromSlash(name)) }

// Close waits for the call that writes, and makes every later one return ErrClosed.
func (d *Dir) Close() error {
	_ = d.turn.Take(context.Background()) // which is never done
	defer d.turn.Give()
	d.closed.Store(true)
	return nil
}

// Ready returns why a call must not begin: the directory is closed, or ctx is done.
func (d *Dir) Ready(ctx context.Context) error {
	if d.closed.Load() {
		return ErrClosed
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// Write calls do while no one else writes, in this process or another.
func (d *Dir) Write(ctx context.Context, do func() error) error {
	if err := d.turn.Take(ctx); err != nil {
		return err
	}
	defer d.turn.Give()
	if err := d.Ready(ctx); err != nil {
		return err
	}
	if err := d.makeDir(d.root); err != nil {
		return err
	}
	if _, err := d.lock.TryLockContext(ctx, lockPoll); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return d.fail("lock", d.lock.Path(), err)
	}
	defer d.lock.Unlock() // what fails here the system undoes when the file closes
	if !d.swept {         // once: after a process that is killed later, the next one sweeps
		for _, folder := range d.folders {
			if err := d.sweep(d.Path(folder)); err != nil {
				return err
			}
		}
		d.swept = true
	}
	return do()
}

// The names that renameio gives temporary files: .NAME.json, .NAME.age, .NAME.index or .NAME.picture
// and a random number.
var tempPattern = regexp.MustCompile(`^\..*\.(json|age|index|picture)[0-9]+$`)

// sweep removes the temporary files that killed processes left in a folder. The caller
// holds the lock that every writer holds, so none of them is being written.
func (d *Dir) sweep(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return d.fail("clean", folder, err)
	}
	for _, e := range entries {
		if !tempPattern.MatchString(e.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
			return d.fail("clean", folder, err)
		}
	}
	return nil
}

// Names returns the names in a folder, sorted; none where there is no folder yet.
func (d *Dir) Names(folder string) ([]string, error) {
	f, err := os.Open(d.Path(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, d.fail("list", d.Path(folder), err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, d.fail("list", d.Path(folder), err)
	}
	slices.Sort(names)
	return names, nil
}

// Turn is a mutex that is not waited for longer than a context lasts.
type Turn chan struct{}

// NewTurn returns a turn that is free.
func NewTurn() Turn { return make(Turn, 1) }

// Take waits for the turn.
func (t Turn) Take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Give ends a turn.
func (t Turn) Give() { <-t }
