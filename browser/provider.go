package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-reprise/reprise/automation"
)

// Provider opens browsers somewhere: on this machine, or at a service that rents them out.
// Package providers has those that are built in. Its methods may be called from any goroutine.
//
// What fails at a service is a *ProviderError. No error, and nothing that is logged, has the
// service's key in it, the endpoint of a session or the address of its viewer.
type Provider interface {
	// Name is the provider's own, in lower case.
	Name() string
	// Open starts a session, nil being the defaults of SessionOptions. Where it fails, no
	// session goes on: one that may have begun is looked for and ended.
	Open(ctx context.Context, o *SessionOptions) (*Session, error)
	// Attach returns a session that runs already, such as one of a process that has ended.
	Attach(ctx context.Context, id string) (*Session, error)
	// List returns the sessions that run, also those that others have opened with the same key.
	List(ctx context.Context) ([]SessionInfo, error)
	// Close ends a session. One that has ended, or that the provider does not know, is no error.
	Close(ctx context.Context, id string) error
	// Capabilities are what the provider can do.
	Capabilities() Capabilities
}

// Capabilities are what a provider can do.
type Capabilities struct {
	// LiveView: it has a page of its own on which a person sees and uses a session's browser.
	LiveView bool
	// Contexts: it stores cookies and storage from one session to the next (SessionOptions.Context).
	Contexts bool
	// KeepAlive: a session can go on without a connection (SessionOptions.KeepAlive).
	KeepAlive bool
	// MaxSession is how long a session may last, whatever the plan; 0 is for ever.
	MaxSession time.Duration
	// Regions are the names for SessionOptions.Region; none where there is no choice.
	Regions []string
}

// SessionOptions are how a session is opened. The zero value, or nil, is what the provider does
// when it is asked for nothing in particular. What its Capabilities lack is refused.
type SessionOptions struct {
	// Browser is how a browser on this machine is launched. Of a service's, Width and Height
	// of its window are used, and what Connect uses. Default: as Options has it.
	Browser *Options
	// Region is where the browser runs, by the provider's name for it. Default: the provider's.
	Region string
	// Timeout is how long the session may last, used or not. Default: the provider's.
	Timeout time.Duration
	// KeepAlive has the session go on when its connection is lost, until Close or Timeout.
	// Default: it ends, where the provider can tell.
	KeepAlive bool
	// BlockAds has the provider block advertisements. Default: it does not.
	BlockAds bool
	// Context is the provider's name for stored cookies and storage to begin with. Default: none.
	Context string
	// SaveContext stores them again at the end of the session. Default: they stay as they were.
	SaveContext bool
}

// SessionInfo describes a session. Nothing in it is secret.
type SessionInfo struct {
	Provider string    `json:"provider"`
	ID       string    `json:"id"`
	Created  time.Time `json:"created,omitzero"`
	Expires  time.Time `json:"expires,omitzero"` // when the provider ends it; zero where it does not, or does not tell
	Region   string    `json:"region,omitempty"`
}

// EndsBefore reports whether the provider will have ended the session by then. A handoff with
// this deadline would lose its browser.
func (i SessionInfo) EndsBefore(deadline time.Time) bool {
	return !i.Expires.IsZero() && i.Expires.Before(deadline)
}

// Session is a browser that a provider has opened.
type Session struct {
	SessionInfo
	// Endpoint is where the browser is connected to. Who knows it controls the browser.
	Endpoint automation.Secret `json:"-"`
	// Viewer returns the address of the provider's live view; nil where that is off, which is
	// the default. Who knows the address has the browser, with all that it is signed in to.
	Viewer func(ctx context.Context) (automation.Secret, error) `json:"-"`
	// Browser is one that is controlled already, as a provider on this machine returns it.
	Browser *Browser `json:"-"`
}

// Connect takes control of the session's browser. Close of what it returns ends the connection,
// and not the session; of a browser on this machine, both.
func (s *Session) Connect(ctx context.Context, o *Options) (*Browser, error) {
	if s.Browser != nil {
		return s.Browser, nil
	}
	b, err := Connect(ctx, s.Endpoint.Reveal(), o)
	var unreachable *ConnectError
	if s.ID != "" && errors.As(err, &unreachable) { // what it advises is for a browser of one's own
		err = &ProviderError{Provider: s.Provider, Op: "connecting to session " + s.ID, Code: ProviderUnavailable, Err: unreachable.Err}
	}
	if err != nil {
		return nil, err
	}
	b.session = s.SessionInfo
	return b, nil
}

// sessionCloseTimeout bounds the ending of a session whose browser is no longer needed, also
// after the caller's own time is over: a session that is left costs money until it expires.
const sessionCloseTimeout = 20 * time.Second

// OpenSession opens a session at a provider and takes control of its browser. Close of the
// browser ends the session as well. A session whose browser cannot be reached is ended.
func OpenSession(ctx context.Context, p Provider, o *SessionOptions) (*Browser, *Session, error) {
	if o == nil {
		o = &SessionOptions{}
	}
	s, err := p.Open(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	end := func() error {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), sessionCloseTimeout)
		defer cancel()
		return p.Close(closing, s.ID)
	}
	b, err := s.Connect(ctx, o.Browser)
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	if s.Browser == nil {
		b.endSession = end
	} else {
		b.session = s.SessionInfo // no one else has it yet
	}
	return b, s, nil
}

// ProviderErrorCode is the kind of a ProviderError.
type ProviderErrorCode string

// The kinds.
const (
	ProviderUnauthorized    ProviderErrorCode = "unauthorized"     // the key is missing, wrong, or not for this
	ProviderPaymentRequired ProviderErrorCode = "payment_required" // the account has no credit left
	ProviderNotFound        ProviderErrorCode = "not_found"        // there is no such session
	ProviderConflict        ProviderErrorCode = "conflict"         // it is not in a state in which that can be done
	ProviderRateLimited     ProviderErrorCode = "rate_limited"     // too many sessions, or requests
	ProviderInvalidRequest  ProviderErrorCode = "invalid_request"  // what was asked for cannot be had
	ProviderUnavailable     ProviderErrorCode = "unavailable"      // it does not answer, or fails
	ProviderBadReply        ProviderErrorCode = "bad_reply"        // its answer is none that it documents
)

// ProviderError is what a provider refused, or failed to do.
type ProviderError struct {
	Provider string
	Op       string // what was being done, such as "opening a session"
	Code     ProviderErrorCode
	Status   int           // of HTTP; 0 where there was no answer
	After    time.Duration // of ProviderRateLimited: when to try again; 0 where it did not say
	Reason   string        // what the provider said, without secrets; "" where that is nothing
	Advice   string        // what to do; "" is that of the code
	Err      error         // why there was no answer
}

func (e *ProviderError) Error() string {
	text := fmt.Sprintf("%s: %s: %s", e.Provider, e.Op, e.what())
	if e.Reason != "" {
		text += fmt.Sprintf(" (it says %q)", e.Reason)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if advice := e.advice(); advice != "" {
		text += "; " + advice
	}
	return text
}

func (e *ProviderError) Unwrap() error { return e.Err }

func (e *ProviderError) what() string {
	text := map[ProviderErrorCode]string{
		ProviderUnauthorized:    "the key is not accepted",
		ProviderPaymentRequired: "the account has no credit left",
		ProviderNotFound:        "there is no such session",
		ProviderConflict:        "the session is in another state",
		ProviderRateLimited:     "too many sessions or requests",
		ProviderInvalidRequest:  "the request is refused",
		ProviderUnavailable:     "there is no usable answer",
		ProviderBadReply:        "the answer is not one that it documents",
	}[e.Code]
	if e.Code == ProviderUnauthorized && e.Status == 0 { // it was not asked
		text = "there is no key that can be used"
	}
	if e.Status != 0 {
		text += fmt.Sprintf(", status %d", e.Status)
	}
	return text
}

func (e *ProviderError) advice() string {
	if e.Advice != "" {
		return e.Advice
	}
	switch e.Code {
	case ProviderUnauthorized:
		return "check the key, and that it is for this project"
	case ProviderPaymentRequired:
		return "look at the plan and the usage in the provider's dashboard"
	case ProviderNotFound:
		return "it may have ended: open another one"
	case ProviderConflict:
		return "look at the session in the provider's dashboard"
	case ProviderRateLimited:
		if e.After > 0 {
			return fmt.Sprintf("try again in %v, or end sessions that are not used", e.After)
		}
		return "try again later, or end sessions that are not used"
	case ProviderInvalidRequest:
		return "check region, time-out and the other options of the session"
	case ProviderUnavailable:
		return "try again; the provider's status page may know more"
	}
	return "check the address of the provider, and whether there is a newer version of Reprise"
}
