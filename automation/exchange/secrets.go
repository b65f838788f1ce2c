package exchange

import (
	"regexp"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// secretFields tell a field that holds a secret by the words of its selectors, and
// what its variable is called: the first that fits. The recorder decides by the
// page; of a file there are only selectors.
var secretFields = []struct {
	words *regexp.Regexp
	name  string
}{
	{regexp.MustCompile(`(?i)\botp\b|one.?time|verification|\b(2fa|mfa|totp|tan)\b|\bpass.?code\b|bestätigungscode|código|codice|код|验证码|驗證碼|認証コード|인증`), "code"},
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

var anEmail = regexp.MustCompile(`^[^@\s]+@[^@\s]+\.[^@\s.]{2,}$`)

// secretNames are what variables are called for what looks like a secret, by words
// of what automation.LooksSecret says.
var secretNames = []struct{ word, name string }{
	{"card", "card_number"}, {"IBAN", "account_number"}, {"token", "token"}, {"key", "key"},
}

// looksSecret names the secret that a text holds by its looks, "" where it holds none.
func looksSecret(text string) string {
	what := automation.LooksSecret(text)
	if what == "" {
		return ""
	}
	for _, s := range secretNames {
		if strings.Contains(what, s.word) {
			return s.name
		}
	}
	return "secret"
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
