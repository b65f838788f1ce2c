// Package store keeps automations and the records of their runs, and finds the
// automation for an address and an account.
//
// One interface has several homes: a directory on this machine, which is the
// default and lives in this package, and databases that are shared by several
// machines, whose packages register themselves as drivers. All of them pass the
// suite in store/storetest and so answer alike.
//
// A directory holds automations/NAME.json or NAME@ACCOUNT.json, runs/ID/run.json,
// runs/ID/commits/STEP.json for what a run has sent, approvals/ID.json for what a run has
// asked, handoffs/ID/ for when a person had the browser, leases/ with a locked file for each account that a run acts on, and traces/SESSION.jsonl for what agents called. The files are for people and for git, and may be edited by
// hand, put there and taken away: the next call sees it. An edit by hand that
// keeps the revision is not seen as another writer's by a program that read the
// document before, so raise the number. Reading needs no write permission and
// makes nothing. The first lookup reads every document, at about 0.2 ms each;
// later ones only look whether a file changed, at some microseconds each.
package store

import (
	"context"
	"iter"
	"time"

	"github.com/go-reprise/reprise/automation"
)

// Store is everything that is kept. It is safe for concurrent use, also by
// several processes that opened the same place. It grows with the project:
// what keeps something new gets a method here, so a program should take the
// small interface that it needs (Automations, Runs) rather than implement this.
type Store interface {
	Automations() Automations
	Runs() Runs
	Commits() Commits
	Journal() Journal
	Tasks() Envelopes // the values of tasks
	Vault() Envelopes // what people sign in with
	// Logins gives the states of browsers in which people are signed in.
	Logins() Envelopes
	Approvals() Approvals // what runs ask a person for
	Handoffs() Handoffs   // when a person had the browser
	// Lease takes the lease of places for a run, that process performs: all of them, or none
	// with a *HeldError. It lasts as long as is said, unless it is renewed, or for as long as
	// its process lives, where the store can tell that.
	Lease(ctx context.Context, run string, process *Process, places []Place, lasting time.Duration) (Lease, error)
	// Close waits for the calls that write, and makes every later call
	// return ErrClosed. It may be called more than once.
	Close() error
}

// Automations keeps documents, each under its name and its account label.
// What comes out and what goes in are private copies: changing a document
// afterwards changes nothing that is stored.
//
// Every method returns context.Cause(ctx) once ctx is done.
type Automations interface {
	// Save checks the document, also for what looks like a secret (see
	// automation.CheckSecrets), and writes it. Its Revision must be the one
	// that is stored, 0 for a new document; otherwise a *ConflictError is
	// returned and nothing changes. It gives a copy with the new Revision.
	Save(ctx context.Context, a *automation.Automation) (*automation.Automation, error)
	// Get gives the document of exactly this name and account, or a
	// *NotFoundError that names the accounts that the name is kept for.
	Get(ctx context.Context, name, account string) (*automation.Automation, error)
	// List gives what is stored, by name and then by account. A document that
	// cannot be read is listed with its reason in Summary.Err. An error of the
	// iteration itself is its last pair.
	List(ctx context.Context) iter.Seq2[Summary, error]
	// Delete removes a document whose stored revision is this one, or any one
	// for AnyRevision; otherwise it returns a *ConflictError, or a
	// *NotFoundError where there is nothing.
	Delete(ctx context.Context, name, account string, revision int) error
	// Match gives the document for an address and an account, as
	// automation.Index decides. Documents that cannot be read take no part.
	Match(ctx context.Context, url, account string) (*automation.Automation, error)
}

// AnyRevision has Delete remove a document whatever its revision is, and also
// one that cannot be read.
const AnyRevision = -1

// Summary is an automation in a list.
type Summary struct {
	Name        string
	Account     string // "" is any account
	Description string
	URLs        []string
	Steps       int
	Revision    int
	// Err says why the document cannot be used. Then only Name and Account
	// are set, as far as its key tells them.
	Err error
}

// Runs keeps one record a run. A run is written by the one who performs it:
// the last Save stands.
type Runs interface {
	// Save writes the record, new or not.
	Save(ctx context.Context, r Run) error
	// Get gives the record, or an error that is ErrNotFound.
	Get(ctx context.Context, id string) (Run, error)
	// List gives the records, the newest first. One that cannot be read is
	// listed with its reason. An error of the iteration itself is its last pair.
	List(ctx context.Context) iter.Seq2[RunSummary, error]
	// ListOf is List of the runs of an owner; none for the owner "".
	ListOf(ctx context.Context, owner string) iter.Seq2[RunSummary, error]
}

// Commits is the journal of what runs have sent that pays, orders, sends or deletes,
// so that no later attempt at a run, of any process, sends it again. A run is any
// name of small letters and digits, followed by .STEP for one that is played within
// another; it needs no record.
type Commits interface {
	// Sending notes, durably, that a step is about to be sent: of all who ask, one is
	// given nil. ErrSent says that it was noted before and not taken back; whoever is
	// given any error must not send it.
	Sending(ctx context.Context, run string, step int) error
	// Settled notes what became of it: true that its consequence was seen, false that
	// it never left, and may be sent again. What was settled as done stays so:
	// taking it back is ErrSent.
	Settled(ctx context.Context, run string, step int, done bool) error
	// Sent gives the steps that were sent: true for those whose consequence was seen.
	// A note that a crash has torn counts as sent, and not as settled.
	Sent(ctx context.Context, run string) (map[int]bool, error)
	// Unresolved reports whether the run, or one that is played within it, has a commit
	// whose outcome is unknown: it was sent, and what became of it was never noted.
	Unresolved(ctx context.Context, run string) (bool, error)
	// Noted gives the runs of which something was sent, in no order. An error of the
	// iteration itself is its last pair.
	Noted(ctx context.Context) iter.Seq2[string, error]
}
