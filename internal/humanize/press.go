package humanize

import (
	"math"
	"time"
)

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
	for range mostDraws {
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
