package browser

import (
	"net/url"
	"testing"
)

func TestABrowserBehindAForwardedPortIsReachedThroughIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ says, asked, want string }{
		{"ws://127.0.0.1:9222/devtools/browser/1", "http://127.0.0.1:9222", "ws://127.0.0.1:9222/devtools/browser/1"},
		{"ws://127.0.0.1:9222/devtools/browser/1", "http://chrome.lan:9000", "ws://chrome.lan:9000/devtools/browser/1"},
		{"ws://localhost/devtools/browser/1", "https://chrome.lan", "wss://chrome.lan/devtools/browser/1"},
		{"ws://0.0.0.0:3000/x", "http://10.0.0.1:3000", "ws://10.0.0.1:3000/x"},
		{"wss://eu.cloud.example/1?token=t", "https://cloud.example", "wss://eu.cloud.example/1?token=t"},
	} {
		says, err := url.Parse(test.says)
		if err != nil {
			t.Fatal(err)
		}
		asked, err := url.Parse(test.asked)
		if err != nil {
			t.Fatal(err)
		}
		if got := reachable(says, asked).String(); got != test.want {
			t.Errorf("%s asked at %s: %s, want %s", test.says, test.asked, got, test.want)
		}
	}
}
