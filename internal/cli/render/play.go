package render

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
	"github.com/go-reprise/reprise/store"
)

// Played is the result of a run as play prints it.
type Played struct {
	Run     string         `json:"run,omitempty"` // empty for a dry run
	Row     int            `json:"row,omitempty"` // of the table of values, from 1
	Outcome store.RunState `json:"outcome"`
	DryRun  bool           `json:"dryRun,omitempty"`
	*replayer.Result
	Proposed   bool                 `json:"proposed"` // a proposal could be accepted
	Accepted   *Saved               `json:"accepted,omitempty"`
	Report     string               `json:"report,omitempty"` // the file of the report
	Resume     string               `json:"resume,omitempty"` // the resume token
	Suggestion *replayer.Suggestion `json:"suggestion,omitempty"`
	Error      *failure.Failure     `json:"error,omitempty"`
}

// Saved is where a document was saved.
type Saved struct {
	Revision int    `json:"revision,omitempty"` // 0 for a file
	Path     string `json:"path,omitempty"`     // empty where the store is not a directory
}

// PlayContext is what the words about a run need besides its result.
type PlayContext struct {
	Document    *automation.Automation
	Until       int    // the number of the last step that was to be played, 0 for all
	Accept      bool   // with --accept
	Stdin       bool   // the document came from standard input
	Name        string // the document in a command line
	Command     string // the command line that plays it again, without values
	SaveLogin   string // the command line that saves its login again
	PageOpen    bool   // the page stays open after a failure
	NothingLeft bool   // earlier attempts had done all steps
}

// Write writes the result of a run that ended well to out, and what else there is to know to notes.
func (p *Played) Write(out io.Writer, s Style, notes io.Writer, noteStyle Style, c PlayContext) error {
	how := fmt.Sprintf("in %s, at %s", Duration(time.Duration(p.Duration)), p.URL)
	if c.NothingLeft {
		how = "as you say: nothing was left to play"
	}
	done := "done"
	switch {
	case p.DryRun:
		done = "done, without what it would commit to"
	case c.Until > 0 && c.Until < len(c.Document.Steps):
		done = fmt.Sprintf("done up to step %d", c.Until)
	}
	_, err := fmt.Fprintf(out, "%s %s is %s %s\n", s.Green("✓"), Label(p.Name, p.Account), done, how)
	if _, also := io.WriteString(out, p.downloads()); err == nil {
		err = also
	}
	if p.Seed != 0 {
		fmt.Fprintf(notes, "The hand was that of --seed %d\n", p.Seed)
	}
	if p.Report != "" {
		fmt.Fprintf(notes, "The report is %s\n", p.Report)
	}
	if drift := p.drift(noteStyle, c); drift != "" {
		fmt.Fprintln(notes, drift)
	}
	return err
}

// drift describes the steps that have drifted, and what was done or can be done about them.
func (p *Played) drift(s Style, c PlayContext) string {
	drifted := Drifted(p.Drift)
	switch {
	case drifted == "" && c.Accept:
		return "No step has drifted: there is nothing to save."
	case drifted == "":
		return ""
	case !p.Proposed:
		return drifted + " What the page shows of them makes no valid document: record them again."
	case p.Accepted != nil && p.Accepted.Revision > 0:
		return fmt.Sprintf("%s Saved as they are now, as revision %d.", drifted, p.Accepted.Revision)
	case p.Accepted != nil:
		return fmt.Sprintf("%s Saved as they are now, in %s.", drifted, p.Accepted.Path)
	case c.Accept: // the error says why it was not saved
		return ""
	}
	advice := "Play it from a file with --accept to save them as they are now."
	if !c.Stdin {
		advice = "Accept: reprise play " + c.Name + " --accept"
		if p.Run != "" {
			advice = "See: reprise diff " + c.Name + "; accept: reprise play " + c.Name + " --accept"
		}
	}
	return s.Yellow("drift:") + " " + drifted + " " + advice
}

// TakeoverCommand is what a suggestion to play with someone who may take over names.
const TakeoverCommand = "play --takeover"

// WriteFailure writes why a run failed, what is stored of it, and how it can be continued.
func (p *Played) WriteFailure(w io.Writer, s Style, failed *replayer.Error, c PlayContext) {
	Failure(w, s, c.Document, failed)
	line := func(text string) { fmt.Fprintf(w, "  %s\n", text) }
	fmt.Fprint(w, p.downloads())
	if p.Run != "" {
		line(fmt.Sprintf("The record of this run is %s.", p.Run))
	}
	if p.Report != "" {
		line("The report is " + p.Report)
	}
	if p.Run == "" {
		return
	}
	resume := c.Command + " --resume " + p.Run
	switch {
	case failed.Code == replayer.Uncertain:
		line("When you know:")
		line("  " + resume + " --settled done")
		line("  " + resume + " --settled not-done")
	case failed.Resume != "" && c.PageOpen:
		line("The page is still open. To go on in it, with the same values:")
		line("  " + resume)
	case failed.Suggestion != nil && failed.Suggestion.Tool == runner.SaveLoginTool:
		line("Sign in again, and play it once more:")
		line("  " + c.SaveLogin)
	case failed.Code == replayer.Blocked:
		line("Its page is closed. To deal with it there, play it with --headed, or in a browser of yours with --browser:")
		line("  " + c.Command + " --headed")
		if failed.Suggestion != nil && failed.Suggestion.Tool == TakeoverCommand {
			line("or let someone deal with it elsewhere, in a live view:")
			line("  " + c.Command + " --takeover")
		}
	}
}

// Line is one of many runs that has ended, on one line.
func (p *Played) Line() string {
	words := fmt.Sprintf("row %d %s in %s", p.Row, p.Outcome, Duration(time.Duration(p.Duration)))
	if why := p.why(); why != "" {
		words += ", " + why
	}
	return words
}

// why is the failure of a run on one line, "" where it ended well.
func (p *Played) why() string {
	switch {
	case p.Error == nil:
		return ""
	case p.Error.Step != nil:
		return fmt.Sprintf("step %d %s: %s", *p.Error.Step+1, p.Error.Tool, p.Error.Code)
	}
	return p.Error.Code
}

// PlayedMany is the result of many runs.
type PlayedMany struct {
	Runs     []*Played              `json:"runs"` // in the order of the rows
	Count    map[store.RunState]int `json:"count"`
	Unplayed int                    `json:"unplayed,omitempty"` // interrupted before they started
	Duration replayer.Duration      `json:"duration"`
}

// ManyOf counts runs by their outcome; nil are those that have not started.
func ManyOf(all []*Played, took time.Duration) *PlayedMany {
	m := &PlayedMany{Runs: []*Played{}, Count: map[store.RunState]int{}, Duration: replayer.Duration(took)}
	for _, run := range all {
		if run == nil {
			m.Unplayed++
			continue
		}
		m.Runs = append(m.Runs, run)
		m.Count[run.Outcome]++
	}
	return m
}

// Write writes a table of the runs to out, and a summary to notes. command plays them again,
// without values.
func (m *PlayedMany) Write(out, notes io.Writer, s Style, command string) error {
	rows := [][]string{{"#", "ROW", "OUTCOME", "TIME", "STEPS", "RUN", "WHY"}}
	for i, run := range m.Runs {
		rows = append(rows, []string{
			strconv.Itoa(i + 1), strconv.Itoa(run.Row), string(run.Outcome), Duration(time.Duration(run.Duration)), strconv.Itoa(len(run.Steps)), run.Run, run.why(),
		})
	}
	_, err := io.WriteString(out, Table(rows))
	words := fmt.Sprintf("%d of %d done in %s", m.Count[store.Done], len(m.Runs)+m.Unplayed, Duration(time.Duration(m.Duration)))
	if m.Unplayed > 0 {
		words += fmt.Sprintf(", %d were not begun", m.Unplayed)
	}
	fmt.Fprintln(notes, s.Bold(words))
	for _, run := range m.Runs {
		fmt.Fprint(notes, run.downloads())
	}
	for _, run := range m.Runs {
		if run.Error != nil && run.Run != "" {
			fmt.Fprintf(notes, "`reprise runs %s` tells of one that failed.\n", run.Run)
			break
		}
	}
	for _, run := range m.Runs {
		if run.Outcome == store.Uncertain {
			fmt.Fprintf(notes, "Of row %d it is not known what became of what it sent. When you know: %s --resume %s --settled done (or not-done), with its values.\n",
				run.Row, command, run.Run)
		}
	}
	return err
}

// PlayedOf returns the result of a run from its record, as if it had been played here.
func PlayedOf(r store.Run) *Played {
	result := &replayer.Result{Run: r.ID, Name: r.Automation, Account: r.Account, Started: r.Started, Steps: []replayer.StepResult{}}
	if !r.Started.IsZero() {
		result.Duration = replayer.Duration(r.Finished.Sub(r.Started))
	}
	for _, s := range r.Steps {
		if s.Outcome == store.StepDone || s.Outcome == store.StepSkipped {
			result.Steps = append(result.Steps, PlayedStep(s))
		}
	}
	for _, d := range r.Downloads {
		result.Downloads = append(result.Downloads, replayer.Download{
			Name: d.Name, Path: d.Path, Size: d.Size, SHA256: d.SHA256, URL: d.URL, Step: d.Step, State: replayer.DownloadState(d.State), Reason: d.Reason,
		})
	}
	p := &Played{Run: r.ID, Outcome: r.State, Result: result, Proposed: r.Proposal != nil, Report: r.Report, Resume: r.Resume}
	if failed := RunError(r); failed != nil {
		p.Error = failure.Ptr(failed)
	}
	return p
}

// WriteQueuedFailure writes why a run failed that a worker has played. name is its document in a
// command line.
func WriteQueuedFailure(w io.Writer, s Style, doc *automation.Automation, r store.Run, name string) {
	Failure(w, s, doc, RunError(r))
	fmt.Fprintf(w, "  The record of this run is %s.\n", r.ID)
	if r.State == store.Uncertain {
		fmt.Fprintf(w, "  When you know:\n    reprise play %s --resume %s --settled done\n    and the same with not-done, which does it now\n", name, r.ID)
	}
}

// downloads has a line for each file that was downloaded.
func (p *Played) downloads() string {
	var all []store.Download
	for _, d := range p.Downloads {
		all = append(all, store.Download{Name: d.Name, Path: d.Path, Size: d.Size, State: string(d.State), Reason: d.Reason})
	}
	return Downloads(all)
}

// Downloads has a line for each file that was downloaded.
func Downloads(all []store.Download) string {
	var b strings.Builder
	for _, d := range all {
		fmt.Fprintf(&b, "  %s\n", Downloaded(d))
	}
	return b.String()
}

// Downloaded describes a file that was downloaded.
func Downloaded(d store.Download) string {
	if d.Path == "" {
		return fmt.Sprintf("%s was not saved (%s): %s", d.Name, d.State, d.Reason)
	}
	return fmt.Sprintf("downloaded %s (%d bytes)", d.Path, d.Size)
}

// PlayedStep returns the result of a step from its record.
func PlayedStep(s store.RunStep) replayer.StepResult {
	var path selectors.Path
	if s.Selector != "" {
		path, _ = selectors.ParsePath(strings.Split(s.Selector, " >>> ")...) // as it is printed; left out where it is none
	}
	var inner []replayer.StepResult
	for _, one := range s.Steps {
		inner = append(inner, PlayedStep(one))
	}
	return replayer.StepResult{
		Steps: inner, Index: s.Index, Tool: s.Tool, Intent: s.Intent, Effect: s.Effect, Selector: path, Matched: s.Matched, Drift: s.Drift,
		Skipped: s.Skipped, Duration: replayer.Duration(s.Duration),
	}
}

// RunError returns why a run failed from its record, nil where it ended well.
func RunError(r store.Run) *replayer.Error {
	if r.State == store.Done {
		return nil
	}
	e := &replayer.Error{Code: replayer.Code(r.Code), Step: -1, Reason: r.Reason, Resume: r.Resume}
	i := slices.IndexFunc(r.Steps, func(s store.RunStep) bool { return s.Outcome == store.StepFailed || s.Outcome == store.StepUncertain })
	if i >= 0 {
		s := r.Steps[i]
		e.Step, e.Tool, e.Intent = s.Index, s.Tool, s.Intent
		for _, c := range s.Considered {
			e.Considered = append(e.Considered, replayer.Candidate(c))
		}
	}
	return e
}

// Label names a document, with its account.
func Label(name, account string) string {
	if account == "" {
		return name
	}
	return name + " for " + account
}
