package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"syscall"
)

// maxEventsSize bounds what is read of a handoff's events.
const maxEventsSize = maxHandoffEvents * maxEventSize

// Note writes a line behind the last whole one: what a killed process has left behind that
// is no line, and is written over.
func (d dirHandoffs) Note(ctx context.Context, id string, e HandoffEvent) (kept HandoffEvent, err error) {
	if err := d.ready(ctx); err != nil {
		return e, err
	}
	if err := CheckNote(id, e); err != nil {
		return e, err
	}
	if !idPattern.MatchString(id) {
		return e, handoffNotFound(id)
	}
	err = d.write(ctx, func() error {
		h, err := d.read(id)
		if err != nil {
			return err
		}
		kept, err = d.add(h, e)
		return err
	})
	return kept, err
}

func (d dirHandoffs) add(h Handoff, e HandoffEvent) (HandoffEvent, error) {
	path := d.path(h.ID, eventsFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, filePerm)
	if err != nil {
		return e, pathError("save", path, err)
	}
	defer f.Close()
	last, end, err := lastEvent(f)
	if err != nil {
		return e, pathError("save", path, err)
	}
	if last.Number > 0 && last.ID == e.ID {
		return last, nil
	}
	if err := WhyNoEvent(h, last.Number); err != nil {
		return e, err
	}
	e.Number, e.At = last.Number+1, dirNow()
	line, err := encodeEvent(e)
	if err != nil {
		return e, err
	}
	_, err = f.WriteAt(append(line, '\n'), end)
	err = errors.Join(err, f.Truncate(end+int64(len(line))+1), f.Sync())
	if err == nil && e.Number == 1 {
		err = syncDir(d.path(h.ID, ""))
	}
	if err != nil {
		return e, pathError("save", path, err)
	}
	return decodeEvent(line)
}

// lastEvent gives the last whole line, and where it ends.
func lastEvent(f *os.File) (last HandoffEvent, end int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return last, 0, err
	}
	if !info.Mode().IsRegular() {
		return last, 0, ErrNotRegular
	}
	size := info.Size()
	tail := make([]byte, min(size, 2*(maxEventSize+1))) // the last line, and one that is torn
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return last, 0, err
	}
	whole := bytes.LastIndexByte(tail, '\n')
	if whole < 0 && size > maxEventSize {
		return last, 0, errNoEvent
	}
	if whole < 0 {
		return last, 0, nil
	}
	end = size - int64(len(tail)) + int64(whole) + 1
	last, err = decodeEvent(tail[bytes.LastIndexByte(tail[:whole], '\n')+1 : whole])
	return last, end, err
}

// Events leaves out what a killed process has left behind the last line.
func (d dirHandoffs) Events(ctx context.Context, id string) iter.Seq2[HandoffEvent, error] {
	return func(yield func(HandoffEvent, error) bool) {
		lines, err := d.lines(ctx, id)
		for i, line := range lines {
			var e HandoffEvent
			if e, err = decodeEvent(line); err == nil && e.Number != i+1 {
				err = errNoEvent
			}
			if err != nil {
				err = pathError("read", d.path(id, eventsFile), fmt.Errorf("line %d: %w", i+1, err))
				break
			}
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(HandoffEvent{}, err)
		}
	}
}

func (d dirHandoffs) lines(ctx context.Context, id string) ([][]byte, error) {
	if _, err := d.Get(ctx, id); err != nil {
		return nil, err
	}
	data, _, err := readFile(d.path(id, eventsFile), maxEventsSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(data, []byte("\n"))
	return lines[:len(lines)-1], nil
}
