// Package simuser is a simulated user: it does in a page what a user does with
// mouse and keyboard, one gesture after the other, for the demo, tests and
// benchmarks. It finds elements in its own way, so that it checks the recorder and
// the replayer without depending on them.
package simuser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/internal/target"
)

// User uses one tab.
type User struct{ page *target.Page }

// At returns the user of a tab.
func At(page *target.Page) *User { return &User{page} }

// look waits until an element can be pressed and returns a point of it. The path
// leads through frames of the same origin and open shadow roots, and may name what an
// element's text is: "#frame >>> td a{Roof}".
const look = `(async (path, timeout) => {
	const deadline = performance.now() + timeout;
	for (;;) {
		const point = document.readyState === "complete" && find(path); // people look at a page before they act
		if (point) return point;
		if (performance.now() > deadline) return null;
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
	function find(path) {
		const chain = [];
		let root = document;
		for (const part of path) {
			const [, css, text] = /^(.*?)(?:\{(.*)\})?$/.exec(part);
			const el = [...root?.querySelectorAll(css) ?? []].find((one) => text === undefined || one.textContent.replace(/\s+/g, " ").trim() === text);
			if (!el) return null;
			chain.push(el);
			root = el.shadowRoot ?? el.contentDocument;
		}
		for (const el of chain) el.scrollIntoView({block: el === chain[0] ? "center" : "nearest", behavior: "instant"});
		let dx = 0, dy = 0;
		for (const el of chain.slice(0, -1)) {
			if (el.shadowRoot) continue;
			const box = el.getBoundingClientRect(), style = getComputedStyle(el);
			dx += box.x + el.clientLeft + parseFloat(style.paddingLeft); dy += box.y + el.clientTop + parseFloat(style.paddingTop);
		}
		const el = chain.at(-1), box = el.getBoundingClientRect();
		const x = box.x + box.width / 2, y = box.y + box.height / 2;
		const hit = el.getRootNode().elementFromPoint(x, y);
		const moving = el.ownerDocument.getAnimations().some((a) => a.playState === "running" && a.effect?.target?.contains(el));
		const reached = hit && (el.contains(hit) || (el.labels && [...el.labels].some((l) => l.contains(hit))));
		const outer = chain[0].getBoundingClientRect(), view = el.ownerDocument.defaultView;
		const scrolled = view === window ? {x: 0, y: 0} : {x: view.scrollX, y: view.scrollY}; // a frame that looks alike has not
		return box.width && !moving && reached ? {x: x + dx, y: y + dy, inX: x + dx - outer.x + scrolled.x, inY: y + dy - outer.y + scrolled.y} : null;
	}
})(%s, %d)`

// patience is how long the user looks for something, in ms.
const patience = 15_000

// Find looks for an element, and returns a point of it in the tab's viewport.
func (p *User) Find(ctx context.Context, path string) (x, y float64, err error) {
	at, err := p.find(ctx, path)
	if err != nil {
		return 0, 0, err
	}
	return at.X, at.Y, nil
}

// AtRest waits until nothing has changed in the document for a moment, as users do who
// see that a page is still being drawn.
func (p *User) AtRest(ctx context.Context) error {
	var rested bool
	return p.ask(ctx, rest, &rested)
}

// rest is longer than what draws late takes for it. Both wait by timers of one thread, so
// that a busy machine turns nothing around.
const rest = `new Promise((resolve) => {
	const moment = 100; // ms
	let timer = setTimeout(done, moment);
	const watch = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(done, moment); });
	watch.observe(document, {subtree: true, childList: true, attributes: true});
	function done() { watch.disconnect(); resolve(true); }
})`

// spot is a point of an element: in the tab's viewport, and within the outermost
// element of its path.
type spot struct{ X, Y, InX, InY float64 }

func (p *User) find(ctx context.Context, path string) (*spot, error) {
	parts, err := json.Marshal(strings.Split(path, " >>> "))
	if err != nil {
		return nil, err
	}
	var at *spot
	if err := p.ask(ctx, fmt.Sprintf(look, parts, patience), &at); err != nil {
		return nil, err
	}
	if at == nil {
		return nil, fmt.Errorf("looking for %s at %s: it is not there, or cannot be pressed", path, p.page.URL())
	}
	return at, nil
}

// ask evaluates an expression in an isolated world: a page that has replaced its
// builtins does not matter. When a document is left meanwhile, the next one is asked.
func (p *User) ask(ctx context.Context, expression string, out any) error {
	for {
		reply, err := p.evaluate(ctx, expression)
		if target.IsLeft(err) {
			continue
		}
		if err != nil {
			return err
		}
		return answer(reply, out)
	}
}

// answer reads what an expression was evaluated to.
func answer(reply json.RawMessage, out any) error {
	var told struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(reply, &told); err != nil {
		return err
	}
	if told.Exception != nil {
		return fmt.Errorf("looking at the page: %s", told.Exception)
	}
	return json.Unmarshal(told.Result.Value, out)
}

func (p *User) evaluate(ctx context.Context, expression string) (json.RawMessage, error) {
	reply, err := p.page.Send("Page.createIsolatedWorld", map[string]any{"frameId": p.page.Main().ID(), "worldName": "simuser"}).Wait(ctx)
	if err != nil {
		return nil, err
	}
	var world struct {
		Context int `json:"executionContextId"`
	}
	if err := json.Unmarshal(reply, &world); err != nil {
		return nil, err
	}
	return p.page.Send("Runtime.evaluate", map[string]any{
		"contextId": world.Context, "expression": expression, "awaitPromise": true, "returnByValue": true,
	}).Wait(ctx)
}

// See waits until the tab is at an address that holds a text.
func (p *User) See(ctx context.Context, part string) error {
	return p.page.Main().WaitAt(ctx, func(url string) bool { return strings.Contains(url, part) })
}

// NewTab waits for the first tab that this one opened, and returns its user.
func (p *User) NewTab(ctx context.Context) (*User, error) {
	popup, err := p.page.WaitPopup(ctx, 0)
	if err != nil {
		return nil, err
	}
	return At(popup), nil
}
