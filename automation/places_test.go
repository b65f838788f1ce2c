package automation

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

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
	if got, err := (Scope{URLs: []string{"shop.example", "**.example"}}).Places(); err == nil {
		t.Errorf("a scope that takes in anybody's host has the places %v", got)
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
		at, err := scope.Places()
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
