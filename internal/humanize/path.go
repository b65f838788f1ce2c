package humanize

import (
	"math"
	"time"
)

// Point is one of a page's viewport, in its pixels.
type Point struct{ X, Y float64 }

// Rect is a part of a page's viewport: what can be seen of an element.
type Rect struct{ X, Y, Width, Height float64 }

// Move is an event of the mouse: where it is, in whole pixels, and when, counted
// from the beginning of the gesture.
type Move struct {
	X, Y int
	At   time.Duration
}

// Path moves the mouse from a point to another, within a target whose size says how
// exactly it has to go. It ends on the pixel of to, which Aim chooses like a person.
// Where there is no way to go it is empty.
func (p *Persona) Path(from, to Point, target Rect) []Move {
	return p.path(from, to, target, 1)
}

// DragPath is Path with a button held down, which makes a hand slower.
func (p *Persona) DragPath(from, to Point, target Rect) []Move {
	return p.path(from, to, target, dragSlower)
}

func (p *Persona) path(from, to Point, target Rect, slower float64) []Move {
	p.next()
	from, to = Point{whole(from.X), whole(from.Y)}, Point{whole(to.X), whole(to.Y)}
	if from == to {
		return nil
	}
	w := p.plan(from, to, target, slower)
	samples, length := p.shake(&w)
	home(samples, w.total, length)
	return p.seen(from, to, samples)
}

// whole is the pixel of a coordinate.
func whole(v float64) float64 { return math.Round(within(v)) }

// within takes what is no number, or beyond every screen, to the nearest that can be.
func within(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, -farthest), farthest)
}

// sample is where the hand is at a tick of the clock.
type sample struct {
	at   float64 // ms
	x, y float64
}

// shake follows the strokes at the ticks of the persona's clock, with the hand's own
// noise in speed and direction.
func (p *Persona) shake(w *way) (samples []sample, length float64) {
	samples = p.samples[:0]
	var x, y, pace, bend, last float64
	before := w.at(0)
	for last < w.end && len(samples) < mostMoves {
		t := min(p.tick(last), w.end)
		gap := t - last
		pace = p.drift(pace, gap, paceMemory, paceNoise)
		bend = p.drift(bend, gap, bendMemory, bendNoise)
		now := w.at(t)
		dx, dy := turned(now.X-before.X, now.Y-before.Y, bend)
		factor := math.Exp(pace)
		dx, dy = snapped(dx*factor, dy*factor, gap)
		x, y, length = x+dx, y+dy, length+math.Hypot(dx, dy)
		samples = append(samples, sample{t, x, y})
		before, last = now, t
	}
	return samples, length
}

// snapped turns a step towards the nearer axis, the more the slower it is.
func snapped(dx, dy, gap float64) (float64, float64) {
	long := math.Hypot(dx, dy)
	if long == 0 {
		return dx, dy
	}
	strength := snap / (1 + long/gap/snapSpeed)
	ux, uy := dx/long, dy/long
	sin4 := 4 * ux * uy * (ux*ux - uy*uy) // of four times the angle
	return turned(dx, dy, -strength*sin4/4)
}

// home brings the samples to where they were to end: what the noise has changed is
// made good over the whole way, most where the hand is fast.
func home(samples []sample, end Point, length float64) {
	last := samples[len(samples)-1]
	missX, missY := end.X-last.x, end.Y-last.y
	var gone float64
	var before sample
	for i, s := range samples {
		gone += math.Hypot(s.x-before.x, s.y-before.y)
		before = s
		part := 1.0
		if i < len(samples)-1 && length > 0 {
			part = gone / length
		}
		samples[i].x, samples[i].y = s.x+missX*part, s.y+missY*part
	}
}

// seen is what a page sees: the counts of a mouse as whole pixels, and nothing
// while there is no new one.
func (p *Persona) seen(from, to Point, samples []sample) []Move {
	moves := make([]Move, 0, len(samples)+1)
	x, y := int(from.X), int(from.Y)
	for _, s := range samples {
		// Counted from the end, so that the end is on the grid.
		nx := int(math.Round(to.X + p.counted(from.X+s.x-to.X)))
		ny := int(math.Round(to.Y + p.counted(from.Y+s.y-to.Y)))
		if nx == x && ny == y {
			continue
		}
		x, y = nx, ny
		moves = append(moves, Move{x, y, milliseconds(s.at)})
	}
	return moves
}

// counted is a distance in a mouse's counts, in pixels.
func (p *Persona) counted(v float64) float64 { return math.Round(v/p.count) * p.count }

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

func turned(x, y, angle float64) (float64, float64) {
	sin, cos := math.Sincos(angle)
	return x*cos - y*sin, x*sin + y*cos
}
