package autonomy

import (
	"bytes"
	"math/bits"
)

// errand is what a task says to a sentence of its answer.
type errand struct {
	verb     uint32 // the word that it begins with
	one, two uint32 // its first stem, and its first two
	asks     bool   // there is a question mark in it
	concepts concepts
}

// heard takes a task apart.
func heard(task []byte, words []token) (t errand) {
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

// asTold appends what the task says to a sentence: to write questions is not to ask.
func (r *reading) asTold(to []uint32, i int, rule uint32) []uint32 {
	s, t := &r.all[i], &r.errand
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

// answered appends what tells a question that the next sentence answers from one that
// somebody has to answer.
func (r *reading) answered(to []uint32, i int) []uint32 {
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
