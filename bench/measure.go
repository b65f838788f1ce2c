package bench

import (
	"context"
	"fmt"
	"time"
)

// maxRun ends a run that does not end.
const maxRun = time.Minute

// once has a client play a flow, and the server judge it.
func (a *arena) once(ctx context.Context, name string, fl flow) (report, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxRun, fmt.Errorf("the run took more than %v", maxRun))
	defer cancel()
	if err := a.rest(ctx, name); err != nil {
		return report{}, err
	}
	verdict := fl.done(a.stage)
	r, err := a.players[name].play(ctx, request{Play: fl.Name})
	if err == nil {
		err = verdict(ctx)
	}
	if err != nil {
		return r, fmt.Errorf("%s played %s: %w", name, fl.Name, err)
	}
	return r, nil
}

// maxFailures is how often one run of a client may fail, if it may.
const maxFailures = 3

// patiently is once for ours. What goes wrong with another client is not ours to mend,
// and reported: it is replaced, and plays again.
func (a *arena) patiently(ctx context.Context, name string, fl flow) (r report, failed []error, err error) {
	for {
		r, err = a.once(ctx, name, fl)
		if err == nil || !mayFail(name) || len(failed) == maxFailures {
			return r, failed, err
		}
		failed = append(failed, err)
		if err := a.replace(ctx, name); err != nil {
			return r, failed, fmt.Errorf("replacing %s: %w", name, err)
		}
	}
}

// contest is some clients on one flow.
type contest struct {
	title    string
	flow     flow
	names    []string // the first is what the others are compared with
	runs     map[string][]report
	peaks    map[string]uint64
	failures map[string]int // runs that failed, and were played again
	reprise  []string       // of names, those that the goals are for
}

// warmUps are played before a contest and not counted.
const warmUps = 3

// play has the clients take turns, so that whatever slows the machine slows all
// of them; each round begins with another one.
func (c *contest) play(ctx context.Context, a *arena, rounds int) error {
	c.runs, c.peaks, c.failures = map[string][]report{}, map[string]uint64{}, map[string]int{}
	for round := -warmUps; round < rounds; round++ {
		for i := range c.names {
			name := c.names[(i+max(round, 0))%len(c.names)]
			r, failed, err := a.patiently(ctx, name, c.flow)
			if err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
			if len(failed) > 0 {
				c.failures[name] += len(failed)
			}
			if round >= 0 {
				c.runs[name] = append(c.runs[name], r)
			}
			c.peaks[name] = a.players[name].peak()
		}
	}
	return nil
}
