package recorder

import (
	"slices"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/selectors"
)

// element is what a person acted on, as it was described when they did.
type element struct {
	id    string // document and number: the same element has the same id
	page  string
	frame []selectors.Path
	url   string // of the document that it is in

	candidates  []selectors.Path
	place       selectors.Path   // in numbers, for where none of these can be kept
	framePlace  []selectors.Path // the same of the frames
	fingerprint *selectors.Fingerprint
	tag, role   string
	label       string
	inputType   string
	fieldNames  []string // name and id attributes
	tokens      []string // autocomplete
	limits      map[string]string
	secret      bool
	editable    bool   // takes text
	consent     bool   // a part of a consent banner, which comes once
	control     string // id of the control that it is a label of
	listens     *bool  // the page listens to its keys; nil while nobody has asked
}

// picked are the kinds of field with a picker of the browser's own: the value tells
// what was chosen, however that was done.
var picked = []string{"date", "time", "datetime-local", "month", "week", "color", "range"}

func (e *element) isPicked() bool { return slices.Contains(picked, e.inputType) }

// kind of an event: what a person did, or what followed.
type kind int

const (
	down kind = iota
	up
	click
	input
	choose
	check
	files
	drag // a press that is under way ends on an element
	key
	navigation
	opened
	answered // a dialog
	downloaded
	learned // pieces of a secret became known
	within  // what a press on a host was on, within its shadow root
)

// event is one thing that happened in a page.
type event struct {
	kind kind
	page string
	el   *element // nil for what happened to the page

	press     string // down, up, click, within: which press it belongs to; files: which one had the browser ask
	moved     bool   // up: elsewhere than the press began
	held      int    // up: how long the button was down where that is long, in ms
	byKey     bool   // click: a key made it
	count     int    // click: 2 is a double click
	button    int
	modifiers []string
	offset    *automation.Offset

	value   string   // input
	secret  bool     // input: something was typed that is not told
	stale   bool     // input: sent before its document knew that the field was marked as secret
	values  []string // choose: what was chosen; files: their names
	many    bool     // choose, files: several can be chosen
	checked bool
	key     string
	late    bool // input: what the page made of it, told when the field was left
	keys    bool // input: the page takes or listens to the keys of the field

	url      string // navigation: where to; opened: of the new page
	within   bool   // navigation: in the same document
	asked    bool   // navigation: by the page, not by the browser
	reason   string // navigation: why the page asked for it, as the browser tells it
	dialog   string // answered: its type
	asks     string // answered: its message, of which nothing is kept
	accepted bool   // answered

	lost   bool          // navigation: its address cannot be kept
	whole  uint64        // input, answered, learned: the hash of all of a secret
	field  string        // learned: the element that holds it
	hashes redact.Hashes // learned

	popup string // opened: the name of the new page
	file  string // downloaded: the name that is suggested for it
}
