package demosite_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/internal/demosite"
)

// pages are those that a visitor without a session can open.
var pages = []string{
	"/", "/signin", "/form", "/popup", "/popup/window?via=link", "/frames", "/frames/inner?source=same",
	"/frames/inner?source=cross", "/frames/nest", "/seen/thanks",
}

func TestPagesLoadOnlyWhatTheSiteServes(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v := visit(t, s)
	link := regexp.MustCompile(`(?:src|href|action)="([^"]+)"`)
	inline := regexp.MustCompile(`<style|\sstyle=|\son[a-z]+=|<script[^>]*>[^<]`)
	for _, path := range pages {
		page := v.get(path)
		if page.status != http.StatusOK {
			t.Errorf("%s: %d", path, page.status)
		}
		if found := inline.FindString(page.body); found != "" {
			t.Errorf("%s has %q, which the policy forbids", path, found)
		}
		for _, found := range link.FindAllStringSubmatch(page.body, -1) {
			target, own := strings.CutPrefix(found[1], s.CrossURL)
			if !own && !strings.HasPrefix(target, "/") && !strings.HasPrefix(target, "#") {
				t.Errorf("%s leads to %s", path, target)
			}
			if strings.HasPrefix(target, "/static/") && v.get(target).status != http.StatusOK {
				t.Errorf("%s wants %s, which is not there", path, target)
			}
		}
	}
}

func TestEveryAnswerCarriesThePolicy(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v := visit(t, s)
	for _, path := range append(slices.Clip(pages), "/static/site.css", "/nothing-here", "/favicon.ico") {
		h := v.get(path).header
		csp := h.Get("Content-Security-Policy")
		if !strings.Contains(csp, "script-src 'self';") || strings.Contains(csp, "unsafe") || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, h)
		}
		embeddable := strings.HasPrefix(path, "/frames/") || strings.HasPrefix(path, "/seen/")
		if strings.Contains(csp, "frame-ancestors 'none'") == embeddable {
			t.Errorf("%s may be framed: %t, its policy: %s", path, embeddable, csp)
		}
	}
}

// Who is signed in is read from [data-email]: no other page may have one.
func TestOnlyTheDashboardSaysWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v := visit(t, s)
	v.lookUp(v.token(v.get("/signin")), s.Accounts()[0].Email)
	for _, path := range append(slices.Clip(pages), "/signin/challenge/pwd") {
		if strings.Contains(v.get(path).body, "data-email") {
			t.Errorf("%s has the attribute too", path)
		}
	}
}

func TestBannerComesOnceAndOnlyWhereItBelongs(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v := visit(t, s)
	const banner = `role="dialog"`
	for _, path := range pages {
		if got, want := strings.Contains(v.get(path).body, banner), path == "/" || path == "/signin"; got != want {
			t.Errorf("%s has a banner: %t", path, got)
		}
	}
	cookie := regexp.MustCompile(`data-cookie="([^"]+)"`).FindStringSubmatch(v.get("/").body)[1]
	site, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	v.client.Jar.SetCookies(site, []*http.Cookie{{Name: cookie, Value: "reject"}})
	if page := v.get("/signin"); strings.Contains(page.body, banner) || strings.Contains(page.body, "inert") {
		t.Error("the answer was not remembered")
	}
	if strings.Contains(visit(t, start(t, &demosite.Options{NoBanner: true})).get("/").body, banner) {
		t.Error("the banner was not left out")
	}
}

func TestDelayIsTheOneThatWasAskedFor(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]*demosite.Options{
		`data-delay="140"`: nil,
		`data-delay="0"`:   {Delay: -1},
		`data-delay="20"`:  {Delay: 20e6},
	} {
		if page := visit(t, start(t, o)).get("/signin"); !strings.Contains(page.body, want) {
			t.Errorf("no %s in the page", want)
		}
	}
}

func TestEventsAreKeptWithTheHostThatTheyCameTo(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v := visit(t, s)
	if page := v.post("/seen", url.Values{"source": {"same"}, "message": {"hello"}}); page.path != "/seen/thanks" {
		t.Errorf("ended at %s", page.path)
	}
	if page := v.post("/seen", url.Values{"source": {"elsewhere"}}); page.status != http.StatusBadRequest {
		t.Errorf("an unknown source: %d", page.status)
	}
	want := []demosite.Event{{Source: "same", Host: strings.TrimPrefix(s.URL, "http://"), Values: url.Values{"message": {"hello"}}}}
	if diff := cmp.Diff(want, s.Seen()); diff != "" {
		t.Errorf("seen (-want +got):\n%s", diff)
	}
}

func TestFramesPageNamesTheOtherSite(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"127.0.0.1:8080": "http://localhost:8080",
		"localhost:8080": "http://127.0.0.1:8080",
		"localhost":      "http://127.0.0.1",
		"meadow.test:80": "http://localhost:80",
		"[::1]:8080":     "http://localhost:8080",
		"a.test:80;x":    "http://localhost",
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/frames", nil)
		r.Host = host
		w := httptest.NewRecorder()
		demosite.New(nil).ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), `src="`+want+`/frames/inner?source=cross"`) {
			t.Errorf("%s: no frame of %s", host, want)
		}
		if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "frame-src 'self' "+want+";") {
			t.Errorf("%s: %s", host, csp)
		}
	}
}

func TestResetForgetsEverything(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada := s.Accounts()[0]
	v := visit(t, s)
	v.signIn(ada.Email, ada.Password)
	v.post("/form", order())
	v.post("/seen", url.Values{"source": {"same"}})
	token := v.token(v.get("/signin"))
	s.Reset()
	if len(s.SignedIn()) != 0 || s.SignIns(ada.Email) != 0 || len(s.Submissions()) != 0 || len(s.Seen()) != 0 {
		t.Error("something was remembered")
	}
	if said := v.lookUp(token, ada.Email); said.status != http.StatusForbidden {
		t.Errorf("an attempt outlived it: %d", said.status)
	}
	if page := v.signIn(ada.Email, ada.Password); page.path != "/dashboard" {
		t.Errorf("the old cookies are in the way: ended at %s", page.path)
	}
}

func TestWhatTheSiteHandsOutIsACopy(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v := visit(t, s)
	v.post("/form", order())
	v.post("/seen", url.Values{"source": {"same"}, "message": {"hello"}})
	s.Submissions()[0]["name"][0] = "Mallory"
	s.Seen()[0].Values.Set("message", "changed")
	s.Accounts()[0].Password = "changed"
	if s.Submissions()[0].Get("name") != "Ada Lovelace" || s.Seen()[0].Values.Get("message") != "hello" ||
		s.Accounts()[0] != demosite.BuiltinAccounts()[0] {
		t.Error("a caller changed what the site knows")
	}
}

func TestCloseFreesThePortAndMayBeRepeated(t *testing.T) {
	t.Parallel()
	s, err := demosite.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if w, err := http.DefaultClient.Do(r); err == nil {
		w.Body.Close()
		t.Error("it still answers")
	}
}
