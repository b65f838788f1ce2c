package browser

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// profilePrefix marks fresh profiles in the directory for temporary files.
const profilePrefix = "reprise-profile-"

// profile is the directory in which a browser keeps its state.
type profile struct {
	dir  string
	kept bool // it is the caller's
	lock *flock.Flock
}

// newProfile makes a fresh profile, or takes the caller's. A lock beside a fresh
// one says that its owner lives: profiles without an owner, of processes that
// were killed, are swept away.
func newProfile(dir string) (*profile, error) {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("the browser's profile: %w", err)
		}
		return &profile{dir: dir, kept: true}, nil
	}
	sweepProfiles(os.TempDir())
	for {
		dir, err := os.MkdirTemp("", profilePrefix)
		if err != nil {
			return nil, fmt.Errorf("the browser's profile: %w", err)
		}
		p := &profile{dir: dir, lock: flock.New(dir + ".lock")}
		mine, err := p.lock.TryLock()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("the browser's profile: %w", err), os.RemoveAll(dir))
		}
		if mine {
			return p, nil
		}
		// Another process has swept it away before the lock was held.
	}
}

// sweepProfiles removes the profiles that nobody owns.
func sweepProfiles(temp string) {
	locks, err := filepath.Glob(filepath.Join(temp, profilePrefix+"*.lock"))
	if err != nil {
		return
	}
	for _, path := range locks {
		lock := flock.New(path)
		if mine, err := lock.TryLock(); err != nil || !mine {
			continue
		}
		_ = os.RemoveAll(path[:len(path)-len(".lock")])
		_ = os.Remove(path)
		_ = lock.Unlock()
	}
}

// removeTimeout is how long the last of the browser's processes may go on
// writing into the profile.
const (
	removeTimeout  = 10 * time.Second
	removeInterval = 10 * time.Millisecond
)

// remove removes a fresh profile. The browser has ended; what it left behind may
// still write for a moment, so that removing is tried until it succeeds.
func (p *profile) remove() error {
	if p.kept {
		return nil
	}
	again := time.NewTicker(removeInterval)
	defer again.Stop()
	err := os.RemoveAll(p.dir)
	for deadline := time.Now().Add(removeTimeout); err != nil && time.Now().Before(deadline); <-again.C {
		err = os.RemoveAll(p.dir)
	}
	return errors.Join(err, os.Remove(p.lock.Path()), p.lock.Unlock())
}
