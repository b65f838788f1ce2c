package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"time"

	"github.com/go-reprise/reprise/store/internal/files"
)

// maxEventsSize bounds what is read of a handoff's events.
const maxEventsSize = maxHandoffEvents * maxEventSize

// dirHandoffs has a handoff in handoffs/ID/meta.json, and next to it events.jsonl, with a
// line for each event.
type dirHandoffs struct{ records[Handoff] }

// Handoffs returns when a person had the browser.
func (d *dir) Handoffs() Handoffs {
	return dirHandoffs{records[Handoff]{d, "handoff", handoffsDir, "/meta.json", maxHandoffSize, decodeHandoff, func(h Handoff) string { return h.ID }}}
}

func eventsName(id string) string { return handoffsDir + "/" + id + "/events.jsonl" }

func (d dirHandoffs) Start(ctx context.Context, h Handoff, lasting time.Duration) (started Handoff, err error) {
	if err := d.Ready(ctx); err != nil {
		return Handoff{}, err
	}
	if err := checkStart(h, lasting); err != nil {
		return Handoff{}, err
	}
	h.ID, h.State, h.Started, h.Ended, h.After = NewRunID(), HandoffRunning, dirNow(), time.Time{}, nil
	h.Deadline = h.Started.Add(lasting)
	err = d.Write(ctx, func() error {
		started, err = d.put(h)
		return err
	})
	return started, err
}

func (d dirHandoffs) End(ctx context.Context, id string, state HandoffState, after json.RawMessage) (Handoff, error) {
	return d.change(ctx, id, checkEnd(id, state, after), state, func(h *Handoff, now time.Time) {
		h.State, h.Ended, h.After = state, now, after
	})
}

func (d dirHandoffs) Extend(ctx context.Context, id string, lasting time.Duration) (Handoff, error) {
	return d.change(ctx, id, checkLasting(id, lasting), HandoffRunning, func(h *Handoff, now time.Time) {
		until := now.Add(lasting)
		if latest := h.Started.Add(MaxHandoff); latest.Before(until) {
			until = latest
		}
		if until.After(h.Deadline) {
			h.Deadline = until
		}
	})
}

// change changes a handoff that may become state still. Wrong is what is wrong with what the caller asks for.
func (d dirHandoffs) change(ctx context.Context, id string, wrong error, state HandoffState, set func(h *Handoff, now time.Time)) (changed Handoff, err error) {
	if err := d.Ready(ctx); err != nil {
		return Handoff{}, err
	}
	if wrong != nil {
		return Handoff{}, wrong
	}
	if !idPattern.MatchString(id) {
		return Handoff{}, notFound(d.kind, id)
	}
	err = d.Write(ctx, func() error {
		h, err := d.read(id)
		if err != nil {
			return err
		}
		now := dirNow()
		if err := whyNotEnd(h, state, now); err != nil {
			return err
		}
		set(&h, now)
		changed, err = d.put(h)
		return err
	})
	return changed, err
}

// put writes a handoff, and returns it as it is read.
func (d dirHandoffs) put(h Handoff) (Handoff, error) {
	data, err := encodeHandoff(h)
	if err != nil {
		return Handoff{}, err
	}
	if err := d.Replace(d.name(h.ID), data); err != nil {
		return Handoff{}, err
	}
	return decodeHandoff(data)
}

func (d dirHandoffs) Get(ctx context.Context, id string) (Handoff, error) {
	h, err := d.get(ctx, id)
	return h.asOf(dirNow()), err
}

func (d dirHandoffs) Running(ctx context.Context) iter.Seq2[HandoffSummary, error] {
	return running(d.List(ctx))
}

func (d dirHandoffs) List(ctx context.Context) iter.Seq2[HandoffSummary, error] {
	return newest(ctx, d.records, func(id string, h Handoff, unread error) HandoffSummary {
		if unread != nil {
			h = Handoff{ID: id}
		}
		return HandoffSummary{h.asOf(dirNow()), unread}
	})
}

func (d dirHandoffs) Note(ctx context.Context, id string, e HandoffEvent) (noted HandoffEvent, err error) {
	if err := d.Ready(ctx); err != nil {
		return e, err
	}
	if err := e.validate(id); err != nil {
		return e, err
	}
	if !idPattern.MatchString(id) {
		return e, notFound(d.kind, id)
	}
	err = d.Write(ctx, func() error {
		h, err := d.read(id)
		if err != nil {
			return err
		}
		noted, err = d.add(h, e)
		return err
	})
	return noted, err
}

// add writes a line after the last whole one.
func (d dirHandoffs) add(h Handoff, e HandoffEvent) (HandoffEvent, error) {
	log, err := d.OpenLog(eventsName(h.ID))
	if err != nil {
		return e, err
	}
	defer log.Close()
	last, end, err := lastEvent(log)
	if err != nil {
		return e, pathError("save", d.Path(eventsName(h.ID)), err)
	}
	if last.Number > 0 && last.ID == e.ID {
		return last, nil
	}
	if err := whyNoEvent(h.asOf(dirNow()), e.Kind, last.Number); err != nil {
		return e, err
	}
	e.Number, e.At = last.Number+1, dirNow()
	line, err := encodeEvent(e)
	if err != nil {
		return e, err
	}
	if _, err := log.Put(end, line); err != nil {
		return e, err
	}
	return decodeEvent(line)
}

// lastEvent returns the event of the last whole line, and where it ends.
func lastEvent(log *files.Log) (last HandoffEvent, end int64, err error) {
	line, end, err := log.Last(maxEventSize)
	switch {
	case errors.Is(err, files.ErrNoLine):
		err = errNoEvent
	case err == nil && end > 0:
		last, err = decodeEvent(line)
	}
	return last, end, err
}

// Events leaves out what a killed process has left after the last line.
func (d dirHandoffs) Events(ctx context.Context, id string) iter.Seq2[HandoffEvent, error] {
	return func(yield func(HandoffEvent, error) bool) {
		var data []byte
		_, err := d.Get(ctx, id)
		if err == nil {
			data, _, err = d.Read(eventsName(id), maxEventsSize)
		}
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) { // there are none yet
				yield(HandoffEvent{}, err)
			}
			return
		}
		lines := bytes.Split(data, []byte("\n"))
		for i, line := range lines[:len(lines)-1] {
			e, err := decodeEvent(line)
			if err == nil && e.Number != i+1 {
				err = errNoEvent
			}
			if err != nil {
				yield(HandoffEvent{}, pathError("read", d.Path(eventsName(id)), fmt.Errorf("line %d: %w", i+1, err)))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}
