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

// errDetached has no name in rod.
var errDetached = &cdp.Error{Code: -32000, Message: "Node is detached from document"}

// counter counts what rod sends through its own client, keys left out.
type counter struct {
	*cdp.Client
	sent atomic.Uint64
}

// Call counts and sends.
func (c *counter) Call(ctx context.Context, sessionID, method string, params any) ([]byte, error) {
	if method != "Input.dispatchKeyEvent" {
		c.sent.Add(1)
	}
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

func (r *rodClient) play(ctx context.Context, site string, s script, done func()) error {
	page := r.page.Context(ctx)
	for i, one := range s.Steps {
		err := r.step(page, site, s.Scripted, one)
		for errors.Is(err, errDetached) { // the page has drawn the element again
			err = r.step(page, site, s.Scripted, one)
		}
		if err != nil {
			return fmt.Errorf("step %d, %s %s: %w", i, one.Do, one.CSS, err)
		}
		done()
	}
	return nil
}

func (r *rodClient) step(page *rod.Page, site string, scripted bool, s step) error {
	if s.Do == goTo {
		err := page.Navigate(site + s.Text)
		if err == nil && scripted {
			err = page.WaitLoad()
		}
		return err
	}
	el, err := r.element(page, s)
	if err == nil && s.Moves {
		_, err = el.WaitInteractable()
	}
	if err != nil {
		return err
	}
	switch s.Do {
	case press, tick:
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
	case see:
		return el.WaitVisible()
	}
	return nil // arrived: the element is of the page that was wanted
}

// element goes through frames and shadow roots to the element of a step.
func (r *rodClient) element(page *rod.Page, s step) (*rod.Element, error) {
	for _, css := range s.Frames {
		frame, err := page.Element(css)
		if err != nil {
			return nil, err
		}
		if page, err = r.frame(frame, s.Cross); err != nil {
			return nil, err
		}
	}
	if s.Host == "" {
		return page.Element(s.CSS)
	}
	host, err := page.Element(s.Host)
	if err != nil {
		return nil, err
	}
	root, err := host.ShadowRoot()
	if err != nil {
		return nil, err
	}
	return root.Element(s.CSS)
}

// frame enters a frame. One of another site is a target of its own, of the frame's name.
func (r *rodClient) frame(el *rod.Element, cross bool) (*rod.Page, error) {
	if !cross {
		return el.Frame()
	}
	node, err := el.Describe(1, false)
	if err != nil {
		return nil, err
	}
	page, err := r.browser.PageFromTarget(proto.TargetTargetID(node.FrameID))
	if err != nil {
		return nil, err
	}
	return page.Context(el.GetContext()), nil
}
