// Package humanize gives a person's movements, presses and keystrokes as numbers:
// which events a page sees, and when. It knows no browser and no clock.
//
// Its figures come from statistics of recorded movements and of typing; the
// document docs/human_input.md compares ours with people's.
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
	p := &Persona{seed: seed, samples: make([]sample, 0, maxMoves)}
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

// What a movement is made of. The first values were those of published fits; all were
// then moved together until the quartiles of what a page sees were people's (the test
// of the movements holds them there). They belong together: to change one is to
// measure again. Times are ms, lengths px, angles rad; a spread is a standard
// deviation, for what multiplies that of the logarithm.
const (
	// The pull that does most of it.
	primaryBase, primaryBit        = 202, 54.7 // time: so much, and for each bit of difficulty
	primarySpread                  = 0.28      // of the time, with haste
	missHaste                      = 0.50      // how much less exact haste makes
	reachMean, reachSpread         = 0.925, 0.144
	asideSpread                    = 0.069 // of the end, in parts of the way
	arcTurn                        = 0.84
	strokeSigma, strokeSigmaSpread = 0.26, 0.52 // of the log-normal speed
	strokeTail                     = 2.98       // its beginning and end, in sigmas

	// The hand settles on the mouse before it goes.
	driftChance                = 0.53
	driftLength, driftSpread   = 5.6, 0.52
	driftAngle                 = 0.59
	driftTime, driftTimeSpread = 105, 0.52
	driftOverlap               = 0.95 // of it is over when the pull begins

	// Corrections on what the pull has left.
	correctChance, againChance = 0.94, 0.64 // of the first, and of one more
	correctGain, correctSpread = 0.575, 0.14
	correctAngle               = 0.31
	correctOverlap             = 0.765 // of a stroke is over when the next begins
	correctBase, correctBit    = 42, 21.3
	correctTimeSpread          = 0.29

	// The hand's noise, and for how long it remembers it.
	paceNoise, paceMemory = 0.18, 32
	bendNoise, bendMemory = 0.042, 160

	// A slow mouse runs along its axes. Without it, slow steps turn too much and too
	// few are purely horizontal or vertical.
	snap, snapSpeed = 0.9, 0.6 // px/ms at which half of it is left

	// What differs from person to person.
	slownessSpread           = 0.15
	sideSpread               = 0.34
	countMedian, countSpread = 1, 0.28 // px for a count of the mouse
	leastCount               = 1

	thinnest, widest = 6, 120 // targets: thinner ones are not aimed at more exactly
	dragSlower       = 1.5    // with the button held down
	maxCorrections   = 3
	maxStrokes       = maxCorrections + 2
	maxMoves         = 512 // in a movement, by far
	farthest         = 1 << 20
)

// The clock by which a page is told. People's: 16-17 ms 61 % of the time, 7-8 ms
// 15 %, 18 ms 4 %; the longest gap of a movement 25, 58 and 111 ms.
const (
	frameBeat, fastBeat, slowBeat = 1000.0 / 60, 8.0, 18.0 // ms
	fastClocks, slowClocks        = 0.14, 0.05             // parts of the people
	unsteadyClocks                = 0.12
	steadyJitter, unsteadyJitter  = 0.25, 2.5   // ms
	halfBeats                     = 0.073       // of the events come half a beat early
	skippedBeats, skippedSpread   = 0.027, 1.15 // of them after beats that a busy page missed
	skippedMean, skippedMost      = 2.45, 0.15
	leastGap                      = 2 // ms
)

// A press. People's quartiles: dwell 28, 60 and 119 ms; hold 67, 80 and 100 ms.
const (
	dwellMedian, dwellSpread, dwellLeast, dwellMost = 60, 1.07, 1, 600
	holdMedian, holdBetween                         = 80, 0.20
	holdWithin, holdLeast, holdMost                 = 0.22, 30, 200
	againMedian, againSpread, againLeast, againMost = 95, 0.25, 40, 180 // up to the next press of a double click

	aimSpread  = 0.21 // SD in sizes of the target, between W/6 and W/4 when clipped
	edgeMargin = 0.05 // of the target, which no one presses on purpose
	maxDraws   = 16
)

// A wheel: what a finger does at a mouse of 24 notches a turn.
const (
	notchLength                                  = 100 // px, as browsers scroll by three lines
	maxNotches                                   = 500
	pullLeast, pullMost                          = 2, 7
	notchGap, notchSpread, notchLeast, notchMost = 45, 0.45, 12, 160
	restMedian, restSpread, restLeast, restMost  = 260, 0.4, 120, 900
)

// Typing. People's: 52 words a minute (SD 20), 239 ms from key to key (SD 112), held
// for 116 ms (SD 24), one finger 80 ms slower than two hands, 40-70 % of a fast
// typist's keys overlap the next.
const (
	wordsMean, wordsSpread, wordsLeast, wordsMost = 52, 20, 20, 110
	lettersAWord                                  = 5
	gapMedian                                     = 0.82 // of the mean gap: pauses make the rest
	gapSpread, gapLeast, gapMost                  = 0.33, 40, 900
	sameFinger, sameKey, otherHand                = 40, 0.85, 0.82

	keyHoldMedian, keyHoldBetween, keyHoldWithin = 112, 0.18, 0.2
	keyHoldLeast, keyHoldMost                    = 40, 280
	fastHold                                     = 12 // ms less, of the fastest

	rollMiddle, rollWidth, rollMost             = 65, 12, 0.45 // words a minute at which half of rollMost is reached
	rollMedian, rollSpread, rollLeast, rollLast = 25, 0.5, 3, 240
	releaseGap                                  = 15 // ms that a finger needs to leave a key for another

	slipMedian, slipSpread, slipMost                    = 0.02, 0.6, 0.08
	maxUnseen, unseen                                   = 2, 0.35
	noticeMedian, noticeSpread, noticeLeast, noticeMost = 240, 0.4, 90, 900

	wordPause, wordPauseSpread, wordPauseMost           = 35, 1, 600
	bothShifts                                          = 0.5 // of the people use both
	shiftMedian, shiftSpread, shiftLeast, shiftMost     = 70, 0.4, 25, 250
	shiftOffFirst, shiftOffLast                         = 0.35, 0.8 // of the way to the next key
	insertMedian, insertSpread, insertLeast, insertMost = 450, 0.4, 150, 1500
)
