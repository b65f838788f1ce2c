package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/store"
)

const (
	// seenEvery is how often a process tells that it still holds a browser, and seenFor how long
	// that is believed of a process on another machine.
	seenEvery = 30 * time.Second
	seenFor   = 4 * seenEvery

	// noteTimeout bounds the writing of a record.
	noteTimeout = 10 * time.Second
)

// Browsers notes in a store which browsers this process holds that outlive it, so that another
// process finds those that it leaves when it is killed. It is safe for concurrent use. Close it.
type Browsers struct {
	store  store.Browsers
	warn   func(error)
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu   sync.Mutex
	held map[string]store.Browser
}

// NewBrowsers returns the notes of this process. Warn is told what could not be written.
func NewBrowsers(st store.Browsers, warn func(error)) *Browsers {
	ctx, cancel := context.WithCancel(context.Background())
	b := &Browsers{store: st, warn: warn, cancel: cancel, held: map[string]store.Browser{}}
	b.done.Go(func() { b.beat(ctx) })
	return b
}

// beat tells again and again that the browsers are held.
func (b *Browsers) beat(ctx context.Context) {
	ticker := time.NewTicker(seenEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		b.mu.Lock()
		for id, one := range b.held {
			one.Seen = time.Now()
			b.held[id] = one
			if err := b.save(ctx, one); err != nil {
				b.warn(err)
			}
		}
		b.mu.Unlock()
	}
}

func (b *Browsers) save(ctx context.Context, one store.Browser) error {
	ctx, cancel := load.WithTimeout(ctx, noteTimeout)
	defer cancel()
	return b.store.Save(ctx, one)
}

// Note notes what is held, and returns its ID for Forget. The ID, process and times are set.
func (b *Browsers) Note(ctx context.Context, one store.Browser) (string, error) {
	now := time.Now()
	one.ID, one.Process, one.Started, one.Seen = store.NewRunID(), *ThisProcess(), now, now
	if err := b.save(ctx, one); err != nil {
		return "", err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held[one.ID] = one
	return one.ID, nil
}

// Forget notes that something is no longer held, and is closed.
func (b *Browsers) Forget(ctx context.Context, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.held, id)
	ctx, cancel := load.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
	defer cancel()
	if err := b.store.Delete(ctx, id); err != nil {
		b.warn(err)
	}
}

// Leave has another process close what could not be closed here, when this one has ended: of no ID, all.
func (b *Browsers) Leave(ids ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(ids) == 0 {
		clear(b.held)
	}
	for _, id := range ids {
		delete(b.held, id)
	}
}

// Keep starts a browser that outlives this process, and notes it.
func (b *Browsers) Keep(ctx context.Context, o *browser.KeepOptions) (*browser.Browser, error) {
	kept, err := browser.Keep(ctx, o)
	if err != nil {
		return nil, err
	}
	if _, err := b.Note(ctx, store.Browser{Kind: store.KindLocal, Session: kept.InstanceID()}); err != nil {
		return nil, errors.Join(err, kept.Close())
	}
	return kept, nil
}

// Close forgets all that this process holds, and has closed.
func (b *Browsers) Close() {
	b.cancel()
	b.done.Wait()
	b.mu.Lock()
	var all []string
	for id := range b.held {
		all = append(all, id)
	}
	b.mu.Unlock()
	for _, id := range all {
		b.Forget(context.Background(), id)
	}
}

// Cleaned is what Cleanup did about a browser.
type Cleaned struct {
	Browser store.Browser
	// Closed reports whether it was closed, or had ended; of a dry run, whether it would be.
	Closed bool
	// Why it was closed, or was not.
	Why string
	Err error // why it could not be closed
}

// MarshalJSON makes it what commands and the API print.
func (c Cleaned) MarshalJSON() ([]byte, error) {
	printed := struct {
		ID      string `json:"id"`
		Kind    string `json:"kind"`
		Session string `json:"session"`
		Page    string `json:"page,omitempty"`
		Closed  bool   `json:"closed"`
		Why     string `json:"why"`
		Error   string `json:"error,omitempty"`
	}{ID: c.Browser.ID, Kind: c.Browser.Kind, Session: c.Browser.Session, Page: c.Browser.Page, Closed: c.Closed, Why: c.Why}
	if c.Err != nil {
		printed.Error = c.Err.Error()
		printed.Why += ": " + printed.Error
	}
	return json.Marshal(printed)
}

// CleanupOptions of Cleanup.
type CleanupOptions struct {
	// DryRun closes nothing.
	DryRun bool
	// Close closes what is not of KindLocal. Default: it stays.
	Close func(context.Context, store.Browser) error
}

// ErrNotReached is of a browser that this process does not know how to reach.
var ErrNotReached = errors.New("it is not reached from here")

// Cleanup closes what processes have left that are no more, apart from what a run is held for that
// waits for a person, and from what has a page that a person has. What another process holds stays.
func Cleanup(ctx context.Context, st store.Store, o CleanupOptions) ([]Cleaned, error) {
	var all []Cleaned
	for one, err := range st.Browsers().List(ctx) {
		if err != nil {
			return all, err
		}
		c := Cleaned{Browser: one.Browser}
		switch why, orphan := orphaned(one.Browser, time.Now()); {
		case one.Err != nil:
			c.Why, c.Err = "its record cannot be read", one.Err
		case !orphan:
			c.Why = why
		default:
			c.Why = why
			c.end(ctx, st, o)
		}
		all = append(all, c)
	}
	return all, nil
}

// orphaned reports whether no process holds a browser any more, and why.
func orphaned(b store.Browser, now time.Time) (why string, orphan bool) {
	host, err := os.Hostname()
	here := err == nil && b.Process.Host == host
	switch {
	case here && Lost(store.Run{State: store.Running, Process: &b.Process}):
		return fmt.Sprintf("process %d, which held it, has ended", b.Process.PID), true
	case here:
		return fmt.Sprintf("process %d holds it", b.Process.PID), false
	case now.Sub(b.Seen) < seenFor:
		return fmt.Sprintf("process %d on %s holds it", b.Process.PID, b.Process.Host), false
	case b.Kind == store.KindLocal:
		return "it is on " + b.Process.Host + ": clean up there", false
	}
	return fmt.Sprintf("process %d on %s was last seen %s", b.Process.PID, b.Process.Host, b.Seen.Local().Format(time.DateTime)), true
}

// end closes what no process holds.
func (c *Cleaned) end(ctx context.Context, st store.Store, o CleanupOptions) {
	b := c.Browser
	if run, waits := waitsIn(ctx, st.Runs(), b.Page); waits {
		c.Why = "run " + run + " waits for a person in it"
		return
	}
	for h, err := range st.Handoffs().Running(ctx) {
		if err == nil && h.Err == nil && h.Browser == b.Session {
			c.Why = "a person has a page of it (handoff " + h.ID + ")"
			return
		}
	}
	if o.DryRun {
		c.Closed = true
		return
	}
	switch {
	case b.Kind == store.KindLocal:
		c.Err = closeLocal(ctx, b.Session)
	case o.Close == nil:
		c.Err = ErrNotReached
	default:
		c.Err = o.Close(ctx, b)
	}
	if errors.Is(c.Err, browser.ErrDriven) {
		c.Why, c.Err = "another process drives it", nil
		return
	}
	if c.Err == nil {
		c.Err = st.Browsers().Delete(ctx, b.ID)
	}
	c.Closed = c.Err == nil
}

// waitsIn returns the run that waits for a person in a page.
func waitsIn(ctx context.Context, runs store.Runs, page string) (id string, waits bool) {
	if page == "" {
		return "", false
	}
	for r, err := range runs.List(ctx) {
		if err == nil && r.Err == nil && r.State == store.WaitingForPerson && r.Page == page {
			return r.ID, true
		}
	}
	return "", false
}

// closeLocal ends a browser of this machine, unless it has ended.
func closeLocal(ctx context.Context, id string) error {
	b, err := browser.Attach(ctx, id, nil)
	if errors.Is(err, browser.ErrEnded) {
		return nil
	}
	if err != nil {
		return err
	}
	return b.Close()
}
