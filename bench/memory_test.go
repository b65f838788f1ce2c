package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
)

// How long a recording is looked at, in events that the page script sends, and what it
// may hold more at its end than at its beginning, in bytes.
const (
	fewEvents, manyEvents = 1_000, 10_000
	budgetPage            = 1 << 20 // of all that lives in the page's process
	budgetStep            = 8 << 10 // of ours, for each step: what is recorded stays in memory
)

// livelyPage draws its list again with each press, as frameworks do, so that elements
// come and go.
const livelyPage = `<!doctype html><title>Lively</title><input id=f aria-label=Note style="position:fixed;left:0;top:0;width:200px;height:30px">
<div id=l style="position:fixed;left:0;top:40px"></div><script>
	let n = 0;
	const draw = () => { l.innerHTML = Array.from({ length: 40 }, (_, i) => "<div><button>Row " + i + "</button> <span>" + n + "</span></div>").join("") };
	l.onclick = () => { n++; draw() };
	draw();
</script>`

// long is a recording that goes on and on.
type long struct {
	page     *browser.Page
	recorder *recorder.Recorder
	told     atomic.Int64
	steps    atomic.Int64
}

// BenchmarkMemoryOfALongRecording measures what a recording holds after 1,000 events and
// after 10,000, in the page's process and in ours.
func BenchmarkMemoryOfALongRecording(b *testing.B) {
	for b.Loop() {
		l := startLong(b)
		l.until(b, fewEvents)
		pageFew, oursFew, stepsFew := l.heaps(b)
		l.until(b, manyEvents)
		pageMany, oursMany, stepsMany := l.heaps(b)
		grown, perStep := pageMany-pageFew, float64(oursMany-oursFew)/float64(stepsMany-stepsFew)
		b.ReportMetric(float64(grown), "page-B-grown")
		b.ReportMetric(perStep, "B/step")
		fmt.Printf("after %d and %d events: %d and %d KB in the page (budget %d more: %s); %d and %d KB of ours with %d and %d steps, %.0f B a step (budget %d: %s)\n",
			fewEvents, manyEvents, pageFew>>10, pageMany>>10, budgetPage>>10, verdict(grown <= budgetPage),
			oursFew>>10, oursMany>>10, stepsFew, stepsMany, perStep, budgetStep, verdict(perStep <= budgetStep))
		l.end(b)
	}
}

func verdict(met bool) string { return map[bool]string{true: "met", false: "NOT MET"}[met] }

func startLong(b *testing.B) *long {
	b.Helper()
	ctx := b.Context()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, livelyPage) // fails only when the browser has gone
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
	l := &long{}
	if l.page, err = chrome.NewPage(ctx, server.URL); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(l.page.Target().Tree().Client().OnEvent(func(e cdp.Event) {
		if e.Method == "Runtime.bindingCalled" {
			l.told.Add(1)
		}
	}))
	count := func(c recorder.Change) {
		l.steps.Add(map[recorder.Op]int64{recorder.Add: 1, recorder.Remove: -1}[c.Op])
	}
	if l.recorder, err = recorder.Start(ctx, l.page, &recorder.Options{Name: "long", OnChange: count}); err != nil {
		b.Fatal(err)
	}
	if _, _, err := simuser.At(l.page.Target()).Find(ctx, "#l button"); err != nil {
		b.Fatal(err)
	}
	return l
}

// until has a person type a little and press a row, again and again.
func (l *long) until(b *testing.B, events int64) {
	b.Helper()
	ctx, page := b.Context(), l.page.Target()
	for row := 0; l.told.Load() < events; row++ {
		err := input.Press(ctx, page, 100, 15, input.Button{})
		for _, key := range []string{"a", "b", "c", "Backspace", "Backspace", "Backspace"} {
			if err == nil {
				err = input.PressKey(ctx, page, key, nil)
			}
		}
		if err == nil {
			err = input.Press(ctx, page, 20, float64(50+20*(row%20)), input.Button{})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// heaps are what lives in the page's process, and in ours, once all that was done has
// been worked on.
func (l *long) heaps(b *testing.B) (page, ours, steps int64) {
	b.Helper()
	ctx := b.Context()
	if err := l.recorder.Pause(ctx); err != nil {
		b.Fatal(err)
	}
	if err := l.recorder.Resume(ctx); err != nil {
		b.Fatal(err)
	}
	var heap struct {
		Used float64 `json:"usedSize"`
	}
	for range 2 { // what the first leaves to be finalized the second frees
		if _, err := l.page.Target().Send("HeapProfiler.collectGarbage", nil).Wait(ctx); err != nil {
			b.Fatal(err)
		}
		runtime.GC()
	}
	reply, err := l.page.Target().Send("Runtime.getHeapUsage", nil).Wait(ctx)
	if err == nil {
		err = json.Unmarshal(reply, &heap)
	}
	if err != nil {
		b.Fatal(err)
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(heap.Used), int64(stats.HeapAlloc), l.steps.Load()
}

func (l *long) end(b *testing.B) {
	b.Helper()
	if _, _, err := l.recorder.Stop(context.WithoutCancel(b.Context())); err != nil {
		b.Fatal(err)
	}
}
