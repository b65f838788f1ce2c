package replayer_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// An order whose consequence does not come is uncertain: no retry, no resumption and no
// other worker sends it again, until it was found out.
func TestWhatWasSentAndNotSeenIsNeverSentAgain(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	s.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) } // the page stays
	page := browsertest.Page(t, s.URL)
	l := &ledger{sent: map[string]bool{}}
	a := placed(t, s)
	options := &replayer.Options{Commit: replayer.AllowCommits, Journal: l, Run: "r", Timeout: time.Second}
	_, err := replayer.Play(t.Context(), page, a, options)
	e := wantCode(t, err, replayer.Uncertain, 1)
	if s.orders.Load() != 1 || e.Suggestion == nil || e.Resume == "" {
		t.Fatalf("%d orders, %+v", s.orders.Load(), e)
	}

	_, err = replayer.Play(t.Context(), page, a, options) // another worker, or the same after a crash
	wantCode(t, err, replayer.Uncertain, -1)
	for _, journal := range []replayer.Journal{l, nil} { // the token alone is enough
		_, err = replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Journal: journal, Resume: e.Resume, Timeout: time.Second})
		wantCode(t, err, replayer.Uncertain, -1)
	}
	if s.orders.Load() != 1 {
		t.Fatalf("%d orders", s.orders.Load())
	}

	resolved, err := replayer.ResolveUncertain(e.Resume, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(t.Context(), s.URL+"/thanks"); err != nil {
		t.Fatal(err)
	}
	again := &replayer.Options{Commit: replayer.AllowCommits, Resume: resolved, Timeout: time.Second}
	if _, err := replayer.Play(t.Context(), page, a, again); err != nil || s.orders.Load() != 1 {
		t.Errorf("%v, and %d orders", err, s.orders.Load())
	}
}

func TestAnUncertainRunIsSettledByThePageThatItLedTo(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	s.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
	page := browsertest.Page(t, s.URL)
	a := document(t, s.URL, fmt.Sprintf(`{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"%s/thanks"},{"tool":"extract","selector":"p","args":{"as":"said"}}`, s.URL[len("http://"):]))
	_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: time.Second})
	e := wantCode(t, err, replayer.Uncertain, 1)
	if err := page.Navigate(t.Context(), s.URL+"/thanks"); err != nil { // as the page would have, later
		t.Fatal(err)
	}
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Resume: e.Resume, Timeout: 5 * time.Second})
	if err != nil || result.Outputs["said"] != "Thanks" || s.orders.Load() != 1 || result.Run == "" {
		t.Errorf("%+v, %v, %d orders", result, err, s.orders.Load())
	}
}

func TestARunGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	server := serve(t, `<button id=a onclick="document.title += 'a'; b.disabled = false">A</button><button id=b disabled onclick="document.title += 'b'">B</button>
		<a id=c href="#" target=_blank>C</a><script>document.title = ""</script>`)
	page := browsertest.Page(t, server.URL)
	a := document(t, server.URL, `{"tool":"click","selector":"#a"},{"tool":"click","selector":"#gone"},{"tool":"click","selector":"#b"}`)
	_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Timeout: time.Second})
	e := wantCode(t, err, replayer.NotFound, 1)
	if e.Suggestion == nil || e.Suggestion.Tool != "handoff_start" {
		t.Errorf("no suggestion: %+v", e.Suggestion)
	}
	page.Rod().MustEval(`() => { const el = document.createElement("button"); el.id = "gone"; el.textContent = "x"; document.body.append(el) }`)
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Resume: e.Resume, Timeout: 5 * time.Second})
	if err != nil || len(result.Steps) != 2 || result.Steps[0].Index != 1 {
		t.Errorf("%+v, %v", result, err)
	}
	if title := page.Rod().MustEval(`() => document.title`).Str(); title != "ab" {
		t.Errorf("the page was used as %q", title)
	}
	other := document(t, server.URL, `{"tool":"click","selector":"#a"},{"tool":"click","selector":"#b"}`)
	_, err = replayer.Play(t.Context(), page, other, &replayer.Options{Resume: e.Resume})
	wantCode(t, err, replayer.Refused, -1)
	_, err = replayer.Play(t.Context(), page, a, &replayer.Options{Resume: "r1.bm90aGluZw"})
	wantCode(t, err, replayer.Refused, -1)
}

func TestAPageThatHasNotMovedSettlesNothing(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	s.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
	page := browsertest.Page(t, s.URL)
	a := document(t, s.URL, fmt.Sprintf(`{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"%s/*"}`, s.URL[len("http://"):]))
	_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: time.Second})
	e := wantCode(t, err, replayer.Uncertain, 1)
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Resume: e.Resume, Timeout: time.Second}); err == nil {
		t.Error("nothing has changed, and the run says done")
	}
}

func TestATokenThatWasEditedIsRefused(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	page := browsertest.Page(t, s.URL)
	a := placed(t, s)
	_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Timeout: time.Second})
	var e *replayer.Error
	errors.As(err, &e)
	data, _ := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(e.Resume, "r1."))
	var m map[string]any
	json.Unmarshal(data, &m)
	m["open"] = -5
	data, _ = json.Marshal(m)
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("panic: %v", p)
		}
	}()
	_, err = replayer.Play(t.Context(), page, a, &replayer.Options{Resume: "r1." + base64.RawURLEncoding.EncodeToString(data), Timeout: time.Second})
	wantCode(t, err, replayer.Refused, -1)
}

type fullLedger struct{ ledger }

func (l *fullLedger) Resolve(ctx context.Context, run string, step int, done bool) error {
	return errors.New("disk full")
}

func TestWhatCouldNotBeWrittenDownCanBeSettled(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	page := browsertest.Page(t, s.URL)
	_, err := replayer.Play(t.Context(), page, placed(t, s), &replayer.Options{Commit: replayer.AllowCommits, Journal: &fullLedger{ledger{sent: map[string]bool{}}}, Timeout: 3 * time.Second})
	var e *replayer.Error
	errors.As(err, &e)
	if _, err := replayer.ResolveUncertain(e.Resume, true); err != nil {
		t.Errorf("an uncertain run cannot be resolved: %v", err)
	}
}
