// Package weburl holds the rules about URLs that several packages share: which hosts are this
// machine, what the origin of an address is, which glob stands for its site, and what of it
// may be shown. It is pure: nothing is resolved and nothing is opened. What kind of network
// address a page may reach is decided by netrule.
//
// Several rules come in variants that differ on purpose; they stand next to each other here,
// and each says what it is for.
package weburl

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// IsLocalName reports whether a name is this machine's by its form (RFC 6761). Names in
// other cases and addresses are not.
func IsLocalName(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// IsLoopback reports whether a host is this machine by its name or by a loopback address,
// in brackets or not. It decides where http needs no mention.
func IsLoopback(host string) bool {
	ip, known := parseIP(host)
	return IsLocalName(host) || known && ip.IsLoopback()
}

// IsThisMachine is IsLoopback, and takes in the unspecified address, under which a server
// that listens everywhere is reached.
func IsThisMachine(host string) bool {
	ip, known := parseIP(host)
	return IsLocalName(host) || known && (ip.IsLoopback() || ip.IsUnspecified())
}

// IsLocalEndpoint is IsThisMachine without the names below localhost: a resolver may answer
// those with any address, and a connection that is not encrypted is allowed by this rule.
func IsLocalEndpoint(host string) bool {
	ip, known := parseIP(host)
	return host == "localhost" || known && (ip.IsLoopback() || ip.IsUnspecified())
}

func parseIP(host string) (netip.Addr, bool) {
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return ip.Unmap(), err == nil && ip.Zone() == ""
}

// Origin returns the scheme, host and port of a URL as they are written there.
func Origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// OriginOf returns the origin of an address, and reports whether it has one.
func OriginOf(address string) (origin string, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", false
	}
	return Origin(u), true
}

// SiteGlob returns the glob of a URL's host and port, with the scheme only where it is http
// and the host is not this machine: a glob without one means https, and either here.
func SiteGlob(u *url.URL) string {
	if u.Scheme == "http" && !IsLoopback(u.Hostname()) {
		return Origin(u)
	}
	return u.Host
}

// SchemeGlob is SiteGlob for what is about one scheme alone: https on this machine is
// written out, too.
func SchemeGlob(u *url.URL) string {
	if usual := map[bool]string{true: "http", false: "https"}[IsThisMachine(u.Hostname())]; u.Scheme == usual {
		return u.Host
	}
	return Origin(u)
}

// WithoutSecrets returns a URL without what can carry secrets: user, query and fragment.
func WithoutSecrets(u *url.URL) string {
	bare := *u
	bare.User, bare.RawQuery, bare.Fragment = nil, "", ""
	return bare.String()
}

var perVisit = regexp.MustCompile(`(?i)\d{4,}|[0-9a-f]{8}-?[0-9a-f]{4}|@|^[a-z0-9_-]*\d[a-z_-]+\d[a-z0-9_-]*$|^[a-z0-9_-]{25,}$|[^a-z0-9._~-]`)

// IsPerVisit reports whether a part of a path, or the value of a parameter, was made for one
// visit or one user: long numbers, hexadecimal and mixed tokens, e-mail addresses.
func IsPerVisit(part string) bool { return perVisit.MatchString(part) || isMixed(part) }

var rises = regexp.MustCompile(`[a-z0-9][A-Z]`)

// isMixed reports whether letters are small and capital as if by chance: more often than in words that are written together.
func isMixed(part string) bool {
	n := len(rises.FindAllString(part, -1))
	return (n >= 3 || n == 2 && len(part) >= leastMixed && strings.ContainsAny(part, "0123456789")) && 5*(n+1) >= len(part)
}

// leastMixed is how long a part is in which that happens only twice: longer than iPhone15Pro.
const leastMixed = 12

var (
	number = regexp.MustCompile(`^[0-9]+$`)
	hexID  = regexp.MustCompile(`(?i)^[0-9a-f-]{12,}$`) // one that long without a digit comes once in 100,000
)

// wildcard returns the wildcard of a glob for a part of a path that is another each time. Where the
// part was a number or an identifier, it takes in no word: /issues/new is the form, and not the issue
// that was made with it.
func wildcard(part string) string {
	switch {
	case number.MatchString(part):
		return "[0-9]*"
	case hexID.MatchString(part) && strings.ContainsAny(part, "0123456789"):
		return "*[0-9]*"
	}
	return "*"
}

// AddressGlob returns the glob of an address that a flow came by: its host and path, without
// query and fragment, with wildcards for what changes from visit to visit, and for the parts
// that are given by what was typed. It is "**" for an address without a host.
func AddressGlob(raw string, given func(part string) bool) string {
	return addressGlob(raw, given, IsPerVisit)
}

// LedGlob is AddressGlob for what a step led to from the address before: a part that is a
// number is left open as well, since what is made in a run gets the next one. Where numbers
// are all that differs from the address before, they count steps or pages, and stay: they
// are how the next one is told from the one that was left.
func LedGlob(raw, before string, given func(part string) bool) string {
	counts := WithoutQuery(raw) != WithoutQuery(before) && withoutNumbers(raw) == withoutNumbers(before)
	return addressGlob(raw, given, func(part string) bool { return IsPerVisit(part) || !counts && number.MatchString(part) })
}

func addressGlob(raw string, given, changes func(part string) bool) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return "**"
	}
	parts := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	for i, part := range parts {
		switch {
		case given(part):
			parts[i] = "*"
		case changes(part):
			parts[i] = wildcard(part)
		}
	}
	return SiteGlob(u) + "/" + strings.Join(parts, "/")
}

// OpenNumbers returns a glob of an address with a wildcard for each part of its path that is a number.
func OpenNumbers(glob string) string {
	parts := strings.Split(glob, "/")
	for i, part := range parts[1:] {
		if number.MatchString(part) {
			parts[i+1] = wildcard(part)
		}
	}
	return strings.Join(parts, "/")
}

// WithoutQuery returns the origin and path of an address.
func WithoutQuery(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw
	}
	return Origin(u) + u.EscapedPath()
}

// withoutNumbers is WithoutQuery with each part that is a number as 0.
func withoutNumbers(raw string) string {
	parts := strings.Split(WithoutQuery(raw), "/")
	for i, part := range parts {
		if number.MatchString(part) {
			parts[i] = "0"
		}
	}
	return strings.Join(parts, "/")
}

var secretParameter = regexp.MustCompile(`(?i)token|code|key|sess|sig|auth|pass|pwd|secret|state|nonce|ticket|csrf|otp|login_hint|mail|user|phone`)

// IsSecretParameter reports whether a query parameter by this name holds a secret, or the
// state of a single visit.
func IsSecretParameter(name string) bool { return secretParameter.MatchString(name) }
