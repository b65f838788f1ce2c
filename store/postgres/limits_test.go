package postgres_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

// A payment waits for another to the same payee that is not committed yet, and sees it then.
func TestPaymentsToOnePayeeWaitForOneAnother(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	s := open(t, address)
	limit, err := s.Limits().Add(t.Context(), storetest.WaterLimit(1000, 1000))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	other, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"SELECT FROM reprise.limits WHERE id = '" + limit.ID + "' FOR UPDATE",
		"INSERT INTO reprise.payments VALUES ('other', 0, 'https://shop.example', 'Meadow Water', 'EUR', 1000, clock_timestamp(), 'reserved')",
	} {
		if _, err := other.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, 1)
	go func() {
		_, err := s.Commits().BeginPayment(t.Context(), store.NewRunID(), 0, storetest.WaterBill(1000))
		ended <- err
	}()
	watch, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close(t.Context())
	browsertest.Until(t, "the payment waits, or has ended", func() bool {
		var waits bool
		err := watch.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
		return waits || len(ended) > 0
	})
	if err := other.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, store.ErrNotWithinLimit) {
		t.Errorf("after the other: %v, want ErrNotWithinLimit", err)
	}
}
