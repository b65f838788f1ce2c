package autonomy

import (
	"bytes"
	"cmp"
	"slices"
)

// Answer is what a model said in one turn.
type Answer struct {
	Text string
	// ToolCalls are the names of the tools that the answer calls. An answer that
	// calls one goes on by itself, whatever it says beside it.
	ToolCalls []string
	// Task is what the model was told to do. It tells a letter that asks from a
	// model that asks. Empty is fine.
	Task string
}

// Span is a part of a text: bytes from Start up to End.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Reason is one thing in an answer that speaks for or against its asking.
type Reason struct {
	Feature Feature `json:"feature"`
	Span    Span    `json:"span"`
	Weight  float64 `json:"weight"` // how sure that alone makes it, 0 to 1
}

// Verdict is what the analyzer holds of an answer.
type Verdict struct {
	Asking     bool     `json:"asking"`     // Confidence has reached the threshold
	Confidence float64  `json:"confidence"` // that the answer stops to ask a person, 0 to 1
	Reasons    []Reason `json:"reasons"`    // the weightiest first, at most eight
	Topic      Topic    `json:"topic"`      // what only a person may settle; None where the model may
	Likely     string   `json:"likely"`     // what it would likely do if told yes; may be empty
}

// Analyzer judges answers. It keeps nothing of them, and may be used by many
// goroutines at once.
type Analyzer struct {
	threshold float64
	phrases   *phrases
	learnt    *weights
}

// NewAnalyzer makes an analyzer. Detection may be nil: then the built-in phrases
// and the threshold of 0.8 hold.
func NewAnalyzer(d *Detection) (*Analyzer, error) {
	if d == nil {
		d = &Detection{}
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	table := builtIn()
	if len(d.Patterns) > 0 {
		table = builtInAnd(d.Patterns)
	}
	return &Analyzer{threshold: orElse(d.Threshold, DefaultThreshold), phrases: table, learnt: learnt()}, nil
}

// maxReasons bounds what a verdict tells: a page of questions needs no list of all.
const maxReasons = 8

// Judge says whether an answer stops to ask. Its time grows linearly with the text.
func (a *Analyzer) Judge(answer Answer) Verdict {
	if slices.ContainsFunc(answer.ToolCalls, callsAPerson) {
		return Verdict{Reasons: []Reason{{Feature: CallsAPerson}}, Topic: None}
	}
	r := readings.Get().(*reading)
	defer r.release()
	return a.judge(r, answer)
}

func (a *Analyzer) judge(r *reading, answer Answer) Verdict {
	a.read(r, answer)
	v := a.weigh(r)
	v.Asking = v.Confidence >= a.threshold
	if len(v.Reasons) > 0 && v.Reasons[0].Weight >= worthALook {
		a.tell(&v, r, answer)
	}
	return v
}

// weigh finds how sure it is that an answer asks, and by which sentences.
func (a *Analyzer) weigh(r *reading) Verdict {
	w := a.learnt
	whole := max(leastOfWhole, w.bias+w.sum(r.whole(r.traits[:0], r.masked)))
	alone, worth := slices.Grow(r.alone[:0], len(r.all))[:len(r.all)], w.sumFor(worthALook)
	r.alone = alone
	reasons := r.reasons[:0]
	for i := range r.all {
		feature, ruled := r.ruled(i)
		alone[i] = w.sum(r.traitsOf(i))
		if r.all[i].own {
			alone[i] = w.sumFor(ruled) - whole
		}
		if feature == "" && alone[i]+whole >= worth {
			feature = Wording
		}
		if feature != "" {
			reasons = append(reasons, Reason{feature, r.all[i].Span, w.confidence(alone[i] + whole)})
		}
	}
	slices.SortStableFunc(reasons, func(a, b Reason) int { return cmp.Compare(b.Weight, a.Weight) })
	r.reasons = reasons
	told := append([]Reason{}, reasons[:min(len(reasons), maxReasons)]...) // not nil: it is told as JSON
	return Verdict{Confidence: w.confidence(whole + together(alone)), Reasons: told, Topic: None}
}

// tell adds what an answer is about, and what it would do.
func (a *Analyzer) tell(v *Verdict, r *reading, answer Answer) {
	at := v.Reasons[0].Span
	v.Topic = a.topicOf(&r.pieces, answer, at)
	v.Likely = a.likely(r, at)
	if v.Topic == None { // an option, or a plan, further away
		v.Topic = topicIn(a.phrases, v.Likely)
	}
}

// callsAPerson knows the tools by which an agent asks as it should.
func callsAPerson(tool string) bool {
	switch tool {
	case "request_human", "request_human_intervention", "REQUEST_HUMAN_INTERVENTION", "handoff_start":
		return true
	}
	return false
}

// wordsToArtefact is how many words may stand between "write" and "letter": to
// create a script that sends an e-mail is not to write one.
const wordsToArtefact = 3

// composing is whether the task is to write something that asks.
func (a *Analyzer) composing(task string) bool {
	if task == "" {
		return false
	}
	masked := mask(nil, task)
	for _, s := range sentences(nil, masked) {
		if a.composes(normalise(nil, masked[s.Start:s.End])) {
			return true
		}
	}
	return false
}

// composes is whether a sentence has the two words near each other, in any order.
func (a *Analyzer) composes(b []byte) bool {
	var verb, thing Span // the last ones
	found := false
	a.phrases.find(b, tokens(nil, b), func(c class, start, end int) {
		if c.has(compose) {
			verb = Span{start, end}
		}
		if c.has(artefact) {
			thing = Span{start, end}
		}
		if c.has(compose|artefact) && verb.End > 0 && thing.End > 0 {
			from, to := min(verb.End, thing.End), max(verb.Start, thing.Start)
			found = found || from >= to || bytes.Count(b[from:to], []byte(" ")) <= wordsToArtefact+1
		}
	})
	return found
}
