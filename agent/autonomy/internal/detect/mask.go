package detect

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// blanked stands in a masked text for words that are not the model's own: it separates
// its neighbours, and is no letter.
const blanked = 0x01

// mask returns a copy of the text, of the same length, in which what is quoted,
// code, output, a table or an address is blank. It takes the room of another.
func mask(to []byte, text string) []byte {
	m := &masker{b: append(to[:0], text...)}
	if m.object() {
		return m.b
	}
	m.lines()
	if m.greets {
		m.letters()
	}
	if m.speaks {
		m.speeches()
	}
	m.inline()
	return m.b
}

type masker struct {
	b              []byte
	greets, speaks bool // a line begins as a letter does; one with a mark of speech
}

// blank hides a part, and leaves line ends where they are.
func (m *masker) blank(start, end int) {
	first := true
	for i := start; i < end; i++ {
		switch {
		case m.b[i] == '\n':
		case first:
			m.b[i], first = blanked, false
		default:
			m.b[i] = ' '
		}
	}
}

// wipe hides whole lines, so that a new paragraph begins after them.
func (m *masker) wipe(start, end int) {
	for i := start; i < end; i++ {
		if m.b[i] != '\n' {
			m.b[i] = ' '
		}
	}
}

// eachLine calls f with the bounds of every line, without its end.
func eachLine(b []byte, f func(start, end int)) {
	for start := 0; start < len(b); {
		end := start + bytes.IndexByte(b[start:], '\n')
		if end < start {
			end = len(b)
		}
		f(start, end)
		start = end + 1
	}
}

// indentOfCode is Markdown's.
const indentOfCode = 4

// lines hides fences, indented code, block quotes and tables.
func (m *masker) lines() {
	var room [64]byte
	var fence []byte // what closes the open one
	blankBefore, inList := true, false
	eachLine(m.b, func(start, end int) {
		line := m.b[start:end]
		trimmed := bytes.TrimSpace(line)
		indent := indentation(line)
		switch mark := fenceMark(trimmed); {
		case fence != nil:
			if mark != nil && mark[0] == fence[0] && len(mark) >= len(fence) && len(trimmed) == len(mark) {
				fence = nil
			}
			m.wipe(start, end)
		case mark != nil:
			fence = append(room[:0], mark...) // the line is about to be wiped
			m.wipe(start, end)
		case len(trimmed) == 0:
			blankBefore = true
			return
		case trimmed[0] == '>' || trimmed[0] == '|':
			m.wipe(start, end)
		case indent >= indentOfCode && blankBefore && !inList:
			m.wipe(start, end)
			return // the next line of it needs no blank one before
		default:
			if isItem := isItem(trimmed); indent == 0 || isItem {
				inList = isItem
			}
			m.greets = m.greets || salutationsBy.begin(trimmed)
			m.speaks = m.speaks || beginsQuotation(trimmed)
		}
		blankBefore = false
	})
}

func indentation(line []byte) int {
	n := 0
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += indentOfCode
		default:
			return n
		}
	}
	return n
}

// fenceMark is the run of marks that a fence begins with, at least three.
func fenceMark(trimmed []byte) []byte {
	if len(trimmed) < 3 || (trimmed[0] != '`' && trimmed[0] != '~') {
		return nil
	}
	n := 0
	for n < len(trimmed) && trimmed[n] == trimmed[0] {
		n++
	}
	if n < 3 || (trimmed[0] == '`' && bytes.IndexByte(trimmed[n:], '`') >= 0) {
		return nil // "```x```" is code in a line
	}
	return trimmed[:n]
}

// Beginnings and ends of letters, of lines in lower case. What stands between
// the two was written for someone else.
var (
	salutations  = []string{"dear ", "hello ", "hello,", "hi ", "hi,", "hey ", "good morning", "sehr geehrte", "liebe ", "lieber ", "hallo ", "guten tag", "bonjour", "chère ", "cher ", "madame", "estimad", "hola ", "querid", "prezad", "caro ", "cara ", "gentile ", "beste ", "geachte ", "szanown", "drogi", "уважаем", "здравствуйте", "sayın ", "merhaba", "尊敬的", "您好", "안녕하세요", "عزيزي", "السيد", "प्रिय"}
	valedictions = []string{"kind regards", "best regards", "regards", "warm regards", "best wishes", "warm wishes", "best,", "sincerely", "yours ", "cheers,", "thanks,", "thank you,", "many thanks", "mit freundlichen", "viele grüße", "liebe grüße", "cordialement", "bien à vous", "saludos", "un saludo", "atenciosamente", "abraço", "cordiali saluti", "distinti saluti", "met vriendelijke", "groet", "z poważaniem", "pozdrawiam", "с уважением", "saygılarımla", "此致", "敬上", "敬具", "مع أطيب", "धन्यवाद"}
)

// maxGreeting bounds what is looked at of a text for the words above.
const maxGreeting = 64

// byFirst sorts words by their first letter: most lines begin with none of them.
type byFirst [256][]string

func firstLetters(words []string) (t byFirst) {
	for _, word := range words {
		at := &t[firstLetter([]byte(word))]
		*at = append(*at, word)
	}
	return t
}

// firstLetter is where words of a first letter are.
func firstLetter(b []byte) byte {
	r, _ := runeAt(b, 0)
	return byte(lower(r))
}

// begin reports whether a line begins with one of the words.
func (t *byFirst) begin(line []byte) bool {
	for _, word := range t[firstLetter(line)] {
		if beginsWith(line, word) {
			return true
		}
	}
	return false
}

// beginsWith reports whether a line begins with a word, in lower case or not.
func beginsWith(line []byte, word string) bool {
	i := 0
	for _, want := range word {
		if i == len(line) {
			return false
		}
		r, size := runeAt(line, i)
		if lower(r) != want {
			return false
		}
		i += size
	}
	return true
}

var salutationsBy, valedictionsBy = firstLetters(salutations), firstLetters(valedictions)

// letters hides what stands from a salutation to a close.
func (m *masker) letters() {
	open := -1
	eachLine(m.b, func(start, end int) {
		trimmed := bytes.TrimSpace(m.b[start:end])
		words := &salutationsBy
		if open >= 0 {
			words = &valedictionsBy
		}
		if len(trimmed) == 0 || !words.begin(trimmed) {
			return
		}
		whole := bytes.TrimRight(m.b[start:end], " \t\r")
		switch {
		case open >= 0:
			m.wipe(open, end)
			open = -1
		case whole[len(whole)-1] == ',' || whole[len(whole)-1] == '!':
			open = start
		}
	})
}

// object reports whether the whole answer is one of JSON: then what stands in quotes is
// its own, and each piece of it a sentence, but for the ones whose key names words of others.
func (m *masker) object() bool {
	text := bytes.TrimSpace(m.b)
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return false
	}
	others := false // the key before is that of words of others
	for i := 0; i < len(m.b); i++ {
		if m.b[i] != '"' {
			continue
		}
		end := endOfString(m.b, i)
		if rest := bytes.TrimLeft(m.b[end:min(end+maxGreeting, len(m.b))], " \n\t\r\""); len(rest) > 0 && rest[0] == ':' {
			key := strings.ToLower(string(m.b[i:end]))
			others = containsAny(key, othersKeys) && !containsAny(key, ownKeys)
		} else if others {
			m.blank(i+1, end)
		}
		m.b[i] = tagged
		if end < len(m.b) {
			m.b[end] = tagged
		}
		i = end
	}
	return true
}

// othersKeys stand in keys of what was read, and is no word of the model's own; but where
// one of ownKeys stands there, too, it asks about a page.
var (
	othersKeys = []string{"page", "dialog", "banner", "popup", "html", "stdout", "stderr", "quote", "observation"}
	ownKeys    = []string{"question", "ask", "request", "confirm"}
)

// endOfString is where the string that begins with a quote ends, of JSON.
func endOfString(b []byte, i int) int {
	for i++; i < len(b) && b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return min(i, len(b))
}

// Marks at which a quotation of several lines begins and ends.
var (
	speechOpens  = []string{`"`, "“", "„", "«", "”", "»", "「", "『"}
	speechCloses = []string{`"`, "”", "“", "»", "«", "」", "』"}
)

// speeches hides quotations of several lines: a line begins with the one mark, and a
// later one ends with the other.
func (m *masker) speeches() {
	open := -1
	eachLine(m.b, func(start, end int) {
		trimmed := bytes.TrimSpace(m.b[start:end])
		if open < 0 && (len(trimmed) == 0 || !beginsQuotation(trimmed)) {
			return
		}
		line := string(trimmed)
		switch {
		case open < 0:
			for _, mark := range speechOpens {
				if rest, ok := strings.CutPrefix(line, mark); ok && !containsAny(rest, speechCloses) {
					open = start
				}
			}
		case endsWithAny(line, speechCloses):
			m.wipe(open, end)
			open = -1
		case containsAny(line, speechOpens):
			open = -1
		}
	})
}

// beginsQuotation is false where no mark of one begins: it looks at the first bytes.
func beginsQuotation(b []byte) bool {
	switch b[0] {
	case '"', 0xC2:
		return true
	case 0xE2, 0xE3: // “ and 「, and what is near them
		return len(b) > 1 && b[1] == 0x80
	}
	return false
}

func containsAny(line string, marks []string) bool {
	for _, m := range marks {
		if strings.Contains(line, m) {
			return true
		}
	}
	return false
}

func endsWithAny(line string, marks []string) bool {
	line = strings.TrimRight(line, ".,")
	for _, m := range marks {
		if strings.HasSuffix(line, m) {
			return true
		}
	}
	return false
}

// greets reports whether a text begins as a letter does.
func greets(text string) bool {
	b := bytes.TrimSpace([]byte(text[:min(len(text), maxGreeting)]))
	return len(b) > 0 && salutationsBy.begin(b)
}

// A quotation opens and closes with these. Some languages open with what others
// close with, so the first that has its partner on the same line counts.
type quotation struct{ open, close string }

var quotations = []quotation{
	{"`", "`"}, {`"`, `"`}, {"'", "'"},
	{"“", "”"}, {"„", "“"}, {"„", "”"}, {"”", "”"}, {"‘", "’"}, {"‚", "‘"},
	{"«", "»"}, {"»", "«"}, {"‹", "›"}, {"「", "」"}, {"『", "』"}, {"《", "》"},
}

// elements of markup whose content is not the model's own words.
var elements = map[string]bool{
	"thinking": true, "thought": true, "thoughts": true, "think": true, "reasoning": true, "scratchpad": true,
	"email": true, "mail": true, "quote": true, "blockquote": true, "page": true, "html": true, "document": true,
	"tool_result": true, "tool_response": true, "function_results": true, "search_results": true, "observation": true,
	"example": true, "transcript": true, "code": true, "pre": true, "ticket": true, "customer": true, "user": true,
}

// maxTag is that of the names above, and of what else is taken for a tag.
const maxTag = 80

// inline hides quotations, markup and addresses inside lines. Where something was
// looked for in vain up to the end of a line, or of the text, it is not looked for
// again before it: so the time stays linear.
func (m *masker) inline() {
	var missing [16]int           // by quotation: no close before this place
	unclosed := map[string]bool{} // elements without an end in the rest of the text
	lineEnd := -1
	for i := 0; i < len(m.b); {
		c := m.b[i]
		if !opens[c] || c >= utf8.RuneSelf && !beginsQuotation(m.b[i:]) {
			i++
			continue
		}
		if i > lineEnd {
			lineEnd = endOfLine(m.b, i)
		}
		switch {
		case c == '<':
			i = m.tag(i, lineEnd, unclosed)
		case c == ':' && bytes.HasPrefix(m.b[i:], []byte("://")):
			i = m.address(i)
		case c == ':':
			i++
		default:
			i = m.quotation(i, lineEnd, &missing)
		}
	}
}

// opens marks the bytes with which something that is hidden may begin: a tag, an address,
// or a quotation, of which these are all first bytes.
var opens = [256]bool{'<': true, ':': true, '`': true, '"': true, '\'': true, 0xC2: true, 0xE2: true, 0xE3: true}

func endOfLine(b []byte, i int) int {
	if b[i] == '\n' {
		i++
	}
	if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(b)
}

// tag hides a tag, and its content where that is not the model's own.
func (m *masker) tag(i, lineEnd int, unclosed map[string]bool) int {
	window := m.b[i:min(i+maxTag, lineEnd)]
	end := bytes.IndexByte(window, '>')
	if end < 2 || !(window[1] == '/' || window[1] == '!' || isASCIILetter(window[1])) {
		return i + 1
	}
	n := 1
	for n < end && (isASCIILetter(window[n]) || window[n] == '_') {
		n++
	}
	name := string(bytes.ToLower(window[1:n]))
	after := i + end + 1
	if elements[name] && !unclosed[name] {
		if close := bytes.Index(m.b[after:], []byte("</"+name+">")); close >= 0 {
			after += close + len(name) + 3
			m.wipe(i, after)
			return after
		}
		unclosed[name] = true
	}
	m.wipe(i, after)
	m.b[i] = tagged
	return after
}

// tagged stands where a tag was: what is before it and what is after it are two
// sentences.
const tagged = 0x02

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// address hides what follows the scheme of an address, up to white space.
func (m *masker) address(i int) int {
	end := i
	for end < len(m.b) && m.b[end] > ' ' && m.b[end] < utf8.RuneSelf && m.b[end] != ')' && m.b[end] != '>' && m.b[end] != '"' {
		end++
	}
	for end > i && (m.b[end-1] == '.' || m.b[end-1] == ',' || m.b[end-1] == '?' || m.b[end-1] == '!') {
		end-- // the sentence's own
	}
	m.blank(i, end)
	return max(end, i+1)
}

// quotation hides what is quoted from here on, if anything is.
func (m *masker) quotation(i, lineEnd int, missing *[16]int) int {
	_, size := utf8.DecodeRune(m.b[i:])
	if !opensAt(m.b, i) {
		return i + size
	}
	for q, marks := range quotations {
		if !bytes.HasPrefix(m.b[i:], []byte(marks.open)) || missing[q] > i {
			continue
		}
		from := i + len(marks.open)
		if end := closing(m.b, from, lineEnd, marks.close); end >= 0 {
			m.blank(i, end+len(marks.close))
			return end + len(marks.close)
		}
		missing[q] = lineEnd
	}
	return i + size
}

// opensAt is false for an apostrophe and an inch.
func opensAt(b []byte, i int) bool {
	if b[i] != '\'' && b[i] != '"' {
		return true
	}
	if i == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRune(b[:i])
	return !unicode.IsLetter(before) && !unicode.IsDigit(before) || before >= 0x1100 // no spaces between words there
}

// closing is where the mark stands that closes what was opened before from.
func closing(b []byte, from, lineEnd int, mark string) int {
	for at := from; at < lineEnd; {
		n := bytes.Index(b[at:lineEnd], []byte(mark))
		if n < 0 {
			return -1
		}
		at += n
		after, _ := utf8.DecodeRune(b[at+len(mark):])
		if mark != "'" && mark != "’" || (!unicode.IsLetter(after) || unspaced(after)) && at > from && b[at-1] != ' ' {
			return at
		}
		at += len(mark)
	}
	return -1
}
