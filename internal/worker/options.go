package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

const (
	// DefaultLease is that of a run, and how long a worker is thought to be there that is not
	// heard of.
	DefaultLease = runner.DefaultLease

	// DefaultLongest is what a run may take: the longest that people wait for is far less.
	DefaultLongest = time.Hour

	// DefaultGrace is what runs are given to end in once the worker is told to stop. It is
	// less than what service managers wait before they kill (systemd: 90 s).
	DefaultGrace = 30 * time.Second

	// beats is how often in the time of a lease a worker says that it is there.
	beats = 5

	// afterLongest is when River itself takes a job back that is still running: long
	// after all else. It needs a worker's word on the time, and so cannot be quick.
	afterLongest = 10 * time.Minute

	// turnPause is how long a run waits before it looks again whether its account is
	// free, and somewhat less than that again, by chance, so that those who wait for one
	// account do not come together. Each look costs two short statements.
	turnPause = 500 * time.Millisecond

	// fetchPause is between two looks into the queue that find something: River's own
	// 100 ms would be a tenth of a short run, and a worker plays few at once.
	fetchPause = 20 * time.Millisecond

	// retryPause is how long a run waits that could not be begun, as where no browser
	// starts, and mostTries how often that is tried, and how many workers may be lost with
	// one run.
	retryPause = 5 * time.Second
	mostTries  = 5
)

// Options of a worker. Perform is required; all else may be left out.
type Options struct {
	// Perform performs a run and keeps its record, up to its end, in the store that the
	// turn has. It returns nil once that is kept; runner.ErrInterrupted for a run that is to be
	// begun again, and any other error for one that could not be begun. Its context ends
	// with runner.ErrStopping, runner.ErrCancelled, runner.ErrTooLong or postgres.ErrLeaseLost as the cause.
	Perform func(ctx context.Context, t *Turn) error
	// Parallel is how many runs are performed at once. Default: 1.
	Parallel int
	// Host is the machine whose runs are taken besides those for any. Default: its name.
	Host string
	// Longest is what a run may take. Default: DefaultLongest.
	Longest time.Duration
	// Grace is what runs are given to end in when the worker is told to stop. Default:
	// DefaultGrace.
	Grace time.Duration
	// Lease is how long a run keeps its account to itself, and a worker its runs, without
	// a word. All workers of a database should have the same. Default: DefaultLease.
	Lease time.Duration
	// Logger is told what the worker does. Default: silent.
	Logger *slog.Logger
}

// Turn is a run that is to be performed.
type Turn struct {
	Order    Order
	Document *automation.Automation
	Run      store.Run   // its record so far
	Store    store.Store // fenced: see postgres.Store.Fenced
}
