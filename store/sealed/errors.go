package sealed

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/store"
)

// Why something that is sealed cannot be opened.
var (
	ErrNoKeys   = errors.New("there is no key")
	ErrWrongKey = errors.New("it is sealed for other keys")
	ErrDamaged  = errors.New("it is damaged")
	ErrAltered  = errors.New("what stands on it is not what is in it")
)

// What to do about it.
var openAdvice = map[error]string{
	ErrWrongKey: "use the key of those who sealed it (--key FILE), or have them seal it for yours (reprise key add, with what `reprise key show` says here)",
	ErrDamaged:  "take it back from a copy, or put it there again; nothing was changed",
	ErrAltered:  "someone has changed the record next to the secret: take it back from a copy, or put it there again",
}

// OpenError is what cannot be opened, and why: ErrWrongKey, ErrDamaged or ErrAltered.
// Nothing was changed.
type OpenError struct {
	Kind          store.EnvelopeKind
	Name, Account string
	Recipients    []string // for whom it is sealed, by its label
	Err           error
}

func (e *OpenError) Error() string {
	return fmt.Sprintf("%s cannot be opened: %v: %s", nameOf(e.Kind, e.Name, e.Account), e.Err, openAdvice[e.Err])
}

func (e *OpenError) Unwrap() error { return e.Err }

// NoKeysError is the error where there is no key in the place for it. It is ErrNoKeys.
type NoKeysError struct {
	Place  string
	Sealed bool // something is sealed, with a key that is elsewhere
}

func (e *NoKeysError) Error() string {
	msg := "there is no key in " + e.Place + ": "
	if e.Sealed {
		return msg + "bring the one that things here were sealed with, or name it with --key FILE; `reprise key new` makes another one, which opens none of them"
	}
	return msg + "name the file that has it with --key FILE, or make one with `reprise key new`"
}

// Is makes it ErrNoKeys.
func (e *NoKeysError) Is(target error) bool { return target == ErrNoKeys }

// PlaceError is why keys cannot be stored or read somewhere.
type PlaceError struct {
	Place  string
	Err    error
	Advice string
}

func (e *PlaceError) Error() string {
	msg := fmt.Sprintf("the key in %s: %v", e.Place, e.Err)
	if e.Advice == "" {
		return msg
	}
	return msg + ": " + e.Advice
}

func (e *PlaceError) Unwrap() error { return e.Err }

// RecipientError is why a recipient cannot be added or removed.
type RecipientError struct{ Recipient, Reason string }

func (e *RecipientError) Error() string { return fmt.Sprintf("%.80q: %s", e.Recipient, e.Reason) }

// TaskError is what is wrong with the values of a task. It holds none of them.
type TaskError struct {
	Field  string // "" where it is about all of them
	Reason string
}

func (e *TaskError) Error() string {
	if e.Field == "" {
		return "the values of a task: " + e.Reason
	}
	return fmt.Sprintf("the value %.80q of a task: %s", e.Field, e.Reason)
}

// UseError is why a task is not for an automation.
type UseError struct{ Task, Automation, Reason string }

func (e *UseError) Error() string {
	return fmt.Sprintf("task %q cannot be used for %q: %s", e.Task, e.Automation, e.Reason)
}

// AmbiguousError is the error where several credentials fit, and none of them is taken.
type AmbiguousError struct {
	Field, Account string
	Sites          []string
}

func (e *AmbiguousError) Error() string {
	for_ := ""
	if e.Account != "" {
		for_ = " for " + e.Account
	}
	return fmt.Sprintf("the vault has %q%s more than once, under %s: remove all but one, or set them with different origins",
		e.Field, for_, strings.Join(e.Sites, " and "))
}

// CredentialError is what is wrong with a credential that is to be stored.
type CredentialError struct{ Site, Reason string }

func (e *CredentialError) Error() string {
	return fmt.Sprintf("the credential %.80q: %s", e.Site, e.Reason)
}

// LoginError is what is wrong with a login that is to be stored. It holds nothing of it.
type LoginError struct{ Name, Reason string }

func (e *LoginError) Error() string {
	return fmt.Sprintf("the login %.80q: %s", e.Name, e.Reason)
}

func nameOf(kind store.EnvelopeKind, name, account string) string {
	if account == "" {
		return fmt.Sprintf("%s %q", kind, name)
	}
	return fmt.Sprintf("%s %q of the account %q", kind, name, account)
}
