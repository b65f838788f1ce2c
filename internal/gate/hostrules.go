package gate

import (
	"net"
	"path"
	"slices"
	"strings"
)

// hostRules are the rules of Chrome's --host-resolver-rules, which it uses for the names
// that it resolves itself: "MAP pattern replacement[:port]" and "EXCLUDE pattern".
type hostRules struct {
	maps     [][2]string // pattern, replacement
	excludes []string
}

// notFound is the replacement by which a name does not resolve.
const notFound = "~notfound"

func parseHostRules(text string) (r hostRules) {
	for rule := range strings.SplitSeq(text, ",") {
		switch words := strings.Fields(strings.ToLower(rule)); {
		case len(words) == 3 && words[0] == "map":
			r.maps = append(r.maps, [2]string{words[1], words[2]})
		case len(words) == 2 && words[0] == "exclude":
			r.excludes = append(r.excludes, words[1])
		}
	}
	return r
}

// apply returns the host and port that a rule puts in the place of these.
func (r hostRules) apply(host, port string) (toHost, toPort string) {
	fits := func(pattern string) bool { ok, err := path.Match(pattern, host); return ok && err == nil }
	if slices.ContainsFunc(r.excludes, fits) {
		return host, port
	}
	for _, m := range r.maps {
		if !fits(m[0]) {
			continue
		}
		if h, p, err := net.SplitHostPort(m[1]); err == nil {
			return normalHost(h), p
		}
		return normalHost(m[1]), port
	}
	return host, port
}
