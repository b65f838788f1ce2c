package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/worker"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
	"github.com/go-reprise/reprise/store/sealed"
)

// usedLogin is a login that a run begins with; nil where nobody is signed in.
type usedLogin struct {
	name, account string
	login         *browser.Login
}

// loginFor opens a login for a document: that of the account that it is played for. "" is
// none.
func (a *app) loginFor(ctx context.Context, kept store.Store, doc *automation.Automation, name, account string) (*usedLogin, error) {
	if name == "" {
		return nil, nil
	}
	if account == "" {
		account = doc.Match.Account
	}
	safe, err := a.safe(kept)
	if err != nil {
		return nil, err
	}
	return openLogin(ctx, safe, name, account)
}

// openLogin opens the login of exactly this name and account.
func openLogin(ctx context.Context, safe *sealed.Safe, name, account string) (*usedLogin, error) {
	l, err := safe.Login(ctx, name, account)
	if err != nil {
		return nil, err
	}
	u := &usedLogin{name: name, account: account}
	if u.login, err = browser.ReadLogin(l.State); err != nil {
		return nil, fmt.Errorf("%w with `%s`", err, u.saveAgain())
	}
	return u, nil
}

// known are the secrets in it that a page may repeat.
func (u *usedLogin) known() []automation.Secret {
	if u == nil {
		return nil
	}
	return u.login.Secrets()
}

// newPage gives a page in which somebody is signed in, which shares nothing with others.
func (u *usedLogin) newPage(ctx context.Context, b *browser.Browser) (*browser.Page, error) {
	if u == nil {
		return b.NewPrivatePage(ctx, "")
	}
	page, err := b.NewPageAs(ctx, u.login, "")
	switch {
	case errors.Is(err, browser.ErrLoginExpired):
		return nil, u.blocked(&replayer.Error{Code: replayer.Blocked, Step: -1, Err: err}, fmt.Sprintf("%v with `%s`", err, u.saveAgain()))
	case is[*browser.LoginError](err):
		return nil, fmt.Errorf("%w with `%s`", err, u.saveAgain())
	}
	return page, err
}

// saveAgain is the command that puts another login in the place of this one.
func (u *usedLogin) saveAgain() string { return "reprise login save " + words(u.name, u.account) }

// blame tells of a run that ended at a sign-in that the site no longer takes the login.
func (u *usedLogin) blame(played error) error {
	var e *replayer.Error
	if u == nil || !errors.As(played, &e) || e.Code != replayer.Blocked || e.Suggestion == nil {
		return played
	}
	if reason := e.Suggestion.Arguments["reason"]; reason != "sign_in" && reason != "one_time_code" {
		return played
	}
	return u.blocked(e, fmt.Sprintf("the site no longer takes the login %s, saved %s: sign in again with `%s`; %s",
		label(u.name, u.account), u.login.Saved().Local().Format(time.DateTime), u.saveAgain(), e.Reason))
}

// blocked is an error that another login would help with.
func (u *usedLogin) blocked(e *replayer.Error, reason string) *replayer.Error {
	blocked := *e
	blocked.Reason = reason
	blocked.Suggestion = &replayer.Suggestion{Tool: saveLoginTool, Arguments: map[string]string{"name": u.name, "account": u.account}}
	return &blocked
}

// saveLoginTool is what a suggestion to save a login names.
const saveLoginTool = "login save"

// signIn gives the page of a queued run. A login that cannot be used ends the run, and is
// told as a *replayer.Error; what else fails may be better later.
func (p *performer) signIn(ctx context.Context, t *worker.Turn, b *browser.Browser) (*browser.Page, *usedLogin, error) {
	u, err := p.app.loginFor(ctx, t.Store, t.Document, t.Order.Login, t.Order.Account)
	if err != nil {
		if is[*postgres.Error](err) || ctx.Err() != nil {
			return nil, nil, err
		}
		return nil, nil, &replayer.Error{Code: replayer.InvalidValue, Step: -1, Reason: err.Error(), Err: err}
	}
	page, err := u.newPage(ctx, b)
	if is[*browser.LoginError](err) && !is[*replayer.Error](err) {
		err = &replayer.Error{Code: replayer.InvalidValue, Step: -1, Reason: err.Error(), Err: err}
	}
	return page, u, err
}
