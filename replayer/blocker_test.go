package replayer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/replayer"
)

// article is as much text as pages have that are there for something else.
var article = "<main><h1>Orders</h1>" + strings.Repeat("<p>Your parcel has left the depot, and is on its way to you. It comes between nine and noon.</p>", 12) + "</main>"

const checkFrame = `<iframe src="https://newassets.hcaptcha.com/captcha/v1/x/static/hcaptcha.html" width=300 height=80></iframe>`

// blockers are what keeps a page from being used, by the reason that a person is needed.
var blockers = map[string]struct {
	html   string
	reason automation.Reason
}{
	"a sign-in":                     {`<h1>Welcome back</h1><form><input name=user><input type=password><button>Go on</button></form>`, automation.ReasonLogin},
	"a sign-in by name first":       {`<form><input autocomplete="username webauthn"><button>Go on</button></form>`, automation.ReasonLogin},
	"a sign-in over the page":       {article + `<div role=dialog style="position:fixed;inset:10%;background:#fff"><form style="height:100%"><input name=user><input type=password></form></div>`, automation.ReasonLogin},
	"a sign-in that comes late":     {`<div id=at>…</div><script>setTimeout(() => { at.innerHTML = "<input name=user><input type=password>" }, 300)</script>`, automation.ReasonLogin},
	"a one-time code":               {`<h1>We have sent you a code</h1><input autocomplete=one-time-code>`, automation.Reason2FA},
	"a one-time code over the page": {article + `<dialog open style="position:fixed;inset:10%;width:80%;height:80%"><input autocomplete=one-time-code></dialog>`, automation.Reason2FA},
	"a check of the whole page":     {`<title>Just a moment...</title><p>Checking your browser`, automation.ReasonCaptcha},
	"a check of another kind":       {`<div id=px-captcha style="width:300px;height:80px">Press and hold</div>`, automation.ReasonCaptcha},
	"a check within the page":       {`<p>Are you human?</p>` + checkFrame, automation.ReasonCaptcha},
	"a question for consent":        {article + `<div id=cookie-banner style="position:fixed;inset:0;background:#fff">We use cookies</div>`, automation.ReasonPermission},
}

// muchTooLate is after how long a blocker was not noticed soon, on whatever machine: it takes less than two seconds on one
// that does nothing else, and eight where only the structure of the page tells.
const muchTooLate = 11 * time.Second

func TestABlockerIsNoticedBeforeTheTimeOfAStepIsOver(t *testing.T) {
	t.Parallel()
	for name, b := range blockers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, b.html)
			page := browsertest.Page(t, server.URL)
			a := document(t, server.URL, `{"tool":"click","selector":"#next"}`)
			const timeout = time.Minute
			began, soon := time.Now(), load.After(muchTooLate)
			_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Timeout: timeout})
			e := wantCode(t, err, replayer.Blocked, 0)
			if e.Suggestion == nil || e.Suggestion.Arguments["reason"] != string(b.reason) {
				t.Errorf("it suggests %+v, want a call for %s", e.Suggestion, b.reason)
			}
			took := time.Since(began)
			if t.Logf("%v", took); soon.Remaining() <= 0 {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// What is wanted comes after a while, and all the time there is something that only looks like a blocker.
func TestNoOneIsCalledForWhatOnlyLooksLikeABlocker(t *testing.T) {
	t.Parallel()
	for name, html := range map[string]string{
		"a sign-in at the top":          `<header><form><input name=user><input type=password></form></header>` + article,
		"a new password":                `<form><input type=password autocomplete=new-password><button>Change it</button></form>`,
		"a password to be changed":      `<form><input type=password><input type=password><button>Change it</button></form>`,
		"a sign-in that no one sees":    `<form hidden><input type=password></form><p>x`,
		"a name among other fields":     `<form><input autocomplete=username><input name=city></form>`,
		"a check in a form at the end":  article + `<form><textarea></textarea>` + checkFrame + `</form>`,
		"a badge that checks unseen":    `<p>x</p>` + strings.Replace(checkFrame, "width=300 height=80", "width=70 height=60", 1),
		"a banner at the edge":          article + `<div id=cookie-banner style="position:fixed;bottom:0;left:0;right:0;height:60px">We use cookies</div>`,
		"a letter for news":             article + `<form><input type=email placeholder="Your e-mail"><button>Subscribe</button></form>`,
		"a field for a code at the end": article + `<form><input autocomplete=one-time-code placeholder="Coupon"></form>`,
		"a sign-in for a moment":        `<div id=at><input name=user><input type=password></div><script>setTimeout(() => { at.innerHTML = "" }, 1100)</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, html+`<script>setTimeout(() => { document.body.insertAdjacentHTML("afterbegin", "<button id=next onclick='document.title = 1'>Next</button>") }, 3500)</script>`)
			page := browsertest.Page(t, server.URL)
			a := document(t, server.URL, `{"tool":"click","selector":"#next"}`)
			person := &approver{}
			if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Person: person, Timeout: time.Minute}); err != nil {
				t.Error(err)
			}
			if len(person.handed) > 0 {
				t.Errorf("it was handed over: %+v", person.handed)
			}
		})
	}
}

// What a server has refused is noticed by its status, in any language. Some sites serve their pages as not found.
func TestARefusedPageIsABlocker(t *testing.T) {
	t.Parallel()
	for status, isBlocked := range map[int]bool{http.StatusTooManyRequests: true, http.StatusServiceUnavailable: true, http.StatusNotFound: false} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				w.WriteHeader(status)
				_, _ = fmt.Fprint(w, `<h1>시스템 점검 안내</h1><button>다시 시도</button>`)
				if !isBlocked {
					_, _ = fmt.Fprint(w, comesLate)
				}
			}))
			t.Cleanup(server.Close)
			wrong := ""
			if isBlocked {
				wrong = notices(t, server, automation.ReasonOther)
			} else {
				wrong = callsNoOne(t, server)
			}
			if wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

// gated serves a page that wants someone to sign in until it is told that someone has.
func gated(t *testing.T) (server *httptest.Server, signIn string) {
	t.Helper()
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, err := r.Cookie("who")
		switch {
		case r.URL.Path == "/login":
			_, _ = fmt.Fprint(w, `<form><input name=user><input type=password></form>`)
		case err != nil:
			http.Redirect(w, r, "/login", http.StatusSeeOther)
		default:
			_, _ = fmt.Fprint(w, `<button id=next onclick="document.title = 'done'">Next</button>`)
		}
	}))
	t.Cleanup(server.Close)
	return server, `() => { document.cookie = "who=ada;path=/"; location.href = "/orders" }`
}

func TestAStepThatIsBlockedIsDoneAfterAPersonHasDealtWithIt(t *testing.T) {
	t.Parallel()
	server, signIn := gated(t)
	for name, steps := range map[string]string{
		"an element": `{"tool":"navigate","url":"%s/orders"},{"tool":"click","selector":"#next"}`,
		"an address": `{"tool":"navigate","url":"%[1]s/orders"},{"tool":"waitForNav","url":"%[1]s/orders"},{"tool":"click","selector":"#next"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := browsertest.Page(t, "")
			person := &approver{taking: func() { page.Rod().MustEval(signIn) }}
			a := document(t, server.URL, fmt.Sprintf(steps, server.URL))
			if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Person: person, Timeout: 20 * time.Second}); err != nil {
				t.Fatal(err)
			}
			if title := page.Rod().MustEval(`() => document.title`).Str(); title != "done" {
				t.Errorf("the title is %q", title)
			}
			if len(person.handed) != 1 || person.handed[0].Reason != automation.ReasonLogin || person.handed[0].Blocker == "" {
				t.Errorf("handed over %+v", person.handed)
			}
		})
	}
}

func TestAPersonIsAskedAgainWhileTheBlockerStands(t *testing.T) {
	t.Parallel()
	server, _ := gated(t)
	page := browsertest.Page(t, "")
	person := &approver{}
	a := document(t, server.URL, fmt.Sprintf(`{"tool":"navigate","url":"%s/orders"},{"tool":"click","selector":"#next"}`, server.URL))
	_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Person: person, Timeout: 20 * time.Second})
	wantCode(t, err, replayer.Blocked, 1)
	if len(person.handed) != 3 || person.handed[2].Attempt != 3 {
		t.Errorf("handed over %+v", person.handed)
	}
	for status, want := range map[replayer.ReturnStatus]string{replayer.Aborted: "will not do it", replayer.TimedOut: "in time"} {
		person := &approver{returns: replayer.Returned{Status: status}}
		_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Person: person, Timeout: 20 * time.Second})
		if e := wantCode(t, err, replayer.Blocked, 1); !strings.Contains(e.Reason, want) || len(person.handed) != 1 || e.Resume == "" {
			t.Errorf("%s: %v, after %d", status, e, len(person.handed))
		}
	}
}

func TestAHandoffLastsUntilItsConditionHolds(t *testing.T) {
	t.Parallel()
	server, signIn := gated(t)
	for until, met := range map[string]bool{
		server.URL + "/orders*": true, "#next": true, "text/Next": true,
		"https://elsewhere.example/*": false, "#nothing": false,
	} {
		t.Run(until, func(t *testing.T) {
			t.Parallel()
			page := browsertest.Page(t, server.URL+"/login")
			person := &approver{}
			person.taking = func() {
				if len(person.handed) == 2 { // the second time it is done
					page.Rod().MustEval(signIn)
				}
			}
			a := document(t, server.URL, fmt.Sprintf(`{"tool":"handoff","args":{"reason":"sign_in","until":%q}}`, until))
			_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Person: person, Timeout: 20 * time.Second})
			if met && (err != nil || len(person.handed) != 2 || person.handed[0].Reason != automation.ReasonLogin) {
				t.Errorf("%v, after %+v", err, person.handed)
			}
			if !met {
				if e := wantCode(t, err, replayer.Blocked, 0); len(person.handed) != 3 {
					t.Errorf("%v, after %+v", e, person.handed)
				}
			}
		})
	}
}
