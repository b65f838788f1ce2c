package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-reprise/reprise/automation"
)

// CaptureLogin gives what keeps somebody signed in at these origins, as the page's browser
// context has it now. Cookies that would not be sent to one of them, and the storage of
// others, are left out. Nothing is asked of the site, and no page is touched; this one may
// have been closed, if others of its context are open.
//
// It cannot know whether somebody is signed in: where there is nothing at all the error is
// a *LoginError that is ErrNotSignedIn.
func (p *Page) CaptureLogin(ctx context.Context, origins ...string) (*Login, error) {
	normal, err := automation.NewSecret("", origins...)
	if err != nil {
		return nil, err
	}
	state := loginState{Format: loginFormat, Saved: time.Now().UTC().Truncate(time.Second), Origins: normal.Origins()}
	places, err := loginPlaces(state.Origins)
	if err != nil {
		return nil, err
	}
	b, in := p.browser, p.target.ContextID()
	if state.Cookies, err = b.cookiesOf(ctx, in, places); err != nil {
		return nil, fmt.Errorf("capturing a login: %w", err)
	}
	if state.Storage, err = b.storageOf(ctx, in, state.Origins); err != nil {
		return nil, fmt.Errorf("capturing a login: %w", err)
	}
	if len(state.Cookies)+len(state.Storage) == 0 {
		return nil, &LoginError{Origins: state.Origins, Err: ErrNotSignedIn}
	}
	return newLogin(state)
}

// NewPageAs opens a tab in which somebody is signed in, as NewPrivatePage does one in which
// nobody is: it shares cookies and storage with no other, and closing it forgets them. A
// login is good for any number of tabs. With nil it is NewPrivatePage.
//
// Only what is in the login can be told to be no longer good: the error is then a
// *LoginError that is ErrLoginExpired, or ErrBadLogin where the browser does not take it.
// Whether the site still takes it is seen in the page.
func (b *Browser) NewPageAs(ctx context.Context, l *Login, url string) (*Page, error) {
	if l == nil {
		return b.NewPrivatePage(ctx, url)
	}
	state, err := readState(l.state.Reveal())
	if err != nil {
		return nil, err
	}
	now := time.Now()
	if expires := state.expires(); !expires.IsZero() && !expires.After(now) {
		return nil, &LoginError{Origins: state.Origins, Reason: "the last of it was good until " + expires.Local().Format(time.DateTime), Err: ErrLoginExpired}
	}
	state.Cookies = slices.DeleteFunc(state.Cookies, func(c loginCookie) bool { return c.gone(now) })
	p, err := b.NewPrivatePage(ctx, "") // Chrome hides pages only where one is to be seen
	if err != nil {
		return nil, err
	}
	err = b.restore(ctx, p.target.ContextID(), state)
	if err == nil && url != "" {
		err = p.Navigate(ctx, url)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close(context.WithoutCancel(ctx)))
	}
	return p, nil
}

// restore gives a new browser context what a login has.
func (b *Browser) restore(ctx context.Context, contextID string, s *loginState) error {
	refused := func(err error, what string) error {
		if ctx.Err() != nil || errors.Is(err, ErrLost) {
			return err
		}
		return &LoginError{Origins: s.Origins, Reason: what, Err: ErrBadLogin} // the browser's own words may quote it
	}
	if err := b.setCookies(ctx, contextID, s.Cookies); err != nil {
		return refused(err, "the browser does not take its cookies")
	}
	if err := b.store(ctx, contextID, s.Storage); err != nil {
		return refused(err, "the browser does not take its local storage")
	}
	return nil
}
