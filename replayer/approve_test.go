package replayer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

func TestAStepAsksForWhatThePageShows(t *testing.T) {
	t.Parallel()
	server := serve(t, `<b id=to>Meadow Water</b><i id=sum>€42.00</i>`)
	page := browsertest.Page(t, server.URL)
	a := document(t, server.URL, `{"tool":"approve","args":{"payee":"#to","amount":"#sum","currency":"EUR"}}`)
	_, err := replayer.Play(t.Context(), page, a, nil)
	wantCode(t, err, replayer.Refused, 0)
	yes := &somebody{yes: true}
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Person: yes, Timeout: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if len(yes.asked) != 1 || yes.asked[0].Payee != "Meadow Water" || yes.asked[0].Amount != "€42.00" || yes.asked[0].Currency != "EUR" || yes.asked[0].Origin != server.URL {
		t.Errorf("asked for %+v", yes.asked)
	}
	moving := &somebody{yes: true, before: func() { page.Rod().MustEval(`() => { document.getElementById("sum").textContent = "€4200.00" }`) }}
	_, err = replayer.Play(t.Context(), page, a, &replayer.Options{Person: moving, Timeout: 5 * time.Second})
	wantCode(t, err, replayer.Refused, 0)
	elsewhere := document(t, server.URL, `{"tool":"approve","args":{"origin":"https://bank.example"}}`)
	_, err = replayer.Play(t.Context(), page, elsewhere, &replayer.Options{Person: yes})
	wantCode(t, err, replayer.Refused, 0)
}

func TestARunEndsWithWhomItIsFor(t *testing.T) {
	t.Parallel()
	server := serve(t, `<p id=who>Hello, ADA@example.com!</p>`)
	page := browsertest.Page(t, server.URL)
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"email":{"type":"string"}},"required":["email"]},
		"identity":{"selector":"#who","value":{"kind":"variable","name":"email"}},
		"steps":[{"tool":"waitFor","selector":"#who"}]}`, server.URL[len("http://"):]+"/*"))
	if err != nil {
		t.Fatal(err)
	}
	for email, ok := range map[string]bool{"ada@example.com": true, "grace@example.com": false} {
		_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Values: replayer.Map{"email": email}, Timeout: 5 * time.Second})
		if ok && err != nil {
			t.Errorf("%s: %v", email, err)
		} else if !ok {
			wantCode(t, err, replayer.OutOfScope, -1)
		}
	}
}

// What a page makes of a secret after it was typed is in nothing that a run gives or
// logs, however the run ends.
func TestNothingThatARunGivesHoldsItsSecrets(t *testing.T) {
	t.Parallel()
	const canary = `cana"ry+ <&>/42`
	server := serve(t, `<input id=p type=password><button id=go>Go</button><script>
		p.oninput = () => {
			const v = p.value;
			document.title = v;
			history.replaceState(0, "", "/" + encodeURIComponent(v) + "?q=" + encodeURIComponent(v) + "#" + v);
			go.className = v.replaceAll(" ", "-"); go.textContent = v; console.log(v);
			const cover = document.createElement("div");
			cover.id = v; cover.style = "position:fixed;inset:0"; cover.title = btoa(v); cover.textContent = v;
			document.body.append(cover);
		}</script>`)
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"pass":{"type":"string","writeOnly":true}},"required":["pass"]},"steps":[
		{"tool":"typeInput","selector":"#p","value":{"kind":"variable","name":"pass"}},
		{"tool":"extract","selector":"#go","args":{"as":"said"}},
		{"tool":"extract","selector":"div","args":{"as":"title","attribute":"title"}},
		{"tool":"click","selector":"#go","alternatives":["text/Go"]}]}`, server.URL[len("http://"):]+"/*"))
	if err != nil {
		t.Fatal(err)
	}
	page := browsertest.Page(t, server.URL)
	var log bytes.Buffer
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{
		Values: replayer.Map{"pass": canary}, Timeout: time.Second, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	var e *replayer.Error
	if !errors.As(err, &e) {
		t.Fatalf("the covered button was pressed: %v", err)
	}
	given := fmt.Sprintf("%+v\n%+v\n%v\n%s", result, *e, err, log.String())
	if len(result.Outputs) != 2 {
		t.Fatalf("it read %v", result.Outputs)
	}
	for _, form := range []string{canary, "cana", "Y2FuYS"} {
		if i := strings.Index(given, form); i >= 0 {
			t.Errorf("%q is in what the run gives: …%s…", form, given[max(0, i-80):min(len(given), i+80)])
		}
	}
}

func TestAPageIsNotTouchedByARunThatCannotBegin(t *testing.T) {
	t.Parallel()
	server := serve(t, `<input id=p oninput="document.title='touched'"><button id=b onclick="document.title='touched'">b</button>`)
	steps := `{"tool":"click","selector":"#b"},{"tool":"typeInput","selector":"#p","value":{"kind":"variable","name":"who"}}`
	parse := func(urls, steps string) *automation.Automation {
		a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},"variables":{"type":"object","properties":{"who":{"type":"string","maxLength":3}},"required":["who"]},"steps":[%s]}`, urls, steps), automation.AnyTools())
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	here := server.URL[len("http://"):] + "/*"
	for name, test := range map[string]struct {
		a      *automation.Automation
		values replayer.Map
		code   replayer.Code
	}{
		"a variable is missing":           {parse(here, steps), nil, replayer.InvalidValue},
		"a value does not fit":            {parse(here, steps), replayer.Map{"who": "long"}, replayer.InvalidValue},
		"the page is of another site":     {parse("example.com/*", steps), replayer.Map{"who": "ada"}, replayer.OutOfScope},
		"a later step is of another tool": {parse(here, steps+`,{"tool":"acme.fly","args":{}}`), replayer.Map{"who": "ada"}, replayer.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := browsertest.Page(t, server.URL)
			_, err := replayer.Play(t.Context(), page, test.a, &replayer.Options{Values: test.values})
			wantCode(t, err, test.code, -1)
			if title := page.Rod().MustEval(`() => document.title`).Str(); title != "" {
				t.Error("the page was touched")
			}
		})
	}
}

// leaving is somebody who is still asked when the run is cancelled.
type leaving struct{ cancel context.CancelCauseFunc }

func (l leaving) Approve(ctx context.Context, _ replayer.Approval) (bool, error) {
	l.cancel(errors.New("they went home"))
	return true, nil
}

func (l leaving) TakeOver(ctx context.Context, _ replayer.Handoff) error {
	l.cancel(errors.New("they went home"))
	return errors.New("interrupted")
}

func TestARunThatIsCancelledWhileSomebodyIsAskedIsCancelled(t *testing.T) {
	t.Parallel()
	server := serve(t, `<b id=to>Meadow Water</b>`)
	page := browsertest.Page(t, server.URL)
	for _, step := range []string{`{"tool":"approve","args":{"payee":"#to"}}`, `{"tool":"handoff"}`} {
		ctx, cancel := context.WithCancelCause(t.Context())
		_, err := replayer.Play(ctx, page, document(t, server.URL, step), &replayer.Options{Person: leaving{cancel}, Timeout: 5 * time.Second})
		wantCode(t, err, replayer.Cancelled, 0)
	}
}
