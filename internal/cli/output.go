package cli

import (
	"encoding/json"
	"io"
)

// printJSON writes v as the result, for programs.
func (a *app) printJSON(v any) error { return writeJSON(a.stdout, v) }

// writeJSON leaves <, > and & as they are: selectors are full of them.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
