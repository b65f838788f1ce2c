package sealed

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// stateOf is a state with a canary, in which are quotes, markup and half a surrogate pair.
func stateOf(of string) string {
	return `{"cookies":[{"value":"` + canary + of + `"}],"storage":[["a<b>","\"\ud800"]]}`
}

func (s *scene) login(t testing.TB, name, account string, origins ...string) Login {
	t.Helper()
	secret, err := automation.NewSecret(stateOf(account), origins...)
	try(t, err)
	l := Login{Name: name, Account: account, State: secret, Expires: time.Unix(2e9, 5).UTC()}
	try(t, s.SaveLogin(t.Context(), l))
	return l
}

func TestALoginIsKeptForItsOriginsAndItsAccount(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, account := range []string{"ada", "grace", ""} {
		s.login(t, "shop", account, "https://b.example", "https://a.example")
	}
	s.login(t, "shop", "ada", "https://a.example") // in its place
	for account, origins := range map[string]string{"ada": "[https://a.example]", "grace": "[https://a.example https://b.example]", "": "[https://a.example https://b.example]"} {
		got, err := s.Login(t.Context(), "shop", account)
		try(t, err)
		if got.State.Reveal() != stateOf(account) || fmt.Sprint(got.State.Origins()) != origins || got.Expires.Unix() != 2e9 || got.Name != "shop" || got.Account != account {
			t.Errorf("the login of %q is %+v for %v: %s", account, got, got.State.Origins(), got.State.Reveal())
		}
	}
	for name, account := range map[string]string{"shop": "eve", "bank": "ada"} {
		if _, err := s.Login(t.Context(), name, account); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s of %s: %v", name, account, err)
		}
	}
	keyless := New(s.st, place(t, filepath.Join(t.TempDir(), "key")))
	if _, err := keyless.Login(t.Context(), "shop", "ada"); !errors.Is(err, ErrNoKeys) {
		t.Errorf("without the key: %v", err)
	}
}

func TestALoginIsSealedAndSaysWhatMayBeSeen(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.login(t, "shop", "ada", "https://a.example")
	data, err := os.ReadFile(filepath.Join(s.dir, "logins", "shop@ada.age"))
	try(t, err)
	for _, seen := range []string{`"https://a.example"`, `"expires": "2033-05-18T03:33:20Z"`, `"kind": "login"`} {
		if !strings.Contains(string(data), seen) {
			t.Errorf("the file does not say %s:\n%s", seen, data)
		}
	}
	if strings.Contains(string(data), canary) || strings.Contains(string(data), "cookies") {
		t.Errorf("the file holds what is sealed:\n%s", data)
	}
}

// No one returns a login to another site or account by writing the store.
func TestALoginCannotBeGivenToAnother(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.login(t, "shop", "ada", "https://a.example")
	s.login(t, "shop", "grace", "https://a.example")
	ada, err := s.st.Logins().Get(t.Context(), "shop", "ada")
	try(t, err)
	grace, err := s.st.Logins().Get(t.Context(), "shop", "grace")
	try(t, err)
	for what, change := range map[string]func(*store.Envelope){
		"another origin": func(e *store.Envelope) {
			e.Fields = []store.Field{{Name: loginField, Secret: true, Origins: []string{"https://evil.example"}}}
		},
		"another account": func(e *store.Envelope) { e.Sealed = grace.Sealed },
		"another end":     func(e *store.Envelope) { e.Expires = e.Expires.Add(time.Hour) },
	} {
		changed := ada
		change(&changed)
		saved, err := s.st.Logins().Save(t.Context(), changed)
		try(t, err)
		_, err = s.Login(t.Context(), "shop", "ada")
		wantOpenError(t, what, err, ErrAltered)
		ada.Revision = saved.Revision
	}
}

// Who has the public key can seal what they like: it is no login, or one with origins.
func TestALoginThatIsSealedWronglyIsDamaged(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	right := []store.Field{{Name: loginField, Secret: true, Origins: []string{"https://a.example"}}}
	for what, fields := range map[string][]store.Field{
		"none": {}, "two": {right[0], right[0]}, "no secret": {{Name: loginField, Origins: right[0].Origins}},
		"no origin": {{Name: loginField, Secret: true}}, "no origins that are any": {{Name: loginField, Secret: true, Origins: []string{"a"}}},
	} {
		c := contents{Kind: store.LoginEnvelope, Name: "shop", Values: slices.Repeat([]json.RawMessage{[]byte(stateOf(""))}, len(fields))}
		c.Fields = fields
		try(t, s.SecretStore.put(t.Context(), s.st.Logins(), c))
		_, err := s.Login(t.Context(), "shop", "")
		wantOpenError(t, what, err, ErrDamaged)
	}
}

func TestALoginThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for what, l := range map[string]struct {
		state   string
		origins []string
	}{
		"no origin": {stateOf(""), nil}, "no JSON object": {canary, []string{"https://a.example"}}, "object": {"null", []string{"https://a.example"}},
		"too large": {`{"` + canary + `":"` + strings.Repeat("<", maxLoginContents) + `"}`, []string{"https://a.example"}},
	} {
		secret, err := automation.NewSecret(l.state, l.origins...)
		try(t, err)
		err = s.SaveLogin(t.Context(), Login{Name: "shop", State: secret})
		var refused *LoginError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), what) || strings.Contains(err.Error(), canary) {
			t.Errorf("got %v, want one that says %q", err, what)
		}
	}
	secret, err := automation.NewSecret(`{"a":"`+strings.Repeat("<", 16<<20)+`"}`, "https://a.example")
	try(t, err)
	if err := s.SaveLogin(t.Context(), Login{Name: "large", State: secret}); err != nil { // as large as package browser gives one
		t.Errorf("a large one: %v", err)
	}
}
