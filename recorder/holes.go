package recorder

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-reprise/reprise/selectors"
)

// said is a text of the recording that is a variable.
type said struct {
	name, text string
	names      bool // as in offered
	typed      bool // and not chosen
	sure       bool // where it is found it is no other word, however short
	command    bool // the item of a menu
	row        *row // that it tells
}

// isIn reports whether the name of something says it: what was typed in a part of it, what was chosen as the whole.
func (s said) isIn(name string) bool {
	return s.text == name || s.typed && strings.Contains(name, s.text)
}

func (s said) hole() string { return "${" + s.name + "}" }

// said lists them, the longest first: it is not mistaken for a part of it.
func (o *offer) said() (all []said) {
	for _, v := range o.vs.declared {
		if !v.secret && utf8.RuneCountInString(v.typed) >= shortestQuoted {
			all = append(all, said{name: v.name, text: v.typed, names: true, typed: true})
		}
	}
	for _, v := range o.declared {
		if text, ok := v.value.(string); ok && utf8.RuneCountInString(text) >= shortestQuoted {
			all = append(all, said{name: v.name, text: text, names: v.names, typed: v.names && v.el.isField(), command: v.el.role == "menuitem", row: v.el.row})
		}
	}
	slices.SortStableFunc(all, func(a, b said) int { return len(b.text) - len(a.text) })
	return all
}

// saidExactly returns what was said before that is a text; nil for nothing.
func (o *offer) saidExactly(text string) *said {
	for _, s := range o.said() {
		if s.text == text {
			return &s
		}
	}
	return nil
}

// within returns what was typed right before that a label holds, what was typed earlier that it says as words of its own, or
// what was chosen that it says; nil for nothing.
func (o *offer) within(label string, el *element) *said {
	for _, s := range o.saidOf(label, el) {
		if s.isIn(label) && (s.name == o.typed || withHole(label, s) != label) {
			return &s
		}
	}
	return nil
}

// saidOf lists what was said before of a choice: what was typed to find it, where others say that as well, does not tell it, nor
// does what a row said that reads as an option does.
func (o *offer) saidOf(label string, el *element) []said {
	return slices.DeleteFunc(o.said(), func(s said) bool {
		isShort := utf8.RuneCountInString(s.text) < shortestRepeated // three guests are no three nights
		return el.rival && s.name == o.typed && s.text != label || s.row != nil && el.role == "option" || isShort && el.role == "button"
	})
}

// quoted returns the longest of what was said, that first, that a label says as words of its own, nil for nothing.
func quoted(texts []said, label string) *said {
	for _, s := range texts {
		if withHole(label, s) != label {
			return &s
		}
	}
	return nil
}

// holes puts holes into the texts and names of selectors that say one of the texts, whole, or in
// parts between the limits of words. It reports whether there is one.
func holes(paths []selectors.Path, texts []said, inParts bool) (with []selectors.Path, any bool) {
	for _, path := range paths {
		path = slices.Clone(path)
		last := &path[len(path)-1]
		for _, s := range texts {
			words := last.Words()
			if last.Kind == selectors.Near && path[0].Words() == s.text {
				if named, err := path[0].WithWords(s.hole()); err == nil { // what it stands next to
					path[0], any = named, true
					break
				}
			}
			put := withHole(words, s)
			if put == words || !inParts && put != s.hole() {
				continue
			}
			if named, err := last.WithWords(put); err == nil {
				*last, any = named, true
				for i, around := range path[:len(path)-1] { // as the host of a shadow root that draws what it holds
					if named, err := around.WithWords(s.hole()); around.Words() == s.text && err == nil {
						path[i] = named
					} else {
						path[i] = ofAnyPlace(around)
					}
				}
			}
			break
		}
		with = append(with, path)
	}
	return with, any
}

var (
	boxesAround = regexp.MustCompile(`^.* > `)
	nthOfType   = regexp.MustCompile(`:nth-of-type\(\d+\)`)
)

// ofAnyPlace returns the selector of a shadow host wherever it stands: another choice may be drawn in one of its own.
func ofAnyPlace(host selectors.Selector) selectors.Selector {
	if host.Kind != selectors.CSS {
		return host
	}
	if host.Body = nthOfType.ReplaceAllString(boxesAround.ReplaceAllString(host.Body, ""), ""); host.Body == "" {
		host.Body = "*"
	}
	return host
}

func hasHole(path selectors.Path) bool { return strings.Contains(path.String(), "${") }

// withHole returns a text with a hole for what it says of another.
func withHole(text string, s said) string {
	if text == s.text {
		return s.hole()
	}
	if utf8.RuneCountInString(s.text) < shortestRepeated && !s.sure {
		return text
	}
	at := strings.Index(text, s.text)
	if at < 0 {
		return text
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+len(s.text):])
	if isWord(before) || isWord(after) {
		return text
	}
	return text[:at] + s.hole() + text[at+len(s.text):]
}

// isJoined reports whether a text is a part of a longer word in another, such as the host in an address.
func isJoined(part, text string) bool {
	before, after, found := strings.Cut(text, part)
	return found && (endsJoining.MatchString(before) || beginsJoining.MatchString(after))
}

var (
	endsJoining   = regexp.MustCompile(`[\pL\d][@./_-]$`)
	beginsJoining = regexp.MustCompile(`^[@./_-][\pL\d]`)
)

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
