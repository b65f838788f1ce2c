package automation

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestGlobTakesInWhatItSays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		glob string
		yes  []string
		no   []string
	}{
		{"example.com", []string{"https://example.com", "https://example.com/", "https://example.com/a/b?q#f", "https://EXAMPLE.com:443/a%2fb"}, []string{"http://example.com/", "https://a.example.com/"}},
		{"example.com/*", []string{"https://example.com", "https://example.com?q", "https://example.com/a/b/"}, []string{"https://example.com.x/"}},
		{"example.com/**", []string{"https://example.com/", "https://example.com/a/b"}, nil},
		{"example.com/", []string{"https://example.com", "https://example.com/", "https://example.com/?q", "https://example.com/a/.."}, []string{"https://example.com/a", "https://example.com//"}},
		{"example.com/a", []string{"https://example.com/a", "https://example.com/a?q"}, []string{"https://example.com/a/", "https://example.com/ab", "https://example.com/"}},
		{"example.com/a/*", []string{"https://example.com/a/", "https://example.com/a/b/c"}, []string{"https://example.com/a", "https://example.com/ab/", "https://example.com/a%2fb"}},
		{"example.com/a/*/c", []string{"https://example.com/a/b/c"}, []string{"https://example.com/a/c", "https://example.com/a/b/b/c", "https://example.com/a/b/c/d"}},
		{"example.com/*/c/*", []string{"https://example.com/a/c/", "https://example.com/a/c/d/e"}, []string{"https://example.com/a/c", "https://example.com/a/b/c/"}},
		{"example.com/**/pwd", []string{"https://example.com/pwd", "https://example.com/v3/signin/pwd"}, []string{"https://example.com/xpwd", "https://example.com/pwd/x", "https://example.com/"}},
		{"example.com/a/**/b", []string{"https://example.com/a/b", "https://example.com/a/x/y/b"}, []string{"https://example.com/ab", "https://example.com/a/xb"}},
		{"example.com/a*", []string{"https://example.com/a", "https://example.com/abc"}, []string{"https://example.com/a/b", "https://example.com/b"}},
		{"example.com/*/a/**", []string{"https://example.com/x/a/", "https://example.com/x/a/b/c"}, []string{"https://example.com/x/a"}},
		{"example.com/**/a/**/b/**/c", []string{"https://example.com/a/b/c", "https://example.com/a/a/b/a/b/c/c"}, []string{"https://example.com/a/c/b", "https://example.com/a/b/c/d"}},
		{"a.**.example.com", []string{"https://a.b.example.com/", "https://a.b.c.example.com/"}, []string{"https://a.example.com/"}},
		{"example.com/step?", []string{"https://example.com/step1"}, []string{"https://example.com/step", "https://example.com/step12", "https://example.com/step/"}},
		{"example.com/issues/[0-9]*", []string{"https://example.com/issues/6", "https://example.com/issues/12"}, []string{"https://example.com/issues/new", "https://example.com/issues/", "https://example.com/issues/6/edit"}},
		{"example.com/*[0-9]*/[0-9]", []string{"https://example.com/a1b/2"}, []string{"https://example.com/ab/2", "https://example.com/a1b/22"}},
		{"example.com/a,b!c-d$e(f)'g'", []string{"https://example.com/a,b!c-d$e(f)'g'"}, []string{"https://example.com/a"}},
		{"example.com/a,b!c-d$e(f)'g'/*/x", []string{"https://example.com/a,b!c-d$e(f)'g'/1/x"}, []string{"https://example.com/b!c-d$e(f)'g'/1/x"}},
		{"example.com/caf%c3%a9", []string{"https://example.com/café", "https://example.com/caf%C3%A9"}, []string{"https://example.com/cafe"}},
		{"example.com/café/*/x", []string{"https://example.com/caf%c3%a9/1/x"}, nil},
		{"*.example.com", []string{"https://a.example.com/x"}, []string{"https://example.com/", "https://a.b.example.com/", "https://aexample.com/"}},
		{"**.example.com", []string{"https://a.example.com/", "https://a.b.example.com/"}, []string{"https://example.com/", "https://aexample.com/"}},
		{"a-*.example.com", []string{"https://a-b.example.com/"}, []string{"https://a-b.c.example.com/", "https://b.example.com/"}},
		{"*.*.example.com", []string{"https://a.b.example.com/"}, []string{"https://a.example.com/", "https://a.b.c.example.com/"}},
		{"Example.COM:8443/A", []string{"https://example.com:8443/A"}, []string{"https://example.com:8443/a", "https://example.com/A"}},
		{"http://example.com", []string{"http://example.com/", "http://example.com:80/"}, []string{"https://example.com/", "http://example.com:443/"}},
		{"example.com:80", []string{"https://example.com:80/"}, []string{"http://example.com/"}},
		{"localhost", []string{"http://localhost/", "https://localhost/", "http://localhost:80/x"}, []string{"http://localhost:443/", "https://localhost:80/", "http://localhost:8080/"}},
		{"https://localhost", []string{"https://localhost/"}, []string{"http://localhost/"}},
		{"app.localhost:3000/*", []string{"http://app.localhost:3000/"}, []string{"http://localhost:3000/"}},
		{"[::1]:3000", []string{"http://[::1]:3000/", "http://[0::1]:3000/"}, []string{"http://127.0.0.1:3000/"}},
		{"[2001:DB8::1]/a", []string{"https://[2001:db8:0::1]/a"}, []string{"http://[2001:db8::1]/a"}},
		{"xn--bcher-kva.example", []string{"https://XN--bcher-kva.example/"}, []string{"https://bücher.example/", "https://bucher.example/"}},
	} {
		g, err := ParseGlob(c.glob)
		if err != nil {
			t.Errorf("%s: %v", c.glob, err)
			continue
		}
		for _, u := range c.yes {
			if !g.Match(u) {
				t.Errorf("%s must match %s", c.glob, u)
			}
		}
		for _, u := range c.no {
			if g.Match(u) {
				t.Errorf("%s must not match %s", c.glob, u)
			}
		}
		if g.String() != c.glob {
			t.Errorf("String of %q is %q", c.glob, g)
		}
	}
}

func TestAnAddressThatWasComeByMayHoldAnEncodedSlash(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		glob, url string
		want      bool
	}{
		{"example.com/at/*", "https://example.com/at/a%2Fb", true},
		{"example.com/at/*/x", "https://example.com/at/a%2Fb/x", true},
		{"example.com/at/*/x", "https://example.com/at/a/b/x", false},
		{"example.com/at/*", "https://example.com/at%2Fa", false},
		{"example.com/at/*", "https://example.org/at/a%2Fb", false},
	} {
		g, err := ParseGlob(c.glob)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.MatchPath(c.url); got != c.want {
			t.Errorf("%s reaches %s: %v", c.glob, c.url, got)
		}
		if strings.Contains(c.url, "%2F") && g.Match(c.url) {
			t.Errorf("%s matches %s, which a server may read as another address", c.glob, c.url)
		}
	}
}

func TestGlobRefusesWhatItCannotMean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ glob, reason string }{
		{"", "must have"},
		{"/a", "host"},
		{"https://", "host"},
		{"ftp://example.com", "scheme"},
		{"*://example.com", "scheme"},
		{"user@example.com", "'@'"},
		{"example.com.", "dot"},
		{".example.com", "empty part"},
		{"bücher.example", "xn--"},
		{"exa mple.com", "' '"},
		{"example.com:0", "port"},
		{"example.com:*", "port"},
		{"example.com:99999", "port"},
		{"example.com/[a]", "bracket"},
		{"example.com/{a,b}", "'{'"},
		{`example.com/a\*`, `'\\'`},
		{"{a,b}.com", "'{'"},
		{"[ab].com", "IPv6"},
		{"[::1%25eth0]", "IPv6"},
		{"127.1", "IPv4"},
		{"0x7f.0.0.1", "IPv4"},
		{"192.168.*.1", "wildcards"},
		{"example.com/***", "three stars"},
		{"example.com/a**", "whole part"},
		{"**a.example.com", "whole part"},
		{"example.com/?a=b", "query"},
		{"example.com/a#b", "fragment"},
		{"example.com/a/../b", ".."},
		{"example.com/%2e/b", "."},
		{"example.com/a%2fb", "encoded"},
		{"example.com/a%5Cb", "encoded"},
		{"example.com/a%b", "encoding"},
		{"example.com/a b", "space"},
		{"example.com/a\x00b", "control"},
		{"example.com/*a*b*c*d*e*f*g*h*i", "wildcards"},
		{"example.com/" + strings.Repeat("a", maxGlob), "bytes"},
	} {
		g, err := ParseGlob(c.glob)
		if err == nil {
			t.Errorf("%q is accepted as %+v", c.glob, g)
		} else if !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%q: the error does not say %q: %v", c.glob, c.reason, err)
		}
	}
}

func TestScopeRefusesHostsOfAnyone(t *testing.T) {
	t.Parallel()
	for glob, wide := range map[string]bool{
		"**": true, "*.com": true, "**.com/x": true, "*example.com": true, "a.*": true, "*.example.*": true, "e*e.com": true,
		"*.example.com": false, "**.example.com": false, "a*.example.com:1": false, "*.localhost": false, "localhost": false, "[::1]": false,
	} {
		g, err := ParseGlob(glob)
		if err != nil {
			t.Errorf("%s: %v", glob, err)
			continue
		}
		if g.wide() != wide {
			t.Errorf("%s: wide is %v", glob, g.wide())
		}
		if got := (Scope{URLs: []string{glob}}).MatchURL("https://x.example.com/"); wide && got {
			t.Errorf("a scope of %s matches", glob)
		}
	}
}

// The glob library is held to a matcher that can be read at a glance.
func TestPathGlobsAgreeWithAPlainMatcher(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	text := func(alphabet string, most int) string {
		var b strings.Builder
		for range r.IntN(most) {
			b.WriteByte(alphabet[r.IntN(len(alphabet))])
		}
		return b.String()
	}
	checked := 0
	for range 30_000 {
		pattern, path := "/"+text("ab/*?,!", 8), "/"+text("ab/,!", 8)
		g, err := ParseGlob("example.com" + pattern)
		if err != nil {
			continue
		}
		checked++
		if got, want := g.Match("https://example.com"+path), plainMatch(pattern, path); got != want {
			t.Fatalf("%s on %s: %v, want %v", pattern, path, got, want)
		}
	}
	if checked < 10_000 {
		t.Fatalf("only %d patterns were checked", checked)
	}
}

// plainMatch is the definition: a last "/*" is anything below, "/**/" may be a
// single slash, "**" is anything, "*" anything but slashes.
func plainMatch(pattern, path string) bool {
	if below, found := strings.CutSuffix(pattern, "/*"); found {
		pattern = below + "/**"
	}
	return plainGlob(pattern, path, true)
}

func plainGlob(pattern, s string, segmentStart bool) bool {
	if pattern == "" {
		return s == ""
	}
	if rest, found := strings.CutPrefix(pattern, "**"); found {
		if after, whole := strings.CutPrefix(rest, "/"); whole && segmentStart && plainGlob(after, s, true) {
			return true
		}
		for i := 0; i <= len(s); i++ {
			if plainGlob(rest, s[i:], false) {
				return true
			}
		}
		return false
	}
	if pattern[0] == '*' {
		for i := 0; i <= len(s); i++ {
			if plainGlob(pattern[1:], s[i:], false) {
				return true
			}
			if i < len(s) && s[i] == '/' {
				return false
			}
		}
		return false
	}
	if s == "" || pattern[0] != s[0] && (pattern[0] != '?' || s[0] == '/') {
		return false
	}
	return plainGlob(pattern[1:], s[1:], pattern[0] == '/')
}

// Many wildcards against a URL made for them must not hold up the replayer.
func TestMatchingAHostileURLIsQuick(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		strings.Repeat("a*", maxWildcards-1) + "c*b",
		strings.Repeat("*a/", maxWildcards-1) + "c*/b",
		strings.Repeat("**/a*/", maxWildcards/2-1) + "c*/**/b",
		strings.Repeat("**/a/", maxWildcards-1) + "c/**/b",
		strings.Repeat("?/**/", maxWildcards/2-1) + "c?/**/b",
		strings.Repeat("**/", maxWildcards-3) + "*a*c*b",
	} {
		g, err := ParseGlob("example.com/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, unit := range []string{"a", "a/", "aa/"} {
			raw := "https://example.com/" + strings.Repeat(unit, (maxURL-60)/len(unit)) + "b"
			start := time.Now()
			if g.Match(raw) {
				t.Errorf("%s matches", pattern)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s on many %q took %v", pattern, unit, took)
			}
		}
	}
}
