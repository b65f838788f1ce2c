package autonomy

import (
	"encoding/binary"
	"math"
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

// piece is a text that is looked through for topics.
type piece struct {
	words   []token
	classes class
	topic   Topic // that most phrases speak of
}

func (p *phrases) piece(text string) piece {
	b := normalise(nil, []byte(text))
	topic, classes := p.mostly(b)
	return piece{tokens(make([]token, 0, len(b)/lettersOfWord), b), classes, topic}
}

// usualTopicTraits is how many a question of thirty words has.
const usualTopicTraits = 512

// traitsOfTopic gives what a question, its surroundings and its task say of a topic.
func traitsOfTopic(pieces ...piece) []uint32 {
	out := make([]uint32, 0, usualTopicTraits)
	for i, p := range pieces {
		kind := kindTopic + 4*uint32(i)
		for _, c := range classesAt(nil, 0, p.classes) {
			out = append(out, topicTrait(c, kind))
		}
		for _, t := range p.words {
			out = append(out, topicTrait(t.word, kind+1), topicTrait(t.stem, kind+2))
		}
	}
	return out
}

// topicTrait gives the number of a trait of a kind.
func topicTrait(a, kind uint32) uint32 {
	return (hashed(a, kind) - namedTraits) >> (hashBits - topicBits)
}
