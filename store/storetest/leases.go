package storetest

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/go-reprise/reprise/store"
)

var (
	adasShop = store.Place{Site: "shop.example", Account: "ada"}
	adasBank = store.Place{Site: "bank.example", Account: "ada"}
	others   = store.Place{Site: "shop.example", Account: "grace"}
)

// lease takes the lease of places for a run of this process.
func lease(t *testing.T, s store.Store, run string, places ...store.Place) store.Lease {
	t.Helper()
	l, err := s.Lease(t.Context(), run, &store.Process{PID: os.Getpid(), Host: "here"}, places, time.Hour)
	if err != nil {
		t.Fatalf("run %s takes %v: %v", run, places, err)
	}
	t.Cleanup(func() { _ = l.Release(t.Context()) }) // a closed store refuses it
	return l
}

// One run at a time has the lease of a place: of several, it takes all or none.
func leasesTaken(t *testing.T, s store.Store) {
	first := lease(t, s, "first", adasShop)
	for _, places := range [][]store.Place{{adasShop}, {adasBank, adasShop}, {adasShop, adasBank}} {
		_, err := s.Lease(t.Context(), "second", nil, places, time.Hour)
		var held *store.HeldError
		if !errors.As(err, &held) || held.Place != adasShop || held.Run != "first" {
			t.Errorf("taking %v, of which another run has one: %v", places, err)
		}
	}
	lease(t, s, "third", adasBank, others, adasBank) // nothing of them was stored by those that failed
	if err := first.Renew(t.Context(), time.Hour); err != nil {
		t.Errorf("renewing: %v", err)
	}
	for range 2 { // releasing twice is releasing once
		if err := first.Release(t.Context()); err != nil {
			t.Errorf("releasing: %v", err)
		}
	}
	lease(t, s, "second", adasShop)
}

// The store of a lease notes and saves as the store does.
func leasedStore(t *testing.T, s store.Store) {
	run := sampleRun()
	leased := lease(t, s, run.ID, adasShop).Store()
	if err := leased.Runs().Save(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if err := leased.Commits().Begin(t.Context(), run.ID, 1); err != nil {
		t.Fatal(err)
	}
	if err := s.Commits().Begin(t.Context(), run.ID, 1); !errors.Is(err, store.ErrAlreadySent) {
		t.Errorf("what was noted under the lease: %v, want ErrAlreadySent", err)
	}
	if now, err := s.Runs().Get(t.Context(), run.ID); err != nil || now.State != run.State {
		t.Errorf("the record is %s, %v", now.State, err)
	}
}
