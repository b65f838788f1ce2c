package bench

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// rodClient plays with rod as rod's own documentation has it: Element, Click,
// Input, Select.
type rodClient struct {
	counter *counter
	socket  *cdp.WebSocket
	browser *rod.Browser
	page    *rod.Page
}

// counter counts what rod sends through its own client.
type counter struct {
	*cdp.Client
	sent atomic.Uint64
}

// Call counts and sends.
func (c *counter) Call(ctx context.Context, sessionID, method string, params any) ([]byte, error) {
	c.sent.Add(1)
	return c.Client.Call(ctx, sessionID, method, params)
}

func newRod(ctx context.Context, endpoint string) (*rodClient, error) {
	r := &rodClient{socket: &cdp.WebSocket{}}
	if err := r.socket.Connect(ctx, endpoint, nil); err != nil {
		return nil, err
	}
	r.counter = &counter{Client: cdp.New().Start(r.socket)}
	r.browser = rod.New().Client(r.counter).NoDefaultDevice().Trace(false)
	err := r.browser.Connect()
	if err == nil {
		r.browser, err = r.browser.Incognito()
	}
	if err == nil {
		r.page, err = r.browser.Page(proto.TargetCreateTarget{})
	}
	if err == nil {
		err = proto.EmulationSetFocusEmulationEnabled{Enabled: true}.Call(r.page)
	}
	if err != nil {
		return nil, errors.Join(err, r.socket.Close())
	}
	return r, nil
}

func (r *rodClient) messages() uint64 { return r.counter.sent.Load() }
func (r *rodClient) close() error     { return r.socket.Close() }

func (r *rodClient) play(ctx context.Context, site string, fl flow, done func()) error {
	page := r.page.Context(ctx)
	for i, s := range fl.steps {
		if err := rodStep(page, site, fl.scripted, s); err != nil {
			return fmt.Errorf("step %d, %s %s: %w", i, s.Do, s.CSS, err)
		}
		done()
	}
	return nil
}

func rodStep(page *rod.Page, site string, scripted bool, s step) error {
	if s.Do == goTo {
		err := page.Navigate(site + s.Text)
		if err == nil && scripted {
			err = page.WaitLoad()
		}
		return err
	}
	el, err := page.Element(s.CSS)
	if err == nil && s.Moves {
		_, err = el.WaitInteractable()
	}
	if err != nil {
		return err
	}
	switch s.Do {
	case press:
		return el.Click(proto.InputMouseButtonLeft, 1)
	case fill:
		return el.Input(s.Text)
	case choose:
		return el.Select([]string{s.Text}, true, rod.SelectorTypeText)
	case set:
		_, err = el.Eval(`(value) => {
			this.value = value;
			this.dispatchEvent(new Event("input", {bubbles: true}));
			this.dispatchEvent(new Event("change", {bubbles: true}));
		}`, s.Text)
		return err
	}
	return nil // arrived: the element is of the page that was wanted
}
