package replayer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"time"

	"github.com/go-reprise/reprise/internal/target"
)

// pictureTimeout bounds what a picture may take: a page that hangs gives none.
const pictureTimeout = 5 * time.Second

// wallTimeout bounds what a page may take to say what is in the way: it has a time of its
// own, as a machine that is too busy for a picture still answers that, and runs end
// otherwise for it.
const wallTimeout = 5 * time.Second

// coverColor is painted over what is secret.
var coverColor = color.NRGBA{0x33, 0x33, 0x3b, 0xff}

// box is a part of a page's viewport, in CSS pixels.
type box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// picture takes a PNG of what a page shows, or of all of it, with what is secret
// covered: where that was before and where it is after.
func (r *run) picture(ctx context.Context, page *target.Page, whole bool) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, pictureTimeout)
	defer cancel()
	if whole {
		back, err := stretch(ctx, page)
		if err != nil {
			return nil, err
		}
		defer back()
	}
	before, err := r.covers(ctx, page)
	if err != nil {
		return nil, err
	}
	var view box
	if err := page.Main().Call(ctx, &view, "viewport"); err != nil {
		return nil, err
	}
	reply, err := page.Send("Page.captureScreenshot", map[string]any{"format": "png"}).Wait(ctx)
	if err != nil {
		return nil, err
	}
	after, err := r.covers(ctx, page)
	if err != nil {
		return nil, err
	}
	var shot struct {
		Data []byte `json:"data"` // encoding/json reads base64
	}
	if err := json.Unmarshal(reply, &shot); err != nil {
		return nil, err
	}
	return paint(shot.Data, append(before, after...), view)
}

// largest is how wide or high a picture of a whole page may be, in CSS pixels.
const largest = 8192

// stretch makes the viewport as large as the page, so that all of it is seen as it stands
// there; back undoes that.
func stretch(ctx context.Context, page *target.Page) (back func(), err error) {
	reply, err := page.Send("Page.getLayoutMetrics", nil).Wait(ctx)
	if err != nil {
		return nil, err
	}
	var metrics struct {
		View    struct{ ClientWidth, ClientHeight float64 } `json:"cssLayoutViewport"`
		Content struct{ Width, Height float64 }             `json:"cssContentSize"`
	}
	if err := json.Unmarshal(reply, &metrics); err != nil {
		return nil, err
	}
	size := map[string]any{
		"width":  int(min(largest, max(metrics.View.ClientWidth, metrics.Content.Width))),
		"height": int(min(largest, max(metrics.View.ClientHeight, metrics.Content.Height))), "deviceScaleFactor": 0, "mobile": false,
	}
	if _, err := page.Send("Emulation.setDeviceMetricsOverride", size).Wait(ctx); err != nil {
		return nil, err
	}
	return func() { page.Send("Emulation.clearDeviceMetricsOverride", nil) }, nil
}

// paint covers boxes of a picture.
func paint(data []byte, boxes []box, view box) ([]byte, error) {
	if len(boxes) == 0 {
		return data, nil
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading the picture: %w", err)
	}
	bounds := decoded.Bounds()
	painted := image.NewNRGBA(bounds)
	draw.Draw(painted, bounds, decoded, bounds.Min, draw.Src)
	scale := float64(bounds.Dx()) / view.Width
	for _, b := range boxes {
		at := image.Rect(
			int(math.Floor(b.X*scale)), int(math.Floor(b.Y*scale)),
			int(math.Ceil((b.X+b.Width)*scale)), int(math.Ceil((b.Y+b.Height)*scale)),
		)
		draw.Draw(painted, at.Intersect(bounds), image.NewUniform(coverColor), image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	err = png.Encode(&out, painted)
	return out.Bytes(), err
}

// covers finds what is to be covered, in all frames. Those that the run may act in are
// told of its secrets: a document may repeat what was typed in one before it.
func (r *run) covers(ctx context.Context, page *target.Page) ([]box, error) {
	var all []box
	for _, f := range page.Frames() {
		var boxes []box
		err := f.Call(ctx, &boxes, "covers", r.piecesFor(f))
		switch {
		case target.IsLeft(err):
			continue
		case err != nil:
			return nil, err
		case boxes == nil && f.Parent() != nil: // it lies in a frame of another origin
			b, err := wholeFrame(ctx, f)
			if err != nil {
				return nil, err
			}
			boxes = []box{b}
		}
		all = append(all, boxes...)
	}
	return all, nil
}

// wholeFrame is the box of a frame's element, or all there is.
func wholeFrame(ctx context.Context, f *target.Frame) (box, error) {
	var b box
	err := f.CallOnOwner(ctx, &b, "coverOf")
	if target.IsLeft(err) {
		return box{Width: 1e5, Height: 1e5}, nil
	}
	return b, err
}

// StepPicture is a picture of the page around a step, with what is secret covered.
type StepPicture struct {
	Step  int  // index
	After bool // the step was done; before it otherwise
	PNG   []byte
	// Element is where the step's element stands, before it: left, top, width and height,
	// as parts of the picture's; nil where that is not known.
	Element *[4]float64
}

// depict takes a picture for whoever wants it; one that cannot be taken is left out.
func (c *call) depict(ctx context.Context, after bool) {
	if c.run.options.OnPicture == nil {
		return
	}
	shot := StepPicture{Step: c.index, After: after}
	if !after && len(c.step.Selector) > 0 {
		shot.Element = c.standsAt(ctx)
	}
	var err error
	if shot.PNG, err = c.run.picture(ctx, c.page, false); err != nil {
		c.run.log.DebugContext(ctx, "no picture", "step", c.index, "error", err)
		return
	}
	c.run.options.OnPicture(shot)
}

// standsAt is where the step's element stands in the page.
func (c *call) standsAt(ctx context.Context) *[4]float64 {
	at, err := c.ready(ctx, glance(c.step, "where"))
	if err != nil || at.Box == nil {
		return nil
	}
	return at.Box
}

// explain adds to a failure what the page shows: a picture, and what is in the way.
func (r *run) explain(ctx context.Context, e *Error) {
	page := r.page
	if e.Step < len(r.automation.Steps) && r.pages[r.automation.Steps[e.Step].Page] != nil {
		page = r.pages[r.automation.Steps[e.Step].Page]
	}
	if page.Err() != nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	e.Picture, _ = r.picture(ctx, page, false) // without one there is still the error
	if walled[e.Code] {
		ctx, cancel := context.WithTimeout(ctx, wallTimeout)
		defer cancel()
		r.blame(ctx, page, e)
	}
}

// walled are the failures that something in the way may explain.
var walled = map[Code]bool{Gone: true, NotActionable: true, Timeout: true}

// wall is what the page script says is in the way.
type wall struct {
	Kind string `json:"kind"`
	By   string `json:"by"`
}

// blame tells of what is in the way in place of what could not be done because of it.
func (r *run) blame(ctx context.Context, page *target.Page, e *Error) {
	var addresses []string
	for _, f := range page.Frames() {
		addresses = append(addresses, f.URL())
	}
	var w *wall
	if err := page.Main().Call(ctx, &w, "wall", addresses); err != nil || w == nil {
		return
	}
	if (w.Kind == "sign_in" || w.Kind == "one_time_code") && r.signsIn(e.Step) {
		return // what it looks for is what it has come for
	}
	what := map[string]string{
		"human_check": "a check whether somebody is human is in the way", "sign_in": "the page wants somebody to sign in",
		"one_time_code": "the page wants a one-time code", "consent": "a question for consent lies over the page",
	}[w.Kind]
	if w.By != "" {
		what += " (" + w.By + ")"
	}
	e.Reason = fmt.Sprintf("%s; without that: %s: %s", what, e.Code, e.Reason)
	e.Code, e.Suggestion = Blocked, suggest("handoff_start", w.Kind)
}

// signsIn reports whether a secret is still to be typed, from a step on.
func (r *run) signsIn(from int) bool {
	for _, step := range r.automation.Steps[from:] {
		if step.Value == nil {
			continue
		}
		for _, name := range step.Value.Names() {
			if isSecret(r.values[name]) {
				return true
			}
		}
	}
	return false
}
