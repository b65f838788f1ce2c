package replayer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

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
