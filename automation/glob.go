package automation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gobwas/glob"

	"github.com/go-reprise/reprise/internal/weburl"
)

// The bounds of a glob, far above what anyone writes.
const (
	maxGlob      = 2 << 10
	maxWildcards = 8
)

// Glob is a compiled pattern of URLs: host[:port][/path], with an optional
// scheme. It is safe for concurrent use.
//
//	accounts.google.com            every path of this host, by https on port 443
//	accounts.google.com/*          the same
//	accounts.google.com/signin/*   /signin/ and what is below it, but not /signin
//	accounts.google.com/**/pwd     /pwd at any depth, also right below the host
//	example.com/issues/[0-9]*      /issues/12, but not /issues/new or /issues/12/edit
//	*.example.com                  a.example.com; not a.b.example.com, not example.com
//	**.example.com                 both a.example.com and a.b.example.com; not example.com
//	localhost:8080                 a loopback host without a scheme: http and https
//
// "*" stands for any characters of one part (between the dots of the host, or
// the slashes of the path), "?" for one, and in the path "[0-9]" for a digit.
// "**" stands for whole parts: one or more in the host, any number in the path.
// A last "/*" is all that is below. There are no other wildcards: any other "[",
// "{" and "\" are refused. The port is the scheme's own unless it is written. A
// URL's query and fragment, which no glob can name, never take part.
//
// A URL that could be read in two ways matches nothing: one with a user name, a
// dot after the host, an address in a form of its own, a backslash. A path with
// an encoded slash, backslash or percent sign matches only a glob of every path.
type Glob struct {
	text     string
	hostText string // in lower case, without the port
	http     bool
	https    bool
	port     uint16 // 0 is the scheme's own
	host     matcher
	path     matcher
	anyPath  bool

	// What an index needs: see match.go.
	pathKey string // the first part of the path
	rank    uint64 // the greater is the more specific
}

// matcher compares a host or a path.
type matcher struct {
	literal string // the whole, or with prefix, its beginning
	prefix  bool
	parts   *parts // when there are other wildcards
	weight  int    // characters that are not wildcards
}

func (m matcher) match(s string) bool {
	switch {
	case m.parts != nil:
		return m.parts.match(s)
	case m.prefix:
		return strings.HasPrefix(s, m.literal)
	}
	return s == m.literal
}

func (m matcher) exact() bool { return m.parts == nil && !m.prefix }

// ParseGlob compiles a glob.
func ParseGlob(s string) (*Glob, error) {
	g, err := parseGlob(s)
	if err != nil {
		return nil, fmt.Errorf("glob %q: %w", shorten(s), err)
	}
	return g, nil
}

func parseGlob(s string) (*Glob, error) {
	if err := checkGlob(s); err != nil {
		return nil, err
	}
	g := &Glob{text: s}
	scheme, rest, found := strings.Cut(s, "://")
	if !found {
		scheme, rest = "", s
	} else if scheme = lower(scheme); scheme != "http" && scheme != "https" {
		return nil, errors.New("the scheme must be http or https")
	}
	host, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		port, err := parsePort(host[i+1:])
		if err != nil {
			return nil, err
		}
		host, g.port = host[:i], port
	}
	if err := g.setHost(host); err != nil {
		return nil, err
	}
	g.setSchemes(scheme)
	err := g.setPath(path)
	g.rank = g.specificity()
	return g, err
}

func checkGlob(s string) error {
	if s == "" || len(s) > maxGlob {
		return fmt.Errorf("must have 1 to %d bytes", maxGlob)
	}
	if strings.Contains(s, "***") {
		return errors.New("has three stars in a row")
	}
	if strings.Count(s, "*")-strings.Count(s, "**")+strings.Count(s, "?") > maxWildcards {
		return fmt.Errorf("has more than %d wildcards", maxWildcards)
	}
	question, equals := strings.IndexByte(s, '?'), strings.LastIndexByte(s, '=')
	if strings.Contains(s, "#") || question >= 0 && equals > question {
		return errors.New("the query and the fragment never take part: leave them out (\"?\" is one character)")
	}
	return nil
}

// setHost compiles the host. A loopback host must be written out to be one.
func (g *Glob) setHost(host string) error {
	g.hostText = lower(host)
	if !strings.ContainsAny(host, "*?") {
		literal, err := parseHost(host)
		g.host = matcher{literal: literal, weight: len(literal)}
		return err
	}
	host = g.hostText
	if err := checkLabels(host, "*?"); err != nil {
		return err
	}
	if numeric(host[strings.LastIndexByte(host, '.')+1:]) {
		return errors.New("an IP address takes no wildcards")
	}
	compiled, err := compileParts(host, ".", false)
	g.host = matcher{parts: &compiled, weight: weight(host)}
	return err
}

func (g *Glob) setSchemes(scheme string) {
	loopback := g.host.exact() && weburl.IsLoopback(g.host.literal)
	g.http = scheme == "http" || scheme == "" && loopback
	g.https = scheme != "http"
}

func (g *Glob) setPath(path string) error {
	if path == "" || path == "/*" || path == "/**" {
		g.anyPath = true
		g.path = matcher{literal: "/", prefix: true, weight: 1}
		return nil
	}
	normal, err := checkGlobPath(path)
	if err != nil {
		return err
	}
	g.pathKey = pathKey(normal)
	g.path, err = compilePath(normal)
	return err
}

func compilePath(path string) (matcher, error) {
	below := strings.TrimRight(path, "*")
	isPrefix := len(below) < len(path) && strings.HasSuffix(below, "/")
	m := matcher{literal: path, weight: weight(path)}
	switch {
	case !hasWildcards(path):
		return m, nil
	case isPrefix && !hasWildcards(below):
		m.literal, m.prefix = below, true
		return m, nil
	case isPrefix:
		path = below + "*/**"
	}
	compiled, err := compileParts(path, "/", true)
	m.parts = &compiled
	return m, err
}

// checkGlobPath returns the path as a URL's is compared.
func checkGlobPath(path string) (string, error) {
	if strings.ContainsAny(strings.ReplaceAll(path, oneDigit, ""), "[]") {
		return "", errors.New("only *, **, ? and [0-9] are special: a bracket is written as ?")
	}
	for i := 0; i < len(path); i++ {
		if path[i] <= ' ' || path[i] == 0x7f {
			return "", errors.New("holds a space or a control character")
		}
	}
	normal, murky, err := encodePath(path)
	if err != nil {
		return "", err
	}
	if murky {
		return "", errors.New("an encoded slash, backslash or percent sign matches nothing")
	}
	for segment := range strings.SplitSeq(normal, "/") {
		if dots(segment) > 0 {
			return "", errors.New("holds . or .. as a part")
		}
	}
	return normal, nil
}

// oneDigit is the wildcard for a digit, as what the parts of a path are compiled by has it.
const oneDigit = "[0-9]"

func hasWildcards(path string) bool { return strings.ContainsAny(path, "*?[") }

func weight(pattern string) int {
	return len(pattern) - strings.Count(pattern, "*") - strings.Count(pattern, "?") - len(oneDigit)*strings.Count(pattern, oneDigit)
}

// String returns the glob as it was written.
func (g *Glob) String() string { return g.text }

// Match reports whether the glob takes in this URL.
func (g *Glob) Match(url string) bool {
	a, err := parseAddress(url)
	return err == nil && g.matches(a)
}

// MatchPath reports whether the glob takes in an address that something led to. It is Match for
// what is waited for: an encoded slash, at which Match refuses since servers differ in
// what they make of it, is a character of a name here, as it allows nothing.
func (g *Glob) MatchPath(url string) bool {
	a, err := parseAddress(url)
	return err == nil && g.covers(a) && (g.anyPath || g.path.match(a.path))
}

func (g *Glob) matches(a address) bool {
	return g.covers(a) && (g.anyPath || !a.murky && g.path.match(a.path))
}

// MatchOrigin reports whether the glob takes in the scheme, host and port of this URL,
// whatever its path.
func (g *Glob) MatchOrigin(url string) bool {
	a, err := parseAddress(url)
	return err == nil && g.covers(a)
}

func (g *Glob) covers(a address) bool {
	port := g.port
	if port == 0 {
		port = defaultPort(a.scheme)
	}
	schemeFits := a.scheme == "http" && g.http || a.scheme == "https" && g.https
	return schemeFits && a.port == port && g.host.match(a.host)
}

// wide reports whether a host which the glob takes in could be in anyone's hands:
// its last two parts, the name that someone registered, are not written out.
func (g *Glob) wide() bool {
	if g.host.exact() {
		return false
	}
	host := g.hostText
	last := strings.LastIndexByte(host, '.')
	registered := host[strings.LastIndexByte(host[:max(last, 0)], '.')+1:]
	return last < 0 || strings.ContainsAny(registered, "*?") && !weburl.IsLoopback("x."+host[last+1:])
}

// parts is the pattern of a host or a path, part by part between its
// separators. Compiling the whole at once would be shorter, but matching "**"
// and "*" together backtracks: two of each and a URL of two kilobytes, which a
// page chooses, take seconds. Within a part there is nothing to backtrack over,
// and between parts only the last "**" needs to be tried again.
type parts struct {
	list      []part
	separator string
}

// part is one label of a host or one segment of a path.
type part struct {
	literal string
	pattern *glob.Pattern // with wildcards in it; nil for a literal
	any     bool          // "*"
	deep    bool          // any number of parts, also none
}

// compileParts takes the text of a pattern apart. In a host "**" is at least
// one part; in a path, where that is asked for, it can be none.
func compileParts(text, separator string, orNone bool) (parts, error) {
	p := parts{separator: separator}
	for piece := range strings.SplitSeq(text, separator) {
		switch {
		case piece == "**" && !orNone:
			p.list = append(p.list, part{any: true}, part{deep: true})
		case piece == "**":
			p.list = append(p.list, part{deep: true})
		case strings.Contains(piece, "**"):
			return parts{}, errors.New("** must be a whole part, with nothing next to it")
		case piece == "*":
			p.list = append(p.list, part{any: true})
		case hasWildcards(piece):
			pattern, err := glob.Compile(piece)
			if err != nil {
				return parts{}, err
			}
			p.list = append(p.list, part{pattern: pattern})
		default:
			p.list = append(p.list, part{literal: piece})
		}
	}
	return p, nil
}

func (p part) match(s string) bool {
	switch {
	case p.any:
		return true
	case p.pattern != nil:
		return p.pattern.Match(s)
	}
	return p.literal == s
}

// match is the usual greedy walk: when it gets stuck, the last "**" takes one
// part more.
func (p parts) match(s string) bool {
	var few [32]string
	pieces := few[:0]
	for piece := range strings.SplitSeq(s, p.separator) {
		pieces = append(pieces, piece)
	}
	i, j, deep, taken := 0, 0, -1, 0
	for j < len(pieces) {
		switch {
		case i < len(p.list) && p.list[i].deep:
			deep, taken = i, j
			i++
		case i < len(p.list) && p.list[i].match(pieces[j]):
			i++
			j++
		case deep >= 0:
			taken++
			i, j = deep+1, taken
		default:
			return false
		}
	}
	for i < len(p.list) && p.list[i].deep {
		i++
	}
	return i == len(p.list)
}

// MatchURL reports whether one of the scope's globs takes in this URL. A scope with a
// glob that does not parse matches nothing.
func (s Scope) MatchURL(url string) bool {
	return s.any(url, (*Glob).matches)
}

// Covers reports whether one of the scope's globs takes in the scheme, host and port
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
			err = fmt.Errorf("glob %q: takes in hosts of anyone: write out at least the last two parts", shorten(text))
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
	if hasWildcards(segment) {
		return ""
	}
	return segment
}

func firstSegment(path string) string {
	segment, _, _ := strings.Cut(path[1:], "/")
	return segment
}

// Origins returns the origins that the scope writes out, sorted: a scheme, a host without
// wildcards, and a port unless it is the scheme's own. A host that a wildcard takes in is
// none of them, however few it stands for.
func (s Scope) Origins() ([]string, error) {
	globs, err := s.globs()
	if err != nil {
		return nil, err
	}
	var origins []string
	for _, g := range globs {
		origins = append(origins, g.origins()...)
	}
	slices.Sort(origins)
	return slices.Compact(origins), nil
}

func (g *Glob) origins() []string {
	if !g.host.exact() {
		return nil
	}
	var origins []string
	for scheme, meant := range map[string]bool{"http": g.http, "https": g.https} {
		if !meant {
			continue
		}
		a := address{scheme: scheme, host: g.host.literal, port: g.port}
		if a.port == 0 {
			a.port = defaultPort(scheme)
		}
		origins = append(origins, a.origin())
	}
	return origins
}
