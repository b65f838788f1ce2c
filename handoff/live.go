package handoff

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/internal/weburl"
)

// The screencast: JPEG, and no larger than this in either direction.
const (
	castQuality = 60
	castSize    = 1280
)

// live is the view of a handoff's page, for all who look. One of them has control.
type live struct {
	h      *Handoff
	ctx    context.Context
	cancel context.CancelFunc

	showing sync.Mutex // held while another page is shown

	mu      sync.Mutex
	viewers map[*viewer]struct{}
	page    *browser.Page // that is shown: the handed one, or one of its context
	endCast context.CancelFunc
	chooser *target.FileChooser // what the page asks for, nil for nothing
	control *target.Frame       // which has the control that a viewer draws
	unwatch func()
	dialogs map[*target.Page]target.DialogPolicy // of other tabs, before they were shown
	crashed bool                                 // a page is, since it was last cast
	looking bool                                 // a look at the page's state is under way
	again   bool                                 // and another is wanted after it
	stopped bool
}

// frame is a picture of the screencast.
type frame struct {
	data  []byte
	shape shape
	ack   func()
	once  sync.Once
}

// shape is the size of the page's viewport that a frame shows, in CSS pixels.
type shape struct {
	Type   string  `json:"t"`
	Width  float64 `json:"w"`
	Height float64 `json:"h"`
	Top    float64 `json:"top"`
}

// viewer is one connection.
type viewer struct {
	control bool
	frames  chan *frame // the newest one
	say     chan []byte
	inbox   *inbox
	arrived chan struct{} // something has, of the inbox
	lost    context.CancelFunc
}

// inbox is what a page of a device has sent, over all of its connections: one that breaks does not tell what of it
// has arrived, so it sends that again, and each is done once.
type inbox struct {
	doing sync.Mutex
	seen  atomic.Uint64 // the number of the last that has arrived
}

// maxInboxes are remembered of a handoff: pages of devices that were opened or loaded again.
const maxInboxes = 64

// inboxOf returns the inbox of a page of a device.
func (h *Handoff) inboxOf(session *secretKey, view string) *inbox {
	name := session.Hash + " " + view
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.inboxes == nil || h.inboxes[name] == nil && len(h.inboxes) == maxInboxes {
		h.inboxes = map[string]*inbox{}
	}
	if h.inboxes[name] == nil {
		h.inboxes[name] = &inbox{}
	}
	return h.inboxes[name]
}

// once does what has a number, unless it was done. What has none is done always.
func (v *viewer) once(number uint64, do func()) {
	if number == 0 {
		do()
		return
	}
	v.inbox.doing.Lock()
	defer v.inbox.doing.Unlock()
	if number > v.inbox.seen.Load() {
		do()
		v.inbox.seen.Store(number)
	}
	select {
	case v.arrived <- struct{}{}:
	default: // it is told already
	}
}

// view returns the view of the handoff with one more viewer in it, nil where it has ended.
func (h *Handoff) view(v *viewer) *live {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ending {
		return nil
	}
	if h.live == nil {
		ctx, cancel := context.WithCancel(context.Background())
		h.live = &live{h: h, ctx: ctx, cancel: cancel, viewers: map[*viewer]struct{}{}, dialogs: map[*target.Page]target.DialogPolicy{h.page.Target(): nil}}
		h.live.unwatch = h.page.Target().Watch(h.live)
	}
	l := h.live
	l.mu.Lock()
	l.viewers[v] = struct{}{}
	l.mu.Unlock()
	l.show(cmp.Or(l.shown(), h.page)) // again for each: a page that does not change sends one frame
	return l
}

// leave takes a viewer out. With the last one the screencast ends, and the page is as it was.
func (l *live) leave(v *viewer) {
	l.h.mu.Lock() // no other one comes meanwhile
	defer l.h.mu.Unlock()
	l.mu.Lock()
	delete(l.viewers, v)
	last := len(l.viewers) == 0
	l.mu.Unlock()
	if !last {
		return
	}
	if l.h.live == l {
		l.h.live = nil
	}
	l.stop()
}

// stop ends the view.
func (l *live) stop() {
	l.mu.Lock()
	if l.stopped {
		l.mu.Unlock()
		return
	}
	l.stopped = true
	end, dialogs := l.endCast, maps.Clone(l.dialogs)
	l.mu.Unlock()
	delete(dialogs, l.h.page.Target()) // whose are the handoff's
	for page, before := range dialogs {
		page.SetDialogs(before)
	}
	l.unwatch()
	if end != nil {
		end()
	}
	l.cancel()
}

// dropControl ends the connections that have control: another device has it. The handoff is locked.
func (l *live) dropControl() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for v := range l.viewers {
		if v.control {
			v.lost()
		}
	}
}

// show casts a page.
func (l *live) show(page *browser.Page) {
	l.showing.Lock() // the tree of pages, which calls framed, is locked within
	defer l.showing.Unlock()
	l.mu.Lock()
	end := l.endCast
	l.mu.Unlock()
	if end != nil {
		end()
	}
	ctx, cancel := context.WithCancel(l.ctx)
	stop := page.Target().StartCast(target.Cast{Quality: castQuality, Size: castSize, Frame: l.framed, File: l.choosing})
	l.mu.Lock()
	l.page, l.chooser, l.endCast = page, nil, func() {
		cancel()
		stop()
	}
	stopped := l.stopped
	l.mu.Unlock()
	if stopped {
		cancel()
		stop()
		return
	}
	page.Target().Send("Page.bringToFront", nil)
	go func() {
		select {
		case <-page.Done():
			if page.Target() != l.h.page.Target() && ctx.Err() == nil {
				l.show(l.h.page)
			}
		case <-ctx.Done():
		}
	}()
	l.look()
}

// framed has a frame sent to all viewers; the first who has it sent acknowledges it, so that
// the browser makes no more than are seen.
func (l *live) framed(c target.CastFrame) {
	f := &frame{data: c.JPEG, shape: shape{"frame", c.Width, c.Height, c.Top}, ack: c.Ack}
	l.mu.Lock()
	defer l.mu.Unlock()
	for v := range l.viewers {
		select { // what was not sent yet is older
		case old := <-v.frames:
			old.sent()
		default:
		}
		v.frames <- f
	}
}

func (f *frame) sent() { f.once.Do(f.ack) }

// Message and the following methods make live a target.Watcher, and a target.CrashWatcher.
func (l *live) Message(*target.Frame, string, json.RawMessage) {}

// Navigated has the state looked at. A page that comes back from a crash is cast again.
func (l *live) Navigated(*target.Frame, target.Navigation) {
	l.mu.Lock()
	crashed := l.crashed
	l.crashed = false
	l.mu.Unlock()
	if crashed {
		go func() { l.show(l.shown()) }()
		return
	}
	go l.look()
}

// Crashed has the person told.
func (l *live) Crashed(*target.Page) {
	l.mu.Lock()
	l.crashed = true
	l.mu.Unlock()
	go l.look()
}

// Opened shows a tab that the page has opened.
func (l *live) Opened(p *target.Page) {
	go func() { _ = l.showTab(p.ID()) }()
}

// Dialog has the person see what the page asks.
func (l *live) Dialog(*target.Page, target.Dialog) { go l.look() }

// Answered has it go away.
func (l *live) Answered(*target.Page, target.Dialog, target.Answer) { go l.look() }

// showTab shows another page of the handed one's browser context.
func (l *live) showTab(id string) error {
	ctx, cancel := load.WithTimeout(l.ctx, lookTimeout)
	defer cancel()
	pages, err := l.tabs(ctx)
	if err != nil {
		return err
	}
	for _, p := range pages {
		if p.ID() != id {
			continue
		}
		page, err := l.h.page.Browser().Page(ctx, id)
		if err != nil {
			return err
		}
		l.leaveDialogs(p)
		l.show(page)
		return nil
	}
	return fmt.Errorf("handoff: there is no tab %.40q", id)
}

// leaveDialogs leaves the dialogs of a tab to the person, until the view ends.
func (l *live) leaveDialogs(p *target.Page) {
	l.mu.Lock()
	_, was := l.dialogs[p]
	if !was && !l.stopped {
		l.dialogs[p] = nil // which is replaced: the tree of pages is not locked within
	}
	stopped := l.stopped
	l.mu.Unlock()
	if was || stopped {
		return
	}
	before := p.SetDialogs(target.LeaveDialogs)
	l.mu.Lock()
	stopped = l.stopped
	l.dialogs[p] = before
	l.mu.Unlock()
	if stopped {
		p.SetDialogs(before)
	}
}

// shown is the page that is shown.
func (l *live) shown() *browser.Page {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.page
}

// tabs are the pages of the handed one's browser context.
func (l *live) tabs(ctx context.Context) (all []*target.Page, err error) {
	own := l.h.page.Target()
	pages, err := own.Tree().Pages(ctx)
	for _, p := range pages {
		if p.ContextID() == own.ContextID() && (p.Err() == nil || errors.Is(p.Err(), cdp.ErrCrashed)) {
			all = append(all, p)
		}
	}
	return all, err
}

// state is what viewers are told.
type state struct {
	Type        string    `json:"t"`
	Reason      string    `json:"reason"`
	Doing       string    `json:"doing"`
	Instruction string    `json:"instruction"`
	Until       string    `json:"until"`
	Unmet       string    `json:"unmet,omitempty"`
	Left        int       `json:"left"` // how often it may be returned so
	Deadline    time.Time `json:"deadline"`
	URL         string    `json:"url"`
	Tabs        []tab     `json:"tabs"`
	Dialog      *dialog   `json:"dialog,omitempty"`
	File        *chooser  `json:"file,omitempty"`
	Field       *field    `json:"field,omitempty"`
	Crashed     bool      `json:"crashed,omitempty"` // it shows nothing until it is loaded again
	// Keep is whether what the person does is recorded, absent where it cannot be.
	Keep *bool `json:"keep,omitempty"`
	// KeepFailed is why it is not, though they wanted it.
	KeepFailed string `json:"keepFailed,omitempty"`
}

type tab struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	Shown bool   `json:"shown"`
}

type dialog struct {
	Number  int    `json:"number"`
	Type    string `json:"type"`
	Message string `json:"message"`
	Default string `json:"default"`
}

type chooser struct {
	Multiple bool `json:"multiple"`
}

// field is what has the focus: what is typed into it, and what a screen reader is told.
type field struct {
	Role    string   `json:"role"`
	Name    string   `json:"name"`
	Type    string   `json:"type"` // "" where nothing is typed
	Mode    string   `json:"mode"`
	Secret  bool     `json:"secret"`
	Lines   bool     `json:"lines"`
	Drawn   bool     `json:"drawn"` // the viewer draws it when it is opened
	Options []string `json:"options"`
}

// lookTimeout bounds what the page is asked for the viewers.
const lookTimeout = 2 * time.Second

// look tells the viewers how things stand; looks that come while one is under way are one.
func (l *live) look() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.looking {
		l.again = true
		return
	}
	l.looking = true
	go l.looks()
}

func (l *live) looks() {
	for {
		s := l.state()
		driver, err := json.Marshal(s)
		watcher, failed := json.Marshal(s.watched())
		l.mu.Lock()
		if err == nil && failed == nil {
			for v := range l.viewers {
				if v.control {
					v.tell(driver)
				} else {
					v.tell(watcher)
				}
			}
		}
		if !l.again || l.stopped {
			l.looking = false
			l.mu.Unlock()
			return
		}
		l.again = false
		l.mu.Unlock()
	}
}

// watched is what one who only watches is told: no words of the page. What has the focus, and what a dialog asks, may
// repeat what the person types.
func (s state) watched() state {
	s.Field = nil
	if s.Dialog != nil {
		s.Dialog = &dialog{Number: s.Dialog.Number, Type: s.Dialog.Type}
	}
	return s
}

// tell queues a message; a viewer who reads too slowly is connected again.
func (v *viewer) tell(data []byte) {
	select {
	case v.say <- data:
	default:
		v.lost()
	}
}

func (l *live) state() state {
	h := l.h
	h.mu.Lock()
	r := h.record
	s := state{Type: "state", Reason: r.Reason, Doing: r.Doing, Instruction: r.Instruction, Until: r.Until, Unmet: h.unmet, Left: MaxTries - h.tries, Deadline: r.Deadline, Tabs: []tab{}}
	h.mu.Unlock()
	s.Keep, s.KeepFailed = h.keeps()
	l.mu.Lock()
	page := l.page
	if l.chooser != nil {
		s.File = &chooser{l.chooser.Multiple}
	}
	l.mu.Unlock()
	s.URL = shownURL(page.URL())
	ctx, cancel := load.WithTimeout(l.ctx, lookTimeout)
	defer cancel()
	pages, _ := l.tabs(ctx) // the next look tells
	for _, p := range pages {
		s.Tabs = append(s.Tabs, tab{p.ID(), shownURL(p.URL()), p.ID() == page.ID()})
	}
	if s.Crashed = errors.Is(page.Err(), cdp.ErrCrashed); s.Crashed {
		return s
	}
	if d := page.Target().Asking(); d != nil {
		s.Dialog = &dialog{d.Number, d.Type, d.Message, d.Default}
		return s // the page answers nothing until that is answered
	}
	for _, f := range page.Target().Frames() {
		var on *field
		if err := f.Call(ctx, &on, "focusedKind"); err == nil && on != nil {
			s.Field = on
		}
	}
	return s
}

// shownURL is an address without what may be secret in it.
func shownURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return weburl.WithoutSecrets(u)
}
