package automation

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/go-reprise/reprise/selectors"
)

// BindEvidence binds the step's fingerprint to its selectors, as they are now: who records a
// step calls it. A selector that is set by hand later is then not held to what was recorded of
// another element.
func (s *Step) BindEvidence() {
	if s.Fingerprint == nil {
		return
	}
	bound := *s.Fingerprint
	bound.Of = digestOf(s.Selector) + "." + digestOf(s.Alternatives...)
	s.Fingerprint = &bound
}

// WithEvidence returns the step with the evidence that belongs to its selector. Where that was
// set since the step was recorded, the fingerprint is of what it named before, and so are the
// alternatives, unless they were set as well.
func (s Step) WithEvidence() Step {
	if s.Fingerprint == nil || s.Fingerprint.Of == "" {
		return s
	}
	selector, alternatives, _ := strings.Cut(s.Fingerprint.Of, ".")
	if selector == digestOf(s.Selector) {
		return s
	}
	if alternatives == digestOf(s.Alternatives...) {
		s.Alternatives = nil
	}
	s.Fingerprint = nil
	return s
}

// digestBytes are enough to tell a selector from what someone changes it to.
const digestBytes = 4

func digestOf(paths ...selectors.Path) string {
	all := [][]string{}
	for _, path := range paths {
		all = append(all, path.Strings())
	}
	data, _ := json.Marshal(all) // texts: cannot fail
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:digestBytes])
}
