package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
)

// call makes a call to the database, and makes it again while the server is away. What
// do does must have its effect once, however often it is called: an answer that was
// lost does not tell whether the server had done it.
func (s *Store) call(ctx context.Context, op string, do func(context.Context, *pgxpool.Conn) error) error {
	err := s.attempt(ctx, do)
	pause := firstPause
	for begun := time.Now(); ctx.Err() == nil && lost(err) && time.Since(begun) < patience; pause = min(2*pause, lastPause) {
		s.pool.Reset() // the other connections are gone as well
		select {
		case <-time.After(pause):
			err = s.attempt(ctx, do)
		case <-ctx.Done():
		}
	}
	return s.explain(ctx, op, err)
}

// attempt makes a call once.
func (s *Store) attempt(ctx context.Context, do func(context.Context, *pgxpool.Conn) error) error {
	if s.closed.Load() {
		return store.ErrClosed
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil && s.closed.Load() {
		return store.ErrClosed
	}
	if err != nil {
		return err
	}
	defer conn.Release()
	return do(ctx, conn)
}

// What Postgres says when a call may do better later.
var passing = map[string]bool{
	"57P01": true, // admin_shutdown
	"57P02": true, // crash_shutdown
	"57P03": true, // cannot_connect_now: it starts, or it stops
	"57P05": true, // idle_session_timeout
	"40001": true, // serialization_failure: everything was undone
	"40P01": true, // deadlock_detected: the same
}

// lost says that a call failed because its connection, or the server, is gone.
func lost(err error) bool {
	var (
		said *pgconn.PgError
		wire *net.OpError
	)
	switch {
	case err == nil:
		return false
	case errors.As(err, &said):
		return passing[said.Code]
	}
	return errors.As(err, &wire) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err)
}
