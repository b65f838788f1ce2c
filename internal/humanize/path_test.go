package humanize_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-reprise/reprise/internal/humanize"
)

// generator makes a movement; those of the library are methods of a persona.
type generator func(p *humanize.Persona, from, to humanize.Point, target humanize.Rect) []humanize.Move

// distances are those of the table, in px.
var distances = [][2]float64{{120, 200}, {300, 450}, {650, 900}}

// strangers are the seeds of people by whom no figure was chosen.
const strangers = 2000

// population has people move over the distances of the table, in all directions, to
// targets from the size of a link to that of a button.
func population(people, each int, make generator) []*movement {
	chance := rand.New(rand.NewPCG(strangers, 1))
	var all []*movement
	for seed := range people {
		p := humanize.New(uint64(strangers + seed))
		for n := range each {
			between := distances[n%len(distances)]
			far := between[0] + chance.Float64()*(between[1]-between[0])
			sin, cos := math.Sincos(chance.Float64() * 2 * math.Pi)
			size := 20 + chance.Float64()*80
			from := humanize.Point{X: 1000, Y: 1000}
			to := humanize.Point{X: math.Round(from.X + far*cos), Y: math.Round(from.Y + far*sin)}
			moves := make(p, from, to, humanize.Rect{X: to.X - size/2, Y: to.Y - size/2, Width: size, Height: size})
			if len(moves) > 5 {
				all = append(all, see(moves))
			}
		}
	}
	return all
}

func TestMovementsAreLikePeoples(t *testing.T) {
	t.Parallel()
	movements := population(120, 20, (*humanize.Persona).Path)
	t.Logf("%d movements; people's p25, median, p75 and ours:", len(movements))
	for _, f := range features {
		p25, p50, p75 := quartiles(f, movements)
		t.Logf("| %s | %.3g / %.3g / %.3g | %.3g / %.3g / %.3g |", f.name, f.p25, f.p50, f.p75, p25, p50, p75)
		if p50 < f.p25 || p50 > f.p75 {
			t.Errorf("%s: the median is %.3f, outside people's quartiles %v to %v", f.name, p50, f.p25, f.p75)
		}
	}
}

// outside are the features by which a generator is told from people.
func outside(movements []*movement) []string {
	var names []string
	for _, f := range features {
		if _, p50, _ := quartiles(f, movements); p50 < f.p25 || p50 > f.p75 {
			names = append(names, f.name)
		}
	}
	return names
}

func TestTheJudgeTellsWhatPublicGeneratorsMakeFromPeople(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]generator{
		"straight line":               along(func(part float64) float64 { return part }, straight),
		"minimum jerk":                along(minimumJerk, straight),
		"Bezier":                      along(func(part float64) float64 { return part }, bezier),
		"smooth Bezier":               along(minimumJerk, bezier),
		"ours, told each millisecond": eachMillisecond,
		"ours, backwards":             backwards,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			names := outside(population(40, 15, make))
			t.Logf("%s: %d of %d: %v", name, len(names), len(features), names)
			if len(names) < 3 {
				t.Error("the judge takes it for a person's")
			}
		})
	}
}

// along goes a way in the median person's time with a speed of its own.
func along(progress func(float64) float64, way func(from, to humanize.Point, side, part float64) humanize.Point) generator {
	return func(_ *humanize.Persona, from, to humanize.Point, _ humanize.Rect) []humanize.Move {
		last := 168 + 120*math.Log2(math.Hypot(to.X-from.X, to.Y-from.Y)/40+1)
		side := math.Sin(to.X * to.Y) // another for each
		var moves []humanize.Move
		for t := 0.0; t <= last; t += frame {
			at := way(from, to, side, progress(t/last))
			e := humanize.Move{X: int(math.Round(at.X)), Y: int(math.Round(at.Y)), At: time.Duration(t * 1e6)}
			if n := len(moves); n == 0 || e.X != moves[n-1].X || e.Y != moves[n-1].Y {
				moves = append(moves, e)
			}
		}
		return moves
	}
}

func minimumJerk(part float64) float64 { return part * part * part * (10 + part*(6*part-15)) }

func straight(from, to humanize.Point, _, part float64) humanize.Point {
	return humanize.Point{X: from.X + (to.X-from.X)*part, Y: from.Y + (to.Y-from.Y)*part}
}

// bezier is a cubic one with both handles on one side, as ghost-cursor's.
func bezier(from, to humanize.Point, side, part float64) humanize.Point {
	at := straight(from, to, 0, part)
	bow := 3 * part * (1 - part) * side * 0.3
	return humanize.Point{X: at.X - (to.Y-from.Y)*bow, Y: at.Y + (to.X-from.X)*bow}
}

// eachMillisecond is ours told a thousand times a second: only the times are wrong.
func eachMillisecond(p *humanize.Persona, from, to humanize.Point, target humanize.Rect) []humanize.Move {
	var moves []humanize.Move
	for i, e := range p.Path(from, to, target) {
		e.At = time.Duration(i+1) * time.Millisecond
		moves = append(moves, e)
	}
	return moves
}

// backwards is ours with the end first.
func backwards(p *humanize.Persona, from, to humanize.Point, target humanize.Rect) []humanize.Move {
	moves := p.Path(from, to, target)
	var back []humanize.Move
	for i := len(moves) - 1; i >= 0; i-- {
		e := moves[i]
		e.At = moves[len(moves)-1].At - e.At
		back = append(back, e)
	}
	return back
}

func TestAMovementHasAsManyPullsAsPeoples(t *testing.T) {
	t.Parallel()
	var counts [5]float64
	movements := population(120, 20, (*humanize.Persona).Path)
	over := 0.0
	for _, m := range movements {
		n, _ := peaks(m)
		counts[min(int(n), 4)] += 100 / float64(len(movements))
		if m.beyond() >= 5 {
			over += 100 / float64(len(movements))
		}
	}
	t.Logf("speed peaks: 1: %.0f %%, 2: %.0f %%, 3: %.0f %%, 4 or more: %.0f %%; overshoots: %.0f %%", counts[1], counts[2], counts[3], counts[4], over)
	const near = 10 // percentage points: what a peak is, the source does not say
	for n, people := range map[int]float64{1: 36, 2: 43, 3: 16, 4: 5} {
		if math.Abs(counts[n]-people) > near {
			t.Errorf("%.0f %% have %d speed peaks, people's %.0f %%", counts[n], n, people)
		}
	}
	if math.Abs(over-28) > near {
		t.Errorf("%.0f %% go beyond the end by 5 px, people's 28 %%", over)
	}
}

// beyond is how far it overshoots along the straight line.
func (m *movement) beyond() float64 {
	end := len(m.x) - 1
	most := 0.0
	for i := range m.x {
		along := ((m.x[i]-m.x[0])*(m.x[end]-m.x[0]) + (m.y[i]-m.y[0])*(m.y[end]-m.y[0])) / m.distance
		most = max(most, along-m.distance)
	}
	return most
}

func TestTheClockIsAPersonsOwn(t *testing.T) {
	t.Parallel()
	shares := map[string]float64{}
	for seed := range 200 {
		beats := map[string]int{}
		all := 0
		for _, m := range movementsOf(uint64(seed), 10) {
			for _, gap := range m.gap {
				beats[beat(gap)]++
				all++
			}
		}
		if beats["fast"] > 0 && beats["frame"]+beats["slow"] > beats["fast"] && beats["fast"] > all/3 {
			t.Errorf("person %d mixes clocks: %v", seed, beats)
		}
		for name, n := range beats {
			shares[name] += float64(n) / float64(all) / 2
		}
	}
	t.Logf("%v", shares)
	for name, between := range map[string][2]float64{"frame": {51, 75}, "fast": {8, 22}, "slow": {1, 9}} { // people: 61, 15 and 4 %
		if shares[name] < between[0] || shares[name] > between[1] {
			t.Errorf("%.0f %% of the events come at the beat %q, want %v", shares[name], name, between)
		}
	}
}

func movementsOf(seed uint64, n int) []*movement {
	p := humanize.New(seed)
	var all []*movement
	for range n {
		all = append(all, see(p.Path(humanize.Point{X: 100, Y: 100}, humanize.Point{X: 500, Y: 300}, humanize.Rect{Width: 40, Height: 20})))
	}
	return all
}

func beat(gap float64) string {
	switch gap = math.Round(gap); {
	case gap == 16 || gap == 17:
		return "frame"
	case gap == 7 || gap == 8:
		return "fast"
	case gap == 18:
		return "slow"
	}
	return "other"
}

func TestAPathLeadsFromAnywhereToAnywhere(t *testing.T) {
	t.Parallel()
	coordinate := rapid.OneOf(rapid.Float64Range(-50, 2000), rapid.Float64(), rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64}))
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(coordinate, 8, 8).Draw(t, "coordinates")
		from, to := humanize.Point{X: v[0], Y: v[1]}, humanize.Point{X: v[2], Y: v[3]}
		moves := humanize.New(rapid.Uint64().Draw(t, "seed")).Path(from, to, humanize.Rect{X: v[4], Y: v[5], Width: v[6], Height: v[7]})
		x, y, end := pixel(from.X), pixel(from.Y), humanize.Move{X: pixel(to.X), Y: pixel(to.Y)}
		last := time.Duration(0)
		for i, e := range moves {
			if e.X == x && e.Y == y || e.At <= last {
				t.Fatalf("move %d, %v, tells nothing new after (%d, %d) at %v", i, e, x, y, last)
			}
			x, y, last = e.X, e.Y, e.At
		}
		if x != end.X || y != end.Y {
			t.Fatalf("it ends at (%d, %d), want (%d, %d)", x, y, end.X, end.Y)
		}
		if last > 30*time.Second {
			t.Fatalf("it takes %v", last)
		}
	})
}

func pixel(v float64) int {
	if math.IsNaN(v) {
		return 0
	}
	return int(math.Round(min(max(v, -1<<20), 1<<20)))
}

func TestASeedMovesAlikeAndAnotherDoesNot(t *testing.T) {
	t.Parallel()
	all := func(seed uint64) []any {
		p := humanize.New(seed)
		r := humanize.Rect{X: 300, Y: 200, Width: 80, Height: 30}
		to := p.Aim(r)
		return []any{to, p.Path(humanize.Point{}, to, r), p.Presses(2), p.DragPath(to, humanize.Point{}, r), p.Wheel(300, -700), p.Type("hello")}
	}
	if diff := cmp.Diff(all(3), all(3)); diff != "" {
		t.Errorf("the same seed (-one +other):\n%s", diff)
	}
	for i, one := range all(3) {
		if cmp.Equal(one, all(4)[i]) {
			t.Errorf("two seeds did the same: %v", one)
		}
	}
}

func TestADragIsSlower(t *testing.T) {
	t.Parallel()
	median := func(make generator) float64 {
		_, p50, _ := quartiles(feature{of: func(m *movement) (float64, bool) { return m.duration, true }}, population(40, 15, make))
		return p50
	}
	free, held := median((*humanize.Persona).Path), median((*humanize.Persona).DragPath)
	if held < 1.25*free {
		t.Errorf("with the button down it takes %.0f ms, without %.0f", held, free)
	}
}

func TestAPathAllocatesItsEventsOnly(t *testing.T) {
	p := humanize.New(1)
	allocs := testing.AllocsPerRun(100, func() {
		p.Path(humanize.Point{}, humanize.Point{X: 900, Y: 400}, humanize.Rect{X: 880, Y: 390, Width: 40, Height: 20})
	})
	if allocs > 1 {
		t.Errorf("a path makes %v allocations, want 1", allocs)
	}
}

func BenchmarkPath(b *testing.B) {
	p := humanize.New(1)
	b.ReportAllocs()
	for b.Loop() {
		p.Path(humanize.Point{X: 100, Y: 100}, humanize.Point{X: 900, Y: 400}, humanize.Rect{X: 880, Y: 390, Width: 40, Height: 20})
	}
}
