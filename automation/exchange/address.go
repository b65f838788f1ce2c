package exchange

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// changing marks the parts of a path that are made for one visit or one person, as
// the recorder knows them.
var changing = regexp.MustCompile(`(?i)\d{4,}|[0-9a-f]{8}-?[0-9a-f]{4}|@|^[a-z0-9_-]*\d[a-z_-]+\d[a-z0-9_-]*$|^[a-z0-9_-]{25,}$|[^a-z0-9._~-]`)

// telling are query parameters that hold a secret or a single visit's state.
var telling = regexp.MustCompile(`(?i)token|code|key|sess|sig|auth|pass|pwd|secret|state|nonce|ticket|csrf|otp|login_hint|mail|user|phone`)

// visits notes that the flow acts on the site of an address.
func (r *reader) visits(address string) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return
	}
	glob := siteGlob(u) + "/*"
	if _, err := automation.ParseGlob(glob); err == nil && !slices.Contains(r.sites, glob) {
		alone := automation.Automation{Name: "a", Match: automation.Scope{URLs: []string{glob}}, Steps: []automation.Step{{Tool: "waitForNav"}}}
		if alone.Validate() == nil {
			r.sites = append(r.sites, glob)
		}
	}
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

// addressGlob is the glob of an address that a flow came by, with what changes
// from visit to visit left open; "" where it has none.
func addressGlob(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	parts := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	for i, part := range parts {
		if changing.MatchString(part) {
			parts[i] = "*"
		}
	}
	glob := siteGlob(u) + "/" + strings.Join(parts, "/")
	if _, err := automation.ParseGlob(glob); err != nil {
		return ""
	}
	return glob
}

// navigate pushes a step that goes to an address.
func (r *reader) navigate(page, address string) {
	step := automation.Step{Tool: "navigate", Page: page}
	if step.Value = r.template(address); step.Value == nil {
		step.URL = r.cleanAddress(address)
	}
	if r.push(step) {
		r.visits(address)
	}
}

// cleanAddress is an address without what belongs to one visit or is a secret.
func (r *reader) cleanAddress(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw
	}
	before := u.String()
	u.User = nil
	query := u.Query()
	for name, values := range query {
		text := strings.Join(values, " ")
		if telling.MatchString(name) || looksSecret(text) != "" {
			query.Del(name)
		}
	}
	if len(query) != len(u.Query()) {
		u.RawQuery = query.Encode()
	}
	if !strings.HasPrefix(u.Fragment, "/") && !strings.HasPrefix(u.Fragment, "!/") && (strings.Contains(u.Fragment, "=") || looksSecret(u.Fragment) != "") {
		u.Fragment = ""
	}
	if after := u.String(); after != before {
		r.lose(Changed, "the address held what belongs to one visit or one person; that is left out", "")
		return after
	}
	return raw
}

// arrived pushes the wait for a navigation that a step makes; one after another
// is one.
func (r *reader) arrived(page, address string) {
	last := r.last()
	if last == nil || last.Page == page && (last.Tool == "waitForNav" || last.Tool == "navigate") {
		return
	}
	step := automation.Step{Tool: "waitForNav", Page: page, URL: addressGlob(address)}
	if r.push(step) {
		r.visits(address)
	}
}
