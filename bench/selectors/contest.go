package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/selectors"
)

// Names that the scripts give.
const (
	nameReprise   = "Reprise"
	kindUnchanged = "unchanged"
	kindReloaded  = "loaded again"
)

// kind is a kind of change.
type kind struct {
	Name   string `json:"name"`
	Gone   bool   `json:"gone"`   // finding anything is wrong
	Before bool   `json:"before"` // the page is changed before it is described, too
}

// described is what a contestant made of one element.
type described struct {
	Ms   float64         `json:"ms"`
	Data json.RawMessage `json:"data"`
}

type verdict struct {
	Found string          `json:"found"` // right, wrong or nothing
	Ms    float64         `json:"ms"`
	HTML  string          `json:"html,omitempty"`
	Says  json.RawMessage `json:"says,omitempty"`
	Error string          `json:"error,omitempty"`
}

// trial is one element after one change, for all contestants.
type trial struct {
	Page     string             `json:"page"`
	Kind     string             `json:"kind"`
	Gone     bool               `json:"gone"`
	Target   int                `json:"target"`
	HTML     string             `json:"html"`
	Now      string             `json:"now,omitempty"` // the same after the change
	Skipped  string             `json:"skipped,omitempty"`
	Verdicts map[string]verdict `json:"verdicts"`
}

// found is what came out of one page.
type found struct {
	trials    []trial
	describes map[string][]float64 // ms, by contestant
	mishaps   []string             // pages that could not be put back
}

// contest is the measuring on one page.
type contest struct {
	stage *stage
	o     options
	page  string // path below node_modules
	at    string // address

	targets []json.RawMessage
	plain   map[string][]json.RawMessage // what is stored of the targets on the page as it is
	found
}

func (c *contest) run(ctx context.Context) error {
	c.describes = map[string][]float64{}
	if err := c.open(ctx); err != nil {
		return err
	}
	var kinds []kind
	if err := c.stage.eval(ctx, &kinds, "selbench.kinds()"); err != nil {
		return err
	}
	for _, k := range kinds {
		if !c.o.kinds.MatchString(k.Name) {
			continue
		}
		if err := c.one(ctx, k); err != nil {
			return fmt.Errorf("%s: %w", k.Name, err)
		}
	}
	if !c.o.kinds.MatchString(kindReloaded) {
		return nil
	}
	return c.reloaded(ctx)
}

// open loads the page, chooses elements, and describes them.
func (c *contest) open(ctx context.Context) error {
	if err := c.load(ctx); err != nil {
		return err
	}
	if err := c.stage.call(ctx, &c.targets, "arena.open", c.o.targets); err != nil {
		return err
	}
	var err error
	c.plain, err = c.describe(ctx, kindUnchanged)
	return err
}

func (c *contest) load(ctx context.Context) error {
	if err := c.stage.load(ctx, c.at); err != nil {
		return err
	}
	only := c.o.only
	if only == nil {
		only = []string{}
	}
	names, err := json.Marshal(only)
	if err != nil {
		return err
	}
	return c.stage.eval(ctx, nil, fmt.Sprintf("globalThis.arena = selbench.make(%q, %s); undefined", c.seed(), names))
}

// seed decides which elements of a page are looked for, and how it is changed.
func (c *contest) seed() string {
	seed := c.o.set + "|" + c.page
	if c.o.seed != "" {
		seed += "|" + c.o.seed
	}
	return seed
}

// one measures one kind of change on all elements.
func (c *contest) one(ctx context.Context, k kind) error {
	kept := c.plain
	if k.Before {
		var err error
		if kept, err = c.describe(ctx, k.Name); err != nil {
			return err
		}
	}
	return c.ask(ctx, k, kept, []bool{})
}

// reloaded looks for the elements on the page as it comes when it is loaded again.
func (c *contest) reloaded(ctx context.Context) error {
	if err := c.load(ctx); err != nil {
		return err
	}
	var same []bool
	if err := c.stage.call(ctx, &same, "arena.reopen", c.targets); err != nil {
		return err
	}
	for i := range same {
		same[i] = !same[i]
	}
	return c.ask(ctx, kind{Name: kindReloaded}, c.plain, same)
}

func (c *contest) ask(ctx context.Context, k kind, kept map[string][]json.RawMessage, skip []bool) error {
	var outcome struct {
		Cases  []trial `json:"cases"`
		Broken string  `json:"broken"`
	}
	if err := c.stage.call(ctx, &outcome, "arena.run", k.Name, kept, skip); err != nil {
		return err
	}
	for _, t := range outcome.Cases {
		t.Page, t.Kind, t.Gone = c.page, k.Name, k.Gone
		c.trials = append(c.trials, t)
	}
	if outcome.Broken == "" {
		return nil
	}
	c.mishaps = append(c.mishaps, fmt.Sprintf("%s: %s: the page was not as before %s", c.page, k.Name, outcome.Broken))
	return c.again(ctx)
}

// again loads the page once more, after a change that could not be taken back.
func (c *contest) again(ctx context.Context) error {
	if err := c.load(ctx); err != nil {
		return err
	}
	var same []bool
	return c.stage.call(ctx, &same, "arena.reopen", c.targets)
}

// describe has every contestant describe every element on the page as it is
// before a kind of change, and returns what is stored of it.
func (c *contest) describe(ctx context.Context, kindName string) (map[string][]json.RawMessage, error) {
	var all map[string][]described
	if err := c.stage.call(ctx, &all, "arena.describe", kindName); err != nil {
		return nil, err
	}
	kept := map[string][]json.RawMessage{}
	for name, list := range all {
		for _, d := range list {
			c.describes[name] = append(c.describes[name], d.Ms)
			data, err := keep(name, d.Data)
			if err != nil {
				return nil, fmt.Errorf("what %s described cannot be stored: %w", name, err)
			}
			kept[name] = append(kept[name], data)
		}
	}
	return kept, nil
}

// keep does what happens to a description on its way through a document: the
// selectors are ranked, and of the evidence only what a document holds is left.
func keep(name string, data json.RawMessage) (json.RawMessage, error) {
	if !strings.HasPrefix(name, nameReprise) {
		return data, nil
	}
	var d struct {
		Candidates  [][]string             `json:"candidates"`
		Fingerprint *selectors.Fingerprint `json:"fingerprint"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, err
	}
	var paths []selectors.Path
	for _, parts := range d.Candidates {
		if path, err := selectors.ParsePath(parts...); err == nil {
			paths = append(paths, path)
		}
	}
	kept := [][]string{}
	for _, path := range selectors.Rank(paths) {
		kept = append(kept, texts(path))
	}
	return json.Marshal(map[string]any{"paths": kept, "fingerprint": d.Fingerprint})
}

func texts(path selectors.Path) []string {
	parts := make([]string, len(path))
	for i, selector := range path {
		parts[i] = selector.String()
	}
	return parts
}
