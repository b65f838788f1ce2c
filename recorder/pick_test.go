package recorder_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/recorder"
)

// attentive is a page that notes all that it hears.
const attentive = `<h1 id=h>Order <b id=w>placed</b></h1><button id=b>Menu</button><label>Name <input id=f name=who value="Ada"></label><p id=e> </p>
<p id=card>4111 1111 1111 1111</p><p id=long></p><iframe id=i style="display:block;height:60px" srcdoc="<p id=p>Paid</p><script>parent.hear(window)</script>"></iframe><script>
const heard = [];
function hear(view) {
	for (const type of ["pointerover", "pointerenter", "pointerdown", "pointerup", "pointermove", "mouseover", "mousedown", "mouseup", "mousemove", "click", "auxclick", "contextmenu",
		"focus", "blur", "focusin", "focusout", "touchstart", "touchend", "keydown", "keyup"]) view.addEventListener(type, (e) => heard.push(type), true);
}
hear(window); long.textContent = "many words ".repeat(30);
new MutationObserver((all) => heard.push(...all.map((m) => "changed " + m.target.nodeName))).observe(document, { childList: true, subtree: true, attributes: true });
</script>`

func (s *shaped) client() *cdp.Client { return s.tab.Target().Tree().Client() }

// heard is what the page has heard since it was last asked.
func (s *shaped) heard() string {
	s.t.Helper()
	reply, err := s.tab.Target().Send("Runtime.evaluate", map[string]any{"expression": "heard.splice(0).join()", "returnByValue": true}).Wait(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	var answer struct{ Result struct{ Value string } }
	if err := json.Unmarshal(reply, &answer); err != nil {
		s.t.Fatal(err)
	}
	return answer.Result.Value
}

// point points with a press, and gives what came of it.
func (s *shaped) point(what recorder.Pointing, press func() error) error {
	s.t.Helper()
	pointed := make(chan error, 1)
	go func() {
		_, err := s.PickElement(s.ctx, what)
		pointed <- err
	}()
	s.until("pointing", func(state recorder.State) bool { return state.Pointing == what })
	if err := press(); err != nil {
		s.t.Fatal(err)
	}
	return <-pointed
}

func TestAPageHearsNothingOfBeingPointedAt(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, attentive)
	ctx := s.ctx
	click := func(path string) func() error { return func() error { return s.Click(ctx, path) } }
	s.do(click("#b"))
	if got := s.heard(); !strings.Contains(got, "pointerdown") || !strings.Contains(got, "click") {
		t.Fatalf("the page hears %q of a press: it does not listen", got)
	}
	s.step("click", "Menu")
	before, _ := s.State()
	for i, what := range []struct {
		pointing recorder.Pointing
		path     string
	}{{recorder.Check, "#h"}, {recorder.Hover, "#b"}, {recorder.Check, "#i >>> #p"}} {
		if err := s.point(what.pointing, click(what.path)); err != nil {
			t.Fatalf("pointing %d: %v", i, err)
		}
	}
	if got := s.heard(); got != "" {
		t.Errorf("the page hears %q", got)
	}
	s.do(click("#b")) // presses are presses again
	s.until("one more step", func(now recorder.State) bool { return len(now.Steps) == len(before.Steps)+4 })
	a := stop(t, s.Recorder)
	steps := a.Steps[len(before.Steps):]
	if got := string(steps[0].Value.Value); steps[0].Tool != "assert" || got != `"placed"` && got != `"Order placed"` {
		t.Errorf("the check is %+v of %s", steps[0], got)
	}
	if steps[1].Tool != "hover" || !strings.Contains(steps[1].Selector.String(), "Menu") {
		t.Errorf("the hover is %+v", steps[1])
	}
	if steps[2].Tool != "assert" || len(steps[2].Frame) != 1 || string(steps[2].Value.Value) != `"Paid"` {
		t.Errorf("the check in a frame is %+v", steps[2])
	}
	if steps[3].Tool != "click" {
		t.Errorf("then %+v", steps[3])
	}
}

func TestAPressInATabOfTheRecordingPointsToo(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, `<h1>Shop</h1><a id=n href="/two" target=_blank>Terms</a>`)
	s.do(func() error { return s.Click(s.ctx, "#n") })
	tab, err := s.NewTab(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.point(recorder.Check, func() error { return tab.Click(s.ctx, "h1") }); err != nil {
		t.Fatal(err)
	}
	a := stop(t, s.Recorder)
	if last := a.Steps[len(a.Steps)-1]; last.Tool != "assert" || last.Page != "popup1" {
		t.Errorf("the check is %+v", last)
	}
}

func TestPointingRefusesWhatIsPersonalAndIsCancelled(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, attentive)
	ctx := s.ctx
	s.do(func() error { return s.Fill(ctx, "#f", " Lovelace") })
	s.step("typeInput", "Name")
	before := s.said()
	for _, path := range []string{"#f", "#card", "#long"} {
		if err := s.point(recorder.Check, func() error { return s.Click(ctx, path) }); !errors.Is(err, recorder.ErrNoCheck) {
			t.Errorf("a check of %s gives %v, want %v", path, err, recorder.ErrNoCheck)
		}
	}
	s.heard()
	if err := s.point(recorder.Check, func() error { return s.Press(ctx, "Escape") }); !errors.Is(err, recorder.ErrNotPointed) {
		t.Errorf("Escape gives %v, want %v", err, recorder.ErrNotPointed)
	}
	if got := s.heard(); strings.Contains(got, "keydown") {
		t.Errorf("the page hears %q of Escape", got)
	}
	err := s.point(recorder.Check, func() error {
		s.CancelPick()
		return nil
	})
	if !errors.Is(err, recorder.ErrNotPointed) {
		t.Errorf("giving up gives %v, want %v", err, recorder.ErrNotPointed)
	}
	if got := strings.Join(s.said(), "\n"); got != strings.Join(before, "\n") {
		t.Errorf("the steps are\n%s\nwant\n%s", got, strings.Join(before, "\n"))
	}
	if state, _ := s.State(); state.Pointing != "" {
		t.Errorf("it still points for %s", state.Pointing)
	}
}

// A page of another site in a frame is another process: pointing works there, too.
func TestAFrameOfAnotherSiteIsPointedAt(t *testing.T) {
	t.Parallel()
	inner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><p style="margin:20px">Approved</p>`))
	}))
	t.Cleanup(inner.Close)
	s := shapedAt(t, `<iframe id=i style="width:300px;height:80px" src="`+strings.Replace(inner.URL, "127.0.0.1", "localhost", 1)+`"></iframe>`)
	for { // until the frame is drawn, and the browser knows that it lies there
		err := s.point(recorder.Check, func() error { return s.ClickAt(s.ctx, "#i", -100, -10) })
		if err == nil {
			break
		}
		if !errors.Is(err, recorder.ErrNoCheck) || !strings.Contains(err.Error(), "frame") {
			t.Fatal(err)
		}
	}
	a := stop(t, s.Recorder)
	last := a.Steps[len(a.Steps)-1]
	if last.Tool != "assert" || len(last.Frame) != 1 || last.Value == nil || last.Value.Kind != automation.Literal || string(last.Value.Value) != `"Approved"` {
		t.Errorf("the check is %+v", last)
	}
}
