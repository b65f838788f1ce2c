package recorder

import (
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/draft"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/selectors"
)

// secrets redacts a recording. It knows keyed hashes of the pieces of each secret, and of
// each as a whole. The page script knows them too and sends nothing that repeats one; but
// a document may send before it knows, and a secret may become known only later: when
// the user marks its field (markSecret), or a document sends its hashes (learn). So every
// event passes event on its way into the merger, what stands there already is redacted
// again by purge, and the documents' own accounts of it by integrity.
type secrets struct {
	key      redact.Key
	index    *redact.Index
	variable map[uint64]int    // hash of the whole secret → index of its variable
	wholes   map[string]uint64 // id of a field → hash of what it holds
	marks    []mark            // fields that the user marked as secret
}

func newSecrets(key redact.Key) *secrets {
	return &secrets{key: key, index: redact.NewWithKey(key), variable: map[uint64]int{}, wholes: map[string]uint64{}}
}

// hashesOf returns what is sent to documents about secret texts.
func (s *secrets) hashesOf(texts ...string) redact.Hashes {
	return redact.NewWithKey(s.key, texts...).Hashes()
}

// learnText learns a secret text, which was typed as a variable.
func (s *secrets) learnText(text string, variable int) {
	if text != "" {
		s.index.Add(s.hashesOf(text))
		s.variable[s.key.Whole(text)] = variable
	}
}

// in reports whether a text repeats a secret, also in the escapes of selectors and addresses.
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

// maxShort is the length of the longest secret that is only looked for as a whole.
const maxShort = 5

// unless returns the text, or "" where it repeats a secret.
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

// event redacts an event. It reports whether more of a secret became known by it.
func (s *secrets) event(e *event, names *variables) (learned bool) {
	learned = s.marked(e, names)
	if e.el != nil {
		e.el = s.element(e.el)
	}
	s.typed(e, names)
	e.url, e.lost = s.address(e.url)
	e.asks, e.reason, e.from = s.unless(e.asks), s.unless(e.reason), s.unless(e.from)
	if s.in(e.file) {
		e.file = s.unless(path.Ext(e.file))
	}
	return learned
}

// typed makes a secret of what is typed or chosen and repeats one: the same secret,
// where it is all of it.
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

// markSecret makes a secret of what was typed in a field and in those that are called
// like it, and redacts it wherever else the recording repeats it. It returns what
// is sent to documents about it.
func (m *merger) markSecret(el *element) redact.Hashes {
	s := m.secrets
	s.marks = append(s.marks, markOf(el))
	typed := m.typedIn(s.isMarked)
	variable := m.names.redact(el, typed)
	for _, text := range typed {
		s.learnText(text, m.names.find(variable))
	}
	for i := range m.entries {
		if en := &m.entries[i]; en.typed() && s.isMarked(en.el) {
			m.names.byField[en.el.id] = m.names.find(variable)
			en.step.Value = &automation.Value{Kind: automation.Variable, Name: variable}
		}
	}
	m.purge()
	for i := range m.entries {
		m.changed(Update, i)
	}
	return s.hashesOf(typed...)
}

// typedIn returns what was typed in some fields.
func (m *merger) typedIn(which func(*element) bool) (texts []string) {
	for _, en := range m.entries {
		if !en.typed() || !which(en.el) {
			continue
		}
		texts = append(texts, textOf(en.step.Value))
		if i, known := m.names.byField[fieldKey(en.el, en.run)]; known {
			texts = append(texts, m.names.declared[i].typed)
		}
	}
	slices.Sort(texts)
	return slices.DeleteFunc(slices.Compact(texts), func(text string) bool { return text == "" })
}

// mark identifies a field that the user marked as secret: by its name or label, in
// documents of its origin.
type mark struct {
	origin string
	names  []string // name and id
	label  string
	id     string // of the element, as long as its document exists
}

func markOf(el *element) mark {
	return mark{origin: originOf(el.url), names: slices.Clone(el.fieldNames), label: el.label, id: el.id}
}

func originOf(address string) string {
	if origin, ok := weburl.OriginOf(address); ok {
		return origin
	}
	return address
}

// fits reports whether an element is the field, or has its name.
func (k *mark) fits(el *element) bool {
	if el.id == k.id {
		return true
	}
	if originOf(el.url) != k.origin || el.inputType == "" {
		return false
	}
	for i, name := range el.fieldNames {
		if name != "" && i < len(k.names) && name == k.names[i] {
			return true
		}
	}
	return el.label != "" && el.label == k.label
}

func (s *secrets) isMarked(el *element) bool { return s.markOn(el) != nil }

func (s *secrets) markOn(el *element) *mark {
	for i := range s.marks {
		if s.marks[i].fits(el) {
			return &s.marks[i]
		}
	}
	return nil
}

// marked redacts what was typed in a field that the user marked as secret, which its
// document sent before it knew of the mark, and has the field be the same variable. It
// reports whether more of the secret became known by it.
func (s *secrets) marked(e *event, names *variables) (learned bool) {
	if e.el == nil || e.kind != input {
		return false
	}
	k := s.markOn(e.el)
	if k == nil {
		return false
	}
	i, known := names.byField[k.id]
	if known {
		names.byField[e.el.id] = i
	}
	// A shorter text may be the beginning of the secret, and found in many others. The
	// document sends what it knows of a short secret when its field is left.
	if known && len([]rune(e.value)) > maxShort {
		s.learnText(e.value, i)
		learned = true
	}
	e.stale = e.stale || e.value != ""
	e.value, e.secret = "", true
	return learned
}

// learn learns what a document sent about a secret: hashes of its pieces and of the
// whole. The same secret in another field is the same variable. What was recorded
// already and repeats it is redacted.
func (m *merger) learn(e event) {
	m.secrets.index.Add(e.hashes)
	if i, known := m.names.byField[e.field]; known && e.whole != 0 {
		m.same(e.field, i, e.whole)
	}
	m.purge()
}

// same notes what a secret field holds, and gives it the variable of a field that holds
// the same.
func (m *merger) same(field string, i int, whole uint64) {
	s := m.secrets
	before := s.wholes[field]
	s.wholes[field] = whole
	if s.variable[before] == i && !slices.Contains(slices.Collect(maps.Values(s.wholes)), before) {
		delete(s.variable, before) // it was edited since
	}
	first, known := s.variable[whole]
	if !known {
		first = i
		if m.isAnother(field, i, whole) {
			first = m.names.add(m.names.declared[i])
		}
		s.variable[whole] = first
	}
	if first == i {
		return
	}
	m.names.byField[field] = first
	was, is := m.names.declared[i].name, m.names.declared[first].name
	for n, en := range m.entries {
		if v := en.step.Value; en.el != nil && en.el.id == field && v != nil && v.Kind == automation.Variable && v.Name == was {
			m.entries[n].step.Value = &automation.Value{Kind: automation.Variable, Name: is}
			m.changed(Update, n)
		}
	}
}

// isAnother reports whether a field holds another secret than one that has the variable already: one next to it, one on a
// page of another address, or one that is called something else. In the same field a sign-in that has failed is typed again.
func (m *merger) isAnother(field string, i int, whole uint64) bool {
	here := m.elementOf(field)
	if here == nil || m.secrets.isMarked(here) { // what the user has marked is one, whatever is typed
		return false
	}
	for other, holds := range m.secrets.wholes {
		if other == field || holds == 0 || holds == whole || m.names.byField[other] != i {
			continue
		}
		there := m.elementOf(other)
		if there == nil {
			continue
		}
		if documentOf(field) == documentOf(other) || weburl.WithoutQuery(here.url) != weburl.WithoutQuery(there.url) || !slices.Equal(here.authorNames(), there.authorNames()) {
			return true
		}
	}
	return false
}

// documentOf is the document of an element, by its identifier.
func documentOf(id string) string {
	document, _, _ := strings.Cut(id, "#")
	return document
}

// elementOf returns the field of a step by its identifier, nil where there is none.
func (m *merger) elementOf(field string) *element {
	for i := range m.entries {
		if el := m.entries[i].el; el != nil && el.id == field {
			return el
		}
	}
	return nil
}

// purge redacts what was recorded already.
func (m *merger) purge() {
	s, changed := m.secrets, false
	for was, is := range m.names.purge(s) {
		m.renamed(was, is)
	}
	for _, e := range []*event{m.pending, m.unclicked, m.dragging} {
		if e != nil && e.el != nil {
			e.el = s.element(e.el)
		}
	}
	for page, path := range m.paths {
		m.paths[page], _ = s.address(path)
	}
	for i := 0; i < len(m.entries); i++ {
		en := &m.entries[i]
		was := en.shown()
		if why := s.entry(en, m.names); why != "" {
			m.omit(i, en.step.Tool, why)
			m.take(i)
			i--
			changed = true
		} else if !reflect.DeepEqual(was, en.shown()) {
			m.changed(Update, i)
			changed = true
		}
	}
	if changed {
		m.redactions++
	}
}

// entry redacts a step. why is the reason why the step must be left out, "" where it
// can stay.
func (s *secrets) entry(en *entry, names *variables) (why string) {
	step := &en.step
	if en.el != nil {
		el := s.element(en.el)
		if el.fingerprint != en.el.fingerprint {
			step.Fingerprint = el.fingerprint
		}
		step.Frame, step.FrameAlternatives = el.frame, el.frameAlternatives
		had := len(step.Selector) > 0
		step.Selector, step.Alternatives = s.selectors(step, el)
		en.el = el
		if print := step.Fingerprint; print != nil && slices.ContainsFunc(print.Turned, s.in) {
			without := *print
			without.Turned, step.Fingerprint = nil, &without
		}
		if had && len(step.Selector) == 0 {
			return "all by which its element is found repeats a secret"
		}
	}
	if en.to != nil {
		en.to = s.element(en.to)
		var args any
		if json.Unmarshal(step.Args, &args) != nil || s.inAny(args) {
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
		i = names.find(names.redact(en.el, nil))
	}
	if en.el != nil {
		names.byField[en.el.id] = i
	}
	en.step.Value = &automation.Value{Kind: automation.Variable, Name: names.declared[i].name}
}

// selectors returns those of a step that repeat no secret.
func (s *secrets) selectors(step *automation.Step, el *element) (selectors.Path, []selectors.Path) {
	var kept []selectors.Path
	for _, path := range pathsOf(step) {
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

// element returns an element, redacted. Where no selector is left it is identified by its
// place, and by the parts of its fingerprint that hold no words.
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
	clean.frameAlternatives = slices.Clone(el.frameAlternatives)
	for i, all := range clean.frameAlternatives {
		clean.frameAlternatives[i] = slices.DeleteFunc(slices.Clone(all), func(p selectors.Path) bool { return s.in(p.String()) })
	}
	if print := el.fingerprint; print != nil {
		if repeats { // the page did not know the secret, and its words are among the hashes
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
	clean.list, clean.title, clean.words = s.unless(el.list), s.unless(el.title), s.unless(el.words)
	clean.leads = slices.DeleteFunc(slices.Clone(el.leads), s.in)
	if el.row != nil && !s.in(el.row.near.String()) {
		of := *el.row
		of.called, of.texts = s.unless(of.called), slices.DeleteFunc(slices.Clone(of.texts), s.in)
		of.also, of.other, of.told = s.unless(of.also), s.unless(of.other), s.unless(of.told)
		clean.row = &of
	} else {
		clean.row = nil
	}
	if el.opener != nil {
		clean.opener = s.element(el.opener)
	}
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

// withheld returns the features of a fingerprint without their hashes, but for those
// that are not made of words.
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

// address returns an address with * for the parts of its host and path that repeat a
// secret, and without what else repeats one. lost reports whether its path has changed.
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
	if s.in(strings.Join(parts, "/")) { // across several parts
		parts, lost = []string{"", "**"}, true
	}
	u.RawPath = strings.Join(parts, "/")
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return "", true
	}
	return u.String(), lost
}

// host returns the host of an address, redacted. Short secrets are in too many hosts.
func (s *secrets) host(u *url.URL) string {
	labels := strings.Split(u.Hostname(), ".")
	for i, label := range labels {
		if len(label) > maxShort && s.in(label) {
			labels[i] = "*"
		}
	}
	host := strings.Join(labels, ".")
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	return host
}

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

// integrity redacts the report on a recording.
func (s *secrets) integrity(i *Integrity) {
	for n := range i.Lost {
		i.Lost[n].URL, _ = s.address(i.Lost[n].URL)
	}
	for _, all := range [][]string{i.UnrecordedFrames, i.UnrecordedDocuments, i.UnrecordedFields} {
		for n := range all {
			all[n], _ = s.address(all[n])
		}
	}
}

// omitted is a step that could not be stored.
type omitted struct {
	after int // the number of the step before it
	tool  string
	why   string
}

// omit notes that a step at index i is left out.
func (m *merger) omit(i int, tool, why string) {
	after := 0
	if i > 0 {
		after = m.entries[i-1].id
	}
	m.omitted = append(m.omitted, omitted{after: after, tool: tool, why: why})
}

// leftOut returns the steps that could not be stored, with where they would be.
func (m *merger) leftOut() (all []Omission) {
	for _, o := range m.omitted {
		all = append(all, Omission{After: m.at(o.after) + 1, Tool: o.tool, Why: o.why})
	}
	return all
}

// redact makes a secret of the variable of a field, and of those with the same value,
// and drops the values. It returns the name.
func (vs *variables) redact(el *element, typed []string) string {
	i, known := vs.byField[el.id]
	if !known {
		i = vs.addSecret(secretName(el))
		vs.byField[el.id] = i
	}
	i = vs.first(i)
	for j := range vs.declared {
		v := &vs.declared[j]
		if j == i || slices.Contains(typed, v.typed) {
			v.secret, v.typed, v.schema = true, "", draft.Text(true)
		}
	}
	if slices.Contains(typed, vs.username) {
		vs.username = ""
	}
	return vs.declared[i].name
}

// addSecret declares another secret, and returns its index.
func (vs *variables) addSecret(name string) int {
	vs.declared = append(vs.declared, variable{name: vs.unique(name), secret: true, schema: draft.Text(true)})
	return len(vs.declared) - 1
}

// secretName returns the variable's name for a field that is marked as secret: by the
// words for secrets, otherwise its own.
func secretName(el *element) string {
	if name := nameOf(el, true); name != "secret" {
		return name
	}
	if name := ownName(el); name != "value" {
		return name
	}
	return "secret"
}

// purge redacts what is known of variables, and returns those that got another name:
// old → new.
func (vs *variables) purge(s *secrets) (renamed map[string]string) {
	renamed = map[string]string{}
	vs.username = s.unless(vs.username)
	for i := range vs.declared {
		v := &vs.declared[i]
		v.schema = maps.Clone(v.schema)
		for _, name := range []string{"description", "pattern"} {
			if text, is := v.schema[name].(string); is && s.in(text) {
				delete(v.schema, name)
			}
		}
		if s.in(v.name) && !isOwnName(v.name) {
			name := vs.unique("value")
			renamed[v.name], v.name = name, name
		}
	}
	return renamed
}

// isOwnName reports whether the name is one of the recorder's own, and not the page's.
func isOwnName(name string) bool {
	name = strings.TrimRight(name, "_0123456789")
	for _, rules := range [][]wordRule{byWords, secretsByWords} {
		if slices.ContainsFunc(rules, func(rule wordRule) bool { return rule.name == name }) {
			return true
		}
	}
	return slices.Contains(slices.Collect(maps.Values(byToken)), name) || slices.Contains([]string{"secret", "file", "birthday", "value"}, name)
}
