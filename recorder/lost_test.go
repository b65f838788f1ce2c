package recorder_test

import (
	"errors"
	"testing"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
)

func TestABrowserThatDiesLeavesWhatWasRecorded(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	b, err := browser.Launch(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	page, err := b.NewPage(t.Context(), site.URL+"/form")
	if err != nil {
		t.Fatal(err)
	}
	r, err := recorder.Start(t.Context(), page, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := simuser.At(page.Target())
	if err := errors.Join(p.Fill(t.Context(), "#name", "Ada"), p.Click(t.Context(), "#gift")); err != nil {
		t.Fatal(err)
	}
	page.Target().Tree().Client().Send("", "Browser.crash", nil)
	<-b.Done()
	a, _, err := r.Stop(t.Context())
	if !errors.Is(err, browser.ErrLost) {
		t.Errorf("Stop gave the error %v, want one that is browser.ErrLost", err)
	}
	if a == nil || len(a.Steps) != 3 {
		t.Fatalf("Stop gave %+v, want the three steps until then", a)
	}
}

func TestClosingThePageEndsARecording(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	page := browsertest.Page(t, site.URL+"/form")
	r, err := recorder.Start(t.Context(), page, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := simuser.At(page.Target())
	if err := errors.Join(p.Fill(t.Context(), "#name", "Ada"), page.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	a, _, err := r.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Steps) != 2 {
		t.Errorf("recorded %d steps, want the two until the page was closed", len(a.Steps))
	}
	again, _, err := r.Stop(t.Context())
	if again != a || err != nil {
		t.Errorf("a second Stop gave %p, %v; want the same again", again, err)
	}
}
