// Package commit decides whether using a control, or sending a request, commits someone
// to something: pays, orders, sends, trades, deletes or ends a contract. It is pure: the
// page script collects the evidence, and the recorder and the replayer act on the verdict.
//
//	v := commit.Judge(evidence)          // before a press
//	if v != commit.Commits { … }         // press, and hold what it sends
//	switch commit.Request(sent, press) { // continue it, or ask a person
//
// Words are one signal among others: a label of an unknown language counts as neither,
// and where the control stands, what its form holds and where that goes decide.
package commit

import (
	"regexp"
	"slices"
	"strings"
)

// Verdict is what a control or a request is taken for.
type Verdict int

// The verdicts. Unknown is pressed, and what it sends is held.
const (
	Unknown Verdict = iota
	Harmless
	Commits
)

func (v Verdict) String() string { return [...]string{"unknown", "harmless", "commits"}[v] }

// Evidence is what can be seen of a control that is about to be used. The page script
// fills it in; every field may be empty, and none may be trusted to be true.
type Evidence struct {
	Label   string   `json:"label"`   // accessible name and shown text, a line each where they differ
	Role    string   `json:"role"`    // ARIA role, also an implicit one
	Type    string   `json:"type"`    // of a button or an input
	Marks   []string `json:"marks"`   // what its author calls it: id, class, name, value, data-action, handler
	Icons   []string `json:"icons"`   // what the icons within are called
	Href    string   `json:"href"`    // path that a link leads to
	Toggle  bool     `json:"toggle"`  // it has a state: aria-pressed, a switch, a checkbox, a day of a calendar
	Dismiss bool     `json:"dismiss"` // it closes what it stands in, by its markup
	Beside  bool     `json:"beside"`  // it sends nothing itself, and stands next to what does
	Opens   bool     `json:"opens"`   // it only opens a menu or a dialog
	Consent bool     `json:"consent"` // it stands in a banner about cookies
	Writes  bool     `json:"writes"`  // a press there only puts the caret into text
	Others  []string `json:"others"`  // labels of the buttons that it stands with

	Method string   `json:"method"` // of the form that it sends, "" for none
	Action string   `json:"action"` // path that the form goes to
	Search bool     `json:"search"` // the form is a search
	Fields []string `json:"fields"` // of the form or dialog: type, name, autocomplete and label of each

	Dialog   string   `json:"dialog"`   // text of the dialog around it
	Alert    bool     `json:"alert"`    // which interrupts: alertdialog
	Sources  []string `json:"sources"`  // icons and classes of the dialog itself
	Headings string   `json:"headings"` // of the form, card or section that it is in
	Near     string   `json:"near"`     // text around it
	Path     string   `json:"path"`     // of the document
	Title    string   `json:"title"`
	Lang     string   `json:"lang"` // of the control: de, pt-BR
}

// What each signal adds. A control whose sum reaches threshold commits; one that stays
// below harmlessAt is harmless. One word decides alone, in either direction; otherwise two
// signals of the surroundings have to agree.
const (
	threshold  = 50
	harmlessAt = -5

	halfWord     = 50  // the label commands something final: Confirm, Submit, Yes
	harmlessWord = -80 // the label commands what is undone as easily: Search, Add to basket
	onwardWord   = -45 // it leads on: Next, Continue, Save

	commitMark   = 60  // its author calls it delete-button, pay, btn-danger
	harmlessMark = -60 // or search-button, add-to-cart
	commitIcon   = 55  // a bin, a paper plane
	harmlessIcon = -60 // a lens, a heart, a cart
	vagueIcon    = -20 // the same next to a word that is not known

	posts          = 30  // its form is sent with POST: something is changed
	commitAction   = 60  // to /checkout/pay, /delete
	harmlessAction = -70 // to /cart, /search, /login
	commitLink     = 35  // it is a link to /delete/7: most such links lead to a page that asks
	plainLink      = -30 // a link leads elsewhere

	cardFields    = 60   // the form asks for a card or an account number: it pays
	messageFields = 50   // it has a recipient and a text: it sends
	textField     = 30   // it has a text of many lines: most such are published or sent
	ownPrice      = 40   // the label names an amount of money
	price         = 30   // an amount of money stands next to it
	coupon        = -120 // the only text to be typed is a code for a discount

	asksCommit   = 60 // the dialog asks whether to delete, pay or send
	irreversible = 50 // or says that there is no way back
	interrupts   = 30 // it is an alertdialog: its button does what it warns of
	asks         = 30 // it asks something

	topic      = 25  // the page, or the heading, is of a commit: a checkout
	otherTopic = -45 // the heading is of what is harmless: Filters
	gets       = -30 // its form is sent with GET
	signsIn    = -90 // there is a password to be typed, and nothing that pays
	searches   = -90 // the form is a search
	togglesIt  = -50 // it has a state, and goes back to the other
	onlyOpens  = -50 // it opens a menu or a dialog, in which the deed is
	onCookies  = -60 // it speaks of cookies
	secondary  = -30 // next to the button that sends the form: cancel, add a row, show more

	// Of a label that says nothing known:
	unsaidPost  = 20  // what the form changes is not known to be harmless
	sendsFields = 25  // fields are filled in, and no other button commits
	repeated    = 30  // it repeats a word of the question or the heading: it is what they are about
	isOther     = -60 // another button commands a commit
)

// Judge weighs the evidence.
func Judge(e Evidence) Verdict {
	words := readLabel(e.Label)
	switch {
	case (words == commands || forGood.MatchString(e.Label)) && !e.Toggle:
		return Commits // in command position no other word, and no place, takes it back
	case e.Writes:
		return Harmless // what it does all the same, its request tells
	case (words == dismisses || e.Dismiss) && readMarks(e.Marks) != Commits:
		return Harmless
	}
	if words == onward && (e.pays() || question.MatchString(e.Headings) && speaks(e.Headings)) {
		return Unknown
	}
	if (words == onward || words == harmless) && e.Dialog == "" && !warns(e.Near) && !e.asksFor(cardField) {
		return Harmless // where it leads to what commits, its request tells
	}
	switch sum := e.own(words) + e.around(words); {
	case sum >= threshold:
		return Commits
	case sum <= harmlessAt, words == harmless:
		return Harmless
	}
	return Unknown
}

// own is what the control itself adds.
func (e Evidence) own(words reading) int {
	sum := map[reading]int{final: halfWord, harmless: harmlessWord, onward: onwardWord}[words]
	sum += weigh(readMarks(e.Marks), commitMark, harmlessMark)
	if icon := max(readIcons(e.Icons), readEmoji(e.Label)); icon == Commits || words != saysNothing || !hasLetters(e.Label) {
		sum += weigh(icon, commitIcon, harmlessIcon)
	} else {
		sum += weigh(icon, 0, vagueIcon) // the word next to it is not known
	}
	if e.Toggle {
		sum += togglesIt
	}
	if e.Beside {
		sum += secondary
	}
	if e.Opens {
		sum += onlyOpens
	}
	if !e.Toggle && e.Href == "" && words != harmless && amount.MatchString(e.Label) {
		sum += ownPrice
	}
	if e.Href != "" {
		sum += weigh(readPath(e.Href), commitLink, harmlessAction)
		if e.Dialog == "" {
			sum += plainLink
		}
	}
	return sum
}

// around is what its form, its dialog and its page add.
func (e Evidence) around(words reading) int {
	sum := 0
	post := strings.EqualFold(e.Method, "post")
	switch {
	case post:
		sum += posts
		sum += weigh(readPath(e.Action), commitAction, harmlessAction)
	case e.Method != "":
		sum += gets
	}
	card, text, password := e.asksFor(cardField), e.hasKind("textarea", "editable"), e.hasKind("password")
	inForm := e.Action != "" // fields of a whole page are of other controls as well
	switch {
	case card:
		sum += cardFields
	case text && e.asksFor(recipientField):
		sum += messageFields
	case text && e.Href == "":
		sum += textField
	}
	if e.Search || !text && inForm && e.asksFor(searchField) {
		sum += searches
	}
	pays := e.asksCommit() || card
	if password && !pays && (inForm || words == saysNothing) {
		sum += signsIn
	}
	if e.Consent || cookieBanner.MatchString(e.Near+e.Dialog) {
		return sum + onCookies // what else it speaks of is what the site does with them
	}
	if n := len(amount.FindAllString(e.Near+" "+e.Dialog, manyAmounts)); e.Href == "" && n > 0 && n < manyAmounts {
		sum += price
	}
	if one := len(e.Fields) == 1; !password && (one || inForm && words != final) && e.asksFor(couponField) {
		sum += coupon
	}
	if e.Dialog != "" {
		sum += e.inDialog()
	} else if e.Href == "" && warns(e.Near+" "+e.Headings) {
		sum += irreversible
	}
	if e.Href == "" {
		sum += e.topic()
	}
	if words == saysNothing {
		sum += e.unsaid()
	}
	return sum
}

// unsaid is what a label of unknown words gains by its place: what the control stands with,
// and what it repeats.
func (e Evidence) unsaid() int {
	sum := 0
	switch others := slices.ContainsFunc(e.Others, Label); {
	case others:
		sum += isOther
	case e.Href == "" && !e.Toggle && len(e.Fields) > 0 && hasLetters(e.Label):
		sum += sendsFields
	}
	if e.Href == "" && !e.Toggle && repeats(e.Label, e.Dialog, e.Headings) {
		sum += repeated
	}
	if strings.EqualFold(e.Method, "post") {
		sum += unsaidPost
	}
	return sum
}

// asksCommit reports whether the dialog, or the heading of a form, asks for a commit.
func (e Evidence) asksCommit() bool {
	return e.Dialog != "" && saysCommitAnywhere(e.Dialog) || warns(e.Dialog) || warns(e.Headings) || saysCommitAnywhere(e.Headings) && e.Method != "" ||
		e.hasKind("password") && (saysCommitAnywhere(e.Headings) || warns(e.Near))
}

// topic is what its page is about.
func (e Evidence) topic() int {
	switch {
	case readPath(e.Path) == Commits, saysCommitAnywhere(e.Title), speaks(firstRunes(e.Headings, maxCommand)):
		return topic
	case chooses(e.Headings):
		return otherTopic
	}
	return 0
}

// pays reports whether what is around a control that leads on is what a payment has.
func (e Evidence) pays() bool {
	return e.topic() > 0 && e.Method == "" && amount.MatchString(e.Near+" "+e.Dialog)
}

func (e Evidence) inDialog() int {
	sum := 0
	switch {
	case warns(e.Dialog):
		sum += irreversible
	case saysCommitAnywhere(e.Dialog):
		sum += asksCommit
	}
	if e.Alert {
		sum += interrupts
	}
	if question.MatchString(e.Dialog) {
		sum += asks
	}
	return sum + weigh(max(readIcons(e.Sources), readMarks(e.Sources)), commitIcon, 0)
}

func weigh(v Verdict, commits, harmless int) int {
	switch v {
	case Commits:
		return commits
	case Harmless:
		return harmless
	}
	return 0
}

// SignsIn reports whether the form is there to sign in, and not to pay or delete.
func (e Evidence) SignsIn() bool {
	return e.hasKind("password") && !e.asksFor(cardField) && !e.asksCommit()
}

// SignsInAs reports whether the form asks for an account and its password and for nothing else: a password
// alone is also asked for before something is deleted or paid.
func (e Evidence) SignsInAs() bool {
	typed := slices.DeleteFunc(slices.Clone(e.Fields), func(field string) bool { return strings.HasPrefix(field, "checkbox ") })
	return len(typed) == 2 && e.SignsIn() && !slices.ContainsFunc(typed, recipientField.MatchString)
}

// amount is a sum of money: a number next to a currency's sign or code.
var amount = regexp.MustCompile(`(?i)\p{Sc}\s?\p{Nd}|\p{Nd}[\p{Nd}.,'\x{a0} ]*\s?(?:\p{Sc}|(?:usd|eur|gbp|chf|jpy|cny|rmb|inr|sek|nok|dkk|isk|pln|czk|huf|ron|bgn|rsd|try|rub|uah|brl|mxn|zar|kes|ksh|tzs|ngn|idr|myr|php|vnd|thb|krw|ils|aed|sar|egp|btc|eth|usdc|kr|zł|kč|ft|lei|лв|руб|грн|ден|сум|сом|so.?m|lekë?|元|円|원|tl|ብር|ກີບ|ကျပ်|टका|टाका|টাকা|रु|रू)\.?(?:$|[^\p{L}]))|(?:^|[^\p{L}])(?:usd|eur|gbp|chf|inr|sek|nok|dkk|rp|rm|rs|रु|रू|ksh|tsh|kr|r\p{Sc}|lei|aed|sar|zar|ngn|btc|ብር)\.?\s?\p{Nd}`)

// manyAmounts are a list of offers, and not what one thing costs.
const manyAmounts = 6

var cookieBanner = regexp.MustCompile(`(?i)cookie|クッキー|쿠키|galletas|колачић|файл(?:ы|ів|ове) куки|бисквитк|sütik|evästee|küpsis|sīkdat|slapuk|kolačić|piškot|vafrakök|informasjonskaps|çerez|cwcis|fianán|עוגיות|ملفات تعريف الارتباط|کوکی|कुकी|কুকি|คุกกี้|personali[sz]e (?:ads|content)|\p{Nd}+ (?:partn|parten|socios|parceir)`)

var question = regexp.MustCompile(`[?？؟;՞፧]`)

var (
	cardField      = regexp.MustCompile(`(?i)cc-(?:number|csc|exp)|card.?(?:num|no|holder|code)|\bcvc|\bcvv|\bcsc\b|iban|account.?(?:num|no)\b|\bbic\b|routing|sort.?code|kontonummer|pan\b|expiry|\bupi\b`)
	recipientField = regexp.MustCompile(`(?i)(?:^|[\s_\-\[.])(?:to|cc|bcc|recipients?|payee|beneficiary|addressee|empfaenger|empfänger|destinat\w*|receiver)(?:$|[\s_\-\].])`)
	couponField    = regexp.MustCompile(`(?i)coupon|voucher|promo|gutschein|kupon|kupong|cupón|cupom|купон|rabat|discount|gift.?card|쿠폰|クーポン|优惠|giảm giá|κουπόνι`)
	searchField    = regexp.MustCompile(`(?i)^search\b|(?:^|\s)(?:q|query|search|keywords?)(?:$|\s)`)
)

// hasKind reports whether one of the fields is of one of these kinds.
func (e Evidence) hasKind(kinds ...string) bool {
	return slices.ContainsFunc(e.Fields, func(field string) bool {
		kind, _, _ := strings.Cut(field, " ")
		return slices.Contains(kinds, kind)
	})
}

// asksFor reports whether one of the fields asks for something of the kind.
func (e Evidence) asksFor(what *regexp.Regexp) bool {
	return slices.ContainsFunc(e.Fields, what.MatchString)
}
