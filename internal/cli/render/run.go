package render

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// RunState says where a run stands; lost is one that ended without a word, of which more is
// known where it is uncertain.
func RunState(state store.RunState, lost bool) string {
	if lost && state != store.Uncertain {
		return "ended without a word"
	}
	return strings.ReplaceAll(string(state), "_", " ")
}

// When is a time of a person's clock.
func When(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// Took is how long something took that may not have ended.
func Took(began, ended time.Time) string {
	if began.IsZero() || ended.IsZero() {
		return "-"
	}
	return Duration(ended.Sub(began))
}

// SentCommit is a step that was sent, and whether its consequence was seen.
type SentCommit struct {
	Step int  `json:"step"` // index
	Done bool `json:"done"`
}

// SentCommits puts what a journal says in order.
func SentCommits(sent map[int]bool) []SentCommit {
	var all []SentCommit
	for _, step := range slices.Sorted(maps.Keys(sent)) {
		all = append(all, SentCommit{step, sent[step]})
	}
	return all
}

// Run writes the record of a run: what it was, how it ended, and its steps.
func Run(w io.Writer, s Style, r store.Run, lost bool, sent []SentCommit) error {
	var facts Facts
	facts.Add("state", RunState(r.State, lost))
	facts.Add("account", or(r.Account, "any"))
	if r.Revision > 0 {
		facts.Add("revision", fmt.Sprint(r.Revision))
	}
	facts.Add("began", When(r.Started))
	if !r.Finished.IsZero() {
		facts.Add("took", Took(r.Started, r.Finished))
	}
	for _, fact := range []struct{ name, value string }{{"report", r.Report}, {"why", why(r)}} {
		if fact.value != "" {
			facts.Add(fact.name, fact.value)
		}
	}
	facts.Add("sent", sentWords(sent)...)
	if r.Guard != nil {
		facts.Add("agent", GuardCounts(r.Guard))
	}
	_, err := fmt.Fprintf(w, "%s  %s\n%s%s", s.Bold(oneLine(r.Automation)), s.Dim(r.ID), Table(facts), Table(runSteps(r)))
	return err
}

// GuardCounts says how often an agent stopped to ask, and what became of it.
func GuardCounts(g *store.GuardCounts) string {
	told := fmt.Sprintf("asked in %d of %d answers", g.Asking, g.Answers)
	for _, part := range []struct {
		n     int
		words string
	}{{g.Continued, "told to go on"}, {g.NeedsPerson, "handed to a person"}, {g.Reported, "ended with a report"}} {
		if part.n > 0 {
			told += fmt.Sprintf(", %d %s", part.n, part.words)
		}
	}
	if g.LogOnly {
		told += " (only noted, nothing was done)"
	}
	return told
}

func why(r store.Run) string {
	if r.Code == "" {
		return ""
	}
	return strings.TrimSuffix(r.Code+": "+r.Reason, ": ")
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

// runSteps has a row for each step.
func runSteps(r store.Run) [][]string {
	return rowsOf(r, r.Steps, "")
}

// rowsOf has a row for each of some steps, and those of what each has played behind it.
func rowsOf(r store.Run, steps []store.RunStep, outer string) [][]string {
	var rows [][]string
	for _, s := range steps {
		mark := map[store.Outcome]string{store.StepDone: "✓", store.StepSkipped: "-", store.StepFailed: "✗", store.StepUncertain: "?"}[s.Outcome]
		rows = append(rows, []string{fmt.Sprintf("  %s %2s", mark, outer+fmt.Sprint(s.Index+1)), s.Tool, Duration(s.Duration), s.Selector, stepNotes(r, s, outer == "")})
		rows = append(rows, rowsOf(r, s.Steps, fmt.Sprintf("%s%d.", outer, s.Index+1))...)
	}
	return rows
}

func stepNotes(r store.Run, s store.RunStep, own bool) string {
	var notes []string
	add := func(yes bool, words string) {
		if yes {
			notes = append(notes, words)
		}
	}
	add(s.Intent != "", s.Intent)
	add(s.Effect == automation.Commit, "commits")
	add(s.Matched > 0, "found by an alternative")
	add(s.Matched < 0, "known again by its looks")
	for _, d := range r.Drift {
		add(own && d.Step == s.Index, fmt.Sprintf("drift %.2f, confidence %.2f", d.Score, Confidence(d.Confidence)))
	}
	add(s.Skipped != "", "skipped: "+s.Skipped)
	add(s.Code != "", s.Code)
	return strings.Join(notes, "; ")
}
