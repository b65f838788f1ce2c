package automation

import (
	"cmp"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/selectors"
)

// ErrLooksSecret marks a text of a document that looks like a secret.
var ErrLooksSecret = errors.New("looks like a secret")

// CheckSecrets looks through all that a document says in plain text, in literal
// values, selectors, names, addresses and notes, for what looks like a secret:
// card numbers, one-time codes, tokens and keys, passwords in addresses, and
// e-mail addresses where the document is for one account. It returns nil, or an
// *Error for each place (see Problems), none of which repeats what was found.
//
// A text that only looks like one is allowed by saying so: the step, or the
// document, has "x": {"public": "why it is no secret"}.
func (a *Automation) CheckSecrets() error {
	if isPublic(a.X) {
		return nil
	}
	data, err := a.compact()
	if err != nil {
		return err
	}
	var p problems
	document := readNode(data, &p)
	if document == nil {
		return p.err()
	}
	s := scan{scoped: a.Match.Account != "", problems: &p}
	for _, m := range document.members {
		switch {
		case m.key == "steps":
			s.steps(a.Steps, m.value)
		case m.key != "match": // an account is often called by its e-mail address
			s.node(m.value, (*place)(nil).field(m.key))
		}
	}
	return p.err()
}

// scan goes through a document's texts.
type scan struct {
	scoped bool // the document is for one account
	code   bool // what is typed here is a one-time code
	*problems
}

func (s *scan) steps(steps []Step, list *node) {
	for i, item := range list.items {
		if i >= len(steps) || isPublic(steps[i].X) {
			continue
		}
		s.code = asksForCode(&steps[i])
		s.node(item, (*place)(nil).field("steps").item(i))
		s.code = false
	}
}

// hashedFields hold hashes and numbers, and nothing that anyone could read.
var hashedFields = []string{"fingerprint", "offset", "timeout"}

func (s *scan) node(n *node, at *place) {
	for _, m := range n.members {
		if !slices.Contains(hashedFields, m.key) {
			s.node(m.value, at.field(m.key))
		}
	}
	for i, item := range n.items {
		s.node(item, at.item(i))
	}
	if n.kind == '"' || n.kind == '0' {
		s.text(n.text, at)
	}
}

func (s *scan) text(text string, at *place) {
	what := cmp.Or(DetectSecret(text), DetectSecret(selectors.Plain(text)))
	switch {
	case what != "":
	case s.scoped && emailAddress.MatchString(text):
		what = "an e-mail address"
	case s.code && shortCode.MatchString(text):
		what = "a one-time code"
	default:
		return
	}
	s.addError(at, ErrLooksSecret, `what looks like %s stands here in plain text: make it a variable, or, if it is none, say why with "x": {"public": "…"}`, what)
}

var shortCode = regexp.MustCompile(`^\d{4,8}$`)

// codeWords name fields for one-time codes, in the languages of most of the web.
var codeWords = regexp.MustCompile(`(?i)\botp\b|one.?time|verification|security.?code|\b(2fa|mfa|totp|tan|pin)\b|bestätigungscode|código|codice|code de (vérification|sécurité)|код|验证码|驗證碼|認証コード|인증`)

// asksForCode reports whether a step types into a field for one-time codes, as
// far as its selectors say.
func asksForCode(step *Step) bool {
	if step.Tool != "typeInput" && step.Tool != "fillForm" {
		return false
	}
	for _, path := range append(slices.Clone(step.Alternatives), step.Selector) {
		if len(path) > 0 && codeWords.MatchString(path.String()) {
			return true
		}
	}
	return false
}

// isPublic reports whether notes say that what stands next to them is no secret.
func isPublic(x []byte) bool {
	if len(x) == 0 {
		return false
	}
	var ignored problems
	notes := readNode(x, &ignored)
	if notes == nil {
		return false
	}
	for _, m := range notes.members {
		if m.key == "public" && m.value.kind == '"' && m.value.text != "" {
			return true
		}
	}
	return false
}

// DetectSecret returns what a text holds that looks like a secret, as in "a card
// number", or "" for nothing. It knows secrets by their shape alone, not by the words
// about a field.
func DetectSecret(text string) string {
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

// isRandomToken knows long runs of characters that no one wrote. Hexadecimal ones
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
