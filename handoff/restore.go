package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// Restore goes on with the handoffs of a process that was killed: the same pages, the same links and devices, and the
// time that is left. Attach drives a browser again, by its store.Browser.Session. Of a handoff whose browser
// another process drives it takes nothing; one whose page is gone is cancelled. A browser that was attached for
// handoffs is closed when the last of them has ended.
func (d *Desk) Restore(ctx context.Context, attach func(ctx context.Context, session string) (*browser.Browser, error)) (restored []*Handoff, err error) {
	browsers := map[string]*browser.Browser{}
	all := map[string][]*Handoff{}
	for one, failed := range d.options.Store.Handoffs().Running(ctx) {
		if failed != nil {
			return restored, failed
		}
		if one.Err != nil || one.Browser == "" || d.Get(one.ID) != nil {
			continue
		}
		b := browsers[one.Browser]
		if b == nil {
			if b, failed = attach(ctx, one.Browser); failed != nil {
				err = errors.Join(err, d.lose(ctx, one.Handoff, failed))
				continue
			}
			browsers[one.Browser] = b
		}
		h, failed := d.restore(ctx, one.Handoff, b)
		if failed != nil {
			err = errors.Join(err, d.lose(ctx, one.Handoff, failed))
			continue
		}
		restored, all[one.Browser] = append(restored, h), append(all[one.Browser], h)
	}
	for session, b := range browsers {
		d.work.Go(func() {
			for _, h := range all[session] {
				<-h.done
			}
			if failed := b.Close(); failed != nil {
				d.options.Logger.Warn("the browser of a handoff was not closed", "error", failed)
			}
		})
	}
	return restored, err
}

// lose cancels a handoff that cannot be gone on with, unless another process does so.
func (d *Desk) lose(ctx context.Context, h store.Handoff, why error) error {
	if errors.Is(why, browser.ErrDriven) {
		return nil
	}
	_, err := d.options.Store.Handoffs().End(ctx, h.ID, Cancelled, nil)
	return errors.Join(fmt.Errorf("handoff %s cannot be gone on with, and is cancelled: %w", h.ID, why), err)
}

// restore goes on with one.
func (d *Desk) restore(ctx context.Context, stored store.Handoff, b *browser.Browser) (*Handoff, error) {
	page, err := b.Page(ctx, stored.Page)
	if err != nil {
		return nil, err
	}
	h := &Handoff{
		desk: d, page: page, done: make(chan struct{}), extended: make(chan struct{}, 1), record: stored, learning: &learning{},
		typed: true, // it may be that something was
		request: Request{
			Page: page, Reason: automation.Reason(stored.Reason), Doing: stored.Doing, Instruction: stored.Instruction, Until: stored.Until, Run: stored.Run,
			Step: stored.Step, Automation: stored.Automation, Account: stored.Account, Session: stored.Session, Browser: stored.Browser, Capture: stored.Capture,
			Redact: replayer.NewRedactor(), Timeout: stored.Deadline.Sub(stored.Started),
		},
	}
	if len(stored.Before) > 0 {
		if err := json.Unmarshal(stored.Before, &h.before); err != nil {
			return nil, err
		}
	}
	if err := h.readKeys(ctx); err != nil {
		return nil, err
	}
	if err := d.reserve(h.page); err != nil {
		return nil, err
	}
	if err := h.noteServed(ctx); err != nil {
		d.options.Logger.WarnContext(ctx, "where a page is served now was not written down", "handoff", stored.ID, "error", err)
	}
	d.mu.Lock()
	d.others[stored.ID] = true
	d.mu.Unlock()
	h.serve()
	return h, nil
}
