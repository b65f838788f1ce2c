package runner

import (
	"context"
	"os"
	"time"

	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// clockSlack is by how much the beginning of one process may be told differently, as
// the clock of its machine is set.
const clockSlack = 2 * time.Second

// ThisProcess returns this process.
func ThisProcess() *store.Process {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	began, _ := look(os.Getpid())
	return &store.Process{PID: os.Getpid(), Host: host, Started: began.UTC()}
}

// Current returns a record as it stands now, and whether its process died without recording
// a result (Lost). A lost run with a commit whose outcome is unknown is uncertain: the
// journal of commits tells, and no one has to resume the run to find out.
func Current(ctx context.Context, commits store.Commits, r store.Run) (now store.Run, lost bool, err error) {
	if !Lost(r) {
		return r, false, nil
	}
	unresolved, err := commits.Unresolved(ctx, r.ID)
	if err != nil {
		return r, true, err
	}
	if unresolved {
		r.State, r.Code, r.Reason = store.Uncertain, string(replayer.Uncertain), "its process died after a commit was sent, and before its outcome was known"
	}
	return r, true, nil
}

// Lost reports whether a run process died without recording a result: its record says that it is
// performed, and anyone who performed it has gone. Of other machines nothing is known.
func Lost(r store.Run) bool {
	return (r.State == store.Running || r.State == store.WaitingForPerson) && Gone(r.Process)
}

// Gone reports whether a process of this machine has ended. Of other machines, and of nil, nothing is known.
func Gone(p *store.Process) bool {
	host, err := os.Hostname()
	if p == nil || err != nil || p.Host != host || p.PID <= 0 {
		return false
	}
	began, there := look(p.PID)
	if !there {
		return true
	}
	if began.IsZero() || p.Started.IsZero() {
		return false
	}
	return began.Sub(p.Started).Abs() > clockSlack // another has its number now
}

// WhyNoRetry returns why a run that has ended, and has sent so many commit steps, is not to be started again; "" where it may
// be.
func WhyNoRetry(run store.Run, sent int) string {
	switch {
	case run.State == store.Uncertain || sent > 0:
		return "it has sent a commit step, or may have: `reprise play " + Named(run.Automation, run.PlayedFor) + " --resume " + run.ID + "` goes on with it"
	case run.Revision == 0:
		return "what was played is not stored: play the file again"
	}
	return ""
}
