package recorder

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"slices"
	"sync"

	"github.com/go-reprise/reprise/internal/target"
)

// pictures are small pictures of what was pressed, for the user who records. They
// stay in memory, and none is made of what may show what was typed.
type pictures struct {
	mu      sync.Mutex
	busy    bool // one at a time: a picture that comes late is of something else
	byPress map[string][]byte
	order   []string
	clears  int    // how often they were dropped: one that was begun before is dropped, too
	came    func() // called when there is another
}

// Limits of pictures.
const (
	maxPictures      = 300 // 2 MB at most
	maxPictureWidth  = 220 // pixels
	maxPictureHeight = 72
	pictureQuality   = 72 // of JPEG
)

// box is where an element stands in the window, in CSS pixels.
type box struct {
	X      float64    `json:"x"`
	Y      float64    `json:"y"`
	Width  float64    `json:"width"`
	Height float64    `json:"height"`
	View   float64    `json:"view"` // width of the window
	At     [2]float64 `json:"at"`   // where it was pressed
}

// Picture is a small picture (JPEG) of the element of a step as it was when it was
// pressed, nil where there is none: of fields and of what may show what was typed,
// where it came too late, and without Options.Pictures.
func (r *Recorder) Picture(id int) []byte {
	r.shaping.mu.Lock()
	defer r.shaping.mu.Unlock()
	i := r.merger.at(id)
	if i < 0 || r.pictures == nil {
		return nil
	}
	r.pictures.mu.Lock()
	defer r.pictures.mu.Unlock()
	return r.pictures.byPress[r.merger.entries[i].press]
}

func (p *pictures) has(press string) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byPress[press] != nil
}

// clear drops them all.
func (p *pictures) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byPress, p.order = map[string][]byte{}, nil
	p.clears++
}

// picture has a picture be made of a press, unless one is under way.
func (r *Recorder) picture(ctx context.Context, f *target.Frame, msg message) {
	p := r.pictures
	if p == nil || msg.Box == nil || msg.Box.View <= 0 || msg.Target == nil {
		return
	}
	add := p.begin()
	if add == nil {
		return
	}
	mark := f.Mark()
	r.work.Go(func() {
		taken, err := take(ctx, f, mark, msg)
		if err != nil {
			taken = nil
		}
		if add(msg.pressID(), taken) {
			p.came()
		}
	})
}

// begin begins a picture, and returns what ends it: with nil where there is none. It
// returns nil while another one is under way.
func (p *pictures) begin() (end func(press string, taken []byte) (added bool)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy {
		return nil
	}
	p.busy = true
	clears := p.clears
	return func(press string, taken []byte) bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.busy = false
		if taken == nil || p.clears != clears {
			return false
		}
		p.add(press, taken)
		return true
	}
}

func (p *pictures) add(press string, taken []byte) {
	p.byPress[press] = taken
	p.order = append(p.order, press)
	if len(p.order) > maxPictures {
		delete(p.byPress, p.order[0])
		p.order = slices.Delete(p.order, 0, 1)
	}
}

// take makes a picture of the window, and returns the element's part alone: a clip in
// the browser would make the window flicker. It returns nil unless the element still
// stands there afterwards, and nothing covers it.
func take(ctx context.Context, f *target.Frame, mark target.Mark, msg message) ([]byte, error) {
	reply, err := f.Page().Send("Page.captureScreenshot", map[string]any{"format": "jpeg", "quality": 80, "optimizeForSpeed": true}).Wait(ctx)
	if err != nil {
		return nil, err
	}
	var still bool
	if err := f.CallAt(ctx, mark, &still, "standsAt", msg.Target.Ref, msg.Box); err != nil || !still {
		return nil, err
	}
	var shot struct {
		Data []byte `json:"data"`
	}
	if err := json.Unmarshal(reply, &shot); err != nil {
		return nil, err
	}
	whole, err := jpeg.Decode(bytes.NewReader(shot.Data))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = jpeg.Encode(&out, cut(whole, msg.Box), &jpeg.Options{Quality: pictureQuality})
	return out.Bytes(), err
}

// cut returns a part of a picture of the window, scaled down.
func cut(whole image.Image, b *box) image.Image {
	scale := float64(whole.Bounds().Dx()) / b.View // of the screen
	part := image.Rect(int(b.X*scale), int(b.Y*scale), int(math.Ceil((b.X+b.Width)*scale)), int(math.Ceil((b.Y+b.Height)*scale))).Intersect(whole.Bounds())
	by := max(1, float64(part.Dx())/(2*maxPictureWidth), float64(part.Dy())/(2*maxPictureHeight))
	small := image.NewRGBA(image.Rect(0, 0, max(1, int(float64(part.Dx())/by)), max(1, int(float64(part.Dy())/by))))
	for y := range small.Bounds().Dy() {
		for x := range small.Bounds().Dx() {
			small.Set(x, y, mean(whole, part, float64(x)*by, float64(y)*by, by))
		}
	}
	return small
}

// mean returns the average color of a square of a picture.
func mean(of image.Image, part image.Rectangle, x, y, side float64) color.Color {
	var r, g, b, n uint32
	for py := part.Min.Y + int(y); py < min(part.Max.Y, part.Min.Y+max(int(y)+1, int(y+side))); py++ {
		for px := part.Min.X + int(x); px < min(part.Max.X, part.Min.X+max(int(x)+1, int(x+side))); px++ {
			pr, pg, pb, _ := of.At(px, py).RGBA()
			r, g, b, n = r+pr>>8, g+pg>>8, b+pb>>8, n+1
		}
	}
	if n == 0 {
		return color.White
	}
	return color.RGBA{uint8(r / n), uint8(g / n), uint8(b / n), 255}
}
