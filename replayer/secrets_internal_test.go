package replayer

import (
	"net/url"
	"testing"

	"github.com/go-reprise/reprise/automation"
)

func TestASecretMayBeSentWithinItsSite(t *testing.T) {
	t.Parallel()
	for to, may := range map[string]bool{
		"https://www.example.com/login":      true,
		"https://api.example.com/login":      true,
		"https://example.com:8443/":          true,
		"http://www.example.com/":            false, // anyone on the way reads it
		"https://www.example.com.evil.test/": false,
		"https://evil-example.com/":          false,
		"https://example.org/":               false,
		"https://user.github.io/":            false,
		"data:text/html,x":                   true,
		"wss://www.example.com/":             false,
	} {
		secret, err := automation.NewSecret("a secret", "https://www.example.com")
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(to)
		if err != nil {
			t.Fatal(err)
		}
		if got := mayReceive(secret, u); got != may {
			t.Errorf("%s: %v", to, got)
		}
	}
	local, err := automation.NewSecret("a secret", "http://127.0.0.1:8000")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := automation.NewSecret("a secret", "https://a.github.io")
	if err != nil {
		t.Fatal(err)
	}
	for to, secret := range map[string]automation.Secret{"http://127.0.0.1:8001/": local, "https://b.github.io/": pages} {
		if u, _ := url.Parse(to); mayReceive(secret, u) {
			t.Errorf("%s may receive it", to)
		}
	}
}
