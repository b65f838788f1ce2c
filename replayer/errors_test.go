package replayer_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

func TestFailuresSayWhatWasTried(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		html, steps string
		code        replayer.Code
	}{
		"an element that is not there":        {`<p>nothing`, `{"tool":"click","selector":"#pay"}`, replayer.NotFound},
		"two that fit alike":                  {`<button>Pay</button><button>Pay</button>`, `{"tool":"click","selector":"text/Pay"}`, replayer.Ambiguous},
		"a disabled button":                   {`<button id=pay disabled>Pay</button>`, `{"tool":"click","selector":"#pay"}`, replayer.NotActionable},
		"a covered button":                    {`<button id=pay>Pay</button><div style="position:fixed;inset:0"></div>`, `{"tool":"click","selector":"#pay"}`, replayer.NotActionable},
		"a hidden button":                     {`<button id=pay style="display:none">Pay</button>`, `{"tool":"click","selector":"#pay"}`, replayer.NotFound},
		"a field that is read-only":           {`<input id=a readonly>`, `{"tool":"typeInput","selector":"#a","value":{"kind":"literal","value":"x"}}`, replayer.NotActionable},
		"an option that is not there":         {`<select id=a><option>x</select>`, `{"tool":"select","selector":"#a","value":{"kind":"literal","value":"y"}}`, replayer.NotActionable},
		"a date that is none":                 {`<input type=date id=a>`, `{"tool":"typeInput","selector":"#a","value":{"kind":"literal","value":"soon"}}`, replayer.InvalidValue},
		"a navigation that does not come":     {`<button id=pay>Next</button>`, `{"tool":"hover","selector":"#pay"},{"tool":"waitForNav","url":"127.0.0.1/done"}`, replayer.Timeout},
		"a frame that is not there":           {`<p>nothing`, `{"tool":"click","frame":["#f"],"selector":"#pay"}`, replayer.NotFound},
		"a checkbox that the page holds fast": {`<input type=checkbox id=a onclick="return false">`, `{"tool":"check","selector":"#a"}`, replayer.NotActionable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, test.html)
			a := document(t, server.URL, test.steps)
			page := browsertest.Page(t, server.URL+"/")
			_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: time.Second})
			e := wantCode(t, err, test.code, len(a.Steps)-1)
			if (test.code == replayer.NotFound || test.code == replayer.Ambiguous) && len(e.Tried) == 0 && a.Steps[0].Frame == nil {
				t.Errorf("%v does not say what was tried", err)
			}
		})
	}
}

// An address that cannot be loaded is of one kind, by a document and by a lone call.
func TestAnAddressThatCannotBeLoadedIsToldAsSuch(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	for name, test := range map[string]struct{ url, reason string }{
		"a name that does not resolve":     {"http://nowhere.invalid/?token=tk-1", "the name of the host does not resolve (net::ERR_NAME_NOT_RESOLVED)"},
		"a host that refuses":              {closed.URL + "/", "the host refuses the connection (net::ERR_CONNECTION_REFUSED)"},
		"a certificate that no one trusts": {secure.URL + "/", "the certificate of the host is not valid (net::ERR_CERT_AUTHORITY_INVALID)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := browsertest.Page(t, "")
			step := automation.Step{Tool: "navigate", URL: test.url}
			s := replayer.Begin(page, nil)
			_, err := s.Do(t.Context(), step)
			s.Close()
			e := wantCode(t, err, replayer.NavigationFailed, 0)
			if !strings.HasSuffix(e.Reason, test.reason) || strings.Contains(e.Reason, "tk-1") {
				t.Errorf("a lone call: %s", e.Reason)
			}
			a := document(t, "http://site.invalid", `{"tool":"navigate","url":"`+test.url+`"}`)
			_, err = replayer.Play(t.Context(), page, a, nil)
			if e = wantCode(t, err, replayer.NavigationFailed, 0); !strings.HasSuffix(e.Reason, test.reason) {
				t.Errorf("a document: %s", e.Reason)
			}
		})
	}
}

func TestABrowserThatDiesEndsTheRun(t *testing.T) {
	t.Parallel()
	server := serve(t, `<p>nothing`)
	b, err := browser.Launch(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	page, err := b.NewPage(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = replayer.Play(t.Context(), page, document(t, server.URL, `{"tool":"click","selector":"#never"}`), &replayer.Options{
		OnStart: func(int, automation.Step) { page.Target().Tree().Client().Send("", "Browser.crash", nil) },
	})
	e := wantCode(t, err, replayer.BrowserLost, 0)
	if !errors.Is(e, browser.ErrDisconnected) {
		t.Errorf("%v is not browser.ErrDisconnected", err)
	}
}

func TestAPageThatCrashesEndsTheRun(t *testing.T) {
	t.Parallel()
	server := serve(t, `<p>nothing`)
	page := browsertest.Page(t, server.URL)
	_, err := replayer.Play(t.Context(), page, document(t, server.URL, `{"tool":"click","selector":"#never"}`), &replayer.Options{
		OnStart: func(int, automation.Step) { page.Target().Send("Page.crash", nil) },
	})
	wantCode(t, err, replayer.BrowserLost, 0)
}

func TestTheCallersContextEndsTheRun(t *testing.T) {
	t.Parallel()
	server := serve(t, `<p>nothing`)
	page := browsertest.Page(t, server.URL)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the caller has thought better of it")
	_, err := replayer.Play(ctx, page, document(t, server.URL, `{"tool":"click","selector":"#never"}`), &replayer.Options{
		OnStart: func(int, automation.Step) { cancel(why) },
	})
	if e := wantCode(t, err, replayer.Cancelled, 0); !errors.Is(e, why) {
		t.Errorf("%v does not say why", err)
	}
}

func TestOptionalStepsAndConditions(t *testing.T) {
	t.Parallel()
	server := serve(t, `<button id=pay onclick="document.title='paid'">Next</button>`)
	a := document(t, server.URL, `
		{"tool":"click","selector":"#cookies","optional":true},
		{"tool":"click","selector":"#pay","when":{"selector":"#premium"}},
		{"tool":"click","selector":"#pay","when":{"url":"example.com/*"}},
		{"tool":"click","selector":"#pay","when":{"selector":"#pay"}}`)
	page := browsertest.Page(t, server.URL)
	result, err := replayer.Play(t.Context(), page, a, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range result.Steps {
		if skipped := s.Skipped != ""; skipped != (i < 3) {
			t.Errorf("step %d: skipped %q", i, s.Skipped)
		}
	}
}

func TestWhatIsInTheWayIsNamed(t *testing.T) {
	t.Parallel()
	const step = `{"tool":"click","selector":"#next"}`
	const widget = `<iframe src="https://newassets.hcaptcha.com/captcha/v1/x/static/hcaptcha.html" width=300 height=80></iframe>`
	for name, test := range map[string]struct {
		html   string
		code   replayer.Code
		reason string // of the suggested handoff
	}{
		"a check of the whole page":      {`<title>Just a moment...</title><p>Checking your browser`, replayer.Blocked, "captcha"},
		"a check within it":              {`<p>Are you human?</p>` + widget, replayer.Blocked, "captcha"},
		"a badge that checks unseen":     {`<p>x</p>` + strings.Replace(widget, "width=300 height=80", "width=70 height=60", 1), replayer.NotFound, "manual_recovery"},
		"a sign-in":                      {`<form><input name=user><input type=password></form>`, replayer.Blocked, "login"},
		"a sign-in by name first":        {`<form><input autocomplete="username webauthn"><input type=checkbox><input type=submit></form>`, replayer.Blocked, "login"},
		"a name among others":            {`<form><input autocomplete=username><input name=city></form>`, replayer.NotFound, "manual_recovery"},
		"a sign-in that no one sees":     {`<form hidden><input type=password></form><p>x`, replayer.NotFound, "manual_recovery"},
		"a one-time code":                {`<input autocomplete=one-time-code>`, replayer.Blocked, "2fa"},
		"a question for consent":         {`<button id=next>Next</button><div id=cookie-banner style="position:fixed;inset:0;background:#fff">We use cookies</div>`, replayer.Blocked, "permission"},
		"nothing but that it is missing": {`<p>nothing here`, replayer.NotFound, "manual_recovery"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, test.html)
			page := browsertest.Page(t, server.URL)
			_, err := replayer.Play(t.Context(), page, document(t, server.URL, step), &replayer.Options{Timeout: time.Second})
			e := wantCode(t, err, test.code, 0)
			if e.Suggestion == nil || e.Suggestion.Tool != "handoff_start" || e.Suggestion.Arguments["reason"] != test.reason {
				t.Errorf("%v suggests %+v, want a call for %s", e, e.Suggestion, test.reason)
			}
			if test.code == replayer.Blocked && !strings.Contains(e.Reason, "#next") && len(e.Tried) == 0 {
				t.Errorf("%v does not say what was tried", e)
			}
		})
	}
}
