package detect

import (
	"bytes"
	"math/bits"
)

// A sentence is passed to the weights as numbers: below NamedTraits what
// has a name (traits.go), above them words and their neighbours, hashed.
const (
	NamedTraits  = 1024
	hashBits     = 17 // more of them gained nothing on annotators who were left out
	HashedTraits = 1 << hashBits
)

// Kinds of hashed traits: the same word is something else as a question's first one.
const (
	kindWord     = 1 // + 1 in a question
	kindPair     = 4
	kindFour     = 6
	kindStem     = 7
	kindClasses  = 20
	kindRule     = 21
	kindPlace    = 22
	kindFollows  = 30 // + twice the words, + 1 after a question
	kindLength   = 50
	kindTask     = 60
	kindTaskRule = 62
	kindTopic    = 70

	kindConcept         = 80 // + 1 in a question
	kindConceptAnywhere = 82
	kindConceptBefore   = 90
	kindConceptAfter    = 91
	kindConceptDenied   = 93
	kindConceptWhole    = 94 // together with what is known of the answer
	kindTaskConcept     = 144
	kindTaskConceptRule = 145
	kindTaskStem        = 146
	kindTaskTwo         = 147
	kindTaskAsks        = 148
	kindTaskAsksRule    = 149
	kindReply           = 150
	kindReplyLength     = 151
	kindReplyAsks       = 152
	kindReplyTwo        = 153
	kindReplied         = 154
	kindReplyClasses    = 156
	kindStems           = 161
	kindBegins          = 174 // + 1 in a question
)

// Where the named traits begin: 64 classes each, then what is counted.
const (
	traitStated = 0 * 64 // + class, in a statement
	traitAsked  = 1 * 64 // + class, in a question
	traitBegins = 2 * 64 // + class that it begins with
	traitBefore = 3 * 64 // + class of the sentence before
	traitAfter  = 4 * 64 // + class of the sentence after
	traitAnswer = 5 * 64 // + class of the answer as a whole
	traitLast   = 6 * 64 // + class of the last sentence that is no closing
	traitTools  = 7 * 64 // + class, where a tool is called
	traitRule   = 8 * 64 // + rule, by context
	traitShape  = 12 * 64
	traitWhole  = traitShape + 160
	BareTrait   = NamedTraits - 1 // a sentence that was taught alone
)

// ruleNumbers are those of the features that the rules find.
var ruleNumbers = map[string]uint32{
	Question: 1, Consequence: 2, OpenQuestion: 3, Rhetorical: 4, Heading: 5, Request: 6,
	Waiting: 7, Offer: 8, Menu: 9, Closing: 10,
}

// traitsOf returns all that is known of a sentence. They are good until the next call.
func (r *reading) traitsOf(i int) []uint32 {
	s := &r.all[i]
	rule := uint32(0)
	if s.rule != "" {
		rule = ruleNumbers[s.rule]
	}
	to := appendWording(r.traits[:0], r.wordsOf(i), bit(s.question))
	if i+1 < len(r.all) && r.all[i+1].paragraph == s.paragraph {
		to = appendNextBeginning(to, r.wordsOf(i+1), bit(s.question), r.all[i+1].length)
	}
	to = s.appendClasses(to)
	to = r.appendReply(to, i)
	to = r.appendConcepts(to, i)
	to = r.appendNeighbours(to, i)
	to = r.appendRule(to, i, rule)
	to = r.appendTask(to, i, rule)
	r.traits = r.appendShape(to, i, r.masked)
	return r.traits
}

// hashed returns the number of a trait of a kind.
func hashed(a, kind uint32) uint32 {
	h := a*0x9E3779B1 ^ (kind+0x7F4A7C15)*0x85EBCA6B
	h ^= h >> 15
	h *= 0xC2B2AE35
	return NamedTraits + h>>(32-hashBits)
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

// appendClasses appends what the phrases have found in a sentence, and each two of them.
func (s *sentence) appendClasses(to []uint32) []uint32 {
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

// appendNeighbours appends what stands next to a sentence.
func (w *weighing) appendNeighbours(to []uint32, i int) []uint32 {
	if w.tools {
		to = classesAt(to, traitTools, w.all[i].classes)
	}
	if i > 0 {
		to = classesAt(to, traitBefore, w.all[i-1].classes)
	}
	if i+1 < len(w.all) {
		to = classesAt(to, traitAfter, w.all[i+1].classes)
	}
	return to
}

// appendConcepts appends what a sentence and its neighbours speak of.
func (w *weighing) appendConcepts(to []uint32, i int) []uint32 {
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
		to = conceptsAt(to, &n.after[asked], w.all[i+1].sense.all)
	}
	return to
}

// eachConcept is a trait for each concept.
type eachConcept [64]uint32

// conceptNumbers are made once: a sentence speaks of half a dozen, and so do its neighbours.
var conceptNumbers = func() (n struct {
	own, after               [2]eachConcept // by whether it is a question
	whole                    [16]eachConcept
	anywhere, denied, before eachConcept
}) {
	for k := range uint32(len(conceptNames)) {
		n.anywhere[k], n.denied[k], n.before[k] = hashed(k, kindConceptAnywhere), hashed(k, kindConceptDenied), hashed(k, kindConceptBefore)
		for asked := range uint32(2) {
			n.own[asked][k], n.after[asked][k] = hashed(k, kindConcept+asked), hashed(k<<1|asked, kindConceptAfter)
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

// appendRule appends what the rules make of a sentence, by its number, and where it stands.
func (w *weighing) appendRule(to []uint32, i int, r uint32) []uint32 {
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

// appendShape appends what a sentence looks like, each trait once for questions and once
// for what is none.
func (w *weighing) appendShape(to []uint32, i int, masked []byte) []uint32 {
	s, b, asked := &w.all[i], &w.after[i], bit(w.all[i].question)
	text := masked[s.Start:s.End]
	for _, x := range [...]uint32{
		uint32(s.kind), 3 + bit(s.bold), 5 + bit(s.lettered), 7 + upTo(len(w.all)-1-i, 3),
		11 + bit(i == w.last) + 2*bit(i > w.last), 14 + bit(i == 0), 16 + bit(len(w.all) == 1), 18 + bit(w.inLastParagraph(i)),
		20 + min(s.length, 7), 28 + bit(b.nothing), 30 + bit(b.acts), 32 + bit(b.acted), 34 + bit(b.follower == nil),
		36 + bit(w.endsInList(i)), 38 + bit(text[len(text)-1] == ':'), 40 + bit(bytes.IndexByte(text, blanked) >= 0),
		42 + bit(w.tools), 44 + bit(w.composing), 46 + bit(w.greets), 48 + bit(w.anywhere.has(finished)), 50 + bit(w.anywhere.has(halt)),
		52 + upTo(s.ofTask, 3), 56 + bit(w.states), 58 + bit(w.task), 60 + upTo(s.ofNext, 3), 64 + bit(speaks(text)),
		66 + bit(w.questions == 1), 68 + bit(i > 0 && w.all[i-1].question), 70 + bit(i+1 < len(w.all) && w.all[i+1].question),
		72 + bit(s.framed), 74 + bit(s.framed && w.composing), 76 + bit(s.framed && w.task),
	} {
		to = append(to, traitShape+x*2+asked)
	}
	return to
}

// maxName bounds a name whose words follow a colon.
const maxName = 16

// speaks reports whether a line begins with a name and a colon.
func speaks(b []byte) bool {
	at := bytes.IndexByte(b[:min(len(b), maxName)], ':')
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

// taskTraits are what a task means for a sentence of its answer.
type taskTraits struct {
	verb     uint32 // the word that it begins with
	one, two uint32 // its first stem, and its first two
	asks     bool   // there is a question mark in it
	concepts concepts
}

// readTask takes a task apart.
func readTask(task []byte, words []token) (t taskTraits) {
	t.asks = bytes.IndexByte(task, '?') >= 0
	t.concepts = lexicons[languageOf(words)]().senseOf(task, words).all
	if len(words) > 0 {
		t.verb = words[0].word
	}
	if len(words) > 1 {
		t.one, t.two = words[0].stem, join(words[0].stem, words[1].stem)
	}
	return t
}

// appendTask appends what the task means for a sentence: to write questions is not to ask.
func (r *reading) appendTask(to []uint32, i int, rule uint32) []uint32 {
	s, t := &r.all[i], &r.taskTraits
	asked := bit(s.question)
	for x := uint64(t.concepts); x != 0; x &= x - 1 {
		k := uint32(bits.TrailingZeros64(x))
		to = append(to, hashed(k<<2|asked<<1|bit(s.kind == item), kindTaskConcept), hashed(k<<8|rule, kindTaskConceptRule))
	}
	if t.verb != 0 {
		to = append(to, hashed(t.verb, kindTask+asked), hashed(t.verb*31+rule, kindTaskRule))
	}
	if t.two != 0 {
		q := bit(t.asks)
		to = append(to, hashed(t.one<<1|asked, kindTaskStem), hashed(t.two<<1|asked, kindTaskTwo),
			hashed(q<<1|asked, kindTaskAsks), hashed(q<<8|rule, kindTaskAsksRule))
	}
	return to
}

// appendReply appends what distinguishes a question that the next sentence answers from one
// that someone has to answer.
func (r *reading) appendReply(to []uint32, i int) []uint32 {
	s := &r.all[i]
	if !s.question || i+1 == len(r.all) {
		return to
	}
	next := &r.all[i+1]
	same := bit(next.paragraph == s.paragraph)
	if q, n := r.wordsOf(i), r.wordsOf(i+1); len(q) > 0 && len(n) > 0 {
		to = append(to, hashed(join(q[0].word, n[0].word)<<1|same, kindReply), hashed(q[0].word<<5|next.length<<1|same, kindReplyLength),
			hashed(join(q[0].word, bit(next.question))<<1|same, kindReplyAsks))
		if len(q) > 1 {
			two := join(q[0].word, q[1].word)
			to = append(to, hashed(join(two, n[0].word)<<1|same, kindReplyTwo), hashed(two<<1|same, kindReplied))
		}
	}
	if same == 0 {
		return to
	}
	for x := uint64(s.classes); x != 0; x &= x - 1 {
		for y := uint64(next.classes); y != 0; y &= y - 1 {
			to = append(to, hashed(uint32(bits.TrailingZeros64(x))<<8|uint32(bits.TrailingZeros64(y)), kindReplyClasses))
		}
	}
	return to
}

// appendWording appends the words of a sentence: each alone, with its
// neighbours, and by how it begins.
func appendWording(to []uint32, words []token, asked uint32) []uint32 {
	one, two, three := uint32(tokenStart), uint32(0), uint32(0) // the words before, the last first
	begins := uint32(hashStart)
	for i := range words {
		t := &words[i]
		if i > 0 && !t.wide {
			to = append(to, hashed(join(words[i-1].stem, t.stem), kindStems))
		}
		if i < wordsOfBeginning {
			begins = join(begins, t.stem)
			to = append(to, hashed(begins, kindBegins+asked))
		}
		to = append(to, hashed(t.word, kindWord+asked), hashed(join(one, t.word), kindPair))
		switch {
		case !t.wide:
			to = append(to, hashed(t.stem, kindStem))
		case three != 0:
			to = append(to, hashed(join(join(join(three, two), one), t.word), kindFour))
		}
		three, two, one = two, one, t.word
	}
	return append(to, hashed(join(one, tokenEnd), kindPair))
}

// wordsOfBeginning is how many stems a sentence is known by.
const wordsOfBeginning = 3

// wordsAfter is how many words of the next sentence are looked at: an answer to a
// question shows in them.
const wordsAfter = 3

// appendNextBeginning appends how the next sentence begins.
func appendNextBeginning(to []uint32, next []token, asked uint32, length uint32) []uint32 {
	h := uint32(hashStart)
	for n := range min(wordsAfter+1, len(next)) {
		h = join(h, next[n].word)
		to = append(to, hashed(h, kindFollows+2*uint32(n+1)+asked))
	}
	return append(to, hashed(length, kindLength+asked))
}
