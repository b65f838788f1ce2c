package demosite

import (
	"net"
	"net/http"
	"strconv"
	"strings"
)

// policy allows what the site's own origin serves and nothing else: no inline script or style, no
// eval, no HTML made from strings. A recorder or a player that needs any of these fails here.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

func setHeaders(h http.Header, host, path string) {
	csp := policy + "; frame-src 'self' http://" + crossHost(host)
	if !embeddable(path) {
		csp += "; frame-ancestors 'none'"
	}
	h.Set("Content-Security-Policy", csp)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
}

// embeddable says whether a path is one that /frames shows in a frame.
func embeddable(path string) bool {
	return strings.HasPrefix(path, "/frames/") || strings.HasPrefix(path, "/seen/")
}

// crossHost names this server by another site, as a browser sees it: localhost for 127.0.0.1 and the reverse.
func crossHost(host string) string {
	name, port := splitHost(host)
	other := "localhost"
	if name == other {
		other = "127.0.0.1"
	}
	if port == "" {
		return other
	}
	return net.JoinHostPort(other, port)
}

// splitHost drops a port that is no number: what a client sends as its Host ends up in headers.
func splitHost(host string) (name, port string) {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		return host, ""
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		port = ""
	}
	return name, port
}

// cookieName keeps sites on different ports apart, which share one cookie jar in a browser.
func cookieName(r *http.Request, name string) string {
	if _, port := splitHost(r.Host); port != "" {
		return name + "-" + port
	}
	return name
}

func cookieValue(r *http.Request, name string) string {
	c, err := r.Cookie(cookieName(r, name))
	if err != nil {
		return ""
	}
	return c.Value
}

// setCookie sets a cookie that scripts cannot read and that other sites' requests do not carry.
func setCookie(w http.ResponseWriter, r *http.Request, name, value string) {
	c := &http.Cookie{Name: cookieName(r, name), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}
