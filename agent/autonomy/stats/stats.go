// Package stats holds what a guard of an agent's answers has counted. It is apart from
// package autonomy, so that a program that records the counts, but has no guard, does not
// link the guard's phrases and weights.
package stats

// Counts are what a guard has counted. They hold nothing of the texts.
type Counts struct {
	Answers     int            `json:"answers"`
	Asking      int            `json:"asking"`
	Continued   int            `json:"continued"`          // asked to go on; in log mode, would have been
	NeedsPerson int            `json:"needs_person"`       // handed to the caller
	Reported    int            `json:"reported"`           // ended there
	Features    map[string]int `json:"features,omitempty"` // by autonomy.Feature
	Topics      map[string]int `json:"topics,omitempty"`   // by autonomy.Topic
	LogOnly     bool           `json:"log_only,omitempty"`
}
