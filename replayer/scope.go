package replayer

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
)

// scope is where a run may act: on the hosts of the automation's own globs
// and of the addresses that its own steps go to. An automation that names
// neither acts on the site where it was started, and nowhere else. A session
// acts also where its own presses have led.
type scope struct {
	match automation.Scope
	sites automation.Scope
	led   []string // origins; a secret that names no origins is none of theirs
}

func newScope(a *automation.Automation) *scope {
	s := &scope{match: a.Match, sites: automation.Scope{URLs: a.Match.URLs}}
	for _, step := range a.Steps {
		if step.Tool == "navigate" {
			s.add(step.URL)
		}
	}
	return s
}

func (s *scope) add(address string) {
	if origin, ok := weburl.OriginOf(address); ok {
		s.sites.URLs = append(s.sites.URLs, origin+"/*")
	}
}

// start checks the page that a run begins on. One that begins by going
// somewhere may begin anywhere, and one that goes on after its first step on any page of
// its sites: a flow leaves the page by which it is found.
func (s *scope) start(address string, steps []automation.Step, from int) error {
	if len(steps) > 0 && steps[0].Tool == "navigate" {
		return nil
	}
	if len(s.match.URLs) == 0 {
		s.add(address)
	}
	if from > 0 && len(s.match.URLs) > 0 {
		return s.check(address)
	}
	if len(s.match.URLs) > 0 && !s.match.MatchURL(address) {
		return outOfScope(address, s.match.URLs)
	}
	return nil
}

// check returns nil if something may be done in a document.
func (s *scope) check(address string) error {
	if s.owns(address) || slices.Contains(s.led, origin(address)) {
		return nil
	}
	return outOfScope(address, append(s.sites.URLs[:len(s.sites.URLs):len(s.sites.URLs)], s.led...))
}

// owns reports whether a document is of a site of the run's own.
func (s *scope) owns(address string) bool { return s.sites.Covers(address) }

// extend has a session act where a press has led. It returns the origin, "" where that changes nothing.
func (s *scope) extend(address string) string {
	at, ok := weburl.OriginOf(address)
	if !ok || s.check(address) == nil {
		return ""
	}
	s.led = append(s.led, at)
	return at
}

// mayHave reports whether a secret may be typed in a document that is in scope.
func (s *scope) mayHave(secret automation.Secret, address string) bool {
	if secret.HasOrigins() {
		return secret.AllowedOn(origin(address))
	}
	return s.owns(address)
}

func outOfScope(address string, globs []string) error {
	return &Error{Code: OutOfScope, Reason: fmt.Sprintf("%s is not one of %v: nothing was done there", shown(address), globs)}
}

// shown is an address for people and logs: without user, query and fragment.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read"
	}
	return weburl.WithoutSecrets(u)
}

// origin of an address, as the web writes it.
func origin(address string) string {
	if origin, ok := weburl.OriginOf(address); ok {
		return origin
	}
	return "null"
}

// contains reports whether a page's text shows a value, whatever its case.
func contains(said, value string) bool {
	return value != "" && strings.Contains(strings.ToLower(said), strings.ToLower(value))
}
