package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/go-reprise/reprise/store/internal/files"
)

// What callers test for with errors.Is.
var (
	ErrNotFound    = errors.New("not found")
	ErrConflict    = errors.New("conflict")
	ErrClosed      = files.ErrClosed
	ErrAlreadySent = errors.New("store: it was sent before")
)

// What can be wrong with a file itself.
var (
	ErrNotRegular = files.ErrNotRegular
	ErrTooLarge   = files.ErrTooLarge
	ErrMisplaced  = errors.New("the document belongs to another file name")
)

// notFound returns the error for a record that is not there.
func notFound(kind, id string) error {
	return fmt.Errorf("store: %s %.40q: %w", kind, id, ErrNotFound)
}

// NotFoundError is the error where no automation has this name and account. It is
// ErrNotFound.
type NotFoundError struct {
	Name, Account string
	Accounts      []string // that the name is stored for, sorted; "" is any account
}

func (e *NotFoundError) Error() string {
	msg := "store: there is no " + describe(e.Name, e.Account)
	if len(e.Accounts) == 0 {
		return msg + "; nothing is stored under this name"
	}
	kept := make([]string, len(e.Accounts))
	for i, a := range e.Accounts {
		kept[i] = forAccount(a)
	}
	return msg + "; it is stored " + strings.Join(kept, ", ")
}

// Is makes it ErrNotFound.
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// ConflictError is the error where someone else saved or deleted the automation since
// the caller read it. Nothing was changed. It is ErrConflict.
type ConflictError struct {
	Name, Account string
	Have          int // the caller's revision; 0 is a new document
	Stored        int // the stored one; 0 when nothing is stored
}

func (e *ConflictError) Error() string {
	what := "store: " + describe(e.Name, e.Account)
	switch {
	case e.Have == 0:
		return fmt.Sprintf("%s is already stored, at revision %d: get it and change that, or choose another name", what, e.Stored)
	case e.Stored == 0:
		return fmt.Sprintf("%s is no longer stored, and you have revision %d: save it with revision 0 to store it again", what, e.Have)
	}
	return fmt.Sprintf("%s is stored at revision %d, and you have revision %d: get it again and apply your change to that", what, e.Stored, e.Have)
}

// Is makes it ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// AccountError is the error for an account label that a store cannot hold.
type AccountError struct{ Account, Reason string }

func (e *AccountError) Error() string {
	return fmt.Sprintf("store: the account %.80q cannot be stored: %s", e.Account, e.Reason)
}

// InvalidRunError is why the record of a run is not saved.
type InvalidRunError struct{ ID, Reason string }

func (e *InvalidRunError) Error() string {
	return fmt.Sprintf("store: run %.80q is not saved: %s", e.ID, e.Reason)
}

// InvalidCommitError is why a commit is not noted: its run or its step is none.
type InvalidCommitError struct {
	Run  string
	Step int
}

func (e *InvalidCommitError) Error() string {
	return fmt.Sprintf("store: step %d of run %.80q cannot be noted: a run is named with small letters and digits, a step counted from 0", e.Step, e.Run)
}

// SchemeError is the error for a store's address whose driver is not part of this
// program.
type SchemeError struct {
	Scheme string
	Known  []string // the registered ones, sorted
}

func (e *SchemeError) Error() string {
	if pkg, ok := drivers[e.Scheme]; ok {
		return fmt.Sprintf("store: this program has no driver for %s:// : import _ %q", e.Scheme, pkg)
	}
	if len(e.Known) == 0 {
		return fmt.Sprintf("store: %s:// is not a store: give a directory, or import the package that registers it", e.Scheme)
	}
	return fmt.Sprintf("store: %s:// is not a store: give a directory, or one of %s://", e.Scheme, strings.Join(e.Known, "://, "))
}

// Our drivers, which a program imports for their side effect.
var drivers = map[string]string{
	"postgres":   "github.com/go-reprise/reprise/store/postgres",
	"postgresql": "github.com/go-reprise/reprise/store/postgres",
}

func describe(name, account string) string {
	return fmt.Sprintf("automation %q %s", name, forAccount(account))
}

func forAccount(account string) string {
	if account == "" {
		return "for any account"
	}
	return fmt.Sprintf("for account %q", account)
}

// DecodeError is what a search that found nothing returns when it could not
// see every document. It is also the error of the search.
type DecodeError struct {
	Err    error
	Unread []Summary // by name and account; each has its Err
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("%v (%d of the stored automations cannot be read, so they took no part; the first: %v)", e.Err, len(e.Unread), e.Unread[0].Err)
}

func (e *DecodeError) Unwrap() error { return e.Err }

// PathError is what could not be done with a file of a directory store, and what to do
// about it. What was stored before is still there,
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

// What to do about an error of the system or a file, the first that fits.
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

// pathError makes a *PathError of what the os package returned; nil of nil. The path is
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
