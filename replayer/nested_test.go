package replayer_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

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
				if _, err := replayer.Settle(e.Resume, true); err != nil {
					t.Errorf("cannot be settled: %v", err)
				}
			}
		})
	}
}

// What a nested run has paid is not forgotten because something later failed in it.
func TestWhatANestedRunHadDoneIsToldWhereItFails(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	all := automations{
		"pays":   document(t, s.URL, fmt.Sprintf(`{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"%s/thanks"},{"tool":"click","selector":"#gone"}`, s.URL[len("http://"):])),
		"before": document(t, s.URL, `{"tool":"waitFor","selector":"#pay"},{"tool":"run","args":{"name":"pays"}}`),
	}
	outer := document(t, s.URL, `{"tool":"run","args":{"name":"before"}}`)
	_, err := replayer.Play(t.Context(), browsertest.Page(t, s.URL), outer, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 1500 * time.Millisecond, Automations: all})
	e := wantCode(t, err, replayer.Gone, 0)
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
