package agent

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/replayer"
)

// Logins are the saved logins that a person lets agents begin with. An agent names one,
// and never sees what is in it.
type Logins interface {
	// List returns which there are now.
	List(ctx context.Context) ([]Login, error)
	// Open opens that of exactly this name and account. An *Error is told to the agent as
	// it is.
	Open(ctx context.Context, name, account string) (*browser.StorageState, error)
}

// Login is what an agent is told of a saved login.
type Login struct {
	Name    string    `json:"name"`
	Account string    `json:"account,omitempty"`
	Origins []string  `json:"origins"`          // that it is for
	Saved   time.Time `json:"saved,omitzero"`   // the zero time is not known
	Expires time.Time `json:"expires,omitzero"` // when it has surely run out; the zero time is not known
}

// isFor reports whether one is for the site that an address is of.
func isFor(address string) func(Login) bool {
	u, err := url.Parse(address)
	return func(l Login) bool { return err == nil && slices.Contains(l.Origins, weburl.Origin(u)) }
}

// says reports whether a text is in what is told of one.
func (l Login) says(text string) bool {
	all := strings.Join(append([]string{l.Name, l.Account}, l.Origins...), " ")
	return strings.Contains(strings.ToLower(all), strings.ToLower(text))
}

var loginSchema = map[string]any{
	"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,99}$",
	"description": "A saved login of the account to begin with, signed in, by its name: list_automations tells them. A page of its own is opened for it.",
}

// signedIn is the login that a page was opened with.
type signedIn struct {
	name, account string
	saved         time.Time
}

// words is how a person calls it.
func (s signedIn) words() string {
	if s.account == "" {
		return fmt.Sprintf("%q", s.name)
	}
	return fmt.Sprintf("%q of the account %q", s.name, s.account)
}

// openAs returns a page in which someone is signed in: the session's own, where it was
// opened with the same login, as that is saved now; sites change what they have handed
// out. Else it takes the place of the session's page; resumes says that it must not.
func (s *session) openAs(ctx context.Context, name, account string, resumes bool) (*browser.Page, error) {
	if s.server.options.Logins == nil {
		return nil, refuse(string(replayer.Refused), "leave login out", "this server lets agents use no saved logins")
	}
	login, err := s.server.options.Logins.Open(ctx, name, account)
	if err != nil {
		return nil, ofLogin(err)
	}
	s.learn(login.Secrets()...)
	as := signedIn{name, account, login.Saved()}
	s.mu.Lock()
	page, same := s.page, s.as == as
	s.mu.Unlock()
	there := page != nil && page.Err() == nil
	switch {
	case there && same:
		return page, nil
	case there && resumes:
		return nil, refuse(InvalidArguments, "leave login out to go on in the page as it is, or resume to begin again, signed in",
			"the page was not opened with the login %s as it is saved now, and a run goes on in its own page", as.words())
	}
	return s.open(ctx, login, as)
}

// ofLogin returns why a login cannot be used.
func ofLogin(err error) error {
	var broken *browser.LoginError
	if !errors.As(err, &broken) {
		return err
	}
	e := &Error{Code: string(replayer.InvalidValue), Reason: err.Error(), Next: "a person has to save that login again", Err: err}
	if errors.Is(err, browser.ErrLoginExpired) {
		e.Code, e.Suggestion = string(replayer.Blocked), signInByHand()
	}
	return e
}

func signInByHand() *replayer.Suggestion {
	return &replayer.Suggestion{Tool: "handoff_start", Arguments: map[string]string{"reason": string(automation.ReasonLogin)}}
}

// blame adds to a run that ended at a sign-in what a login has to do with that: the one
// that it began with is no longer taken, or there is one that it could begin with.
func (c *call) blame(ctx context.Context, e *Error, with string) {
	if c.session.server.options.Logins == nil || e.Code != string(replayer.Blocked) || e.Suggestion == nil {
		return
	}
	if reason := automation.Reason(e.Suggestion.Arguments["reason"]); reason != automation.ReasonLogin && reason != automation.Reason2FA {
		return
	}
	if with != "" {
		as := c.session.forgetLogin()
		e.Reason = fmt.Sprintf("the site no longer takes the login %s, saved %s: %s", as.words(), as.saved.Format(time.RFC3339), e.Reason)
		e.Next = "a person has to sign in and save that login again; then call it again, without resume"
		return
	}
	if known, err := c.session.server.loginsOf(ctx, isFor(c.session.url())); err == nil && len(known) > 0 {
		e.Logins = known
		e.Next = "begin again with one of logins: the same call with its name as login and its account, without resume"
	}
}

// forgetLogin has the next call that names a login open another page, and gives the one
// that the page was opened with.
func (s *session) forgetLogin() signedIn {
	s.mu.Lock()
	defer s.mu.Unlock()
	as := s.as
	s.as = signedIn{}
	return as
}

// login is the one that the page was opened with.
func (s *session) login() signedIn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.as
}

// loginsOf are the saved logins that are wanted, and no more than are told of at once.
func (s *Server) loginsOf(ctx context.Context, wanted func(Login) bool) ([]Login, error) {
	if s.options.Logins == nil {
		return nil, nil
	}
	all, err := s.options.Logins.List(ctx)
	all = slices.DeleteFunc(slices.Clone(all), func(l Login) bool { return !wanted(l) })
	return all[:min(len(all), usualListed)], err
}

// withLogins is an answer that tells also of the saved logins that are wanted, if there are.
func (s *Server) withLogins(ctx context.Context, value map[string]any, wanted func(Login) bool) (*answer, error) {
	known, err := s.loginsOf(ctx, wanted)
	if len(known) > 0 {
		value["logins"] = known
	}
	return &answer{value: value}, err
}

// tied adds to what is told where several automations match an address the logins that
// are for it: with one of them none of these may be needed.
func (s *Server) tied(ctx context.Context, err error, address string) error {
	if tie := new(automation.AmbiguousError); !errors.As(err, &tie) {
		return err
	}
	e := asError(ctx, err)
	if known, err := s.loginsOf(ctx, isFor(address)); err == nil {
		e.Logins = known
	}
	return e
}

// takesLogin adds to what a tool takes that it may begin with a saved login.
func (s *Server) takesLogin(properties map[string]any) map[string]any {
	if s.options.Logins != nil {
		properties["login"] = loginSchema
		if properties["account"] == nil {
			properties["account"] = accountSchema(nil)
		}
	}
	return properties
}

// arrives opens the page of a call of navigate that names a login.
func (c *call) arrives(ctx context.Context) error {
	var args struct{ URL, Login, Account string }
	if err := c.decode(&args); err != nil || args.Login == "" {
		return err
	}
	if err := c.session.server.mayGoTo(args.URL); err != nil {
		return err
	}
	if !strings.HasPrefix(args.URL, "http://") && !strings.HasPrefix(args.URL, "https://") {
		return refuse(InvalidArguments, argumentsNext, "a login is for a site: name its address, with http or https")
	}
	_, err := c.session.openAs(ctx, args.Login, args.Account, false)
	return err
}
