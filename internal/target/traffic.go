package target

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/commit"
)

// Exchange is a request of a page and what came of it.
type Exchange struct {
	Method string
	URL    string
	Type   string // "Document", "XHR", "Fetch", "Ping", …: the protocol's ResourceType
	Status int    // of the reply; 0 while there is none
	Failed string // why there will be none
	Whole  bool   // all of the reply is there, or no more of it will come

	began    time.Time
	answered time.Time
	heard    time.Time // when something of the reply has come last
	atOnce   bool      // the reply says that it is short: all of it comes with its headers
	inFrame  bool
}

func (e *Exchange) onlyReads() bool { return onlyReads(e.Method) }

func onlyReads(method string) bool { return commit.OnlyReads(method) }

// Over reports whether the request was answered, or failed.
func (e *Exchange) Over() bool { return e.Status != 0 || e.Failed != "" }

// Traffic are the requests that a page makes while they are watched, with its frames and
// the pages that it opens meanwhile: where they go, never what they carry.
type Traffic struct {
	page   *Page
	since  uint64 // births: pages that it has opened later belong to it
	remove func()

	sent func(*Page, Sent) // nil where no one asks for each; then no request is stored

	// Guarded by the tree.
	all     []*Exchange
	live    map[string]*Exchange // by session and request
	lasting map[string]bool      // addresses that are answered late, if ever
	asked   map[string]int       // how often an address was read
	news    bool                 // a reply has come that the page may not have dealt with
	sockets sockets
}

// keptExchanges bounds what is remembered of a page that never rests.
const keptExchanges = 10_000

// WatchTraffic watches the requests of a page from its return on. Stop it.
func (p *Page) WatchTraffic(ctx context.Context) (*Traffic, error) {
	return p.watch(ctx, nil)
}

func (p *Page) watch(ctx context.Context, sent func(*Page, Sent)) (*Traffic, error) {
	t := &Traffic{page: p, since: births.Load(), sent: sent, live: map[string]*Exchange{}, lasting: map[string]bool{}, asked: map[string]int{}, sockets: sockets{all: map[string]*socket{}}}
	p.tree.mu.Lock()
	p.traffic++
	var enabling []*cdp.Call
	for id := range p.watchedSessions() {
		enabling = append(enabling, p.watchTraffic(id))
	}
	t.remove = p.tree.client.OnEvent(t.onEvent)
	p.tree.mu.Unlock()
	for _, call := range enabling { // input takes another way, and would overtake it
		if _, err := call.Wait(ctx); err != nil && !errors.Is(err, cdp.ErrSessionGone) {
			t.Stop()
			return nil, err
		}
	}
	return t, nil
}

// watchTraffic has a session tell of its requests, without their bodies.
func (p *Page) watchTraffic(sessionID string) *cdp.Call {
	return p.tree.client.Send(sessionID, "Network.enable", map[string]any{"maxTotalBufferSize": 0, "maxResourceBufferSize": 0, "maxPostDataSize": 0})
}

// watchedSessions are those of the page, of its frames and of their workers. The tree is locked.
func (p *Page) watchedSessions() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, all := range []map[string]*session{p.tree.sessions, p.tree.dedicated} {
			for id, s := range all {
				if s.page == p && !yield(id) {
					return
				}
			}
		}
	}
}

// Stop ends the watch.
func (t *Traffic) Stop() {
	t.remove()
	p := t.page
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	for _, of := range p.family(t.since) {
		if of.traffic--; of.traffic > 0 {
			continue
		}
		if e := p.tree.emulation(of.context); e != nil && e.Offline {
			continue // with the domain, what it emulates would end
		}
		for id := range of.watchedSessions() {
			p.tree.client.Send(id, "Network.disable", nil)
		}
	}
}

// family are the page and those that it, or one of them, has opened since. The tree is
// locked.
func (p *Page) family(since uint64) []*Page {
	all := []*Page{p}
	for _, other := range p.tree.pages {
		if other.isOf(p, since) {
			all = append(all, other)
		}
	}
	return all
}

func (p *Page) isOf(first *Page, since uint64) bool {
	for at := p; at != nil && at != first && at.born > since; at = at.opener {
		if at.opener == first {
			return true
		}
	}
	return false
}

// Mark is the number of requests so far.
func (t *Traffic) Mark() int {
	t.page.tree.mu.Lock()
	defer t.page.tree.mu.Unlock()
	return len(t.all)
}

// WaitReply returns the first exchange after a mark that was answered and satisfies
// ok, and the mark after it.
func (t *Traffic) WaitReply(ctx context.Context, mark int, ok func(Exchange) bool) (Exchange, int, error) {
	var found Exchange
	err := t.page.tree.Wait(ctx, func() (bool, error) {
		for i, e := range t.all[min(mark, len(t.all)):] {
			if e.Status != 0 && ok(*e) {
				found, mark = *e, mark+i+1
				return true, nil
			}
		}
		return false, t.page.err()
	})
	return found, mark, err
}

func (t *Traffic) waitAll(ctx context.Context, mark int, which func(Exchange) bool, is func(*Exchange) bool) error {
	return t.page.tree.Wait(ctx, func() (bool, error) {
		missing := slices.ContainsFunc(t.all[min(mark, len(t.all)):], func(e *Exchange) bool { return which(*e) && !is(e) })
		return !missing, t.page.err()
	})
}

// WaitMore returns when there is an exchange after a mark that satisfies ok.
func (t *Traffic) WaitMore(ctx context.Context, mark int, ok func(Exchange) bool) error {
	return t.page.tree.Wait(ctx, func() (bool, error) { return t.more(mark, ok), t.page.err() })
}

// More reports whether there is one by now.
func (t *Traffic) More(mark int, ok func(Exchange) bool) bool {
	t.page.tree.mu.Lock()
	defer t.page.tree.mu.Unlock()
	return t.more(mark, ok)
}

func (t *Traffic) more(mark int, ok func(Exchange) bool) bool {
	return slices.ContainsFunc(t.all[min(mark, len(t.all)):], func(e *Exchange) bool { return ok(*e) })
}

// onEvent runs on the goroutine that reads, in the browser's order.
func (t *Traffic) onEvent(e cdp.Event) {
	handle := trafficEvents[e.Method]
	if onSocket := socketEvents[e.Method]; onSocket != nil {
		t.onSocketEvent(e, onSocket)
		return
	}
	if handle == nil || t.sent != nil && e.Method != "Network.requestWillBeSent" {
		return
	}
	tree := t.page.tree
	tree.mu.Lock()
	defer tree.mu.Unlock()
	s := tree.watched(e.SessionID)
	if s == nil || s.page != t.page && !s.page.isOf(t.page, t.since) {
		return
	}
	var said traffic
	if json.Unmarshal(e.Params, &said) != nil {
		return
	}
	if t.sent != nil {
		if byScripts := said.Type == "XHR" || said.Type == "Fetch"; byScripts && !onlyReads(said.Request.Method) {
			t.sent(s.page, Sent{URL: said.Request.URL, At: time.Now()})
		}
		return
	}
	said.inFrame = s.page.main == nil || said.FrameID != s.page.main.id
	handle(t, s.id+" "+said.RequestID, said)
	tree.change()
}

// traffic is what the browser tells of a request, as far as it is of interest here.
type traffic struct {
	RequestID string      `json:"requestId"`
	FrameID   string      `json:"frameId"`
	Type      string      `json:"type"`
	Request   requestLine `json:"request"`
	Redirect  *reply      `json:"redirectResponse"`
	Response  reply       `json:"response"`
	Error     string      `json:"errorText"`
	inFrame   bool
}

type requestLine struct {
	Method string `json:"method"`
	URL    string `json:"url"`
}

var trafficEvents = map[string]func(*Traffic, string, traffic){
	"Network.requestWillBeSent": (*Traffic).onRequest,
	"Network.responseReceived":  func(t *Traffic, id string, said traffic) { t.over(id, said.Response, "") },
	"Network.dataReceived":      func(t *Traffic, id string, _ traffic) { t.part(id) },
	"Network.loadingFinished":   func(t *Traffic, id string, _ traffic) { t.whole(id) },
	"Network.loadingFailed":     func(t *Traffic, id string, said traffic) { t.over(id, reply{}, said.Error); t.whole(id) },
}

func (t *Traffic) onRequest(id string, said traffic) {
	if said.Redirect != nil {
		t.over(id, *said.Redirect, "")
		t.whole(id)
	}
	if len(t.all) >= keptExchanges {
		return
	}
	e := &Exchange{Method: said.Request.Method, URL: said.Request.URL, Type: said.Type, inFrame: said.inFrame, began: time.Now()}
	t.all, t.live[id] = append(t.all, e), e
	if e.Method == "GET" {
		t.asked[placeOf(e.URL)]++
	}
}

// MarkOf is the mark before a request that waits.
func (t *Traffic) MarkOf(r *Request) int {
	t.page.tree.mu.Lock()
	defer t.page.tree.mu.Unlock()
	if i := slices.Index(t.all, t.live[r.session+" "+r.networkID]); i >= 0 {
		return i
	}
	return len(t.all)
}

func (t *Traffic) over(id string, with reply, failed string) {
	if e := t.live[id]; e != nil && !e.Over() {
		now := time.Now()
		e.Status, e.Failed, e.answered, e.heard, e.atOnce = with.Status, failed, now, now, with.isShort()
		t.news = t.news || t.isNeeded(*e) && !t.isPoll(e)
	}
}

func (t *Traffic) part(id string) {
	if e := t.live[id]; e != nil {
		e.heard = time.Now()
	}
}

func (t *Traffic) whole(id string) {
	if e := t.live[id]; e != nil {
		e.Whole = true
		delete(t.live, id)
	}
}

// Requests lists what was asked for since a mark.
func (t *Traffic) Requests(mark int) []Exchange {
	t.page.tree.mu.Lock()
	defer t.page.tree.mu.Unlock()
	var all []Exchange
	for _, e := range slices.Clone(t.all[min(mark, len(t.all)):]) {
		all = append(all, *e)
	}
	return all
}

// Whether all of a reply has come.

// For how long the rest of a reply is waited for once nothing more of it comes, and at
// most: no one tells of one that the page does not read, and some never end.
const (
	quietReply = 100 * time.Millisecond
	quietShort = 25 * time.Millisecond
	maxReply   = time.Second
)

// shortReply is how long a reply may say that it is, in bytes, to come at once: what a
// server may send before it has heard back (RFC 6928, ten segments).
const shortReply = 14_600

var errQuiet = errors.New("no more of a reply comes")

// IsAtIt reports whether the page is still busy with what it began after a mark: it waits for a reply, or has requested
// something since a later one.
func (t *Traffic) IsAtIt(mark, since int) bool {
	t.page.tree.mu.Lock()
	defer t.page.tree.mu.Unlock()
	mark = min(mark, len(t.all))
	return len(t.all) > since || slices.ContainsFunc(t.all[mark:], func(e *Exchange) bool { return !e.Over() })
}

// WaitBegun returns when a request was made after a mark whose address satisfies ok.
func (t *Traffic) WaitBegun(ctx context.Context, mark int, ok func(url string) bool) error {
	return t.page.tree.Wait(ctx, func() (bool, error) {
		return slices.ContainsFunc(t.all[min(mark, len(t.all)):], func(e *Exchange) bool { return ok(e.URL) }), t.page.err()
	})
}

// WaitOver returns when all exchanges after a mark that satisfy which are over, and what
// they gave is there, but for replies that no one reads or that do not end.
func (t *Traffic) WaitOver(ctx context.Context, mark int, which func(Exchange) bool) error {
	if err := t.waitAll(ctx, mark, which, (*Exchange).Over); err != nil {
		return err
	}
	for {
		bounded, cancel := context.WithDeadlineCause(ctx, t.due(mark, which), errQuiet)
		err := t.waitAll(bounded, mark, which, func(e *Exchange) bool { return e.Whole || !e.Over() })
		cancel()
		if !errors.Is(err, errQuiet) {
			return err
		}
		if !time.Now().Before(t.due(mark, which)) {
			return nil
		}
	}
}

// due is until when the rest of replies is waited for.
func (t *Traffic) due(mark int, which func(Exchange) bool) (last time.Time) {
	for _, e := range t.Requests(mark) {
		if !which(e) || e.Whole || !e.Over() {
			continue
		}
		if due := e.due(); due.After(last) {
			last = due
		}
	}
	return last
}

func (e *Exchange) due() time.Time {
	due, longest := e.heard.Add(quietReply), e.answered.Add(maxReply)
	if e.atOnce {
		due = e.heard.Add(quietShort)
	}
	if due.After(longest) {
		return longest
	}
	return due
}

// isOpen reports whether a reply, or more of it, may still come.
func (e *Exchange) isOpen() bool { return !e.Over() || !e.Whole && time.Now().Before(e.due()) }

// Reading reports whether the page is reading a reply after a mark, and more of it may
// still come.
func (t *Traffic) Reading(mark int, which func(Exchange) bool) bool {
	read := func(e Exchange) bool { return which(e) && e.heard.After(e.answered) }
	return time.Now().Before(t.due(mark, read))
}

type reply struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
}

// isShort reports whether the reply says how long it is, and that is not much.
func (r reply) isShort() bool {
	for name, value := range r.Headers {
		if strings.EqualFold(name, "Content-Length") {
			n, err := strconv.Atoi(value)
			return err == nil && n <= shortReply
		}
	}
	return false
}
