package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/store/internal/files"
	"github.com/go-reprise/reprise/store/internal/rules"
)

const (
	traceExt = ".jsonl"
	// headExt is that of the record of where a trace ends; a name of renameio's kind,
	// so that what a killed process leaves of it is swept.
	headExt = ".head.json"

	// A session of a hundred thousand calls is smaller than this.
	maxTraceSize = 256 << 20
	maxHeadSize  = 4 << 10
)

// dirJournal has a trace in traces/SESSION.jsonl, with a line for each call, and next to it
// where it ends.
type dirJournal struct{ *dir }

// Journal returns the traces of what agents have called.
func (d *dir) Journal() Journal { return dirJournal{d} }

func traceName(session string) string { return tracesDir + "/" + session + traceExt }

// storedHead is where a trace ends, and where in its file.
type storedHead struct {
	Calls int    `json:"calls"`
	Hash  string `json:"hash"`
	Size  int64  `json:"size"`
}

func (h storedHead) end() rules.TraceEnd { return rules.TraceEnd{Calls: h.Calls, Hash: h.Hash} }

func (d dirJournal) Append(ctx context.Context, c JournalCall) (appended JournalCall, err error) {
	if err := d.Ready(ctx); err != nil {
		return c, err
	}
	if _, _, _, err := encodeCall(c, rules.TraceEnd{}); err != nil { // before a file is made for it
		return c, err
	}
	err = d.Write(ctx, func() error {
		appended, err = d.add(c)
		return err
	})
	return appended, err
}

// add writes a line after the last acknowledged one, and then where it ends. A crash
// between the two leaves one line more than the head has, which the next call takes up
// before it writes its own: however often that happens, there is never more than one. A
// crash within the line leaves a torn one, which the next call writes over.
func (d dirJournal) add(c JournalCall) (JournalCall, error) {
	head, err := d.head(c.Session)
	if err != nil {
		return c, err
	}
	log, err := d.OpenLog(traceName(c.Session))
	if err != nil {
		return c, err
	}
	defer log.Close()
	if head, err = d.takeUp(log, c.Session, head); err != nil {
		return c, err
	}
	if line, err := log.Before(head.Size, maxCallSize); err == nil {
		if last, err := decodeCall(line); err == nil && last.ID == c.ID {
			return last, nil // its caller did not learn that it is stored
		}
	}
	line, added, end, err := encodeCall(c, head.end())
	if err != nil {
		return c, err
	}
	size, err := log.Put(head.Size, line)
	if err != nil {
		return c, err
	}
	return added, d.setHead(c.Session, storedHead{end.Calls, end.Hash, size})
}

// takeUp returns the head with the line that a crash has left after it, if that is whole,
// and stores it: a call that is repeated counts from then on.
func (d dirJournal) takeUp(log *files.Log, session string, head storedHead) (storedHead, error) {
	if log.Size() < head.Size {
		return head, &BrokenTraceError{session, head.Calls, "it was cut off: nothing is added to it"}
	}
	line, err := log.After(head.Size, maxCallSize)
	if err != nil || line == nil {
		return head, err
	}
	end, wrong := checkCall(session, line, head.end())
	if wrong != "" {
		return head, &BrokenTraceError{session, head.Calls + 1, wrong}
	}
	head = storedHead{end.Calls, end.Hash, head.Size + int64(len(line)) + 1}
	if err := log.Sync(); err != nil {
		return head, err
	}
	return head, d.setHead(session, head)
}

// head reads where a trace ends; the zero value where none has begun.
func (d dirJournal) head(session string) (h storedHead, err error) {
	name := tracesDir + "/" + session + headExt
	data, _, err := d.Read(name, maxHeadSize)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err == nil {
		err = pathError("read", d.Path(name), json.Unmarshal(data, &h))
	}
	if err == nil && (h.Calls < 0 || h.Size < 0) {
		err = &BrokenTraceError{session, 0, "what says where it ends was changed"}
	}
	return h, err
}

func (d dirJournal) setHead(session string, h storedHead) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return d.Replace(tracesDir+"/"+session+headExt, append(data, '\n'))
}

// lines returns the lines of a trace, and what follows the last newline.
func (d dirJournal) lines(ctx context.Context, session string) (lines [][]byte, torn []byte, err error) {
	if err := d.Ready(ctx); err != nil {
		return nil, nil, err
	}
	missing := fmt.Errorf("store: the trace of session %.60q: %w", session, ErrNotFound)
	if !sessionPattern.MatchString(session) {
		return nil, nil, missing
	}
	data, _, err := d.Read(traceName(session), maxTraceSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, missing
	}
	if err != nil {
		return nil, nil, err
	}
	lines = bytes.Split(data, []byte("\n"))
	return lines[:len(lines)-1], lines[len(lines)-1], nil
}

func (d dirJournal) Trace(ctx context.Context, session string) iter.Seq2[JournalCall, error] {
	return func(yield func(JournalCall, error) bool) {
		lines, _, err := d.lines(ctx, session)
		for i, line := range lines {
			c, err := decodeCall(line)
			if err != nil {
				err = &BrokenTraceError{session, i + 1, "it is not JSON"}
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
		if err != nil {
			yield(JournalCall{}, err)
		}
	}
}

func (d dirJournal) Verify(ctx context.Context, session string) (TraceCheck, error) {
	if !sessionPattern.MatchString(session) {
		_, _, err := d.lines(ctx, session) // that there is none
		return TraceCheck{}, err
	}
	for {
		head, err := d.head(session)
		if err != nil {
			return TraceCheck{}, err
		}
		lines, torn, err := d.lines(ctx, session)
		if again, gone := d.head(session); gone != nil || again != head {
			continue // another call was written meanwhile
		}
		switch {
		case errors.Is(err, ErrNotFound) && head.Calls > 0:
			return TraceCheck{}, &BrokenTraceError{session, 1, fmt.Sprintf("its file is gone, and held %d", head.Calls)}
		case err != nil:
			return TraceCheck{}, err
		}
		return checkTrace(session, lines, head.end(), len(torn) > 0)
	}
}

func (d dirJournal) Sessions(ctx context.Context) ([]string, error) {
	all, err := d.sessions(ctx)
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	slices.Sort(names)
	return names, err
}

// traced is a session that has a trace.
type traced struct {
	name     string
	modified time.Time
}

func (d dirJournal) sessions(ctx context.Context) ([]traced, error) {
	if err := d.Ready(ctx); err != nil {
		return nil, err
	}
	names, err := d.Names(tracesDir)
	var all []traced
	for _, file := range names {
		name, is := strings.CutSuffix(file, traceExt)
		if !is || !sessionPattern.MatchString(name) {
			continue
		}
		if info, err := d.Stat(traceName(name)); err == nil {
			all = append(all, traced{name, info.ModTime()})
		}
	}
	return all, err
}

func (d dirJournal) Recent(ctx context.Context, limit int) ([]JournalCall, error) {
	return d.recent(ctx, limit, func(JournalCall) bool { return true })
}

func (d dirJournal) RecentOf(ctx context.Context, owner string, limit int) ([]JournalCall, error) {
	return d.recent(ctx, limit, func(c JournalCall) bool { return c.OwnedBy(owner) })
}

// recent looks into the traces that were written to last, until no other can hold a
// newer call.
func (d dirJournal) recent(ctx context.Context, limit int, wanted func(JournalCall) bool) ([]JournalCall, error) {
	all, err := d.sessions(ctx)
	if err != nil {
		return nil, err
	}
	if limit <= 0 {
		return nil, nil
	}
	slices.SortFunc(all, func(a, b traced) int { return b.modified.Compare(a.modified) })
	var recent []JournalCall
	for _, s := range all {
		if len(recent) >= limit && s.modified.Before(recent[limit-1].Started) {
			break
		}
		lines, _, err := d.lines(ctx, s.name)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		for i, found := len(lines)-1, 0; i >= 0 && found < limit; i-- {
			if c, err := decodeCall(lines[i]); err == nil && wanted(c) { // Verify reports the others
				recent = append(recent, c)
				found++
			}
		}
		slices.SortFunc(recent, newestFirst)
		recent = recent[:min(limit, len(recent))]
	}
	return recent, nil
}

func newestFirst(a, b JournalCall) int {
	return cmp.Or(b.Started.Compare(a.Started), strings.Compare(a.Session, b.Session), b.Number-a.Number)
}
