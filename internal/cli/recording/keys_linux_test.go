package recording

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/cli/terminal"
	"github.com/go-reprise/reprise/internal/cli/terminal/terminaltest"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
)

const patience = 40 * time.Second

// screen is what a person reads meanwhile.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) shows(t *testing.T, text string) {
	t.Helper()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for limit := load.After(patience); ; <-again.C {
		s.mu.Lock()
		got := s.text.String()
		s.mu.Unlock()
		if strings.Contains(got, text) {
			return
		}
		if limit.Remaining() == 0 {
			t.Fatalf("the terminal does not show %q:\n%s", text, got)
		}
	}
}

func TestAPersonShapesARecordingByKeys(t *testing.T) {
	t.Parallel()
	keyboard, program := terminaltest.Open(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><button id=a>First</button> <button id=b>Second</button><p id=ok>Thank you</p>`))
	}))
	t.Cleanup(site.Close)
	page := browsertest.Page(t, site.URL)
	out := &screen{}
	steps := render.NewRecording(out, render.Style{}, func() int { return 80 })
	r, err := recorder.Start(t.Context(), page, &recorder.Options{Name: "shaped", OnChange: steps.Change})
	if err != nil {
		t.Fatal(err)
	}
	restore, err := (&terminal.Terminal{In: program}).SingleKeys()
	if err != nil {
		t.Fatal(err)
	}
	if terminaltest.Echoes(t, program) {
		t.Error("the terminal shows the keys")
	}
	ended, end := context.WithCancel(t.Context())
	go (&shaper{recorder: r, steps: steps, end: end}).listen(t.Context(), &terminal.Terminal{In: program})
	press := func(key string) {
		if _, err := keyboard.WriteString(key); err != nil {
			t.Fatal(err)
		}
	}
	p := simuser.At(page.Target())
	click := func(path string) {
		if err := p.Click(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	click("#a")
	out.shows(t, "First")
	press("u")
	out.shows(t, "\x1b[1A\x1b[J") // its line is cleared
	press("p")
	out.shows(t, "paused")
	click("#a")
	press("p")
	out.shows(t, "recording again")
	click("#b")
	out.shows(t, "Second")
	press("?")
	out.shows(t, "add a check")
	press("c")
	out.shows(t, "Esc gives it up")
	pointing := func(what recorder.Pointing) {
		for {
			now, changed := r.State()
			if now.Pointing == what {
				return
			}
			<-changed
		}
	}
	pointing(recorder.Check)
	press("\x1b")
	out.shows(t, "nothing was pointed at")
	pointing("")
	press("c")
	pointing(recorder.Check)
	click("#ok")
	out.shows(t, "assert #ok")
	press("h")
	pointing(recorder.Hover)
	click("#a")
	out.shows(t, "hover aria")
	press("q")
	<-ended.Done()
	if err := restore(); err != nil || !terminaltest.Echoes(t, program) {
		t.Errorf("the terminal was not put back: %v", err)
	}
	a, _, err := r.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Steps) != 4 || !strings.Contains(a.Steps[1].Selector.String(), "Second") || a.Steps[2].Tool != "assert" || a.Steps[3].Tool != "hover" {
		t.Errorf("recorded %+v, want the second click, a check and a hover", a.Steps)
	}
}
