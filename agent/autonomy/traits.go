package autonomy

import (
	"bytes"
	"math/bits"
)

// Where the named traits begin: 64 classes each, then what is counted.
const (
	traitStated = 0 * 64 // + class, in a statement
	traitAsked  = 1 * 64 // + class, in a question
	traitBegins = 2 * 64 // + class that it begins with
	traitBefore = 3 * 64 // + class of the sentence before
	traitBehind = 4 * 64 // + class of the sentence behind
	traitAnswer = 5 * 64 // + class of the answer as a whole
	traitLast   = 6 * 64 // + class of the last sentence that says something
	traitTools  = 7 * 64 // + class, where a tool is called
	traitRule   = 8 * 64 // + rule, by context
	traitShape  = 12 * 64
	traitWhole  = traitShape + 160
	traitBare   = namedTraits - 1 // a sentence that was taught by itself
)

// ruleNumbers are those of the features that the rules of weigh.go find.
var ruleNumbers = map[Feature]uint32{
	Question: 1, Consequence: 2, OpenQuestion: 3, Rhetorical: 4, Heading: 5, Request: 6,
	Waiting: 7, Offer: 8, Menu: 9, Closing: 10,
}

// classesAt appends a trait for each class.
func classesAt(to []uint32, at uint32, c class) []uint32 {
	for x := uint64(c); x != 0; x &= x - 1 {
		to = append(to, at+uint32(bits.TrailingZeros64(x)))
	}
	return to
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func upTo(n, most int) uint32 { return uint32(min(n, most)) }

// said appends what the phrases have found in a sentence, and each two of them.
func (s *sentence) said(to []uint32) []uint32 {
	asked := bit(s.question)
	at := uint32(traitStated)
	if s.question {
		at = traitAsked
	}
	to = classesAt(to, at, s.classes)
	to = classesAt(to, traitBegins, s.begins)
	for x := uint64(s.classes); x != 0; x &= x - 1 {
		k := uint32(bits.TrailingZeros64(x))
		for y := x & (x - 1); y != 0; y &= y - 1 {
			to = append(to, hashed(k<<8|uint32(bits.TrailingZeros64(y))<<1|asked, kindClasses))
		}
	}
	return to
}

// around appends what stands beside a sentence.
func (w *weighing) around(to []uint32, i int) []uint32 {
	if w.tools {
		to = classesAt(to, traitTools, w.all[i].classes)
	}
	if i > 0 {
		to = classesAt(to, traitBefore, w.all[i-1].classes)
	}
	if i+1 < len(w.all) {
		to = classesAt(to, traitBehind, w.all[i+1].classes)
	}
	return to
}

// means appends what a sentence and its neighbours speak of.
func (w *weighing) means(to []uint32, i int) []uint32 {
	s, n, asked := &w.all[i], &conceptNumbers, bit(w.all[i].question)
	whole := bit(w.tools)<<3 | bit(w.anywhere.has(finished))<<2 | bit(w.anywhere.has(halt))<<1 | asked
	own, beside := &n.own[asked], &n.whole[whole]
	for x := uint64(s.sense.all); x != 0; x &= x - 1 {
		k := bits.TrailingZeros64(x) & 63
		to = append(to, own[k], n.anywhere[k], beside[k])
	}
	to = conceptsAt(to, &n.denied, s.denied)
	if i > 0 {
		to = conceptsAt(to, &n.before, w.all[i-1].sense.all)
	}
	if i+1 < len(w.all) {
		to = conceptsAt(to, &n.behind[asked], w.all[i+1].sense.all)
	}
	return to
}

// eachConcept is a trait for each concept.
type eachConcept [64]uint32

// conceptNumbers are made once: a sentence speaks of half a dozen, and so do its neighbours.
var conceptNumbers = func() (n struct {
	own, behind              [2]eachConcept // by whether it is a question
	whole                    [16]eachConcept
	anywhere, denied, before eachConcept
}) {
	for k := range uint32(len(conceptNames)) {
		n.anywhere[k], n.denied[k], n.before[k] = hashed(k, kindConceptAnywhere), hashed(k, kindConceptDenied), hashed(k, kindConceptBefore)
		for asked := range uint32(2) {
			n.own[asked][k], n.behind[asked][k] = hashed(k, kindConcept+asked), hashed(k<<1|asked, kindConceptBehind)
		}
		for whole := range uint32(16) {
			n.whole[whole][k] = hashed(k<<4|whole, kindConceptWhole)
		}
	}
	return n
}()

// conceptsAt appends a trait for each concept.
func conceptsAt(to []uint32, n *eachConcept, c concepts) []uint32 {
	for x := uint64(c); x != 0; x &= x - 1 {
		to = append(to, n[bits.TrailingZeros64(x)&63])
	}
	return to
}

// placed appends what the rules make of a sentence, by its number, and where it stands.
func (w *weighing) placed(to []uint32, i int, r uint32) []uint32 {
	s := &w.all[i]
	tools, composing, overlap := bit(w.tools), bit(w.composing), upTo(s.ofTask, 3)
	end := upTo(len(w.all)-1-i, 3)
	last := bit(i == w.last) + 2*bit(i > w.last)
	to = append(to,
		traitRule+r, traitRule+16+r*2+tools, traitRule+48+r*2+composing,
		traitRule+80+r*4+end, traitRule+144+r*3+last, traitRule+192+r*4+overlap,
		hashed(r<<8|end<<4|tools<<2|composing, kindRule),
		hashed(r<<8|last<<4|bit(w.anywhere.has(finished))<<2|bit(w.anywhere.has(halt)), kindPlace))
	return to
}

// shape appends what a sentence looks like, each trait once for questions and once
// for what is none.
func (w *weighing) shape(to []uint32, i int, masked []byte) []uint32 {
	s, b, asked := &w.all[i], &w.behind[i], bit(w.all[i].question)
	text := masked[s.Start:s.End]
	for _, x := range [...]uint32{
		uint32(s.kind), 3 + bit(s.bold), 5 + bit(s.lettered), 7 + upTo(len(w.all)-1-i, 3),
		11 + bit(i == w.last) + 2*bit(i > w.last), 14 + bit(i == 0), 16 + bit(len(w.all) == 1), 18 + bit(w.inLastParagraph(i)),
		20 + min(s.length, 7), 28 + bit(b.nothing), 30 + bit(b.acts), 32 + bit(b.acted), 34 + bit(b.follower == nil),
		36 + bit(w.endsInList(i)), 38 + bit(text[len(text)-1] == ':'), 40 + bit(bytes.IndexByte(text, held) >= 0),
		42 + bit(w.tools), 44 + bit(w.composing), 46 + bit(w.greets), 48 + bit(w.anywhere.has(finished)), 50 + bit(w.anywhere.has(halt)),
		52 + upTo(s.ofTask, 3), 56 + bit(w.states), 58 + bit(w.task), 60 + upTo(s.ofNext, 3), 64 + bit(speaks(text)),
		66 + bit(w.questions == 1), 68 + bit(i > 0 && w.all[i-1].question), 70 + bit(i+1 < len(w.all) && w.all[i+1].question),
		72 + bit(s.framed), 74 + bit(s.framed && w.composing), 76 + bit(s.framed && w.task),
	} {
		to = append(to, traitShape+x*2+asked)
	}
	return to
}

// longestName is that of somebody whose words follow a colon.
const longestName = 16

// speaks is whether a line begins with a name and a colon.
func speaks(b []byte) bool {
	at := bytes.IndexByte(b[:min(len(b), longestName)], ':')
	return at > 0 && bytes.Count(b[:at], []byte(" ")) < 2 && at+1 < len(b)
}

// whole appends what is known of the answer as a whole.
func (w *weighing) whole(to []uint32, masked []byte) []uint32 {
	to = classesAt(to, traitAnswer, w.anywhere)
	if w.last >= 0 {
		to = classesAt(to, traitLast, w.all[w.last].classes)
	}
	items, end := 0, w.all[w.end():]
	for i := range end {
		if end[i].kind == item {
			items++
		}
	}
	if len(end) < len(w.all) {
		masked = masked[end[0].Start:]
	}
	blank := bytes.Count(masked, []byte(" ")) + bytes.Count(masked, []byte("\n"))
	questions, tools := upTo(w.questions, 4), bit(w.tools)
	return append(to,
		traitWhole+questions, traitWhole+5+upTo(bits.Len(uint(items)), 4), traitWhole+10+upTo(bits.Len(uint(len(end))), 6),
		traitWhole+17+tools, traitWhole+19+bit(w.composing)+2*bit(w.task), traitWhole+23+bit(w.greets),
		traitWhole+25+uint32(8*blank/(len(masked)+1)), traitWhole+34+tools*5+questions)
}
