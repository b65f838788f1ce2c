package runner

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

var shop = store.Place{Site: "shop.example", Account: "ada"}

// hold takes the lease of a place until free is called.
func hold(t *testing.T, st store.Store, run string, places ...store.Place) (free func()) {
	t.Helper()
	taken, done, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- Hold(t.Context(), st, run, places, time.Minute, func(context.Context, store.Store) error {
			close(taken)
			<-done
			return nil
		})
	}()
	select {
	case <-taken:
	case err := <-ended:
		t.Fatal(err)
	}
	return func() {
		close(done)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func TestOneRunAtATimeActsForAnAccount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := open(t, dir), open(t, dir) // as two processes open it
	free := hold(t, first, "first", shop)
	other := store.Place{Site: "bank.example", Account: "ada"}
	err := Hold(t.Context(), second, "second", []store.Place{other, shop}, time.Minute, func(context.Context, store.Store) error {
		t.Error("two runs act for one account at once")
		return nil
	})
	var busy *store.HeldError
	if !errors.As(err, &busy) || busy.Place != shop || busy.Run != "first" || busy.Process == nil || busy.Process.PID != os.Getpid() {
		t.Errorf("the second run ends with %v", err)
	}
	hold(t, second, "third", other, store.Place{Site: shop.Site, Account: "grace"})() // it has kept nothing
	free()
	hold(t, second, "second", shop)()
}

func TestADocumentThatNamesNoSiteIsPlayedWithoutALease(t *testing.T) {
	t.Parallel()
	p := &Plan{runner: &Runner{Store: open(t, t.TempDir())}, Document: &automation.Automation{Name: "anywhere"}, request: Request{Account: "ada"}}
	played := false
	err := p.Hold(t.Context(), Events{}, func(context.Context, *Plan) error { played = true; return nil })
	if err != nil || !played {
		t.Errorf("it is played: %v, %v", played, err)
	}
}

const leaseEnv = "REPRISE_TEST_LEASE_DIR"

// TestHoldUntilKilled is the process of the test below.
func TestHoldUntilKilled(t *testing.T) {
	dir := os.Getenv(leaseEnv)
	if dir == "" {
		t.Skip("for the test of a killed process")
	}
	hold(t, open(t, dir), "killed", shop)
	os.Stdout.WriteString("held\n")
	<-t.Context().Done()
}

func TestALeaseEndsWithItsProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHoldUntilKilled$") //nolint:gosec // this very program
	child.Env = append(os.Environ(), leaseEnv+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	st := open(t, dir)
	never := func(context.Context, store.Store) error { return nil }
	if err := Hold(t.Context(), st, "next", []store.Place{shop}, time.Minute, never); err == nil {
		t.Error("the place is free while its process lives")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	hold(t, st, "next", shop)()
}
