package automation

import (
	"bytes"
	"encoding/base64"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const canary = "kanarienvogel-7Qx!"

func secret(t *testing.T, value string, origins ...string) Secret {
	t.Helper()
	s, err := NewSecret(value, origins...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shows reports whether a text gives the canary away, plainly or encoded.
func shows(text string) bool {
	text = strings.ToLower(text)
	for _, form := range []string{canary, base64.StdEncoding.EncodeToString([]byte(canary)), hex.EncodeToString([]byte(canary)),
		strings.Trim(fmt.Sprint([]byte(canary)), "[]"), strings.Trim(fmt.Sprintf("%#v", []byte(canary)), "[]byte{}")} {
		if strings.Contains(text, strings.ToLower(form)) {
			return true
		}
	}
	return false
}

func TestASecretIsNeverPrinted(t *testing.T) {
	t.Parallel()
	s := secret(t, canary, "https://example.com")
	type inner struct {
		hidden  Secret
		pointer *Secret
		list    []Secret
		table   map[string]any
	}
	type outer struct {
		Public Secret
		inner  inner
		any    any
	}
	nested := outer{s, inner{s, &s, []Secret{s}, map[string]any{"password": s}}, s}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%p", "%T", "%08.3f", "%U", "%c", "%w"} {
		for _, v := range []any{s, &s, nested, &nested, []Secret{s}, map[string]Secret{"a": s}, map[string]any{"a": nested}, struct{ v any }{s}, struct{ v *outer }{&nested}} {
			if text := fmt.Sprintf(verb, v); shows(text) {
				t.Errorf("%s of a %T is %s", verb, v, text)
			}
		}
		if text := fmt.Sprintf(verb, s); !strings.Contains(text, hidden) && verb != "%T" && verb != "%p" && verb != "%w" {
			t.Errorf("%s is %s", verb, text)
		}
	}
	if text := fmt.Sprint(s, &s, []any{s}) + s.String() + s.GoString() + fmt.Errorf("typing %v: %w", s, errors.New("x")).Error(); shows(text) {
		t.Error(text)
	}
}

func TestASecretIsNeverEncoded(t *testing.T) {
	t.Parallel()
	s := secret(t, canary)
	type holder struct {
		Password Secret
		Pointer  *Secret
		Table    map[string]Secret
	}
	h := holder{s, &s, map[string]Secret{"a": s}}
	data, err := json.Marshal(h)
	if err != nil || shows(string(data)) || !strings.Contains(string(data), `"Password":"[secret]"`) {
		t.Errorf("JSON is %s, %v", data, err)
	}
	if data, err := xml.Marshal(struct {
		XMLName  xml.Name `xml:"holder"`
		Password Secret
	}{Password: s}); err != nil || shows(string(data)) {
		t.Errorf("XML is %s, %v", data, err)
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(h); err != nil || shows(b.String()) || !strings.Contains(b.String(), hidden) {
		t.Errorf("gob is %q, %v", b.String(), err)
	}
	var back holder
	if err := gob.NewDecoder(&b).Decode(&back); err == nil {
		t.Error("gob reads a secret back")
	}
	if err := json.Unmarshal(data, &back); err == nil {
		t.Error("JSON reads a secret back")
	}
	for name, handler := range map[string]func(*bytes.Buffer) slog.Handler{
		"json": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
		"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
	} {
		b.Reset()
		slog.New(handler(&b)).Info("typing", "secret", s, "pointer", &s, "holder", h, "list", []Secret{s}, slog.Group("g", "any", any(s)))
		if shows(b.String()) || !strings.Contains(b.String(), hidden) {
			t.Errorf("%s log is %s", name, b.String())
		}
	}
}

func TestSecretsAreComparedWithoutBeingSeen(t *testing.T) {
	t.Parallel()
	s, same, other, bound := secret(t, canary), secret(t, canary), secret(t, "x"+canary), secret(t, canary, "https://example.com")
	if !s.Equal(same) || s.Equal(other) || s.Equal(bound) || !bound.Equal(secret(t, canary, "https://EXAMPLE.com:443")) {
		t.Error("Equal compares wrongly")
	}
	if diff := cmp.Diff(map[string]any{"a": s}, map[string]any{"a": other}); diff == "" || shows(diff) {
		t.Errorf("the difference is %q", diff)
	}
	if diff := cmp.Diff(s, same); diff != "" {
		t.Errorf("the difference is %q", diff)
	}
	defer func() {
		if recover() == nil {
			t.Error("secrets can be compared through an interface, with ==")
		}
	}()
	if a, b := any(s), any(same); a == b {
		t.Error("they are equal")
	}
}

func TestASecretKeepsItsValueAndItsOrigins(t *testing.T) {
	t.Parallel()
	s := secret(t, canary, "https://b.example.com", "HTTPS://A.example.com:443/", "https://b.example.com:443", "http://127.0.0.1:8080")
	if s.Reveal() != canary || !s.HasOrigins() {
		t.Errorf("%q, bound %v", s.Reveal(), s.HasOrigins())
	}
	want := []string{"http://127.0.0.1:8080", "https://a.example.com", "https://b.example.com"}
	if got := s.Origins(); !slices.Equal(got, want) {
		t.Errorf("origins %v, want %v", got, want)
	}
	s.Origins()[0] = "https://evil.example"
	for _, origin := range []string{"https://a.example.com", "https://a.example.com:443", "https://b.example.com/some/page?q#f", "http://127.0.0.1:8080"} {
		if !s.AllowedOn(origin) {
			t.Errorf("%s is not allowed", origin)
		}
	}
	for _, origin := range []string{"", "null", "http://a.example.com", "https://a.example.com:8443", "https://a.example.com.", "https://x.a.example.com", "https://example.com",
		"https://a.example.com@evil.example", "https://evil.example/https://a.example.com", "http://127.1:8080", "http://localhost:8080", "about:blank", "https://evil.example", "blob:https://a.example.com/x"} {
		if s.AllowedOn(origin) {
			t.Errorf("%s is allowed", origin)
		}
	}
}

func TestAnUnboundSecretAllowsNothingByItself(t *testing.T) {
	t.Parallel()
	for _, s := range []Secret{{}, secret(t, canary)} {
		if s.HasOrigins() || s.Origins() != nil || s.AllowedOn("https://example.com") || s.AllowedOn("") {
			t.Error("bound")
		}
	}
	if (Secret{}).Reveal() != "" || !(Secret{}).Equal(Secret{}) {
		t.Error("the zero Secret is not empty")
	}
}

func TestNewSecretRefusesWhatIsNoOrigin(t *testing.T) {
	t.Parallel()
	for _, origin := range []string{"", "example.com", "https://", "ftp://example.com", "https://*.example.com", "https://example.com/path", "https://example.com?q", "https://example.com#f",
		"https://user@example.com", "null", "https://example.com.", "https://example.com//", "https://example.com/..", "https://example.com:0"} {
		s, err := NewSecret(canary, origin)
		if err == nil {
			t.Errorf("%q is accepted as %v", origin, s.Origins())
			continue
		}
		if shows(err.Error()) {
			t.Errorf("the error is %v", err)
		}
	}
}
