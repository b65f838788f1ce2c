package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

// Anyone who works while the server is restarted, twice, sees nothing of it, and nothing
// is lost or done twice.
func TestARestartOfTheServerIsSurvived(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	s := open(t, server.Database(t))
	const workers = 4
	var group sync.WaitGroup
	done, working := make(chan struct{}), make(chan struct{})
	for w := range workers {
		group.Go(func() { work(t, s, fmt.Sprintf("login-%d", w), working, done) })
	}
	for _, stop := range []func(testing.TB){server.Stop, server.Crash} {
		for range 3 * workers {
			<-working
		}
		stop(t)
		server.Start(t)
	}
	for range 3 * workers {
		<-working
	}
	close(done)
	group.Wait()
}

// work saves the same document again and again, and sends a step for each revision.
func work(t *testing.T, s store.Store, name string, working chan<- struct{}, done <-chan struct{}) {
	a, err := s.Automations().Save(t.Context(), storetest.Document(t, name, ""))
	run := store.NewRunID()
	for revision := 1; err == nil; revision++ {
		if a.Revision != revision {
			t.Errorf("%s is at revision %d after %d saves", name, a.Revision, revision)
		}
		if err = s.Commits().Begin(t.Context(), run, revision); err != nil {
			break
		}
		if err := s.Commits().Begin(t.Context(), run, revision); !errors.Is(err, store.ErrAlreadySent) {
			t.Errorf("the second Sending: %v", err)
		}
		if _, err = s.Automations().Match(t.Context(), "https://"+name+".example/", ""); err != nil {
			break
		}
		select {
		case <-done:
			return
		case working <- struct{}{}:
		}
		a, err = s.Automations().Save(t.Context(), a)
	}
	t.Errorf("%s: %v", name, err)
	for { // the others go on
		select {
		case <-done:
			return
		case working <- struct{}{}:
		}
	}
}

// What was noted is on the disk, also where the server is set not to wait for it.
func TestANoteSurvivesACrash(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	address := server.Database(t)
	// And the server would otherwise write it a moment later.
	for _, sql := range []string{
		"ALTER ROLE reprise SET synchronous_commit = off", "ALTER SYSTEM SET wal_writer_delay = '10s'", "SELECT pg_reload_conf()",
	} {
		execute(t, address, sql)
	}
	s, run := open(t, address), store.NewRunID()
	if err := s.Commits().Begin(t.Context(), run, 1); err != nil {
		t.Fatal(err)
	}
	server.Crash(t)
	server.Start(t)
	if err := s.Commits().Begin(t.Context(), run, 1); !errors.Is(err, store.ErrAlreadySent) {
		t.Errorf("after the crash, Sending gives %v, want ErrAlreadySent", err)
	}
}

func TestACallWaitsForTheServerAsLongAsItsContext(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	s := open(t, server.Database(t))
	server.Stop(t)
	cause := errors.New("no more time")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, cause)
	defer cancel()
	if _, err := s.Automations().Save(ctx, storetest.Document(t, "login", "")); !errors.Is(err, cause) {
		t.Errorf("Save while there is no server: %v, want %v", err, cause)
	}
	saved := make(chan error)
	go func() {
		_, err := s.Automations().Save(t.Context(), storetest.Document(t, "login", ""))
		saved <- err
	}()
	server.Start(t)
	if err := <-saved; err != nil {
		t.Errorf("Save when it is back: %v", err)
	}
}

// Another's transaction has the row: the call ends when its context does.
func TestACallWaitsForALockAsLongAsItsContext(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	s := open(t, address)
	a := save(t, s, storetest.Document(t, "login", ""))
	conn := connect(t, address)
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT FROM reprise.automations FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("no more time")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, cause)
	defer cancel()
	if _, err := s.Automations().Save(ctx, a); !errors.Is(err, cause) {
		t.Errorf("Save: %v, want %v", err, cause)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := save(t, s, a); again.Revision != 2 {
		t.Errorf("what was given up was saved: this is revision %d", again.Revision)
	}
}

func connect(t testing.TB, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func execute(t testing.TB, address, sql string, args ...any) {
	t.Helper()
	if _, err := connect(t, address).Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}
