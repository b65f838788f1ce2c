package automation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
)

func TestOriginsAreThoseThatAScopeWritesOut(t *testing.T) {
	t.Parallel()
	for urls, want := range map[string][]string{
		"accounts.example.com/signin/*":       {"https://accounts.example.com"},
		"http://a.example/* A.example:8443":   {"http://a.example", "https://a.example:8443"},
		"localhost:8080":                      {"http://localhost:8080", "https://localhost:8080"},
		"*.example.com/* **.example.org/x":    nil,
		"*.example.com a.example a.example/x": {"https://a.example"},
		"[::1]:80/*":                          {"http://[::1]", "https://[::1]:80"},
	} {
		got, err := automation.Scope{URLs: strings.Fields(urls)}.Origins()
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", urls, err, diff)
		}
		for _, origin := range got {
			if scope := (automation.Scope{URLs: strings.Fields(urls)}); !scope.Covers(origin) {
				t.Errorf("%s gives %s, and does not cover it", urls, origin)
			}
		}
	}
	if _, err := (automation.Scope{URLs: []string{"https://*"}}).Origins(); err == nil {
		t.Error("a scope that is none has origins")
	}
}

func ExampleScope_Origins() {
	scope := automation.Scope{URLs: []string{"accounts.example.com/signin/*", "*.example.org"}}
	fmt.Println(scope.Origins())
	// Output: [https://accounts.example.com] <nil>
}
