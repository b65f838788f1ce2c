package sealed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

const canary = "kanarienvogel-7Qx!"

// scene is a directory store, and a key file next to it.
type scene struct {
	*SecretStore
	st  store.Store
	dir string
	key string
}

func newScene(t testing.TB) *scene {
	t.Helper()
	s := &scene{dir: filepath.Join(t.TempDir(), "data"), key: filepath.Join(t.TempDir(), "key")}
	st, err := store.Open(t.Context(), s.dir)
	try(t, err)
	t.Cleanup(func() { st.Close() })
	s.st = st
	s.SecretStore = New(st, place(t, s.key, s.dir))
	made, err := s.EnsureKeys(t.Context())
	if try(t, err); !made {
		t.Fatal("no key was made")
	}
	return s
}

func place(t testing.TB, path string, notIn ...string) KeySource {
	t.Helper()
	p, err := File(path, notIn...)
	try(t, err)
	return p
}

func try(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func keysOf(t testing.TB, s *SecretStore) *Keys {
	t.Helper()
	k, err := s.Keys(t.Context())
	try(t, err)
	return k
}

func (s *scene) put(t testing.TB, id, data string, automations ...string) {
	t.Helper()
	values, err := ParseTask([]byte(data), nil)
	try(t, err)
	try(t, s.PutTask(t.Context(), Task{ID: id, Automations: automations, Values: values}))
}

const taskData = `{"email": "ada@example.com", "times": 12345678901234567890, "password": {"secret": "` + canary + `", "origins": ["https://a.example"]}}`

func signIn(t testing.TB, urls string) *automation.Automation {
	t.Helper()
	a, err := automation.Parse(fmt.Appendf(nil, `{"format": 1, "name": "sign-in", "match": {"urls": [%q]},
		"variables": {"type": "object", "properties": {"email": {"type": "string"}, "times": {"type": "number"},
			"password": {"type": "string", "writeOnly": true}, "code": {"type": "string", "writeOnly": true}}},
		"steps": [{"tool": "navigate", "url": "https://a.example/"}]}`, urls))
	try(t, err)
	return a
}

func TestATaskGivesItsValues(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.put(t, "order", taskData)
	v, err := s.Values(t.Context(), signIn(t, "a.example/*"), Scope{Task: "order"})
	try(t, err)
	got, err := v.Value(t.Context(), "password")
	secret, is := got.(automation.Secret)
	if err != nil || !is || secret.Reveal() != canary || !secret.AllowedOn("https://a.example/x") || secret.AllowedOn("https://b.example") {
		t.Errorf("the password is %T %v, %v", got, got, err)
	}
	if got, err := v.Value(t.Context(), "times"); got != json.Number("12345678901234567890") || err != nil {
		t.Errorf("the number is %T %v, %v", got, got, err)
	}
	if got, err := v.Value(t.Context(), "code"); !errors.Is(err, automation.ErrNoValue) {
		t.Errorf("what it does not have is %v, %v", got, err)
	}
	s.put(t, "order", `{"email": "grace@example.com"}`)
	v, err = s.Values(t.Context(), signIn(t, "a.example/*"), Scope{Task: "order"})
	try(t, err)
	if got, _ := v.Value(t.Context(), "email"); got != "grace@example.com" {
		t.Errorf("put again, the address is %v", got)
	}
	if _, err := v.Value(t.Context(), "password"); !errors.Is(err, automation.ErrNoValue) {
		t.Errorf("put again, the old password is there: %v", err)
	}
}

func TestATaskIsForItsAutomationsAndBindsItsSecrets(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.put(t, "other", taskData, "order", "bill")
	s.put(t, "loose", `{"password": "in plain text"}`)
	for task, want := range map[string]string{"other": "stored for other automations", "loose": "--secret password=https://"} {
		_, err := s.Values(t.Context(), signIn(t, "a.example/*"), Scope{Task: task})
		var use *UseError
		if !errors.As(err, &use) || !strings.Contains(err.Error(), want) {
			t.Errorf("task %s: got %v, want a UseError that says %q", task, err, want)
		}
	}
	if _, err := s.Values(t.Context(), signIn(t, "a.example/*"), Scope{Task: "nothing"}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a task that there is not: %v", err)
	}
}

func TestNothingReadableIsKept(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.put(t, "order", taskData)
	try(t, s.SetCredential(t.Context(), Credential{Site: "a.example", Account: "ada", Origins: []string{"https://a.example"}, Fields: map[string]string{"password": canary}}))
	s.login(t, "a.example", "ada", "https://a.example")
	_, err := s.Rotate(t.Context(), false, nil)
	try(t, err)
	files := 0
	try(t, filepath.WalkDir(s.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		for _, plain := range []string{canary, "ada@example.com", "12345678901234567890", "AGE-SECRET-KEY"} {
			if bytes.Contains(data, []byte(plain)) {
				t.Errorf("%s holds %q", path, plain)
			}
		}
		if strings.HasSuffix(path, ".age") && !bytes.Contains(data, []byte(`"https://a.example"`)) {
			t.Errorf("%s does not say where its secret may be typed:\n%s", path, data)
		}
		return err
	}))
	if files < 3 {
		t.Errorf("there are only %d files", files)
	}
}

// envelope returns a task, sealed.
func (s *scene) envelope(t testing.TB, id string) store.Envelope {
	t.Helper()
	e, err := s.st.Tasks().Get(t.Context(), id, "")
	try(t, err)
	return e
}

func wantOpenError(t testing.TB, what string, err, want error) {
	t.Helper()
	var failed *OpenError
	if !errors.As(err, &failed) || !errors.Is(err, want) || openAdvice[want] == "" || strings.Contains(fmt.Sprint(err), canary) {
		t.Errorf("%s: got %v, want an OpenError that is %v", what, err, want)
	}
}

func TestAForeignKeyOpensNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.put(t, "order", taskData)
	stranger, err := NewKeys()
	try(t, err)
	_, err = stranger.open(s.envelope(t, "order"))
	wantOpenError(t, "a stranger's key", err, ErrWrongKey)
	fresh := New(s.st, place(t, filepath.Join(t.TempDir(), "key")))
	_, err = fresh.Values(t.Context(), signIn(t, "a.example"), Scope{Task: "order"})
	var missing *NoKeysError
	if !errors.As(err, &missing) || !errors.Is(err, ErrNoKeys) || !missing.Sealed {
		t.Errorf("without a key: %v", err)
	}
	if made, err := fresh.EnsureKeys(t.Context()); made || !errors.Is(err, ErrNoKeys) {
		t.Errorf("a second key was made next to what it cannot open: %v, %v", made, err)
	}
}

// Wherever an envelope is damaged, it says so, and gives nothing else than what was in it.
func TestADamagedEnvelopeSaysSo(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.put(t, "order", taskData)
	k, whole := keysOf(t, s.SecretStore), s.envelope(t, "order")
	for i := range whole.Sealed {
		cut, flipped := whole, whole
		cut.Sealed = whole.Sealed[:i]
		_, err := k.open(cut)
		wantOpenError(t, fmt.Sprintf("cut off at %d", i), err, ErrDamaged)
		flipped.Sealed = bytes.Clone(whole.Sealed)
		flipped.Sealed[i] ^= 0x01
		if c, err := k.open(flipped); err == nil {
			t.Errorf("changed at %d it opens: %d values", i, len(c.Values))
		} else {
			wantOpenError(t, fmt.Sprintf("changed at %d", i), err, ErrDamaged)
		}
	}
}

// What stands on an envelope cannot be changed, nor be put on another.
func TestWhatStandsOnAnEnvelopeIsHeldToWhatIsInIt(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.put(t, "order", taskData, "sign-in")
	s.put(t, "other", taskData, "sign-in")
	k, e := keysOf(t, s.SecretStore), s.envelope(t, "order")
	if _, err := k.open(e); err != nil {
		t.Fatal(err)
	}
	origins := func(e *store.Envelope, to ...string) {
		e.Fields = append([]store.Field(nil), e.Fields...)
		e.Fields[2].Origins = to
	}
	for what, change := range map[string]func(*store.Envelope){
		"its name":         func(e *store.Envelope) { e.Name = "other" },
		"its kind":         func(e *store.Envelope) { e.Kind = store.CredentialEnvelope },
		"its account":      func(e *store.Envelope) { e.Account = "eve" },
		"another's inside": func(e *store.Envelope) { e.Sealed = s.envelope(t, "other").Sealed },
		"another origin":   func(e *store.Envelope) { origins(e, "https://evil.example") },
		"one origin more":  func(e *store.Envelope) { origins(e, "https://a.example", "https://evil.example") },
		"no origin":        func(e *store.Envelope) { origins(e) },
		"automations":      func(e *store.Envelope) { e.Automations = nil },
		"a recipient":      func(e *store.Envelope) { e.Recipients = append(e.Recipients[:1:1], "age1evil") },
		"its age":          func(e *store.Envelope) { e.Created = e.Created.Add(1) },
	} {
		changed := e
		change(&changed)
		_, err := k.open(changed)
		wantOpenError(t, what, err, ErrAltered)
	}
}

func TestKeysArePrintedByNothing(t *testing.T) {
	t.Parallel()
	k, err := NewKeys()
	try(t, err)
	coded, err := json.Marshal(map[string]any{"keys": k})
	try(t, err)
	for _, text := range []string{fmt.Sprint(k), fmt.Sprintf("%v %+v %#v %s %d", k, k, k, k, k), string(coded), fmt.Sprint([]*Keys{k})} {
		if strings.Contains(text, "AGE-SECRET") || !strings.Contains(text, "[keys]") {
			t.Errorf("keys are printed as %s", text)
		}
	}
	_, err = ParseKeys([]byte("AGE-SECRET-KEY-1" + canary))
	if err == nil || strings.Contains(err.Error(), canary) {
		t.Errorf("a key that is none gives %v", err)
	}
}

func TestCancelledCallsGiveTheirCause(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.put(t, "order", taskData)
	gone := errors.New("the caller went home")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	_, values := s.Values(ctx, signIn(t, "a.example"), Scope{Task: "order"})
	_, rotate := s.Rotate(ctx, true, nil)
	for what, err := range map[string]error{
		"Values": values, "Rotate": rotate,
		"PutTask": s.PutTask(ctx, Task{ID: "x", Values: []Value{{Name: "a", Plain: json.RawMessage("1")}}}),
	} {
		if !errors.Is(err, gone) {
			t.Errorf("%s: got %v, want the cause", what, err)
		}
	}
}
