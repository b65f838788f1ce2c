package humanize_test

import (
	"math"
	"slices"
	"time"

	"github.com/go-reprise/reprise/internal/humanize"
)

// feature is one line of the table of what people do: a number of a movement as a
// page sees it, after rounding to pixels and beats of the clock. ok is false for a
// movement that is too short to tell.
type feature struct {
	name          string
	p25, p50, p75 float64 // of people
	of            func(m *movement) (value float64, ok bool)
}

// movement is what a page has seen of one, and what is computed once from it.
type movement struct {
	x, y, at []float64 // px, px, ms
	step     []float64 // px, between two events
	gap      []float64 // ms
	speed    []float64 // px/ms
	duration float64
	distance float64 // straight
	length   float64 // of the path
	top      float64 // speed
}

// see makes a movement of a page's events.
func see(moves []humanize.Move) *movement {
	m := &movement{}
	for i, e := range moves {
		m.x, m.y = append(m.x, float64(e.X)), append(m.y, float64(e.Y))
		m.at = append(m.at, float64(e.At)/float64(time.Millisecond))
		if i == 0 {
			continue
		}
		step := math.Hypot(m.x[i]-m.x[i-1], m.y[i]-m.y[i-1])
		gap := m.at[i] - m.at[i-1]
		m.step, m.gap, m.speed = append(m.step, step), append(m.gap, gap), append(m.speed, step/gap)
		m.length += step
	}
	end := len(m.x) - 1
	m.duration = m.at[end] - m.at[0]
	m.distance = math.Hypot(m.x[end]-m.x[0], m.y[end]-m.y[0])
	m.top = slices.Max(m.speed)
	return m
}

// features is the table (SapiMouse: 16,930 movements of 120 people that ended with a
// press). Where its words leave room, the comment says what is taken.
var features = []feature{
	{"duration at 120-200 px, ms", 319, 424, 536, durationAt(120, 200)},
	{"duration at 300-450 px, ms", 450, 550, 679, durationAt(300, 450)},
	{"duration at 650-900 px, ms", 538, 646, 777, durationAt(650, 900)},
	{"time of the speed peak, part", 0.155, 0.266, 0.385, peakTime},
	{"peak speed over mean speed", 3.4, 4.4, 5.8, peakSpeed},
	{"speed peaks", 1, 2, 2, peaks},
	{"time below 5 % of the peak, part", 0.17, 0.32, 0.46, slowTime},
	{"time for the last 10 px, ms", 50, 67, 117, lastPixels},
	{"time for the last 10 %, part", 0.26, 0.37, 0.50, lastTenth},
	{"autocorrelation of acceleration", 0.15, 0.40, 0.58, smoothness},
	{"path efficiency", 0.83, 0.925, 0.97, efficiency},
	{"max deviation over distance", 0.051, 0.086, 0.147, deviation},
	{"axis-aligned steps, part", 0.16, 0.25, 0.36, aligned},
	{"one-pixel steps, part", 0.07, 0.12, 0.19, onePixel},
	{"mean turn a step, rad", 0.13, 0.175, 0.23, meanTurn},
	{"turn sign flips, part", 0.24, 0.33, 0.43, flips},
	{"initial angle error, rad", 0.15, 0.35, 0.79, initialAngle},
	{"first step, px", 1, 3, 8.5, func(m *movement) (float64, bool) { return m.step[0], true }},
	{"last step, px", 1, 1.4, 2.2, func(m *movement) (float64, bool) { return m.step[len(m.step)-1], true }},
	{"events", 26, 32, 39, func(m *movement) (float64, bool) { return float64(len(m.x)), true }},
	{"longest gap, ms", 25, 58, 111, func(m *movement) (float64, bool) { return slices.Max(m.gap), true }},
}

func durationAt(low, high float64) func(*movement) (float64, bool) {
	return func(m *movement) (float64, bool) { return m.duration, m.distance >= low && m.distance <= high }
}

// peakTime is the middle of the fastest step.
func peakTime(m *movement) (float64, bool) {
	i := slices.Index(m.speed, m.top)
	return ((m.at[i]+m.at[i+1])/2 - m.at[0]) / m.duration, true
}

// peakSpeed compares with the straight line over the whole time.
func peakSpeed(m *movement) (float64, bool) { return m.top / (m.distance / m.duration), true }

const (
	frame     = 1000.0 / 60
	peakLeast = 0.10 // of the highest: lower ones are the hand's noise
	peakDip   = 0.05 // of the highest: so far the speed falls between two peaks
)

// peaks are those of a speed that is smooth enough to have some: over a screen's
// frames, with the weights 1 2 1.
func peaks(m *movement) (float64, bool) {
	var frames []float64
	x, y := m.x[0], m.y[0]
	for t := m.at[0] + frame; t < m.at[len(m.at)-1]+frame; t += frame {
		nx, ny := m.where(t)
		frames = append(frames, math.Hypot(nx-x, ny-y))
		x, y = nx, ny
	}
	smooth := make([]float64, len(frames))
	for i := range frames {
		for k, weight := range []float64{1, 2, 1} {
			if j := i + k - 1; j >= 0 && j < len(frames) {
				smooth[i] += weight / 4 * frames[j]
			}
		}
	}
	return float64(countPeaks(smooth)), true
}

func (m *movement) where(t float64) (x, y float64) {
	i, found := slices.BinarySearch(m.at, t)
	if found || i == 0 {
		return m.x[i], m.y[i]
	}
	if i == len(m.at) {
		return m.x[i-1], m.y[i-1]
	}
	part := (t - m.at[i-1]) / (m.at[i] - m.at[i-1])
	return m.x[i-1] + part*(m.x[i]-m.x[i-1]), m.y[i-1] + part*(m.y[i]-m.y[i-1])
}

func countPeaks(v []float64) int {
	top := slices.Max(v)
	n, rising := 0, true
	high, low := 0.0, 0.0
	for _, now := range append(slices.Clone(v), 0) {
		if rising {
			high = max(high, now)
			if now < high-peakDip*top {
				if high >= peakLeast*top {
					n++
				}
				rising, low = false, now
			}
			continue
		}
		low = min(low, now)
		if now > low+peakDip*top {
			rising, high = true, now
		}
	}
	return n
}

func slowTime(m *movement) (float64, bool) {
	var slow float64
	for i, v := range m.speed {
		if v < 0.05*m.top {
			slow += m.gap[i]
		}
	}
	return slow / m.duration, true
}

// within is how long before the end the last event farther from the end was.
func (m *movement) within(px float64) float64 {
	end := len(m.x) - 1
	for i := end; i >= 0; i-- {
		if math.Hypot(m.x[i]-m.x[end], m.y[i]-m.y[end]) > px {
			return m.at[end] - m.at[i]
		}
	}
	return m.duration
}

func lastPixels(m *movement) (float64, bool) { return m.within(10), true }

func lastTenth(m *movement) (float64, bool) { return m.within(m.distance/10) / m.duration, true }

// smoothness is the correlation of successive accelerations along the path.
func smoothness(m *movement) (float64, bool) {
	var a []float64
	for i := 1; i < len(m.speed); i++ {
		a = append(a, (m.speed[i]-m.speed[i-1])/((m.gap[i]+m.gap[i-1])/2))
	}
	var mean, all, next float64
	for _, v := range a {
		mean += v / float64(len(a))
	}
	for i, v := range a {
		all += (v - mean) * (v - mean)
		if i > 0 {
			next += (v - mean) * (a[i-1] - mean)
		}
	}
	return next / all, len(a) > 3 && all > 0
}

func efficiency(m *movement) (float64, bool) { return m.distance / m.length, true }

func deviation(m *movement) (float64, bool) {
	end := len(m.x) - 1
	dx, dy := m.x[end]-m.x[0], m.y[end]-m.y[0]
	var most float64
	for i := range m.x {
		most = max(most, math.Abs(dx*(m.y[i]-m.y[0])-dy*(m.x[i]-m.x[0]))/m.distance)
	}
	return most / m.distance, true
}

func (m *movement) part(is func(dx, dy float64) bool) float64 {
	n := 0
	for i := range m.step {
		if is(m.x[i+1]-m.x[i], m.y[i+1]-m.y[i]) {
			n++
		}
	}
	return float64(n) / float64(len(m.step))
}

func aligned(m *movement) (float64, bool) {
	return m.part(func(dx, dy float64) bool { return dx == 0 || dy == 0 }), true
}

// onePixel counts the steps to a pixel's four neighbours.
func onePixel(m *movement) (float64, bool) {
	return m.part(func(dx, dy float64) bool { return math.Abs(dx)+math.Abs(dy) == 1 }), true
}

// turns are the changes of direction from step to step, -π to π.
func (m *movement) turns() []float64 {
	var turns []float64
	for i := 2; i < len(m.x); i++ {
		before := math.Atan2(m.y[i-1]-m.y[i-2], m.x[i-1]-m.x[i-2])
		after := math.Atan2(m.y[i]-m.y[i-1], m.x[i]-m.x[i-1])
		turns = append(turns, math.Remainder(after-before, 2*math.Pi))
	}
	return turns
}

func meanTurn(m *movement) (float64, bool) {
	turns := m.turns()
	var sum float64
	for _, turn := range turns {
		sum += math.Abs(turn)
	}
	return sum / float64(len(turns)), len(turns) > 0
}

// flips: one after a step straight on is none.
func flips(m *movement) (float64, bool) {
	turns := m.turns()
	n := 0
	for i := 1; i < len(turns); i++ {
		if turns[i]*turns[i-1] < 0 {
			n++
		}
	}
	return float64(n) / float64(len(turns)-1), len(turns) > 1
}

// initialAngle is between the first step and the straight line to the end.
func initialAngle(m *movement) (float64, bool) {
	end := len(m.x) - 1
	first := math.Atan2(m.y[1]-m.y[0], m.x[1]-m.x[0])
	all := math.Atan2(m.y[end]-m.y[0], m.x[end]-m.x[0])
	return math.Abs(math.Remainder(first-all, 2*math.Pi)), true
}

// quartiles of a feature over movements.
func quartiles(f feature, movements []*movement) (p25, p50, p75 float64) {
	var values []float64
	for _, m := range movements {
		if v, ok := f.of(m); ok {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	at := func(part float64) float64 { return values[int(part*float64(len(values)-1))] }
	return at(0.25), at(0.50), at(0.75)
}
