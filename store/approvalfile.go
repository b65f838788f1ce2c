package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// approvalFormat is the number of the format of approvals.
	approvalFormat = 1

	// mostOffers is far more than the ways in which a person is told.
	mostOffers = 32

	// What a question may hold. A person is to read it: what is longer than this is not
	// shortened, since they would not see what they say yes to.
	maxQuestionLine = 1 << 10
	maxQuestionText = 16 << 10

	// maxApprovalSize bounds the text of an approval: each byte may be written as six.
	maxApprovalSize = 6 * (2*maxQuestionText + (6+mostOffers)*maxQuestionLine)
)

var (
	anyTool           = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9._-]{0,99}$`)
	hashText          = regexp.MustCompile(`^[0-9a-f]{64}$`)
	errApprovalFormat = errors.New("not a format of approvals that this version reads")
	errNoApproval     = errors.New("it is no approval")
)

// storedApproval is an approval as it stands in a file.
type storedApproval struct {
	Format int    `json:"format"`
	ID     string `json:"id"`
	Question
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

// at gives the approval as it stands at a time.
func (s storedApproval) at(now time.Time) Approval {
	a := Approval{
		ID: s.ID, Question: s.Question, Asked: s.Asked, Deadline: s.Deadline, State: s.State, Answered: s.Answered, By: s.By, Spent: s.Spent,
	}
	if a.State == ApprovalPending && !now.Before(a.Deadline) {
		a.State = ApprovalExpired
	}
	return a
}

// to gives to whom a nonce was given.
func (s storedApproval) to(nonce string) (who string, given bool) {
	hash := NonceHash(nonce)
	for _, o := range s.Offers {
		if o.Hash == hash {
			return o.To, true
		}
	}
	return "", false
}

// Validate says what is wrong with a question, as an *InvalidApprovalError. A store calls
// it before it writes.
func (q Question) Validate() error {
	reason := ""
	switch {
	case !commitRunPattern.MatchString(q.Run):
		reason = "a run is named with small letters and digits"
	case q.Step < 0:
		reason = "a step is counted from 0"
	case !anyTool.MatchString(q.Tool):
		reason = fmt.Sprintf("%.60q is not the name of a tool", q.Tool)
	case !isText(q.Intent, maxQuestionLine), !isText(q.Payee, maxQuestionLine), !isText(q.Amount, maxQuestionLine), !isText(q.Currency, maxQuestionLine), !isText(q.Says, maxQuestionText):
		reason = "it is not text, or longer than a person reads"
	case !isText(q.Origin, maxQuestionLine) || strings.ContainsAny(q.Origin, "?#@"):
		reason = "its origin is none"
	case !isText(q.Method, maxQuestionLine), !isText(q.Type, maxQuestionLine), q.Size < 0:
		reason = "what it says of the request is not text, or longer than a person reads"
	case !isAddress(q.URL), q.Request != "" && !isAddress(q.Request):
		reason = "its address holds more than where the page is: leave out user, query and fragment"
	default:
		return nil
	}
	return &InvalidApprovalError{q.Run, reason}
}

// isText reports whether a text can be kept by every store, and is no longer than most.
func isText(s string, most int) bool {
	return len(s) <= most && utf8.ValidString(s) && !strings.Contains(s, "\x00")
}

// isAddress reports whether an address has no place for a secret.
func isAddress(s string) bool {
	if !isText(s, maxQuestionText) || strings.ContainsAny(s, "?#") {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.User == nil
}

// encodeApproval gives the text of an approval.
func encodeApproval(s storedApproval) ([]byte, error) {
	s.Format = approvalFormat
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(s)
	return text.Bytes(), err
}

// decodeApproval reads what encodeApproval gives, and holds it to what a store writes.
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
	case !idPattern.MatchString(s.ID), s.Asked.IsZero(), s.Deadline.Sub(s.Asked) > MaxApproval, len(s.Offers) > mostOffers, !isText(s.By, maxQuestionLine):
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
