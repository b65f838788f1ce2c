package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
)

// What recording may cost the page, in µs, for each thing that a person does.
const (
	budgetKey   = 500.0    // in a field that was described already
	budgetClick = 20_000.0 // with the description of what is clicked; 5,000 is the goal
)

// watched is a person before a big page that is being recorded.
type watched struct {
	*simuser.User
	page      *browser.Page
	listeners *listeners
}

func watch(b *testing.B) watched {
	b.Helper()
	ctx := b.Context()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeBig(w, `<label style="position:fixed;right:0;top:0">Password <input id=secret type=password></label>`)
	}))
	b.Cleanup(server.Close)
	chrome, err := browser.Launch(ctx, &browser.Options{Width: width, Height: height})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := chrome.Close(); err != nil {
			b.Error(err)
		}
	})
	page, err := chrome.NewPage(ctx, server.URL)
	if err != nil {
		b.Fatal(err)
	}
	w := watched{User: simuser.At(page.Target()), page: page}
	if _, _, err := w.Find(ctx, "form button"); err != nil {
		b.Fatal(err)
	}
	if w.listeners, err = spyOn(ctx, page); err != nil {
		b.Fatal(err)
	}
	r, err := recorder.Start(ctx, page, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _, _ = r.Stop(context.Background()) }) // what was recorded is of no use here
	return w
}

// cost sums up what each thing done took, and prints it.
func (w watched) cost(b *testing.B, what string, budget float64, done []float64) {
	b.Helper()
	median, p95 := quantile(done, 0.5), quantile(done, 0.95)
	b.ReportMetric(median, "µs/"+what)
	b.ReportMetric(p95, "p95-µs/"+what)
	fmt.Printf("recording a %s on 20,000 elements: %.0f µs in the page, p95 %.0f (budget %.0f: %s)\n",
		what, median, p95, budget, map[bool]string{true: "met", false: "NOT MET"}[median <= budget])
}

// spent is what the listeners took since it was last asked.
func (w watched) spent(b *testing.B) float64 {
	b.Helper()
	spans, err := w.listeners.spans(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	total := 0.0
	for _, s := range spans {
		total += s.Micros
	}
	return total
}

func BenchmarkRecordingAKey(b *testing.B) {
	w := watch(b)
	if err := w.Fill(b.Context(), "#search", "x"); err != nil {
		b.Fatal(err)
	}
	w.spent(b)
	var keys []float64
	for b.Loop() {
		if err := w.Press(b.Context(), "a"); err != nil {
			b.Fatal(err)
		}
		keys = append(keys, w.spent(b))
	}
	w.cost(b, "key", budgetKey, keys)
}

// Clicks on what is distinguished by its words, by a name among many that are
// alike, by where it stands, and on what is no control at all.
func BenchmarkRecordingAClick(b *testing.B) {
	w := watch(b)
	for _, of := range []struct{ what, selector string }{
		{"link", "tr:nth-child(%d) a"},
		{"button with a name of its own", "tr:nth-child(%d) button:nth-child(2)"},
		{"button like all others", "tr:nth-child(%d) button"},
		{"cell", "tr:nth-child(%d) span"},
	} {
		b.Run(of.what, func(b *testing.B) {
			var clicks []float64
			for row := 5; b.Loop(); row = 5 + (row-4)%15 {
				if err := w.Click(b.Context(), fmt.Sprintf(of.selector, row)); err != nil {
					b.Fatal(err)
				}
				clicks = append(clicks, w.spent(b))
			}
			w.cost(b, "click", budgetClick, clicks)
		})
	}
}

// A page is known by what repeats a secret that was typed: all that is quoted is looked at.
func BenchmarkRecordingWithASecret(b *testing.B) {
	w := watch(b)
	if err := w.Fill(b.Context(), "#secret", "correct horse battery"); err != nil {
		b.Fatal(err)
	}
	w.spent(b)
	b.Run("key of it", func(b *testing.B) {
		var keys []float64
		for b.Loop() {
			if err := w.Press(b.Context(), "a"); err != nil {
				b.Fatal(err)
			}
			keys = append(keys, w.spent(b))
		}
		w.cost(b, "secret-key", budgetKey, keys)
	})
	if err := w.Fill(b.Context(), "#search", "x"); err != nil {
		b.Fatal(err)
	}
	w.spent(b)
	b.Run("key next to it", func(b *testing.B) {
		var keys []float64
		for b.Loop() {
			if err := w.Press(b.Context(), "a"); err != nil {
				b.Fatal(err)
			}
			keys = append(keys, w.spent(b))
		}
		w.cost(b, "key-next-to-secret", budgetKey, keys)
	})
	b.Run("click", func(b *testing.B) {
		var clicks []float64
		for row := 5; b.Loop(); row = 5 + (row-4)%15 {
			if err := w.Click(b.Context(), fmt.Sprintf("tr:nth-child(%d) a", row)); err != nil {
				b.Fatal(err)
			}
			clicks = append(clicks, w.spent(b))
		}
		w.cost(b, "click-with-secret", budgetClick, clicks)
	})
}

func BenchmarkRecordingAMouseMove(b *testing.B) {
	w := watch(b)
	if heard, err := w.listeners.listensTo(b.Context(), "mousemove", "pointermove", "scroll", "wheel"); err != nil || heard {
		b.Fatalf("the recorder listens to what the mouse does between presses: %t, %v", heard, err)
	}
	var moves []float64
	for x := 0; b.Loop(); x = (x + 1) % width {
		_, err := w.page.Target().Send("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": x, "y": height / 2}).Wait(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		moves = append(moves, w.spent(b))
	}
	w.cost(b, "move", 0, moves)
}
