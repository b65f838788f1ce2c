package recorder

import (
	"net"
	"net/url"
	"regexp"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// withoutQuery is what of an address says where a person is.
func withoutQuery(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

// changing marks the parts of a path that are made for one visit or one person:
// long numbers, hexadecimal and mixed tokens, e-mail addresses.
var changing = regexp.MustCompile(`(?i)\d{4,}|[0-9a-f]{8}-?[0-9a-f]{4}|@|^[a-z0-9_-]*\d[a-z_-]+\d[a-z0-9_-]*$|^[a-z0-9_-]{25,}$|[^a-z0-9._~-]`)

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
		if changing.MatchString(part) || given(part) {
			parts[i] = "*"
		}
	}
	return siteGlob(u) + "/" + strings.Join(parts, "/")
}

// scopeGlob is the glob of everything on the host of an address.
func scopeGlob(raw string) (string, bool) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", false
	}
	glob := siteGlob(u) + "/*"
	_, err = automation.ParseGlob(glob)
	return glob, err == nil
}

// siteGlob writes host and port; the scheme only where it is not what a glob
// without one means.
func siteGlob(u *url.URL) string {
	if u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return "http://" + u.Host
	}
	return u.Host
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// telling are query parameters that hold a secret or a single visit's state.
var telling = regexp.MustCompile(`(?i)token|code|key|sess|sig|auth|pass|pwd|secret|state|nonce|ticket|csrf|otp|login_hint|mail|user|phone`)

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
		if telling.MatchString(name) || changing.MatchString(strings.Join(values, "")) {
			query.Del(name)
		}
	}
	u.RawQuery = query.Encode()
	if !strings.HasPrefix(u.Fragment, "/") && !strings.HasPrefix(u.Fragment, "!/") {
		u.Fragment = ""
	}
	return u.String()
}
