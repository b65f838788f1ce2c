package store

import (
	"context"
	"encoding/json"
	"iter"
	"path/filepath"
	"slices"
	"time"
)

const (
	handoffsDir = "handoffs"
	handoffFile = "meta.json"
	eventsFile  = "events.jsonl"
)

// dirHandoffs keeps handoffs/ID/meta.json, and beside it events.jsonl, a line an event.
type dirHandoffs struct{ *dir }

// Handoffs gives when a person had the browser.
func (d *dir) Handoffs() Handoffs { return dirHandoffs{d} }

func (d dirHandoffs) Start(ctx context.Context, h Handoff, lasting time.Duration) (Handoff, error) {
	if err := d.ready(ctx); err != nil {
		return Handoff{}, err
	}
	if err := CheckStart(h, lasting); err != nil {
		return Handoff{}, err
	}
	h.ID, h.State, h.Started, h.Ended, h.After = NewRunID(), HandoffRunning, dirNow(), time.Time{}, nil
	h.Deadline = h.Started.Add(lasting)
	var kept Handoff
	err := d.write(ctx, func() (err error) {
		kept, err = d.put(h)
		return err
	})
	return kept, err
}

func (d dirHandoffs) End(ctx context.Context, id string, state HandoffState, after json.RawMessage) (Handoff, error) {
	if err := d.ready(ctx); err != nil {
		return Handoff{}, err
	}
	if err := CheckEnd(id, state, after); err != nil {
		return Handoff{}, err
	}
	if !idPattern.MatchString(id) {
		return Handoff{}, handoffNotFound(id)
	}
	var kept Handoff
	err := d.write(ctx, func() error {
		h, err := d.read(id)
		if err != nil {
			return err
		}
		now := dirNow()
		if err := WhyNotEnd(h, state, now); err != nil {
			return err
		}
		h.State, h.Ended, h.After = state, now, after
		kept, err = d.put(h)
		return err
	})
	return kept, err
}

func (d dirHandoffs) Get(ctx context.Context, id string) (Handoff, error) {
	if err := d.ready(ctx); err != nil {
		return Handoff{}, err
	}
	if !idPattern.MatchString(id) {
		return Handoff{}, handoffNotFound(id)
	}
	return d.read(id)
}

// List reads one at a time, as far as the caller goes.
func (d dirHandoffs) List(ctx context.Context) iter.Seq2[HandoffSummary, error] {
	return func(yield func(HandoffSummary, error) bool) {
		ids, err := d.recordIDs(ctx, handoffsDir, "")
		slices.Reverse(ids) // the newest first
		if err == nil {
			err = eachRecord(ctx, d.dir, ids, d.read, func(id string, h Handoff, unread error) bool {
				if unread != nil {
					h = Handoff{ID: id}
				}
				return yield(HandoffSummary{h, unread}, nil)
			})
		}
		if err != nil {
			yield(HandoffSummary{}, err)
		}
	}
}

func (d dirHandoffs) path(id, file string) string {
	return filepath.Join(d.root, handoffsDir, id, file)
}

// put writes a handoff, and gives it as it is read.
func (d dirHandoffs) put(h Handoff) (Handoff, error) {
	data, err := encodeHandoff(h)
	if err != nil {
		return Handoff{}, err
	}
	if err := writeFile(filepath.Join(d.root, handoffsDir), d.path(h.ID, handoffFile), data); err != nil {
		return Handoff{}, err
	}
	return decodeHandoff(data)
}

func (d dirHandoffs) read(id string) (Handoff, error) {
	return readRecord(d.path(id, handoffFile), "handoff", id, maxHandoffSize, decodeHandoff, func(h Handoff) string { return h.ID }, handoffNotFound(id))
}
