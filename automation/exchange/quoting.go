package exchange

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// indented is JSON for files that people read, <, > and & as they are.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// compact is JSON on one line.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// testIDs is CSS for a test id, whatever its attribute.
func testIDs(value string, s *automation.Step) string {
	attributes := selectors.TestIDAttributes()
	if s != nil && s.Fingerprint != nil && s.Fingerprint.TestIDAttribute != "" {
		attributes = append([]string{s.Fingerprint.TestIDAttribute}, attributes...)
	}
	each := make([]string, len(attributes))
	for i, attribute := range attributes {
		each[i] = "[" + attribute + "=" + cssString(value) + "]"
	}
	return strings.Join(each, ", ")
}

// cssString quotes a text for CSS (https://www.w3.org/TR/cssom-1/#serialize-a-string).
func cssString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
