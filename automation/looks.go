package automation

import (
	"math"
	"regexp"
	"strings"
)

// LooksSecret says what a text holds that looks like a secret, as in "a card
// number", or "" for nothing. It knows secrets by their shape alone, not by the words
// about a field.
func LooksSecret(text string) string {
	for _, kind := range secretKinds {
		for _, found := range kind.shape.FindAllString(text, -1) {
			if kind.is == nil || kind.is(found) {
				return kind.what
			}
		}
	}
	return ""
}

// secretKinds are those whose shape tells them, most telling first. Prefixes of
// keys are those that their issuers publish so that they can be found.
var secretKinds = []struct {
	what  string
	shape *regexp.Regexp
	is    func(string) bool
}{
	{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`), nil},
	{"a signed token (JWT)", regexp.MustCompile(`\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`), nil},
	{"a password in an address", regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^\s/?#@:]*:[^\s/?#@]+@`), nil},
	{"an access key", regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{35}|\bgh[pousr]_\w{36,}|\bgithub_pat_\w{22,}|\bglpat-[\w-]{20,}|\b(?:sk|rk|pk)_(?:live|test)_\w{16,}|\bsk-[\w-]{20,}|\bxox[abeoprs]-[\w-]{10,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bnpm_\w{36}\b|\bya29\.[\w-]{20,}`), nil},
	{"a bearer token", regexp.MustCompile(`(?i)\bbearer\s+[\w.~+/-]{16,}`), nil},
	{"a card number", regexp.MustCompile(`\b\d(?:[ -]?\d){12,18}\b`), isCardNumber},
	{"a bank account number (IBAN)", regexp.MustCompile(`\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?\b`), isIBAN},
	{"a random token", regexp.MustCompile(`[A-Za-z0-9_-]{32,}`), isRandomToken},
}

// emailAddress is one as browsers check it, near enough.
var emailAddress = regexp.MustCompile(`[\w.!#$%&'*+/=?^{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+`)

// isCardNumber knows the issuers' leading digits and lengths, and the check digit:
// an order number passes that one time in ten.
func isCardNumber(text string) bool {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(text)
	return cardIssuers.MatchString(digits) && luhn(digits)
}

// Visa, Mastercard, American Express, Discover, Diners Club, JCB, UnionPay, Maestro.
var cardIssuers = regexp.MustCompile(`^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|62\d{14,17}|(?:5[06-8]|6\d)\d{10,17})$`)

// luhn checks the last digit (ISO/IEC 7812-1).
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// isIBAN checks the remainder (ISO 13616).
func isIBAN(text string) bool {
	compact := strings.ReplaceAll(text, " ", "")
	if len(compact) < 15 || len(compact) > 34 {
		return false
	}
	remainder := 0
	for _, r := range compact[4:] + compact[:4] {
		switch {
		case r >= '0' && r <= '9':
			remainder = (remainder*10 + int(r-'0')) % 97
		default:
			remainder = (remainder*100 + int(r-'A') + 10) % 97
		}
	}
	return remainder == 1
}

// leastEntropy is what letters and digits drawn at random have, in bits a
// character at this length, less what chance takes: words joined by dashes and
// names of classes stay below.
const leastEntropy = 4.0

// isRandomToken knows long runs of characters that nobody wrote. Hexadecimal ones
// are ids of records as often as tokens, and stand in ordinary addresses.
func isRandomToken(text string) bool {
	if strings.Trim(strings.ToLower(text), "0123456789abcdef-") == "" {
		return false
	}
	digits := strings.ContainsAny(text, "0123456789")
	upper := strings.ToLower(text) != text
	lower := strings.ToUpper(text) != text
	return digits && upper && lower && entropy(text) >= leastEntropy
}

// entropy is Shannon's, of the characters, in bits for each.
func entropy(text string) float64 {
	counts := map[rune]float64{}
	total := 0.0
	for _, r := range text {
		counts[r]++
		total++
	}
	bits := 0.0
	for _, n := range counts {
		bits -= n / total * math.Log2(n/total)
	}
	return bits
}
