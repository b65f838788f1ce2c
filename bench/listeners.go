package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-reprise/reprise/browser"
)

// spy times every listener that is added in the recorder's own world from now
// on; one that is added again is the same one, as it is without the spy.
const spy = `{
	const add = globalThis.addEventListener.bind(globalThis);
	const timed = new Map();
	globalThis.spied = {spans: [], types: []};
	globalThis.addEventListener = (type, listener, options) => {
		if (!timed.has(listener)) timed.set(listener, (event) => {
			const began = performance.now();
			try { listener(event) } finally { spied.spans.push({type: event.type, us: (performance.now() - began) * 1000}) }
		});
		spied.types.push(type);
		add(type, timed.get(listener), options);
	};
}`

// worldName is that of the world in which the page script runs.
const worldName = "reprise"

// listeners are those that the recorder has in a page, under a stop-watch.
type listeners struct {
	page    *browser.Page
	context int
}

// span is how long a listener took with an event.
type span struct {
	Type   string  `json:"type"`
	Micros float64 `json:"us"`
}

// spyOn must come before the recorder starts. The session has to be Reprise's
// own: another one would get another world of that name.
func spyOn(ctx context.Context, page *browser.Page) (*listeners, error) {
	l := &listeners{page: page}
	params := map[string]any{"frameId": page.Target().Main().ID(), "worldName": worldName}
	reply, err := page.Target().Send("Page.createIsolatedWorld", params).Wait(ctx)
	if err != nil {
		return nil, err
	}
	var made struct {
		Context int `json:"executionContextId"`
	}
	if err := json.Unmarshal(reply, &made); err != nil {
		return nil, err
	}
	l.context = made.Context
	return l, l.evaluate(ctx, spy+" null", nil)
}

// spans returns what was timed since it was last asked.
func (l *listeners) spans(ctx context.Context) ([]span, error) {
	var spans []span
	return spans, l.evaluate(ctx, "spied.spans.splice(0)", &spans)
}

// listensTo reports whether there is a listener for one of the types.
func (l *listeners) listensTo(ctx context.Context, types ...string) (bool, error) {
	var all []string
	err := l.evaluate(ctx, "spied.types", &all)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("the recorder added no listener: the world %q is not the one that it runs in", worldName)
	}
	return slices.ContainsFunc(all, func(t string) bool { return slices.Contains(types, t) }), err
}

func (l *listeners) evaluate(ctx context.Context, expression string, out any) error {
	reply, err := l.page.Target().Send("Runtime.evaluate", map[string]any{
		"expression": expression, "contextId": l.context, "returnByValue": true,
	}).Wait(ctx)
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
		return fmt.Errorf("in the recorder's world: %s", answer.Exception)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.Result.Value, out)
}
