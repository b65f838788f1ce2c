package store

import (
	"errors"
	"fmt"
	"strings"
)

// What callers test for with errors.Is.
var (
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("conflict")
	ErrClosed   = errors.New("store: it is closed")
	ErrSent     = errors.New("store: it was sent before")
)

// NotFoundError says that no automation has this name and account. It is
// ErrNotFound.
type NotFoundError struct {
	Name, Account string
	Accounts      []string // that the name is kept for, sorted; "" is any account
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

// ConflictError says that someone else saved or deleted the automation since
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
		return fmt.Sprintf("%s is no longer stored, and you have revision %d: save it with revision 0 to store it anew", what, e.Have)
	}
	return fmt.Sprintf("%s is stored at revision %d, and you have revision %d: get it again and apply your change to that", what, e.Stored, e.Have)
}

// Is makes it ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// AccountError says that a store cannot keep this account label.
type AccountError struct{ Account, Reason string }

func (e *AccountError) Error() string {
	return fmt.Sprintf("store: the account %.80q cannot be stored: %s", e.Account, e.Reason)
}

// InvalidRunError says why the record of a run is not saved.
type InvalidRunError struct{ ID, Reason string }

func (e *InvalidRunError) Error() string {
	return fmt.Sprintf("store: run %.80q is not saved: %s", e.ID, e.Reason)
}

// InvalidCommitError says why a commit is not noted: its run or its step is none.
type InvalidCommitError struct {
	Run  string
	Step int
}

func (e *InvalidCommitError) Error() string {
	return fmt.Sprintf("store: step %d of run %.80q cannot be noted: a run is named with small letters and digits, a step counted from 0", e.Step, e.Run)
}

// SchemeError says that no driver for a store's address is part of this
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

// UnreadError is what a search that found nothing returns when it could not
// see every document. It is also the error of the search.
type UnreadError struct {
	Err    error
	Unread []Summary // by name and account; each has its Err
}

func (e *UnreadError) Error() string {
	return fmt.Sprintf("%v (%d of the stored automations cannot be read, so they took no part; the first: %v)", e.Err, len(e.Unread), e.Unread[0].Err)
}

func (e *UnreadError) Unwrap() error { return e.Err }
