package store

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store/internal/rules"
)

// shared are the rules of this package that the packages of other stores need, too. They
// call them by store/internal/driver, which documents them: it can name the types of this
// package, and this package cannot import it.
type shared struct{}

func init() { rules.Store = shared{} }

func (shared) IsID(id string) bool            { return idPattern.MatchString(id) }
func (shared) NotFound(kind, id string) error { return notFound(kind, id) }

func (shared) EncodeAutomation(a *automation.Automation, revision int) ([]byte, *automation.Automation, error) {
	return encodeAutomation(a, revision)
}
func (shared) DecodeRun(data []byte) (Run, error)     { return decodeRun(data) }
func (shared) CheckCommit(run string, step int) error { return checkCommit(run, step) }

func (shared) EncodeEnvelope(e Envelope) ([]byte, error)    { return encodeEnvelope(e) }
func (shared) DecodeEnvelope(data []byte) (Envelope, error) { return decodeEnvelope(data) }

func (shared) EncodeCall(c JournalCall, after rules.TraceEnd) ([]byte, JournalCall, rules.TraceEnd, error) {
	return encodeCall(c, after)
}
func (shared) DecodeCall(line []byte) (JournalCall, error) { return decodeCall(line) }
func (shared) CheckCall(session string, line []byte, after rules.TraceEnd) (rules.TraceEnd, string) {
	return checkCall(session, line, after)
}
func (shared) CheckTrace(session string, lines [][]byte, head rules.TraceEnd, torn bool) (TraceCheck, error) {
	return checkTrace(session, lines, head, torn)
}

func (shared) CheckAsk(q ApprovalRequest, lasting time.Duration) error { return checkAsk(q, lasting) }
func (shared) CheckOffer(to string) error                              { return checkOffer(to) }
func (shared) TooManyOffers(run string) error                          { return tooManyOffers(run) }
func (shared) NonceHash(nonce string) string                           { return hashOf([]byte(nonce)) }
func (shared) AnsweredState(yes bool) ApprovalState                    { return answeredState(yes) }
func (shared) WhyNotApproved(a Approval, run string, now time.Time) *NotApprovedError {
	return whyNotApproved(a, run, now)
}
func (shared) PollApproval(ctx context.Context, every time.Duration, look func(context.Context) (Approval, error)) (Approval, error) {
	return pollApproval(ctx, every, look)
}

func (shared) CheckStart(h Handoff, lasting time.Duration) error   { return checkStart(h, lasting) }
func (shared) CheckLasting(id string, lasting time.Duration) error { return checkLasting(id, lasting) }
func (shared) CheckEnd(id string, state HandoffState, after json.RawMessage) error {
	return checkEnd(id, state, after)
}
func (shared) CheckNote(id string, e HandoffEvent) error { return e.validate(id) }
func (shared) WhyNotEnd(h Handoff, to HandoffState, now time.Time) error {
	return whyNotEnd(h, to, now)
}
func (shared) WhyNoEvent(h Handoff, kind string, events int) error {
	return whyNoEvent(h, kind, events)
}
func (shared) EncodeHandoff(h Handoff) ([]byte, error)       { return encodeHandoff(h) }
func (shared) DecodeHandoff(data []byte) (Handoff, error)    { return decodeHandoff(data) }
func (shared) EncodeEvent(e HandoffEvent) ([]byte, error)    { return encodeEvent(e) }
func (shared) DecodeEvent(line []byte) (HandoffEvent, error) { return decodeEvent(line) }

func (shared) EncodeBrowser(b Browser) ([]byte, error)    { return encodeBrowser(b) }
func (shared) DecodeBrowser(data []byte) (Browser, error) { return decodeBrowser(data) }

func (shared) NormalLimit(l Limit) (Limit, error)       { return l.normal() }
func (shared) NormalPayment(p Payment) (Payment, error) { return p.normal() }
func (shared) EncodeLimit(l Limit) ([]byte, error)      { return encodeLimit(l) }
func (shared) DecodeLimit(data []byte) (Limit, error)   { return decodeLimit(data) }
func (shared) LeftOf(l Limit, spent int64, now time.Time) Left {
	return l.left(spent, now)
}
func (shared) Permit(limits []Limit, p Payment, now time.Time, spent func(Limit) (int64, error)) ([]Left, error) {
	return permit(limits, p, now, spent)
}
func (shared) PaymentEnded(e LedgerEntry, now, before time.Time) bool {
	return paymentEnded(e, now, before)
}

func (shared) Prune(ctx context.Context, st Store, o PruneOptions, remove func(context.Context, Pruned) (Pruned, bool, error)) iter.Seq2[Pruned, error] {
	return prune(ctx, st, o, remove)
}
func (shared) RunEnded(r Run, o PruneOptions) bool {
	_, is := runEnded(r, o)
	return is
}
func (shared) ApprovalEnded(a Approval, now, before time.Time) bool {
	_, is := approvalEnded(a, now, before)
	return is
}
func (shared) HandoffEnded(h Handoff, before time.Time) bool { return handoffEnded(h, before) }
func (shared) ReportOf(r Run) (string, int64)                { return reportOf(r) }
