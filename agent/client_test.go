package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/internal/canary"
)

// made is a client in process.
func (p *place) made(owner string) *agent.Client {
	p.t.Helper()
	c, err := p.server.Client(owner)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(c.Close)
	return c
}

func TestAClientInProcessIsHeldToWhatOthersAre(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	c, secret := p.made(""), canary.New()
	codeOf := func(tool string, args any) string {
		_, err := c.Call(t.Context(), tool, args, nil)
		var e *agent.Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", tool, err)
		}
		told, err := json.Marshal(e)
		if form, _ := canary.Find(told, secret); err != nil || form != "" {
			t.Errorf("%s repeats a secret: %s", tool, told)
		}
		return e.Code
	}
	if code := codeOf("nothing", nil); code != agent.NotFound {
		t.Errorf("a tool that there is not: %s", code)
	}
	if code := codeOf("navigate", map[string]any{secret: 1}); code != agent.InvalidArguments {
		t.Errorf("an argument that there is not: %s", code)
	}
	if code := codeOf("navigate", map[string]any{"url": p.site.URL, "intent": ""}); code != agent.InvalidIntent {
		t.Errorf("an empty intent: %s", code)
	}
	if _, err := c.Call(t.Context(), "navigate", map[string]any{"url": p.site.URL + "/bill"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call(t.Context(), "type_input", map[string]any{"target": "#card", "value": secret}, nil); err != nil {
		t.Fatal(err)
	}
	if code := codeOf("click", map[string]any{"target": "text/" + secret, "timeout": "100ms"}); code != "gone" {
		t.Errorf("an element that there is not: %s", code)
	}
	if at := c.Status().URL; at != p.site.URL+"/bill" {
		t.Errorf("it is at %s", at)
	}
	all := p.trace() // but for the tool that there is not, and the intent
	if len(all) != 4 {
		t.Errorf("%d calls were written down", len(all))
	}
	for _, call := range all {
		if form, _ := canary.Find([]byte(toText(call)+string(call.Arguments)), secret); form != "" || call.Session != c.ID() {
			t.Errorf("written down: %+v", call)
		}
	}
}

func TestAClientInProcessSeesWhatItsOwnerMay(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	p.keep(seesForm)
	var begun string
	played, err := p.made("ada").Call(t.Context(), "run_automation", map[string]any{"name": "see-form"}, &agent.CallOptions{RunBegun: func(id string) { begun = id }})
	if err != nil || begun == "" || played.Value["run"] != begun {
		t.Fatalf("played: %v, begun as %q: %v", played.Value, begun, err)
	}
	for owner, want := range map[string]int{"ada": 1, "grace": 0, "": 0} {
		all, err := p.made(owner).Call(t.Context(), "run_status", nil, nil)
		if runs, _ := all.Value["runs"].([]any); err != nil || len(runs) != want {
			t.Errorf("%q sees %v, %v", owner, all.Value, err)
		}
		calls, err := p.made(owner).Call(t.Context(), "journal", nil, nil)
		if err != nil || strings.Contains(toText(calls.Value), begun) != (want == 1) {
			t.Errorf("the journal of %q: %v, %v", owner, calls.Value, err)
		}
	}
}

func TestAClientInProcessEndsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	for _, test := range []struct {
		name string
		end  func(c *agent.Client, cancel func())
	}{
		{"the request", func(_ *agent.Client, cancel func()) { cancel() }},
		{"the client", func(c *agent.Client, _ func()) { c.Close() }},
		{"the server", func(*agent.Client, func()) { _ = p.server.Close() }}, // and all
	} {
		t.Run(test.name, func(t *testing.T) {
			c := p.made("")
			if _, err := c.Call(t.Context(), "navigate", map[string]any{"url": p.site.URL + "/form"}, nil); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := c.Call(ctx, "click", map[string]any{"target": "#never", "timeout": "100s"}, nil)
				ended <- err
			}()
			test.end(c, cancel)
			var e *agent.Error
			if err := <-ended; !errors.As(err, &e) || e.Code != "cancelled" {
				t.Errorf("the call ends with %v", err)
			}
			cancel()
		})
	}
	if _, err := p.server.Client(""); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("of a closed server: %v", err)
	}
}
