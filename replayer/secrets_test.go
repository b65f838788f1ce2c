package replayer_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

func TestEveryFormOfASecretIsTakenOut(t *testing.T) {
	t.Parallel()
	const canary = `Tr0ub"<4d or&3!`
	server := serve(t, `<input id=p type=password><p id=a></p><p id=b></p><p id=c></p><script>
		p.oninput = () => { const v = p.value;
			history.replaceState(0, "", "/" + encodeURIComponent(v));
			a.textContent = encodeURIComponent(v); b.textContent = JSON.stringify({v}); 
			const d = document.createElement("div"); d.textContent = v; c.textContent = d.innerHTML; }</script>`)
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"pass":{"type":"string","writeOnly":true}},"required":["pass"]},"steps":[
		{"tool":"typeInput","selector":"#p","value":{"kind":"variable","name":"pass"}},
		{"tool":"extract","selector":"#a","args":{"as":"url"}},
		{"tool":"extract","selector":"#b","args":{"as":"json"}},
		{"tool":"extract","selector":"#c","args":{"as":"html"}},
		{"tool":"click","selector":"#gone"}]}`, server.URL[len("http://"):]+"/*"))
	if err != nil {
		t.Fatal(err)
	}
	page := browsertest.Page(t, server.URL)
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Values: replayer.Map{"pass": canary}, Timeout: time.Second})
	var e *replayer.Error
	errors.As(err, &e)
	data, _ := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(e.Resume, "r1."))
	given := map[string]string{"token": string(data), "url": result.URL, "err": err.Error()}
	for k, v := range result.Outputs {
		given["out "+k] = fmt.Sprint(v)
	}
	for k, v := range given {
		if strings.Contains(v, "Tr0ub") {
			t.Errorf("%s: %s", k, v)
		}
	}
}

// What signs a user in may be repeated by a page although it was never typed.
func TestWhatTheCallerKnowsIsTakenOut(t *testing.T) {
	t.Parallel()
	const canary = `token"<4711 of`
	server := serve(t, `<p id=a></p><button id=pay>Pay</button><script>a.textContent = pay.textContent = 'token"<4711 of'; pay.prepend("Pay "); history.replaceState(0, "", "/" + encodeURIComponent(a.textContent))</script>`)
	secret, err := automation.NewSecret(canary)
	if err != nil {
		t.Fatal(err)
	}
	a := document(t, server.URL, `{"tool":"extract","selector":"#a","args":{"as":"a"}},{"tool":"click","selector":"#pay"}`)
	result, err := replayer.Play(t.Context(), browsertest.Page(t, server.URL), a, &replayer.Options{Redact: []automation.Secret{secret}})
	var e *replayer.Error
	if !errors.As(err, &e) || e.Code != replayer.Refused {
		t.Fatalf("it ended with %v", err)
	}
	data, _ := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(e.Resume, "r1."))
	if said := fmt.Sprint(result.Outputs, result.URL, err, string(data)); strings.Contains(said, "4711") || strings.Count(said, "[secret]") < 3 {
		t.Errorf("it tells %s", said)
	}
}

// What a page makes of a secret after it was typed is in nothing that a run returns or
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

// canary is a password that stands in no other text.
const canary = "Hg7!kQ2z-Tm9xPw4"

// lone is a session in a page with the canary, bound to the page's origin, as a value.
type lone struct {
	t *testing.T
	*replayer.Session
}

func openLone(t *testing.T, server *httptest.Server, o *replayer.Options) lone {
	t.Helper()
	secret, err := automation.NewSecret(canary, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if o == nil {
		o = &replayer.Options{}
	}
	o.Values, o.Timeout, o.Commit = replayer.Map{"password": secret}, 2*time.Second, replayer.AllowCommits
	s := replayer.Begin(browsertest.Page(t, server.URL), o)
	t.Cleanup(s.Close)
	return lone{t, s}
}

func (s lone) do(step automation.Step) error {
	_, err := s.Do(s.t.Context(), step)
	return err
}

func (s lone) must(step automation.Step) {
	s.t.Helper()
	if err := s.do(step); err != nil {
		s.t.Fatal(err)
	}
}

// refuses reports the reason for which a step is refused.
func (s lone) refuses(step automation.Step) string {
	s.t.Helper()
	var e *replayer.Error
	if err := s.do(step); !errors.As(err, &e) || e.Code != replayer.Refused {
		s.t.Fatalf("%s returned %v, want refused", step.Tool, err)
	}
	return e.Reason
}

func typed(selector string) automation.Step {
	step := on("typeInput", selector)
	step.Value = &automation.Value{Kind: automation.Variable, Name: "password"}
	return step
}

func key(name string) automation.Step { return automation.Step{Tool: "keypress", Key: name} }

func TestALoneCallTypesASecretOnlyIntoAFieldForOne(t *testing.T) {
	t.Parallel()
	server := serve(t, `<input id=note><input id=pin type=password><input id=code autocomplete=one-time-code><textarea id=other></textarea>`)
	s := openLone(t, server, nil)
	s.refuses(typed("#note"))
	s.refuses(typed("#other"))
	s.must(typed("#pin"))
	s.must(typed("#code"))

	recorded := openLone(t, server, &replayer.Options{SecretFields: func(_ context.Context, address, variable string) ([]automation.Step, error) {
		if !strings.HasPrefix(address, server.URL) || variable != "password" {
			return nil, fmt.Errorf("asked for %s on %s", variable, address)
		}
		return []automation.Step{typed("#note")}, nil
	}})
	recorded.must(typed("#note"))
	recorded.refuses(typed("#other"))
}

func TestKeysThatEditOrCopyASecretAreRefused(t *testing.T) {
	t.Parallel()
	server := serve(t, `<form onsubmit="document.title='sent';return false"><input id=p type=password oninput="this.type='text'"></form>`)
	s := openLone(t, server, nil)
	s.must(typed("#p"))
	for _, name := range []string{"Home", "Delete", "Backspace", "ArrowLeft", "Shift+End", "Control+a", "Control+c", "Control+Insert", "Shift+Delete", "Control+z", "x"} {
		if why := s.refuses(key(name)); strings.Contains(why, canary) {
			t.Errorf("%s: %s", name, why)
		}
	}
	s.must(key("Enter"))
	shot, err := s.Snapshot(t.Context(), "", 0)
	if err != nil || shot.Title != "sent" || strings.Contains(shot.Outline, canary[:6]) {
		t.Errorf("%v, %+v", err, shot)
	}
}

func TestNothingIsPastedAtAnotherOriginOnceASecretWasTyped(t *testing.T) {
	t.Parallel()
	server := serve(t, `<input id=p type=password>`)
	other := serve(t, `<input id=q autofocus>`)
	s := openLone(t, server, nil)
	s.must(typed("#p"))
	s.must(automation.Step{Tool: "navigate", URL: other.URL})
	s.must(on("click", "#q"))
	for _, name := range []string{"Control+v", "Shift+Insert", "Meta+v", "Control+Shift+v"} {
		s.refuses(key(name))
	}
	s.must(key("x"))
}

func TestARightGuessIsRefusedLikeAWrongOne(t *testing.T) {
	t.Parallel()
	server := serve(t, `<input id=p type=password oninput="echo.textContent=echo.title=this.value"><p id=echo></p><button id=b>b</button>`)
	s := openLone(t, server, nil)
	s.must(typed("#p"))
	for _, of := range []string{`#echo[title^="%s"]`, `xpath///p[starts-with(., "%s")]`, "text/%s", "aria/%s"} {
		reasons := map[string]bool{}
		for _, guess := range []string{canary[:3], "zzz"} {
			reasons[s.refuses(on("waitFor", fmt.Sprintf(of, guess)))] = true
		}
		if len(reasons) != 1 {
			t.Errorf("%s: %v", of, reasons)
		}
	}
	compared := on("assert", "#echo")
	compared.Value = &automation.Value{Kind: automation.Literal, Value: json.RawMessage(`"zzz"`)}
	s.refuses(compared)
	s.must(on("click", "#b"))
}
