package automation

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// hostile are URLs that a person, a server or another parser may take for one
// of accounts.google.com/signin/* though they are not, or that no two parsers
// read alike.
var hostile = []string{
	// another host, with ours elsewhere
	"https://evil.example/accounts.google.com/signin/x",
	"https://evil.example/https://accounts.google.com/signin/x",
	"https://evil.example?accounts.google.com/signin/x",
	"https://evil.example#accounts.google.com/signin/x",
	"https://evil.example/?u=https://accounts.google.com/signin/x",
	"https://evil.example/#@accounts.google.com/signin/x",
	"https://accounts.google.com.evil.example/signin/x",
	"https://evil-accounts.google.com/signin/x",
	"https://evilaccounts.google.com/signin/x",
	"https://accounts-google.com/signin/x",
	"https://accounts.google.com-evil.example/signin/x",
	"https://accounts.google.comevil/signin/x",
	"https://google.com/signin/x",
	"https://x.accounts.google.com/signin/x",
	"https://accounts.google.co/signin/x",
	"https://accounts_google.com/signin/x",
	"https://accountsXgoogle.com/signin/x",

	// user names
	"https://accounts.google.com@evil.example/signin/x",
	"https://accounts.google.com:443@evil.example/signin/x",
	"https://accounts.google.com%40evil.example/signin/x",
	"https://accounts.google.com%2f@evil.example/signin/x",
	"https://user@accounts.google.com/signin/x",
	"https://user:password@accounts.google.com/signin/x",
	"https://:@accounts.google.com/signin/x",
	"https://@accounts.google.com/signin/x",
	"https://evil.example\\@accounts.google.com/signin/x",
	"https://evil.example#@accounts.google.com/signin/x",
	"https://evil.example?@accounts.google.com/signin/x",

	// ports
	"https://accounts.google.com:8443/signin/x",
	"https://accounts.google.com:80/signin/x",
	"https://accounts.google.com:/signin/x",
	"https://accounts.google.com:0443/signin/x",
	"https://accounts.google.com:443:443/signin/x",
	"https://accounts.google.com:65979/signin/x", // 443 in sixteen bits
	"https://accounts.google.com:-443/signin/x",
	"https://accounts.google.com:+443/signin/x",
	"https://accounts.google.com:44３/signin/x",
	"https://accounts.google.com:443.evil.example/signin/x",

	// schemes
	"http://accounts.google.com/signin/x",
	"http://accounts.google.com:443/signin/x",
	"ftp://accounts.google.com/signin/x",
	"file://accounts.google.com/signin/x",
	"javascript://accounts.google.com/signin/x",
	"data:text/html,https://accounts.google.com/signin/x",
	"blob:https://accounts.google.com/signin/x",
	"view-source:https://accounts.google.com/signin/x",
	"chrome://accounts.google.com/signin/x",
	"httpsx://accounts.google.com/signin/x",
	"//accounts.google.com/signin/x",
	"accounts.google.com/signin/x",
	"https:accounts.google.com/signin/x",
	"https:/accounts.google.com/signin/x",
	"https:///accounts.google.com/signin/x",
	"https:\\\\accounts.google.com/signin/x",
	"https:\\/accounts.google.com/signin/x",
	"https://\\accounts.google.com/signin/x",

	// dots, letters and white space in the host
	"https://accounts.google.com./signin/x",
	"https://accounts.google.com../signin/x",
	"https://.accounts.google.com/signin/x",
	"https://accounts..google.com/signin/x",
	"https://accounts。google。com/signin/x",
	"https://accounts.goo%67le.com/signin/x",
	"https://%61ccounts.google.com/signin/x",
	"https://accounts.ɡoogle.com/signin/x",
	"https://аccounts.google.com/signin/x",
	"https://xn--ccounts-2fg.google.com/signin/x",
	"https://accounts.google.com\u200b/signin/x",
	"https://accounts.google\u00ad.com/signin/x",
	"https://accounts.g\u017foogle.com/signin/x",
	"https://accounts.goog\u212ae.com/signin/x",
	"https://accounts.google.com\x00.evil.example/signin/x",
	"https://accounts.google.com\x00/signin/x",
	"https://accounts.google.com /signin/x",
	"https://accounts.google.com\t/signin/x",
	"https://accounts.\ngoogle.com/signin/x",
	" https://accounts.google.com/signin/x",
	"https://accounts.google.com/signin/x\n",
	"https://[accounts.google.com]/signin/x",
	"https://accounts.google.com]/signin/x",
	"https://(accounts.google.com)/signin/x",
	"https://*.google.com/signin/x",
	"https://accounts.google.com*/signin/x",
	"https://accounts.google.com;evil.example/signin/x",
	"https://accounts.google.com,evil.example/signin/x",
	"https://accounts.google.com&evil.example/signin/x",
	"https:///signin/x",
	"https://",
	"",

	// out of the path, or perhaps out of it
	"https://accounts.google.com/",
	"https://accounts.google.com/signin",
	"https://accounts.google.com/signinx/x",
	"https://accounts.google.com/SIGNIN/x",
	"https://accounts.google.com//signin/x",
	"https://accounts.google.com/other?/signin/x",
	"https://accounts.google.com/other#/signin/x",
	"https://accounts.google.com?/signin/x",
	"https://accounts.google.com/signin/../other",
	"https://accounts.google.com/signin/..",
	"https://accounts.google.com/signin/x/../../other",
	"https://accounts.google.com/signin/%2e%2e/other",
	"https://accounts.google.com/signin/.%2E/other",
	"https://accounts.google.com/signin/%2e./other",
	"https://accounts.google.com/signin//../../other",
	"https://accounts.google.com/signin/..%2fother",
	"https://accounts.google.com/signin/..%2Fother",
	"https://accounts.google.com/signin/%2e%2e%2fother",
	"https://accounts.google.com/signin/..%5cother",
	"https://accounts.google.com/signin/..%5Cother",
	"https://accounts.google.com/signin/..%252fother",
	"https://accounts.google.com/signin/%252e%252e/other",
	"https://accounts.google.com/signin/..\\other",
	"https://accounts.google.com\\signin\\x",
	"https://accounts.google.com/signin\\x",
	"https://accounts.google.com/signin%2fx",
	"https://accounts.google.com/%2fsignin/x",
	"https://accounts.google.com/signin/..;/other",
	"https://accounts.google.com/signin/..;a=b/other",
	"https://accounts.google.com/signin/.;/../other",
	"https://accounts.google.com/signin/%2e%2e;/other",
	"https://accounts.google.com/signin/x%00",
	"https://accounts.google.com/signin/x%0a",
	"https://accounts.google.com/signin/%",
	"https://accounts.google.com/signin/%2",
	"https://accounts.google.com/signin/%zz",
	"https://accounts.google.com/signin/<script>",
	"https://accounts.google.com/signin/a b",
	"https://accounts.google.com/signin/x?a b",
}

func TestNoHostileURLMatches(t *testing.T) {
	t.Parallel()
	scope := Scope{URLs: []string{"accounts.google.com/signin/*"}}
	index := NewIndex()
	if err := index.Add(&Automation{Name: "google-login", Match: scope}); err != nil {
		t.Fatal(err)
	}
	for _, good := range []string{
		"https://accounts.google.com/signin/x",
		"HTTPS://Accounts.Google.Com:443/signin/x?u=https://evil.example/#@evil.example",
		"https://accounts.google.com/signin/",
		"https://accounts.google.com/other/../signin/x",
		"https://accounts.google.com/signin/a..b/.c/d.html",
	} {
		if !scope.MatchURL(good) {
			t.Errorf("%q must match", good)
		}
	}
	for _, bad := range hostile {
		if scope.MatchURL(bad) {
			t.Errorf("scope matches %q", bad)
		}
		if a, err := index.Match(bad, ""); err == nil {
			t.Errorf("index gives %s for %q", a.Name, bad)
		}
	}
}

// A scope of a whole host, with wildcards and without, must not take in a
// hostile URL of another host either.
func TestNoHostileURLLeavesTheHost(t *testing.T) {
	t.Parallel()
	for _, glob := range []string{"accounts.google.com", "accounts.google.com/*", "*.google.com/**", "**.google.com/**/x"} {
		g, err := ParseGlob(glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range hostile {
			if !g.Match(raw) {
				continue
			}
			u, err := url.Parse(raw)
			if err != nil || u.Scheme != "https" || u.User != nil || !strings.HasSuffix("."+u.Hostname(), ".google.com") {
				t.Errorf("%s matches %q", glob, raw)
			}
		}
	}
}

func TestOddAddressesAreNotLoopback(t *testing.T) {
	t.Parallel()
	scope := Scope{URLs: []string{"127.0.0.1:8080/*", "[::1]:8080", "localhost:8080"}}
	for _, good := range []string{"http://127.0.0.1:8080/", "https://127.0.0.1:8080/x", "http://[::1]:8080/", "http://[0:0:0:0:0:0:0:1]:8080/", "http://LOCALHOST:8080/"} {
		if !scope.MatchURL(good) {
			t.Errorf("%q must match", good)
		}
	}
	for _, bad := range []string{
		"http://127.1:8080/", "http://0x7f.1:8080/", "http://2130706433:8080/", "http://0177.0.0.1:8080/", "http://127.0.0.01:8080/",
		"http://127.0.0.1.:8080/", "http://0x7f000001:8080/", "http://127.0.0.1.evil.example:8080/", "http://127.0.0.2:8080/",
		"http://[::ffff:127.0.0.1]:8080/", "http://[::1%25lo]:8080/", "http://[::1]evil:8080/", "http://[::1:8080/", "http://::1:8080/", "http://[::]:8080/",
		"http://localhost.:8080/", "http://localhost.evil.example:8080/", "http://localhost/", "http://localhost:80/", "http://127.0.0.1/", "http://0:8080/", "http://0.0.0.0:8080/",
	} {
		if scope.MatchURL(bad) {
			t.Errorf("%q matches", bad)
		}
	}
}

// authority is an independent reading of RFC 3986, appendix B: scheme, host,
// port, what ends them, and nothing that needs thought.
var authority = regexp.MustCompile(`^(?i:(https?))://([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]+))?([/?#]|$)`)

// FuzzMatchNeverLeavesTheHost: whatever matches is read by two other parsers as
// a URL of the host, the scheme and the port that the glob names.
func FuzzMatchNeverLeavesTheHost(f *testing.F) {
	for _, raw := range hostile {
		f.Add(raw)
	}
	f.Add("https://accounts.google.com/signin/x")
	f.Add("https://a.b.example.com:8443/a/b/pwd?x#y")
	hosts := map[string]*regexp.Regexp{
		"accounts.google.com/**":         regexp.MustCompile(`^https://accounts\.google\.com(:443)?$`),
		"*.example.com:8443/a/**/pwd":    regexp.MustCompile(`^https://[a-z0-9_-]+\.example\.com:8443$`),
		"**.example.com":                 regexp.MustCompile(`^https://[a-z0-9_.-]+\.example\.com(:443)?$`),
		"http://[::1]:9/*/x":             regexp.MustCompile(`^http://\[[0:]*1\]:9$`),
		"localhost:8080/signin/*":        regexp.MustCompile(`^https?://localhost:8080$`),
		"a?c.example.com/sign*/?/**":     regexp.MustCompile(`^https://a[a-z0-9_-]c\.example\.com(:443)?$`),
		"accounts.google.com/signin/*":   regexp.MustCompile(`^https://accounts\.google\.com(:443)?$`),
		"https://127.0.0.1/only/this":    regexp.MustCompile(`^https://127\.0\.0\.1(:443)?$`),
		"http://accounts.google.com/a/*": regexp.MustCompile(`^http://accounts\.google\.com(:80)?$`),
	}
	globs := map[string]*Glob{}
	for text := range hosts {
		g, err := ParseGlob(text)
		if err != nil {
			f.Fatal(err)
		}
		globs[text] = g
	}
	f.Fuzz(func(t *testing.T, raw string) {
		for text, g := range globs {
			if g.Match(raw) && !g.MatchOrigin(raw) {
				t.Fatalf("%s matches %q but does not cover it", text, raw)
			}
			if !g.MatchOrigin(raw) {
				continue
			}
			m := authority.FindStringSubmatch(raw)
			if m == nil {
				t.Fatalf("%s matches %q, which has no plain authority", text, raw)
			}
			origin := strings.ToLower(m[1] + "://" + m[2])
			if m[3] != "" {
				origin += ":" + m[3]
			}
			if !hosts[text].MatchString(origin) {
				t.Fatalf("%s matches %q of %s", text, raw, origin)
			}
			u, err := url.Parse(raw)
			if err != nil && !strings.Contains(err.Error(), "invalid URL escape") { // in the query: a browser lets it be
				t.Fatalf("%s matches %q: %v", text, raw, err)
			}
			if err == nil && (u.User != nil || !strings.EqualFold(u.Host, origin[strings.Index(origin, "//")+2:])) {
				t.Fatalf("%s matches %q of %q", text, raw, u.Host)
			}
			path, _, _ := strings.Cut(raw[len(m[0])-len(m[4]):], "#")
			path, _, _ = strings.Cut(path, "?")
			dotted := strings.Contains(path, "..") || strings.Contains(path, "%") || strings.Contains(path, "/.")
			if strings.HasSuffix(text, "/signin/*") && g.Match(raw) && !dotted && !strings.HasPrefix(path, "/signin/") {
				t.Fatalf("%s matches %q of path %q", text, raw, path)
			}
		}
	})
}
