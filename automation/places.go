package automation

import "strings"

// Places gives the places under which an index that is not in memory, as a
// database's, keeps an automation of this scope: every address that one of the
// scope's globs takes in has one of its places (see the function Places) among
// them. A place is text without spaces, of a few kilobytes at most; its form may
// change with a version, and an index is made again then.
func (s Scope) Places() ([]string, error) {
	globs, err := s.globs()
	if err != nil {
		return nil, err
	}
	var places []string
	for _, g := range globs {
		places = append(places, g.key("").place())
	}
	return places, nil
}

// Places gives the places in which to look for the automations of an address:
// two for each part of its host at most. What is found there may match, and an
// Index of it says what does. A URL that nothing matches is an error.
func Places(url string) ([]string, error) {
	a, err := parseAddress(url)
	if err != nil {
		return nil, err
	}
	exact := key{host: a.host}
	places := exact.places(firstSegment(a.path))
	for _, rest, more := strings.Cut(a.host, "."); more; _, rest, more = strings.Cut(rest, ".") {
		ending := key{host: rest, wildcard: true}
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
	if k.wildcard {
		return "*." + k.host + "/" + k.segment
	}
	return k.host + "/" + k.segment
}
