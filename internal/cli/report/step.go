package report

import (
	"fmt"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/store"
)

// step is one as the page shows it.
type step struct {
	Number  int
	Title   string
	Does    string // as in the document
	Outcome chip
	Effect  *chip
	Found   string // how its element was found
	Sure    string // and how sure that is
	Drifted bool
	Skipped string
	Took    string
	Before  *Picture
	After   *Picture
	Inner   []innerStep // of the automation that it played

	took time.Duration
}

// ID is the step's place in the page.
func (s step) ID() string { return fmt.Sprintf("step-%d", s.Number) }

func (r Run) step(record *store.RunStep) step {
	s := step{
		Number: record.Index + 1, Title: record.Tool, Outcome: stepOutcome(record.Outcome), Effect: effect(record.Effect),
		Skipped: record.Skipped, Took: render.Duration(record.Duration), took: record.Duration,
		Before: r.Album.at(record.Index, false), After: r.Album.at(record.Index, true),
	}
	if record.Index < len(r.Document.Steps) {
		s.Title, s.Does = render.Title(r.Document.Steps[record.Index]), render.Step(r.Document.Steps[record.Index])
	}
	if record.Selector != "" {
		s.Found = render.FoundBy(record.Matched, record.Selector)
		s.Sure, s.Drifted = r.sure(record)
	}
	if s.Before != nil && s.Before.Element == nil && s.After != nil {
		s.Before = nil // it shows what the step before it left
	}
	record.Evidence = s.evidence()
	s.Inner = innerSteps(record.Steps, fmt.Sprint(s.Number))
	return s
}

// innerStep is a step of an automation that a step has played, as a line.
type innerStep struct{ Number, Tool, Selector, Took, Note string }

func innerSteps(steps []store.RunStep, outer string) []innerStep {
	var all []innerStep
	for _, s := range steps {
		one := innerStep{Number: fmt.Sprintf("%s.%d", outer, s.Index+1), Tool: s.Tool, Selector: s.Selector, Took: render.Duration(s.Duration), Note: s.Intent}
		if s.Skipped != "" {
			one.Note = "skipped: " + s.Skipped
		}
		all = append(append(all, one), innerSteps(s.Steps, one.Number)...)
	}
	return all
}

// evidence are the places of its pictures in the page.
func (s step) evidence() []string {
	var all []string
	if s.Before != nil {
		all = append(all, "#"+s.ID()+"-before")
	}
	if s.After != nil {
		all = append(all, "#"+s.ID()+"-after")
	}
	return all
}

// sure describes how much the element differs from the recorded one.
func (r Run) sure(s *store.RunStep) (words string, drifted bool) {
	for _, d := range r.Record.Drift {
		if d.Step == s.Index {
			return fmt.Sprintf("drift %.2f, confidence %.0f %%", d.Score, 100*render.Confidence(d.Confidence)), true
		}
	}
	if s.Matched != 0 {
		return "otherwise as it was recorded", false
	}
	return "as it was recorded", false
}

func stepOutcome(o store.Outcome) chip {
	switch o {
	case store.StepDone:
		return chip{"done", "good"}
	case store.StepSkipped:
		return chip{"skipped", "dim"}
	case store.StepUncertain:
		return chip{"uncertain", "odd"}
	}
	return chip{string(o), "bad"}
}

func effect(e automation.Effect) *chip {
	switch e {
	case automation.Commit:
		return &chip{"commits", "commit"}
	case automation.Write:
		return &chip{"writes", "write"}
	case automation.Read:
		return &chip{"sends nothing", "read"} // what is typed or looked at has no effect of itself
	}
	return nil
}
