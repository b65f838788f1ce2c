package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/automation/exchange"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/store"
)

// Listed is a stored document as list --json prints it.
type Listed struct {
	Name        string           `json:"name"`
	Account     string           `json:"account,omitempty"`
	Description string           `json:"description,omitempty"`
	Revision    int              `json:"revision"`
	URLs        []string         `json:"urls"`
	Blocker     string           `json:"blocker,omitempty"` // that it deals with
	Steps       int              `json:"steps"`
	Path        string           `json:"path,omitempty"`
	Error       *failure.Failure `json:"error,omitempty"` // why it cannot be used
}

// ListedOf returns the view of a document, which is in the file path or in none.
func ListedOf(s store.Summary, path string) Listed {
	return Listed{
		Name: s.Name, Account: s.Account, Description: s.Description, Revision: s.Revision,
		URLs: s.URLs, Blocker: string(s.Blocker), Steps: s.Steps, Path: path, Error: failure.Ptr(s.Err),
	}
}

// blockedBy marks an automation that deals with a blocker.
func blockedBy(reason string) string {
	if reason == "" {
		return ""
	}
	return " where blocked (" + reason + ")"
}

// Documents is a table of stored documents.
func Documents(all []Listed) string {
	rows := [][]string{{"NAME", "ACCOUNT", "REVISION", "STEPS", "FOR"}}
	for _, d := range all {
		row := []string{d.Name, or(d.Account, "any"), fmt.Sprint(d.Revision), fmt.Sprint(d.Steps), strings.Join(d.URLs, " ") + blockedBy(d.Blocker)}
		if d.Error != nil {
			why := unreadable(d.Error)
			if strings.Contains(d.Error.Reason, "\n") {
				why += " …"
			}
			row = []string{d.Name, or(d.Account, "any"), "-", "-", why}
		}
		rows = append(rows, row)
	}
	return Table(rows)
}

// Completion describes a stored document to a shell.
func Completion(s store.Summary) string {
	switch {
	case s.Err != nil:
		return "cannot be read"
	case s.Description != "":
		return s.Description
	case s.Account != "":
		return "for " + s.Account
	}
	return fmt.Sprintf("%d steps", s.Steps)
}

// Checked is the validation of a document as validate --json prints it.
type Checked struct {
	Document string            `json:"document"`
	Account  string            `json:"account,omitempty"`
	Valid    bool              `json:"valid"`
	Problems []failure.Problem `json:"problems,omitempty"`
	Err      error             `json:"-"`
}

// CheckedOf returns the view of a document that err is wrong with, nil for nothing.
func CheckedOf(document, account string, err error) Checked {
	c := Checked{Document: document, Account: account, Valid: err == nil, Problems: failure.Problems(err), Err: err}
	if err != nil && len(c.Problems) == 0 {
		c.Problems = []failure.Problem{{Reason: err.Error()}}
	}
	return c
}

// Text lists what is wrong with a document.
func (c Checked) Text(s Style) string {
	label := Label(c.Document, c.Account)
	if c.Valid {
		return fmt.Sprintf("%s %s is valid\n", s.Green("✓"), label)
	}
	text := fmt.Sprintf("%s %s\n", s.Red("✗"), label)
	for _, p := range c.Problems {
		text += fmt.Sprintf("    %s: %s\n", s.Bold(or(p.Path, "the document")), p.Reason)
	}
	return text
}

// Recorded is a recording that was saved as record --json prints it.
type Recorded struct {
	Name      string     `json:"name"`
	Account   string     `json:"account,omitempty"`
	Revision  int        `json:"revision"`
	Path      string     `json:"path,omitempty"` // empty where the store is not a directory
	URLs      []string   `json:"urls"`
	Steps     int        `json:"steps"`
	Omitted   []Omission `json:"omitted,omitempty"`
	Variables []Variable `json:"variables"`
	User      string     `json:"user,omitempty"` // typed as a user name, where no account was given
	Ended     string     `json:"ended"`
}

// Omission is a step that was left out of a recording.
type Omission struct {
	After int    `json:"after"` // the number of the step before it
	Tool  string `json:"tool"`
	Why   string `json:"why"`
}

// Variable is a value that play asks for.
type Variable struct {
	Name     string `json:"name"`
	Secret   bool   `json:"secret"`
	Required bool   `json:"required"`
}

// RecordedOf returns the view of a document that was saved in the file path, or in none.
func RecordedOf(a *automation.Automation, path string, omitted []recorder.Omission) *Recorded {
	r := &Recorded{
		Name: a.Name, Account: a.Match.Account, Revision: a.Revision, Path: path, URLs: a.Match.URLs,
		Steps: len(a.Steps), Variables: []Variable{},
	}
	for _, o := range omitted {
		r.Omitted = append(r.Omitted, Omission{After: o.After, Tool: o.Tool, Why: o.Why})
	}
	declared, err := a.Declared()
	if err != nil {
		return r // it was validated: cannot happen
	}
	for _, name := range declared.Names() {
		r.Variables = append(r.Variables, Variable{name, declared.IsSecret(name), slices.Contains(declared.Required(), name)})
	}
	return r
}

// Text describes what was saved, and the command line that plays it.
func (r *Recorded) Text(s Style) string {
	var facts Facts
	facts.Add("steps", fmt.Sprint(r.Steps))
	facts.Add("account", or(r.Account, "any"))
	facts.Add("revision", fmt.Sprint(r.Revision))
	facts.AddNonEmpty("file", r.Path)
	var variables []string
	for _, v := range r.Variables {
		if v.Secret {
			v.Name += "  (secret: its value is not stored)"
		}
		variables = append(variables, v.Name)
	}
	facts.Add("variables", variables...)
	return fmt.Sprintf("%s %s is stored.\n%sPlay it:\n  %s\n", s.Green("✓"), s.Bold(r.Name), Table(facts), r.command())
}

func (r *Recorded) command() string {
	words := []string{"reprise play", r.Name}
	if r.Revision == 0 {
		words[1] = runner.Quote(r.Path)
	} else if r.Account != "" {
		words = append(words, "--account", runner.Quote(r.Account))
	}
	for _, v := range r.Variables {
		switch {
		case v.Secret:
			words = append(words, "--var-env", v.Name+"="+strings.ToUpper(v.Name))
		case v.Required:
			words = append(words, "--var", v.Name+"=…")
		}
	}
	return strings.Join(words, " ")
}

// Imported is a document that was imported as import --json prints it.
type Imported struct {
	Name      string          `json:"name"`
	Account   string          `json:"account,omitempty"`
	Revision  int             `json:"revision,omitempty"`
	Path      string          `json:"path,omitempty"`
	URLs      []string        `json:"urls"`
	Steps     int             `json:"steps"`
	Variables []Variable      `json:"variables"`
	Losses    exchange.Report `json:"losses"`
}

// ImportedOf returns the view of an import.
func ImportedOf(r *Recorded, losses exchange.Report) Imported {
	return Imported{
		Name: r.Name, Account: r.Account, Revision: r.Revision, Path: r.Path, URLs: r.URLs,
		Steps: r.Steps, Variables: r.Variables, Losses: List(losses),
	}
}

// Exported is an export as export --json prints it.
type Exported struct {
	Format  exchange.Format `json:"format"`
	Path    string          `json:"path,omitempty"`
	Content string          `json:"content,omitempty"` // where it is in no file
	Losses  exchange.Report `json:"losses"`
}

// Losses describes what an import or export could not carry over, "" for nothing.
func Losses(s Style, losses exchange.Report) string {
	if len(losses) == 0 {
		return ""
	}
	text := "Not everything could be carried over as it was:\n"
	for _, loss := range losses {
		kind := s.Dim(string(loss.Kind) + strings.Repeat(" ", len(exchange.Dropped)-len(loss.Kind)))
		if loss.Kind == exchange.Dropped {
			kind = s.Yellow(string(loss.Kind))
		}
		text += fmt.Sprintf("  %s  %s\n", kind, loss)
	}
	return text + "\n"
}

// List is a list for JSON, where an empty one is not null.
func List[S ~[]E, E any](all S) S {
	if all == nil {
		return S{}
	}
	return all
}
