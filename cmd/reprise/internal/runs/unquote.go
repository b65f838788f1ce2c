package runs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
)

// shortestQuoted is the length of a value that a selector may not repeat; shorter
// ones are in every text. It is what the recorder goes by, too.
const shortestQuoted = 3

// Unquote takes out of what a run proposes the selectors that repeat a value it was
// given, as where a button says "Pay as ada@example.com": documents and records hold
// no values. A step of which no other selector is left is proposed as it was.
func Unquote(a *automation.Automation, result *replayer.Result, values replayer.Map) {
	var texts []string
	for _, value := range values {
		texts = append(texts, textsOf(value)...)
	}
	for i := range result.Drift {
		d := &result.Drift[i]
		if d.Step < 0 || d.Step >= len(a.Steps) {
			continue
		}
		was := a.Steps[d.Step]
		known := append([]selectors.Path{was.Selector}, was.Alternatives...)
		all := append([]selectors.Path{d.Proposed.Selector}, d.Proposed.Alternatives...)
		all = slices.DeleteFunc(all, func(path selectors.Path) bool {
			own := slices.ContainsFunc(known, func(k selectors.Path) bool { return slices.Equal(k, path) })
			return !own && quotes(path.String(), texts)
		})
		if len(all) == 0 {
			d.Proposed = was
			continue
		}
		d.Proposed.Selector, d.Proposed.Alternatives = all[0], all[1:]
	}
}

func quotes(text string, values []string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(values, func(value string) bool {
		return len(value) >= shortestQuoted && strings.Contains(text, strings.ToLower(value))
	})
}

// textsOf gives what a value may be shown as.
func textsOf(value any) []string {
	switch v := value.(type) {
	case nil, bool:
		return nil
	case []any:
		var all []string
		for _, item := range v {
			all = append(all, textsOf(item)...)
		}
		return all
	case string:
		return []string{strings.TrimSpace(v)}
	}
	return []string{fmt.Sprint(value)}
}
