package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// Document writes the parts of a document that a person reads, as they stand in
// it, with a line for each step. It says how much it leaves out.
func Document(w io.Writer, a *automation.Automation) error {
	brief, left := *a, 0
	brief.Revision, brief.X, brief.Steps = 0, nil, slices.Clone(a.Steps)
	for i := range brief.Steps {
		s := &brief.Steps[i]
		left += len(s.Alternatives)
		s.Alternatives, s.Fingerprint, s.Offset = nil, nil, nil
	}
	line, err := brief.MarshalJSON()
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := layout(&text, line, "", false); err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(&text, "\n(%d more ways to find these elements are left out here)", left)
	}
	_, err = fmt.Fprintln(w, text.String())
	return err
}
