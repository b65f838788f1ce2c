package postgres_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
)

var shop = postgres.Place{Site: "shop.example", Account: "ada"}

func take(t testing.TB, s *postgres.Store, run string, lasting time.Duration, places ...postgres.Place) *postgres.Lease {
	t.Helper()
	lease, err := s.Leases().Take(t.Context(), run, places, lasting)
	if err != nil {
		t.Fatalf("run %s takes %v: %v", run, places, err)
	}
	return lease
}

// expire has the lease of a place run out, as if its time had passed.
func expire(t testing.TB, address string, p postgres.Place) {
	t.Helper()
	execute(t, address, "UPDATE reprise.leases SET expires = clock_timestamp() - interval '1 microsecond' WHERE site = $1 AND account = $2", p.Site, p.Account)
}

func record(run string, state store.RunState) store.Run {
	return store.Run{ID: run, Automation: "login", State: state}
}

func TestOneRunAtATimeHasALease(t *testing.T) {
	t.Parallel()
	s := open(t, postgrestest.Database(t))
	leases := s.Leases()
	first := take(t, s, "first", time.Hour, shop)
	for _, run := range []string{"second", "first"} { // another attempt at the same run waits, too
		_, err := leases.Take(t.Context(), run, []postgres.Place{shop}, time.Hour)
		var held *store.HeldError
		if !errors.As(err, &held) || held.Run != "first" || held.Place != shop {
			t.Errorf("run %s takes what is taken: %v", run, err)
		}
	}
	take(t, s, "other", time.Hour, postgres.Place{Site: shop.Site, Account: "grace"}, postgres.Place{Site: "bank.example", Account: "ada"})
	if err := leases.Renew(t.Context(), first, time.Hour); err != nil {
		t.Error(err)
	}
	if err := leases.Release(t.Context(), first); err != nil {
		t.Error(err)
	}
	second := take(t, s, "second", time.Hour, shop)
	if second.Tokens[0] <= first.Tokens[0] {
		t.Errorf("the tokens are %v, and then %v", first.Tokens, second.Tokens)
	}
	if err := leases.Release(t.Context(), first); err != nil { // again, and what it had is another's now
		t.Error(err)
	}
	if err := leases.Renew(t.Context(), second, time.Hour); err != nil {
		t.Errorf("what another has given back twice: %v", err)
	}
}

func TestALeaseOfSeveralPlacesIsWholeOrNone(t *testing.T) {
	t.Parallel()
	s := open(t, postgrestest.Database(t))
	free := postgres.Place{Site: "a.example", Account: "ada"}
	take(t, s, "first", time.Hour, shop)
	if lease, err := s.Leases().Take(t.Context(), "second", []postgres.Place{shop, free}, time.Hour); err == nil {
		t.Errorf("it was given %v", lease.Places)
	}
	take(t, s, "third", time.Hour, free, free)
	if _, err := s.Leases().Take(t.Context(), "none", nil, time.Hour); err == nil {
		t.Error("a lease of nothing was given")
	}
}

func TestALeaseThatRanOutIsTakenOver(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	s := open(t, address)
	first := take(t, s, "first", time.Hour, shop)
	expire(t, address, shop)
	if err := s.Leases().Renew(t.Context(), first, time.Hour); err != nil {
		t.Errorf("what ran out, and no one has: %v", err)
	}
	if _, err := s.Leases().Take(t.Context(), "second", []postgres.Place{shop}, time.Hour); err == nil {
		t.Error("what was renewed is taken over")
	}
	expire(t, address, shop)
	take(t, s, "second", time.Hour, shop)
	var lost *postgres.LeaseLostError
	if err := s.Leases().Renew(t.Context(), first, time.Hour); !errors.As(err, &lost) || !errors.Is(err, postgres.ErrLeaseLost) || lost.Run != "first" {
		t.Errorf("renewing what another has: %v", err)
	}
}

// Only the server's time counts. A worker that has no idea of the time takes, renews
// and loses like any other: nothing of its clock is ever sent.
func TestALeaseEndsByTheTimeOfTheServer(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	s := open(t, address)
	take(t, s, "first", 50*time.Millisecond, shop)
	for begun := time.Now(); ; {
		_, err := s.Leases().Take(t.Context(), "second", []postgres.Place{shop}, time.Hour)
		if err == nil {
			break
		}
		if time.Since(begun) > 30*time.Second {
			t.Fatalf("it does not run out: %v", err)
		}
	}
	var left time.Duration
	row := connect(t, address).QueryRow(t.Context(), "SELECT expires - clock_timestamp() FROM reprise.leases")
	if err := row.Scan(&left); err != nil || left > time.Hour || left < 59*time.Minute {
		t.Errorf("by the server it lasts %v, %v", left, err)
	}
}

func TestAStaleTokenSendsNothingAndSavesNothing(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	s, run := open(t, address), store.NewRunID()
	first := s.Fenced(take(t, s, run, time.Hour, shop))
	if err := first.Commits().Begin(t.Context(), run, 1); err != nil {
		t.Fatal(err)
	}
	if err := first.Commits().Begin(t.Context(), run, 1); !errors.Is(err, store.ErrAlreadySent) {
		t.Errorf("the second Sending: %v, want ErrAlreadySent", err)
	}
	owned := record(run, store.Running)
	owned.Owner = "an agent"
	if err := first.Runs().Save(t.Context(), owned); err != nil {
		t.Fatal(err)
	}
	for r, err := range s.Runs().ListOf(t.Context(), "someone else") {
		t.Errorf("a run of %q is another's: %v", r.Owner, err)
	}
	mine := 0
	for range s.Runs().ListOf(t.Context(), "an agent") {
		mine++
	}
	if mine != 1 {
		t.Errorf("its owner has %d runs", mine)
	}
	expire(t, address, shop)
	if err := first.Commits().Begin(t.Context(), run, 2); err != nil { // no one else has it
		t.Errorf("a lease that ran out, and is the newest: %v", err)
	}
	second := take(t, s, run, time.Hour, shop)
	if err := first.Commits().Begin(t.Context(), run, 3); !errors.Is(err, postgres.ErrLeaseLost) {
		t.Errorf("Sending with a stale token: %v, want ErrLeaseLost", err)
	}
	if err := first.Runs().Save(t.Context(), record(run, store.Done)); !errors.Is(err, postgres.ErrLeaseLost) {
		t.Errorf("Save with a stale token: %v, want ErrLeaseLost", err)
	}
	now, err := s.Runs().Get(t.Context(), run)
	if err != nil || now.State != store.Running {
		t.Errorf("the record is %s, %v", now.State, err)
	}
	sent, err := s.Fenced(second).Commits().Committed(t.Context(), run)
	if err != nil || len(sent) != 2 {
		t.Errorf("the next attempt sees %v, %v", sent, err)
	}
	if err := s.Leases().Release(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if err := s.Fenced(second).Commits().Begin(t.Context(), run, 4); !errors.Is(err, postgres.ErrLeaseLost) {
		t.Errorf("Sending after the lease was given back: %v, want ErrLeaseLost", err)
	}
}

// One run notes steps as fast as it can, and others take its lease. What a taker has
// not seen in the notes is never noted after it.
func TestNothingIsNotedOnceAnotherHasTheLease(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	s, run := open(t, address), store.NewRunID()
	lease := take(t, s, run, time.Hour, shop)
	for range 20 {
		var group sync.WaitGroup
		noted := make(chan int, 1)
		begun := make(chan struct{})
		old := lease
		sent, err := s.Commits().Committed(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			step := len(sent)
			for ; ; step++ {
				err := s.Fenced(old).Commits().Begin(t.Context(), run, step)
				if errors.Is(err, postgres.ErrLeaseLost) {
					break
				}
				if err != nil {
					t.Error(err)
					break
				}
				if step == len(sent) {
					close(begun)
				}
			}
			noted <- step
		})
		<-begun
		expire(t, address, shop)
		lease = take(t, s, run, time.Hour, shop)
		seen, err := s.Commits().Committed(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		group.Wait()
		if after := <-noted; after != len(seen) {
			t.Fatalf("%d steps were noted, and anyone who took the lease saw %d", after, len(seen))
		}
	}
}
