package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-reprise/reprise/agent/autonomy"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/runs"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// earlier is the record of a run that is to be gone on with; nil where resume is "".
func (c *call) earlier(ctx context.Context, a *automation.Automation, resume string) (*store.Run, error) {
	if resume == "" {
		return nil, nil
	}
	run, err := c.session.server.options.Store.Runs().Get(ctx, resume)
	if err != nil {
		return nil, err
	}
	switch {
	case run.Automation != a.Name || run.Account != a.Match.Account:
		return nil, refuse(InvalidArguments, "name the automation and the account that the run is of", "the run %s is of another automation", resume)
	case run.State == store.Uncertain:
		return nil, refuse(string(replayer.Uncertain), nexts[replayer.Uncertain], "what it has sent is not known to have been done, or not")
	case run.Resume == "":
		return nil, refuse(NotFound, "run it anew", "the run %s cannot be gone on with", resume)
	}
	return &run, nil
}

// begin begins the record of a run, from which the session knows it later.
func (c *call) begin(ctx context.Context, a *automation.Automation, earlier *store.Run) *runs.Recording {
	s := c.session.server
	record := runs.Begin(ctx, s.options.Store, a, runs.Options{Earlier: earlier, Now: s.options.Now, NewID: s.options.NewID})
	c.run = record.ID()
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.runs = append(c.session.runs, c.run)
	return record
}

// keep keeps the record of a run that has ended, with what the guard of the agent's
// answers has counted.
func (c *call) keep(ctx context.Context, record *runs.Recording, result *replayer.Result, played error) store.Run {
	s := c.session.server
	run := record.End(ctx, result, played)
	if s.options.Guard != nil {
		run.Guard = counted(s.options.Guard())
	}
	if err := record.Keep(ctx, run); err != nil {
		s.options.Logger.ErrorContext(ctx, "the record of a run was not kept", "run", run.ID, "error", err)
	}
	return run
}

// counted is what a guard has counted, as a record has it.
func counted(s autonomy.Stats) *store.GuardCounts {
	counts := &store.GuardCounts{
		Answers: s.Answers, Asking: s.Asking, Continued: s.Continued, NeedsPerson: s.NeedsPerson, Reported: s.Reported, LogOnly: s.LogOnly,
		Reasons: map[string]int{}, Topics: map[string]int{},
	}
	for reason, n := range s.Features {
		counts.Reasons[string(reason)] = n
	}
	for topic, n := range s.Topics {
		counts.Topics[string(topic)] = n
	}
	return counts
}

// hashed names a picture by what it shows.
func hashed(png []byte) string {
	sum := sha256.Sum256(png)
	return "picture:sha256-" + hex.EncodeToString(sum[:])
}
