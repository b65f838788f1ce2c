package replayer

import (
	"cmp"
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

func newScrubber(values map[string]any, more ...string) *scrubber {
	var forms []string
	for _, secret := range append(secretsIn(values), more...) {
		forms = append(forms, encoded(secret)...)
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) // what holds another goes first
	var pairs []string
	for _, form := range slices.Compact(forms) {
		pairs = append(pairs, form, covered)
	}
	return &scrubber{strings.NewReplacer(pairs...)}
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

// inComponent undoes what JavaScript's encodeURIComponent leaves as it is and Go does not.
var inComponent = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// encoded is a secret as it is, and as pages and programs write it in addresses, JSON
// and HTML.
func encoded(secret string) []string {
	if len([]rune(secret)) < shortestQuoted {
		return nil
	}
	asText := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\u00a0", "&nbsp;").Replace(secret)
	asValue := strings.NewReplacer("&", "&amp;", `"`, "&quot;", "\u00a0", "&nbsp;").Replace(secret)
	forms := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"), inComponent.Replace(url.QueryEscape(secret)),
		(&url.URL{Path: secret}).EscapedPath(), html.EscapeString(secret), asText, asValue,
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret)),
		base64.RawStdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
	}
	for _, escaped := range []bool{true, false} {
		forms = append(forms, inJSON(secret, escaped))
	}
	return slices.DeleteFunc(forms, func(form string) bool { return form == "" })
}

func inJSON(text string, escapeHTML bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	if e.Encode(text) != nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

func (s *scrubber) text(text string) string {
	if s == nil || s.forms == nil {
		return text
	}
	return s.forms.Replace(text)
}

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
			clean[s.text(key)] = s.value(item)
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
