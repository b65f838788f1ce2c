package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/demosite"
)

// The clients must do the same work before their times are worth anything.
func TestEachClientDoesTheWork(t *testing.T) {
	t.Parallel()
	a := enterArena(t)
	for _, fl := range a.flows {
		for name := range a.clients {
			if _, err := a.once(t.Context(), name, fl); err != nil {
				t.Error(err)
			}
		}
	}
}

// poster is a client that sends a form as it is told to, as often as it is told.
type poster struct {
	values url.Values
	times  int
}

func (p poster) play(_ context.Context, site string, _ flow, _ func()) error {
	for range p.times {
		reply, err := http.PostForm(site+"/form", p.values)
		if err != nil {
			return err
		}
		if err := reply.Body.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (poster) messages() uint64 { return 0 }
func (poster) close() error     { return nil }

func TestARunCountsOnlyWhereTheServerSawItsWork(t *testing.T) {
	t.Parallel()
	site, err := demosite.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	other := url.Values{}
	for name, values := range order {
		other[name] = values
	}
	other["city"] = []string{"Boston"}
	a := &arena{site: site, clients: map[string]client{
		"right": poster{order, 1}, "idle": poster{order, 0}, "twice": poster{order, 2}, "other": poster{other, 1},
	}}
	for name, want := range map[string]string{"right": "", "idle": "0 times", "twice": "2 times", "other": "Boston"} {
		_, err := a.once(t.Context(), name, formFlow())
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v, want an error that holds %q", name, err, want)
		}
	}
	if _, err := a.once(t.Context(), "right", signInFlow(site.Accounts())); err == nil {
		t.Error("a sign-in that did not happen counted")
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
