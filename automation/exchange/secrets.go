package exchange

import (
	"regexp"
	"strings"
	"unicode"
)

// secretFields tell a field that holds a secret by the words of its selectors, and
// what its variable is called: the first that fits. The recorder decides by the
// page; of a file there are only selectors.
var secretFields = []struct {
	words *regexp.Regexp
	name  string
}{
	{regexp.MustCompile(`(?i)\botp\b|one.?time|verification.?code|\b(2fa|mfa|totp)\b|\bpass.?code\b`), "code"},
	{regexp.MustCompile(`(?i)\bcvv2?\b|\bcvc2?\b|security.?code|cc.?csc`), "card_code"},
	{regexp.MustCompile(`(?i)(card|cc).?(number|num|no)\b`), "card_number"},
	{regexp.MustCompile(`(?i)\bpin\b`), "pin"},
	{regexp.MustCompile(`(?i)\bssn\b|social.?security`), "ssn"},
	{regexp.MustCompile(`(?i)pass.?(word|phrase|wort|wd)|\bpass\b|\bpwd\b|kennwort|contrase(ñ|n)a|mot de passe|\bsenha\b|wachtwoord|hasło|пароль|密码|密碼|パスワード|비밀번호`), "password"},
	{regexp.MustCompile(`(?i)secret|security.?answer|api.?key|access.?token`), "secret"},
}

// personFields do the same for what says who somebody is.
var personFields = []struct {
	words *regexp.Regexp
	name  string
}{
	{regexp.MustCompile(`(?i)e-?mail|correo|courriel`), "email"},
	{regexp.MustCompile(`(?i)user.?(name|id)\b|\blogin\b|benutzer|usuario|identifi`), "username"},
}

// secretTexts tell a secret by what it looks like, wherever it stands.
var secretTexts = []struct {
	text *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), "token"}, // a JWT
	{regexp.MustCompile(`\b(sk|pk|rk)_(live|test)_[A-Za-z0-9]{10,}|\bgh[opsur]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{15,}|\bxox[abprs]-[\w-]{10,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bsk-[A-Za-z0-9_-]{20,}`), "token"},
	{regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY`), "secret"},
}

var (
	anEmail   = regexp.MustCompile(`^[^@\s]+@[^@\s]+\.[^@\s.]{2,}$`)
	digitRuns = regexp.MustCompile(`\d(?:[ -]?\d){12,18}`)
	longToken = regexp.MustCompile(`[A-Za-z0-9_+=-]{24,}`)
)

// looksSecret names the secret that a text holds by its looks, "" where it holds none.
func looksSecret(text string) string {
	for _, s := range secretTexts {
		if s.text.MatchString(text) {
			return s.name
		}
	}
	for _, run := range digitRuns.FindAllString(text, -1) {
		if isCard(run) {
			return "card_number"
		}
	}
	for _, run := range longToken.FindAllString(text, -1) {
		if isRandom(run) {
			return "token"
		}
	}
	return ""
}

// isCard is Luhn's check (ISO/IEC 7812), for what begins as cards do.
func isCard(run string) bool {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(run)
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
	return sum%10 == 0 && strings.IndexByte("23456", digits[0]) >= 0
}

// isRandom tells a token from words that are written together: it changes between
// letters, capitals and digits far more often than names do.
func isRandom(run string) bool {
	const often = 4 // every so many characters, on average
	kind := func(r rune) int {
		switch {
		case unicode.IsDigit(r):
			return 1
		case unicode.IsUpper(r):
			return 2
		case unicode.IsLower(r):
			return 3
		}
		return 0
	}
	changes, before, digits := 0, -1, 0
	for _, r := range run {
		if k := kind(r); k != before && k != 0 {
			before = k
			changes++
		}
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return digits >= 3 && changes*often >= len(run)
}

var (
	camel   = regexp.MustCompile(`([a-z])([A-Z])`)
	notWord = regexp.MustCompile(`[^\p{L}\p{N}-]+`)
)

// spaced gives loginPin and login_pin as words too.
func spaced(text string) string {
	words := notWord.ReplaceAllString(strings.ReplaceAll(text, "_", " "), " ")
	return words + " " + camel.ReplaceAllString(words, "$1 $2")
}

// fieldKind names the variable for what is typed into a field; secret says that it
// is one. "" is that what was typed can stay.
func fieldKind(about, typed string) (name string, secret bool) {
	words := spaced(about)
	for _, s := range secretFields {
		if s.words.MatchString(words) {
			return s.name, true
		}
	}
	if name = looksSecret(typed); name != "" {
		return name, true
	}
	if anEmail.MatchString(typed) {
		return "email", false
	}
	for _, p := range personFields {
		if p.words.MatchString(words) {
			return p.name, false
		}
	}
	return "", false
}
