package replayer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

func TestLooksAndWaitsHoldThePageToItsState(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		html, steps string
		code        replayer.Code // "" where it ends well
	}{
		"visible, later":                   {`<p id=a hidden>Hi</p><script>setTimeout(() => a.hidden = false, 100)</script>`, `{"tool":"waitFor","selector":"#a"}`, ""},
		"visible, never":                   {`<p id=a hidden>Hi</p>`, `{"tool":"waitFor","selector":"#a"}`, replayer.Timeout},
		"attached, though hidden":          {`<p id=a hidden>Hi</p>`, `{"tool":"waitFor","selector":"#a","args":{"state":"attached"}}`, ""},
		"hidden, later":                    {`<p id=a>Hi</p><script>setTimeout(() => a.hidden = true, 100)</script>`, `{"tool":"waitFor","selector":"#a","args":{"state":"hidden"}}`, ""},
		"hidden, never":                    {`<p id=a>Hi</p>`, `{"tool":"waitFor","selector":"#a","args":{"state":"hidden"}}`, replayer.Timeout},
		"detached, later":                  {`<p id=a>Hi</p><script>setTimeout(() => a.remove(), 100)</script>`, `{"tool":"waitFor","selector":"#a","args":{"state":"detached"}}`, ""},
		"detached, only hidden":            {`<p id=a hidden>Hi</p>`, `{"tool":"waitFor","selector":"#a","args":{"state":"detached"}}`, replayer.Timeout},
		"enabled, later":                   {`<button id=a disabled>Go</button><script>setTimeout(() => a.disabled = false, 100)</script>`, `{"tool":"waitFor","selector":"#a","args":{"state":"enabled"}}`, ""},
		"editable":                         {`<input id=a>`, `{"tool":"assert","selector":"#a","args":{"state":"editable"}}`, ""},
		"read-only":                        {`<input id=a readonly>`, `{"tool":"assert","selector":"#a","args":{"state":"editable"}}`, replayer.Changed},
		"checked":                          {`<input id=a type=checkbox checked>`, `{"tool":"assert","selector":"#a","args":{"state":"checked"}}`, ""},
		"unchecked, but it is":             {`<input id=a type=checkbox checked>`, `{"tool":"assert","selector":"#a","args":{"state":"unchecked"}}`, replayer.Changed},
		"a text anywhere":                  {`<p>All of it</p>`, `{"tool":"waitFor","args":{"text":"All of it"}}`, ""},
		"a text in an element":             {`<p id=a>…</p><script>setTimeout(() => a.textContent = "all is done now", 100)</script>`, `{"tool":"waitFor","selector":"#a","args":{"text":"is  done"}}`, ""},
		"all that an element says":         {`<p id=a>Total:  <b>12 €</b></p>`, `{"tool":"assert","selector":"#a","value":{"kind":"literal","value":"Total: 12 €"}}`, ""},
		"not all that it says":             {`<p id=a>Total: 12 €</p>`, `{"tool":"assert","selector":"#a","value":{"kind":"literal","value":"12 €"}}`, replayer.Changed},
		"a part of what it says":           {`<p id=a>Total: 12 €</p>`, `{"tool":"assert","selector":"#a","value":{"kind":"literal","value":"12 €"},"args":{"compare":"contains"}}`, ""},
		"something else":                   {`<p id=a>Total: 12 €</p>`, `{"tool":"assert","selector":"#a","value":{"kind":"literal","value":"Total: 13 €"},"args":{"compare":"not"}}`, ""},
		"not something else":               {`<p id=a>Total: 12 €</p>`, `{"tool":"assert","selector":"#a","value":{"kind":"literal","value":"Total: 12 €"},"args":{"compare":"not"}}`, replayer.Changed},
		"an attribute":                     {`<a id=a href="/x" title="To x">x</a>`, `{"tool":"assert","selector":"#a","value":{"kind":"literal","value":"To x"},"args":{"attribute":"title"}}`, ""},
		"the value of a field":             {`<input id=a value="Ada">`, `{"tool":"assert","selector":"#a","value":{"kind":"literal","value":"Ada"},"args":{"attribute":"value"}}`, ""},
		"the option that is chosen":        {`<select id=a><option value=1>One<option value=2 selected>Two</select>`, `{"tool":"assert","selector":"#a","value":{"kind":"literal","value":"Two"},"args":{"attribute":"label"}}`, ""},
		"what is not there":                {`<p>nothing`, `{"tool":"assert","selector":"#a"}`, replayer.NotFound},
		"a secret field":                   {`<input id=a type=password value="hunter22">`, `{"tool":"assert","selector":"#a","value":{"kind":"literal","value":"hunter22"},"args":{"attribute":"value"}}`, replayer.Refused},
		"the address":                      {`<p>x`, `{"tool":"assert","url":"127.0.0.1/"}`, ""},
		"another address":                  {`<p>x`, `{"tool":"assert","url":"127.0.0.1/else"}`, replayer.Timeout},
		"an address that is reached later": {`<p>x<script>setTimeout(() => history.pushState(0, "", "/later"), 100)</script>`, `{"tool":"waitFor","url":"127.0.0.1/later"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, test.html)
			a := document(t, server.URL, portless(server.URL, test.steps))
			page := browsertest.Page(t, server.URL+"/")
			timeout := 10 * time.Second
			if test.code != "" {
				timeout = time.Second
			}
			_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Timeout: timeout})
			if test.code == "" && err != nil {
				t.Fatal(err)
			}
			if test.code != "" {
				wantCode(t, err, test.code, 0)
			}
		})
	}
}

func TestWhatIsExtractedIsGivenToTheCallerWithoutSecrets(t *testing.T) {
	t.Parallel()
	server := serve(t, `<b id=total>Total: <i>12 €</i></b><a id=link href="/next">x</a><ul><li>one<li>two</ul>
		<input id=p type=password oninput="echo.textContent='you typed '+this.value"><p id=echo>nothing</p>`)
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"pass":{"type":"string","writeOnly":true}},"required":["pass"]},"steps":[
		{"tool":"extract","selector":"#total","args":{"as":"total"}},
		{"tool":"extract","selector":"#link","args":{"as":"link","attribute":"href"}},
		{"tool":"extract","selector":"li","args":{"as":"items","all":true}},
		{"tool":"typeInput","selector":"#p","value":{"kind":"variable","name":"pass"}},
		{"tool":"extract","selector":"#echo","args":{"as":"echo"}}]}`, server.URL[len("http://"):]+"/*"))
	if err != nil {
		t.Fatal(err)
	}
	page := browsertest.Page(t, server.URL)
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Values: replayer.Map{"pass": "hunter22"}, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"total": "Total: 12 €", "link": "/next", "items": []any{"one", "two"}, "echo": "you typed [secret]"}
	if diff := cmp.Diff(want, result.Outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
}

func TestAReplyOfTheServerIsWaitedFor(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/save" {
			<-release
			w.WriteHeader(http.StatusCreated)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<button id=a onclick="fetch('/api/save?x=1', {method: 'POST'})">Save</button>`)
	}))
	t.Cleanup(server.Close)
	host := server.URL[len("http://"):]
	page := browsertest.Page(t, server.URL)
	step := func(status int) *automation.Automation {
		return document(t, server.URL, fmt.Sprintf(`{"tool":"click","selector":"#a","expect":[{"kind":"response","method":"POST","url":"%s/api/*","status":%d}]}`, host, status))
	}
	time.AfterFunc(200*time.Millisecond, func() { close(release) })
	if _, err := replayer.Play(t.Context(), page, step(201), &replayer.Options{Timeout: 10 * time.Second}); err != nil {
		t.Error(err)
	}
	select {
	case <-release:
	default:
		t.Error("it did not wait for the reply")
	}
	_, err := replayer.Play(t.Context(), page, step(200), &replayer.Options{Timeout: time.Second})
	wantCode(t, err, replayer.Timeout, 0)
}

// A page that removes a token from its address has not gone anywhere, although the address that
// is waited for says nothing of the query.
func TestAPageThatRewritesItsQueryHasNotGoneOn(t *testing.T) {
	t.Parallel()
	server := serve(t, `<button id=on>Go on</button><p></p><script>
		const at = new URLSearchParams(location.search).get("at") ?? "first";
		document.querySelector("p").textContent = at;
		document.querySelector("#on").onclick = () => {
			history.replaceState(0, "", "?token");
			setTimeout(() => { location.href = "?at=second" }, 300);
		};
	</script>`)
	steps := `{"tool":"click","selector":"#on"},{"tool":"waitForNav","url":"HOST/"},{"tool":"extract","selector":"p","args":{"as":"at"}}`
	a := document(t, server.URL, strings.ReplaceAll(steps, "HOST", server.URL[len("http://"):]))
	result, err := replayer.Play(t.Context(), browsertest.Page(t, server.URL+"/"), a, nil)
	if err != nil || result.Outputs["at"] != "second" {
		t.Errorf("it went on at %v, %v, want at the second page", result.Outputs["at"], err)
	}
}

// Some applications open what an account used last. A run that has signed in goes on where it should;
// nothing else that led elsewhere is helped along so.
func TestOnlyASignInGoesOnByTheRecordedAddress(t *testing.T) {
	t.Parallel()
	const field = `<label>Password <input type=password name=p></label>`
	const both = `<label>User <input name=u></label>` + field + `<label><input type=checkbox name=r>Remember me</label>`
	for name, test := range map[string]struct {
		html string
		code replayer.Code // "" where it ends well
	}{
		"a sign-in":               {`<h1>Sign in</h1><form action=/elsewhere>` + both + `<button>Sign in</button></form>`, ""},
		"which it refuses":        {`<h1>Sign in</h1><form action=/again>` + both + `<button>Sign in</button></form>`, replayer.Blocked},
		"an order":                {`<h1>Delete your account</h1><form action=/elsewhere>` + field + `<button>Continue</button></form>`, replayer.Timeout},
		"a form with no password": {`<h1>Details</h1><form action=/elsewhere><input name=p><button>Continue</button></form>`, replayer.Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages := map[string]string{"/": test.html, "/elsewhere": "<h1>What is new</h1>", "/again": "<h1>Sign in</h1>" + field, "/there": "<button>Print</button>"}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, "<!doctype html>", pages[r.URL.Path])
			}))
			t.Cleanup(server.Close)
			a := document(t, server.URL, portless(server.URL, `{"tool":"typeInput","selector":"[name=p]","value":{"kind":"literal","value":"hunter22"}},
				{"tool":"click","selector":"button"},{"tool":"waitForNav","url":"127.0.0.1/there"},{"tool":"click","selector":"text/Print"}`))
			_, err := replayer.Play(t.Context(), browsertest.Page(t, server.URL+"/"), a, &replayer.Options{Timeout: 10 * time.Second, Commit: replayer.AllowCommits})
			if test.code == "" && err != nil {
				t.Error(err)
			} else if test.code != "" {
				wantCode(t, err, test.code, 2)
			}
		})
	}
}
