package detect

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"
)

// The topics that only a person may decide; package autonomy describes them.
const (
	None        = "none"
	Payment     = "payment"
	Credentials = "credentials"
	Consent     = "consent"
	Destructive = "destructive"
)

// TopicOf is the topic that most phrases of a few words speak of.
func TopicOf(words string) string { return topicIn(builtIn(), words) }

func topicIn(p *phrases, text string) string { return new(pieces).take(p, text) }

// reachOfTopic is how far around a question its topic is looked for, in bytes: a
// few sentences. It is wide on purpose. A topic too many calls a person who was
// not needed; one too few spends the user's money.
const reachOfTopic = 600

// topicOf looks at the sentence that asks first, then around it. Code and
// quotations count here: what is to be run is often both. Where no phrase decides,
// the learnt weights do.
func (d *Detector) topicOf(s *pieces, answer Answer, question Span) string {
	if topic := s.take(d.phrases, answer.Text[question.Start:question.End]); topic != None {
		return topic
	}
	near := around(answer.Text, question)
	if topic := s.take(d.phrases, answer.Text[near.Start:near.End]); topic != None {
		return topic
	}
	s.take(d.phrases, answer.Task[:min(len(answer.Task), maxTask)])
	return d.weights.Topics.of(s.traits)
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

// pieces are texts that are looked through for a topic, one after the other: a question,
// its surroundings, its task.
type pieces struct {
	n      uint32 // how many were
	raw    []byte // the last
	normal []byte
	words  []token
	traits []uint32 // of all
}

// take adds the traits of a piece, and returns the topic that most of its phrases speak of.
func (s *pieces) take(p *phrases, text string) string {
	s.raw = append(s.raw[:0], text...)
	s.normal = normalise(s.normal, s.raw)
	s.words = tokens(s.words[:0], s.normal)
	topic, classes := p.topicOfMost(s.normal, s.words)
	kind := kindTopic + 4*s.n
	for x := uint64(classes); x != 0; x &= x - 1 {
		s.traits = append(s.traits, topicTrait(uint32(bits.TrailingZeros64(x)), kind))
	}
	for i := range s.words {
		s.traits = append(s.traits, topicTrait(s.words[i].word, kind+1), topicTrait(s.words[i].stem, kind+2))
	}
	s.n++
	return topic
}

// cleared returns the room of what was looked through, without the texts.
func (s *pieces) cleared() pieces {
	clear(s.raw)
	clear(s.normal)
	return pieces{raw: s.raw[:0], normal: s.normal[:0], words: s.words[:0], traits: s.traits[:0]}
}

// topicOfMost is the topic that most phrases of a normalised text speak of, and all of
// their classes. Of equals, the topic that is harder to make good comes first.
func (p *phrases) topicOfMost(b []byte, words []token) (string, class) {
	ordered := [...]struct {
		class class
		topic string
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

// TopicNames are in the order of their tables.
var TopicNames = [...]string{Payment, Credentials, Consent, Destructive}

const (
	topicBits    = 14 // a single word says more about a topic, so that few are needed
	TopicTraits  = 1 << topicBits
	topicFrom    = -1.5 // wide on purpose, see reachOfTopic
	sizeOfTopics = len(TopicNames) * (8 + TopicTraits)
)

// TopicWeights say how much each trait speaks for each topic.
type TopicWeights [len(TopicNames)]struct {
	Bias, Scale float64
	Table       []int8
}

func (t *TopicWeights) encode(to []byte) []byte {
	for i := range t {
		for _, v := range []float64{t[i].Bias, t[i].Scale} {
			to = binary.LittleEndian.AppendUint32(to, math.Float32bits(float32(v)))
		}
		for _, v := range t[i].Table {
			to = append(to, byte(v))
		}
	}
	return to
}

func (t *TopicWeights) decode(b []byte) {
	for i := range t {
		t[i].Bias = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		t[i].Scale = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4:])))
		t[i].Table, b = signed(b[8:], TopicTraits)
	}
}

// of is the topic that weighs most, if any weighs enough.
func (t *TopicWeights) of(traits []uint32) string {
	topic, most := None, topicFrom
	for i, name := range TopicNames {
		sum := 0
		for _, x := range traits {
			sum += int(t[i].Table[x])
		}
		if w := t[i].Bias + t[i].Scale*float64(sum); w > most {
			topic, most = name, w
		}
	}
	return topic
}

// topicTrait is the number of a trait of a kind.
func topicTrait(a, kind uint32) uint32 {
	return (hashed(a, kind) - NamedTraits) >> (hashBits - topicBits)
}
