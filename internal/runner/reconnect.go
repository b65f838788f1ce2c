package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
)

// reconnectAfter are the default pauses before each attempt to connect again.
var reconnectAfter = []time.Duration{2 * time.Second, 5 * time.Second, 10 * time.Second}

// perform plays, and goes on in the same page where the connection to its browser is lost and can be made
// again. The replayer decides what of the step at which that happened may be done again: a commit
// step whose outcome is unknown ends the run as uncertain.
func (p *Plan) perform(ctx context.Context, ev Events, in *held, o *replayer.Options) (*replayer.Result, error) {
	var all *replayer.Result
	for {
		result, played := replayer.Play(ctx, in.page, p.Document, o)
		all = joined(all, result)
		var lost *replayer.Error
		if !errors.As(played, &lost) || lost.Code != replayer.BrowserLost || in.page.Browser().Err() == nil {
			return all, played
		}
		from, is := p.request.Pages.(Reconnecter)
		if !is || lost.Resume != "" && lost.Resume == o.Resume && len(result.Steps) == 0 && lost.Step < 0 {
			return all, played
		}
		if err := p.reconnect(ctx, ev, from, in); err != nil {
			given := *lost
			given.Reason = fmt.Sprintf("%s; %v", lost.Reason, err)
			return all, &given
		}
		if lost.Resume != "" {
			o.Resume, o.From = lost.Resume, 0
		}
	}
}

// reconnect makes the connection again.
func (p *Plan) reconnect(ctx context.Context, ev Events, from Reconnecter, in *held) error {
	pauses := p.runner.ReconnectAfter
	if pauses == nil {
		pauses = reconnectAfter
	}
	var last error
	for i, pause := range pauses {
		if ev.Lost != nil {
			ev.Lost(i+1, pause)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		page, release, err := from.Reconnect(ctx, in.page)
		if err == nil {
			in.page, *in.release = page, release
			return nil
		}
		last = err
		if errors.Is(err, browser.ErrPageClosed) || errors.Is(err, browser.ErrTakenOver) || errors.Is(err, browser.ErrEnded) || ctx.Err() != nil {
			return err
		}
	}
	return fmt.Errorf("connecting again failed %d times: %w", len(pauses), last)
}

// joined is the result of a run that went on after it had stopped.
func joined(before, after *replayer.Result) *replayer.Result {
	if before == nil || after == nil {
		if after == nil {
			return before
		}
		return after
	}
	all := *after
	all.Started = before.Started
	all.Duration += before.Duration
	all.Steps = append(before.Steps[:len(before.Steps):len(before.Steps)], after.Steps...)
	all.Pictures = append(before.Pictures[:len(before.Pictures):len(before.Pictures)], after.Pictures...)
	all.Downloads = append(before.Downloads[:len(before.Downloads):len(before.Downloads)], after.Downloads...)
	all.Drift = append(before.Drift[:len(before.Drift):len(before.Drift)], after.Drift...)
	if len(before.Outputs) > 0 {
		all.Outputs = maps.Clone(before.Outputs)
		maps.Copy(all.Outputs, after.Outputs)
	}
	return &all
}
