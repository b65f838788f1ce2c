package recorder

import (
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/selectors"
)

// secrets is what is known of the secrets of a recording: keyed hashes of their pieces,
// and of each as a whole. The script in the page knows them too and tells nothing that
// repeats one; but a document may tell before it knows, and a secret may be known only
// later. So all that becomes a part of the recording goes through here.
type secrets struct {
	key      redact.Key
	index    *redact.Index
	variable map[uint64]int    // by the hash of all of it: its variable, by its place
	wholes   map[string]uint64 // by the field: the hash of what it holds
	marks    []mark            // fields that the user marked as secret
}

func newSecrets(key redact.Key) *secrets {
	return &secrets{key: key, index: redact.NewWithKey(key), variable: map[uint64]int{}, wholes: map[string]uint64{}}
}

// hashesOf is what documents are told of texts that are secret.
func (s *secrets) hashesOf(texts ...string) redact.Hashes {
	return redact.NewWithKey(s.key, texts...).Hashes()
}

// learnText takes the text of a secret that was typed for a variable.
func (s *secrets) learnText(text string, variable int) {
	if text != "" {
		s.index.Add(s.hashesOf(text))
		s.variable[s.key.Whole(text)] = variable
	}
}

// in reports whether a text repeats a secret, also as selectors and addresses write it.
func (s *secrets) in(text string) bool {
	if text == "" || s.index.Empty() {
		return false
	}
	if s.index.In(text) || strings.Contains(text, `\`) && s.index.In(selectors.Plain(text)) {
		return true
	}
	plain, err := url.PathUnescape(text)
	return err == nil && plain != text && s.index.In(plain)
}

// unless is a text that repeats no secret, or "".
func (s *secrets) unless(text string) string {
	if s.in(text) {
		return ""
	}
	return text
}

// inValue reports whether a literal value repeats a secret.
func (s *secrets) inValue(v *automation.Value) bool {
	if v == nil || v.Kind != automation.Literal {
		return false
	}
	var said any
	if json.Unmarshal(v.Value, &said) != nil {
		return s.in(string(v.Value))
	}
	return s.inAny(said)
}

func (s *secrets) inAny(said any) bool {
	switch said := said.(type) {
	case string:
		return s.in(said)
	case []any:
		return slices.ContainsFunc(said, s.inAny)
	case map[string]any:
		for _, one := range said {
			if s.inAny(one) {
				return true
			}
		}
	}
	return false
}

func (s *secrets) inJSON(data json.RawMessage) bool {
	var said any
	return len(data) > 0 && (json.Unmarshal(data, &said) != nil || s.inAny(said))
}

// event takes what repeats a secret out of an event. It reports whether more of a
// secret became known by it.
func (s *secrets) event(e *event, names *variables) (learned bool) {
	learned = s.marked(e, names)
	if e.el != nil {
		e.el = s.element(e.el)
	}
	s.typed(e, names)
	e.url, e.lost = s.address(e.url)
	e.asks, e.reason = s.unless(e.asks), s.unless(e.reason)
	if s.in(e.file) {
		e.file = s.unless(path.Ext(e.file))
	}
	return learned
}

// typed makes a secret of what is typed or chosen and repeats one: the same, where it
// is all of it.
func (s *secrets) typed(e *event, names *variables) {
	if e.kind == files {
		e.values = slices.Clone(e.values)
		for i, value := range e.values {
			if s.in(value) {
				e.values[i] = "file"
			}
		}
		return
	}
	all := append([]string{e.value}, e.values...)
	again := func(value string) bool {
		_, known := s.variable[s.key.Whole(value)]
		return value != "" && (known || s.in(value))
	}
	if slices.ContainsFunc(all, again) {
		e.whole = s.key.Whole(strings.Join(all, ""))
		e.value, e.values, e.secret = "", nil, true
	}
	if i, known := s.variable[e.whole]; known && e.whole != 0 && e.el != nil {
		names.byField[e.el.id] = i
	}
}

// element is an element without what repeats a secret. Where no selector is left it is
// known by its place, and by what its evidence says in numbers.
func (s *secrets) element(el *element) *element {
	clean := *el
	clean.candidates = slices.DeleteFunc(slices.Clone(el.candidates), func(p selectors.Path) bool { return s.in(p.String()) })
	repeats := len(clean.candidates) < len(el.candidates) || s.in(el.label) || s.in(el.tag)
	if len(clean.candidates) == 0 && len(el.place) > 0 {
		clean.candidates = []selectors.Path{el.place}
	}
	clean.frame = slices.Clone(el.frame)
	for i, path := range el.frame {
		if s.in(path.String()) && i < len(el.framePlace) {
			clean.frame[i] = el.framePlace[i]
		}
	}
	if print := el.fingerprint; print != nil {
		if repeats { // the page did not know, and its words are among the hashes
			clean.fingerprint = &selectors.Fingerprint{
				Key: print.Key, Tag: print.Tag, Role: print.Role, Own: withheld(print.Own), Around: withheld(print.Around),
				Alike: print.Alike, Box: print.Box, TestIDAttribute: print.TestIDAttribute,
			}
		}
		if print.Tag == "" || s.in(print.Tag) {
			clean.fingerprint = nil
		}
	}
	clean.label, clean.tag, clean.role = s.unless(el.label), s.unless(el.tag), s.unless(el.role)
	clean.url, _ = s.address(el.url)
	clean.fieldNames = slices.Clone(el.fieldNames)
	for i, name := range el.fieldNames {
		clean.fieldNames[i] = s.unless(name)
	}
	clean.limits = map[string]string{}
	for name, limit := range el.limits {
		clean.limits[name] = s.unless(limit)
	}
	return &clean
}

// withheld are features of which it is known only that they were there, but for those
// that say nothing of words.
func withheld(features map[string]string) map[string]string {
	kept := map[string]string{}
	for name, hashes := range features {
		if name != "tag" && name != "type" && name != "place" {
			hashes = ""
		}
		kept[name] = hashes
	}
	return kept
}

// address is an address with * for the parts of its host and path that repeat a secret,
// and without what else of it does. lost says that its path is not the same any more.
func (s *secrets) address(address string) (clean string, lost bool) {
	if !s.in(address) {
		return address, false
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", true
	}
	if u.Host == "" && u.Opaque != "" { // blob:, about:
		return s.unless(u.Scheme + ":"), true
	}
	u.User, u.Host = nil, s.host(u)
	if s.in(u.Fragment) {
		u.Fragment, u.RawFragment = "", ""
	}
	if s.in(u.RawQuery) {
		u.RawQuery = s.query(u)
	}
	parts := strings.Split(u.EscapedPath(), "/")
	for i, part := range parts {
		if s.in(part) {
			parts[i], lost = "*", true
		}
	}
	if s.in(strings.Join(parts, "/")) { // over several of them
		parts, lost = []string{"", "**"}, true
	}
	u.RawPath = strings.Join(parts, "/")
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return "", true
	}
	return u.String(), lost
}

// host is the host of an address; a short secret is in too many.
func (s *secrets) host(u *url.URL) string {
	labels := strings.Split(u.Hostname(), ".")
	for i, label := range labels {
		if len(label) > longestShort && s.in(label) {
			labels[i] = "*"
		}
	}
	host := strings.Join(labels, ".")
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	return host
}

// longestShort is the length of the longest secret that is looked for as a whole alone.
const longestShort = 5

func (s *secrets) query(u *url.URL) string {
	query := u.Query()
	for name, values := range query {
		if s.in(name) || slices.ContainsFunc(values, s.in) {
			query.Del(name)
		}
	}
	if encoded := query.Encode(); !s.in(encoded) {
		return encoded
	}
	return ""
}

// entry takes what repeats a secret out of a step. why says why the step cannot do
// without it, "" where it can.
func (s *secrets) entry(en *entry, names *variables) (why string) {
	step := &en.step
	if en.el != nil {
		el := s.element(en.el)
		if el.fingerprint != en.el.fingerprint {
			step.Fingerprint = el.fingerprint
		}
		step.Frame = el.frame
		had := len(step.Selector) > 0
		step.Selector, step.Alternatives = s.selectors(step, el)
		en.el = el
		if had && len(step.Selector) == 0 {
			return "all by which its element is found repeats a secret"
		}
	}
	if en.to != nil {
		en.to = s.element(en.to)
		if s.inJSON(step.Args) {
			step.Args = dragArgs(en.to.candidates[0], en.toOffset)
		}
	}
	url, lost := s.address(step.URL)
	if lost && step.Tool == "navigate" {
		return "its address repeats a secret"
	}
	step.URL = url
	step.Expect = slices.Clone(step.Expect)
	for i := range step.Expect {
		expected := &step.Expect[i]
		expected.URL, _ = s.address(expected.URL)
		expected.Text = s.unless(expected.Text)
	}
	en.wish.intent, en.submit = s.unless(en.wish.intent), s.unless(en.submit)
	switch {
	case step.Tool == "assert" && s.inValue(step.Value):
		return "the text that it checks repeats a secret"
	case step.Tool == "select" && s.inValue(step.Value):
		return choiceRepeats
	}
	s.value(en, names)
	return ""
}

const choiceRepeats = "what is chosen repeats a secret, which is typed and not chosen"

// value makes a variable of a literal value that repeats a secret.
func (s *secrets) value(en *entry, names *variables) {
	v := en.step.Value
	if v == nil || v.Kind != automation.Literal {
		return
	}
	i, same := s.variable[s.key.Whole(textOf(v))]
	switch {
	case textOf(v) != "" && same:
	case !s.inValue(v):
		return
	case en.el == nil:
		i = names.addSecret("secret")
	default:
		i = names.find(names.conceal(en.el, nil))
	}
	if en.el != nil {
		names.byField[en.el.id] = i
	}
	en.step.Value = &automation.Value{Kind: automation.Variable, Name: names.declared[i].name}
}

// selectors are those of a step that repeat no secret.
func (s *secrets) selectors(step *automation.Step, el *element) (selectors.Path, []selectors.Path) {
	var kept []selectors.Path
	for _, path := range append([]selectors.Path{step.Selector}, step.Alternatives...) {
		if len(path) > 0 && !s.in(path.String()) {
			kept = append(kept, path)
		}
	}
	if len(kept) == 0 {
		kept = el.candidates
	}
	if len(kept) == 0 {
		return nil, nil
	}
	return kept[0], kept[1:]
}

// integrity takes what repeats a secret out of what is said about a recording.
func (s *secrets) integrity(i *Integrity) {
	for n := range i.Lost {
		i.Lost[n].URL, _ = s.address(i.Lost[n].URL)
	}
	for _, all := range [][]string{i.Unwatched, i.Missed, i.Unseen} {
		for n := range all {
			all[n], _ = s.address(all[n])
		}
	}
}
