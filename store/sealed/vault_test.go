package sealed

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/automation"
)

func (s *scene) set(t testing.TB, site, account, origin, password string) {
	t.Helper()
	try(t, s.SetCredential(t.Context(), Credential{Site: site, Account: account, Origins: strings.Fields(origin), Fields: map[string]string{"password": password}}))
}

func TestTheVaultGoesByExactOriginAndAccount(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.set(t, "a", "ada", "https://a.example", "of ada")
	s.set(t, "a", "grace", "https://a.example", "of grace")
	s.set(t, "a", "", "https://a.example", "of no one")
	s.set(t, "b", "ada", "https://b.example https://c.example:8443", "of b")
	s.set(t, "local", "ada", "http://127.0.0.1:8080", "of the machine")
	for _, test := range []struct{ urls, account, want string }{
		{"a.example/signin", "ada", "of ada"},
		{"a.example", "grace", "of grace"},
		{"a.example", "", "of no one"},
		{"a.example", "Ada", ""},
		{"c.example:8443/*", "ada", "of b"},
		{"c.example", "ada", ""},
		{"http://a.example", "ada", ""},
		{"*.example/x", "ada", ""},
		{"**.a.example", "ada", ""},
		{"x.a.example", "ada", ""},
		{"127.0.0.1:8080/*", "ada", "of the machine"},
	} {
		a := signIn(t, "a.example")
		a.Match.URLs = []string{test.urls}
		v, err := s.Values(t.Context(), a, Scope{Account: test.account})
		if err != nil { // "*.example" is too wide for a scope
			continue
		}
		got, err := v.Value(t.Context(), "password")
		if test.want == "" {
			if !errors.Is(err, automation.ErrNoValue) {
				t.Errorf("%s for %q: got %v, %v, want nothing", test.urls, test.account, got, err)
			}
			continue
		}
		secret, is := got.(automation.Secret)
		if err != nil || !is || secret.Reveal() != test.want || !secret.HasOrigins() {
			t.Errorf("%s for %q: got %v, %v", test.urls, test.account, got, err)
		}
	}
}

func TestTheAutomationsAccountIsThatOfTheVault(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.set(t, "a", "ada", "https://a.example", "of ada")
	a := signIn(t, "a.example")
	a.Match.Account = "ada"
	v, err := s.Values(t.Context(), a, Scope{})
	try(t, err)
	if got, err := v.Value(t.Context(), "password"); err != nil || got.(automation.Secret).Reveal() != "of ada" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestTheTaskComesBeforeTheVault(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.set(t, "a", "ada", "https://a.example", "of the vault")
	s.put(t, "order", taskData)
	v, err := s.Values(t.Context(), signIn(t, "a.example"), Scope{Task: "order", Account: "ada"})
	try(t, err)
	if got, err := v.Value(t.Context(), "password"); err != nil || got.(automation.Secret).Reveal() != canary {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestWhichOfTwoCredentialsIsNotGuessed(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.set(t, "one", "ada", "https://a.example", "x")
	s.set(t, "two", "ada", "https://a.example https://b.example", "y")
	v, err := s.Values(t.Context(), signIn(t, "a.example"), Scope{Account: "ada"})
	try(t, err)
	var many *AmbiguousError
	if _, err = v.Value(t.Context(), "password"); !errors.As(err, &many) || !slices.Equal(many.Sites, []string{"one", "two"}) {
		t.Errorf("got %v", err)
	}
}

// What no secret is asked of needs no key, and what is damaged is told and not skipped.
func TestTheVaultIsOpenedWhenItIsNeeded(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.set(t, "a", "ada", "https://a.example", "x")
	keyless := New(s.st, place(t, filepath.Join(t.TempDir(), "key")))
	for _, account := range []string{"ada", "grace"} {
		v, err := keyless.Values(t.Context(), signIn(t, "a.example"), Scope{Account: account})
		try(t, err)
		if _, err := v.Value(t.Context(), "email"); !errors.Is(err, automation.ErrNoValue) {
			t.Errorf("what is no secret is asked of the vault: %v", err)
		}
		_, err = v.Value(t.Context(), "password")
		if want := map[string]error{"ada": ErrNoKeys, "grace": automation.ErrNoValue}[account]; !errors.Is(err, want) {
			t.Errorf("the secret of %s: got %v, want %v", account, err, want)
		}
	}
	path := filepath.Join(s.dir, "vault", "a@ada.age")
	data, err := os.ReadFile(path)
	try(t, err)
	try(t, os.WriteFile(path, data[:len(data)/2], 0o600))
	for needed, want := range map[bool]bool{true: false, false: true} {
		a := signIn(t, "a.example")
		if needed {
			a.Variables = []byte(strings.Replace(string(a.Variables), `"properties"`, `"required": ["password"], "properties"`, 1))
		}
		v, err := s.Values(t.Context(), a, Scope{Account: "ada"})
		try(t, err)
		if _, err := v.Value(t.Context(), "password"); err == nil || errors.Is(err, automation.ErrNoValue) != want {
			t.Errorf("a damaged credential of a variable that is needed %v gives %v", needed, err)
		}
	}
}

func TestACredentialThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	full := Credential{Site: "a", Origins: []string{"https://a.example"}, Fields: map[string]string{"password": canary}}
	for what, change := range map[string]func(*Credential){
		"--origin":      func(c *Credential) { c.Origins = nil },
		"more than":     func(c *Credential) { c.Origins = []string{"https://a.example/signin"} },
		"nothing in it": func(c *Credential) { c.Fields = nil },
		"empty":         func(c *Credential) { c.Fields = map[string]string{"password": ""} },
		"not an":        func(c *Credential) { c.Origins = []string{"a.example"} },
	} {
		c := full
		change(&c)
		err := s.SetCredential(t.Context(), c)
		var refused *CredentialError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), what) || strings.Contains(err.Error(), canary) {
			t.Errorf("got %v, want one that says %q", err, what)
		}
	}
}
