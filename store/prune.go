package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Pruner removes records that have ended. Every store is one.
type Pruner interface {
	// Prune removes what ended before a time, and returns each record once it is removed, or,
	// for a dry run, as it would be. It may be called while runs are performed, by several
	// processes, and again after a crash at any point, which completes what was interrupted.
	//
	// These stay: a run that has not ended, is uncertain, cannot be read or has a commit
	// whose outcome is unknown, with its approvals, handoffs and traces. One that PruneOptions.Lost
	// reports has ended. The notes of the
	// commits that it has sent stay for each run that is not done, and so can be resumed, and
	// where there is no record of a run: their ErrAlreadySent is what keeps a step from being
	// sent twice.
	//
	// An error of the iteration itself is its last pair.
	Prune(ctx context.Context, o PruneOptions) iter.Seq2[Pruned, error]
}

// PruneOptions are those of Prune.
type PruneOptions struct {
	Before time.Time // what ended before it is removed; the zero time removes nothing
	DryRun bool      // nothing is removed
	// Lost reports whether the process of a run, which is stored as performed, died without
	// recording a result; nil is that none did. Such a run ended with the last of its steps.
	Lost func(Run) bool
}

// Pruned is a record that was removed.
type Pruned struct {
	Kind    PrunedKind `json:"kind"`
	ID      string     `json:"id"`             // of a trace, its session
	Name    string     `json:"name,omitempty"` // the automation of a run
	Account string     `json:"account,omitempty"`
	Ended   time.Time  `json:"ended"`
	// Size is how much room it took, in bytes: of files their contents, of rows the text
	// of the records.
	Size int64 `json:"size"`
	// Commits is set where the notes of its commits stay.
	Commits bool `json:"commits_stay,omitempty"`
	// Left is why files of it could not be removed, "" where all were. The next prune tries again.
	Left string `json:"left,omitempty"`
}

// PrunedKind is what a record is of.
type PrunedKind string

// The kinds of records that Prune removes. A run goes with its report and its downloads.
const (
	PrunedRun      PrunedKind = "run"
	PrunedTrace    PrunedKind = "trace"
	PrunedApproval PrunedKind = "approval"
	PrunedHandoff  PrunedKind = "handoff"
	// PrunedPayment is an entry of the ledger, whose ID is RUN.STEP. One that a limit of today may count,
	// or whose outcome is unknown, stays whatever its age.
	PrunedPayment PrunedKind = "payment"
)

// closed reports whether a run ended in a way that leaves no question open. Whether it has an
// unresolved commit the journal of commits tells.
func (o PruneOptions) closed(r Run) bool {
	switch r.State {
	case Done, Failed, Cancelled:
		return true
	case Running, WaitingForPerson:
		return o.Lost != nil && o.Lost(r)
	}
	return false
}

// runEnded returns when a run ended, and whether it is one to remove.
func runEnded(r Run, o PruneOptions) (ended time.Time, is bool) {
	ended = r.Finished
	if ended.IsZero() && (r.State == Running || r.State == WaitingForPerson) {
		ended = r.Started
		for _, s := range r.Steps {
			if end := s.Started.Add(s.Duration); end.After(ended) {
				ended = end
			}
		}
	}
	return ended, o.closed(r) && !ended.IsZero() && ended.Before(o.Before)
}

// approvalEnded returns when an approval ended, and whether that was before a time. One that
// was given a moment ago may still be redeemed.
func approvalEnded(a Approval, now, before time.Time) (time.Time, bool) {
	ended := a.Deadline
	if !a.Answered.IsZero() {
		ended = a.Answered
	}
	if a.Spent.After(ended) {
		ended = a.Spent
	}
	if a.State == ApprovalWithdrawn {
		ended = a.Asked // when it was withdrawn is not stored
	}
	redeemable := a.State == ApprovalApproved && a.Spent.IsZero() && now.Sub(a.Answered) <= SpendWithin
	return ended, a.State != ApprovalPending && !redeemable && ended.Before(before)
}

func handoffEnded(h Handoff, before time.Time) bool {
	return h.State != HandoffRunning && !h.Ended.IsZero() && h.Ended.Before(before)
}

// prunable removes a record, or measures it for a dry run. gone is false for a record that
// is not as it was when it was found: it stays.
type prunable func(ctx context.Context, p Pruned) (removed Pruned, gone bool, err error)

// prune finds what ended before a time, and has remove remove it, which looks again.
func prune(ctx context.Context, st Store, o PruneOptions, remove prunable) iter.Seq2[Pruned, error] {
	return func(yield func(Pruned, error) bool) {
		p := &pruning{st: st, PruneOptions: o, remove: remove, yield: yield, needed: map[string]bool{}}
		for _, kind := range []func(context.Context) error{p.traces, p.approvals, p.handoffs, p.payments, p.runs} {
			err := kind(ctx)
			if errors.Is(err, errLeft) {
				return
			}
			if err != nil {
				yield(Pruned{}, err)
				return
			}
		}
	}
}

var errLeft = errors.New("the caller has left")

type pruning struct {
	st Store
	PruneOptions
	remove prunable
	yield  func(Pruned, error) bool
	needed map[string]bool // of runs, whether what belongs to them stays
}

func (p *pruning) one(ctx context.Context, found Pruned) error {
	removed, gone, err := p.remove(ctx, found)
	if err != nil || !gone {
		return err
	}
	if !p.yield(removed, nil) {
		return errLeft
	}
	return nil
}

// isNeeded reports whether what belongs to a run has to stay: it is open, or uncertain.
func (p *pruning) isNeeded(ctx context.Context, run string) (bool, error) {
	run, _, _ = strings.Cut(run, ".") // one that is played within another
	if needed, known := p.needed[run]; known || run == "" {
		return needed, nil
	}
	r, err := p.st.Runs().Get(ctx, run)
	switch {
	case errors.Is(err, ErrNotFound):
	case ctx.Err() != nil:
		return true, context.Cause(ctx)
	case errors.Is(err, ErrClosed):
		return true, err
	case err != nil:
		p.needed[run] = true // it cannot be read
		return true, nil
	case !p.closed(r):
		p.needed[run] = true
		return true, nil
	}
	if checkCommit(run, 0) != nil {
		return false, nil // what is no name of a run has no commits
	}
	unresolved, err := p.st.Commits().Unresolved(ctx, run)
	if err == nil {
		p.needed[run] = unresolved
	}
	return unresolved, err
}

func (p *pruning) runs(ctx context.Context) error {
	for r, err := range p.st.Runs().List(ctx) {
		if err != nil {
			return err
		}
		ended, is := runEnded(r.Run, p.PruneOptions)
		if r.Err != nil || !is {
			continue
		}
		if err := p.one(ctx, Pruned{Kind: PrunedRun, ID: r.ID, Name: r.Automation, Account: cmp.Or(r.PlayedFor, r.Account), Ended: ended}); err != nil {
			return err
		}
	}
	return nil
}

func (p *pruning) approvals(ctx context.Context) error {
	for a, err := range p.st.Approvals().List(ctx) {
		if err != nil {
			return err
		}
		ended, is := approvalEnded(a.Approval, time.Now(), p.Before)
		if a.Err != nil || !is {
			continue
		}
		if err := p.of(ctx, a.Run, Pruned{Kind: PrunedApproval, ID: a.ID, Ended: ended}); err != nil {
			return err
		}
	}
	return nil
}

func (p *pruning) handoffs(ctx context.Context) error {
	for h, err := range p.st.Handoffs().List(ctx) {
		if err != nil {
			return err
		}
		if h.Err != nil || !handoffEnded(h.Handoff, p.Before) {
			continue
		}
		if err := p.of(ctx, h.Run, Pruned{Kind: PrunedHandoff, ID: h.ID, Ended: h.Ended}); err != nil {
			return err
		}
	}
	return nil
}

func (p *pruning) payments(ctx context.Context) error {
	now := time.Now()
	for e, err := range p.st.Limits().Payments(ctx) {
		if err != nil {
			return err
		}
		if e.Err != nil || !paymentEnded(e, now, p.Before) {
			continue
		}
		if err := p.one(ctx, Pruned{Kind: PrunedPayment, ID: e.Run + "." + strconv.Itoa(e.Step), Ended: e.Begun}); err != nil {
			return err
		}
	}
	return nil
}

// paymentEnded reports whether an entry of the ledger was begun before a time, and is needed no more: no
// period of now is that old, and its outcome is known.
func paymentEnded(e LedgerEntry, now, before time.Time) bool {
	return e.State != Reserved && e.Begun.Before(before) && e.Begun.Before(PerMonth.Start(now)) && e.Begun.Before(PerWeek.Start(now))
}

// of removes what belongs to a run that does not need it.
func (p *pruning) of(ctx context.Context, run string, found Pruned) error {
	needed, err := p.isNeeded(ctx, run)
	if err != nil || needed {
		return err
	}
	return p.one(ctx, found)
}

// traces removes whole traces: a line that is taken out shows as a broken trace.
func (p *pruning) traces(ctx context.Context) error {
	sessions, err := p.st.Journal().Sessions(ctx)
	if err != nil {
		return err
	}
	for _, session := range sessions {
		ended, is, err := p.traceEnded(ctx, session)
		if err != nil {
			return err
		}
		if !is {
			continue
		}
		if err := p.one(ctx, Pruned{Kind: PrunedTrace, ID: session, Ended: ended}); err != nil {
			return err
		}
	}
	return nil
}

// traceEnded returns when the last call of a session ended, and whether its trace may go. A
// trace that cannot be read is evidence, and stays.
func (p *pruning) traceEnded(ctx context.Context, session string) (ended time.Time, is bool, err error) {
	runs := map[string]bool{}
	for c, err := range p.st.Journal().Trace(ctx, session) {
		var broken *BrokenTraceError
		switch {
		case errors.Is(err, ErrNotFound), errors.As(err, &broken):
			return ended, false, nil
		case err != nil:
			return ended, false, err
		}
		if end := c.Started.Add(c.Took); end.After(ended) {
			ended = end
		}
		if !ended.Before(p.Before) {
			return ended, false, nil
		}
		runs[c.Run] = true
	}
	if ended.IsZero() {
		return ended, false, nil // no call was written down yet
	}
	for run := range runs {
		if needed, err := p.isNeeded(ctx, run); err != nil || needed {
			return ended, false, err
		}
	}
	return ended, true, nil
}

// reportOf returns the file of a run's report, "" where there is none on this machine. A
// record may come from anyone: only a plain file with the name that a report has is one.
func reportOf(r Run) (file string, size int64) {
	if !filepath.IsAbs(r.Report) || filepath.Base(r.Report) != r.Automation+"-"+r.ID+".html" {
		return "", 0
	}
	info, err := os.Lstat(r.Report)
	if err != nil || !info.Mode().IsRegular() {
		return "", 0
	}
	return r.Report, info.Size()
}

// sizeOf returns how much the files in a directory hold. What has gone meanwhile counts
// nothing, and links are not followed.
func sizeOf(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}
