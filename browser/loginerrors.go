package browser

import (
	"errors"
	"fmt"
	"strings"
)

// Why a login cannot be captured or used.
var (
	ErrNotSignedIn   = errors.New("there is nothing to save")
	ErrLoginTooLarge = errors.New("there is too much to save")
	ErrLoginExpired  = errors.New("it has run out")
	ErrBadLogin      = errors.New("it is no login")
)

// loginAdvice says what to do about it.
var loginAdvice = map[error]string{
	ErrNotSignedIn:   "sign in there first, or name the origins that keep the sign-in",
	ErrLoginTooLarge: "name only the origins that it needs",
	ErrLoginExpired:  "sign in and save it again",
	ErrBadLogin:      "sign in and save it again",
}

// LoginError says why a login cannot be captured or used: ErrNotSignedIn,
// ErrLoginTooLarge, ErrLoginExpired or ErrBadLogin. It quotes nothing of what is in one.
type LoginError struct {
	Origins []string // of the login, where they are known
	Reason  string   // "" where there is nothing to add
	Err     error
}

func (e *LoginError) Error() string {
	msg := "the login"
	if len(e.Origins) > 0 {
		msg += " for " + strings.Join(e.Origins, " ")
	}
	msg += fmt.Sprintf(": %v", e.Err)
	if e.Reason != "" {
		msg += ": " + e.Reason
	}
	return msg + ": " + loginAdvice[e.Err]
}

func (e *LoginError) Unwrap() error { return e.Err }

func badLogin(reason string) error { return &LoginError{Reason: reason, Err: ErrBadLogin} }
