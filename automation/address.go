package automation

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/go-reprise/reprise/internal/netrule"
)

// maxURL is what a browser still takes; nothing longer is ever matched.
const maxURL = 64 << 10

// address is the part of a URL that matching looks at. It is stricter than
// net/url and than a browser: what two parsers could read differently is
// refused, for one of them decides where a password goes.
type address struct {
	scheme string // http or https
	host   string // lower case; an IPv6 address in brackets, in its shortest form
	port   uint16 // the scheme's own where none was written
	path   string // begins with a slash; dot segments resolved as browsers do

	// murky is a path that a server may read as another one: encoded slashes,
	// backslashes, percent signs and control characters, and dots before a ";".
	murky bool
}

func (a address) origin() string {
	if a.port == defaultPort(a.scheme) {
		return a.scheme + "://" + a.host
	}
	return a.scheme + "://" + a.host + ":" + strconv.Itoa(int(a.port))
}

func defaultPort(scheme string) uint16 {
	if scheme == "http" {
		return 80
	}
	return 443
}

// parseAddress reads an absolute http or https URL, or says why it is none.
func parseAddress(raw string) (address, error) {
	if len(raw) > maxURL {
		return address{}, fmt.Errorf("longer than %d bytes", maxURL)
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] <= ' ' || raw[i] == 0x7f {
			return address{}, errors.New("holds a space or a control character")
		}
	}
	before, rest, found := strings.Cut(raw, "://")
	scheme := lower(before)
	if !found || scheme != "http" && scheme != "https" {
		return address{}, errors.New("not an absolute http or https URL")
	}
	authority, path := rest, "/"
	if i := strings.IndexAny(rest, "/?#\\"); i >= 0 {
		authority = rest[:i]
		path, _, _ = strings.Cut(rest[i:], "#")
		path, _, _ = strings.Cut(path, "?")
	}
	a := address{scheme: scheme}
	var err error
	if a.host, a.port, err = parseAuthority(authority, scheme); err != nil {
		return address{}, err
	}
	a.path, a.murky, err = normalPath(path)
	return a, err
}

// parseOrigin reads a scheme, a host and a port, and nothing else.
func parseOrigin(raw string) (string, error) {
	a, err := parseAddress(raw)
	if _, after, _ := strings.Cut(raw, "://"); err == nil && strings.ContainsAny(strings.TrimSuffix(after, "/"), "/?#") {
		err = errors.New("has more than a scheme, a host and a port")
	}
	if err != nil {
		return "", fmt.Errorf("origin %q: %w", shorten(raw), err)
	}
	return a.origin(), nil
}

func parseAuthority(authority, scheme string) (host string, port uint16, err error) {
	if strings.Contains(authority, "@") {
		return "", 0, errors.New("has a user name in it")
	}
	host = authority
	port = defaultPort(scheme)
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.HasSuffix(authority, "]") {
		host = authority[:i]
		if port, err = parsePort(authority[i+1:]); err != nil {
			return "", 0, err
		}
	}
	host, err = parseHost(host)
	return host, port, err
}

func parsePort(s string) (uint16, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 || s[0] == '0' || s[0] == '+' {
		return 0, fmt.Errorf("%q is not a port", shorten(s))
	}
	return uint16(n), nil
}

// parseHost returns the one form of a host by which it is compared.
func parseHost(host string) (string, error) {
	if inner, bracketed := strings.CutPrefix(host, "["); bracketed {
		ip, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !ip.Is6() || ip.Zone() != "" || !strings.HasSuffix(inner, "]") {
			return "", errors.New("not an IPv6 address in brackets")
		}
		return "[" + ip.String() + "]", nil
	}
	host = lower(host)
	if err := checkLabels(host, ""); err != nil {
		return "", err
	}
	if last := host[strings.LastIndexByte(host, '.')+1:]; numeric(last) {
		ip, err := netip.ParseAddr(host)
		if err != nil || !ip.Is4() {
			return "", errors.New("not an IPv4 address in its usual form, a.b.c.d")
		}
	}
	return host, nil
}

// checkLabels holds a lower-case host to the characters that hosts have, plus
// the special ones of a glob.
func checkLabels(host, special string) error {
	if host == "" || len(host) > 253 {
		return errors.New("has no host, or one that is too long")
	}
	for _, label := range strings.Split(host, ".") {
		if label == "" || len(label) > 63 {
			return errors.New("the host has an empty part, or ends with a dot, or has too long a part")
		}
		for _, r := range label {
			if !isHostRune(r) && !strings.ContainsRune(special, r) {
				return fmt.Errorf("the host holds %q (a name in other letters is written in its xn-- form)", r)
			}
		}
	}
	return nil
}

func isHostRune(r rune) bool {
	return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_'
}

// numeric reports whether browsers take a host which ends in this label for an IPv4
// address (https://url.spec.whatwg.org/#ends-in-a-number-checker).
func numeric(label string) bool {
	if strings.HasPrefix(label, "0x") {
		return strings.Trim(label[2:], "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// lower is for ASCII only: strings.ToLower turns the Kelvin sign into a k.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for j := range b {
				if 'A' <= b[j] && b[j] <= 'Z' {
					b[j] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// shortURL is how a URL stands in a message: without the parts that carry
// tokens and passwords.
func shortURL(raw string) string {
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		raw = raw[:i]
	}
	if i := strings.LastIndexByte(raw, '@'); i >= 0 {
		raw = "…" + raw[i:]
	}
	return shorten(raw)
}

// normalPath returns the path as a browser sends it: dot segments resolved, what
// is not ASCII percent-encoded. Encodings are otherwise left as they are, but
// for the case of their digits.
func normalPath(path string) (normal string, murky bool, err error) {
	if path == "" {
		return "/", false, nil
	}
	if plainPath(path) {
		return path, false, nil
	}
	encoded, murky, err := encodePath(path)
	if err != nil {
		return "", false, err
	}
	var kept []string
	segments := strings.Split(encoded[1:], "/")
	for i, segment := range segments {
		isLast := i == len(segments)-1
		switch dots(segment) {
		case 1:
		case 2:
			kept = kept[:max(0, len(kept)-1)]
		default:
			name, _, parameters := strings.Cut(segment, ";")
			murky = murky || parameters && dots(name) > 0
			kept = append(kept, segment)
			continue
		}
		if isLast {
			kept = append(kept, "")
		}
	}
	return "/" + strings.Join(kept, "/"), murky, nil
}

// plainPath is the usual case: nothing in it to resolve or to encode.
func plainPath(path string) bool {
	for i := 0; i < len(path); i++ {
		c := path[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("/-_~", c) >= 0) {
			return false
		}
	}
	return path[0] == '/'
}

// dots counts the dots of a segment that is nothing but one or two dots.
func dots(segment string) int {
	if len(segment) > len("%2E%2E") {
		return 0
	}
	switch strings.ReplaceAll(segment, "%2E", ".") {
	case ".":
		return 1
	case "..":
		return 2
	}
	return 0
}

const upperHex = "0123456789ABCDEF"

func encodePath(path string) (encoded string, murky bool, err error) {
	if path[0] != '/' {
		return "", false, errors.New("has a backslash where the path begins")
	}
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case c >= 0x80:
			b.Write([]byte{'%', upperHex[c>>4], upperHex[c&15]})
		case strings.IndexByte("\\\"<>^`{}", c) >= 0:
			return "", false, fmt.Errorf("the path holds %q", c)
		case c != '%':
			b.WriteByte(c)
		case i+2 >= len(path) || !isHex(path[i+1]) || !isHex(path[i+2]):
			return "", false, errors.New("the path holds a % that is not an encoding")
		default:
			code := strings.ToUpper(path[i : i+3])
			murky = murky || code[1] < '2' || code == "%7F" || code == "%2F" || code == "%5C" || code == "%25"
			b.WriteString(code)
			i += 2
		}
	}
	return b.String(), murky, nil
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// CheckURL returns why a browser must not be sent to this address: navigate takes
// only http and https, no user name, and no link-local or metadata address. It
// looks at what is written; it does not resolve names, which a browser's gate does.
func CheckURL(raw string) error {
	a, err := parseAddress(raw)
	if err == nil {
		err = refuseHost(a.host)
	}
	if err != nil {
		return fmt.Errorf("address %q: %w", shortURL(raw), err)
	}
	return nil
}

func refuseHost(host string) error {
	if netrule.IsMetadataName(host) {
		return errors.New("a cloud's metadata service is never opened")
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil && netrule.Of(ip) == netrule.Forbidden {
		return errors.New(netrule.ForbiddenReason)
	}
	return nil
}
