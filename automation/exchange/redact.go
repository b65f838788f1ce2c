package exchange

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// redact takes what repeats a value that was taken out, or looks like a secret, from
// everything else: selectors, texts to look for, addresses. It comes last, when all
// values are known.
func (r *reader) redact() {
	kept, from := r.steps[:0], r.from[:0]
	for i, step := range r.steps {
		at := r.from[i]
		r.begin(at.at, at.command)
		if r.redactStep(&step) {
			kept, from = append(kept, step), append(from, at)
		}
	}
	r.steps, r.from = kept, from
	r.sites = slices.DeleteFunc(r.sites, r.tells)
	r.begin(whole, "")
}

// tells reports whether a text must not be stored.
func (r *reader) tells(text string) bool {
	return r.variables.repeats(text) || looksSecret(text) != "" || r.options.Account != "" && emailWithin.MatchString(text)
}

// emailWithin is an e-mail address in a text: a document for one account holds none.
var emailWithin = regexp.MustCompile(`[\w.+-]@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+`)

func (r *reader) redactStep(step *automation.Step) bool {
	r.redactSelectors(step)
	step.Expect = slices.DeleteFunc(step.Expect, func(e automation.Expectation) bool {
		tells := r.tells(e.Selector.String()) || r.tells(e.URL) || r.tells(e.Text)
		if tells {
			r.lose(Dropped, "what it waits for repeats a value that is not stored", "")
		}
		return tells
	})
	if step.Tool == "waitForNav" && r.tells(step.URL) {
		step.URL = ""
	}
	if step.Value != nil && step.Value.Kind == automation.Literal {
		r.redactLiteral(step)
	}
	texts := []string{step.URL, step.Selector.String(), string(step.Args)}
	if step.Value != nil {
		texts = append(texts, string(step.Value.Value), step.Value.Text)
	}
	for _, frame := range step.Frame {
		texts = append(texts, frame.String())
	}
	if slices.ContainsFunc(texts, r.tells) {
		r.lose(Dropped, "it repeats a value that is not stored", "Record it again")
		return false
	}
	return true
}

// redactSelectors keeps the ways to an element that repeat nothing, as long as there
// is one.
func (r *reader) redactSelectors(step *automation.Step) {
	if len(step.Selector) == 0 {
		return
	}
	all := append([]selectors.Path{step.Selector}, step.Alternatives...)
	fit := slices.DeleteFunc(slices.Clone(all), func(p selectors.Path) bool { return r.tells(p.String()) })
	if len(fit) == 0 || len(fit) == len(all) {
		return
	}
	step.Selector, step.Alternatives = fit[0], fit[1:]
	if len(fit) == 1 {
		step.Alternatives = nil
	}
	r.lose(Dropped, "a selector repeats a value that is not stored", "")
}

// redactLiteral makes a variable of a value that another field was asked for, or
// that was met before it was known to be one.
func (r *reader) redactLiteral(step *automation.Step) {
	var text string
	if unquote(step.Value.Value, &text) != nil {
		return
	}
	if name := r.variables.holding(text); name != "" {
		step.Value = &automation.Value{Kind: automation.Variable, Name: name}
		return
	}
	for _, v := range r.variables.declared {
		before, after, found := strings.Cut(text, v.seen)
		if !v.secret && len(v.seen) >= shortestWithin && found {
			step.Value = &automation.Value{Kind: automation.Template, Text: automation.TemplateText(before) + "${" + v.name + "}" + automation.TemplateText(after)}
			return
		}
	}
}

// redactReport takes the values that were taken out from what is said of the file, too.
func (r *reader) redactReport() {
	for i := range r.list {
		one := &r.list[i]
		one.Command, one.What = r.variables.without(one.Command), r.variables.without(one.What)
	}
}

// tellingStart is how much of a value tells it, in characters: messages are cut short,
// anywhere in it.
const tellingStart = 6

// without ends a message where a value that was taken out begins.
func (vs *variables) without(text string) string {
	for _, v := range vs.declared {
		if len(v.seen) < shortestRepeated {
			continue
		}
		quoted := strings.Trim(strconv.Quote(v.seen), `"`)
		for _, form := range []string{v.seen, quoted, url.QueryEscape(v.seen), url.PathEscape(v.seen)} {
			start := []rune(form)
			if at := strings.Index(text, string(start[:min(tellingStart, len(start))])); at >= 0 {
				text = text[:at] + "[a value]"
			}
		}
	}
	return text
}

func unquote(value json.RawMessage, text *string) error { return json.Unmarshal(value, text) }

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

// personFields do the same for what says who someone is.
var personFields = []struct {
	words *regexp.Regexp
	name  string
}{
	{regexp.MustCompile(`(?i)e-?mail|correo|courriel`), "email"},
	{regexp.MustCompile(`(?i)user.?(name|id)\b|\blogin\b|benutzer|usuario|identifi`), "username"},
}

var anEmail = regexp.MustCompile(`^[^@\s]+@[^@\s]+\.[^@\s.]{2,}$`)

// secretNames are what variables are called for what looks like a secret, by words
// of what automation.DetectSecret says.
var secretNames = []struct{ word, name string }{
	{"card", "card_number"}, {"IBAN", "account_number"}, {"token", "token"}, {"key", "key"},
}

// looksSecret names the secret that a text holds by its looks, "" where it holds none.
func looksSecret(text string) string {
	what := automation.DetectSecret(text)
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

// spaced returns loginPin and login_pin as words too.
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
