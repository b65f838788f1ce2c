package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store/sealed"
)

// Login is a saved login that a run begins with. A nil Login is of a run that begins
// without one.
type Login struct {
	Name, Account string
	State         *browser.StorageState
	Check         *LoginCheck // nil for none

	safe  *sealed.SecretStore // that it is stored in
	saved sealed.Login
}

// SaveLoginTool is what a suggestion to save a login names.
const SaveLoginTool = "login save"

// OpenLogin opens the login of exactly this name and account.
func OpenLogin(ctx context.Context, safe *sealed.SecretStore, name, account string) (*Login, error) {
	saved, err := safe.Login(ctx, name, account)
	if err != nil {
		return nil, err
	}
	l := &Login{Name: name, Account: account, safe: safe, saved: saved}
	if len(saved.Check) > 0 {
		if l.Check, err = readLoginCheck(saved.Check); err != nil {
			return nil, fmt.Errorf("the login %s: %w: save it again with `%s`", name, err, l.SaveAgain())
		}
	}
	if l.State, err = browser.ReadLogin(saved.State); err != nil {
		return nil, fmt.Errorf("%w with `%s`", err, l.SaveAgain())
	}
	return l, nil
}

// NewPage opens a page that shares nothing with others, signed in.
func (l *Login) NewPage(ctx context.Context, b *browser.Browser) (*browser.Page, error) {
	if l == nil {
		return b.NewIsolatedPage(ctx, "")
	}
	page, err := b.NewPageWithState(ctx, l.State, "")
	var broken *browser.LoginError
	switch {
	case errors.Is(err, browser.ErrLoginExpired):
		return nil, l.blocked(&replayer.Error{Code: replayer.Blocked, Step: -1, Err: err}, fmt.Sprintf("%v with `%s`", err, l.SaveAgain()))
	case errors.As(err, &broken):
		return nil, fmt.Errorf("%w with `%s`", err, l.SaveAgain())
	}
	return page, err
}

// SaveAgain is the command that replaces the login.
func (l *Login) SaveAgain() string {
	return "reprise login save " + Named(l.Name, l.Account)
}

// Named returns a name and an account as a command takes them.
func Named(name, account string) string {
	if account == "" {
		return name
	}
	return name + " --account " + Quote(account)
}

// Quote returns a text as a word of a shell's command line.
func Quote(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-"
	if text != "" && strings.Trim(text, plain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// secrets are those in it that a page may repeat.
func (l *Login) secrets() []automation.Secret {
	if l == nil {
		return nil
	}
	return l.State.Secrets()
}

// blame returns how a run ended; of one that ended at a sign-in, that the site no longer
// takes the login.
func (l *Login) blame(played error) error {
	e := atSignIn(played)
	if l == nil || e == nil {
		return played
	}
	name := l.Name
	if l.Account != "" {
		name += " for " + l.Account
	}
	return l.blocked(e, fmt.Sprintf("the site no longer takes the login %s, saved %s: sign in again with `%s`; %s",
		name, l.State.Saved().Local().Format(time.DateTime), l.SaveAgain(), e.Reason))
}

// atSignIn returns the error of a run that ended at a sign-in, nil for any other.
func atSignIn(played error) *replayer.Error {
	var e *replayer.Error
	if !errors.As(played, &e) || e.Code != replayer.Blocked || e.Suggestion == nil {
		return nil
	}
	if reason := automation.Reason(e.Suggestion.Arguments["reason"]); reason != automation.ReasonLogin && reason != automation.Reason2FA {
		return nil
	}
	return e
}

// blocked is an error that another login would help with.
func (l *Login) blocked(e *replayer.Error, reason string) *replayer.Error {
	blocked := *e
	blocked.Reason = reason
	blocked.Suggestion = &replayer.Suggestion{Tool: SaveLoginTool, Arguments: map[string]string{"name": l.Name, "account": l.Account}}
	return &blocked
}
