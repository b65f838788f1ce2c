package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// loginCookie is a cookie, with the browser's names: Storage.getCookies tells them, and
// Storage.setCookies takes them. What else a hostile login says of one is refused.
type loginCookie struct {
	Name    string  `json:"name"`
	Value   string  `json:"value"`
	Domain  string  `json:"domain"` // with a dot before it where subdomains get it, too
	Path    string  `json:"path"`
	Expires float64 `json:"expires,omitempty"` // seconds since 1970; 0 for the end of the browser's session

	HTTPOnly     bool          `json:"httpOnly,omitempty"`
	Secure       bool          `json:"secure,omitempty"`
	SameSite     string        `json:"sameSite,omitempty"`
	Priority     string        `json:"priority,omitempty"`
	SourceScheme string        `json:"sourceScheme,omitempty"`
	SourcePort   int           `json:"sourcePort,omitempty"`
	Partition    *partitionKey `json:"partitionKey,omitempty"`
}

// partitionKey is the site under which alone a cookie is sent.
type partitionKey struct {
	TopLevelSite         string `json:"topLevelSite"`
	HasCrossSiteAncestor bool   `json:"hasCrossSiteAncestor"`
}

// reaches reports whether a browser sends the cookie to one of these places. Cookies know
// no ports: one that another port of a host has set is sent, and so is one of theirs.
func (c *loginCookie) reaches(places []loginPlace) bool {
	domain, below := strings.CutPrefix(c.Domain, ".")
	return slices.ContainsFunc(places, func(p loginPlace) bool {
		if c.Secure && !p.secure {
			return false
		}
		return p.host == domain || below && domain != "" && strings.HasSuffix(p.host, "."+domain)
	})
}

// until is when it runs out, if it has a date.
func (c *loginCookie) until() time.Time {
	const last = 1 << 40 // seconds: no date is later
	return time.Unix(int64(min(c.Expires, last)), 0).UTC()
}

// gone reports whether it has run out.
func (c *loginCookie) gone(at time.Time) bool { return c.Expires > 0 && !c.until().After(at) }

// cookiesOf gives the cookies of a browser context that are sent to these places.
func (b *Browser) cookiesOf(ctx context.Context, contextID string, places []loginPlace) ([]loginCookie, error) {
	reply, err := b.client.Call(ctx, "", "Storage.getCookies", inContext(contextID, nil))
	if err != nil {
		return nil, err
	}
	var all struct {
		Cookies []loginCookie `json:"cookies"`
	}
	if err := json.Unmarshal(reply, &all); err != nil {
		return nil, fmt.Errorf("reading the browser's cookies: %w", err)
	}
	now := time.Now()
	var cookies []loginCookie
	for _, c := range all.Cookies {
		c.Expires = max(c.Expires, 0) // -1 for none
		if c.reaches(places) && !c.gone(now) {
			cookies = append(cookies, c)
		}
	}
	return cookies, nil
}

// setCookies gives cookies to a browser context.
func (b *Browser) setCookies(ctx context.Context, contextID string, cookies []loginCookie) error {
	if len(cookies) == 0 {
		return nil
	}
	_, err := b.client.Call(ctx, "", "Storage.setCookies", inContext(contextID, map[string]any{"cookies": cookies}))
	return err
}

// inContext adds a browser context to the parameters of a command; "" is the browser's own.
func inContext(contextID string, params map[string]any) map[string]any {
	if params == nil {
		params = map[string]any{}
	}
	if contextID != "" {
		params["browserContextId"] = contextID
	}
	return params
}
