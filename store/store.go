// Package store stores automations and the records of their runs, and finds the
// automation for an address and an account.
//
//	st, err := store.Open(ctx, "") // the user's data directory; or "postgres://…"
//	if err != nil {
//		return err
//	}
//	defer st.Close()
//	a, err := st.Automations().Match(ctx, "https://shop.example/login", "ada")
//	if err != nil {
//		return err // automation.ErrNoMatch where nothing is recorded for it
//	}
//	fmt.Println(a.Name, len(a.Steps))
//	for r, err := range st.Runs().List(ctx) { // the newest first
//		fmt.Println(r.ID, r.Automation, r.State, err)
//	}
//
// [Store] has an interface for each thing that is stored: [Automations], [Runs] (of
// [Run]), [Commits] (which commit steps a run has sent), [Approvals], [Handoffs], [Browsers], the
// [Journal] of what agents called, and [Envelopes], which package store/sealed seals and
// opens. The examples of this package show the first ones and an approval.
//
// A store is a directory on this machine, or a database that several machines share,
// whose package registers itself as a driver (store/postgres). All of them pass the suite
// in store/storetest, and so behave alike.
//
// # The directory
//
// A directory holds
//
//	automations/NAME.json, NAME@ACCOUNT.json   documents
//	runs/ID/run.json                           records of runs
//	runs/ID/commits/STEP.json                  the commit steps that a run has sent
//	approvals/ID.json, ID.picture              what a run has asked a person for
//	limits/ID.json, payments/RUN.STEP.json     what may be paid without asking, and what was
//	handoffs/ID/meta.json, events.jsonl        when a person had the browser
//	browsers/ID.json                           a browser that outlives its process
//	leases/                                    a locked file for each account that a run acts for
//	traces/SESSION.jsonl                       what agents called
//	tasks/NAME.age, vault/SITE.age, logins/    sealed values, credentials and logins
//
// The files are for people and for git, and may be edited by hand, added and removed: the
// next call sees it. An edit by hand that leaves the revision as it was does not show as
// another writer's to a program that read the document before, so raise the number.
// Reading needs no write permission. The first lookup reads every document, at about 0.2 ms
// each; later ones only look whether a file changed, at some microseconds each. What is known
// of a directory of some hundred documents is stored in .index, where it can be written: a
// cache, which git ignores, and which is made again where it is missing or damaged.
package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
)

// Store is everything that is stored. It is safe for concurrent use, also by
// several processes that opened the same one. It grows with the project: each new
// kind of thing gets a method here, so a program should take the small interface
// that it needs (Automations, Runs) rather than implement this.
type Store interface {
	Automations() Automations
	Runs() Runs
	Commits() Commits
	Journal() Journal
	Tasks() Envelopes     // the values of tasks
	Vault() Envelopes     // what people sign in with
	Logins() Envelopes    // the states of browsers in which people are signed in
	Approvals() Approvals // what runs ask a person for
	Handoffs() Handoffs   // when a person had the browser
	Limits() Limits       // what may be paid without asking a person
	Browsers() Browsers   // what outlives its process
	// Lease takes the lease of places for a run, that process performs: all of them, or none
	// with a *HeldError. It lasts as long as is said, unless it is renewed, or for as long as
	// its process lives, where the store can tell that.
	Lease(ctx context.Context, run string, process *Process, places []Place, lasting time.Duration) (Lease, error)
	Pruner
	// Close waits for the calls that write, and makes every later call
	// return ErrClosed. It may be called more than once.
	Close() error
}

// Automations stores documents, each under its name and its account label.
// What comes out and what goes in are private copies: changing a document
// afterwards changes nothing that is stored.
//
// Every method returns context.Cause(ctx) once ctx is done.
type Automations interface {
	// Save checks the document, also for what looks like a secret (see
	// automation.CheckSecrets), and writes it. Its Revision must be the one
	// that is stored, 0 for a new document; otherwise a *ConflictError is
	// returned and nothing changes. It returns a copy with the new Revision.
	Save(ctx context.Context, a *automation.Automation) (*automation.Automation, error)
	// Get returns the document of exactly this name and account, or a
	// *NotFoundError that names the accounts that the name is stored for.
	Get(ctx context.Context, name, account string) (*automation.Automation, error)
	// List returns what is stored, by name and then by account. A document that
	// cannot be read is listed with its reason in Summary.Err. An error of the
	// iteration itself is its last pair.
	List(ctx context.Context) iter.Seq2[Summary, error]
	// Delete removes a document whose stored revision is this one, or any one
	// for AnyRevision; otherwise it returns a *ConflictError, or a
	// *NotFoundError where there is nothing.
	Delete(ctx context.Context, name, account string, revision int) error
	// Match returns the document for an address and an account, as
	// automation.Index decides. Documents that cannot be read take no part.
	Match(ctx context.Context, url, account string) (*automation.Automation, error)
	// MatchBlocker returns the document that deals with a blocker at an address, for an
	// account, as Match does that of an automation which is run for its own sake.
	MatchBlocker(ctx context.Context, url, account string, blocker automation.Reason) (*automation.Automation, error)
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
	Blocker     automation.Reason // that it deals with, "" for one that is run for its own sake
	Steps       int
	Revision    int
	// Err is why the document cannot be used. Then only Name and Account
	// are set, as far as its key has them.
	Err error
}

// Runs stores one record for each run. A run is written by the process that performs it:
// the last Save stands.
type Runs interface {
	// Save writes the record, new or not.
	Save(ctx context.Context, r Run) error
	// Get returns the record, or an error that is ErrNotFound.
	Get(ctx context.Context, id string) (Run, error)
	// List returns the records, the newest first. One that cannot be read is
	// listed with its reason. An error of the iteration itself is its last pair.
	List(ctx context.Context) iter.Seq2[RunSummary, error]
	// ListOf is List of the runs of an owner; none for the owner "".
	ListOf(ctx context.Context, owner string) iter.Seq2[RunSummary, error]
}

// Commits is the write-ahead journal of the commit steps that runs have sent, so that
// no later attempt at a run, of any process, sends one again. A run is any
// name of small letters and digits, followed by .STEP for one that is played within
// another; it needs no record.
type Commits interface {
	// Begin notes, durably, that a step is about to be sent: of all callers, one gets
	// nil. ErrAlreadySent means that it was noted before and not taken back; a caller that gets
	// any error must not send it.
	Begin(ctx context.Context, run string, step int) error
	// BeginPayment is Begin for a payment that no one is asked about: it reserves the amount in the
	// ledger and notes that the step is about to be sent, both or none of them, and returns what is left of
	// its limits then. Of all callers at once no more get nil than the limits allow.
	// ErrNotWithinLimit means that a person must be asked: nothing was noted. The payment counts
	// until Resolve notes that it was not made.
	BeginPayment(ctx context.Context, run string, step int, p Payment) ([]Left, error)
	// Resolve notes the outcome: true where its consequence was seen, false where it
	// never left, and may be sent again. What was resolved as done stays so:
	// taking it back is ErrAlreadySent.
	Resolve(ctx context.Context, run string, step int, done bool) error
	// Committed returns the steps that were sent: true for those whose consequence was seen.
	// A note that a crash has torn counts as sent, and not as resolved.
	Committed(ctx context.Context, run string) (map[int]bool, error)
	// Unresolved reports whether the run, or one that is played within it, has a commit
	// whose outcome is unknown: it was sent, and the outcome was never noted.
	Unresolved(ctx context.Context, run string) (bool, error)
	// RunsWithCommits returns the runs of which something was sent, in no order. An error of the
	// iteration itself is its last pair.
	RunsWithCommits(ctx context.Context) iter.Seq2[string, error]
}

// DataEnv names the environment variable that holds the data directory.
const DataEnv = "REPRISE_DATA"

// Opener opens a store by its address.
type Opener func(ctx context.Context, url string) (Store, error)

var registry = struct {
	sync.RWMutex
	open map[string]Opener
}{open: map[string]Opener{}}

var schemePattern = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]*)://`)

// Register makes a driver known under a URL scheme. A driver's package calls
// it from init. As in database/sql, it panics when the scheme is taken or open
// is nil: a program in which that happens was put together wrongly.
func Register(scheme string, open Opener) {
	registry.Lock()
	defer registry.Unlock()
	if open == nil {
		panic("store: Register of " + scheme + " without a function")
	}
	if _, taken := registry.open[scheme]; taken {
		panic("store: Register of " + scheme + " twice")
	}
	registry.open[scheme] = open
}

// Open opens a store: "" is the directory that DefaultDir returns, scheme://…
// goes to the driver that is registered for it, and anything else is a
// directory. A directory that does not exist is an empty store, and is made by
// the first call that writes.
func Open(ctx context.Context, url string) (Store, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if m := schemePattern.FindStringSubmatch(url); m != nil {
		return openScheme(ctx, m[1], url)
	}
	if url != "" {
		return openDir(url)
	}
	dir, err := DefaultDir()
	if err != nil {
		return nil, err
	}
	return openDir(dir)
}

func openScheme(ctx context.Context, scheme, url string) (Store, error) {
	registry.RLock()
	open, known := registry.open[scheme], slices.Sorted(maps.Keys(registry.open))
	registry.RUnlock()
	if open == nil {
		return nil, &SchemeError{Scheme: scheme, Known: known}
	}
	return open(ctx, url)
}

// DefaultDir is where a user's data is when they name no place:
// $REPRISE_DATA; else ~/Library/Application Support/reprise on macOS, and
// $XDG_DATA_HOME/reprise or ~/.local/share/reprise elsewhere.
func DefaultDir() (string, error) {
	if dir := os.Getenv(DataEnv); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) && runtime.GOOS != "darwin" {
		return filepath.Join(dir, "reprise"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("store: no data directory: set %s: %w", DataEnv, err)
	}
	if !filepath.IsAbs(home) {
		return "", errors.New("store: no data directory: the home directory is not an absolute path: set " + DataEnv)
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "reprise"), nil
	}
	return filepath.Join(home, ".local", "share", "reprise"), nil
}
