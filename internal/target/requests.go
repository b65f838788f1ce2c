package target

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/weburl"
)

// A page's requests are paused for three reasons: to go over connections of their own
// (Fresh), to carry nothing away (Confine), and to wait until someone has judged them (Holding). Both are served by one
// interception: two would each let go what the other holds.

// mayCarry are the requests that are paused for the first and the last: those that may carry something. What a
// document is made of only reads.
var mayCarry = map[string]any{"patterns": []map[string]any{
	{"resourceType": "Document"}, {"resourceType": "XHR"}, {"resourceType": "Fetch"}, {"resourceType": "Ping"}, {"resourceType": "Other"},
}}

// Request is one that waits at the browser, unsent.
type Request struct {
	Method      string
	URL         string
	Kind        string // the protocol's ResourceType: "Document", "XHR", "Fetch", "Ping", …
	ContentType string
	Body        string   // as far as the browser tells it; it is for judging alone, and in nothing that is stored
	Headers     []string // of one that is looked at by Confine
	Size        int      // of the body, 0 where the browser does not tell

	page                   *Page
	session, id, networkID string
	going                  map[string]any // what has it go on
}

// Origin is that of the page's document. It is for those who have the tree locked.
func (r *Request) Origin() string {
	u, err := url.Parse(r.page.main.url)
	if err != nil {
		return ""
	}
	return weburl.Origin(u)
}

// Page is the page that sends it.
func (r *Request) Page() *Page { return r.page }

// Holding holds the requests of a page, of its frames and workers and of the pages that
// it opens meanwhile, until each is judged, and those that do not pass until they are
// continued or failed.
type Holding struct {
	page  *Page
	since uint64 // births: pages that it has opened later belong to it

	// Guarded by the tree.
	passes    func(*Request) bool
	held      []*Request
	judged    map[string]bool // requests that have been paused, by session and network's name
	lingering bool
}

// Hold begins that, and returns when it has. Passes is called with the tree locked, for
// each request that may change something: it must be quick, and call nothing of the tree.
// A page has one Holding at a time: the last. Stop it.
func (p *Page) Hold(ctx context.Context, passes func(*Request) bool) (*Holding, error) {
	h := &Holding{page: p, since: births.Load(), passes: passes, judged: map[string]bool{}}
	p.tree.Do(func() { p.holding = h })
	if err := p.intercept(ctx); err != nil {
		h.Stop()
		return nil, err
	}
	return h, nil
}

// intercept has every session of the page pause its requests. Input takes another way,
// and would overtake it: so it is waited for.
func (p *Page) intercept(ctx context.Context) error {
	if err := p.committed(ctx); err != nil {
		return err
	}
	for _, call := range p.pauseRequests() {
		if _, err := call.Wait(ctx); err != nil && !errors.Is(err, cdp.ErrSessionGone) {
			return err
		}
	}
	return nil
}

// committed waits until the browser's own process has taken up the document that is known here.
// Its renderer tells of one a moment before: what is enabled in between is enabled for the
// document before it, and this one's requests are never paused (6 of 10 with Chrome 156). A
// renderer that stands still, as with a dialog open, begins no document.
func (p *Page) committed(ctx context.Context) error {
	if p.Asking() != nil {
		return nil
	}
	_, err := p.Send("Page.getFrameTree", nil).Wait(ctx)
	return err
}

// pauseRequests has every session of the page pause the requests that are wanted. It never
// switches that off: in a browser that was told so, a form that is sent within some
// 100 ms of switching it on again is not paused at times (2 of 25 with Chrome 156).
func (p *Page) pauseRequests() []*cdp.Call {
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	var calls []*cdp.Call
	for _, s := range p.tree.sessions {
		if s.page == p {
			calls = append(calls, p.tree.client.Send(s.id, "Fetch.enable", p.paused()))
		}
	}
	for id, context := range p.tree.workers {
		if context == p.context {
			patterns := p.tree.pausedIn(context)
			if patterns == nil {
				patterns = noRequests
			}
			calls = append(calls, p.tree.client.Send(id, "Fetch.enable", patterns))
		}
	}
	return calls
}

// intercepts reports whether the page's requests are paused. The tree is locked.
func (p *Page) intercepts() bool { return p.fresh > 0 || p.holding != nil || p.leaks != nil }

// Held are the requests that wait, oldest first.
func (h *Holding) Held() []*Request {
	h.page.tree.mu.Lock()
	defer h.page.tree.mu.Unlock()
	return slices.Clone(h.held)
}

// WaitHeld returns when a request waits.
func (h *Holding) WaitHeld(ctx context.Context) error {
	return h.page.tree.Wait(ctx, func() (bool, error) { return len(h.held) > 0, h.page.err() })
}

// Sought returns when all that the page has asked for by now, as its traffic tells, has
// reached the browser, where it waits or goes on, or when something is held anyway.
func (h *Holding) Sought(ctx context.Context, traffic *Traffic) error {
	return h.page.tree.Wait(ctx, func() (bool, error) {
		if len(h.held) > 0 || h.page.asking != nil {
			return true, nil
		}
		for id, e := range traffic.live {
			if !e.onlyReads() && !e.Over() && !h.judged[id] {
				return false, h.page.err()
			}
		}
		for _, p := range h.page.family(h.since) {
			for _, f := range p.frames {
				if f.asked != "" && !f.sought && !f.gone {
					return false, nil
				}
			}
		}
		return true, h.page.err()
	})
}

// Continue sends a request that waits. An error says that it was not sent.
func (h *Holding) Continue(ctx context.Context, r *Request) error {
	if !h.take(r) {
		return errors.New("the page has withdrawn the request")
	}
	t := h.page.tree
	var closer string
	t.Do(func() {
		if r.page.fresh > 0 {
			closer = r.page.closer
			t.setAlone(r.page.context, r.networkID)
		}
	})
	if closer == "" {
		return t.ask(ctx, r.session, "Fetch.continueRequest", r.going, nil)
	}
	return t.sendAlone(ctx, r.page.context, closer, r.session, r.networkID, r.going)
}

// Fail ends a request that waits, unsent. The page hears that it was aborted.
func (h *Holding) Fail(ctx context.Context, r *Request) error {
	if !h.take(r) {
		return nil
	}
	err := h.page.tree.ask(ctx, r.session, "Fetch.failRequest", failing(r.id), nil)
	if errors.Is(err, cdp.ErrSessionGone) {
		return nil
	}
	return err
}

// maxJudged bounds what is remembered of a page that never rests.
const maxJudged = 1_000

func failing(id any) map[string]any {
	return map[string]any{"requestId": id, "errorReason": "Aborted"}
}

// closingTime bounds what is still said to a browser that is left.
const closingTime = time.Second

// FailHeld fails all that is held: a browser lets it go when its connection ends.
func (t *Tree) FailHeld() {
	t.mu.Lock()
	var failed []*cdp.Call
	for _, p := range t.pages {
		if p.holding == nil {
			continue
		}
		for _, r := range p.holding.held {
			failed = append(failed, t.client.Send(r.session, "Fetch.failRequest", failing(r.id)))
		}
		p.holding.held = nil
	}
	t.mu.Unlock()
	ctx, cancel := load.WithTimeout(context.Background(), closingTime)
	defer cancel()
	for _, call := range failed {
		_, _ = call.Wait(ctx) // the connection may have ended
	}
}

func (h *Holding) take(r *Request) bool {
	h.page.tree.mu.Lock()
	defer h.page.tree.mu.Unlock()
	i := slices.Index(h.held, r)
	if i >= 0 {
		h.held = slices.Delete(h.held, i, i+1)
	}
	return i >= 0
}

// Stop ends it; what waits fails.
func (h *Holding) Stop() {
	t := h.page.tree
	t.mu.Lock()
	for _, r := range h.held {
		t.client.Send(r.session, "Fetch.failRequest", failing(r.id))
	}
	h.held = nil
	var over []*Page
	for _, p := range h.page.family(h.since) {
		if p.holding == h {
			p.holding = nil
			if !p.intercepts() {
				over = append(over, p)
			}
		}
	}
	t.mu.Unlock()
	for _, p := range over {
		p.pauseRequests()
	}
}

// Linger stops it after a while: until then what does not pass fails. It is for what a
// page sends late, once no one is there any more who could be asked.
func (h *Holding) Linger(atMost time.Duration) {
	t := h.page.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	h.lingering = true
	for _, r := range h.held {
		t.client.Send(r.session, "Fetch.failRequest", failing(r.id))
	}
	h.held = nil
	t.job(func(ctx context.Context) {
		ctx, cancel := load.WithTimeout(ctx, atMost)
		defer cancel()
		select {
		case <-ctx.Done():
		case <-h.page.done:
		}
		h.Stop()
	})
}

// Holding is what holds the page's requests, nil where nothing does.
func (p *Page) Holding() *Holding {
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	return p.holding
}

// pausedEvent is what the browser tells of a request that is paused.
type pausedEvent struct {
	RequestID string `json:"requestId"`
	NetworkID string `json:"networkId"`
	FrameID   string `json:"frameId"`
	Kind      string `json:"resourceType"`
	Request   struct {
		Method  string            `json:"method"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"postData"`
		HasBody bool              `json:"hasPostData"`
		Entries []struct {
			Bytes string `json:"bytes"`
		} `json:"postDataEntries"`
	} `json:"request"`
}

// onPaused lets a request go on, or keeps it until someone says what becomes of it.
func (t *Tree) onPaused(s *session, params json.RawMessage) {
	var e pausedEvent
	if s == nil || json.Unmarshal(params, &e) != nil {
		return
	}
	p := s.page
	if f := p.frames[e.FrameID]; f != nil && e.Kind == "Document" {
		f.sought = true
		t.change()
	}
	if p.carriesAway(&e, s.id) {
		return
	}
	going := e.going(t.headersFor(p.context, e.Request.URL))
	if onlyReads(e.Request.Method) {
		t.read(p.context, waitingRead{s.id, e.NetworkID, going})
		return
	}
	if h := p.holding; h != nil {
		if len(h.judged) >= maxJudged {
			clear(h.judged)
		}
		h.judged[s.id+" "+e.NetworkID] = true
		t.change()
		if h.holds(e.request(p, s.id)) {
			return
		}
	}
	t.goOn(p, s.id, e.NetworkID, going)
}

// holds keeps a request that does not pass, or fails it once no one can be asked.
func (h *Holding) holds(r *Request) bool {
	t := h.page.tree
	switch {
	case h.passes(r):
		return false
	case h.lingering:
		t.client.Send(r.session, "Fetch.failRequest", failing(r.id))
	default:
		h.held = append(h.held, r)
		t.change()
	}
	return true
}

// goOn sends a request, on a connection of its own where someone wants that. The tree is locked.
func (t *Tree) goOn(p *Page, session, networkID string, going map[string]any) {
	if p.fresh == 0 {
		t.client.Send(session, "Fetch.continueRequest", going)
		return
	}
	closer := p.closer
	t.setAlone(p.context, networkID)
	t.job(func(ctx context.Context) { _ = t.sendAlone(ctx, p.context, closer, session, networkID, going) })
}

func (e *pausedEvent) request(p *Page, session string) *Request {
	r := &Request{Method: e.Request.Method, URL: e.Request.URL, Kind: e.Kind, Body: e.Request.Body, page: p, session: session, id: e.RequestID, networkID: e.NetworkID}
	r.going = e.going(p.tree.headersFor(p.context, e.Request.URL))
	for name, value := range e.Request.Headers {
		switch strings.ToLower(name) {
		case "content-type":
			r.ContentType, _, _ = strings.Cut(value, ";")
		case "x-http-method-override", "x-method-override":
			r.Method = strings.ToUpper(value)
		}
	}
	var body []byte
	for _, entry := range e.Request.Entries {
		part, _ := base64.StdEncoding.DecodeString(entry.Bytes)
		body = append(body, part...)
	}
	if r.Body == "" {
		r.Body = string(body)
	}
	r.Size = max(len(body), len(r.Body))
	return r
}

// Confine fails, unsent, each request of the page, of its frames and dedicated workers and
// of the pages that it opens, for which leaks returns true: of every kind, also what only
// reads. Leaks is called with the tree locked, so it must be quick and call nothing of the
// tree. A page has one such function, the last, as long as it lives.
func (p *Page) Confine(ctx context.Context, leaks func(*Request) bool) error {
	var already bool
	p.tree.Do(func() { already, p.leaks = p.leaks != nil, leaks })
	if already {
		return nil
	}
	return p.intercept(ctx)
}

// What is paused, besides mayCarry: every request, and none.
var (
	allRequests = map[string]any{"patterns": []map[string]any{{}}}
	noRequests  = map[string]any{"patterns": []map[string]any{{"urlPattern": "none:"}}}
)

// paused returns which requests are paused. The tree is locked.
func (p *Page) paused() map[string]any {
	var patterns map[string]any
	switch {
	case p.leaks != nil:
		return allRequests
	case p.intercepts():
		patterns = mayCarry
	}
	if patterns = p.tree.withHeaders(p.context, patterns); patterns == nil {
		return noRequests
	}
	return patterns
}

// carriesAway fails a request that would carry something away; false where it would not.
func (p *Page) carriesAway(e *pausedEvent, session string) bool {
	if p.leaks == nil {
		return false
	}
	r := e.request(p, session)
	for name, value := range e.Request.Headers {
		r.Headers = append(r.Headers, name+": "+value)
	}
	slices.Sort(r.Headers)
	if !p.leaks(r) {
		return false
	}
	p.tree.client.Send(session, "Fetch.failRequest", map[string]any{"requestId": e.RequestID, "errorReason": "BlockedByClient"})
	return true
}

// Service workers and shared workers belong to no page: several of a browser context share
// them, and what they ask for is in no page's session. Their requests are paused for the
// pages of their context, and judged as one of these pages'. A dedicated worker's requests
// are those of its page.

// isShared reports whether a target is such a worker, and not one of an extension.
func isShared(info targetInfo) bool {
	return (info.Type == "service_worker" || info.Type == "shared_worker") && strings.HasPrefix(info.URL, "http")
}

// attachWorker pauses the requests of a worker that has not begun. The tree is locked.
func (t *Tree) attachWorker(sessionID string, info targetInfo) {
	t.workers[sessionID] = info.BrowserContextID
	if patterns := t.pausedIn(info.BrowserContextID); patterns != nil {
		t.client.Send(sessionID, "Fetch.enable", patterns)
	}
}

// pausedIn returns which requests of a browser context's workers are paused, nil for none.
func (t *Tree) pausedIn(context string) map[string]any {
	var patterns map[string]any
	for _, p := range t.pages {
		switch {
		case p.context != context:
		case p.leaks != nil:
			return allRequests
		case p.holding != nil:
			patterns = mayCarry
		}
	}
	return t.withHeaders(context, patterns)
}

// onWorkerPaused fails, holds or lets go what a worker asks for.
func (t *Tree) onWorkerPaused(sessionID string, params json.RawMessage) {
	var e pausedEvent
	if json.Unmarshal(params, &e) != nil {
		return
	}
	for _, p := range t.pages {
		if p.context == t.workers[sessionID] && p.carriesAway(&e, sessionID) {
			return
		}
	}
	if !onlyReads(e.Request.Method) {
		for _, p := range t.pages {
			if p.context == t.workers[sessionID] && p.holding != nil && p.holding.holds(e.request(p, sessionID)) {
				return
			}
		}
	}
	t.read(t.workers[sessionID], waitingRead{sessionID, e.NetworkID, e.going(t.headersFor(t.workers[sessionID], e.Request.URL))})
}

// NoteSecret notes that a secret was typed at an origin: pages of the browser share one
// clipboard, and a page may have put there what was typed in it.
func (t *Tree) NoteSecret(origin string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.secretOrigins, origin) {
		t.secretOrigins = append(t.secretOrigins, origin)
	}
}

// HoldsSecrets reports whether a secret was typed anywhere in the browser.
func (t *Tree) HoldsSecrets() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.secretOrigins) > 0
}

// MayPaste reports whether no secret of another origin may be in the clipboard.
func (t *Tree) MayPaste(origin string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !slices.ContainsFunc(t.secretOrigins, func(other string) bool { return other != origin })
}
