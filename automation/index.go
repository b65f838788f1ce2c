package automation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// ErrNoMatch is what Match returns when no automation is for the URL and account.
var ErrNoMatch = errors.New("no automation matches")

// AmbiguousError is what Match returns when several automations are equally
// specific: which one is meant is for a person to say, by name or by scope.
type AmbiguousError struct {
	URL     string // without its query
	Account string
	Names   []string // name, or name@account; sorted
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s match %q equally: ask for one by name, or make the scope of one narrower", strings.Join(e.Names, " and "), e.URL)
}

// Index finds the automation for a URL and an account. What a lookup costs does
// not depend on how many automations there are, but on how many share a host,
// an account and the first part of a path. It is safe for concurrent use.
type Index struct {
	mu       sync.RWMutex
	entries  map[key][]entry
	suffixes map[string]int // ends of hosts that wildcards have, and how many do
	globs    map[owner][]*Glob
	blockers map[owner]Reason
}

// key is where a glob is found: what the URL has in the same position.
type key struct {
	host     string
	wildcard bool
	account  string
	blocker  Reason // "" for automations that are run for their own sake
	segment  string // "" for globs that do not write it out
}

type entry struct {
	glob *Glob
	of   *Automation
}

// owner is what an automation is known by.
type owner struct{ name, account string }

func (o owner) String() string {
	if o.account == "" {
		return o.name
	}
	return o.name + "@" + o.account
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{entries: map[key][]entry{}, suffixes: map[string]int{}, globs: map[owner][]*Glob{}, blockers: map[owner]Reason{}}
}

// Add puts an automation into the index, in place of the one of the same name
// and account. Match gives back this pointer; its scope must not be changed.
func (x *Index) Add(a *Automation) error {
	globs, err := a.Match.globs()
	if err != nil {
		return fmt.Errorf("automation %q: %w", shorten(a.Name), err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	o := owner{a.Name, a.Match.Account}
	x.remove(o)
	x.globs[o] = globs
	if a.Match.Blocker != "" {
		x.blockers[o] = a.Match.Blocker
	}
	for _, g := range globs {
		k := g.key(o.account)
		k.blocker = a.Match.Blocker
		x.entries[k] = append(x.entries[k], entry{g, a})
		if k.wildcard {
			x.suffixes[k.host]++
		}
	}
	return nil
}

// Remove takes the automation of this name and account out, if it is there.
func (x *Index) Remove(name, account string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(owner{name, account})
}

func (x *Index) remove(o owner) {
	for _, g := range x.globs[o] {
		k := g.key(o.account)
		k.blocker = x.blockers[o]
		left := slices.DeleteFunc(x.entries[k], func(e entry) bool { return e.glob == g })
		if x.entries[k] = left; len(left) == 0 {
			delete(x.entries, k)
		}
		if !k.wildcard {
			continue
		}
		if x.suffixes[k.host]--; x.suffixes[k.host] == 0 {
			delete(x.suffixes, k.host)
		}
	}
	delete(x.globs, o)
	delete(x.blockers, o)
}

func (g *Glob) key(account string) key {
	return key{host: g.hostKey(), wildcard: !g.host.exact(), account: account, segment: g.pathKey}
}

// Match returns the most specific automation for the URL: one for exactly this
// account before one for any, then as Glob says which is the more specific. A
// caller without an account gets only automations that are for any. Errors are
// ErrNoMatch and *AmbiguousError.
func (x *Index) Match(url, account string) (*Automation, error) {
	return x.MatchBlocker(url, account, "")
}

// MatchBlocker returns what Match does, of the automations that deal with a blocker.
func (x *Index) MatchBlocker(url, account string, blocker Reason) (*Automation, error) {
	a, err := parseAddress(url)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrNoMatch, shortURL(url), err)
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	found := search{address: a, segment: firstSegment(a.path)}
	x.search(&found, account, blocker)
	if found.best == nil && account != "" {
		x.search(&found, "", blocker)
	}
	switch {
	case found.best == nil:
		return nil, noMatch(url, account, blocker)
	case len(found.tied) > 1:
		return nil, &AmbiguousError{URL: shortURL(url), Account: account, Names: found.names()}
	}
	return found.best, nil
}

func noMatch(url, account string, blocker Reason) error {
	if blocker != "" {
		return fmt.Errorf("%w %q where it is blocked (%s)", ErrNoMatch, shortURL(url), blocker)
	}
	if account == "" {
		return fmt.Errorf("%w %q without an account", ErrNoMatch, shortURL(url))
	}
	return fmt.Errorf("%w %q for account %q", ErrNoMatch, shortURL(url), shorten(account))
}

// search looks through the globs of one account.
func (x *Index) search(s *search, account string, blocker Reason) {
	k := key{host: s.address.host, account: account, blocker: blocker}
	x.look(s, k)
	if len(x.suffixes) == 0 {
		return
	}
	k.wildcard = true
	for rest := k.host; ; {
		var more bool
		if _, rest, more = strings.Cut(rest, "."); !more {
			return
		}
		if x.suffixes[rest] > 0 {
			k.host = rest
			x.look(s, k)
		}
	}
}

func (x *Index) look(s *search, k key) {
	s.consider(x.entries[k])
	if s.segment != "" {
		k.segment = s.segment
		s.consider(x.entries[k])
	}
}

// search is the state of one lookup.
type search struct {
	address address
	segment string
	rank    uint64
	best    *Automation
	tied    []*Automation // when more than one is best
}

func (s *search) consider(entries []entry) {
	for _, e := range entries {
		if s.best != nil && e.glob.rank < s.rank || !e.glob.matches(s.address) {
			continue
		}
		switch {
		case s.best == nil || e.glob.rank > s.rank:
			s.best, s.rank, s.tied = e.of, e.glob.rank, nil
		case e.of != s.best && !slices.Contains(s.tied, e.of):
			if s.tied == nil {
				s.tied = append(s.tied, s.best)
			}
			s.tied = append(s.tied, e.of)
		}
	}
}

func (s *search) names() []string {
	names := make([]string, len(s.tied))
	for i, a := range s.tied {
		names[i] = owner{a.Name, a.Match.Account}.String()
	}
	slices.Sort(names)
	return names
}

// IndexKeys returns the places under which an index that is not in memory, as a
// database's, keeps an automation of this scope: every address that one of the
// scope's globs takes in has one of its places (see the function Places) among
// them. A place is text without spaces, of a few kilobytes at most; its form may
// change with a version, and an index is made again then.
func (s Scope) IndexKeys() ([]string, error) {
	globs, err := s.globs()
	if err != nil {
		return nil, err
	}
	var places []string
	for _, g := range globs {
		k := g.key("")
		k.blocker = s.Blocker
		places = append(places, k.place())
	}
	return places, nil
}

// Places returns the places in which to look for the automations of an address:
// two for each part of its host at most. What is found there may match, and an
// Index of it says what does. A URL that nothing matches is an error.
func Places(url string) ([]string, error) { return BlockerPlaces(url, "") }

// BlockerPlaces returns what Places does, for the automations that deal with a blocker.
func BlockerPlaces(url string, blocker Reason) ([]string, error) {
	a, err := parseAddress(url)
	if err != nil {
		return nil, err
	}
	exact := key{host: a.host, blocker: blocker}
	places := exact.places(firstSegment(a.path))
	for _, rest, more := strings.Cut(a.host, "."); more; _, rest, more = strings.Cut(rest, ".") {
		ending := key{host: rest, wildcard: true, blocker: blocker}
		places = append(places, ending.places(firstSegment(a.path))...)
	}
	return places, nil
}

// places are those of globs that do not write out the first part of their path, and
// of those that do.
func (k key) places(segment string) []string {
	all := []string{k.place()}
	if segment == "" {
		return all
	}
	k.segment = segment
	return append(all, k.place())
}

// place is the key as text. No host has a star or a slash in it.
func (k key) place() string {
	place := k.host + "/" + k.segment
	if k.wildcard {
		place = "*." + place
	}
	if k.blocker != "" {
		place = string(k.blocker) + "!" + place // no host has that
	}
	return place
}
