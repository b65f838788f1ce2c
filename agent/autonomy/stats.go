package autonomy

// Stats are what a guard has seen, for a run's report. They hold nothing of what
// was said.
type Stats struct {
	Answers     int             `json:"answers"`
	Asking      int             `json:"asking"`
	Continued   int             `json:"continued"`    // told to go on; in log mode, would have been
	NeedsPerson int             `json:"needs_person"` // handed to the caller
	Reported    int             `json:"reported"`     // ended there
	Features    map[Feature]int `json:"features,omitempty"`
	Topics      map[Topic]int   `json:"topics,omitempty"`
	Warnings    []Warning       `json:"warnings,omitempty"` // the first hundred
	LogOnly     bool            `json:"log_only,omitempty"`
}

// Warning is an answer that asked.
type Warning struct {
	Answer     int     `json:"answer"` // which one, from 1 on
	Confidence float64 `json:"confidence"`
	Feature    Feature `json:"feature"` // what weighed most
	Span       Span    `json:"span"`
	Topic      Topic   `json:"topic"`
	Action     Action  `json:"action"` // in log mode, what would have been done
}

// mostWarnings bounds a report; the counts go on.
const mostWarnings = 100

// note takes a verdict and what was done about it.
func (s *Stats) note(v Verdict, r Response) {
	s.Answers++
	if !v.Asking {
		return
	}
	s.Asking++
	switch r.Action {
	case Continue:
		s.Continued++
	case NeedsPerson:
		s.NeedsPerson++
	case Report:
		s.Reported++
	}
	if s.Features == nil {
		s.Features, s.Topics = map[Feature]int{}, map[Topic]int{}
	}
	first := v.Reasons[0] // what asks has one
	s.Features[first.Feature]++
	s.Topics[v.Topic]++
	if len(s.Warnings) < mostWarnings {
		s.Warnings = append(s.Warnings, Warning{s.Answers, v.Confidence, first.Feature, first.Span, v.Topic, r.Action})
	}
}
