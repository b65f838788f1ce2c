package render

import (
	"fmt"

	"github.com/go-reprise/reprise/store"
)

// Call is a call of an agent as --json prints it.
type Call struct {
	Session   string   `json:"session"`
	Number    int      `json:"number"`
	Tool      string   `json:"tool"`
	Arguments any      `json:"arguments,omitempty"`
	Intent    string   `json:"intent,omitempty"`
	Outcome   string   `json:"outcome"`
	Code      string   `json:"code,omitempty"`
	Reason    string   `json:"reason,omitempty"`
	Started   string   `json:"started"`
	TookMS    int64    `json:"took_ms"`
	Run       string   `json:"run,omitempty"`
	URL       string   `json:"url,omitempty"`
	Evidence  []string `json:"evidence,omitempty"`
}

// CallsOf returns the views of calls.
func CallsOf(calls []store.JournalCall) []Call {
	all := []Call{}
	for _, c := range calls {
		view := Call{
			Session: c.Session, Number: c.Number, Tool: c.Tool, Intent: c.Intent, Outcome: string(c.Outcome), Code: c.Code, Reason: c.Reason,
			Started: c.Started.Format("2006-01-02T15:04:05.000Z07:00"), TookMS: c.Took.Milliseconds(), Run: c.Run, URL: c.URL, Evidence: c.Evidence,
		}
		if len(c.Arguments) > 0 {
			view.Arguments = c.Arguments
		}
		all = append(all, view)
	}
	return all
}

// Calls is a table of calls.
func Calls(calls []store.JournalCall) string {
	rows := [][]string{{"BEGAN", "TOOL", "OUTCOME", "TOOK", "INTENT", "SESSION"}}
	for _, c := range calls {
		outcome := string(c.Outcome)
		if c.Code != "" && c.Code != outcome {
			outcome += ": " + c.Code
		}
		rows = append(rows, []string{When(c.Started), c.Tool, outcome, fmt.Sprint(c.Took), c.Intent, fmt.Sprintf("%s #%d", c.Session, c.Number)})
	}
	return Table(rows)
}

// Trace is the check of a session's trace as --json prints it.
type Trace struct {
	Session string `json:"session"`
	Calls   int    `json:"calls"`          // that are whole, from the first
	Torn    bool   `json:"torn,omitempty"` // the last call is incomplete
	Line    int    `json:"line,omitempty"` // the first that is wrong
	Reason  string `json:"reason,omitempty"`
}

// Text describes what was found.
func (t Trace) Text(s Style) string {
	whole := fmt.Sprintf("whole, %d calls", t.Calls)
	if t.Calls == 1 {
		whole = "whole, 1 call"
	}
	switch {
	case t.Reason != "":
		return fmt.Sprintf("%s: %s line %d: %s; %s before it", t.Session, s.Red("broken"), t.Line, t.Reason, whole)
	case t.Torn:
		return fmt.Sprintf("%s: %s; line %d is torn: its writer was killed, or is still at it, and no one was told that it is stored", t.Session, whole, t.Calls+1)
	}
	return fmt.Sprintf("%s: %s", t.Session, whole)
}
