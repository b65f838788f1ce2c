package bench

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
)

// soak runs the long form of what takes long.
var soak = flag.Bool("soak", false, "play the demo 1,000 times, and not only a sample")

// How often the demo is played, and how many at a time. What is open after the first
// few is what may be open at the end.
const (
	soakPlays, samplePlays = 1_000, 20
	firstPlays             = 10
	atOnce                 = 8
)

// soaked plays the demo in a browser of its own.
type soaked struct {
	stage    *stage
	flows    []flow
	reprise  *reprise
	progress atomic.Int64
}

func startSoak(t *testing.T) *soaked {
	t.Helper()
	s := &soaked{flows: flows()[:2], reprise: &reprise{automations: map[string]*automation.Automation{}}}
	var err error
	if s.stage, err = openStage(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.stage.close() })
	for _, fl := range s.flows {
		doc, err := written(fl.script, s.stage.URL, false)
		if err == nil {
			s.reprise.automations[fl.Name], err = automation.Parse(doc)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if s.reprise.browser, err = browser.Launch(t.Context(), &browser.Options{Width: width, Height: height}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.reprise.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// play plays the demo some times, several at a time.
func (s *soaked) play(ctx context.Context, plays int) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var playing sync.WaitGroup
	for worker := range atOnce {
		playing.Go(func() {
			for i := worker; i < plays && ctx.Err() == nil; i += atOnce {
				if err := s.once(ctx); err != nil {
					stop(err)
				}
			}
		})
	}
	playing.Wait()
	return context.Cause(ctx)
}

// once plays one of the flows, in a page and a browser context that end with it.
func (s *soaked) once(ctx context.Context) error {
	n := s.progress.Add(1)
	fl := s.flows[int(n)%len(s.flows)]
	page, err := s.reprise.browser.NewIsolatedPage(ctx, "")
	if err != nil {
		return fmt.Errorf("replay %d: %w", n, err)
	}
	values := fl.values()
	if fl.Name == "form" {
		values["email"] = visitor(int(n))
	}
	if err := s.reprise.playIn(ctx, page, fl.script, values, func() {}); err != nil {
		return fmt.Errorf("replay %d, %s: %w", n, fl.Name, err)
	}
	return page.Close(ctx)
}

// right is how many replays the server has seen done, each once.
func (s *soaked) right() int {
	sent := map[string]bool{}
	for _, one := range s.stage.Submissions() {
		sent[one.Get("email")] = true
	}
	signed := 0
	for _, n := range signIns(s.stage) {
		signed += n
	}
	return min(len(sent), len(s.stage.Submissions())) + signed
}

// open is what a program has open.
type open struct{ goroutines, files, processes int }

func (o open) within(most open) bool {
	return o.goroutines <= most.goroutines && o.files <= most.files && o.processes <= most.processes
}

// ofItsOwn is a process that Chrome 156 starts three minutes after its beginning,
// whatever is done in it, and keeps.
const ofItsOwn = "--utility-sub-type=on_device_model.mojom.OnDeviceModelService"

// openNow looks; where the system does not tell, nothing is counted.
func openNow() open {
	files, _ := os.ReadDir("/proc/self/fd")
	processes := slices.DeleteFunc(kinds(os.Getpid()), func(kind string) bool { return strings.Contains(kind, ofItsOwn) })
	return open{runtime.NumGoroutine(), len(files), len(processes)}
}

// kinds are what a browser calls its processes.
func kinds(pid int) []string {
	var all []string
	for _, child := range descendants(pid) {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child))
		var said []string
		for arg := range strings.FieldsFuncSeq(string(data), func(r rune) bool { return r == 0 || r == ' ' }) { // its own way of writing them
			if strings.HasPrefix(arg, "--type=") || strings.HasPrefix(arg, "--utility-sub-type=") || strings.HasPrefix(arg, "--extension-process") {
				said = append(said, arg)
			}
		}
		all = append(all, strings.Join(said, " "))
	}
	slices.Sort(all)
	return all
}

// descendants are the processes that a process has started, and those that these have.
func descendants(pid int) []int {
	parents := map[int]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		var child, parent int
		_, _ = fmt.Sscanf(string(data), "%d", &child)
		_, rest, _ := strings.Cut(string(data[strings.LastIndexByte(string(data), ')')+1:]), " ")
		_, _ = fmt.Sscanf(rest, "%1s %d", new(string), &parent)
		parents[child] = parent
	}
	var found []int
	for child := range parents {
		for at := parents[child]; at != 0; at = parents[at] {
			if at == pid {
				found = append(found, child)
				break
			}
		}
	}
	return found
}

// TestNothingIsLeftOpenByReplays is not parallel: it counts what the program has open.
func TestNothingIsLeftOpenByReplays(t *testing.T) {
	plays := samplePlays
	if *soak {
		plays = soakPlays
	}
	s := startSoak(t)
	began := time.Now()
	if err := s.play(t.Context(), firstPlays); err != nil {
		t.Fatal(err)
	}
	first, had := s.settled(t, open{}), kinds(os.Getpid())
	if err := s.play(t.Context(), plays-firstPlays); err != nil {
		t.Error(err)
	}
	last := s.settled(t, first)
	t.Logf("%d replays in %v; open after %d: %+v, at the end: %+v", plays, time.Since(began), firstPlays, first, last)
	t.Logf("the processes after %d: %q, at the end: %q", firstPlays, had, kinds(os.Getpid()))
	if got := s.right(); got != plays {
		t.Errorf("%d of %d replays were right", got, plays)
	}
	if !last.within(first) {
		t.Errorf("open at the end: %+v, more than after the first %d: %+v", last, firstPlays, first)
	}
}

// settled waits until no more is open than may be, or nothing changes any more.
func (s *soaked) settled(t *testing.T, most open) open {
	t.Helper()
	s.stage.server.SetKeepAlivesEnabled(false) // the connections that the browser keeps to the site are not ours
	defer s.stage.server.SetKeepAlivesEnabled(true)
	now, since := openNow(), time.Now()
	_ = until(t.Context(), func() bool { // what it has not become the caller sees
		if next := openNow(); next != now {
			now, since = next, time.Now()
		}
		return now.within(most) || most == (open{}) && time.Since(since) > stillFor
	})
	return now
}

// stillFor is how long nothing is opened or closed where all that was to end has ended.
const stillFor = 500 * time.Millisecond
