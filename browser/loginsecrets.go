package browser

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-reprise/reprise/automation"
)

const (
	// shortestHidden is the length from which on a cookie that no script may read counts as
	// a secret, and shortestKey that of everything else: shorter ones are settings, and
	// words that pages show.
	shortestHidden, shortestKey = 8, 12
	// longestKey is more than any token has: what is longer is the site's data.
	longestKey = 8 << 10
	// mostKeys are more than any site signs one in with.
	mostKeys = 500
)

// Secrets are the values in the login that look like keys, one by one, each a secret of its
// origins: for whoever keeps a page from repeating them. They are the cookies that no
// script may read, and what of other cookies and of local storage has letters and digits,
// and no white space; of JSON each text of its own. Settings, names and addresses, which
// sites keep there as well and show, are none.
func (l *Login) Secrets() []automation.Secret {
	s, err := readState(l.state.Reveal())
	if err != nil {
		return nil // which newLogin would not have let pass
	}
	keys := &loginKeys{origins: s.Origins, seen: map[string]bool{}}
	for _, c := range s.Cookies {
		if n := utf8.RuneCountInString(c.Value); c.HTTPOnly && n >= shortestHidden && n <= longestKey {
			keys.add(c.Value)
		}
		keys.look(c.Value)
	}
	for _, of := range s.Storage {
		var pairs [][]string
		_ = json.Unmarshal(of.Items, &pairs) // they were checked
		for _, pair := range pairs {
			keys.look(pair[1])
		}
	}
	return keys.found
}

// loginKeys collects what looks like a key.
type loginKeys struct {
	origins []string
	seen    map[string]bool
	found   []automation.Secret
}

// look looks at a text, and within it where it is JSON.
func (k *loginKeys) look(text string) {
	var v any
	if strings.ContainsAny(text, `{["`) && json.Unmarshal([]byte(text), &v) == nil {
		k.within(v)
		return
	}
	if looksLikeKey(text) {
		k.add(text)
	}
}

func (k *loginKeys) within(v any) {
	switch v := v.(type) {
	case string:
		k.look(v) // which may hold JSON again: each time it is shorter
	case []any:
		for _, item := range v {
			k.within(item)
		}
	case map[string]any:
		for _, item := range v {
			k.within(item)
		}
	}
}

func (k *loginKeys) add(text string) {
	if k.seen[text] || len(k.found) == mostKeys {
		return
	}
	k.seen[text] = true
	if secret, err := automation.NewSecret(text, k.origins...); err == nil {
		k.found = append(k.found, secret)
	}
}

// looksLikeKey reports whether a text may let somebody in.
func looksLikeKey(text string) bool {
	if n := utf8.RuneCountInString(text); n < shortestKey || n > longestKey || strings.ContainsFunc(text, unicode.IsSpace) {
		return false
	}
	if strings.Contains(text, "://") || strings.Count(text, "@") == 1 {
		return automation.LooksSecret(text) != ""
	}
	return strings.ContainsFunc(text, unicode.IsLetter) && strings.ContainsFunc(text, unicode.IsDigit)
}
