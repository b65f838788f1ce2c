package exchange

import (
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// playwrightPath chooses the way to an element that Playwright can go: the first
// that means the same there, else the first that comes near.
func playwrightPath(ways []selectors.Path) (path selectors.Path, approximate bool) {
	var near selectors.Path
	for _, way := range ways {
		fit, same := fitsPlaywright(way)
		if same {
			return way, false
		}
		if fit && near == nil {
			near = way
		}
	}
	return near, near != nil
}

func fitsPlaywright(way selectors.Path) (fit, same bool) {
	same = true
	for i, part := range way {
		name, role := part.Aria()
		switch {
		case part.Kind == selectors.XPath && i > 0: // XPath knows no shadow roots
			return false, false
		case part.Kind == selectors.Aria && role == "" && name != "":
			same = false // of any role: there is only what has a label
		}
	}
	return true, same
}

// ownSelector writes a path in the form of Playwright's recorder.
func ownSelector(path selectors.Path, s *automation.Step) string {
	parts := make([]string, len(path))
	for i, part := range path {
		parts[i] = ownPart(part, s)
	}
	return strings.Join(parts, " >> ")
}

func ownPart(part selectors.Selector, s *automation.Step) string {
	switch part.Kind {
	case selectors.TestID:
		return "css=" + testIDs(part.Body, s)
	case selectors.Text:
		return "internal:text=" + jsString(part.Body) + "i"
	case selectors.XPath:
		return "xpath=" + part.Body
	case selectors.Aria:
		name, role := part.Aria()
		switch {
		case role == "":
			return "internal:label=" + jsString(name) + "s"
		case name == "":
			return "internal:role=" + role
		}
		return "internal:role=" + role + "[name=" + cssString(name) + "s]"
	}
	return "css=" + part.Body
}

// jsString is a text as JSON and JavaScript quote it.
func jsString(s string) string {
	text, err := compact(s)
	if err != nil { // there is no such string
		return `""`
	}
	return string(text)
}

// tsString is a text as people quote it in TypeScript.
func tsString(s string) string {
	inner := jsString(s)
	inner = strings.ReplaceAll(inner[1:len(inner)-1], `\"`, `"`)
	return "'" + strings.NewReplacer("'", `\'`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(inner) + "'"
}

// tsLocator writes a path as calls of Playwright's API on a page, a frame or a
// locator.
func tsLocator(base string, path selectors.Path, s *automation.Step) string {
	for _, part := range path {
		base += tsPart(part, s)
	}
	return base
}

func tsPart(part selectors.Selector, s *automation.Step) string {
	switch part.Kind {
	case selectors.TestID:
		return ".locator(" + tsString(testIDs(part.Body, s)) + ")"
	case selectors.Text:
		return ".getByText(" + tsString(part.Body) + ")"
	case selectors.XPath:
		return ".locator(" + tsString("xpath="+part.Body) + ")"
	case selectors.Aria:
		name, role := part.Aria()
		switch {
		case role == "":
			return fmt.Sprintf(".getByLabel(%s, { exact: true })", tsString(name))
		case name == "":
			return fmt.Sprintf(".getByRole(%s)", tsString(role))
		}
		return fmt.Sprintf(".getByRole(%s, { name: %s, exact: true })", tsString(role), tsString(name))
	}
	return ".locator(" + tsString(part.Body) + ")"
}
