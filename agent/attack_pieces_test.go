package agent_test

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// pieceLen is how many characters in a row of a password give something away.
const pieceLen = 6

// newPassword returns a random password of n characters: mixed case, digits, and two
// symbols that HTML, URLs and JSON write in ways of their own. No six characters of it
// are without a digit or a symbol, so that none of its pieces stands anywhere by chance.
func newPassword(n int) string {
	pick := func(of string) byte {
		i, _ := rand.Int(rand.Reader, big.NewInt(int64(len(of)))) // never fails, says its package
		return of[i.Int64()]
	}
	made := make([]byte, n)
	for i := range made {
		switch "UlDlUl"[i%6] {
		case 'U':
			made[i] = pick("ABCDEFGHJKLMNPQRSTUVWXYZ")
		case 'D':
			made[i] = pick("0123456789")
		default:
			made[i] = pick("abcdefghijkmnopqrstuvwxyz")
		}
	}
	made[n*3/8], made[n*2/3+1] = pick("&<+%"), pick("#$*~")
	return string(made)
}

// twinOf returns another password of the same shape: each letter is another one of its
// case, each digit another digit, and the symbols are the same. Written down in whatever
// way, and drawn in a font of one width, the two take the same room.
func twinOf(secret string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0' + (r-'0'+5)%10
		}
		return rot13(r)
	}, secret)
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

// a needle is a piece of a password as someone may have written it.
type needle struct{ how, piece, text string }

// needles are the pieces of one password, by where they are looked for.
type needles struct {
	symbols string   // of the password
	letters []needle // looked for whatever the case
	codes   []needle // as letters, where whatever separates them is left out
	exact   []needle // with their case
}

func needlesOf(secret string) needles {
	n := needles{symbols: strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return -1
		}
		return r
	}, secret)}
	for i := 0; i+pieceLen <= len(secret); i++ {
		piece := secret[i : i+pieceLen]
		add := func(to *[]needle, how, text string) { *to = append(*to, needle{how, piece, text}) }
		low := strings.ToLower(piece)
		add(&n.letters, "plain", low)
		add(&n.letters, "reversed", reversed(low))
		add(&n.letters, "rot13", strings.Map(rot13, low))
		wide, bits, seven, octal := "", "", "", ""
		for _, c := range []byte(piece) {
			wide += fmt.Sprintf("00%02x", c)
			bits += fmt.Sprintf("%08b", c)
			seven += fmt.Sprintf("%07b", c)
			octal += fmt.Sprintf("%03o", c)
		}
		add(&n.codes, "hex", hex.EncodeToString([]byte(piece)))
		add(&n.codes, "UTF-16 in hex", wide)
		add(&n.codes, "binary", bits)
		add(&n.codes, "binary of 7 bits", seven)
		add(&n.codes, "octal", octal)
		for shift := range 5 {
			coded := base32.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + piece + "xxxxx"))
			from, to := (shift*8+4)/5, (shift+pieceLen)*8/5
			add(&n.codes, "base32", strings.ToLower(coded[from:to]))
		}
		for _, alphabet := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			for shift := range 3 {
				coded := alphabet.EncodeToString([]byte(strings.Repeat("x", shift) + piece + "xxx"))
				from, to := (shift*8+5)/6, (shift+pieceLen)*8/6
				add(&n.exact, "base64", coded[from:to])
			}
		}
	}
	return n
}

// find returns the first needle that stands in a text, in whatever form, and what is
// around it; nil where none does.
func (n needles) find(text string) (found *needle, around string) {
	if found, around = in(n.exact, withoutSpace(text)); found != nil {
		return found, around
	}
	for _, plain := range unescaped(text) {
		low := strings.ToLower(plain)
		bare := n.bare(low)
		if found, around = in(n.letters, low); found != nil {
			return found, around
		}
		if found, around = in(n.letters, bare); found != nil {
			return found, around
		}
		if found, around = in(n.codes, bare); found != nil {
			return found, around
		}
		if found, around = in(n.codes, n.bare(strings.NewReplacer("0x", "", `\x`, "", "u+", "").Replace(low))); found != nil {
			return found, around
		}
	}
	for _, joined := range n.joined(text) {
		if found, around = in(n.letters, joined); found != nil {
			return found, around
		}
	}
	return nil, ""
}

func in(all []needle, text string) (*needle, string) {
	for i, n := range all {
		if at := strings.Index(text, n.text); at >= 0 {
			return &all[i], text[max(0, at-40):min(len(text), at+len(n.text)+40)]
		}
	}
	return nil, ""
}

func withoutSpace(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
}

// bare is a text without all that may separate the letters of a password.
func (n needles) bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(n.symbols, r) {
			return r
		}
		return -1
	}, text)
}

var (
	jsEscape  = regexp.MustCompile(`\\u\{([0-9a-fA-F]{1,6})\}|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})`)
	urlEscape = regexp.MustCompile(`%([0-9a-fA-F]{2})`)
	mailCode  = regexp.MustCompile(`=([0-9A-F]{2})`)
)

// unescaped is a text as it is, and as anyone who undoes escapes reads it.
func unescaped(text string) []string {
	all := []string{text}
	for range 2 { // what was escaped twice
		last := all[len(all)-1]
		for _, undo := range []func(string) string{ofJS, html.UnescapeString, ofURL, ofMail} {
			last = undo(last)
		}
		if last == all[len(all)-1] {
			break
		}
		all = append(all, last)
	}
	return all
}

func ofJS(text string) string   { return byCode(jsEscape, text) }
func ofURL(text string) string  { return byCode(urlEscape, text) }
func ofMail(text string) string { return byCode(mailCode, text) }

func byCode(escape *regexp.Regexp, text string) string {
	return escape.ReplaceAllStringFunc(text, func(found string) string {
		for _, digits := range escape.FindStringSubmatch(found)[1:] {
			if code, err := strconv.ParseInt(digits, 16, 32); err == nil {
				return string(rune(code))
			}
		}
		return found
	})
}

var (
	quoted  = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
	valued  = regexp.MustCompile(`value="((?:[^"\\]|\\.)*)"`)
	number  = regexp.MustCompile(`\d+`)
	hexPair = regexp.MustCompile(`(?i)\b(?:0x|\\x|u\+00|&#x)?([0-9a-f]{2})\b`)
	refMark = regexp.MustCompile(`\[d\d+e\d+\]`)
)

// joined are the letters of a text that stands in parts: in the names of an outline, in
// the values of its fields, in its texts, one letter a word, or as numbers.
func (n needles) joined(text string) []string {
	var names, values, texts, single, decimal, hexed strings.Builder
	for line := range strings.Lines(text) {
		line = refMark.ReplaceAllString(line, "")
		if m := valued.FindAllStringSubmatch(line, -1); m != nil {
			for _, one := range m {
				values.WriteString(one[1])
			}
			line = valued.ReplaceAllString(line, "")
		}
		found := quoted.FindAllStringSubmatch(line, -1)
		for _, one := range found {
			names.WriteString(one[1])
		}
		if found == nil {
			texts.WriteString(strings.TrimSpace(line))
		}
	}
	apart := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(n.symbols, r)
	}
	for _, word := range strings.FieldsFunc(refMark.ReplaceAllString(text, ""), apart) {
		if len([]rune(word)) == 1 {
			single.WriteString(word)
		}
	}
	for _, digits := range number.FindAllString(text, -1) {
		if code, err := strconv.Atoi(digits); err == nil && code > ' ' && code < 127 {
			decimal.WriteByte(byte(code))
		}
	}
	for _, m := range hexPair.FindAllStringSubmatch(text, -1) {
		if code, err := strconv.ParseUint(m[1], 16, 8); err == nil {
			hexed.WriteByte(byte(code))
		}
	}
	var all []string
	for _, b := range []*strings.Builder{&names, &values, &texts, &single, &decimal, &hexed} {
		low := strings.ToLower(b.String())
		all = append(all, low, n.bare(low))
	}
	return all
}

// leaves are all texts and numbers of a JSON document, keys as well, one a line; a text
// that is none of JSON is itself.
func leaves(data []byte) string {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return string(data)
	}
	var b strings.Builder
	addLeaves(&b, v)
	return b.String()
}

func addLeaves(b *strings.Builder, v any) {
	switch v := v.(type) {
	case map[string]any:
		if v["type"] == "image" {
			return // it is looked at as a picture
		}
		for _, key := range slices.Sorted(func(yield func(string) bool) {
			for key := range v {
				if !yield(key) {
					return
				}
			}
		}) {
			fmt.Fprintln(b, "Ω", key, "Ω") // a key continues no text
			addLeaves(b, v[key])
		}
	case []any:
		for _, one := range v {
			addLeaves(b, one)
		}
	case nil:
	default:
		fmt.Fprintln(b, v)
	}
}

func TestAPieceOfAPasswordIsFoundHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	secret := newPassword(24)
	part := secret[5:12] // with a symbol in it
	each := func(format, between string) string {
		var all []string
		for _, c := range part {
			all = append(all, fmt.Sprintf(format, c))
		}
		return strings.Join(all, between)
	}
	asJSON, err := json.Marshal(map[string]any{"text": part})
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]string{
		"plain": part, "upper": strings.ToUpper(part), "JSON": string(asJSON), "URL": url.QueryEscape(part), "URL twice": url.QueryEscape(url.QueryEscape(part)),
		"HTML": html.EscapeString(part), "hex": hex.EncodeToString([]byte(part)), "reversed": reversed(part), "rot13": strings.Map(rot13, part),
		"base32": base32.StdEncoding.EncodeToString([]byte("ab" + part)), "decimal codes": each("%d", " "), "decimal list": "[" + each("%d", ",") + "]",
		"hex codes": each("%02x", " "), "0x codes": each("0x%02X", ", "), "\\x": each(`\x%02x`, ""), "\\u": each(`\u%04x`, ""), "%": each("%%%02X", ""), "&#": each("&#%d;", ""), "&#x": each("&#x%x;", ""),
		"binary": each("%08b", " "), "spaces": each("%c", " "), "lines": each("%c", "\n"), "hyphens": each("%c", "-"), "dots": each("%c", "."), "zero width": each("%c", "\u200b"),
		"spans": each("text %q\n", ""), "buttons": each("button %q [d1e5]\n", ""), "lines of an outline": each("  %c\n", ""),
		"fields": fmt.Sprintf("textbox \"Part one\" [d1e2] value=%q\ntextbox \"Part two\" [d1e3] value=%q\n", part[:3], part[3:]), "UTF-16": each("%04x", ""),
	}
	for shift := range 3 {
		written[fmt.Sprintf("base64 at %d", shift)] = base64.StdEncoding.EncodeToString([]byte("abc"[:shift] + part + "z"))
	}
	n := needlesOf(secret)
	for what, text := range written {
		if found, _ := n.find("It says " + text + " here"); found == nil {
			t.Errorf("it is not found in %s: %s", what, text)
		}
		if found, around := needlesOf(newPassword(24)).find("It says " + text + " here"); found != nil {
			t.Errorf("another one is found in %s: %+v in %q", what, found, around)
		}
	}
	if found, around := n.find("It says Ω" + secret[2:7] + "Ω and Ω" + secret[8:13] + "Ω and [secret]"); found != nil {
		t.Errorf("five characters are told of: %+v in %q", found, around)
	}
}
