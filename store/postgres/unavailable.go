package postgres

import "github.com/go-reprise/reprise/store"

// Is makes it store.ErrUnavailable: the database may answer the next attempt.
func (e *Error) Is(target error) bool { return target == store.ErrUnavailable }
