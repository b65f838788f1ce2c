package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// many plays it for each row of a table, and as often as --repeat says, each time with cookies of
// its own.
func (p *playing) many(ctx context.Context) error {
	a, o := p.app, p.options
	pages := &runner.PrivatePages{Warn: a.warn, Browser: func(ctx context.Context) (*browser.Browser, error) {
		return a.openBrowser(ctx, &browser.Options{Headed: o.headed, AllowPrivateNetwork: o.privateNetwork})
	}}
	defer func() { a.warn(pages.Close()) }()
	m := &manyRuns{playing: p}
	window := func(ctx context.Context) bool {
		b, err := pages.Start(ctx)
		return err == nil && b.HasWindow(ctx)
	}
	if err := p.makePlan(ctx, pages, p.personFor(window, m)); err != nil {
		return err
	}
	var err error
	if m.rows, err = a.reader(&o.values).Rows(ctx, p.plan); err != nil {
		return err
	}
	m.ended = make([]*render.Played, len(m.rows)*o.repeat)
	if _, err := pages.Start(ctx); err != nil {
		return err
	}
	began := time.Now()
	m.shown = render.NewMany(a.stderr, render.StyleOf(a.stderr), a.width(), len(m.ended))
	err = p.plan.Hold(ctx, runner.Events{Busy: a.printBusy}, func(ctx context.Context, held *runner.Plan) error {
		m.plan = held
		m.all(ctx)
		return nil
	})
	m.shown.End()
	if err != nil && ctx.Err() == nil {
		return err
	}
	return m.print(context.Cause(ctx), time.Since(began))
}

// manyRuns are runs that are played in parallel.
type manyRuns struct {
	*playing
	plan  *runner.Plan // which holds the lease of the account
	rows  []replayer.Map
	ended []*render.Played // by the number of the run; nil until it has ended
	shown *render.Many
}

// Break ends the line of progress before something else is printed.
func (m *manyRuns) Break() { m.shown.Break() }

// all plays all of them, as many in parallel as --parallel says, until ctx ends.
func (m *manyRuns) all(ctx context.Context) {
	numbers := make(chan int)
	var group sync.WaitGroup
	for range min(m.options.parallel, len(m.ended)) {
		group.Go(func() {
			for n := range numbers {
				m.shown.Begin()
				m.ended[n] = m.single(ctx, n)
				m.shown.Ended(n, m.ended[n].Error == nil, m.ended[n].Line())
			}
		})
	}
	for n := range m.ended {
		select {
		case numbers <- n:
		case <-ctx.Done():
		}
	}
	close(numbers)
	group.Wait()
}

// single plays one of them.
func (m *manyRuns) single(ctx context.Context, n int) *render.Played {
	t := &attempt{playing: m.playing, plan: m.plan.With(m.rows[n%len(m.rows)]), progress: quiet{}}
	t.play(ctx)
	if t.outcome.Result == nil {
		t.outcome.Result = &replayer.Result{Name: m.doc.Name, Account: m.doc.Match.Account, Started: time.Now()}
		t.outcome.Record = runner.RecordOf(m.doc, t.outcome.Result, t.err)
	}
	p := t.result()
	p.Row = n%len(m.rows) + 1
	return p
}

// quiet is the progress of one of many runs.
type quiet struct{}

func (quiet) Start(int, automation.Step) {}
func (quiet) Step(replayer.StepResult)   {}

// print prints the results of all of them; interrupted is why some were not played.
func (m *manyRuns) print(interrupted error, took time.Duration) error {
	r := render.ManyOf(m.ended, took)
	failed := interrupted
	if bad := len(m.ended) - r.Count[store.Done]; bad > 0 {
		failed = errors.Join(interrupted, fmt.Errorf("%d of %d runs did not end well", bad, len(m.ended)))
	}
	if m.app.json {
		return failure.Printed(failed, m.app.printJSON(r))
	}
	again := (&attempt{playing: m.playing}).commandLine()
	return failure.Printed(failed, r.Write(m.app.stdout, m.app.stderr, render.StyleOf(m.app.stderr), again))
}
