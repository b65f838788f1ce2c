package target

import (
	"context"
	"errors"
	"time"
)

// keptPlaces bounds what is remembered of where a frame has been: waits look at
// the last few, and some pages change their address with every scroll.
const keptPlaces = 200

// history is where a frame has been, the last places of it.
type history struct {
	documents int // that there have been, since it was watched
	dropped   int // of the places, the oldest
	places    []place
}

// place is an address that a frame went to, within its document or not.
type place struct {
	url      string
	loader   string // of its document
	document int    // that one's number
}

// Mark is a moment in the history of a frame.
type Mark struct{ places, documents int }

func (h *history) mark() Mark { return Mark{h.dropped + len(h.places), h.documents} }

func (h *history) add(url, loader string) {
	if len(h.places) == 2*keptPlaces {
		h.dropped += keptPlaces
		h.places = append(h.places[:0], h.places[keptPlaces:]...)
	}
	h.places = append(h.places, place{url, loader, h.documents})
}

// after gives the first place after a mark that satisfies ok, and the mark
// behind it.
func (h *history) after(m Mark, ok func(place) bool) (Mark, bool) {
	for i := max(0, m.places-h.dropped); i < len(h.places); i++ {
		if p := h.places[i]; ok(p) {
			return Mark{h.dropped + i + 1, p.document}, true
		}
	}
	return m, false
}

// Mark notes where the frame's history stands, for Left, CallAt and the waits.
func (f *Frame) Mark() Mark {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	return f.history.mark()
}

// Left reports whether the frame got another document since the mark, or is gone.
func (f *Frame) Left(m Mark) bool {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	return f.gone || f.page.closed || f.history.documents > m.documents
}

// WaitURL returns when the frame has gone, after the mark, to an address that
// satisfies ok. The mark that it gives is right behind that address.
func (f *Frame) WaitURL(ctx context.Context, m Mark, ok func(url string) bool) (Mark, error) {
	reached := m
	err := f.page.tree.Wait(ctx, func() (bool, error) {
		mark, found := f.history.after(m, func(p place) bool { return ok(p.url) })
		reached = mark
		return found, f.err()
	})
	return reached, err
}

// WaitAt returns when the frame is at an address that satisfies ok.
func (f *Frame) WaitAt(ctx context.Context, ok func(url string) bool) error {
	return f.page.tree.Wait(ctx, func() (bool, error) { return ok(f.url), f.err() })
}

// WaitOr returns when cond holds, or when the frame got another document since
// the mark or is gone: left. cond runs with the tree locked.
func (f *Frame) WaitOr(ctx context.Context, m Mark, cond func() bool) (left bool, err error) {
	err = f.page.tree.Wait(ctx, func() (bool, error) {
		left = f.gone || f.history.documents > m.documents
		return cond() || left, f.page.err()
	})
	return left, err
}

// longestSettling bounds the wait for a navigation that was asked for: some are
// never begun, and nothing says so (another program's links, a 204).
const longestSettling = 5 * time.Second

// Settled returns when no navigation that the page has asked for is under way,
// in the frame or in those around it. What is done next is then done in the
// document that it led to.
func (f *Frame) Settled(ctx context.Context) error {
	f.page.tree.mu.Lock()
	pending := f.pending()
	f.page.tree.mu.Unlock()
	if !pending {
		return nil
	}
	bounded, cancel := context.WithTimeoutCause(ctx, longestSettling, errUnsettled)
	defer cancel()
	err := f.page.tree.Wait(bounded, func() (bool, error) { return !f.pending(), f.page.err() })
	if errors.Is(err, errUnsettled) {
		f.page.tree.Do(f.unask) // nobody needs to wait for it again
		return nil
	}
	return err
}

func (f *Frame) unask() {
	for at := f; at != nil; at = at.up() {
		at.asked, at.unstarted = "", 0
	}
}

var errUnsettled = errors.New("a navigation that was asked for did not happen")

func (f *Frame) pending() bool {
	for at := f; at != nil; at = at.up() {
		if (at.asked != "" || at.arrives()) && !at.gone {
			return true
		}
	}
	return false
}

// arrives reports whether the frame's document has just come from another process, and
// its address is not told yet.
func (f *Frame) arrives() bool {
	parent := f.up()
	return f.url == "" && parent != nil && parent.session != f.session
}
