package replayer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// Drift is a step whose element was found, and is no longer quite what was
// recorded: a selector of the step names it no longer. It is seen while the step
// still works, so that the document can be renewed before it fails.
type Drift struct {
	Step       int              `json:"step"`       // index
	Score      float64          `json:"score"`      // 0 is unchanged, 1 is nothing left of what was recorded
	Healed     bool             `json:"healed"`     // the step's own selector failed; what else was known found the element
	Confidence float64          `json:"confidence"` // that it is the right one, from 0 to 1
	Lost       []selectors.Path `json:"lost"`       // selectors of the step that no longer name it
	Proposed   automation.Step  `json:"-"`          // the step with what would be recorded now
}

// described is what the page script reports of an element that has drifted.
type described struct {
	Candidates  [][]string             `json:"candidates"`
	Fingerprint *selectors.Fingerprint `json:"fingerprint"`
}

// found notes with which selector a step's element was found, and how far it has
// drifted: not where it was filled in what is chosen, since what that is changes with its values.
func (r *run) found(result *StepResult, step automation.Step, el reply, filled bool) {
	all := append([]selectors.Path{step.Selector}, step.Alternatives...)
	result.Matched, result.Drift = el.Matched, el.Drift
	if el.Matched >= 0 && el.Matched < len(all) {
		result.Selector = all[el.Matched]
	}
	if el.Current == nil || filled {
		return
	}
	drift := Drift{Step: result.Index, Score: el.Drift, Healed: el.Matched != 0, Confidence: el.Confidence}
	for _, i := range el.Lost {
		if i >= 0 && i < len(all) {
			drift.Lost = append(drift.Lost, all[i])
		}
	}
	var changed bool
	if drift.Proposed, changed = renewed(step, *el.Current); changed {
		if !r.unquote(step, &drift.Proposed) {
			drift.Proposed = step
		} else {
			drift.Proposed.BindEvidence()
		}
		r.result.Drift = append(r.result.Drift, drift)
	}
}

// renewed is a step with the selectors and the evidence of its element as it is
// now; false where the page gave no selector. They come from a page, so what is
// not valid is dropped, as it is when a flow is recorded.
func renewed(step automation.Step, now described) (automation.Step, bool) {
	var paths []selectors.Path
	for _, parts := range now.Candidates {
		if path, err := selectors.ParsePath(parts...); err == nil {
			paths = append(paths, path)
		}
	}
	testID := ""
	if now.Fingerprint != nil {
		testID = now.Fingerprint.TestIDAttribute
	}
	paths = selectors.Rank(paths, testID)
	if len(paths) == 0 {
		return step, false
	}
	step.Selector, step.Alternatives, step.Fingerprint = paths[0], paths[1:], now.Fingerprint
	return step, true
}

// Proposal returns the automation as it would be after accepting what has drifted,
// valid and with the revision that it was played at; nil where nothing has, or
// where what the page reported makes no valid document. The automation
// that was played is not changed.
func (r *Result) Proposal(a *automation.Automation) *automation.Automation {
	proposed := *a
	proposed.Steps = slices.Clone(a.Steps)
	changed := false
	for _, d := range r.Drift {
		if d.Step < len(proposed.Steps) {
			proposed.Steps[d.Step], changed = d.Proposed, true
		}
	}
	if !changed || proposed.Validate() != nil {
		return nil
	}
	return &proposed
}

// shortestQuoted is the length of a value that a proposal may not repeat; shorter
// ones are in every text. It is what the recorder goes by, too.
const shortestQuoted = 3

// unquote takes out of what is proposed for a step what repeats a value of the
// run, as where a button says "Pay as ada@example.com": documents hold no values.
// What the step has already stays; it returns false where no selector is left.
func (r *run) unquote(was automation.Step, proposed *automation.Step) bool {
	texts := r.secrets.texts()
	known := append([]selectors.Path{was.Selector}, was.Alternatives...)
	all := append([]selectors.Path{proposed.Selector}, proposed.Alternatives...)
	all = slices.DeleteFunc(all, func(path selectors.Path) bool {
		own := slices.ContainsFunc(known, func(k selectors.Path) bool { return slices.Equal(k, path) })
		return !own && (quotes(path.String(), texts) || r.secrets.redactor.in(path.String()))
	})
	if len(all) == 0 {
		return false
	}
	proposed.Selector, proposed.Alternatives = all[0], all[1:]
	if proposed.Fingerprint != nil {
		proposed.Fingerprint = withoutValues(*proposed.Fingerprint, texts)
	}
	return true
}

// texts are what the values of the run may be shown as.
func (s *secrets) texts() []string {
	var all []string
	for _, value := range s.values {
		all = append(all, textsOf(value)...)
	}
	return slices.DeleteFunc(all, func(text string) bool { return len(text) < shortestQuoted })
}

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
	case automation.Secret:
		return []string{strings.TrimSpace(v.Reveal())}
	case string:
		return []string{strings.TrimSpace(v)}
	}
	return []string{fmt.Sprint(value)}
}

func quotes(text string, values []string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(values, func(value string) bool { return strings.Contains(text, strings.ToLower(value)) })
}

// withoutValues is a fingerprint without the hashes of values: each is 16 bits of
// one, and the key is stored with it.
func withoutValues(f selectors.Fingerprint, texts []string) *selectors.Fingerprint {
	hashes := map[string]bool{}
	for _, text := range texts {
		for _, form := range formsOf(text) {
			hashed := hash(f.Key, form)
			hashes[hashed], hashes[asNumber(hashed)] = true, true
		}
	}
	f.Own, f.Around, f.Page = without(f.Own, hashes), without(f.Around, hashes), without(f.Page, hashes)
	f.Rivals = slices.Clone(f.Rivals)
	for i := range f.Rivals {
		f.Rivals[i] = without(f.Rivals[i], hashes)
	}
	return &f
}

// marks are what words of a text stand in, as pages put values into sentences.
var marks = struct{ before, after []string }{
	[]string{"", "(", "[", `"`, "'", "«", "“", "#"}, []string{"", ".", ",", ":", ";", "!", "?", ")", "]", `"`, "'", "»", "”"},
}

// groupLength is that of the groups in which pages show long numbers.
const groupLength = 4

// formsOf are what is hashed where a page shows a value: all of it, each of its
// words with the marks around it, and a number in its groups.
func formsOf(text string) []string {
	words := strings.Fields(strings.ToLower(text))
	if digits := strings.Join(words, ""); len(digits) > groupLength && strings.TrimFunc(digits, unicode.IsDigit) == "" {
		words = append(words, digits)
		for group := range slices.Chunk([]byte(digits), groupLength) {
			words = append(words, string(group))
		}
	}
	forms := []string{text}
	for _, word := range words {
		for _, before := range marks.before {
			for _, after := range marks.after {
				forms = append(forms, before+word+after)
			}
		}
	}
	return forms
}

// hashLength is that of one hash of a fingerprint, in characters.
const hashLength = 4

func without(features map[string]string, hashes map[string]bool) map[string]string {
	left := maps.Clone(features)
	for name, packed := range features {
		var kept strings.Builder
		for hash := range slices.Chunk([]byte(packed), hashLength) {
			if !hashes[string(hash)] {
				kept.Write(hash)
			}
		}
		if kept.Len() == 0 && packed != "" {
			delete(left, name)
		} else {
			left[name] = kept.String()
		}
	}
	return left
}

// hash is that of the page script (internal/page/src/locate/evidence.ts).
func hash(key, text string) string {
	h := uint32(0x811c9dc5)
	for _, unit := range utf16.Encode([]rune(key + text)) {
		h = (h ^ uint32(unit)) * 0x01000193
	}
	return fmt.Sprintf("%04x", (h>>16^h)&0xffff)
}

// asNumber is the same hash where the page script knows that it is a number's.
func asNumber(hashed string) string {
	return strings.Map(func(digit rune) rune {
		return 'g' + rune(strings.IndexRune("0123456789abcdef", digit))
	}, hashed)
}
