package replayer

import (
	"context"
	"sync"
	"time"
)

// runClock ends a run whose time is over. It stands still while a person is waited for: how long that
// lasts is bounded by the Person.
type runClock struct {
	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration
	since   time.Time // that it runs
	waiting int       // how many wait for a person
}

type clockKey struct{}

// withClock returns a context that ends with errRunTimeout once the time is over.
func withClock(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &runClock{left: limit, since: time.Now()}
	c.timer = time.AfterFunc(limit, func() { cancel(errRunTimeout) })
	return context.WithValue(ctx, clockKey{}, c), func() { c.timer.Stop(); cancel(nil) }
}

// stopClock has the clock of a run stand still until it is called again.
func stopClock(ctx context.Context) (goOn func()) {
	c, is := ctx.Value(clockKey{}).(*runClock)
	if !is {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting++; c.waiting == 1 && c.timer.Stop() {
		c.left -= time.Since(c.since)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.waiting--; c.waiting == 0 {
			c.since = time.Now()
			c.timer.Reset(max(c.left, 0))
		}
	}
}
