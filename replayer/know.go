package replayer

import (
	"fmt"
	"maps"

	"github.com/go-reprise/reprise/automation"
)

// What a session is told by its caller, and tells it.

// Know tells the session of secrets that pages in it may repeat although none of its
// own calls has typed them, as after a run in the same page.
func (s *Session) Know(secrets ...automation.Secret) {
	if s.err != nil {
		return
	}
	values := maps.Clone(s.run.values)
	for i, secret := range secrets {
		values[fmt.Sprintf("%s%d", knownPrefix, i)] = secret // under names that no variable has
	}
	s.run.know(values)
}

const knownPrefix = " known "

// URL is the address of the first tab, without its query.
func (s *Session) URL() string { return s.run.scrub.text(shown(s.run.page.URL())) }

// Pictures are what calls of screenshot have taken since the last call of Pictures.
func (s *Session) Pictures() []Picture {
	taken := s.run.result.Pictures
	s.run.result.Pictures = nil
	return taken
}

// Scrubber takes secrets out of texts, plain and as pages and programs encode them.
type Scrubber struct{ scrubber *scrubber }

// NewScrubber makes one for these secrets.
func NewScrubber(secrets ...automation.Secret) *Scrubber {
	var plain []string
	for _, secret := range secrets {
		plain = append(plain, secret.Reveal())
	}
	return &Scrubber{newScrubber(nil, plain...)}
}

// Text gives a text without the secrets.
func (s *Scrubber) Text(text string) string { return s.scrubber.text(text) }

// Value gives whatever JSON can hold without the secrets, in its texts and its keys.
func (s *Scrubber) Value(v any) any { return s.scrubber.value(v) }
