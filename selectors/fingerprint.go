package selectors

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

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

	// Rise is how many levels above the element its row is, where a selector of the kind Near finds it: words that are
	// farther from it are not of its row. 0 is any.
	Rise int `json:"rise,omitempty"`

	// Told is the cell of its row that says the words which tell that, where a selector of the kind Near finds it: under the head
	// of its column ("under/Name"), or by its place. The same words in another cell are of another row.
	Told string `json:"told,omitempty"`

	// Whole is that the words of the selectors are all that was said where they lead: what says more is another thing.
	Whole bool `json:"whole,omitempty"`

	// Newest is the kind of a control that a press had added, and of which it was the newest: its names and its place
	// are those of its number among others of the kind. After a dot it says how many presses there were since. Of a control
	// of a numbered set it says how it belongs to that (see schema.json). "" is any other element.
	Newest string `json:"newest,omitempty"`

	// Turned are the states that the press gave to what was pressed, such as "0 aria-expanded" or "1 .selected": how many levels
	// above the element, and the attribute, the class after a dot, or the sign after a quote; and "chosen" for one of several that alone has them. Where one is there, it is not pressed.
	Turned []string `json:"turned,omitempty"`

	// TestIDAttribute is one of the recording's own, in addition to those in wide use, where
	// the evidence was read with it.
	TestIDAttribute string `json:"testIdAttribute,omitempty"`

	// Of names the selectors that it was recorded with (automation.Step.BindEvidence): with
	// others, which someone has set since, it is no evidence. "" is of any.
	Of string `json:"of,omitempty"`

	X json.RawMessage `json:"x,omitempty"` // others' notes, kept as they are
}

// textTraits are those whose hashes are of words (TEXTS of internal/page/src/locate/evidence.ts).
var textTraits = []string{"label", "text", "row", "heading", "before", "after"}

// Without returns the fingerprint without the words of a text, as an element has them that says something else with
// another value. It is the fingerprint itself where it has none of them.
func (f *Fingerprint) Without(text string) *Fingerprint {
	var words []string
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if hashed, is := hashWord(f.Key, word); is {
			words = append(words, hashed)
		}
	}
	own, changedOwn := without(f.Own, words)
	around, changedAround := without(f.Around, words)
	if !changedOwn && !changedAround {
		return f
	}
	other := *f
	other.Own, other.Around = own, around
	return &other
}

// WithoutOwnWords returns the fingerprint of an element that may say anything: a cell of a table, which is known by its row.
func (f *Fingerprint) WithoutOwnWords() *Fingerprint {
	other := *f
	other.Own = maps.Clone(f.Own)
	for _, trait := range textTraits {
		if other.Own[trait] != "" {
			other.Own[trait] = "" // which is not the same as never known
		}
	}
	return &other
}

// WithoutAddress returns the fingerprint of what stands next to a record that was searched for: of another one it leads
// elsewhere, and has other data.
func (f *Fingerprint) WithoutAddress() *Fingerprint {
	other := *f
	other.Own = maps.Clone(f.Own)
	for _, trait := range []string{"href", "other"} {
		if other.Own[trait] != "" {
			other.Own[trait] = "" // which is not the same as never known
		}
	}
	return &other
}

// WithoutNeighbours returns the fingerprint of an element that shows a value next to itself: with another it stands next to other words.
func (f *Fingerprint) WithoutNeighbours() *Fingerprint {
	other := *f
	neighbour := func(trait, _ string) bool { return trait == "row" || trait == "before" || trait == "after" }
	other.Around = maps.Clone(f.Around)
	maps.DeleteFunc(other.Around, neighbour)
	other.Rivals = slices.Clone(f.Rivals)
	for i, rival := range other.Rivals {
		other.Rivals[i] = maps.Clone(rival)
		maps.DeleteFunc(other.Rivals[i], neighbour)
	}
	return &other
}

// without returns traits without words that one of them has all of.
func without(traits map[string]string, words []string) (left map[string]string, changed bool) {
	for _, trait := range textTraits {
		hashes := slices.Collect(slices.Chunk([]byte(traits[trait]), wordHash))
		has := func(word string) bool {
			return slices.ContainsFunc(hashes, func(h []byte) bool { return string(h) == word })
		}
		if len(words) == 0 || slices.ContainsFunc(words, func(word string) bool { return !has(word) }) {
			continue
		}
		if !changed {
			left, changed = maps.Clone(traits), true
		}
		hashes = slices.DeleteFunc(hashes, func(h []byte) bool { return slices.Contains(words, string(h)) })
		if left[trait] = string(slices.Concat(hashes...)); left[trait] == "" {
			delete(left, trait)
		}
	}
	if !changed {
		return traits, false
	}
	return left, true
}

// wordHash is the length of one hash, in characters.
const wordHash = 4

// hashWord is the hash of a word as the page script makes it (hashWords of internal/page/src/locate/evidence.ts); false
// for what is no word.
func hashWord(key, word string) (hashed string, is bool) {
	if !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return "", false
	}
	h := uint32(0x811c9dc5)
	for _, unit := range utf16.Encode([]rune(key + word)) {
		h = (h ^ uint32(unit)) * 0x01000193
	}
	hashed = fmt.Sprintf("%04x", (h>>16^h)&0xffff)
	if isNumeric(word) {
		hashed = strings.Map(asNumber, hashed)
	}
	return hashed, true
}

// isNumeric reports whether a word is a number, or a time as machines write it: four digits or more for each letter.
func isNumeric(word string) bool {
	letters, digits := 0, 0
	for _, r := range word {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsNumber(r):
			digits++
		}
	}
	return 4*letters <= digits
}

// asNumber marks the hash of a number: its digits are letters from g for 0 to v for 15.
func asNumber(digit rune) rune {
	if digit >= 'a' {
		return 'g' + digit - 'a' + 10
	}
	return 'g' + digit - '0'
}
