package store_test

import (
	"testing"

	"github.com/go-reprise/reprise/store"
)

// A payment is compared by the origin that its page has in the browser: a limit that is written otherwise would never apply.
func TestTheSiteOfALimitIsAsBrowsersWriteIt(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://shop.example":               "https://shop.example",
		"HTTPS://Shop.Example/":              "https://shop.example",
		"https://shop.example:443":           "https://shop.example",
		"https://shop.example:0443":          "https://shop.example",
		"https://shop.example:":              "https://shop.example",
		"https://shop.example:80":            "https://shop.example:80",
		"http://shop.example:80/":            "http://shop.example",
		"http://shop.example:08080":          "http://shop.example:8080",
		"https://shop.example.":              "https://shop.example.",
		"https://my_shop.example":            "https://my_shop.example",
		"https://a--b.example":               "https://a--b.example",
		"https://bücher.example":             "https://xn--bcher-kva.example",
		"https://BÜCHER.example":             "https://xn--bcher-kva.example",
		"https://b%C3%BCcher.example":        "https://xn--bcher-kva.example",
		"https://bu\u0308cher.example":       "https://xn--bcher-kva.example",
		"https://xn--bcher-kva.example":      "https://xn--bcher-kva.example",
		"https://straße.example":             "https://xn--strae-oqa.example",
		"https://ｓｈｏｐ。example":               "https://shop.example",
		"https://лавка.example:8443":         "https://xn--80aaf6ac.example:8443",
		"http://127.0.0.1:7337":              "http://127.0.0.1:7337",
		"http://[::1]:80":                    "http://[::1]",
		"https://[2001:DB8:0:0:0:0:0:1]:443": "https://[2001:db8::1]",
		"http://localhost:3000":              "http://localhost:3000",
	} {
		if got, err := store.CheckOrigin(given); err != nil || got != want {
			t.Errorf("%s is stored as %q, %v; browsers write %s", given, got, err, want)
		}
		if got, err := store.CheckOrigin(want); err != nil || got != want {
			t.Errorf("%s, as browsers write it, is stored as %q, %v", want, got, err)
		}
	}
	for _, given := range []string{
		"https://shop.example:65536", "https://:443", "https://127.1", "https://0x7f000001", "https://2130706433", "https://010.0.0.1", "https://127.0.0.1.",
		"https://[::ffff:127.0.0.1]", "https://[fe80::1%25eth0]", "https://xn--a.example", "https://shop..example", "https://a,b.example", "https://shop%2Fpay.example", "https://shop example",
	} {
		if got, err := store.CheckOrigin(given); err == nil {
			t.Errorf("%s is stored as %s", given, got)
		}
	}
}
