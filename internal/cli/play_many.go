package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// manyReport is what play says of many runs.
type manyReport struct {
	Runs     []*playReport          `json:"runs"` // in the order of the rows
	Count    map[store.RunState]int `json:"count"`
	Unplayed int                    `json:"unplayed,omitempty"` // it was broken off before them
	Duration replayer.Duration      `json:"duration"`
}

// failedError says how many of many runs did not end well.
type failedError struct{ failed, of int }

func (e *failedError) Error() string {
	return fmt.Sprintf("%d of %d runs did not end well", e.failed, e.of)
}

// many plays it for each row of a table, as often as was asked for, each time with
// cookies of its own.
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
	if err := p.in(ctx, pages, a.personFor(window, m)); err != nil {
		return err
	}
	var err error
	if m.rows, err = o.values.rows(ctx, a, p.plan); err != nil {
		return err
	}
	m.ended = make([]*playReport, len(m.rows)*o.repeat)
	if _, err := pages.Start(ctx); err != nil {
		return err
	}
	began := time.Now()
	m.shown = render.NewMany(a.stderr, render.StyleOf(a.stderr), a.width(), len(m.ended))
	err = p.plan.Hold(ctx, runner.Events{Busy: a.showsBusy}, func(ctx context.Context, held *runner.Plan) error {
		m.plan = held
		m.all(ctx)
		return nil
	})
	m.shown.End()
	if err != nil && ctx.Err() == nil {
		return err
	}
	return m.report(context.Cause(ctx), time.Since(began))
}

// manyRuns are runs that are played together.
type manyRuns struct {
	*playing
	plan  *runner.Plan // that has the lease of the account
	rows  []replayer.Map
	ended []*playReport // by the number of the run; nil until it has ended
	shown *render.Many
}

// Break ends the line of progress before something else is printed.
func (m *manyRuns) Break() { m.shown.Break() }

// all plays all, so many at once, until ctx ends.
func (m *manyRuns) all(ctx context.Context) {
	numbers := make(chan int)
	var group sync.WaitGroup
	for range min(m.options.parallel, len(m.ended)) {
		group.Go(func() {
			for n := range numbers {
				m.shown.Begin()
				m.ended[n] = m.single(ctx, n)
				well, words := m.ended[n].line()
				m.shown.Ended(n, well, words)
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
func (m *manyRuns) single(ctx context.Context, n int) *playReport {
	t := &attempt{playing: m.playing, plan: m.plan.With(m.rows[n%len(m.rows)]), progress: quiet{}}
	outcome, err := t.play(ctx)
	if outcome.Result == nil {
		outcome.Result = &replayer.Result{Name: m.doc.Name, Account: m.doc.Match.Account, Started: time.Now()}
		outcome.Record = runner.RecordOf(m.doc, outcome.Result, err)
	}
	r := t.reported(outcome, err)
	r.Row = n%len(m.rows) + 1
	if err != nil {
		f := describe(err)
		r.Error = &f
	}
	return r
}

// quiet is the progress of one of many runs.
type quiet struct{}

func (quiet) Start(int, automation.Step) {}
func (quiet) Step(replayer.StepResult)   {}

// report tells of all of them.
func (m *manyRuns) report(broken error, took time.Duration) error {
	r := &manyReport{Runs: []*playReport{}, Count: map[store.RunState]int{}, Duration: replayer.Duration(took)}
	for _, run := range m.ended {
		if run == nil {
			r.Unplayed++
			continue
		}
		r.Runs = append(r.Runs, run)
		r.Count[run.Outcome]++
	}
	failed := broken
	if bad := len(m.ended) - r.Count[store.Done]; bad > 0 {
		failed = errors.Join(broken, &failedError{bad, len(m.ended)})
	}
	if m.app.json {
		return told(failed, m.app.printJSON(r))
	}
	_, err := fmt.Fprint(m.app.stdout, render.Table(r.table()))
	r.tell(m.app, took)
	return told(failed, err)
}

func (r *manyReport) table() [][]string {
	rows := [][]string{{"#", "ROW", "OUTCOME", "TIME", "STEPS", "RUN", "WHY"}}
	for i, run := range r.Runs {
		outcome := string(run.Outcome)
		rows = append(rows, []string{
			strconv.Itoa(i + 1), strconv.Itoa(run.Row), outcome, render.Duration(time.Duration(run.Duration)), strconv.Itoa(len(run.Steps)), run.Run, run.why(),
		})
	}
	return rows
}

// why a run did not end well, in a line.
func (r *playReport) why() string {
	switch {
	case r.Error == nil:
		return ""
	case r.Error.Step != nil:
		return fmt.Sprintf("step %d %s: %s", *r.Error.Step+1, r.Error.Tool, r.Error.Code)
	}
	return r.Error.Code
}

// line is a run that has ended, in few words.
func (r *playReport) line() (well bool, words string) {
	words = fmt.Sprintf("row %d %s in %s", r.Row, r.Outcome, render.Duration(time.Duration(r.Duration)))
	if why := r.why(); why != "" {
		words += ", " + why
	}
	return r.Error == nil, words
}

func (r *manyReport) tell(a *app, took time.Duration) {
	style := render.StyleOf(a.stderr)
	words := fmt.Sprintf("%d of %d done in %s", r.Count[store.Done], len(r.Runs)+r.Unplayed, render.Duration(took))
	if r.Unplayed > 0 {
		words += fmt.Sprintf(", %d were not begun", r.Unplayed)
	}
	a.say("%s", style.Bold(words))
	for _, run := range r.Runs {
		if run.Error != nil && run.Run != "" {
			a.say("`reprise runs %s` tells of one that failed.", run.Run)
			break
		}
	}
	for _, run := range r.Runs {
		if run.Outcome == store.Uncertain {
			a.say("Of row %d it is not known what became of what it sent. When you know: %s --resume %s --settled done (or not-done), with its values.",
				run.Row, run.attempt.commandLine(), run.Run)
		}
	}
}
