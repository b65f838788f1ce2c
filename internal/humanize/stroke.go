package humanize

import "math"

// stroke is one pull of the hand: along an arc, with a speed that rises and falls.
type stroke struct {
	begin, last float64 // ms
	by          Point   // from its beginning to its end
	arc         float64 // by how much it turns on the way, rad
	sigma       float64 // of the log-normal speed; 0 is a minimum-jerk one
	low, high   float64 // between which its time runs, in the log-normal's own
}

// shaped gives a stroke the log-normal speed of a sigma.
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
