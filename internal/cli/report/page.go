package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

//go:embed page.html
var pageText string

//go:embed page.css
var styleText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Run is what a page shows.
type Run struct {
	Document *automation.Automation
	Record   *store.Run
	URL      string          // where it ended
	Failed   *replayer.Error // nil where it ended well
	Album    *Album          // nil for no pictures
}

// Page makes the page that shows a run. The steps of its record are given their places
// in the page as evidence.
func Page(r Run) ([]byte, error) {
	view := page{
		Style: template.CSS(styleText), Policy: policy(),
		Name: r.Document.Name, Description: r.Document.Description, Outcome: outcomeOf(r.Record.State), Facts: facts(r),
	}
	for i := range r.Record.Steps {
		s := r.step(&r.Record.Steps[i])
		view.Steps = append(view.Steps, s)
	}
	view.Timeline = timeline(view.Steps)
	if r.Failed != nil {
		view.Failure = failure(r)
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, view)
	return b.Bytes(), err
}

// policy is what the page may do: nothing but show what is in it, in its own style.
func policy() string {
	sum := sha256.Sum256([]byte(styleText))
	return "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

type page struct {
	Style       template.CSS
	Policy      string
	Name        string
	Description string
	Outcome     chip
	Facts       []fact
	Timeline    []mark
	Failure     *failed
	Steps       []step
}

// chip is a word that stands out, and the kind of its colour.
type chip struct{ Word, Kind string }

type fact struct{ Name, Value string }

// outcomeOf describes a state.
func outcomeOf(state store.RunState) chip {
	switch state {
	case store.Done:
		return chip{"Done", "good"}
	case store.Failed:
		return chip{"Failed", "bad"}
	case store.Uncertain:
		return chip{"Uncertain", "odd"}
	case store.Cancelled:
		return chip{"Cancelled", "odd"}
	}
	return chip{string(state), "odd"}
}

func facts(r Run) []fact {
	account := cmp.Or(r.Record.PlayedFor, r.Record.Account)
	if account == "" {
		account = "any"
	}
	all := []fact{
		{"Account", account},
		{"Began", r.Record.Started.Local().Format("2 January 2006, 15:04:05 MST")},
		{"Took", render.Duration(r.Record.Finished.Sub(r.Record.Started))},
		{"Steps", fmt.Sprintf("%d of %d", len(r.Record.Steps), len(r.Document.Steps))},
		{"Ended at", r.URL},
	}
	if r.Record.Revision > 0 {
		all = append(all, fact{"Revision", fmt.Sprint(r.Record.Revision)})
	}
	for _, d := range r.Record.Downloads {
		all = append(all, fact{"Download", render.Downloaded(d)})
	}
	return append(all, fact{"Run", r.Record.ID})
}

// failed is why a run did not end well.
type failed struct {
	Title, Code, Reason string
	Tried               []tried
	Closest             []replayer.Candidate
	Advice              string
	Resume              bool
	Picture             *Picture
}

type tried struct{ Selector, Found string }

func failure(r Run) *failed {
	e := r.Failed
	f := &failed{Title: "It could not begin", Code: string(e.Code), Reason: e.Reason, Advice: strings.ReplaceAll(render.Advice(e.Code), "\n", " "), Closest: e.Considered, Resume: e.Resume != ""}
	if e.Step >= 0 && e.Step < len(r.Document.Steps) {
		f.Title = fmt.Sprintf("Step %d: %s", e.Step+1, render.Title(r.Document.Steps[e.Step]))
	}
	for _, t := range e.Tried {
		f.Tried = append(f.Tried, tried{t.Selector.String(), render.Found(t)})
	}
	if e.Picture != nil {
		f.Picture, _ = shrink(e.Picture) // without one there is still the reason
	}
	return f
}

// mark is a step in the timeline: where it stands and how wide, in thousandths.
type mark struct {
	Step  *step
	X, W  int
	Words string
}

// whole is the width of the timeline, and narrowest of a step in it.
const whole, narrowest = 1000, 6

// timeline lays the steps out by how long they took.
func timeline(steps []step) []mark {
	var all time.Duration
	for _, s := range steps {
		all += s.took
	}
	room := whole - narrowest*len(steps)
	if room < 0 || all <= 0 {
		return nil
	}
	var marks []mark
	at := 0
	for i := range steps {
		width := narrowest + int(time.Duration(room)*steps[i].took/all)
		marks = append(marks, mark{Step: &steps[i], X: at, W: width - 2, Words: fmt.Sprintf("%d. %s: %s", steps[i].Number, steps[i].Title, steps[i].Took)})
		at += width
	}
	return marks
}
