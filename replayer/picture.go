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

	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
)

// Picture is one of a page, with what is secret in it covered.
type Picture struct {
	Step int    `json:"step"` // index
	Name string `json:"name,omitempty"`
	PNG  []byte `json:"-"`
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

// screenshot takes a picture in which what is secret is covered.
func screenshot(ctx context.Context, c *call) (outcome, error) {
	var args struct {
		As       string
		FullPage bool
	}
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	if err := c.run.inScope(c.page.Main().Address()); err != nil {
		return outcome{}, err
	}
	out := outcome{}
	if len(c.step.Selector) > 0 {
		at, err := c.ready(ctx, requestFor(c.step, "see"))
		if out = on(at, err); err != nil {
			return out, err
		}
	}
	png, err := c.run.picture(ctx, c.page, args.FullPage)
	if err != nil {
		return out, err
	}
	c.run.result.Pictures = append(c.run.result.Pictures, Picture{Step: c.index, Name: args.As, PNG: png})
	return out, nil
}

// takeStepPicture takes a picture for Options.OnPicture; one that cannot be taken is left out.
func (c *call) takeStepPicture(ctx context.Context, after bool) {
	if c.run.options.OnPicture == nil {
		return
	}
	shot := StepPicture{Step: c.index, After: after}
	if !after && len(c.step.Selector) > 0 {
		shot.Element = c.standsAt(ctx)
	}
	var err error
	if shot.PNG, err = c.run.picture(ctx, c.page, false); err != nil && ctx.Err() == nil { // one that changes right now may yield none at first
		shot.PNG, err = c.run.picture(ctx, c.page, false)
	}
	if err != nil {
		c.run.options.Logger.DebugContext(ctx, "no picture", "step", c.index, "error", err)
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

// pictureTimeout bounds what a picture may take: a page that hangs yields none.
const pictureTimeout = 5 * time.Second

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
	ctx, cancel := load.WithTimeout(ctx, pictureTimeout)
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

// maxPictureSide is how wide or high a picture of a whole page may be, in CSS pixels.
const maxPictureSide = 8192

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
		"width":  int(min(maxPictureSide, max(metrics.View.ClientWidth, metrics.Content.Width))),
		"height": int(min(maxPictureSide, max(metrics.View.ClientHeight, metrics.Content.Height))), "deviceScaleFactor": 0, "mobile": false,
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

// covers finds what is to be covered, in all frames. Those that the run may act in know
// its secrets: a document may repeat what was typed in one before it.
func (r *run) covers(ctx context.Context, page *target.Page) ([]box, error) {
	var all []box
	for _, f := range page.Frames() {
		var boxes []box
		err := f.Call(ctx, &boxes, "covers", r.secrets.piecesFor(f))
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
