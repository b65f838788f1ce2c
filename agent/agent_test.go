package agent_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/agent/autonomy"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func TestAnAutomationIsRunByItsNameForEachAccount(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	p.keep(signIn)
	for _, account := range p.site.Accounts() {
		s := p.client(nil)
		r := must(t, s, "run_demo_login", map[string]any{"account": account.Email, "intent": "to see the dashboard"})
		outputs, _ := r.Value["outputs"].(map[string]any)
		if r.Value["state"] != "done" || outputs["who"] != account.Email || p.site.SignIns(account.Email) != 1 {
			t.Errorf("%s", r.Text)
		}
		run := must(t, s, "run_status", map[string]any{"run": r.Value["run"]})
		if told, _ := run.Value["run"].(map[string]any); told["state"] != "done" || told["steps_done"] != 8.0 {
			t.Errorf("%s", run.Text)
		}
		shot := must(t, s, "snapshot", nil)
		if !strings.Contains(shot.Text, account.Name) || strings.Contains(shot.Text, account.Password) {
			t.Errorf("%s", shot.Text)
		}
	}
	for _, c := range p.trace() {
		if c.Tool == "run_demo_login" && (c.Run == "" || c.Intent != "to see the dashboard" || c.Outcome != store.CallDone) {
			t.Errorf("%+v", c)
		}
	}
}

func TestARunTellsHowOftenItsAgentAsked(t *testing.T) {
	t.Parallel()
	guard, err := autonomy.New(autonomy.Task{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := at(t, func(o *agent.Options) { o.Guard = guard.Counts })
	p.keep(signIn)
	s := p.client(nil)
	if _, err := guard.After(t.Context(), nil, autonomy.Message{Role: autonomy.Assistant, Text: "All is ready. Shall I sign in?"}); err != nil {
		t.Fatal(err)
	}
	run := must(t, s, "run_demo_login", map[string]any{"account": p.site.Accounts()[0].Email}).Value["run"]
	told, _ := must(t, s, "run_status", map[string]any{"run": run}).Value["run"].(map[string]any)
	if counts, _ := told["guard"].(map[string]any); counts["answers"] != 1.0 || counts["asking"] != 1.0 {
		t.Errorf("it tells %v", told)
	}
}

func TestAnAgentExploresWithWhatASnapshotNames(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	account := p.site.Accounts()[0]
	s := p.client(nil)
	must(t, s, "navigate", map[string]any{"url": p.site.URL + "/signin"})
	shot := must(t, s, "snapshot", nil)
	must(t, s, "click", map[string]any{"target": ref(t, shot.Text, "Accept all")})
	must(t, s, "type_input", map[string]any{"target": ref(t, shot.Text, "Email"), "value": account.Email})
	must(t, s, "click", map[string]any{"target": "#identifierNext"})
	must(t, s, "type_input", map[string]any{"target": "#password", "value": map[string]any{"variable": "password"}, "account": account.Email})
	must(t, s, "click", map[string]any{"target": "#passwordNext"})
	must(t, s, "wait_for_nav", map[string]any{"url": strings.TrimPrefix(p.site.URL, "http://") + "/dashboard"})
	r := must(t, s, "extract", map[string]any{"target": "[data-email]", "as": "who"})
	if outputs, _ := r.Value["outputs"].(map[string]any); outputs["who"] != account.Email {
		t.Errorf("%s", r.Text)
	}
	picture := must(t, s, "screenshot", nil)
	if len(picture.Content) != 2 {
		t.Errorf("%d contents", len(picture.Content))
	}
	for _, c := range p.trace() {
		if strings.Contains(toText(c), account.Password) {
			t.Errorf("the password stands in %+v", c)
		}
	}
}

var refIn = regexp.MustCompile(`\[(d\d+e\d+)\]`)

// ref is the reference of the line of an outline that holds a text.
func ref(t *testing.T, outline, text string) string {
	t.Helper()
	for line := range strings.Lines(outline) {
		if m := refIn.FindStringSubmatch(line); m != nil && strings.Contains(line, text) {
			return m[1]
		}
	}
	t.Fatalf("nothing is called %q in\n%s", text, outline)
	return ""
}

func TestWhatAnAgentHasDoneIsKeptAsAnAutomation(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	first, second := p.site.Accounts()[0], p.site.Accounts()[1]
	s := p.client(nil)
	must(t, s, "record_start", map[string]any{"name": "by-hand", "description": "What the agent found"})
	must(t, s, "navigate", map[string]any{"url": p.site.URL + "/signin"})
	shot := must(t, s, "snapshot", nil)
	must(t, s, "click", map[string]any{"target": ref(t, shot.Text, "Accept all")})
	must(t, s, "type_input", map[string]any{"target": ref(t, shot.Text, "Email"), "value": first.Email})
	must(t, s, "click", map[string]any{"target": "#identifierNext"})
	must(t, s, "type_input", map[string]any{"target": "#password", "value": first.Password})
	must(t, s, "click", map[string]any{"target": "#passwordNext"})
	must(t, s, "wait_for_nav", map[string]any{"url": strings.TrimPrefix(p.site.URL, "http://") + "/dashboard"})
	r := must(t, s, "record_stop", nil)
	if strings.Contains(r.Text, first.Password) {
		t.Error(r.Text)
	}
	a, err := p.st.Automations().Get(t.Context(), "by-hand", "")
	if err != nil {
		t.Fatal(err)
	}
	data, err := a.MarshalJSON()
	if err != nil || strings.Contains(string(data), first.Password) || strings.Contains(string(data), first.Email) {
		t.Errorf("%v\n%s", err, data)
	}
	declared, err := a.Declared()
	if err != nil || !declared.IsSecret("password") || declared.IsSecret("email") {
		t.Errorf("%v\n%s", err, data)
	}
	other := p.client(nil)
	must(t, other, "run_by_hand", map[string]any{"account": second.Email, "vars": map[string]any{"email": second.Email}})
	if p.site.SignIns(second.Email) != 1 {
		t.Errorf("not signed in by\n%s", data)
	}
	for _, c := range p.trace() {
		if strings.Contains(toText(c), first.Password) {
			t.Errorf("the password stands in %s(%s)", c.Tool, c.Arguments)
		}
	}
	fails(t, s, agent.NotRecording, "record_stop", nil)
	fails(t, s, agent.Conflict, "record_start", map[string]any{"name": "by-hand"})
	fails(t, s, agent.Conflict, "record_start", map[string]any{"name": "by-hand", "account": "ada@example.com"}) // it would be played in its place
}

func TestEveryToolIsNamedAndDescribedAsClientsNeedIt(t *testing.T) {
	t.Parallel()
	own, err := replayer.NewTools(replayer.Tool{Name: "acme.solvePuzzleOfTheDayThatHasAVeryLongNameWhichNoOneWouldEverType", Description: strings.Repeat("It solves. ", 90), Do: nothing})
	if err != nil {
		t.Fatal(err)
	}
	p := at(t, func(o *agent.Options) { o.Tools = own })
	for _, name := range []string{"automation", "status", "google-login"} {
		p.keep(strings.Replace(signIn, "demo-login", name, 1))
	}
	all := names(t, p.client(nil))
	for name, tool := range all {
		if !regexp.MustCompile(`^[a-z][a-z0-9_]{2,63}$`).MatchString(name) {
			t.Errorf("the name %q", name)
		}
		if n := utf8.RuneCountInString(tool.Description); n > 500 || !strings.HasSuffix(tool.Description, "Leave the key out otherwise.") || !strings.Contains(tool.Description, `"intent"`) {
			t.Errorf("%s: %d characters: %s", name, n, tool.Description)
		}
		schema, _ := tool.InputSchema.(map[string]any)
		if properties, _ := schema["properties"].(map[string]any); properties["intent"] == nil || schema["additionalProperties"] != false {
			t.Errorf("%s: %v", name, schema)
		}
	}
	for _, want := range []string{"navigate", "click", "type_input", "fill_form", "select", "keypress", "drag_drop", "file_upload", "snapshot", "screenshot", "scroll", "wait_for",
		"list_automations", "match_automation", "run_automation", "record_start", "record_stop", "journal", "run_status", "run_google_login"} {
		if all[want] == nil {
			t.Errorf("there is no %s", want)
		}
	}
	var made []string
	for name := range all {
		if strings.HasPrefix(name, "run_automation_") || strings.HasPrefix(name, "run_status_") || strings.HasPrefix(name, "acme_") {
			made = append(made, name)
		}
	}
	if len(made) != 3 {
		t.Errorf("names that collide or are too long: %v", made)
	}
}
