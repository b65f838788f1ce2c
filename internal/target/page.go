package target

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/load"
)

// Page is one tab.
type Page struct {
	tree     *Tree
	id       string
	context  string // browser context
	session  string
	openerID string // as the browser tells it
	born     uint64
	done     chan struct{}

	// Guarded by the tree.
	opener    *Page
	popups    []*Page
	frames    map[string]*Frame
	main      *Frame
	active    bool // in use: its events arrive
	surveyed  bool // the frames that were there before are known
	closed    bool
	crashed   bool
	shape     int       // counts the changes of its frames
	newTab    time.Time // when a person last asked for a link in a new tab
	recording *Recording
	watchers  []Watcher
	dialogs   DialogPolicy
	asking    *dialog // the one that is open
	pointing  *Aim
	traffic   int    // how many watch its requests
	fresh     int    // how many want its requests on connections of their own
	closer    string // session that closes connections for them
	holding   *Holding
	leaks     func(*Request) bool // see Confine
	downloads []Download
	emulating []emulating // what its main session was sent as it attached
	place     string      // the address of the last site that was shown in it
	going     string      // where the caller has it go
	cast      *Cast       // that runs, nil for none
}

// dialog is one that is open, and the session by which it is answered.
type dialog struct {
	Dialog
	session  string
	answered bool // it is on its way to be closed: another answer would be the next dialog's
}

// Watcher hears what happens in a page and in the pages that it opens. Its
// methods are called in order with the tree locked: they must be quick and must
// not call the tree, its pages or frames, other than the methods said to be
// for watchers.
type Watcher interface {
	Message(f *Frame, url string, payload json.RawMessage) // from the script in a frame
	Navigated(f *Frame, n Navigation)
	Opened(p *Page) // by one of the pages watched
	Dialog(p *Page, d Dialog)
	Answered(p *Page, d Dialog, a Answer) // by a person or a policy
}

// CrashWatcher is a Watcher that is told when the renderer of a page has crashed. A navigation or a reload brings the
// page back, with a screencast to be started again.
type CrashWatcher interface {
	Crashed(p *Page)
}

// Navigation is a change of a frame's address.
type Navigation struct {
	URL      string
	From     string // the address that was asked for, from where a server may have sent it on; "" where that is not known
	Within   bool   // of the same document: history API or fragment
	Asked    string // why the page asked for it ("" if the browser did: address bar, reload, history)
	Restored bool   // from the back/forward cache
}

// Dialog is an alert, confirm, prompt or beforeunload dialog that has opened.
type Dialog struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	URL     string `json:"url"`           // of the document that asks
	Default string `json:"defaultPrompt"` // what a prompt holds before anyone types
	Number  int    `json:"-"`             // which of the browser's dialogs it is: two may say the same
}

// Answer is how a dialog was closed.
type Answer struct {
	Accepted bool   `json:"result"`
	Text     string `json:"userInput"` // of a prompt
}

// DialogPolicy answers a dialog; handled false leaves it open for a person.
type DialogPolicy func(d Dialog) (accept bool, text string, handled bool)

// DefaultDialogs accepts what has only one answer and lets a page be left;
// it declines the rest.
func DefaultDialogs(d Dialog) (accept bool, text string, handled bool) {
	return d.Type == "alert" || d.Type == "beforeunload", "", true
}

var births atomic.Uint64

func newPage(t *Tree, sessionID string, info targetInfo) *Page {
	p := &Page{
		tree: t, id: info.TargetID, context: info.BrowserContextID, session: sessionID, openerID: info.OpenerID, born: births.Add(1),
		done: make(chan struct{}), frames: map[string]*Frame{}, dialogs: DefaultDialogs,
	}
	p.main = &Frame{page: p, id: info.TargetID, session: sessionID, url: info.URL}
	p.frames[p.main.id] = p.main
	return p
}

func sortByAge(pages []*Page) {
	slices.SortFunc(pages, func(a, b *Page) int { return int(a.born) - int(b.born) })
}

// ID is the browser's name for the page.
func (p *Page) ID() string { return p.id }

// ContextID is the browser context that the page is in.
func (p *Page) ContextID() string { return p.context }

// SharesContext reports whether two pages are of one browser context.
func (p *Page) SharesContext(other *Page) bool {
	return p.tree == other.tree && p.context == other.context
}

// Tree is the tree that the page is in.
func (p *Page) Tree() *Tree { return p.tree }

// Main is the page's outermost frame.
func (p *Page) Main() *Frame { return p.main }

// URL is the address of the page's document.
func (p *Page) URL() string { return p.main.URL() }

// HasOpener reports whether another page opened this one, also where that is not known any more.
func (p *Page) HasOpener() bool { return p.openerID != "" || p.opener != nil }

// Opener is the page that opened this one, nil where none did.
func (p *Page) Opener() *Page { return p.opener }

// Popups are the pages that this one opened, oldest first.
func (p *Page) Popups() []*Page {
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	return slices.Clone(p.popups)
}

// WaitPopup returns the page that this one opened after the first n, when its
// first document is there.
func (p *Page) WaitPopup(ctx context.Context, n int) (*Page, error) {
	var popup *Page
	err := p.tree.Wait(ctx, func() (bool, error) {
		if len(p.popups) > n {
			popup = p.popups[n]
		}
		return popup != nil && (popup.main.history.documents > 0 || popup.closed), p.err()
	})
	return popup, err
}

// Begun returns when the first document of the page is there, or the page was closed.
func (p *Page) Begun(ctx context.Context) error {
	return p.tree.Wait(ctx, func() (bool, error) {
		return p.main.history.documents > 0 || p.closed, p.tree.client.Err()
	})
}

// IsClosed reports whether the page was closed.
func (p *Page) IsClosed() bool {
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	return p.closed
}

// Send sends a command to the page's main session.
func (p *Page) Send(method string, params any) *cdp.Call {
	return p.tree.client.Send(p.session, method, params)
}

// Session is the page's main session.
func (p *Page) Session() string { return p.session }

// Unused reports whether nothing goes on in the page: no one records, watches or shows it or takes its requests, no
// dialog is open, and it has opened no page.
func (p *Page) Unused() bool {
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	return p.err() == nil && p.recording == nil && len(p.watchers) == 0 && p.cast == nil && p.pointing == nil &&
		p.traffic == 0 && p.fresh == 0 && p.holding == nil && p.leaks == nil && p.asking == nil && len(p.popups) == 0
}

// Done is closed when the page was closed, or the connection to its browser has
// ended. Err says which.
func (p *Page) Done() <-chan struct{} { return p.done }

// Err returns why the page can no longer be used, nil while it can.
func (p *Page) Err() error {
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	return p.err()
}

func (p *Page) err() error {
	switch lost := p.tree.client.Err(); {
	case p.closed:
		return ErrClosed
	case lost != nil:
		return lost
	case p.crashed:
		return cdp.ErrCrashed
	}
	return nil
}

// closeAgain is how long a close may take before it is asked for once more:
// Chrome loses one that comes while a document is being put in the place of
// another.
const closeAgain = 300 * time.Millisecond

var errNotYet = errors.New("not closed yet")

// Close closes the page, without asking it, and returns when it is gone.
func (p *Page) Close(ctx context.Context) error {
	for {
		err := p.tree.ask(ctx, "", "Target.closeTarget", map[string]any{"targetId": p.id}, nil)
		if errors.Is(p.Err(), ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		bounded, cancel := load.WithTimeoutCause(ctx, closeAgain, errNotYet)
		err = p.tree.Wait(bounded, func() (bool, error) { return p.closed, nil })
		cancel()
		if !errors.Is(err, errNotYet) {
			return err
		}
	}
}

// Asking returns the dialog that is open, nil for none.
func (p *Page) Asking() *Dialog {
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	if p.asking == nil {
		return nil
	}
	d := p.asking.Dialog
	return &d
}

// AnswerDialog answers the dialog of that number, if it is the one that is open.
func (p *Page) AnswerDialog(number int, accept bool, text string) {
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	if p.asking != nil && p.asking.Number == number {
		p.reply(accept, text)
	}
}

// reply answers the dialog that is open, once. The tree is locked.
func (p *Page) reply(accept bool, text string) {
	if p.asking.answered {
		return
	}
	p.asking.answered = true
	p.tree.client.Send(p.asking.session, "Page.handleJavaScriptDialog", map[string]any{"accept": accept, "promptText": text})
}

// LeaveDialogs leaves all dialogs open, for a person to answer.
func LeaveDialogs(Dialog) (accept bool, text string, handled bool) { return false, "", false }

// SetDialogs sets how dialogs are answered, also the one that is open, and returns how they
// were; nil is DefaultDialogs.
func (p *Page) SetDialogs(policy DialogPolicy) (before DialogPolicy) {
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	if policy == nil {
		policy = DefaultDialogs
	}
	before, p.dialogs = p.dialogs, policy
	p.answer()
	return before
}

// Watch has w hear of this page, and of the pages that it opens from now on,
// until remove is called.
func (p *Page) Watch(w Watcher) (remove func()) {
	t := p.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	p.watchers = append(slices.Clone(p.watchers), w)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, p := range t.pages {
			p.watchers = slices.DeleteFunc(slices.Clone(p.watchers), func(other Watcher) bool { return other == w })
		}
	}
}

func (p *Page) navigated(f *Frame, n Navigation, loader string) {
	f.history.add(n.URL, loader)
	for _, w := range p.watchers {
		w.Navigated(f, n)
	}
}

func (t *Tree) onDialog(s *session, params json.RawMessage) {
	var d Dialog
	if s == nil || json.Unmarshal(params, &d) != nil {
		return
	}
	t.dialogs++
	d.Number = t.dialogs
	for _, w := range s.page.watchers {
		w.Dialog(s.page, d)
	}
	s.page.asking = &dialog{Dialog: d, session: s.id}
	s.page.answer()
	t.change()
}

// answer has the policy answer the dialog that is open, if it will.
func (p *Page) answer() {
	if p.asking == nil {
		return
	}
	if accept, text, handled := p.dialogs(p.asking.Dialog); handled && p.active {
		p.reply(accept, text)
	}
}

func (t *Tree) onDialogClosed(s *session, params json.RawMessage) {
	var a Answer
	if s == nil || s.page.asking == nil || json.Unmarshal(params, &a) != nil {
		return
	}
	d := s.page.asking.Dialog
	s.page.asking = nil
	for _, w := range s.page.watchers {
		w.Answered(s.page, d, a)
	}
	t.change()
}

// Use takes a page into use that was open before: from then on its events
// arrive, its dialogs are answered, and its frames become known. Others of the
// browser's pages are left alone.
func (p *Page) Use() {
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	if p.active || p.closed {
		return
	}
	p.prepare(p.session)
	p.answer()
	p.survey(p.session)
}

type frameTree struct {
	Frame    frameInfo   `json:"frame"`
	Children []frameTree `json:"childFrames"`
}

// survey finds the frames of a session that were there before anyone told of
// them. What is read is outdated when they change meanwhile: it is read again.
func (p *Page) survey(sessionID string) {
	t := p.tree
	t.job(func(ctx context.Context) {
		for {
			t.mu.Lock()
			shape := p.shape
			t.mu.Unlock()
			var read struct {
				Tree frameTree `json:"frameTree"`
			}
			err := t.ask(ctx, sessionID, "Page.getFrameTree", nil, &read)
			t.mu.Lock()
			if err == nil && p.shape != shape {
				t.mu.Unlock()
				continue
			}
			if err == nil {
				p.adopt(sessionID, read.Tree)
			}
			p.surveyed = p.surveyed || sessionID == p.session
			t.change()
			t.mu.Unlock()
			return
		}
	})
}

func (p *Page) adopt(sessionID string, tree frameTree) {
	f := p.frame(tree.Frame.ID, tree.Frame.ParentID)
	if f.session == "" {
		f.session = sessionID
	}
	if f.history.documents == 0 && f.session == sessionID {
		f.url, f.loader, f.failed = tree.Frame.URL+tree.Frame.Fragment, tree.Frame.LoaderID, tree.Frame.Failed
		if f == p.main && p.opener != nil && f.url != "" && f.url != "about:blank" {
			f.history.documents++
			p.navigated(f, Navigation{URL: f.url}, tree.Frame.LoaderID)
		}
		if f == p.main && p.place == "" {
			p.arrived()
		}
		p.install(f)
	}
	for _, child := range tree.Children {
		p.adopt(sessionID, child)
	}
}

// prepare sends what a session needs before it may run, without waiting for
// replies: waiting here would hold up windows that wait for one another. The
// tree is locked.
func (p *Page) prepare(sessionID string) {
	c := p.tree.client
	if sessionID == p.session {
		p.active = true
	}
	c.Send(sessionID, "Page.enable", nil)
	if p.tree.script != "" {
		c.Send(sessionID, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": p.tree.script, "runImmediately": true})
	}
	p.prepareRecording(sessionID)
	if p.traffic > 0 {
		p.watchTraffic(sessionID)
	}
	if p.intercepts() {
		c.Send(sessionID, "Fetch.enable", p.paused())
	}
	p.point(sessionID)
	c.Send(sessionID, "Target.setAutoAttach", autoAttach())
	if sessionID == p.session {
		c.Send(sessionID, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true})
	}
}

// keptPlaces bounds what is remembered of where a frame has been: waits look at
// the last few, and some pages change their address with every scroll.
const keptPlaces = 200

// history is where a frame has been, the last places of it.
type history struct {
	documents int // that there have been, since it was watched
	dropped   int // of the places, the oldest
	places    []place
}

// place is an address that a frame went to, within its document or not.
type place struct {
	url      string
	loader   string // of its document
	document int    // that one's number
	at       time.Time
}

// Mark is a moment in the history of a frame.
type Mark struct{ places, documents int }

func (h *history) mark() Mark { return Mark{h.dropped + len(h.places), h.documents} }

func (h *history) add(url, loader string) {
	if len(h.places) == 2*keptPlaces {
		h.dropped += keptPlaces
		h.places = append(h.places[:0], h.places[keptPlaces:]...)
	}
	h.places = append(h.places, place{url, loader, h.documents, time.Now()})
}

// after returns the mark after the first place since a mark that satisfies ok, which is
// also given the place before it: the zero place where that is not known.
func (h *history) after(m Mark, ok func(before, p place) bool) (Mark, bool) {
	for i := max(0, m.places-h.dropped); i < len(h.places); i++ {
		var before place
		if i > 0 {
			before = h.places[i-1]
		}
		if p := h.places[i]; ok(before, p) {
			return Mark{h.dropped + i + 1, p.document}, true
		}
	}
	return m, false
}

// isRewritten reports whether a page has only rewritten the address of its document: its
// query or its fragment is another.
func isRewritten(before, p place) bool {
	return before.document == p.document && shown(before.url) == shown(p.url)
}

// Mark notes where the frame's history stands, for Left, CallAt and the waits.
func (f *Frame) Mark() Mark {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	return f.history.mark()
}

// Left reports whether the frame got another document since the mark, or is gone.
func (f *Frame) Left(m Mark) bool {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	return f.gone || f.page.closed || f.history.documents > m.documents
}

// Came returns when the frame's document came, if that was after the mark.
func (f *Frame) Came(m Mark) (at time.Time, since bool) {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	for i := max(0, m.places-f.history.dropped); i < len(f.history.places); i++ {
		if p := f.history.places[i]; p.document == f.history.documents && p.document > m.documents {
			return p.at, true
		}
	}
	return time.Time{}, false
}

// WaitURL returns when the frame has gone, after the mark, to an address that
// satisfies ok. The mark that it gives is right after that address.
func (f *Frame) WaitURL(ctx context.Context, m Mark, ok func(url string) bool) (Mark, error) {
	return f.wait(ctx, m, func(_, p place) bool { return ok(p.url) })
}

// WaitNav is WaitURL for a navigation to another document or path. That a page rewrites the
// query of its address, as to remove a token from it, is none.
func (f *Frame) WaitNav(ctx context.Context, m Mark, ok func(url string) bool) (Mark, error) {
	return f.wait(ctx, m, func(before, p place) bool { return ok(p.url) && !isRewritten(before, p) })
}

func (f *Frame) wait(ctx context.Context, m Mark, ok func(before, p place) bool) (Mark, error) {
	reached := m
	err := f.page.tree.Wait(ctx, func() (bool, error) {
		mark, found := f.history.after(m, ok)
		reached = mark
		return found, f.err()
	})
	return reached, err
}

// WaitAt returns when the frame is at an address that satisfies ok.
func (f *Frame) WaitAt(ctx context.Context, ok func(url string) bool) error {
	return f.page.tree.Wait(ctx, func() (bool, error) { return ok(f.url), f.err() })
}

// WaitOr returns when cond holds, or when the frame got another document since
// the mark or is gone: left. cond runs with the tree locked.
func (f *Frame) WaitOr(ctx context.Context, m Mark, cond func() bool) (left bool, err error) {
	err = f.page.tree.Wait(ctx, func() (bool, error) {
		left = f.gone || f.page.closed || f.history.documents > m.documents
		if cond() || left {
			return true, nil
		}
		return false, f.page.err()
	})
	return left, err
}

// maxSettling bounds the wait for a navigation that was asked for: some are
// never begun, and nothing says so (another program's links, a 204).
const maxSettling = 5 * time.Second

// Settled returns when no navigation that the page has asked for is under way,
// in the frame or in those around it. What is done next is then done in the
// document that it led to.
func (f *Frame) Settled(ctx context.Context) error {
	f.page.tree.mu.Lock()
	pending := f.pending()
	f.page.tree.mu.Unlock()
	if !pending {
		return nil
	}
	bounded, cancel := load.WithTimeoutCause(ctx, maxSettling, errUnsettled)
	defer cancel()
	err := f.page.tree.Wait(bounded, func() (bool, error) { return !f.pending(), f.page.err() })
	if errors.Is(err, errUnsettled) {
		f.page.tree.Do(f.unask) // no one needs to wait for it again
		return nil
	}
	return err
}

// WaitDocuments returns when no frame of the page waits for another document, as one does into which a form was sent.
func (p *Page) WaitDocuments(ctx context.Context) error {
	p.tree.mu.Lock()
	frames := slices.Collect(maps.Values(p.frames))
	p.tree.mu.Unlock()
	for _, f := range frames {
		if err := f.Settled(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (f *Frame) unask() {
	for at := f; at != nil; at = at.up() {
		at.asked, at.unstarted = "", 0
	}
}

var errUnsettled = errors.New("a navigation that was asked for did not happen")

func (f *Frame) pending() bool {
	for at := f; at != nil; at = at.up() {
		if (at.asked != "" || at.arrives()) && !at.gone {
			return true
		}
	}
	return false
}

// arrives reports whether the frame's document has just come from another process, and
// its address is not told yet.
func (f *Frame) arrives() bool {
	parent := f.up()
	return f.url == "" && parent != nil && parent.session != f.session
}
