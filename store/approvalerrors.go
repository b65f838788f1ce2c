package store

import (
	"errors"
	"fmt"
)

// ErrNotApproved is the error of Spend for what may not be done.
var ErrNotApproved = errors.New("not approved")

// ApprovalEndedError says that a question can no longer be answered, and how it ended.
type ApprovalEndedError struct {
	ID    string
	State ApprovalState
	By    string // who answered it, "" for nobody
}

func (e *ApprovalEndedError) Error() string {
	msg := "store: approval " + e.ID
	switch e.State {
	case ApprovalExpired:
		return msg + " has expired: nobody answered in time, which is a no; whoever asked has to ask again"
	case ApprovalWithdrawn:
		return msg + " was withdrawn: whoever asked no longer waits for it"
	}
	return fmt.Sprintf("%s was answered before: it was %s by %s, and that stands", msg, e.State, e.By)
}

// NonceError says that an answer came with a nonce that was not given for this question.
type NonceError struct{ ID string }

func (e *NonceError) Error() string {
	return fmt.Sprintf("store: the answer to approval %.40s is refused: it does not come from anybody to whom the question was offered", e.ID)
}

// NotApprovedError says why a run may not count on an approval. It is ErrNotApproved.
type NotApprovedError struct{ ID, Run, Reason string }

func (e *NotApprovedError) Error() string {
	return fmt.Sprintf("store: approval %.40s is no yes for run %.80s: %s", e.ID, e.Run, e.Reason)
}

// Is makes it ErrNotApproved.
func (e *NotApprovedError) Is(target error) bool { return target == ErrNotApproved }

// InvalidApprovalError says why a question, or an offer of it, is not kept.
type InvalidApprovalError struct{ Run, Reason string }

func (e *InvalidApprovalError) Error() string {
	return fmt.Sprintf("store: what run %.80q asks for is not kept: %s", e.Run, e.Reason)
}

// approvalNotFound is the error for an approval that there is not.
func approvalNotFound(id string) error {
	return fmt.Errorf("store: approval %.40q: %w", id, ErrNotFound)
}
