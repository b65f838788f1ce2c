package desk_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/recorder/desk"
)

// ask sends a request to the desk as some program would.
func ask(t *testing.T, method, url, body string, change func(*http.Request)) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reply.Body.Close() })
	return reply
}

func TestTheDeskIsOpenedByItsLinkAlone(t *testing.T) {
	t.Parallel()
	rec, err := recorder.Start(t.Context(), browsertest.Page(t, ""), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := desk.Serve(t.Context(), rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	at, secret, _ := strings.Cut(d.URL(), "#")
	origin := at[:strings.Index(at[7:], "/")+7]
	ours := func(r *http.Request) { r.Header.Set("Origin", origin) }
	opened := ask(t, "POST", at+"session", secret, ours)
	if opened.StatusCode != http.StatusNoContent || len(opened.Cookies()) != 1 {
		t.Fatalf("the link gives %s", opened.Status)
	}
	session := opened.Cookies()[0]
	if !session.HttpOnly || session.SameSite != http.SameSiteStrictMode || session.Path != at[len(origin):] {
		t.Errorf("the session's cookie is %v", session)
	}
	in := func(change func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("Content-Type", "application/json")
			r.AddCookie(session)
			ours(r)
			change(r)
		}
	}
	const pause = `{"do":"pause"}`
	for what, test := range map[string]struct {
		method, path, body string
		change             func(*http.Request)
		want               int
	}{
		"a session may act":              {"POST", "do", pause, in(func(*http.Request) {}), 204},
		"a link is spent once":           {"POST", "session", secret, ours, 403},
		"a link is not guessed":          {"POST", "session", "guess", ours, 403},
		"no one acts without a session":  {"POST", "do", pause, ours, 401},
		"no one reads without a session": {"GET", "events", "", nil, 401},
		"no picture without a session":   {"GET", "picture/1", "", nil, 401},
		"a session is not guessed":       {"GET", "events", "", func(r *http.Request) { r.AddCookie(&http.Cookie{Name: session.Name, Value: "x"}) }, 401},
		"a foreign origin is refused":    {"POST", "do", pause, in(func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }), 403},
		"so is one of another port":      {"POST", "do", pause, in(func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }), 403},
		"so is an origin that is hidden": {"POST", "do", pause, in(func(r *http.Request) { r.Header.Set("Origin", "null") }), 403},
		"who acts says where from":       {"POST", "do", pause, in(func(r *http.Request) { r.Header.Del("Origin") }), 403},
		"a foreign site does not read":   {"GET", "events", "", in(func(r *http.Request) { r.Header.Del("Origin"); r.Header.Set("Sec-Fetch-Site", "cross-site") }), 403},
		"another host is refused":        {"GET", "", "", func(r *http.Request) { r.Host = "evil.example" }, 403},
		"so is a form":                   {"POST", "do", pause, in(func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }), 403},
		"what is not understood":         {"POST", "do", "{", in(func(*http.Request) {}), 400},
		"too much":                       {"POST", "do", `{"do":"` + strings.Repeat("x", 9<<10) + `"}`, in(func(*http.Request) {}), 413},
		"too much of a secret":           {"POST", "session", strings.Repeat("x", 9<<10), ours, 413},
		"what cannot be done":            {"POST", "do", `{"do":"dance"}`, in(func(*http.Request) {}), 409},
		"the page itself is no one's":    {"GET", "", "", nil, 200},
		"elsewhere is nothing":           {"GET", "../", "", nil, 404},
	} {
		reply := ask(t, test.method, at+test.path, test.body, test.change)
		if reply.StatusCode != test.want {
			t.Errorf("%s: %s, want %d", what, reply.Status, test.want)
		}
		if reply.StatusCode == http.StatusRequestEntityTooLarge {
			continue // it has not come as far as the desk
		}
		if csp := reply.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") {
			t.Errorf("%s: the policy is %q", what, csp)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := http.DefaultClient.Get(at); err == nil {
		t.Error("a desk that was closed still answers")
	}
}
