package recorder_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
)

// shaped is a recording that a test shapes, with what was told of it.
type shaped struct {
	*recorder.Recorder
	*simuser.User
	tab *browser.Page
	t   *testing.T
	ctx context.Context

	mu   sync.Mutex
	told []recorder.Change
}

// shapedAt records a page with this body, whatever its path.
func shapedAt(t *testing.T, body string) *shaped {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path != "/favicon.ico" {
			fmt.Fprint(w, "<!doctype html><meta charset=utf-8>", body)
		}
	}))
	t.Cleanup(site.Close)
	ctx := browsertest.Context(t)
	s := &shaped{t: t, ctx: ctx}
	page := browsertest.Page(t, "")
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "shaped", Pictures: true, OnChange: s.note})
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(ctx, site.URL+"/"); err != nil {
		t.Fatal(err)
	}
	s.Recorder, s.User, s.tab = r, simuser.At(page.Target()), page
	s.until("its first step", func(state recorder.State) bool { return len(state.Steps) == 1 })
	return s
}

func (s *shaped) note(c recorder.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, c)
}

// forget begins to note again.
func (s *shaped) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = nil
}

// until waits for a state of the recording.
func (s *shaped) until(what string, ok func(recorder.State) bool) recorder.State {
	s.t.Helper()
	for {
		state, changed := s.State()
		if ok(state) {
			return state
		}
		select {
		case <-changed:
		case <-s.ctx.Done():
			s.t.Fatalf("the recording does not come to %s: %+v", what, state)
		}
	}
}

// step returns the number of the step that has come on an element.
func (s *shaped) step(tool, on string) int {
	s.t.Helper()
	find := func(state recorder.State) int {
		return slices.IndexFunc(state.Steps, func(step recorder.Step) bool { return step.Step.Tool == tool && step.Label == on })
	}
	state := s.until(tool+" "+on, func(state recorder.State) bool { return find(state) >= 0 })
	return state.Steps[find(state)].ID
}

func (s *shaped) do(acts ...func() error) {
	s.t.Helper()
	for i, act := range acts {
		if err := act(); err != nil {
			s.t.Fatalf("act %d: %v", i, err)
		}
	}
}

func (s *shaped) said() []string {
	state, _ := s.State()
	var said []string
	for _, step := range state.Steps {
		if step.Step.Tool != "navigate" {
			said = append(said, step.Step.Tool+" "+step.Label)
		}
	}
	return said
}

const threeButtons = `<button>One</button> <button>Two</button> <button>Three</button> <label>City <input name=city></label>`

func TestStepsAreShapedWhileTheyAreMade(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, threeButtons)
	ctx := s.ctx
	s.do(
		func() error { return s.Click(ctx, "button:nth-of-type(1)") },
		func() error { return s.Click(ctx, "button:nth-of-type(2)") },
		func() error { return s.Click(ctx, "button:nth-of-type(3)") },
	)
	one, two, three := s.step("click", "One"), s.step("click", "Two"), s.step("click", "Three")
	s.do(
		func() error { return s.Move(ctx, three, 1) },
		func() error { return s.Fill(ctx, "input", "Linz") }, // more comes meanwhile
		func() error { return s.Recorder.Remove(ctx, two) },
		func() error { return s.SetIntent(ctx, three, "begin the tour") },
		func() error { return s.SetEffect(ctx, one, automation.Commit) },
		func() error { return s.SetOptional(ctx, one, true) },
		func() error { return s.Rename(ctx, "tour") },
		func() error { return s.MarkVariable(ctx, s.step("typeInput", "City"), "town") },
		func() error { return s.RenameVariable(ctx, "town", "destination") },
		func() error { return s.Fill(ctx, "input", "er") },
	)
	a := stop(t, s.Recorder)
	var got []string
	for _, step := range a.Steps[1:] {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %s %v", step.Tool, step.Selector, step.Intent, step.Effect, step.Optional)))
	}
	want := []string{
		`click aria/Three[role="button"] begin the tour write false`,
		`click aria/One[role="button"]  commit true`,
		`typeInput aria/City[role="textbox"]  read false`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if v := a.Steps[3].Value; a.Name != "tour" || v.Name != "destination" || !strings.Contains(string(a.Variables), `"destination"`) {
		t.Errorf("the automation %q types %+v of %s", a.Name, v, a.Variables)
	}
	var rebuilt []automation.Step
	for _, c := range s.told {
		switch c.Op {
		case recorder.Add:
			rebuilt = slices.Insert(rebuilt, c.Index, c.Step)
		case recorder.Update:
			rebuilt[c.Index] = c.Step
		case recorder.Remove:
			rebuilt = slices.Delete(rebuilt, c.Index, c.Index+1)
		}
	}
	if len(rebuilt) != len(a.Steps) || rebuilt[1].Intent != "begin the tour" {
		t.Errorf("the changes make %+v", rebuilt)
	}
}

func TestShapingIsTakenBack(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, threeButtons)
	ctx := s.ctx
	s.do(
		func() error { return s.Click(ctx, "button:nth-of-type(1)") },
		func() error { return s.Click(ctx, "button:nth-of-type(2)") },
	)
	one, two := s.step("click", "One"), s.step("click", "Two")
	before := s.said()
	s.do(
		func() error { return s.Move(ctx, two, 0) },
		func() error { return s.Recorder.Remove(ctx, one) },
		func() error { return s.SetIntent(ctx, two, "why") },
		func() error { return s.Rename(ctx, "other") },
	)
	for i := range 4 {
		if undone, err := s.Undo(ctx); !undone || err != nil {
			t.Fatalf("undo %d: %v, %v", i, undone, err)
		}
	}
	state, _ := s.State()
	if got := s.said(); !slices.Equal(got, before) || state.Name != "shaped" || state.Steps[2].Step.Intent != "" {
		t.Errorf("after all was taken back: %q of %q (%+v), want %q", got, state.Name, state.Steps, before)
	}
	if undone, err := s.Undo(ctx); !undone || err != nil { // of what was recorded
		t.Fatal(undone, err)
	}
	if got := s.said(); !slices.Equal(got, before[:1]) {
		t.Errorf("then %q, want %q", got, before[:1])
	}
}

func TestShapingRefusesWhatCannotBeKept(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, threeButtons+`<label>E-mail <input type=email name=mail></label>`)
	ctx := s.ctx
	s.do(
		func() error { return s.Click(ctx, "button") },
		func() error { return s.Fill(ctx, "[name=mail]", "ada@example.com") },
		func() error { return s.Fill(ctx, "[name=city]", "Linz") },
	)
	one, mail, city := s.step("click", "One"), s.step("typeInput", "E-mail"), s.step("typeInput", "City")
	state := s.said()
	for what, err := range map[string]error{
		"a step that is none":            s.Recorder.Remove(ctx, 999),
		"a place that is none":           s.Move(ctx, one, 99),
		"an effect that is none":         s.SetEffect(ctx, one, "delete"),
		"an intent of two lines":         s.SetIntent(ctx, one, "a\nb"),
		"an intent with a card number":   s.SetIntent(ctx, one, "pay with 4111 1111 1111 1111"),
		"an intent that repeats a value": s.SetIntent(ctx, one, "as ada@example.com"),
		"a name that is none":            s.Rename(ctx, "Not a name"),
		"a variable of a click":          s.MarkVariable(ctx, one, "x"),
		"a secret of a click":            s.MarkSecret(ctx, one),
		"a variable with a bad name":     s.MarkVariable(ctx, city, "my town"),
		"a variable with a taken name":   s.MarkVariable(ctx, city, "email"),
		"a variable that is one already": s.MarkVariable(ctx, mail, "other"),
		"another name for no variable":   s.RenameVariable(ctx, "unknown", "other"),
	} {
		if err == nil {
			t.Errorf("%s is taken", what)
		}
	}
	if err := s.Recorder.Remove(ctx, 999); !errors.Is(err, recorder.ErrNoStep) {
		t.Errorf("a step that is none gives %v, want %v", err, recorder.ErrNoStep)
	}
	if diff := cmp.Diff(state, s.said()); diff != "" {
		t.Errorf("what was refused has changed the steps:\n%s", diff)
	}
}

// What a person does while the recording is paused is left out, but for where it
// led; what is undone is gone, with what it led to.
func TestARecordingIsPausedAndTakenBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><h1>%s</h1><input id=f aria-label=Note><a href="/one">One</a> <a href="/two">Two</a> <button>Done</button>`, r.URL.Path)
	}))
	t.Cleanup(site.Close)
	r, p := recordAt(t, site.URL+"/")
	undo := func() error {
		undone, err := r.Undo(ctx)
		if err == nil && !undone {
			err = errors.New("there was nothing to undo")
		}
		return err
	}
	for i, act := range []func() error{
		func() error { return p.Fill(ctx, "#f", "kept") },
		func() error { return p.Click(ctx, "button") },
		undo,
		func() error { return p.Click(ctx, "a[href='/one']") },
		func() error { return p.See(ctx, "/one") },
		undo, // the click and its navigation
		func() error { return r.Pause(ctx) },
		func() error { return p.Fill(ctx, "#f", "unseen") },
		func() error { return p.Click(ctx, "a[href='/two']") },
		func() error { return p.See(ctx, "/two") },
		func() error { return p.Click(ctx, "button") },
		func() error { return r.Resume(ctx) },
		func() error { return p.Fill(ctx, "#f", "seen") },
	} {
		if err := act(); err != nil {
			t.Fatalf("act %d: %v", i, err)
		}
	}
	var got []string
	for _, step := range stop(t, r).Steps {
		got = append(got, saidOf(step))
	}
	want := []string{"navigate " + site.URL + "/", `typeInput "kept"`, "navigate " + site.URL + "/two", `typeInput "seen"`}
	if !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
	if _, err := r.Undo(ctx); !errors.Is(err, recorder.ErrStopped) {
		t.Errorf("after the end Undo gave %v, want %v", err, recorder.ErrStopped)
	}
}

func saidOf(step automation.Step) string {
	if step.Value != nil {
		return fmt.Sprintf("%s %s", step.Tool, step.Value.Value)
	}
	return fmt.Sprintf("%s %s", step.Tool, step.URL)
}
