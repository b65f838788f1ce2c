package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
)

// What follows is for the packages of other stores, so that each refuses the same things.

// CheckAsk says what is wrong with a question, or with how long it is to wait, as an
// *InvalidApprovalError.
func CheckAsk(q Question, lasting time.Duration) error {
	if err := q.Validate(); err != nil {
		return err
	}
	if lasting <= 0 || lasting > MaxApproval {
		return &InvalidApprovalError{q.Run, fmt.Sprintf("a question waits for at most %v, and for some time", MaxApproval)}
	}
	return nil
}

// CheckOffer says what is wrong with to whom a question is offered.
func CheckOffer(to string) error {
	if to == "" || !isText(to, maxQuestionLine) {
		return &InvalidApprovalError{"", "to whom it is offered is not said, in a line of text"}
	}
	return nil
}

// MostOffers is how often a question is offered at most.
const MostOffers = mostOffers

// TooManyOffers is the error of one offer more.
func TooManyOffers(run string) error {
	return &InvalidApprovalError{run, fmt.Sprintf("it was offered %d times, and nobody has answered", mostOffers)}
}

// IsID reports whether an identifier is one that NewRunID makes.
func IsID(id string) bool { return idPattern.MatchString(id) }

// NewNonce gives a nonce.
func NewNonce() string { return rand.Text() }

// NonceHash is what is kept of a nonce.
func NonceHash(nonce string) string {
	sum := sha256.Sum256([]byte(nonce))
	return hex.EncodeToString(sum[:])
}

// ApprovalNotFound is the error for an approval that there is not. It is ErrNotFound.
func ApprovalNotFound(id string) error { return approvalNotFound(id) }

// AnsweredState is where an answer leads to.
func AnsweredState(yes bool) ApprovalState { return answered(yes) }

// WhyNotApproved is the error of Spend for an approval that cannot be counted on.
func WhyNotApproved(a Approval, run string, now time.Time) *NotApprovedError {
	reason := ""
	switch {
	case a.Run != run:
		reason = "it was given to run " + a.Run
	case a.State != ApprovalApproved:
		reason = "it is " + string(a.State)
	case !a.Spent.IsZero():
		reason = "that run has counted on it before, and a yes counts once"
	case now.Sub(a.Answered) > SpendWithin:
		reason = fmt.Sprintf("it was said more than %v ago: ask again", SpendWithin)
	default:
		return nil
	}
	return &NotApprovedError{a.ID, run, reason}
}

// PollApproval looks again and again until an approval is no longer pending.
func PollApproval(ctx context.Context, every time.Duration, look func(context.Context) (Approval, error)) (Approval, error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		a, err := look(ctx)
		if err != nil || a.State != ApprovalPending {
			return a, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return a, context.Cause(ctx)
		}
	}
}

// firstIDOf is the first of the identifiers that NewRunID may give at a time.
func firstIDOf(t time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(t.UnixMilli())<<16)
	return idEncoding.EncodeToString(b[:])
}
