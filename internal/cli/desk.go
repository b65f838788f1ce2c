package cli

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/recorder/desk"
)

// wantsDesk reports whether a recording desk is opened: where it was asked for, and
// unasked where somebody sits before a window that was opened here, and a terminal.
func (a *app) wantsDesk(o *recordOptions) bool {
	if o.desk || o.noDesk {
		return o.desk
	}
	return a.showsWindow(o) && a.width() != nil && render.IsTerminal(a.stdin)
}

// showsWindow reports whether the browser is started here, with a window.
func (a *app) showsWindow(o *recordOptions) bool { return a.endpoint() == "" && !o.headless }

// openDesk opens a recording desk in a window beside the recorded page, or says where
// it is. One that cannot be opened holds up no recording. The desk ends it by end.
func (a *app) openDesk(ctx context.Context, b *browser.Browser, page *browser.Page, r *recorder.Recorder, end func()) (closeDesk func()) {
	d, err := desk.Serve(ctx, r, &desk.Options{Stop: end, Logger: a.logger()})
	if err != nil {
		a.warn(err)
		return func() {}
	}
	if !b.HasWindow(ctx) || a.endpoint() != "" {
		a.say("desk %s", d.URL()) // whoever drives that browser need not be who records
		return func() { a.warn(d.Close()) }
	}
	window, err := b.NewWindow(ctx, d.URL())
	if err != nil {
		a.warn(err)
		a.say("desk %s", d.URL())
		return func() { a.warn(d.Close()) }
	}
	if err := stand(ctx, window.Target(), page.Target()); err != nil {
		a.logger().Debug("the recording desk stands where the browser has put it", "error", err)
	}
	return func() { a.warn(d.Close()) }
}

// deskWidth is that of the desk's window, in pixels of the screen.
const deskWidth = 480

// bounds of a window on the screen.
type bounds struct {
	Left   int `json:"left"`
	Top    int `json:"top"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

type window struct {
	ID     int    `json:"windowId"`
	Bounds bounds `json:"bounds"`
}

// stand puts the desk's window beside the recorded one, as far as the screen goes,
// and that one in front.
func stand(ctx context.Context, at, recorded *target.Page) error {
	var own, other window
	var screen struct {
		Result struct {
			Value int `json:"value"`
		} `json:"result"`
	}
	err := errors.Join(
		ask(ctx, at, "Browser.getWindowForTarget", nil, &own),
		ask(ctx, recorded, "Browser.getWindowForTarget", nil, &other),
		ask(ctx, at, "Runtime.evaluate", map[string]any{"expression": "screen.availLeft + screen.availWidth"}, &screen),
	)
	if err != nil {
		return err
	}
	beside := other.Bounds
	beside.Left, beside.Width = max(0, min(beside.Left+beside.Width, screen.Result.Value-deskWidth)), deskWidth
	return errors.Join(
		ask(ctx, at, "Browser.setWindowBounds", map[string]any{"windowId": own.ID, "bounds": beside}, nil),
		ask(ctx, recorded, "Page.bringToFront", nil, nil),
	)
}

func ask(ctx context.Context, page *target.Page, method string, params, out any) error {
	reply, err := page.Send(method, params).Wait(ctx)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(reply, out)
}
