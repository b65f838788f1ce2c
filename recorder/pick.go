package recorder

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/selectors"
)

// Pointing is what an element is picked for.
type Pointing string

// The steps that can be made by picking an element.
const (
	Check Pointing = "check" // its text must be there
	Hover Pointing = "hover" // the pointer rests there
)

var (
	// ErrNotPointed: Escape was pressed, or Point was called again.
	ErrNotPointed = errors.New("nothing was pointed at")
	// ErrNoCheck: what was pointed at cannot be checked, for the reason in the message.
	ErrNoCheck = errors.New("that cannot be checked")
)

// PickElement adds a step for an element that the user picks: the next press in the recorded
// page, in any frame or tab of it, does not reach the page, and makes a check or a hover
// of what is below it. It returns the number of the step. Escape in the page, another
// call, and the end of ctx cancel it.
func (r *Recorder) PickElement(ctx context.Context, what Pointing) (id int, err error) {
	if what != Check && what != Hover {
		return 0, fmt.Errorf("one points for a check or a hover, and not for %q", what)
	}
	ctx, mine := r.aim(ctx)
	defer func() {
		mine.cancel(nil)
		r.setPointing(mine, "")
		close(mine.done)
	}()
	at := r.page.Aim(ctx)
	r.setPointing(mine, what)
	var seen pointed
	f, err := at.Point(ctx, &seen, "pointed", what == Check)
	switch {
	case errors.Is(err, target.ErrNotPointed):
		return 0, ErrNotPointed
	case err != nil && ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case err != nil:
		return 0, fmt.Errorf("pointing at something: %w", err)
	}
	if seen.Why != "" {
		return 0, fmt.Errorf("%w: %s", ErrNoCheck, whyNot[seen.Why])
	}
	return r.addPointed(ctx, what, f, &seen)
}

// pointed is what the page script returns.
type pointed struct {
	Doc    string       `json:"doc"`
	Target *description `json:"target"`
	Text   string       `json:"text"`
	Why    string       `json:"why"`
}

var whyNot = map[string]string{
	"field":  "it is a field, or holds one, and what is in it is someone's",
	"frame":  "it is a frame: point at what is in it",
	"secret": "it repeats a secret",
	"empty":  "no words stand there",
	"long":   "it is a long text: point at one line of it",
}

// aimed is a call of Point.
type aimed struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// aim begins a call, when another one has been canceled. It ends with the recording.
func (r *Recorder) aim(ctx context.Context) (context.Context, *aimed) {
	aiming, cancel := context.WithCancelCause(ctx)
	mine := &aimed{cancel: cancel, done: make(chan struct{})}
	r.shaping.mu.Lock()
	before := r.shaping.aimed
	r.shaping.aimed = mine
	r.shaping.mu.Unlock()
	if before != nil {
		before.cancel(ErrNotPointed)
		<-before.done
	}
	go func() {
		select {
		case <-r.ended:
			cancel(ErrStopped)
		case <-aiming.Done():
		}
	}()
	return aiming, mine
}

// CancelPick cancels PickElement, if it waits.
func (r *Recorder) CancelPick() {
	r.shaping.mu.Lock()
	defer r.shaping.mu.Unlock()
	if r.shaping.aimed != nil {
		r.shaping.aimed.cancel(ErrNotPointed)
	}
}

func (r *Recorder) setPointing(mine *aimed, what Pointing) {
	r.shaping.mu.Lock()
	defer r.shaping.mu.Unlock()
	if r.shaping.aimed != mine {
		return
	}
	r.shaping.pointing = what
	if what == "" {
		r.shaping.aimed = nil
	}
	r.shaping.change()
}

// addPointed makes a step of what was pointed at, after all that was done before.
func (r *Recorder) addPointed(ctx context.Context, what Pointing, f *target.Frame, seen *pointed) (id int, err error) {
	var el *element
	described := make(chan struct{})
	r.queue.put(func(ctx context.Context) {
		defer close(described)
		if page, known := r.intake.pages[f.Page()]; known && seen.Target != nil {
			el = r.intake.element(message{Doc: seen.Doc, Target: seen.Target}, page, r.intake.framesOf(ctx, f), f.URL())
		}
	})
	select {
	case <-described:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	if el == nil {
		return 0, fmt.Errorf("%w: it is in no page that is recorded", ErrNoCheck)
	}
	err = r.change(ctx, func() error {
		el := r.merger.secrets.element(el)
		if err := r.refuse(what, el, seen.Text); err != nil {
			return err
		}
		r.merger.finish()
		r.merger.push(entry{step: r.pointedStep(what, el, seen.Text), el: el, fixed: true})
		id = r.merger.serial
		return nil
	})
	return id, err
}

// refuse returns why a check cannot be stored.
func (r *Recorder) refuse(what Pointing, el *element, text string) error {
	if len(el.candidates) == 0 {
		return fmt.Errorf("%w: there is no way to find it again", ErrNoCheck)
	}
	if what != Check {
		return nil
	}
	if r.merger.secrets.in(text) {
		return fmt.Errorf("%w: %s", ErrNoCheck, whyNot["secret"])
	}
	if secret := automation.DetectSecret(text); secret != "" {
		return fmt.Errorf("%w: it holds what looks like %s", ErrNoCheck, secret)
	}
	if r.merger.names.quotedIn(text) {
		return fmt.Errorf("%w: it repeats what was typed as a variable, and would be another text next time", ErrNoCheck)
	}
	return nil
}

func (r *Recorder) pointedStep(what Pointing, el *element, text string) automation.Step {
	if what == Hover {
		return el.step("hover")
	}
	step := el.step("assert")
	step.Value = literal(text)
	// An element that is found by its words proves nothing about them.
	step.Selector, step.Alternatives = wordless(step.Selector, step.Alternatives)
	return step
}

func wordless(first selectors.Path, rest []selectors.Path) (selectors.Path, []selectors.Path) {
	all := append([]selectors.Path{first}, rest...)
	var kept, words []selectors.Path
	for _, path := range all {
		if kind := path[len(path)-1].Kind; kind == selectors.Text {
			words = append(words, path)
		} else {
			kept = append(kept, path)
		}
	}
	kept = append(kept, words...)
	return kept[0], kept[1:]
}
