package exchange

import (
	"strings"
)

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
