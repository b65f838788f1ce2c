package automation

import (
	"cmp"
	"errors"
	"regexp"
	"slices"

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

// hashedFields hold hashes and numbers, and nothing that anybody could read.
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
	what := cmp.Or(LooksSecret(text), LooksSecret(selectors.Plain(text)))
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

// isPublic reports whether notes say that what stands beside them is no secret.
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
