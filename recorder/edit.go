package recorder

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-reprise/reprise/automation"
)

// ErrNoStep: there is no step of that number any more. It was taken away, or has
// become a part of another.
var ErrNoStep = errors.New("this step is not in the recording any more")

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

// SetIntent says why a step is done, for people; "" says nothing.
func (r *Recorder) SetIntent(ctx context.Context, id int, intent string) error {
	if intent != "" {
		if err := r.checkText("an intent", intent, automation.CheckIntent); err != nil {
			return err
		}
	}
	return r.wish(ctx, id, func(w *wish) error {
		if r.merger.secrets.in(intent) {
			return errRepeats
		}
		if r.merger.names.quotedIn(intent) {
			return errors.New("an intent is kept with the steps: it must not repeat what is typed as a variable")
		}
		w.intent = intent
		return nil
	})
}

// SetEffect says what a step does to the world; "" leaves it to the recorder.
func (r *Recorder) SetEffect(ctx context.Context, id int, effect automation.Effect) error {
	if !slices.Contains([]automation.Effect{"", automation.Read, automation.Write, automation.Commit}, effect) {
		return fmt.Errorf("an effect is read, write or commit, and not %q", effect)
	}
	return r.wish(ctx, id, func(w *wish) error {
		w.effect = effect
		return nil
	})
}

// SetOptional says whether a step may be passed over where its element is not there.
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

// Rename gives the automation another name, ^[a-z][a-z0-9-]{0,50}$.
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

// edit changes the step of that number, now at i, so that it can be taken back.
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

// change shapes the recording so that it can be taken back.
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

// checkText says why a text that a person gave cannot be kept.
func (r *Recorder) checkText(what, text string, check func(string) error) error {
	if err := check(text); err != nil {
		return err
	}
	if secret := automation.LooksSecret(text); secret != "" {
		return fmt.Errorf("%s is kept with the steps, and this one holds what looks like %s", what, secret)
	}
	return nil
}
