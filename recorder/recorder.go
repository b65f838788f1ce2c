package recorder

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/selectors"
)

// Options of a recording. The zero value, or nil, works.
type Options struct {
	// Name of the automation, ^[a-z][a-z0-9-]{0,50}$. Default: made from the
	// host of the page.
	Name string
	// Description for people. Default: none.
	Description string
	// Account that the automation is for, as the person calls it. Default: any.
	Account string
	// TestIDAttribute is an attribute that the page's authors mark elements with for
	// their own tests, such as "data-qa-id". Elements that have it are found by it
	// before anything else. Default: only those in wide use (data-testid,
	// data-test-id, data-test, data-cy, data-qa, data-pw, data-automation-id,
	// data-hook), which stand behind it.
	TestIDAttribute string
	// LeaveDialogs leaves the page's dialogs (alert, confirm, prompt) for a person to
	// answer. Default: they are left where the browser shows a window; elsewhere what
	// has one answer is accepted, and the rest declined.
	LeaveDialogs bool
	// OnChange is called, in order, with every change of the steps while they
	// are recorded. It must return soon. Default: nobody is told.
	OnChange func(Change)
	// Pictures has a small picture made of what is pressed, for Recorder.Picture, where
	// it shows no field. Default: none.
	Pictures bool
}

// Recorder records one page and those that it opens.
type Recorder struct {
	options  Options
	page     *target.Page
	start    string // address
	unwatch  func()
	queue    *queue
	shaping  shaping
	pictures *pictures // nil where none are made
	ended    chan struct{}
	cancel   context.CancelFunc
	work     sync.WaitGroup

	// Of the worker alone, until it has ended; the merger also of who shapes the recording.
	intake *intake
	merger *merger

	stop   sync.Once
	result *automation.Automation
	err    error
}

// ErrNothingRecorded: there was no step to make an automation of.
var ErrNothingRecorded = errors.New("nothing was recorded")

// ErrStopped: the recording has ended, and is shaped no more.
var ErrStopped = errors.New("the recording has ended")

// Start begins to record what a person does in a page. It returns when the page
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
	hashKey, err := newKey()
	if err != nil {
		return nil, err
	}
	r := &Recorder{options: *o, page: p, start: p.URL(), queue: newQueue(), ended: make(chan struct{})}
	r.shaping.name, r.shaping.changed = o.Name, make(chan struct{})
	if o.Pictures {
		r.pictures = &pictures{byPress: map[string][]byte{}, came: r.another}
	}
	secrets := redact.NewKey()
	r.merger = newMerger(secrets, r.tell)
	missed := func(url string) { r.queue.put(heard{missed: url}) }
	recording := target.Recording{Key: hashKey, TestIDAttribute: o.TestIDAttribute, Missed: missed, Boxes: o.Pictures, Secrets: secrets}
	r.intake = newIntake(recording, p, r.emit, r.picture)
	r.unwatch = p.Watch(&watcher{r.queue})
	if o.LeaveDialogs || page.Browser().HasWindow(ctx) {
		p.SetDialogs(target.LeaveDialogs)
	}
	if err := p.Record(ctx, &recording); err != nil {
		r.unwatch()
		p.SetDialogs(nil)
		return nil, fmt.Errorf("starting to record %s: %w", r.start, err)
	}
	if r.start != "" && r.start != "about:blank" {
		r.merger.add(event{kind: navigation, url: r.start})
	}
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel = cancel
	r.work.Go(func() { r.worker(working) })
	return r, nil
}

func newKey() (string, error) {
	key := make([]byte, 8)
	if _, err := rand.Read(key); err != nil {
		return "", err
	}
	return hex.EncodeToString(key), nil
}

func (r *Recorder) tell(c Change) {
	r.shaping.change()
	if r.options.OnChange != nil {
		r.options.OnChange(c)
	}
}

// another tells that there is another picture.
func (r *Recorder) another() {
	r.shaping.mu.Lock()
	defer r.shaping.mu.Unlock()
	r.shaping.change()
}

// worker works on what was heard, in order, until the recorder ends.
func (r *Recorder) worker(ctx context.Context) {
	for {
		for _, h := range r.queue.take() {
			r.intake.take(ctx, h)
		}
		select {
		case <-r.queue.wake:
		case <-ctx.Done():
			for _, h := range r.queue.take() {
				r.intake.take(ctx, h)
			}
			return
		}
	}
}

// emit takes an event; while the recording is paused, only what concerns secrets.
func (r *Recorder) emit(e event) {
	r.shaping.mu.Lock()
	defer r.shaping.mu.Unlock()
	m := r.merger
	redactions, last := m.redactions, r.lastEdit()
	switch {
	case !r.shaping.paused || e.kind == learned || e.kind == opened: // a tab is known by its name from then on
		m.add(e)
	case e.kind == navigation:
		r.shaping.away[e.page] = e.url
	case m.secrets.marked(&e, m.names):
		m.purge()
	}
	if m.redactions > redactions {
		r.redacted(last != nil && last.good)
	}
}

// Stop ends the recording and gives what was recorded. When something was lost
// the error is an *IntegrityError, and the automation is what there is. A page
// that was closed is no error: closing it is a way to say that one is done. When
// the browser was lost the error says so (browser.ErrLost), beside what was heard
// until then. A second call gives the same again.
func (r *Recorder) Stop(ctx context.Context) (*automation.Automation, *Integrity, error) {
	r.stop.Do(func() { r.result, r.err = r.finish(ctx) })
	return r.result, r.intake.integrity, r.err
}

func (r *Recorder) finish(ctx context.Context) (*automation.Automation, error) {
	for _, p := range r.livePages() {
		p.SetDialogs(nil) // one that is open would hold up the end
	}
	r.drain(ctx)
	r.page.StopRecording(ctx)
	r.end()
	a, err := r.settle()
	if lost := r.page.Tree().Client().Err(); lost != nil {
		err = errors.Join(err, fmt.Errorf("recording: %w", lost))
	}
	return a, errors.Join(err, r.intake.integrity.Err())
}

// settle ends the steps, and makes the document of them.
func (r *Recorder) settle() (*automation.Automation, error) {
	r.shaping.mu.Lock()
	defer r.shaping.mu.Unlock()
	defer r.shaping.change()
	r.intake.close()
	r.merger.finish()
	r.merger.purge()
	r.merger.secrets.integrity(r.intake.integrity)
	a, err := r.automation()
	r.intake.integrity.Omitted = r.merger.leftOut()
	r.merger.secrets = newSecrets(r.merger.secrets.key) // nothing comes any more that could repeat one
	return a, err
}

// end stops the worker, after it has worked on all that was heard.
func (r *Recorder) end() {
	r.unwatch()
	r.cancel()
	r.work.Wait()
	close(r.ended)
}

// Done is closed when the recording has ended.
func (r *Recorder) Done() <-chan struct{} { return r.ended }

// Username is what was typed as a user name or e-mail address, to be offered as
// the account's label. It is good after Stop, and kept nowhere.
func (r *Recorder) Username() string { return r.merger.names.username }

// drain has every document tell what it has not told yet, and waits until all
// of it was worked on.
func (r *Recorder) drain(ctx context.Context) {
	var all []told
	for _, p := range r.livePages() {
		for _, f := range p.Frames() {
			if last, ok := lastWords(ctx, f); ok {
				all = append(all, last)
			}
		}
	}
	done := make(chan struct{})
	r.queue.put(heard{done: done})
	select {
	case <-done:
	case <-ctx.Done():
		return
	}
	for _, last := range all {
		r.intake.upTo(last.Doc, last.URL, last.Seq)
	}
}

// told is how far a document has come with what it has to tell.
type told struct {
	Doc string `json:"doc"`
	Seq int    `json:"seq"`
	URL string `json:"url"`
}

// hear has every document tell what it has not told yet.
func (r *Recorder) hear(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, longestHearing)
	defer cancel()
	var all sync.WaitGroup
	for _, p := range r.livePages() {
		for _, f := range p.Frames() {
			all.Go(func() { lastWords(ctx, f) })
		}
	}
	all.Wait()
}

// longestHearing bounds the wait for what a document has still to tell: one that
// shows a dialog tells nothing before it is answered.
const longestHearing = time.Second

// lastWords has a frame's document tell the rest, or the next one where that one
// is being left. A frame that is gone has no more to tell.
func lastWords(ctx context.Context, f *target.Frame) (last told, ok bool) {
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

// Change tells how the steps changed: a step has come to stand at Index, the one
// that stands there has changed, or it was taken away. A step that is moved is
// taken away and added again.
type Change struct {
	Op    Op
	Index int
	Step  automation.Step
	ID    int // of the step, as in Step.ID
}

// State is a recording as it is at one moment.
type State struct {
	Name     string // "" for one that is still to be made
	Steps    []Step
	Paused   bool
	Pointing Pointing // "" while nothing is to be pointed at
	Ended    bool
}

// Step is a step of a recording that is being made.
type Step struct {
	ID      int             // names it for as long as the recording lasts, wherever it stands
	Step    automation.Step // as it would be kept now
	On      string          // what the page calls its element; "" for none
	Kind    string          // of its element: a role, or a tag; "" for none
	Typed   bool            // its value was typed, and can be made a variable or a secret
	Secret  bool            // its value is a secret
	Picture bool            // there is a picture of its element
}

// State is the recording as it is now. changed is closed when it has become another
// one. It must not be called from OnChange.
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
		s.Kind = en.el.kind()
		if !r.merger.names.quotedIn(en.el.label) && automation.LooksSecret(en.el.label) == "" {
			s.On = en.el.label
		}
	}
	s.Picture = r.pictures.has(en.press)
	return s
}

// kind is what an element is, in one word for people.
func (e *element) kind() string {
	if e.role != "" && e.role != "generic" {
		return e.role
	}
	return e.tag
}
