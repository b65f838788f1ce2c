package runner

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func TestAnInterruptedRunIsRequeuedUnlessItIsUncertain(t *testing.T) {
	t.Parallel()
	broken := &replayer.Error{Code: replayer.Cancelled, Step: 1}
	for _, c := range []struct {
		what   string
		cause  error
		played error
		back   bool
	}{
		{"the worker stops", ErrStopping, broken, true},
		{"the lease is lost", fmt.Errorf("%w: no answer", store.ErrLeaseLost), broken, true},
		{"what commits was not noted", store.ErrLeaseLost, &replayer.Error{Code: replayer.Refused}, true},
		{"it was sent", ErrStopping, &replayer.Error{Code: replayer.Uncertain}, false},
		{"it is done", ErrStopping, nil, false},
		{"someone cancels it", ErrCancelled, broken, false},
		{"it takes too long", ErrTooLong, broken, false},
	} {
		ctx, end := context.WithCancelCause(t.Context())
		end(c.cause)
		if got := interrupted(ctx, c.played); got != c.back {
			t.Errorf("%s: it is given back: %v, want %v", c.what, got, c.back)
		}
	}
}

func TestAWordIsQuotedForAShellOnlyWhereItMust(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"ada@example.com": "ada@example.com", "/tmp/a-b_c.json": "/tmp/a-b_c.json",
		"Ada Lovelace": "'Ada Lovelace'", "it's": `'it'\''s'`, "$(rm)": "'$(rm)'", "": "''",
	} {
		if got := Quote(word); got != want {
			t.Errorf("%q is quoted as %s, want %s", word, got, want)
		}
	}
}
