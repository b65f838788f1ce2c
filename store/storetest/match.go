package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

func matching(t *testing.T, s store.Store) {
	save(t, s, Document(t, "any", "", "shop.example/*"))
	save(t, s, Document(t, "mine", "me", "shop.example/*"))
	save(t, s, Document(t, "cart", "", "shop.example/cart/*"))
	save(t, s, Document(t, "hosts", "", "*.shop.example/*"))
	save(t, s, Document(t, "yours", "you", "only.example/*", "shop.example/you/*"))
	for _, test := range []struct{ url, account, want string }{
		{"https://shop.example/", "", "any"},
		{"https://shop.example/cart/1?item=2#x", "", "cart"},
		{"https://shop.example/cart/1", "me", "mine"},
		{"https://shop.example/", "me", "mine"},
		{"https://shop.example/", "you", "any"},
		{"https://shop.example/you/x", "you", "yours"},
		{"https://shop.example/", "ME", "any"},
		{"https://a.shop.example/", "me", "hosts"},
		{"https://only.example/", "you", "yours"},
		{"https://only.example/", "", ""},
		{"https://only.example/", "me", ""},
		{"http://shop.example/", "", ""},
		{"https://evil.example/shop.example/", "", ""},
		{"https://shop.example@evil.example/", "", ""},
		{"not a URL", "", ""},
		{"", "me", ""},
	} {
		wantMatch(t, s, test.url, test.account, test.want)
	}
}

// wantMatch wants the automation of this name, or for "" none.
func wantMatch(t *testing.T, s store.Store, url, account, want string) {
	t.Helper()
	a, err := s.Automations().Match(t.Context(), url, account)
	switch {
	case want == "" && !errors.Is(err, automation.ErrNoMatch):
		t.Errorf("Match(%q, %q) gave %v, %v, want ErrNoMatch", url, account, a, err)
	case want != "" && err != nil:
		t.Errorf("Match(%q, %q): %v, want %s", url, account, err, want)
	case want != "" && (a.Name != want || a.Revision == 0 || len(a.Steps) == 0):
		t.Errorf("Match(%q, %q) gave %s at revision %d with %d steps, want a whole %s", url, account, a.Name, a.Revision, len(a.Steps), want)
	}
}

// blockers wants an automation that deals with a blocker to be found by that alone, and listed as such.
func blockers(t *testing.T, s store.Store) {
	save(t, s, Document(t, "order", "", "shop.example/*"))
	for name, reason := range map[string]automation.Reason{"signs-in": automation.ReasonLogin, "consents": automation.ReasonPermission} {
		a := Document(t, name, "", "shop.example/signin", "*.shop.example/*")
		a.Match.Blocker = reason
		save(t, s, a)
	}
	own := Document(t, "signs-in", "me", "shop.example/signin")
	own.Match.Blocker = automation.ReasonLogin
	save(t, s, own)
	wantMatch(t, s, "https://shop.example/signin", "", "order")
	wantMatch(t, s, "https://a.shop.example/", "", "")
	for _, test := range []struct {
		url, account string
		blocker      automation.Reason
		want         string
	}{
		{"https://shop.example/signin?next=1", "", automation.ReasonLogin, "signs-in@"},
		{"https://shop.example/signin", "me", automation.ReasonLogin, "signs-in@me"},
		{"https://shop.example/signin", "you", automation.ReasonLogin, "signs-in@"},
		{"https://a.shop.example/", "", automation.ReasonPermission, "consents@"},
		{"https://shop.example/signin", "", automation.ReasonCaptcha, ""},
		{"https://shop.example/cart", "", automation.ReasonLogin, ""},
	} {
		a, err := s.Automations().MatchBlocker(t.Context(), test.url, test.account, test.blocker)
		switch {
		case test.want == "" && !errors.Is(err, automation.ErrNoMatch):
			t.Errorf("%s (%s) is dealt with by %v, %v, want none", test.url, test.blocker, a, err)
		case test.want != "" && (err != nil || a.Name+"@"+a.Match.Account != test.want || a.Match.Blocker != test.blocker):
			t.Errorf("%s (%s) is dealt with by %v, %v, want %s", test.url, test.blocker, a, err, test.want)
		}
	}
	listed := map[string]automation.Reason{}
	for sum, err := range s.Automations().List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		listed[sum.Name+"@"+sum.Account] = sum.Blocker
	}
	want := map[string]automation.Reason{"order@": "", "consents@": automation.ReasonPermission, "signs-in@": automation.ReasonLogin, "signs-in@me": automation.ReasonLogin}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("the list (-want +got):\n%s", diff)
	}
	again, err := s.Automations().Get(t.Context(), "consents", "")
	if err != nil {
		t.Fatal(err)
	}
	again.Match.Blocker = "" // which is found by its address from now on
	save(t, s, again)
	wantMatch(t, s, "https://a.shop.example/", "", "consents")
}

func ambiguity(t *testing.T, s store.Store) {
	save(t, s, Document(t, "one", "", "shop.example/*"))
	two := save(t, s, Document(t, "two", "", "shop.example/*"))
	_, err := s.Automations().Match(t.Context(), "https://shop.example/?secret=1", "me")
	var tie *automation.AmbiguousError
	if !errors.As(err, &tie) {
		t.Fatalf("Match gave %v, want an AmbiguousError", err)
	}
	if diff := cmp.Diff([]string{"one", "two"}, tie.Names); diff != "" {
		t.Errorf("it names (-want +got):\n%s", diff)
	}
	if err := s.Automations().Delete(t.Context(), "two", "", two.Revision); err != nil {
		t.Fatal(err)
	}
	wantMatch(t, s, "https://shop.example/", "me", "one")
}

func matchFollows(t *testing.T, s store.Store) {
	const before, after = "https://before.example/", "https://after.example/"
	a := save(t, s, Document(t, "login", "", "before.example/*"))
	wantMatch(t, s, before, "", "login")
	a.Match.URLs = []string{"after.example/*"}
	a = save(t, s, a)
	wantMatch(t, s, before, "", "")
	wantMatch(t, s, after, "", "login")
	if err := s.Automations().Delete(t.Context(), "login", "", a.Revision); err != nil {
		t.Fatal(err)
	}
	wantMatch(t, s, after, "", "")
	save(t, s, Document(t, "login", "me", "after.example/*"))
	wantMatch(t, s, after, "", "")
	wantMatch(t, s, after, "me", "login")
}

// What a walk draws from: few enough that documents meet, with one another and with
// addresses.
var (
	walkNames    = []string{"a", "b", "c", "d", "e", "f"}
	walkAccounts = []string{"", "me", "you"}
	walkGlobs    = []string{
		"shop.example", "shop.example/*", "shop.example/cart/*", "shop.example/cart", "shop.example/*/1", "shop.example/c*",
		"*.shop.example", "**.shop.example/cart/*", "a*.shop.example/*", "*.b.shop.example/*", "http://shop.example/*",
		"shop.example:8443/*", "localhost:8080/*", "*.localhost/*", "[::1]:80/*", "shop.example/é/*",
	}
	walkURLs = []string{
		"https://shop.example/", "https://SHOP.example:443/cart", "https://shop.example/cart/1?a=b#c", "https://shop.example/x/1",
		"https://a.shop.example/cart/2", "https://a.b.shop.example/cart/2", "https://b.shop.example/", "http://shop.example/cart/1",
		"https://shop.example:8443/", "http://localhost:8080/a", "http://x.localhost/", "http://[0:0::1]/", "https://shop.example/%C3%A9/",
		"https://shop.example/%2fcart/1", "https://shop.example/a/../cart/", "https://shop.example.evil.example/", "https://example/", "no address",
	}
)

const (
	walkSteps = 60
	walkLooks = 8 // after each
)

// walk saves, moves and deletes at random, and wants Match to answer after each step
// as a fresh automation.Index of all documents does.
func walk(t *testing.T, s store.Store) {
	const seed = 2026
	r := rand.New(rand.NewPCG(seed, seed))
	kept := map[string]*automation.Automation{}
	for step := range walkSteps {
		stride(t, s, r, kept)
		index := automation.NewIndex()
		for _, a := range kept {
			if err := index.Add(a); err != nil {
				t.Fatal(err)
			}
		}
		for range walkLooks {
			url, account := pick(r, walkURLs), pick(r, walkAccounts)
			want, got := answer(index.Match(url, account)), answer(s.Automations().Match(t.Context(), url, account))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("step %d: Match(%q, %q) (-want +got):\n%s", step, url, account, diff)
			}
		}
	}
}

// stride saves a document with another scope, or deletes one.
func stride(t *testing.T, s store.Store, r *rand.Rand, kept map[string]*automation.Automation) {
	t.Helper()
	name, account := pick(r, walkNames), pick(r, walkAccounts)
	key := name + "@" + account
	a := kept[key]
	if a != nil && r.IntN(3) == 0 {
		if err := s.Automations().Delete(t.Context(), name, account, a.Revision); err != nil {
			t.Fatal(err)
		}
		delete(kept, key)
		return
	}
	next := Document(t, name, account, pick(r, walkGlobs), pick(r, walkGlobs))
	if a != nil {
		next.Revision = a.Revision
	}
	if next.Match.URLs[0] == next.Match.URLs[1] {
		next.Match.URLs = next.Match.URLs[:1]
	}
	kept[key] = save(t, s, next)
}

func pick(r *rand.Rand, of []string) string { return of[r.IntN(len(of))] }

// answer is the result of a lookup, as text.
func answer(a *automation.Automation, err error) string {
	var tie *automation.AmbiguousError
	switch {
	case errors.As(err, &tie):
		return err.Error()
	case errors.Is(err, automation.ErrNoMatch):
		return err.Error()
	case err != nil:
		return "failed: " + err.Error()
	}
	return fmt.Sprintf("%s@%s at %d", a.Name, a.Match.Account, a.Revision)
}
