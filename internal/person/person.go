// Package person does in a page what a person at the mouse and the keyboard
// does, one gesture after the other, for the demonstration and for tests. It
// looks for elements in a way of its own, so that it proves the recorder and the
// replayer and does not lean on them.
package person

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/target"
)

// Person sits before one tab.
type Person struct{ page *target.Page }

// At seats a person before a tab.
func At(page *target.Page) *Person { return &Person{page} }

// look waits until an element can be pressed and gives a point of it. The path
// leads through frames of the same origin and open shadow roots: "#frame >>> #button".
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
			const el = root?.querySelector(part);
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

// patience is how long a person looks for something, in ms.
const patience = 15_000

// Click presses an element.
func (p *Person) Click(ctx context.Context, path string) error {
	return p.press(ctx, path, input.Button{})
}

// ClickAt presses a point of an element, in pixels from its middle: for what is
// in it and cannot be looked into.
func (p *Person) ClickAt(ctx context.Context, path string, dx, dy float64) error {
	at, err := p.find(ctx, path)
	if err != nil {
		return err
	}
	return input.Press(ctx, p.page, at.X+dx, at.Y+dy, input.Button{})
}

// Hover moves the mouse over an element.
func (p *Person) Hover(ctx context.Context, path string) error {
	at, err := p.find(ctx, path)
	if err != nil {
		return err
	}
	_, err = p.page.Send("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at.X, "y": at.Y}).Wait(ctx)
	return err
}

// DoubleClick presses an element twice.
func (p *Person) DoubleClick(ctx context.Context, path string) error {
	return p.press(ctx, path, input.Button{Count: 2})
}

func (p *Person) press(ctx context.Context, path string, b input.Button) error {
	at, err := p.find(ctx, path)
	if err != nil {
		return err
	}
	return input.Press(ctx, p.page, at.X, at.Y, b)
}

// ClickTwin presses, in a frame that cannot be looked into, what stands where
// the element of a path stands in its own frame: for frames that look alike.
func (p *Person) ClickTwin(ctx context.Context, path, frame string) error {
	twin, err := p.find(ctx, path)
	if err != nil {
		return err
	}
	at, err := p.find(ctx, frame)
	if err != nil {
		return err
	}
	for {
		if err := input.Press(ctx, p.page, at.X-at.InX+twin.InX, at.Y-at.InY+twin.InY, input.Button{}); err != nil {
			return err
		}
		var entered bool
		if err := p.ask(ctx, fmt.Sprintf(enters, frame, patience/3), &entered); entered || err != nil {
			return err
		}
	}
}

// enters waits for a frame to get the focus. Before a frame of another process has been
// drawn, the browser gives the document around it what is pressed there: people see that
// nothing has happened, and press again.
const enters = `(async (frame, timeout) => {
	const deadline = performance.now() + timeout;
	while (document.activeElement !== document.querySelector(frame)) {
		if (performance.now() > deadline) return false;
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
	return true;
})(%q, %d)`

// Find looks for an element, and gives a point of it in the tab's viewport.
func (p *Person) Find(ctx context.Context, path string) (x, y float64, err error) {
	at, err := p.find(ctx, path)
	if err != nil {
		return 0, 0, err
	}
	return at.X, at.Y, nil
}

// AtRest waits until nothing has changed in the document for a moment, as people do who
// see that a page is still being drawn.
func (p *Person) AtRest(ctx context.Context) error {
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

func (p *Person) find(ctx context.Context, path string) (*spot, error) {
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

// ask evaluates an expression in a world of the person's own: a page that has
// bent its builtins can still be looked at. A document that is left while it
// answers is followed by the next.
func (p *Person) ask(ctx context.Context, expression string, out any) error {
	for {
		reply, err := p.evaluate(ctx, expression)
		if target.IsLeft(err) {
			continue
		}
		if err != nil {
			return err
		}
		var answer struct {
			Result struct {
				Value json.RawMessage `json:"value"`
			} `json:"result"`
			Exception json.RawMessage `json:"exceptionDetails"`
		}
		if err := json.Unmarshal(reply, &answer); err != nil {
			return err
		}
		if answer.Exception != nil {
			return fmt.Errorf("looking at the page: %s", answer.Exception)
		}
		return json.Unmarshal(answer.Result.Value, out)
	}
}

func (p *Person) evaluate(ctx context.Context, expression string) (json.RawMessage, error) {
	reply, err := p.page.Send("Page.createIsolatedWorld", map[string]any{"frameId": p.page.Main().ID(), "worldName": "person"}).Wait(ctx)
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

// Type presses the keys of a text, where the focus is.
func (p *Person) Type(ctx context.Context, text string) error {
	for _, char := range text {
		key := string(char)
		if char == '\n' {
			key = "Enter"
		}
		if err := p.Press(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// Press presses a key, named as in KeyboardEvent.key, with modifiers held.
func (p *Person) Press(ctx context.Context, key string, modifiers ...string) error {
	return input.PressKey(ctx, p.page, key, modifiers)
}

// Fill presses a field and types into it.
func (p *Person) Fill(ctx context.Context, path, text string) error {
	if err := p.Click(ctx, path); err != nil {
		return err
	}
	return p.Type(ctx, text)
}

// See waits until the tab is at an address that holds a text.
func (p *Person) See(ctx context.Context, part string) error {
	return p.page.Main().WaitAt(ctx, func(url string) bool { return strings.Contains(url, part) })
}

// NewTab waits for the first tab that this one opened, and seats the person
// before it.
func (p *Person) NewTab(ctx context.Context) (*Person, error) {
	popup, err := p.page.WaitPopup(ctx, 0)
	if err != nil {
		return nil, err
	}
	return At(popup), nil
}
