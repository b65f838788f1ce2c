package replayer

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/selectors"
)

var refPattern = regexp.MustCompile(`^d([0-9]{1,6})e([0-9]{1,9})$`)

// IsRef reports whether a text is a reference of a Snapshot's kind.
func IsRef(text string) bool { return refPattern.MatchString(text) }

// Element is one that a step is about to use.
type Element struct {
	// Step says where it is: Page, Frame, Selector, Alternatives and Fingerprint.
	Step   automation.Step
	Secret bool   // it is a field that holds a secret
	Label  string // as a person knows it
	Kind   string // of the field that it is: "email", "password", "select", …; "" for none
	// Words are those by which its authors call the field: autocomplete, name, id.
	Words []string
}

// described as the page script has it.
type about struct {
	Candidates  [][]string             `json:"candidates"`
	Fingerprint *selectors.Fingerprint `json:"fingerprint"`
	Secret      bool                   `json:"secret"`
	Label       string                 `json:"label"`
	Kind        string                 `json:"kind"`
	Words       []string               `json:"words"`
}

// Refer gives the element of a reference. One whose document or whose element is not
// there any more is Gone: whoever has it looks again.
func (s *Session) Refer(ctx context.Context, ref string) (Element, error) {
	if s.err != nil {
		return Element{}, s.err
	}
	gone := &Error{Code: Gone, Step: -1, Reason: fmt.Sprintf("%.40s is of no element that is there: the page has changed since; take another snapshot", strconv.Quote(ref))}
	m := refPattern.FindStringSubmatch(ref)
	if m == nil {
		return Element{}, gone
	}
	document, _ := strconv.Atoi(m[1]) // they are digits, and few
	number, _ := strconv.Atoi(m[2])
	if document < 1 || document > len(s.snapshots.documents) || number < 1 {
		return Element{}, gone
	}
	d := s.snapshots.documents[document-1]
	var found *about
	err := s.run.teach(ctx, d.frame)
	if err == nil {
		err = d.frame.CallAt(ctx, d.mark, &found, "about", number, [][]string{}, s.hashKey(), 0)
	}
	if target.IsLeft(err) || err == nil && found == nil {
		return Element{}, gone
	}
	if err != nil {
		return Element{}, before(ctx, err)
	}
	element := found.element()
	element.Step.Page = d.page
	element.Step.Frame, err = s.framePath(ctx, d.frame)
	if err != nil {
		return Element{}, before(ctx, err)
	}
	return element, nil
}

// Look gives the element that a step names, when it comes, as it would be recorded now;
// nil where it does not come in the step's time, or names none.
func (s *Session) Look(ctx context.Context, step automation.Step) (*Element, error) {
	if s.err != nil || len(step.Selector) == 0 {
		return nil, s.err
	}
	c := s.run.newCall(len(s.run.automation.Steps), step)
	ctx, cancel := context.WithDeadline(ctx, c.deadline.Add(busyGrace))
	defer cancel()
	for {
		f, err := c.frame(ctx)
		var e *Error
		if errors.As(err, &e) {
			return nil, nil // the step itself will say it
		}
		if err == nil {
			err = f.Settled(ctx)
		}
		if err == nil && s.run.scope.check(f.Address()) != nil {
			return nil, nil
		}
		var found *about
		if err == nil {
			err = s.run.teach(ctx, f)
		}
		if err == nil {
			err = f.Call(ctx, &found, "about", 0, requestFor(step, "where").Paths, s.hashKey(), c.remaining())
		}
		switch {
		case target.IsLeft(err):
			continue
		case err != nil:
			return nil, before(ctx, err)
		case found == nil:
			return nil, nil
		}
		element := found.element()
		element.Step.Page, element.Step.Frame = step.Page, step.Frame
		return &element, nil
	}
}

func (a *about) element() Element {
	var paths []selectors.Path
	for _, candidate := range a.Candidates {
		if path, err := selectors.ParsePath(candidate...); err == nil {
			paths = append(paths, path)
		}
	}
	e := Element{Secret: a.Secret, Label: a.Label, Kind: a.Kind, Words: a.Words}
	e.Step.Fingerprint = a.Fingerprint
	if ranked := selectors.Rank(paths); len(ranked) > 0 {
		e.Step.Selector, e.Step.Alternatives = ranked[0], ranked[1:]
	}
	return e
}

// framePath is how a frame is found from its page: the elements that hold the frames
// around it, outermost first.
func (s *Session) framePath(ctx context.Context, f *target.Frame) ([]selectors.Path, error) {
	var path []selectors.Path
	for ; f.Parent() != nil; f = f.Parent() {
		var owner about
		if err := f.CallOnOwner(ctx, &owner, "describe", s.hashKey(), ""); err != nil {
			return nil, err
		}
		path = append([]selectors.Path{owner.element().Step.Selector}, path...)
	}
	return path, nil
}

// hashKey is the key of the fingerprints that this session makes.
func (s *Session) hashKey() string {
	if s.snapshots.key == "" {
		key := make([]byte, 8)
		_, _ = rand.Read(key) // never fails: crypto/rand ends the program instead
		s.snapshots.key = hex.EncodeToString(key)
	}
	return s.snapshots.key
}
