package cdp

import (
	"errors"
	"fmt"

	rodcdp "github.com/go-rod/rod/lib/cdp"
)

// Ways in which a call ends without a reply.
var (
	// ErrClosed is the error of every call on a client that has ended; the
	// browser's end (a read error) is wrapped after it.
	ErrClosed = errors.New("the connection to the browser has ended")
	// ErrSessionGone: the page, frame or worker was closed or moved to another
	// process, and its session with it.
	ErrSessionGone = errors.New("the session has ended")
	// ErrCrashed: the renderer of the session crashed. The session goes on when
	// its page is navigated or reloaded.
	ErrCrashed = errors.New("the page crashed")
)

// codeSessionGone is what Chrome answers to a command for a session it has
// already ended.
const codeSessionGone = -32001

// Error is the browser's refusal of a command.
type Error struct {
	Method  string `json:"-"` // the command
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data"`
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s", e.Method, e.Message)
	if e.Data != "" {
		s += ": " + e.Data
	}
	return fmt.Sprintf("%s (%d)", s, e.Code)
}

// Is makes errors.Is work with rod's error values (cdp.ErrCtxNotFound and its
// like), which rod compares to decide on a retry, and with ErrSessionGone.
func (e *Error) Is(target error) bool {
	if target == ErrSessionGone {
		return e.Code == codeSessionGone
	}
	r, ok := target.(*rodcdp.Error)
	return ok && r != nil && *r == e.rod()
}

// As lets errors.As take the error out as rod's type.
func (e *Error) As(target any) bool {
	r, ok := target.(**rodcdp.Error)
	if ok {
		v := e.rod()
		*r = &v
	}
	return ok
}

func (e *Error) rod() rodcdp.Error {
	return rodcdp.Error{Code: e.Code, Message: e.Message, Data: e.Data}
}

// contextGone are Chromium's messages (V8's inspector and the DevTools agent)
// for a command whose JavaScript context or document went away under it. They
// have no code of their own.
var contextGone = map[string]bool{
	"Cannot find context with specified id":                       true,
	"Cannot find default execution context":                       true,
	"Cannot find execution context with given executionContextId": true,
	"uniqueContextId not found":                                   true,
	"Execution context was destroyed.":                            true,
	"Inspected target navigated or closed":                        true,
	"Promise was collected":                                       true,
}

// IsContextGone reports whether err is the normal churn of a page that
// navigates: the context that the command named is no more. Wait for the next
// one and ask again.
func IsContextGone(err error) bool {
	var e *Error
	return errors.As(err, &e) && contextGone[e.Message]
}

// frameGone are the messages for a frame that is no longer in the session's
// target.
var frameGone = map[string]bool{
	"No frame for given id found":                            true,
	"No frame for given id found in this target":             true,
	"Frame with the given frameId is not found.":             true,
	"Frame with the given id does not belong to the target.": true,
	"Frame with the given id was not found.":                 true,
}

// IsFrameGone reports whether err says that the frame which the command named
// was removed, or lives in another process now.
func IsFrameGone(err error) bool {
	var e *Error
	return errors.As(err, &e) && frameGone[e.Message]
}
