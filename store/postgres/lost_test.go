package postgres_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

// thief is a proxy between a store and its server, and steals one answer: the server has
// done what it was asked, and no one learns of it.
type thief struct {
	server *pgconn.Config
	after  atomic.Pointer[[]byte] // what the question has in it whose answer is stolen
	stolen atomic.Int32
}

// steal returns the address of a database that is reached through a thief.
func steal(t *testing.T) (*thief, string) {
	t.Helper()
	address := postgrestest.Database(t)
	server, err := pgconn.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	th := &thief{server: server}
	go th.serve(listener)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Del("host")
	query.Set("sslmode", "disable")
	u.Host, u.RawQuery = listener.Addr().String(), query.Encode()
	return th, u.String()
}

func (th *thief) next(question string) {
	text := []byte(question)
	th.after.Store(&text)
}

func (th *thief) serve(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		network, address := pgconn.NetworkAddress(th.server.Host, th.server.Port)
		server, err := net.Dial(network, address)
		if err != nil {
			_ = client.Close()
			return
		}
		asked := &atomic.Bool{}
		go th.pass(server, client, func(data []byte) bool {
			if want := th.after.Load(); want != nil && bytes.Contains(data, *want) && th.after.CompareAndSwap(want, nil) {
				asked.Store(true)
			}
			return true
		})
		go th.pass(client, server, func([]byte) bool {
			if asked.Load() {
				th.stolen.Add(1)
			}
			return !asked.Load()
		})
	}
}

// pass copies until it is told to stop, and then ends both directions.
func (th *thief) pass(to io.WriteCloser, from io.ReadCloser, let func([]byte) bool) {
	defer to.Close()
	defer from.Close()
	data := make([]byte, 1<<20)
	for {
		n, err := from.Read(data)
		if n > 0 && !let(data[:n]) || err != nil {
			return
		}
		if _, err := to.Write(data[:n]); err != nil {
			return
		}
	}
}

func TestALostAnswerIsNoLostCall(t *testing.T) {
	t.Parallel()
	th, address := steal(t)
	s := open(t, address)
	ctx, run := t.Context(), store.NewRunID()
	doc := storetest.Document(t, "login", "")

	const commit = "commit\x00" // the whole statement, not a word of another
	th.next(commit)
	doc = save(t, s, doc)
	th.next(commit)
	if doc = save(t, s, doc); doc.Revision != 2 {
		t.Errorf("the second Save gave revision %d", doc.Revision)
	}
	th.next(run)
	if err := s.Commits().Begin(ctx, run, 1); err != nil {
		t.Errorf("Sending, whose answer was lost: %v", err)
	}
	if err := s.Commits().Begin(ctx, run, 1); !errors.Is(err, store.ErrAlreadySent) {
		t.Errorf("the second Sending: %v, want ErrAlreadySent", err)
	}
	th.next(run)
	if err := s.Commits().Begin(ctx, run, 1); !errors.Is(err, store.ErrAlreadySent) {
		t.Errorf("the third Sending, whose answer was lost: %v, want ErrAlreadySent", err)
	}
	th.next(run)
	if err := s.Commits().Resolve(ctx, run, 1, true); err != nil {
		t.Errorf("Resolve: %v", err)
	}
	th.next("login")
	if err := s.Automations().Delete(ctx, "login", "", 2); err != nil {
		t.Errorf("Delete, whose answer was lost: %v", err)
	}
	if err := s.Automations().Delete(ctx, "login", "", 2); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the second Delete: %v, want ErrNotFound", err)
	}
	if got := th.stolen.Load(); got != 6 {
		t.Errorf("%d answers were stolen, want 6", got)
	}
}
