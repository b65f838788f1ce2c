package automation

import (
	"fmt"
	"strings"
)

// MatchURL says that one of the scope's globs takes in this URL. A scope with a
// glob that does not parse matches nothing.
func (s Scope) MatchURL(url string) bool {
	return s.any(url, (*Glob).matches)
}

// Covers says that one of the scope's globs takes in the scheme, host and port
// of this URL, whatever its path: a flow goes on to other pages of its site.
func (s Scope) Covers(url string) bool {
	return s.any(url, (*Glob).covers)
}

func (s Scope) any(url string, takesIn func(*Glob, address) bool) bool {
	a, err := parseAddress(url)
	if err != nil {
		return false
	}
	globs, err := s.globs()
	if err != nil {
		return false
	}
	for _, g := range globs {
		if takesIn(g, a) {
			return true
		}
	}
	return false
}

// globs compiles the scope.
func (s Scope) globs() ([]*Glob, error) {
	globs := make([]*Glob, len(s.URLs))
	for i, text := range s.URLs {
		g, err := ParseGlob(text)
		if err == nil && g.wide() {
			err = fmt.Errorf("glob %q: takes in hosts of anybody: write out at least the last two parts", shorten(text))
		}
		if err != nil {
			return nil, err
		}
		globs[i] = g
	}
	return globs, nil
}

// specificity orders globs that take in the same URL: the more specific one is the
// greater. An exact host stands above a wildcard, then the host that has more
// written out, then an exact path, then the path that has more written out.
func (g *Glob) specificity() uint64 {
	const ( // bits; a host has at most 253 characters, a path less than 1<<16
		pathWeight = 0
		pathExact  = pathWeight + 16
		hostWeight = pathExact + 1
		hostExact  = hostWeight + 8
	)
	return uint64(g.path.weight)<<pathWeight | bit(g.path.exact())<<pathExact |
		uint64(g.host.weight)<<hostWeight | bit(g.host.exact())<<hostExact
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// hostKey is the host; for a wildcard, what is written out of it at its end.
func (g *Glob) hostKey() string {
	if g.host.exact() {
		return g.host.literal
	}
	rest := g.hostText[strings.LastIndexAny(g.hostText, "*?")+1:]
	_, fixed, _ := strings.Cut(rest, ".") // of "a*b.example.com", the b is no part of its own
	return fixed
}

// pathKey is the first part of the path; "" where that is not written out.
func pathKey(path string) string {
	segment := firstSegment(path)
	if strings.ContainsAny(segment, "*?") {
		return ""
	}
	return segment
}

func firstSegment(path string) string {
	segment, _, _ := strings.Cut(path[1:], "/")
	return segment
}
