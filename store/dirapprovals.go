package store

import (
	"context"
	"iter"
	"path/filepath"
	"slices"
	"time"
)

const (
	approvalsDir = "approvals"
	approvalExt  = ".json"

	// approvalPoll is how often it is looked whether somebody has answered: a small file
	// is read, and people do not see a tenth of a second.
	approvalPoll = 100 * time.Millisecond
)

// dirApprovals keeps each approval in a file: approvals/ID.json.
type dirApprovals struct{ *dir }

// Approvals gives what runs ask a person for.
func (d *dir) Approvals() Approvals { return dirApprovals{d} }

func (d dirApprovals) Ask(ctx context.Context, q Question, lasting time.Duration) (Approval, error) {
	if err := d.ready(ctx); err != nil {
		return Approval{}, err
	}
	if err := CheckAsk(q, lasting); err != nil {
		return Approval{}, err
	}
	var a storedApproval
	err := d.write(ctx, func() error {
		if err := d.withdrawOf(ctx, q.Run); err != nil {
			return err
		}
		now := dirNow()
		a = storedApproval{ID: NewRunID(), Question: q, Asked: now, Deadline: now.Add(lasting), State: ApprovalPending}
		return d.put(a)
	})
	return a.at(a.Asked), err
}

// dirNow is the time by which a directory goes, as exact as every store keeps it.
func dirNow() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// withdrawOf ends what a run has asked before.
func (d dirApprovals) withdrawOf(ctx context.Context, run string) error {
	for a, err := range d.Pending(ctx) {
		if err != nil {
			return err
		}
		if a.Err != nil || a.Run != run {
			continue
		}
		s, err := d.read(a.ID)
		if err != nil {
			return err
		}
		s.State = ApprovalWithdrawn
		if err := d.put(s); err != nil {
			return err
		}
	}
	return nil
}

func (d dirApprovals) Offer(ctx context.Context, id, to string) (string, error) {
	nonce := NewNonce()
	_, err := d.change(ctx, id, func(s *storedApproval, now time.Time) error {
		if err := CheckOffer(to); err != nil {
			return err
		}
		if a := s.at(now); a.State != ApprovalPending {
			return &ApprovalEndedError{id, a.State, a.By}
		}
		if len(s.Offers) == mostOffers {
			return TooManyOffers(s.Run)
		}
		s.Offers = append(s.Offers, offer{NonceHash(nonce), to})
		return nil
	})
	if err != nil {
		return "", err
	}
	return nonce, nil
}

func (d dirApprovals) Answer(ctx context.Context, id, nonce string, yes bool) (Approval, error) {
	return d.change(ctx, id, func(s *storedApproval, now time.Time) error {
		who, given := s.to(nonce)
		if !given {
			return &NonceError{id}
		}
		if a := s.at(now); a.State != ApprovalPending {
			return &ApprovalEndedError{id, a.State, a.By}
		}
		s.State, s.Answered, s.By = answered(yes), now, who
		return nil
	})
}

func (d dirApprovals) Spend(ctx context.Context, id, run string) (Approval, error) {
	return d.change(ctx, id, func(s *storedApproval, now time.Time) error {
		if why := WhyNotApproved(s.at(now), run, now); why != nil {
			return why
		}
		s.Spent = now
		return nil
	})
}

func (d dirApprovals) Withdraw(ctx context.Context, id string) error {
	_, err := d.change(ctx, id, func(s *storedApproval, _ time.Time) error {
		if s.State == ApprovalPending {
			s.State = ApprovalWithdrawn
		}
		return nil
	})
	return err
}

// change changes an approval while nobody else does.
func (d dirApprovals) change(ctx context.Context, id string, do func(*storedApproval, time.Time) error) (Approval, error) {
	if err := d.ready(ctx); err != nil {
		return Approval{}, err
	}
	if !idPattern.MatchString(id) {
		return Approval{}, approvalNotFound(id)
	}
	var kept Approval
	err := d.write(ctx, func() error {
		s, err := d.read(id)
		if err != nil {
			return err
		}
		now := dirNow()
		if err := do(&s, now); err != nil {
			return err
		}
		kept = s.at(now)
		return d.put(s)
	})
	if err != nil {
		return Approval{}, err
	}
	return kept, nil
}

func (d dirApprovals) Get(ctx context.Context, id string) (Approval, error) {
	if err := d.ready(ctx); err != nil {
		return Approval{}, err
	}
	if !idPattern.MatchString(id) {
		return Approval{}, approvalNotFound(id)
	}
	s, err := d.read(id)
	return s.at(dirNow()), err
}

func (d dirApprovals) Wait(ctx context.Context, id string) (Approval, error) {
	return PollApproval(ctx, approvalPoll, func(ctx context.Context) (Approval, error) { return d.Get(ctx, id) })
}

// pendingFor is how long after it was asked a question may be pending, and somewhat longer:
// two machines that share a directory may differ in the time.
const pendingFor = MaxApproval + time.Hour

// Pending looks at those only that are young enough: an ID tells when it was made.
func (d dirApprovals) Pending(ctx context.Context) iter.Seq2[ApprovalSummary, error] {
	return func(yield func(ApprovalSummary, error) bool) {
		ids, err := d.recordIDs(ctx, approvalsDir, approvalExt)
		first, _ := slices.BinarySearch(ids, firstIDOf(time.Now().Add(-pendingFor)))
		d.each(ctx, ids[first:], err, func(s ApprovalSummary) bool {
			return s.Err == nil && s.State != ApprovalPending || yield(s, nil)
		}, yield)
	}
}

func (d dirApprovals) List(ctx context.Context) iter.Seq2[ApprovalSummary, error] {
	return func(yield func(ApprovalSummary, error) bool) {
		ids, err := d.recordIDs(ctx, approvalsDir, approvalExt)
		slices.Reverse(ids)
		d.each(ctx, ids, err, func(s ApprovalSummary) bool { return yield(s, nil) }, yield)
	}
}

// each reads one at a time, as far as see goes, and ends with what went wrong.
func (d dirApprovals) each(ctx context.Context, ids []string, err error, see func(ApprovalSummary) bool, last func(ApprovalSummary, error) bool) {
	if err == nil {
		err = eachRecord(ctx, d.dir, ids, d.read, func(id string, s storedApproval, unread error) bool {
			if unread != nil {
				return see(ApprovalSummary{Approval: Approval{ID: id}, Err: unread})
			}
			return see(ApprovalSummary{Approval: s.at(dirNow())})
		})
	}
	if err != nil {
		last(ApprovalSummary{}, err)
	}
}

func (d dirApprovals) path(id string) string {
	return filepath.Join(d.root, approvalsDir, id+approvalExt)
}

func (d dirApprovals) put(s storedApproval) error {
	data, err := encodeApproval(s)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(d.root, approvalsDir), d.path(s.ID), data)
}

func (d dirApprovals) read(id string) (storedApproval, error) {
	return readRecord(d.path(id), "approval", id, maxApprovalSize, decodeApproval, func(s storedApproval) string { return s.ID }, approvalNotFound(id))
}
