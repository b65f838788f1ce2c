package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

const (
	automationsDir = "automations"
	runsDir        = "runs"
	commitsDir     = "commits" // in that of a run
	lockFile       = ".lock"

	// How often a writer asks for the lock that another process holds: about
	// the time that one save takes, which is mostly the disk's.
	lockPoll = 2 * time.Millisecond
)

// dir is a store in a directory: automations/NAME[@ACCOUNT].json and
// runs/ID/run.json, with runs/ID/commits/STEP.json. Readers take no lock, because a file is replaced whole;
// writers of all processes take turns.
type dir struct {
	root    string
	catalog *catalog

	turn   turn
	lock   *flock.Flock // used by the holder of the turn
	swept  bool         // used by the holder of the turn
	closed atomic.Bool
}

func openDir(path string) (Store, error) {
	root, err := filepath.Abs(path)
	if err != nil {
		return nil, pathError("open", path, err)
	}
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, pathError("open", root, err)
	case !info.IsDir():
		return nil, pathError("open", root, syscall.ENOTDIR)
	}
	flags := os.O_CREATE | os.O_RDONLY | syscall.O_NOFOLLOW
	return &dir{
		root:    root,
		catalog: newCatalog(filepath.Join(root, automationsDir)),
		turn:    make(turn, 1),
		lock:    flock.New(filepath.Join(root, lockFile), flock.SetFlag(flags), flock.SetPermissions(filePerm)),
	}, nil
}

// Automations gives the documents.
func (d *dir) Automations() Automations { return dirAutomations{d} }

// Runs gives the records of runs.
func (d *dir) Runs() Runs { return dirRuns{d} }

// Commits gives the journal of what runs have sent.
func (d *dir) Commits() Commits { return dirCommits{d} }

// Journal gives the traces of what agents have called.
func (d *dir) Journal() Journal { return dirJournal{d} }

// Close ends the store when the call that writes has returned.
func (d *dir) Close() error {
	_ = d.turn.take(context.Background()) // which is never done
	defer d.turn.give()
	d.closed.Store(true)
	return nil
}

// ready says why a call must not begin.
func (d *dir) ready(ctx context.Context) error {
	if d.closed.Load() {
		return ErrClosed
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// write calls do while no one else writes, in this process or another.
func (d *dir) write(ctx context.Context, do func() error) error {
	if err := d.turn.take(ctx); err != nil {
		return err
	}
	defer d.turn.give()
	if err := d.ready(ctx); err != nil {
		return err
	}
	if err := makeDir(d.root); err != nil {
		return err
	}
	if err := d.acquire(ctx); err != nil {
		return err
	}
	defer d.lock.Unlock() // what fails here the system undoes when the file closes
	if err := d.clean(); err != nil {
		return err
	}
	return do()
}

func (d *dir) acquire(ctx context.Context) error {
	_, err := d.lock.TryLockContext(ctx, lockPoll)
	if ctx.Err() != nil && err != nil {
		return context.Cause(ctx)
	}
	return pathError("lock", d.lock.Path(), err)
}

// turn is a mutex that is not waited for longer than a context lasts.
type turn chan struct{}

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t turn) give() { <-t }

// clean sweeps once: a process that is killed later is swept after by the next
// one.
func (d *dir) clean() error {
	if d.swept {
		return nil
	}
	for _, name := range []string{automationsDir, runsDir, tracesDir, tasksDir, vaultDir, loginsDir, approvalsDir, handoffsDir} {
		if err := sweep(filepath.Join(d.root, name)); err != nil {
			return err
		}
	}
	d.swept = true
	return nil
}
