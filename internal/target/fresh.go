package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/go-reprise/reprise/internal/load"
)

// Chrome sends a request again on its own, a POST too, when the connection that it went
// over had been used before and ends without an answer: the server may have closed it
// meanwhile, and may as well have done what it was asked
// (net/http/http_network_transaction.cc, ShouldResendRequest). Only a request on a
// connection of its own is sent once. There is no protocol command for that; the page
// for the network's internals can close the connections that lie idle.
const internals = "chrome://net-internals/#sockets"

// What the page is told: to close the connections that lie idle, or to use none again, which leaves those in use to
// what they are used for, and aborts what shares one by HTTP/2 or HTTP/3 or waits for one. By the second, no connection
// becomes idle after all have been closed: of 32 orders on pages with reads under way, or with none that is known, 5
// were sent twice or more by the first and none by the second.
const (
	closeIdle = "closeIdleSockets"
	useNone   = "flushSocketPools"
)

// closing has the network do it, by the page that can. It is done when that is answered: the page's messages are worked
// on in their order, and the second one is answered.
func closing(how string) map[string]any {
	return map[string]any{"awaitPromise": true, "expression": fmt.Sprintf(`import("chrome://resources/js/cr.js").then(({sendWithPromise}) => {
	chrome.send(%q);
	return sendWithPromise("hstsQuery", "done.invalid").then(() => true);
})`, how)}
}

// CloseIdle closes the connections that lie idle in a browser context, "" for the browser's own.
func (t *Tree) CloseIdle(ctx context.Context, contextID string) error {
	closer, err := t.closer(ctx, contextID)
	if err != nil {
		return err
	}
	return t.ask(ctx, closer, "Runtime.evaluate", closing(closeIdle), nil)
}

// reads are what the pages of a browser context ask for and only reads, by the network's names of the requests. A page
// that asks its server again and again leaves a connection idle in the very moment when what may change something gets
// its own, and that is taken instead: of a page that did so every 5 ms, 6 of 25 orders were sent twice or more. So reads
// that are under way are waited for, and others wait.
type reads struct {
	open    map[string]string // under way, the session that told of each
	sending map[string]bool   // what may change something, and has no connection yet
	waiting []waitingRead
	turn    string // which of those sending is about to get one
	shares  bool   // an answer came by HTTP/2 or HTTP/3: requests share connections
}

type waitingRead struct {
	session, networkID string
	going              map[string]any
}

// How long reads are waited for, and wait for a connection to be made, at most: some are answered when something
// happens, if ever.
const (
	maxReading = 500 * time.Millisecond
	maxAlone   = time.Second
)

// maxReads bounds what is known of them.
const maxReads = 1_000

// readsOf are those of a browser context. The tree is locked.
func (t *Tree) readsOf(contextID string) *reads {
	if t.reads == nil {
		t.reads = map[string]*reads{}
	}
	if t.reads[contextID] == nil {
		t.reads[contextID] = &reads{open: map[string]string{}, sending: map[string]bool{}}
	}
	return t.reads[contextID]
}

// setAlone has reads wait until a request is on a connection. The tree is locked.
func (t *Tree) setAlone(contextID, networkID string) {
	t.readsOf(contextID).sending[networkID] = true
}

// read sends what only reads, as soon as nothing is sent alone. The tree is locked.
func (t *Tree) read(contextID string, r waitingRead) {
	known := t.readsOf(contextID)
	if len(known.sending) > 0 {
		known.waiting = append(known.waiting, r)
		return
	}
	if len(known.open) >= maxReads {
		clear(known.open)
	}
	known.open[r.networkID] = r.session
	t.client.Send(r.session, "Fetch.continueRequest", r.going)
}

// onRead notes that all of an answer is there, or none will come.
func (t *Tree) onRead(_ *session, params json.RawMessage) {
	var e struct {
		NetworkID string `json:"requestId"`
	}
	if len(t.reads) == 0 || json.Unmarshal(params, &e) != nil {
		return
	}
	for _, known := range t.reads {
		if _, is := known.open[e.NetworkID]; is {
			delete(known.open, e.NetworkID)
			t.change()
		}
	}
}

// forgetReads forgets those of sessions whose end will not be heard, but for one. The tree is locked.
func (t *Tree) forgetReads(contextID, but string, of func(session string) bool) {
	if known := t.reads[contextID]; known != nil {
		maps.DeleteFunc(known.open, func(networkID, session string) bool { return networkID != but && of(session) })
	}
}

// onAnswer notes how the page's servers are spoken to.
func (t *Tree) onAnswer(s *session, params json.RawMessage) {
	var e struct {
		Response struct {
			Protocol string `json:"protocol"`
		} `json:"response"`
	}
	if s == nil {
		return
	}
	if known := t.reads[s.page.context]; known != nil && known.shares || json.Unmarshal(params, &e) != nil {
		return
	}
	if p := e.Response.Protocol; p == "h2" || strings.HasPrefix(p, "h3") {
		t.readsOf(s.page.context).shares = true
	}
}

// sendAlone sends a request of which setAlone was told, on a connection of its own. An error says that it was not sent,
// which is better than sent twice.
func (t *Tree) sendAlone(ctx context.Context, contextID, closer, session, networkID string, going map[string]any) error {
	reading, cancel := load.WithTimeout(ctx, maxReading)
	if t.Wait(reading, func() (bool, error) { return len(t.readsOf(contextID).open) == 0, nil }) != nil {
		t.Do(func() { clear(t.readsOf(contextID).open) }) // they last, or their end was not heard: not waited for again
	}
	cancel()
	how := closeIdle
	turn, cancel := load.WithTimeout(ctx, maxAlone)
	_ = t.Wait(turn, func() (bool, error) { // one that waits for its connection would be aborted
		known := t.readsOf(contextID)
		if known.turn != "" {
			return false, nil
		}
		known.turn = networkID
		if !known.shares {
			how = useNone
		}
		return true, nil
	})
	cancel()
	err := t.ask(ctx, closer, "Runtime.evaluate", closing(how), nil)
	if err != nil {
		t.client.Send(session, "Fetch.failRequest", failing(going["requestId"]))
	} else {
		err = t.ask(ctx, session, "Fetch.continueRequest", going, nil)
	}
	t.Do(func() {
		if err != nil {
			t.endAlone(networkID)
			return
		}
		t.job(func(ctx context.Context) {
			ctx, cancel := load.WithTimeout(ctx, maxAlone)
			defer cancel()
			_ = t.Wait(ctx, func() (bool, error) { return !t.readsOf(contextID).sending[networkID], nil })
			t.Do(func() { t.endAlone(networkID) })
		})
	})
	return err
}

// onHeaders notes that the headers of a request are sent: it has its connection.
func (t *Tree) onHeaders(_ *session, params json.RawMessage) {
	var e struct {
		NetworkID string `json:"requestId"`
	}
	if len(t.reads) > 0 && json.Unmarshal(params, &e) == nil {
		t.endAlone(e.NetworkID)
	}
}

// endAlone lets go what waited for a request, and for no other. The tree is locked.
func (t *Tree) endAlone(networkID string) {
	for contextID, known := range t.reads {
		if !known.sending[networkID] {
			continue
		}
		t.change()
		if known.turn == networkID {
			known.turn = ""
		}
		if delete(known.sending, networkID); len(known.sending) > 0 {
			continue
		}
		waiting := known.waiting
		known.waiting = nil
		for _, r := range waiting {
			t.read(contextID, r)
		}
	}
}

// Fresh has a page's requests that may change something go over connections of their
// own, so that the browser sends none of them twice.
type Fresh struct {
	page  *Page
	since uint64 // births: pages that it has opened later belong to it
}

// FreshConnections begins that. Stop it. Watch the traffic of the page as well: by that it is known what is under way.
func (p *Page) FreshConnections(ctx context.Context) (*Fresh, error) {
	closer, err := p.tree.closer(ctx, p.context)
	if err != nil {
		return nil, err
	}
	f := &Fresh{page: p, since: births.Load()}
	var begun bool
	p.tree.Do(func() {
		begun = p.intercepts()
		p.fresh++
		p.closer = closer
	})
	if begun {
		return f, nil
	}
	if err := p.intercept(ctx); err != nil {
		f.Stop()
		return nil, err
	}
	return f, nil
}

// maxLoading bounds the wait for what documents are made of: some never have all.
const maxLoading = 2 * time.Second

var errLoading = errors.New("the page still loads")

// Loaded waits until the page's documents are whole, for as long as that may take: a
// connection over which a part of one has just come would lie idle again, after all such
// have been closed.
func (p *Page) Loaded(ctx context.Context) error {
	return p.loaded(ctx, maxLoading, func() bool {
		for _, f := range p.frames {
			if f.loading && !f.gone {
				return false
			}
		}
		return true
	})
}

// Loaded waits until the frame's document is whole, or has had its time for it.
func (f *Frame) Loaded(ctx context.Context, atMost time.Duration) error {
	return f.page.loaded(ctx, atMost, func() bool { return !f.loading || f.gone })
}

func (f *Frame) isLoading() bool {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	return f.loading
}

func (p *Page) loaded(ctx context.Context, atMost time.Duration, whole func() bool) error {
	bounded, cancel := load.WithTimeoutCause(ctx, atMost, errLoading)
	defer cancel()
	err := p.tree.Wait(bounded, func() (bool, error) { return whole(), p.err() })
	if errors.Is(err, errLoading) {
		return nil
	}
	return err
}

// Stop ends it.
func (f *Fresh) Stop() {
	var over []*Page
	f.page.tree.Do(func() {
		for _, of := range f.page.family(f.since) {
			if of.fresh--; !of.intercepts() {
				over = append(over, of)
				f.page.tree.forgetReads(of.context, "", of.has)
			}
		}
	})
	for _, of := range over {
		of.pauseRequests()
	}
}

// has reports whether a session is one of the page's, or has ended. The tree is locked.
func (p *Page) has(session string) bool {
	s := p.tree.sessions[session]
	return s == nil || s.page == p
}

// closers are the sessions of the pages that close connections, by browser context.
type closers struct {
	sync.Mutex
	sessions map[string]closerPage
	failed   map[string]error // the last that could not be opened
}

// closerPage is such a page, and the session that speaks to it.
type closerPage struct{ target, session string }

// closeCloser closes the page of a browser context that is about to end, which is not closed
// with that, and forgets what is known of its reads.
func (t *Tree) closeCloser(ctx context.Context, contextID string) {
	t.Do(func() { delete(t.reads, contextID) })
	t.closers.Lock()
	defer t.closers.Unlock()
	if known, open := t.closers.sessions[contextID]; open {
		delete(t.closers.sessions, contextID)
		_ = t.ask(ctx, "", "Target.closeTarget", map[string]any{"targetId": known.target}, nil) // it may be gone
	}
}

// closer returns the session of a page that can close idle connections, in a browser
// context. No one sees it, and it ends with this connection.
func (t *Tree) closer(ctx context.Context, contextID string) (string, error) {
	t.closers.Lock()
	defer t.closers.Unlock()
	if err := t.closers.failed[contextID]; err != nil {
		return "", err
	}
	if known, open := t.closers.sessions[contextID]; open && t.ask(ctx, known.session, "Runtime.evaluate", map[string]any{"expression": "0"}, nil) == nil {
		return known.session, nil
	}
	page, err := t.openCloser(ctx, contextID)
	if err != nil {
		err = fmt.Errorf("opening the page that closes connections: %w", err)
		if ctx.Err() == nil && t.client.Err() == nil {
			t.closers.failed = map[string]error{contextID: err} // it will not be otherwise
		}
		return "", err
	}
	if t.closers.sessions == nil {
		t.closers.sessions = map[string]closerPage{}
	}
	t.closers.sessions[contextID] = page
	return page.session, nil
}

func (t *Tree) openCloser(ctx context.Context, contextID string) (page closerPage, err error) {
	params := map[string]any{"url": "about:blank", "background": true, "hidden": true}
	if contextID != "" {
		params["browserContextId"] = contextID
	}
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err := t.ask(ctx, "", "Target.createTarget", params, &made); err != nil {
		return page, err
	}
	defer func() {
		if err != nil {
			t.client.Send("", "Target.closeTarget", map[string]any{"targetId": made.TargetID})
		}
	}()
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	if err := t.ask(ctx, "", "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &attached); err != nil {
		return page, err
	}
	var went struct {
		Error string `json:"errorText"`
	}
	if err := t.ask(ctx, attached.SessionID, "Page.navigate", map[string]any{"url": internals}, &went); err != nil {
		return page, err
	}
	if went.Error != "" {
		return page, errors.New(went.Error)
	}
	var closed struct {
		Result struct {
			Value bool `json:"value"`
		} `json:"result"`
	}
	if err := t.ask(ctx, attached.SessionID, "Runtime.evaluate", closing(closeIdle), &closed); err != nil {
		return page, err
	}
	if !closed.Result.Value {
		return page, errors.New("the page does not do it in this browser")
	}
	return closerPage{made.TargetID, attached.SessionID}, nil
}
