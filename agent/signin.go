package agent

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/replayer"
)

// SigningLogins are Logins that can be renewed: where Options.Logins has these methods, too,
// agents have the tool sign_in, and runs note how the logins fared that they began with.
type SigningLogins interface {
	Logins
	// SignIn has someone be signed in with a login, in a page of its own in the browser, and saves
	// the login. It returns what signed in: login (which was good), automation or person. The person
	// may be nil.
	SignIn(ctx context.Context, name, account string, b *browser.Browser, person replayer.Person) (by string, err error)
	// Used notes that a run of an automation began with a login, as it was saved at a time, and how
	// that run ended.
	Used(ctx context.Context, name, account string, saved time.Time, automation string, played error) error
}

func (s *Server) signInTools() []*tool {
	if _, can := s.options.Logins.(SigningLogins); !can {
		return nil
	}
	return []*tool{{
		name: "sign_in", title: "Sign in", page: true, do: s.signIn,
		does: "Has the saved login of an account for a site be good again: looks whether it is, and otherwise signs in by what is recorded for that, or asks a person. Then begin with the login that it names.",
		schema: object(map[string]any{
			"site":    map[string]any{"type": "string", "minLength": 1, "maxLength": 8192, "description": "Address or host of the site."},
			"account": accountSchema(nil),
		}, "site"),
	}}
}

// signIn signs in with the one login that is for the site and the account.
func (s *Server) signIn(ctx context.Context, c *call) (*answer, error) {
	var args struct{ Site, Account string }
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	known, err := s.loginsOf(ctx, func(l Login) bool { return l.isOf(args.Site) && (args.Account == "" || l.Account == args.Account) })
	if err != nil {
		return nil, err
	}
	if len(known) != 1 {
		e := refuse(string(replayer.Refused), "list_automations tells with which logins agents may begin", "there is no such login that an agent may use for %s", withoutQuery(args.Site))
		if e.Logins = known; len(known) > 1 {
			e.Reason, e.Next = fmt.Sprintf("there are %d logins for it", len(known)), "name the account of one of logins"
		}
		return nil, e
	}
	b, err := s.running(ctx)
	if err != nil {
		return nil, err
	}
	l := known[0]
	by, err := s.options.Logins.(SigningLogins).SignIn(ctx, l.Name, l.Account, b, s.options.Person)
	if failed := new(replayer.Error); errors.As(err, &failed) && failed.Code == replayer.Blocked {
		e := asError(ctx, err)
		e.Suggestion, e.Next = signInByHand(), "a person has to sign in and save that login again"
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	value := map[string]any{"login": l.Name, "by": by}
	if l.Account != "" {
		value["account"] = l.Account
	}
	return &answer{value: value}, nil
}

// isOf reports whether a login is for a site, which is an address or a host.
func (l Login) isOf(site string) bool {
	if origin, is := weburl.OriginOf(site); is {
		return slices.Contains(l.Origins, origin)
	}
	return slices.ContainsFunc(l.Origins, func(origin string) bool {
		u, err := url.Parse(origin)
		return err == nil && (strings.EqualFold(u.Host, site) || strings.EqualFold(u.Hostname(), site))
	})
}

// used notes how the login of a run fared. What fails here does not fail the run.
func (c *call) used(ctx context.Context, as signedIn, automation string, played error) {
	logins, can := c.session.server.options.Logins.(SigningLogins)
	if !can || as.name == "" || ctx.Err() != nil {
		return
	}
	if err := logins.Used(ctx, as.name, as.account, as.saved, automation, played); err != nil {
		c.session.server.options.Logger.WarnContext(ctx, "the login was not marked", "login", as.name, "error", err)
	}
}
