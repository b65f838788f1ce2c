package recorder

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// Presses: clicks, drags, and what a press was on that could not be seen into.

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
	if m.pending != nil {
		m.pending.held = e.held
	}
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
		step.Offset, step.Modifiers, step.Button, step.Count, step.Hold, step.Expect = e.offset, was.Modifiers, was.Button, was.Count, was.Hold, was.Expect
		m.put(i, entry{step: step, el: e.el, press: e.press})
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
	m.put(i, entry{step: step, el: e.el})
	return true
}

func clickStep(e event, count int) automation.Step {
	step := e.el.step("click")
	step.Offset, step.Modifiers = e.offset, e.modifiers
	step.Button = map[int]string{1: "middle", 2: "right"}[e.button]
	if count > 1 {
		step.Count = count
	}
	step.Hold = min(time.Duration(e.held)*time.Millisecond, longestHold).Round(holdRounded)
	return step
}

// How long a button is held is recorded to a tenth of a second, and up to what a
// document may say.
const (
	holdRounded = 100 * time.Millisecond
	longestHold = time.Minute
)

// drag makes a step of a press that moved, and of what it ended on.
func (m *merger) drag(e event) {
	from := m.dragging
	if from == nil || from.press != e.press {
		return
	}
	m.dragging = nil
	to := m.names.unquoted(append(slices.Clone(e.el.candidates), e.el.place))
	if len(to) == 0 {
		return
	}
	step := from.el.step("drag")
	step.Offset, step.Modifiers = from.offset, from.modifiers
	step.Args = dragArgs(to, e.offset)
	m.dropTab()
	m.push(entry{step: step, el: from.el, to: e.el, toOffset: e.offset})
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
