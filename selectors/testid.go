package selectors

import (
	"fmt"
	"regexp"
	"slices"
)

// TestIDAttributes are those in wide use, most used first: elements that have one
// of them are found by it unasked.
func TestIDAttributes() []string { return slices.Clone(testAttributes) }

// maxAttribute is longer than the name of any attribute in use.
const maxAttribute = 64

// testIDAttribute is stricter than HTML: such a name stands in selectors as it is,
// and means the same in every syntax of them.
var testIDAttribute = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// CheckTestIDAttribute returns what is wrong with the name of an attribute by which
// elements are to be found. It must be lower case, as HTML keeps all of them, and
// may not be value, which holds what people type.
func CheckTestIDAttribute(name string) error {
	switch {
	case len(name) > maxAttribute || !testIDAttribute.MatchString(name):
		return fmt.Errorf("%.*q is no name for a test id attribute: use 1 to %d lower-case letters, digits, - and _, a letter first, such as data-qa", maxAttribute, name, maxAttribute)
	case name == "value":
		return fmt.Errorf("the attribute %q holds what people type: it cannot be a test id", name)
	}
	return nil
}
