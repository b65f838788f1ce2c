package postgres_test

import (
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
	"github.com/go-reprise/reprise/store/storetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, postgrestest.Database(t)) })
}

// open opens a store, which is closed when the test ends.
func open(t testing.TB, address string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func save(t testing.TB, s store.Store, a *automation.Automation) *automation.Automation {
	t.Helper()
	saved, err := s.Automations().Save(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return saved
}
