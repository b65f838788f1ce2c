// Package automation is the document: what a user did in a browser, as plain
// data that holds no secret and can be read, checked, matched and played. It opens
// no browser and no network.
//
//	a, err := automation.Parse(data) // every problem of the text, each with its place
//	if err != nil {
//		return err
//	}
//	vars, err := a.Declared() // what a caller must give, and which of it is secret
//	if err != nil {
//		return err
//	}
//	index := automation.NewIndex() // finds the automation for a URL and an account
//	if err := index.Add(a); err != nil {
//		return err
//	}
//	found, err := index.Match("https://accounts.example.com/", "")
//
// An [Automation] is a list of [Step], each one call of a tool (see [Tools]), and a [Scope],
// the URLs where it may be used. A [Value] is a literal, a variable or a template; the
// variables are a JSON Schema, read by [Automation.Declared] into [Variables]. A variable
// marked "writeOnly" is a [Secret], whose every printed form is [secret]. [Parse] and
// [Marshal] read and write the document, [Diff] compares two, [Join] appends one to
// another, and [Automation.CheckSecrets] looks for secrets that were written into one.
//
// The examples of [Parse], [Index], [Automation.Declared] and [Diff] show the whole way.
package automation

import (
	"encoding/json"
	"time"

	"github.com/go-reprise/reprise/internal/commit"
	"github.com/go-reprise/reprise/selectors"
)

// Format is the number of the document format that this package writes.
const Format = 1

// Automation is one recorded or written flow.
type Automation struct {
	Name        string
	Description string
	Match       Scope
	Variables   json.RawMessage // a JSON Schema of type object; nil when there are none
	Identity    *Identity
	Steps       []Step
	Revision    int             // set by a store; 0 before the first save
	X           json.RawMessage // others' notes, kept as they are; so is every X
}

// Scope describes where an automation may be used, and for whom.
type Scope struct {
	URLs    []string // host[:port][/path] globs, see Glob
	Account string   // "" is any account
	// Blocker is what the automation deals with where it blocks another one: Index.MatchBlocker finds it by that,
	// and Index.Match does not. "" is one that is run for its own sake.
	Blocker Reason
	X       json.RawMessage
}

// Identity is how the page shows who is signed in.
type Identity struct {
	Selector     selectors.Path
	Alternatives []selectors.Path
	Frame        []selectors.Path
	Value        *Value
	X            json.RawMessage
}

// Step is one call of a tool. Which fields it may have depends on Tool.
type Step struct {
	Tool string

	Page              string             // names a tab; "" is the first
	Frame             []selectors.Path   // the frames' elements, outermost first
	FrameAlternatives [][]selectors.Path // of each of these, what else finds it
	Selector          selectors.Path
	Alternatives      []selectors.Path
	Fingerprint       *selectors.Fingerprint
	Offset            *Offset

	URL       string        // navigate: an address; waitForNav: a glob
	Value     *Value        // what to type, select or check
	Key       string        // keypress: "Enter", "Control+A"
	Keys      bool          // typeInput: press keys one by one, as the page listens to them
	Button    string        // click: "left" (default), "middle", "right"
	Count     int           // click: 2 is a double click; 0 is 1
	Hold      time.Duration // click: how long the button is held down; 0 is no longer than a press
	Modifiers []string      // click: "Alt", "Control", "Meta", "Shift"

	Expect   []Expectation
	Optional bool
	When     *Condition
	Timeout  time.Duration // 0 is the caller's default
	Effect   Effect
	Intent   string
	Args     json.RawMessage // a program's own tool
	X        json.RawMessage
}

// Offset is a point in an element, as fractions of its border box.
type Offset struct{ X, Y float64 }

// ValueKind describes where a value comes from.
type ValueKind string

// The kinds of value.
const (
	Literal  ValueKind = "literal"
	Variable ValueKind = "variable"
	Template ValueKind = "template"
)

// Value is a literal, a variable, or a template with ${name} holes.
type Value struct {
	Kind   ValueKind
	Value  json.RawMessage // literal: any JSON value
	Name   string          // variable
	Length int             // variable: so many characters that its text begins with, as typed to find a suggestion; 0 is all
	Text   string          // template
	X      json.RawMessage
}

// Effect describes what a step does to the world.
type Effect string

// The effects, weakest first. An unmarked step counts as Write.
const (
	Read   Effect = "read"
	Write  Effect = "write"
	Commit Effect = "commit"
)

// Expectation is a consequence that was seen when the step was recorded.
type Expectation struct {
	Kind     string // popup, dialog, download, response, request, element, text
	Method   string
	URL      string // a glob
	Status   int
	Selector selectors.Path
	Text     string
	Page     string // popup: the name that the new tab gets
	X        json.RawMessage
}

// Condition is when a step runs: all that are set must hold.
type Condition struct {
	Selector selectors.Path
	URL      string
	Variable string
	X        json.RawMessage
}

// IsCommitLabel reports whether a control, by its words alone, pays, orders, sends, deletes,
// or binds someone in another way. A replay looks at more than the words: at what
// surrounds the control, and at the requests that it sends.
func IsCommitLabel(label string) bool { return commit.Label(label) }
