package recorder

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/selectors"
)

// event is one thing that happened in a page.
type event struct {
	kind kind
	page string
	el   *element // nil for what happened to the page

	press     string // down, up, click, key, within, changed, taken: which press it belongs to; files: which one had the browser ask
	moved     bool   // up: elsewhere than the press began
	held      int    // up: how long the button was down where that is long, in ms
	byKey     bool   // click: a key made it
	taken     bool   // up, click: the page kept the browser from opening a list
	count     int    // click: 2 is a double click
	button    int
	modifiers []string
	offset    *automation.Offset

	value   string   // input; taken: what came before the word
	secret  bool     // input: something was typed that is not sent
	stale   bool     // input: sent before its document knew that the field was marked as secret
	values  []string // choose: what was chosen; files: their names; taken: the word
	many    bool     // choose, files: several can be chosen
	checked bool
	key     string
	refused bool   // input: the form was not sent, for what the field held before
	late    bool   // input: what the page made of it, sent when the field was left; navigation: told before as the browser's
	keys    bool   // input: the page takes or listens to the keys of the field
	at      string // input: where in an editor the text was put, "" for all that the field holds; key: "caret" for one that moves or edits there
	run     int    // input, taken: the stretch of text that it belongs to

	url      string // navigation, requested: where to; opened: of the new page
	from     string // navigation: the address that was asked for, from where the server may have sent it on
	doc      string // requested: the document that asked, "" for a socket's
	socket   bool   // requested: sent over a WebSocket
	saves    bool   // requested: more than read
	soon     bool   // requested: at once, or a moment after what was done
	within   bool   // navigation: in the same document
	asked    bool   // navigation: by the page, not by the browser
	reason   string // navigation: why the page asked for it, in the browser's words
	dialog   string // answered: its type
	asks     string // answered: its message, of which nothing is stored
	accepted bool   // answered

	lost   bool          // navigation: its address cannot be stored
	whole  uint64        // input, answered, learned: the hash of all of a secret
	field  string        // learned: the element that holds it
	hashes redact.Hashes // learned

	popup string // opened: the name of the new page
	file  string // downloaded: the name that is suggested for it
}

// kind of an event: what the user did, or what followed.
type kind int

const (
	down kind = iota
	up
	click
	input
	choose
	check
	files
	drag  // a press that is under way ends on an element
	hover // the mouse came over an element, and a menu opened in which something is pressed
	key
	navigation
	opened
	answered // a dialog
	downloaded
	requested // something, by a script of the page
	changed   // a press, of a pointer or of a key, has changed the page at once
	updated   // a page has shown something a while after the last thing that was done in it
	learned   // pieces of a secret became known
	within    // what a press on a host was on, within its shadow root
	turned    // what a press has made of what was pressed
	taken     // a press has taken the last word that was typed into an editor
)

// merger merges events into steps: one step for each thing that the user meant,
// and a waitForNav for what followed. It is a pure state machine: its steps
// depend on the events alone.
type merger struct {
	entries    []entry
	pending    *event            // a press whose click has not come yet
	unclicked  *event            // the last press that became a click before one came
	dragging   *event            // a press that moved, and may turn out to be a drag
	paths      map[string]string // page → path of the address that it was last seen at
	changes    map[string]bool   // presses that have changed the page at once
	names      *variables
	secrets    *secrets
	omitted    []omitted
	serial     int // number of the last step
	version    int // counts the changes
	redactions int // counts how often something recorded earlier was redacted
	onChange   func(Change)
}

// entry is a step, with what is known of it beyond the document.
type entry struct {
	id      int
	step    automation.Step
	wish    wish
	fixed   bool // the user has edited it: it does not become a part of what follows
	el      *element
	updates bool   // the page showed something a while after it, before anything else was done
	byKey   bool   // a keypress that moves or acts, and may turn out to be a part of what follows
	press   string // the press that a click or a key was made of
	run     int    // the stretch of text that was put into an editor
	caret   bool   // a key that moves the caret, selects or edits in an editor

	request string // the last that scripts sent when it was done, one that saves before others: its address, without the query
	saves   bool   // the request does more than read
	soon    string // what scripts requested at once, or a moment after it, and were answered before anything else was done
	socket  string // the last that a frame was sent over: its address, without the query
	mended  bool   // what was typed is what the form was sent for, after other words that it was not
	submit  string // label of the button that a key stood for
	led     string // why the page navigated, in the browser's words

	letters []letter // of a code, one a box

	to       *element // what it is dragged to
	toOffset *automation.Offset
}

// updating are the tools after which a page may show something by a clock of its own.
var updating = map[string]bool{"check": true, "click": true, "keypress": true, "select": true, "typeInput": true}

// wish is what the user has set for a step, whatever the recorder makes of it.
type wish struct {
	intent   string
	effect   automation.Effect
	optional *bool
}

// shown returns the step as it is published and stored.
func (en *entry) shown() automation.Step {
	step := en.step
	step.Effect, step.Intent = en.effectOf(), en.wish.intent
	if en.wish.effect != "" {
		step.Effect = en.wish.effect
	}
	if en.wish.optional != nil {
		step.Optional = *en.wish.optional
	}
	return step
}

// typed reports whether the value of a step was typed into a field.
func (en *entry) typed() bool { return en.step.Tool == "typeInput" && en.el != nil }

func newMerger(key redact.Key, onChange func(Change)) *merger {
	return &merger{paths: map[string]string{}, changes: map[string]bool{}, names: newVariables(), secrets: newSecrets(key), onChange: onChange}
}

// add merges the next event.
func (m *merger) add(e event) {
	if e.kind == learned {
		m.learn(e)
		return
	}
	if e.kind == requested {
		m.requested(e)
		return
	}
	if e.kind == changed {
		m.changes[e.press] = true
		return
	}
	if e.kind == updated {
		m.finish()
		if i := m.lastActIn(e.page); i >= 0 && updating[m.entries[i].step.Tool] {
			m.entries[i].updates = true
		}
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
	if e.kind == taken {
		m.takenWord(e)
		return
	}
	if e.kind == turned {
		m.turned(e)
		return
	}
	// Only its button coming up and its click are a part of the press that is under way.
	if p := m.pending; p != nil && !((e.kind == up || e.kind == click && !e.byKey) && e.press == p.press) {
		m.finish()
	}
	switch e.kind {
	case down:
		m.pending = &e
	case up:
		m.release(e)
	case click:
		m.click(e)
	case input:
		m.input(e)
		if last := m.last(); last != nil { // what comes after the last letter counts
			last.updates = false
		}
	case choose:
		m.choose(e)
	case check:
		m.check(e)
	case drag:
		m.drag(e)
	case hover:
		m.hover(e)
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

// finish makes a click of a press whose click has not come: the page acted on the press
// itself, and removed the element before there could be a click.
func (m *merger) finish() {
	if p := m.pending; p != nil {
		m.pending, m.unclicked = nil, p
		m.clicked(*p, 1)
	}
}

// release handles the button coming up: a press that moved is no click.
func (m *merger) release(e event) {
	if e.moved && m.pending == nil && m.unclicked != nil && m.unclicked.press == e.press {
		m.dragging = m.unclicked // a page that changes its address while it drags made a click of it
		if last := m.last(); last != nil && last.press == e.press {
			m.pop()
		}
		return
	}
	if m.pending == nil {
		return
	}
	if e.moved {
		m.dragging, m.pending = m.pending, nil
		return
	}
	m.pending.held, m.pending.taken = e.held, e.taken
}

func (m *merger) click(e event) {
	switch {
	case e.byKey:
		m.clickByKey(e)
	case m.pending != nil:
		p := *m.pending
		p.taken = p.taken || e.taken
		m.pending = nil
		m.clicked(p, e.count)
	case e.el != nil && e.press == "":
		m.clicked(e, e.count) // without a pointer: assistive technology
	}
}

// clickByKey joins a click that a key made with that key: on the element itself
// it is a click; elsewhere it is the form's submit button, which the key stood for.
func (m *merger) clickByKey(e event) {
	last := m.last()
	if last == nil || last.step.Tool != "keypress" || !last.byKey || last.el == nil || e.el == nil {
		return
	}
	if last.el.id != e.el.id {
		last.submit = e.el.label
		return
	}
	m.replace(entry{step: clickStep(e, 1), el: e.el, press: last.press})
}

func (m *merger) clicked(e event, count int) {
	if e.el.isList() && !e.taken {
		return // what is chosen is the step
	}
	step := clickStep(e, count)
	if last := m.last(); count > 1 && last != nil && last.step.Tool == "click" && last.el.id == e.el.id {
		last.step.Count = count
		m.changed(Update, len(m.entries)-1)
		return
	}
	m.dropTab()
	m.showed(e.el.opener)
	m.push(entry{step: step, el: e.el, press: e.press})
}

// showed makes of the press that opened a list, once something is chosen in it, one on a control that shows a value.
func (m *merger) showed(opener *element) {
	i := len(m.entries) - 1
	for i >= 0 && (opener == nil || m.entries[i].el == nil || m.entries[i].el.id != opener.id || m.entries[i].step.Tool != "click") {
		i--
	}
	if i >= 0 && !m.entries[i].fixed {
		en := m.entries[i]
		step := opener.step("click")
		en.el, en.step.Selector, en.step.Alternatives, en.step.Fingerprint = opener, step.Selector, step.Alternatives, step.Fingerprint
		m.put(i, en)
	}
}

// within corrects a press that was sent as one on the host of a closed shadow
// root, before the page script could see into it.
func (m *merger) within(e event) {
	if m.pending != nil && m.pending.press == e.press {
		m.pending.el, m.pending.offset = e.el, e.offset
		return
	}
	if m.dragging != nil && m.dragging.press == e.press {
		m.dragging.el, m.dragging.offset = e.el, e.offset
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

// turned notes what a press has made of what was pressed, and whether that is one of several that are chosen from. What another
// press has made of it before does not last.
func (m *merger) turned(e event) {
	i := m.madeOf(e.press)
	if i < 0 || m.entries[i].fixed || m.entries[i].step.Fingerprint == nil || len(e.values) > maxTurned {
		return
	}
	isAgain := func(en entry) bool {
		return en.el != nil && en.el.id == m.entries[i].el.id && slices.ContainsFunc(turnedBy(en), func(state string) bool { return slices.Contains(e.values, state) })
	}
	passes := false
	for j := range m.entries[:i] {
		if isAgain(m.entries[j]) {
			m.turn(j, nil)
			passes = true
		}
	}
	if !passes {
		m.turn(i, e.values)
	}
}

// turn sets what the press of the step at i has made of what was pressed.
func (m *merger) turn(i int, states []string) {
	en := m.entries[i]
	print, el := *en.step.Fingerprint, *en.el
	if isChosen := slices.Contains(states, "chosen"); isChosen || slices.Contains(print.Turned, "chosen") {
		el.item = isChosen
	}
	print.Turned, en.step.Fingerprint, en.el = states, &print, &el
	m.put(i, en)
}

func turnedBy(en entry) []string {
	if en.step.Fingerprint == nil {
		return nil
	}
	return en.step.Fingerprint.Turned
}

// maxTurned is how many states a page may tell of one press.
const maxTurned = 4

// madeOf returns the index of the click that was made of a press, -1 where there is none.
func (m *merger) madeOf(press string) int {
	return slices.IndexFunc(m.entries, func(en entry) bool { return press != "" && en.press == press && en.step.Tool == "click" })
}

// instead replaces a press on the host of a closed shadow root by what is known only
// now that it led to: more may have been done since.
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
	step.Hold = min(time.Duration(e.held)*time.Millisecond, maxHold).Round(holdRounded)
	return step
}

// How long a button is held is recorded to a tenth of a second, and up to the limit of
// the document.
const (
	holdRounded = 100 * time.Millisecond
	maxHold     = time.Minute
)

// drag makes a step of a press that moved, and of what it ended on.
func (m *merger) drag(e event) {
	from := m.dragging
	if from == nil || from.press != e.press {
		return
	}
	m.dragging, m.unclicked = nil, nil
	to := m.names.unquoted(append(slices.Clone(e.el.candidates), e.el.place))
	if len(to) == 0 {
		return
	}
	step := from.el.step("drag")
	step.Offset, step.Modifiers = from.offset, from.modifiers
	step.Args = dragArgs(to[0], e.offset)
	m.dropTab()
	dragged := entry{step: step, el: from.el, press: e.press, to: e.el, toOffset: e.offset}
	if i := m.madeOf(from.press); i >= 0 { // and has come to the address since
		m.put(i, dragged)
		return
	}
	m.push(dragged)
}

func dragArgs(to selectors.Path, offset *automation.Offset) json.RawMessage {
	args := map[string]any{"to": to}
	if offset != nil {
		args["offset"] = map[string]float64{"x": offset.X, "y": offset.Y}
	}
	data, err := json.Marshal(args)
	if err != nil {
		return nil // strings and numbers only: cannot happen
	}
	return data
}

func (m *merger) input(e event) {
	m.follow(e.el)
	if m.secrets.marked(&e, m.names) {
		m.purge()
	}
	m.dropOwnAddresses(e.el)
	if e.secret {
		m.dropStretches(e.el)
	}
	value := m.names.value(e)
	if e.el.role == "slider" {
		m.dropPress(e.press)
	}
	if e.refused {
		m.dropRefused(e.el)
	}
	if last := m.last(); e.at != "caret" && !(last != nil && last.makesField(e.el)) {
		m.dropApproach(e.el)
	}
	if m.letter(e) {
		return
	}
	if last := m.last(); last != nil && last.step.Tool == "typeInput" && last.el.id == e.el.id && last.run == e.run {
		if e.stale && reflect.DeepEqual(value, last.step.Value) {
			return // nothing was done since the mark
		}
		last.step.Value, last.step.Keys, last.step.Args = value, last.step.Keys || e.keys, caretArgs(e.at)
		m.changed(Update, len(m.entries)-1)
		return
	}
	step := e.el.step("typeInput")
	step.Value, step.Keys, step.Args = value, e.keys, caretArgs(e.at)
	if m.instead(e, step) {
		return
	}
	en := entry{step: step, el: e.el, run: e.run, mended: e.refused}
	if e.el.isLetterBox() && !e.secret {
		en.letters = []letter{{e.el.id, e.value}}
	}
	m.push(en)
}

// letter adds what was typed into a box of one letter to what was typed into the one before, as a code is whose boxes go on
// to the next by themselves. It reports whether the box is one of several.
func (m *merger) letter(e event) bool {
	last := m.last()
	if last == nil || last.letters == nil || last.fixed || e.secret || !e.el.isLetterBox() || last.el.page != e.el.page || last.el.url != e.el.url {
		return false
	}
	if i := slices.IndexFunc(last.letters, func(l letter) bool { return l.box == e.el.id }); i >= 0 {
		last.letters[i].typed = e.value
	} else {
		last.letters = append(last.letters, letter{e.el.id, e.value})
	}
	if len(last.letters) == 1 {
		return false
	}
	var code strings.Builder
	for _, l := range last.letters {
		code.WriteString(l.typed)
	}
	like := *last.el
	like.tokens = []string{"one-time-code"}
	last.step.Value, last.step.Keys = m.names.value(event{el: &like, value: code.String()}), true
	m.changed(Update, len(m.entries)-1)
	return true
}

// letter is what was typed into a box for one.
type letter struct{ box, typed string }

// takenWord makes steps of their own of the last word that was typed into an editor, and of the lines before it: a
// press has put in something else for it, as a menu does that a slash opens, which comes of the keys alone.
func (m *merger) takenWord(e event) {
	i := len(m.entries) - 1
	for i >= 0 && !(m.entries[i].typed() && m.entries[i].el.id == e.el.id) {
		i--
	}
	if i < 0 || m.entries[i].run != 0 || m.entries[i].fixed || e.secret || len(e.values) != 1 {
		return
	}
	before := strings.TrimRight(e.value, "\n")
	if before == "" {
		m.entries[i].step.Keys = true
		m.changed(Update, i)
		return
	}
	m.entries[i].step.Value = m.names.value(event{el: e.el, value: before})
	m.changed(Update, i)
	for range len(e.value) - len(before) {
		step := e.el.step("keypress")
		step.Key = "Enter"
		i++
		m.insert(i, entry{step: step, el: e.el, byKey: true, caret: true})
	}
	step := e.el.step("typeInput")
	step.Value, step.Keys, step.Args = m.names.value(event{el: e.el, value: e.values[0], run: e.run}), true, caretArgs("caret")
	m.insert(i+1, entry{step: step, el: e.el, run: e.run})
}

func caretArgs(at string) json.RawMessage {
	if at == "" {
		return nil
	}
	return json.RawMessage(`{"at":"` + at + `"}`)
}

// dropStretches removes what was put into an editor bit by bit, once all of it is known to
// be a secret: the bits are parts of it.
func (m *merger) dropStretches(el *element) {
	of := func(en entry) bool { return en.typed() && en.el.id == el.id }
	if !slices.ContainsFunc(m.entries, func(en entry) bool { return of(en) && en.run > 0 }) {
		return
	}
	for i := len(m.entries) - 1; i >= 0; i-- {
		if of(m.entries[i]) {
			m.take(i)
		}
	}
}

// follow treats an element in the place of the field that was typed into last as that
// field: pages that render everything again replace it with each key.
func (m *merger) follow(el *element) {
	last := m.last()
	if last == nil || last.step.Tool != "typeInput" || last.el.id == el.id || !last.el.standsWhere(el) {
		return
	}
	if i, known := m.names.byField[last.el.id]; known {
		m.names.byField[el.id] = i
	}
	if k := m.secrets.markOn(last.el); k != nil { // its document knows the mark by the old element
		next := *k
		next.id = el.id
		m.secrets.marks = append(m.secrets.marks, next)
	}
	last.el = el
}

// dropOwnAddresses removes the addresses that a page has set during typing: the field
// is still the same, so no one went anywhere.
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

// late merges what a field held when it was left: that came before the press or the
// key that left it.
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
	m.finish()
	m.input(e)
	// An Enter that was pressed in the field comes after what it submits.
	if n := len(m.entries); n > 1 {
		if before := m.entries[n-2]; before.byKey && before.step.Key == "Enter" && before.el != nil && before.el.id == e.el.id {
			m.place(n-1, m.take(n-2))
		}
	}
}

// amend changes the last text of a field to what the page made of it: that is
// sent when the field is left, by a press that is already under way. What something
// done since has made of it, as a suggestion that was chosen, is made by that again.
func (m *merger) amend(e event) bool {
	done := false
	for i, en := range slices.Backward(m.entries) {
		if en.step.Tool == "typeInput" && en.el.id == e.el.id {
			if done {
				return true
			}
			value := m.names.value(e)
			if e.stale && reflect.DeepEqual(value, en.step.Value) {
				return true // nothing was done since the mark
			}
			m.entries[i].step.Value = value
			m.changed(Update, i)
			return true
		}
		done = done || !strings.HasSuffix(en.step.Key, "Tab")
	}
	return false
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
	if last := m.last(); last != nil && last.el != nil && last.el.control == e.el.id && pressedRoles[last.el.role] {
		return // the box only notes what was pressed, as a page without scripts does
	}
	m.dropApproach(e.el)
	m.state(e, "check", literal(e.checked))
}

// pressedRoles are those of labels that are pressed for what they say, and tick nothing that a person sees.
var pressedRoles = map[string]bool{"button": true, "link": true, "menuitem": true, "tab": true}

// files records that files were chosen, never which: they are a variable.
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
	for last := m.last(); last != nil && last.leadsTo(el) && !m.opensList(last); last = m.last() {
		m.pop()
	}
}

// dropRefused removes what was typed into a field that the form was not sent for, and the press that was to send it: with
// another value it may be sent by that.
func (m *merger) dropRefused(el *element) {
	m.dropApproach(el)
	typed := func(en entry) bool { return en.typed() && en.el.id == el.id && !en.fixed }
	last := m.last()
	if last == nil || last.fixed || !(last.step.Tool == "click" || last.step.Key == "Enter") || !slices.ContainsFunc(m.entries, typed) {
		return
	}
	m.pop()
	for i := len(m.entries) - 1; i >= 0; i-- {
		if typed(m.entries[i]) {
			m.take(i)
			return
		}
	}
}

// dropPress removes what a press was, where what it has set is known: a slider that it moved.
func (m *merger) dropPress(press string) {
	moved := func(en entry) bool {
		return press != "" && en.press == press && !en.fixed && (en.step.Tool == "click" || en.step.Tool == "drag")
	}
	if i := slices.IndexFunc(m.entries, moved); i >= 0 {
		m.take(i)
	}
}

// makesField reports whether a press made a field of what was none, as of a cell of a table, or of one that was locked.
func (en *entry) makesField(el *element) bool {
	return en.step.Tool == "click" && en.el.id == el.id && (en.el.locked || !en.el.editable && en.el.role != "slider" && !slices.Contains([]string{"input", "textarea", "select"}, en.el.tag))
}

// opensList reports whether a press into a field that is drawn with a list of its own has changed the page: the list was
// opened by it, and not by what was typed.
func (m *merger) opensList(en *entry) bool {
	return en.step.Tool == "click" && en.el.role == "textbox" && en.el.boxed && m.changes[en.press]
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
	slid := el.role == "slider" && en.step.Tool == "keypress"
	return same && (plain || slid || marked || en.caret || en.byKey && en.step.Key == " " && !el.editable)
}

// hover records what the mouse opened. Where it is not there the next time, the menu may be open all the same.
func (m *merger) hover(e event) {
	if len(e.el.candidates) == 0 {
		return
	}
	step := e.el.step("hover")
	step.Optional = true
	m.push(entry{step: step, el: e.el})
}

func (m *merger) key(e event) {
	step := automation.Step{Tool: "keypress", Page: e.page}
	if e.el != nil {
		step = e.el.step("keypress")
	}
	modifiers := e.modifiers
	if len([]rune(e.key)) == 1 { // Shift is a part of the character that it makes
		modifiers = slices.DeleteFunc(slices.Clone(modifiers), func(m string) bool { return m == "Shift" })
	}
	step.Key = automation.Key{Modifiers: modifiers, Name: e.key}.String()
	m.push(entry{step: step, el: e.el, press: e.press, byKey: e.key == "Enter" || e.key == " " || e.key == "Tab", caret: e.at != ""})
}

// dropTab removes a key that moved the focus to where the user did not stay.
func (m *merger) dropTab() {
	for last := m.last(); last != nil && last.byKey && !last.fixed && strings.HasSuffix(last.step.Key, "Tab"); last = m.last() {
		m.pop()
	}
}

// at returns the index of a step by its number, -1 where it is gone.
func (m *merger) at(id int) int {
	return slices.IndexFunc(m.entries, func(en entry) bool { return en.id == id })
}

func (m *merger) last() *entry {
	if len(m.entries) == 0 {
		return nil
	}
	return &m.entries[len(m.entries)-1]
}

func (m *merger) push(en entry) { m.insert(len(m.entries), en) }

// insert adds a new step before the one at i.
func (m *merger) insert(i int, en entry) {
	m.serial++
	en.id = m.serial
	m.place(i, en)
}

// place adds a step before the one at i.
func (m *merger) place(i int, en entry) {
	m.entries = slices.Insert(m.entries, i, en)
	m.changed(Add, i)
}

func (m *merger) replace(en entry) { m.put(len(m.entries)-1, en) }

// put replaces the step at i; what the user has set for it stays.
func (m *merger) put(i int, en entry) {
	was := &m.entries[i]
	en.id, en.wish, en.fixed = was.id, was.wish, was.fixed
	m.entries[i] = en
	m.changed(Update, i)
}

func (m *merger) pop() { m.take(len(m.entries) - 1) }

// take removes the step at i.
func (m *merger) take(i int) entry {
	en := m.entries[i]
	m.entries = slices.Delete(m.entries, i, i+1)
	m.publish(Remove, i, &en)
	return en
}

func (m *merger) changed(op Op, i int) { m.publish(op, i, &m.entries[i]) }

func (m *merger) publish(op Op, i int, en *entry) {
	m.version++
	m.onChange(Change{Op: op, Index: i, Step: en.shown(), ID: en.id})
}

func literal(v any) *automation.Value {
	data, err := json.Marshal(v)
	if err != nil {
		data = []byte("null") // strings and booleans only: cannot happen
	}
	return &automation.Value{Kind: automation.Literal, Value: data}
}

func textOf(v *automation.Value) string {
	var text string
	if v == nil || v.Kind != automation.Literal || json.Unmarshal(v.Value, &text) != nil {
		return ""
	}
	return text
}
