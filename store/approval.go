package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-reprise/reprise/store/internal/rules"
)

// Approvals stores what runs ask a person for, and the answers. The run and the approver
// may be in different processes, and on different machines.
//
// A request is answered once, by an approver to whom it was offered, and before its
// deadline. Everything else denies it: an expired request, and every error. The clock is that of the
// store: of the machine for a directory, of the server for a database.
//
// Every method returns context.Cause(ctx) once ctx is done.
type Approvals interface {
	// Ask stores an approval request, which may be answered for some time, at most MaxApproval.
	// What the same run asked before, and is not answered, is withdrawn: a run waits for
	// one answer at a time.
	Ask(ctx context.Context, q ApprovalRequest, lasting time.Duration) (Approval, error)
	// IssueNonce returns a nonce to answer with, and notes to whom it is given: a chat, a user
	// at a terminal. Only a hash of it is stored.
	IssueNonce(ctx context.Context, id, to string) (nonce string, err error)
	// NoteTold notes what people were told of it, as Offered has it, also once it has ended. What was noted is not noted again.
	NoteTold(ctx context.Context, id, what string) error
	// Answer approves or denies the request. A nonce that was not given for it is a
	// *NonceError; a request that can no longer be answered, or was, an
	// *ApprovalEndedError. Of all who answer at once, one gets nil.
	Answer(ctx context.Context, id, nonce string, yes bool) (Approval, error)
	// Wait returns the approval once it is no longer pending: as it was answered, or as
	// expired or withdrawn.
	Wait(ctx context.Context, id string) (Approval, error)
	// Redeem uses an approval, once: for the run that it was given to, and no later than
	// SpendWithin after the answer. Otherwise it is a *NotApprovedError; a caller that gets
	// any error must not do what was asked for.
	Redeem(ctx context.Context, id, run string) (Approval, error)
	// Withdraw ends a request that no one waits for any more. One that has ended stays
	// as it is.
	Withdraw(ctx context.Context, id string) error
	// Picture returns the picture that a request was stored with, or an error that is ErrNotFound.
	Picture(ctx context.Context, id string) ([]byte, error)
	// Get returns an approval as it is, or an error that is ErrNotFound.
	Get(ctx context.Context, id string) (Approval, error)
	// Pending returns those that can be answered, the oldest first, and List all, the newest
	// first. One that cannot be read is listed with its reason. An error of the iteration
	// itself is its last pair.
	Pending(ctx context.Context) iter.Seq2[ApprovalSummary, error]
	List(ctx context.Context) iter.Seq2[ApprovalSummary, error]
}

const (
	// MaxApproval is how long a request may wait: what is older was asked about another
	// page, whatever it looks like.
	MaxApproval = 24 * time.Hour

	// SpendWithin is how long an approval is good for. The run that waits for it sees it within
	// a second; a machine that slept in between, or was cut off for longer, asks again.
	SpendWithin = time.Minute

	// MaxApprovalPicture is how many bytes the picture of a request may have: a page in full view has less
	// than half of that.
	MaxApprovalPicture = 1 << 20
)

// ApprovalRequest is what a person is asked for. It must hold no secrets: the caller redacts
// them.
type ApprovalRequest struct {
	Run    string `json:"run"`
	Step   int    `json:"step"` // index
	Tool   string `json:"tool"`
	Intent string `json:"intent,omitempty"`
	Label  string `json:"says,omitempty"` // the label of the control that is to be used
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
	// Process is the one that waits for the answer; nil where it is not known.
	Process *Process `json:"process,omitempty"`
	// Picture is a PNG or JPEG of the page, with what is secret covered, of at most MaxApprovalPicture
	// bytes. It is stored apart: only Approvals.Picture returns it.
	Picture []byte `json:"-"`
}

// Approval is a question, and what became of it.
type Approval struct {
	ID string
	ApprovalRequest
	Asked, Deadline time.Time
	State           ApprovalState
	Answered        time.Time // zero until it is
	By              string    // to whom it was offered that answered
	Spent           time.Time // zero until its run has spent it
	Offered         []string  // to whom nonces were given, and what people were told, sorted
}

// ApprovalSummary is an approval in a list.
type ApprovalSummary struct {
	Approval
	Err error // why it cannot be read; then only ID is set
}

// ApprovalState is the state of an approval.
type ApprovalState string

// The states of an approval. All but the first are ends.
const (
	ApprovalPending   ApprovalState = "pending"
	ApprovalApproved  ApprovalState = "approved"
	ApprovalDenied    ApprovalState = "denied"
	ApprovalExpired   ApprovalState = "expired"   // no answer in time
	ApprovalWithdrawn ApprovalState = "withdrawn" // the run no longer waits
)

// answeredState is the state that an answer leads to.
func answeredState(yes bool) ApprovalState {
	if yes {
		return ApprovalApproved
	}
	return ApprovalDenied
}

// ErrNotApproved is the error of Spend for what may not be done.
var ErrNotApproved = errors.New("not approved")

// ApprovalEndedError is the error for a question that can no longer be answered, and how
// it ended.
type ApprovalEndedError struct {
	ID    string
	State ApprovalState
	By    string // who answered it, "" for no one
}

func (e *ApprovalEndedError) Error() string {
	msg := "store: approval " + e.ID
	switch e.State {
	case ApprovalExpired:
		return msg + " has expired: no one answered in time, which denies it; the run that asked has to ask again"
	case ApprovalWithdrawn:
		return msg + " was withdrawn: the run that asked no longer waits for it"
	}
	return fmt.Sprintf("%s was answered before: it was %s by %s, and that stands", msg, e.State, e.By)
}

// NonceError is the error for a nonce that was not given for this question.
type NonceError struct{ ID string }

func (e *NonceError) Error() string {
	return fmt.Sprintf("store: the answer to approval %.40s is refused: it does not come from anyone to whom the question was offered", e.ID)
}

// NotApprovedError is why a run may not count on an approval. It is ErrNotApproved.
type NotApprovedError struct{ ID, Run, Reason string }

func (e *NotApprovedError) Error() string {
	return fmt.Sprintf("store: approval %.40s is no yes for run %.80s: %s", e.ID, e.Run, e.Reason)
}

// Is makes it ErrNotApproved.
func (e *NotApprovedError) Is(target error) bool { return target == ErrNotApproved }

// InvalidApprovalError is why a question, or an offer of it, is not stored.
type InvalidApprovalError struct{ Run, Reason string }

func (e *InvalidApprovalError) Error() string {
	return fmt.Sprintf("store: what run %.80q asks for is not stored: %s", e.Run, e.Reason)
}

// checkAsk returns what is wrong with a question, or with how long it is to wait, as an
// *InvalidApprovalError.
func checkAsk(q ApprovalRequest, lasting time.Duration) error {
	if err := q.Validate(); err != nil {
		return err
	}
	if lasting <= 0 || lasting > MaxApproval {
		return &InvalidApprovalError{q.Run, fmt.Sprintf("a question waits for at most %v, and for some time", MaxApproval)}
	}
	return nil
}

// checkOffer returns what is wrong with to whom a question is offered.
func checkOffer(to string) error {
	if to == "" || !isText(to, maxQuestionLine) {
		return &InvalidApprovalError{"", "to whom it is offered is not said, in a line of text"}
	}
	return nil
}

// tooManyOffers is the error of one offer more than there may be.
func tooManyOffers(run string) error {
	return &InvalidApprovalError{run, fmt.Sprintf("it was offered %d times, and no one has answered", rules.MaxOffers)}
}

// whyNotApproved returns the error of Spend for an approval that does not count.
func whyNotApproved(a Approval, run string, now time.Time) *NotApprovedError {
	reason := ""
	switch {
	case a.Run != run:
		reason = "it was given to run " + a.Run
	case a.State != ApprovalApproved:
		reason = "it is " + string(a.State)
	case !a.Spent.IsZero():
		reason = "that run has used it before, and an approval counts once"
	case now.Sub(a.Answered) > SpendWithin:
		reason = fmt.Sprintf("it was said more than %v ago: ask again", SpendWithin)
	default:
		return nil
	}
	return &NotApprovedError{a.ID, run, reason}
}

// pollApproval calls look again and again until an approval is no longer pending.
func pollApproval(ctx context.Context, every time.Duration, look func(context.Context) (Approval, error)) (Approval, error) {
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

// firstIDOf returns the first of the identifiers that NewRunID may return at a time.
func firstIDOf(t time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(t.UnixMilli())<<16)
	return idEncoding.EncodeToString(b[:])
}

const (
	// approvalFormat is the number of the format of approvals.
	approvalFormat = 1

	// What a question may hold. A person is to read it: a longer one is refused and not
	// shortened, since they would not see what they approve.
	maxQuestionLine = 1 << 10
	maxQuestionText = 16 << 10

	// maxApprovalSize bounds the text of an approval: each byte may be written as six.
	maxApprovalSize = 6 * (2*maxQuestionText + (9+rules.MaxOffers)*maxQuestionLine)
)

var (
	anyTool           = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9._-]{0,99}$`)
	hashText          = regexp.MustCompile(`^[0-9a-f]{64}$`)
	errApprovalFormat = errors.New("not a format of approvals that this version reads")
	errNoApproval     = errors.New("it is no approval")
)

// storedApproval is an approval as it is in a file.
type storedApproval struct {
	Format int    `json:"format"`
	ID     string `json:"id"`
	ApprovalRequest
	Asked    time.Time     `json:"asked"`
	Deadline time.Time     `json:"deadline"`
	State    ApprovalState `json:"state"`
	Answered time.Time     `json:"answered,omitzero"`
	By       string        `json:"by,omitempty"`
	Spent    time.Time     `json:"spent,omitzero"`
	Offers   []offer       `json:"offers,omitempty"`
}

// offer is who may answer, known by the hash of the nonce that they have.
type offer struct {
	Hash string `json:"hash"`
	To   string `json:"to"`
}

// at returns the approval as it is at a time.
func (s storedApproval) at(now time.Time) Approval {
	a := Approval{
		ID: s.ID, ApprovalRequest: s.ApprovalRequest, Asked: s.Asked, Deadline: s.Deadline, State: s.State, Answered: s.Answered, By: s.By, Spent: s.Spent,
	}
	if a.State == ApprovalPending && !now.Before(a.Deadline) {
		a.State = ApprovalExpired
	}
	for _, o := range s.Offers {
		a.Offered = append(a.Offered, o.To)
	}
	slices.Sort(a.Offered)
	return a
}

// to returns to whom a nonce was given.
func (s storedApproval) to(nonce string) (who string, given bool) {
	hash := hashOf([]byte(nonce)) // which is all that is stored of it
	for _, o := range s.Offers {
		if o.Hash == hash {
			return o.To, true
		}
	}
	return "", false
}

// Validate returns what is wrong with a question, as an *InvalidApprovalError. A store calls
// it before it writes.
func (q ApprovalRequest) Validate() error {
	reason := ""
	switch {
	case !runPattern.MatchString(q.Run):
		reason = "a run is named with small letters and digits"
	case q.Step < 0:
		reason = "a step is counted from 0"
	case !anyTool.MatchString(q.Tool):
		reason = fmt.Sprintf("%.60q is not the name of a tool", q.Tool)
	case !isText(q.Intent, maxQuestionLine), !isText(q.Payee, maxQuestionLine), !isText(q.Amount, maxQuestionLine), !isText(q.Currency, maxQuestionLine), !isText(q.Label, maxQuestionText):
		reason = "it is not text, or longer than a person reads"
	case !isText(q.Origin, maxQuestionLine) || strings.ContainsAny(q.Origin, "?#@"):
		reason = "its origin is none"
	case !isText(q.Method, maxQuestionLine), !isText(q.Type, maxQuestionLine), q.Size < 0:
		reason = "what it says of the request is not text, or longer than a person reads"
	case !isPicture(q.Picture):
		reason = fmt.Sprintf("its picture is no PNG or JPEG of at most %d bytes", MaxApprovalPicture)
	case q.Process != nil && (!isText(q.Process.Host, maxQuestionLine) || q.Process.PID < 0):
		reason = "what it says of its process is not text"
	case !isAddress(q.URL), q.Request != "" && !isAddress(q.Request):
		reason = "its address holds more than where the page is: leave out user, query and fragment"
	default:
		return nil
	}
	return &InvalidApprovalError{q.Run, reason}
}

// isPicture reports whether bytes are none, or may be a picture that browsers show as nothing else.
func isPicture(data []byte) bool {
	return len(data) == 0 || len(data) <= MaxApprovalPicture && (bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")) || bytes.HasPrefix(data, []byte("\xff\xd8\xff")))
}

// isText reports whether a text fits into every store, and is of at most limit bytes.
func isText(s string, limit int) bool {
	return len(s) <= limit && utf8.ValidString(s) && !strings.Contains(s, "\x00")
}

// isAddress reports whether an address has no place for a secret.
func isAddress(s string) bool {
	if !isText(s, maxQuestionText) || strings.ContainsAny(s, "?#") {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.User == nil
}

func encodeApproval(s storedApproval) ([]byte, error) {
	s.Format = approvalFormat
	return encodeIndented(s)
}

// decodeApproval reads what encodeApproval returns, and refuses what no store writes.
func decodeApproval(data []byte) (storedApproval, error) {
	var s storedApproval
	if err := json.Unmarshal(data, &s); err != nil {
		return storedApproval{}, err
	}
	if s.Format < 1 || s.Format > approvalFormat {
		return storedApproval{}, fmt.Errorf("%w: format %d", errApprovalFormat, s.Format)
	}
	if err := s.Validate(); err != nil {
		return storedApproval{}, err
	}
	switch {
	case !idPattern.MatchString(s.ID), s.Asked.IsZero(), s.Deadline.Sub(s.Asked) > MaxApproval, len(s.Offers) > rules.MaxOffers, !isText(s.By, maxQuestionLine):
		return storedApproval{}, errNoApproval
	}
	for _, o := range s.Offers {
		if !hashText.MatchString(o.Hash) || !isText(o.To, maxQuestionLine) {
			return storedApproval{}, errNoApproval
		}
	}
	switch s.State {
	case ApprovalPending, ApprovalWithdrawn:
		if !s.Answered.IsZero() || !s.Spent.IsZero() {
			return storedApproval{}, errNoApproval
		}
	case ApprovalApproved, ApprovalDenied:
		if s.Answered.IsZero() || s.State == ApprovalDenied && !s.Spent.IsZero() {
			return storedApproval{}, errNoApproval
		}
	default:
		return storedApproval{}, errNoApproval
	}
	return s, nil
}
