package bench

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/person"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
)

// plain are documents as somebody writes them by hand: one CSS selector a step.
// SITE stands for the address of the site.
//
//go:embed plain/*.json
var plain embed.FS

// reprise plays an automation for each flow, over a connection of its own.
type reprise struct {
	browser     *browser.Browser
	page        *browser.Page
	automations map[string]*automation.Automation // by flow
	values      map[string]replayer.Values        // by flow
}

func newReprise(ctx context.Context, endpoint string, values map[string]replayer.Values) (*reprise, error) {
	b, err := browser.Connect(ctx, endpoint, nil)
	if err != nil {
		return nil, err
	}
	page, err := b.NewPrivatePage(ctx, "")
	if err != nil {
		_ = b.Close() // the page is what matters
		return nil, err
	}
	return &reprise{browser: b, page: page, automations: map[string]*automation.Automation{}, values: values}, nil
}

func (r *reprise) messages() uint64 { return r.page.Target().Tree().Client().Sent() }
func (r *reprise) close() error     { return r.browser.Close() }

func (r *reprise) play(ctx context.Context, _ string, fl flow, done func()) error {
	_, err := replayer.Play(ctx, r.page, r.automations[fl.name], &replayer.Options{
		Values: r.values[fl.name], Commit: replayer.AllowCommits,
		OnStep: func(replayer.StepResult) { done() },
	})
	return err
}

// valuesFor are what the flows are played with.
func valuesFor(accounts []demosite.Account) map[string]replayer.Values {
	typed := replayer.Map{}
	for _, name := range []string{"name", "email", "phone", "city"} {
		typed[name] = order.Get(name)
	}
	return map[string]replayer.Values{
		"form":    typed,
		"sign-in": replayer.Map{"email": accounts[1].Email, "password": accounts[1].Password},
	}
}

// parsePlain reads a document written by hand.
func parsePlain(name, site string) (*automation.Automation, error) {
	data, err := plain.ReadFile("plain/" + name + ".json")
	if err != nil {
		return nil, err
	}
	return automation.Parse([]byte(strings.ReplaceAll(string(data), "SITE", site)))
}

// withKeys is an automation that presses a key for each character that it types.
func withKeys(a *automation.Automation) *automation.Automation {
	keyed := *a
	keyed.Steps = append([]automation.Step(nil), a.Steps...)
	for i := range keyed.Steps {
		s := &keyed.Steps[i]
		s.Keys = s.Tool == "typeInput" && s.Selector.String() != "#date"
	}
	return &keyed
}

// recordForm has a person fill the form in while the recorder watches.
func recordForm(ctx context.Context, page *browser.Page, site *demosite.Server) (*automation.Automation, error) {
	return record(ctx, page, site.URL+"/form", func(p *person.Person) error {
		return inTurn(
			func() error { return p.Fill(ctx, "#name", "Ada Lovelace") },
			func() error { return p.Fill(ctx, "#email", "ada@example.com") },
			func() error { return p.Fill(ctx, "#phone", "+44 20 7946") },
			func() error { return p.Fill(ctx, "#city", "London") },
			func() error { return p.Click(ctx, "#country") },
			func() error { return p.Press(ctx, "ArrowDown") },
			func() error { return p.Press(ctx, "Enter") },
			func() error { return p.Fill(ctx, "#quantity", order.Get("quantity")) },
			func() error { return p.Fill(ctx, "#date", "12312026") },
			func() error { return p.Click(ctx, "input[name=delivery][value=express]") },
			func() error { return p.Fill(ctx, "#note", order.Get("note")) },
			func() error { return p.Click(ctx, "#gift") },
			func() error { return p.Click(ctx, "#terms") },
			func() error { return p.Click(ctx, "#submit") },
			func() error { return p.See(ctx, "/form/done") },
		)
	})
}

// recordSignIn has a person sign the first account in while the recorder watches.
func recordSignIn(ctx context.Context, page *browser.Page, site *demosite.Server) (*automation.Automation, error) {
	who := site.Accounts()[0]
	return record(ctx, page, site.URL+"/signin", func(p *person.Person) error {
		return inTurn(
			func() error { return p.Fill(ctx, "#identifierId", who.Email) },
			func() error { return p.Click(ctx, "#identifierNext") },
			func() error { return p.Fill(ctx, "#password", who.Password) },
			func() error { return p.Click(ctx, "#passwordNext") },
			func() error { return p.See(ctx, "/dashboard") },
		)
	})
}

func record(ctx context.Context, page *browser.Page, address string, do func(*person.Person) error) (*automation.Automation, error) {
	if err := page.Navigate(ctx, address); err != nil {
		return nil, err
	}
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "flow"})
	if err != nil {
		return nil, err
	}
	failed := do(person.At(page.Target()))
	a, _, err := r.Stop(ctx)
	if failed != nil {
		return nil, fmt.Errorf("acting as a person at %s: %w", address, failed)
	}
	return a, err
}

func inTurn(acts ...func() error) error {
	for _, act := range acts {
		if err := act(); err != nil {
			return err
		}
	}
	return nil
}
