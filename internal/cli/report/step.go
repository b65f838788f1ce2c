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
	Does    string // as the document says it
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

func (r Run) step(kept *store.RunStep) step {
	s := step{
		Number: kept.Index + 1, Title: kept.Tool, Outcome: stepOutcome(kept.Outcome), Effect: effect(kept.Effect),
		Skipped: kept.Skipped, Took: render.Duration(kept.Duration), took: kept.Duration,
		Before: r.Album.at(kept.Index, false), After: r.Album.at(kept.Index, true),
	}
	if kept.Index < len(r.Document.Steps) {
		s.Title, s.Does = render.Title(r.Document.Steps[kept.Index]), render.Step(r.Document.Steps[kept.Index])
	}
	if kept.Selector != "" {
		s.Found = render.FoundBy(kept.Matched, kept.Selector)
		s.Sure, s.Drifted = r.sure(kept)
	}
	if s.Before != nil && s.Before.Element == nil && s.After != nil {
		s.Before = nil // it shows what the step before it left
	}
	kept.Evidence = s.evidence()
	s.Inner = innerSteps(kept.Steps, fmt.Sprint(s.Number))
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

// sure says how far the element is from what was recorded.
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
