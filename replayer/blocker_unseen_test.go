package replayer_test

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/replayer"
)

var allBlockers = flag.Bool("blockers.all", false, "notice every blocker of the tables and files, not each third or fifth")

// others are further blockers, of markup and languages that the first table has not.
var others = []struct {
	name, html string
	reason     automation.Reason
}{
	{"a sign-in of a page that a script makes", `<div id=root></div><script>setTimeout(() => { root.innerHTML = '<div class=card><h2>Connexion</h2><div><input type=text placeholder="Adresse e-mail"></div><div><input type=password placeholder="Mot de passe"></div><div role=button tabindex=0>Se connecter</div></div>' }, 200)</script>`, automation.ReasonLogin},
	{"an e-mail address first, without autocomplete", `<main><h1>Sign in to Acme</h1><form><label>E-mail <input type=email name=email></label><button>Continue</button></form></main>`, automation.ReasonLogin},
	{"a name first, in German", `<h1>Anmelden</h1><form><input name=kennung aria-label=Benutzername><button>Weiter</button></form>`, automation.ReasonLogin},
	{"a sign-in in a frame", `<iframe srcdoc="<form><input name=user><input type=password><button>Go</button></form>" style="width:400px;height:300px"></iframe>`, automation.ReasonLogin},
	{"a sign-in in a closed root", `<acme-login></acme-login><script>customElements.define("acme-login", class extends HTMLElement { connectedCallback() { this.attachShadow({mode: "open"}).innerHTML = "<form><input name=user><input type=password></form>" } })</script>`, automation.ReasonLogin},
	{"a code in six boxes", `<h1>Enter the verification code</h1><p>We sent a 6-digit code to +44 *** 123</p><form>` + sixBoxes + `</form>`, automation.Reason2FA},
	{"a code by its name", `<h1>Two-step verification</h1><form><label>Authentication code <input name=otp inputmode=numeric maxlength=6></label><button>Verify</button></form>`, automation.Reason2FA},
	{"a code, in Spanish", `<h1>Introduce el código de verificación</h1><form><input type=tel name=codigo maxlength=6 aria-label="Código de verificación"><button>Verificar</button></form>`, automation.Reason2FA},
	{"a push to a telephone", `<h1>Check your phone</h1><p>Open your authenticator app and approve the sign-in request. Enter the number 42 there.</p>`, automation.Reason2FA},
	{"a puzzle of letters", `<form><p>Type the characters you see in this image</p><img src="data:," alt="captcha" width=200 height=70><input name=captcha_code><button>Continue</button></form>`, automation.ReasonCaptcha},
	{"a widget by its markup", `<h1>One more step</h1><form><div class="g-recaptcha" data-sitekey=x style="width:304px;height:78px"></div><button>Go on</button></form>`, automation.ReasonCaptcha},
	{"a Turnstile by its markup", `<p>Verify you are human</p><div class=cf-turnstile data-sitekey=x style="width:300px;height:65px"></div>`, automation.ReasonCaptcha},
	{"a question for consent, by its words", article + `<div class=sc-x1 role=dialog aria-modal=true style="position:fixed;inset:0;background:#fff"><h2>We value your privacy</h2><p>We and our partners store cookies on your device.</p><button>Accept all</button><button>Reject all</button></div>`, automation.ReasonPermission},
	{"a question of age", `<div role=dialog aria-modal=true style="position:fixed;inset:0;background:#fff"><h2>Are you over 18?</h2><button>Yes, I am 18 or older</button><button>No</button></div>`, automation.ReasonPermission},
	{"are you still there", article + `<div role=alertdialog aria-modal=true style="position:fixed;inset:20%;background:#fff"><h2>Are you still there?</h2><p>Your session will expire soon.</p><button>Stay signed in</button></div>`, automation.ReasonOther},
	{"too many requests", `<title>429 Too Many Requests</title><h1>Too Many Requests</h1><p>You have been rate limited. Try again later.</p>`, automation.ReasonOther},
	{"access denied", `<title>Access Denied</title><h1>Access Denied</h1><p>You don't have permission to access this server. Reference #18.2d</p>`, automation.ReasonOther},
}

var sixBoxes = func() (all string) {
	for range 6 {
		all += `<input inputmode=numeric maxlength=1 size=1 aria-label=Digit>`
	}
	return all
}()

// alikes are further pages that are none.
var alikes = map[string]string{
	"a link to sign in":                `<header><a href="/login">Log in</a> <button>Sign in</button></header>` + article,
	"a search that is named code":      `<form role=search><input type=search name=code placeholder="Search by code"><button>Search</button></form>` + article,
	"a little search that is code":     `<form><input name=code placeholder="Product code"><button>Find</button></form>`,
	"a newsletter alone":               `<h1>Coming soon</h1><form><input type=email name=email placeholder="Your e-mail"><button>Subscribe</button></form>`,
	"a password that is changed":       `<h1>Settings</h1><form><label>Current password <input type=password autocomplete=current-password></label><label>New <input type=password autocomplete=new-password></label><label>Again <input type=password autocomplete=new-password></label><button>Change</button></form>`,
	"an account that is made":          `<h1>Create account</h1><form><input name=name><input type=email><input type=password autocomplete=new-password><button>Register</button></form>`,
	"a text about captchas":            `<article><h1>How reCAPTCHA and hCaptcha work</h1><p>A captcha is a check whether someone is human. Enter the verification code, they say; just a moment, we are checking your browser. Too many requests? Access denied?</p><p>Sign in to read on, or accept all cookies.</p></article>`,
	"a badge":                          article + `<div class="grecaptcha-badge" style="width:256px;height:60px;position:fixed;right:-186px;bottom:14px"><iframe src="https://www.google.com/recaptcha/api2/anchor?ar=1&size=invisible" width=256 height=60></iframe></div>`,
	"an unseen check by its markup":    `<form><textarea></textarea><button class=g-recaptcha data-sitekey=x data-size=invisible>Send</button></form>`,
	"a postcode":                       `<form><label>Postcode <input name=postcode maxlength=8></label><button>Look up</button></form>`,
	"a voucher":                        `<h1>Basket</h1><form><label>Discount code <input name=code maxlength=6></label><button>Apply</button></form>`,
	"a banner that does not block":     article + `<div role=region aria-label="Cookies" style="position:fixed;bottom:0;left:0;right:0">We use cookies. <button>OK</button></div>`,
	"a dialog of the page itself":      article + `<div role=dialog aria-modal=true style="position:fixed;inset:20%;background:#fff"><h2>Choose a delivery slot</h2><button>Morning</button></div><script>setTimeout(() => document.querySelector("[role=dialog]").remove(), 3000)</script>`,
	"an e-mail address in a profile":   `<h1>Your profile</h1><form><label>E-mail <input type=email name=email value="ada@example.com"></label><button>Save</button></form>`,
	"a name of one who is invited":     `<h1>Invite a colleague</h1><form><label>E-mail <input type=email name=email></label><button>Send invitation</button></form>`,
	"a setting of cookies in the page": `<main id=cookie-settings><h1>Cookie settings</h1><p>` + article + `</p></main>`,
	"a page about limits":              `<h1>Plan</h1><p>Rate limit: 100 requests a minute. Too many requests are answered with 429.</p>`,
	"a telephone that is told":         `<form><label>Telephone <input type=tel name=phone autocomplete=tel></label><button>Save</button></form>`,
}

// Of pages that the rules were not made with, a blocker is noticed within two seconds of standing there.
func TestABlockerOfAnyMarkupIsNoticedSoon(t *testing.T) {
	t.Parallel()
	for i, b := range others {
		if !*allBlockers && i%3 != 0 {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			if wrong := notices(t, serve(t, b.html), b.reason); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

func TestNoOneIsCalledForOtherLookAlikes(t *testing.T) {
	t.Parallel()
	for i, name := range slices.Sorted(maps.Keys(alikes)) {
		if !*allBlockers && i%3 != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if wrong := callsNoOne(t, serve(t, alikes[name]+comesLate)); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

// notices returns what is wrong with how a person is called for a blocker, for one of some reasons; "" for nothing.
func notices(t *testing.T, server *httptest.Server, reasons ...automation.Reason) string {
	t.Helper()
	page := browsertest.Page(t, server.URL)
	person := &approver{returns: replayer.Returned{Status: replayer.Aborted}}
	var asked time.Duration
	began, soon, late := time.Now(), load.After(muchTooLate), false
	person.taking = func() { asked, late = time.Since(began), soon.Remaining() <= 0 }
	a := document(t, server.URL, `{"tool":"click","selector":"#next"}`)
	_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Person: person, Timeout: 40 * time.Second})
	if err == nil || len(person.handed) != 1 || !slices.Contains(reasons, person.handed[0].Reason) {
		return fmt.Sprintf("handed over %+v, %v; want one for %s", person.handed, err, reasons)
	}
	if t.Logf("%v", asked); late {
		return fmt.Sprintf("it took %v", asked)
	}
	return ""
}

// comesLate has what a step waits for come late, in the page or in its element with data-next, and leaves has a dialog that is over it go away before.
const (
	comesLate = `<script>setTimeout(() => { (document.querySelector("[data-next]") || document.body).insertAdjacentHTML("afterbegin", "<button id=next onclick='document.title = 1'>Next</button>") }, 3500)</script>`
	leaves    = `<script>setTimeout(() => document.querySelector("[role=dialog],[role=alertdialog]").remove(), 3000)</script>`
)

// callsNoOne returns what is wrong with a run in a page that is not blocked, "" for nothing.
func callsNoOne(t *testing.T, server *httptest.Server) string {
	t.Helper()
	page := browsertest.Page(t, server.URL)
	a := document(t, server.URL, `{"tool":"click","selector":"#next"}`)
	person := &approver{}
	_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Person: person, Timeout: time.Minute})
	switch {
	case len(person.handed) > 0:
		return fmt.Sprintf("it was handed over: %+v", person.handed)
	case err != nil:
		return err.Error()
	}
	return ""
}

// likeSite is a page as real sites have it.
type likeSite struct {
	name    string
	reasons []automation.Reason // that a person may be called for, none where no one is to be
	html    string
	frame   string // what a frame of another site shows
}

// likeSites returns the pages of a file.
func likeSites(t *testing.T, file string) (all []likeSite) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if name, is := strings.CutSuffix(f.Name, " frame"); is {
			if last := &all[len(all)-1]; last.name == name {
				last.frame = string(f.Data)
			}
			continue
		}
		page := likeSite{name: f.Name, html: string(f.Data)}
		kinds, _, _ := strings.Cut(f.Name, "/")
		for kind := range strings.SplitSeq(kinds, ",") {
			if kind != "none" {
				page.reasons = append(page.reasons, automation.Reason(kind))
			}
		}
		all = append(all, page)
	}
	return all
}

// run returns what is wrong with what is done about the page, "" for nothing.
func (p likeSite) run(t *testing.T) string {
	t.Helper()
	html := strings.NewReplacer("ARTICLE", article, "LEAVES", leaves).Replace(p.html)
	if p.reasons == nil {
		html += comesLate
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		shown := html
		if r.URL.Path == "/frame" {
			shown = p.frame
		}
		fmt.Fprint(w, "<!doctype html>", strings.ReplaceAll(shown, "OTHER", strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1)))
	}))
	t.Cleanup(server.Close)
	if p.reasons == nil {
		return callsNoOne(t, server)
	}
	return notices(t, server, p.reasons...)
}

// missed are the pages that block and are not noticed: no rule is made for one page.
var missed = []string{"login/saml-discovery-sv", "2fa,approval/bankid-qr-no", "approval,other/paypal-review"}

// Of pages as real sites have them, also of those that no rule was made with, the rules know what blocks, and what
// only looks so.
func TestBlockersLikeThoseOfRealSites(t *testing.T) {
	t.Parallel()
	pages := slices.Concat(likeSites(t, "blockers_tuning.txtar"), likeSites(t, "blockers_heldout.txtar"), likeSites(t, "blockers_fresh.txtar"))
	for i, page := range pages {
		isMissed := slices.Contains(missed, page.name)
		if !*allBlockers && (i%5 != 0 || isMissed) {
			continue
		}
		t.Run(page.name, func(t *testing.T) {
			t.Parallel()
			switch wrong := page.run(t); {
			case wrong != "" && !isMissed:
				t.Error(wrong)
			case wrong == "" && isMissed:
				t.Error("it is noticed: it is no longer to be among the missed")
			}
		})
	}
}
