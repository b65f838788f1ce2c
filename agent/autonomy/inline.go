package autonomy

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// A quotation opens and closes with these. Some languages open with what others
// close with, so the first that has its partner on the same line counts.
type quotation struct{ open, close string }

var quotations = []quotation{
	{"`", "`"}, {`"`, `"`}, {"'", "'"},
	{"“", "”"}, {"„", "“"}, {"„", "”"}, {"”", "”"}, {"‘", "’"}, {"‚", "‘"},
	{"«", "»"}, {"»", "«"}, {"‹", "›"}, {"「", "」"}, {"『", "』"}, {"《", "》"},
}

// elements of markup whose content was not said by the model to anybody.
var elements = map[string]bool{
	"thinking": true, "thought": true, "thoughts": true, "think": true, "reasoning": true, "scratchpad": true,
	"email": true, "mail": true, "quote": true, "blockquote": true, "page": true, "html": true, "document": true,
	"tool_result": true, "tool_response": true, "function_results": true, "search_results": true, "observation": true,
	"example": true, "transcript": true, "code": true, "pre": true, "ticket": true, "customer": true, "user": true,
}

// longestTag is that of the names above, and of what else is taken for a tag.
const longestTag = 80

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

// opens is whether something that is hidden may begin with a byte: a tag, an address,
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

// tag hides a tag, and its content where that is somebody else's.
func (m *masker) tag(i, lineEnd int, unclosed map[string]bool) int {
	window := m.b[i:min(i+longestTag, lineEnd)]
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

// tagged stands where a tag was: what is before it and what is behind it are two
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
