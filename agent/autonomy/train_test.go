package autonomy

import (
	"math"
	"math/rand/v2"
)

// How the weights are learnt. All of it was chosen by what it does for hands that
// are left out (hands_test.go), and by nothing else.
const (
	rounds     = 20   // through all examples; the mean of the second half is kept
	stepSize   = 0.12 // of AdaGrad
	shrink     = 3e-3 // towards nothing, with each step
	seldom     = 3    // what fewer examples have is not learnt
	leftOut    = 0.4  // of the hashed traits of an example, by chance, so that none relies on another
	contrasted = 0.7  // how much the lessons of contrast count
	oldHand    = 0.3  // how much the answers count that the phrases were tuned on
	biasStep   = 0.03
	leastShare = 0.01 // of a sentence in its answer, from which on it is moved
	orders     = 3    // of learning, of which the mean is kept: one alone is better or worse by chance

	// askFrom is where precision and recall are about equal on hands left out, of those who
	// wrote answers as they come.
	askFrom = 0.25
)

// example is an answer that weights are learnt from.
type example struct {
	labelled
	hand  int
	bare  bool // a sentence by itself, of which no place is known
	whole []uint32
	parts [][]uint32
	spans []Span
}

// prepare finds the traits of an example.
func (e *example) prepare(a *Analyzer) {
	r := new(reading)
	a.read(r, e.answer())
	if e.bare {
		e.whole = []uint32{traitBare}
		var said []uint32
		for i := range r.all {
			said = wording(said, r.wordsOf(i), bit(r.all[i].question))
			said = r.all[i].said(said)
		}
		if len(said) > 0 {
			e.parts, e.spans = [][]uint32{said}, []Span{r.all[0].Span}
		}
		return
	}
	e.whole = e.private(r.whole(nil, r.masked))
	e.parts, e.spans = nil, nil
	for i := range r.all {
		e.parts = append(e.parts, e.private(append([]uint32(nil), r.traitsOf(i)...)))
		e.spans = append(e.spans, r.all[i].Span)
	}
}

// allTraits are those that are kept, and a named one of its own again for what is a
// lesson of contrast: in these a question mark, or a place, says something else than
// in answers of a usual kind.
const (
	keptTraits = namedTraits + hashedTraits
	allTraits  = keptTraits + namedTraits
)

// private adds to the traits of a lesson of contrast its own ones.
func (e *example) private(traits []uint32) []uint32 {
	if e.hand != contrast {
		return traits
	}
	for _, t := range traits {
		if t < namedTraits {
			traits = append(traits, t+keptTraits)
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

func isHashed(t uint32) bool { return t >= namedTraits && t < keptTraits }

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
		total = max(total, leastOfWhole)
	}
	if len(e.parts) == 0 {
		return total + nothingSaid, nil
	}
	parts := make([]float64, len(e.parts))
	for i, p := range e.parts {
		for _, t := range p {
			parts[i] += l.w[t]
		}
	}
	best := weightiest(make([]float64, 0, mostThatCount), parts)
	top, least := best[0], best[len(best)-1]
	sum := 0.0
	for i, p := range parts {
		if parts[i] = 0; p >= least {
			parts[i] = sameExp(float64(sharpness * (p - top)))
		}
		sum += parts[i]
	}
	for i := range parts {
		parts[i] /= sum
	}
	return total + top + sameLog(sum)/sharpness, parts
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
	switch e.hand {
	case 0:
		gradient *= oldHand
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

// weights rounds what was learnt to what is kept.
func (l *learner) weights() *weights {
	w := &weights{bias: l.bias, from: askFrom}
	w.named, w.step = rounded[int16](l.w[:namedTraits], math.MaxInt16)
	w.hashed, w.scale = rounded[int8](l.w[namedTraits:keptTraits], math.MaxInt8)
	return w
}

// rounded gives numbers in steps, of which the largest number is a given count.
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
	topicWeight = 3 // what a topic that is missed costs, beside one too many
)

// topicExample is a question and what it is about.
type topicExample struct {
	topic  Topic
	traits []uint32
}

func learnTopics(all []topicExample) (t topicWeights) {
	for i, name := range topicsLearnt {
		w, squares := make([]float64, topicTraits), make([]float64, topicTraits)
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
		t[i].bias = bias
		t[i].table, t[i].scale = rounded[int8](w, math.MaxInt8)
	}
	return t
}

// topicLesson is one step; it gives that of the bias.
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
