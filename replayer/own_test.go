package replayer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
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
	_, err := replayer.Play(t.Context(), page, owned(t, server.URL, tools, `{"tool":"acme.x"}`), &replayer.Options{Tools: tools, Person: &somebody{}, Timeout: 2 * time.Second})
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
