package automation

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func from(values map[string]any) func(string) (any, error) {
	return func(name string) (any, error) {
		v, found := values[name]
		if !found {
			return nil, errors.New("no " + name)
		}
		return v, nil
	}
}

func TestValuesResolve(t *testing.T) {
	t.Parallel()
	get := from(map[string]any{"email": "a@example.com", "n": json.Number("12345678901234567890.5"), "i": 7, "yes": true, "f": 0.1, "city": "Øster", "pin": secret(t, "1234"), "list": []any{"a"}})
	for _, c := range []struct {
		value Value
		want  any
	}{
		{Value{Kind: Literal, Value: json.RawMessage(`"x"`)}, "x"},
		{Value{Kind: Literal, Value: json.RawMessage(`12345678901234567890.5`)}, json.Number("12345678901234567890.5")},
		{Value{Kind: Literal, Value: json.RawMessage(`["a","b"]`)}, []any{"a", "b"}},
		{Value{Kind: Literal, Value: json.RawMessage(`false`)}, false},
		{Value{Kind: Variable, Name: "email"}, "a@example.com"},
		{Value{Kind: Variable, Name: "list"}, []any{"a"}},
		{Value{Kind: Variable, Name: "city", Length: 2}, "Øs"},
		{Value{Kind: Variable, Name: "city", Length: 9}, "Øster"},
		{Value{Kind: Template, Text: "mail ${email}, ${email}!"}, "mail a@example.com, a@example.com!"},
		{Value{Kind: Template, Text: "${n} ${i} ${yes} ${f}"}, "12345678901234567890.5 7 true 0.1"},
		{Value{Kind: Template, Text: "$${email} costs $5 {x} $ { } }"}, "${email} costs $5 {x} $ { } }"},
		{Value{Kind: Template, Text: "plain"}, "plain"},
	} {
		got, err := c.value.Resolve(get)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v is %#v, %v, want %#v", c.value, got, err, c.want)
		}
	}
	for _, bad := range []Value{
		{}, {Kind: "js"}, {Kind: Literal}, {Kind: Literal, Value: json.RawMessage(`{`)}, {Kind: Variable, Name: "unknown"}, {Kind: Template, Text: "${unknown}"},
		{Kind: Template, Text: "${list}"}, {Kind: Template, Text: "${email"}, {Kind: Template, Text: "${}"}, {Kind: Template, Text: "${a b}"}, {Kind: Template, Text: "${${email}}"},
		{Kind: Template, Text: strings.Repeat("${i}", maxHoles+1)}, {Kind: Variable, Name: "pin", Length: 2}, {Kind: Variable, Name: "list", Length: 1},
	} {
		if got, err := bad.Resolve(get); err == nil {
			t.Errorf("%+v is %#v", bad, got)
		}
	}
}

func TestATemplateWithASecretIsASecret(t *testing.T) {
	t.Parallel()
	bound := secret(t, canary, "https://example.com")
	get := from(map[string]any{"pin": secret(t, "1234"), "password": bound, "again": secret(t, "x", "https://example.com:443"), "other": secret(t, canary, "https://evil.example"), "name": "me"})
	for text, want := range map[string]Secret{
		"${name}:${pin}":                 secret(t, "me:1234"),
		"${pin}-${password}":             secret(t, "1234-"+canary, "https://example.com"),
		"${password}${pin}":              secret(t, canary+"1234", "https://example.com"),
		"${password} ${again} ${name}":   secret(t, canary+" x me", "https://example.com"),
		"${password}":                    bound,
		"prefix ${password} $${literal}": secret(t, "prefix "+canary+" ${literal}", "https://example.com"),
	} {
		got, err := (&Value{Kind: Template, Text: text}).Resolve(get)
		if s, is := got.(Secret); err != nil || !is || !s.Equal(want) {
			t.Errorf("%s is a %T of %v, %v", text, got, got, err)
		}
	}
	got, err := (&Value{Kind: Template, Text: "${password}${other}"}).Resolve(get)
	if err == nil || shows(err.Error()) {
		t.Errorf("secrets of two origins give %v, %v", got, err)
	}
}

func TestValueNames(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]*Value{
		"":    nil,
		"a":   {Kind: Variable, Name: "a"},
		"b a": {Kind: Template, Text: "${b}${a}${b}$${c}"},
	} {
		if got := v.Names(); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%+v has %v", v, got)
		}
	}
}

// FuzzTemplate: an escaped text yields itself, holes take in whatever they are
// given, and nothing that a value holds is read as a hole.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"", "${a}", "$${a}", "$$${a}", "${", "${}", "x${a}y${b}z", "$", "$$", "}{"} {
		f.Add(seed, "${a}$${")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		resolve := func(text string) (string, error) {
			got, err := (&Value{Kind: Template, Text: text}).Resolve(func(string) (any, error) { return value, nil })
			s, _ := got.(string)
			return s, err
		}
		if got, err := resolve(TemplateText(text)); err != nil || got != text {
			t.Fatalf("%q escaped is %q, and yields %q, %v", text, TemplateText(text), got, err)
		}
		pieces, err := parseTemplate(text)
		got, rerr := resolve(text)
		if (err == nil) != (rerr == nil) {
			t.Fatalf("%q: %v and %v", text, err, rerr)
		}
		var want, again strings.Builder
		for _, p := range pieces {
			if p.name == "" {
				want.WriteString(p.text)
				again.WriteString(TemplateText(p.text))
			} else {
				want.WriteString(value)
				again.WriteString("${" + p.name + "}")
			}
		}
		if err == nil && got != want.String() {
			t.Fatalf("%q yields %q, want %q", text, got, want.String())
		}
		if err == nil && again.String() != text {
			t.Fatalf("%q is taken apart into what is %q", text, again.String())
		}
	})
}
