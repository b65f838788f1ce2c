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

// shortestQuoted is the length of a value that a proposal may not repeat; shorter
// ones are in every text. It is what the recorder goes by, too.
const shortestQuoted = 3

// unquote takes out of what is proposed for a step what repeats a value of the
// run, as where a button says "Pay as ada@example.com": documents hold no values.
// What the step has already stays; false says that no selector is left.
func (r *run) unquote(was automation.Step, proposed *automation.Step) bool {
	texts := r.texts()
	known := append([]selectors.Path{was.Selector}, was.Alternatives...)
	all := append([]selectors.Path{proposed.Selector}, proposed.Alternatives...)
	all = slices.DeleteFunc(all, func(path selectors.Path) bool {
		own := slices.ContainsFunc(known, func(k selectors.Path) bool { return slices.Equal(k, path) })
		return !own && (quotes(path.String(), texts) || r.scrub.in(path.String()))
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
func (r *run) texts() []string {
	var all []string
	for _, value := range r.values {
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
// one, and the key is beside it.
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
