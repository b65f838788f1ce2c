package store

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"time"

	"github.com/go-reprise/reprise/store/internal/rules"
)

const (
	// approvalPoll is how often Wait looks for an answer: a small file is read, and people
	// do not see a tenth of a second.
	approvalPoll = 100 * time.Millisecond

	// pendingFor is how long after it was asked a question may be pending, and somewhat
	// longer: the clocks of two machines that share a directory may differ.
	pendingFor = MaxApproval + time.Hour
)

// pictureName is the file of an approval's picture, of any kind.
func pictureName(id string) string { return approvalsDir + "/" + id + ".picture" }

// dirApprovals has an approval in approvals/ID.json, and its picture in approvals/ID.picture.
type dirApprovals struct{ records[storedApproval] }

// Approvals returns what runs ask a person for.
func (d *dir) Approvals() Approvals {
	return dirApprovals{records[storedApproval]{d, "approval", approvalsDir, ".json", maxApprovalSize, decodeApproval, func(s storedApproval) string { return s.ID }}}
}

func (d dirApprovals) Ask(ctx context.Context, q ApprovalRequest, lasting time.Duration) (Approval, error) {
	if err := d.Ready(ctx); err != nil {
		return Approval{}, err
	}
	if err := checkAsk(q, lasting); err != nil {
		return Approval{}, err
	}
	var a storedApproval
	err := d.Write(ctx, func() error {
		if err := d.withdrawOf(ctx, q.Run); err != nil {
			return err
		}
		now := dirNow()
		a = storedApproval{ID: NewRunID(), ApprovalRequest: q, Asked: now, Deadline: now.Add(lasting), State: ApprovalPending}
		a.Picture = nil
		if len(q.Picture) > 0 { // first: who finds the request finds its picture
			if err := d.Replace(pictureName(a.ID), q.Picture); err != nil {
				return err
			}
		}
		return d.put(a)
	})
	return a.at(a.Asked), err
}

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

func (d dirApprovals) IssueNonce(ctx context.Context, id, to string) (string, error) {
	nonce := rand.Text()
	_, err := d.change(ctx, id, func(s *storedApproval, now time.Time) error {
		if err := checkOffer(to); err != nil {
			return err
		}
		if a := s.at(now); a.State != ApprovalPending {
			return &ApprovalEndedError{id, a.State, a.By}
		}
		if len(s.Offers) == rules.MaxOffers {
			return tooManyOffers(s.Run)
		}
		s.Offers = append(s.Offers, offer{hashOf([]byte(nonce)), to})
		return nil
	})
	if err != nil {
		return "", err
	}
	return nonce, nil
}

func (d dirApprovals) NoteTold(ctx context.Context, id, what string) error {
	if err := checkOffer(what); err != nil {
		return err
	}
	_, err := d.change(ctx, id, func(s *storedApproval, _ time.Time) error {
		switch {
		case slices.ContainsFunc(s.Offers, func(o offer) bool { return o.To == what }):
		case len(s.Offers) == rules.MaxOffers:
			return tooManyOffers(s.Run)
		default:
			s.Offers = append(s.Offers, offer{hashOf([]byte(rand.Text())), what}) // of a nonce that no one has
		}
		return nil
	})
	return err
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
		s.State, s.Answered, s.By = answeredState(yes), now, who
		return nil
	})
}

func (d dirApprovals) Redeem(ctx context.Context, id, run string) (Approval, error) {
	return d.change(ctx, id, func(s *storedApproval, now time.Time) error {
		if why := whyNotApproved(s.at(now), run, now); why != nil {
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

// change changes an approval while no one else does.
func (d dirApprovals) change(ctx context.Context, id string, do func(*storedApproval, time.Time) error) (Approval, error) {
	if err := d.Ready(ctx); err != nil {
		return Approval{}, err
	}
	if !idPattern.MatchString(id) {
		return Approval{}, notFound(d.kind, id)
	}
	var changed Approval
	err := d.Write(ctx, func() error {
		s, err := d.read(id)
		if err != nil {
			return err
		}
		now := dirNow()
		if err := do(&s, now); err != nil {
			return err
		}
		changed = s.at(now)
		return d.put(s)
	})
	if err != nil {
		return Approval{}, err
	}
	return changed, nil
}

func (d dirApprovals) put(s storedApproval) error {
	data, err := encodeApproval(s)
	if err != nil {
		return err
	}
	return d.Replace(d.name(s.ID), data)
}

func (d dirApprovals) Get(ctx context.Context, id string) (Approval, error) {
	s, err := d.get(ctx, id)
	return s.at(dirNow()), err
}

func (d dirApprovals) Picture(ctx context.Context, id string) ([]byte, error) {
	if _, err := d.get(ctx, id); err != nil {
		return nil, err
	}
	data, _, err := d.Read(pictureName(id), MaxApprovalPicture)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound("picture of approval", id)
	}
	if err == nil && (len(data) == 0 || !isPicture(data)) {
		err = pathError("read", d.Path(pictureName(id)), errNoApproval)
	}
	return data, err
}

func (d dirApprovals) Wait(ctx context.Context, id string) (Approval, error) {
	return pollApproval(ctx, approvalPoll, func(ctx context.Context) (Approval, error) { return d.Get(ctx, id) })
}

// Pending looks only at those that are young enough: an ID has the time that it was made at.
func (d dirApprovals) Pending(ctx context.Context) iter.Seq2[ApprovalSummary, error] {
	return func(yield func(ApprovalSummary, error) bool) {
		ids, err := d.ids(ctx)
		first, _ := slices.BinarySearch(ids, firstIDOf(time.Now().Add(-pendingFor)))
		each(ctx, d.records, ids[first:], err, summarizeApproval, func(s ApprovalSummary, err error) bool {
			return err == nil && s.Err == nil && s.State != ApprovalPending || yield(s, err)
		})
	}
}

func (d dirApprovals) List(ctx context.Context) iter.Seq2[ApprovalSummary, error] {
	return newest(ctx, d.records, summarizeApproval)
}

func summarizeApproval(id string, s storedApproval, unread error) ApprovalSummary {
	if unread != nil {
		return ApprovalSummary{Approval{ID: id}, unread}
	}
	return ApprovalSummary{Approval: s.at(dirNow())}
}
