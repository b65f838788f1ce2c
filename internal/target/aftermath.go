package target

import (
	"context"
	"slices"
	"strings"
)

// Aftermath is what a page does after a moment.
type Aftermath struct {
	frame             *Frame
	mark, main        Mark
	traffic           *Traffic // nil where the requests are not watched
	request           int
	popups, downloads int
}

// WatchAftermath notes the moment before something is done in a frame.
func (f *Frame) WatchAftermath(traffic *Traffic) *Aftermath {
	p := f.page
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	a := &Aftermath{frame: f, mark: f.history.mark(), main: p.main.history.mark(), traffic: traffic, popups: len(p.popups), downloads: len(p.downloads)}
	a.request = a.Requested()
	return a
}

// Repeats reports whether the page had sent a request like this one before: of its method, to its address but for
// the query. The tree is locked.
func (a *Aftermath) Repeats(e Exchange) bool {
	return a.traffic != nil && slices.ContainsFunc(a.traffic.all[:min(a.request, len(a.traffic.all))], func(one *Exchange) bool {
		return one.Method == e.Method && placeOf(one.URL) == placeOf(e.URL)
	})
}

// Followed is what a page has done since.
type Followed struct {
	Left     bool // the frame has, or is about to get, another document; the page was closed; or a popup or a download has come
	Moved    bool // the main document has another address
	Requests []Exchange
}

// Requested returns the number of requests so far. The tree is locked.
func (a *Aftermath) Requested() int {
	if a.traffic == nil {
		return 0
	}
	return len(a.traffic.all)
}

// Wait returns when cond holds for what has followed. cond runs with the tree locked.
func (a *Aftermath) Wait(ctx context.Context, cond func(Followed) bool) error {
	p := a.frame.page
	return p.tree.Wait(ctx, func() (bool, error) {
		if cond(a.followed()) {
			return true, nil
		}
		return false, p.err()
	})
}

func (a *Aftermath) followed() Followed {
	f, p := a.frame, a.frame.page
	left := f.gone || p.closed || f.history.documents > a.mark.documents || p.main.history.documents > a.main.documents || f.pending()
	seen := Followed{Left: left || len(p.popups) > a.popups || len(p.downloads) > a.downloads, Moved: p.main.history.movedSince(a.main)}
	if a.traffic != nil {
		for _, e := range a.traffic.all[min(a.request, len(a.traffic.all)):] {
			seen.Requests = append(seen.Requests, *e)
		}
	}
	return seen
}

// movedSince reports whether the frame has gone to another address since the mark. A link to "#" leads
// nowhere.
func (h *history) movedSince(m Mark) bool {
	from := m.places - h.dropped
	if from < 1 || from > len(h.places) {
		return false
	}
	was := strings.TrimSuffix(h.places[from-1].url, "#")
	return slices.ContainsFunc(h.places[from:], func(p place) bool { return strings.TrimSuffix(p.url, "#") != was })
}
