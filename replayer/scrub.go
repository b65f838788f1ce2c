package replayer

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
)

// scrubber takes a run's secrets out of what is about to leave it: what pages say may
// repeat them, or pieces of them, plain or encoded.
type scrubber struct {
	secrets []string
	index   *redact.Index
}

// covered stands where a secret stood.
const covered = redact.Mark

func newScrubber(values map[string]any, more ...string) *scrubber {
	return (*scrubber)(nil).with(append(secretsIn(values), more...))
}

// with returns the scrubber of these secrets: s itself where they are its own.
func (s *scrubber) with(secrets []string) *scrubber {
	slices.Sort(secrets)
	secrets = slices.Compact(secrets)
	if s != nil && slices.Equal(s.secrets, secrets) {
		return s
	}
	return &scrubber{secrets, redact.New(secrets...)}
}

func secretsIn(values map[string]any) []string {
	var all []string
	for _, v := range values {
		if secret, ok := v.(automation.Secret); ok {
			all = append(all, secret.Reveal())
		}
	}
	return all
}

func (s *scrubber) text(text string) string {
	if s == nil {
		return text
	}
	return s.index.Text(text)
}

// in reports whether a text has a piece of a secret.
func (s *scrubber) in(text string) bool { return s != nil && s.index.In(text) }

// ourKey is a key of our own answers: it names a part of them, and comes from no page.
var ourKey = regexp.MustCompile(`^[a-z][a-z_]{0,23}$`)

// value is text for what goes to the caller: whatever JSON can hold.
func (s *scrubber) value(v any) any {
	switch v := v.(type) {
	case string:
		return s.text(v)
	case []any:
		clean := make([]any, len(v))
		for i, item := range v {
			clean[i] = s.value(item)
		}
		return clean
	case map[string]any:
		clean := map[string]any{}
		for key, item := range v {
			if !ourKey.MatchString(key) {
				key = s.text(key)
			}
			clean[key] = s.value(item)
		}
		return clean
	case nil, bool, float64:
		return v
	}
	var plain any
	if data, err := json.Marshal(v); err != nil || json.Unmarshal(data, &plain) != nil {
		return covered // it cannot be looked into
	}
	return s.value(plain)
}

// failure is an error without secrets.
func (s *scrubber) failure(e *Error) *Error {
	clean := *e
	clean.Reason, clean.Tried, clean.Considered = s.text(e.Reason), slices.Clone(e.Tried), slices.Clone(e.Considered)
	for i := range clean.Tried {
		clean.Tried[i].Why = s.text(e.Tried[i].Why)
	}
	for i := range clean.Considered {
		clean.Considered[i].Element = s.text(e.Considered[i].Element)
	}
	return &clean
}
