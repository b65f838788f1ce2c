package handoff

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// Limits of a handoff.
const (
	// DefaultTimeout is how long a person may take, and MaxTimeout how long at most.
	DefaultTimeout = 30 * time.Minute
	MaxTimeout     = time.Hour
	// MaxTries is how often a person may return a page that does not show what Request.Until asks for.
	MaxTries = 3
)

// Options of a Desk.
type Options struct {
	// Store holds the records. It is needed, and stays the caller's.
	Store store.Store
	// PublicURL is where people reach the desk's Path: scheme and host, https but for this machine.
	// Default: "", there are no links, and a person comes to the computer.
	PublicURL string
	// Notify is told of each request, with the link that its person opens. It must not block.
	Notify func(Notice)
	// Process is this one, so that others can tell when its pages have gone with it. Default: nil, they cannot.
	Process *store.Process
	// Timeout of requests that have none. Default: DefaultTimeout.
	Timeout time.Duration
	// Secrets returns where a person puts the secrets of what they have the desk keep (see learn.go).
	// Default: nowhere, and only the automation is saved.
	Secrets func() (*sealed.SecretStore, error)
	// KeyMade is called when the first key was made for that: it should be backed up. Default: no one is told.
	KeyMade func()
	// Logger is told of what goes wrong unseen. Default: silent.
	Logger *slog.Logger
}

// Request is what a person is asked to do.
type Request struct {
	// Page is handed over. It is needed. Until it is returned no one else uses it: Desk.Held tells.
	Page *browser.Page
	// Reason is why a person is needed. It is needed.
	Reason automation.Reason
	// Doing is what was being done, Blocker what blocks it, and Instruction what the person is to do,
	// of at most store.MaxInstruction bytes: all for the person.
	Doing, Blocker, Instruction string
	// Tried is what was done before the person was called, and why that was not enough. Default: nothing was.
	Tried string
	// Until is what the page must show when it is returned: a glob of an address, which has a scheme, or a
	// selector. Default: "", the person decides.
	Until string
	// Run, Step (an index, -1 for none), Automation and Account are of the run that asks, Session of the
	// agent; "" for none.
	Run, Automation, Account, Session string
	Step                              int
	// Browser is the store.Browser.Session of the browser, with which Desk.Restore goes on after a crash. Default:
	// that of the page's, "" for a browser that ends with its process.
	Browser string
	// Timeout is how long the person may take, at most MaxTimeout. Default: Options.Timeout.
	Timeout time.Duration
	// Capture takes a picture before and after, with what is secret covered.
	Capture bool
	// Redact removes secrets from what is stored and shown. Default: it knows none.
	Redact *replayer.Redactor
	// OnSecret is told of what the person types into a field for secrets, bound to the origin of that: pages may repeat
	// it to who goes on. It is stored nowhere. Default: no one is told.
	OnSecret func(automation.Secret)
}

// Status is how a handoff stands.
type Status = store.HandoffState

// The states of a handoff. All but Running are ends, and only Finished is a success.
const (
	Running   = store.HandoffRunning
	Finished  = store.HandoffFinished
	Cancelled = store.HandoffCancelled
	TimedOut  = store.HandoffTimedOut
)

// Result is how a handoff ended.
type Result struct {
	ID     string     `json:"handoff_id"`
	Status Status     `json:"status"`
	Before Checkpoint `json:"before"`
	After  Checkpoint `json:"after"`
	Delta  Delta      `json:"delta"`
	// Summary is Delta in a line, and Hint what one who goes on does first.
	Summary string `json:"delta_summary"`
	Hint    string `json:"resume_hint"`
	// Pictures are those before and after, as PNG, where Request.Capture asks for them.
	Pictures [][]byte `json:"-"`
}

var (
	// ErrHeld is the error of what is asked of a page that a person has.
	ErrHeld = errors.New("handoff: a person has the page")
	// ErrOpened is the error of an agent that ends a handoff which a person has opened.
	ErrOpened = errors.New("handoff: a person has opened it, and ends it")
	// ErrUnmet is the error of a handoff that is ended while the page does not show what Request.Until asks for.
	ErrUnmet = errors.New("handoff: it is not finished")
	// ErrTooLong is the error of a request that says more than a person reads.
	ErrTooLong = errors.New("too long")
	// ErrClosed is the error of what is asked of a desk that was closed.
	ErrClosed = errors.New("handoff: the desk was closed")
)

// Desk has the handoffs of a process. It is safe for concurrent use. Close it.
type Desk struct {
	options Options
	secure  bool // it is reached over https

	mu     sync.Mutex
	open   map[string]*Handoff
	offers map[string]*offer     // of handoffs that have ended
	others map[string]bool       // handoffs that another process had begun
	starts map[*target.Page]bool // whose handoffs have no record yet
	closed bool
	subs   map[chan Event]struct{}
	work   sync.WaitGroup
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
}

// New makes a desk.
func New(o *Options) (*Desk, error) {
	if o == nil || o.Store == nil {
		return nil, errors.New("handoff: Options.Store is needed")
	}
	d := &Desk{options: *o, open: map[string]*Handoff{}, offers: map[string]*offer{}, others: map[string]bool{}, starts: map[*target.Page]bool{}, subs: map[chan Event]struct{}{}}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	if d.options.Logger == nil {
		d.options.Logger = slog.New(slog.DiscardHandler)
	}
	if d.options.Timeout <= 0 {
		d.options.Timeout = DefaultTimeout
	}
	if o.PublicURL == "" {
		return d, nil
	}
	u, err := CheckPublicURL(o.PublicURL)
	if err != nil {
		return nil, err
	}
	d.options.PublicURL, d.secure = u.Scheme+"://"+u.Host, u.Scheme == "https"
	return d, nil
}

// CheckPublicURL parses an address for Options.PublicURL.
func CheckPublicURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("handoff: the public URL %.80q is not a scheme and a host, such as https://reprise.example", address)
	case u.Scheme != "https" && !(u.Scheme == "http" && weburl.IsLoopback(u.Hostname())):
		return nil, fmt.Errorf("handoff: the public URL %.80q is not https: who reads along has the browser", address)
	}
	return u, nil
}

// Handoff is one page in the hands of a person.
type Handoff struct {
	desk    *Desk
	request Request
	page    *browser.Page
	before  Checkpoint
	done    chan struct{} // closed when it has ended
	cancel  context.CancelFunc
	dialogs target.DialogPolicy // of the page, before and after
	// extended is sent to when the deadline has moved.
	extended chan struct{}

	mu       sync.Mutex
	record   store.Handoff
	result   Result // set when done is closed
	ending   bool
	unmet    string // what the page did not show when it was last returned
	tries    int
	untold   string // why no one could be told of it
	typed    bool   // something was typed
	secrets  typedSecrets
	keys     keys
	pictures [][]byte
	live     *live             // the view of the page, nil while no one looks
	inboxes  map[string]*inbox // by session and page of a device
	learning *learning
}

// Start asks a person, and returns at once. The handoff ends by Handoff.Finish or Cancel, by the person, by
// its deadline, or with the page.
func (d *Desk) Start(ctx context.Context, r Request) (*Handoff, error) {
	if r.Page == nil || r.Reason == "" {
		return nil, errors.New("handoff: Request.Page and Reason are needed")
	}
	if err := replayer.CheckUntil(r.Until); err != nil {
		return nil, err
	}
	if len(r.Instruction) > store.MaxInstruction {
		return nil, fmt.Errorf("handoff: %w: the instruction has %d bytes, and may have %d", ErrTooLong, len(r.Instruction), store.MaxInstruction)
	}
	r.Browser = cmp.Or(r.Browser, r.Page.Browser().InstanceID())
	r.Timeout = min(cmp.Or(r.Timeout, d.options.Timeout), MaxTimeout)
	if r.Redact == nil {
		r.Redact = replayer.NewRedactor()
	}
	h := &Handoff{desk: d, request: r, page: r.Page, done: make(chan struct{}), extended: make(chan struct{}, 1), learning: &learning{}}
	if err := d.reserve(h.page); err != nil {
		return nil, err
	}
	if err := h.begin(ctx); err != nil {
		d.mu.Lock()
		delete(d.starts, h.page.Target())
		d.mu.Unlock()
		return nil, err
	}
	return h, nil
}

// reserve takes a page for a handoff that has no record yet: serve, or a start that fails, ends that.
func (d *Desk) reserve(page *browser.Page) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return ErrClosed
	case d.held(page) != nil || d.starts[page.Target()]:
		return ErrHeld
	}
	d.starts[page.Target()] = true
	return nil
}

func (h *Handoff) begin(ctx context.Context) error {
	r := h.request
	h.before = measure(ctx, h.page, r.Redact, false)
	h.capture(ctx)
	if len(h.pictures) > 0 {
		h.before.ScreenshotRef = hash(string(h.pictures[0]))
	}
	before, err := json.Marshal(h.before)
	if err != nil {
		return err
	}
	doing := r.Redact.Text(strings.Join(notEmpty(r.Doing, r.Blocker, r.Tried), ": "))
	h.record, err = h.desk.options.Store.Handoffs().Start(ctx, store.Handoff{
		Run: r.Run, Session: r.Session, Step: r.Step, Reason: string(r.Reason), Doing: doing, URL: h.before.URL,
		Instruction: shorten(r.Redact.Text(r.Instruction), store.MaxInstruction), Until: r.Until, Automation: r.Automation, Account: r.Account,
		Browser: r.Browser, Page: h.page.ID(), Capture: r.Capture, Before: before,
	}, r.Timeout)
	if err != nil {
		return err
	}
	link, err := h.Link(ctx, true)
	if err == nil { // who looks for what to tell makes a link from here on, and this one must not be in its place
		err = h.noteServed(ctx)
	}
	if err != nil {
		_, failed := h.desk.options.Store.Handoffs().End(context.WithoutCancel(ctx), h.record.ID, Cancelled, nil)
		return errors.Join(err, failed)
	}
	h.serve()
	h.desk.tell(h.notice(link))
	h.tellRun(store.WaitingForPerson)
	return nil
}

// shorten cuts a text to so many bytes: without its secrets it may be longer than it was.
func shorten(text string, size int) string {
	const more = "…"
	if len(text) <= size {
		return text
	}
	return strings.ToValidUTF8(text[:size-len(more)], "") + more
}

// tellRun tells programs how the run stands that has asked.
func (h *Handoff) tellRun(state store.RunState) {
	if h.request.Run != "" {
		h.desk.publish(Event{Kind: RunUpdate, Run: h.request.Run, Handoff: h.record.ID, Status: string(state)})
	}
}

// serve has the desk know the handoff by its ID, and end it in time.
func (h *Handoff) serve() {
	d := h.desk
	d.mu.Lock()
	delete(d.starts, h.page.Target())
	d.open[h.record.ID] = h
	closed := d.closed
	d.mu.Unlock()
	h.dialogs = h.page.Target().SetDialogs(target.LeaveDialogs)
	ctx, cancel := context.WithCancel(context.Background())
	h.cancel = cancel
	if closed { // since it was reserved
		h.end(Cancelled)
		return
	}
	d.work.Go(func() {
		timer, look := time.NewTimer(time.Until(h.Deadline())), time.NewTicker(lookEvery)
		defer timer.Stop()
		defer look.Stop()
		for {
			select {
			case <-timer.C:
				if left := time.Until(h.Deadline()); left > 0 {
					timer.Reset(left)
					continue
				}
				h.end(TimedOut)
			case <-h.extended:
				timer.Reset(time.Until(h.Deadline()))
			case <-h.page.Done():
				h.end(Cancelled)
			case <-look.C: // another process may have cancelled it
				if now, err := d.options.Store.Handoffs().Get(ctx, h.record.ID); err == nil && now.State != Running {
					h.end(now.State)
				}
			case <-ctx.Done():
				return
			}
		}
	})
}

func notEmpty(texts ...string) (all []string) {
	for _, text := range texts {
		if text != "" {
			all = append(all, text)
		}
	}
	return all
}

// Request asks a person, and waits. When ctx ends the handoff is cancelled.
func (d *Desk) Request(ctx context.Context, r Request) (Result, error) {
	h, err := d.Start(ctx, r)
	if err != nil {
		return Result{}, err
	}
	result, err := h.Wait(ctx)
	if err != nil {
		h.Cancel()
	}
	return result, err
}

// ID is that of the record.
func (h *Handoff) ID() string { return h.record.ID }

// Deadline is when it times out.
func (h *Handoff) Deadline() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.record.Deadline
}

// Line says in a line that it goes on, why, and until when, and that no one could be told of it.
func (h *Handoff) Line() string {
	line := fmt.Sprintf("handoff %s (%s): a person has until %s", h.ID(), h.record.Reason, h.Deadline().Format(time.RFC3339))
	if why := h.NotTold(); why != "" {
		line += "; no one could be told of it: " + why
	}
	return line
}

// NotTold is why no one could be told of it last, "" where someone was, or nothing tells people.
func (h *Handoff) NotTold() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.untold
}

// Opened reports whether a person has opened its link.
func (h *Handoff) Opened() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.keys.opened()
}

// Wait returns the result, or context.Cause of ctx.
func (h *Handoff) Wait(ctx context.Context) (Result, error) {
	select {
	case <-h.done:
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.result, nil
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
}

// Return is the person's "done". Where the page does not show what Request.Until asks for, unmet says what is
// missing, and the person goes on; after MaxTries the handoff is cancelled. Of a page that repeats a secret, in which no
// words are looked for, the person is believed.
func (h *Handoff) Return(ctx context.Context) (unmet string, err error) {
	h.noteSecrets(ctx)
	unmet, err = h.looksForUntil(ctx)
	if errors.Is(err, replayer.ErrHidden) {
		err = nil
	}
	return h.returned(ctx, unmet, err)
}

// looksForUntil returns what the page does not show of Request.Until.
func (h *Handoff) looksForUntil(ctx context.Context) (unmet string, err error) {
	defer h.leaveDialogs()
	return replayer.Unmet(ctx, h.page, h.request.Until, h.redactor())
}

// notLooked is what a person is told of a page that could not be looked at.
const notLooked = "the page could not be looked at"

// returned ends the handoff if nothing is unmet, or that was so too often; else the person goes on.
func (h *Handoff) returned(ctx context.Context, unmet string, err error) (string, error) {
	if err != nil {
		h.mu.Lock()
		h.unmet = notLooked
		h.mu.Unlock()
		return "", err
	}
	h.mu.Lock()
	h.unmet = unmet
	if unmet != "" {
		h.tries++
	}
	tries := h.tries
	h.mu.Unlock()
	switch {
	case unmet == "":
		h.end(Finished)
	case tries >= MaxTries:
		h.end(Cancelled)
	default:
		h.noteUnmet(ctx, unmet)
		h.desk.tell(h.notice(""))
	}
	return unmet, nil
}

// UnmetEvent is the kind of the events that a page was returned which did not show what it must; Data is a JSON string.
const UnmetEvent = "unmet"

// noteUnmet has other processes know what is missing.
func (h *Handoff) noteUnmet(ctx context.Context, unmet string) {
	data, err := json.Marshal(h.redactor().Text(unmet))
	if err == nil {
		_, err = h.desk.options.Store.Handoffs().Note(ctx, h.record.ID, store.HandoffEvent{ID: rand.Text(), Kind: UnmetEvent, Data: data})
	}
	if err != nil {
		h.desk.options.Logger.WarnContext(ctx, "what a page does not show was not written down", "handoff", h.record.ID, "error", err)
	}
}

// leaveDialogs leaves the page's dialogs to the person, also after something else has looked at it.
func (h *Handoff) leaveDialogs() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ending {
		h.page.Target().SetDialogs(target.LeaveDialogs)
	}
}

// Finish ends it for the program or the agent that has started it, as finished. Once a person has opened it,
// it is theirs to end: ErrOpened. While the page does not show what Request.Until asks for the error is ErrUnmet, and
// the handoff goes on: that is not one of the person's tries.
func (h *Handoff) Finish(ctx context.Context) (Result, error) {
	if h.Opened() {
		return Result{}, ErrOpened
	}
	unmet, err := h.looksForUntil(ctx)
	if h.Opened() { // meanwhile
		return Result{}, ErrOpened
	}
	if err == nil && unmet != "" {
		err = fmt.Errorf("%w: %s", ErrUnmet, unmet)
	}
	if err != nil {
		return Result{}, err
	}
	h.end(Finished)
	return h.Wait(ctx)
}

// Cancel ends it without success.
func (h *Handoff) Cancel() { h.end(Cancelled) }

// lookEvery is how soon the end of a handoff by another process is seen.
const lookEvery = 2 * time.Second

// endTimeout bounds what is written down at an end.
const endTimeout = 30 * time.Second

// end ends it once: the page is measured, the record written, and those who wait are told.
func (h *Handoff) end(status Status) {
	h.mu.Lock()
	if h.ending {
		h.mu.Unlock()
		<-h.done
		return
	}
	h.ending = true
	view, typed := h.live, h.typed
	h.mu.Unlock()
	ctx, cancel := load.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	if view != nil {
		view.stop() // the person touches nothing from here on
	}
	learned, err := h.learning.stop(ctx) // what is done from here on is not the person's
	if err != nil {
		h.notOffered(ctx, err.Error())
	}
	h.noteSecrets(ctx)
	h.tellSecrets()
	after := measure(ctx, h.page, h.redactor(), typed)
	h.capture(ctx)
	if n := len(h.pictures); n > 1 {
		after.ScreenshotRef = hash(string(h.pictures[n-1]))
	}
	data, err := json.Marshal(after)
	if err == nil {
		var ended store.Handoff
		ended, err = h.desk.options.Store.Handoffs().End(ctx, h.record.ID, status, data)
		var other *store.HandoffStateError
		if errors.As(err, &other) && other.From != Running {
			status = other.From // by its deadline, or by another process
			_, err = h.desk.options.Store.Handoffs().End(ctx, h.record.ID, TimedOut, data)
			if errors.As(err, &other) {
				err = nil
			}
		} else if err == nil {
			status = ended.State
		}
	}
	if err != nil {
		h.desk.options.Logger.ErrorContext(ctx, "the end of a handoff was not written down", "handoff", h.record.ID, "error", err)
		status = Cancelled // what is not written down is no success
	}
	if status == Finished && learned != nil {
		h.offer(ctx, learned)
	}
	delta := Compare(h.before, after)
	h.page.Target().SetDialogs(h.dialogs)
	h.mu.Lock()
	h.record.State = status
	h.result = Result{ID: h.record.ID, Status: status, Before: h.before, After: after, Delta: delta, Summary: delta.String(), Hint: hint(status, delta, after), Pictures: h.pictures}
	h.mu.Unlock()
	h.desk.release(h)
	h.cancel()
	close(h.done)
	h.desk.publish(Event{Kind: ActionResolved, Handoff: h.record.ID, Run: h.request.Run, Status: string(status)})
	h.tellRun(store.Running)
}

// capture takes a picture, where one is asked for, with what is secret covered.
func (h *Handoff) capture(ctx context.Context) {
	if !h.request.Capture || h.page.Err() != nil {
		return
	}
	png, err := replayer.TakePicture(ctx, h.page, h.redactor())
	if err != nil {
		h.desk.options.Logger.DebugContext(ctx, "no picture of a handoff", "error", err)
		return
	}
	h.pictures = append(h.pictures, png)
}

// Picture returns a PNG of what the person sees now, in which what is secret is covered.
func (h *Handoff) Picture(ctx context.Context) ([]byte, error) {
	defer h.leaveDialogs()
	return replayer.TakePicture(ctx, h.shownPage(), h.redactor())
}

// shownPage is the page that the person has: the handed one, or a tab of it.
func (h *Handoff) shownPage() *browser.Page {
	h.mu.Lock()
	l := h.live
	h.mu.Unlock()
	if l != nil {
		return cmp.Or(l.shown(), h.page)
	}
	return h.page
}

// ResultOf is the result of a handoff as its record tells it, without pictures. Of one that is RUNNING in another
// process, After and Delta are empty.
func ResultOf(h store.Handoff) (Result, error) {
	r := Result{ID: h.ID, Status: h.State}
	if len(h.Before) > 0 {
		if err := json.Unmarshal(h.Before, &r.Before); err != nil {
			return r, fmt.Errorf("handoff: reading what was measured: %w", err)
		}
	}
	if len(h.After) == 0 {
		r.Hint = hint(r.Status, r.Delta, r.After)
		return r, nil
	}
	if err := json.Unmarshal(h.After, &r.After); err != nil {
		return r, fmt.Errorf("handoff: reading what was measured: %w", err)
	}
	r.Delta = Compare(r.Before, r.After)
	r.Summary, r.Hint = r.Delta.String(), hint(r.Status, r.Delta, r.After)
	return r, nil
}

func (d *Desk) release(h *Handoff) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, h.record.ID)
}

// Get returns a handoff that is RUNNING in this process, nil for none.
func (d *Desk) Get(id string) *Handoff {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[id]
}

// Restored reports whether a handoff was begun by another process, which has gone: those who asked there ask here.
func (d *Desk) Restored(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.others[id]
}

// Held returns the handoff that a page belongs to, nil where no person has it. With a page the person has the others of
// its browser context: the live view shows them, and what is typed in one may be read in another.
func (d *Desk) Held(page *browser.Page) *Handoff {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.held(page)
}

// held is Held with the desk locked.
func (d *Desk) held(page *browser.Page) *Handoff {
	for _, h := range d.open {
		if page != nil && h.page.Target().SharesContext(page.Target()) {
			return h
		}
	}
	return nil
}

// removeWith removes a directory when a page is closed, or the desk.
func (d *Desk) removeWith(page *browser.Page, dir string) {
	d.work.Go(func() {
		select {
		case <-page.Done():
		case <-d.ctx.Done():
		}
		_ = os.RemoveAll(dir)
	})
}

// Close cancels all that is RUNNING, and ends the streams.
func (d *Desk) Close() {
	d.mu.Lock()
	d.closed = true
	all := make([]*Handoff, 0, len(d.open))
	for _, h := range d.open {
		all = append(all, h)
	}
	d.mu.Unlock()
	for _, h := range all {
		h.Cancel()
	}
	d.cancel()
	d.work.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	for sub := range d.subs {
		close(sub)
		delete(d.subs, sub)
	}
}

// Store is that of Options.
func (d *Desk) Store() store.Store { return d.options.Store }
