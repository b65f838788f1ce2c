package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
// takes up before it writes its own: however often that happens, there is never more
// than one. A crash within the line leaves a torn one, which the next call writes over.
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

// takeUp gives the head with the line that a crash has left behind it, if it is whole, and
// keeps that: a call that is made again counts from then on.
func (d dirJournal) takeUp(f *os.File, session string, head storedHead) (storedHead, error) {
	line, err := d.behind(f, session, head)
	if err != nil || line == nil {
		return head, err
	}
	end, wrong := CheckCall(session, line, head.end())
	if wrong != "" {
		return head, &BrokenTraceError{session, head.Calls + 1, wrong}
	}
	head = storedHead{end.Calls, end.Hash, head.Size + int64(len(line)) + 1}
	if err := f.Sync(); err != nil { // its writer may not have come to that
		return head, pathError("save", f.Name(), err)
	}
	return head, d.setHead(session, head)
}

// behind is the whole line behind the last that was said to be kept, nil where there is none.
func (d dirJournal) behind(f *os.File, session string, head storedHead) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, pathError("save", f.Name(), err)
	}
	if info.Size() < head.Size {
		return nil, &BrokenTraceError{session, head.Calls, "it was cut off: nothing is added to it"}
	}
	rest := make([]byte, min(info.Size()-head.Size, maxCallSize+1))
	if _, err := f.ReadAt(rest, head.Size); err != nil {
		return nil, pathError("save", f.Name(), err)
	}
	line, _, whole := bytes.Cut(rest, []byte("\n"))
	if !whole {
		return nil, nil
	}
	return line, nil
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
