package transfer

import (
	"strconv"

	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
)

// View is a report as copy --json prints it.
type View struct {
	DryRun bool              `json:"dry_run,omitempty"`
	Kinds  map[Kind]KindView `json:"kinds"`
	Error  *failure.Failure  `json:"error,omitempty"` // which interrupted it
}

// KindView is what became of the things of a kind.
type KindView struct {
	Copied      int           `json:"copied"`
	Overwritten int           `json:"overwritten"`
	Same        int           `json:"same"`
	Conflicts   []ProblemView `json:"conflicts"`
	Failed      []ProblemView `json:"failed"`
}

// ProblemView is a thing that was not copied.
type ProblemView struct {
	Name    string          `json:"name"`
	Account string          `json:"account,omitempty"`
	Error   failure.Failure `json:"error"`
}

// View returns the view of a report; interrupted is why the copy ended early, nil where it did not.
func (r Report) View(interrupted error, dryRun bool) View {
	v := View{DryRun: dryRun, Kinds: map[Kind]KindView{}, Error: failure.Ptr(interrupted)}
	for kind, c := range r {
		v.Kinds[kind] = KindView{c.Copied, c.Changed, c.Same, problemViews(c.Left), problemViews(c.Failed)}
	}
	return v
}

func problemViews(all []Problem) []ProblemView {
	list := []ProblemView{}
	for _, p := range all {
		list = append(list, ProblemView{p.Name, p.Account, failure.Of(p.Err)})
	}
	return list
}

// Table has a row for each kind.
func (r Report) Table() string {
	rows := [][]string{{"WHAT", "COPIED", "OVERWRITTEN", "THERE ALREADY", "DIFFERENT", "FAILED"}}
	for _, kind := range Kinds {
		c := r[kind]
		rows = append(rows, []string{
			string(kind), strconv.Itoa(c.Copied), strconv.Itoa(c.Changed), strconv.Itoa(c.Same), strconv.Itoa(len(c.Left)), strconv.Itoa(len(c.Failed)),
		})
	}
	return render.Table(rows)
}
