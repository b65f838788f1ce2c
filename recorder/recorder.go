// Package recorder records what a user does in a browser and makes an automation of
// it: plain steps, in which what identifies someone and what is secret are variables
// without values.
//
//	b, err := browser.Launch(ctx, nil)
//	…
//	page, err := b.NewPage(ctx, "https://example.com/")
//	…
//	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "sign-in"})
//	…
//	<-done // the user does the flow
//	a, integrity, err := r.Stop(ctx)
//	if err != nil { // for one of integrity.Err, a is what was recorded anyway
//		return err
//	}
//	_, err = st.Automations().Save(ctx, a)
//
// A [Recorder] records one page, its frames, and the tabs that it opens. The page
// script sends numbered events (events.go); a pure state machine merges them into
// steps (merge.go, consequences.go); the steps become an [automation.Automation]
// (document.go). [Integrity] reports whether an event was lost on the way.
//
// While it records, [Recorder.State] returns the steps so far ([Step]), and
// [Options].OnChange is called with each [Change]. A user can edit them: Pause, Undo,
// Move, MarkVariable, MarkSecret, and Point, which picks an element to check. The
// package desk is a page for that.
//
// A secret never leaves its field: the page script sends neither its characters nor its
// length, but keyed hashes of pieces of it, and whatever would repeat it elsewhere is
// redacted before it becomes a part of the recording (secrets.go).
//
// See the examples of Start, Recorder.State and Recorder.MarkSecret, and
// examples/record in the repository.
package recorder

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/selectors"
)

// Options of a recording. The zero value, or nil, works.
type Options struct {
	// Name of the automation, ^[a-z][a-z0-9-]{0,50}$. Default: made from the
	// host of the page.
	Name string
	// Description for people. Default: none.
	Description string
	// Account that the automation is for, as the user calls it. Default: any.
	Account string
	// TestIDAttribute is an attribute that the page's authors mark elements with for
	// their own tests, such as "data-qa-id". Elements that have it are found by it
	// before anything else. Default: only those in wide use (data-testid,
	// data-test-id, data-test, data-cy, data-qa, data-pw, data-automation-id,
	// data-hook), which rank after it.
	TestIDAttribute string
	// LeaveDialogs leaves the page's dialogs (alert, confirm, prompt) for the user to
	// answer. Default: they are left where the browser shows a window; elsewhere what
	// has one answer is accepted, and the rest declined.
	LeaveDialogs bool
	// Takeover records a page that a person drives in a live view, from where it stands: no step
	// goes to its address, its dialogs stay whose they are, and every text that is typed is a secret,
	// whatever its field is for. Default: it is recorded from its address on.
	Takeover bool
	// OnChange is called, in order, with every change of the steps while they
	// are recorded. It must return soon. Default: not called.
	OnChange func(Change)
	// Pictures has a small picture made of each pressed element, for Recorder.Picture,
	// unless it shows a field. Default: none.
	Pictures bool
}

// Recorder records one page and those that it opens.
type Recorder struct {
	options  Options
	page     *target.Page
	start    string // address
	unwatch  func()
	sockets  *target.Traffic
	queue    *queue
	shaping  shaping
	pictures *pictures // nil where none are made
	ended    chan struct{}
	cancel   context.CancelFunc
	work     sync.WaitGroup

	intake *intake // of the worker alone, until it has ended
	merger *merger // guarded by shaping.mu

	outcome outcome
}

// outcome is what the first call of Stop returned.
type outcome struct {
	once       sync.Once
	automation *automation.Automation
	err        error
}

// ErrNothingRecorded: there was no step to make an automation of.
var ErrNothingRecorded = errors.New("nothing was recorded")

// ErrStopped: the recording has ended, and cannot be edited any more.
var ErrStopped = errors.New("the recording has ended")

// Start begins to record what a user does in a page. It returns when the page
// is being watched; from then on nothing is missed, over page loads, in frames
// and in the tabs that the page opens. Stop it.
func Start(ctx context.Context, page *browser.Page, o *Options) (*Recorder, error) {
	if o == nil {
		o = &Options{}
	}
	if o.TestIDAttribute != "" {
		if err := selectors.CheckTestIDAttribute(o.TestIDAttribute); err != nil {
			return nil, err
		}
	}
	p := page.Target()
	hashKey := make([]byte, 8)
	_, _ = rand.Read(hashKey) // never fails (crypto/rand)
	r := &Recorder{options: *o, page: p, start: p.URL(), queue: newQueue(), ended: make(chan struct{})}
	r.shaping.name, r.shaping.changed = o.Name, make(chan struct{})
	if o.Pictures {
		r.pictures = &pictures{byPress: map[string][]byte{}, came: r.shaping.announce}
	}
	secrets := redact.NewKey()
	r.merger = newMerger(secrets, r.changed)
	r.merger.names.texts = o.Takeover
	recording := target.Recording{
		Key: hex.EncodeToString(hashKey), TestIDAttribute: o.TestIDAttribute, Boxes: o.Pictures, Texts: o.Takeover, Secrets: secrets,
		Missed: func(url string) {
			r.queue.put(func(context.Context) {
				r.intake.integrity.UnrecordedDocuments = append(r.intake.integrity.UnrecordedDocuments, weburl.WithoutQuery(url))
			})
		},
	}
	r.intake = newIntake(recording, p, r.emit, r.picture)
	r.unwatch = p.Watch(&watcher{r.queue, r.intake})
	if !o.Takeover && (o.LeaveDialogs || page.Browser().HasWindow(ctx)) {
		p.SetDialogs(target.LeaveDialogs)
	}
	var err error
	if r.sockets, err = p.WatchSent(ctx, r.frameSent); err == nil {
		if err = p.Record(ctx, &recording); err != nil {
			r.sockets.Stop()
		}
	}
	if err != nil {
		r.unwatch()
		if !o.Takeover {
			p.SetDialogs(nil)
		}
		return nil, fmt.Errorf("starting to record %s: %w", r.start, err)
	}
	if r.start != "" && r.start != "about:blank" {
		r.merger.add(event{kind: navigation, url: r.start})
	}
	if o.Takeover {
		for r.merger.last() != nil {
			r.merger.pop()
		}
	}
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel = cancel
	r.work.Go(func() { r.queue.run(working) })
	return r, nil
}

// frameSent queues that a page has sent a frame over a socket.
func (r *Recorder) frameSent(p *target.Page, sent target.Sent) {
	r.queue.put(func(context.Context) { r.intake.sent(p, sent) })
}

// changed publishes a change of the steps. The lock of shaping is held.
func (r *Recorder) changed(c Change) {
	r.shaping.change()
	if r.options.OnChange != nil {
		r.options.OnChange(c)
	}
}

// emit merges an event; while the recording is paused, only what concerns secrets.
func (r *Recorder) emit(e event) {
	r.shaping.mu.Lock()
	defer r.shaping.mu.Unlock()
	m := r.merger
	redactions, last := m.redactions, r.lastEdit()
	switch {
	case !r.shaping.paused || e.kind == learned || e.kind == opened: // later events name the tab
		m.add(e)
	case e.kind == navigation:
		r.shaping.away[e.page] = e.url
	case m.secrets.marked(&e, m.names):
		m.purge()
	}
	if m.redactions > redactions {
		r.redacted(last != nil && last.marks)
	}
}

// Stop ends the recording and returns what was recorded. When something was lost
// the error is an *IntegrityError, and the automation is what there is. A page
// that was closed is no error: closing it is a way to end the flow. When
// the browser was lost the error says so (browser.ErrDisconnected), and the automation is what
// was recorded until then. A second call returns the same.
func (r *Recorder) Stop(ctx context.Context) (*automation.Automation, *Integrity, error) {
	r.outcome.once.Do(func() { r.outcome.automation, r.outcome.err = r.finish(ctx) })
	return r.outcome.automation, r.intake.integrity, r.outcome.err
}

func (r *Recorder) finish(ctx context.Context) (*automation.Automation, error) {
	if !r.options.Takeover {
		for _, p := range r.livePages() {
			p.SetDialogs(nil) // one that is open would hold up the end
		}
	}
	r.drain(ctx)
	r.page.StopRecording(ctx)
	r.sockets.Stop()
	r.unwatch()
	r.cancel()
	r.work.Wait()
	close(r.ended)

	r.shaping.mu.Lock()
	defer r.shaping.mu.Unlock()
	defer r.shaping.change()
	m, integrity := r.merger, r.intake.integrity
	r.intake.close()
	m.finish()
	m.purge()
	m.secrets.integrity(integrity)
	a, err := r.automation()
	integrity.Omitted = m.leftOut()
	m.secrets = newSecrets(m.secrets.key) // no event comes any more that could repeat one
	if lost := r.page.Tree().Client().Err(); lost != nil {
		err = errors.Join(err, fmt.Errorf("recording: %w", lost))
	}
	return a, errors.Join(err, integrity.Err())
}

// Done is closed when the recording has ended.
func (r *Recorder) Done() <-chan struct{} { return r.ended }

// Username is what was typed as a user name or e-mail address, to be offered as
// the account's label. It is set after Stop, and never stored.
func (r *Recorder) Username() string { return r.merger.names.username }

// maxBlind bounds the wait for the fields in which something was typed before they were known.
const maxBlind = time.Second

// drain has every document send what it has not sent yet, and waits until all
// of it was worked on, and every field that was typed into is known.
func (r *Recorder) drain(ctx context.Context) {
	bounded, cancel := load.WithTimeout(ctx, maxBlind)
	defer cancel()
	for {
		var all []flushed
		for _, p := range r.livePages() {
			for _, f := range p.Frames() {
				if last, ok := flush(ctx, f); ok {
					all = append(all, last)
				}
			}
		}
		blind := make(chan bool, 1)
		r.queue.put(func(context.Context) {
			for _, last := range all {
				r.intake.upTo(last)
			}
			blind <- r.intake.isBlind() || slices.ContainsFunc(all, func(last flushed) bool { return last.Unsure })
		})
		select {
		case again := <-blind:
			if !again {
				return
			}
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(betweenFlushes):
		case <-bounded.Done():
			return
		}
	}
}

const betweenFlushes = 50 * time.Millisecond

// maxFlush bounds the wait for what a document has still to send: one that
// shows a dialog sends nothing before it is answered.
const maxFlush = time.Second

// flushAll has every document send what it has not sent yet.
func (r *Recorder) flushAll(ctx context.Context) {
	ctx, cancel := load.WithTimeout(ctx, maxFlush)
	defer cancel()
	var all sync.WaitGroup
	for _, p := range r.livePages() {
		for _, f := range p.Frames() {
			all.Go(func() { flush(ctx, f) })
		}
	}
	all.Wait()
}

// flushed is the number of the last event of a document.
type flushed struct {
	Doc    string `json:"doc"`
	Seq    int    `json:"seq"`
	URL    string `json:"url"`
	Unsure bool   `json:"unsure"` // it is still to send a key
}

// flush has a frame's document send the rest, or the next one where that one
// is being left. A frame that is gone has no more to send.
func flush(ctx context.Context, f *target.Frame) (last flushed, ok bool) {
	for {
		err := f.Call(ctx, nil, "answers")
		if err == nil {
			err = f.Call(ctx, &last, "flush")
		}
		if err == nil || !target.IsLeft(err) || f.Gone() || ctx.Err() != nil {
			return last, err == nil
		}
	}
}

func (r *Recorder) livePages() []*target.Page {
	pages := []*target.Page{r.page}
	for i := 0; i < len(pages); i++ {
		pages = append(pages, pages[i].Popups()...)
	}
	return pages
}

// Op is what happened to a step.
type Op string

// The changes of a recording.
const (
	Add    Op = "add"
	Update Op = "update"
	Remove Op = "remove"
)

// Change is one change of the steps: a step was added at Index, the one there was
// updated, or it was removed. A step that is moved is removed and added again.
type Change struct {
	Op    Op
	Index int
	Step  automation.Step
	ID    int // of the step, as in Step.ID
}

// State is a recording as it is at one moment.
type State struct {
	Name     string // "" for one that is made from the host at the end
	Steps    []Step
	Paused   bool
	Pointing Pointing // "" while Point is not called
	Ended    bool
}

// Step is a step of a recording that has not ended.
type Step struct {
	ID      int             // names it for as long as the recording lasts, wherever it stands
	Step    automation.Step // as it would be saved now
	Label   string          // what the page calls its element; "" for none
	Kind    string          // of its element: a role, or a tag; "" for none
	Type    string          // of its element, where that is an input: "password", "text", …; else ""
	Typed   bool            // its value was typed, and can be made a variable or a secret
	Secret  bool            // its value is a secret
	Picture bool            // there is a picture of its element
	URL     string          // of the document that its element is in, without its query; "" for none
	// HumanCheck reports that its element is part of a check whether there is a human, and OneTimeCode
	// that it types what is good once.
	HumanCheck, OneTimeCode bool
}

// State returns the recording as it is now. changed is closed when it changes.
// It must not be called from OnChange.
func (r *Recorder) State() (now State, changed <-chan struct{}) {
	r.shaping.mu.Lock()
	defer r.shaping.mu.Unlock()
	now = State{Name: r.shaping.name, Paused: r.shaping.paused, Pointing: r.shaping.pointing}
	select {
	case <-r.ended:
		now.Ended = true
	default:
	}
	for i := range r.merger.entries {
		now.Steps = append(now.Steps, r.stepOf(&r.merger.entries[i]))
	}
	return now, r.shaping.changed
}

func (r *Recorder) stepOf(en *entry) Step {
	s := Step{ID: en.id, Step: en.shown(), Typed: en.typed()}
	r.unquote(&s.Step, en.el)
	for _, name := range valueNames(en.step.Value) {
		s.Secret = s.Secret || r.merger.names.isSecret(name)
	}
	if en.el != nil {
		s.Kind, s.Type = en.el.kind(), en.el.inputType
		s.URL, s.HumanCheck, s.OneTimeCode = weburl.WithoutQuery(en.el.url), en.el.humanCheck, s.Typed && en.el.isForOneTimeCode()
		if !r.merger.names.quotedIn(en.el.label) && automation.DetectSecret(en.el.label) == "" {
			s.Label = en.el.label
		}
	}
	s.Picture = r.pictures.has(en.press)
	return s
}

// kind is what an element is, in one word for users.
func (e *element) kind() string {
	if e.role != "" && e.role != "generic" {
		return e.role
	}
	return e.tag
}
