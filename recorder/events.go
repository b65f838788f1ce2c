package recorder

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/selectors"
)

// intake turns what was heard into events.
type intake struct {
	recording target.Recording
	main      *target.Page
	integrity *Integrity
	documents map[string]*document
	elements  map[string]*element // by document and number
	frames    map[*target.Frame]owner
	pages     map[*target.Page]string
	arrived   map[*target.Page]bool    // tabs whose first document is there
	typing    map[string]*target.Frame // documents where a secret was typed, of which all is not known yet
	emit      func(event)
	pressed   func(context.Context, *target.Frame, message) // a picture may be made of it
}

// owner is how a frame is named, for one document of its parent.
type owner struct {
	path, place []selectors.Path
	err         error
}

func newIntake(recording target.Recording, main *target.Page, emit func(event), pressed func(context.Context, *target.Frame, message)) *intake {
	return &intake{
		recording: recording, main: main, integrity: &Integrity{}, emit: emit, pressed: pressed,
		documents: map[string]*document{}, elements: map[string]*element{},
		frames: map[*target.Frame]owner{}, pages: map[*target.Page]string{main: ""}, arrived: map[*target.Page]bool{},
		typing: map[string]*target.Frame{},
	}
}

// take works on one thing that was heard.
func (in *intake) take(ctx context.Context, h heard) {
	switch {
	case h.done != nil:
		close(h.done)
	case h.run != nil:
		h.run(ctx)
	case h.missed != "":
		in.integrity.Missed = append(in.integrity.Missed, withoutQuery(h.missed))
	case h.opened != nil:
		in.open(h.opened)
	case h.asked != nil:
		in.answered(h)
	case h.loads != nil:
		in.downloaded(h)
	case h.nav != nil:
		in.navigated(h.frame, *h.nav)
	default:
		in.message(ctx, h)
	}
}

func (in *intake) open(p *target.Page) {
	opener, known := in.pages[p.Opener()]
	if !known {
		return
	}
	name := fmt.Sprintf("popup%d", len(in.pages))
	in.pages[p] = name
	in.emit(event{kind: opened, page: opener, popup: name})
}

func (in *intake) navigated(f *target.Frame, n target.Navigation) {
	name, known := in.pages[f.Page()]
	if !known || f.Page().Main() != f {
		return
	}
	if name != "" && !in.arrived[f.Page()] {
		in.arrived[f.Page()] = !isBlank(n.URL) // some versions of Chrome begin with a blank one
		return                                 // the first document of a tab belongs to the step that opened it
	}
	in.emit(event{kind: navigation, page: name, url: n.URL, within: n.Within, asked: n.Asked != "", reason: n.Asked})
}

func isBlank(url string) bool { return url == "" || url == ":" || strings.HasPrefix(url, "about:") }

func (in *intake) answered(h heard) {
	if page, known := in.pages[h.asked]; known {
		if h.answer.Accepted && asksForSecret(h.dialog.Message) {
			in.hideAnswer(h)
		}
		in.emit(event{kind: answered, page: page, dialog: h.dialog.Type, asks: h.dialog.Message, accepted: h.answer.Accepted, value: h.answer.Text})
	}
}

func (in *intake) downloaded(h heard) {
	if page, known := in.pages[h.loads]; known {
		in.emit(event{kind: downloaded, page: page, url: h.loaded.URL, file: h.loaded.Name})
	}
}

func asksForSecret(message string) bool { return firstFit(secretsByWords, message, "") != "" }

// hideAnswer has no document quote what repeats a secret answer: it was typed into no
// field that they know.
func (in *intake) hideAnswer(h heard) {
	hashes := redact.NewWithKey(in.recording.Secrets, h.answer.Text).Hashes()
	h.asked.Spread(hashes)
	in.emit(event{kind: learned, hashes: hashes})
}

func (in *intake) message(ctx context.Context, h heard) {
	if told, ok := target.ReadPieces(h.payload); ok {
		in.learned(told)
		return
	}
	var msg message
	if err := json.Unmarshal(h.payload, &msg); err != nil || msg.Doc == "" || msg.Seq < 1 {
		return // not of the recorder: the replayer's presses speak the same way
	}
	page, known := in.pages[h.frame.Page()]
	if !known {
		return
	}
	doc := in.documents[msg.Doc]
	if doc == nil {
		doc = &document{url: h.url}
		in.documents[msg.Doc] = doc
		in.integrity.Documents++
	}
	if msg.Type == "hello" && doc.seen == 0 {
		doc.seen = msg.Seq - 1 // before it another recording has heard the document
	}
	if !in.integrity.count(doc, msg.Seq) {
		return
	}
	switch msg.Type {
	case "fault":
		in.integrity.Faults = append(in.integrity.Faults, msg.During)
		return
	case "blind":
		doc.blind++
		return
	case "sighted":
		doc.blind--
		return
	}
	in.hearSecrets(ctx, msg.Doc)
	if msg.Type == "input" && msg.Secret {
		in.typing[msg.Doc] = h.frame
	}
	frames := in.framesOf(ctx, h.frame)
	kind, known := kinds[msg.Type]
	if !known {
		return
	}
	el := in.element(msg, page, frames, h.url)
	if el == nil && kind != key && kind != up && kind != click {
		return
	}
	if kind == down {
		in.pressed(ctx, h.frame, msg)
	}
	e := msg.event(kind, page, el)
	if kind == input && !e.secret && !el.isPicked() {
		e.keys = e.keys || in.listensToKeys(ctx, h.frame, el, msg.Target.Ref)
	}
	in.emit(e)
}

// message is what the page script tells. It comes from a page: nothing in it is
// taken for granted.
type message struct {
	Doc       string             `json:"doc"`
	Seq       int                `json:"seq"`
	Type      string             `json:"type"`
	During    string             `json:"during"`
	Press     int                `json:"press"`
	Moved     bool               `json:"moved"`
	Held      int                `json:"held"`
	ByKey     bool               `json:"byKey"`
	Target    *description       `json:"target"`
	Control   int                `json:"control"`
	Count     int                `json:"count"`
	Button    int                `json:"button"`
	Modifiers []string           `json:"modifiers"`
	Offset    *automation.Offset `json:"offset"`
	Value     string             `json:"value"`
	Secret    bool               `json:"secret"`
	Values    []string           `json:"values"`
	Many      bool               `json:"many"`
	Checked   bool               `json:"checked"`
	Key       string             `json:"key"`
	Keys      bool               `json:"keys"`
	Late      bool               `json:"late"`
	Box       *box               `json:"box"`
}

// description is an element, in full the first time that a document tells of it.
type description struct {
	Ref          int                    `json:"ref"`
	Candidates   [][]string             `json:"candidates"`
	Place        []string               `json:"place"`
	Fingerprint  *selectors.Fingerprint `json:"fingerprint"`
	Tag          string                 `json:"tag"`
	Role         string                 `json:"role"`
	Label        string                 `json:"label"`
	InputType    string                 `json:"inputType"`
	Autocomplete []string               `json:"autocomplete"`
	Field        []string               `json:"field"`
	Consent      bool                   `json:"consent"`
	Secret       bool                   `json:"secret"`
	Editable     bool                   `json:"editable"`
	Limits       map[string]string      `json:"limits"`
}

var kinds = map[string]kind{
	"down": down, "up": up, "click": click, "input": input, "select": choose, "check": check, "key": key, "files": files, "drag": drag,
	"within": within,
}

func (msg *message) event(k kind, page string, el *element) event {
	e := event{
		kind: k, page: page, el: el, moved: msg.Moved, held: msg.Held, byKey: msg.ByKey, count: msg.Count, button: msg.Button,
		modifiers: msg.Modifiers, offset: msg.Offset, value: msg.Value, secret: msg.Secret,
		values: msg.Values, many: msg.Many, checked: msg.Checked, key: msg.Key, keys: msg.Keys, late: msg.Late,
	}
	if msg.Press > 0 {
		e.press = msg.pressID()
	}
	return e
}

func (msg *message) pressID() string { return fmt.Sprintf("%s#%d", msg.Doc, msg.Press) }

// element gives what an event is about: described anew, or as it was before.
func (in *intake) element(msg message, page string, frames owner, url string) *element {
	if msg.Target == nil {
		return nil
	}
	id := fmt.Sprintf("%s#%d", msg.Doc, msg.Target.Ref)
	d := msg.Target
	if d.Candidates == nil {
		return in.elements[id]
	}
	el := &element{
		id: id, page: page, frame: frames.path, framePlace: frames.place, url: url, candidates: in.rank(d.Candidates), place: placeOf(d), fingerprint: d.Fingerprint,
		tag: d.Tag, role: d.Role, label: d.Label, inputType: d.InputType, fieldNames: d.Field,
		tokens: d.Autocomplete, limits: d.Limits, secret: d.Secret, editable: d.Editable, consent: d.Consent,
	}
	if len(el.candidates) == 0 && len(el.place) > 0 {
		el.candidates = []selectors.Path{el.place} // all others repeat a secret
	}
	if msg.Control > 0 {
		el.control = fmt.Sprintf("%s#%d", msg.Doc, msg.Control)
	}
	in.elements[id] = el
	return el
}

// placeOf is where an element stands, nil where the page tells nothing of it.
func placeOf(d *description) selectors.Path {
	place, err := selectors.ParsePath(d.Place...)
	if err != nil {
		return nil
	}
	return place
}

// rank orders the selectors that the page found, and drops what is none.
func (in *intake) rank(candidates [][]string) []selectors.Path {
	var paths []selectors.Path
	for _, parts := range candidates {
		if path, err := selectors.ParsePath(parts...); err == nil {
			paths = append(paths, path)
		}
	}
	return selectors.Rank(paths, in.recording.TestIDAttribute)
}

// framesOf names a frame by the elements that hold it, outermost first. It is
// asked when a frame is first heard of, while its element is surely there.
func (in *intake) framesOf(ctx context.Context, f *target.Frame) owner {
	parent := f.Parent()
	if parent == nil {
		return owner{}
	}
	if known, ok := in.frames[f]; ok {
		return known
	}
	outer := in.framesOf(ctx, parent)
	var described description
	err := f.CallOnOwner(ctx, &described, "describe", in.recording.Key, in.recording.TestIDAttribute)
	ranked := in.rank(described.Candidates)
	place := placeOf(&described)
	if len(ranked) == 0 && len(place) > 0 {
		ranked = []selectors.Path{place}
	}
	if err != nil || len(ranked) == 0 {
		in.integrity.Unwatched = append(in.integrity.Unwatched, withoutQuery(f.URL()))
		in.frames[f] = owner{err: err}
		return in.frames[f]
	}
	in.frames[f] = owner{path: append(slices.Clone(outer.path), ranked[0]), place: append(slices.Clone(outer.place), place)}
	return in.frames[f]
}

// keyEvents are what a field's own listeners hear of when keys are pressed, and
// do not when text is inserted.
var keyEvents = []string{"keydown", "keypress", "keyup", "beforeinput", "textInput"}

// listensToKeys reports whether the page listens to the keys of a field. It is
// asked once for each field.
func (in *intake) listensToKeys(ctx context.Context, f *target.Frame, el *element, ref int) bool {
	if el.listens == nil {
		listens, err := f.Listens(ctx, keyEvents, "elementOf", ref)
		listens = listens && err == nil
		el.listens = &listens
	}
	return *el.listens
}

// learned takes what a document tells of a secret.
func (in *intake) learned(told target.Pieces) {
	if doc, _, whole := strings.Cut(told.Element, "#"); whole {
		delete(in.typing, doc)
	}
	in.emit(event{kind: learned, hashes: told.Hashes, field: told.Element, whole: told.Whole})
}

// hearSecrets has documents where a secret was typed tell of it before a step is made of
// what is done in another: one of another process tells only later that its field was left.
func (in *intake) hearSecrets(ctx context.Context, doc string) {
	for id, f := range in.typing {
		if id == doc {
			continue
		}
		delete(in.typing, id)
		var all []target.Pieces
		asking, cancel := context.WithTimeout(ctx, maxFlush)
		err := f.Call(asking, &all, "pieces")
		cancel()
		if err != nil {
			continue // it has gone, and has told before
		}
		for _, told := range all {
			f.Page().Spread(told.Hashes)
			in.learned(told)
		}
	}
}

// document is the count of what one document told.
type document struct {
	url   string
	seen  int // the last number heard
	blind int // fields in closed shadow roots that something was typed into, and that are not known yet
}

// count notes the number of an event, and the gap before it.
func (i *Integrity) count(d *document, seq int) (fresh bool) {
	if seq <= d.seen {
		return false
	}
	if seq > d.seen+1 {
		i.Lost = append(i.Lost, Gap{URL: withoutQuery(d.url), From: d.seen + 1, To: seq - 1})
	}
	d.seen = seq
	i.Events++
	return true
}

// upTo notes what a document had told, by its own count, when it was asked last.
func (in *intake) upTo(id, url string, seq int) {
	doc := in.documents[id]
	if doc == nil {
		doc = &document{url: url}
	}
	if seq > doc.seen {
		in.integrity.count(doc, seq+1)
		in.integrity.Events--
	}
}

// close ends the count of what was told.
func (in *intake) close() {
	for _, doc := range in.documents {
		if doc.blind > 0 {
			in.integrity.Unseen = append(in.integrity.Unseen, withoutQuery(doc.url))
		}
	}
	slices.Sort(in.integrity.Unseen)
}

// heard is something that a watcher noted, to be worked on later: a watcher may
// not wait, and a description may need to ask the browser.
type heard struct {
	frame   *target.Frame
	url     string
	payload json.RawMessage
	nav     *target.Navigation
	opened  *target.Page
	asked   *target.Page // that showed a dialog
	dialog  target.Dialog
	answer  target.Answer
	loads   *target.Page // that has begun a download
	loaded  target.Download
	missed  string                // address of a document that went unheard
	done    chan struct{}         // closed when all before it was worked on
	run     func(context.Context) // to be done then
}

// queue is an unbounded queue of what was heard.
type queue struct {
	mu     sync.Mutex
	items  []heard
	wake   chan struct{}
	closed bool
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

func (q *queue) put(h heard) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.items = append(q.items, h)
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) take() []heard {
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items = nil
	return items
}

type watcher struct{ *queue }

func (w *watcher) Message(f *target.Frame, url string, payload json.RawMessage) {
	w.put(heard{frame: f, url: url, payload: payload})
}

func (w *watcher) Navigated(f *target.Frame, n target.Navigation) {
	w.put(heard{frame: f, nav: &n})
}

func (w *watcher) Opened(p *target.Page) { w.put(heard{opened: p}) }

func (w *watcher) Dialog(*target.Page, target.Dialog) {}

// Answered is told of a dialog when it is closed.
func (w *watcher) Answered(p *target.Page, d target.Dialog, a target.Answer) {
	w.put(heard{asked: p, dialog: d, answer: a})
}

// Download makes the watcher a target.DownloadWatcher.
func (w *watcher) Download(p *target.Page, d target.Download) { w.put(heard{loads: p, loaded: d}) }

// Integrity says whether all that a person did was heard. Each document numbers
// what it tells; a number that never came is a loss.
type Integrity struct {
	Documents int      // that told anything
	Events    int      // heard
	Lost      []Gap    // events that were not
	Unwatched []string // addresses of frames that could not be recorded
	Missed    []string // addresses of documents that came and went unheard
	Unseen    []string // addresses of documents in which something was typed where no field could be seen
	Faults    []string // failures of the page script, by the kind of event

	// Omitted are steps that could not be kept, as all of them repeats a secret. The
	// others are whole: it is no error.
	Omitted []Omission
}

// Omission is a step that was left out.
type Omission struct {
	After int    // the number of the step before it, from 1; 0 where it was the first
	Tool  string // as in automation.Step
	Why   string
}

func (o Omission) String() string {
	return fmt.Sprintf("%s after step %d was left out: %s", o.Tool, o.After, o.Why)
}

// Gap is a run of events of one document that did not arrive.
type Gap struct {
	URL      string // of the document, without its query
	From, To int    // the first and the last number that is missing
}

// Err is nil when nothing was lost, else an *IntegrityError.
func (i *Integrity) Err() error {
	if len(i.Lost) == 0 && len(i.Unwatched) == 0 && len(i.Missed) == 0 && len(i.Unseen) == 0 && len(i.Faults) == 0 {
		return nil
	}
	return &IntegrityError{Integrity: *i}
}

// IntegrityError says that a recording is not whole.
type IntegrityError struct{ Integrity Integrity }

func (e *IntegrityError) Error() string {
	var parts []string
	for _, gap := range e.Integrity.Lost {
		parts = append(parts, fmt.Sprintf("%d events in %s did not arrive", gap.To-gap.From+1, gap.URL))
	}
	for _, url := range e.Integrity.Unwatched {
		parts = append(parts, fmt.Sprintf("the frame %s could not be watched", url))
	}
	for _, url := range e.Integrity.Missed {
		parts = append(parts, fmt.Sprintf("%s was there too short a time to be heard", url))
	}
	for _, url := range e.Integrity.Unseen {
		parts = append(parts, fmt.Sprintf("in %s something was typed into a field that could not be seen", url))
	}
	for _, fault := range e.Integrity.Faults {
		parts = append(parts, "the page script failed at a "+fault)
	}
	return "the recording is not whole: " + strings.Join(parts, "; ") + ": check the steps, or record again"
}
