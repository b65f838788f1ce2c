package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// Run is the record of a run as --json prints it.
type Run struct {
	ID         string             `json:"id"`
	Automation string             `json:"automation,omitempty"`
	Account    string             `json:"account,omitempty"`
	Revision   int                `json:"revision,omitempty"`
	State      store.RunState     `json:"state,omitempty"`
	Lost       bool               `json:"lost,omitempty"` // its process died without recording a result
	Code       string             `json:"code,omitempty"`
	Reason     string             `json:"reason,omitempty"`
	Started    time.Time          `json:"started,omitzero"`
	Finished   time.Time          `json:"finished,omitzero"`
	Report     string             `json:"report,omitempty"`
	Resume     string             `json:"resume,omitempty"`
	Process    *store.Process     `json:"process,omitempty"`
	Steps      []RunStep          `json:"steps,omitempty"`
	Drift      []store.Drift      `json:"drift,omitempty"`
	Sent       []SentCommit       `json:"sent,omitempty"`
	Guard      *store.GuardCounts `json:"guard,omitempty"`
	Handoffs   []string           `json:"handoffs,omitempty"` // in which a person had its page
	Downloads  []store.Download   `json:"downloads,omitempty"`
	Error      *failure.Failure   `json:"error,omitempty"` // why it cannot be read
}

// RunStep is one of its steps.
type RunStep struct {
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
	Duration replayer.Duration `json:"duration"`
	Evidence []string          `json:"evidence,omitempty"`
	Steps    []RunStep         `json:"steps,omitempty"` // of the automation that it played
}

// SentCommit is a commit step that was sent, and whether its consequence was seen.
type SentCommit struct {
	Step int  `json:"step"` // index
	Done bool `json:"done"`
}

// RunOf returns the view of a record. lost is a run whose process died without recording a result.
func RunOf(r store.RunSummary, lost bool) Run {
	return Run{
		ID: r.ID, Automation: r.Automation, Account: cmp.Or(r.PlayedFor, r.Account), Revision: r.Revision, State: r.State, Lost: lost,
		Code: r.Code, Reason: r.Reason, Started: r.Started, Finished: r.Finished, Report: r.Report, Resume: r.Resume,
		Process: r.Process, Drift: r.Drift, Guard: r.Guard, Handoffs: r.Handoffs, Downloads: r.Downloads, Steps: runSteps(r.Steps), Error: failure.Ptr(r.Err),
	}
}

func runSteps(steps []store.RunStep) []RunStep {
	var all []RunStep
	for _, s := range steps {
		all = append(all, RunStep{
			Index: s.Index, Tool: s.Tool, Intent: s.Intent, Outcome: s.Outcome, Effect: s.Effect, Selector: s.Selector, Matched: s.Matched,
			Drift: s.Drift, Skipped: s.Skipped, Code: s.Code, Started: s.Started, Duration: replayer.Duration(s.Duration), Evidence: s.Evidence,
			Steps: runSteps(s.Steps),
		})
	}
	return all
}

// WithSent adds what the journal of commits has of the run.
func (r Run) WithSent(sent map[int]bool) Run {
	for _, step := range slices.Sorted(maps.Keys(sent)) {
		r.Sent = append(r.Sent, SentCommit{step, sent[step]})
	}
	return r
}

// RunState is the state of a run in words.
func RunState(state store.RunState, lost bool) string {
	if lost && state != store.Uncertain { // more is known of one that is uncertain
		return "process died without recording a result"
	}
	return strings.ReplaceAll(string(state), "_", " ")
}

// Runs is a table of runs.
func Runs(all []Run) string {
	rows := [][]string{{"RUN", "NAME", "ACCOUNT", "BEGAN", "TOOK", "STATE"}}
	for _, r := range all {
		if r.Error != nil {
			rows = append(rows, []string{r.ID, "-", "-", "-", "-", unreadable(r.Error)})
			continue
		}
		state := RunState(r.State, r.Lost)
		if r.Code != "" && r.Code != string(r.State) {
			state += ": " + r.Code
		}
		rows = append(rows, []string{r.ID, r.Automation, r.Account, When(r.Started), Took(r.Started, r.Finished), state})
	}
	return Table(rows)
}

// EndedRun is the line for a run that has ended.
func EndedRun(s Style, r store.Run) string {
	mark, why := s.Green("✓"), ""
	if r.State != store.Done {
		mark, why = s.Red("✗"), ": "+r.Reason
	}
	return fmt.Sprintf("%s %s  %s is %s after %s%s", mark, s.Dim(r.ID), Label(r.Automation, r.Account), RunState(r.State, false), Took(r.Started, r.Finished), why)
}

// RunChange is the line for a run whose record has changed.
func RunChange(s Style, before, now store.Run, lost, known bool) string {
	what := RunState(now.State, lost)
	if known && before.State == now.State && len(now.Steps) > 0 {
		last := now.Steps[len(now.Steps)-1]
		what = fmt.Sprintf("step %d %s %s", last.Index+1, last.Tool, last.Outcome)
	}
	if runner.Ended(now.State) && now.Code != "" {
		what += ": " + now.Code
	}
	return fmt.Sprintf("%s  %s  %s  %s", time.Now().Format(time.TimeOnly), s.Dim(now.ID), Label(now.Automation, now.Account), what)
}

// Text describes a run: what it was, how it ended, and its steps.
func (r Run) Text(s Style) string {
	var facts Facts
	facts.Add("state", RunState(r.State, r.Lost))
	facts.Add("account", or(r.Account, "any"))
	if r.Revision > 0 {
		facts.Add("revision", fmt.Sprint(r.Revision))
	}
	facts.Add("began", When(r.Started))
	if !r.Finished.IsZero() {
		facts.Add("took", Took(r.Started, r.Finished))
	}
	facts.AddNonEmpty("report", r.Report)
	var files []string
	for _, d := range r.Downloads {
		files = append(files, Downloaded(d))
	}
	facts.Add("files", files...)
	if r.Code != "" {
		facts.Add("why", strings.TrimSuffix(r.Code+": "+r.Reason, ": "))
	}
	facts.Add("sent", sentWords(r.Sent)...)
	if r.Guard != nil {
		facts.Add("agent", GuardCounts(r.Guard))
	}
	return fmt.Sprintf("%s  %s\n%s%s", s.Bold(oneLine(r.Automation)), s.Dim(r.ID), Table(facts), Table(stepRows(r, r.Steps, "")))
}

func sentWords(sent []SentCommit) []string {
	var all []string
	for _, c := range sent {
		became := "what became of it is not known: find out, and play with --resume and --settled"
		if c.Done {
			became = "done"
		}
		all = append(all, fmt.Sprintf("step %d, %s", c.Step+1, became))
	}
	return all
}

// stepRows has a row for each step, followed by those of the automation that it played.
func stepRows(r Run, steps []RunStep, outer string) [][]string {
	var rows [][]string
	for _, s := range steps {
		mark := map[store.Outcome]string{store.StepDone: "✓", store.StepSkipped: "-", store.StepFailed: "✗", store.StepUncertain: "?"}[s.Outcome]
		rows = append(rows, []string{fmt.Sprintf("  %s %2s", mark, outer+fmt.Sprint(s.Index+1)), s.Tool, Duration(time.Duration(s.Duration)), s.Selector, stepNotes(r, s, outer == "")})
		rows = append(rows, stepRows(r, s.Steps, fmt.Sprintf("%s%d.", outer, s.Index+1))...)
	}
	return rows
}

func stepNotes(r Run, s RunStep, own bool) string {
	var notes []string
	add := func(yes bool, words string) {
		if yes {
			notes = append(notes, words)
		}
	}
	add(s.Intent != "", s.Intent)
	add(s.Effect == automation.Commit, "commits")
	add(s.Matched > 0, byAlternative)
	add(s.Matched < 0, byFingerprint)
	for _, d := range r.Drift {
		add(own && d.Step == s.Index, fmt.Sprintf("drift %.2f, confidence %.2f", d.Score, Confidence(d.Confidence)))
	}
	add(s.Skipped != "", "skipped: "+s.Skipped)
	add(s.Code != "", s.Code)
	return strings.Join(notes, "; ")
}
