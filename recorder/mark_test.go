package recorder_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/recorder"
)

// What a field takes that nothing says to be secret, repeated by the page wherever it
// can, and typed again into another one.
const member = `<p id=beside></p><label>Member <input id=f name=member></label><label>Again <input id=g name=again></label>
<label>Note <input id=h name=note></label><button id=b>Go</button><a id=n href="/next">Next</a><script>
f.addEventListener("input", () => { const v = f.value; document.title = v; b.textContent = "Go " + v; b.dataset.testid = v; beside.textContent = v });
f.addEventListener("change", () => history.replaceState(null, "", "/at/" + encodeURIComponent(f.value)));
</script>`

func TestATextThatIsMarkedAsSecretIsForgotten(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, member)
	ctx, secret := s.ctx, canary.New()
	s.do(
		func() error { return s.Fill(ctx, "#f", secret) },
		func() error { return s.Click(ctx, "#b") },
		func() error { return s.Fill(ctx, "#g", secret) },
		func() error { return s.Fill(ctx, "#h", "not "+secret) },
	)
	s.step("typeInput", "Note")
	before, err := json.Marshal(s.told)
	if form, _ := canary.Find(before, secret); err != nil || form == "" {
		t.Fatalf("the canary was never told (%v): the test proves nothing", err)
	}
	if err := s.MarkSecret(ctx, s.step("typeInput", "Member")); err != nil {
		t.Fatal(err)
	}
	s.forget()
	sent := sentByPage(t, s)
	second := canary.New()
	state, _ := s.State()
	wantNothingOf(t, "the state", state, secret)
	s.do(
		func() error { return s.Fill(ctx, "#f", second) }, // in this document
		func() error { return s.Click(ctx, "#b") },
		func() error { return s.Click(ctx, "#n") },
		func() error { return s.See(ctx, "/next") },
		func() error { return s.Fill(ctx, "#f", second) }, // and in a later one
		func() error { return s.Click(ctx, "#b") },
	)
	a := stop(t, s.Recorder)
	data, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []string{secret, second} {
		wantNoCanary(t, "the document", data, one)
		wantNothingOf(t, "the changes since", s.told, one)
	}
	wantNoCanary(t, "what the page script sends", sent(), second)
	var typed []string
	for _, step := range a.Steps {
		if step.Tool == "typeInput" {
			typed = append(typed, step.Value.Name)
		}
	}
	if want := []string{"member", "member", "note", "member", "member"}; !slices.Equal(typed, want) {
		t.Errorf("it types %q, want %q\n%s", typed, want, data)
	}
	if strings.Count(string(a.Variables), `"writeOnly":true`) != 2 {
		t.Errorf("the variables are %s", a.Variables)
	}
}

func TestASecretStaysOne(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, member)
	ctx := s.ctx
	s.do(func() error { return s.Fill(ctx, "#f", "opensesame") })
	if err := s.MarkSecret(ctx, s.step("typeInput", "Member")); err != nil {
		t.Fatal(err)
	}
	if undone, err := s.Undo(ctx); undone || !errors.Is(err, recorder.ErrForGood) {
		t.Errorf("taking it back gave %v, %v; want %v", undone, err, recorder.ErrForGood)
	}
	state, _ := s.State()
	if last := state.Steps[len(state.Steps)-1]; !last.Secret || last.Step.Value.Name != "member" {
		t.Errorf("it is %+v", last)
	}
}

func wantNothingOf(t *testing.T, where string, v any, secret string) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	wantNoCanary(t, where, data, secret)
	wantNoCanary(t, where+", printed", fmt.Appendf(nil, "%+v", v), secret)
}

// sentByPage returns what the page script has sent since, when it is called.
func sentByPage(t *testing.T, s *shaped) func() []byte {
	var mu sync.Mutex
	var sent []byte
	t.Cleanup(s.client().OnEvent(func(e cdp.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Method == "Runtime.bindingCalled" {
			sent = append(sent, e.Params...)
		}
	}))
	return func() []byte {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(sent)
	}
}

// A field that is called nothing is known as long as its document is there.
func TestAFieldWithoutANameIsMarkedAsSecret(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, `<input><button>Go</button>`)
	ctx, secret := s.ctx, canary.New()
	s.do(func() error { return s.Fill(ctx, "input", "opensesame") })
	if err := s.MarkSecret(ctx, s.step("typeInput", "")); err != nil {
		t.Fatal(err)
	}
	sent := sentByPage(t, s)
	s.do(func() error { return s.Fill(ctx, "input", secret) },
		func() error { return s.Click(ctx, "button") })
	data, err := automation.Marshal(stop(t, s.Recorder))
	if err != nil {
		t.Fatal(err)
	}
	wantNoCanary(t, "what the page script sends", sent(), secret)
	wantNoCanary(t, "the document", data, secret)
	wantNoCanary(t, "the document", data, "opensesame")
	if !bytes.Contains(data, []byte(`"writeOnly"`)) || len(sent()) == 0 {
		t.Errorf("it was told %s, and the document is\n%s", sent(), data)
	}
}

// The page that follows repeats what was typed on the one before, of which only the
// recording knows still.
func TestWhatWasTypedOnAnEarlierPageIsNotQuoted(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, `<form action=/next><label>Member <input name=member></label><button>Go</button></form><p><button id=b></button>
<script>b.textContent = "Leave " + new URLSearchParams(location.search).get("member")</script>`)
	ctx, secret := s.ctx, canary.New()
	s.do(func() error { return s.Fill(ctx, "input", secret) },
		func() error { return s.Click(ctx, "form button") },
		func() error { return s.See(ctx, "/next") })
	if err := s.MarkSecret(ctx, s.step("typeInput", "Member")); err != nil {
		t.Fatal(err)
	}
	s.forget()
	s.do(func() error { return s.Click(ctx, "#b") })
	data, err := automation.Marshal(stop(t, s.Recorder))
	if err != nil {
		t.Fatal(err)
	}
	wantNoCanary(t, "the document", data, secret)
	wantNothingOf(t, "the changes since", s.told, secret)
}

// What was marked is known to documents that come later, whatever their site.
func TestWhatIsMarkedAsSecretIsKnownToLaterDocuments(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, `<form action=/next><label>Member <input name=member></label><button id=go>Go</button></form><p><button id=b></button><label>Copy <input id=c></label>
<script>b.textContent = b.title = c.value = "x" + new URLSearchParams(location.search).get("member"); b.onclick = () => { if (location.hostname !== "localhost") location.hostname = "localhost" }</script>`)
	ctx, secret := s.ctx, canary.New()
	s.do(func() error { return s.Fill(ctx, "input", secret) })
	if err := s.MarkSecret(ctx, s.step("typeInput", "Member")); err != nil {
		t.Fatal(err)
	}
	s.forget()
	sent := sentByPage(t, s)
	s.do(
		func() error { return s.Click(ctx, "#go") },
		func() error { return s.See(ctx, "/next") },
		func() error { return s.Click(ctx, "#b") }, // leads to another site
		func() error { return s.See(ctx, "localhost") },
		func() error { return s.Click(ctx, "#b") },
		func() error { return s.Click(ctx, "#c") },
		func() error { return s.Press(ctx, "End") },
		func() error { return s.Type(ctx, "!") },
	)
	data, err := automation.Marshal(stop(t, s.Recorder))
	if err != nil {
		t.Fatal(err)
	}
	wantNoCanary(t, "what the page script sends", sent(), secret)
	wantNoCanary(t, "the document", data, secret)
	wantNothingOf(t, "the changes since", s.told, secret)
	if n := strings.Count(string(data), `"tool": "click"`); n != 3 {
		t.Errorf("%d clicks are recorded, want 3:\n%s", n, data)
	}
	if n := strings.Count(string(data), `"tool": "typeInput"`); n != 2 || strings.Contains(string(data), `"kind": "literal"`) {
		t.Errorf("want 2 texts, both secrets:\n%s", data)
	}
}
