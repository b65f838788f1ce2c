package autonomy

import (
	_ "embed" // of the weights
	"encoding/binary"
	"errors"
	"math"
	"sync"
)

// The weights were learnt from the answers in testdata by train_test.go:
// `make guard-model` makes them again, byte by byte.
//
//go:embed weights.bin
var weightsFile []byte

// weights say how much each trait speaks for an answer's asking.
type weights struct {
	bias   float64
	from   float64 // the sum from which on an answer asks
	named  []int16
	step   float64 // of named
	hashed []int8
	scale  float64 // of hashed
	topics topicWeights
}

var learnt = sync.OnceValue(func() *weights {
	w, err := decodeWeights(weightsFile)
	if err != nil {
		panic(err) // they are part of the program
	}
	return w
})

const weightsMagic = 0x52475731

// headOfWeights is what stands before the tables, in numbers of 32 bits.
const headOfWeights = 5

// encode lays the weights out: the head, two bytes for each named trait, one for each hashed.
func (w *weights) encode() []byte {
	to := binary.LittleEndian.AppendUint32(nil, weightsMagic)
	for _, v := range []float64{w.bias, w.from, w.step, w.scale} {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(float32(v)))
	}
	for _, v := range w.named {
		to = binary.LittleEndian.AppendUint16(to, uint16(v))
	}
	for _, v := range w.hashed {
		to = append(to, byte(v))
	}
	return w.topics.encode(to)
}

func decodeWeights(b []byte) (*weights, error) {
	if len(b) != 4*headOfWeights+2*namedTraits+hashedTraits+sizeOfTopics || binary.LittleEndian.Uint32(b) != weightsMagic {
		return nil, errors.New("weights.bin is not what train_test.go writes: run make guard-model")
	}
	number := func(i int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))) }
	w := &weights{bias: number(1), from: number(2), step: number(3), scale: number(4)}
	b = b[4*headOfWeights:]
	for i := range namedTraits {
		w.named = append(w.named, int16(binary.LittleEndian.Uint16(b[2*i:])))
	}
	w.hashed, b = signed(b[2*namedTraits:], hashedTraits)
	w.topics.decode(b)
	return w, nil
}

// signed takes n bytes as numbers, and gives the rest.
func signed(b []byte, n int) ([]int8, []byte) {
	out := make([]int8, n)
	for i := range out {
		out[i] = int8(b[i])
	}
	return out, b[n:]
}

// sum is what traits weigh together.
func (w *weights) sum(traits []uint32) float64 {
	named, hashed := 0, 0
	for _, t := range traits {
		if t < namedTraits {
			named += int(w.named[t])
		} else {
			hashed += int(w.hashed[t-namedTraits])
		}
	}
	return float64(w.step*float64(named)) + float64(w.scale*float64(hashed))
}

// sharpness is how much of the confidence comes from the sentence that weighs most:
// with 0 all would count alike, with infinity that one alone.
const sharpness = 0.5

// nothingSaid is what an answer without a sentence weighs.
const nothingSaid = -4

// leastOfWhole is the least that an answer weighs as a whole: what it reports cannot outweigh a
// sentence that plainly asks. Of short answers that ask one in a hundred weighs less.
const leastOfWhole = -4

// mostThatCount is how many sentences count together: else a long answer would ask by its
// length.
const mostThatCount = 8

// together is what sentences weigh as one: a little more than the weightiest.
func together(weights []float64) float64 {
	var room [mostThatCount]float64
	top := weightiest(room[:0], weights)
	if len(top) == 0 {
		return nothingSaid
	}
	sum := 0.0
	for _, w := range top {
		sum += exp(float64(sharpness * (w - top[0])))
	}
	return top[0] + math.Log(sum)/sharpness
}

// weightiest gives as many weights as there is room for, the greatest first.
func weightiest(to, weights []float64) []float64 {
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
// by hands that nothing was learnt from.
const surest = 0.92

// oddsAsking are those of the usual threshold, as a logarithm.
var oddsAsking = math.Log(DefaultThreshold / (surest - DefaultThreshold))

// confidence is how sure a sum makes it.
// At that from which on an answer asks it is the usual threshold.
func (w *weights) confidence(sum float64) float64 {
	return surest * logistic(sum-w.from+oddsAsking)
}

// sumFor is the sum that makes it that sure.
func (w *weights) sumFor(confidence float64) float64 {
	c := max(least, min(surest-least, confidence))
	return w.from - oddsAsking + math.Log(c/(surest-c))
}

// least keeps a sum finite.
const least = 0.01

func logistic(x float64) float64 { return 1 / (1 + exp(-x)) }

func exp(x float64) float64 { return math.Exp(max(-60, min(60, x))) }
