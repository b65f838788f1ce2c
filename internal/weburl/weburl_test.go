package weburl

import (
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

func TestHostsOfThisMachine(t *testing.T) {
	for host, want := range map[string][3]bool{ // IsLoopback, IsThisMachine, IsLocalEndpoint
		"localhost":            {true, true, true},
		"shop.localhost":       {true, true, false},
		"127.0.0.1":            {true, true, true},
		"127.8.0.1":            {true, true, true},
		"::1":                  {true, true, true},
		"[::1]":                {true, true, true},
		"::ffff:127.0.0.1":     {true, true, true},
		"::1%lo":               {},
		"0.0.0.0":              {false, true, true},
		"::":                   {false, true, true},
		"localhost.example":    {},
		"notlocalhost":         {},
		"127.0.0.1.nip.io":     {},
		"10.0.0.1":             {},
		"LOCALHOST":            {},
		"":                     {},
		"metadata.example.com": {},
	} {
		if got := [3]bool{IsLoopback(host), IsThisMachine(host), IsLocalEndpoint(host)}; got != want {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
}

func TestSitesAndOrigins(t *testing.T) {
	for address, want := range map[string][3]string{ // SiteGlob, SchemeGlob, Origin
		"https://shop.example/a?b":   {"shop.example", "shop.example", "https://shop.example"},
		"http://shop.example:81/":    {"http://shop.example:81", "http://shop.example:81", "http://shop.example:81"},
		"http://localhost:80/":       {"localhost:80", "localhost:80", "http://localhost:80"},
		"https://localhost/":         {"localhost", "https://localhost", "https://localhost"},
		"http://0.0.0.0:1/":          {"http://0.0.0.0:1", "0.0.0.0:1", "http://0.0.0.0:1"},
		"https://u:p@shop.example/x": {"shop.example", "shop.example", "https://shop.example"},
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := [3]string{SiteGlob(u), SchemeGlob(u), Origin(u)}; got != want {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
	if got, ok := OriginOf("about:blank"); ok {
		t.Errorf("about:blank has the origin %q", got)
	}
}

func TestSecretsOfAnAddressAreNotShown(t *testing.T) {
	u, err := url.Parse("https://u:p@shop.example/a%2Fb?token=t#f")
	if err != nil {
		t.Fatal(err)
	}
	if got := WithoutSecrets(u); got != "https://shop.example/a%2Fb" {
		t.Error(got)
	}
	if u.User == nil || u.RawQuery == "" {
		t.Error("the URL itself was changed")
	}
}

// What is drawn by chance from small and capital letters is told from words that are written together.
func TestAPartOfAnAddressIsMadeForOneVisit(t *testing.T) {
	t.Parallel()
	for part, want := range map[string]bool{
		"eoWDzbKtrRPRt22f": true, "7iAJoM1QUvMFtcW5": true, "rzeG2bYxalnHnWZL": true, "dQw4w9WgXcQ": true,
		"accountSettings": false, "queryBuilderPage": false, "AccountSettingsPage": false, "GitHub": false, "iPhone15Pro": false, "v2": false, "orders": false, "sign-in": false, "getByURL": false, "newOrderForm": false,
	} {
		if got := IsPerVisit(part); got != want {
			t.Errorf("%s: %v", part, got)
		}
	}
}

func TestMostOfWhatIsDrawnByChanceIsSeen(t *testing.T) {
	t.Parallel()
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	random := rand.New(rand.NewPCG(1, 2))
	const tried = 2000
	for length, least := range map[int]int{16: 85, 21: 90} {
		seen := 0
		for range tried {
			var part strings.Builder
			for range length {
				part.WriteByte(letters[random.IntN(len(letters))])
			}
			if IsPerVisit(part.String()) {
				seen++
			}
		}
		if 100*seen < least*tried {
			t.Errorf("of %d characters %d of %d are seen", length, seen, tried)
		}
	}
}

func TestNumbersOfAnAddressAreLeftOpen(t *testing.T) {
	for glob, want := range map[string]string{
		"shop.example/dashboard/1":           "shop.example/dashboard/[0-9]*",
		"http://shop.example/7/items/12/pay": "http://shop.example/[0-9]*/items/[0-9]*/pay",
		"127.0.0.1:8080/v2/*":                "127.0.0.1:8080/v2/*",
		"shop.example":                       "shop.example",
	} {
		if got := OpenNumbers(glob); got != want {
			t.Errorf("%s: got %s, want %s", glob, got, want)
		}
	}
}
