package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/recorder/desk"
)

// openDesk opens a recording desk in a window next to the recorded page, or prints its link. A desk
// that cannot be opened does not stop the recording. The desk ends the recording by end.
func (o *Options) openDesk(ctx context.Context, r *recorder.Recorder, end func()) (closeDesk func()) {
	d, err := desk.Serve(ctx, r, &desk.Options{Stop: end, Logger: o.Logger})
	if err != nil {
		o.Warn(err)
		return func() {}
	}
	closeDesk = func() { o.Warn(d.Close()) }
	if !o.Browser.HasWindow(ctx) || !o.DeskWindow {
		fmt.Fprintf(o.Out, "desk %s\n", d.URL()) // the browser's user may be someone else
		return closeDesk
	}
	window, err := o.Browser.NewPageWith(ctx, d.URL(), &browser.PageOptions{Window: true}) // whatever the recorded page emulates
	if err != nil {
		o.Warn(err)
		fmt.Fprintf(o.Out, "desk %s\n", d.URL())
		return closeDesk
	}
	if err := placeDesk(ctx, window.Target(), o.Page.Target()); err != nil {
		o.Logger.Debug("the recording desk stands where the browser has put it", "error", err)
	}
	return closeDesk
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

// placeDesk moves the desk's window next to the recorded one, as far as the screen allows, and
// brings that one to the front.
func placeDesk(ctx context.Context, at, recorded *target.Page) error {
	var own, other window
	var screen struct {
		Result struct {
			Value int `json:"value"`
		} `json:"result"`
	}
	err := errors.Join(
		call(ctx, at, "Browser.getWindowForTarget", nil, &own),
		call(ctx, recorded, "Browser.getWindowForTarget", nil, &other),
		call(ctx, at, "Runtime.evaluate", map[string]any{"expression": "screen.availLeft + screen.availWidth"}, &screen),
	)
	if err != nil {
		return err
	}
	next := other.Bounds
	next.Left, next.Width = max(0, min(next.Left+next.Width, screen.Result.Value-deskWidth)), deskWidth
	return errors.Join(
		call(ctx, at, "Browser.setWindowBounds", map[string]any{"windowId": own.ID, "bounds": next}, nil),
		call(ctx, recorded, "Page.bringToFront", nil, nil),
	)
}

func call(ctx context.Context, page *target.Page, method string, params, out any) error {
	reply, err := page.Send(method, params).Wait(ctx)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(reply, out)
}
