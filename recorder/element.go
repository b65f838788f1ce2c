package recorder

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// element is what the user acted on, as it was described then.
type element struct {
	id    string // document and number: the same element has the same id
	page  string
	frame []selectors.Path
	url   string // of the document that it is in

	frameAlternatives [][]selectors.Path // what else finds each of the frames

	candidates  []selectors.Path
	place       selectors.Path   // positions only, for where none of these can be stored
	framePlace  []selectors.Path // the same of the frames
	fingerprint *selectors.Fingerprint
	tag, role   string
	label       string
	nextTo      string // the text next to a field without a label
	inputType   string
	fieldNames  []string // name and id attributes
	tokens      []string // autocomplete
	limits      map[string]string
	secret      bool
	editable    bool     // takes text
	locked      bool     // is read-only
	boxed       bool     // is drawn in a combobox, with its list
	listed      bool     // one of several alike
	rival       bool     // another of these says what was typed, too
	list        string   // what the list is called that it is in
	item        bool     // one of several that say different things, for people to choose from
	title       string   // the part of its words that names it, of an item that says more
	words       string   // that what has no name says
	date        string   // of a day whose name says it, as 2031-03-18
	day         string   // of one whose name does not, by what its calendar writes over the month
	months      string   // that the calendar shows which it is in
	leads       []string // of a link, the parts of its address that its name says
	record      bool     // it names one record of several
	opener      *element // of a choice, the control pressed before, as one that shows what is chosen
	shows       bool     // what it says is a value: its label is what it says in addition
	row         *row     // of which it is a control, as the other rows have one; nil for none
	consent     bool     // a part of a consent banner, which comes once
	humanCheck  bool     // of a document that checks whether there is a human
	control     string   // id of the control that it is a label of
	listens     *bool    // the page listens to its keys; nil while that is not known
}

// isField reports whether it asks for a value.
func (el *element) isField() bool { return el.editable || el.tag == "select" }

// leadsTo reports whether it is a link whose name says a text that its address has as a part.
func (el *element) leadsTo(text string) bool {
	return slices.ContainsFunc(el.leads, func(part string) bool { return strings.EqualFold(part, text) })
}

// dateOf is the date that is said of a day of a calendar, "" for none.
func dateOf(said string) string {
	if _, err := time.Parse(time.DateOnly, said); err != nil {
		return ""
	}
	return said
}

// picked are the kinds of field with a picker of the browser's own: the value is what
// was chosen, however that was done.
var picked = []string{"date", "time", "datetime-local", "month", "week", "color", "range"}

func (e *element) isPicked() bool { return slices.Contains(picked, e.inputType) }

func (e *element) isList() bool { return e.tag == "select" || e.tag == "option" }

var (
	codeWords  = regexp.MustCompile(`(?i)\p{L}*code\b|\botp\b|one.?time|\b(2fa|mfa|totp|m?tan)\b|captcha`)
	otherCodes = regexp.MustCompile(`(?i)zip|post(al)?.?code|bar.?code|country|area|promo|coupon|discount|voucher|referral|invit`)
)

// isForOneTimeCode reports whether a field takes what is good once: a code that was sent, or the
// letters of a picture. Also fields of one character each are for that.
func (e *element) isForOneTimeCode() bool {
	if slices.Contains(e.tokens, "one-time-code") {
		return true
	}
	about := strings.NewReplacer("_", " ", "-", " ").Replace(strings.Join(append([]string{e.label}, e.fieldNames...), "\n"))
	return e.limits["maxlength"] == "1" || codeWords.MatchString(about) && !otherCodes.MatchString(about)
}

// isLetterBox reports whether it is one of several boxes for a letter each.
func (e *element) isLetterBox() bool { return e.limits["maxlength"] == "1" && e.listed }

// step returns the beginnings of a step on the element.
func (e *element) step(tool string) automation.Step {
	step := automation.Step{Tool: tool, Page: e.page, Frame: e.frame, FrameAlternatives: e.frameAlternatives, Fingerprint: e.fingerprint, Optional: e.consent}
	if len(e.candidates) > 0 {
		step.Selector, step.Alternatives = e.candidates[0], e.candidates[1:]
	}
	return step
}

func (e *element) standsWhere(other *element) bool {
	return e.page == other.page && e.url == other.url && e.inputType == other.inputType &&
		len(e.candidates) > 0 && len(other.candidates) > 0 && slices.Equal(e.candidates[0], other.candidates[0]) &&
		slices.EqualFunc(e.frame, other.frame, slices.Equal)
}

// element returns the element of an event: as it is described, or as it was before.
func (in *intake) element(msg message, page string, frames owner, url string) *element {
	if msg.Target == nil {
		return nil
	}
	id := fmt.Sprintf("%s#%d", msg.Doc, msg.Target.Ref)
	d := msg.Target
	if d.Candidates == nil {
		return in.elements[id]
	}
	el := &element{
		id: id, page: page, frame: frames.path, framePlace: frames.place, frameAlternatives: frames.alternatives, url: url, candidates: in.rank(d.Candidates), place: placeOf(d), fingerprint: d.Fingerprint,
		tag: d.Tag, role: d.Role, label: d.Label, nextTo: d.Caption, inputType: d.InputType, fieldNames: d.Field,
		tokens: d.Autocomplete, limits: d.Limits, secret: d.Secret, editable: d.Editable, locked: d.Locked, boxed: d.Boxed, listed: d.Listed, rival: d.Rival, list: d.List, item: d.Item, title: d.Title, words: d.Words, date: dateOf(d.Date), day: dateOf(d.Day), months: strings.Join(d.Months, " "), leads: d.Leads, record: d.Record, row: d.Row.row(), consent: d.Consent, humanCheck: d.HumanCheck,
	}
	if before := in.elements[id]; before != nil && before.row != nil && el.row != nil && el.row.place && before.row.isOfColumn() {
		el.row = before.row // a cell that says something by now
	}
	if d.Written { // it is known by its place alone: at the next visit it says something else
		el.fingerprint = nil
	}
	if o := d.Opener; o != nil {
		el.opener = showing(in.elements[fmt.Sprintf("%s#%d", msg.Doc, o.Ref)], o.Words, o.Captioned, o.Row.row())
	}
	if len(el.candidates) == 0 && len(el.place) > 0 {
		el.candidates = []selectors.Path{el.place} // all others repeat a secret
	}
	if msg.Control > 0 {
		el.control = fmt.Sprintf("%s#%d", msg.Doc, msg.Control)
	}
	in.elements[id] = el
	return el
}

// showing returns an element as one that shows a value: known by the text next to it, or by the row of which it is a control,
// and by nothing that says the value; nil where no selector is left.
func showing(el *element, value string, captioned [][]string, of *row) *element {
	if el == nil || value == "" || el.row != nil && !el.row.plain && of == nil { // its row tells it, as that of a cell
		return nil
	}
	shown := *el
	shown.shows = true
	says := func(path selectors.Path) bool { return strings.Contains(path.String(), value) }
	shown.candidates = slices.DeleteFunc(slices.Clone(el.candidates), says)
	built := slices.IndexFunc(shown.candidates, func(path selectors.Path) bool {
		last := path[len(path)-1]
		return last.Kind == selectors.XPath || last.Kind == selectors.CSS && !ownID.MatchString(last.Body)
	})
	if built >= 0 { // how the page is built says less than what stands next to it
		shown.candidates = slices.DeleteFunc(slices.Insert(shown.candidates, built, parsed(captioned)...), says)
	}
	if len(shown.candidates) == 0 {
		return nil
	}
	shown.label = strings.Trim(strings.ReplaceAll(el.label, value, ""), " :") // "Block Paragraph" is what its author calls it, and the value
	if el.fingerprint != nil {
		shown.fingerprint = el.fingerprint.WithoutOwnWords().Without(value)
	}
	shown.row, shown.item, shown.record, shown.title, shown.words = nil, false, false, "", ""
	if of != nil && !of.plain {
		shown.row = of
	}
	return &shown
}

// parsed returns the selectors that a page found, without invalid ones.
func parsed(all [][]string) (paths []selectors.Path) {
	for _, parts := range all {
		if path, err := selectors.ParsePath(parts...); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// rank orders the selectors that the page found.
func (in *intake) rank(candidates [][]string) []selectors.Path {
	return selectors.Rank(parsed(candidates), in.recording.TestIDAttribute)
}
