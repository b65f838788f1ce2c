package store

import "errors"

// ErrLeaseLost is the error of a run whose lease another run has taken, or that has
// released it.
var ErrLeaseLost = errors.New("the lease is lost")
