package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

const (
	// targetsTimed is how many elements are described on each page.
	targetsTimed = 24
	// maxTimed bounds what each contestant may take for all of them, to describe,
	// to find, and to miss: some need minutes for an element.
	maxTimed = 15 * time.Second
)

// sizes are of the pages, in nodes.
var sizes = []int{10_000, 30_000, 100_000}

// speed is how long one contestant took on one page.
type speed struct {
	Name       string     `json:"name"`
	Nodes      int        `json:"nodes"`
	DescribeMs [2]float64 `json:"describe_ms"` // median, 95th percentile
	LocateMs   [2]float64 `json:"locate_ms"`
	MissMs     [2]float64 `json:"miss_ms"`   // when the element is gone
	Described  int        `json:"described"` // in the time that there was
	Right      int        `json:"right"`
}

// speed times all contestants on generated pages, with nothing else running.
func (h *harness) speed(ctx context.Context) ([]speed, error) {
	page, err := h.browser.NewIsolatedPage(ctx, "")
	if err != nil {
		return nil, err
	}
	s := &stage{page: page, script: h.script}
	var all []speed
	for _, nodes := range sizes {
		timed, err := h.timeOn(ctx, s, nodes)
		if err != nil {
			return nil, fmt.Errorf("a page of %d nodes: %w", nodes, err)
		}
		all = append(all, timed...)
	}
	return all, page.Close(ctx)
}

func (h *harness) timeOn(ctx context.Context, s *stage, nodes int) ([]speed, error) {
	c := &contest{stage: s, o: h.o, page: "generated", at: h.site.address(fmt.Sprintf("generated/%d", nodes))}
	if err := c.load(ctx); err != nil {
		return nil, err
	}
	var names []string
	if err := s.eval(ctx, &names, "arena.names()"); err != nil {
		return nil, err
	}
	if err := s.call(ctx, nil, "arena.open", targetsTimed); err != nil {
		return nil, err
	}
	var all []speed
	for _, name := range names {
		timed, err := c.timed(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		timed.Nodes = nodes
		all = append(all, timed)
	}
	return all, nil
}

func (c *contest) timed(ctx context.Context, name string) (speed, error) {
	var descriptions, found []described
	if err := c.stage.call(ctx, &descriptions, "arena.describeWithin", name, maxTimed.Milliseconds()); err != nil {
		return speed{}, err
	}
	kept := make([]json.RawMessage, len(descriptions))
	for i, d := range descriptions {
		var err error
		if kept[i], err = keep(name, d.Data); err != nil {
			return speed{}, err
		}
	}
	if err := c.stage.call(ctx, &found, "arena.locateWithin", name, kept, maxTimed.Milliseconds()); err != nil {
		return speed{}, err
	}
	var missed []described
	if err := c.stage.call(ctx, &missed, "arena.missWithin", name, kept, maxTimed.Milliseconds()); err != nil {
		return speed{}, err
	}
	s := speed{Name: name, MissMs: spreadOf(times(missed)), DescribeMs: spreadOf(times(descriptions)), LocateMs: spreadOf(times(found)),
		Described: len(descriptions)}
	for _, f := range found {
		if string(f.Data) == `"right"` {
			s.Right++
		}
	}
	return s, nil
}

func times(all []described) []float64 {
	ms := make([]float64, len(all))
	for i, d := range all {
		ms[i] = d.Ms
	}
	return ms
}
