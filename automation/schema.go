package automation

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

//go:embed schema.json
var published []byte

// Schema gives the JSON Schema of the document, for editors and for programs in
// other languages. What it accepts, Parse can still refuse: that selectors and
// globs can be read, and that variables are declared, it cannot say.
func Schema() []byte { return bytes.Clone(published) }

// draft is the only one that a schema of a document may name.
const draft = "https://json-schema.org/draft/2020-12/schema"

// schemaURL stands for the schema itself; nothing is ever loaded from it.
const schemaURL = "https://schema.reprise.invalid/"

// compileSchema compiles a schema that came from a document or a program. It
// loads nothing: a reference can only point into the schema itself. The
// compiler panics on patterns that Go's RE2 cannot run, which no schema of
// JSON Schema's own forbids, so the panic is turned into the error it should be.
func compileSchema(schema []byte) (compiled *jsonschema.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			compiled, err = nil, fmt.Errorf("not a schema that can be run: %v", r)
		}
	}()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	c.LoadURL = func(string) (io.ReadCloser, error) {
		return nil, errors.New("a $ref must point into the same schema")
	}
	if err := c.AddResource(schemaURL, bytes.NewReader(schema)); err != nil {
		return nil, err
	}
	return c.Compile(schemaURL)
}

// decodeJSON keeps numbers as they are written.
func decodeJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() || dec.InputOffset() < int64(len(bytes.TrimSpace(data))) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

// leaves are the innermost causes of a validator's error: what is really wrong.
func leaves(err error) []*jsonschema.ValidationError {
	if err == nil {
		return nil
	}
	var s *jsonschema.SchemaError
	if errors.As(err, &s) && s.Err != nil {
		err = s.Err
	}
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return []*jsonschema.ValidationError{{Message: fromLibrary.Replace(err.Error())}}
	}
	if len(v.Causes) == 0 {
		return []*jsonschema.ValidationError{v}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range v.Causes {
		all = append(all, leaves(cause)...)
	}
	slices.SortStableFunc(all, func(a, b *jsonschema.ValidationError) int { // the validator walks over maps
		return cmp.Or(strings.Compare(a.InstanceLocation, b.InstanceLocation), strings.Compare(a.KeywordLocation, b.KeywordLocation))
	})
	return all
}

// fromLibrary takes away what is the library's own in its messages.
var fromLibrary = strings.NewReplacer("jsonschema: ", "", schemaURL, "")

// pointer goes on along a JSON pointer, as the validator gives them.
func (p *place) pointer(pointer string) *place {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		name, err := url.PathUnescape(token)
		if err != nil {
			name = token
		}
		if name = unescape.Replace(name); name != "" {
			p = p.field(name)
		}
	}
	return p
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")
