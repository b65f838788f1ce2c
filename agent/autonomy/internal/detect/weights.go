package detect

import (
	_ "embed" // of the weights
	"encoding/binary"
	"errors"
	"math"
	"sync"
)

// The weights were learnt in agent/autonomy/lab: `make guard-model` makes them again, byte
// by byte.
//
//go:embed weights.bin
var weightsFile []byte

// Weights say how much each trait speaks for an answer's asking.
type Weights struct {
	Bias   float64
	From   float64 // the sum from which on an answer asks
	Named  []int16
	Step   float64 // of Named
	Hashed []int8
	Scale  float64 // of Hashed
	Topics TopicWeights
}

var learnt = sync.OnceValue(func() *Weights {
	w, err := decodeWeights(weightsFile)
	if err != nil {
		panic(err) // they are part of the program
	}
	return w
})

const weightsMagic = 0x52475731

// headOfWeights is what stands before the tables, in numbers of 32 bits.
const headOfWeights = 5

// Encode lays the weights out: the head, two bytes for each named trait, one for each hashed.
func (w *Weights) Encode() []byte {
	to := binary.LittleEndian.AppendUint32(nil, weightsMagic)
	for _, v := range []float64{w.Bias, w.From, w.Step, w.Scale} {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(float32(v)))
	}
	for _, v := range w.Named {
		to = binary.LittleEndian.AppendUint16(to, uint16(v))
	}
	for _, v := range w.Hashed {
		to = append(to, byte(v))
	}
	return w.Topics.encode(to)
}

func decodeWeights(b []byte) (*Weights, error) {
	if len(b) != 4*headOfWeights+2*NamedTraits+HashedTraits+sizeOfTopics || binary.LittleEndian.Uint32(b) != weightsMagic {
		return nil, errors.New("weights.bin is not what agent/autonomy/lab writes: run make guard-model")
	}
	number := func(i int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))) }
	w := &Weights{Bias: number(1), From: number(2), Step: number(3), Scale: number(4)}
	b = b[4*headOfWeights:]
	for i := range NamedTraits {
		w.Named = append(w.Named, int16(binary.LittleEndian.Uint16(b[2*i:])))
	}
	w.Hashed, b = signed(b[2*NamedTraits:], HashedTraits)
	w.Topics.decode(b)
	return w, nil
}

// signed reads n bytes as numbers, and returns the rest.
func signed(b []byte, n int) ([]int8, []byte) {
	out := make([]int8, n)
	for i := range out {
		out[i] = int8(b[i])
	}
	return out, b[n:]
}

// sum is what traits weigh together.
func (w *Weights) sum(traits []uint32) float64 {
	named, hashed := 0, 0
	for _, t := range traits {
		if t < NamedTraits {
			named += int(w.Named[t])
		} else {
			hashed += int(w.Hashed[t-NamedTraits])
		}
	}
	return float64(w.Step*float64(named)) + float64(w.Scale*float64(hashed))
}

// Sharpness is how much of the confidence comes from the sentence that weighs most:
// with 0 all would count alike, with infinity that one alone.
const Sharpness = 0.5

// NothingSaid is what an answer without a sentence weighs.
const NothingSaid = -4

// LeastOfWhole is the least that an answer weighs as a whole: what it reports cannot outweigh a
// sentence that plainly asks. Of short answers that ask one in a hundred weighs less.
const LeastOfWhole = -4

// MaxSentences is how many sentences count together: else a long answer would ask by its
// length.
const MaxSentences = 8

// together is what sentences weigh as one: a little more than the Weightiest.
func together(weights []float64) float64 {
	var room [MaxSentences]float64
	top := Weightiest(room[:0], weights)
	if len(top) == 0 {
		return NothingSaid
	}
	sum := 0.0
	for _, w := range top {
		sum += exp(float64(Sharpness * (w - top[0])))
	}
	return top[0] + math.Log(sum)/Sharpness
}

// Weightiest returns as many weights as there is room for, the greatest first.
func Weightiest(to, weights []float64) []float64 {
	for _, w := range weights {
		if len(to) < cap(to) {
			to = append(to, w)
		} else if w > to[len(to)-1] {
			to[len(to)-1] = w
		} else {
			continue
		}
		for i := len(to) - 1; i > 0 && to[i] > to[i-1]; i-- {
			to[i], to[i-1] = to[i-1], to[i]
		}
	}
	return to
}

// surest is the most that is ever claimed: about as many alarms are right on answers
// by annotators whom nothing was learnt from.
const surest = 0.92

// oddsAsking are those of the usual threshold, as a logarithm.
var oddsAsking = math.Log(DefaultThreshold / (surest - DefaultThreshold))

// confidence is how sure a sum makes it.
// At that from which on an answer asks it is the usual threshold.
func (w *Weights) confidence(sum float64) float64 {
	return surest * logistic(sum-w.From+oddsAsking)
}

// sumFor is the sum that makes it that sure.
func (w *Weights) sumFor(confidence float64) float64 {
	c := max(least, min(surest-least, confidence))
	return w.From - oddsAsking + math.Log(c/(surest-c))
}

// least makes a sum finite.
const least = 0.01

func logistic(x float64) float64 { return 1 / (1 + exp(-x)) }

func exp(x float64) float64 { return math.Exp(max(-60, min(60, x))) }
