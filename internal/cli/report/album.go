// Package report makes a page that shows a run: what each step did, with a picture
// before and after it. It is one file that needs nothing else, not even a script.
package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/jpeg"
	"image/png"
	"sync"

	"golang.org/x/image/draw"

	"github.com/go-reprise/reprise/replayer"
)

// Album collects the pictures of a run until its page is made. It is safe for concurrent
// use.
type Album struct {
	mu       sync.Mutex
	pictures map[place]*Picture
}

// place is where a picture belongs.
type place struct {
	step  int
	after bool
}

// Picture is one as the page shows it.
type Picture struct {
	jpeg          []byte
	Width, Height int
	Element       *[4]float64 // of the step, as parts of the picture: left, top, width and height
}

// NewAlbum returns one without pictures.
func NewAlbum() *Album { return &Album{pictures: map[place]*Picture{}} }

// Add is for replayer.Options.OnPicture. Of a step that is tried again the last
// pictures count; what is no picture is left out.
func (a *Album) Add(p replayer.StepPicture) {
	small, err := shrink(p.PNG)
	if err != nil {
		return
	}
	small.Element = p.Element
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pictures[place{p.Step, p.After}] = small
}

func (a *Album) at(step int, after bool) *Picture {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.pictures[place{step, after}]
}

// sizes are what is tried for a picture until it is small enough: thirty of the
// largest, as text, are some 2.5 MB. At the first a page's text can still be read.
var sizes = []struct{ width, quality int }{{960, 75}, {960, 55}, {800, 45}, {640, 40}}

// enough is how many bytes a picture may have.
const enough = 64 << 10

// maxAspect bounds the height of a picture relative to its width.
const maxAspect = 3

// shrink makes a picture small enough for the page.
func shrink(data []byte) (*Picture, error) {
	full, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading a picture: %w", err)
	}
	bounds := full.Bounds()
	bounds.Max.Y = min(bounds.Max.Y, bounds.Min.Y+maxAspect*bounds.Dx())
	var p *Picture
	for _, size := range sizes {
		if p, err = scaled(full, bounds, size.width, size.quality); err != nil || len(p.jpeg) <= enough {
			break
		}
	}
	return p, err
}

func scaled(full image.Image, bounds image.Rectangle, width, quality int) (*Picture, error) {
	width = min(width, bounds.Dx())
	height := max(1, bounds.Dy()*width/max(1, bounds.Dx()))
	small := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.CatmullRom.Scale(small, small.Bounds(), full, bounds, draw.Src, nil)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: quality}); err != nil {
		return nil, err
	}
	return &Picture{jpeg: out.Bytes(), Width: width, Height: height}, nil
}

// URL is the picture itself, as an address.
func (p *Picture) URL() template.URL {
	return template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(p.jpeg))
}

// frameRoom is left around an element that is framed, as a part of the picture.
const frameRoom = 0.006

// Frame is the box around the element: x, y, width and height in the picture's own
// points. An element that lies outside of the picture has none.
func (p *Picture) Frame() *[4]int {
	if p.Element == nil {
		return nil
	}
	w, h := float64(p.Width), float64(p.Height)
	room := frameRoom * w
	left, top := max(1, p.Element[0]*w-room), max(1, p.Element[1]*h-room)
	right, bottom := min(w-1, (p.Element[0]+p.Element[2])*w+room), min(h-1, (p.Element[1]+p.Element[3])*h+room)
	if right <= left || bottom <= top {
		return nil
	}
	return &[4]int{int(left), int(top), int(right - left), int(bottom - top)}
}
