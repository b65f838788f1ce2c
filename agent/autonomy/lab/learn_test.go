package lab

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-reprise/reprise/agent/autonomy/internal/detect"
)

// How the weights are learnt. All of it was chosen by what it does for annotators
// who are left out (measure_test.go), and by nothing else.
const (
	rounds     = 20   // through all examples; the mean of the second half counts
	stepSize   = 0.12 // of AdaGrad
	shrink     = 3e-3 // towards nothing, with each step
	seldom     = 3    // what fewer examples have is not learnt
	leftOut    = 0.4  // of the hashed traits of an example, by chance, so that none relies on another
	contrasted = 0.7  // how much the lessons of contrast count
	firstShare = 0.3  // how much the answers of the first annotator count, whom the phrases were tuned on
	biasStep   = 0.03
	leastShare = 0.01 // of a sentence in its answer, from which on it is moved
	orders     = 3    // of learning, of which the mean counts: one alone is better or worse by chance

	// askFrom is where precision and recall are about equal on annotators left out, of those who
	// wrote answers as they come.
	askFrom = 0.25
)

// example is an answer that weights are learnt from.
type example struct {
	labelled
	annotator int
	bare      bool // a lone sentence, of which no place is known
	whole     []uint32
	parts     [][]uint32
	spans     []detect.Span
}

// prepare finds the traits of an example.
func (e *example) prepare() {
	if !e.bare {
		whole, parts, spans := detect.TraitsOf(e.answer())
		e.whole, e.parts, e.spans = e.private(whole), parts, spans
		for i := range e.parts {
			e.parts[i] = e.private(e.parts[i])
		}
		return
	}
	e.whole = []uint32{detect.BareTrait}
	if traits, at := detect.TraitsOfWords(e.Text); len(traits) > 0 {
		e.parts, e.spans = [][]uint32{traits}, []detect.Span{at}
	}
}

// allTraits are those that are stored, and a named one of its own again for what is a
// lesson of contrast: in these a question mark, or a place, means something else than
// in answers of a usual kind.
const (
	storedTraits = detect.NamedTraits + detect.HashedTraits
	allTraits    = storedTraits + detect.NamedTraits
)

// private adds to the traits of a lesson of contrast its own ones.
func (e *example) private(traits []uint32) []uint32 {
	if e.annotator != contrast {
		return traits
	}
	for _, t := range traits {
		if t < detect.NamedTraits {
			traits = append(traits, t+storedTraits)
		}
	}
	return traits
}

// thinned is an example without some of its hashed traits.
func (e *example) thinned(random *rand.Rand) *example {
	out := *e
	some := func(traits []uint32) []uint32 {
		to := make([]uint32, 0, len(traits))
		for _, t := range traits {
			if !isHashed(t) || random.Float64() >= leftOut {
				to = append(to, t)
			}
		}
		return to
	}
	out.whole, out.parts = some(e.whole), nil
	for _, p := range e.parts {
		out.parts = append(out.parts, some(p))
	}
	return &out
}

func isHashed(t uint32) bool { return t >= detect.NamedTraits && t < storedTraits }

// learner holds weights while they are learnt.
type learner struct {
	w, squares, mean []float64
	keep             []bool
	bias, meanBias   float64
	rounds           float64
}

// score is what an example weighs now, and what each sentence has to do with it.
func (l *learner) score(e *example) (float64, []float64) {
	total := 0.0
	if !e.bare {
		total = l.bias
	}
	for _, t := range e.whole {
		total += l.w[t]
	}
	if !e.bare {
		total = max(total, detect.LeastOfWhole)
	}
	if len(e.parts) == 0 {
		return total + detect.NothingSaid, nil
	}
	parts := make([]float64, len(e.parts))
	for i, p := range e.parts {
		for _, t := range p {
			parts[i] += l.w[t]
		}
	}
	best := detect.Weightiest(make([]float64, 0, detect.MaxSentences), parts)
	top, least := best[0], best[len(best)-1]
	sum := 0.0
	for i, p := range parts {
		if parts[i] = 0; p >= least {
			parts[i] = sameExp(float64(detect.Sharpness * (p - top)))
		}
		sum += parts[i]
	}
	for i := range parts {
		parts[i] /= sum
	}
	return total + top + sameLog(sum)/detect.Sharpness, parts
}

// move takes a trait one step against a gradient (Duchi, Hazan and Singer, 2011).
// The products are rounded by themselves, so that every machine learns the same.
func (l *learner) move(t uint32, gradient float64) {
	if !l.keep[t] {
		return
	}
	gradient += float64(shrink * l.w[t])
	l.squares[t] += float64(gradient * gradient)
	l.w[t] -= float64(stepSize*gradient) / math.Sqrt(l.squares[t])
}

func (l *learner) learn(e *example) {
	score, shares := l.score(e)
	gradient := 1 / (1 + sameExp(-score))
	if e.Asking {
		gradient--
	}
	switch e.annotator {
	case 0:
		gradient *= firstShare
	case contrast:
		gradient *= contrasted
	}
	for _, t := range e.whole {
		l.move(t, gradient)
	}
	if !e.bare {
		l.bias -= float64(biasStep * gradient)
	}
	for i, p := range e.parts {
		if shares[i] < leastShare {
			continue
		}
		for _, t := range p {
			l.move(t, float64(gradient*shares[i]))
		}
	}
}

// learnAll returns the weights for answers, and then those for topics.
func learnAll(all []*example) *detect.Weights {
	l := learnWeights(all)
	w := l.weights()
	var asked []topicExample
	for _, e := range all {
		if !e.Asking || e.annotator < 0 {
			continue
		}
		_, shares := l.score(e)
		top := 0
		for i := range shares {
			if shares[i] > shares[top] {
				top = i
			}
		}
		if len(e.spans) > 0 {
			asked = append(asked, topicExample{e.Topic, detect.TraitsOfTopic(e.answer(), e.spans[top])})
		}
	}
	w.Topics = learnTopics(asked)
	return w
}

// learnWeights learns from examples; their order does not depend on the machine.
func learnWeights(all []*example) *learner {
	l := &learner{w: make([]float64, allTraits), keep: common(all, allTraits)}
	for order := range uint64(orders) {
		one := learnInOrder(all, l.keep, order+1)
		for i, v := range one.mean {
			l.w[i] += v / (one.rounds * orders)
		}
		l.bias += one.meanBias / (one.rounds * orders)
	}
	return l
}

// learnInOrder goes through the examples again and again, each time in another order.
func learnInOrder(all []*example, keep []bool, seed uint64) *learner {
	l := &learner{w: make([]float64, allTraits), squares: make([]float64, allTraits), mean: make([]float64, allTraits), keep: keep}
	for i := range l.squares {
		l.squares[i] = 1
	}
	random := rand.New(rand.NewPCG(seed, 1))
	order := random.Perm(len(all))
	for round := range rounds {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			l.learn(all[i].thinned(random))
		}
		if round >= rounds/2 {
			l.rounds++
			l.meanBias += l.bias
			for i, v := range l.w {
				l.mean[i] += v
			}
		}
	}
	return l
}

// common marks the traits that enough examples have.
func common(all []*example, n int) []bool {
	count, lastSeen := make([]int, n), make([]int, n)
	for i, e := range all {
		for _, p := range e.parts {
			for _, t := range p {
				if lastSeen[t] != i+1 {
					count[t]++
					lastSeen[t] = i + 1
				}
			}
		}
	}
	keep := make([]bool, n)
	for t := range keep {
		keep[t] = !isHashed(uint32(t)) || count[t] >= seldom
	}
	return keep
}

// weights rounds what was learnt to what is stored.
func (l *learner) weights() *detect.Weights {
	w := &detect.Weights{Bias: l.bias, From: askFrom}
	w.Named, w.Step = rounded[int16](l.w[:detect.NamedTraits], math.MaxInt16)
	w.Hashed, w.Scale = rounded[int8](l.w[detect.NamedTraits:storedTraits], math.MaxInt8)
	return w
}

// rounded returns numbers in steps, of which the largest number is a given count.
func rounded[T int8 | int16](all []float64, steps float64) ([]T, float64) {
	top := 0.0
	for _, v := range all {
		top = max(top, math.Abs(v))
	}
	step := float64(float32(top / steps))
	out := make([]T, len(all))
	for i, v := range all {
		if step > 0 {
			out[i] = T(max(-steps, min(steps, math.Round(v/step))))
		}
	}
	return out, step
}

// sameExp is math.Exp, the same on every machine: that one is not.
func sameExp(x float64) float64 {
	x = max(-60, min(60, x))
	n := math.Round(x / math.Ln2)
	rest := x - float64(n*math.Ln2)
	sum, term := 1.0, 1.0
	for i := 1.0; i < 16; i++ {
		term = float64(term*rest) / i
		sum += term
	}
	return math.Ldexp(sum, int(n))
}

// sameLog is math.Log of what is positive, the same on every machine.
func sameLog(x float64) float64 {
	part, n := math.Frexp(x)
	z := (part - 1) / (part + 1)
	square, term, sum := float64(z*z), z, 0.0
	for i := 1.0; i < 60; i += 2 {
		sum += term / i
		term = float64(term * square)
	}
	return float64(2*sum) + float64(float64(n)*math.Ln2)
}

// How the topics are learnt: each against all others, from what asks.
const (
	topicRounds = 30
	topicStep   = 0.2
	topicShrink = 1e-3
	topicWeight = 3 // what a topic that is missed costs, compared with one too many
)

// topicExample is a question and what it is about.
type topicExample struct {
	topic  string
	traits []uint32
}

func learnTopics(all []topicExample) (t detect.TopicWeights) {
	for i, name := range detect.TopicNames {
		w, squares := make([]float64, detect.TopicTraits), make([]float64, detect.TopicTraits)
		for k := range squares {
			squares[k] = 1
		}
		bias := 0.0
		random := rand.New(rand.NewPCG(1, uint64(i)))
		for range topicRounds {
			for _, x := range random.Perm(len(all)) {
				bias -= topicLesson(w, squares, bias, all[x], all[x].topic == name)
			}
		}
		t[i].Bias = bias
		t[i].Table, t[i].Scale = rounded[int8](w, math.MaxInt8)
	}
	return t
}

// topicLesson is one step; it returns that of the bias.
func topicLesson(w, squares []float64, bias float64, e topicExample, is bool) float64 {
	sum := bias
	for _, t := range e.traits {
		sum += w[t]
	}
	gradient := 1 / (1 + sameExp(-sum))
	if is {
		gradient = float64((gradient - 1) * topicWeight)
	}
	for _, t := range e.traits {
		g := gradient + float64(topicShrink*w[t])
		squares[t] += float64(g * g)
		w[t] -= float64(topicStep*g) / math.Sqrt(squares[t])
	}
	return float64(biasStep * gradient)
}
func TestTheOwnExponentialIsTheExponential(t *testing.T) {
	t.Parallel()
	for x := -59.0; x < 59; x += 0.37 {
		if got, want := sameExp(x), math.Exp(x); math.Abs(got-want) > 1e-12*want {
			t.Errorf("exp(%v) is %v, not %v", x, want, got)
		}
		if y := math.Exp(x / 10); math.Abs(sameLog(y)-x/10) > 1e-12 {
			t.Errorf("log(%v) is %v, not %v", y, x/10, sameLog(y))
		}
	}
}
