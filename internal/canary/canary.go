// Package canary makes secrets that stand nowhere by chance, and finds them in what
// was written, said or sent, however they were written there.
package canary

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
)

// New makes a secret with characters in it that each way of writing things down writes
// in its own way; its second half are hexadecimal digits.
func New() string { return NewOf(`Kanarie+<"/é`) }

// NewOf is New with a beginning of one's own.
func NewOf(kind string) string {
	data := make([]byte, 12)
	_, _ = rand.Read(data) // never fails, says its package
	return kind + hex.EncodeToString(data)
}

// Forms are the ways in which a text may have been written down: whole, or its second
// half where the first may have been escaped in ways that are not thought of here.
func Forms(text string) map[string]string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil // a string: cannot happen
	}
	half := text[len(text)/2:]
	all := map[string]string{
		"plain": text, "JSON": strings.Trim(string(quoted), `"`), "query": url.QueryEscape(text), "path": url.PathEscape(text),
		"HTML": html.EscapeString(text), "hex": hex.EncodeToString([]byte(half)), "half": half, "backwards": backwards(half),
	}
	for shift := range 3 { // base64 within a longer text, at each alignment
		coded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + half))
		all[fmt.Sprintf("base64 at %d", shift)] = coded[(shift*4+2)/3 : len(coded)-2]
	}
	return all
}

func backwards(text string) string {
	data := []byte(text)
	slices.Reverse(data)
	return string(data)
}

// Find returns in which way a text stands in data, with what stands around it; "" for in
// none. Case and ends of lines make no difference.
func Find(data []byte, text string) (form string, around []byte) {
	data = bytes.ToLower(data)
	unbroken := bytes.ReplaceAll(data, []byte("\n"), nil) // armored is broken into lines
	for form, written := range Forms(text) {
		for _, in := range [][]byte{data, unbroken} {
			if at := bytes.Index(in, bytes.ToLower([]byte(written))); at >= 0 {
				return form, in[max(0, at-excerptMargin):min(len(in), at+len(written)+excerptMargin)]
			}
		}
	}
	return "", nil
}

// excerptMargin is how much is shown of what stands on each side, in bytes.
const excerptMargin = 120
