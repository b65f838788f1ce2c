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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	tracesDir = "traces"
	traceExt  = ".jsonl"
	// headExt is of the record that says where a trace ends; a name of renameio's kind,
	// so that what a killed process leaves of it is swept.
	headExt = ".head.json"
	// A session of a hundred thousand calls is smaller than this.
	maxTraceSize = 256 << 20
)

// dirJournal keeps traces/SESSION.jsonl, a line a call, and beside it where it ends.
type dirJournal struct{ *dir }

// storedHead is where a trace ends, and where in its file.
type storedHead struct {
	Calls int    `json:"calls"`
	Hash  string `json:"hash"`
	Size  int64  `json:"size"`
}

func (h storedHead) end() TraceEnd { return TraceEnd{h.Calls, h.Hash} }

func (d dirJournal) Append(ctx context.Context, c JournalCall) (kept JournalCall, err error) {
	if err := d.ready(ctx); err != nil {
		return c, err
	}
	if _, _, _, err := EncodeCall(c, TraceEnd{}); err != nil { // before a file is made for it
		return c, err
	}
	err = d.write(ctx, func() error {
		kept, err = d.add(c)
		return err
	})
	return kept, err
}

// add writes a line behind the last that was said to be kept, and then where it ends. A
// crash between the two leaves one line more than the head says, which the next call
// takes up; one within the line leaves a torn one, which the next call writes over.
func (d dirJournal) add(c JournalCall) (JournalCall, error) {
	if err := makeDir(filepath.Join(d.root, tracesDir)); err != nil {
		return c, err
	}
	head, err := d.head(c.Session)
	if err != nil {
		return c, err
	}
	f, err := os.OpenFile(d.trace(c.Session), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, filePerm)
	if err != nil {
		return c, pathError("save", d.trace(c.Session), err)
	}
	defer f.Close()
	if head, err = d.takeUp(f, c.Session, head); err != nil {
		return c, err
	}
	if same, found := d.known(f, c, head); found {
		return same, nil
	}
	line, kept, end, err := EncodeCall(c, head.end())
	if err != nil {
		return c, err
	}
	_, err = f.WriteAt(append(line, '\n'), head.Size)
	err = errors.Join(err, f.Truncate(head.Size+int64(len(line))+1), f.Sync())
	if err == nil && head.Calls == 0 {
		err = syncDir(filepath.Join(d.root, tracesDir))
	}
	if err != nil {
		return c, pathError("save", d.trace(c.Session), err)
	}
	return kept, d.setHead(c.Session, storedHead{end.Calls, end.Hash, head.Size + int64(len(line)) + 1})
}

// takeUp gives the head with the line that a crash has left behind it, if it is whole.
func (d dirJournal) takeUp(f *os.File, session string, head storedHead) (storedHead, error) {
	info, err := f.Stat()
	if err != nil {
		return head, pathError("save", f.Name(), err)
	}
	if info.Size() < head.Size {
		return head, &BrokenTraceError{session, head.Calls, "it was cut off: nothing is added to it"}
	}
	rest := make([]byte, min(info.Size()-head.Size, maxCallSize+1))
	if _, err := f.ReadAt(rest, head.Size); err != nil {
		return head, pathError("save", f.Name(), err)
	}
	line, _, whole := bytes.Cut(rest, []byte("\n"))
	if !whole {
		return head, nil
	}
	end, wrong := CheckCall(session, line, head.end())
	if wrong != "" {
		return head, &BrokenTraceError{session, head.Calls + 1, wrong}
	}
	return storedHead{end.Calls, end.Hash, head.Size + int64(len(line)) + 1}, nil
}

// known gives the last call, where it is this one: its caller was not told that it is kept.
func (d dirJournal) known(f *os.File, c JournalCall, head storedHead) (JournalCall, bool) {
	tail := make([]byte, min(head.Size, maxCallSize+1))
	if _, err := f.ReadAt(tail, head.Size-int64(len(tail))); err != nil || len(tail) == 0 {
		return c, false
	}
	tail = bytes.TrimSuffix(tail, []byte("\n"))
	last, _, err := DecodeCall(tail[bytes.LastIndexByte(tail, '\n')+1:])
	return last, err == nil && last.ID == c.ID
}

func (d dirJournal) trace(session string) string {
	return filepath.Join(d.root, tracesDir, session+traceExt)
}

func (d dirJournal) headFile(session string) string {
	return filepath.Join(d.root, tracesDir, session+headExt)
}

// head reads where a trace ends; the zero value where none has begun.
func (d dirJournal) head(session string) (h storedHead, err error) {
	data, _, err := readFile(d.headFile(session), maxCommitSize)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err == nil {
		err = pathError("read", d.headFile(session), json.Unmarshal(data, &h))
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
	return writeFile(filepath.Join(d.root, tracesDir), d.headFile(session), append(data, '\n'))
}

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

// Recent looks into the traces that were written to last, until no other can hold a
// newer call.
func (d dirJournal) Recent(ctx context.Context, limit int) ([]JournalCall, error) {
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
		for _, line := range lines[max(0, len(lines)-limit):] {
			if c, _, err := DecodeCall(line); err == nil { // Verify tells of the others
				recent = append(recent, c)
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
