package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// The most that is read of each kind of input, in bytes: far more than a person writes.
// automation.MaxSize and exchange.MaxSize are those of documents and recordings.
const (
	maxConfig = 1 << 20
	maxValues = 1 << 20
	maxToken  = 4 << 10
	maxJudged = 64 << 20 // transcripts of agents are long
)

// inputTooLargeError says that an input has more than is read of its kind.
type inputTooLargeError struct {
	name  string
	limit int64
}

func (e *inputTooLargeError) Error() string {
	return fmt.Sprintf("%s has more than the %d bytes that are read of it", e.name, e.limit)
}

// readInput returns what is in a file, or on standard input for "-" (as openInput does). It reads
// no more than limit bytes and one, and where there are more the error is an *inputTooLargeError.
func readInput(stdin io.Reader, file string, limit int64) ([]byte, error) {
	in, name, err := openInput(stdin, file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	switch {
	case err != nil:
		return nil, &fileError{name, err}
	case int64(len(data)) > limit:
		return nil, &inputTooLargeError{name, limit}
	}
	return data, nil
}

// openInput opens a file, or standard input for "-", and returns what it is called. Where
// stdin is nil, "-" is a file as any other.
func openInput(stdin io.Reader, file string) (in io.ReadCloser, name string, err error) {
	if file == "-" && stdin != nil {
		return io.NopCloser(stdin), "standard input", nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, "", &fileError{file, errors.Unwrap(err)}
	}
	return f, file, nil
}
