package humanize_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-reprise/reprise/internal/humanize"
)

func TestAPressLastsAsLongAsPeoples(t *testing.T) {
	t.Parallel()
	var dwell, hold []float64
	for seed := range uint64(200) {
		p := humanize.New(seed)
		for range 10 {
			press := p.Presses(1)[0]
			dwell = append(dwell, ms(press.Down))
			hold = append(hold, ms(press.Up-press.Down))
		}
	}
	for _, c := range []struct {
		name     string
		values   []float64
		quartile [3]float64 // of people
	}{
		{"dwell before the press, ms", dwell, [3]float64{28, 60, 119}},
		{"press to release, ms", hold, [3]float64{67, 80, 100}},
	} {
		slices.Sort(c.values)
		for i, want := range c.quartile {
			got := c.values[len(c.values)*(i+1)/4]
			t.Logf("%s: quartile %d is %.0f, people's %.0f", c.name, i+1, got, want)
			if math.Abs(got-want) > want/8 {
				t.Errorf("%s: quartile %d is %.0f, want about %.0f", c.name, i+1, got, want)
			}
		}
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func TestADoubleClickIsOneForABrowser(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		presses := humanize.New(seed).Presses(2)
		if len(presses) != 2 || presses[1].Down <= presses[0].Up {
			t.Fatalf("a double click is %v", presses)
		}
		if between := presses[1].Down - presses[0].Down; between > 500*time.Millisecond { // the usual limit of a desktop
			t.Errorf("person %d takes %v for a double click", seed, between)
		}
	}
}

func TestAPersonAimsAroundTheMiddle(t *testing.T) {
	t.Parallel()
	target := humanize.Rect{X: 100, Y: 50, Width: 120, Height: 30}
	var x, y []float64
	for seed := range uint64(2000) {
		at := humanize.New(seed).Aim(target)
		x, y = append(x, (at.X-160)/120), append(y, (at.Y-65)/30)
		if at.X == 160 && at.Y == 65 {
			t.Errorf("person %d pressed the exact centre", seed)
		}
	}
	for name, values := range map[string][]float64{"across": x, "down": y} {
		if m, sd := mean(values), deviationOf(values); math.Abs(m) > 0.02 || sd < 1.0/6-0.02 || sd > 0.25 {
			t.Errorf("%s they press at %.3f of the size from the middle, SD %.3f; want 0 and 1/6 to 1/4", name, m, sd)
		}
	}
}

func TestAnAimIsInsideOfWhatCanBePressed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.OneOf(rapid.Float64Range(2, 40), rapid.Float64Range(2, 2000))
		place := rapid.Float64Range(-10, 3000)
		r := humanize.Rect{X: place.Draw(t, "x"), Y: place.Draw(t, "y"), Width: size.Draw(t, "width"), Height: size.Draw(t, "height")}
		at := humanize.New(rapid.Uint64().Draw(t, "seed")).Aim(r)
		if at.X != math.Round(at.X) || at.Y != math.Round(at.Y) {
			t.Fatalf("%v is no whole pixel", at)
		}
		if at.X < r.X || at.X >= r.X+r.Width || at.Y < r.Y || at.Y >= r.Y+r.Height {
			t.Fatalf("%v is not in %v", at, r)
		}
	})
}

func TestAWheelTurnsInNotches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dx, dy := rapid.Float64Range(-3000, 3000).Draw(t, "dx"), rapid.Float64Range(-3000, 3000).Draw(t, "dy")
		var x, y float64
		last := -time.Millisecond
		for _, n := range humanize.New(rapid.Uint64().Draw(t, "seed")).Wheel(dx, dy) {
			if math.Abs(n.DX)+math.Abs(n.DY) != 100 || n.At <= last {
				t.Fatalf("a notch is %v after one at %v", n, last)
			}
			x, y, last = x+n.DX, y+n.DY, n.At
		}
		if math.Abs(x-dx) > 100 || math.Abs(y-dy) > 100 {
			t.Fatalf("it scrolled by (%v, %v), not by (%v, %v)", x, y, dx, dy)
		}
	})
}

func TestAWheelRestsBetweenPulls(t *testing.T) {
	t.Parallel()
	short, long := 0, 0
	notches := humanize.New(1).Wheel(0, 5000)
	for i := 1; i < len(notches); i++ {
		if gap := ms(notches[i].At - notches[i-1].At); gap > 200 {
			long++
		} else if gap < 120 {
			short++
		}
	}
	if long < 5 || short < 3*long/2 {
		t.Errorf("of 50 notches %d come soon after the last and %d after a rest", short, long)
	}
}
