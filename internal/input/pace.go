package input

import (
	"context"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/target"
)

// event is one that is sent at its time.
type event struct {
	at     time.Duration // from the beginning of the gesture
	method string
	params func(stamp float64) any     // stamp is when it happens, in seconds since the epoch
	ends   int                         // the index of what it lets go of, -1 where it is none of these
	before func(context.Context) error // its error ends the gesture; may be nil
	sent   func()                      // is told that it was; may be nil
}

// notOne is the index of no event.
const notOne = -1

// pace sends the events of a gesture, each at its time and none because of a reply,
// and returns when the page has handled the last. A gesture that is cut short lets go
// of what it holds.
func pace(ctx context.Context, page *target.Page, events []event) error {
	if len(events) == 0 {
		return nil
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	begun := time.Now()
	send := func(e event, at time.Time) *cdp.Call {
		if e.sent != nil {
			e.sent()
		}
		return page.Send(e.method, e.params(stampOf(at)))
	}
	var last *cdp.Call
	for i, e := range events {
		at := begun.Add(e.at)
		timer.Reset(time.Until(at))
		err := await(ctx, page, timer, e)
		if err != nil {
			for _, rest := range events[i:] {
				if rest.ends != notOne && rest.ends < i {
					send(rest, time.Now())
				}
			}
			return err
		}
		last = send(e, at)
	}
	_, err := last.Wait(ctx)
	return err
}

// stampOf is a time as events tell it, in seconds since the epoch.
func stampOf(at time.Time) float64 { return float64(at.UnixMicro()) / 1e6 }

// await returns when an event is due and may be sent.
func await(ctx context.Context, page *target.Page, timer *time.Timer, e event) error {
	select {
	case <-timer.C:
	case <-page.Done():
		return page.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if e.before == nil {
		return nil
	}
	return e.before(ctx)
}
