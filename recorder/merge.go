package recorder

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// merger makes steps of events: one step for each thing that a person meant,
// and a waitForNav for what followed. It is a pure state machine: what it gives
// depends on the events alone.
type merger struct {
	entries  []entry
	pending  *event            // a press whose click has not come yet
	released bool              // and whose button is up again
	settled  *event            // the last press that was taken at its word
	dragging *event            // a press that moved, and may be told to be a drag
	paths    map[string]string // page → path of the address that it was last seen at
	names    *variables
	onChange func(Op, int, automation.Step)
}

// entry is a step in the making, with what is known of it beyond the document.
type entry struct {
	step  automation.Step
	el    *element
	byKey bool   // a keypress that moves or acts, and may turn out to be a part of what follows
	press string // the press that a click was made of

	submit string // what the button says that a key pressed in its place
	led    string // why the page went elsewhere, as the browser tells it
}

func newMerger(onChange func(Op, int, automation.Step)) *merger {
	return &merger{paths: map[string]string{}, names: newVariables(), onChange: onChange}
}

// add takes the next event.
func (m *merger) add(e event) {
	if e.kind == input && e.late && m.amend(e) {
		return
	}
	if e.kind == within {
		m.within(e)
		return
	}
	if m.pending != nil && !m.belongs(e) {
		m.settle()
	}
	switch e.kind {
	case down:
		m.pending, m.released = &e, false
	case up:
		m.release(e)
	case click:
		m.click(e)
	case input:
		m.input(e)
	case choose:
		m.choose(e)
	case check:
		m.check(e)
	case drag:
		m.drag(e)
	case files:
		m.files(e)
	case key:
		m.key(e)
	case navigation:
		m.navigate(e)
	case opened:
		m.opened(e)
	case answered:
		m.answered(e)
	case downloaded:
		m.downloaded(e)
	}
}

// finish ends the recording: no click comes any more.
func (m *merger) finish() { m.settle() }

// belongs reports whether e is a part of the press under way.
func (m *merger) belongs(e event) bool {
	return (e.kind == up || e.kind == click && !e.byKey) && e.press == m.pending.press
}

// settle takes a press without a click at its word: the page acted on the press
// itself, and took the element away before a click could come.
func (m *merger) settle() {
	if p := m.pending; p != nil {
		m.pending, m.settled = nil, p
		m.clicked(*p, 1)
	}
}

// release drops a press that became a drag.
func (m *merger) release(e event) {
	if last := m.last(); e.moved && m.pending == nil && m.settled != nil && m.settled.press == e.press && last != nil && last.press == e.press {
		m.dragging = m.settled // a page that writes its address while it drags made a click of it
		m.pop()
		return
	}
	if m.pending == nil {
		return
	}
	if e.moved {
		m.dragging, m.pending = m.pending, nil
	}
	m.released = true
}

// drag makes a step of a press that moved, and of what it ended on.
func (m *merger) drag(e event) {
	from := m.dragging
	if from == nil || from.press != e.press {
		return
	}
	m.dragging = nil
	to := m.names.unquoted(e.el.candidates)
	if len(to) == 0 {
		return
	}
	step := from.el.step("drag")
	step.Offset, step.Modifiers = from.offset, from.modifiers
	step.Args = dragArgs(to, e.offset)
	m.dropTab()
	m.push(entry{step: step, el: from.el})
}

func dragArgs(to selectors.Path, offset *automation.Offset) json.RawMessage {
	args := map[string]any{"to": to.Strings()}
	if len(to) == 1 {
		args["to"] = to.Strings()[0]
	}
	if offset != nil {
		args["offset"] = map[string]float64{"x": offset.X, "y": offset.Y}
	}
	data, err := json.Marshal(args)
	if err != nil {
		return nil // strings and numbers only: cannot happen
	}
	return data
}

func (m *merger) click(e event) {
	switch {
	case e.byKey:
		m.clickByKey(e)
	case m.pending != nil:
		p := *m.pending
		m.pending = nil
		m.clicked(p, e.count)
	case e.el != nil && e.press == "":
		m.clicked(e, e.count) // without a pointer: assistive technology
	}
}

// clickByKey joins a click that a key made with that key: on the element itself
// it is a click; elsewhere it is the form's submit button, which the key stands for.
func (m *merger) clickByKey(e event) {
	last := m.last()
	if last == nil || last.step.Tool != "keypress" || !last.byKey || last.el == nil {
		return
	}
	if last.el.id != e.el.id {
		last.submit = e.el.label
		return
	}
	m.replace(entry{step: clickStep(e, 1), el: e.el})
}

func (m *merger) clicked(e event, count int) {
	if e.el.isList() {
		return // what is chosen tells more
	}
	step := clickStep(e, count)
	if last := m.last(); count > 1 && last != nil && last.step.Tool == "click" && last.el.id == e.el.id {
		last.step.Count = count
		m.changed(Update, len(m.entries)-1)
		return
	}
	m.dropTab()
	m.push(entry{step: step, el: e.el, press: e.press})
}

// within mends a press that was told of as one on the host of a closed shadow
// root, before anybody could see into it.
func (m *merger) within(e event) {
	if m.pending != nil && m.pending.press == e.press {
		m.pending.el, m.pending.offset = e.el, e.offset
		return
	}
	i := m.madeOf(e.press)
	switch {
	case i < 0:
	case e.el.isList() && i == len(m.entries)-1:
		m.pop()
	default:
		was := m.entries[i].step
		step := e.el.step("click")
		step.Offset, step.Modifiers, step.Button, step.Count, step.Expect = e.offset, was.Modifiers, was.Button, was.Count, was.Expect
		m.entries[i] = entry{step: step, el: e.el, press: e.press}
		m.changed(Update, i)
	}
}

// madeOf is the index of the click that was made of a press, -1 where there is none.
func (m *merger) madeOf(press string) int {
	return slices.IndexFunc(m.entries, func(en entry) bool { return press != "" && en.press == press && en.step.Tool == "click" })
}

// instead puts what is known only now of what a press led to in the place of the
// press, which was on the host of a closed shadow root: more may have been done since.
func (m *merger) instead(e event, step automation.Step) bool {
	i := m.madeOf(e.press)
	later := func(en entry) bool { return en.el != nil && en.el.id == e.el.id && en.step.Tool == step.Tool }
	if i < 0 || slices.ContainsFunc(m.entries[i+1:], later) {
		return false
	}
	m.entries[i] = entry{step: step, el: e.el}
	m.changed(Update, i)
	return true
}

func clickStep(e event, count int) automation.Step {
	step := e.el.step("click")
	step.Offset, step.Modifiers = e.offset, e.modifiers
	step.Button = map[int]string{1: "middle", 2: "right"}[e.button]
	if count > 1 {
		step.Count = count
	}
	return step
}

func (m *merger) input(e event) {
	value := m.names.value(e)
	m.dropApproach(e.el)
	if last := m.last(); last != nil && last.step.Tool == "typeInput" && last.el.id == e.el.id {
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

func (m *merger) choose(e event) {
	m.dropApproach(e.el)
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

func (m *merger) navigate(e event) {
	address := withoutQuery(e.url)
	before := m.paths[e.page]
	m.paths[e.page] = address
	if e.within && address == before || address == "about:blank" {
		return
	}
	last := m.last()
	if e.asked && last != nil && last.step.Page == e.page {
		last.led = cmp.Or(last.led, e.reason)
	}
	sameWait := last != nil && last.step.Page == e.page && last.el == nil && (last.step.Tool == "waitForNav" || last.step.Tool == "navigate")
	switch {
	case sameWait && (e.asked || e.within) && last.step.Tool == "waitForNav":
		last.step.URL = addressGlob(e.url)
		m.changed(Update, len(m.entries)-1)
	case sameWait && last.step.Tool == "navigate" && (e.asked || e.within):
		// where the address led on its own: the next visit will be led there too
	case e.asked || e.within:
		m.push(entry{step: automation.Step{Tool: "waitForNav", Page: e.page, URL: addressGlob(e.url)}})
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

// dropApproach removes what only led to an element: the click into its field or
// on its label, the key that moved the focus to it or toggled it.
func (m *merger) dropApproach(el *element) {
	for last := m.last(); last != nil && last.leadsTo(el); last = m.last() {
		m.pop()
	}
}

func (en *entry) leadsTo(el *element) bool {
	if en.byKey && (en.step.Key == "Tab" || en.step.Key == "Shift+Tab") {
		return true
	}
	if en.el == nil {
		return false
	}
	same := en.el.id == el.id || en.el.control == el.id
	plain := en.step.Tool == "click" && en.step.Button == "" && len(en.step.Modifiers) == 0
	return same && (plain || en.byKey && en.step.Key == " " && !el.editable)
}

// dropTab removes a key that moved the focus to where the person did not stay.
func (m *merger) dropTab() {
	for last := m.last(); last != nil && last.byKey && strings.HasSuffix(last.step.Key, "Tab"); last = m.last() {
		m.pop()
	}
}

func (m *merger) last() *entry {
	if len(m.entries) == 0 {
		return nil
	}
	return &m.entries[len(m.entries)-1]
}

func (m *merger) push(en entry) {
	m.entries = append(m.entries, en)
	m.changed(Add, len(m.entries)-1)
}

func (m *merger) replace(en entry) {
	m.entries[len(m.entries)-1] = en
	m.changed(Update, len(m.entries)-1)
}

func (m *merger) pop() {
	i := len(m.entries) - 1
	step := m.entries[i].step
	m.entries = m.entries[:i]
	m.onChange(Remove, i, step)
}

func (m *merger) changed(op Op, i int) { m.onChange(op, i, m.entries[i].step) }

func (e *element) isList() bool { return e.tag == "select" || e.tag == "option" }

// step begins a step on the element.
func (e *element) step(tool string) automation.Step {
	step := automation.Step{Tool: tool, Page: e.page, Frame: e.frame, Fingerprint: e.fingerprint, Optional: e.consent}
	if len(e.candidates) > 0 {
		step.Selector, step.Alternatives = e.candidates[0], e.candidates[1:]
	}
	return step
}

func literal(v any) *automation.Value {
	data, err := json.Marshal(v)
	if err != nil {
		data = []byte("null") // strings and booleans only: cannot happen
	}
	return &automation.Value{Kind: automation.Literal, Value: data}
}
