package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/internal/cdp"
)

// Local storage is seen by documents of its origin alone. So one is made that is empty: a
// page that nobody sees goes to the origin, and what it asks for is answered here, before
// it comes to the network or to a service worker. The site hears of nothing, and none of
// its scripts runs.
type storagePage struct {
	client          *cdp.Client
	target, session string
	arrived         chan string // the addresses of its documents
	remove          func()
}

// What is done in these documents. Values are written as they were read.
const (
	readItems  = `JSON.stringify(Array.from({length: localStorage.length}, (_, i) => [localStorage.key(i), localStorage.getItem(localStorage.key(i))]))`
	writeItems = `for (const [key, value] of JSON.parse(%s)) localStorage.setItem(key, value)`
)

// storageOf gives the local storage of origins, of those that have any.
func (b *Browser) storageOf(ctx context.Context, contextID string, origins []string) (all []localStorage, err error) {
	p, err := b.openStorage(ctx, contextID)
	if err != nil {
		return nil, err
	}
	defer p.close()
	for _, origin := range origins {
		var text string
		if err := p.evaluate(ctx, origin, readItems, &text); err != nil {
			return nil, err
		}
		of := localStorage{origin, json.RawMessage(text)}
		if of.size() > 0 {
			all = append(all, of)
		}
	}
	return all, nil
}

// store writes local storage into a browser context.
func (b *Browser) store(ctx context.Context, contextID string, all []localStorage) error {
	if len(all) == 0 {
		return nil
	}
	p, err := b.openStorage(ctx, contextID)
	if err != nil {
		return err
	}
	defer p.close()
	for _, of := range all {
		literal, err := json.Marshal(string(of.Items)) // JSON's texts are JavaScript's
		if err != nil {
			return err
		}
		if err := p.evaluate(ctx, of.Origin, fmt.Sprintf(writeItems, literal), nil); err != nil {
			return err
		}
	}
	return nil
}

func (b *Browser) openStorage(ctx context.Context, contextID string) (*storagePage, error) {
	p := &storagePage{client: b.client, arrived: make(chan string, 8)}
	reply, err := b.client.Call(ctx, "", "Target.createTarget", inContext(contextID, map[string]any{"url": "about:blank", "background": true, "hidden": true}))
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err = errors.Join(err, decode(reply, &made)); err != nil {
		return nil, fmt.Errorf("opening a page for local storage: %w", err)
	}
	p.target = made.TargetID
	p.remove = func() {}
	if err := p.prepare(ctx); err != nil {
		p.close()
		return nil, fmt.Errorf("opening a page for local storage: %w", err)
	}
	return p, nil
}

// prepare has the page answer itself.
func (p *storagePage) prepare(ctx context.Context) error {
	reply, err := p.client.Call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": p.target, "flatten": true})
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	if err = errors.Join(err, decode(reply, &attached)); err != nil {
		return err
	}
	p.session = attached.SessionID
	p.remove = p.client.OnEvent(p.onEvent)
	for _, command := range []struct {
		method string
		params any
	}{
		{"Page.enable", nil}, {"Network.enable", nil}, {"Network.setBypassServiceWorker", map[string]any{"bypass": true}}, {"Fetch.enable", nil},
	} {
		if _, err := p.client.Call(ctx, p.session, command.method, command.params); err != nil {
			return err
		}
	}
	return nil
}

func (p *storagePage) onEvent(e cdp.Event) {
	if e.SessionID != p.session {
		return
	}
	var params struct {
		RequestID string `json:"requestId"`
		Frame     struct {
			URL string `json:"url"`
		} `json:"frame"`
	}
	if json.Unmarshal(e.Params, &params) != nil {
		return
	}
	switch e.Method {
	case "Fetch.requestPaused":
		p.client.Send(p.session, "Fetch.fulfillRequest", map[string]any{
			"requestId": params.RequestID, "responseCode": 200,
			"responseHeaders": []map[string]string{{"name": "Content-Type", "value": "text/html"}, {"name": "Cache-Control", "value": "no-store"}},
		})
	case "Page.frameNavigated":
		select {
		case p.arrived <- params.Frame.URL:
		default: // nobody waits for that many
		}
	}
}

// evaluate runs an expression in an empty document of an origin.
func (p *storagePage) evaluate(ctx context.Context, origin, expression string, out any) error {
	if err := p.goTo(ctx, origin+"/"); err != nil {
		return fmt.Errorf("the local storage of %s: %w", origin, err)
	}
	reply, err := p.client.Call(ctx, p.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "silent": true})
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	if err = errors.Join(err, decode(reply, &answer)); err != nil {
		return err
	}
	if answer.Exception != nil { // what it says may quote a key
		return fmt.Errorf("the browser does not let the local storage of %s be used", origin)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.Result.Value, out)
}

// goTo returns when the document of an address is there.
func (p *storagePage) goTo(ctx context.Context, address string) error {
	reply, err := p.client.Call(ctx, p.session, "Page.navigate", map[string]any{"url": address})
	var went struct {
		Error string `json:"errorText"`
	}
	if err = errors.Join(err, decode(reply, &went)); err != nil {
		return err
	}
	if went.Error != "" {
		return errors.New(went.Error)
	}
	for {
		select {
		case url := <-p.arrived:
			if url == address {
				return nil
			}
			if !strings.HasPrefix(url, "about:") {
				return errors.New("the browser goes elsewhere")
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.client.Done():
			return p.client.Err()
		}
	}
}

// close does not wait: nothing depends on it.
func (p *storagePage) close() {
	p.client.Send("", "Target.closeTarget", map[string]any{"targetId": p.target})
	p.remove()
}

// decode reads a reply; there is none beside an error.
func decode(reply []byte, out any) error {
	if len(reply) == 0 {
		return nil
	}
	return json.Unmarshal(reply, out)
}
