package agent

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// given are the values of one call after another, for tools that are called one by one.
type given struct{ from replayer.Values }

// Value returns the value that the call has.
func (g *given) Value(ctx context.Context, name string) (any, error) {
	if g.from == nil {
		return nil, replayer.ErrNoValue
	}
	return g.from.Value(ctx, name)
}

// watched notes in the session each secret that is taken from where values come from.
type watched struct {
	from   replayer.Values
	secret func(name string) bool // a plain text under this name is one
	learn  func(...automation.Secret)
}

// Value returns the value, a secret as one.
func (w watched) Value(ctx context.Context, name string) (any, error) {
	v, err := w.from.Value(ctx, name)
	if err != nil {
		return nil, err
	}
	if w.secret(name) {
		if v, err = automation.Seal(v); err != nil {
			return nil, err
		}
	}
	if secret, is := v.(automation.Secret); is {
		w.learn(secret)
	}
	return v, nil
}

// stored returns what the store has for an automation: the values of a task, and what a person
// has stored for an account.
func (s *session) stored(ctx context.Context, w ValuesRequest) (replayer.Values, error) {
	if s.server.options.Values == nil {
		if w.Task != "" {
			return nil, refuse(NotFound, "leave task out, or give the values in vars", "this server knows of no tasks")
		}
		return replayer.Map{}, nil
	}
	from, err := s.server.options.Values(ctx, w)
	if err != nil {
		return nil, err
	}
	if from == nil {
		return replayer.Map{}, nil
	}
	declared, err := w.Automation.Declared()
	if err != nil {
		return nil, err
	}
	secret := declared.IsSecret
	if w.Automation.Name == loneName {
		secret = func(string) bool { return false } // what is one comes as one
	}
	return watched{from, secret, s.learnTyped}, nil
}

// loneName is that of the automation that a call of a lone tool asks values for.
const loneName = "session"

// lone is the automation that a call of a lone tool asks values for: it declares the
// names, on the site that the page shows.
func lone(names []string, at string, secret bool) *automation.Automation {
	properties := map[string]any{}
	for _, name := range names {
		properties[name] = map[string]any{"type": "string", "writeOnly": secret}
		if !secret {
			properties[name] = map[string]any{}
		}
	}
	a := &automation.Automation{Name: loneName}
	a.Variables, _ = json.Marshal(map[string]any{"type": "object", "properties": properties}) // texts and flags: cannot fail
	if u, err := url.Parse(at); err == nil && u.Host != "" {
		a.Match.URLs = []string{weburl.SchemeGlob(u) + "/*"}
	}
	return a
}

// secretFields returns the steps of stored automations that type a variable on the site of
// an address.
func (s *Server) secretFields(ctx context.Context, address, variable string) ([]automation.Step, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	var steps []automation.Step
	for summary, err := range s.options.Store.Automations().List(ctx) {
		if err != nil {
			return nil, err
		}
		if summary.Err != nil || !(automation.Scope{URLs: summary.URLs}).Covers(weburl.Origin(u)+"/") {
			continue
		}
		a, err := s.options.Store.Automations().Get(ctx, summary.Name, summary.Account)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, step := range a.Steps {
			if step.Tool == "typeInput" && step.Value != nil && slices.Contains(step.Value.Names(), variable) {
				steps = append(steps, step)
			}
		}
	}
	return steps, nil
}
