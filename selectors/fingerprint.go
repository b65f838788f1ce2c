package selectors

import "encoding/json"

// Fingerprint is the evidence by which an element is found again when its
// selectors no longer agree on one. What it keeps of the page's texts are keyed
// hashes of 16 bits, four characters for each word or value, g to v for numbers:
// enough to compare, and far too little to read, as many words share each.
//
// Own, Around and each of Rivals map the name of a feature (label, href, class,
// row, heading, ...) to the hashes of its values.
type Fingerprint struct {
	Key    string              `json:"key,omitempty"`    // of the hashes, hex
	Tag    string              `json:"tag"`              // lower case
	Role   string              `json:"role,omitempty"`   // computed ARIA role
	Own    map[string]string   `json:"own,omitempty"`    // what it shows of itself
	Around map[string]string   `json:"around,omitempty"` // what stands around it
	Twins  []int               `json:"twins,omitempty"`  // which it is, from 0, of how many that show the same of themselves
	Alike  []int               `json:"alike,omitempty"`  // which it is, from 0, of how many of its kind
	Rivals []map[string]string `json:"rivals,omitempty"` // its closest look-alikes: in what they differ; "" is that they have none, and {} differs in nothing
	Page   map[string]string   `json:"page,omitempty"`   // a sample of the page, to tell a new release from a change of this element
	Box    []int               `json:"box,omitempty"`    // x, y, width, height in CSS pixels

	// TestIDAttribute is one of the recording's own, in addition to those in wide use, where
	// the evidence was read with it.
	TestIDAttribute string `json:"testIdAttribute,omitempty"`

	// Of names the selectors that it was recorded with (automation.Step.BindEvidence): with
	// others, which someone has set since, it is no evidence. "" is of any.
	Of string `json:"of,omitempty"`

	X json.RawMessage `json:"x,omitempty"` // others' notes, kept as they are
}
