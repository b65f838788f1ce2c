package selectors

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// MaxKept is how many selectors a step keeps: one to try first, and six more of
// other kinds. Each one that survives a change of the page is a vote; the same
// kind twice would mostly fail together.
const MaxKept = 7

// source is what a selector relies on. The order is that of preference: what a
// page's authors promise comes before what people read, and that before how the
// page happens to be built. Playwright's generator and the stability of
// attributes over real releases (arXiv 2505.16424) agree on it but for details.
type source int

const (
	byTestID    source = iota // put there to be found
	byRoleName                // what a screen reader says: survives a rebuild, not a translation
	byLabel                   // label, placeholder, title, alt: the same, without the role
	byIdentity                // a stable id (.87 over releases) or name attribute (.95)
	byText                    // .95, but of long and changing texts much less
	byBeside                  // the words that it stands next to: it says nothing itself
	byStructure               // classes (.80), positions, generated ids
	byXPath                   // .54: the last resort
)

// What makes one selector worse than another of the same source. The steps are
// wide enough that no number of smaller faults outweighs a greater one.
const (
	costGenerated = 1_000_000 // holds an id or a class that the next build will change
	costPosition  = 10_000    // counts siblings
	costUnnamed   = 5_000     // an id, where there is a name attribute: .87 against .95
	costPart      = 500       // each shadow root: one more thing that has to stay
	costCharacter = 1         // longer ones rely on more
)

// attributes that a page's authors put there to be found by, and such that hold
// what people read.
var (
	testAttributes  = []string{"data-testid", "data-test-id", "data-test", "data-cy", "data-qa", "data-pw", "data-automation-id", "data-hook"}
	labelAttributes = []string{"aria-label", "placeholder", "title", "alt"}
)

// Rank puts candidates that a page found for one element into the order in which
// to try them, keeps the best of each source and at most MaxKept. What Parse
// would refuse is dropped: candidates come from a page, which may be hostile.
// The result does not depend on their order.
//
// testIDs are attributes, in addition to those in wide use, that the page's authors mark
// elements with for their own tests.
func Rank(candidates []Path, testIDs ...string) []Path {
	var valid []Path
	for _, c := range candidates {
		if len(c) > 0 && c.Validate() == nil {
			valid = append(valid, c)
		}
	}
	slices.SortFunc(valid, func(a, b Path) int {
		return cmp.Or(cmp.Compare(a.source(testIDs), b.source(testIDs)), cmp.Compare(a.cost(), b.cost()), cmp.Compare(a.String(), b.String()))
	})
	best := slices.CompactFunc(valid, func(a, b Path) bool { return a.source(testIDs) == b.source(testIDs) })
	return slices.Clip(best[:min(len(best), MaxKept)])
}

// source is that of the last part: the ones before it only lead there.
func (p Path) source(testIDs []string) source {
	if last := p[len(p)-1]; last.Kind != Near || len(p) < 2 || p[0].Kind != Text && p[0].Kind != Value {
		return last.source(testIDs)
	}
	return byBeside
}

func (s Selector) source(testIDs []string) source {
	switch s.Kind {
	case TestID:
		return unlessGenerated(byTestID, s.Body)
	case Aria:
		return s.ariaSource()
	case Text, Value:
		return byText
	case Near, Under: // better than a position
		return byStructure
	case XPath:
		return byXPath
	}
	return cssSource(s.Body, testIDs)
}

func (s Selector) ariaSource() source {
	switch name, role := s.Aria(); {
	case name != "" && role != "":
		return byRoleName
	case name != "":
		return byLabel
	}
	return byStructure // a role alone is hardly more than a tag
}

var (
	// idSelector and attributeSelector are whole selectors of one simple thing,
	// with or without a tag before it; a radio has its value after its name.
	idSelector        = regexp.MustCompile(`^[A-Za-z0-9-]*#([^\s.:#>+~*,\[\]()"'=]+)$`)
	attributeSelector = regexp.MustCompile(`^[A-Za-z0-9-]*\[([A-Za-z0-9_-]+)(?:="((?:[^"\\]|\\.)*)"|='((?:[^'\\]|\\.)*)'|=([^\]"'\s]+))\](?:\[value="(?:[^"\\]|\\.)*"\])?$`)
)

func cssSource(body string, testIDs []string) source {
	if m := idSelector.FindStringSubmatch(body); m != nil {
		return unlessGenerated(byIdentity, m[1])
	}
	m := attributeSelector.FindStringSubmatch(body)
	if m == nil {
		return byStructure
	}
	switch attribute, value := strings.ToLower(m[1]), m[2]+m[3]+m[4]; {
	case slices.Contains(testAttributes, attribute) || slices.Contains(testIDs, attribute):
		return unlessGenerated(byTestID, value)
	case slices.Contains(labelAttributes, attribute):
		return byLabel
	case attribute == "name" || attribute == "id":
		return unlessGenerated(byIdentity, value)
	}
	return byStructure
}

func unlessGenerated(s source, token string) source {
	if Generated(token) {
		return byStructure
	}
	return s
}

// positional counts siblings, in CSS and in XPath.
var positional = regexp.MustCompile(`:nth-|\[\d+\]|:(first|last|only)-|position\(\)`)

func (p Path) cost() int {
	total := costPart * (len(p) - 1)
	for _, s := range p {
		total += costCharacter * len(s.Body)
		if s.Kind != CSS && s.Kind != Pierce && s.Kind != XPath && s.Kind != TestID {
			continue
		}
		total += costPosition * len(positional.FindAllString(s.Body, -1))
		for _, token := range tokens(s) {
			if Generated(token) {
				total += costGenerated
			}
		}
		if s.Kind != XPath && idSelector.MatchString(s.Body) {
			total += costUnnamed
		}
	}
	return total
}

// token is an id, a class or a value in a selector's text.
var token = regexp.MustCompile(`[#.]((?:[A-Za-z0-9_-]|\\.|[^\x00-\x7f])+)|["']([^"']*)["']`)

func tokens(s Selector) []string {
	if s.Kind == TestID {
		return []string{s.Body}
	}
	var all []string
	for _, m := range token.FindAllStringSubmatch(s.Body, -1) {
		all = append(all, m[1]+m[2])
	}
	return all
}
