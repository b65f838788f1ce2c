package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/selectors"
)

// What a person types where the script has a variable: other values than it is played with.
var typedOnce = map[string]string{
	"name": "Ada Lovelace", "email": "ada@example.com", "phone": "+44 20 7946", "city": "London",
	"password": demosite.BuiltinAccounts()[0].Password,
}

// record has a person do each flow while the recorder watches.
func (a *arena) record(ctx context.Context) error {
	b, err := a.launch(ctx, "recorder")
	if err != nil {
		return err
	}
	a.recorded = map[string]json.RawMessage{}
	for _, fl := range a.flows {
		page, err := b.NewIsolatedPage(ctx, a.stage.URL+fl.Steps[0].Text)
		if err != nil {
			return err
		}
		doc, err := recordScript(ctx, page, fl.script)
		if err == nil {
			a.recorded[fl.Name], err = json.Marshal(doc)
		}
		if err == nil {
			err = page.Close(ctx)
		}
		if err != nil {
			return fmt.Errorf("recording %s: %w", fl.Name, err)
		}
	}
	return nil
}

func recordScript(ctx context.Context, page *browser.Page, s script) (*automation.Automation, error) {
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "flow"})
	if err != nil {
		return nil, err
	}
	who := simuser.At(page.Target())
	var failed error
	for _, one := range s.Steps[1:] {
		if failed = byHand(ctx, who, one); failed != nil {
			break
		}
	}
	doc, _, err := r.Stop(ctx)
	if failed != nil {
		return nil, fmt.Errorf("acting as a person at %s: %w", page.URL(), failed)
	}
	if err != nil {
		return nil, err
	}
	return withSight(doc, s)
}

// withSight adds what the script waits for in the end, as a person adds a check.
func withSight(doc *automation.Automation, s script) (*automation.Automation, error) {
	last := s.Steps[len(s.Steps)-1]
	if last.Do != see {
		return doc, nil
	}
	parts := []string{last.CSS}
	if last.Host != "" {
		parts = []string{last.Host, last.CSS}
	}
	path, err := selectors.ParsePath(parts...)
	doc.Steps = append(doc.Steps, automation.Step{Tool: "waitFor", Selector: path})
	return doc, err
}

// byHand does a step as a person does.
func byHand(ctx context.Context, p *simuser.User, s step) error {
	text := s.Text
	if s.Variable != "" {
		text = typedOnce[s.Variable]
	}
	path := strings.Join(append(append([]string(nil), s.Frames...), s.CSS), " >>> ")
	if s.Host != "" {
		path = s.Host + " >>> " + s.CSS
	}
	switch {
	case s.Cross:
		return byTwin(ctx, p, s)
	case s.Do == choose:
		return inTurn(
			func() error { return p.Click(ctx, path) },
			func() error { return p.Type(ctx, text[:1]) },
			func() error { return p.Press(ctx, "Enter") },
		)
	case s.Do == set: // the parts of a date are typed in the order that it is shown in
		return p.Fill(ctx, path, text[5:7]+text[8:]+text[:4])
	case s.Do == fill:
		return p.Fill(ctx, path+":enabled", text) // people see that they can type
	case s.Do == arrive:
		return p.See(ctx, s.Text)
	case s.Do == see:
		_, _, err := p.Find(ctx, path)
		return err
	}
	return inTurn(
		func() error { return p.AtRest(ctx) }, // a list that is drawn late moves what is below it
		func() error { return p.Click(ctx, path) },
	)
}

// byTwin acts in a frame of another site, which looks like #same as long as nothing was
// done there.
func byTwin(ctx context.Context, p *simuser.User, s step) error {
	err := p.ClickTwin(ctx, "#same >>> "+s.CSS, s.Frames[0])
	if err == nil && s.Do == fill {
		err = p.Type(ctx, s.Text)
	}
	return err
}

func inTurn(acts ...func() error) error {
	for _, act := range acts {
		if err := act(); err != nil {
			return err
		}
	}
	return nil
}
