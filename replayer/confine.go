package replayer

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"

	"golang.org/x/net/publicsuffix"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/internal/weburl"
)

// confinement keeps the secrets of a session's pages on the sites that they are bound to.
type confinement struct {
	// Guarded by the tree.
	secrets []boundSecret
	stopped []string // origins to which something was not sent, since it was asked last
}

// boundSecret is a secret that a person has bound to origins.
type boundSecret struct {
	automation.Secret
	index *redact.Index
}

// confine has the pages of a session send its secrets nowhere else, from its return on. A
// recording is a person's own, who has seen where it goes: a run of one is not confined.
func (r *run) confine(ctx context.Context, page *target.Page) error {
	if !r.lone {
		return nil
	}
	var secrets []boundSecret
	for _, v := range r.values {
		secret, is := v.(automation.Secret)
		if !is || !secret.Bound() || slices.ContainsFunc(secrets, func(known boundSecret) bool { return known.Equal(secret) }) {
			continue
		}
		bound := boundSecret{Secret: secret}
		if at := slices.IndexFunc(r.confined.secrets, func(known boundSecret) bool { return known.Equal(secret) }); at >= 0 {
			bound.index = r.confined.secrets[at].index // which takes time to make
		} else if bound.index = redact.New(secret.Reveal()); bound.index.Empty() {
			continue
		}
		secrets = append(secrets, bound)
	}
	if len(secrets) == 0 {
		return nil
	}
	page.Tree().Do(func() { r.confined.secrets = secrets })
	return page.Confine(ctx, r.confined.leaks)
}

// leaks reports whether a request carries a secret to where it must not go. The tree is locked.
func (c *confinement) leaks(s *target.Request) bool {
	to, err := url.Parse(s.URL)
	if err != nil {
		return true
	}
	for _, secret := range c.secrets {
		if mayReceive(secret.Secret, to) || !carries(secret.index, s) {
			continue
		}
		c.stopped = append(c.stopped, weburl.Origin(to))
		return true
	}
	return false
}

func carries(index *redact.Index, s *target.Request) bool {
	return index.In(s.URL) || index.In(s.Body) || slices.ContainsFunc(s.Headers, index.In)
}

// mayReceive reports whether a secret may be sent to an address: to an origin that it is
// bound to, or to another host of the same site, as many sign in at api.example.com what is
// typed at www.example.com.
func mayReceive(secret automation.Secret, to *url.URL) bool {
	switch to.Scheme {
	case "data", "blob", "about", "chrome", "chrome-untrusted", "devtools":
		return true // these reach no network
	}
	if secret.Allows(weburl.Origin(to)) {
		return true
	}
	return to.Scheme == "https" && slices.ContainsFunc(secret.Origins(), func(origin string) bool {
		at, err := url.Parse(origin)
		return err == nil && at.Scheme == "https" && siteOf(at) != "" && siteOf(at) == siteOf(to)
	})
}

// siteOf is the registered domain of an address, "" where it has none.
func siteOf(u *url.URL) string {
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return ""
	}
	site, err := publicsuffix.EffectiveTLDPlusOne(u.Hostname())
	if err != nil {
		return ""
	}
	return site
}

// carriedAway returns why a call has failed whose page would have carried a secret away.
func (r *run) carriedAway() error {
	var stopped []string
	r.page.Tree().Do(func() { stopped, r.confined.stopped = r.confined.stopped, nil })
	if len(stopped) == 0 {
		return nil
	}
	return &Error{Code: Refused, Reason: fmt.Sprintf("the page would have sent a secret to %s, which it is not bound to: the request was not sent", stopped[0])}
}
