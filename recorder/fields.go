package recorder

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// What fields and controls were set to.

func (m *merger) input(e event) {
	m.follow(e.el)
	m.dropOwnAddresses(e.el)
	value := m.names.value(e)
	m.dropApproach(e.el)
	if last := m.last(); last != nil && last.step.Tool == "typeInput" && last.el.id == e.el.id {
		if e.stale && reflect.DeepEqual(value, last.step.Value) {
			return // nothing was done since the mark
		}
		last.step.Value, last.step.Keys = value, last.step.Keys || e.keys
		m.changed(Update, len(m.entries)-1)
		return
	}
	step := e.el.step("typeInput")
	step.Value, step.Keys = value, e.keys
	if m.instead(e, step) {
		return
	}
	m.push(entry{step: step, el: e.el})
}

// dropOwnAddresses removes the addresses that a page has written while somebody typed:
// the field is still the same, so nobody went anywhere.
func (m *merger) dropOwnAddresses(el *element) {
	n := len(m.entries)
	for n > 0 && m.entries[n-1].step.Tool == "waitForNav" {
		n--
	}
	if n == 0 || m.entries[n-1].step.Tool != "typeInput" || m.entries[n-1].el.id != el.id {
		return
	}
	for len(m.entries) > n {
		m.pop()
	}
}

// follow takes an element that stands where the last text was typed for that field:
// pages that draw everything anew put another there for each key.
func (m *merger) follow(el *element) {
	last := m.last()
	if last == nil || last.step.Tool != "typeInput" || last.el.id == el.id || !last.el.standsWhere(el) {
		return
	}
	if i, known := m.names.byField[last.el.id]; known {
		m.names.byField[el.id] = i
	}
	last.el = el
}

func (e *element) standsWhere(other *element) bool {
	return e.page == other.page && e.url == other.url && e.inputType == other.inputType &&
		len(e.candidates) > 0 && len(other.candidates) > 0 && slices.Equal(e.candidates[0], other.candidates[0]) &&
		slices.EqualFunc(e.frame, other.frame, slices.Equal)
}

// amend changes the last text of a field to what the page made of it: that is
// told when the field is left, by a press that is already under way. What something
// done since has made of it, as a suggestion that was chosen, is made again by that.
func (m *merger) amend(e event) bool {
	done := false
	for i, en := range slices.Backward(m.entries) {
		if en.step.Tool == "typeInput" && en.el.id == e.el.id {
			if done {
				return true
			}
			m.entries[i].step.Value = m.names.value(e)
			m.changed(Update, i)
			return true
		}
		done = done || !strings.HasSuffix(en.step.Key, "Tab")
	}
	return false
}

// late takes what a field was found to hold when it was left: it was there before
// the press or the key that left it.
func (m *merger) late(e event) {
	if m.amend(e) {
		return
	}
	if p := m.pending; p != nil && p.el.id != e.el.id && p.el.control != e.el.id {
		m.pending = nil
		m.input(e)
		m.pending = p
		return
	}
	m.settle()
	m.input(e)
	if n := len(m.entries); n > 1 && m.entries[n-2].submits(e.el) {
		m.place(n-1, m.take(n-2))
	}
}

// submits reports whether the step is the Enter that was pressed in the field.
func (en *entry) submits(field *element) bool {
	return en.byKey && en.step.Key == "Enter" && en.el != nil && en.el.id == field.id
}

func (m *merger) choose(e event) {
	m.dropApproach(e.el)
	if e.secret {
		m.omit(len(m.entries), "select", choiceRepeats)
		return
	}
	var chosen any = e.values
	if !e.many && len(e.values) == 1 {
		chosen = e.values[0]
	}
	m.state(e, "select", literal(chosen))
}

func (m *merger) check(e event) {
	m.dropApproach(e.el)
	m.state(e, "check", literal(e.checked))
}

// files records that files were given, never which: they are a variable.
func (m *merger) files(e event) {
	if len(e.values) == 0 {
		return
	}
	m.dropApproach(e.el)
	m.state(e, "upload", m.names.files(e))
}

// state records what a control was set to; setting it again replaces that.
func (m *merger) state(e event, tool string, value *automation.Value) {
	if last := m.last(); last != nil && last.step.Tool == tool && last.el.id == e.el.id {
		last.step.Value = value
		m.changed(Update, len(m.entries)-1)
		return
	}
	step := e.el.step(tool)
	step.Value = value
	if m.instead(e, step) {
		return
	}
	m.push(entry{step: step, el: e.el})
}

// dropApproach removes what only led to an element: the click into its field or
// on its label, the key that moved the focus to it or toggled it.
func (m *merger) dropApproach(el *element) {
	for last := m.last(); last != nil && last.leadsTo(el); last = m.last() {
		m.pop()
	}
}

func (en *entry) leadsTo(el *element) bool {
	if en.fixed {
		return false
	}
	if en.byKey && (en.step.Key == "Tab" || en.step.Key == "Shift+Tab") {
		return true
	}
	if en.el == nil {
		return false
	}
	same := en.el.id == el.id || en.el.control == el.id
	plain := en.step.Tool == "click" && en.step.Button == "" && len(en.step.Modifiers) == 0
	marked := el.editable && (en.step.Key == "Control+a" || en.step.Key == "Meta+a") // to be written over
	return same && (plain || marked || en.byKey && en.step.Key == " " && !el.editable)
}

func (e *element) isList() bool { return e.tag == "select" || e.tag == "option" }

func literal(v any) *automation.Value {
	data, err := json.Marshal(v)
	if err != nil {
		data = []byte("null") // strings and booleans only: cannot happen
	}
	return &automation.Value{Kind: automation.Literal, Value: data}
}
