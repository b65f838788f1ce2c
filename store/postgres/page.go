package postgres

import (
	"context"
	"iter"
)

// paged lists what page gives after the last one that was given, a page of pageSize at a
// time, as far as the caller goes, and holds no connection while the caller looks at it.
func paged[T any](ctx context.Context, last T, page func(ctx context.Context, last T) ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for last := last; ; {
			found, err := page(ctx, last)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, last = range found {
				if !yield(last, nil) {
					return
				}
			}
			if len(found) < pageSize {
				return
			}
		}
	}
}
