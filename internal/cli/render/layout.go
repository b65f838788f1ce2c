package render

import (
	"bytes"
	"encoding/json"
	"strings"
)

// lineWidth is what a line of a document may have, in bytes, before its value is
// laid out over several.
const lineWidth = 100

// layout writes a JSON value: on one line where it fits or must, else its members
// each on its own.
func layout(b *strings.Builder, value json.RawMessage, indent string, mustFit bool) error {
	line := spaced(value)
	if mustFit || len(indent)+len(line) <= lineWidth || value[0] != '{' && value[0] != '[' {
		b.WriteString(line)
		return nil
	}
	b.WriteByte(value[0])
	inner := indent + "  "
	err := members(value, func(i int, key string, member json.RawMessage) error {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + inner + key)
		return layout(b, member, inner, key == "" && indent == "  ")
	})
	b.WriteString("\n" + indent)
	b.WriteByte(value[0] + 2) // } is two after {, ] after [
	return err
}

// members gives those of an object, with the key as it is written before its
// value, or those of an array.
func members(value json.RawMessage, take func(i int, key string, member json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(value))
	if _, err := d.Token(); err != nil {
		return err
	}
	for i := 0; d.More(); i++ {
		key := ""
		if value[0] == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			quoted, err := json.Marshal(name)
			if err != nil {
				return err
			}
			key = string(quoted) + ": "
		}
		var member json.RawMessage
		if err := d.Decode(&member); err != nil {
			return err
		}
		if err := take(i, key, member); err != nil {
			return err
		}
	}
	return nil
}

// spaced writes JSON that is on one line with a space after each : and comma.
func spaced(line []byte) string {
	var b strings.Builder
	quoted, escaped := false, false
	for _, c := range line {
		b.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ':' || c == ','):
			b.WriteByte(' ')
		}
	}
	return b.String()
}
