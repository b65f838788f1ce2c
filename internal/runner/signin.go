package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// SignInBy is what has signed in.
type SignInBy string

// What signs in, in this order.
const (
	ByLogin      SignInBy = "login"      // the saved login was good
	ByAutomation SignInBy = "automation" // one that is stored has done it
	ByPerson     SignInBy = "person"
)

// SignInRequest says who is to be signed in, and how.
type SignInRequest struct {
	// Login and Account are those of a saved login that has a check.
	Login, Account string
	// Automation signs in where the login is not good any more. Default: the stored one that
	// matches the address at which the site wants someone to sign in, and that types a secret.
	Automation string
	Task       string // values of the automation, besides those of the vault
	Pages      Pages
	// Person is asked where no automation signs in. Default: no one.
	Person replayer.Person
}

// SignIn has someone be signed in: it looks whether the saved login is good, otherwise plays the
// automation that signs in, otherwise asks a person, looks again, and saves the login. Meanwhile it
// has the lease of the login's sites, for which it waits: of several calls one signs in. The error is a
// *replayer.Error that is Blocked where no one is signed in after all that.
func (r *Runner) SignIn(ctx context.Context, q SignInRequest) (by SignInBy, err error) {
	safe, err := r.Secrets()
	if err != nil {
		return "", err
	}
	places, err := LoginPlaces(ctx, r.Store, q.Login, q.Account)
	if err != nil {
		return "", err
	}
	if len(places) == 0 { // it is not there, which OpenLogin says
		_, err := OpenLogin(ctx, safe, q.Login, q.Account)
		return "", err
	}
	for {
		err = Hold(ctx, r.Store, r.newID(), places, DefaultLease, func(ctx context.Context, st store.Store) error {
			held := *r
			held.Store = st
			l, err := OpenLogin(ctx, safe, q.Login, q.Account)
			if err != nil {
				return err
			}
			page, release, err := openSignedIn(ctx, q.Pages, l, "")
			if err != nil {
				return err
			}
			defer release()
			by, err = held.signIn(ctx, page, l, q)
			return err
		})
		if busy := new(store.HeldError); !errors.As(err, &busy) {
			return by, err
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-time.After(waitPause):
		}
	}
}

// openSignedIn opens a page with a login, or without it where that has expired.
func openSignedIn(ctx context.Context, pages Pages, l *Login, earlier string) (*browser.Page, func(), error) {
	page, release, err := pages.Open(ctx, l, earlier)
	if errors.Is(err, browser.ErrLoginExpired) {
		return pages.Open(ctx, nil, earlier)
	}
	return page, release, err
}

// signIn signs in in a page, which was opened with the login. The caller has the lease of its sites.
func (r *Runner) signIn(ctx context.Context, page *browser.Page, l *Login, q SignInRequest) (SignInBy, error) {
	state, failed := r.CheckLogin(ctx, page, l)
	if failed == nil {
		return ByLogin, l.Save(ctx, page, r.now(), state)
	}
	if state == "" { // no one knows
		return "", failed
	}
	if err := l.Mark(ctx, r.now(), store.LoginSignedOut); err != nil {
		return "", err
	}
	done := func(by SignInBy) (bool, error) {
		state, err := r.CheckLogin(ctx, page, l)
		if err != nil {
			failed = err
			return false, nil
		}
		again, err := OpenLogin(ctx, l.safe, l.Name, l.Account) // which was marked
		if err != nil {
			return false, err
		}
		r.logger().InfoContext(ctx, "signed in", "login", l.Name, "account", l.Account, "by", by)
		return true, again.Save(ctx, page, r.now(), state)
	}
	played, err := r.playSignIn(ctx, page, l, q)
	if err == nil && played {
		if in, err := done(ByAutomation); in || err != nil {
			return ByAutomation, err
		}
	}
	if err != nil {
		failed = err
	}
	origin, _ := weburl.OriginOf(page.URL())
	for attempt := 1; q.Person != nil && attempt <= maxSignInHandoffs; attempt++ {
		returned, err := q.Person.TakeOver(ctx, replayer.Handoff{
			Reason: automation.ReasonLogin, Blocker: "the site wants someone to sign in", Message: l.Name, URL: origin, Page: page, Step: -1, Attempt: attempt,
		})
		if err != nil {
			failed = fmt.Errorf("a person was asked to sign in, and did not do it: %w", err)
			break
		}
		if returned.Status != "" && returned.Status != replayer.Done {
			failed = fmt.Errorf("a person was asked to sign in: %s", returned.Status)
			break
		}
		if in, err := done(ByPerson); in || err != nil {
			return ByPerson, err
		}
	}
	return "", l.blocked(&replayer.Error{Code: replayer.Blocked, Step: -1, Err: failed}, fmt.Sprintf("no one is signed in with the login %s: %v", Named(l.Name, l.Account), failed))
}

// maxSignInHandoffs is how often a person is asked to sign in.
const maxSignInHandoffs = 3

// playSignIn plays the automation that signs in, in the page, and reports whether there is one.
func (r *Runner) playSignIn(ctx context.Context, page *browser.Page, l *Login, q SignInRequest) (played bool, err error) {
	if q.Automation == "" {
		name, done, err := r.Unblock(ctx, UnblockRequest{Page: page, Reason: automation.ReasonLogin, Account: l.Account, Task: q.Task, Leased: true, Options: replayer.Options{Person: q.Person}, Known: l.secrets})
		if name != "" || err != nil {
			return done.Played, err
		}
	}
	find := Request{Name: q.Automation, URL: page.URL(), Account: l.Account}
	doc, err := r.Find(ctx, find)
	if q.Automation == "" && (errors.Is(err, automation.ErrNoMatch) || err == nil && !typesSecret(doc)) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	p, err := r.Plan(ctx, Request{Document: doc, Account: l.Account, Task: q.Task, Pages: OpenPage{page}, Known: l.secrets})
	if err == nil {
		err = p.Check(ctx)
	}
	if err != nil {
		return true, err
	}
	p.leased = true // by the caller
	_, err = p.Run(ctx, Events{})
	return true, err
}

// typesSecret reports whether a document signs in, as it types a secret.
func typesSecret(doc *automation.Automation) bool {
	declared, err := doc.Declared()
	if err != nil {
		return false
	}
	for _, step := range doc.Steps {
		if step.Value == nil {
			continue
		}
		for _, name := range step.Value.Names() {
			if declared.IsSecret(name) {
				return true
			}
		}
	}
	return false
}
