package recorder_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/automation"
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
	ctx, canary := s.ctx, newCanary(t)
	s.do(
		func() error { return s.Fill(ctx, "#f", canary) },
		func() error { return s.Click(ctx, "#b") },
		func() error { return s.Fill(ctx, "#g", canary) },
		func() error { return s.Fill(ctx, "#h", "not "+canary) },
	)
	s.step("typeInput", "Note")
	before, err := json.Marshal(s.told)
	if err != nil || !strings.Contains(string(before), canary[:16]) {
		t.Fatalf("the canary was never told (%v): the test proves nothing", err)
	}
	if err := s.MarkSecret(ctx, s.step("typeInput", "Member")); err != nil {
		t.Fatal(err)
	}
	s.forget()
	var sent []byte
	remove := s.client().OnEvent(func(e cdp.Event) {
		if e.Method == "Runtime.bindingCalled" {
			sent = append(sent, e.Params...)
		}
	})
	t.Cleanup(remove)
	second := newCanary(t)
	state, _ := s.State()
	wantNothingOf(t, "the state", state, canary)
	s.do(
		func() error { return s.Fill(ctx, "#f", second) }, // in this document
		func() error { return s.Click(ctx, "#b") },
		func() error { return s.Click(ctx, "#n") },
		func() error { return s.See(ctx, "/next") },
		func() error { return s.Fill(ctx, "#f", second) }, // and in a later one
		func() error { return s.Click(ctx, "#b") },
	)
	a := stop(t, s.Recorder)
	remove()
	data, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []string{canary, second} {
		wantNoCanary(t, "the document", data, one)
		wantNothingOf(t, "the changes since", s.told, one)
	}
	wantNoCanary(t, "what the page script sends", sent, second)
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

func wantNothingOf(t *testing.T, where string, v any, canary string) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	wantNoCanary(t, where, data, canary)
	wantNoCanary(t, where+", printed", fmt.Appendf(nil, "%+v", v), canary)
}
