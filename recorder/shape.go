package recorder

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// shaping is what the person who records does to the recording meanwhile.
type shaping struct {
	mu       sync.Mutex        // of the merger, too: steps are made and taken back one at a time
	paused   bool              // what is done is left out
	away     map[string]string // while paused: page → address that it went to
	name     string            // of the automation, "" for one made of the host
	pointing Pointing
	aimed    *aimed
	edits    []edit // that can be taken back, the last one last
	changed  chan struct{}
}

// change tells those who look at the recording that it is another one.
func (s *shaping) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Pause has what is done from now on left out, until Resume. What was done before it
// is recorded, also when it has not been worked on yet. Like all that shapes a
// recording it must not be called from OnChange.
func (r *Recorder) Pause(ctx context.Context) error {
	r.hear(ctx)
	return r.shape(ctx, func() error {
		if !r.shaping.paused {
			r.shaping.paused, r.shaping.away = true, map[string]string{}
		}
		return nil
	})
}

// Resume records again. Where a page has gone elsewhere meanwhile, going there is a
// step of its own.
func (r *Recorder) Resume(ctx context.Context) error {
	r.hear(ctx)
	return r.shape(ctx, func() error {
		away := r.shaping.away
		r.shaping.paused, r.shaping.away = false, nil
		for _, page := range slices.Sorted(maps.Keys(away)) {
			r.merger.add(event{kind: navigation, page: page, url: away[page]})
		}
		return nil
	})
}

// Undo takes back what was done last: how the recording was shaped, where nothing was
// recorded since; else the last step that the person made, and what it led to. It
// reports whether there was any. It changes the recording and not the page.
func (r *Recorder) Undo(ctx context.Context) (undone bool, err error) {
	r.hear(ctx)
	err = r.shape(ctx, func() error {
		if last := r.lastEdit(); last != nil {
			undone = true
			return r.takeBack(last)
		}
		r.shaping.edits = nil
		undone = r.merger.undo()
		return nil
	})
	return undone && err == nil, err
}

// ErrForGood: what was done last cannot be taken back. A field that was marked as
// secret stays so, as what had been typed there is not known any more.
var ErrForGood = errors.New("a field that was marked as secret stays so: what was typed there is not known any more")

// edit is a change of the recording by the person, and what was there before it.
type edit struct {
	before snapshot
	after  int // version of the merger
	good   bool
}

type snapshot struct {
	entries []entry
	names   variables
	name    string
	version int
}

func (r *Recorder) snapshot() snapshot {
	m := r.merger
	return snapshot{entries: slices.Clone(m.entries), names: m.names.clone(), name: r.shaping.name, version: m.version}
}

// lastEdit is the last change by the person, nil where something was recorded since.
func (r *Recorder) lastEdit() *edit {
	if n := len(r.shaping.edits); n > 0 && r.shaping.edits[n-1].after == r.merger.version {
		return &r.shaping.edits[n-1]
	}
	return nil
}

func (r *Recorder) takeBack(last *edit) error {
	if last.good {
		return ErrForGood
	}
	before := last.before
	r.shaping.edits = r.shaping.edits[:len(r.shaping.edits)-1]
	*r.merger.names, r.shaping.name = before.names, before.name
	r.merger.restore(before.entries)
	r.merger.version = before.version
	return nil
}

// restore puts the steps back as they were: those that stand where they stood are
// told as changed, the others as taken away and added.
func (m *merger) restore(entries []entry) {
	same := 0
	for same < min(len(entries), len(m.entries)) && entries[same].id == m.entries[same].id {
		same++
	}
	for len(m.entries) > same {
		m.pop()
	}
	for i, en := range entries {
		if i < same {
			m.entries[i] = en
			m.changed(Update, i)
		} else {
			m.place(i, en)
		}
	}
}

// longestHearing bounds the wait for what a document has still to tell: one that
// shows a dialog tells nothing before it is answered.
const longestHearing = time.Second

// hear has every document tell what it has not told yet.
func (r *Recorder) hear(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, longestHearing)
	defer cancel()
	var all sync.WaitGroup
	for _, p := range r.livePages() {
		for _, f := range p.Frames() {
			all.Go(func() { lastWords(ctx, f) })
		}
	}
	all.Wait()
}

// shape changes the recording once all that was heard before has been worked on.
func (r *Recorder) shape(ctx context.Context, change func() error) error {
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
	select {
	case <-r.ended:
		return ErrStopped
	default:
	}
	defer r.shaping.change()
	return change()
}

// emit takes an event; while the recording is paused, only what concerns secrets.
func (r *Recorder) emit(e event) {
	r.shaping.mu.Lock()
	defer r.shaping.mu.Unlock()
	m := r.merger
	redactions, last := m.redactions, r.lastEdit()
	switch {
	case !r.shaping.paused || e.kind == learned || e.kind == opened: // a tab is known by its name from then on
		m.add(e)
	case e.kind == navigation:
		r.shaping.away[e.page] = e.url
	case m.secrets.marked(&e, m.names):
		m.purge()
	}
	if m.redactions > redactions {
		r.redacted(last != nil && last.good)
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
