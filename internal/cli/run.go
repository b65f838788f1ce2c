package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

// keptRun is a run as runs --json tells it.
type keptRun struct {
	ID         string              `json:"id"`
	Automation string              `json:"automation,omitempty"`
	Account    string              `json:"account,omitempty"`
	Revision   int                 `json:"revision,omitempty"`
	State      store.RunState      `json:"state,omitempty"`
	Lost       bool                `json:"lost,omitempty"` // it ended without a word
	Code       string              `json:"code,omitempty"`
	Reason     string              `json:"reason,omitempty"`
	Started    time.Time           `json:"started,omitzero"`
	Finished   time.Time           `json:"finished,omitzero"`
	Report     string              `json:"report,omitempty"`
	Resume     string              `json:"resume,omitempty"`
	Process    *store.Process      `json:"process,omitempty"`
	Steps      []keptStep          `json:"steps,omitempty"`
	Drift      []store.Drift       `json:"drift,omitempty"`
	Sent       []render.SentCommit `json:"sent,omitempty"`
	Guard      *store.GuardCounts  `json:"guard,omitempty"`
	Error      *failure            `json:"error,omitempty"` // why it cannot be read
}

// keptStep is one of its steps.
type keptStep struct {
	Index    int               `json:"index"`
	Tool     string            `json:"tool"`
	Intent   string            `json:"intent,omitempty"`
	Outcome  store.Outcome     `json:"outcome"`
	Effect   automation.Effect `json:"effect,omitempty"`
	Selector string            `json:"selector,omitempty"`
	Matched  int               `json:"matched,omitempty"`
	Drift    float64           `json:"drift,omitempty"`
	Skipped  string            `json:"skipped,omitempty"`
	Code     string            `json:"code,omitempty"`
	Started  time.Time         `json:"started,omitzero"`
	Duration string            `json:"duration"`
	Evidence []string          `json:"evidence,omitempty"`
	Steps    []keptStep        `json:"steps,omitempty"` // of the automation that it played
}

func keptRunOf(r store.RunSummary, lost bool) keptRun {
	k := keptRun{
		ID: r.ID, Automation: r.Automation, Account: r.Account, Revision: r.Revision, State: r.State, Lost: lost,
		Code: r.Code, Reason: r.Reason, Started: r.Started, Finished: r.Finished, Report: r.Report, Resume: r.Resume,
		Process: r.Process, Drift: r.Drift, Guard: r.Guard, Steps: keptSteps(r.Steps),
	}
	if r.Err != nil {
		f := describe(r.Err)
		k.Error = &f
	}
	return k
}

func keptSteps(steps []store.RunStep) []keptStep {
	var kept []keptStep
	for _, s := range steps {
		kept = append(kept, keptStep{
			Index: s.Index, Tool: s.Tool, Intent: s.Intent, Outcome: s.Outcome, Effect: s.Effect, Selector: s.Selector, Matched: s.Matched,
			Drift: s.Drift, Skipped: s.Skipped, Code: s.Code, Started: s.Started, Duration: s.Duration.String(), Evidence: s.Evidence,
			Steps: keptSteps(s.Steps),
		})
	}
	return kept
}

// showRun tells of one run.
func (a *app) showRun(ctx context.Context, kept store.Store, run store.Run) error {
	sent, err := kept.Commits().Sent(ctx, run.ID)
	if err != nil {
		return err
	}
	run, lost, err := runner.Current(ctx, kept.Commits(), run)
	if err != nil {
		return err
	}
	k := keptRunOf(store.RunSummary{Run: run}, lost)
	k.Sent = render.SentCommits(sent)
	if a.json {
		return a.printJSON(k)
	}
	return render.Run(a.stdout, render.StyleOf(a.stdout), run, k.Lost, k.Sent)
}

// openReport shows the report of a run in the person's browser, and says where it is.
func (a *app) openReport(ctx context.Context, run store.Run) error {
	if run.Report == "" {
		return fmt.Errorf("run %s has no report: play with --report DIR", run.ID)
	}
	if _, err := os.Stat(run.Report); err != nil {
		return fmt.Errorf("the report of run %s is no longer there: %w", run.ID, err)
	}
	if a.json {
		return a.printJSON(map[string]string{"report": run.Report})
	}
	if _, err := fmt.Fprintln(a.stdout, run.Report); err != nil {
		return err
	}
	if opener := openerOf(runtime.GOOS, os.Getenv); opener != "" {
		if err := exec.CommandContext(ctx, opener, run.Report).Run(); err != nil {
			a.say("It cannot be opened from here: open it in a browser.")
		}
	}
	return nil
}

// openerOf is the program that opens a file as a person would, "" where there is no
// screen to open it on.
func openerOf(system string, env func(string) string) string {
	switch {
	case system == "darwin":
		return "open"
	case env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != "":
		return "xdg-open"
	}
	return ""
}

// endedLine tells of a run that has ended.
func endedLine(style render.Style, run store.Run) string {
	mark, why := style.Green("✓"), ""
	if run.State != store.Done {
		mark, why = style.Red("✗"), ": "+run.Reason
	}
	return fmt.Sprintf("%s %s  %s is %s after %s%s", mark, style.Dim(run.ID), label(run.Automation, run.Account),
		render.RunState(run.State, false), render.Took(run.Started, run.Finished), why)
}
