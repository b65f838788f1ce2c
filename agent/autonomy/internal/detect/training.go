package detect

import "slices"

// What follows is for agent/autonomy/lab, which learns the weights.

// WithWeights returns a detector with the built-in phrases and other weights.
func WithWeights(w *Weights) *Detector { return &Detector{builtIn(), w} }

// TraitsOf returns the traits of an answer as a whole and of each of its sentences.
func TraitsOf(answer Answer) (whole []uint32, sentences [][]uint32, spans []Span) {
	r := new(reading)
	r.read(builtIn(), answer)
	whole = r.whole(nil, r.masked)
	for i := range r.all {
		sentences = append(sentences, slices.Clone(r.traitsOf(i)))
		spans = append(spans, r.all[i].Span)
	}
	return whole, sentences, spans
}

// TraitsOfWords returns the traits that a sentence has wherever it stands, and where it
// begins and ends.
func TraitsOfWords(text string) (traits []uint32, at Span) {
	r := new(reading)
	r.read(builtIn(), Answer{Text: text})
	for i := range r.all {
		traits = appendWording(traits, r.wordsOf(i), bit(r.all[i].question))
		traits = r.all[i].appendClasses(traits)
	}
	if len(traits) > 0 {
		at = r.all[0].Span
	}
	return traits, at
}

// TraitsOfTopic returns the traits of what an answer asks about, by the sentence that asks.
func TraitsOfTopic(answer Answer, question Span) []uint32 {
	near, s := around(answer.Text, question), pieces{}
	for _, text := range []string{answer.Text[question.Start:question.End], answer.Text[near.Start:near.End], answer.Task} {
		s.take(builtIn(), text)
	}
	return s.traits
}

// OnlyReports reports whether a text holds no question and no sentence that a rule names,
// but polite closings.
func OnlyReports(text string) bool {
	r := new(reading)
	r.read(builtIn(), Answer{Text: text})
	return !slices.ContainsFunc(r.all, func(s sentence) bool { return s.question || s.rule != "" && s.rule != Closing })
}
