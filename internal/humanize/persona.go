// Package humanize gives a person's movements, presses and keystrokes as numbers:
// which events a page sees, and when. It knows no browser and no clock.
//
// Its figures come from statistics of recorded movements and of typing; the
// document docs/human_input.md holds ours beside people's.
package humanize

import (
	"math"
	"math/rand/v2"
)

// Persona is one person: how fast, how exact and how regular the hands are. Every
// gesture is drawn from its seed and its number, so that the same gestures asked for
// in the same order come out the same. It is not for several goroutines at once.
type Persona struct {
	seed, gestures uint64
	source         rand.PCG
	rand           *rand.Rand
	samples        []sample // room for a movement

	slowness float64 // of movements; 1 is the median person
	side     float64 // to which the ways bend, rad
	count    float64 // pixels for a count of the mouse
	clock    clock
	hold     float64 // ms, median
	typing   typing
}

// New draws a person.
func New(seed uint64) *Persona {
	p := &Persona{seed: seed, samples: make([]sample, 0, mostMoves)}
	p.rand = rand.New(&p.source)
	p.next()
	p.slowness = math.Exp(p.normal(0, slownessSpread))
	p.side = p.normal(0, sideSpread)
	p.count = max(leastCount, countMedian*math.Exp(p.normal(0, countSpread)))
	p.clock = p.drawClock()
	p.hold = holdMedian * math.Exp(p.normal(0, holdBetween))
	p.typing = p.drawTyping()
	return p
}

// next begins a gesture: none depends on how much chance the ones before it used.
func (p *Persona) next() {
	p.source.Seed(p.seed, p.gestures)
	p.gestures++
}

func (p *Persona) normal(mean, spread float64) float64 { return mean + spread*p.rand.NormFloat64() }

// spread draws a log-normal value between two bounds.
func (p *Persona) spread(median, spread, least, most float64) float64 {
	return min(max(median*math.Exp(p.normal(0, spread)), least), most)
}

func (p *Persona) between(least, most float64) float64 { return least + (most-least)*p.rand.Float64() }

func (p *Persona) chance(part float64) bool { return p.rand.Float64() < part }

// drift is the next value of a noise that remembers its last for a while, in ms.
func (p *Persona) drift(value, gap, memory, spread float64) float64 {
	keep := math.Exp(-gap / memory)
	return value*keep + p.normal(0, spread)*math.Sqrt(1-keep*keep)
}
