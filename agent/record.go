package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"

	"github.com/go-reprise/reprise/agent/autonomy/stats"
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
	run, err := c.session.run(ctx, resume)
	if err != nil {
		return nil, err
	}
	if run, _, err = runs.Current(ctx, c.session.server.options.Store.Commits(), run); err != nil {
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

// run returns the record of a run that the client may see. One that it may not, or of which
// nobody can tell whose it is, is told of as one that is not there.
func (s *session) run(ctx context.Context, id string) (store.Run, error) {
	run, err := s.server.options.Store.Runs().Get(ctx, id)
	if s.server.options.ShareJournal {
		return run, err
	}
	var unreadable *store.PathError
	if errors.As(err, &unreadable) {
		s.server.options.Logger.WarnContext(ctx, "the record of a run cannot be read", "run", id, "error", err)
		return store.Run{}, store.RunNotFound(id)
	}
	if err == nil && run.Owner != s.owner() {
		return store.Run{}, store.RunNotFound(id)
	}
	return run, err
}

// runs lists the runs that the client may see.
func (s *session) runs(ctx context.Context) iter.Seq2[store.RunSummary, error] {
	if s.server.options.ShareJournal {
		return s.server.options.Store.Runs().List(ctx)
	}
	return s.server.options.Store.Runs().ListOf(ctx, s.owner())
}

// begin begins the record of a run, which is the session's owner's.
func (c *call) begin(ctx context.Context, a *automation.Automation, earlier *store.Run) *runs.Recording {
	s := c.session.server
	record := runs.Begin(ctx, s.options.Store, a, runs.Options{Earlier: earlier, Owner: c.session.owner(), Now: s.options.Now, NewID: s.options.NewID})
	c.run = record.ID()
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
func counted(c stats.Counts) *store.GuardCounts {
	return &store.GuardCounts{
		Answers: c.Answers, Asking: c.Asking, Continued: c.Continued, NeedsPerson: c.NeedsPerson, Reported: c.Reported, LogOnly: c.LogOnly,
		Reasons: c.Features, Topics: c.Topics,
	}
}

// hashed names a picture by what it shows.
func hashed(png []byte) string {
	sum := sha256.Sum256(png)
	return "picture:sha256-" + hex.EncodeToString(sum[:])
}
