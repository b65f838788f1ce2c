package recorder

import (
	"net/url"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
)

// withoutQuery is what of an address says where a person is.
func withoutQuery(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw
	}
	return weburl.Origin(u) + u.EscapedPath()
}

// addressGlob is the glob of an address that a flow came by: its host and path,
// with what changes from visit to visit left open, without query and fragment. given
// says which parts are what the person gave; they are left open, too.
func addressGlob(raw string, given func(part string) bool) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return "**"
	}
	parts := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	for i, part := range parts {
		if weburl.IsPerVisit(part) || given(part) {
			parts[i] = "*"
		}
	}
	return weburl.SiteGlob(u) + "/" + strings.Join(parts, "/")
}

// scopeGlob is the glob of everything on the host of an address.
func scopeGlob(raw string) (string, bool) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", false
	}
	glob := weburl.SiteGlob(u) + "/*"
	_, err = automation.ParseGlob(glob)
	return glob, err == nil
}

// cleanAddress is an address to go to, without what belongs to one visit: user
// names, telling or changing query values, and a fragment that is no route.
func cleanAddress(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	u.User = nil
	query := u.Query()
	for name, values := range query {
		if weburl.IsSecretParameter(name) || weburl.IsPerVisit(strings.Join(values, "")) {
			query.Del(name)
		}
	}
	u.RawQuery = query.Encode()
	if !strings.HasPrefix(u.Fragment, "/") && !strings.HasPrefix(u.Fragment, "!/") {
		u.Fragment = ""
	}
	return u.String()
}
