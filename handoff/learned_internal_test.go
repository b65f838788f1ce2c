package handoff

import (
	"fmt"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/selectors"
)

// did is one thing that a person did in a takeover.
type did struct{ tool, field, variable, kind string }

func recordedOf(t *testing.T, blocker automation.Reason, all ...did) *recorded {
	t.Helper()
	r := &recorded{document: &automation.Automation{Name: "learned", Match: automation.Scope{URLs: []string{"shop.example/*"}}}, blocker: blocker, url: "https://shop.example/signin"}
	for i, d := range all {
		path, err := selectors.ParsePath(fmt.Sprintf("#%s", d.field))
		if err != nil {
			t.Fatal(err)
		}
		step := automation.Step{Tool: d.tool, Selector: path, Effect: automation.Write}
		s := recorder.Step{ID: i, Label: d.field, Type: d.kind, URL: "https://shop.example/signin"}
		if d.tool == "typeInput" {
			step.Value, s.Typed = &automation.Value{Kind: automation.Variable, Name: d.variable}, true
		}
		if d.tool == "drag" {
			step.Args = []byte(`{"to": "#end"}`)
		}
		s.Step = step
		r.document.Steps, r.steps = append(r.document.Steps, step), append(r.steps, s)
	}
	return r
}

// What is asked for after the password, or once something was sent, may be another thing each time, whatever its field is called:
// a person does it. Who someone is and a password are not, wherever they are asked for.
func TestWhatMayBeAnotherThingEachTimeIsNotLearned(t *testing.T) {
	t.Parallel()
	user, password, press := did{"typeInput", "user", "username", "text"}, did{"typeInput", "pass", "password", "password"}, did{tool: "click", field: "go"}
	for name, c := range map[string]struct {
		did   []did
		steps int // that are played, before a person is called
		hands bool
	}{
		"a sign-in":                            {[]did{user, password, press}, 3, false},
		"a sign-in of two pages":               {[]did{user, press, password, press}, 4, false},
		"an account that is told by a number":  {[]did{{"typeInput", "no", "kundennummer", "text"}, password, press}, 3, false},
		"and by two things":                    {[]did{{"typeInput", "branch", "filiale", "text"}, {"typeInput", "no", "konto", "text"}, password, press}, 4, false},
		"a workspace, and then an address":     {[]did{{"typeInput", "team", "team", "text"}, press, {"typeInput", "mail", "email", "email"}, password, press}, 5, false},
		"a password that was wrong first":      {[]did{user, password, press, password, press}, 5, false},
		"a passcode after that":                {[]did{user, password, press, {"typeInput", "x2", "password", "text"}, press}, 3, true},
		"one that is hidden as it is typed":    {[]did{user, password, press, {"typeInput", "x2", "password", "password"}, press}, 3, true},
		"letters below the password":           {[]did{user, password, {"typeInput", "letters", "letters", "text"}, press}, 2, true},
		"a code that comes in place of a word": {[]did{{"typeInput", "mail", "email", "email"}, press, {"typeInput", "x", "secret", "text"}, press}, 2, true},
		"a slider that is drawn to its end":    {[]did{user, password, {tool: "drag", field: "slider"}, press}, 2, true},
	} {
		a, words, err := learn(recordedOf(t, automation.ReasonLogin, c.did...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		played := len(a.Steps)
		hands := a.Steps[played-1].Tool == "handoff"
		if hands {
			played--
		}
		if played != c.steps || hands != c.hands {
			t.Errorf("%s is learned as %q, want %d steps, and a person: %v", name, words, c.steps, c.hands)
		}
	}
}
