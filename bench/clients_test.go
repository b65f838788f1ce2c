package bench

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// The clients must do the same work before their times are worth anything.
func TestEachClientDoesTheWork(t *testing.T) {
	t.Parallel()
	a := enterArena(t, nameFloor, nameFloorKeys, nameUnheeded, nameReprise, namePlain, nameKeys, nameRod)
	doAll(t, a)
}

func TestThePeersDoTheWork(t *testing.T) {
	t.Parallel()
	if err := peersHere(); err != nil {
		t.Skip(err)
	}
	doAll(t, enterArena(t, peers...))
}

func doAll(t *testing.T, a *arena) {
	t.Helper()
	for _, fl := range a.flows {
		for _, name := range slices.Sorted(maps.Keys(a.players)) {
			if (name == nameUnheeded || name == nameFloorKeys || name == nameKeys) && fl.Name != "form" {
				continue
			}
			r, failed, err := a.patiently(t.Context(), name, fl)
			for _, why := range failed {
				t.Logf("played again: %v", why)
			}
			if err != nil {
				t.Error(err)
			}
			t.Logf("%s played %s: %v, %d messages, at most %d in a step", name, fl.Name, r.Wall, r.Messages, r.Most)
		}
	}
}

func TestAClientOfOthersThatEndsBeginsAgainAndOursDoesNot(t *testing.T) {
	t.Parallel()
	a := enterArena(t, nameReprise, nameRod)
	end := func(name string) {
		if err := a.players[name].(*process).cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	end(nameRod)
	if _, failed, err := a.patiently(t.Context(), nameRod, formFlow()); err != nil || len(failed) == 0 {
		t.Errorf("rod's process was killed: failed %v, then %v, want it to play again", failed, err)
	}
	end(nameReprise)
	if _, failed, err := a.patiently(t.Context(), nameReprise, formFlow()); err == nil || len(failed) != 0 {
		t.Errorf("our own process was killed: failed %v, then %v, want an error", failed, err)
	}
	_ = a.players[nameReprise].close() // it was killed
	delete(a.players, nameReprise)
}

// poster is a client that sends a form in a given way, a given number of times.
type poster struct {
	site   string
	values url.Values
	times  int
}

func (p poster) play(context.Context, request) (report, error) {
	for range p.times {
		reply, err := http.PostForm(p.site+"/form", p.values)
		if err != nil {
			return report{}, err
		}
		if err := reply.Body.Close(); err != nil {
			return report{}, err
		}
	}
	return report{}, nil
}

func (poster) peak() uint64 { return 0 }
func (poster) close() error { return nil }

func TestARunCountsOnlyWhereTheServerSawItsWork(t *testing.T) {
	t.Parallel()
	s, err := openStage()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.close() })
	other := maps.Clone(order)
	other["city"] = []string{"Boston"}
	a := &arena{stage: s, players: map[string]player{
		"right": poster{s.URL, order, 1}, "idle": poster{s.URL, order, 0}, "twice": poster{s.URL, order, 2}, "other": poster{s.URL, other, 1},
	}}
	for name, want := range map[string]string{"right": "", "idle": "0 times", "twice": "2 times", "other": "Boston"} {
		_, err := a.once(t.Context(), name, formFlow())
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v, want an error that holds %q", name, err, want)
		}
	}
	brief, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	t.Cleanup(cancel)
	for _, fl := range flows()[1:] {
		if _, err := a.once(brief, "right", fl); err == nil {
			t.Errorf("%s counted, and was not played", fl.Name)
		}
	}
}

func TestQuantilesLieBetweenTheValuesAroundThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		q      float64
		want   float64
	}{
		{nil, 0.5, 0}, {[]float64{7}, 0.5, 7}, {[]float64{3, 1}, 0.5, 2},
		{[]float64{4, 1, 3, 2, 5}, 0.25, 2}, {[]float64{4, 1, 3, 2, 5}, 1, 5},
	} {
		if got := quantile(c.values, c.q); got != c.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", c.values, c.q, got, c.want)
		}
	}
}
