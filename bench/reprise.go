package bench

import (
	"context"
	"fmt"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
)

// reprise plays an automation for each script.
type reprise struct {
	browser     *browser.Browser
	page        *browser.Page
	automations map[string]*automation.Automation // by script
}

func newReprise(ctx context.Context, e engagement) (*reprise, error) {
	r := &reprise{automations: map[string]*automation.Automation{}}
	for name, doc := range e.Documents {
		a, err := automation.Parse(doc)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.automations[name] = a
	}
	b, err := browser.Connect(ctx, e.Endpoint, nil)
	if err != nil {
		return nil, err
	}
	r.browser = b
	if r.page, err = b.NewIsolatedPage(ctx, ""); err != nil {
		_ = b.Close() // the page is what matters
		return nil, err
	}
	return r, nil
}

func (r *reprise) messages() uint64 { return r.page.Target().Tree().Client().Sent() }
func (r *reprise) close() error     { return r.browser.Close() }

func (r *reprise) play(ctx context.Context, _ string, s script, done func()) error {
	return r.playIn(ctx, r.page, s, s.values(), done)
}

// playIn plays a script in a page, at full speed.
func (r *reprise) playIn(ctx context.Context, page *browser.Page, s script, values map[string]string, done func()) error {
	typed := replayer.Map{}
	for name, value := range values {
		typed[name] = value
	}
	_, err := replayer.Play(ctx, page, r.automations[s.Name], &replayer.Options{
		Values: typed, Commit: replayer.AllowCommits,
		OnStep: func(replayer.StepResult) { done() },
	})
	return err
}
