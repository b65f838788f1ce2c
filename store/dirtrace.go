package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What is read of traces.

// lines gives the lines of a trace, and what stands behind the last newline.
func (d dirJournal) lines(ctx context.Context, session string) (lines [][]byte, torn []byte, err error) {
	if err := d.ready(ctx); err != nil {
		return nil, nil, err
	}
	missing := fmt.Errorf("store: the trace of session %.60q: %w", session, ErrNotFound)
	if !sessionPattern.MatchString(session) {
		return nil, nil, missing
	}
	data, _, err := readFile(d.trace(session), maxTraceSize)
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
			c, _, err := DecodeCall(line)
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
		_, _, err := d.lines(ctx, session) // which says that there is none
		return TraceCheck{}, err
	}
	for {
		head, err := d.head(session)
		if err != nil {
			return TraceCheck{}, err
		}
		lines, torn, err := d.lines(ctx, session)
		if again, gone := d.head(session); gone != nil || again != head {
			continue // somebody has written meanwhile
		}
		switch {
		case errors.Is(err, ErrNotFound) && head.Calls > 0:
			return TraceCheck{}, &BrokenTraceError{session, 1, fmt.Sprintf("its file is gone, and held %d", head.Calls)}
		case err != nil:
			return TraceCheck{}, err
		}
		return CheckTrace(session, lines, head.end(), len(torn) > 0)
	}
}

// CheckTrace holds all lines of a trace to one another, and to where it is said to end.
// One line may stand behind that: its writer crashed before it said so.
func CheckTrace(session string, lines [][]byte, head TraceEnd, torn bool) (TraceCheck, error) {
	var end TraceEnd
	for i, line := range lines {
		next, wrong := CheckCall(session, line, end)
		if wrong == "" && next.Calls == head.Calls && next.Hash != head.Hash {
			wrong = "it is not the one that was the last"
		}
		if wrong == "" && next.Calls > head.Calls+1 {
			wrong = fmt.Sprintf("the trace was said to end with line %d", head.Calls)
		}
		if wrong != "" {
			return TraceCheck{Calls: i}, &BrokenTraceError{session, i + 1, wrong}
		}
		end = next
	}
	if end.Calls < head.Calls {
		return TraceCheck{Calls: end.Calls}, &BrokenTraceError{session, end.Calls + 1, fmt.Sprintf("it is missing: %d were written", head.Calls)}
	}
	return TraceCheck{Calls: end.Calls, Torn: torn}, nil
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
	name string
	info fs.FileInfo
}

func (d dirJournal) sessions(ctx context.Context) ([]traced, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Join(d.root, tracesDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []traced
	for _, e := range entries {
		name, is := strings.CutSuffix(e.Name(), traceExt)
		info, err := e.Info()
		if is && err == nil && sessionPattern.MatchString(name) {
			all = append(all, traced{name, info})
		}
	}
	return all, pathError("list", filepath.Join(d.root, tracesDir), err)
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
	slices.SortFunc(all, func(a, b traced) int { return b.info.ModTime().Compare(a.info.ModTime()) })
	var recent []JournalCall
	for _, s := range all {
		if len(recent) >= limit && s.info.ModTime().Before(recent[limit-1].Started) {
			break
		}
		lines, _, err := d.lines(ctx, s.name)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		for i, found := len(lines)-1, 0; i >= 0 && found < limit; i-- {
			if c, _, err := DecodeCall(lines[i]); err == nil && wanted(c) { // Verify tells of the others
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
