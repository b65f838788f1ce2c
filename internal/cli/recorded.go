package cli

import (
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
)

// recordReport is what record says of what it kept.
type recordReport struct {
	Name      string           `json:"name"`
	Account   string           `json:"account,omitempty"`
	Revision  int              `json:"revision"`
	Path      string           `json:"path,omitempty"` // none where the store is no directory
	URLs      []string         `json:"urls"`
	Steps     int              `json:"steps"`
	Omitted   []omission       `json:"omitted,omitempty"`
	Variables []variableReport `json:"variables"`
	User      string           `json:"user,omitempty"` // what was typed as a user name, where no account was given
	Ended     string           `json:"ended"`
}

// omission is a step that was left out.
type omission struct {
	After int    `json:"after"` // the number of the step before it
	Tool  string `json:"tool"`
	Why   string `json:"why"`
}

// variableReport is a value that play asks for.
type variableReport struct {
	Name     string `json:"name"`
	Secret   bool   `json:"secret"`
	Required bool   `json:"required"`
}

func reportOf(a *automation.Automation, path string, r *recorded) *recordReport {
	report := &recordReport{
		Name: a.Name, Account: a.Match.Account, Revision: a.Revision, Path: path, URLs: a.Match.URLs,
		Steps: len(a.Steps), Variables: variablesOf(a), Ended: r.ended,
	}
	for _, o := range r.omitted {
		report.Omitted = append(report.Omitted, omission{After: o.After, Tool: o.Tool, Why: o.Why})
	}
	if report.Account == "" {
		report.User = r.user
	}
	return report
}

func variablesOf(a *automation.Automation) []variableReport {
	variables := []variableReport{}
	declared, err := a.Declared()
	if err != nil {
		return variables // it was validated: cannot happen
	}
	required := map[string]bool{}
	for _, name := range declared.Required() {
		required[name] = true
	}
	for _, name := range declared.Names() {
		variables = append(variables, variableReport{name, declared.IsSecret(name), required[name]})
	}
	return variables
}

func (r *recordReport) tell(a *app, s render.Style) error {
	var facts render.Facts
	facts.Add("steps", fmt.Sprint(r.Steps))
	facts.Add("account", r.account())
	facts.Add("revision", fmt.Sprint(r.Revision))
	if r.Path != "" {
		facts.Add("file", r.Path)
	}
	var variables []string
	for _, v := range r.Variables {
		if v.Secret {
			v.Name += "  (secret: its value is not kept)"
		}
		variables = append(variables, v.Name)
	}
	facts.Add("variables", variables...)
	_, err := fmt.Fprintf(a.stdout, "%s %s is kept.\n%sPlay it:\n  %s\n", s.Green("✓"), s.Bold(r.Name), render.Table(facts), r.command())
	if r.User != "" {
		a.say("You signed in as %s. To keep a flow for one account only, record it with --account.", r.User)
	}
	return err
}

func (r *recordReport) account() string {
	if r.Account == "" {
		return "any"
	}
	return r.Account
}

// command is a command line that plays it.
func (r *recordReport) command() string {
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
