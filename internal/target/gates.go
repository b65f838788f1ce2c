package target

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"strings"
	"sync"

	"github.com/go-reprise/reprise/internal/gate"
)

// gates are the ways to the network of the browser's contexts.
type gates struct {
	sync.Mutex
	rules *gate.Rules           // nil where there are no gates
	own   *gate.Gate            // of the browser's own context and of those that others make; may be nil
	of    map[string]*gate.Gate // by browser context
	// sockets are where those come from that outlive this process; nil for this one's own.
	sockets Sockets

	probing    sync.Mutex
	outOfReach func() // nil once it is known that they are in reach
	away       bool   // they are not
}

// Sockets are the listening sockets of gates in a browser that outlives this process.
type Sockets interface {
	// Listen opens one.
	Listen(ctx context.Context) (net.Listener, error)
	// Note stores what has to be known of one again, and of which browser context it is.
	Note(ctx context.Context, contextID string, of *gate.Gate) error
	// Close closes the other end of one that was closed here.
	Close(ctx context.Context, address string) error
}

// openGate opens a gate for a browser context that is about to be made, nil for none.
func (t *Tree) openGate(ctx context.Context) (*gate.Gate, error) {
	t.gates.probing.Lock()
	defer t.gates.probing.Unlock()
	rules := t.gates.rules
	if rules == nil {
		return nil, nil
	}
	if away := t.gates.outOfReach; away != nil {
		reached, err := t.reachesGate(ctx)
		if err != nil {
			return nil, err
		}
		t.gates.outOfReach = nil
		if !reached {
			t.gates.rules, t.gates.away = nil, true
			away()
			return nil, nil
		}
	}
	if t.gates.sockets == nil {
		return rules.Open()
	}
	socket, err := t.gates.sockets.Listen(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening a gate to the network: %w", err)
	}
	return rules.Serve(socket), nil
}

// note has a gate's context and names outlive this process.
func (t *Tree) noteGate(ctx context.Context, contextID string, g *gate.Gate) error {
	if t.gates.sockets == nil || g == nil {
		return nil
	}
	return t.gates.sockets.Note(ctx, contextID, g)
}

// neverOpened is an address that every gate refuses.
const neverOpened = "http://0.0.0.0/"

// reachesGate reports whether the browser comes to a gate, by an address that it refuses.
func (t *Tree) reachesGate(ctx context.Context) (bool, error) {
	g, err := t.gates.rules.Open()
	if err != nil {
		return false, err
	}
	id, err := t.contextBehind(ctx, g)
	if err != nil {
		return false, err
	}
	defer func() { _ = t.CloseContext(context.WithoutCancel(ctx), id) }()
	var made struct {
		TargetID string `json:"targetId"`
	}
	params := map[string]any{"url": "about:blank", "background": true, "hidden": true, "browserContextId": id}
	if err := t.ask(ctx, "", "Target.createTarget", params, &made); err != nil {
		delete(params, "hidden") // some connections may not hide what they open
		if err := t.ask(ctx, "", "Target.createTarget", params, &made); err != nil {
			return false, err
		}
	}
	defer t.client.Send("", "Target.closeTarget", map[string]any{"targetId": made.TargetID})
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	if err := t.ask(ctx, "", "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &attached); err != nil {
		return false, err
	}
	if err := t.ask(ctx, attached.SessionID, "Page.navigate", map[string]any{"url": neverOpened}, nil); err != nil {
		return false, err
	}
	return g.Failure(neverOpened) != nil, nil
}

func (t *Tree) setGate(contextID string, g *gate.Gate) {
	if g == nil {
		return
	}
	t.gates.Lock()
	t.gates.of[contextID] = g
	t.gates.Unlock()
	g.SetPlaces(func(ctx context.Context) (gate.Places, error) { return t.places(ctx, contextID) })
}

// gate returns the gate of a browser context, nil where it has none.
func (t *Tree) gate(contextID string) *gate.Gate {
	t.gates.Lock()
	defer t.gates.Unlock()
	if g := t.gates.of[contextID]; g != nil {
		return g
	}
	return t.gates.own
}

func (t *Tree) closeGate(ctx context.Context, contextID string) error {
	t.gates.Lock()
	g := t.gates.of[contextID]
	delete(t.gates.of, contextID)
	t.gates.Unlock()
	if g == nil {
		return nil
	}
	err := g.Close()
	if t.gates.sockets != nil && t.client.Err() == nil {
		err = errors.Join(err, t.gates.sockets.Close(context.WithoutCancel(ctx), g.Addr()))
	}
	return err
}

// Contexts are what is known of browser contexts, by their ID: for the tree of another connection to
// the same browser.
type Contexts struct {
	Gates      map[string]*gate.Gate
	Emulations map[string]*Emulation
}

// Contexts returns what is known of the browser contexts. LeaveGates leaves the gates to another tree.
func (t *Tree) Contexts() Contexts {
	var c Contexts
	t.Do(func() { c.Emulations = maps.Clone(t.emulations.of) })
	t.gates.Lock()
	defer t.gates.Unlock()
	c.Gates = maps.Clone(t.gates.of)
	return c
}

// LeaveGates has the gates stay open when the tree closes.
func (t *Tree) LeaveGates() {
	t.gates.Lock()
	defer t.gates.Unlock()
	clear(t.gates.of)
}

func (t *Tree) closeGates() {
	t.gates.Lock()
	open := t.gates.of
	t.gates.of = map[string]*gate.Gate{}
	t.gates.Unlock()
	for _, g := range open {
		_ = g.Close() // the browser has no more use for it
	}
}

// places returns the addresses of the documents that are shown in a browser context ("" is
// the browser's own), of those that are on their way, and of the workers that run there.
// It asks the browser, so that all that had happened there by then is known here.
func (t *Tree) places(ctx context.Context, contextID string) (all gate.Places, err error) {
	var alive struct {
		Infos []targetInfo `json:"targetInfos"`
	}
	if err := t.ask(ctx, "", "Target.getTargets", map[string]any{"filter": attachFilter}, &alive); err != nil {
		return all, err
	}
	for _, info := range alive.Infos {
		if !t.isIn(info.BrowserContextID, contextID) || info.Type == "iframe" {
			continue
		}
		t.mu.Lock()
		p := t.pages[info.TargetID]
		switch {
		case p != nil && p.active:
			all.At, all.OnTheWay = append(all.At, p.place), append(all.OnTheWay, p.going, p.main.heading)
		case info.Type == "page": // it may be where it is to go
			all.OnTheWay = append(all.OnTheWay, info.URL)
		default:
			all.At = append(all.At, info.URL)
		}
		t.mu.Unlock()
	}
	return all, nil
}

// isIn reports whether what is in one browser context goes through the gate of another.
func (t *Tree) isIn(contextID, gated string) bool {
	if contextID == gated {
		return true
	}
	t.gates.Lock()
	defer t.gates.Unlock()
	return gated == "" && t.gates.of[contextID] == nil
}

// gated returns the gate of the page's browser context, nil where it has none.
func (p *Page) gated() *gate.Gate { return p.tree.gate(p.context) }

// Allow has the gate of the page's browser context let pages reach these addresses also
// where they are private: the caller itself has named them.
func (p *Page) Allow(addresses ...string) {
	g, fresh := p.gated(), false
	if g == nil {
		return
	}
	for _, address := range addresses {
		fresh = g.Name(address) || fresh
	}
	if fresh {
		_ = p.tree.noteGate(context.Background(), p.context, g) // the next navigation tells of a lost connection
	}
}

// Refusal returns why the gate made no connection for an address when it was last asked, nil
// where it did or there is none.
func (p *Page) Refusal(address string) error {
	if g := p.gated(); g != nil {
		return g.Failure(address)
	}
	return nil
}

// heads notes that a page is about to go to an address, or has come there.
func (p *Page) heads(address string) {
	if g := p.gated(); g != nil {
		g.Leave(address)
	}
}

// arrived notes where the page's document is. The tree is locked.
func (p *Page) arrived() {
	if isSite(p.main.url) {
		p.place = p.main.url
		p.heads(p.place)
	}
}

// isSite reports whether an address is one of a site: what is at others, as on a blank
// page, is of the site that was there before.
func isSite(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}
