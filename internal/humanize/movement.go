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
	for last < w.end && len(samples) < maxMoves {
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

// stroke is one pull of the hand: along an arc, with a speed that rises and falls.
type stroke struct {
	begin, last float64 // ms
	by          Point   // from its beginning to its end
	arc         float64 // by how much it turns on the way, rad
	sigma       float64 // of the log-normal speed; 0 is a minimum-jerk one
	low, high   float64 // between which its time runs, in the log-normal's own
}

// shaped makes the speed of a stroke the log-normal one of a sigma.
func (s stroke) shaped(sigma float64) stroke {
	s.sigma, s.low, s.high = sigma, math.Exp(-strokeTail*sigma), math.Exp(strokeTail*sigma)
	return s
}

// tailed is how much of a log-normal lies between its tails.
var tailed = 2 * math.Erf(strokeTail/math.Sqrt2)

// progress is which part of the stroke is done at a time.
func (s *stroke) progress(t float64) float64 {
	part := (t - s.begin) / s.last
	switch {
	case part <= 0:
		return 0
	case part >= 1:
		return 1
	case s.sigma == 0:
		return part * part * part * (10 + part*(6*part-15))
	}
	z := math.Log(s.low+part*(s.high-s.low)) / s.sigma
	return 0.5 + math.Erf(z/math.Sqrt2)/tailed
}

// at is how far the stroke has led at a time.
func (s *stroke) at(t float64) Point {
	done := s.progress(t)
	if done == 0 || done == 1 || math.Abs(s.arc) < 0.01 {
		return Point{s.by.X * done, s.by.Y * done}
	}
	sin, cos := math.Sincos(s.arc / 2)
	sinAt, cosAt := math.Sincos(s.arc * (done - 0.5))
	along, aside := (sinAt+sin)/(2*sin), (cosAt-cos)/(2*sin)
	return Point{s.by.X*along - s.by.Y*aside, s.by.Y*along + s.by.X*aside}
}

// way is a movement as it is meant: a few strokes that overlap.
type way struct {
	strokes [maxStrokes]stroke
	n       int
	end     float64 // ms
	total   Point   // of all strokes
}

func (w *way) at(t float64) Point {
	var sum Point
	for i := range w.n {
		by := w.strokes[i].at(t)
		sum.X, sum.Y = sum.X+by.X, sum.Y+by.Y
	}
	return sum
}

func (w *way) add(s stroke) {
	w.strokes[w.n] = s
	w.n++
	w.end = max(w.end, s.begin+s.last)
	w.total = Point{w.total.X + s.by.X, w.total.Y + s.by.Y}
}

// plan draws the strokes of a movement. What makes one hasty makes it short, and
// inexact too: its parameters are drawn together.
func (p *Persona) plan(from, to Point, target Rect, slower float64) way {
	var w way
	dx, dy := to.X-from.X, to.Y-from.Y
	far := math.Hypot(dx, dy)
	haste := p.normal(0, 1)
	begin := p.predrift(&w, dx/far, dy/far)
	width := min(max(min(within(target.Width), within(target.Height)), thinnest), widest)
	difficulty := math.Log2(far/width + 1)
	slower *= p.slowness
	primary := stroke{
		begin: begin,
		last:  (primaryBase + primaryBit*difficulty) * slower * math.Exp(-primarySpread*haste),
		arc:   p.side + p.normal(0, arcTurn),
	}
	primary = primary.shaped(strokeSigma * math.Exp(p.normal(0, strokeSigmaSpread)))
	miss := math.Exp(missHaste * haste)
	reach := reachMean + p.normal(0, reachSpread)*miss
	aside := p.normal(0, asideSpread) * miss
	restX, restY := dx-w.total.X, dy-w.total.Y
	primary.by = Point{restX*reach - restY*aside, restY*reach + restX*aside}
	w.add(primary)
	p.correct(&w, Point{dx, dy}, primary, slower)
	return w
}

// predrift lets the hand settle on the mouse before it goes, at times.
func (p *Persona) predrift(w *way, ux, uy float64) (begin float64) {
	if !p.chance(driftChance) {
		return 0
	}
	long := driftLength * math.Exp(p.normal(0, driftSpread))
	x, y := turned(ux*long, uy*long, p.normal(0, driftAngle))
	last := driftTime * math.Exp(p.normal(0, driftTimeSpread))
	w.add(stroke{last: last, by: Point{x, y}})
	return last * driftOverlap
}

// correct adds the strokes that bring the hand from where the last one will end to
// where it is to be.
func (p *Persona) correct(w *way, to Point, before stroke, slower float64) {
	chance := correctChance
	for range maxCorrections {
		restX, restY := to.X-w.total.X, to.Y-w.total.Y
		rest := math.Hypot(restX, restY)
		if rest < 1 || !p.chance(chance) {
			break
		}
		chance = againChance
		gain := correctGain + p.normal(0, correctSpread)
		s := stroke{
			begin: before.begin + before.last*correctOverlap,
			last:  (correctBase + correctBit*math.Log2(rest+1)) * slower * math.Exp(p.normal(0, correctTimeSpread)),
		}
		s.by.X, s.by.Y = turned(restX*gain, restY*gain, p.normal(0, correctAngle))
		w.add(s)
		before = s
	}
	// What is left is the last one's.
	last := &w.strokes[w.n-1]
	last.by.X += to.X - w.total.X
	last.by.Y += to.Y - w.total.Y
	w.total = to
}

// clock is the beat in which a page is told of a mouse: that of the screen, as a
// rule. It is a trait of a person's machine.
type clock struct {
	beat   float64 // ms
	jitter float64 // ms
	half   float64 // how often an event comes half a beat early
	skip   float64 // how often a busy page misses beats
}

func (p *Persona) drawClock() clock {
	c := clock{beat: frameBeat, jitter: steadyJitter, half: halfBeats}
	c.skip = p.spread(skippedBeats, skippedSpread, 0, skippedMost)
	switch u := p.rand.Float64(); {
	case u < fastClocks:
		c.beat, c.half = fastBeat, 0
	case u < fastClocks+slowClocks:
		c.beat = slowBeat
	case u < fastClocks+slowClocks+unsteadyClocks:
		c.jitter = unsteadyJitter
	}
	return c
}

// tick is the next beat after a time.
func (p *Persona) tick(t float64) float64 {
	c := &p.clock
	beats := 1.0
	switch u := p.rand.Float64(); {
	case u < c.skip:
		beats += math.Ceil(p.rand.ExpFloat64() * skippedMean)
	case u < c.skip+c.half:
		beats = 0.5
	}
	return t + max(beats*c.beat+p.normal(0, c.jitter), leastGap)
}

// Notch is one turn of a mouse's wheel, which has no momentum of its own.
type Notch struct {
	DX, DY float64 // px, of which one is 0
	At     time.Duration
}

// Wheel scrolls by what is asked for, to the nearest notch and by one at least: a
// few pulls of the finger, with a rest after each. It scrolls down or up first, and
// then to the side.
func (p *Persona) Wheel(dx, dy float64) []Notch {
	p.next()
	down, at := p.pulls(nil, Notch{DY: math.Copysign(notchLength, dy)}, notchesOf(dy), 0)
	both, _ := p.pulls(down, Notch{DX: math.Copysign(notchLength, dx)}, notchesOf(dx), at)
	return both
}

func notchesOf(by float64) int {
	by = math.Abs(whole(by))
	if by == 0 {
		return 0
	}
	return int(min(max(math.Round(by/notchLength), 1), maxNotches))
}

func (p *Persona) pulls(notches []Notch, one Notch, left int, at float64) ([]Notch, float64) {
	for left > 0 {
		pull := min(left, pullLeast+p.rand.IntN(pullMost-pullLeast+1))
		for range pull {
			one.At = milliseconds(at)
			notches = append(notches, one)
			at += p.spread(notchGap, notchSpread, notchLeast, notchMost)
		}
		at += p.spread(restMedian, restSpread, restLeast, restMost)
		left -= pull
	}
	return notches, at
}

// Press is one pressing of a button, counted from the end of the movement before it.
type Press struct{ Down, Up time.Duration }

// Aim is where in a target a person presses: near its middle, hardly ever on it, and
// well within what can be seen of it. A target without an inside is its corner.
func (p *Persona) Aim(target Rect) Point {
	p.next()
	return Point{p.aimed(target.X, target.Width), p.aimed(target.Y, target.Height)}
}

// aimed is a whole pixel between the edges, with the middle one left out where
// there is another.
func (p *Persona) aimed(edge, length float64) float64 {
	edge, length = within(edge), max(within(length), 0)
	first, last := math.Ceil(edge), math.Ceil(edge+length)-1
	if margin := math.Floor(edgeMargin * length); margin > 0 {
		first, last = first+margin, last-margin
	}
	if last <= first {
		return min(first, math.Floor(edge+length))
	}
	middle := edge + length/2
	for range maxDraws {
		v := math.Round(middle + p.normal(0, aimSpread)*length)
		if v >= first && v <= last && v != math.Round(middle) {
			return v
		}
	}
	return first
}

// Presses are the pressings of a click, a double click, or more: a pause in which
// the eye makes sure, and the button held as this person holds it.
func (p *Persona) Presses(count int) []Press {
	p.next()
	presses := make([]Press, 0, max(count, 1))
	at := p.spread(dwellMedian, dwellSpread, dwellLeast, dwellMost)
	for range max(count, 1) {
		hold := p.spread(p.hold, holdWithin, holdLeast, holdMost)
		presses = append(presses, Press{milliseconds(at), milliseconds(at + hold)})
		at += hold + p.spread(againMedian, againSpread, againLeast, againMost)
	}
	return presses
}
