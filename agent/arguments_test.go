package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
)

func TestEveryToolOfTheFormatIsOfferedOrLeftOutForAReason(t *testing.T) {
	t.Parallel()
	offered, without := agent.Offered()
	all := append(offered, without...)
	slices.Sort(all)
	if diff := cmp.Diff(automation.Tools(), all); diff != "" {
		t.Errorf("the format's tools, and what agents know of (-format +agents):\n%s", diff)
	}
}

func TestArgumentsAreCheckedBeforeAnythingHappens(t *testing.T) {
	t.Parallel()
	started := atomic.Int32{}
	p := at(t, func(o *agent.Options) {
		o.Browser = func(context.Context) (*browser.Browser, error) { started.Add(1); return nil, errors.New("none") }
		o.Logins = logins{}
	})
	p.keep(signIn)
	s := p.client(nil)
	const secret = "hunter2-hunter2"
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"navigate", nil},
		{"navigate", map[string]any{"url": 7}},
		{"navigate", map[string]any{"url": "http://example.com/", secret: true}},
		{"click", map[string]any{"target": ""}},
		{"click", map[string]any{"target": map[string]any{"ref": secret}}},
		{"click", map[string]any{"target": "#a", "button": secret}},
		{"click", map[string]any{"target": "#a", "timeout": secret}},
		{"type_input", map[string]any{"target": "#a", "value": map[string]any{"variable": secret + "!"}}},
		{"type_input", map[string]any{"target": "#a", "value": map[string]any{"kind": "literal", "value": secret}}},
		{"fill_form", map[string]any{"fields": []any{map[string]any{"target": "#a", "value": "x", secret: secret}}}},
		{"run_demo_login", map[string]any{"vars": map[string]any{"password": secret}}},
		{"run_demo_login", map[string]any{"vars": map[string]any{"email": secret}}},
		{"run_demo_login", map[string]any{"var": map[string]any{"email": "a@b.example"}}},
		{"run_demo_login", map[string]any{"resume": secret}},
		{"run_automation", map[string]any{"name": "demo-login", "vars": map[string]any{"password": secret}}},
		{"run_automation", map[string]any{"name": secret + "!"}},
		{"journal", map[string]any{"limit": 0}},
		{"journal", map[string]any{"kind": secret}},
		{"snapshot", map[string]any{"size": 1}},
	} {
		r := fails(t, s, agent.InvalidArguments, c.tool, c.args)
		if strings.Contains(r.Text, secret) {
			t.Errorf("%s(%v) is quoted: %s", c.tool, c.args, r.Text)
		}
	}
	for _, c := range p.trace() {
		if strings.Contains(toText(c), secret) || len(c.Arguments) > 0 {
			t.Errorf("the journal has %+v", c)
		}
	}
	if n := started.Load(); n > 0 {
		t.Errorf("a browser was started %d times", n)
	}
}

// FuzzArguments throws anything at every tool: nothing panics, and what is refused has
// done nothing.
func FuzzArguments(f *testing.F) {
	var p *place
	started := atomic.Int32{}
	p = atFuzz(f, func(o *agent.Options) {
		o.Browser = func(context.Context) (*browser.Browser, error) { started.Add(1); return nil, errors.New("none") }
	})
	tools := p.server.Fixed()
	for i, seed := range []string{``, `null`, `{}`, `[]`, `7`, `"x"`, strings.Repeat(`{"a":`, 50), `{"target":"aria/"}`} {
		f.Add(uint8(i), []byte(seed))
	}
	for i := range tools {
		for _, seed := range []string{
			`{"intent":"x","target":["#a","#b"],"frame":["#c"],"timeout":"1s"}`, `{"target":"d1e1","value":{"variable":"a"},"fields":[{"target":"#a","value":"x"}]}`,
			`{"url":"http://127.0.0.1:1/","name":"a","vars":{"b":1e999}}`, `{"url":"http://127.0.0.1:1/","name":"a","login":"club","account":"ada"}`, "{\"intent\":\"\",\"a\":\"\xff\"}",
		} {
			f.Add(uint8(i), []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, args []byte) {
		name := tools[int(which)%len(tools)]
		before := started.Load()
		r := p.server.Called(t.Context(), name, args)
		if r == nil {
			t.Fatal("no one is connected")
		}
		data, err := json.Marshal(r.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		var told struct{ Error agent.Error }
		if err := json.Unmarshal(data, &told); err != nil {
			t.Fatal(err)
		}
		refused := told.Error.Code == agent.InvalidArguments || told.Error.Code == agent.InvalidIntent
		if refused && started.Load() != before {
			t.Errorf("%s(%q) is refused (%s), and a browser was started", name, args, told.Error.Reason)
		}
		if r.IsError && (told.Error.Code == "" || told.Error.Reason == "") {
			t.Errorf("%s(%q) fails without a reason: %s", name, args, data)
		}
	})
}
