package postgres

import (
	"context"
	"time"

	"github.com/go-reprise/reprise/store"
)

// Lease takes the lease of places for a run: see Leases.Take.
func (s *Store) Lease(ctx context.Context, run string, _ *store.Process, places []store.Place, lasting time.Duration) (store.Lease, error) {
	lease, err := s.Leases().Take(ctx, run, places, lasting)
	if err != nil {
		return nil, err
	}
	return heldLease{s, lease}, nil
}

type heldLease struct {
	store *Store
	lease *Lease
}

func (h heldLease) Renew(ctx context.Context, lasting time.Duration) error {
	return h.store.Leases().Renew(ctx, h.lease, lasting)
}

func (h heldLease) Release(ctx context.Context) error {
	return h.store.Leases().Release(ctx, h.lease)
}

func (h heldLease) Store() store.Store { return h.store.Fenced(h.lease) }
