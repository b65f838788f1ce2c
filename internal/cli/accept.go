package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

// savedAs is a document that was saved.
type savedAs struct {
	Revision int    `json:"revision,omitempty"` // none of a file
	Path     string `json:"path,omitempty"`     // none where the store is no directory
}

// unsavedError is a proposal that could not be saved after a run that went well.
type unsavedError struct{ err error }

func (e *unsavedError) Error() string {
	why := e.err.Error()
	if errors.Is(e.err, store.ErrConflict) {
		why = "somebody changed the document while it was played. Play it again with --accept"
	}
	return "the run went well, but the renewed steps are not saved: " + why
}

func (e *unsavedError) Unwrap() error { return e.err }

// movedError is a file that was changed while it was played.
type movedError struct{ file string }

func (e *movedError) Error() string {
	return e.file + " was changed while it was played: play it again"
}

// accept saves what a run proposes in the place of what was played, unless that
// was changed meanwhile.
func (a *app) accept(ctx context.Context, kept store.Store, played, proposal *automation.Automation, what string) (*savedAs, error) {
	if isFile(what) {
		if err := a.replaceFile(what, played, proposal); err != nil {
			return nil, &unsavedError{err}
		}
		return &savedAs{Path: what}, nil
	}
	saved, err := kept.Automations().Save(ctx, proposal)
	if err != nil {
		return nil, &unsavedError{err}
	}
	return &savedAs{Revision: saved.Revision, Path: a.documentPath(saved.Name, saved.Match.Account)}, nil
}

// replaceFile replaces a file whole or not at all, with its permissions. Where it
// is a link, what it leads to is replaced.
func (a *app) replaceFile(file string, played, proposal *automation.Automation) error {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	now, err := readFile(a.stdin, target)
	if err != nil {
		return err
	}
	same, err := equal(now, played)
	if err != nil {
		return err
	}
	if !same {
		return &movedError{file}
	}
	return writeDocument(target, proposal) // which keeps the permissions of a file that is there
}

func equal(a, b *automation.Automation) (bool, error) {
	one, err := automation.Marshal(a)
	if err != nil {
		return false, err
	}
	other, err := automation.Marshal(b)
	return bytes.Equal(one, other), err
}

// tellDrift says that steps have drifted, and what to do about it or what was done.
func (r *playReport) tellDrift(a *app, o *playOptions) {
	drifted := render.Drifted(r.Drift)
	switch {
	case drifted == "" && o.accept:
		a.say("No step has drifted: there is nothing to save.")
	case drifted == "":
	case !r.Proposed:
		a.say("%s What the page shows of them makes no valid document: record them again.", drifted)
	case r.Accepted != nil && r.Accepted.Revision > 0:
		a.say("%s Saved as they are now, as revision %d.", drifted, r.Accepted.Revision)
	case r.Accepted != nil:
		a.say("%s Saved as they are now, in %s.", drifted, r.Accepted.Path)
	case o.accept: // why not is told as an error
	default:
		a.say("%s %s %s", render.StyleOf(a.stderr).Yellow("drift:"), drifted, r.whatToDo(o))
	}
}

func (r *playReport) whatToDo(o *playOptions) string {
	if o.what == "-" {
		return "Play it from a file with --accept to keep them as they are now."
	}
	document := runner.Named(r.Name, r.Account)
	if isFile(o.what) {
		document = runner.Quote(o.what)
	}
	see := ""
	if r.Run != "" {
		see = "See: reprise diff " + document + "; keep"
	} else {
		see = "Keep"
	}
	return fmt.Sprintf("%s: reprise play %s --accept", see, document)
}
