package detect

import (
	"bytes"
	"math/bits"
	"slices"
	"sync"
)

// reading is an answer that has been cut into sentences, with what is found in each.
type reading struct {
	weighing
	masked  []byte
	lower   []byte // the sentences as they are compared, one behind the other
	ends    []int  // where each of them begins there, and where the last ends
	errand  errand
	words   []token   // of the sentences, one behind the other
	cuts    []int     // where each of them begins in words, and where the last ends
	traits  []uint32  // of the sentence that was looked at last
	alone   []float64 // what each sentence weighs
	reasons []Reason  // for the verdict, before they are cut
	search  search    // for phrases, in the sentence that was looked at last
	pieces  pieces    // of what it is about
}

// readings are used again: else a tenth of the time that it takes to judge goes into
// memory that is thrown away.
var readings = sync.Pool{New: func() any { return new(reading) }}

// mostKept is how long the answer may have been whose room is kept.
const mostKept = 64 << 10

// release forgets the answer, and keeps the room.
func (r *reading) release() {
	if cap(r.masked) > mostKept || cap(r.all) > mostKept/lettersOfSentence {
		return
	}
	clear(r.masked)
	clear(r.lower)
	clear(r.behind) // they point into all
	*r = reading{
		weighing: weighing{all: r.all[:0], behind: r.behind[:0]},
		masked:   r.masked[:0], lower: r.lower[:0], ends: r.ends[:0], words: r.words[:0], cuts: r.cuts[:0],
		traits: r.traits[:0], alone: r.alone[:0], reasons: r.reasons[:0], search: r.search, pieces: r.pieces.cleared(),
	}
	readings.Put(r)
}

// read takes an answer apart. Its time grows linearly with the text.
func (r *reading) read(p *phrases, answer Answer) {
	r.masked = mask(r.masked, answer.Text)
	r.all = sentences(r.all, r.masked)
	r.words, r.cuts = slices.Grow(r.words[:0], len(r.masked)/lettersOfWord), append(r.cuts[:0], 0)
	r.normal()
	language, near := languagesOf(r.words)
	x := lexicons[language]()
	for i := range r.all {
		words := r.wordsOf(i)
		r.all[i].sense = x.senseOf(r.normalOf(i), words)
		r.found(i, r.search.over(p, spokenBy(words, near)))
	}
	r.tools, r.greets = answer.Tools, greets(answer.Text)
	r.task, r.composing = answer.Task != "", composing(p, answer.Task)
	r.compare(answer.Task)
	r.look()
	for i := range r.all {
		r.all[i].rule, r.all[i].ruled = r.sentence(i)
	}
}

// normal makes all sentences as they are compared, and their words.
func (r *reading) normal() {
	b := slices.Grow(r.lower[:0], len(r.masked)+longestRune)
	r.ends = append(r.ends[:0], 0)
	for i := range r.all {
		n := normalise(b[len(b):], r.masked[r.all[i].Start:r.all[i].End])
		b = append(b, n...)
		r.ends = append(r.ends, len(b))
		r.words = tokens(r.words, n)
		r.cuts = append(r.cuts, len(r.words))
	}
	r.lower = b
}

// longestRune is room for what becomes longer in lower case.
const longestRune = 8

// lettersOfWord is about how long a word is with the space behind it, in bytes.
const lettersOfWord = 5

// normalOf is a sentence as it is compared, and wordsOf its words.
func (r *reading) normalOf(i int) []byte { return r.lower[r.ends[i]:r.ends[i+1]] }
func (r *reading) wordsOf(i int) []token { return r.words[r.cuts[i]:r.cuts[i+1]] }

// found marks a sentence with the phrases in it.
func (r *reading) found(i int, by *search) {
	s, normal := &r.all[i], r.normalOf(i)
	s.hit = by.find(normal, r.wordsOf(i), nil)
	s.question = s.question || s.classes.has(q)
	s.length = uint32(bits.Len(uint(bytes.Count(normal, []byte(" ")))))
	if s.question && i >= r.end() {
		r.questions++
	}
}

// maxTask bounds what is compared with the sentences.
const maxTask = 4 << 10

// compare counts the words that a sentence has in common with the task, and with
// the sentence behind it.
func (r *reading) compare(task string) {
	var ofTask, before roots
	if task != "" {
		b := normalise(nil, []byte(task[:min(len(task), maxTask)]))
		words := tokens(nil, b)
		ofTask.collect(words)
		r.errand = heard(b, words)
	}
	for i := range r.all {
		var own roots
		own.collect(r.wordsOf(i))
		if r.task {
			r.all[i].ofTask = own.common(&ofTask)
		}
		if i > 0 && r.all[i-1].paragraph == r.all[i].paragraph {
			r.all[i-1].ofNext = own.common(&before)
		}
		before = own
	}
}
