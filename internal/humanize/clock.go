package humanize

import "math"

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
