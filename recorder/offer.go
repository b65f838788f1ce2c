package recorder

import (
	"cmp"
	"encoding/json"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/draft"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/selectors"
)

// An offer makes what was typed or chosen in a recording a variable that has it as its default:
// the flow plays as it was recorded where no other value is given. It is made for the document
// alone, so that until then a step can be redacted by what stands in it.
type offer struct {
	vs       *variables
	declared []offered
	before   string            // what the element of the step before is called: it may have opened a list
	asks     bool              // it was a field that has one
	item     *element          // the first that was chosen in that list since, which may be open still
	typed    string            // the variable that was typed in the step before: a suggestion goes by it
	typing   *automation.Value // of that step
	record   string            // what the control of the record is called that was chosen last: an address may repeat its number
	calendar calendar
	chose    bool // the step before was on what a variable tells: an address that it leads to has the number of that
	button   bool // it was on a button, which may have made a record: its address has a number that is another one later
}

// offered is a variable that is offered.
type offered struct {
	name  string
	value any
	el    *element
	names bool // it may name a record: it was typed, or is the name of one
}

// shortestRepeated is the length from which a text that is typed or chosen twice is taken for
// the same: shorter ones, a number of pieces or a grade, are often equal by chance.
const shortestRepeated = 4

// step has a step take its value, and what it presses, from variables.
func (o *offer) step(step *automation.Step, en *entry) {
	el := en.el
	defer func() { o.calendar.steps++ }()
	o.addresses(step)
	if el == nil {
		return
	}
	called := cmp.Or(el.label, el.caption(), textIn(pathsOf(step)))
	if el.row == nil && !(el.shows && el.label != "") { // else what stands next to it is a value
		called = cmp.Or(besideOf([]selectors.Path{step.Selector}), called)
	} else if el.row != nil {
		called = cmp.Or(called, el.row.near.Words()) // as the head of its column
	}
	switch {
	case step.Tool == "typeInput" || step.Tool == "select":
		o.value(step, el)
	case step.Tool == "check" && !isPicked(step, el) && !el.consent:
		o.value(step, el)
	case step.Tool == "drag" && len(step.Selector) > 0:
		o.drag(step, en)
	case el.isCell():
		called = el.list
	case (step.Tool == "click" || step.Tool == "hover" || isPicked(step, el)) && len(step.Selector) > 0:
		o.choice(step, el)
	case step.Tool == "keypress" && len(step.Selector) > 0: // what was chosen may have the focus still
		if paths, filled := holes(pathsOf(step), o.said(), false); filled {
			step.Selector, step.Alternatives = paths[0], paths[1:]
		}
	}
	o.row(step, el)
	if step.Tool == "check" && !slices.ContainsFunc(pathsOf(step), hasHole) { // a box is called as what was searched for
		if paths, filled := holes(pathsOf(step), o.said(), false); filled {
			step.Selector, step.Alternatives = paths[0], paths[1:]
		}
	}
	o.whole(step, el)
	if o.chose = slices.ContainsFunc(pathsOf(step), hasHole); o.chose {
		o.record = el.label
	}
	o.button = step.Tool == "click" && el.role == "button"
	o.calendar.pressed(step, el)
	isChosen := el.isChoice() && o.chose
	switch o.typed = ""; {
	case isChosen && o.item == nil:
		o.item = el
	case len(o.calendar.turning) > 0: // it may turn the months of the calendar that is open
	case !isChosen && (step.Tool != "hover" || !step.Optional): // what the mouse only came over has opened nothing
		if step.Tool == "check" || step.Key == "Escape" { // nor has what was ticked, or closed one
			called = ""
		}
		o.before, o.asks, o.item = called, el.role == "combobox" || el.caption() != "", nil
	}
	if step.Tool == "typeInput" && step.Value != nil {
		o.typed, o.typing = step.Value.Name, step.Value
	}
}

// isPicked reports whether a step ticks one of several radio buttons, or of boxes that answer one question: which, may vary.
func isPicked(step *automation.Step, el *element) bool {
	isOn := step.Value != nil && string(step.Value.Value) == "true"
	return step.Tool == "check" && (el.role == "radio" || el.role == "menuitemcheckbox" || el.role == "checkbox" && el.item && isOn && !el.consent)
}

// addresses takes what was chosen before out of the addresses that follow: with another value they are others.
func (o *offer) addresses(step *automation.Step) {
	if step.Tool == "waitForNav" {
		if step.URL = o.address(step.URL); o.chose || o.button {
			step.URL = weburl.OpenNumbers(step.URL)
		}
		o.before = "" // what led to a page has opened no list in it
	}
	step.Expect = slices.Clone(step.Expect)
	for i, e := range step.Expect {
		step.Expect[i].URL = o.address(e.URL)
	}
}

// address is the glob of an address with a hole in place of each part that repeats what was chosen.
func (o *offer) address(glob string) string {
	place, query, asks := strings.Cut(glob, "?")
	parts := strings.Split(place, "/")
	for i, part := range parts {
		if i > 0 && o.isRepeated(part) {
			parts[i] = "*"
		}
	}
	if place = strings.Join(parts, "/"); !asks {
		return place
	}
	fields := strings.Split(query, "&")
	for i, field := range fields {
		if name, value, _ := strings.Cut(field, "="); o.isRepeated(value) {
			fields[i] = name + "=*"
		}
	}
	return place + "?" + strings.Join(fields, "&")
}

// isRepeated reports whether a part of an address is what was chosen, as pages write it there, or holds it.
func (o *offer) isRepeated(part string) bool {
	plain, err := url.PathUnescape(part)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(o.said(), func(s said) bool {
		text := asSlug(s.text)
		return text != "" && (asSlug(plain) == text || len(text) >= shortestRepeated && strings.Contains(asSlug(plain), text))
	}) || digit.MatchString(plain) && len(plain) >= shortestRepeated && strings.Contains(o.record, plain)
}

// value offers what was typed into a field, chosen from a list or ticked.
func (o *offer) value(step *automation.Step, el *element) {
	if step.Value == nil || step.Value.Kind != automation.Literal {
		return
	}
	var value any
	if json.Unmarshal(step.Value.Value, &value) != nil || value == "" {
		return
	}
	var before, after string
	if text, ok := value.(string); ok && len(step.Args) > 0 { // the lines that it ends and begins are the field's
		words := strings.Trim(text, "\n")
		if words == "" {
			return
		}
		before, after, _ = strings.Cut(text, words)
		value = words
	}
	name := o.variable(value, el, nameBeside(step.Selector, el), step.Tool == "typeInput")
	step.Value = &automation.Value{Kind: automation.Variable, Name: name}
	if before+after != "" {
		step.Value = &automation.Value{Kind: automation.Template, Text: before + "${" + name + "}" + after}
	}
}

// nameBeside is the name of a field that is known by a text next to it, or else its own. What is next to a control of a row
// is a value.
func nameBeside(path selectors.Path, el *element) string {
	if el.row != nil || el.label != "" {
		return ownName(el)
	}
	return draft.VariableName(ownName(el), besideOf([]selectors.Path{path}))
}

// besideOf is the text next to an element that a path goes by, "" for none.
func besideOf(paths []selectors.Path) string {
	for _, path := range paths {
		if len(path) == 2 && path[0].Kind == selectors.Text && path[1].Kind == selectors.Near {
			return path[0].Body
		}
	}
	return ""
}

// variable returns the name of the variable for a value: the one that has it already, or a new one.
func (o *offer) variable(value any, el *element, name string, names bool) string {
	text, isText := value.(string)
	repeats := isText && utf8.RuneCountInString(text) >= shortestRepeated
	for _, v := range o.declared {
		// What is searched for on another page is what was typed before; what a field says is not the item of a menu.
		again := repeats && v.el.url != el.url && (v.names || v.el.isField() || !el.isField()) && !isOtherList(v.el, el)
		if reflect.DeepEqual(v.value, value) && (v.el.id == el.id || again) {
			return v.name
		}
	}
	name = draft.Unique(name, func(name string) bool {
		return o.vs.find(name) >= 0 || slices.ContainsFunc(o.declared, func(v offered) bool { return v.name == name })
	})
	o.declared = append(o.declared, offered{name, value, el, names})
	return name
}

// isOtherList reports whether two lists ask for different things, whose answers may be the same words by chance.
func isOtherList(a, b *element) bool { return a.isList() && b.isList() && ownName(a) != ownName(b) }

// schema is that of an offered variable.
func (v *offered) schema() map[string]any {
	schema := map[string]any{"type": "string", "default": v.value}
	switch v.value.(type) {
	case []any:
		schema["type"], schema["items"] = "array", map[string]any{"type": "string"}
	case bool:
		schema["type"] = "boolean"
	}
	if v.value == v.el.date {
		schema["format"] = "date"
	}
	return schema
}

// says reports whether a text is what its element said: the value, or the date that it is in other words.
func (v *offered) says(text string) bool {
	return v.value == text || v.value == v.el.date && v.el.calls(text)
}

// day is what a day of a calendar says.
var day = regexp.MustCompile(`^\d{1,2}$`)

// ofAYear matches what a calendar is called: the month that it shows, which is another one later.
var ofAYear = regexp.MustCompile(`\b20\d\d\b`)

// choiceRoles are the roles of what is chosen in a list that a page draws.
var choiceRoles = []string{"option", "menuitem", "menuitemradio", "menuitemcheckbox", "gridcell", "treeitem", "radio"}

// isChoice reports whether an element is one of several that people choose from.
func (el *element) isChoice() bool { return el.item || slices.Contains(choiceRoles, el.role) }

// calls reports whether a text is what an element is called or, without a name, what it says.
func (el *element) calls(text string) bool { return text == cmp.Or(el.label, el.words) }

// isCell reports whether an element is a cell whose row and column tell it: what it says is a value.
func (el *element) isCell() bool {
	return el.row != nil && el.row.place && !el.isField() && slices.Contains([]string{"", "cell", "gridcell"}, el.role)
}

// choice has a press on what says what was typed or chosen before be found by that: on anything
// that says just that, and in a list and on what leads to a record also on what says more. A choice
// that says nothing of the kind is a variable of its own.
func (o *offer) choice(step *automation.Step, el *element) {
	if el.day != "" { // the month is over it, and another time another one
		dated := *el
		dated.date = el.day
		el = &dated
	}
	if o.calendar.hasTurnedTo(el) {
		defer func() { o.calendar.note(step, o.declared) }()
	}
	all := pathsOf(step)
	if el.row != nil && (el.row.numbered || el.role == "radio") && el.row.near.Words() == el.row.which { // "Pay 25 €" says another amount in another row
		return
	}
	isOption := slices.Contains(choiceRoles, el.role)
	if el.title != "" {
		all = byTitle(all, el.title)
	}
	text := cmp.Or(el.title, el.label, textIn(all))
	if text == "" && el.row == nil && (isOption || el.item || o.suggests(el.words, el)) { // else its row tells it
		text = el.words
	}
	if text == "" || el.editable || !isOption && !el.item && o.hasOwnID(all, el) && !o.wasChosen(el, text) {
		return
	}
	isChoice := el.isChoice()
	texts := o.saidOf(text, el)
	if el.role == "tab" { // the same word in a list is another thing
		texts = slices.DeleteFunc(texts, func(s said) bool { return !s.names })
	}
	// "Move" opens what has a button "Move issue"
	texts = slices.DeleteFunc(texts, func(s said) bool { return s.command && s.text != text })
	isName := isChoice || el.role == "link" // then one that says what was chosen elsewhere, and more, is another thing, unless it leads there
	if isName {
		texts = slices.DeleteFunc(texts, func(s said) bool { return !s.isIn(text) && !el.leadsTo(s.text) })
	}
	if isChoice && o.showsRest(text, el, texts) {
		shown := selectors.Path{{Kind: selectors.Text, Body: said{name: o.variable(el.words, el, draft.VariableName("choice", el.list, el.role), false)}.hole()}}
		named := func(path selectors.Path) bool { return path[len(path)-1].Words() == text }
		step.Selector, step.Alternatives = shown, slices.DeleteFunc(all, named)
		return
	}
	paths, filled := holes(all, texts, isChoice || el.listed || len(el.leads) > 0)
	if one := quoted(texts, text); one != nil && (!isName || one.isIn(text)) && (isOption && one.name == o.typed || !isOption && (el.listed || el.role != "button")) {
		row := selectors.Path{{Kind: selectors.Text, Body: one.hole()}} // what else a row says is another thing in another
		if !slices.ContainsFunc(paths, func(path selectors.Path) bool { return path.String() == row.String() }) {
			paths, filled = append(slices.Clone(paths), row), true
		}
	}
	isOwn := el.row != nil && el.row.named && !isOption || !strings.ContainsFunc(text, isWord) // "Remove 7 Park Lane" is told by its row, and "--" tells nothing
	if !filled && !isOwn && (isChoice || o.suggests(text, el)) && automation.DetectSecret(text) == "" {
		paths, filled = o.chosen(all, el, text, isOption)
	}
	if !filled {
		return
	}
	last := paths[len(paths)-1]
	if paths = paths[:min(len(paths), selectors.MaxKept)]; !slices.ContainsFunc(paths, hasHole) {
		paths[len(paths)-1] = last
	}
	step.Selector, step.Alternatives = paths[0], paths[1:]
}

// drag has what is dragged, and what it is dropped on, be others: each is found by what was typed or chosen before, or by a
// variable of its own, where it says what it is.
func (o *offer) drag(step *automation.Step, en *entry) {
	if paths := o.named(pathsOf(step), en.el, "dragged"); paths != nil {
		step.Selector, step.Alternatives = paths[0], paths[1:]
	}
	isCell := slices.Contains([]string{"td", "th"}, en.to.tag) || slices.Contains([]string{"cell", "gridcell"}, en.to.role)
	if to := en.to.row; isCell && to != nil && to.place && !to.named {
		if one := o.rowSaid(en.to); one != nil {
			step.Args = dragArgs(o.rowPath(en.to, one), en.toOffset)
			return
		}
	}
	if to := o.named(en.to.candidates, en.to, "dropped_on"); to != nil {
		step.Args = dragArgs(to[0], en.toOffset)
	}
}

// named returns the selectors of one of several things, first the one by what it says, or by what stands next to it, with a
// hole for that; nil where it says nothing, or is the only one of its kind.
func (o *offer) named(all []selectors.Path, el *element, name string) []selectors.Path {
	if el.role == "slider" || el.isField() || o.hasOwnID(all, el) {
		return nil
	}
	for i, path := range all {
		at := len(path) - 1
		if path[at].Kind == selectors.Near {
			at = 0
		}
		text := path[at].Words()
		if path[at].Kind != selectors.Text && path[at].Kind != selectors.Aria || text == "" || automation.DetectSecret(text) != "" {
			continue
		}
		var says string
		switch before, part := o.saidExactly(text), quoted(o.said(), text); {
		case before != nil:
			says = before.hole()
		case o.vs.quotedIn(text): // with another value it says that
			continue
		case part != nil: // "Drag Apples Apples", after its handle and its words
			says = strings.ReplaceAll(text, part.text, part.hole())
		default:
			says = said{name: o.variable(text, el, name, true)}.hole()
		}
		words, err := path[at].WithWords(says)
		if err != nil {
			continue
		}
		path = slices.Clone(path)
		path[at] = words
		return append([]selectors.Path{path}, slices.Delete(slices.Clone(all), i, i+1)...)
	}
	return nil
}

// wasChosen reports whether an element that says a text is what was chosen by it before.
func (o *offer) wasChosen(el *element, text string) bool {
	return slices.ContainsFunc(o.declared, func(v offered) bool { return v.el.id == el.id && v.says(text) })
}

// showsRest reports whether a choice shows only a part of its name, and what was said before is another part of that: a day
// called "March 11, 2031" in a calendar whose year was typed. Of the rest of its name no one may have said anything.
func (o *offer) showsRest(name string, el *element, texts []said) bool {
	one := quoted(texts, name)
	if one == nil || el.words == "" || one.text == name || strings.Contains(one.text, el.words) {
		return false
	}
	between := func(r rune) bool { return !isWord(r) }
	return slices.Contains(strings.FieldsFunc(name, between), el.words)
}

// whole notes of a step that the words which tell what it is on are all that was said there: with another value, what says
// that and more is another thing.
func (o *offer) whole(step *automation.Step, el *element) {
	if step.Fingerprint == nil {
		return
	}
	says := []string{el.title, el.label, el.words}
	if el.row != nil {
		says = slices.Concat(says, el.row.texts, []string{el.row.also, el.row.which})
	}
	texts, isWhole := 0, true
	for _, path := range pathsOf(step) {
		for _, part := range path {
			if words := part.Words(); strings.Contains(words, "${") && !strings.Contains(part.String(), "aria/") {
				texts++
				isWhole = isWhole && slices.ContainsFunc(o.said(), func(s said) bool { return s.hole() == words && slices.Contains(says, s.text) })
			}
		}
	}
	if isWhole && texts > 0 {
		print := *step.Fingerprint
		print.Whole, step.Fingerprint = true, &print
	}
}

// unsay takes what was said before out of the evidence of what is pressed, where no selector says it: with another value
// it says that.
func (o *offer) unsay(step *automation.Step, el *element) {
	paths := pathsOf(step)
	if step.Tool != "click" || el == nil || step.Fingerprint == nil {
		return
	}
	isFilled := slices.ContainsFunc(paths, hasHole)
	if el.role == "" && el.caption() != "" && !isFilled { // a list that is drawn over its field, and shows there what is chosen
		step.Fingerprint = step.Fingerprint.WithoutNeighbours()
	}
	for _, s := range o.said() {
		says := func(path selectors.Path) bool {
			return strings.Contains(path.String(), s.text) || strings.Contains(path.String(), s.hole())
		}
		if slices.ContainsFunc(paths, says) {
			continue
		}
		without := step.Fingerprint.Without(s.text)
		switch own := strings.ToLower(cmp.Or(el.label, el.words)); {
		case without == step.Fingerprint:
		case own != "" && !strings.Contains(own, strings.ToLower(s.text)): // its words in another order, or with others between: "Send it now" is not "Send now"
			print := *without
			print.Own, step.Fingerprint = step.Fingerprint.Own, &print
		default:
			step.Fingerprint = without.WithoutAddress()
		}
	}
}

// chosen finds a choice by what was said before that it says too, as a suggestion does, or else
// by a variable of its own. It reports whether there is a selector for that.
func (o *offer) chosen(all []selectors.Path, el *element, text string, isOption bool) ([]selectors.Path, bool) {
	if one := o.within(text, el); one != nil {
		paths := append(slices.Clone(all), selectors.Path{{Kind: selectors.Text, Body: one.hole()}})
		if hosted, err := selectors.NewAria(one.hole(), el.role); isOption && err == nil && len(all[0]) > 1 && all[0][0].Kind == selectors.CSS { // texts are looked for outside of shadow roots
			var path selectors.Path
			for _, host := range all[0][:len(all[0])-1] {
				path = append(path, ofAnyPlace(host))
			}
			paths = append(paths, append(path, hosted))
		}
		return paths, true
	}
	others := !isOption && !slices.ContainsFunc(all, func(path selectors.Path) bool { return saysOnly(path, text) })
	if others && text != el.words && !el.record && !(el.item && day.MatchString(text)) {
		return nil, false // they say it too
	}
	named, otherwise, isDay := []string{el.list, o.opener(el)}, "choice", day.MatchString(text)
	if el.date != "" || ofAYear.MatchString(el.list) || el.role == "gridcell" && ofAYear.MatchString(text) {
		otherwise, isDay = "day", true
	}
	switch {
	case (el.role == "radio" || el.role == "checkbox") && len(el.fieldNames) > 0: // what was done before is no part of it
		named = append([]string{el.list, besideOf(all)}, el.fieldNames...)
	case el.role == "radio" || el.role == "tab": // next to one that is drawn stands another, and no list was opened
		named = []string{el.list}
	case el.role == "button" && el.list != "" && el.months == "": // nothing was opened
		named = []string{el.list}
	case isDay && el.role == "gridcell": // its list is the days of a week
		named = []string{o.opener(el)}
	case o.asks || isDay: // its list may have the name of any list, and its calendar that of the month
		named = []string{o.opener(el), el.list}
	}
	if !slices.Contains([]string{"button", "link", "listitem", "radio", "checkbox", "tab", "gridcell"}, el.role) { // which say nothing
		named = append(named, el.role)
	}
	named = slices.DeleteFunc(named, func(name string) bool { return o.repeats(name) || name == el.list && ofAYear.MatchString(name) })
	value := text
	if el.date != "" && el.calls(text) {
		value = el.date
	}
	one := said{name: o.begun(value, el), text: text, names: el.record}
	if one.name == "" {
		one.name = o.variable(value, el, draft.VariableName(otherwise, named...), el.record)
	}
	if el.record { // what stands next to it is of the record, too
		all = slices.DeleteFunc(slices.Clone(all), func(path selectors.Path) bool { return besideOf([]selectors.Path{path}) != "" })
	}
	if paths, filled := holes(all, []said{one}, true); filled {
		if isWhole := func(path selectors.Path) bool { return path[len(path)-1].Words() == one.hole() }; !slices.ContainsFunc(paths, isWhole) {
			paths = slices.Insert(paths, 1, selectors.Path{{Kind: selectors.Text, Body: one.hole()}}) // what else its name says may not be said of another
		}
		return paths, true
	}
	spoken := selectors.Path{{Kind: selectors.Text, Body: one.hole()}}
	if others { // of which its kind has to tell it
		return append(slices.Clone(all), spoken), true
	}
	option, err := selectors.NewAria(one.hole(), el.role)
	if err != nil {
		return nil, false
	}
	return append(slices.Clone(all), selectors.Path{option}, spoken), true // by its words where its name says more
}

// begun returns the variable of what was typed in the step before, where a choice is what was begun so: it is that of the choice
// from now on, and as many letters of another are typed to find it. "" for what was begun otherwise.
func (o *offer) begun(choice string, el *element) string {
	last, typed := len(o.declared)-1, o.typedText()
	if isValue := el.role == "button" && utf8.RuneCountInString(choice) < shortestRepeated; isValue || last < 0 || typed == "" || o.declared[last].name != o.typed || !strings.HasPrefix(strings.ToLower(choice), strings.ToLower(typed)) {
		return ""
	}
	o.declared[last] = offered{o.typed, choice, el, el.record}
	o.typing.Length = utf8.RuneCountInString(typed)
	return o.typed
}

// byTitle finds an item by its title, and not by words that say more: these are others on another day.
func byTitle(all []selectors.Path, title string) []selectors.Path {
	says := func(path selectors.Path) bool {
		return len(path) == 1 && slices.Contains([]selectors.Kind{selectors.Aria, selectors.Text}, path[0].Kind) && strings.Contains(path[0].Body, title)
	}
	return append([]selectors.Path{{{Kind: selectors.Text, Body: title}}}, slices.DeleteFunc(all, says)...)
}

// suggests reports whether what is pressed has a word that begins with what was typed in the step before, or with a name that
// was begun at the end of it.
func (o *offer) suggests(text string, el *element) bool {
	typed := o.typedText()
	if last := typed[strings.LastIndexAny(typed, " \n")+1:]; strings.HasPrefix(last, "@") || strings.HasPrefix(last, "#") {
		typed = last[1:]
	}
	before, _, is := strings.Cut(strings.ToLower(text), strings.ToLower(typed))
	last, _ := utf8.DecodeLastRuneInString(before)
	return el.role != "button" && utf8.RuneCountInString(typed) >= shortestBeginning && is && !isWord(last)
}

// shortestBeginning is from which length on what is typed tells what a suggestion begins with.
const shortestBeginning = 2

// typedText is what was typed in the step before, "" where nothing was.
func (o *offer) typedText() string {
	for _, v := range o.vs.declared {
		if v.name == o.typed && !v.secret {
			return v.typed
		}
	}
	for _, v := range o.declared {
		if text, ok := v.value.(string); ok && v.name == o.typed {
			return text
		}
	}
	return ""
}

// opener is the name of what may have opened the list of an element, unless that is what was typed or chosen.
func (o *offer) opener(el *element) string {
	if isOther := o.item != nil && o.item.role != el.role; isOther || o.repeats(o.before) {
		return ""
	}
	return o.before
}

// repeats reports whether a text is, or holds, what was typed or chosen: with other values it is another, and no name.
func (o *offer) repeats(text string) bool {
	return o.vs.quotedIn(text) || quoted(o.said(), text) != nil || slices.ContainsFunc(o.declared, func(v offered) bool { return v.says(text) })
}

// pathsOf lists the selectors of a step, the best first.
func pathsOf(step *automation.Step) []selectors.Path {
	return append([]selectors.Path{step.Selector}, step.Alternatives...)
}

// textIn is what the selectors say that the element says, "" for nothing.
func textIn(all []selectors.Path) string {
	for _, path := range all {
		if len(path) == 0 {
			continue
		}
		if last := path[len(path)-1]; last.Kind == selectors.Text {
			return last.Body
		}
	}
	return ""
}

// saysOnly reports whether a path is by a text, or by a name and a role.
func saysOnly(path selectors.Path, text string) bool {
	if len(path) == 0 {
		return false
	}
	last := path[len(path)-1]
	name, _ := last.Aria()
	return last.Kind == selectors.Text && last.Body == text || last.Kind == selectors.Aria && name == text
}

// ownID matches what its authors named so that it is found, whatever it says.
var ownID = regexp.MustCompile(`^#[^\s>:.\[]+$|^\w+\[name=`)

// hasOwnID reports whether a selector is by a name of the author's: one with a digit in it, with what was typed, or
// with what its row says, is the name of one record of several, and one in a shadow root is there in each of its kind.
func (o *offer) hasOwnID(paths []selectors.Path, el *element) bool {
	return slices.ContainsFunc(paths, func(path selectors.Path) bool {
		last := path[len(path)-1]
		isID := last.Kind == selectors.TestID || last.Kind == selectors.CSS && ownID.MatchString(last.Body)
		return isID && len(path) == 1 && !digit.MatchString(last.Body) && (el.row == nil || !el.row.isIn(last.Body)) && !slices.ContainsFunc(o.said(), func(s said) bool {
			return strings.Contains(asSlug(last.Body), asSlug(s.text))
		})
	})
}
