// Package files reads what commands are given: documents and other input, from a file or from
// standard input, each with a limit.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/failure"
)

// The maximum sizes of each kind of input, in bytes: far more than a person writes.
// automation.MaxSize and exchange.MaxSize are those of documents and recordings.
const (
	MaxValues     = 1 << 20
	MaxToken      = 4 << 10
	MaxTranscript = 64 << 20 // transcripts of agents are long
)

// IsDocument reports whether an argument names a file and not a stored document.
func IsDocument(arg string) bool {
	return strings.ContainsRune(arg, filepath.Separator) || strings.HasSuffix(arg, ".json") || arg == "-"
}

// ReadDocument reads a document from a file, or from standard input for "-". It accepts tools
// that a program added: whether they can be played is the replayer's decision.
func ReadDocument(stdin io.Reader, file string) (*automation.Automation, error) {
	in, name, err := open(stdin, file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	doc, err := automation.ParseFrom(in, automation.AnyTools())
	if err != nil {
		return nil, &Error{name, err}
	}
	return doc, nil
}

// Private is the mode of files that commands write: documents name accounts.
const Private fs.FileMode = 0o600

// WriteDocument replaces a file as a whole or not at all. A file that exists keeps its permissions.
func WriteDocument(file string, a *automation.Automation) error {
	data, err := automation.Marshal(a)
	if err != nil {
		return err
	}
	return renameio.WriteFile(file, data, Private)
}

// RescueDocument writes a document that could not be stored to a temporary file, and returns its name.
func RescueDocument(a *automation.Automation) (string, error) {
	f, err := os.CreateTemp("", a.Name+"-*.json")
	if err != nil {
		return "", err
	}
	return f.Name(), errors.Join(f.Close(), WriteDocument(f.Name(), a))
}

// ExistsError is an output that would replace something, without --replace.
type ExistsError struct {
	What, Instead string
	Appendable    bool // --append could continue it
}

func (e *ExistsError) Error() string {
	goOn := ""
	if e.Appendable {
		goOn = ", go on with it with --append"
	}
	return fmt.Sprintf("%s is already stored: choose another %s%s, or replace it with --replace", e.What, e.Instead, goOn)
}

// Unwrap makes it a conflict.
func (e *ExistsError) Unwrap() error { return failure.ErrConflict }

// Read returns the content of a file, or of standard input for "-" unless stdin is nil. Where
// there are more than limit bytes it reads one more, and returns a *failure.TooLargeError.
func Read(stdin io.Reader, file string, limit int64) ([]byte, error) {
	in, name, err := open(stdin, file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	switch {
	case err != nil:
		return nil, &Error{name, err}
	case int64(len(data)) > limit:
		return nil, &failure.TooLargeError{Name: name, Limit: limit}
	}
	return data, nil
}

// open opens a file, or standard input for "-", and returns its name for messages.
func open(stdin io.Reader, file string) (in io.ReadCloser, name string, err error) {
	if file == "-" && stdin != nil {
		return io.NopCloser(stdin), "standard input", nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, "", &Error{file, errors.Unwrap(err)}
	}
	return f, file, nil
}

// Error is a file that cannot be read, or is not a document.
type Error struct {
	file string
	err  error
}

func (e *Error) Error() string {
	separator := ": "
	if len(automation.Problems(e.err)) > 1 {
		separator = " is not a valid document:\n"
	}
	return e.file + separator + e.err.Error()
}

func (e *Error) Unwrap() error { return e.err }
