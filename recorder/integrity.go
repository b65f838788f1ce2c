package recorder

import (
	"fmt"
	"strings"
)

// Integrity says whether all that a person did was heard. Each document numbers
// what it tells; a number that never came is a loss.
type Integrity struct {
	Documents int      // that told anything
	Events    int      // heard
	Lost      []Gap    // events that were not
	Unwatched []string // addresses of frames that could not be recorded
	Missed    []string // addresses of documents that came and went unheard
	Unseen    []string // addresses of documents in which something was typed where no field could be seen
	Faults    []string // failures of the page script, by the kind of event

	// Omitted are steps that could not be kept, as all of them repeats a secret. The
	// others are whole: it is no error.
	Omitted []Omission
}

// Omission is a step that was left out.
type Omission struct {
	After int    // the number of the step before it, from 1; 0 where it was the first
	Tool  string // as in automation.Step
	Why   string
}

func (o Omission) String() string {
	return fmt.Sprintf("%s after step %d was left out: %s", o.Tool, o.After, o.Why)
}

// Gap is a run of events of one document that did not arrive.
type Gap struct {
	URL      string // of the document, without its query
	From, To int    // the first and the last number that is missing
}

// Err is nil when nothing was lost, else an *IntegrityError.
func (i *Integrity) Err() error {
	if len(i.Lost) == 0 && len(i.Unwatched) == 0 && len(i.Missed) == 0 && len(i.Unseen) == 0 && len(i.Faults) == 0 {
		return nil
	}
	return &IntegrityError{Integrity: *i}
}

// IntegrityError says that a recording is not whole.
type IntegrityError struct{ Integrity Integrity }

func (e *IntegrityError) Error() string {
	var parts []string
	for _, gap := range e.Integrity.Lost {
		parts = append(parts, fmt.Sprintf("%d events in %s did not arrive", gap.To-gap.From+1, gap.URL))
	}
	for _, url := range e.Integrity.Unwatched {
		parts = append(parts, fmt.Sprintf("the frame %s could not be watched", url))
	}
	for _, url := range e.Integrity.Missed {
		parts = append(parts, fmt.Sprintf("%s was there too short a time to be heard", url))
	}
	for _, url := range e.Integrity.Unseen {
		parts = append(parts, fmt.Sprintf("in %s something was typed into a field that could not be seen", url))
	}
	for _, fault := range e.Integrity.Faults {
		parts = append(parts, "the page script failed at a "+fault)
	}
	return "the recording is not whole: " + strings.Join(parts, "; ") + ": check the steps, or record again"
}

// document is the count of what one document told.
type document struct {
	url   string
	seen  int // the last number heard
	blind int // fields in closed shadow roots that something was typed into, and that are not known yet
}

// count notes the number of an event, and the gap before it.
func (i *Integrity) count(d *document, seq int) (fresh bool) {
	if seq <= d.seen {
		return false
	}
	if seq > d.seen+1 {
		i.Lost = append(i.Lost, Gap{URL: withoutQuery(d.url), From: d.seen + 1, To: seq - 1})
	}
	d.seen = seq
	i.Events++
	return true
}
