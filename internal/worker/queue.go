// Package worker has runs performed by whichever machine is free: they wait in the
// database that keeps the documents, and workers take them from there.
//
// The queue is River's. A job in it only says that a run is to be looked at; what became
// of the run stands in its record. Anyone who takes a job leases the sites and the account
// that the run acts on (postgres.Leases), and performs it with a store that refuses what
// it writes once the lease is lost. So a run may be begun again after a crash, by a worker
// that cannot know whether the other one is still at it, and sends nothing twice.
package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
)

// Queue holds the runs that wait for a worker. It is safe for concurrent use, and needs
// no closing: its connections are the store's.
type Queue struct {
	store  *postgres.Store
	client *river.Client[pgx.Tx] // which only puts in
}

// Open makes or renews the tables of the queue, and gives it.
func Open(ctx context.Context, s *postgres.Store) (*Queue, error) {
	if err := migrate(ctx, s); err != nil {
		return nil, err
	}
	client, err := river.NewClient(riverpgxv5.New(s.Pool()), &river.Config{Schema: postgres.Schema, Logger: silent()})
	if err != nil {
		return nil, fmt.Errorf("worker: the queue cannot be used: %w", err)
	}
	return &Queue{store: s, client: client}, nil
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// migrate brings River's own tables to what this program needs. Anyone who may not change
// them needs not to, where someone else has done it.
func migrate(ctx context.Context, s *postgres.Store) error {
	migrator, err := rivermigrate.New(riverpgxv5.New(s.Pool()), &rivermigrate.Config{Schema: postgres.Schema, Logger: silent()})
	if err != nil {
		return fmt.Errorf("worker: the tables of the queue: %w", err)
	}
	if now, err := migrator.Validate(ctx, nil); err == nil && now.OK {
		return nil
	}
	return s.Exclusively(ctx, func(ctx context.Context) error {
		_, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil) // what is there already is left out
		return err
	})
}

// Put queues a run of a document, which the store must have, and gives its record. host
// is the one machine that is to perform it, "" for any. A value that is a secret, or looks
// like one, is refused with a *SecretError: it would be in the database for all to read.
func (q *Queue) Put(ctx context.Context, doc *automation.Automation, o Order, host string) (store.Run, error) {
	if err := o.check(doc); err != nil {
		return store.Run{}, err
	}
	run := store.Run{ID: store.NewRunID(), Automation: doc.Name, Account: doc.Match.Account, Revision: doc.Revision, State: store.Queued}
	data, err := store.EncodeRun(run)
	if err != nil {
		return store.Run{}, err
	}
	err = q.store.InTx(ctx, "queue a run", func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "INSERT INTO reprise.runs (id, record) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", run.ID, data)
		if err != nil || tag.RowsAffected() == 0 { // it was done, and the answer was lost
			return err
		}
		return q.put(ctx, tx, job{Run: run.ID, Order: o}, queueOf(host), inTurn)
	})
	if err != nil {
		return store.Run{}, err
	}
	return run, nil
}

// River's priorities, of which 1 is the highest: a run that was begun before does not wait
// for all that came after it.
const begunBefore, inTurn = 1, 2

func (q *Queue) put(ctx context.Context, tx pgx.Tx, j job, queue string, priority int) error {
	_, err := q.client.InsertTx(ctx, tx, j, &river.InsertOpts{Queue: queue, Priority: priority, MaxAttempts: maxTries})
	return err
}

// Order is how a document is to be played. It is stored in the database, and so has
// no place for secrets: a task has them, which it names.
type Order struct {
	Automation string `json:"automation"`
	Document   string `json:"document,omitempty"` // the account that the document is for, "" is any
	Account    string `json:"account,omitempty"`  // that it is played for
	URL        string `json:"url,omitempty"`      // to begin at, where the document does not say
	Task       string `json:"task,omitempty"`     // that has the other values, "" for none
	Login      string `json:"login,omitempty"`    // that it begins with, "" for none
	// SaveLogin saves the login again when the run has ended well.
	SaveLogin bool `json:"save_login,omitempty"`
	// SignIn looks first whether the login is good, and signs in again where it is not.
	SignIn bool `json:"sign_in,omitempty"`
	// Values are those that are no secrets.
	Values Values `json:"values,omitempty"`
	Commit string `json:"commit,omitempty"` // what becomes of steps that commit: allow, or refuse
	// AnswerWithin is how long a person is waited for who is asked in the store, in
	// nanoseconds; 0 is that no one is asked.
	AnswerWithin time.Duration `json:"answer_within,omitempty"`

	Human   bool          `json:"human,omitempty"`
	Seed    uint64        `json:"seed,omitempty"`
	Timeout time.Duration `json:"timeout,omitempty"` // of a step, in nanoseconds
}

// Values are read as they were written: a number keeps its digits.
type Values map[string]any

// UnmarshalJSON reads an object, with numbers as json.Number.
func (v *Values) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode((*map[string]any)(v))
}

// SecretError reports that a value may not be queued.
type SecretError struct{ Variable, Reason string }

func (e *SecretError) Error() string {
	return fmt.Sprintf("the value of %q is not put into the queue, where others can read it: %s. Let a task have it", e.Variable, e.Reason)
}

// check refuses secrets.
func (o Order) check(doc *automation.Automation) error {
	declared, err := doc.Declared()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(o.Values)) {
		if reason := secret(declared, name, o.Values[name]); reason != "" {
			return &SecretError{name, reason}
		}
	}
	return nil
}

// secret returns why a value is one, "" for others.
func secret(declared *automation.Variables, name string, value any) string {
	if declared.IsSecret(name) {
		return "the document says that it is a secret"
	}
	switch v := value.(type) {
	case automation.Secret:
		return "it is a secret"
	case string:
		if kind := automation.DetectSecret(v); kind != "" {
			return "it looks like " + kind
		}
	case []any:
		for _, each := range v {
			if reason := secret(declared, name, each); reason != "" {
				return reason
			}
		}
	}
	return ""
}

// job is what River keeps of a run.
type job struct {
	Run   string `json:"run"`
	Order Order  `json:"order"`
	// Lost is how many workers were lost with it, Cancelled that someone has cancelled
	// it since.
	Lost      int  `json:"lost,omitempty"`
	Cancelled bool `json:"cancelled,omitempty"`
}

// jobKind is how River names our jobs among others'.
const jobKind = "play"

func (job) Kind() string { return jobKind }

// hostQueue begins the names of queues that one machine takes from.
const hostQueue = "host-"

var noLetter = regexp.MustCompile(`[^a-z0-9]+`)

// maxOfHost is how much of a long name of a host can be read in that of its queue, which
// has 64 characters at most.
const maxOfHost = 40

// queueOf is the queue of a host, or of all. River takes small letters and digits, so the
// rest of the name is in a few digits of its hash.
func queueOf(host string) string {
	if host == "" {
		return river.QueueDefault
	}
	host = strings.ToLower(host)
	sum := sha256.Sum256([]byte(host))
	readable := noLetter.ReplaceAllString(host, "-")
	readable = strings.Trim(readable[:min(len(readable), maxOfHost)], "-")
	return strings.TrimSuffix(hostQueue+readable, "-") + "-" + hex.EncodeToString(sum[:4])
}

// EndedError reports that a run cannot be cancelled: it has ended, or no one took it from
// the queue.
type EndedError struct{ Run store.Run }

func (e *EndedError) Error() string {
	if runner.Ended(e.Run.State) {
		return fmt.Sprintf("run %s has ended: it is %s", e.Run.ID, e.Run.State)
	}
	return fmt.Sprintf("run %s is not in the queue: end the process that performs it", e.Run.ID)
}

// lookEvery is how often it is looked whether a run has ended that was cancelled.
const lookEvery = 100 * time.Millisecond

// Cancel takes a run from the queue, or ends it where it is performed, and gives its
// record at the end. It has then sent nothing more than that record tells.
func (q *Queue) Cancel(ctx context.Context, id string) (store.Run, error) {
	run, err := q.store.Runs().Get(ctx, id)
	if err != nil {
		return run, err
	}
	open, all, err := q.jobs(ctx, id)
	if err != nil {
		return run, err
	}
	if runner.Ended(run.State) || all == 0 {
		return run, &EndedError{run}
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	told := map[int64]bool{}
	for len(open) > 0 {
		for _, job := range open {
			if told[job] {
				continue
			}
			if _, err := q.client.JobCancel(ctx, job); err != nil {
				return run, fmt.Errorf("worker: run %s is not cancelled: %w", id, err)
			}
			told[job] = true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return run, context.Cause(ctx)
		}
		if open, _, err = q.jobs(ctx, id); err != nil {
			return run, err
		}
	}
	if run, err = q.store.Runs().Get(ctx, id); err != nil || runner.Ended(run.State) {
		return run, err
	}
	if err := runner.Abandon(ctx, q.store, run, runner.ErrCancelled); err != nil { // no one had begun it, or it was given back
		return run, err
	}
	return q.store.Runs().Get(ctx, id)
}

const jobsSQL = `
SELECT id, finalized_at IS NULL FROM reprise.river_job
WHERE kind = $1 AND args @> jsonb_build_object('run', $2::text)`

// jobs returns those of a run that have not ended, and how many it has had.
func (q *Queue) jobs(ctx context.Context, run string) (open []int64, all int, err error) {
	err = q.store.InTx(ctx, "look for a run in the queue", func(ctx context.Context, tx pgx.Tx) error {
		open, all = nil, 0
		rows, err := tx.Query(ctx, jobsSQL, jobKind, run)
		if err != nil {
			return err
		}
		var (
			id     int64
			remain bool
		)
		_, err = pgx.ForEachRow(rows, []any{&id, &remain}, func() error {
			if all++; remain {
				open = append(open, id)
			}
			return nil
		})
		return err
	})
	return open, all, err
}
