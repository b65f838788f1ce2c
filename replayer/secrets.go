package replayer

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/internal/target"
	"golang.org/x/net/publicsuffix"
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

// scrubber takes a run's secrets out of what is about to leave it: what pages say may
// repeat them, or pieces of them, plain or encoded.
type scrubber struct {
	secrets []string
	index   *redact.Index
}

// covered stands where a secret stood.
const covered = redact.Mark

func newScrubber(values map[string]any, more ...string) *scrubber {
	return (*scrubber)(nil).with(append(secretsIn(values), more...))
}

// with returns the scrubber of these secrets: s itself where they are its own.
func (s *scrubber) with(secrets []string) *scrubber {
	slices.Sort(secrets)
	secrets = slices.Compact(secrets)
	if s != nil && slices.Equal(s.secrets, secrets) {
		return s
	}
	return &scrubber{secrets, redact.New(secrets...)}
}

func secretsIn(values map[string]any) []string {
	var all []string
	for _, v := range values {
		if secret, ok := v.(automation.Secret); ok {
			all = append(all, secret.Reveal())
		}
	}
	return all
}

func (s *scrubber) text(text string) string {
	if s == nil {
		return text
	}
	return s.index.Text(text)
}

// in reports whether a text has a piece of a secret.
func (s *scrubber) in(text string) bool { return s != nil && s.index.In(text) }

// ourKey is a key of our own answers: it names a part of them, and comes from no page.
var ourKey = regexp.MustCompile(`^[a-z][a-z_]{0,23}$`)

// value is text for what goes to the caller: whatever JSON can hold.
func (s *scrubber) value(v any) any {
	switch v := v.(type) {
	case string:
		return s.text(v)
	case []any:
		clean := make([]any, len(v))
		for i, item := range v {
			clean[i] = s.value(item)
		}
		return clean
	case map[string]any:
		clean := map[string]any{}
		for key, item := range v {
			if !ourKey.MatchString(key) {
				key = s.text(key)
			}
			clean[key] = s.value(item)
		}
		return clean
	case nil, bool, float64:
		return v
	}
	var plain any
	if data, err := json.Marshal(v); err != nil || json.Unmarshal(data, &plain) != nil {
		return covered // it cannot be looked into
	}
	return s.value(plain)
}

// failure is an error without secrets.
func (s *scrubber) failure(e *Error) *Error {
	clean := *e
	clean.Reason, clean.Tried, clean.Considered = s.text(e.Reason), slices.Clone(e.Tried), slices.Clone(e.Considered)
	for i := range clean.Tried {
		clean.Tried[i].Why = s.text(e.Tried[i].Why)
	}
	for i := range clean.Considered {
		clean.Considered[i].Element = s.text(e.Considered[i].Element)
	}
	return &clean
}

// Scrubber takes secrets out of texts, plain and as pages and programs encode them.
type Scrubber struct{ scrubber *scrubber }

// NewScrubber makes one for these secrets.
func NewScrubber(secrets ...automation.Secret) *Scrubber {
	var plain []string
	for _, secret := range secrets {
		plain = append(plain, secret.Reveal())
	}
	return &Scrubber{newScrubber(nil, plain...)}
}

// Text gives a text without the secrets.
func (s *Scrubber) Text(text string) string { return s.scrubber.text(text) }

// Value gives whatever JSON can hold without the secrets, in its texts and its keys.
func (s *Scrubber) Value(v any) any { return s.scrubber.value(v) }

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

// confinement keeps the secrets of a session's pages on the sites that they are bound to.
type confinement struct {
	// Guarded by the tree.
	secrets []boundSecret
	stopped []string // origins to which something was not sent, since it was asked last
}

// boundSecret is a secret that a person has bound to origins.
type boundSecret struct {
	automation.Secret
	index *redact.Index
}

// confine has the pages of a session send its secrets nowhere else, from its return on. A
// recording is a person's own, who has seen where it goes: a run of one is not confined.
func (r *run) confine(ctx context.Context, page *target.Page) error {
	if !r.lone {
		return nil
	}
	var secrets []boundSecret
	for _, v := range r.values {
		secret, is := v.(automation.Secret)
		if !is || !secret.Bound() || slices.ContainsFunc(secrets, func(known boundSecret) bool { return known.Equal(secret) }) {
			continue
		}
		bound := boundSecret{Secret: secret}
		if at := slices.IndexFunc(r.confined.secrets, func(known boundSecret) bool { return known.Equal(secret) }); at >= 0 {
			bound.index = r.confined.secrets[at].index // which takes time to make
		} else if bound.index = redact.New(secret.Reveal()); bound.index.Empty() {
			continue
		}
		secrets = append(secrets, bound)
	}
	if len(secrets) == 0 {
		return nil
	}
	page.Tree().Do(func() { r.confined.secrets = secrets })
	return page.Confine(ctx, r.confined.leaks)
}

// leaks reports whether a request carries a secret to where it must not go. The tree is locked.
func (c *confinement) leaks(s *target.Request) bool {
	to, err := url.Parse(s.URL)
	if err != nil {
		return true
	}
	for _, secret := range c.secrets {
		if mayReceive(secret.Secret, to) || !carries(secret.index, s) {
			continue
		}
		c.stopped = append(c.stopped, to.Scheme+"://"+to.Host)
		return true
	}
	return false
}

func carries(index *redact.Index, s *target.Request) bool {
	return index.In(s.URL) || index.In(s.Body) || slices.ContainsFunc(s.Headers, index.In)
}

// mayReceive reports whether a secret may be sent to an address: to an origin that it is
// bound to, or to another host of the same site, as many sign in at api.example.com what is
// typed at www.example.com.
func mayReceive(secret automation.Secret, to *url.URL) bool {
	switch to.Scheme {
	case "data", "blob", "about", "chrome", "chrome-untrusted", "devtools":
		return true // these reach no network
	}
	if secret.Allows(to.Scheme + "://" + to.Host) {
		return true
	}
	return to.Scheme == "https" && slices.ContainsFunc(secret.Origins(), func(origin string) bool {
		at, err := url.Parse(origin)
		return err == nil && at.Scheme == "https" && siteOf(at) != "" && siteOf(at) == siteOf(to)
	})
}

// siteOf is the registered domain of an address, "" where it has none.
func siteOf(u *url.URL) string {
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return ""
	}
	site, err := publicsuffix.EffectiveTLDPlusOne(u.Hostname())
	if err != nil {
		return ""
	}
	return site
}

// carriedAway returns why a call has failed whose page would have carried a secret away.
func (r *run) carriedAway() error {
	var stopped []string
	r.page.Tree().Do(func() { stopped, r.confined.stopped = r.confined.stopped, nil })
	if len(stopped) == 0 {
		return nil
	}
	return &Error{Code: Refused, Reason: fmt.Sprintf("the page would have sent a secret to %s, which it is not bound to: the request was not sent", stopped[0])}
}
