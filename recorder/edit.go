package recorder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/internal/target"
)

// shaping is how the user edits the recording while it is made.
type shaping struct {
	mu       sync.Mutex        // also guards the merger: events and edits take turns
	paused   bool              // events are left out
	away     map[string]string // while paused: page → address that it went to
	name     string            // of the automation, "" for one made of the host
	pointing Pointing
	aimed    *aimed
	edits    []edit // that Undo can restore, the last one last
	changed  chan struct{}
}

// change announces that the recording has changed. The lock is held.
func (s *shaping) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// announce announces a change from outside.
func (s *shaping) announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change()
}

// Errors of edits.
var (
	// ErrNoStep: there is no step of that number any more. It was removed, or has
	// become a part of another.
	ErrNoStep = errors.New("this step is not in the recording any more")
	// ErrNotTyped: only what was typed into a field can be made a variable or a secret.
	ErrNotTyped = errors.New("this step types nothing: only what is typed can be a variable or a secret")
	// ErrIrreversible: what was done last cannot be undone. A field that was marked as
	// secret stays so, as what had been typed there is not known any more.
	ErrIrreversible = errors.New("a field that was marked as secret stays so: what was typed there is not known any more")

	// errRepeats: a text of the user's is stored with the steps.
	errRepeats = errors.New("it repeats a secret that was typed, and would be stored with the steps")
)

// Pause leaves out what is done from now on, until Resume. What was done before is
// recorded, also when it was not worked on yet. Like all that edits a recording it must
// not be called from OnChange.
func (r *Recorder) Pause(ctx context.Context) error {
	r.flushAll(ctx)
	return r.shape(ctx, func() error {
		if !r.shaping.paused {
			r.shaping.paused, r.shaping.away = true, map[string]string{}
		}
		return nil
	})
}

// Resume records again. Where a page has navigated meanwhile, going there is a step of
// its own.
func (r *Recorder) Resume(ctx context.Context) error {
	r.flushAll(ctx)
	return r.shape(ctx, func() error {
		away := r.shaping.away
		r.shaping.paused, r.shaping.away = false, nil
		for _, page := range slices.Sorted(maps.Keys(away)) {
			r.merger.add(event{kind: navigation, page: page, url: away[page]})
		}
		return nil
	})
}

// Undo takes back what was done last: an edit of the recording, unless something was
// recorded since; otherwise the last step, and what it led to. It reports whether there
// was any. It changes the recording and not the page.
func (r *Recorder) Undo(ctx context.Context) (undone bool, err error) {
	r.flushAll(ctx)
	err = r.shape(ctx, func() error {
		if last := r.lastEdit(); last != nil {
			undone = true
			return r.restore(last)
		}
		r.shaping.edits = nil
		undone = r.merger.undo()
		return nil
	})
	return undone && err == nil, err
}

// undo removes the last step, and the waits for what it led to.
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

// Remove takes a step out of the recording.
func (r *Recorder) Remove(ctx context.Context, id int) error {
	return r.edit(ctx, id, func(i int) error {
		r.merger.take(i)
		return nil
	})
}

// Move puts a step elsewhere: where it stands then, counted from 0.
func (r *Recorder) Move(ctx context.Context, id, to int) error {
	return r.edit(ctx, id, func(i int) error {
		if to < 0 || to >= len(r.merger.entries) {
			return fmt.Errorf("moving step %d to place %d: there are %d steps", i+1, to+1, len(r.merger.entries))
		}
		if to != i {
			r.merger.place(to, r.merger.take(i))
		}
		return nil
	})
}

// SetIntent sets why a step is done, for people; "" removes it.
func (r *Recorder) SetIntent(ctx context.Context, id int, intent string) error {
	if intent != "" {
		if err := automation.CheckIntent(intent); err != nil {
			return err
		}
		if secret := automation.DetectSecret(intent); secret != "" {
			return fmt.Errorf("an intent is stored with the steps, and this one holds what looks like %s", secret)
		}
	}
	return r.wish(ctx, id, func(w *wish) error {
		if r.merger.secrets.in(intent) {
			return errRepeats
		}
		if r.merger.names.quotedIn(intent) {
			return errors.New("an intent is stored with the steps: it must not repeat what is typed as a variable")
		}
		w.intent = intent
		return nil
	})
}

// SetEffect sets what a step does to the world; "" leaves it to the recorder.
func (r *Recorder) SetEffect(ctx context.Context, id int, effect automation.Effect) error {
	if !slices.Contains([]automation.Effect{"", automation.Read, automation.Write, automation.Commit}, effect) {
		return fmt.Errorf("an effect is read, write or commit, and not %q", effect)
	}
	return r.wish(ctx, id, func(w *wish) error {
		w.effect = effect
		return nil
	})
}

// SetOptional sets whether a step may be skipped where its element is not there.
func (r *Recorder) SetOptional(ctx context.Context, id int, optional bool) error {
	return r.wish(ctx, id, func(w *wish) error {
		w.optional = &optional
		return nil
	})
}

func (r *Recorder) wish(ctx context.Context, id int, change func(*wish) error) error {
	return r.edit(ctx, id, func(i int) error {
		if err := change(&r.merger.entries[i].wish); err != nil {
			return err
		}
		r.merger.changed(Update, i)
		return nil
	})
}

// Rename returns the automation another name, ^[a-z][a-z0-9-]{0,50}$.
func (r *Recorder) Rename(ctx context.Context, name string) error {
	whole := automation.Automation{
		Name: name, Match: automation.Scope{URLs: []string{"localhost"}},
		Steps: []automation.Step{{Tool: "navigate", URL: "http://localhost/"}},
	}
	if err := errors.Join(whole.Validate(), whole.CheckSecrets()); err != nil {
		return fmt.Errorf("renaming the recording: %w", err)
	}
	return r.change(ctx, func() error {
		if r.merger.secrets.in(name) {
			return errRepeats
		}
		r.shaping.name = name
		return nil
	})
}

// MarkVariable makes a variable of what was typed in a step, and of what is typed in
// its field from now on. The name is made from the field where it is "".
func (r *Recorder) MarkVariable(ctx context.Context, id int, name string) error {
	return r.edit(ctx, id, func(i int) error {
		en := &r.merger.entries[i]
		if !en.typed() {
			return ErrNotTyped
		}
		if r.merger.secrets.in(name) {
			return errRepeats
		}
		if err := r.merger.names.mark(en, name); err != nil {
			return err
		}
		r.merger.changed(Update, i)
		return nil
	})
}

// RenameVariable returns a variable another name, wherever it is used.
func (r *Recorder) RenameVariable(ctx context.Context, from, to string) error {
	return r.change(ctx, func() error {
		vs := r.merger.names
		i := vs.find(from)
		if i < 0 {
			return fmt.Errorf("there is no variable %q", from)
		}
		if err := vs.checkName(to); err != nil {
			return err
		}
		if r.merger.secrets.in(to) {
			return errRepeats
		}
		vs.declared[i].name = to
		r.merger.renamed(from, to)
		return nil
	})
}

// renamed has the steps use the new name of a variable.
func (m *merger) renamed(from, to string) {
	for i, en := range m.entries {
		if v := en.step.Value; v != nil && v.Kind == automation.Variable && v.Name == from {
			m.entries[i].step.Value = &automation.Value{Kind: automation.Variable, Name: to}
			m.changed(Update, i)
		}
	}
}

// MarkSecret makes a secret of what was typed in a step. What was typed there is
// redacted wherever the recording held it, and nothing of that field is recorded any
// more, in this document or a later one: it is recognized by its name. Nothing that
// repeats it is recorded either. That cannot be undone.
func (r *Recorder) MarkSecret(ctx context.Context, id int) error {
	r.flushAll(ctx)
	var held redact.Hashes
	var fields []target.Hidden
	err := r.shape(ctx, func() error {
		i := r.merger.at(id)
		if i < 0 {
			return ErrNoStep
		}
		if !r.merger.entries[i].typed() {
			return ErrNotTyped
		}
		held = r.merger.markSecret(r.merger.entries[i].el)
		for _, k := range r.merger.secrets.marks {
			fields = append(fields, target.Hidden{Origin: k.origin, Names: k.names, Label: k.label, Element: k.id})
		}
		r.redacted(true)
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.page.Hide(ctx, fields, held); err != nil {
		return fmt.Errorf("marking a field as secret: %w", err)
	}
	r.flushAll(ctx) // what documents sent before they knew of the mark is redacted as it is merged
	return r.shape(ctx, func() error {
		r.redacted(true)
		return nil
	})
}

// edit changes the step of that number, now at i, so that Undo can restore it.
func (r *Recorder) edit(ctx context.Context, id int, change func(i int) error) error {
	return r.change(ctx, func() error {
		i := r.merger.at(id)
		if i < 0 {
			return ErrNoStep
		}
		r.merger.entries[i].fixed = true
		return change(i)
	})
}

// change changes the recording so that Undo can restore it.
func (r *Recorder) change(ctx context.Context, change func() error) error {
	return r.shape(ctx, func() error {
		before := r.snapshot()
		if err := change(); err != nil {
			return err
		}
		r.merger.version++
		r.shaping.edits = append(r.shaping.edits, edit{before: before, after: r.merger.version})
		return nil
	})
}

// shape changes the recording after all events that were heard before.
func (r *Recorder) shape(ctx context.Context, change func() error) error {
	select {
	case <-r.queue.passed():
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

// edit is an edit of the recording, and what was there before it.
type edit struct {
	before snapshot
	after  int  // version of the merger
	marks  bool // marked a field as secret: before is empty
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

// lastEdit returns the last edit, nil where something was recorded since.
func (r *Recorder) lastEdit() *edit {
	if n := len(r.shaping.edits); n > 0 && r.shaping.edits[n-1].after == r.merger.version {
		return &r.shaping.edits[n-1]
	}
	return nil
}

func (r *Recorder) restore(last *edit) error {
	if last.marks {
		return ErrIrreversible
	}
	before := last.before
	r.shaping.edits = r.shaping.edits[:len(r.shaping.edits)-1]
	*r.merger.names, r.shaping.name = before.names, before.name
	r.merger.restore(before.entries)
	r.merger.version = before.version
	return nil
}

// restore puts the steps back as they were: those that are where they were are
// updated, the others are removed and added.
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

// redacted drops what else may repeat something that was redacted: pictures, and what
// Undo would restore. After a mark Undo refuses.
func (r *Recorder) redacted(marked bool) {
	r.pictures.clear()
	r.shaping.edits = nil
	if marked {
		r.merger.version++
		r.shaping.edits = []edit{{after: r.merger.version, marks: true}}
	}
}
