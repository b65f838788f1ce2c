package selectors

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
)

// What tells a token that a program made from one that a person wrote. The two
// lists in testdata say what these know and what they must let be.
// The page script has the same (internal/page/src/locate/generated.ts).
const (
	maxName    = 64  // in UTF-16 units; a longer one is no name that anyone keeps
	hashLength = 5   // characters from which a run of letters and digits can be a hash
	leastTurns = 3   // changes of class that no word of that length has: "tab4a" and "objC1" have two
	hashTurns  = 2.5 // characters for each change of class in a hash: "a8Kd3", not "iPhone15Pro"
	longLength = 20  // characters from which a run is one that no author writes
	longTurns  = 3.4 // characters for each change of class in such a hash: "ojg3keil6shokkhzlb9htc8x"
	hexLength  = 8   // from so many hexadecimal digits on, a run with a number in it is one

	randomLength = 14 // characters from which a token of small and capital letters and digits can be random as a whole: nanoid, base64
	randomTurns  = 4  // characters for each change of class in one
)

var generated = []*regexp.Regexp{
	regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), // GUID
	regexp.MustCompile(`[0-9]{5,}`), // counters, times, database keys; years have four
	regexp.MustCompile(`:[rR][0-9a-zH]+:|«[rR][0-9a-zH]+»|(^|[^0-9A-Za-z_])_[rR]_[0-9a-zH]+_`), // React's useId
	regexp.MustCompile(`^(css|svelte|emotion|tss|astro)-[0-9a-z]*[0-9][0-9a-z]*(-|$)`),         // styles in scripts
	regexp.MustCompile(`^sc-[a-z]*[A-Z][A-Za-z]*$|^jss[0-9]+$`),                                // the same
	regexp.MustCompile(`^select2-.+-(result|choice)-[0-9a-z]{4}-`),                             // drawn for each list that is opened
	regexp.MustCompile(`^mantine-[0-9a-z]{9}(-|$)`),                                            // drawn for each page
	regexp.MustCompile(`^((radix|reka-[a-z-]+)-)?v-[0-9]+(-[0-9]+)*$`),                         // Vue's useId
	regexp.MustCompile(`^_ng(content|host)-|^data-v-[0-9a-f]+$`),                               // scoped styles of Angular and Vue

	// Counters of frameworks: the number depends on what else is on the page.
	regexp.MustCompile(`(^|-)(ember|ext-gen|ext-comp-|gwt-uid-|yui_|isc_|dijit_|ui-id-|bits-c|cdk-|mat-[a-z-]+-|radix-|headlessui-[a-z-]+-|react-aria|react-select-|mantine-|rc_select_|pr_id_|pv_id_|__BVID__|el-id-|mui-|bs-select-|downshift-|tippy-|vaadin-[a-z-]+-|pf-[a-z-]+-)[0-9]`),
}

// Generated reports whether an id, a class or a test id looks as if the next build or
// the next visit would have another in its place: a hash, a counter, a GUID.
func Generated(token string) bool {
	if len(token) > maxName && len(utf16.Encode([]rune(token))) > maxName {
		return true
	}
	for _, pattern := range generated {
		if pattern.MatchString(token) {
			return true
		}
	}
	words := strings.FieldsFunc(token, func(r rune) bool { return classOf(r) == 0 })
	for _, word := range words {
		if isHash(word) {
			return true
		}
	}
	return isRandom(words)
}

// isRandom looks at a token as a whole, as the dashes within it may be a part of what was drawn.
func isRandom(words []string) bool {
	word := strings.Join(words, "")
	return len(word) >= randomLength && float64(turns(word))*randomTurns >= float64(len(word)) &&
		strings.ContainsFunc(word, unicode.IsLower) && strings.ContainsFunc(word, unicode.IsUpper) && strings.ContainsFunc(word, unicode.IsDigit)
}

// isHash looks at one run of letters and digits.
func isHash(word string) bool {
	if len(word) < hashLength {
		return false
	}
	hex := strings.Trim(word, "0123456789abcdef") == "" && strings.ContainsAny(word, "0123456789")
	if hex && len(word) >= hexLength {
		return true
	}
	changes := turns(word)
	each := hashTurns
	if len(word) >= longLength {
		each = longTurns
	}
	return changes >= leastTurns && float64(changes)*each >= float64(len(word))
}

// turns counts the changes between letters and digits, and from lower to upper
// case. The step down after a capital is not one: words begin that way.
func turns(word string) int {
	n := 0
	var last byte
	for _, r := range word {
		class := classOf(r)
		if last != 0 && class != last && (last != 'A' || class != 'a') {
			n++
		}
		last = class
	}
	return n
}

// classOf returns 'a', 'A' or '0' for what ids are made of, else 0.
func classOf(r rune) byte {
	switch {
	case 'a' <= r && r <= 'z':
		return 'a'
	case 'A' <= r && r <= 'Z':
		return 'A'
	case '0' <= r && r <= '9':
		return '0'
	}
	return 0
}
