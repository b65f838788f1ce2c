package recorder

import (
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/draft"
	"github.com/go-reprise/reprise/selectors"
)

// row is one of a list, told by a text that no other row has.
type row struct {
	texts    []string           // the most telling first
	near     selectors.Selector // of the control, next to one of them
	rise     int                // how many levels above the control the row is
	headed   bool               // the first is its heading
	named    bool               // the control has the first in its name
	called   string             // what the page calls the first
	also     string             // what it says in addition, where the first does not tell it alone
	other    string             // what the page calls that
	place    bool               // the control is a cell that is told from the others by its place, or by its column
	which    string             // what tells the control from the others of its row; with another it is another. "" for a control that each row has
	shared   []string           // the words of the first text that other rows say, too
	held     bool               // the texts are held by fields of it
	itself   bool               // the control is that field
	across   bool               // the columns are what rows are elsewhere, and the text is the head of one
	alone    bool               // it is the only one: whether its texts tell it is not known
	plain    bool               // it says one thing, and is a row by nothing but its likes
	numbered bool               // the control has the number of the row in its name
	told     string             // the cell that says the first of the texts, by its column; "" where that is not known
	hosted   bool               // the control is in the shadow root of that which is next to one of them
}

// isIn reports whether a name of the author's has what the row says in it: it is that of one record of several.
func (r *row) isIn(name string) bool {
	return slices.ContainsFunc(r.texts, func(text string) bool {
		record := asSlug(text)
		return record != "" && strings.Contains(asSlug(name), record)
	})
}

// tells reports whether a text tells the row: not where all its words are said in others, too.
func (r *row) tells(text string) bool {
	isOwn := func(word string) bool {
		return !slices.Contains(r.shared, strings.TrimFunc(word, func(letter rune) bool { return !isWord(letter) }))
	}
	return text == r.texts[0] || slices.ContainsFunc(strings.Fields(text), isOwn)
}

// isOfKind reports whether the rows stand in one list, or in two of a kind: the page calls what tells them the same.
func (r *row) isOfKind(other *row) bool {
	return r.near.Kind == other.near.Kind && r.called == other.called && (r.called != "" || r.near == other.near)
}

// isOfColumn reports whether the control is told by the head of its column.
func (r *row) isOfColumn() bool {
	return strings.HasPrefix(r.near.Body, string(selectors.Under)+"/")
}

// kind is that of the selectors that look for a text of it.
func (r *row) kind() selectors.Kind {
	switch {
	case r.held:
		return selectors.Value
	case r.across:
		return selectors.Under
	}
	return selectors.Text
}

// maxRowText bounds each text of a row, in bytes, and maxRowTexts how many there are.
const (
	maxRowText  = 400
	maxRowTexts = 8
)

// row checks what a page says of one; nil for none.
func (d *rowDescription) row() *row {
	if d == nil || len(d.Texts) > maxRowTexts || d.Rise < 1 || d.Rise > selectors.MaxRise {
		return nil
	}
	near, err := selectors.Parse(d.Near)
	if err != nil || near.Kind != selectors.Near {
		return nil
	}
	r := &row{near: near, rise: d.Rise, headed: d.Headed, named: d.Named, called: d.Called, place: d.Place, held: d.Held, itself: d.Itself, across: d.Across, alone: d.Alone, numbered: d.Numbered, shared: d.Shared, plain: d.Plain, hosted: d.Hosted}
	if told, err := selectors.Parse(d.Told); err == nil && (told.Kind == selectors.Under || told.Kind == selectors.CSS) {
		r.told = d.Told
	}
	if path := (selectors.Path{{Kind: selectors.Text, Body: d.Also.Text}}); len(d.Also.Text) <= maxRowText && path.Validate() == nil {
		r.also, r.other = d.Also.Text, d.Also.Called
	}
	if near.Words() == d.Which {
		r.which = d.Which
	}
	for _, text := range d.Texts {
		if path := (selectors.Path{{Kind: r.kind(), Body: text}, near}); len(text) <= maxRowText && path.Validate() == nil {
			r.texts = append(r.texts, text)
		}
	}
	return r
}

// row has a control of one row of several be found next to what its row says: what was typed or chosen before, or else a
// variable of its own.
func (o *offer) row(step *automation.Step, el *element) {
	all := pathsOf(step)
	if el.row == nil || step.Fingerprint == nil || len(step.Selector) == 0 || el.consent || slices.ContainsFunc(all, hasHole) || o.hasOwnID(all, el) {
		return
	}
	if step.Fingerprint.Newest != "" && (el.row.held || el.row.isNumberedIn(all)) { // the row is that which has just come, or was used before
		return
	}
	var one *said
	if step.Tool == "keypress" && el.row.itself { // by now it holds what was typed
		one = o.saidExactly(o.typedText())
	} else {
		one = o.rowSaid(el)
	}
	if one == nil {
		return
	}
	if el.row.named {
		its := *one
		its.sure = true
		if paths, filled := holes(all, []said{its}, true); filled {
			step.Selector, step.Alternatives = paths[0], paths[1:]
		}
		return
	}
	path := o.rowPath(el, one)
	if el.row.hosted {
		path = append(path, step.Selector[len(step.Selector)-1])
	}
	step.Selector = path
	step.Alternatives = all[:min(len(all), selectors.MaxKept-1)]
	print := *step.Fingerprint
	print.Newest = ""                   // its row tells which it is, whatever has come last
	if el.row.held || el.row.numbered { // its controls have the number of the row in their names: another row's, in another account
		step.Alternatives = nil
		print = selectors.Fingerprint{Key: print.Key, Tag: print.Tag, Role: print.Role, TestIDAttribute: print.TestIDAttribute}
	}
	if el.row.place {
		print = *print.WithoutOwnWords()
	}
	if print.Rise = el.row.rise; slices.Index(el.row.texts, one.text) == 0 {
		print.Told = el.row.told
	}
	step.Fingerprint = &print
}

// isNumberedIn reports whether what tells a row is a number that the page has given it, as in the names of its controls.
func (r *row) isNumberedIn(paths []selectors.Path) bool {
	if len(r.texts) == 0 || !digit.MatchString(r.texts[0]) {
		return false
	}
	return slices.ContainsFunc(paths, func(path selectors.Path) bool {
		return path[0].Kind == selectors.CSS && strings.Contains(asSlug(path[0].Body), asSlug(r.texts[0]))
	})
}

// rowSaid is what tells the row of an element: what was said before, or a variable of its own; nil for nothing that does.
func (o *offer) rowSaid(el *element) *said {
	one := o.saidBy(el.row)
	if one == nil {
		text := slices.IndexFunc(el.row.texts, func(text string) bool { return !o.vs.quotedIn(text) && automation.DetectSecret(text) == "" })
		if text < 0 || el.row.alone {
			return nil
		}
		one = &said{text: el.row.texts[text], names: true}
		one.name = o.variable(one.text, el, draft.VariableName("row", el.row.called), true)
	}
	return one
}

// rowPath is the path to an element from what tells its row.
func (o *offer) rowPath(el *element, one *said) selectors.Path {
	says := one.hole()
	if !one.names && one.text != el.row.texts[0] { // other rows may say it too
		says = withHole(el.row.texts[0], *one)
	}
	path := selectors.Path{{Kind: el.row.kind(), Body: says}, el.row.near}
	if el.row.itself {
		return path[:1]
	}
	if el.row.which != "" {
		says, isColumn := "", el.row.isOfColumn()
		switch {
		case el.role == "radio" && isColumn: // of a matrix: the answers of two questions are not the same because they read so
			says = said{name: o.variable(el.row.which, el, draft.VariableName("answer", one.text), false)}.hole()
		case el.role == "radio":
			names := slices.DeleteFunc(el.authorNames(), func(name string) bool { return digit.MatchString(name) || el.row.isIn(name) })
			if strings.HasSuffix(one.text, "?") { // what it answers
				names = append(names, one.text)
			}
			says = o.tells(el.row.which, el, draft.VariableName("choice", names...))
		case isColumn:
			says = o.tells(el.row.which, el, "column")
		default:
			says = o.tells(el.row.which, el, "choice")
		}
		if which, err := el.row.near.WithWords(says); err == nil {
			path[1] = which
		}
	}
	if also := el.row.also; also != "" {
		text := selectors.Selector{Kind: selectors.Text, Body: o.tells(also, el, draft.VariableName("row", el.row.other))}
		path = slices.Insert(path, 1, selectors.Selector{Kind: selectors.Near, Body: text.String()})
	}
	return path
}

// tells is the hole for a text that tells a row or a column in addition: that of what was said before, or of a variable of its own.
func (o *offer) tells(text string, el *element, name string) string {
	if one := o.saidExactly(text); one != nil {
		return one.hole()
	}
	if o.vs.quotedIn(text) || automation.DetectSecret(text) != "" {
		return text
	}
	return said{name: o.variable(text, el, name, true)}.hole()
}

// saidBy returns what was said before that tells a row: one of its texts, where that may name a record and the row has no
// heading; or else what the most telling of them says as well; nil for nothing.
func (o *offer) saidBy(r *row) *said {
	if len(r.texts) == 0 {
		return nil
	}
	for _, s := range o.said() {
		if s.text == r.texts[0] || s.names && !r.headed && slices.Contains(r.texts, s.text) {
			return &s
		}
	}
	tellsNot := func(s said) bool { // "dark-mode-v2" is another than "dark-mode", and "jo@acme.example" than "acme"
		return !r.tells(s.text) || s.row != nil && r.isOfKind(s.row) || s.names && isJoined(s.text, r.texts[0])
	}
	return quoted(slices.DeleteFunc(o.said(), tellsNot), r.texts[0])
}
