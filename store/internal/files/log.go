package files

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Log is a file of lines that only grows. A writer that is killed may leave the beginning
// of a line at its end, a torn one: the next line is written over it.
type Log struct {
	dir  *Dir
	f    *os.File
	size int64
}

// ErrNoLine is the error for a log that ends with more than a line that is torn.
var ErrNoLine = errors.New("it has no whole line at its end")

// OpenLog opens a log to append to it, and makes it where there is none. The caller
// closes it, and holds the turn to write (see Write) meanwhile.
func (d *Dir) OpenLog(name string) (*Log, error) {
	path := d.Path(name)
	if err := d.makeDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, filePerm)
	if err != nil {
		return nil, d.fail("save", path, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		_ = f.Close()
		return nil, d.fail("save", path, err)
	}
	return &Log{d, f, info.Size()}, nil
}

// Close closes the file.
func (l *Log) Close() error { return l.f.Close() }

// Size returns how long the file was when it was opened.
func (l *Log) Size() int64 { return l.size }

// Last returns the last whole line, of at most limit bytes, and where it ends; 0 where
// there is none.
func (l *Log) Last(limit int) (line []byte, end int64, err error) {
	tail, err := l.read(max(0, l.size-2*int64(limit+1)), l.size) // the last line, and one that is torn
	if err != nil {
		return nil, 0, err
	}
	whole := bytes.LastIndexByte(tail, '\n')
	switch {
	case whole < 0 && l.size > int64(limit):
		return nil, 0, ErrNoLine
	case whole < 0:
		return nil, 0, nil
	}
	end = l.size - int64(len(tail)) + int64(whole) + 1
	return tail[bytes.LastIndexByte(tail[:whole], '\n')+1 : whole], end, nil
}

// Before returns the line that ends at an offset, of at most limit bytes.
func (l *Log) Before(end int64, limit int) ([]byte, error) {
	tail, err := l.read(max(0, end-int64(limit+1)), end)
	tail = bytes.TrimSuffix(tail, []byte("\n"))
	return tail[bytes.LastIndexByte(tail, '\n')+1:], err
}

// After returns the whole line that begins at an offset, of at most limit bytes; nil where
// there is none.
func (l *Log) After(start int64, limit int) ([]byte, error) {
	rest, err := l.read(start, min(l.size, start+int64(limit+1)))
	if err != nil {
		return nil, err
	}
	line, _, whole := bytes.Cut(rest, []byte("\n"))
	if !whole {
		return nil, nil
	}
	return line, nil
}

func (l *Log) read(from, to int64) ([]byte, error) {
	data := make([]byte, to-from)
	if _, err := l.f.ReadAt(data, from); err != nil && to > from {
		return nil, l.dir.fail("save", l.f.Name(), err)
	}
	return data, nil
}

// Put writes a line at an offset, durably, cuts off what is after it, and returns where it
// ends.
func (l *Log) Put(at int64, line []byte) (end int64, err error) {
	end = at + int64(len(line)) + 1
	_, err = l.f.WriteAt(append(line, '\n'), at)
	err = errors.Join(err, l.f.Truncate(end), l.f.Sync())
	if err == nil && at == 0 { // the name may be new
		err = syncDir(filepath.Dir(l.f.Name()))
	}
	return end, l.dir.fail("save", l.f.Name(), err)
}

// Sync waits for the disk: the writer of the last line may not have come to that.
func (l *Log) Sync() error { return l.dir.fail("save", l.f.Name(), l.f.Sync()) }
