// Package selectors describes how an element of a page is named: the kinds of
// selector, their text form, and which of several is the best to keep.
package selectors

// Kind is a way to name an element. Its value is the prefix of the text form,
// without the slash; CSS has none.
type Kind string

// The kinds, in the syntax of Chrome's recorder, plus TestID.
const (
	CSS    Kind = "css"    // #email (no prefix)
	Aria   Kind = "aria"   // aria/Next[role="button"]
	Text   Kind = "text"   // text/Sign in
	XPath  Kind = "xpath"  // xpath///*[@id="email"]
	Pierce Kind = "pierce" // pierce/#email, through open shadow roots
	TestID Kind = "testid" // testid/submit
)

// Selector is one part of a path: it names an element within one root (a
// document or a shadow root).
type Selector struct {
	Kind Kind
	Body string // what follows the prefix; for CSS, the whole text
}

// Path is one or more parts: each one after the first is looked up in the
// shadow root of the element that the part before it found.
type Path []Selector
