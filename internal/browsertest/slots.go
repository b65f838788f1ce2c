package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/go-reprise/reprise/internal/load"
)

// poll is how often what is waited for is looked at.
const poll = 20 * time.Millisecond

// held is the slot of this process, while tests of it use it.
var held struct {
	sync.Mutex
	tests   int
	release func()
}

// Slot takes, for the test's process, one of the machine's slots for browsers until the test ends, and
// waits for one. Packages are tested by processes of their own, side by side, and browsers that
// starve one another fail tests by limits of time. It is the process that has the slot, not the
// test: a test that waited for another one of its process would wait for ever where that one
// waits for its own parallel parts.
func Slot(t testing.TB) {
	t.Helper()
	release, err := TakeSlot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
}

// TakeSlot takes a slot, as [Slot] does for a test, and waits for one until ctx ends.
func TakeSlot(ctx context.Context) (release func(), err error) {
	held.Lock()
	defer held.Unlock()
	if held.tests == 0 {
		if held.release, err = lockSlot(ctx); err != nil {
			return nil, err
		}
	}
	held.tests++
	return func() {
		held.Lock()
		defer held.Unlock()
		if held.tests--; held.tests == 0 {
			held.release()
		}
	}, nil
}

// inSlot is set in the environment of a process that has a slot, for those that it starts: a test
// that starts its own program and waits for it has one for both.
const inSlot = "REPRISE_TEST_IN_SLOT"

// lockSlot locks the file of a slot: there is one for each processor.
func lockSlot(ctx context.Context) (unlock func(), err error) {
	if os.Getenv(inSlot) != "" {
		return func() {}, nil
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("reprise-test-slots-%d", os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	again := time.NewTicker(poll)
	defer again.Stop()
	for {
		for i := range max(2, runtime.NumCPU()) {
			lock := flock.New(filepath.Join(dir, strconv.Itoa(i)))
			if ok, err := lock.TryLock(); err != nil {
				return nil, err
			} else if ok {
				if err := os.Setenv(inSlot, "1"); err != nil {
					return nil, err
				}
				return func() {
					_ = os.Unsetenv(inSlot)
					_ = lock.Close()
				}, nil
			}
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for a slot in %s: %w", dir, context.Cause(ctx))
		}
	}
}

// patience is how long a test waits for what must happen, on a machine that has time for it.
const patience = time.Minute

// Context is the test's context for what it waits for: it ends after a minute, later on a
// machine under load, and before the time of the test's process is up, so that a test that
// waits in vain says what for. The minute begins when the test has its [Slot], for which it may
// wait longer than that.
func Context(t testing.TB) context.Context {
	t.Helper()
	base := t.Context()
	if base.Err() == nil {
		Slot(t)
	} else { // in a cleanup
		base = context.WithoutCancel(base)
	}
	ctx, cancel := load.WithTimeoutCause(base, patience, fmt.Errorf("%s waited in vain", t.Name()))
	t.Cleanup(cancel)
	if test, ok := t.(*testing.T); ok {
		if end, ok := test.Deadline(); ok {
			ctx, cancel = context.WithDeadline(ctx, end.Add(-reportTime))
			t.Cleanup(cancel)
		}
	}
	return ctx
}

// reportTime is what is left to a test's process to report what was waited for.
const reportTime = 10 * time.Second

// Until waits until something has happened, and fails the test where it does not.
func Until(t testing.TB, what string, happened func() bool) {
	t.Helper()
	ctx, again := Context(t), time.NewTicker(poll)
	defer again.Stop()
	for !happened() {
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("%s: it did not happen", what)
		}
	}
}
