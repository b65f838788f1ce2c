package recorder_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

func startSite(t *testing.T) *demosite.Server {
	t.Helper()
	site, err := demosite.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	return site
}

func TestRecordsASignIn(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	page := browsertest.Page(t, site.URL+"/signin")
	ctx := t.Context()
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "sign-in"})
	if err != nil {
		t.Fatal(err)
	}
	account := demosite.BuiltinAccounts()[0]
	p := simuser.At(page.Target())
	for _, act := range []func() error{
		func() error { return p.Click(ctx, "#accept-all") },
		func() error { return p.Fill(ctx, "#identifierId", account.Email) },
		func() error { return p.Click(ctx, "#identifierNext") },
		func() error { return p.Fill(ctx, "#password", account.Password) },
		func() error { return p.Click(ctx, "#passwordNext") },
		func() error { return p.See(ctx, "/dashboard") },
	} {
		if err := act(); err != nil {
			t.Fatal(err)
		}
	}
	a, integrity, err := r.Stop(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if integrity.Events == 0 || integrity.Documents < 2 {
		t.Errorf("integrity: %+v", integrity)
	}
	var tools []string
	for _, step := range a.Steps {
		tools = append(tools, step.Tool)
	}
	want := []string{"navigate", "click", "typeInput", "click", "waitForNav", "typeInput", "click", "waitForNav"}
	if !slices.Equal(tools, want) {
		t.Errorf("recorded %q, want %q", tools, want)
	}
	declared, err := a.Declared()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(declared.Names(), []string{"email", "password"}) || !slices.Equal(declared.Secrets(), []string{"password"}) {
		t.Errorf("declared %q, of them secret %q", declared.Names(), declared.Secrets())
	}
	if got := r.Username(); got != account.Email {
		t.Errorf("the user name was %q, want what was typed", got)
	}
}

var soak = flag.Bool("soak", false, "record for minutes, and not only a sample")

// scale is how much is done: a sample, or, to soak, the whole.
func scale(sample, whole int) int {
	if *soak {
		return whole
	}
	return sample
}

// 200 clicks, each on a link that leaves its document at once, for the same site
// and for another in turn: each is a step, in order.
func TestEveryClickThatLeavesItsDocumentIsRecorded(t *testing.T) {
	t.Parallel()
	clicks := scale(20, 200)
	url := chain(t)
	r, p := recordAt(t, url(0))
	for i := range clicks {
		if err := p.Click(t.Context(), "a"); err != nil {
			t.Fatalf("click %d: %v", i, err)
		}
		if err := p.See(t.Context(), fmt.Sprintf("/page/%d", i+1)); err != nil {
			t.Fatalf("click %d: %v", i, err)
		}
	}
	var recorded []string
	for _, step := range stop(t, r).Steps {
		if step.Tool == "click" {
			recorded = append(recorded, step.Selector.String())
		}
	}
	for i := range clicks {
		if want := fmt.Sprintf(`aria/To page %d[role="link"]`, i+1); i >= len(recorded) || recorded[i] != want {
			t.Fatalf("click %d of %d was lost: %d were recorded", i, clicks, len(recorded))
		}
	}
	if len(recorded) != clicks {
		t.Errorf("%d clicks were recorded, of %d", len(recorded), clicks)
	}
}

// 10,000 keys at 50 a second in a text area: the text is whole, and one step.
func TestEveryKeyOfALongTextIsRecorded(t *testing.T) {
	t.Parallel()
	keys := scale(150, 10_000)
	r, p := recordAt(t, newPlain(t, `<textarea id=f aria-label=Text></textarea>`).URL+"/")
	if err := p.Click(t.Context(), "#f"); err != nil {
		t.Fatal(err)
	}
	words := strings.Repeat("the quick brown fox jumps over the lazy dog ", keys/44+1)[:keys]
	second := time.NewTicker(time.Second / 50)
	defer second.Stop()
	for _, key := range words {
		if err := p.Type(t.Context(), string(key)); err != nil {
			t.Fatal(err)
		}
		<-second.C
	}
	steps := stop(t, r).Steps
	if last := steps[len(steps)-1]; len(steps) != 2 || last.Tool != "typeInput" || string(last.Value.Value) != fmt.Sprintf("%q", words) {
		t.Errorf("%d steps were recorded, the last of %d characters; want 2, and %d", len(steps), len(last.Value.Value)-2, keys)
	}
}

func recordAt(t *testing.T, url string) (*recorder.Recorder, *simuser.User) {
	t.Helper()
	page := browsertest.Page(t, "")
	r, err := recorder.Start(t.Context(), page, &recorder.Options{Name: "soak"})
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	return r, simuser.At(page.Target())
}

func stop(t *testing.T, r *recorder.Recorder) *automation.Automation {
	t.Helper()
	ctx := browsertest.Context(t)
	a, _, err := r.Stop(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return browsertest.Literal(a)
}

// chain is a site under two names, whose pages lead from one to the next, every
// other time under the other name.
func chain(t *testing.T) func(i int) string {
	t.Helper()
	var url func(i int) string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var i int
		if _, err := fmt.Sscanf(r.URL.Path, "/page/%d", &i); err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><p>Page %d</p><a href=%q>To page %d</a>`, i, url(i+1), i+1)
	}))
	t.Cleanup(server.Close)
	other := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	url = func(i int) string {
		return []string{server.URL, server.URL, other, other}[i%4] + fmt.Sprintf("/page/%d", i)
	}
	return url
}

func newPlain(t *testing.T, body string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>"+body)
	}))
	t.Cleanup(server.Close)
	return server
}
