package humanize

import (
	"math"
	"time"
)

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
	return int(min(max(math.Round(by/notchLength), 1), mostNotches))
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
