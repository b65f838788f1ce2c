package storetest

import (
	"errors"
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
