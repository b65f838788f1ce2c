// Package detect finds out whether a language model's answer stops to ask a person.
//
// What is not the model's own word is blanked (mask.go), the rest is cut into sentences
// (sentence.go) and words (words.go). Each sentence is searched for phrases (phrases.go)
// and for words of known meaning (concepts.go), in the languages that it may be in
// (language.go). Rules (rules.go) name what a sentence does: it asks, waits, offers, closes.
// All of that becomes traits (traits.go), whose learnt weights (weights.go) say how sure it
// is that the answer asks, and about what (topics.go). The weights are learnt in
// agent/autonomy/lab, which is a module of its own.
package detect

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Answer is a model's answer in one turn.
type Answer struct {
	Text  string
	Tools bool   // it calls a tool
	Task  string // what the model was to do, or ""
}

// Span is a part of a text: bytes from Start up to End.
type Span struct{ Start, End int }

// Reason is one sentence that speaks for or against an answer's asking.
type Reason struct {
	Feature string
	Span    Span
	Weight  float64 // how sure that alone makes it, 0 to 1
}

// Result is what was found out about an answer.
type Result struct {
	Confidence float64  // that it asks, 0 to 1
	Reasons    []Reason // the weightiest first, at most maxReasons; not nil
	Topic      string
	Likely     string // what the model would likely do if the answer were yes; may be empty
}

// Detector may be used by many goroutines at once.
type Detector struct {
	phrases *phrases
	weights *Weights
}

// New returns a detector with the built-in phrases and weights, and phrases of a program's
// own by class, which may be nil.
func New(own map[string][]string) *Detector {
	d := &Detector{builtIn(), learnt()}
	if len(own) > 0 {
		d.phrases = builtInAnd(own)
	}
	return d
}

// DefaultThreshold is the confidence from which on an answer is held to ask: there precision
// and recall are about equal on answers of annotators who were left out.
const DefaultThreshold = 0.8

// maxReasons bounds a result: a page of questions needs no list of all.
const maxReasons = 8

// Detect judges an answer. Its time grows linearly with the text.
func (d *Detector) Detect(answer Answer) Result {
	r := readings.Get().(*reading)
	defer r.release()
	return d.detect(r, answer)
}

func (d *Detector) detect(r *reading, answer Answer) Result {
	r.read(d.phrases, answer)
	result := d.weigh(r)
	if len(result.Reasons) == 0 || result.Reasons[0].Weight < worthALook {
		return result
	}
	at := result.Reasons[0].Span
	result.Topic = d.topicOf(&r.pieces, answer, at)
	result.Likely = r.likely(d.phrases, at)
	if result.Topic == None { // an option, or a plan, further away
		result.Topic = topicIn(d.phrases, result.Likely)
	}
	return result
}

// weigh finds how sure it is that an answer asks, and by which sentences.
func (d *Detector) weigh(r *reading) Result {
	w := d.weights
	whole := max(LeastOfWhole, w.Bias+w.sum(r.whole(r.traits[:0], r.masked)))
	alone, worth := slices.Grow(r.alone[:0], len(r.all))[:len(r.all)], w.sumFor(worthALook)
	r.alone = alone
	reasons := r.reasons[:0]
	for i := range r.all {
		feature, ruled := r.ruled(i)
		alone[i] = w.sum(r.traitsOf(i))
		if r.all[i].own {
			alone[i] = w.sumFor(ruled) - whole
		}
		if feature == "" && alone[i]+whole >= worth {
			feature = Wording
		}
		if feature != "" {
			reasons = append(reasons, Reason{feature, r.all[i].Span, w.confidence(alone[i] + whole)})
		}
	}
	slices.SortStableFunc(reasons, func(a, b Reason) int { return cmp.Compare(b.Weight, a.Weight) })
	r.reasons = reasons
	first := append([]Reason{}, reasons[:min(len(reasons), maxReasons)]...)
	return Result{Confidence: w.confidence(whole + together(alone)), Reasons: first, Topic: None}
}

// reading is an answer that has been cut into sentences, with what is found in each.
type reading struct {
	weighing
	masked     []byte
	lower      []byte // the sentences as they are compared, one after the other
	ends       []int  // where each of them begins there, and where the last ends
	taskTraits taskTraits
	words      []token   // of the sentences, one after the other
	cuts       []int     // where each of them begins in words, and where the last ends
	traits     []uint32  // of the sentence that was looked at last
	alone      []float64 // what each sentence weighs
	reasons    []Reason  // for the verdict, before they are cut
	search     search    // for phrases, in the sentence that was looked at last
	pieces     pieces    // of what it is about
}

// readings are used again: else a tenth of the time that it takes to judge goes into
// memory that is thrown away.
var readings = sync.Pool{New: func() any { return new(reading) }}

// maxReused is how long an answer may have been for its room to be used again.
const maxReused = 64 << 10

// release clears the answer, so that its room can be used again.
func (r *reading) release() {
	if cap(r.masked) > maxReused || cap(r.all) > maxReused/lettersOfSentence {
		return
	}
	clear(r.masked)
	clear(r.lower)
	clear(r.after) // they point into all
	*r = reading{
		weighing: weighing{all: r.all[:0], after: r.after[:0]},
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
		r.match(i, r.search.over(p, spokenBy(words, near)))
	}
	r.tools, r.greets = answer.Tools, greets(answer.Text)
	r.task, r.composing = answer.Task != "", composing(p, answer.Task)
	r.compare(answer.Task)
	r.survey()
	for i := range r.all {
		r.all[i].rule, r.all[i].ruled = r.sentence(i)
	}
}

// normal makes all sentences as they are compared, and their words.
func (r *reading) normal() {
	b := slices.Grow(r.lower[:0], len(r.masked)+maxGrowth)
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

// maxGrowth is room for what becomes longer in lower case.
const maxGrowth = 8

// lettersOfWord is about how long a word is with the space after it, in bytes.
const lettersOfWord = 5

// normalOf is a sentence as it is compared, and wordsOf its words.
func (r *reading) normalOf(i int) []byte { return r.lower[r.ends[i]:r.ends[i+1]] }
func (r *reading) wordsOf(i int) []token { return r.words[r.cuts[i]:r.cuts[i+1]] }

// match marks a sentence with the phrases in it.
func (r *reading) match(i int, by *search) {
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
// the sentence after it.
func (r *reading) compare(task string) {
	var ofTask, before roots
	if task != "" {
		b := normalise(nil, []byte(task[:min(len(task), maxTask)]))
		words := tokens(nil, b)
		ofTask.collect(words)
		r.taskTraits = readTask(b, words)
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

// maxLikely bounds Result.Likely, in bytes.
const maxLikely = 160

// likely is what the model would do if the answer were yes: what it offers in the sentence
// that asks, or the first of the options that it lets a person choose from.
func (r *reading) likely(p *phrases, at Span) string {
	i := slices.IndexFunc(r.all, func(s sentence) bool { return s.Span == at })
	if i < 0 {
		return ""
	}
	if offered := r.offered(p, i); offered != "" {
		return offered
	}
	if r.all[i].kind == item || !r.all[i].classes.has(choice) {
		return ""
	}
	for j := range r.all {
		if s := &r.all[j]; s.kind == item && !s.question {
			return clip(string(r.masked[s.Start:s.End]))
		}
	}
	return ""
}

// offered is what follows "shall I" and its like.
func (r *reading) offered(p *phrases, i int) string {
	b := r.normalOf(i)
	strong, weak := -1, -1 // where what is offered begins
	p.find(b, r.wordsOf(i), func(c class, _, end int) {
		switch {
		case c.has(offer):
			strong = max(strong, end)
		case c.has(would):
			weak = max(weak, end)
		}
	})
	if offered := upToCondition(b, strong); offered != "" {
		return offered
	}
	return upToCondition(b, weak)
}

// upToCondition is what stands from a place on, up to "if you" and its like.
func upToCondition(b []byte, from int) string {
	if from < 0 {
		return ""
	}
	rest := string(b[from:])
	if r, _ := utf8.DecodeRuneInString(rest); inWord(r) && !unspaced(r) {
		return "" // it begins in the middle of a word
	}
	for _, clause := range []string{" if you", " when you", " once you", " as soon as", " whenever you"} {
		rest, _, _ = strings.Cut(rest, clause)
	}
	return clip(rest)
}

// clip makes a phrase of a part of a sentence.
func clip(s string) string {
	s = strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	if len(s) > maxLikely {
		s = s[:maxLikely]
		for len(s) > 0 && !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
	}
	return s
}

// wordsToArtefact is how many words may stand between "write" and "letter": to
// create a script that sends an e-mail is not to write one.
const wordsToArtefact = 3

// composing reports whether the task is to write something that asks.
func composing(p *phrases, task string) bool {
	if task == "" {
		return false
	}
	masked := mask(nil, task)
	for _, s := range sentences(nil, masked) {
		if composes(p, normalise(nil, masked[s.Start:s.End])) {
			return true
		}
	}
	return false
}

// composes reports whether a sentence has the two words near each other, in any order.
func composes(p *phrases, b []byte) bool {
	var verb, thing Span // the last ones
	found := false
	p.find(b, tokens(nil, b), func(c class, start, end int) {
		if c.has(compose) {
			verb = Span{start, end}
		}
		if c.has(artefact) {
			thing = Span{start, end}
		}
		if c.has(compose|artefact) && verb.End > 0 && thing.End > 0 {
			from, to := min(verb.End, thing.End), max(verb.Start, thing.Start)
			found = found || from >= to || bytes.Count(b[from:to], []byte(" ")) <= wordsToArtefact+1
		}
	})
	return found
}
