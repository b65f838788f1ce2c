package detect

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// lineKind is what a line is in a text that is laid out.
type lineKind byte

const (
	prose lineKind = iota
	heading
	item // of a list
)

// sentence is a part of a masked text that ends where a sentence or a line does.
type sentence struct {
	Span
	kind      lineKind
	paragraph int     // those of one paragraph belong together; an item is its own
	question  bool    // it ends with a question mark
	bold      bool    // all of it
	lettered  bool    // it begins with "Q:" or "A:"
	framed    bool    // between the only two rules of the text: what is shown
	ofTask    int     // how many of its words are the task's, too
	ofNext    int     // and the next sentence's
	length    uint32  // in words, by powers of two
	hit               // what the phrases have found in it
	sense             // what its words speak of
	rule      string  // what the rules make of it
	ruled     float64 // and how sure that would make it
}

// sentences splits a masked text, in the room of another. What has no letter is none.
func sentences(to []sentence, b []byte) []sentence {
	s := &splitter{b: b, out: slices.Grow(to[:0], 8+len(b)/lettersOfSentence), start: -1, small: beginsLower(bytes.TrimSpace(b[:min(len(b), maxTag)]))}
	wasItem := false
	eachLine(b, func(start, end int) {
		trimmed := bytes.TrimSpace(b[start:end])
		kind := kindOf(trimmed)
		rule := isRule(trimmed)
		if rule && len(s.rules) < 3 {
			s.rules = append(s.rules, start)
		}
		switch {
		case len(trimmed) == 0, rule:
			s.flush(start)
			s.paragraph++
			wasItem = false
			return
		case kind != prose:
			s.flush(start)
			s.paragraph++
		case wasItem && indentation(b[start:end]) == 0:
			s.flush(start)
			s.paragraph++
		case wasItem:
			kind = item
		case s.start >= 0 && (s.small || !beginsLower(trimmed)):
			s.flush(start)
		}
		wasItem = kind == item
		s.kind = kind
		s.line(start, end)
		if kind == heading {
			s.flush(end)
			s.paragraph++
		}
	})
	s.flush(len(b))
	s.frame()
	return s.out
}

// frame marks what stands between two rules, where there are no more.
func (s *splitter) frame() {
	if len(s.rules) != 2 {
		return
	}
	for i := range s.out {
		at := s.out[i].Start
		s.out[i].framed = at > s.rules[0] && at < s.rules[1]
	}
}

// isRule reports whether a line is one, as Markdown draws it.
func isRule(trimmed []byte) bool {
	return len(trimmed) > 2 && (trimmed[0] == '-' || trimmed[0] == '*' || trimmed[0] == '_' || trimmed[0] == '=') && len(bytes.Trim(trimmed, string(trimmed[:1]))) == 0
}

// lettersOfSentence is about how long one is, in bytes.
const lettersOfSentence = 40

type splitter struct {
	b         []byte
	out       []sentence
	start     int // of the sentence that is open, or -1
	letters   bool
	greek     int // how many letters of Greek it has more than others: then a semicolon is a question mark
	kind      lineKind
	paragraph int
	rules     []int // where the first three begin
	small     bool  // the text is in lower case throughout: a sentence may begin so
}

// line takes the next line; a sentence that has no end stays open.
func (s *splitter) line(start, end int) {
	for i := start; i < end; {
		c := s.b[i]
		if s.start < 0 && c > ' ' {
			s.start, s.letters, s.greek = i, false, 0
		}
		if isASCIILetter(c) {
			s.letters = true
			from := i
			for i++; i < end && goesOnIn[s.b[i]]; i++ {
			}
			s.greek -= i - from
			continue
		}
		switch {
		case c == tagged:
			s.flush(i)
			i++
		case c == '.' || c == '!' || c == '?' || c == ';' && s.greek > 0:
			i = s.stop(i, end)
		case c < utf8.RuneSelf:
			i++
		case s.letters && endsNothing(s.b[:end], i) > 0:
			for i < end && s.b[i] >= utf8.RuneSelf {
				n := endsNothing(s.b[:end], i)
				if i += n; n == 0 {
					break
				}
			}
		default:
			r, size := runeAt(s.b[:end], i)
			if r == '\u037e' || r == '。' || r == '！' || r == '？' || r == '؟' || r == '।' || r == '…' {
				i = s.stop(i, end)
				continue
			}
			s.letters = s.letters || unicode.IsLetter(r)
			s.greek += int(bit(isGreek(r)))
			i += size
		}
	}
}

// endsNothing is how many bytes a character has that ends no sentence by what it begins with,
// and is not Greek: most letters of Latin, Cyrillic, Hebrew, Chinese, Korean. Of others it is 0.
func endsNothing(b []byte, i int) int {
	const more, mark = 0xC0, 0x80 // of a byte that goes on
	switch c := b[i]; {
	case c < 0xC3 || i+1 >= len(b) || b[i+1]&more != mark:
		return 0
	case c < 0xE0 && c != 0xD8 && (c < 0xCD || c > 0xCF): // but Arabic marks
		return 2
	case c > 0xE3 && c < 0xEE && i+2 < len(b) && b[i+2]&more == mark:
		return 3
	}
	return 0
}

// isGreek reports whether a letter is Greek, with old accents, too.
func isGreek(r rune) bool { return r >= 0x370 && r < 0x400 || r >= 0x1F00 && r < 0x2000 }

// goesOnIn are the bytes after a letter that end no sentence.
var goesOnIn = func() (t [utf8.RuneSelf * 2]bool) {
	for c := range utf8.RuneSelf {
		t[c] = c >= ' ' && c != '.' && c != '!' && c != '?' && c != ';'
	}
	return t
}()

// stop takes a run of marks at which a sentence may end, and what closes after it.
func (s *splitter) stop(i, end int) int {
	question, wide, points := false, false, true
	for i < end {
		r, size := runeAt(s.b[:end], i)
		switch r {
		case ';':
			if s.greek <= 0 {
				return s.stopped(i, end, question, wide, points)
			}
			question, points = true, false
		case '?', '？', '؟', '\u037e':
			question, points = true, false
		case '!', '！', '।', '。':
			points = false
		case '.', '…':
		case ')', '*', '_', '"', '\'', '”', '»', ']', '」', '“':
		default:
			return s.stopped(i, end, question, wide, points)
		}
		wide = wide || r > 0x2000
		i += size
	}
	return s.stopped(i, end, question, wide, points)
}

// stopped ends the sentence before i, unless it goes on after the marks.
func (s *splitter) stopped(i, end int, question, wide, points bool) int {
	if i < end && s.b[i] > ' ' && !wide && s.b[i] < utf8.RuneSelf {
		return i // 3.1, a.b, x?.y
	}
	if points && !wide && !s.small && i+1 < end && s.b[i] == ' ' && s.b[i+1] >= 'a' && s.b[i+1] <= 'z' {
		return i // "e.g. this"
	}
	s.close(i, question)
	return i
}

func (s *splitter) flush(at int) { s.close(at, false) }

// close ends the open sentence at a place.
func (s *splitter) close(at int, question bool) {
	if s.start < 0 {
		return
	}
	text := bytes.TrimSpace(s.b[s.start:at])
	if s.letters {
		s.out = append(s.out, sentence{
			Span: Span{s.start, s.start + len(text)}, kind: s.kind, paragraph: s.paragraph, question: question,
			lettered: len(text) > 2 && isASCIILetter(text[0]) && text[1] == ':',
			bold:     len(text) > 4 && bytes.HasPrefix(text, []byte("**")) && bytes.HasSuffix(text, []byte("**")),
		})
	} else if n := len(s.out) - 1; question && n >= 0 && s.out[n].End+maxTag > s.start && s.out[n].paragraph == s.paragraph {
		s.out[n].question = true // a mark on its own
	}
	s.start, s.letters = -1, false
}

func kindOf(trimmed []byte) lineKind {
	switch {
	case len(trimmed) == 0:
		return prose
	case trimmed[0] == '#':
		return heading
	case isItem(trimmed):
		return item
	}
	return prose
}

// isItem reports whether a line begins with "- ", "* ", "• ", "– ", "→ ", "1. ", "1) ", "a) ", "(a) " and "[1] ".
func isItem(trimmed []byte) bool {
	r, size := utf8.DecodeRune(trimmed)
	switch r {
	case '-', '*', '+', '•', '–', '—', '→', '·', '▪', '◦', '‣':
		return len(trimmed) > size && trimmed[size] == ' '
	case '(', '[':
		trimmed = trimmed[1:]
	}
	n := 0
	for n < len(trimmed) && n < 3 && (isASCIILetter(trimmed[n]) && n == 0 || trimmed[n] >= '0' && trimmed[n] <= '9') {
		n++
	}
	if n == 0 || n >= len(trimmed) {
		return false
	}
	switch trimmed[n] {
	case '.', ')', ']':
		return n+1 < len(trimmed) && trimmed[n+1] == ' '
	}
	return bytes.HasPrefix(trimmed[n:], []byte("\ufe0f\u20e3")) // 1️⃣
}

func beginsLower(trimmed []byte) bool {
	r, _ := utf8.DecodeRune(trimmed)
	return unicode.IsLower(r)
}
