package browser_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
)

// loginSite knows its visitors by a cookie: /as?who=ada signs one in, / says who it is.
type loginSite struct {
	*httptest.Server
	asked atomic.Int64
}

// stored is what its pages keep: quotes, markup, a name that storage has itself and does not
// list among its own, and half a surrogate pair, which no Go string holds.
const stored = `localStorage.setItem("token", "<b>\u2028" + who + "'s \ud800"); localStorage.setItem("length", "a key like any other"); sessionStorage.setItem("tab", who)`

func newLoginSite(t *testing.T) *loginSite {
	t.Helper()
	s := &loginSite{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/favicon.ico" { // which comes when it comes
			s.asked.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/worker.js" {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = fmt.Fprint(w, worker)
			return
		}
		if who := r.FormValue("who"); who != "" {
			host, _, _ := strings.Cut(r.Host, ":")
			for _, c := range []*http.Cookie{
				{Name: "session", Value: "of-" + who, HttpOnly: true, Path: "/"},
				{Name: "kept", Value: "for-a-day", MaxAge: 86400, SameSite: http.SameSiteStrictMode},
				{Name: "gone", Value: "x", MaxAge: -1},
				{Name: "__Host-pin", Value: "1", Secure: true, Path: "/"},
				{Name: "wide", Value: "1", Domain: host, Path: "/deep"},
			} {
				http.SetCookie(w, c)
			}
			_, _ = fmt.Fprintf(w, "<script>const who = %q; %s</script>", who, stored)
			return
		}
		who, err := r.Cookie("session")
		if err != nil {
			_, _ = fmt.Fprint(w, "no one")
			return
		}
		_, _ = fmt.Fprint(w, who.Value)
	}))
	t.Cleanup(s.Close)
	return s
}

// worker answers for the site, and leaves a cache behind that says so.
const worker = `self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (e) => e.waitUntil(clients.claim()));
self.addEventListener("fetch", (e) => e.respondWith(caches.open("asked").then(() => new Response("by the worker", {headers: {"Content-Type": "text/html"}}))));`

// at is the site by another name of this machine, which is another origin.
func (s *loginSite) at(host string) string { return strings.Replace(s.URL, "127.0.0.1", host, 1) }

func signIn(t *testing.T, b *browser.Browser, origin, who string) *browser.Page {
	t.Helper()
	p, err := b.NewIsolatedPage(within(t), origin+"/as?who="+who)
	if err != nil {
		t.Fatal(err)
	}
	eval[bool](t, p, `localStorage.length > 0`)
	return p
}

func capture(t *testing.T, p *browser.Page, origins ...string) *browser.StorageState {
	t.Helper()
	l, err := p.StorageState(within(t), origins...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func openAs(t *testing.T, b *browser.Browser, l *browser.StorageState, url string) *browser.Page {
	t.Helper()
	p, err := b.NewPageWithState(within(t), l, url)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Starting a browser takes longer than what most of these do: they share one.
func TestLogins(t *testing.T) {
	t.Parallel()
	b := launch(t, nil)
	t.Run("WhatTheBrowserDoesNotTakeIsNoLogin", func(t *testing.T) { whatTheBrowserDoesNotTakeIsNoLogin(t, b) }) // before others open pages
	for name, test := range map[string]func(*testing.T, *browser.Browser){
		"ALoginIsGoodInAnotherBrowser":   aLoginIsGoodInAnotherBrowser,
		"ALoginHasNothingOfOtherOrigins": aLoginHasNothingOfOtherOrigins,
		"AServiceWorkerIsNotAsked":       aServiceWorkerIsNotAsked,
		"WhatIsNoLoginIsNotSaved":        whatIsNoLoginIsNotSaved,
		"ALoginThatHasRunOutSaysSo":      aLoginThatHasRunOutSaysSo,
		"DatabasesAreWhatTheyWere":       databasesAreWhatTheyWere,
		"WhatCannotLeaveIsNamed":         whatCannotLeaveIsNamed,
		"TooLargeDatabasesAreNamed":      tooLargeDatabasesAreNamed,
		"SessionStorageIsThereFirst":     sessionStorageIsThereFirst,
		"DatabasesOfNoFormAreNoLogin":    databasesOfNoFormAreNoLogin,
		"LoginsGoThroughPlaywrightsForm": loginsGoThroughPlaywrightsForm,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, b)
		})
	}
}

const visible = `[document.body.innerText, document.cookie, ...Object.keys(localStorage).sort(), localStorage.getItem("length"), localStorage.getItem("token")?.charCodeAt(localStorage.getItem("token").length - 1), sessionStorage.length]`

func aLoginIsGoodInAnotherBrowser(t *testing.T, b *browser.Browser) {
	site := newLoginSite(t)
	origin := site.at("shop.localhost")
	var logins []*browser.StorageState
	for _, who := range []string{"ada", "grace"} {
		p := signIn(t, b, origin, who)
		asked := site.asked.Load()
		l := capture(t, p, origin)
		if site.asked.Load() != asked {
			t.Errorf("the site was asked for something while the login of %s was captured", who)
		}
		if l.Cookies() != 4 || l.Stored() != 3 || !l.Expires().IsZero() || time.Since(l.Saved()) > time.Minute || fmt.Sprint(l.Origins()) != "["+origin+"]" {
			t.Errorf("the login of %s has %d cookies and %d items, is for %v, of %v, until %v", who, l.Cookies(), l.Stored(), l.Origins(), l.Saved(), l.Expires())
		}
		logins = append(logins, l)
	}
	other := launch(t, nil)
	for i, who := range []string{"ada", "grace"} {
		l, err := browser.ReadLogin(logins[i].Secret())
		if err != nil {
			t.Fatal(err)
		}
		asked := site.asked.Load()
		p := openAs(t, other, l, "")
		if site.asked.Load() != asked {
			t.Error("the site was asked for something before its page was opened")
		}
		if err := p.Navigate(within(t), origin+"/"); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(eval[[]any](t, p, visible))
		want := fmt.Sprintf("[of-%s kept=for-a-day; __Host-pin=1 token a key like any other %d 1]", who, 0xd800)
		if got != want {
			t.Errorf("in the other browser the page sees %s, want %s", got, want)
		}
		again := capture(t, p, origin)
		if a, b := cookiesIn(t, l), cookiesIn(t, again); a != b {
			t.Errorf("captured again, its cookies are\n%s, want\n%s", b, a)
		}
	}
	if got := eval[string](t, openAs(t, other, nil, origin+"/"), "document.body.innerText"); got != "no one" {
		t.Errorf("a page of no one is %s's", got)
	}
}

// cookiesIn returns the cookies of a login as they are stored, in one order.
func cookiesIn(t *testing.T, l *browser.StorageState) string {
	t.Helper()
	var of struct {
		Cookies []map[string]any `json:"cookies"`
	}
	if err := json.Unmarshal([]byte(l.Secret().Reveal()), &of); err != nil {
		t.Fatal(err)
	}
	lines := map[string]any{}
	for _, c := range of.Cookies {
		lines[fmt.Sprint(c["name"])] = c
	}
	return fmt.Sprint(lines)
}

func aLoginHasNothingOfOtherOrigins(t *testing.T, b *browser.Browser) {
	site := newLoginSite(t)
	p := signIn(t, b, site.at("shop.localhost"), "ada")
	for _, other := range []string{site.URL, site.at("bank.localhost"), site.at("deep.shop.localhost")} {
		if err := p.Navigate(within(t), other+"/as?who=SECRET-ELSEWHERE"); err != nil {
			t.Fatal(err)
		}
		eval[bool](t, p, `localStorage.length > 0`)
	}
	l := capture(t, p, site.at("shop.localhost"))
	if text := l.Secret().Reveal(); strings.Contains(text, "ELSEWHERE") || !strings.Contains(text, "of-ada") {
		t.Errorf("the login for one origin holds what is another's: %s", text)
	}
	signedIn := openAs(t, b, l, site.at("deep.shop.localhost"))
	if got := fmt.Sprint(eval[[]any](t, signedIn, `[document.body.innerText, localStorage.length]`)); got != "[no one 0]" {
		t.Errorf("at another origin the page sees %s", got)
	}
	both := capture(t, p, site.URL, site.at("shop.localhost"))
	if text := both.Secret().Reveal(); !strings.Contains(text, "of-ada") || !strings.Contains(text, "of-SECRET-ELSEWHERE") || len(both.Origins()) != 2 {
		t.Errorf("the login for two origins has %d cookies for %v", both.Cookies(), both.Origins())
	}
}

// A service worker would answer in the place of the site, with scripts.
func aServiceWorkerIsNotAsked(t *testing.T, b *browser.Browser) {
	site := newLoginSite(t)
	origin := site.at("shop.localhost")
	p := signIn(t, b, origin, "ada")
	if !eval[bool](t, p, `navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready).then(() => true)`) {
		t.Fatal("there is no worker")
	}
	if l := capture(t, p, origin); l.Stored() != 3 || eval[bool](t, p, `caches.has("asked")`) {
		t.Errorf("the login has %d items, and the worker was asked", l.Stored())
	}
	if err := p.Navigate(within(t), origin+"/"); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, p, "document.body.innerText"); got != "by the worker" || !eval[bool](t, p, `caches.has("asked")`) {
		t.Errorf("the page is %q: what was seen before proves nothing", got)
	}
}

func whatIsNoLoginIsNotSaved(t *testing.T, b *browser.Browser) {
	site := newLoginSite(t)
	p := openAs(t, b, nil, site.URL)
	_, err := p.StorageState(within(t), site.URL)
	var failed *browser.LoginError
	if !errors.Is(err, browser.ErrNotSignedIn) || !errors.As(err, &failed) || !strings.Contains(err.Error(), "sign in there first") {
		t.Errorf("where no one is signed in: %v", err)
	}
	for _, origins := range [][]string{nil, {"shop.example"}, {"https://shop.example/path"}, {"file:///etc"}} {
		if _, err := p.StorageState(within(t), origins...); err == nil || errors.Is(err, browser.ErrNotSignedIn) {
			t.Errorf("for %q: %v, want an error about the origins", origins, err)
		}
	}
	p = signIn(t, b, site.URL, "ada")
	// The browser allows an origin some five million characters, which six bytes each may stand for.
	eval[bool](t, p, `(localStorage.setItem("big", "\u0001".repeat(4 << 20)), true)`)
	if _, err := p.StorageState(within(t), site.URL); !errors.Is(err, browser.ErrLoginTooLarge) || !strings.Contains(err.Error(), "local storage of "+site.URL+" has 24576 kB") {
		t.Errorf("24 megabytes: %v", err)
	}
}

// state is a login as it is stored, with something in the place of what is right.
func state(origins, cookies, storage string) string {
	return fmt.Sprintf(`{"format": 1, "saved": "2026-01-02T03:04:05Z", "origins": %s, "cookies": [%s], "storage": [%s]}`, origins, cookies, storage)
}

const (
	shop    = `["https://shop.example"]`
	session = `{"name": "session", "value": "CANARY", "domain": "shop.example", "path": "/", "secure": true}`
	token   = `{"origin": "https://shop.example", "items": [["token", "CANARY"]]}`
)

func aLoginThatHasRunOutSaysSo(t *testing.T, b *browser.Browser) {
	old := strings.Replace(session, `"path"`, `"expires": 1700000000.5, "path"`, 1)
	soon := strings.Replace(session, `"path"`, fmt.Sprintf(`"expires": %d, "path"`, time.Now().Add(time.Hour).Unix()), 1)
	for text, runsOut := range map[string]bool{
		state(shop, old, ""): true, state(shop, old+","+soon, ""): false, state(shop, old+","+session, ""): false, state(shop, old, token): false,
	} {
		l := read(t, text, "https://shop.example")
		p, err := b.NewPageWithState(within(t), l, "")
		var failed *browser.LoginError
		if runsOut {
			if !errors.Is(err, browser.ErrLoginExpired) || !errors.As(err, &failed) || l.Expires().Unix() != 1700000000 || !strings.Contains(err.Error(), "2023-11-1") {
				t.Errorf("one that has run out at %v: %v", l.Expires(), err)
			}
			continue
		}
		if err != nil {
			t.Errorf("one of which something is left: %v", err)
			continue
		}
		if left := capture(t, p, "https://shop.example"); strings.Contains(left.Secret().Reveal(), "1700000000") {
			t.Error("a cookie that has run out is in the page")
		}
	}
}

func read(t *testing.T, text string, origins ...string) *browser.StorageState {
	t.Helper()
	l, err := browser.ReadLogin(secret(t, text, origins...))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func secret(t testing.TB, text string, origins ...string) automation.Secret {
	t.Helper()
	s, err := automation.NewSecret(text, origins...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// hostile are texts that are no login for https://shop.example.
var hostile = map[string]string{
	"nothing":                 ``,
	"a text":                  `"CANARY"`,
	"half of it":              state(shop, session, token)[:150],
	"more after it":           state(shop, session, token) + "{}",
	"a newer format":          strings.Replace(state(shop, session, token), `"format": 1`, `"format": 3`, 1),
	"another field":           strings.Replace(state(shop, session, token), `"saved"`, `"CANARY": 1, "saved"`, 1),
	"another field in one":    state(shop, strings.Replace(session, `"path"`, `"url": "https://evil.example", "path"`, 1), token),
	"another origin":          state(`["https://evil.example"]`, "", ""),
	"one more origin":         state(`["https://evil.example", "https://shop.example"]`, session, ""),
	"no origin":               state(`[]`, "", ""),
	"an origin in capitals":   state(`["https://SHOP.example"]`, "", ""),
	"another's cookie":        state(shop, strings.Replace(session, `"shop.example"`, `"evil.example"`, 1), ""),
	"a cookie of all below":   state(shop, strings.Replace(session, `"shop.example"`, `".evil.shop.example"`, 1), ""),
	"a cookie of a dot":       state(shop, strings.Replace(session, `"shop.example"`, `"."`, 1), ""),
	"a cookie that ends so":   state(shop, strings.Replace(session, `"shop.example"`, `".p.example"`, 1), ""),
	"another's storage":       state(shop, "", strings.Replace(token, "shop", "evil", 1)),
	"storage twice":           state(shop, "", token+","+token),
	"storage of numbers":      state(shop, "", strings.Replace(token, `"CANARY"`, `1`, 1)),
	"storage of nothing":      state(shop, "", strings.Replace(token, `"CANARY"`, `null`, 1)),
	"storage of three":        state(shop, "", strings.Replace(token, `"CANARY"`, `"CANARY", "CANARY"`, 1)),
	"storage that is a text":  state(shop, "", strings.Replace(token, `[["token", "CANARY"]]`, `"CANARY"`, 1)),
	"storage that is missing": state(shop, "", `{"origin": "https://shop.example"}`),
	"session storage twice":   with(`"session": [` + token + "," + token + `]`),
	"another's session":       with(`"session": [` + strings.Replace(token, "shop", "evil", 1) + `]`),
	"session of numbers":      with(`"session": [` + strings.Replace(token, `"CANARY"`, `1`, 1) + `]`),
	"another's databases":     with(`"databases": [` + strings.Replace(records, "shop", "evil", 1) + `]`),
	"databases twice":         with(`"databases": [` + records + "," + records + `]`),
	"databases of no version": with(`"databases": [` + strings.Replace(records, `"version": 1`, `"version": 0`, 1) + `]`),
	"a database of no name":   with(`"databases": [` + strings.Replace(records, `"name": "keys"`, `"name": null`, 1) + `]`),
	"a store of no key path":  with(`"databases": [` + strings.Replace(records, `"keyPath": null`, `"keyPath": 1`, 1) + `]`),
	"an index of no key path": with(`"databases": [` + strings.Replace(records, `"keyPath": "by"`, `"keyPath": null`, 1) + `]`),
	"a record of two parts":   with(`"databases": [` + strings.Replace(records, `, []]`, `]`, 1) + `]`),
	"a record of no heap":     with(`"databases": [` + strings.Replace(records, `, []]`, `, null]`, 1) + `]`),
	"a database of more":      with(`"databases": [` + strings.Replace(records, `"version"`, `"CANARY": 1, "version"`, 1) + `]`),
	"twenty megabytes":        state(shop, session, strings.Replace(token, "CANARY", strings.Repeat("CANARY", 4<<20), 1)),
}

// records are databases of one record.
const records = `{"origin": "https://shop.example", "databases": [{"name": "keys", "version": 1, "stores": [
	{"name": "of", "keyPath": null, "autoIncrement": false, "indexes": [{"name": "i", "keyPath": "by", "unique": false, "multiEntry": false}], "records": [["k", "CANARY", []]]}]}]}`

// with is a login of format 2 that has something more.
func with(more string) string {
	return strings.Replace(state(shop, session, token), `"format": 1`, `"format": 2, `+more, 1)
}

func TestWhatIsNoLoginIsRefusedAndNotQuoted(t *testing.T) {
	t.Parallel()
	read(t, state(shop, session, token), "https://shop.example")
	read(t, with(`"session": [`+token+`], "databases": [`+records+`]`), "https://shop.example")
	for what, text := range hostile {
		_, err := browser.ReadLogin(secret(t, text, "https://shop.example"))
		var failed *browser.LoginError
		if !errors.Is(err, browser.ErrBadLogin) || !errors.As(err, &failed) || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: %v, want a LoginError that is ErrBadLogin", what, err)
		}
	}
	if _, err := browser.ReadLogin(secret(t, state(shop, session, token))); !errors.Is(err, browser.ErrBadLogin) {
		t.Errorf("a secret of no origin: %v", err)
	}
}

// What only the browser knows to be wrong is refused too, and leaves no page behind.
func whatTheBrowserDoesNotTakeIsNoLogin(t *testing.T, b *browser.Browser) {
	bad := strings.Replace(session, `"session"`, `"__Host-session"`, 1)
	for what, text := range map[string]string{
		"a cookie with a line in it": state(shop, strings.Replace(session, "CANARY", `CANARY\n`, 1), ""),
		"a cookie of a host's own":   state(shop, strings.Replace(bad, `"/"`, `"/elsewhere"`, 1), ""),
	} {
		_, err := b.NewPageWithState(within(t), read(t, text, "https://shop.example"), "")
		if !errors.Is(err, browser.ErrBadLogin) || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: %v, want ErrBadLogin", what, err)
		}
	}
	if pages, err := b.Pages(within(t)); err != nil || len(pages) != 0 {
		t.Errorf("%d pages are left, %v", len(pages), err)
	}
}

func TestALoginIsPrintedByNothing(t *testing.T) {
	t.Parallel()
	l := read(t, state(shop, session, token), "https://shop.example")
	coded, err := json.Marshal(map[string]any{"login": l})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "login", l, "list", []any{l})
	for _, text := range []string{fmt.Sprintf("%v %+v %#v %s %q %d %x", l, l, l, l, l, l, l), string(coded), log.String(), fmt.Sprintf("%+v", struct{ l *browser.StorageState }{l}), fmt.Sprintf("%#v", *l), fmt.Sprintf("%+v", struct{ l browser.StorageState }{*l})} {
		if strings.Contains(text, "CANARY") || strings.Contains(text, "414e41") {
			t.Errorf("a login is printed as %s", text)
		}
	}
}

func FuzzReadLogin(f *testing.F) {
	f.Add(state(shop, session, token))
	f.Add(with(`"session": [` + token + `], "databases": [` + records + `]`))
	for _, text := range hostile {
		if len(text) < 1000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := browser.ReadLogin(secret(t, text, "https://shop.example"))
		if err != nil {
			if !errors.Is(err, browser.ErrBadLogin) {
				t.Errorf("an error of another kind: %v", err)
			}
			return
		}
		again, err := browser.ReadLogin(l.Secret())
		if err != nil || again.Secret().Reveal() != l.Secret().Reveal() {
			t.Errorf("read again it is another: %v", err)
		}
	})
}
