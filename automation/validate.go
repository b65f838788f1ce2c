package automation

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-reprise/reprise/selectors"
)

// The lengths of what people write, in characters.
const (
	maxIntent      = 120  // a line of a log
	maxAccount     = 200  // longer than any e-mail address or user name in use
	maxDescription = 2000 // some paragraphs
)

var (
	namePattern     = regexp.MustCompile(`^[a-z][a-z0-9-]{0,50}$`)
	variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
	pagePattern     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,50}$`)
	lineBreaks      = strings.NewReplacer("\n", " ", "\t", " ")
)

// Validate says everything that is wrong with an automation, as Parse would. A
// dotted tool is taken as known. Errors are as Parse gives them.
func (a *Automation) Validate() error {
	var p problems
	a.validate(&p)
	if err := p.err(); err != nil {
		return err
	}
	// What Go's types allow and the document does not shows when it is read.
	data, err := a.compact()
	if err == nil {
		_, err = Parse(data, AnyTools())
	}
	return err
}

// validator carries what the checks of one document share.
type validator struct {
	*problems
	declared map[string]bool
}

func (a *Automation) validate(p *problems) {
	top := (*place)(nil)
	v := &validator{problems: p, declared: map[string]bool{}}
	if !namePattern.MatchString(a.Name) {
		p.add(top.field("name"), "%q must be 1 to 51 lower-case letters, digits and hyphens, a letter first", shorten(a.Name))
	}
	if reason := refuseLine(lineBreaks.Replace(a.Description), maxDescription); reason != "" {
		p.add(top.field("description"), "%s", reason)
	}
	if a.Revision < 0 {
		p.add(top.field("revision"), "must not be negative")
	}
	v.scope(&a.Match, top.field("match"))
	v.variables(a.Variables, top.field("variables"))
	if a.Identity != nil {
		v.identity(a.Identity, top.field("identity"))
	}
	if len(a.Steps) == 0 {
		p.add(top.field("steps"), "at least one is needed")
	}
	for i := range a.Steps {
		v.step(&a.Steps[i], top.field("steps").item(i))
	}
}

func (v *validator) scope(s *Scope, at *place) {
	if len(s.URLs) == 0 {
		v.add(at.field("urls"), "at least one is needed: nothing is typed outside them")
	}
	for i, glob := range s.URLs {
		here := at.field("urls").item(i)
		if g := v.glob(glob, here); g != nil && g.wide() {
			v.add(here, "%q takes in hosts of anybody: write out at least the last two parts", shorten(glob))
		}
	}
	if reason := refuseLine(s.Account, maxAccount); reason != "" {
		v.add(at.field("account"), "%s", reason)
	}
	if strings.TrimSpace(s.Account) != s.Account {
		v.add(at.field("account"), "begins or ends with white space")
	}
}

func (v *validator) glob(glob string, at *place) *Glob {
	g, err := ParseGlob(glob)
	if err != nil {
		v.add(at, "%v", err)
	}
	return g
}

func (v *validator) identity(i *Identity, at *place) {
	if len(i.Selector) == 0 {
		v.add(at.field("selector"), "missing")
	}
	v.path(i.Selector, at.field("selector"))
	v.paths(i.Alternatives, at.field("alternatives"))
	v.paths(i.Frame, at.field("frame"))
	if i.Value == nil {
		v.add(at.field("value"), "missing")
		return
	}
	v.value(i.Value, at.field("value"))
}

func (v *validator) path(p selectors.Path, at *place) {
	if len(p) == 0 {
		return
	}
	if err := p.Validate(); err != nil {
		v.add(at, "%v", err)
	}
}

func (v *validator) paths(list []selectors.Path, at *place) {
	for i, p := range list {
		if len(p) == 0 {
			v.add(at.item(i), "must not be empty")
		}
		v.path(p, at.item(i))
	}
}

func (v *validator) isDeclared(name string, at *place) {
	if !v.declared[name] {
		v.add(at, "variable %q is not declared in variables.properties", shorten(name))
	}
}

// CheckIntent says why an intent is not one: it has 1 to 120 characters, on one
// line. The error is ErrInvalidIntent.
func CheckIntent(intent string) error {
	if strings.TrimSpace(intent) == "" {
		return fmt.Errorf("%w: empty; leave the key out", ErrInvalidIntent)
	}
	if reason := refuseLine(intent, maxIntent); reason != "" {
		return fmt.Errorf("%w: %s", ErrInvalidIntent, reason)
	}
	return nil
}

// refuseLine refuses what cannot stand on one line of a log.
func refuseLine(s string, most int) string {
	if n := utf8.RuneCountInString(s); n > most {
		return fmt.Sprintf("%d characters, more than the %d allowed", n, most)
	}
	if !utf8.ValidString(s) {
		return "not valid UTF-8"
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		return "holds a control character"
	}
	return ""
}
