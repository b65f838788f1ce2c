package recorder

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// shaping is what the person who records does to the recording meanwhile.
type shaping struct {
	mu     sync.Mutex        // of the merger, too: steps are made and taken back one at a time
	paused bool              // what is done is left out
	away   map[string]string // while paused: page → address that it went to
}

// Pause has what is done from now on left out, until Resume. What was done before it
// is recorded, also when it has not been worked on yet. Like Resume and Undo it must
// not be called from OnChange.
func (r *Recorder) Pause(ctx context.Context) error {
	return r.shape(ctx, func() { r.shaping.paused, r.shaping.away = true, map[string]string{} })
}

// Resume records again. Where a page has gone elsewhere meanwhile, going there is a
// step of its own.
func (r *Recorder) Resume(ctx context.Context) error {
	return r.shape(ctx, func() {
		away := r.shaping.away
		r.shaping.paused, r.shaping.away = false, nil
		for _, page := range slices.Sorted(maps.Keys(away)) {
			r.merger.add(event{kind: navigation, page: page, url: away[page]})
		}
	})
}

// Undo takes back what was done last: the last step that the person made, and what it
// led to. It reports whether there was any. It changes the recording and not the page.
func (r *Recorder) Undo(ctx context.Context) (undone bool, err error) {
	err = r.shape(ctx, func() { undone = r.merger.undo() })
	return undone, err
}

// shape changes the recording once all that was heard before has been worked on.
func (r *Recorder) shape(ctx context.Context, change func()) error {
	done := make(chan struct{})
	r.queue.put(heard{done: done})
	select {
	case <-done:
	case <-r.ended:
		return ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	r.shaping.mu.Lock()
	defer r.shaping.mu.Unlock()
	change()
	return nil
}

// emit takes an event, unless the recording is paused.
func (r *Recorder) emit(e event) {
	r.shaping.mu.Lock()
	defer r.shaping.mu.Unlock()
	switch {
	case !r.shaping.paused || e.kind == opened: // a tab is known by its name from then on
		r.merger.add(e)
	case e.kind == navigation:
		r.shaping.away[e.page] = e.url
	}
}

// undo takes the last step back, and the waits for what it led to.
func (m *merger) undo() bool {
	if m.pending != nil {
		m.pending = nil
		return true
	}
	for last := m.last(); last != nil; last = m.last() {
		waits := last.step.Tool == "waitForNav"
		m.pop()
		if !waits {
			return true
		}
	}
	return false
}
