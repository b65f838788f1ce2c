package replayer

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/internal/target"
)

// What a run does so that a secret stays in its field: documents that may show it know its
// pieces, keys that edit or copy it are refused, and so is what would paste it elsewhere.

// know takes values into use, and the secrets among them into all that redacts.
func (r *run) know(values map[string]any) {
	before := r.scrub
	r.values = values
	if r.scrub = before.with(append(secretsIn(values), r.unknown...)); r.scrub != before {
		r.pieces, r.taught = map[string]*redact.Hashes{}, map[*target.Frame]taught{}
	}
}

// taught is a document that knows the pieces of the run's secrets.
type taught struct{ mark target.Mark }

// piecesFor returns the pieces of the secrets that may be typed in a frame's document; nil
// where there are none.
func (r *run) piecesFor(f *target.Frame) *redact.Hashes {
	address := f.Address()
	if r.scrub == nil || len(r.scrub.secrets) == 0 || r.scope.check(address) != nil {
		return nil
	}
	at := origin(address)
	if known, is := r.pieces[at]; is {
		return known
	}
	var may []string
	for _, v := range r.values {
		if secret, ok := v.(automation.Secret); ok && (!secret.Bound() || secret.Allows(at)) {
			may = append(may, secret.Reveal())
		}
	}
	for _, secret := range r.options.Known {
		if !secret.Bound() || secret.Allows(at) {
			may = append(may, secret.Reveal())
		}
	}
	var pieces *redact.Hashes
	if index := redact.New(may...); !index.Empty() {
		hashes := index.Hashes()
		pieces = &hashes
	}
	r.pieces[at] = pieces
	return pieces
}

// teach has a frame's document know the pieces of the secrets that it may show.
func (r *run) teach(ctx context.Context, f *target.Frame) error {
	if known, is := r.taught[f]; is && !f.Left(known.mark) {
		return nil
	}
	pieces := r.piecesFor(f)
	if pieces == nil {
		return nil
	}
	mark := f.Mark()
	if err := f.CallAt(ctx, mark, nil, "guardSecrets", pieces); err != nil {
		return err
	}
	r.taught[f] = taught{mark}
	return nil
}

// guesses reports whether a request may be a guess at what a page says: by whoever calls
// tools one by one, and has named an element by more than where it stands, to learn whether
// it is there.
func (c *call) guesses(req request) bool {
	if !c.run.lone {
		return false
	}
	return c.step.Tool == "select" || req.Fingerprint == nil && slices.ContainsFunc(req.Paths, asksOfWords)
}

// asksOfWords reports whether a selector asks what a page says.
func asksOfWords(path []string) bool {
	return slices.ContainsFunc(path, func(part string) bool { return !structural.MatchString(part) })
}

// errGuess is the answer to what may be a guess at a secret that a page repeats.
var errGuess = &Error{Code: Refused, Reason: "the page repeats a secret: its elements are named by their references in a snapshot, and by nothing else"}

// guessesFrame refuses to look for a frame by words of a document that repeats a secret.
func (c *call) guessesFrame(ctx context.Context, f *target.Frame, path []string) error {
	if !c.run.lone || c.step.Fingerprint != nil || !asksOfWords(path) {
		return nil
	}
	if err := c.run.teach(ctx, f); err != nil {
		return err
	}
	var repeats bool
	err := f.Call(ctx, &repeats, "repeatsAny")
	if err == nil && repeats {
		return errGuess
	}
	return err
}

// guessesAddress refuses to compare an address that repeats a secret.
func (c *call) guessesAddress() error {
	if !c.run.lone || !c.run.scrub.in(c.page.URL()) {
		return nil
	}
	return &Error{Code: Refused, Reason: "the page's address repeats a secret: it is compared with nothing"}
}

// structural is a selector that asks nothing of a page's words: tags, classes, identifiers
// and places.
var structural = regexp.MustCompile(`^(?:[a-zA-Z0-9_#. >+~*-]|:(?:first|last|only)-(?:child|of-type)|:nth-(?:last-)?(?:child|of-type)\([0-9n+ -]+\))+$`)

// tellsOfPage reports whether a step tells what a page says.
func (c *call) tellsOfPage() bool {
	switch c.step.Tool {
	case "waitFor", "assert", "extract", "approve", "drag":
		return true
	}
	return false
}

// mayPressKey refuses a key that would edit or copy a secret, or paste one elsewhere.
func (c *call) mayPressKey(ctx context.Context, k automation.Key) error {
	if c.run.scrub == nil || len(c.run.scrub.secrets) == 0 && !c.page.Tree().HoldsSecrets() {
		return nil
	}
	for _, f := range c.page.Frames() {
		if err := c.run.teach(ctx, f); err != nil && !target.IsLeft(err) {
			return err
		}
		var why *string
		err := f.Call(ctx, &why, "whyNoKey", k.Name, append([]string{}, k.Modifiers...), c.page.Tree().MayPaste(origin(f.Address())))
		if target.IsLeft(err) || err == nil && why == nil {
			continue
		}
		if err == nil && *why != "" {
			err = &Error{Code: Refused, Reason: *why}
		}
		return err
	}
	return nil
}

// mayPasteBy refuses a lone call the middle button, which pastes on some systems, where a
// secret might be pasted. A recording was made by a person, who opened a link with it.
func (c *call) mayPasteBy(button string, f *target.Frame) error {
	if button != "middle" || !c.run.lone || c.page.Tree().MayPaste(origin(f.Address())) {
		return nil
	}
	return &Error{Code: Refused, Reason: "the middle button pastes, and the clipboard may hold a secret that was typed at another origin"}
}

// receivers are the fields that recordings type the secret of a step into, for a lone call;
// nil where any field takes it.
func (c *call) receivers(ctx context.Context, address string) (*[]request, error) {
	if !c.run.lone {
		return nil, nil
	}
	fields := []request{}
	if c.run.options.SecretFields == nil || c.step.Value == nil {
		return &fields, nil
	}
	for _, name := range c.step.Value.Names() {
		steps, err := c.run.options.SecretFields(ctx, address, name)
		if err != nil {
			return nil, fmt.Errorf("looking for recordings that type %q: %w", name, err)
		}
		for _, step := range steps {
			fields = append(fields, requestFor(step, "type"))
		}
	}
	return &fields, nil
}
