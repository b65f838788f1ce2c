package autonomy

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Topic is what an answer asks about, where only a person may settle it.
type Topic string

// The topics. What is none of them the model may be told to settle by itself.
const (
	None        Topic = "none"
	Payment     Topic = "payment"     // money is spent
	Credentials Topic = "credentials" // a password, a code, a key, a sign-in
	Consent     Topic = "consent"     // terms, permissions, signatures, declarations
	Destructive Topic = "destructive" // what is lost cannot be had again
)

// reachOfTopic is how far around a question its topic is looked for, in bytes: a
// few sentences. It is wide on purpose. A topic too many calls a person who was
// not needed; one too few spends somebody's money.
const reachOfTopic = 600

// topicOf looks at the sentence that asks first, then around it. Code and
// quotations count here: what is to be run is often both. Where the phrases say
// nothing, what was learnt does.
func (a *Analyzer) topicOf(s *pieces, answer Answer, at Span) Topic {
	if topic := s.take(a.phrases, answer.Text[at.Start:at.End]); topic != None {
		return topic
	}
	near := around(answer.Text, at)
	if topic := s.take(a.phrases, answer.Text[near.Start:near.End]); topic != None {
		return topic
	}
	s.take(a.phrases, answer.Task[:min(len(answer.Task), longestTask)])
	return a.learnt.topics.of(s.traits)
}

// around is a span and what stands near it.
func around(text string, at Span) Span {
	from, to := max(0, at.Start-reachOfTopic), min(len(text), at.End+reachOfTopic)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return Span{from, to}
}

// topicIn is the topic that most phrases of a text speak of.
func topicIn(p *phrases, text string) Topic {
	return new(pieces).take(p, text)
}

// mostly is the topic that most phrases of a normalised text speak of, and all of
// their classes. Among equals, the topic that can less be made good comes first.
func (p *phrases) mostly(b []byte, words []token) (Topic, class) {
	ordered := [...]struct {
		class class
		topic Topic
		count int
	}{{destructive, Destructive, 0}, {payment, Payment, 0}, {consent, Consent, 0}, {credentials, Credentials, 0}}
	var all class
	p.find(b, words, func(c class, _, _ int) {
		all |= c
		for i := range ordered {
			if c.has(ordered[i].class) {
				ordered[i].count++
			}
		}
	})
	topic, most := None, 0
	for _, t := range ordered {
		if t.count > most {
			topic, most = t.topic, t.count
		}
	}
	return topic, all
}

// longestLikely bounds what is told, in bytes.
const longestLikely = 160

// likely is what the answer would do if it were told yes: what it offers in the
// sentence that asks, or the first of the options that it lets a person choose from.
func (a *Analyzer) likely(r *reading, at Span) string {
	i := slices.IndexFunc(r.all, func(s sentence) bool { return s.Span == at })
	if i < 0 {
		return ""
	}
	if offered := a.offered(r, i); offered != "" {
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

// offered is what stands behind "shall I" and its like.
func (a *Analyzer) offered(r *reading, i int) string {
	b := r.normalOf(i)
	behind, weaker := -1, -1
	a.phrases.find(b, r.wordsOf(i), func(c class, _, end int) {
		switch {
		case c.has(offer):
			behind = max(behind, end)
		case c.has(would):
			weaker = max(weaker, end)
		}
	})
	if offered := upToCondition(b, behind); offered != "" {
		return offered
	}
	return upToCondition(b, weaker)
}

// upToCondition is what stands behind a place, up to "if you" and its like.
func upToCondition(b []byte, behind int) string {
	if behind < 0 {
		return ""
	}
	rest := string(b[behind:])
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
	if len(s) > longestLikely {
		s = s[:longestLikely]
		for len(s) > 0 && !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
	}
	return s
}
