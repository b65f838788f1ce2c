package redact

import (
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// form is a secret as pages and programs write it, and how long its pieces are.
type form struct {
	text   string
	view   view
	length int
}

// The lengths of pieces, in characters of the form: what six characters of the secret
// become, or less where the form writes many characters for each.
const (
	pieceBase64 = 8  // six bytes
	pieceDigits = 12 // six bytes in hex; four or more as decimal or octal numbers
	pieceBits   = 24 // three bytes: longer pieces are no rarer in what pages show
)

// formsOf returns the forms of a secret.
func formsOf(secret string) []form {
	n := utf8.RuneCountInString(secret)
	if n < minSecret {
		return nil
	}
	if points := len(read(secret, joined).points); points < minPiece {
		if points < minSecret {
			return nil
		}
		return []form{{text: secret, view: joined, length: points}}
	}
	var forms []form
	add := func(v view, length int, texts ...string) {
		for _, text := range texts {
			forms = append(forms, form{text: text, view: v, length: length})
		}
	}
	back := reversed(secret)
	add(joined, minPiece, secret, back, rotate47(secret), shifted(secret, 1), shifted(secret, -1), flipped(secret))
	add(folded, minPiece, evensFirst(secret))
	add(folded, 2*minPiece, doubled(secret))
	add(folded, minPiece, secret, back, url.QueryEscape(secret), html.EscapeString(secret), inJSON(secret), inHTML(secret), atbash(secret), leet(secret))
	for by := 1; by < 26; by++ {
		add(folded, minPiece, caesar(secret, rune(by)))
	}
	for _, text := range []string{secret, back} {
		add(folded, pieceBase64, phases([]byte(text), 3, 4, base64.RawStdEncoding.EncodeToString)...)
		add(folded, pieceBase64, phases([]byte(text), 5, 8, base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString)...)
		add(folded, pieceDigits, hex.EncodeToString([]byte(text)), reversed(hex.EncodeToString([]byte(text))))
	}
	for _, once := range phases([]byte(secret), 3, 4, base64.RawStdEncoding.EncodeToString) {
		add(folded, pieceBase64, reversed(once))
	}
	for _, once := range []string{base64.StdEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret)))} {
		add(folded, pieceBase64, phases([]byte(once), 3, 4, base64.RawStdEncoding.EncodeToString)...)
	}
	add(folded, pieceBase64, inBase(secret, base58))
	add(folded, pieceDigits, inBase(secret, "0123456789"), places(secret), spelled(secret))
	add(folded, pieceDigits, hex.EncodeToString(inUTF16(secret)), hex.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(secret)))))
	add(joined, pieceBase64, inASCII85(secret))
	for _, format := range []string{"%d", "%03d", "%o", "%03o", "x%02x", "0x%02x", "u%04x", "25%02x"} {
		add(folded, pieceDigits, numbers(secret, format))
	}
	add(folded, pieceBits, numbers(secret, "%08b"), numbers(secret, "%07b"))
	return forms
}

func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

// numbers writes each character as a number.
func numbers(text, format string) string {
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

// caesar moves the letters of the alphabet: by 13 it is ROT13.
func caesar(text string, by rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+by)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+by)%26
		}
		return r
	}, text)
}

func rotate47(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '!' && r <= '~' {
			return '!' + (r-'!'+47)%94
		}
		return r
	}, text)
}

// shifted moves every character, also those that are no letters.
func shifted(text string, by rune) string {
	return strings.Map(func(r rune) rune { return r + by }, text)
}

// flipped changes the last bit of every character.
func flipped(text string) string {
	return strings.Map(func(r rune) rune { return r ^ 1 }, text)
}

func doubled(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteRune(r)
		b.WriteRune(r)
	}
	return b.String()
}

// evensFirst writes every second character, then the others.
func evensFirst(text string) string {
	var halves [2][]rune
	for i, r := range []rune(text) {
		halves[i%2] = append(halves[i%2], r)
	}
	return string(halves[0]) + string(halves[1])
}

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// inBase writes the bytes as one large number.
func inBase(text, digits string) string {
	n, base := new(big.Int).SetBytes([]byte(text)), big.NewInt(int64(len(digits)))
	var out []byte
	for digit := new(big.Int); n.Sign() > 0; {
		n.DivMod(n, base, digit)
		out = append(out, digits[digit.Int64()])
	}
	slices.Reverse(out)
	return string(out)
}

// places writes each letter as its place in the alphabet.
func places(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		if r >= 'a' && r <= 'z' {
			fmt.Fprint(&b, int(r-'a')+1)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// spellings are the words by which letters and digits are spelled on the telephone
// (https://www.icao.int/safety/OPS/OPS-Section/Pages/AlphabetRadiotelephony.aspx).
var spellings = strings.Fields("alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu zero one two three four five six seven eight nine")

func spelled(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z':
			b.WriteString(spellings[r-'a'])
		case r >= '0' && r <= '9':
			b.WriteString(spellings[26+r-'0'])
		}
	}
	return b.String()
}

func atbash(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'z' - (r - 'a')
		case r >= 'A' && r <= 'Z':
			return 'Z' - (r - 'A')
		}
		return r
	}, text)
}

var asLeet = strings.NewReplacer("a", "4", "A", "4", "e", "3", "E", "3", "i", "1", "I", "1", "o", "0", "O", "0", "s", "5", "S", "5", "t", "7", "T", "7")

func leet(text string) string { return asLeet.Replace(text) }

// phases encodes a text as it would stand after 0, 1, … bytes of another, without what
// those have a part in: in groups of some bytes, each of as many characters.
func phases(text []byte, bytes, characters int, encode func([]byte) string) []string {
	var all []string
	for before := range bytes {
		encoded := encode(append(make([]byte, before), text...))
		from := (before*characters + bytes - 1) / bytes
		if before > 0 && from < len(encoded) {
			encoded = encoded[from:]
		}
		whole := (before + len(text)) * characters / bytes // what follows has a part in the rest
		if keep := min(whole, from+len(encoded)) - from; before > 0 && keep > 0 {
			encoded = encoded[:min(keep, len(encoded))]
		}
		all = append(all, encoded)
	}
	return all
}

func inUTF16(text string) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return b
}

func inASCII85(text string) string {
	b := make([]byte, ascii85.MaxEncodedLen(len(text)))
	return string(b[:ascii85.Encode(b, []byte(text))])
}

func inJSON(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		return ""
	}
	return string(data[1 : len(data)-1])
}

// inHTML writes every character that is no letter or digit as a number.
func inHTML(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf && !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
