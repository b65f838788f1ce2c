package replayer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"

	"golang.org/x/net/publicsuffix"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/internal/weburl"
)

// secrets are the values of a run, and what it does so that secret ones stay in their fields:
// documents that may show one know its pieces, keys that edit or copy it are refused, requests
// that would carry it away are stopped, and it is redacted from all that leaves the run.
type secrets struct {
	values   map[string]any      // of the variables
	known    []automation.Secret // Options.Redact
	others   []string            // secrets of automations that it has played, and the known ones
	redactor *redactor
	pieces   map[string]*redact.Hashes     // of the secrets that an origin may show, by the origin
	taught   map[*target.Frame]target.Mark // documents that know their pieces
	scope    *scope

	// Guarded by the tree.
	bound   []boundSecret // of a session
	stopped []string      // origins to which something was not sent, since it was asked last
}

func newSecrets(known []automation.Secret, scope *scope) *secrets {
	s := &secrets{known: known, scope: scope, taught: map[*target.Frame]target.Mark{}}
	for _, secret := range known {
		s.others = append(s.others, secret.Reveal())
	}
	return s
}

// use takes values into use, and the secrets among them into all that redacts.
func (s *secrets) use(values map[string]any) {
	before := s.redactor
	s.values = values
	if s.redactor = before.with(append(secretsIn(values), s.others...)); s.redactor != before {
		s.pieces, s.taught = map[string]*redact.Hashes{}, map[*target.Frame]target.Mark{}
	}
}

// add adds the secrets of an automation that was played within this one.
func (s *secrets) add(nested *secrets) {
	s.others = append(append(s.others, nested.others...), secretsIn(nested.values)...)
	s.use(s.values)
}

// knowMore adds secrets that something else has typed.
func (s *secrets) knowMore(more []automation.Secret) {
	if len(more) == 0 {
		return
	}
	for _, secret := range more {
		s.others = append(s.others, secret.Reveal())
	}
	s.known = append(slices.Clone(s.known), more...)
	s.use(s.values)
}

// none reports whether there is nothing to redact.
func (s *secrets) none() bool { return s.redactor == nil || len(s.redactor.secrets) == 0 }

// redact returns a text without the secrets.
func (s *secrets) redact(text string) string { return s.redactor.text(text) }

// clean is an error without the secrets, for the log and the caller.
func (s *secrets) clean(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	return s.redactor.failure(e)
}

// piecesFor returns the pieces of the secrets that may be typed in a frame's document; nil
// where there are none.
func (s *secrets) piecesFor(f *target.Frame) *redact.Hashes {
	address := f.Address()
	if s.none() || s.scope.check(address) != nil {
		return nil
	}
	at := origin(address)
	if known, is := s.pieces[at]; is {
		return known
	}
	var may []string
	for _, secret := range s.all() {
		if s.scope.mayHave(secret, address) {
			may = append(may, secret.Reveal())
		}
	}
	var pieces *redact.Hashes
	if index := redact.New(may...); !index.Empty() {
		hashes := index.Hashes()
		pieces = &hashes
	}
	s.pieces[at] = pieces
	return pieces
}

// all returns the secrets with the origins that they are bound to, but for those of automations that were played
// within this one.
func (s *secrets) all() []automation.Secret {
	all := slices.Clone(s.known)
	for _, v := range s.values {
		if secret, is := v.(automation.Secret); is {
			all = append(all, secret)
		}
	}
	return all
}

// teach has a frame's document know the pieces of the secrets that it may show.
func (s *secrets) teach(ctx context.Context, f *target.Frame) error {
	if mark, is := s.taught[f]; is && !f.Left(mark) {
		return nil
	}
	pieces := s.piecesFor(f)
	if pieces == nil {
		return nil
	}
	mark := f.Mark()
	if err := f.CallAt(ctx, mark, nil, "guardSecrets", pieces); err != nil {
		return err
	}
	s.taught[f] = mark
	return nil
}

// redactor takes a run's secrets out of what is about to leave it: texts of pages may
// repeat them, or pieces of them, plain or encoded.
type redactor struct {
	secrets []string
	index   *redact.Index
}

// covered stands where a secret stood.
const covered = redact.Mark

func newRedactor(values map[string]any, more ...string) *redactor {
	return (*redactor)(nil).with(append(secretsIn(values), more...))
}

// with returns the redactor of these secrets: s itself where they are its own.
func (s *redactor) with(secrets []string) *redactor {
	slices.Sort(secrets)
	secrets = slices.Compact(secrets)
	if s != nil && slices.Equal(s.secrets, secrets) {
		return s
	}
	return &redactor{secrets, redact.New(secrets...)}
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

func (s *redactor) text(text string) string {
	if s == nil {
		return text
	}
	return s.index.Text(text)
}

// in reports whether a text has a piece of a secret.
func (s *redactor) in(text string) bool { return s != nil && s.index.In(text) }

// ourKey is a key of our own answers: it names a part of them, and comes from no page.
var ourKey = regexp.MustCompile(`^[a-z][a-z_]{0,23}$`)

// value is text for what goes to the caller: whatever JSON can hold.
func (s *redactor) value(v any) any {
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
func (s *redactor) failure(e *Error) *Error {
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

// Redactor redacts secrets in texts, plain and as pages and programs encode them.
type Redactor struct {
	redactor *redactor
	secrets  []automation.Secret // for documents, which know those alone that they may show
}

// NewRedactor makes one for these secrets.
func NewRedactor(secrets ...automation.Secret) *Redactor {
	var plain []string
	for _, secret := range secrets {
		plain = append(plain, secret.Reveal())
	}
	return &Redactor{newRedactor(nil, plain...), slices.Clone(secrets)}
}

// With returns a redactor that knows more secrets.
func (s *Redactor) With(more ...automation.Secret) *Redactor {
	if len(more) == 0 {
		return s
	}
	all := slices.Clone(s.redactor.secrets)
	for _, secret := range more {
		all = append(all, secret.Reveal())
	}
	return &Redactor{s.redactor.with(all), append(slices.Clone(s.secrets), more...)}
}

// Text returns a text without the secrets.
func (s *Redactor) Text(text string) string { return s.redactor.text(text) }

// Value returns what JSON can hold without the secrets, in its texts and its keys.
func (s *Redactor) Value(v any) any { return s.redactor.value(v) }

// guesses reports whether a request may be a guess at what a page shows: by an agent that calls
// tools one by one, and names an element by more than where it stands, to learn whether it is
// there.
func (c *call) guesses(req request) bool {
	if !c.run.isSession {
		return false
	}
	return c.step.Tool == "select" || req.Fingerprint == nil && slices.ContainsFunc(req.Paths, asksOfWords)
}

// asksOfWords reports whether a selector asks for words of a page.
func asksOfWords(path []string) bool {
	return slices.ContainsFunc(path, func(part string) bool { return !structural.MatchString(part) })
}

// errGuess is the answer to what may be a guess at a secret that a page repeats.
var errGuess = &Error{Code: Refused, Reason: "the page repeats a secret: its elements are named by their references in a snapshot, and by nothing else"}

// guessesFrame refuses to look for a frame by words of a document that repeats a secret.
func (c *call) guessesFrame(ctx context.Context, f *target.Frame, paths [][]string) error {
	if !c.run.isSession || c.step.Fingerprint != nil || !slices.ContainsFunc(paths, asksOfWords) {
		return nil
	}
	if err := c.run.secrets.teach(ctx, f); err != nil {
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
	if !c.run.isSession || !c.run.secrets.redactor.in(c.page.URL()) {
		return nil
	}
	return &Error{Code: Refused, Reason: "the page's address repeats a secret: it is compared with nothing"}
}

// structural is a selector that asks nothing of a page's words: tags, classes, identifiers
// and places.
var structural = regexp.MustCompile(`^(?:[a-zA-Z0-9_#. >+~*-]|:(?:first|last|only)-(?:child|of-type)|:nth-(?:last-)?(?:child|of-type)\([0-9n+ -]+\))+$`)

// mayPressKey refuses a key that would edit or copy a secret, or paste one elsewhere.
func (c *call) mayPressKey(ctx context.Context, k automation.Key) error {
	if c.run.secrets.none() && !c.page.Tree().HoldsSecrets() {
		return nil
	}
	for _, f := range c.page.Frames() {
		if err := c.run.secrets.teach(ctx, f); err != nil && !target.IsLeft(err) {
			return err
		}
		var why *string
		err := f.Call(ctx, &why, "whyNoKey", k.Name, append([]string{}, k.Modifiers...), c.mayPaste(f))
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

// mayPaste reports whether what is pasted in a frame can be no secret of another origin.
func (c *call) mayPaste(f *target.Frame) bool { return c.page.Tree().MayPaste(origin(f.Address())) }

// mayPasteBy refuses a call of a Session the middle button, which pastes on some systems, where a
// secret might be pasted. In a recording the user has opened a link with it.
func (c *call) mayPasteBy(button string, f *target.Frame) error {
	if button != "middle" || !c.run.isSession || c.mayPaste(f) {
		return nil
	}
	return &Error{Code: Refused, Reason: "the middle button pastes, and the clipboard may hold a secret that was typed at another origin"}
}

// receivers are the fields that recordings type the secret of a step into, for a call of a Session;
// nil where any field takes it.
func (c *call) receivers(ctx context.Context, address string) (*[]request, error) {
	if !c.run.isSession {
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

// boundSecret is a secret that the user has bound to origins.
type boundSecret struct {
	automation.Secret
	index *redact.Index
}

// confine has a page of a Session send the secrets that are bound to origins nowhere else, from
// its return on. A recording's user has seen where it goes: its runs are not confined.
func (s *secrets) confine(ctx context.Context, page *target.Page) error {
	var bound []boundSecret
	for _, v := range s.values {
		secret, is := v.(automation.Secret)
		same := func(b boundSecret) bool { return b.Equal(secret) }
		if !is || !secret.HasOrigins() || slices.ContainsFunc(bound, same) {
			continue
		}
		b := boundSecret{Secret: secret}
		if at := slices.IndexFunc(s.bound, same); at >= 0 {
			b.index = s.bound[at].index // which takes time to make
		} else if b.index = redact.New(secret.Reveal()); b.index.Empty() {
			continue
		}
		bound = append(bound, b)
	}
	if len(bound) == 0 {
		return nil
	}
	page.Tree().Do(func() { s.bound = bound })
	return page.Confine(ctx, s.leaks)
}

// leaks reports whether a request carries a secret to where it must not go. The tree is locked.
func (s *secrets) leaks(request *target.Request) bool {
	to, err := url.Parse(request.URL)
	if err != nil {
		return true
	}
	for _, secret := range s.bound {
		if mayReceive(secret.Secret, to) || !carries(secret.index, request) {
			continue
		}
		s.stopped = append(s.stopped, weburl.Origin(to))
		return true
	}
	return false
}

// mayDrop returns nil if what a page has made of a drag carries no secret: over whose frame the mouse lets go
// is not known before. What the page script stops depends on what has the focus and on what is dragged.
func (s *secrets) mayDrop(tree *target.Tree, texts []string) error {
	var bound []boundSecret
	tree.Do(func() { bound = s.bound })
	if slices.ContainsFunc(bound, func(secret boundSecret) bool { return slices.ContainsFunc(texts, secret.index.In) }) {
		return &Error{Code: Refused, Reason: "the page would have dropped a secret: it was not dropped"}
	}
	return nil
}

// stoppedLeak returns why a call has failed whose page would have carried a secret away.
func (s *secrets) stoppedLeak(tree *target.Tree) error {
	var stopped []string
	tree.Do(func() { stopped, s.stopped = s.stopped, nil })
	if len(stopped) == 0 {
		return nil
	}
	return &Error{Code: Refused, Reason: fmt.Sprintf("the page would have sent a secret to %s, which it is not bound to: the request was not sent", stopped[0])}
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
	if secret.AllowedOn(weburl.Origin(to)) {
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
