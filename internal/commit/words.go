package commit

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reading is what a label says.
type reading int

const (
	saysNothing reading = iota // no word that is known
	commands                   // pay, delete, send
	final                      // confirm, submit, yes: what it is about decides
	harmless
	onward
	dismisses
)

// set is a list of words.
type set map[string]bool

func list(words string) set {
	s := set{}
	for _, word := range strings.Fields(words) {
		s[word] = true
	}
	return s
}

func (s set) has(word string) bool { return s[word] }

// in reports whether one of words is in the set.
func (s set) in(words []string) bool { return slices.ContainsFunc(words, s.has) }

var (
	question_ = regexp.MustCompile(`[?？؟]$`)
	weekdays  = list(`sun mon tue wed thu fri sat`) // in a date; two of them are verbs elsewhere
	aDate     = regexp.MustCompile(`(?:^|\D)\d{1,2}\D+(?:19|20)\d\d(?:\D|$)`)
	conjoin   = list(`and then & und y et e en i och og ve и та و és a ja`)
	forGood   = regexp.MustCompile(`(?i)irrevers|irrévers|irrevoc|permanent(?:ly|e)|forever|for good|unwiderruflich|endgültig|définiti[fv]|definiti(?:v|ef)|para siempre|nieodwracaln|nevratn|необратим|безвозвратн|навсегда|незворотн|永久|영구`)
	noUndo    = regexp.MustCompile(`(?i)(?:can(?:'|’)?(?:no)?t|cannot) be (?:undone|reversed|recovered|restored)|no (?:way back|undo)|rückgängig|deshacer|desfazer|desfeit|annullat[ao]|ongedaan|cofn[ąi]|ångra|fortrydes|angres|geri al[ıi]namaz|отменить нельзя|无法(?:撤销|恢复)|無法復原|不可(?:撤销|逆)|取り消せ|元に戻せ|되돌릴 수 없|복구할 수 없|لا يمكن التراجع|peruuttaa|visszavon`)
)

// warns reports whether a text says that there is no way back.
func warns(text string) bool { return forGood.MatchString(text) || noUndo.MatchString(text) }

// LeadsOn reports whether a label says that it leads on, like Next and Continue.
func LeadsOn(label string) bool { return readLabel(label) == onward }

// Label reports whether a label alone, without anything around it, commands a commit.
func Label(label string) bool { return readLabel(label) == commands }

const (
	maxCommand = 60 // characters; of what is longer only the beginning counts,
	begins     = 24 // which is this long
)

// readLabel reads each line of a label; what commits in one, commits.
func readLabel(label string) reading {
	best := saysNothing
	for line := range strings.Lines(label) {
		switch is := readLine(strings.TrimSpace(line)); {
		case is == commands:
			return commands
		case best == saysNothing, best == final && is != saysNothing:
			best = is
		}
	}
	return best
}

func readLine(line string) reading {
	line = fold(line)
	asks := question_.MatchString(line)
	if runes := []rune(line); len(runes) > maxCommand {
		line = string(runes[:begins])
	}
	words := split(line)
	said := find(words)
	if aDate.MatchString(line) && !amount.MatchString(line) {
		said = slices.DeleteFunc(said, func(h hit) bool { return weekdays.has(words[h.at]) })
	}
	switch {
	case len(said) == 0:
		return saysNothing
	case asks: // it asks, and does not command
		return harmless
	case words[0] == "not":
		return dismisses
	}
	return readHits(said, words)
}

// readHits reads what a label commands: what decides in it, and what that is done with.
func readHits(said []hit, words []string) reading {
	has := map[kind]bool{}
	verbs := said[:0:0]
	for _, h := range said {
		has[h.kind] = true
		if h.name == "filter" && h.at > 0 {
			has[thing] = true // Clear filters
		}
		if h.kind != filler && h.kind != thing && h.kind != code {
			verbs = append(verbs, h)
		}
	}
	if len(verbs) == 0 {
		switch {
		case has[thing], has[code]:
			return harmless
		case len(said) == len(words) && said[0].name == "polite":
			return final // Yes, please
		}
		return saysNothing
	}
	d := verbs[0]
	if last := verbs[len(verbs)-1]; last.last && (d.at > 0 || d.kind != moves && d.kind != leaves || d.name == "cancel" || d.name == "save") {
		d = last
	}
	for _, h := range verbs {
		if h.kind == command && h.at > 0 && conjoin.has(words[h.at-1]) {
			d = h // Review and pay
		}
	}
	kept := has[thing] || has[code] && d.name != "sign"
	switch d.kind {
	case command:
		switch {
		case kept && d.name != "pay" && d.name != "buy":
			return harmless
		case has[about] && len(words) < 4 && d.name != "pay" && d.name != "delete" && d.name != "send":
			return harmless // Order history
		}
		return commands
	case ends:
		switch {
		case has[thing], verbs[len(verbs)-1].name == "back" && !d.last:
			return harmless // Finish later
		case has[deed], has[agreed], has[command]:
			return commands // Confirm payment
		}
		return final
	case leaves:
		switch {
		case d.name == "cancel" && !has[about] && !kept && (has[agreed] || has[deed] || has[command] || has[ends]):
			return commands // Cancel subscription; Yes, cancel
		case len(words) > 6:
			return harmless
		}
		return dismisses
	case deed, agreed:
		switch {
		case kept, has[about], has[easy]:
			return harmless
		case d.kind == agreed:
			return saysNothing
		}
		return final
	case moves:
		if kept || d.name == "save" {
			return harmless
		}
		return onward
	case easy:
		if !d.last && d.at > 0 && said[0].at > 0 && !kept && d.name != "lang" {
			return saysNothing // what the verb is, is not known
		}
	}
	return harmless
}

// saysCommitAnywhere reports whether a heading, or a question within a text, speaks of a
// commit: "Do you want to delete it?" Other prose speaks of much.
func saysCommitAnywhere(text string) bool {
	if speaks(firstRunes(text, maxCommand)) {
		return true
	}
	for _, sentence := range sentence.FindAllString(text, -1) {
		if question.MatchString(sentence) && speaks(sentence) {
			return true
		}
	}
	return false
}

var sentence = regexp.MustCompile(`[^.!。！?？؟]+[.!。！?？؟]`)

func firstRunes(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n])
	}
	return text
}

// speaks reports whether a text names a commit.
func speaks(text string) bool {
	can := map[string]bool{}
	for _, h := range find(split(fold(text))) {
		if h.kind == command || h.kind == deed {
			return true
		}
		can[h.name] = true
	}
	return can["cancel"] && can["contract"]
}

// chooses reports whether a heading is that of a search, of filters or of signing in.
func chooses(heading string) bool {
	for _, h := range find(split(fold(firstRunes(heading, maxCommand)))) {
		if h.name == "filter" || h.name == "search" || h.name == "login" {
			return true
		}
	}
	return false
}

// repeats reports whether a label has a word, however inflected, of a question or a heading.
func repeats(label, dialog, headings string) bool {
	about := map[string]bool{}
	question := sentence.FindString(dialog)
	for _, word := range split(fold(question + " " + firstRunes(headings, maxCommand))) {
		about[firstRunes(word, sameRoot)] = true
	}
	for _, word := range split(fold(label)) {
		if root := firstRunes(word, sameRoot); utf8.RuneCountInString(root) >= shortRoot && about[root] {
			return true
		}
	}
	return false
}

// sameRoot is how many first letters words of one root share; whole words may have shortRoot.
const sameRoot, shortRoot = 4, 3

// split returns the words of a text: what is between signs, digits and emoji.
func split(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '&'
	})
}

// Names that authors give, in English almost everywhere: of paths, forms, icons, classes.
var (
	markedCommits = list(`pay paynow buy purchase placeorder order send sendmessage delete del destroy remove erase purge wipe trash terminate deactivate unsubscribe
		sell trade bid bet donate transfer reserve publish danger destructive withdraw revoke refund`)
	commitNames = list(`pay paynow payment payments payout payouts purchase purchases buy buynow order orders placeorder charge charges transfer transfers remit wire donate donation donations book booking bookings reserve reservation reservations
		send sends message messages sendmessage mail mails email emails sms reply replies publish post posts comment comments tweet tweets broadcast
		delete del destroy remove erase purge wipe trash deactivate terminate termination cancel cancellation unsubscribe subscribe subscription subscriptions revoke close
		trade trades sell bid bids bet bets invest approve authorize withdraw withdrawal withdrawals deposit deposits sign signature contract contracts invoice invoices invite invites invitation invitations deploy release execute confirm complete finalize finish submit checkout apply
		refund refunds transaction transactions kill ban wallet bank banking casino`)
	harmlessNames = list(`search searches find query queries lookup suggest suggestions autocomplete filter filters facet facets sort list cart carts basket baskets bag wishlist draft drafts autosave like likes unlike favorite favorites favourite favourites fav star stars bookmark bookmarks follow reaction reactions vote
		login signin sign-in session sessions auth oauth token tokens otp verify verification mfa sso signup logout signout preview validate validation check quote quotes estimate calculate step steps next wizard shipping address locale language lang theme preferences preference settings profile view views track tracking analytics telemetry metrics metric collect beacon log logs event events stats stat rum ping heartbeat poll presence csp report recaptcha captcha consent cookies get fetch load read seen compare zoom sendcode fees fee flags flag prefs days slots availability balance`)
	// decisive beats a harmless name next to it: cart/delete-account is not the cart.
	decisive = list(`pay purchase buy delete destroy terminate erase purge wipe transfer withdraw donate placeorder paynow buynow deactivate`)

	commitIcons   = list(`trash bin delete remove dustbin rubbish garbage send plane paperplane paper-plane pay payment payments credit-card creditcard shopping-bag-check wallet money cash banknote destroy erase skull power-off warning danger unsubscribe sell buy gavel dollar coin coins signature publish`)
	harmlessIcons = list(`search magnifier magnify magnifying lens glass heart like thumb thumbs thumbsup star bookmark cart basket filter funnel sort sliders login signin user close x times cross arrow chevron caret next prev back forward menu hamburger bars ellipsis dots more kebab edit pencil eye view home help question info settings cog gear save floppy disk download print copy share plus add play pause bell lock unlock key`)

	camel = regexp.MustCompile(`([\p{Ll}\d])(\p{Lu})`)
)

// parts are the words that a name is made of: "btn-deleteAccount" has three.
func parts(name string) []string {
	name = camel.ReplaceAllString(name, "$1 $2")
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
}

// readNames reads what an author calls a control: one that commits decides, unless it
// stands with a harmless one, as in "send-code" and "order-search".
func readNames(names []string) Verdict {
	v := Unknown
	for _, name := range names {
		v = max(v, readName(name, commitNames))
	}
	return v
}

// readMarks is readNames for ids and classes, where only verbs say something: a
// button-submit is any.
func readMarks(names []string) Verdict {
	v := Unknown
	for _, name := range names {
		v = max(v, readName(name, markedCommits))
	}
	return v
}

func readName(name string, commits set) Verdict {
	words := parts(name)
	switch {
	case decisive.in(words) && !harmlessObjectNames.in(words):
		return Commits
	case harmlessNames.in(words):
		return Harmless
	case commits.in(words):
		return Commits
	}
	return Unknown
}

var harmlessObjectNames = list(`draft cart basket search filter filters history code like favorite favourite wishlist bookmark`)

// readPath reads an address from its end: the last part that says something decides.
func readPath(path string) Verdict {
	if decoded, err := url.PathUnescape(path); err == nil {
		path = decoded
	}
	segments := strings.Split(path, "/")
	for _, segment := range slices.Backward(segments) {
		if v := readName(segment, commitNames); v != Unknown {
			return v
		}
		if v := readSegment(segment); v != Unknown { // or in the page's language
			return v
		}
	}
	return Unknown
}

// readSegment reads a name by the words of labels.
func readSegment(segment string) Verdict {
	v := Unknown
	for _, h := range find(parts(fold(segment))) {
		switch h.kind {
		case thing, easy, code:
			return Harmless
		case command, deed:
			v = Commits
		}
	}
	return v
}

// readTail reads the last part of an address that is a name, and no number.
func readTail(path string) Verdict {
	segments := strings.Split(path, "/")
	for _, segment := range slices.Backward(segments) {
		if words := parts(segment); len(words) > 0 && len(words[0]) > 1 {
			return readPath(segment)
		}
	}
	return Unknown
}

func readIcons(names []string) Verdict {
	v := Unknown
	for _, name := range names {
		words := parts(name)
		switch {
		case commitIcons.in(words) && !harmlessIcons.in(words):
			return Commits
		case harmlessIcons.in(words):
			v = Harmless
		}
	}
	return v
}

func hasLetters(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

// readEmoji reads the pictures in a label.
func readEmoji(label string) Verdict {
	switch {
	case strings.ContainsAny(label, "🗑🚮💳💸💰💵💶💷📤📨📩✉🛫🚀🧾"):
		return Commits
	case strings.ContainsAny(label, "«»‹›🔍🔎❤♥♡🤍⭐★☆👍🛒⚙✏📝💾🔖🔑"):
		return Harmless
	}
	return Unknown
}
