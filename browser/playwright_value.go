package browser

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Values of IndexedDB have two forms: the flat one of a login, a heap of entries that refer to one another, and the
// nested one of Playwright.

// nester writes the flat form of a value as Playwright's, which is nested.
type nester struct {
	heap  [][]json.RawMessage
	seen  map[int]bool
	depth int
}

// maxNested is how deep values of Playwright's form may be: what reads them is recursive.
const maxNested = 500

// field returns a value as it is, or encoded. 0, "", false and null are encoded, as
// Playwright takes them for none.
func (n *nester) field(slot json.RawMessage) (plain, encoded json.RawMessage, err error) {
	if text := string(slot); text != "" && !slices.Contains([]string{"null", "0", `""`, "false"}, text) && text[0] != '[' {
		return slot, nil, nil
	}
	encoded, err = n.value(slot)
	return nil, encoded, err
}

func form(members ...any) (json.RawMessage, error) {
	var b bytes.Buffer
	for i := 0; i < len(members); i += 2 {
		data, is := members[i+1].(json.RawMessage)
		if !is {
			var err error
			if data, err = json.Marshal(members[i+1]); err != nil {
				return nil, err
			}
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", members[i], data)
	}
	return json.RawMessage("{" + b.String() + "}"), nil
}

var errForm = errors.New("a value of no known form")

func (n *nester) value(slot json.RawMessage) (json.RawMessage, error) {
	if string(slot) == "null" {
		return form("v", "null")
	}
	if len(slot) == 0 || slot[0] != '[' {
		return slot, nil
	}
	var parts []json.RawMessage
	var kind string
	if json.Unmarshal(slot, &parts) != nil || len(parts) == 0 || json.Unmarshal(parts[0], &kind) != nil {
		return nil, errForm
	}
	switch {
	case kind == "undefined":
		return form("v", kind)
	case len(parts) != 2:
		return nil, errForm
	case kind == "number":
		return form("v", parts[1])
	case kind == "bigint":
		return form("bi", parts[1])
	}
	var at int
	if kind != "ref" || json.Unmarshal(parts[1], &at) != nil || at < 0 || at >= len(n.heap) || len(n.heap[at]) == 0 {
		return nil, errForm
	}
	if n.seen[at] {
		return form("ref", at+1)
	}
	if n.depth++; n.depth > maxNested {
		return nil, fmt.Errorf("a value that is nested deeper than %d", maxNested)
	}
	defer func() { n.depth-- }()
	return n.entry(at)
}

func (n *nester) entry(at int) (json.RawMessage, error) {
	entry := n.heap[at]
	var kind string
	_ = json.Unmarshal(entry[0], &kind)
	switch {
	case kind == "list" && len(entry) == 2:
		n.seen[at] = true
		items, err := n.values(entry[1])
		if err != nil {
			return nil, err
		}
		return form("a", items, "id", at+1)
	case kind == "object" && len(entry) == 2:
		n.seen[at] = true
		var members []json.RawMessage
		if json.Unmarshal(entry[1], &members) != nil || len(members)%2 != 0 {
			return nil, errForm
		}
		list := []json.RawMessage{}
		for i := 0; i < len(members); i += 2 {
			value, err := n.value(members[i+1])
			if err != nil {
				return nil, err
			}
			member, _ := form("k", members[i], "v", value)
			list = append(list, member)
		}
		return form("o", list, "id", at+1)
	case kind == "date" && len(entry) == 2:
		var ms *float64
		if json.Unmarshal(entry[1], &ms) != nil || ms == nil {
			return nil, errors.New("a date that is none")
		}
		if year := time.UnixMilli(int64(*ms)).UTC().Year(); year < 0 || year > 9999 {
			return nil, errors.New("a date of another era")
		}
		return form("d", time.UnixMilli(int64(*ms)).UTC().Format("2006-01-02T15:04:05.000Z"))
	case kind == "regexp" && len(entry) == 3:
		pattern, _ := form("p", entry[1], "f", entry[2])
		return form("r", pattern)
	case kind == "buffer" && len(entry) == 2:
		bytes, _ := form("b", entry[1])
		return form("ab", bytes)
	case kind == "view" && len(entry) == 5:
		return n.view(entry)
	case kind == "error" && len(entry) == 5 && string(entry[4]) != "[]":
		return nil, errors.New("an error that has a cause")
	case kind == "error" && len(entry) == 5:
		stack, err := n.value(entry[3])
		if err != nil || len(stack) > 0 && stack[0] != '"' {
			stack = json.RawMessage(`""`)
		}
		of, _ := form("n", entry[1], "m", entry[2], "s", stack)
		return form("e", of)
	}
	if kind == "array" {
		kind = "list with gaps or names"
	}
	return nil, errors.New("a " + kind)
}

func (n *nester) values(list json.RawMessage) ([]json.RawMessage, error) {
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return nil, errForm
	}
	out := []json.RawMessage{}
	for _, item := range items {
		value, err := n.value(item)
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	return out, nil
}

// viewKinds are Playwright's names of typed arrays, and viewSizes the bytes of an element.
var (
	viewKinds = map[string]string{
		"i8": "Int8Array", "ui8": "Uint8Array", "ui8c": "Uint8ClampedArray", "i16": "Int16Array", "ui16": "Uint16Array", "i32": "Int32Array", "ui32": "Uint32Array",
		"f32": "Float32Array", "f64": "Float64Array", "bi64": "BigInt64Array", "bui64": "BigUint64Array",
	}
	viewSizes = map[string]int{"i8": 1, "ui8": 1, "ui8c": 1, "i16": 2, "ui16": 2, "i32": 4, "ui32": 4, "f32": 4, "f64": 8, "bi64": 8, "bui64": 8}
)

func (n *nester) view(entry []json.RawMessage) (json.RawMessage, error) {
	var name, text string
	var offset, length, at int
	var ref []json.RawMessage
	if json.Unmarshal(entry[1], &name) != nil || json.Unmarshal(entry[2], &ref) != nil || json.Unmarshal(entry[3], &offset) != nil || json.Unmarshal(entry[4], &length) != nil {
		return nil, errForm
	}
	if len(ref) != 2 || json.Unmarshal(ref[1], &at) != nil || at < 0 || at >= len(n.heap) || len(n.heap[at]) < 2 || json.Unmarshal(n.heap[at][1], &text) != nil {
		return nil, errForm
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, errForm
	}
	for kind, of := range viewKinds {
		end := offset + length*viewSizes[kind]
		if of == name && offset >= 0 && length >= 0 && end >= offset && end <= len(data) {
			view, err := form("b", base64.StdEncoding.EncodeToString(data[offset:end]), "k", kind)
			if err != nil {
				return nil, err
			}
			return form("ta", view)
		}
	}
	return nil, errors.New("a " + name)
}

// flattener writes Playwright's form of a value as the flat one.
type flattener struct {
	heap  [][]any
	refs  map[int]int // from Playwright's numbers
	depth int
}

func (f *flattener) field(plain, encoded json.RawMessage) (json.RawMessage, error) {
	var slot any
	var err error
	switch {
	case len(encoded) > 0:
		slot, err = f.encoded(encoded)
	case len(plain) > 0:
		slot, err = f.plain(plain)
	default:
		slot = []string{"undefined"}
	}
	if err != nil {
		return nil, err
	}
	return marshal(slot)
}

// enter bounds how deep a value is.
func (f *flattener) enter() error {
	if f.depth++; f.depth > 2*maxNested {
		return fmt.Errorf("a value that is nested deeper than %d", 2*maxNested)
	}
	return nil
}

func (f *flattener) put(entry ...any) (any, int) {
	f.heap = append(f.heap, entry)
	return []any{"ref", len(f.heap) - 1}, len(f.heap) - 1
}

// plain is a value of JSON.
func (f *flattener) plain(data json.RawMessage) (any, error) {
	if err := f.enter(); err != nil {
		return nil, err
	}
	defer func() { f.depth-- }()
	switch data = bytes.TrimSpace(data); data[0] {
	case '[':
		var items []json.RawMessage
		if err := json.Unmarshal(data, &items); err != nil {
			return nil, errForm
		}
		ref, at := f.put("list", nil)
		return ref, f.list(at, items, f.plain)
	case '{':
		names, values, err := members(data)
		if err != nil {
			return nil, err
		}
		ref, at := f.put("object", nil)
		return ref, f.object(at, names, values, f.plain)
	}
	return data, nil
}

func (f *flattener) list(at int, items []json.RawMessage, as func(json.RawMessage) (any, error)) error {
	list := []any{}
	for _, item := range items {
		slot, err := as(item)
		if err != nil {
			return err
		}
		list = append(list, slot)
	}
	f.heap[at][1] = list
	return nil
}

func (f *flattener) object(at int, names, values []json.RawMessage, as func(json.RawMessage) (any, error)) error {
	list := []any{}
	for i, name := range names {
		slot, err := as(values[i])
		if err != nil {
			return err
		}
		list = append(list, name, slot)
	}
	f.heap[at][1] = list
	return nil
}

// members reads an object with its names as they were written: Go has no half surrogates.
func members(data json.RawMessage) (names, values []json.RawMessage, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return nil, nil, errForm
	}
	for d.More() {
		begin := d.InputOffset()
		if _, err := d.Token(); err != nil {
			return nil, nil, errForm
		}
		name := bytes.TrimLeft(data[begin:d.InputOffset()], ", \t\r\n")
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, nil, errForm
		}
		names, values = append(names, json.RawMessage(name)), append(values, value)
	}
	return names, values, nil
}

// encoded is a value of Playwright's form.
func (f *flattener) encoded(data json.RawMessage) (any, error) {
	if err := f.enter(); err != nil {
		return nil, err
	}
	defer func() { f.depth-- }()
	if data = bytes.TrimSpace(data); data[0] != '{' {
		if data[0] == '[' {
			return nil, errForm
		}
		return data, nil
	}
	var of struct {
		V, D, BI *string
		U, H     json.RawMessage
		Ref      *int
		ID       int
		A        *[]json.RawMessage
		O        *[]struct{ K, V json.RawMessage }
		R        *struct{ P, F json.RawMessage }
		E        *struct{ N, M, S json.RawMessage }
		TA       *struct{ B, K string }
		AB       *struct{ B string }
	}
	if json.Unmarshal(data, &of) != nil {
		return nil, errForm
	}
	switch {
	case of.Ref != nil:
		at, known := f.refs[*of.Ref]
		if !known {
			return nil, errForm
		}
		return []any{"ref", at}, nil
	case of.V != nil:
		switch *of.V {
		case "null":
			return nil, nil
		case "undefined":
			return []string{"undefined"}, nil
		}
		return []string{"number", *of.V}, nil
	case of.BI != nil:
		return []string{"bigint", *of.BI}, nil
	case of.D != nil:
		at, err := time.Parse(time.RFC3339Nano, *of.D)
		if err != nil {
			return nil, errors.New("a date that is none")
		}
		ref, _ := f.put("date", at.UnixMilli())
		return ref, nil
	case of.R != nil:
		ref, _ := f.put("regexp", of.R.P, of.R.F)
		return ref, nil
	case of.E != nil:
		ref, _ := f.put("error", of.E.N, of.E.M, of.E.S, []any{})
		return ref, nil
	case of.AB != nil:
		ref, _ := f.put("buffer", of.AB.B)
		return ref, nil
	case of.TA != nil:
		data, err := base64.StdEncoding.DecodeString(of.TA.B)
		size := viewSizes[of.TA.K]
		if err != nil || size == 0 || len(data)%size != 0 {
			return nil, errForm
		}
		buffer, _ := f.put("buffer", of.TA.B)
		ref, _ := f.put("view", viewKinds[of.TA.K], buffer, 0, len(data)/size)
		return ref, nil
	case of.A != nil:
		ref, at := f.put("list", nil)
		f.refs[of.ID] = at
		return ref, f.list(at, *of.A, f.encoded)
	case of.O != nil:
		ref, at := f.put("object", nil)
		f.refs[of.ID] = at
		var names, values []json.RawMessage
		for _, m := range *of.O {
			if len(m.K) == 0 || len(m.V) == 0 {
				return nil, errForm
			}
			names, values = append(names, m.K), append(values, m.V)
		}
		return ref, f.object(at, names, values, f.encoded)
	case len(of.U) > 0:
		return nil, errors.New("a URL, which no database holds")
	}
	return nil, errForm
}
