package recorder_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/recorder"
)

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
