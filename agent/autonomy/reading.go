package autonomy

import (
	"bytes"
	"math/bits"
)

// reading is an answer that has been cut into sentences, with what is found in each.
type reading struct {
	weighing
	masked []byte
	norm   []byte   // the normalised sentences, one behind the other
	cuts   []int    // where each of them begins in norm, and where the last ends
	traits []uint32 // of the sentence that was looked at last
}

// read takes an answer apart. Its time grows linearly with the text.
func (a *Analyzer) read(answer Answer) *reading {
	r := &reading{masked: mask(answer.Text)}
	r.all = sentences(r.masked)
	r.norm, r.cuts = make([]byte, 0, len(r.masked)), make([]int, 1, len(r.all)+1)
	for i := range r.all {
		r.norm = appendNormal(r.norm, r.masked[r.all[i].Start:r.all[i].End])
		r.cuts = append(r.cuts, len(r.norm))
		r.found(a.phrases, i)
	}
	r.tools, r.greets = len(answer.ToolCalls) > 0, greets(answer.Text)
	r.task, r.composing = answer.Task != "", a.composing(answer.Task)
	r.compare(answer.Task)
	r.look()
	return r
}

// normal is a sentence in lower case; see normalise.
func (r *reading) normal(i int) []byte { return r.norm[r.cuts[i]:r.cuts[i+1]] }

// found marks a sentence with the phrases in it.
func (r *reading) found(p *phrases, i int) {
	s := &r.all[i]
	s.hit = p.find(r.normal(i), nil)
	s.question = s.question || s.classes.has(q)
	s.length = uint32(bits.Len(uint(bytes.Count(r.normal(i), []byte(" ")))))
	if s.question {
		r.questions++
	}
}

// longestTask bounds what is compared with the sentences.
const longestTask = 4 << 10

// compare counts the words that a sentence has in common with the task, and with
// the sentence behind it.
func (r *reading) compare(task string) {
	var ofTask, none, before roots
	told := normalise(nil, []byte(task[:min(len(task), longestTask)]))
	ofTask.collect(told, &none)
	if t, _, ok := nextToken(told, 0); ok {
		r.verb = t.word
	}
	for i := range r.all {
		var own, again roots
		r.all[i].ofTask = own.collect(r.normal(i), &ofTask)
		if i > 0 && r.all[i-1].paragraph == r.all[i].paragraph {
			r.all[i-1].ofNext = again.collect(r.normal(i), &before)
		}
		before = own
	}
}

// traitsOf gives all that is known of a sentence. They are good until the next call.
func (r *reading) traitsOf(i int) []uint32 {
	s := &r.all[i]
	rule, _ := r.sentence(i)
	to := wording(r.traits[:0], r.normal(i), bit(s.question))
	if i+1 < len(r.all) && r.all[i+1].paragraph == s.paragraph {
		to = following(to, r.normal(i+1), bit(s.question), r.all[i+1].length)
	}
	to = s.said(to)
	to = r.around(to, i)
	to = r.placed(to, i, rule)
	r.traits = r.shape(to, i, r.masked)
	return r.traits
}
