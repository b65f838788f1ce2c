package server_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/go-reprise/reprise/internal/server"
)

// described is openapi.json, which requests and answers of the tests are held to.
type described struct {
	compiler *jsonschema.Compiler
	mux      *http.ServeMux // finds a request's pattern
	paths    map[string]map[string]json.RawMessage
}

const describedAt = "openapi.json"

func describe(t *testing.T) *described {
	t.Helper()
	data, err := os.ReadFile(describedAt)
	if err != nil {
		t.Fatal(err)
	}
	d := &described{compiler: jsonschema.NewCompiler(), mux: http.NewServeMux()}
	d.compiler.Draft, d.compiler.AssertFormat, d.compiler.AssertContent = jsonschema.Draft2020, true, true
	if err := d.compiler.AddResource(describedAt, bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	d.paths = doc.Paths
	for _, pattern := range d.patterns() {
		d.mux.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
	}
	return d
}

func (d *described) patterns() []string {
	var all []string
	for path, methods := range d.paths {
		for method := range methods {
			all = append(all, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(all)
	return all
}

// schema returns what a pointer leads to, nil where there is nothing.
func (d *described) schema(parts ...string) *jsonschema.Schema {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	pointer := describedAt + "#"
	for _, part := range parts {
		pointer += "/" + escape.Replace(part)
	}
	s, err := d.compiler.Compile(pointer)
	if err != nil {
		return nil
	}
	return s
}

// holds checks the answer to a request, with its body.
func (d *described) holds(t *testing.T, r *http.Request, answer *http.Response, body []byte) {
	t.Helper()
	_, pattern := d.mux.Handler(r)
	method, path, found := strings.Cut(pattern, " ")
	if !found {
		t.Fatalf("%s %s is not described", r.Method, r.URL.Path)
	}
	var op struct {
		Responses map[string]struct {
			Ref     string `json:"$ref"`
			Content map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(d.paths[path][strings.ToLower(method)], &op); err != nil {
		t.Fatal(err)
	}
	status := strconv.Itoa(answer.StatusCode)
	described, is := op.Responses[status]
	if !is {
		t.Errorf("%s: the answer %s is not described: %s", pattern, answer.Status, body)
		return
	}
	at := []string{"paths", path, strings.ToLower(method), "responses", status}
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if described.Ref != "" {
		at, kind = strings.Split(strings.TrimPrefix(described.Ref, "#/"), "/"), "application/json"
	}
	if described.Ref == "" && len(described.Content) == 0 && len(body) == 0 {
		return
	}
	if _, is := described.Content[kind]; described.Ref == "" && !is {
		t.Errorf("%s: %s is answered with %q", pattern, status, kind)
		return
	}
	if kind != "application/json" {
		return
	}
	schema := d.schema(append(at, "content", kind, "schema")...)
	if schema == nil {
		t.Fatalf("%s: there is no schema for %s", pattern, status)
	}
	fits(t, pattern+" "+status, schema, body)
}

// takes checks the body of a request that is to be one that the API takes.
func (d *described) takes(t *testing.T, r *http.Request, body []byte) {
	t.Helper()
	_, pattern := d.mux.Handler(r)
	method, path, _ := strings.Cut(pattern, " ")
	schema := d.schema("paths", path, strings.ToLower(method), "requestBody", "content", "application/json", "schema")
	if schema == nil {
		t.Fatalf("%s takes no body", pattern)
	}
	fits(t, "the body for "+pattern, schema, body)
}

func fits(t *testing.T, what string, schema *jsonschema.Schema, body []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Errorf("%s: %v: %.200s", what, err, body)
		return
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%s: %#v", what, err)
	}
}

func TestEveryRouteIsDescribed(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(describe(t).patterns(), server.Routes()); diff != "" {
		t.Errorf("described, and served: %s", diff)
	}
}

func TestEverySchemaOfTheDescriptionIsOne(t *testing.T) {
	t.Parallel()
	d := describe(t)
	var doc any
	data, err := os.ReadFile(describedAt)
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	var walk func(v any, at []string)
	walk = func(v any, at []string) {
		object, is := v.(map[string]any)
		if !is {
			return
		}
		if ref, is := object["$ref"].(string); is && d.schema(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...) == nil {
			t.Errorf("%v refers to %s", at, ref)
		}
		for key, inner := range object {
			if key == "schema" && d.schema(append(slices.Clone(at), key)...) == nil {
				t.Errorf("%v is no schema", at)
			}
			walk(inner, append(slices.Clone(at), key))
		}
	}
	walk(doc, nil)
}

// send sends a request to the API, and holds the answer to the description.
func (s *sidecar) send(t *testing.T, method, path, body string, change func(*http.Request)) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if change != nil {
		change(r)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	s.described.holds(t, r, answer, data)
	if answer.StatusCode < 300 && body != "" {
		s.described.takes(t, r, []byte(body))
	}
	return answer, data
}

// told is an answer of the API.
type told map[string]any

// does sends a request that is answered with a status, and returns the answer.
func (s *sidecar) does(t *testing.T, status int, method, path, body string) told {
	t.Helper()
	return s.doesAs(t, nil, status, method, path, body)
}

// doesAs is does for a request that change has changed.
func (s *sidecar) doesAs(t *testing.T, change func(*http.Request), status int, method, path, body string) told {
	t.Helper()
	answer, data := s.send(t, method, path, body, change)
	if answer.StatusCode != status {
		t.Fatalf("%s %s %s: %s, want %d: %.400s", method, path, body, answer.Status, status, data)
	}
	value := told{}
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(data, &value); err != nil {
			t.Fatal(err)
		}
	}
	return value
}

// fails is does for a request that is answered with an error of a code.
func (s *sidecar) fails(t *testing.T, status int, code, method, path, body string) told {
	t.Helper()
	value := s.does(t, status, method, path, body)
	e, _ := value["error"].(map[string]any)
	if e["code"] != code || e["reason"] == "" || e["next"] == nil {
		t.Errorf("%s %s %s fails with %v, want %s", method, path, body, e, code)
	}
	return e
}
