package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/handoff"
)

var update = flag.Bool("update", false, "write the golden files again")

func TestAnIntentIsKeptAndNeverAnEmptyOne(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	s := p.client(nil)
	must(t, s, "navigate", map[string]any{"url": p.site.URL + "/form", "intent": "open the order"})
	must(t, s, "click", map[string]any{"target": "#gift"})
	before := p.trace()
	for what, intent := range map[string]any{
		"empty": "", "white": "   ", "long": strings.Repeat("ä", 121), "none": nil, "a number": 7, "a list": []string{"x"}, "two lines": "a\nb", "a control character": "a\x00b",
	} {
		r := fails(t, s, agent.InvalidIntent, "click", map[string]any{"target": "#gift", "intent": intent})
		if !strings.Contains(r.Error.Next, "nothing was done") {
			t.Errorf("%s: %s", what, r.Text)
		}
		fails(t, s, agent.InvalidIntent, "snapshot", map[string]any{"intent": intent, "no": "such argument"})
	}
	if after := p.trace(); len(after) != len(before) {
		t.Errorf("%d calls were written down", len(after)-len(before))
	}
	checked := must(t, s, "extract", map[string]any{"target": "#gift:checked", "as": "on", "intent": strings.Repeat("ä", 120)})
	if checked.IsError {
		t.Error("it was pressed again")
	}
	calls := p.trace()
	var intents []string
	for _, c := range calls {
		intents = append(intents, c.Intent)
	}
	if diff := cmp.Diff([]string{"open the order", "", strings.Repeat("ä", 120)}, intents); diff != "" {
		t.Errorf("intents (-want +got):\n%s", diff)
	}
	if strings.Contains(string(calls[0].Arguments), "intent") {
		t.Errorf("it stands among the arguments: %s", calls[0].Arguments)
	}
}

// told is what a client and the store are told of calls.
type told struct{ tools, results, trace []byte }

// golden makes the same calls, at a fixed site, with a fixed clock; change may change the options.
func golden(t *testing.T, intent string, change func(*agent.Options)) (all told) {
	t.Helper()
	now, ids := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), 0
	var site string
	p := at(t, func(o *agent.Options) {
		o.Now = func() time.Time { now = now.Add(time.Second / 8); return now }
		o.NewID = func() string { ids++; return fmt.Sprintf("01kb%022d", ids) }
		o.Browser = func(ctx context.Context) (*browser.Browser, error) {
			return browser.Launch(ctx, &browser.Options{Args: []string{"--host-resolver-rules=MAP demo.test " + site}})
		}
		if change != nil {
			change(o)
		}
	})
	site = strings.TrimPrefix(p.site.URL, "http://")
	s := p.client(nil)
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if all.tools, err = json.MarshalIndent(tools, "", "\t"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"list_automations", nil},
		{"match_automation", map[string]any{"url": "http://demo.test/form?token=not-kept", "account": "ada"}},
		{"navigate", map[string]any{"url": "http://demo.test/form"}},
		{"type_input", map[string]any{"target": "#name", "value": "Ada <Lovelace> & co"}},
		{"fill_form", map[string]any{"fields": []map[string]any{{"target": "#city", "value": "London"}, {"target": "#gift", "value": true}}}},
		{"click", map[string]any{"target": "d1e999"}},
		{"click", map[string]any{"no": "target"}},
		{"run_status", nil},
	} {
		if intent != "" {
			if c.args == nil {
				c.args = map[string]any{}
			}
			c.args["intent"] = intent
		}
		result, err := json.MarshalIndent(call(t, s, c.tool, c.args).CallToolResult, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		all.results = fmt.Appendf(all.results, "%s %s\n", c.tool, result)
	}
	names, err := p.st.Journal().Sessions(t.Context())
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	if _, err := p.st.Journal().Verify(t.Context(), names[0]); err != nil {
		t.Error(err)
	}
	if all.trace, err = os.ReadFile(filepath.Join(p.root, "traces", names[0]+".jsonl")); err != nil {
		t.Fatal(err)
	}
	return all
}

// hashes of lines are others where the lines are.
var hashes = regexp.MustCompile(`[0-9a-f]{64}`)

// isGolden compares with a file, byte by byte.
func isGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestWhatCallsWithoutIntentsAnswerAndLeaveStaysAsItIs(t *testing.T) {
	t.Parallel()
	got := golden(t, "", nil)
	isGolden(t, "trace.jsonl", got.trace)
	isGolden(t, "tools.json", got.tools)
	isGolden(t, "results.txt", got.results)
	if bytes.Contains(got.trace, []byte("intent")) {
		t.Error("there is a key for an intent that no one gave")
	}
	with := golden(t, "to order", nil).trace
	if n := bytes.Count(with, []byte(`"intent":"to order"`)); n != bytes.Count(with, []byte("\n")) {
		t.Errorf("%d lines have the intent:\n%s", n, with)
	}
	bare := hashes.ReplaceAll(bytes.ReplaceAll(with, []byte(`"intent":"to order",`), nil), nil)
	if diff := cmp.Diff(string(hashes.ReplaceAll(got.trace, nil)), string(bare)); diff != "" {
		t.Errorf("with intents more is different than these (-without +with):\n%s", diff)
	}
}

// Where people may take over and none has, the tools for that are more, and all else is as it was, byte by byte.
func TestWhereNoPersonHasThePageNothingIsDifferent(t *testing.T) {
	t.Parallel()
	got := golden(t, "", func(o *agent.Options) {
		desk, err := handoff.New(&handoff.Options{Store: o.Store})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(desk.Close)
		o.Handoffs = desk
	})
	isGolden(t, "trace.jsonl", got.trace)
	isGolden(t, "results.txt", got.results)
	var tools mcp.ListToolsResult
	if err := json.Unmarshal(got.tools, &tools); err != nil {
		t.Fatal(err)
	}
	more := []string{}
	tools.Tools = slices.DeleteFunc(tools.Tools, func(tool *mcp.Tool) bool {
		is := strings.HasPrefix(tool.Name, "request_human") || tool.Name == "human_wait" || strings.HasPrefix(tool.Name, "handoff_")
		if is {
			more = append(more, tool.Name)
		}
		return is
	})
	if len(more) != 7 {
		t.Errorf("for that there are %q", more)
	}
	rest, err := json.MarshalIndent(&tools, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	isGolden(t, "tools.json", rest)
}
