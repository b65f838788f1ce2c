package replayer

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// scrubber takes a run's secrets out of what is about to leave it: what pages say may
// repeat them, plain or encoded.
type scrubber struct{ forms *strings.Replacer }

// covered stands where a secret stood.
const covered = "[secret]"

func newScrubber(values map[string]any) *scrubber {
	var forms []string
	for _, v := range values {
		if secret, ok := v.(automation.Secret); ok {
			forms = append(forms, encoded(secret.Reveal())...)
		}
	}
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) }) // what holds another goes first
	var pairs []string
	for _, form := range slices.Compact(forms) {
		pairs = append(pairs, form, covered)
	}
	return &scrubber{strings.NewReplacer(pairs...)}
}

// encoded is a secret as it is, and as it is written in addresses, JSON and HTML.
func encoded(secret string) []string {
	if len([]rune(secret)) < shortestQuoted {
		return nil
	}
	quoted, err := json.Marshal(secret)
	if err != nil {
		quoted = []byte(`""`)
	}
	forms := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"), strings.Trim(string(quoted), `"`), html.EscapeString(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret)),
		base64.RawStdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
	}
	return slices.DeleteFunc(forms, func(form string) bool { return form == "" })
}

func (s *scrubber) text(text string) string {
	if s == nil || s.forms == nil {
		return text
	}
	return s.forms.Replace(text)
}

// value is text for what a page gave: a text or a list of them.
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
	}
	return v
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
