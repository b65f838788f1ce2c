package selectors

import (
	"regexp"
	"strconv"
	"strings"
)

// cssEscape is how CSS writes a character that would end a name or a string, by
// itself or by its code (https://www.w3.org/TR/css-syntax-3/#consume-escaped-code-point).
var cssEscape = regexp.MustCompile(`\\(?:[0-9a-fA-F]{1,6}\s?|[^0-9a-fA-F])`)

// Plain is the text of a selector with its CSS escapes read, so that it can be looked
// through for what it repeats of a page: "#\31 23" says 123. It is for reading only;
// as a selector it may mean something else.
func Plain(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return cssEscape.ReplaceAllStringFunc(text, func(escape string) string {
		code, err := strconv.ParseInt(strings.TrimSpace(escape[1:]), 16, 32)
		if err != nil {
			return escape[1:]
		}
		return string(rune(code))
	})
}
