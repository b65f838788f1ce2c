package selectors

import "encoding/json"

// Fingerprint is the evidence by which an element is known again. Texts of the
// page are kept only as keyed hashes, so that it holds none of the page's words.
type Fingerprint struct {
	Key   string            `json:"key,omitempty"`   // of the hashes, hex
	Tag   string            `json:"tag"`             // lower case
	Role  string            `json:"role,omitempty"`  // computed ARIA role
	Type  string            `json:"type,omitempty"`  // of an input or button
	Attrs map[string]string `json:"attrs,omitempty"` // hashed values of id, name, href, ...
	Name  string            `json:"name,omitempty"`  // hash of the accessible name
	Text  string            `json:"text,omitempty"`  // hash of the own text
	Near  []string          `json:"near,omitempty"`  // hashes of heading, label and neighbours
	Box   []int             `json:"box,omitempty"`   // x, y, width, height in CSS pixels
	X     json.RawMessage   `json:"x,omitempty"`     // others' notes, kept as they are
}
