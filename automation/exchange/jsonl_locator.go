package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-reprise/reprise/selectors"
)

// located is what a selector of Playwright says, in our terms.
type located struct {
	frame    []selectors.Path
	paths    []selectors.Path
	anyFrame bool     // it is in some frame, or in none
	lost     []string // what of it could not be said
}

// readLocator reads a selector of Playwright, in the form of its own recorder:
// engines joined by >>, of which internal:control=enter-frame goes into a frame.
func readLocator(text string) (*located, error) {
	if len(text) > selectors.MaxLength {
		return nil, fmt.Errorf("%d bytes, more than the %d allowed", len(text), selectors.MaxLength)
	}
	found := &located{}
	var parts []string
	for _, part := range splitLocator(text) {
		if part == "internal:control=any-frame" {
			found.anyFrame = true
			continue
		}
		if part != "internal:control=enter-frame" {
			parts = append(parts, part)
			continue
		}
		frame, err := found.chain(parts)
		if err != nil {
			return nil, err
		}
		found.frame = append(found.frame, frame[0])
		parts = nil
	}
	paths, err := found.chain(parts)
	found.paths = paths
	return found, err
}

// splitLocator cuts at >> outside of quotes.
func splitLocator(text string) []string {
	var parts []string
	var quote byte
	start := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case strings.HasPrefix(text[i:], ">>"):
			parts = append(parts, strings.TrimSpace(text[start:i]))
			start = i + len(">>")
			i++
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}

// chain returns the ways to what the last of several parts names within the others.
// Playwright looks into shadow roots wherever it goes down, a document only where
// its path says so: either can be meant.
func (l *located) chain(parts []string) ([]selectors.Path, error) {
	var names [][]string // of each part that names something, the ways to it
	for _, part := range parts {
		if why := refines(part); why != "" {
			if names == nil {
				return nil, errors.New("it begins with what only narrows down: " + shorten(part))
			}
			l.lost = append(l.lost, why)
			continue
		}
		ways, err := engine(part)
		if err != nil {
			return nil, err
		}
		names = append(names, ways)
	}
	switch len(names) {
	case 0:
		return nil, errors.New("it is empty")
	case 1:
		return l.single(names[0])
	}
	return l.within(names)
}

func (l *located) single(ways []string) (paths []selectors.Path, err error) {
	if isCSS(ways[0]) {
		ways = append(ways, "pierce/"+ways[0])
	}
	for _, way := range ways {
		path, err := selectors.ParsePath(way)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func (l *located) within(names [][]string) (paths []selectors.Path, err error) {
	roots := make([]string, len(names))
	allCSS := true
	for i, ways := range names {
		roots[i] = ways[0]
		allCSS = allCSS && isCSS(ways[0])
	}
	through, err := selectors.ParsePath(roots...)
	if err != nil {
		return nil, err
	}
	if allCSS {
		inside, err := selectors.ParsePath(strings.Join(roots, " "))
		return []selectors.Path{inside, through}, err
	}
	l.lost = append(l.lost, fmt.Sprintf("it is looked for everywhere, not only within %s", shorten(roots[len(roots)-2])))
	everywhere, err := l.single(names[len(names)-1])
	return append([]selectors.Path{through}, everywhere...), err
}

// isCSS reports whether the text form of a selector is one CSS selector, to which
// another can be put.
func isCSS(text string) bool {
	s, err := selectors.Parse(text)
	return err == nil && s.Kind == selectors.CSS && !strings.Contains(text, ",")
}

// refines returns what is lost with a part that only narrows down what was found.
func refines(part string) string {
	name, body, _ := strings.Cut(part, "=")
	switch name {
	case "nth":
		n, _ := strconv.Atoi(body)
		if n < 0 {
			return "it was the last of several"
		}
		return fmt.Sprintf("it was number %d of several", n+1)
	case "internal:has-text", "internal:has-not-text", "internal:has", "internal:has-not", "internal:and", "internal:or", "internal:chain", "visible":
		return fmt.Sprintf("that it must also be %s", shorten(part))
	case "internal:describe":
		return "its description"
	}
	return ""
}

// engine returns the selectors that say what a part of a selector does, best first.
func engine(part string) ([]string, error) {
	name, body, found := strings.Cut(part, "=")
	if !found || !engineName.MatchString(name) {
		name, body = "css", part
		if strings.HasPrefix(part, "//") || strings.HasPrefix(part, "..") || strings.HasPrefix(part, "(//") {
			name = "xpath"
		}
	}
	switch name {
	case "css":
		if strings.HasPrefix(body, ":light(") || playwrightCSS.MatchString(body) {
			return nil, fmt.Errorf("%q is CSS of Playwright's own", shorten(body))
		}
		return []string{body}, nil
	case "xpath":
		return []string{"xpath/" + body}, nil
	case "id", "data-testid", "data-test-id", "data-test":
		return []string{"[" + name + "=" + cssString(body) + "]"}, nil
	case "text", "internal:text":
		return []string{"text/" + unquoted(body)}, nil
	case "internal:label":
		name := unquoted(body)
		return []string{"aria/" + name, "xpath/" + xpathByLabel(name, strings.HasSuffix(body, `"s`))}, nil
	case "internal:role", "role":
		return role(body)
	case "internal:attr", "internal:testid":
		return attribute(body)
	}
	return nil, fmt.Errorf("the engine %q is not known here", shorten(name))
}

var (
	engineName    = regexp.MustCompile(`^[a-z][a-z-]*(:[a-z-]+)?$`)
	playwrightCSS = regexp.MustCompile(`:(has-text|text|text-is|text-matches|nth-match|right-of|left-of|above|below|near|visible)\b`)
	roleOf        = regexp.MustCompile(`^([a-z]+)((?:\[.*\])?)$`)
	nameOf        = regexp.MustCompile(`\[name=("(?:[^"\\]|\\.)*")([is]?)\]`)
	attributeOf   = regexp.MustCompile(`^\[([a-zA-Z][\w-]*)=("(?:[^"\\]|\\.)*")([is]?)\]$`)
)

// unquoted reads "Next"i, "Next"s, "Next" and Next.
func unquoted(body string) string {
	quoted := body
	if n := len(body) - 1; n > 1 && (body[n] == 'i' || body[n] == 's') && body[n-1] == '"' {
		quoted = body[:n]
	}
	var text string
	if strings.HasPrefix(quoted, `"`) && json.Unmarshal([]byte(quoted), &text) == nil {
		return text
	}
	return body
}

// cssUnquoted reads a quoted value of an attribute, where a backslash keeps what
// follows it.
func cssUnquoted(quoted string) string {
	var b strings.Builder
	body := quoted[1 : len(quoted)-1]
	for i := 0; i < len(body); i++ {
		if body[i] == '\\' && i+1 < len(body) {
			i++
		}
		b.WriteByte(body[i])
	}
	return b.String()
}

func role(body string) ([]string, error) {
	m := roleOf.FindStringSubmatch(body)
	if m == nil {
		return nil, fmt.Errorf("%q is no role", shorten(body))
	}
	name, part := "", false
	if n := nameOf.FindStringSubmatch(m[2]); n != nil {
		name, part = cssUnquoted(n[1]), n[2] == "i"
	} else if strings.Contains(m[2], "[name=") {
		return nil, fmt.Errorf("%q names by a pattern", shorten(body))
	}
	s, err := selectors.NewAria(name, m[1])
	if err != nil {
		return nil, err
	}
	if !part {
		return []string{s.String()}, nil
	}
	// Long names are cut off by Playwright's recorder.
	return []string{s.String(), "xpath/" + xpathByName(name, m[1], true)}, nil
}

func attribute(body string) ([]string, error) {
	m := attributeOf.FindStringSubmatch(body)
	if m == nil {
		return nil, fmt.Errorf("%q names by a pattern", shorten(body))
	}
	value := cssUnquoted(m[2])
	if slices.Contains(selectors.TestIDAttributes(), m[1]) {
		return []string{"testid/" + value}, nil
	}
	css := "[" + m[1] + "=" + cssString(value) + "]"
	if m[3] == "i" {
		css = "[" + m[1] + "=" + cssString(value) + " i]"
	}
	return []string{css}, nil
}
