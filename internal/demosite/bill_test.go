package demosite

import (
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestABillIsPaidAsOftenAsItIsSent(t *testing.T) {
	t.Parallel()
	site := New(nil)
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	post := func(path string, form url.Values) int {
		answer, err := client.PostForm(server.URL+path, form)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	if got := post("/bill/pay", nil); got != http.StatusConflict {
		t.Errorf("paying before there is a bill gives %d", got)
	}
	if got := post("/bill", url.Values{"reference": {"w1017"}, "card": {"4111"}}); got != http.StatusUnprocessableEntity {
		t.Errorf("a bill that cannot be gives %d", got)
	}
	post("/bill", url.Values{"reference": {"W-1017"}, "card": {"4111 1111 1111 1111"}})
	for range 2 {
		if got := post("/bill/pay", nil); got != http.StatusCreated {
			t.Errorf("paying gives %d", got)
		}
	}
	if diff := cmp.Diff([]Payment{{"W-1017", "1111"}, {"W-1017", "1111"}}, site.Payments()); diff != "" {
		t.Errorf("payments (-want +got):\n%s", diff)
	}
	answer, err := client.Get(server.URL + "/bill/review")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var page strings.Builder
	if err := answer.Write(&page); err != nil || strings.Contains(page.String(), "4111") {
		t.Errorf("the page repeats the card number, or cannot be read: %v", err)
	}
}
