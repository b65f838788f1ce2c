package store

import (
	"context"
	"iter"
	"time"
)

// Approvals keeps what runs ask a person for, and what the person has said. Whoever asks
// and whoever answers may be in different processes, and on different machines.
//
// A question is answered once, by somebody to whom it was offered, and before its
// deadline. All else is a no: silence, and every error. The clock is that of the store:
// of the machine for a directory, of the server for a database.
//
// Every method returns context.Cause(ctx) once ctx is done.
type Approvals interface {
	// Ask keeps a question, which may be answered for as long as is said, at most for
	// MaxApproval. What the same run asked before, and nobody has answered, is withdrawn:
	// a run waits for one answer at a time.
	Ask(ctx context.Context, q Question, lasting time.Duration) (Approval, error)
	// Offer gives a nonce with which somebody may answer, and notes to whom it is given:
	// a chat, a person at a terminal. The store keeps a hash of it alone.
	Offer(ctx context.Context, id, to string) (nonce string, err error)
	// Answer keeps a yes or a no. A nonce that was not given for this question is a
	// *NonceError; a question that can no longer be answered, or was, an
	// *ApprovalEndedError. Of all who answer at once, one is given nil.
	Answer(ctx context.Context, id, nonce string, yes bool) (Approval, error)
	// Wait gives the approval once it is no longer pending: as it was answered, or as
	// expired or withdrawn.
	Wait(ctx context.Context, id string) (Approval, error)
	// Spend has a yes count, once: for the run that it was given to, and no later than
	// SpendWithin after it was said. Otherwise it is a *NotApprovedError, and whoever is
	// given any error must not do what was asked for.
	Spend(ctx context.Context, id, run string) (Approval, error)
	// Withdraw ends a question that nobody waits for any more. One that has ended stays
	// as it is.
	Withdraw(ctx context.Context, id string) error
	// Get gives an approval as it stands, or an error that is ErrNotFound.
	Get(ctx context.Context, id string) (Approval, error)
	// Pending gives those that can be answered, the oldest first, and List all, the newest
	// first. One that cannot be read is listed with its reason. An error of the iteration
	// itself is its last pair.
	Pending(ctx context.Context) iter.Seq2[ApprovalSummary, error]
	List(ctx context.Context) iter.Seq2[ApprovalSummary, error]
}

const (
	// MaxApproval is how long a question may wait: what is older was asked about another
	// page, whatever it looks like.
	MaxApproval = 24 * time.Hour

	// SpendWithin is how long a yes is good for. Whoever waits for it hears it within a
	// second; a machine that slept in between, or was cut off for longer, asks again.
	SpendWithin = time.Minute
)

// Question is what a person is asked for. It has no place for secrets: who asks sees to
// that.
type Question struct {
	Run    string `json:"run"`
	Step   int    `json:"step"` // index
	Tool   string `json:"tool"`
	Intent string `json:"intent,omitempty"`
	Says   string `json:"says,omitempty"` // what the control says that is to be used
	Origin string `json:"origin"`
	URL    string `json:"url"` // without user, query and fragment
	// Payee, Amount and Currency are what the page shows.
	Payee    string `json:"payee,omitempty"`
	Amount   string `json:"amount,omitempty"`
	Currency string `json:"currency,omitempty"`
	// Method, Request, Type and Size are of the request that waits, where one does.
	Method  string `json:"method,omitempty"`
	Request string `json:"request,omitempty"` // its address, without user, query and fragment
	Type    string `json:"type,omitempty"`
	Size    int    `json:"size,omitempty"` // of its body, in bytes
}

// Approval is a question, and what became of it.
type Approval struct {
	ID string
	Question
	Asked, Deadline time.Time
	State           ApprovalState
	Answered        time.Time // zero until somebody does
	By              string    // to whom it was offered that answered
	Spent           time.Time // zero until its run has counted on it
}

// ApprovalSummary is an approval in a list.
type ApprovalSummary struct {
	Approval
	Err error // why it cannot be read; then only ID is set
}

// ApprovalState says where an approval stands.
type ApprovalState string

// The states of an approval. All but the first are ends.
const (
	ApprovalPending   ApprovalState = "pending"
	ApprovalApproved  ApprovalState = "approved"
	ApprovalDenied    ApprovalState = "denied"
	ApprovalExpired   ApprovalState = "expired"   // nobody answered in time
	ApprovalWithdrawn ApprovalState = "withdrawn" // whoever asked no longer waits
)

// Answered is the state that an answer leads to.
func answered(yes bool) ApprovalState {
	if yes {
		return ApprovalApproved
	}
	return ApprovalDenied
}
