package load

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestALimitGrowsWithTheLoad(t *testing.T) {
	t.Parallel()
	d := Deadline{limit: 10 * time.Second}
	for _, c := range []struct {
		name               string
		elapsed, contended time.Duration
		left               time.Duration
	}{
		{"a quiet machine", 4 * time.Second, 0, 6 * time.Second},
		{"one busy page", 4 * time.Second, 2 * time.Second, 6 * time.Second},
		{"three quarters of the time", 8 * time.Second, 6 * time.Second, 6 * time.Second},
		{"all the time", 8 * time.Second, 8 * time.Second, 10 * time.Second},
		{"all the time, for long", 40 * time.Second, 40 * time.Second, 0},
		{"more than has passed", 8 * time.Second, time.Hour, 10 * time.Second},
	} {
		if got := d.left(c.elapsed, c.contended); got != c.left {
			t.Errorf("%s: %v left, want %v", c.name, got, c.left)
		}
	}
}

func TestAContextEndsWithItsDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	derived, stop := context.WithCancel(ctx)
	defer stop()
	<-derived.Done()
	for _, err := range []error{ctx.Err(), context.Cause(ctx), derived.Err(), context.Cause(derived)} {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a context ended with %v, want %v", err, context.DeadlineExceeded)
		}
	}
}

func TestALimitHasItsCause(t *testing.T) {
	t.Parallel()
	slow := errors.New("slow")
	ctx, cancel := WithTimeoutCause(t.Context(), time.Millisecond, slow)
	defer cancel()
	derived, stop := context.WithCancel(ctx)
	defer stop()
	<-derived.Done()
	for _, c := range []context.Context{ctx, derived} {
		if err, cause := c.Err(), context.Cause(c); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(cause, slow) {
			t.Errorf("it ended with %v, because of %v; want %v, because of %v", err, cause, context.DeadlineExceeded, slow)
		}
	}
}

func TestAContextEndsWithItsParentAndItsCancel(t *testing.T) {
	t.Parallel()
	why := errors.New("why")
	parent, end := context.WithCancelCause(t.Context())
	child, cancel := WithTimeout(parent, time.Hour)
	defer cancel()
	end(why)
	<-child.Done()
	if err, cause := child.Err(), context.Cause(child); !errors.Is(err, context.Canceled) || !errors.Is(cause, why) {
		t.Errorf("it ended with %v, because of %v; want %v, because of %v", err, cause, context.Canceled, why)
	}

	alone, cancel := WithTimeout(t.Context(), time.Hour)
	cancel()
	<-alone.Done()
	if err := alone.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v, want %v", err, context.Canceled)
	}
}

func TestADeadlineThatHasPassedEndsAtOnce(t *testing.T) {
	t.Parallel()
	ctx, cancel := WithDeadline(t.Context(), Deadline{})
	defer cancel()
	<-ctx.Done()
	if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ended with %v, want %v", err, context.DeadlineExceeded)
	}
}
