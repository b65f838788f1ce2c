package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Place is what one run at a time may act on: a site, with an account.
type Place struct{ Site, Account string }

func (p Place) String() string {
	if p.Account == "" {
		return p.Site
	}
	return fmt.Sprintf("%s for %q", p.Site, p.Account)
}

// Lease is what a run has taken: one place or several, all of them or none.
type Lease interface {
	// Renew has the lease last as long as is said from now on. ErrLeaseLost says that
	// another run has it.
	Renew(ctx context.Context, lasting time.Duration) error
	// Release returns it up. One that is lost is left alone.
	Release(ctx context.Context) error
	// Store returns the store as the run sees it that has the lease. Once the lease is lost,
	// what the run sends is not noted there, and its record is not saved: the error is
	// ErrLeaseLost.
	Store() Store
}

// ErrLeaseLost is the error of a run whose lease another run has taken, or that has
// released it.
var ErrLeaseLost = errors.New("the lease is lost")

// HeldError reports that another run has the lease of a place.
type HeldError struct {
	Place
	Run     string   // "" where it is not known
	Process *Process // that performs it; nil where it is not known
}

func (e *HeldError) Error() string {
	if e.Process == nil {
		return fmt.Sprintf("%v is taken: run %s acts there", e.Place, e.Run)
	}
	return fmt.Sprintf("%v is taken: run %s acts there, of process %d on %s", e.Place, e.Run, e.Process.PID, e.Process.Host)
}
