package exchange

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/go-reprise/reprise/selectors"
)

// sidePath reads a locator of Selenium IDE. why says what is wrong with it; of an
// empty one there is nothing to say.
func sidePath(locator string) (path selectors.Path, why string) {
	kind, body := splitSide(locator)
	if kind == "" {
		return nil, ""
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

// splitSide returns the strategy of a locator, "" for an empty one, and what it says.
func splitSide(locator string) (kind, body string) {
	kind, body, found := strings.Cut(locator, "=")
	switch {
	case strings.TrimSpace(locator) == "":
		return "", ""
	case strings.HasPrefix(locator, "//") || strings.HasPrefix(locator, "(//"):
		return "xpath", locator
	case !found:
		return "id", locator // as Selenium takes what has no strategy
	}
	return kind, body
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

// xpathByLabel names what Playwright's getByLabel does: what is labelled with a text, by a
// label around it or for it, by aria-labelledby or by aria-label. Unless it is exact, the text is
// a part of the label, in any case.
func xpathByLabel(name string, exact bool) string {
	is := func(what string) string { return "normalize-space(" + what + ")=" + xpathString(name) }
	if !exact {
		upper, lower, text := lettersOf(name)
		is = func(what string) string {
			what = "normalize-space(" + what + ")"
			if lower != "" {
				what = "translate(" + what + ", " + xpathString(upper) + ", " + xpathString(lower) + ")"
			}
			return "contains(" + what + ", " + xpathString(text) + ")"
		}
	}
	field := "self::input[not(@type='hidden')] or self::select or self::textarea or self::button or self::meter or self::output or self::progress"
	return "//*[" + strings.Join([]string{
		is("@aria-label"),
		"@aria-labelledby=//*[" + is(".") + "]/@id",
		// The first that is named so may be one of several ids.
		"@aria-labelledby and contains(concat(' ', normalize-space(@aria-labelledby), ' '), concat(' ', //*[@id and " + is(".") + " and not(descendant::*[@id and " + is(".") + "])]/@id, ' '))",
		"(" + field + ") and (@id=//label[" + is(".") + "]/@for or ancestor::label[" + is(".") + "])",
	}, " or ") + "]"
}

// lettersOf returns the letters of a text in upper and in lower case, each once, and the text in
// lower case: XPath 1.0 has no other way to compare without case.
func lettersOf(name string) (upper, lower, text string) {
	var folded strings.Builder
	for _, c := range name {
		low, up := unicode.ToLower(c), unicode.ToUpper(c)
		folded.WriteRune(low)
		if low != up && !strings.ContainsRune(lower, low) {
			upper, lower = upper+string(up), lower+string(low)
		}
	}
	return upper, lower, folded.String()
}

// firstOf is the first of what a locator of Selenium names: Selenium takes that of many. It is ""
// for a locator that names one at most, or that XPath cannot say.
func firstOf(kind, body string) string {
	all := ""
	switch kind {
	case "id":
		all = "//*[@id=" + xpathString(body) + "]"
	case "name":
		all = "//*[@name=" + xpathString(body) + "]"
	case "xpath":
		if strings.HasPrefix(body, "(") && strings.HasSuffix(body, "]") {
			return "" // it says itself which it is
		}
		all = body
	case "css":
		all = xpathOfCSS(body)
	case "link", "linkText":
		all = "//a[normalize-space(.)=" + xpathString(strings.TrimPrefix(body, "exact:")) + "]"
	case "partialLinkText":
		all = "//a[contains(normalize-space(.), " + xpathString(body) + ")]"
	}
	if all == "" {
		return ""
	}
	return "xpath/(" + all + ")[1]"
}

// simpleCSS is one part of a selector of CSS: an element, its id, classes, attributes, and its number.
var simpleCSS = regexp.MustCompile(`^(\*|[a-zA-Z][\w-]*)?((?:#[\w-]+|\.[\w-]+|\[[a-zA-Z][\w-]*(?:[~^$*|]?=(?:"[^"\\]*"|'[^'\\]*'|[\w-]+))?\]|:nth-child\(\d+\)|:nth-of-type\(\d+\)|:first-child)*)$`)

var partOfCSS = regexp.MustCompile(`#[\w-]+|\.[\w-]+|\[[^\]]*\]|:nth-child\(\d+\)|:nth-of-type\(\d+\)|:first-child`)

// xpathOfCSS says the selectors that Selenium's recorder writes in XPath, "" for others.
func xpathOfCSS(css string) string {
	fields := strings.Fields(strings.ReplaceAll(css, ">", " > "))
	path, axis := "", "//"
	for i, field := range fields {
		if field == ">" {
			if i == 0 || axis == "/" {
				return ""
			}
			axis = "/"
			continue
		}
		m := simpleCSS.FindStringSubmatch(field)
		if m == nil {
			return ""
		}
		tag := m[1]
		if tag == "" {
			tag = "*"
		}
		step := axis + tag
		for _, part := range partOfCSS.FindAllString(m[2], -1) {
			test := testOfCSS(part, tag)
			if test == "" {
				return ""
			}
			step += "[" + test + "]"
		}
		path, axis = path+step, "//"
	}
	if axis == "/" {
		return ""
	}
	return path
}

func testOfCSS(part, tag string) string {
	number := strings.TrimSuffix(part[strings.IndexByte(part, '(')+1:], ")")
	switch {
	case part[0] == '#':
		return "@id=" + xpathString(part[1:])
	case part[0] == '.':
		return "contains(concat(' ', normalize-space(@class), ' '), " + xpathString(" "+part[1:]+" ") + ")"
	case part == ":first-child":
		return "not(preceding-sibling::*)"
	case strings.HasPrefix(part, ":nth-child("):
		return "count(preceding-sibling::*)+1=" + number
	case strings.HasPrefix(part, ":nth-of-type("):
		if tag == "*" {
			return ""
		}
		return "count(preceding-sibling::" + tag + ")+1=" + number
	}
	name, value, valued := strings.Cut(part[1:len(part)-1], "=")
	if !valued {
		return "@" + name
	}
	value = xpathString(strings.Trim(value, `"'`))
	switch attribute := "@" + strings.TrimRight(name, "~^$*|"); name[len(name)-1] {
	case '^':
		return "starts-with(" + attribute + ", " + value + ")"
	case '*':
		return "contains(" + attribute + ", " + value + ")"
	case '~', '$', '|':
		return ""
	default:
		return attribute + "=" + value
	}
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
