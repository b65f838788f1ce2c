package autonomy

import (
	"slices"

	"github.com/go-reprise/reprise/agent/autonomy/internal/detect"
)

// Analyzer judges answers. It stores nothing of them, and may be used by many
// goroutines at once.
type Analyzer struct {
	threshold float64
	detector  *detect.Detector
}

// Answer is a model's answer in one turn.
type Answer struct {
	Text string
	// ToolCalls are the names of the tools that the answer calls. An answer that
	// calls one does not stop, whatever its text says.
	ToolCalls []string
	// Task is what the model was to do. It distinguishes a letter that asks from a
	// model that asks. Empty is fine.
	Task string
}

// Verdict is what the analyzer found out about an answer.
type Verdict struct {
	Asking     bool     `json:"asking"`     // Confidence has reached the threshold
	Confidence float64  `json:"confidence"` // that the answer stops to ask a person, 0 to 1
	Reasons    []Reason `json:"reasons"`    // the weightiest first, at most eight
	Topic      Topic    `json:"topic"`      // what only a person may decide; None where the model may
	Likely     string   `json:"likely"`     // what it would likely do if the answer were yes; may be empty
}

// Reason is one thing in an answer that speaks for or against its asking.
type Reason struct {
	Feature Feature `json:"feature"`
	Span    Span    `json:"span"`
	Weight  float64 `json:"weight"` // how sure that alone makes it, 0 to 1
}

// Span is a part of a text: bytes from Start up to End.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Feature names what in an answer has spoken for or against its asking.
type Feature string

// The features of a verdict's reasons.
const (
	Question     Feature = detect.Question     // put to a person, or with nothing after it
	Consequence  Feature = detect.Consequence  // a question, and what is done if it is answered with yes
	OpenQuestion Feature = detect.OpenQuestion // in the middle, to no one
	Rhetorical   Feature = detect.Rhetorical   // answered, or gone on from, by the model itself
	Heading      Feature = detect.Heading      // a question as a heading, as in a list of questions and answers
	Request      Feature = detect.Request      // for a decision, leave or information, without a question
	Waiting      Feature = detect.Waiting      // states that it waits
	Offer        Feature = detect.Offer        // lets the person decide whether it goes on
	Menu         Feature = detect.Menu         // ends with options
	Closing      Feature = detect.Closing      // polite, after a finished report
	Deliverable  Feature = detect.Deliverable  // the task is to write what asks
	GoesOn       Feature = detect.GoesOn       // a tool is called in the same answer
	Wording      Feature = detect.Wording      // no rule, but words that ask elsewhere
	CallsAPerson Feature = detect.CallsAPerson // by the tool that is there for it
)

// Topic is what an answer asks about, where only a person may decide it.
type Topic string

// The topics. What is none of them the model may decide.
const (
	None        Topic = detect.None
	Payment     Topic = detect.Payment     // money is spent
	Credentials Topic = detect.Credentials // a password, a code, a key, a sign-in
	Consent     Topic = detect.Consent     // terms, permissions, signatures, declarations
	Destructive Topic = detect.Destructive // what is lost cannot be had again
)

// NewAnalyzer returns an analyzer. Detection may be nil: then the built-in phrases
// and the threshold of 0.8 hold.
func NewAnalyzer(d *Detection) (*Analyzer, error) {
	if d == nil {
		d = &Detection{}
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	return &Analyzer{threshold: orElse(d.Threshold, DefaultThreshold), detector: detect.New(d.Patterns)}, nil
}

// personTools are those by which an agent asks as it should.
var personTools = []string{"request_human", "request_human_intervention", "REQUEST_HUMAN_INTERVENTION", "handoff_start"}

// Judge reports whether an answer stops to ask. Its time grows linearly with the text.
func (a *Analyzer) Judge(answer Answer) Verdict {
	if slices.ContainsFunc(answer.ToolCalls, func(tool string) bool { return slices.Contains(personTools, tool) }) {
		return Verdict{Reasons: []Reason{{Feature: CallsAPerson}}, Topic: None}
	}
	r := a.detector.Detect(detect.Answer{Text: answer.Text, Tools: len(answer.ToolCalls) > 0, Task: answer.Task})
	v := Verdict{
		Asking: r.Confidence >= a.threshold, Confidence: r.Confidence,
		Reasons: make([]Reason, len(r.Reasons)), // not nil: JSON has an empty list
		Topic:   Topic(r.Topic), Likely: r.Likely,
	}
	for i, reason := range r.Reasons {
		v.Reasons[i] = Reason{Feature(reason.Feature), Span(reason.Span), reason.Weight}
	}
	return v
}
