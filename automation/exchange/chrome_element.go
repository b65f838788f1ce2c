package exchange

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// element puts the ways to the element into a step; false where Chrome has none.
func (c *chromeWriter) element(out *chromeOut, s *automation.Step) bool {
	for _, path := range paths(s) {
		if parts := chromePath(path, s); parts != nil {
			out.Selectors = append(out.Selectors, parts)
		}
	}
	if len(out.Selectors) == 0 {
		c.keep(s, "Chrome cannot use any of its selectors")
		return false
	}
	for _, frame := range s.Frame {
		out.Frame = append(out.Frame, c.frameIndex(frame))
	}
	return true
}

// brokenAria is what the parser of Chrome's aria selectors takes for an attribute
// wherever it stands in a name.
var brokenAria = regexp.MustCompile(`\[\s*\w+\s*=`)

// chromePath is a path as Chrome reads it, nil where it would read another.
func chromePath(path selectors.Path, s *automation.Step) chromeSelector {
	var parts chromeSelector
	for i, part := range path {
		name, _ := part.Aria()
		switch {
		case part.Kind == selectors.XPath && i > 0: // XPath knows no shadow roots
			return nil
		case part.Kind == selectors.Aria && brokenAria.MatchString(name):
			return nil
		case part.Kind == selectors.TestID:
			parts = append(parts, testIDs(part.Body, s))
		default:
			parts = append(parts, part.String())
		}
	}
	return parts
}

var frameByPlace = regexp.MustCompile(`^\(//iframe\|//frame\)\[(\d+)\]$`)

// frameIndex is the place of a frame, which Chrome wants to know and a document
// does not tell.
func (c *chromeWriter) frameIndex(path selectors.Path) int {
	if m := frameByPlace.FindStringSubmatch(path[0].Body); m != nil && len(path) == 1 {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 {
			return n - 1
		}
	}
	c.lose(Changed, fmt.Sprintf("Chrome tells frames by their number, and that of %s is not known: 0 is written", shorten(path.String())), "Where the page has several frames, write the number of this one, counted from 0")
	return 0
}

// point is where in the element to click, in pixels from its corner.
func point(s *automation.Step) (x, y float64) {
	if s.Fingerprint == nil || len(s.Fingerprint.Box) != 4 {
		return chromePoint, chromePoint
	}
	at := automation.Offset{X: 0.5, Y: 0.5}
	if s.Offset != nil {
		at = *s.Offset
	}
	in := func(part float64, size int) float64 {
		return math.Round(min(max(part*float64(size), 1), float64(max(size-1, 1))))
	}
	return in(at.X, s.Fingerprint.Box[2]), in(at.Y, s.Fingerprint.Box[3])
}
