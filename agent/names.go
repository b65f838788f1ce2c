package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds that all clients keep to.
const (
	longestName        = 64
	longestDescription = 500 // characters
)

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{2,63}$`)

// runPrefix begins the names of automations' tools.
const runPrefix = "run_"

// toolName makes the name of a tool: small letters, digits and _. Where that is taken by
// another, or too long, it ends with a mark that is the same each time.
func toolName(prefix, name string, taken func(string) bool) string {
	made := prefix + snake(name)
	if namePattern.MatchString(made) && !taken(made) {
		return made
	}
	sum := sha256.Sum256([]byte(prefix + name))
	mark := "_" + hex.EncodeToString(sum[:3])
	return made[:min(len(made), longestName-len(mark))] + mark
}

// snake writes a name with _ between its words: typeInput, google-login, acme.solve.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case unicode.IsUpper(r) && i > 0:
			b.WriteByte('_')
			b.WriteRune(unicode.ToLower(r))
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || unicode.IsUpper(r):
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}

// described is a description with how to pass an intent at its end, of at most
// longestDescription characters.
func described(does string) string {
	does = strings.Join(strings.Fields(does), " ")
	most := longestDescription - utf8.RuneCountInString(intentNote)
	if runes := []rune(does); len(runes) > most {
		does = string(runes[:most-1]) + "…"
	}
	return does + intentNote
}
