package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// record is that of a run, kept from its beginning on: one that ends without a word is
// known by its process.
type record struct {
	server *Server
	run    store.Run
	began  map[int]time.Time
}

// begin begins the record of a run; of one that is gone on with it takes over the record,
// and the token with which it goes on.
func (c *call) begin(ctx context.Context, a *automation.Automation, resume string) (*record, string, error) {
	s := c.session.server
	now := s.options.Now()
	r := &record{server: s, began: map[int]time.Time{}}
	r.run = store.Run{ID: s.options.NewID(), Automation: a.Name, Account: a.Match.Account, Revision: a.Revision, Started: now, State: store.Running, Process: self()}
	token := ""
	if resume != "" {
		earlier, err := s.options.Store.Runs().Get(ctx, resume)
		if err != nil {
			return nil, "", err
		}
		switch {
		case earlier.Automation != a.Name || earlier.Account != a.Match.Account:
			return nil, "", refuse(InvalidArguments, "name the automation and the account that the run is of", "the run %s is of another automation", resume)
		case earlier.State == store.Uncertain:
			return nil, "", refuse(string(replayer.Uncertain), nexts[replayer.Uncertain], "what it has sent is not known to have been done, or not")
		case earlier.Resume == "":
			return nil, "", refuse(NotFound, "run it anew", "the run %s cannot be gone on with", resume)
		}
		token = earlier.Resume
		r.run.ID, r.run.Started, r.run.Steps = earlier.ID, earlier.Started, ended(earlier.Steps)
	}
	c.session.mu.Lock()
	c.session.runs = append(c.session.runs, r.run.ID)
	c.session.mu.Unlock()
	return r, token, nil
}

// ended are the steps that need not be done again.
func ended(steps []store.RunStep) []store.RunStep {
	var all []store.RunStep
	for _, s := range steps {
		if s.Outcome == store.StepDone || s.Outcome == store.StepSkipped {
			all = append(all, s)
		}
	}
	return all
}

func (r *record) start(i int) { r.began[i] = r.server.options.Now() }

func (r *record) step(ctx context.Context, s replayer.StepResult) {
	step := store.RunStep{
		Index: s.Index, Tool: s.Tool, Intent: s.Intent, Outcome: store.StepDone, Effect: s.Effect, Selector: s.Selector.String(),
		Matched: s.Matched, Drift: s.Drift, Started: r.began[s.Index], Duration: time.Duration(s.Duration), Skipped: s.Skipped,
	}
	if s.Skipped != "" {
		step.Outcome = store.StepSkipped
	}
	r.run.Steps = append(r.run.Steps, step)
	r.save(ctx)
}

// end completes the record with how the run has ended.
func (r *record) end(ctx context.Context, a *automation.Automation, result *replayer.Result, err error) {
	r.run.Finished = r.server.options.Now()
	r.run.State = store.Done
	if result != nil {
		for _, d := range result.Drift {
			drift := store.Drift{Step: d.Step, Score: d.Score, Healed: d.Healed, Confidence: d.Confidence}
			for _, path := range d.Lost {
				drift.Lost = append(drift.Lost, path.String())
			}
			r.run.Drift = append(r.run.Drift, drift)
		}
		if err == nil {
			r.run.Proposal = result.Proposal(a)
		}
	}
	var failed *replayer.Error
	if errors.As(err, &failed) {
		r.fail(failed)
	}
	r.save(ctx)
}

func (r *record) fail(e *replayer.Error) {
	outcome := store.StepFailed
	switch e.Code {
	case replayer.Cancelled:
		r.run.State = store.Cancelled
	case replayer.Uncertain:
		r.run.State, outcome = store.Uncertain, store.StepUncertain
	default:
		r.run.State = store.Failed
	}
	r.run.Code, r.run.Reason, r.run.Resume = string(e.Code), e.Reason, e.Resume
	if e.Step < 0 {
		return
	}
	step := store.RunStep{Index: e.Step, Tool: e.Tool, Intent: e.Intent, Outcome: outcome, Code: r.run.Code, Started: r.began[e.Step]}
	for _, c := range e.Considered {
		step.Considered = append(step.Considered, store.Considered(c))
	}
	r.run.Steps = append(r.run.Steps, step)
}

// save keeps it as it is now, also where the run was told to end.
func (r *record) save(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	if err := r.server.options.Store.Runs().Save(ctx, r.run); err != nil {
		r.server.options.Logger.ErrorContext(ctx, "the record of a run was not kept", "run", r.run.ID, "error", err)
	}
}

// self is this process.
func self() *store.Process {
	host, _ := os.Hostname() // "" is a host, too
	return &store.Process{PID: os.Getpid(), Host: host}
}

// committed has the commits of a store be the journal of a replayer.
type committed struct{ store.Commits }

func (j committed) Sending(ctx context.Context, run string, step int) error {
	err := j.Commits.Sending(ctx, run, step)
	if errors.Is(err, store.ErrSent) {
		return errors.Join(replayer.ErrSent, err)
	}
	return err
}

// hashed names a picture by what it shows.
func hashed(png []byte) string {
	sum := sha256.Sum256(png)
	return "picture:sha256-" + hex.EncodeToString(sum[:])
}
