package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// PathError says what could not be done with which file of a directory store,
// and what a person can do about it. What was stored before is still there,
// and whole.
type PathError struct {
	Op     string // "save", "read", "list", …
	Path   string
	Err    error  // a syscall.Errno where the system refused
	Advice string // "" when there is nothing to add
}

func (e *PathError) Error() string {
	msg := fmt.Sprintf("store: %s %s: %v", e.Op, e.Path, e.Err)
	if e.Advice == "" {
		return msg
	}
	return msg + ": " + e.Advice
}

func (e *PathError) Unwrap() error { return e.Err }

// What can be wrong with a file itself.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("file too large")
	ErrMisplaced  = errors.New("the document belongs to another file name")
)

// What to do about what the system or the file says, the first that fits.
var advice = []struct {
	err  error
	text string
}{
	{syscall.ENOSPC, "the disk is full: free some space and try again; what was stored is unchanged"},
	{syscall.EDQUOT, "the disk quota is used up: free some space and try again; what was stored is unchanged"},
	{syscall.EFBIG, "the file is larger than this process may write; what was stored is unchanged"},
	{syscall.EROFS, "the file system is read-only: name another data directory with $" + DataEnv},
	{syscall.EACCES, "this user has no permission: change that, or name another data directory with $" + DataEnv},
	{syscall.EPERM, "this user has no permission: change that, or name another data directory with $" + DataEnv},
	{syscall.ENOTDIR, "a file stands where a directory must be: move it away, or name another data directory with $" + DataEnv},
	{syscall.ELOOP, "it is a symbolic link, and those are not followed: put the file itself there"},
	{ErrNotRegular, "only plain files are read and replaced: move it away"},
	{syscall.EMFILE, "this process has too many files open"},
	{syscall.ENFILE, "the system has too many files open"},
	{ErrTooLarge, "no automation is that large: move it away"},
}

// pathError makes a *PathError of what the os package returned. The path is
// the one that the caller knows, not that of a temporary file.
func pathError(op, path string, err error) error {
	var known *PathError
	if err == nil || errors.As(err, &known) {
		return err
	}
	e := &PathError{Op: op, Path: path, Err: bare(err)}
	for _, a := range advice {
		if errors.Is(err, a.err) {
			e.Advice = a.text
			break
		}
	}
	return e
}

// bare is the cause without the os package's own words and paths.
func bare(err error) error {
	var (
		p *fs.PathError
		l *os.LinkError
		s *os.SyscallError
	)
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	case errors.As(err, &s):
		return s.Err
	}
	return err
}
