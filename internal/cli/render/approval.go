package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/plaintext"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// Approval is an approval request as --json prints it.
type Approval struct {
	ID       string              `json:"id"`
	Run      string              `json:"run,omitempty"`
	Step     int                 `json:"step"` // index
	Tool     string              `json:"tool,omitempty"`
	Intent   string              `json:"intent,omitempty"`
	Says     string              `json:"says,omitempty"`
	Origin   string              `json:"origin,omitempty"`
	URL      string              `json:"url,omitempty"`
	Payee    string              `json:"payee,omitempty"`
	Amount   string              `json:"amount,omitempty"`
	Currency string              `json:"currency,omitempty"`
	Method   string              `json:"method,omitempty"`
	Request  string              `json:"request,omitempty"`
	Type     string              `json:"type,omitempty"`
	Size     int                 `json:"size,omitempty"`
	State    store.ApprovalState `json:"state,omitempty"`
	Asked    time.Time           `json:"asked,omitzero"`
	Deadline time.Time           `json:"deadline,omitzero"`
	Answered time.Time           `json:"answered,omitzero"`
	By       string              `json:"by,omitempty"`
	Used     time.Time           `json:"used,omitzero"` // when the run continued with it
	Error    *failure.Failure    `json:"error,omitempty"`

	question store.ApprovalRequest
}

// ApprovalOf returns the view of a stored approval.
func ApprovalOf(a store.ApprovalSummary) Approval {
	return Approval{
		ID: a.ID, Run: a.Run, Step: a.Step, Tool: a.Tool, Intent: a.Intent, Says: a.Label, Origin: a.Origin, URL: a.URL, Payee: a.Payee, Amount: a.Amount,
		Currency: a.Currency, Method: a.Method, Request: a.Request, Type: a.Type, Size: a.Size, State: a.State, Asked: a.Asked, Deadline: a.Deadline,
		Answered: a.Answered, By: a.By, Used: a.Spent, Error: failure.Ptr(a.Err), question: a.ApprovalRequest,
	}
}

// Approvals is a table of approval requests.
func Approvals(all []Approval) string {
	rows := [][]string{{"APPROVAL", "RUN", "STEP", "STATE", "UNTIL", "BY", "TO DO", "FOR"}}
	for _, a := range all {
		if a.Error != nil {
			rows = append(rows, []string{a.ID, "-", "-", unreadable(a.Error)})
			continue
		}
		rows = append(rows, []string{
			a.ID, a.Run, fmt.Sprint(a.Step + 1), string(a.State), a.Deadline.Local().Format(time.DateTime), or(a.By, "-"), ApprovalLine(a.question), or(a.Intent, "-"),
		})
	}
	return Table(rows)
}

// Answered is the line that confirms an answer.
func Answered(s Style, a store.Approval, yes bool) string {
	mark, word := s.Red("✗"), "no"
	if yes {
		mark, word = s.Green("✓"), "yes"
	}
	return fmt.Sprintf("%s %s to step %d of run %s: %s", mark, word, a.Step+1, a.Run, ApprovalLine(a.ApprovalRequest))
}

// ApprovalLine describes on one line what is to be approved.
func ApprovalLine(q store.ApprovalRequest) string {
	words := q.Tool
	if q.Label != "" {
		words += " " + quoted(plaintext.Line(q.Label))
	}
	if q.Payee != "" {
		words += " to " + plaintext.Line(q.Payee)
	}
	if q.Amount != "" {
		words += ", " + plaintext.Line(q.Amount+" "+q.Currency)
	}
	if sends := request(q.Method, q.Request, q.Type, q.Size); sends != "" {
		words += ", sends " + plaintext.Line(sends)
	}
	return fmt.Sprintf("%s at %s", words, plaintext.Line(q.Origin))
}

// WholeApproval is all of an approval request.
func WholeApproval(a store.Approval) string {
	var facts Facts
	facts.Add("approval", a.ID)
	facts.Add("state", string(a.State))
	facts.AddNonEmpty("by", a.By)
	facts = append(facts, factsOf(replayer.Approval{
		Run: a.Run, Step: a.Step, Intent: a.Intent, Label: a.Label, Origin: a.Origin, URL: a.URL, Payee: a.Payee, Amount: a.Amount, Currency: a.Currency,
		Method: a.Method, Request: a.Request, Type: a.Type, Size: a.Size,
	})...)
	facts.Add("step", fmt.Sprint(a.Step+1))
	facts.Add("until", a.Deadline.Local().Format(time.DateTime))
	return Table(facts)
}

// factsOf are what a person must know before they approve.
func factsOf(a replayer.Approval) (facts Facts) {
	facts.AddNonEmpty("to", plaintext.Line(a.Intent))
	facts.AddNonEmpty("presses", quoted(plaintext.Line(a.Label)))
	facts.AddNonEmpty("pays", plaintext.Line(a.Payee))
	facts.AddNonEmpty("amount", amountOf(a.Amount, a.Currency))
	facts.AddNonEmpty("sends", request(a.Method, a.Request, a.Type, a.Size))
	facts.AddNonEmpty("at", a.Origin)
	facts.AddNonEmpty("page", a.URL)
	facts.AddNonEmpty("run", a.Run)
	return facts
}

// amountOf is an amount as the page shows it, and what it is read as where that is sure.
func amountOf(text, currency string) string {
	if text == "" {
		return ""
	}
	shown := strings.TrimSpace(plaintext.Line(text + " " + currency))
	if m, err := store.ParseMoney(text, currency); err == nil && m.String() != shown {
		shown += " (" + m.String() + ")"
	}
	return shown
}

// ApprovalQuestion is the question that the user is asked at a terminal.
func ApprovalQuestion(a replayer.Approval) string {
	title := fmt.Sprintf("Step %d is a commit step.", a.Step+1)
	if a.Tool == "approve" {
		title = fmt.Sprintf("Step %d asks for your approval.", a.Step+1)
	}
	lines := strings.TrimSuffix(Table(factsOf(a)), "\n")
	return fmt.Sprintf("\n  %s\n  %s\n  Do it? [y/N] ", title, indent(lines))
}

// request describes the request that waits for an approval, "" where none does.
func request(method, address, contentType string, size int) string {
	if address == "" {
		return ""
	}
	words := method + " " + address
	if size > 0 {
		words += fmt.Sprintf(", %d bytes", size)
	}
	if contentType != "" {
		words += " of " + contentType
	}
	return words
}

func quoted(text string) string {
	if text == "" {
		return ""
	}
	return "“" + text + "”"
}

// unreadable is the note on something stored that cannot be read.
func unreadable(f *failure.Failure) string {
	first, _, _ := strings.Cut(f.Reason, "\n")
	return "cannot be read: " + first
}
