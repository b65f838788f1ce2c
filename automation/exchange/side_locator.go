package exchange

import (
	"strings"

	"github.com/go-reprise/reprise/selectors"
)

// sidePath reads a locator of Selenium IDE. why says what is wrong with it; of an
// empty one there is nothing to say.
func sidePath(locator string) (path selectors.Path, why string) {
	kind, body, found := strings.Cut(locator, "=")
	switch {
	case strings.TrimSpace(locator) == "":
		return nil, ""
	case strings.HasPrefix(locator, "//") || strings.HasPrefix(locator, "(//"):
		kind, body = "xpath", locator
	case !found:
		kind, body = "id", locator // as Selenium takes what has no strategy
	}
	text := sideSelector(kind, body)
	if text == "" {
		return nil, "its kind is not known"
	}
	path, err := selectors.ParsePath(text)
	if err != nil {
		return nil, err.Error()
	}
	return path, ""
}

func sideSelector(kind, body string) string {
	switch kind {
	case "id":
		return "[id=" + cssString(body) + "]"
	case "name":
		return "[name=" + cssString(body) + "]"
	case "css":
		return body
	case "xpath":
		return "xpath/" + body
	case "link", "linkText":
		return `aria/` + strings.TrimPrefix(body, "exact:") + `[role="link"]`
	case "partialLinkText":
		return "xpath///a[contains(normalize-space(.), " + xpathString(body) + ")]"
	}
	return ""
}

// sideLocators are the ways to an element as Selenium IDE writes them, best first.
// Approximate is set where none of them says quite the same.
func sideLocators(paths []selectors.Path, testID func(string) string) (locators [][]string, approximate bool) {
	var near [][]string
	for _, path := range paths {
		if len(path) != 1 {
			continue // it knows no shadow roots
		}
		switch part := path[0]; part.Kind {
		case selectors.CSS:
			locators = append(locators, []string{"css=" + part.Body, "css:finder"})
		case selectors.TestID:
			locators = append(locators, []string{"css=" + testID(part.Body), "css:data-attr"})
		case selectors.XPath:
			locators = append(locators, []string{"xpath=" + part.Body, "xpath:position"})
		case selectors.Pierce:
			near = append(near, []string{"css=" + part.Body, "css:finder"})
		case selectors.Text:
			near = append(near, []string{"xpath=//*[normalize-space(.)=" + xpathString(part.Body) + " and not(*[normalize-space(.)=" + xpathString(part.Body) + "])]", "xpath:innerText"})
		case selectors.Aria:
			if name, role := part.Aria(); name != "" || role != "" {
				near = append(near, []string{"xpath=" + xpathByName(name, role, false), "xpath:attributes"})
			}
		}
	}
	return append(locators, near...), len(locators) == 0
}

// xpathTags are the elements that have a role by themselves.
var xpathTags = map[string]string{
	"button":     "self::button or self::summary or self::input[@type='submit' or @type='button' or @type='reset'] or @role='button'",
	"link":       "self::a or @role='link'",
	"textbox":    "self::input or self::textarea or @role='textbox'",
	"searchbox":  "self::input or @role='searchbox'",
	"spinbutton": "self::input[@type='number'] or @role='spinbutton'",
	"checkbox":   "self::input[@type='checkbox'] or @role='checkbox'",
	"radio":      "self::input[@type='radio'] or @role='radio'",
	"combobox":   "self::select or self::input or @role='combobox'",
	"heading":    "self::h1 or self::h2 or self::h3 or self::h4 or self::h5 or self::h6 or @role='heading'",
}

// xpathByName comes near an accessible name: what the element says itself, is
// labelled, or shows while it is empty. With part, the name is only a part of it.
func xpathByName(name, role string, part bool) string {
	var all []string
	if tag := xpathTags[role]; tag != "" {
		all = append(all, tag)
	} else if role != "" {
		all = append(all, "@role="+xpathString(role))
	}
	if name != "" {
		all = append(all, saying(name, part))
	}
	return "//*[(" + strings.Join(all, ") and (") + ")]"
}

func saying(name string, part bool) string {
	text := xpathString(name)
	is := func(what string) string {
		if part {
			return "contains(normalize-space(" + what + "), " + text + ")"
		}
		return "normalize-space(" + what + ")=" + text
	}
	return strings.Join([]string{
		is("@aria-label"), is("@placeholder"), is("@title"), is("@alt"), "self::input[@type='submit' or @type='button'] and " + is("@value"),
		"@id=//label[" + is(".") + "]/@for", "ancestor::label[" + is(".") + "]",
		"not(descendant::*[" + is(".") + "]) and " + is("."),
	}, " or ")
}

// xpathString quotes a text for XPath, which has no escapes.
func xpathString(s string) string {
	switch {
	case !strings.Contains(s, `"`):
		return `"` + s + `"`
	case !strings.Contains(s, "'"):
		return "'" + s + "'"
	}
	return `concat("` + strings.ReplaceAll(s, `"`, `",'"',"`) + `")`
}
