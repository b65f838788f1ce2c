package replayer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

func own(t *testing.T, do func(context.Context, *replayer.Call) error, effect automation.Effect) *replayer.Tools {
	tools, err := replayer.NewTools(replayer.Tool{Name: "acme.x", Do: do, Effect: effect})
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func owned(t *testing.T, url string, tools *replayer.Tools, steps string) *automation.Automation {
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},"steps":[%s]}`, url[len("http://"):]+"/*", steps), tools.Parsing())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAPartIsHeldToWhatItExpects(t *testing.T) {
	t.Parallel()
	s := startTill(t, byFetch)
	s.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(402) }
	step := on("click", "#pay")
	step.Expect = []automation.Expectation{{Kind: "text", Text: "Thanks for your order"}}
	tools := own(t, func(ctx context.Context, c *replayer.Call) error { return c.Do(ctx, step) }, "")
	page := browsertest.Page(t, s.URL)
	_, err := replayer.Play(t.Context(), page, owned(t, s.URL, tools, `{"tool":"acme.x"}`), &replayer.Options{Tools: tools, Commit: replayer.AllowCommits, Timeout: 2 * time.Second})
	if err == nil {
		t.Error("done, though what was expected did not come and it was declined")
	}
}

func TestAPartWaitsForTheReplyOfWhatWasApproved(t *testing.T) {
	t.Parallel()
	b := startBox(t, map[string]string{"/": `<button id=go onclick="setTimeout(() => fetch('/x/1',{method:'POST'}).then(() => { done.hidden = false }), 1500)">Fiksu</button><p id=done hidden>done</p>`})
	step := on("click", "#go")
	step.Expect = []automation.Expectation{{Kind: "text", Text: "done"}}
	tools := own(t, func(ctx context.Context, c *replayer.Call) error { return c.Do(ctx, step) }, "")
	page := browsertest.Page(t, b.URL)
	person := &approver{yes: true}
	_, err := replayer.Play(t.Context(), page, owned(t, b.URL, tools, `{"tool":"acme.x"}`), &replayer.Options{Tools: tools, Person: person, Timeout: 5 * time.Second})
	if got := b.all(); err != nil || len(got) != 1 || len(person.asked) != 1 {
		t.Errorf("%v, %v arrived, and %+v was asked", err, got, person.asked)
	}
}

func TestAToolThatCommitsIsDoneOnce(t *testing.T) {
	t.Parallel()
	s := startTill(t, byFetch)
	tools := own(t, func(ctx context.Context, c *replayer.Call) error { return c.Do(ctx, on("click", "#pay")) }, automation.Commit)
	page := browsertest.Page(t, s.URL)
	_, err := replayer.Play(t.Context(), page, owned(t, s.URL, tools, `{"tool":"acme.x"}`), &replayer.Options{Tools: tools, Commit: replayer.AllowCommits, Timeout: 2 * time.Second})
	if err != nil || s.orders.Load() != 1 {
		t.Errorf("%v, %d", err, s.orders.Load())
	}
}

func TestAToolGoesOnAfterAPersonHadThePage(t *testing.T) {
	t.Parallel()
	server := serve(t, `<button id=y onclick="document.title='y'">y</button>`)
	tools := own(t, func(ctx context.Context, c *replayer.Call) error {
		if err := c.Do(ctx, automation.Step{Tool: "handoff", Args: json.RawMessage(`{"reason":"captcha"}`)}); err != nil {
			return err
		}
		return c.Do(ctx, on("click", "#y"))
	}, "")
	page := browsertest.Page(t, server.URL)
	_, err := replayer.Play(t.Context(), page, owned(t, server.URL, tools, `{"tool":"acme.x"}`), &replayer.Options{Tools: tools, Person: &approver{}, Timeout: 2 * time.Second})
	if got := page.Rod().MustEval(`() => document.title`).Str(); err == nil && got != "y" {
		t.Errorf("done, and the rest of the tool was never called")
	}
}

func TestWhatAToolGivesHoldsNoSecret(t *testing.T) {
	t.Parallel()
	server := serve(t, `<input id=a type=password>`)
	tools := own(t, func(ctx context.Context, c *replayer.Call) error {
		c.Output("m", map[string]any{"t": "hunter2222"})
		c.Output("l", []string{"hunter2222"})
		return nil
	}, "")
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},"variables":{"type":"object","properties":{"pass":{"type":"string","writeOnly":true}},"required":["pass"]},"steps":[{"tool":"acme.x"}]}`, server.URL[len("http://"):]+"/*"), tools.Parsing())
	if err != nil {
		t.Fatal(err)
	}
	page := browsertest.Page(t, server.URL)
	r, err := replayer.Play(t.Context(), page, a, &replayer.Options{Tools: tools, Values: replayer.Map{"pass": "hunter2222"}})
	if strings.Contains(fmt.Sprint(r.Outputs), "hunter") {
		t.Error(r.Outputs, err)
	}
}

func TestASessionFillsFormsWithVariables(t *testing.T) {
	t.Parallel()
	server := serve(t, `<input id=a>`)
	page := browsertest.Page(t, server.URL)
	session := replayer.Begin(page, &replayer.Options{Values: replayer.Map{"who": "ada"}, Timeout: 2 * time.Second})
	defer session.Close()
	_, err := session.Do(t.Context(), automation.Step{Tool: "fillForm", Args: json.RawMessage(`{"fields":[{"selector":"#a","value":{"kind":"variable","name":"who"}}]}`)})
	if err != nil {
		t.Error(err)
	}
}

func TestAProgramsOwnToolsAreCalledLikeTheOthers(t *testing.T) {
	t.Parallel()
	server := serve(t, `<input id=a>`)
	own, err := replayer.NewTools(replayer.Tool{
		Name: "acme.greet", Schema: json.RawMessage(`{"type":"object","properties":{"who":{"type":"string"}},"required":["who"]}`),
		Do: func(ctx context.Context, c *replayer.Call) error {
			var args struct{ Who string }
			if err := json.Unmarshal(c.Args(), &args); err != nil {
				return err
			}
			text, err := json.Marshal("Hello " + args.Who)
			if err != nil {
				return err
			}
			step := automation.Step{Tool: "typeInput", Value: &automation.Value{Kind: automation.Literal, Value: text}}
			if err := step.Selector.UnmarshalJSON([]byte(`"#a"`)); err != nil {
				return err
			}
			c.Output("greeted", args.Who)
			return c.Do(ctx, step)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	parse := func(args string) *automation.Automation {
		a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},"steps":[{"tool":"acme.greet","args":%s},{"tool":"assert","selector":"#a","value":{"kind":"literal","value":"Hello Ada"}}]}`, server.URL[len("http://"):]+"/*", args), automation.AnyTools())
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	page := browsertest.Page(t, server.URL)
	result, err := replayer.Play(t.Context(), page, parse(`{"who":"Ada"}`), &replayer.Options{Tools: own, Timeout: 5 * time.Second})
	if err != nil || result.Outputs["greeted"] != "Ada" || result.Steps[0].Effect != automation.Write {
		t.Errorf("%+v, %v", result, err)
	}
	_, err = replayer.Play(t.Context(), page, parse(`{"whom":"Ada"}`), &replayer.Options{Tools: own})
	wantCode(t, err, replayer.Refused, -1)
	_, err = replayer.Play(t.Context(), page, parse(`{"who":"Ada"}`), nil)
	wantCode(t, err, replayer.Refused, -1)
}

// portless puts a server's port where a test leaves it out.
func portless(url, steps string) string {
	return strings.ReplaceAll(steps, `"127.0.0.1/`, fmt.Sprintf(`"%s/`, url[len("http://"):]))
}

// automations are some, by name.
type automations map[string]*automation.Automation

func (all automations) Get(_ context.Context, name, _ string) (*automation.Automation, error) {
	if a := all[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("there is no %q", name)
}

func TestAnAutomationPlaysAnother(t *testing.T) {
	t.Parallel()
	server := serve(t, `<input id=who><button id=go onclick="document.title=who.value">Go</button>`)
	greet, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"greet","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"who":{"type":"string"}},"required":["who"]},
		"steps":[{"tool":"typeInput","selector":"#who","value":{"kind":"variable","name":"who"}},{"tool":"extract","selector":"#who","args":{"as":"typed"}}]}`, server.URL[len("http://"):]+"/*"))
	if err != nil {
		t.Fatal(err)
	}
	page := browsertest.Page(t, server.URL)
	a := document(t, server.URL, `{"tool":"run","args":{"name":"greet","values":{"who":{"kind":"literal","value":"Ada"}}}}, {"tool":"click","selector":"#go"}`)
	all := automations{"greet": greet, "loop": document(t, server.URL, `{"tool":"run","args":{"name":"loop"}}`)}
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Automations: all, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if title := page.Rod().MustEval(`() => document.title`).Str(); title != "Ada" || result.Outputs["typed"] != "Ada" {
		t.Errorf("it gave %q and %v", title, result.Outputs)
	}
	var played []string
	for _, step := range result.Steps[0].Steps {
		played = append(played, step.Tool)
	}
	if !slices.Equal(played, []string{"typeInput", "extract"}) || len(result.Steps) != 2 {
		t.Errorf("of the automation within, it tells %q: %+v", played, result.Steps)
	}
	_, err = replayer.Play(t.Context(), page, all["loop"], &replayer.Options{Automations: all})
	wantCode(t, err, replayer.Refused, 0)
	_, err = replayer.Play(t.Context(), page, a, nil)
	wantCode(t, err, replayer.Refused, 0)
}

func TestWhatANestedRunHasSentIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"later gone", "uncertain"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := startTill(t, byForm)
			inner := document(t, s.URL, fmt.Sprintf(`{"tool":"navigate","url":"%s/"},{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"%s/thanks"},{"tool":"click","selector":"#gone"}`, s.URL, s.URL[len("http://"):]))
			if kind == "uncertain" {
				s.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
			}
			outer := document(t, s.URL, `{"tool":"run","args":{"name":"inner"}}`)
			page := browsertest.Page(t, s.URL)
			o := replayer.Options{Commit: replayer.AllowCommits, Timeout: 1500 * time.Millisecond, Automations: automations{"inner": inner}}
			_, err := replayer.Play(t.Context(), page, outer, &o)
			var e *replayer.Error
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			o.Resume = e.Resume
			if _, err = replayer.Play(t.Context(), page, outer, &o); err == nil {
				t.Error("what could not be found before was found")
			}
			if n := s.orders.Load(); n != 1 {
				t.Errorf("%d orders", n)
			}
			if e.Code == replayer.Uncertain {
				if _, err := replayer.ResolveUncertain(e.Resume, true); err != nil {
					t.Errorf("cannot be resolved: %v", err)
				}
			}
		})
	}
}

// What a nested run has paid stays noted although something later failed in it.
func TestWhatANestedRunHadDoneIsToldWhereItFails(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	all := automations{
		"pays":   document(t, s.URL, fmt.Sprintf(`{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"%s/thanks"},{"tool":"click","selector":"#gone"}`, s.URL[len("http://"):])),
		"before": document(t, s.URL, `{"tool":"waitFor","selector":"#pay"},{"tool":"run","args":{"name":"pays"}}`),
	}
	outer := document(t, s.URL, `{"tool":"run","args":{"name":"before"}}`)
	_, err := replayer.Play(t.Context(), browsertest.Page(t, s.URL), outer, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 1500 * time.Millisecond, Automations: all})
	e := wantCode(t, err, replayer.NotFound, 0)
	if len(e.Steps) != 2 || e.Steps[0].Tool != "waitFor" || e.Steps[1].Tool != "run" || len(e.Steps[1].Steps) != 2 || e.Steps[1].Steps[0].Effect != automation.Commit {
		t.Errorf("it tells of %+v, want what was looked at, and what was paid", e.Steps)
	}
}

func TestTheSecretsOfANestedRunStaySecret(t *testing.T) {
	t.Parallel()
	server := serve(t, `<input id=p type=password oninput="e.textContent=this.value"><p id=e>`)
	here := server.URL[len("http://"):] + "/*"
	inner, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"inner","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"pass":{"type":"string","writeOnly":true}},"required":["pass"]},"steps":[
		{"tool":"typeInput","selector":"#p","value":{"kind":"variable","name":"pass"}}]}`, here))
	if err != nil {
		t.Fatal(err)
	}
	outer := document(t, server.URL, `{"tool":"run","args":{"name":"inner"}},{"tool":"extract","selector":"#e","args":{"as":"e"}}`)
	page := browsertest.Page(t, server.URL)
	result, err := replayer.Play(t.Context(), page, outer, &replayer.Options{Values: replayer.Map{"pass": "hunter2222"}, Automations: automations{"inner": inner}, Timeout: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(fmt.Sprint(result.Outputs), "hunter") {
		t.Errorf("%v", result.Outputs)
	}
}

func TestDialogsAreAnsweredAfterANestedRunToo(t *testing.T) {
	t.Parallel()
	server := serve(t, `<button id=a>a</button><button id=b onclick="document.title=confirm('?')">b</button>`)
	inner := document(t, server.URL, `{"tool":"click","selector":"#a"}`)
	outer := document(t, server.URL, `{"tool":"run","args":{"name":"inner"}},{"tool":"dialog","args":{"accept":true}},{"tool":"click","selector":"#b"}`)
	page := browsertest.Page(t, server.URL)
	if _, err := replayer.Play(t.Context(), page, outer, &replayer.Options{Automations: automations{"inner": inner}, Timeout: 3 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if got := page.Rod().MustEval(`() => document.title`).Str(); got != "true" {
		t.Errorf("the dialog was answered %q", got)
	}
}

func TestADryRunEndsWithinANestedOne(t *testing.T) {
	t.Parallel()
	s := startTill(t, byFetch+`<button id=w onclick="document.title='written'">w</button>`)
	inner := document(t, s.URL, `{"tool":"click","selector":"#pay"}`)
	outer := document(t, s.URL, `{"tool":"run","args":{"name":"inner"}},{"tool":"click","selector":"#w"}`)
	page := browsertest.Page(t, s.URL)
	r, err := replayer.Play(t.Context(), page, outer, &replayer.Options{DryRun: true, Automations: automations{"inner": inner}, Timeout: 3 * time.Second})
	if got := page.Rod().MustEval(`() => document.title`).Str(); got == "written" {
		t.Errorf("the dry run went on after the commit: %+v %v", r.Steps, err)
	}
}
