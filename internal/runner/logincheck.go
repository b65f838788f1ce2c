package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// LoginCheck is how to see whether someone is signed in: an automation that ends well only
// then, or an address with what is there only then. It is sealed with the login.
type LoginCheck struct {
	Automation string `json:"automation,omitempty"` // that is played, for the login's account
	At         string `json:"at,omitempty"`         // address to go to; it is not part of an automation
	Selector   string `json:"selector,omitempty"`   // of what is visible there, also text/…
	URL        string `json:"url,omitempty"`        // glob of where the page is then
}

// The forms of a check that are no selectors.
const (
	checkAutomation = "automation="
	checkURL        = "url="
)

// ParseLoginCheck reads a check as a command takes it: automation=NAME, url=GLOB, or a
// selector. at is the address to go to.
func ParseLoginCheck(text, at string) (*LoginCheck, error) {
	c := &LoginCheck{At: at}
	switch {
	case strings.HasPrefix(text, checkAutomation):
		*c = LoginCheck{Automation: strings.TrimPrefix(text, checkAutomation)}
	case strings.HasPrefix(text, checkURL):
		c.URL = strings.TrimPrefix(text, checkURL)
	default:
		c.Selector = text
	}
	return c, c.validate()
}

// readLoginCheck reads a check as it is stored.
func readLoginCheck(data []byte) (*LoginCheck, error) {
	c := &LoginCheck{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if d.Decode(c) != nil {
		return nil, errors.New("its check has not the fields of one")
	}
	return c, c.validate()
}

func (c *LoginCheck) validate() error {
	given := 0
	for _, text := range []string{c.Automation, c.Selector, c.URL} {
		if text != "" {
			given++
		}
	}
	if given != 1 {
		return errors.New("a check is an automation, a selector or the glob of an address")
	}
	if c.Automation != "" {
		return nil
	}
	if u, err := url.Parse(c.At); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("a check has an address to go to, with http or https")
	}
	var err error
	if c.Selector != "" {
		_, err = selectors.Parse(c.Selector)
	} else {
		_, err = automation.ParseGlob(c.URL)
	}
	return err
}

// checkTimeout is how long what a check looks for may take to appear.
const checkTimeout = "15s"

// document is what is played.
func (c *LoginCheck) document(ctx context.Context, r *Runner, l *Login) (*automation.Automation, error) {
	if c.Automation != "" {
		return r.Find(ctx, Request{Name: c.Automation, Account: l.Account})
	}
	wait := map[string]any{"tool": "waitFor", "timeout": checkTimeout}
	if c.Selector != "" {
		wait["selector"] = c.Selector
	} else {
		wait["url"] = c.URL
	}
	urls := []string{}
	for _, origin := range append(l.State.Origins(), c.At) {
		if u, err := url.Parse(origin); err == nil {
			urls = append(urls, u.Host+"/**")
		}
	}
	text, err := json.Marshal(map[string]any{
		"format": 1, "name": "login-check", "match": map[string]any{"urls": urls},
		"steps": []any{map[string]any{"tool": "navigate", "url": c.At}, wait},
	})
	if err != nil {
		return nil, err
	}
	return automation.Parse(text)
}

// OpenPage is a page that is already open, for runs in it.
type OpenPage struct{ *browser.Page }

// Open returns the page.
func (p OpenPage) Open(context.Context, *Login, string) (*browser.Page, func(), error) {
	return p.Page, func() {}, nil
}

// ErrNoLoginCheck is the error for a login that has no check.
var ErrNoLoginCheck = errors.New("the login has no check")

// CheckLogin plays the check of a login in a page that was opened with it. As it is a dry
// run, it sends nothing that cannot be undone. It returns the state of the login: "" where
// the check could not be played, and otherwise with the error why it is not good.
func (r *Runner) CheckLogin(ctx context.Context, page *browser.Page, l *Login) (store.LoginState, error) {
	if l.Check == nil {
		return "", ErrNoLoginCheck
	}
	doc, err := l.Check.document(ctx, r, l)
	if err != nil {
		return "", fmt.Errorf("the check of the login %s: %w", l.Name, err)
	}
	p, err := r.Plan(ctx, Request{Document: doc, Account: l.Account, Pages: OpenPage{page}, Known: l.secrets, Options: replayer.Options{DryRun: true}})
	if err != nil {
		return "", err
	}
	p.leased = true // by the caller, for the login's sites
	_, err = p.Run(ctx, Events{})
	var failed *replayer.Error
	var unreachable *browser.NavigationError
	switch {
	case err == nil:
		return store.LoginGood, nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case !errors.As(err, &failed) || failed.Code == replayer.BrowserLost || failed.Code == replayer.Cancelled || errors.As(err, &unreachable):
		return "", err
	case atSignIn(err) != nil:
		return store.LoginSignedOut, err
	}
	return store.LoginUnsure, err
}

// Mark notes that the login was used, and its state unless that is "". A login that was
// saved again meanwhile is another sign-in: it is left as it is.
func (l *Login) Mark(ctx context.Context, at time.Time, state store.LoginState) error {
	_, err := l.safe.MarkLogin(ctx, l.saved, func(s *store.LoginStatus) { mark(s, at, state) })
	return err
}

func mark(s *store.LoginStatus, at time.Time, state store.LoginState) {
	s.LastUsed = at
	if state != "" {
		s.State = state
	}
	if state == store.LoginGood {
		s.LastVerified = at
	}
}

// LoginChangedError is the error where someone else has saved the login since it was opened:
// it is left as it is.
type LoginChangedError struct{ Name, Account string }

func (e *LoginChangedError) Error() string {
	return fmt.Sprintf("the login %s was saved again meanwhile, and is left as it is", Named(e.Name, e.Account))
}

// Is makes it a conflict.
func (e *LoginChangedError) Is(target error) bool { return target == store.ErrConflict }

// Save saves the login again, as the page that was opened with it has it now. The caller has
// the lease of LoginPlaces. Another state than the one that was opened is not replaced: that
// is a *LoginChangedError.
func (l *Login) Save(ctx context.Context, page *browser.Page, at time.Time, state store.LoginState) error {
	if err := page.Target().Loaded(ctx); err != nil { // its scripts may store something, too
		return err
	}
	now, err := page.RenewStorageState(ctx, l.State)
	if err != nil {
		return err
	}
	next := l.saved
	next.State, next.Expires = now.Secret(), now.Expires()
	mark(&next.Status, at, state)
	for {
		err := l.safe.SaveLogin(ctx, next)
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
		stored, err := l.safe.Login(ctx, l.Name, l.Account) // mostly, a run of another site has marked it
		if err != nil {
			return err
		}
		if stored.State.Reveal() != l.saved.State.Reveal() {
			return &LoginChangedError{l.Name, l.Account}
		}
		next.Revision, next.Status, next.Check = stored.Revision, stored.Status, stored.Check
		mark(&next.Status, at, state)
	}
}

// updateLogin notes how the login of a run has fared, and saves it again where that was asked
// for. What it returns does not fail the run.
func (p *Plan) updateLogin(ctx context.Context, page *browser.Page, played error, late bool) error {
	l := p.Login
	if l == nil || p.request.Options.DryRun || ctx.Err() != nil {
		return nil
	}
	err := p.loginAfter(ctx, page, played, late)
	if err != nil {
		p.runner.logger().WarnContext(ctx, "the login was not updated", "login", l.Name, "error", err)
	}
	return err
}

// stateAfter returns what a run of an automation shows of the login that it began with, "" for
// nothing.
func (l *Login) stateAfter(automation string, played error) store.LoginState {
	switch {
	case atSignIn(played) != nil:
		return store.LoginSignedOut
	case played == nil && l.Check != nil && l.Check.Automation == automation:
		return store.LoginGood
	}
	return ""
}

// MarkAfter notes that a run of an automation began with the login, and what that has shown of it.
func (l *Login) MarkAfter(ctx context.Context, at time.Time, automation string, played error) error {
	return l.Mark(ctx, at, l.stateAfter(automation, played))
}

// loginAfter saves the login again after a good run, and marks it after any other. Late is a run that a person did not
// return in time: they may have signed in all the same, which the login's check shows.
func (p *Plan) loginAfter(ctx context.Context, page *browser.Page, played error, late bool) error {
	l, now := p.Login, p.runner.now()
	if late && played != nil && p.request.SaveLogin && l.Check != nil {
		if state, err := p.runner.CheckLogin(ctx, page, l); err == nil && state == store.LoginGood {
			return l.Save(ctx, page, now, state)
		}
	}
	if played != nil || !p.request.SaveLogin {
		return l.MarkAfter(ctx, now, p.Document.Name, played)
	}
	state := l.stateAfter(p.Document.Name, nil)
	if l.Check != nil && state == "" {
		var err error
		if state, err = p.runner.CheckLogin(ctx, page, l); err != nil {
			return errors.Join(fmt.Errorf("the login %s is not saved again, as its check has failed: %w", l.Name, err), l.Mark(ctx, now, state))
		}
	}
	return l.Save(ctx, page, now, state)
}

// Store stores a login that was just captured or read, in place of what there was under its
// name for its account, with notes that everyone can read.
func (l *Login) Store(ctx context.Context, safe *sealed.SecretStore, at time.Time, state store.LoginState, notes string) error {
	next := sealed.Login{Name: l.Name, Account: l.Account, State: l.State.Secret(), Expires: l.State.Expires()}
	next.Status = store.LoginStatus{State: state, Notes: notes}
	if state == store.LoginGood {
		next.Status.LastVerified = at
	}
	if l.Check != nil {
		var err error
		if next.Check, err = json.Marshal(l.Check); err != nil {
			return err
		}
	}
	return safe.SaveLogin(ctx, next)
}

// VerifyLogin checks a stored login in a page of its own, and says and marks its state: "" is
// not known, for the reason of the error. A good one is saved again, as a site may have
// renewed it. Meanwhile it has the lease of the login's sites.
func (r *Runner) VerifyLogin(ctx context.Context, name, account string, pages Pages) (state store.LoginState, err error) {
	safe, err := r.Secrets()
	if err != nil {
		return "", err
	}
	places, err := LoginPlaces(ctx, r.Store, name, account)
	if err != nil {
		return "", err
	}
	if len(places) == 0 { // it is not there, which OpenLogin says
		_, err := OpenLogin(ctx, safe, name, account)
		return "", err
	}
	err = Hold(ctx, r.Store, r.newID(), places, DefaultLease, func(ctx context.Context, st store.Store) error {
		held := *r
		held.Store = st
		state, err = held.verify(ctx, safe, name, account, pages)
		return err
	})
	return state, err
}

func (r *Runner) verify(ctx context.Context, safe *sealed.SecretStore, name, account string, pages Pages) (store.LoginState, error) {
	l, err := OpenLogin(ctx, safe, name, account)
	if err != nil {
		return "", err
	}
	if l.Check == nil {
		return "", fmt.Errorf("%w: save it again with --check", ErrNoLoginCheck)
	}
	page, release, err := pages.Open(ctx, l, "")
	if errors.Is(err, browser.ErrLoginExpired) {
		return store.LoginSignedOut, errors.Join(err, l.Mark(ctx, r.now(), store.LoginSignedOut))
	}
	if err != nil {
		return "", err
	}
	defer release()
	state, err := r.CheckLogin(ctx, page, l)
	switch {
	case err == nil:
		return state, l.Save(ctx, page, r.now(), state)
	case state == "":
		return "", err
	}
	return state, errors.Join(l.blame(err), l.Mark(ctx, r.now(), state))
}
