package automation

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func indexOf(t testing.TB, scopes map[string]Scope) *Index {
	t.Helper()
	x := NewIndex()
	for name, scope := range scopes {
		if err := x.Add(&Automation{Name: name, Match: scope}); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

func TestTheMostSpecificAutomationWins(t *testing.T) {
	t.Parallel()
	x := indexOf(t, map[string]Scope{
		"host":         {URLs: []string{"a.example.com"}},
		"prefix":       {URLs: []string{"a.example.com/in/*", "other.example.com"}},
		"longer":       {URLs: []string{"a.example.com/in/deep/*"}},
		"exact":        {URLs: []string{"a.example.com/in/deep/x"}},
		"middle":       {URLs: []string{"a.example.com/in/*/x"}},
		"empty-star":   {URLs: []string{"a*.example.com"}},
		"exact-star":   {URLs: []string{"a.example.com/in/deep/x*"}},
		"wildcard":     {URLs: []string{"*.example.com/in/deep/x/y/z"}},
		"any-depth":    {URLs: []string{"**.example.com"}},
		"narrow-host":  {URLs: []string{"*.eu.example.com"}},
		"mine":         {URLs: []string{"**.example.com"}, Account: "me@example.com"},
		"mine-deep":    {URLs: []string{"a.example.com/in/deep/*"}, Account: "me@example.com"},
		"theirs":       {URLs: []string{"a.example.com/in/deep/x"}, Account: "you@example.com"},
		"with-a-port":  {URLs: []string{"a.example.com:8443"}},
		"without-tls":  {URLs: []string{"http://a.example.com"}},
		"last-segment": {URLs: []string{"a.example.com/**/last"}},
	})
	for _, c := range []struct{ url, account, want string }{
		{"https://a.example.com/", "", "host"},
		{"https://a.example.com/in", "", "host"},
		{"https://a.example.com/in/", "", "prefix"},
		{"https://a.example.com/in/y/x", "", "middle"},
		{"https://a.example.com/in/deep/y", "", "longer"},
		{"https://a.example.com/in/deep/x", "", "exact"},
		{"https://a.example.com/q/last", "", "last-segment"},
		{"https://a.example.com/in/deep/x/y/z", "", "longer"}, // the exact host, though the wildcard's path is longer
		{"https://a.example.com/in/deep/xx", "", "exact-star"},
		{"https://ab.example.com/", "", "empty-star"},
		{"https://b.example.com/in/deep/x/y/z", "", "wildcard"},
		{"https://b.example.com/", "", "any-depth"},
		{"https://b.c.example.com/", "", "any-depth"},
		{"https://b.eu.example.com/", "", "narrow-host"},
		{"https://a.example.com:8443/in/", "", "with-a-port"},
		{"http://a.example.com/in/", "", "without-tls"},
		{"https://other.example.com/", "", "prefix"},
		{"https://b.example.com/", "me@example.com", "mine"},
		{"https://a.example.com/in/deep/x", "me@example.com", "mine-deep"}, // the account, though "exact" is more specific
		{"https://a.example.com/in/deep/x", "you@example.com", "theirs"},
		{"https://a.example.com/in/deep/y", "you@example.com", "longer"},
		{"https://a.example.com/in/deep/x", "ME@example.com", "exact"}, // a label is compared as it is
	} {
		a, err := x.Match(c.url, c.account)
		if err != nil {
			t.Errorf("%s for %q: %v", c.url, c.account, err)
		} else if a.Name != c.want {
			t.Errorf("%s for %q is %s, want %s", c.url, c.account, a.Name, c.want)
		}
	}
	for _, url := range []string{"https://example.com/", "https://a.example.org/", "https://a.example.com:9/", "not a URL", ""} {
		if a, err := x.Match(url, "me@example.com"); !errors.Is(err, ErrNoMatch) {
			t.Errorf("%q is %v, %v", url, a, err)
		}
	}
}

func TestACallerWithoutAnAccountGetsOnlyAutomationsForAny(t *testing.T) {
	t.Parallel()
	x := indexOf(t, map[string]Scope{"mine": {URLs: []string{"example.com"}, Account: "me"}})
	if a, err := x.Match("https://example.com/", ""); !errors.Is(err, ErrNoMatch) {
		t.Errorf("got %v, %v", a, err)
	}
}

func TestATieNamesBoth(t *testing.T) {
	t.Parallel()
	x := indexOf(t, map[string]Scope{
		"one": {URLs: []string{"example.com", "example.com/*"}},
		"two": {URLs: []string{"example.com/*"}},
		"sub": {URLs: []string{"example.com/sub/*"}},
	})
	_, err := x.Match("https://user@example.com/?token=abc", "")
	if !errors.Is(err, ErrNoMatch) {
		t.Error(err)
	}
	_, err = x.Match("https://example.com/?token=abc", "")
	var tie *AmbiguousError
	if !errors.As(err, &tie) || !slices.Equal(tie.Names, []string{"one", "two"}) {
		t.Fatalf("got %v", err)
	}
	for _, word := range []string{"one", "two", "https://example.com/"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q is missing in %v", word, err)
		}
	}
	if strings.Contains(err.Error(), "abc") {
		t.Errorf("a query in %v", err)
	}
	if a, err := x.Match("https://example.com/sub/", ""); err != nil || a.Name != "sub" {
		t.Errorf("the tie below is not looked at: %v, %v", a, err)
	}
}

func TestIndexFollowsWhatIsAddedAndRemoved(t *testing.T) {
	t.Parallel()
	x := NewIndex()
	add := func(name, account string, urls ...string) {
		t.Helper()
		if err := x.Add(&Automation{Name: name, Match: Scope{URLs: urls, Account: account}}); err != nil {
			t.Fatal(err)
		}
	}
	is := func(url, account, want string) {
		t.Helper()
		a, err := x.Match(url, account)
		if err == nil && a.Name != want || err != nil && want != "" {
			t.Errorf("%s is %v, %v, want %q", url, a, err, want)
		}
	}
	add("a", "", "a.example.com", "*.b.example.com/x/*", "c.example.com/1")
	add("a", "me", "a.example.com")
	is("https://a.example.com/", "", "a")
	is("https://q.b.example.com/x/y", "", "a")
	add("a", "", "d.example.com") // in place of the first
	is("https://a.example.com/", "", "")
	is("https://q.b.example.com/x/y", "", "")
	is("https://c.example.com/1", "", "")
	is("https://d.example.com/", "", "a")
	is("https://a.example.com/", "me", "a") // another account, another automation
	x.Remove("a", "")
	x.Remove("a", "")
	x.Remove("unknown", "")
	is("https://d.example.com/", "", "")
	is("https://a.example.com/", "me", "a")
	x.Remove("a", "me")
	if len(x.entries)+len(x.suffixes)+len(x.globs) != 0 {
		t.Errorf("something is left: %v", x)
	}
}

func TestIndexRefusesAScopeThatDoesNotParse(t *testing.T) {
	t.Parallel()
	x := indexOf(t, map[string]Scope{"a": {URLs: []string{"example.com"}}})
	for _, glob := range []string{"example.com/[x]", "**", ""} {
		if err := x.Add(&Automation{Name: "a", Match: Scope{URLs: []string{glob}}}); err == nil {
			t.Errorf("%q is accepted", glob)
		}
	}
	if _, err := x.Match("https://example.com/", ""); err != nil {
		t.Errorf("what was there is lost: %v", err)
	}
}

// The index must give what a look at every automation gives.
func TestIndexAgreesWithALinearScan(t *testing.T) {
	t.Parallel()
	globs := []string{
		"a.example.com", "a.example.com/x", "a.example.com/x/*", "a.example.com/*/y", "a.example.com/x*", "a.example.com/**/y", "a.example.com/",
		"*.example.com", "*.example.com/x/y", "**.example.com/x/*", "a*.example.com", "**.b.example.com", "*.*.example.com", "a.example.com:81", "http://a.example.com",
	}
	urls := []string{}
	for _, origin := range []string{"https://a.example.com", "https://b.example.com", "https://a.b.example.com", "https://ab.example.com", "https://a.example.com:81", "http://a.example.com", "https://example.com"} {
		for _, path := range []string{"", "/x", "/x/", "/x/y", "/xx", "/z/y", "/y", "/%2f", "//x"} {
			urls = append(urls, origin+path)
		}
	}
	all := map[string]Scope{}
	x := NewIndex()
	for i, g := range globs {
		name := fmt.Sprintf("g%d", i)
		all[name] = Scope{URLs: []string{g}}
		if err := x.Add(&Automation{Name: name, Match: all[name]}); err != nil {
			t.Fatal(err)
		}
	}
	for _, url := range urls {
		want := linear(t, all, url)
		a, err := x.Match(url, "unknown")
		var tie *AmbiguousError
		var got []string
		switch {
		case err == nil:
			got = []string{a.Name}
		case errors.As(err, &tie):
			got = tie.Names
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is %v, want %v", url, got, want)
		}
	}
}

func linear(t *testing.T, all map[string]Scope, url string) []string {
	t.Helper()
	var best uint64
	var names []string
	for name, scope := range all {
		if !scope.MatchURL(url) {
			continue
		}
		globs, err := scope.globs()
		if err != nil {
			t.Fatal(err)
		}
		switch rank := globs[0].rank; {
		case rank > best:
			best, names = rank, []string{name}
		case rank == best:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestIndexIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	x := NewIndex()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			name := fmt.Sprintf("a%d", i)
			for range 200 {
				if err := x.Add(&Automation{Name: name, Match: Scope{URLs: []string{"*.example.com/" + name, "b.example.com/" + name}}}); err != nil {
					t.Error(err)
				}
				if a, err := x.Match("https://b.example.com/"+name, ""); err != nil || a.Name != name {
					t.Errorf("%v, %v", a, err)
				}
				x.Remove(name, "")
			}
		})
	}
	all.Wait()
}

// BenchmarkMatch: a lookup must take the same time at every size.
func BenchmarkMatch(b *testing.B) {
	for _, size := range []int{100, 10_000, 1_000_000} {
		if size > 10_000 && testing.Short() {
			continue
		}
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			x := NewIndex()
			for i := range size {
				a := &Automation{Name: fmt.Sprintf("flow-%d", i), Match: Scope{URLs: []string{fmt.Sprintf("host%d.example.com/signin/*", i)}}}
				switch i % 4 {
				case 1: // many accounts of one site
					a.Match = Scope{URLs: []string{"accounts.google.com/*"}, Account: fmt.Sprintf("user%d@example.com", i)}
				case 2:
					a.Match.URLs[0] = fmt.Sprintf("*.tenant%d.example.com/**/pwd", i)
				}
				if err := x.Add(a); err != nil {
					b.Fatal(err)
				}
			}
			runtime.GC()
			for _, c := range []struct{ name, url, account string }{
				{"host", fmt.Sprintf("https://host%d.example.com/signin/identifier?continue=x", size/8*4), ""},
				{"account", "https://accounts.google.com/v3/signin", fmt.Sprintf("user%d@example.com", size/8*4+1)},
				{"wildcard", fmt.Sprintf("https://login.tenant%d.example.com/v3/signin/pwd", size/8*4+2), ""},
				{"none", "https://no one.example.org/", "me"},
			} {
				b.Run(c.name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, err := x.Match(c.url, c.account); (err == nil) == (c.name == "none") {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

func TestPlacesOfAnAddressAreFew(t *testing.T) {
	t.Parallel()
	got, err := Places("https://Accounts.Shop.example:443/cart/1?item=2#x")
	want := []string{
		"accounts.shop.example/", "accounts.shop.example/cart",
		"*.shop.example/", "*.shop.example/cart", "*.example/", "*.example/cart",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Places gives %v (-want +got):\n%s", err, diff)
	}
	for _, nothing := range []string{"", "shop.example", "https://me@shop.example/", "file:///etc/passwd"} {
		if got, err := Places(nothing); err == nil {
			t.Errorf("%q has the places %v", nothing, got)
		}
	}
	if got, err := (Scope{URLs: []string{"shop.example", "**.example"}}).IndexKeys(); err == nil {
		t.Errorf("a scope that takes in anyone's host has the places %v", got)
	}
}

// What a glob takes in must be found in one of its places, whatever it is.
func TestWhatMatchesIsInAPlaceOfItsAddress(t *testing.T) {
	t.Parallel()
	host := rapid.SampledFrom([]string{"a.example", "b.a.example", "c.b.a.example", "localhost", "x.localhost", "127.0.0.1", "[::1]"})
	globHost := rapid.SampledFrom([]string{"a.example", "*.a.example", "**.a.example", "b*.a.example", "*.b.a.example", "localhost", "*.localhost", "127.0.0.1", "[::1]"})
	part := rapid.SampledFrom([]string{"", "/", "/a", "/a/", "/a/b", "/b/a/", "/é", "/%2f", "/a;..", "/./a"})
	globPart := rapid.SampledFrom([]string{"", "/", "/*", "/a", "/a/*", "/a/**", "/?", "/**/a", "/a*", "/é", "/*/b"})
	matched := 0
	rapid.Check(t, func(t *rapid.T) {
		url := "http://" + host.Draw(t, "host") + part.Draw(t, "path")
		scope := Scope{URLs: []string{"http://" + globHost.Draw(t, "glob") + globPart.Draw(t, "glob path")}}
		if !scope.MatchURL(url) {
			return
		}
		matched++
		at, err := scope.IndexKeys()
		places, lookErr := Places(url)
		if err := errors.Join(err, lookErr); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(places, at[0]) {
			t.Errorf("%v takes in %s, and its place %q is not among %q", scope.URLs, url, at[0], places)
		}
	})
	if matched == 0 {
		t.Error("nothing matched")
	}
}
