package sealed

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestASecretOfATaskSaysWhereItMayBeTyped(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"p": {"secret": "S3CRET"}}`:                                     "--secret p=https://",
		`{"p": {"secret": "S3CRET", "origins": []}}`:                      "--secret p=https://",
		`{"p": {"secret": "S3CRET", "origins": ["a.example"]}}`:           "not an absolute",
		`{"p": {"secret": "S3CRET", "origins": ["https://a.example/x"]}}`: "more than a scheme",
		`{"p": {"secret": 17, "origins": ["https://a.example"]}}`:         "an object is a secret",
		`{"p": {"Secrets": "S3CRET", "origins": ["https://a.example"]}}`:  "an object is a secret",
		`{"p": {"secret": "", "origins": ["https://a.example"]}}`:         "empty",
		`{"p": null}`:                    "null",
		`{"p": "S3CRET", "p": "S3CRET"}`: "twice",
		`{"p": "S3CRET"`:                 "not a JSON object",
		`{"p": S3CRET}`:                  "not a JSON object",
		`{"p": "S3CRET"} {}`:             "not a JSON object",
		`["S3CRET"]`:                     "not a JSON object",
		``:                               "not a JSON object",
		`{"": "S3CRET"}`:                 "a name has",
	} {
		_, err := ParseTask([]byte(data), nil)
		var refused *TaskError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "S3CRET") {
			t.Errorf("%s: got %v, want a TaskError that says %q", data, err, want)
		}
	}
}

func TestTextsAreMadeSecrets(t *testing.T) {
	t.Parallel()
	origins := map[string][]string{"p": {"https://a.example", "https://b.example"}}
	for _, data := range []string{`{"p": "x"}`, `{"p": {"secret": "x"}}`} {
		values, err := ParseTask([]byte(data), origins)
		if err != nil || len(values) != 1 || values[0].Secret == nil || !slices.Equal(values[0].Secret.Origins(), origins["p"]) {
			t.Errorf("%s gives %v, %v", data, values, err)
		}
	}
	for data, want := range map[string]string{`{"p": 12}`: "quotation marks", `{"q": "x"}`: "no such value"} {
		if _, err := ParseTask([]byte(data), origins); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v", data, err)
		}
	}
}

func TestATokenIsForItsTasksAndItsTime(t *testing.T) {
	t.Parallel()
	k, err := NewKeys()
	try(t, err)
	until := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	token, err := k.Token(Grant{[]string{"order", "bill"}, until})
	try(t, err)
	g, err := k.Grant(token)
	try(t, err)
	for _, test := range []struct {
		task string
		at   time.Time
		want error
	}{
		{"order", until.Add(-time.Second), nil},
		{"bill", until.Add(-time.Hour), nil},
		{"order", until, ErrExpired},
		{"order", until.Add(time.Hour), ErrExpired},
		{"other", until.Add(-time.Hour), ErrNotGranted},
		{"", until.Add(-time.Hour), ErrNotGranted},
	} {
		if err := g.Allowed(test.task, test.at); !errors.Is(err, test.want) {
			t.Errorf("%q at %v: got %v, want %v", test.task, test.at, err, test.want)
		}
	}
	if err := (*Grant)(nil).Allowed("order", until); !errors.Is(err, ErrNotGranted) {
		t.Errorf("no grant allows: %v", err)
	}
	if _, err := k.Token(Grant{nil, until}); err == nil {
		t.Error("a token for nothing was made")
	}
}

func TestATokenIsOfItsKeys(t *testing.T) {
	t.Parallel()
	k, err := NewKeys()
	try(t, err)
	token, err := k.Token(Grant{[]string{"order"}, time.Now().Add(time.Hour)})
	try(t, err)
	rotated, err := k.rotated()
	try(t, err)
	if _, err := rotated.Grant(token); err != nil {
		t.Errorf("a rotation ends a token while the old key is there: %v", err)
	}
	stranger, err := NewKeys()
	try(t, err)
	for what, other := range map[string]*Keys{"a stranger": stranger, "who forgot the key": rotated.newest()} {
		if _, err := other.Grant(token); !errors.Is(err, ErrBadToken) {
			t.Errorf("%s takes it: %v", what, err)
		}
	}
	for i := range token {
		for _, changed := range []string{token[:i], token[:i] + "A" + token[i:], token[:i] + string(token[i]^1) + token[i+1:]} {
			if g, err := k.Grant(changed); err == nil {
				t.Errorf("changed at %d it is taken: %v", i, g)
			}
		}
	}
}

func FuzzToken(f *testing.F) {
	k, err := NewKeys()
	try(f, err)
	token, err := k.Token(Grant{[]string{"order"}, time.Unix(1<<33, 0)})
	try(f, err)
	for _, seed := range []string{"", tokenPrefix, tokenPrefix + ".", token, token + ".", token + "=", token + "\n", "x" + token} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := k.Grant(text)
		if (err == nil) != (text == token) {
			t.Errorf("%q gives %v, %v", text, g, err)
		}
	})
}

func FuzzParseTask(f *testing.F) {
	for _, seed := range []string{taskData, "{}", "[]", `{"a":{"secret":"x","origins":["https://a.example"]}}`, `{"a":[1,{"b":null}]}`, `{"a":"\ud800"}`} {
		f.Add([]byte(seed), "a")
	}
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		for _, bound := range []map[string][]string{nil, {name: {"https://a.example"}}} {
			values, err := ParseTask(data, bound)
			var refused *TaskError
			if err != nil && !errors.As(err, &refused) {
				t.Errorf("an error of another kind: %v", err)
			}
			seen, kept, err := fields(values)
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range seen {
				if f.Secret != (len(f.Origins) > 0) {
					t.Errorf("%q is a secret %v with origins %v", f.Name, f.Secret, f.Origins)
				}
				if _, err := value(f, kept[i]); err != nil {
					t.Errorf("%q cannot be read back: %v", f.Name, err)
				}
			}
		}
	})
}

func FuzzParseKeys(f *testing.F) {
	k, err := NewKeys()
	try(f, err)
	f.Add(k.text())
	f.Add([]byte("# only words"))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := ParseKeys(data)
		if err != nil {
			return
		}
		again, err := ParseKeys(k.text())
		if err != nil || fmt.Sprint(again.Public(), again.Others()) != fmt.Sprint(k.Public(), k.Others()) {
			t.Errorf("what it writes it does not read: %v", err)
		}
	})
}
