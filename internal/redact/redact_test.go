package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-reprise/reprise/internal/redact"
)

const secret = "Hg7!kQ2z-Tm9xPw4"

func TestPiecesOfSixCharactersAreRemoved(t *testing.T) {
	t.Parallel()
	ix := redact.New(secret)
	for _, c := range []struct{ text, want string }{
		{"nothing of it", "nothing of it"},
		{"it is " + secret + ".", "it is [secret]."},
		{"all but one: " + secret[1:], "all but one: [secret]"},
		{"six: " + secret[3:9] + "!", "six: [secret]!"},
		{"five: " + secret[3:8], "five: " + secret[3:8]},
		{"in capitals " + strings.ToUpper(secret), "in capitals [secret]"},
		{"H g 7 ! k Q 2 z - T m 9 x P w 4", "[secret]"},
		{"H\u200bg\u200b7\u200b!\u200bk\u200bQ\u200b2\u200bz", "[secret]"},
		{"Ｈｇ７！ｋＱ２ｚ", "[secret]"},
		{"twice " + secret + " and " + secret, "twice [secret] and [secret]"},
	} {
		if got := ix.Text(c.text); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
	}
}

func TestEncodedSecretsAreRemoved(t *testing.T) {
	t.Parallel()
	ix := redact.New(secret)
	codes := func(format, between string) string {
		var all []string
		for _, r := range secret {
			all = append(all, fmt.Sprintf(format, r))
		}
		return strings.Join(all, between)
	}
	inJSON, _ := json.Marshal(secret + `<"`)
	for name, text := range map[string]string{
		"URL": url.QueryEscape(secret), "path": url.PathEscape(secret), "JSON": string(inJSON), "HTML": html.EscapeString(secret + "<"),
		"hex": hex.EncodeToString([]byte(secret)), "hex in capitals": strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"hex with colons": codes("%02x", ":"), "percent": codes("%%%02X", ""), "backslash x": codes(`\x%02x`, ""), "backslash u": codes(`\u%04x`, ""),
		"decimal": codes("%d", ", "), "entities": codes("&#%d;", ""), "entities in hex": codes("&#x%x;", ""), "octal": codes(`\%03o`, ""), "binary": codes("%08b", " "),
		"base64": base64.StdEncoding.EncodeToString([]byte(secret)), "base64 after a name": base64.StdEncoding.EncodeToString([]byte("ada:" + secret)),
		"base64 after another": base64.URLEncoding.EncodeToString([]byte("grace:" + secret + ":x")), "base64 twice": base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(secret)))),
		"ROT13": strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z':
				return 'a' + (r-'a'+13)%26
			case r >= 'A' && r <= 'Z':
				return 'A' + (r-'A'+13)%26
			}
			return r
		}, secret),
	} {
		if got := ix.Text("x " + text + " y"); !strings.Contains(got, redact.Mark) || len(got) > len("x [secret] y")+12 {
			t.Errorf("%s: %q becomes %q", name, text, got)
		}
	}
}

func TestShortSecretsAreFoundWhole(t *testing.T) {
	t.Parallel()
	ix := redact.New("4711", "ab")
	if got := ix.Text("PIN 4711, not 471; and ab"); got != "PIN [secret], not 471; and ab" {
		t.Errorf("%q", got)
	}
}

func TestEveryPieceIsFoundInAnyText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[!-~]{8,40}`).Draw(t, "secret")
		from := rapid.IntRange(0, len(secret)-6).Draw(t, "from")
		to := rapid.IntRange(from+6, len(secret)).Draw(t, "to")
		before, after := rapid.StringMatching(`[бджзлфцшщыэю ]{0,9}`).Draw(t, "before"), rapid.StringMatching(`[бджзлфцшщыэю ]{0,9}`).Draw(t, "after")
		ix := redact.New(secret)
		if got := ix.Text(before + secret[from:to] + after); got != before+redact.Mark+after {
			t.Fatalf("%q of %q becomes %q", secret[from:to], secret, got)
		}
	})
}

func TestTheEmptyIndexChangesNothing(t *testing.T) {
	t.Parallel()
	var none *redact.Index
	if got := none.Text("a text"); got != "a text" || none.In("a text") || !none.Empty() {
		t.Errorf("%q", got)
	}
}

func FuzzText(f *testing.F) {
	f.Add("Hg7!kQ2z", "x Hg7!kQ2z y")
	f.Add("\xff\xfe\xfd\xfc\xfb\xfa", "\xff\xfe\xfd\xfc\xfb\xfa\xf9")
	f.Fuzz(func(t *testing.T, secret, text string) {
		ix := redact.New(secret)
		clean := ix.Text(text)
		if ix.In(text) != strings.Contains(clean, redact.Mark) && !strings.Contains(text, redact.Mark) {
			t.Errorf("%q in %q", secret, text)
		}
	})
}

func BenchmarkText(b *testing.B) {
	ix := redact.New(secret, "another-Secret-42")
	text := strings.Repeat("An outline of a page, line by line, with some words in it.\n", 300)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		ix.Text(text)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		redact.New(secret)
	}
}
