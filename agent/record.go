package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"

	"github.com/go-reprise/reprise/agent/autonomy/stats"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// notResumed is what an agent is told of a run that cannot be resumed.
func notResumed(e *runner.ResumeError) error {
	switch e.Why {
	case runner.OtherAutomation:
		return refuse(InvalidArguments, "name the automation and the account that the run is of", "the run %s is of another automation", e.Run.ID)
	case runner.RunUncertain:
		return refuse(string(replayer.Uncertain), nexts[replayer.Uncertain], "%v", e)
	case runner.RunBusy:
		return refuse(Conflict, "it is under way: run_status tells when it has ended", "%v", e)
	}
	return refuse(NotFound, "run it again", "%v", e)
}

// run returns the record of a run that the client may see. One that it may not, or of which
// no one can tell whose it is, is told of as one that is not there.
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
