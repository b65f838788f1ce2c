package store

import "errors"

// ErrUnavailable is an error of a store that may be gone at the next attempt, such as a
// database that cannot be reached.
var ErrUnavailable = errors.New("the store is not available")
