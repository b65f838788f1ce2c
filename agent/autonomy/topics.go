package autonomy

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// topicsLearnt are in the order of their tables.
var topicsLearnt = [...]Topic{Payment, Credentials, Consent, Destructive}

const (
	topicBits    = 14 // a word says more by itself here, so that few are needed
	topicTraits  = 1 << topicBits
	topicFrom    = -1.5 // wide on purpose, see reachOfTopic
	sizeOfTopics = len(topicsLearnt) * (8 + topicTraits)
)

// topicWeights say how much each trait speaks for each topic.
type topicWeights [len(topicsLearnt)]struct {
	bias, scale float64
	table       []int8
}

func (t *topicWeights) encode(to []byte) []byte {
	for i := range t {
		for _, v := range []float64{t[i].bias, t[i].scale} {
			to = binary.LittleEndian.AppendUint32(to, math.Float32bits(float32(v)))
		}
		for _, v := range t[i].table {
			to = append(to, byte(v))
		}
	}
	return to
}

func (t *topicWeights) decode(b []byte) {
	for i := range t {
		t[i].bias = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		t[i].scale = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4:])))
		t[i].table, b = signed(b[8:], topicTraits)
	}
}

// of is the topic that weighs most, if any weighs enough.
func (t *topicWeights) of(traits []uint32) Topic {
	topic, most := None, topicFrom
	for i, name := range topicsLearnt {
		sum := 0
		for _, x := range traits {
			sum += int(t[i].table[x])
		}
		if w := t[i].bias + t[i].scale*float64(sum); w > most {
			topic, most = name, w
		}
	}
	return topic
}

// pieces are texts that are looked through for a topic, one by one: a question, its
// surroundings, its task.
type pieces struct {
	n      uint32 // how many were
	raw    []byte // the last
	normal []byte
	words  []token
	traits []uint32 // of all
}

// take adds what a piece says of a topic, and gives the one that most of its phrases speak of.
func (s *pieces) take(p *phrases, text string) Topic {
	s.raw = append(s.raw[:0], text...)
	s.normal = normalise(s.normal, s.raw)
	s.words = tokens(s.words[:0], s.normal)
	topic, classes := p.mostly(s.normal, s.words)
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

// forgotten is the room of what was looked through.
func (s *pieces) forgotten() pieces {
	clear(s.raw)
	clear(s.normal)
	return pieces{raw: s.raw[:0], normal: s.normal[:0], words: s.words[:0], traits: s.traits[:0]}
}

// topicTrait gives the number of a trait of a kind.
func topicTrait(a, kind uint32) uint32 {
	return (hashed(a, kind) - namedTraits) >> (hashBits - topicBits)
}
