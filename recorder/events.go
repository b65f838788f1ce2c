package recorder

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/selectors"
)

// intake turns what the browser and the page script send into events. Its methods run
// one after the other, on the recorder's worker.
type intake struct {
	recording target.Recording
	integrity *Integrity
	documents map[string]*document
	elements  map[string]*element // by document and number
	frames    map[*target.Frame]owner
	pages     map[*target.Page]string
	arrived   map[*target.Page]bool    // tabs whose first document is there
	back      map[*target.Page]bool    // tabs that go back on their own
	shown     map[*target.Page]string  // the document of each tab that was heard of last
	left      map[*target.Page]left    // what became of the one before, unless something was done since
	typing    map[string]*target.Frame // documents where a secret was typed, of which not all is known yet
	sockets   sockets
	emit      func(event)
	pressed   func(context.Context, *target.Frame, message) // a picture may be made of it
}

// owner is how a frame is named, for one document of its parent.
type owner struct {
	path, place  []selectors.Path
	alternatives [][]selectors.Path // of each, what else finds it
	err          error
}

func newIntake(recording target.Recording, main *target.Page, emit func(event), pressed func(context.Context, *target.Frame, message)) *intake {
	return &intake{
		recording: recording, integrity: &Integrity{}, emit: emit, pressed: pressed,
		documents: map[string]*document{}, elements: map[string]*element{},
		frames: map[*target.Frame]owner{}, pages: map[*target.Page]string{main: ""}, arrived: map[*target.Page]bool{}, back: map[*target.Page]bool{},
		shown: map[*target.Page]string{}, left: map[*target.Page]left{},
		typing:  map[string]*target.Frame{},
		sockets: sockets{acted: map[*target.Page]time.Time{}, resting: map[restingFrame]bool{}},
	}
}

// left is a document that was left for another one.
type left struct {
	doc string
	to  event
}

// sockets are what tells what a page saves from its heartbeats.
type sockets struct {
	acted   map[*target.Page]time.Time // when the user did something last
	resting map[restingFrame]bool      // what pages send while no one does anything
}

type restingFrame struct {
	url  string
	size int
}

// lateFrame is how long after what the user did a frame still counts as set off by it, as for
// requests (internal/page/src/capture/requests.ts).
const lateFrame = 5 * time.Second

// sent takes what a page has sent. What it sends at rest as well, it sends whatever the user does.
func (in *intake) sent(p *target.Page, sent target.Sent) {
	page, known := in.pages[p]
	if !known || !strings.HasPrefix(sent.URL, "http") {
		return
	}
	s, like := &in.sockets, restingFrame{weburl.WithoutQuery(sent.URL), sent.Size}
	acted, any := s.acted[p]
	switch {
	case any && sent.At.Sub(acted) <= lateFrame:
		if !sent.Beat && !s.resting[like] {
			in.emit(event{kind: requested, page: page, url: like.url, socket: sent.Frame, saves: true})
		}
	case sent.At.Sub(sent.Opened) > lateFrame && len(s.resting) < maxResting: // not what it greets the server with
		s.resting[like] = true
	}
}

// maxResting bounds what is remembered of what pages send at rest.
const maxResting = 1000

// watcher queues what target calls it with: a watcher may not wait, and a description
// may need to ask the browser.
type watcher struct {
	queue *queue
	in    *intake
}

func (w *watcher) Message(f *target.Frame, url string, payload json.RawMessage) {
	w.queue.put(func(ctx context.Context) { w.in.message(ctx, f, url, payload) })
}

func (w *watcher) Opened(p *target.Page) {
	w.queue.put(func(context.Context) {
		if opener, known := w.in.pages[p.Opener()]; known {
			name := fmt.Sprintf("popup%d", len(w.in.pages))
			w.in.pages[p] = name
			w.in.emit(event{kind: opened, page: opener, popup: name})
		}
	})
}

func (w *watcher) Navigated(f *target.Frame, n target.Navigation) {
	w.queue.put(func(context.Context) {
		in, p := w.in, f.Page()
		name, known := in.pages[p]
		switch {
		case !known || p.Main() != f:
		case name != "" && !in.arrived[p]: // the first document of a tab belongs to the step that opened it
			// Some versions of Chrome begin with a blank one.
			in.arrived[p] = n.URL != "" && n.URL != ":" && !strings.HasPrefix(n.URL, "about:")
		default:
			e := event{kind: navigation, page: name, url: n.URL, from: n.From, within: n.Within, asked: n.Asked != "" || in.back[p], reason: n.Asked}
			in.left[p] = left{in.shown[p], e}
			delete(in.back, p)
			in.emit(e)
		}
	})
}

func (w *watcher) Dialog(*target.Page, target.Dialog) {}

// Answered is called when a dialog is closed.
func (w *watcher) Answered(p *target.Page, d target.Dialog, a target.Answer) {
	w.queue.put(func(context.Context) {
		page, known := w.in.pages[p]
		if !known {
			return
		}
		if a.Accepted && asksForSecret(d.Message) { // it was typed into no field that documents know
			hashes := redact.NewWithKey(w.in.recording.Secrets, a.Text).Hashes()
			p.Spread(hashes)
			w.in.emit(event{kind: learned, hashes: hashes})
		}
		w.in.emit(event{kind: answered, page: page, dialog: d.Type, asks: d.Message, accepted: a.Accepted, value: a.Text})
	})
}

// Download makes the watcher a target.DownloadWatcher.
func (w *watcher) Download(p *target.Page, d target.Download) {
	w.queue.put(func(context.Context) {
		if page, known := w.in.pages[p]; known {
			w.in.emit(event{kind: downloaded, page: page, url: d.URL, file: d.Name})
		}
	})
}

// queue is an unbounded queue of work.
type queue struct {
	mu    sync.Mutex
	items []func(context.Context)
	wake  chan struct{}
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

func (q *queue) put(work func(context.Context)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, work)
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// passed is closed when all that was queued before was worked on.
func (q *queue) passed() <-chan struct{} {
	done := make(chan struct{})
	q.put(func(context.Context) { close(done) })
	return done
}

// run works on what is queued, in order, until ctx ends and the queue is empty.
func (q *queue) run(ctx context.Context) {
	for ended := false; !ended; {
		select {
		case <-q.wake:
		case <-ctx.Done():
			ended = true
		}
		q.mu.Lock()
		items := q.items
		q.items = nil
		q.mu.Unlock()
		for _, work := range items {
			work(ctx)
		}
	}
}

// message works on a message of the page script.
func (in *intake) message(ctx context.Context, f *target.Frame, url string, payload json.RawMessage) {
	if told, ok := target.ReadPieces(payload); ok {
		in.learned(told)
		return
	}
	var msg message
	if err := json.Unmarshal(payload, &msg); err != nil || msg.Doc == "" || msg.Seq < 1 {
		return // not of a recording: the replayer's presses use the same binding
	}
	page, known := in.pages[f.Page()]
	if !known {
		return
	}
	doc := in.documents[msg.Doc]
	if doc == nil {
		doc = &document{url: url}
		in.documents[msg.Doc] = doc
		in.integrity.Documents++
	}
	if msg.Type == "hello" && doc.seen == 0 {
		doc.seen = msg.Seq - 1 // what came before was sent to another recording
	}
	if !in.integrity.count(doc, msg.Seq) {
		return
	}
	if f.Page().Main() == f {
		defer func() { in.shown[f.Page()] = msg.Doc }()
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
	case "back":
		in.goesBack(f, msg.Doc)
		return
	case "request":
		e := event{kind: requested, url: msg.URL, doc: msg.Doc, soon: msg.Soon}
		if msg.Press > 0 {
			e.press = msg.pressID()
		}
		in.emit(e)
		return
	case "change":
		in.emit(event{kind: changed, press: msg.pressID()})
		return
	case "update":
		if name, known := in.pages[f.Page()]; known && f.Parent() == nil {
			in.emit(event{kind: updated, page: name})
		}
		return
	}
	kind, known := kinds[msg.Type]
	if known && kind != turned && !msg.Late {
		in.sockets.acted[f.Page()] = time.Now()
		delete(in.back, f.Page())
		delete(in.left, f.Page())
	}
	in.hearSecrets(ctx, msg.Doc)
	if msg.Type == "input" && msg.Secret {
		in.typing[msg.Doc] = f
	}
	frames := in.framesOf(ctx, f)
	if !known {
		return
	}
	if frames.path == nil && f.Parent() != nil { // one in which nothing is done may go unrecorded
		if url := weburl.WithoutQuery(f.URL()); !slices.Contains(in.integrity.UnrecordedFrames, url) {
			in.integrity.UnrecordedFrames = append(in.integrity.UnrecordedFrames, url)
		}
	}
	el := in.element(msg, page, frames, url)
	if el == nil && kind != key && kind != up && kind != click && kind != turned {
		return
	}
	if kind == down {
		in.pressed(ctx, f, msg)
	}
	e := msg.event(kind, page, el)
	if kind == input && !e.secret && !el.isPicked() {
		e.keys = e.keys || in.listensToKeys(ctx, f, el, msg.Target.Ref)
	}
	in.emit(e)
}

// goesBack notes that a document goes back on its own. That it has gone may be heard before that.
func (in *intake) goesBack(f *target.Frame, doc string) {
	p := f.Page()
	if p.Main() != f {
		return
	}
	if gone, known := in.left[p]; known && gone.doc == doc && !gone.to.asked && !gone.to.within {
		gone.to.asked, gone.to.late = true, true
		in.emit(gone.to)
		return
	}
	in.back[p] = true
}

// message is what the page script sends. It comes from a page: nothing in it is
// trusted.
type message struct {
	Doc       string             `json:"doc"`
	Seq       int                `json:"seq"`
	Type      string             `json:"type"`
	URL       string             `json:"url"`
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
	Refused   bool               `json:"refused"`
	Soon      bool               `json:"soon"`
	Taken     bool               `json:"taken"`
	At        string             `json:"at"`
	Run       int                `json:"run"`
	Box       *box               `json:"box"`
}

// description is an element, in full the first time that a document sends it.
type description struct {
	Ref          int                    `json:"ref"`
	Candidates   [][]string             `json:"candidates"`
	Place        []string               `json:"place"`
	Telling      [][]string             `json:"telling"` // of a frame: selectors that tell more than its place, best first
	Fingerprint  *selectors.Fingerprint `json:"fingerprint"`
	Tag          string                 `json:"tag"`
	Role         string                 `json:"role"`
	Label        string                 `json:"label"`
	Caption      string                 `json:"caption"`
	InputType    string                 `json:"inputType"`
	Autocomplete []string               `json:"autocomplete"`
	Field        []string               `json:"field"`
	Listed       bool                   `json:"listed"`
	Rival        bool                   `json:"rival"`
	List         string                 `json:"list"`
	Item         bool                   `json:"item"`
	Title        string                 `json:"title"`
	Words        string                 `json:"words"`
	Written      bool                   `json:"written"`
	Date         string                 `json:"date"`
	Day          string                 `json:"day"`
	Months       []string               `json:"months"`
	Leads        []string               `json:"leads"`
	Record       bool                   `json:"record"`
	Row          *rowDescription        `json:"row"`
	Opener       *struct {
		Ref       int             `json:"ref"`
		Words     string          `json:"words"`
		Captioned [][]string      `json:"captioned"`
		Row       *rowDescription `json:"row"`
	} `json:"opener"`
	Consent    bool              `json:"consent"`
	HumanCheck bool              `json:"humanCheck"`
	Secret     bool              `json:"secret"`
	Editable   bool              `json:"editable"`
	Locked     bool              `json:"locked"`
	Boxed      bool              `json:"boxed"`
	Limits     map[string]string `json:"limits"`
}

// rowDescription is the row that an element is a control of.
type rowDescription struct {
	Texts  []string `json:"texts"`
	Near   string   `json:"near"`
	Rise   int      `json:"rise"`
	Told   string   `json:"told"`
	Headed bool     `json:"headed"`
	Hosted bool     `json:"hosted"`
	Named  bool     `json:"named"`
	Called string   `json:"called"`
	Also   struct {
		Text   string `json:"text"`
		Called string `json:"called"`
	} `json:"also"`
	Held     bool     `json:"held"`
	Itself   bool     `json:"itself"`
	Across   bool     `json:"across"`
	Alone    bool     `json:"alone"`
	Numbered bool     `json:"numbered"`
	Plain    bool     `json:"plain"`
	Place    bool     `json:"place"`
	Which    string   `json:"which"`
	Shared   []string `json:"shared"`
}

var kinds = map[string]kind{
	"down": down, "up": up, "click": click, "input": input, "select": choose, "check": check, "key": key, "files": files, "drag": drag, "hover": hover,
	"within": within, "taken": taken, "turned": turned,
}

func (msg *message) event(k kind, page string, el *element) event {
	e := event{
		kind: k, page: page, el: el, moved: msg.Moved, held: msg.Held, byKey: msg.ByKey, count: msg.Count, button: msg.Button,
		modifiers: msg.Modifiers, offset: msg.Offset, value: msg.Value, secret: msg.Secret,
		values: msg.Values, many: msg.Many, checked: msg.Checked, key: msg.Key, keys: msg.Keys, late: msg.Late, refused: msg.Refused,
		run: msg.Run, taken: msg.Taken,
	}
	if slices.Contains(automation.Carets, msg.At) {
		e.at = msg.At
	}
	if msg.Press > 0 {
		e.press = msg.pressID()
	}
	return e
}

func (msg *message) pressID() string { return fmt.Sprintf("%s#%d", msg.Doc, msg.Press) }

// placeOf returns the position of an element, nil where the page sends none.
func placeOf(d *description) selectors.Path {
	place, err := selectors.ParsePath(d.Place...)
	if err != nil {
		return nil
	}
	return place
}

// framesOf names a frame by the elements that hold it, outermost first. It is
// called at a frame's first event, while its element is surely there.
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
	err := f.CallOnOwner(ctx, &described, "describeFrame", in.recording.Key, in.recording.TestIDAttribute)
	ranked := in.rank(described.Candidates)
	var others []selectors.Path
	if telling := parsed(described.Telling); len(telling) > 0 {
		isTelling := func(p selectors.Path) bool {
			return slices.ContainsFunc(telling, func(t selectors.Path) bool { return slices.Equal(t, p) })
		}
		if len(ranked) == 0 || !isTelling(ranked[0]) { // it only tells where the frame stands
			ranked = telling
		}
		others = slices.DeleteFunc(slices.Clone(telling), func(p selectors.Path) bool { return slices.Equal(p, ranked[0]) })
	}
	place := placeOf(&described)
	if len(ranked) == 0 && len(place) > 0 {
		ranked = []selectors.Path{place}
	}
	if err != nil || len(ranked) == 0 || outer.path == nil && parent.Parent() != nil {
		in.frames[f] = owner{err: err}
		return in.frames[f]
	}
	in.frames[f] = owner{
		path: append(slices.Clone(outer.path), ranked[0]), place: append(slices.Clone(outer.place), place),
		alternatives: append(slices.Clone(outer.alternatives), others),
	}
	return in.frames[f]
}

// keyEvents are dispatched when keys are pressed, and not when text is inserted.
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

// learned takes what a document sends about a secret.
func (in *intake) learned(told target.Pieces) {
	if doc, _, whole := strings.Cut(told.Element, "#"); whole {
		delete(in.typing, doc)
	}
	in.emit(event{kind: learned, hashes: told.Hashes, field: told.Element, whole: told.Whole})
}

// hearSecrets asks documents where a secret was typed for its hashes before what is done in
// another document is merged: one of another process sends only later that its field was left.
func (in *intake) hearSecrets(ctx context.Context, doc string) {
	for id, f := range in.typing {
		if id == doc {
			continue
		}
		delete(in.typing, id)
		var all []target.Pieces
		asking, cancel := load.WithTimeout(ctx, maxFlush)
		err := f.Call(asking, &all, "pieces")
		cancel()
		if err != nil {
			continue // it is gone, and has sent them before
		}
		for _, told := range all {
			f.Page().Spread(told.Hashes)
			in.learned(told)
		}
	}
}

// document counts the events of one document.
type document struct {
	url   string
	seen  int // the last number that arrived
	blind int // fields in closed shadow roots that something was typed into, and that are not known yet
}

// count notes the number of an event, and a gap before it. It reports whether the event
// is new.
func (i *Integrity) count(d *document, seq int) (fresh bool) {
	if seq <= d.seen {
		return false
	}
	if seq > d.seen+1 {
		i.Lost = append(i.Lost, Gap{URL: weburl.WithoutQuery(d.url), From: d.seen + 1, To: seq - 1})
	}
	d.seen = seq
	i.Events++
	return true
}

// upTo checks what has arrived of a document by its own count, when it was asked last.
func (in *intake) upTo(last flushed) {
	doc := in.documents[last.Doc]
	if doc == nil {
		doc = &document{url: last.URL}
	}
	if last.Seq > doc.seen {
		in.integrity.count(doc, last.Seq+1)
		in.integrity.Events--
	}
}

// isBlind reports whether something was typed into a field that is not known yet.
func (in *intake) isBlind() bool {
	for _, doc := range in.documents {
		if doc.blind > 0 {
			return true
		}
	}
	return false
}

// close completes the report.
func (in *intake) close() {
	for _, doc := range in.documents {
		if doc.blind > 0 {
			in.integrity.UnrecordedFields = append(in.integrity.UnrecordedFields, weburl.WithoutQuery(doc.url))
		}
	}
	slices.Sort(in.integrity.UnrecordedFields)
}

// Integrity reports whether all events have arrived. Each document numbers its events; a
// number that never came is a loss.
type Integrity struct {
	Documents           int      // that sent anything
	Events              int      // that arrived
	Lost                []Gap    // events that did not arrive
	UnrecordedFrames    []string // addresses of frames that could not be recorded
	UnrecordedDocuments []string // addresses of documents that came and went unrecorded
	UnrecordedFields    []string // addresses of documents in which something was typed where no field could be seen
	Faults              []string // failures of the page script, by the kind of event

	// Omitted are steps that could not be stored, as they cannot do without a text that
	// repeats a secret. The others are complete: it is no error.
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
	if len(i.Lost) == 0 && len(i.UnrecordedFrames) == 0 && len(i.UnrecordedDocuments) == 0 && len(i.UnrecordedFields) == 0 && len(i.Faults) == 0 {
		return nil
	}
	return &IntegrityError{Integrity: *i}
}

// IntegrityError reports that a recording is not complete.
type IntegrityError struct{ Integrity Integrity }

func (e *IntegrityError) Error() string {
	var parts []string
	for _, gap := range e.Integrity.Lost {
		parts = append(parts, fmt.Sprintf("%d events in %s did not arrive", gap.To-gap.From+1, gap.URL))
	}
	for _, url := range e.Integrity.UnrecordedFrames {
		parts = append(parts, fmt.Sprintf("the frame %s could not be watched", url))
	}
	for _, url := range e.Integrity.UnrecordedDocuments {
		parts = append(parts, fmt.Sprintf("%s was there too short a time to be heard", url))
	}
	for _, url := range e.Integrity.UnrecordedFields {
		parts = append(parts, fmt.Sprintf("in %s something was typed into a field that could not be seen", url))
	}
	for _, fault := range e.Integrity.Faults {
		parts = append(parts, "the page script failed at a "+fault)
	}
	return "the recording is not whole: " + strings.Join(parts, "; ") + ": check the steps, or record again"
}
