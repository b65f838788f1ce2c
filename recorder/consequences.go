package recorder

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
)

func (m *merger) navigate(e event) {
	address := weburl.WithoutQuery(e.url)
	before := m.paths[e.page]
	m.paths[e.page] = address
	if e.within && address == before || address == "about:blank" {
		return
	}
	if e.lost && !e.asked && !e.within {
		m.omit(len(m.entries), "navigate", "its address repeats a secret")
		return
	}
	last := m.last()
	if e.late {
		if last != nil && last.step.Page == e.page && last.step.Tool == "navigate" {
			last.step = automation.Step{Tool: "waitForNav", Page: e.page, URL: weburl.LedGlob(e.url, "", m.given)}
			m.changed(Update, len(m.entries)-1)
		}
		return
	}
	if e.asked && last != nil && last.step.Page == e.page {
		last.led = cmp.Or(last.led, e.reason)
	}
	sameWait := last != nil && last.step.Page == e.page && last.el == nil && (last.step.Tool == "waitForNav" || last.step.Tool == "navigate")
	switch {
	case sameWait && (e.asked || e.within) && last.step.Tool == "waitForNav":
		last.step.URL = weburl.LedGlob(e.url, before, m.given)
		m.changed(Update, len(m.entries)-1)
	case sameWait && last.step.Tool == "navigate" && (e.asked || e.within):
		// where the address led on its own: the next visit will be led there too
	case e.asked || e.within:
		m.push(entry{step: automation.Step{Tool: "waitForNav", Page: e.page, URL: weburl.LedGlob(e.url, before, m.given)}})
	case sameWait && last.step.Tool == "navigate":
		last.step.URL = e.askedFor()
		m.changed(Update, len(m.entries)-1)
	default:
		m.push(entry{step: automation.Step{Tool: "navigate", Page: e.page, URL: e.askedFor()}})
	}
}

// askedFor is the address that the user went to: the server may have sent it on to a sign-in, which knows the way back
// by what it was told there. Where it is of one visit, it is the one where that ended.
func (e event) askedFor() string {
	u, err := url.Parse(e.from)
	if err != nil || u.Host == "" || slices.ContainsFunc(strings.Split(u.Path, "/"), isToken) {
		return cleanAddress(e.url)
	}
	return cleanAddress(e.from)
}

// isToken reports whether a part of a path may be a secret of one visit, as in a link that was sent by mail.
func isToken(part string) bool { return weburl.IsPerVisit(part) && len(part) >= shortestToken }

// shortestToken is of how many characters the tokens of such links are at least.
const shortestToken = 16

// opened records a new tab as the consequence of the last step of its opener.
func (m *merger) opened(e event) {
	for i, en := range slices.Backward(m.entries) {
		if en.step.Page == e.page && en.el != nil {
			m.entries[i].step.Expect = append(en.step.Expect, automation.Expectation{Kind: "popup", Page: e.popup})
			m.changed(Update, i)
			return
		}
	}
}

// answered records a dialog as the consequence of the last step of its page, and its
// answer as a step before that one, as a page waits for the answer.
func (m *merger) answered(e event) {
	i := m.lastActIn(e.page)
	leaving := e.dialog == "beforeunload"
	if i < 0 || leaving && (e.accepted || !m.entries[i].acts()) {
		return // a page may be left anyway
	}
	if e.dialog == "alert" && slices.ContainsFunc(m.entries[i+1:], func(en entry) bool { return en.step.Tool == "waitForNav" && en.step.Page == e.page }) {
		return // what the next document has to say, it may have said once
	}
	en := &m.entries[i]
	en.step.Expect = append(slices.Clone(en.step.Expect), automation.Expectation{Kind: "dialog", Method: e.dialog})
	if e.accepted && automation.IsCommitLabel(e.asks) {
		en.submit = e.asks
	}
	m.changed(Update, i)
	if e.dialog != "alert" {
		m.insert(i, entry{step: m.answer(e)})
	}
}

func asksForSecret(message string) bool { return firstFit(secretsByWords, message, "") != "" }

// answer returns the step that answers a dialog. Its message decides whether what was
// typed is a secret.
func (m *merger) answer(e event) automation.Step {
	step := automation.Step{Tool: "dialog", Page: e.page, Args: []byte(`{"accept":false}`)}
	if e.accepted {
		step.Args = []byte(`{"accept":true}`)
	}
	if !e.accepted || e.dialog != "prompt" {
		return step
	}
	typed := event{el: &element{id: "prompt " + e.page + " " + e.asks, label: e.asks, inputType: "text"}, value: e.value}
	if e.secret || asksForSecret(e.asks) {
		typed.secret, typed.value = true, ""
	}
	whole := e.whole
	if whole == 0 && typed.secret && e.value != "" {
		whole = m.secrets.key.Whole(e.value)
	}
	if i, known := m.secrets.variable[whole]; known && whole != 0 {
		m.names.byField[typed.el.id] = i
	}
	step.Value = m.names.value(typed)
	if i, known := m.names.byField[typed.el.id]; known && whole != 0 && typed.secret {
		m.secrets.variable[whole] = i
	}
	return step
}

// lastActIn returns the index of the last step that did something in a page.
func (m *merger) lastActIn(page string) int {
	for i, en := range slices.Backward(m.entries) {
		if en.step.Page == page && en.step.Tool != "waitForNav" && en.step.Tool != "dialog" {
			return i
		}
	}
	return -1
}

// expectsChange reports whether a step is a click or a key that changed the page at once, and nothing
// that says more of it follows. A click into a field only leads to what is typed there, and of a key that
// writes in an editor the text tells.
func (m *merger) expectsChange(i int) bool {
	en := &m.entries[i]
	isClick := en.step.Tool == "click" && en.step.Count <= 1 && !en.el.editable
	isKey := en.step.Tool == "keypress" && !en.caret
	if !m.changes[en.press] || !isClick && !isKey || len(en.step.Expect) > 0 || m.mends(i) {
		return false
	}
	return !m.leaves(i)
}

// expectsUpdate reports whether the page showed something a while after the step at i, and nothing that says more of it
// follows, as a request does whose answer is waited for.
func (m *merger) expectsUpdate(i int, others []automation.Expectation) bool {
	saysMore := func(e automation.Expectation) bool { return e.Kind != "change" }
	return m.entries[i].updates && len(m.entries[i].step.Frame) == 0 && !slices.ContainsFunc(others, saysMore) && !m.leaves(i)
}

// leaves reports whether the step at i has led to another page.
func (m *merger) leaves(i int) bool {
	return i+1 < len(m.entries) && m.entries[i+1].step.Tool == "waitForNav" && m.entries[i+1].step.Page == m.entries[i].step.Page
}

// mends reports whether the step at i sends a form that was not sent before: it takes away what the page said of that.
func (m *merger) mends(i int) bool {
	for i--; i >= 0 && m.entries[i].step.Tool != "click" && m.entries[i].step.Tool != "keypress"; i-- {
		if m.entries[i].mended {
			return true
		}
	}
	return false
}

// requested notes what scripts of a document requested after the last thing that was done in it,
// or what a page sent that may save something: which of its documents did is not known.
func (m *merger) requested(e event) {
	if e.press != "" { // the user has gone on since
		if i := slices.IndexFunc(m.entries, func(en entry) bool { return en.press == e.press }); i >= 0 {
			m.entries[i].soon = e.url
		}
		return
	}
	i := len(m.entries) - 1
	for ; i >= 0; i-- {
		if en := m.entries[i]; en.el != nil && (e.saves && en.step.Page == e.page || !e.saves && strings.HasPrefix(en.el.id, e.doc+"#")) {
			break
		}
	}
	if i >= 0 && e.soon {
		m.entries[i].soon = e.url
	}
	if i >= 0 && e.saves && !slices.ContainsFunc(m.entries[i+1:], func(en entry) bool { return en.step.Tool != "waitForNav" || en.step.Page != e.page }) {
		i = len(m.entries) - 1 // what is saved after a view was led to
	}
	switch {
	case i < 0:
	case e.socket:
		m.entries[i].socket = e.url
	case e.saves || !m.entries[i].saves:
		m.entries[i].request, m.entries[i].saves = e.url, e.saves
	}
}

// awaits has a step wait for what was requested after it. After the last one a page may save a while later, and a run
// that ended before would leave it undone; after any other what the next step is to use comes with the answer, and the
// page may show what has the same words until then.
func (m *merger) awaits(i int, step *automation.Step) {
	en := &m.entries[i]
	requested := []string{en.soon}
	if i == len(m.entries)-1 {
		requested = []string{en.request, en.socket}
	}
	for _, address := range requested {
		if address == "" || m.secrets.in(address) {
			continue
		}
		glob := weburl.LedGlob(address, "", m.given)
		if _, err := automation.ParseGlob(glob); err == nil && automation.DetectSecret(glob) == "" {
			step.Expect = append(slices.Clone(step.Expect), automation.Expectation{Kind: "request", URL: glob})
		}
	}
}

// downloaded records a download as the consequence of the last step of its page: where
// from and what it is called, never what is in it.
func (m *merger) downloaded(e event) {
	i := m.lastActIn(e.page)
	if i < 0 {
		return
	}
	expected := automation.Expectation{Kind: "download", Text: m.names.fileText(e.file)}
	if glob, ok := fileGlob(e.url, m.given); ok {
		expected.URL = glob
	}
	en := &m.entries[i]
	en.step.Expect = append(slices.Clone(en.step.Expect), expected)
	m.changed(Update, i)
}

// fileGlob returns the glob of where a file came from; a blob or data URL has none.
func fileGlob(raw string, given func(part string) bool) (string, bool) {
	if !strings.HasPrefix(raw, "http://") && !strings.HasPrefix(raw, "https://") {
		return "", false
	}
	glob := weburl.LedGlob(raw, "", given)
	_, err := automation.ParseGlob(glob)
	return glob, err == nil
}

var (
	digit     = regexp.MustCompile(`\d`)
	extension = regexp.MustCompile(`^\.[A-Za-z0-9]{1,8}$`)
)

// fileText returns what later files of the kind are called, too: a whole name without
// numbers, which count or date it, or its extension. After a secret was typed names are
// not quoted, as they may hold it.
func (vs *variables) fileText(name string) string {
	secret := slices.ContainsFunc(vs.declared, func(v variable) bool { return v.secret })
	if !secret && !digit.MatchString(name) && !vs.quotedIn(name) && automation.DetectSecret(name) == "" {
		return name
	}
	if ext := path.Ext(name); extension.MatchString(ext) {
		return ext
	}
	return ""
}

// given reports whether a part of an address repeats what was typed, as a word or as
// pages write it in addresses: with other values it will be different.
func (m *merger) given(part string) bool {
	plain, err := url.PathUnescape(part)
	if err != nil {
		return true
	}
	if m.names.quotedIn(plain) {
		return true
	}
	for _, en := range m.entries {
		if text := textOf(en.step.Value); en.step.Tool == "typeInput" && len(text) >= shortestQuoted && strings.Contains(asSlug(plain), asSlug(text)) {
			return true
		}
	}
	return false
}

// asSlug returns the letters and digits of a text.
func asSlug(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// cleanAddress returns an address to go to, without what belongs to one visit: user
// names, telling or changing query values, and a fragment that is no route.
func cleanAddress(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	u.User = nil
	query := u.Query()
	for name, values := range query {
		if weburl.IsSecretParameter(name) || weburl.IsPerVisit(strings.Join(values, "")) {
			query.Del(name)
		}
	}
	u.RawQuery = query.Encode()
	if !strings.HasPrefix(u.Fragment, "/") && !strings.HasPrefix(u.Fragment, "!/") {
		u.Fragment = ""
	}
	return u.String()
}
