package recorder

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/go-reprise/reprise/automation"
)

// Keys, and where the page went.

func (m *merger) key(e event) {
	step := automation.Step{Tool: "keypress", Page: e.page}
	if e.el != nil {
		step = e.el.step("keypress")
	}
	step.Key = keyText(e)
	m.push(entry{step: step, el: e.el, byKey: e.key == "Enter" || e.key == " " || e.key == "Tab"})
}

// keyText writes a key as the document has it. Shift is a part of the character
// that it makes.
func keyText(e event) string {
	modifiers := e.modifiers
	if len([]rune(e.key)) == 1 {
		modifiers = slices.DeleteFunc(slices.Clone(modifiers), func(m string) bool { return m == "Shift" })
	}
	return automation.Key{Modifiers: modifiers, Name: e.key}.String()
}

// dropTab removes a key that moved the focus to where the person did not stay.
func (m *merger) dropTab() {
	for last := m.last(); last != nil && last.byKey && !last.fixed && strings.HasSuffix(last.step.Key, "Tab"); last = m.last() {
		m.pop()
	}
}

func (m *merger) navigate(e event) {
	address := withoutQuery(e.url)
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
	if e.asked && last != nil && last.step.Page == e.page {
		last.led = cmp.Or(last.led, e.reason)
	}
	sameWait := last != nil && last.step.Page == e.page && last.el == nil && (last.step.Tool == "waitForNav" || last.step.Tool == "navigate")
	switch {
	case sameWait && (e.asked || e.within) && last.step.Tool == "waitForNav":
		last.step.URL = addressGlob(e.url, m.given)
		m.changed(Update, len(m.entries)-1)
	case sameWait && last.step.Tool == "navigate" && (e.asked || e.within):
		// where the address led on its own: the next visit will be led there too
	case e.asked || e.within:
		m.push(entry{step: automation.Step{Tool: "waitForNav", Page: e.page, URL: addressGlob(e.url, m.given)}})
	case sameWait && last.step.Tool == "navigate":
		last.step.URL = cleanAddress(e.url)
		m.changed(Update, len(m.entries)-1)
	default:
		m.push(entry{step: automation.Step{Tool: "navigate", Page: e.page, URL: cleanAddress(e.url)}})
	}
}

// opened notes a new tab as the consequence of the last step of its opener.
func (m *merger) opened(e event) {
	for i, en := range slices.Backward(m.entries) {
		if en.step.Page == e.page && en.el != nil {
			m.entries[i].step.Expect = append(en.step.Expect, automation.Expectation{Kind: "popup", Page: e.popup})
			m.changed(Update, i)
			return
		}
	}
}

// given reports whether a part of an address repeats what was typed, as a word or as
// pages write it in addresses: with other values it will be another.
func (m *merger) given(part string) bool {
	plain, err := url.PathUnescape(part)
	if err != nil {
		return true
	}
	if m.names.quotedIn(plain) {
		return true
	}
	for _, en := range m.entries {
		if text := en.literalText(); len(text) >= shortestQuoted && strings.Contains(asSlug(plain), asSlug(text)) {
			return true
		}
	}
	return false
}

// literalText is what a step types, as it was typed.
func (en *entry) literalText() string {
	var text string
	if en.step.Tool != "typeInput" || en.step.Value == nil || json.Unmarshal(en.step.Value.Value, &text) != nil {
		return ""
	}
	return text
}

// asSlug is a text with what stands between its words left out.
func asSlug(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
