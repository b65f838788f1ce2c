// Package load is the clock of time limits: they count the time in which the machine had a
// processor free for whatever waited for one. A program that shares its machine with many
// browsers is slowed down by them, and a limit in plain time then fails steps of pages that
// are not at fault. A limit grows to at most [MaxStretch] times its length.
package load

import (
	"context"
	"sync"
	"time"
)

// MaxStretch is how many times its length a limit may last on a machine that is always busy.
const MaxStretch = 4

// A Deadline passes once its time is used up. The zero Deadline has passed.
type Deadline struct {
	start time.Time
	wait  time.Duration // contended, at start
	limit time.Duration
}

// After returns the deadline that passes after d.
func After(d time.Duration) Deadline {
	return Deadline{time.Now(), contended(), d}
}

// Add returns the same deadline, d later.
func (d Deadline) Add(more time.Duration) Deadline {
	d.limit += more
	return d
}

// Remaining returns how much of the time is left, 0 where none is.
func (d Deadline) Remaining() time.Duration {
	if d.start.IsZero() {
		return 0
	}
	return max(0, d.left(time.Since(d.start), contended()-d.wait))
}

// left is what is left after a time, in a part of which something waited for a processor. Up to
// half of the time that is how a machine with one busy page looks; what is above counts as load.
func (d Deadline) left(elapsed, contended time.Duration) time.Duration {
	loaded := max(0, 2*min(contended, elapsed)-elapsed)
	return d.limit - (elapsed - min(loaded, (MaxStretch-1)*d.limit))
}

// WithDeadline returns a copy of the context that ends with [context.DeadlineExceeded] once the
// deadline has passed.
func WithDeadline(parent context.Context, d Deadline) (context.Context, context.CancelFunc) {
	return WithDeadlineCause(parent, d, context.DeadlineExceeded)
}

// WithTimeout is [WithDeadline] for a deadline after d.
func WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return WithDeadline(parent, After(d))
}

// WithTimeoutCause is [WithTimeout] with a cause that [context.Cause] returns once the time is up.
func WithTimeoutCause(parent context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	return WithDeadlineCause(parent, After(d), cause)
}

// WithDeadlineCause is [WithDeadline] with a cause that [context.Cause] returns once the deadline
// has passed.
func WithDeadlineCause(parent context.Context, d Deadline, cause error) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(parent)
	c := &timed{Context: inner, cancel: cancel, deadline: d, cause: cause, done: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	context.AfterFunc(inner, func() { c.end(inner.Err(), nil) })
	c.timer = time.AfterFunc(d.Remaining(), c.look)
	return c, func() { c.end(context.Canceled, nil) }
}

// timed is a context that a timer ends, which is set again while time is left.
type timed struct {
	context.Context // has the cause
	cancel          context.CancelCauseFunc
	deadline        Deadline
	cause           error
	done            chan struct{}

	mu    sync.Mutex
	err   error
	timer *time.Timer
}

func (c *timed) Done() <-chan struct{} { return c.done }

func (c *timed) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// look ends the context if its time is up.
func (c *timed) look() {
	left := c.deadline.Remaining()
	if left <= 0 {
		c.end(context.DeadlineExceeded, c.cause)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.timer.Reset(left)
	}
}

func (c *timed) end(err, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	c.timer.Stop()
	c.cancel(cause)
	close(c.done)
}
