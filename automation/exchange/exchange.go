// Package exchange reads the recordings of other tools and writes them, and says
// item by item what could not be carried over.
package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// Format is a form in which another tool keeps a flow.
type Format string

// The formats. Programs can only be written: what they do cannot be read without
// running them.
const (
	Chrome     Format = "chrome"     // the JSON of Chrome's recorder and of @puppeteer/replay
	Side       Format = "side"       // a project of Selenium IDE
	JSONL      Format = "jsonl"      // the actions of Playwright's codegen, one a line
	Playwright Format = "playwright" // a test in TypeScript; written only
	Go         Format = "go"         // a program that uses this library; written only
)

// The bounds of what is read: files come from strangers.
const (
	MaxSize  = 8 << 20 // bytes, as many as a document may have
	maxSteps = 5000    // a day's work; with inlined tests of Selenium, of all of them
	maxDepth = 8       // tests that run tests
)

// Readable lists the formats that Import reads.
func Readable() []Format { return []Format{Chrome, Side, JSONL} }

// Writable lists the formats that Export writes.
func Writable() []Format { return []Format{Chrome, Side, JSONL, Playwright, Go} }

// ImportOptions say how to read. The zero value, or nil, works for files that
// name their pages.
type ImportOptions struct {
	// Format of the file. Default: told by its content.
	Format Format
	// File names it in errors. Default: nothing is said of it.
	File string
	// Name of the automation. Default: made of the title that the file has.
	Name string
	// Account that the automation is for. Default: any.
	Account string
	// Test of a Selenium IDE project, by its name. Default: the first.
	Test string
	// URLs are globs of where the automation may be used, in addition to the sites of the
	// addresses in the file. Default: none.
	URLs []string
}

// Import reads a recording of another tool. What cannot be carried over is in the
// report; an error, an *Error, is only what leaves nothing to go by. Scripts of the
// file are never taken over, and what looks like a secret becomes a variable.
func Import(data []byte, o *ImportOptions) (*automation.Automation, Report, error) {
	if o == nil {
		o = &ImportOptions{}
	}
	r := &reader{options: *o, format: o.Format, at: whole}
	if len(data) > MaxSize {
		return nil, nil, r.fail(ErrTooLarge, "%d bytes, more than the %d allowed", len(data), MaxSize)
	}
	if r.format == "" {
		r.format = Detect(data)
	}
	read := map[Format]func(*reader, []byte) error{Chrome: readChrome, Side: readSide, JSONL: readJSONL}[r.format]
	if read == nil {
		return nil, nil, r.fail(ErrFormat, "%s", notReadable(r.format))
	}
	if err := read(r, bytes.TrimPrefix(data, []byte("\ufeff"))); err != nil {
		return nil, nil, err
	}
	return r.finish()
}

func notReadable(f Format) string {
	if f == "" {
		return "neither a recording of Chrome (JSON with steps), nor a project of Selenium IDE (JSON with tests), nor Playwright's jsonl (a JSON object a line, with names of actions)"
	}
	return fmt.Sprintf("%q cannot be read, only %s", f, list(Readable()))
}

func list(formats []Format) string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}

// Detect returns the format by the content; "" where it is none that is read.
func Detect(data []byte) Format {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	var one struct {
		Steps  json.RawMessage `json:"steps"`
		Format json.RawMessage `json:"format"`
		Tests  json.RawMessage `json:"tests"`
		lineKeys
	}
	if json.Unmarshal(data, &one) == nil {
		switch {
		case len(one.Format) > 0:
			return "" // a document of our own
		case len(one.Steps) > 0:
			return Chrome
		case len(one.Tests) > 0:
			return Side
		}
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	var keys lineKeys
	if json.Unmarshal(line, &keys) == nil && (keys.Name != "" || keys.BrowserName != "") {
		return JSONL
	}
	return ""
}

// lineKeys are what the first line of a jsonl has: a header, or an action.
type lineKeys struct {
	Name        string `json:"name"`
	BrowserName string `json:"browserName"`
}

// ExportOptions say how to write. The zero value, or nil, works.
type ExportOptions struct {
	// Values stand in the place of variables that are not secret. Default: their
	// defaults in the document, else a placeholder such as ${email}.
	Values map[string]any
}

// Export writes an automation in another tool's form. What that form cannot hold
// is in the report. The value of a secret is never written: there stands a
// placeholder, or code that reads it from the environment.
func Export(a *automation.Automation, to Format, o *ExportOptions) ([]byte, Report, error) {
	if o == nil {
		o = &ExportOptions{}
	}
	if !slices.Contains(Writable(), to) {
		return nil, nil, &Error{Format: to, Step: whole, Reason: fmt.Sprintf("%q cannot be written, only %s", to, list(Writable())), Err: ErrFormat}
	}
	if err := a.Validate(); err != nil {
		return nil, nil, &Error{Format: to, Step: whole, Reason: "the automation is not valid: " + err.Error(), Err: err}
	}
	declared, err := a.Declared()
	if err != nil {
		return nil, nil, &Error{Format: to, Step: whole, Reason: err.Error(), Err: err}
	}
	w := &writer{automation: a, declared: declared, values: o.Values, at: whole}
	if err := w.checkValues(); err != nil {
		return nil, nil, &Error{Format: to, Step: whole, Reason: err.Error(), Err: err}
	}
	if to != Playwright && to != Go { // these have variables
		w.fillSelectors()
	}
	write := map[Format]func(*writer) ([]byte, error){Chrome: writeChrome, Side: writeSide, JSONL: writeJSONL, Playwright: writePlaywright, Go: writeGo}[to]
	text, err := write(w)
	if err != nil {
		return nil, nil, &Error{Format: to, Step: w.at, Reason: err.Error(), Err: err}
	}
	return text, w.report(), nil
}
