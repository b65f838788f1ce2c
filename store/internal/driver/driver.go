// Package driver is what the packages of stores share with package store, so that each
// stores the same text and refuses the same things. Only packages below store can import
// it: a program needs none of it.
//
//	data, err := driver.Rules.EncodeRun(run)
package driver

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/rules"
)

// MaxOffers is how often a question is offered at most.
const MaxOffers = rules.MaxOffers

// TraceEnd is the last line of a trace.
type TraceEnd = rules.TraceEnd

// Rules are those of package store, which has set them when it was initialized.
var Rules = rules.Store.(interface {
	// IsID reports whether an identifier is one that store.NewRunID makes.
	IsID(id string) bool
	// NotFound returns the error, which is ErrNotFound, for a record that is not there.
	NotFound(kind, id string) error

	// EncodeAutomation returns the text of a document at a revision, and the document as
	// it is read back. It refuses what is not valid and what looks like a secret.
	EncodeAutomation(a *automation.Automation, revision int) ([]byte, *automation.Automation, error)
	DecodeRun(data []byte) (store.Run, error)
	// CheckCommit returns an *InvalidCommitError for a step that cannot be noted.
	CheckCommit(run string, step int) error

	// EncodeEnvelope returns the text of an envelope: its label as JSON, and the sealed
	// part after it. It refuses what is not sealed.
	EncodeEnvelope(e store.Envelope) ([]byte, error)
	DecodeEnvelope(data []byte) (store.Envelope, error)

	// EncodeCall returns the line of a call that follows an end, without a newline, the
	// call as it is read back, and the new end.
	EncodeCall(c store.JournalCall, after TraceEnd) ([]byte, store.JournalCall, TraceEnd, error)
	DecodeCall(line []byte) (store.JournalCall, error)
	// CheckCall compares a line with its hash and with the line before, and returns the end
	// after it. The reason is "" where nothing is wrong.
	CheckCall(session string, line []byte, after TraceEnd) (end TraceEnd, reason string)
	// CheckTrace compares all lines of a trace with one another, and with its recorded end.
	CheckTrace(session string, lines [][]byte, head TraceEnd, torn bool) (store.TraceCheck, error)

	// CheckAsk returns what is wrong with a question, or with how long it is to wait.
	CheckAsk(q store.ApprovalRequest, lasting time.Duration) error
	// CheckOffer returns what is wrong with to whom a question is offered.
	CheckOffer(to string) error
	// TooManyOffers returns the error of one offer more than MaxOffers.
	TooManyOffers(run string) error
	// NonceHash returns what is stored of a nonce.
	NonceHash(nonce string) string
	// AnsweredState returns the state that an answer leads to.
	AnsweredState(yes bool) store.ApprovalState
	// WhyNotApproved returns the error of Spend for an approval that does not count, nil
	// for one that does.
	WhyNotApproved(a store.Approval, run string, now time.Time) *store.NotApprovedError
	// PollApproval calls look again and again until an approval is no longer pending.
	PollApproval(ctx context.Context, every time.Duration, look func(context.Context) (store.Approval, error)) (store.Approval, error)

	// CheckStart returns what is wrong with a handoff that is to be started, CheckEnd what
	// with its end, and CheckNote what with an event.
	CheckStart(h store.Handoff, lasting time.Duration) error
	CheckLasting(id string, lasting time.Duration) error
	CheckEnd(id string, state store.HandoffState, after json.RawMessage) error
	CheckNote(id string, e store.HandoffEvent) error
	// WhyNotEnd returns the error of an end that a handoff cannot have at a time, and
	// WhyNoEvent that of an event after so many; nil where they may be.
	WhyNotEnd(h store.Handoff, to store.HandoffState, now time.Time) error
	WhyNoEvent(h store.Handoff, kind string, events int) error
	EncodeHandoff(h store.Handoff) ([]byte, error)
	DecodeHandoff(data []byte) (store.Handoff, error)
	// EncodeEvent returns the line of an event, without a newline.
	EncodeEvent(e store.HandoffEvent) ([]byte, error)
	DecodeEvent(line []byte) (store.HandoffEvent, error)

	EncodeBrowser(b store.Browser) ([]byte, error)
	DecodeBrowser(data []byte) (store.Browser, error)

	// NormalLimit and NormalPayment return them as they are compared, or what is wrong with them.
	NormalLimit(l store.Limit) (store.Limit, error)
	NormalPayment(p store.Payment) (store.Payment, error)
	EncodeLimit(l store.Limit) ([]byte, error)
	DecodeLimit(data []byte) (store.Limit, error)
	// LeftOf returns what is left of a limit of which so much is spent.
	LeftOf(l store.Limit, spent int64, now time.Time) store.Left
	// Permit returns what is left of the limits for a payment once it is made, or a
	// *store.NotWithinLimitError. spent returns what counts against one.
	Permit(limits []store.Limit, p store.Payment, now time.Time, spent func(store.Limit) (int64, error)) ([]store.Left, error)
	// PaymentEnded reports whether the ledger needs an entry no more.
	PaymentEnded(e store.LedgerEntry, now, before time.Time) bool

	// Prune finds what ended before a time, and has remove remove each record, or measure it
	// for a dry run. remove looks again; it returns false for what stays.
	Prune(ctx context.Context, st store.Store, o store.PruneOptions, remove func(context.Context, store.Pruned) (store.Pruned, bool, error)) iter.Seq2[store.Pruned, error]
	// RunEnded, ApprovalEnded and HandoffEnded report whether a record ended before a time.
	RunEnded(r store.Run, o store.PruneOptions) bool
	ApprovalEnded(a store.Approval, now, before time.Time) bool
	HandoffEnded(h store.Handoff, before time.Time) bool
	// ReportOf returns the file of a run's report and its size, "" where there is none on
	// this machine.
	ReportOf(r store.Run) (file string, size int64)
})
