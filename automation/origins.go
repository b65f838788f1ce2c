package automation

import (
	"slices"
)

// Origins gives the origins that the scope writes out, sorted: a scheme, a host without
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
