package recorder

import (
	"slices"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
)

// merger makes steps of events: one step for each thing that a person meant,
// and a waitForNav for what followed. It is a pure state machine: what it gives
// depends on the events alone.
type merger struct {
	entries    []entry
	pending    *event            // a press whose click has not come yet
	released   bool              // and whose button is up again
	settled    *event            // the last press that was taken at its word
	dragging   *event            // a press that moved, and may be told to be a drag
	paths      map[string]string // page → path of the address that it was last seen at
	names      *variables
	secrets    *secrets
	omitted    []omitted
	serial     int // number of the last step
	version    int // counts the changes
	redactions int // counts how often something recorded earlier was redacted
	onChange   func(Change)
}

// entry is a step in the making, with what is known of it beyond the document.
type entry struct {
	id    int
	step  automation.Step
	wish  wish
	fixed bool // the person has shaped it: it is not taken for a part of what follows
	el    *element
	byKey bool   // a keypress that moves or acts, and may turn out to be a part of what follows
	press string // the press that a click was made of

	submit string // what the button says that a key pressed in its place
	led    string // why the page went elsewhere, as the browser tells it

	to       *element // what it is dragged to
	toOffset *automation.Offset
}

func newMerger(key redact.Key, onChange func(Change)) *merger {
	return &merger{paths: map[string]string{}, names: newVariables(), secrets: newSecrets(key), onChange: onChange}
}

// add takes the next event.
func (m *merger) add(e event) {
	if e.kind == learned {
		m.learn(e)
		return
	}
	if m.secrets.event(&e, m.names) {
		m.purge()
	}
	if e.kind == input && e.late {
		m.late(e)
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

func (m *merger) last() *entry {
	if len(m.entries) == 0 {
		return nil
	}
	return &m.entries[len(m.entries)-1]
}

func (m *merger) push(en entry) { m.insert(len(m.entries), en) }

// insert puts a new step at the place i.
func (m *merger) insert(i int, en entry) {
	m.serial++
	en.id = m.serial
	m.place(i, en)
}

// place puts a step at the place i, where the one stands that is to follow it.
func (m *merger) place(i int, en entry) {
	m.entries = slices.Insert(m.entries, i, en)
	m.changed(Add, i)
}

func (m *merger) replace(en entry) { m.put(len(m.entries)-1, en) }

// put has the step at i be made anew; what the person wants of it stays.
func (m *merger) put(i int, en entry) {
	was := &m.entries[i]
	en.id, en.wish, en.fixed = was.id, was.wish, was.fixed
	m.entries[i] = en
	m.changed(Update, i)
}

func (m *merger) pop() { m.take(len(m.entries) - 1) }

// take takes the step at i away.
func (m *merger) take(i int) entry {
	en := m.entries[i]
	m.entries = slices.Delete(m.entries, i, i+1)
	m.tell(Remove, i, &en)
	return en
}

func (m *merger) changed(op Op, i int) { m.tell(op, i, &m.entries[i]) }

func (m *merger) tell(op Op, i int, en *entry) {
	m.version++
	m.onChange(Change{Op: op, Index: i, Step: en.shown(), ID: en.id})
}

// step begins a step on the element.
func (e *element) step(tool string) automation.Step {
	step := automation.Step{Tool: tool, Page: e.page, Frame: e.frame, Fingerprint: e.fingerprint, Optional: e.consent}
	if len(e.candidates) > 0 {
		step.Selector, step.Alternatives = e.candidates[0], e.candidates[1:]
	}
	return step
}
