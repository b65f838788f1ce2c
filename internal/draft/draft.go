// Package draft has what every recording makes an automation with, whether a user's
// actions are recorded or an agent's calls: names and schemas of variables, and the
// globs of the sites that the automation is for.
package draft

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/selectors"
)

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// numberWithin is that of a row, as in form-4-header.
var numberWithin = regexp.MustCompile(`_(\d+_)+`)

// maxVariableName is more than authors write, and less than frameworks generate.
const maxVariableName = 30

// VariableName makes a name for a variable of the first text that makes one: the
// label or another name of its field, unless a program made that. It returns otherwise where none does.
func VariableName(otherwise string, texts ...string) string {
	for _, text := range texts {
		name := identifier(text)
		if len(name) > maxVariableName {
			text = clauseEnd.Split(text, 2)[0]
			name = identifier(text)
		}
		if name != "" && name != "undefined" && len(name) <= maxVariableName && name[0] >= 'a' && name[0] <= 'z' && !selectors.Generated(text) {
			return name
		}
	}
	return otherwise
}

// clauseEnd ends what a long label begins with: "Receivers: addresses, or a topic of ...".
var clauseEnd = regexp.MustCompile(`[:(,;!?]|\s[–-]\s|\.\s`)

// withoutMarks are letters that Unicode takes for no other one with a mark.
var withoutMarks = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l")

func identifier(text string) string {
	text = withoutMarks.Replace(strings.ToLower(text))
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text)) // "Schüler" is schuler
	return numberWithin.ReplaceAllString(strings.Trim(notInName.ReplaceAllString(text, "_"), "_"), "_")
}

// Unique returns the name, or one made of it that is not taken.
func Unique(name string, taken func(string) bool) string {
	unique := name
	for n := 2; taken(unique); n++ {
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	return unique
}

// Text returns the schema of a variable that is a text.
func Text(secret bool) map[string]any {
	schema := map[string]any{"type": "string"}
	if secret {
		schema["writeOnly"] = true
	}
	return schema
}

// Schema returns the JSON Schema of an automation's variables, of which those with names are
// required; nil for none.
func Schema(variables map[string]any, required []string) (json.RawMessage, error) {
	if len(variables) == 0 {
		return nil, nil
	}
	schema := map[string]any{"type": "object", "properties": variables, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return json.Marshal(schema)
}

// SiteGlob returns the glob of everything on the host of an address.
func SiteGlob(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", false
	}
	glob := weburl.SiteGlob(u) + "/*"
	_, err = automation.ParseGlob(glob)
	return glob, err == nil
}
