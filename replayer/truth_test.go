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

func TestThePagesAndFramesThatAPressOpensSendOnce(t *testing.T) {
	t.Parallel()
	for name, html := range map[string]string{
		"popup": `<img src=/a><img src=/b><img src=/c>` + strings.Replace(byForm, "<form", "<form target=_blank", 1),
		"frame": `<img src=/a><img src=/b><img src=/c>` + strings.Replace(byForm, "<form", "<form target=f", 1) + `<iframe name=f></iframe>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTill(t, html)
			s.answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
			err := try(t, s, "", `{"tool":"click","selector":"#pay"}`, &replayer.Options{Commit: replayer.AllowCommits})
			if n := s.orders.Load(); n != 1 || err == nil {
				t.Errorf("%d orders, run says %v", n, err)
			}
		})
	}
}

func TestAFrameThatAPressOpensSendsOnce(t *testing.T) {
	t.Parallel()
	s := startTill(t, "")
	other := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	base := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" && r.URL.Path == "/pay" {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><script>(async()=>{ for (const x of "abc") await (await fetch("/"+x)).text(); fetch("/order",{method:"POST"}) })()</script>`)
			return
		}
		if r.Method == "GET" && r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<!doctype html><button id=pay onclick="const f=document.createElement('iframe');f.src='%s/pay';document.body.append(f)">Pay 12 €</button>`, other)
			return
		}
		base.ServeHTTP(w, r)
	})
	s.answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	page := browsertest.Page(t, s.URL)
	_, _ = replayer.Play(t.Context(), page, document(t, s.URL, fmt.Sprintf(`{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"%s/thanks"}`, s.URL[len("http://"):])), &replayer.Options{Commit: replayer.AllowCommits, Timeout: 3 * time.Second})
	if n := s.orders.Load(); n != 1 {
		t.Errorf("%d orders", n)
	}
}

func TestWhatWasDeclinedIsNotDone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		page, steps string
	}{
		"declined at the same address":  {byForm, `{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"HOST/order"}`},
		"declined after a GET":          {`<button id=pay onclick="fetch('/token').then(()=>fetch('/order',{method:'POST'}))">Pay 12 €</button>`, `{"tool":"click","selector":"#pay"}`},
		"declined after a slow GET":     {`<button id=pay onclick="fetch('/slow').then((r)=>r.text()).then(()=>fetch('/order',{method:'POST'}))">Pay 12 €</button>`, `{"tool":"click","selector":"#pay"}`},
		"declined after a GET in parts": {`<button id=pay onclick="fetch('/parts').then((r)=>r.text()).then(()=>fetch('/order',{method:'POST'}))">Pay 12 €</button>`, `{"tool":"click","selector":"#pay"}`},
		"declined once it was drawn":    {`<button id=pay onclick="requestAnimationFrame(()=>setTimeout(()=>fetch('/order',{method:'POST'})))">Pay 12 €</button>`, `{"tool":"click","selector":"#pay"}`},
		"waitForNav skipped by when":    {byFetch, `{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"HOST/order","when":{"url":"HOST/never"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTill(t, c.page)
			s.answer = func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusPaymentRequired)
				fmt.Fprint(w, "no money")
			}
			err := try(t, s, "", strings.ReplaceAll(c.steps, "HOST", s.URL[len("http://"):]), &replayer.Options{Commit: replayer.AllowCommits})
			if err == nil {
				t.Errorf("done, though declined (%d asked)", s.orders.Load())
			}
		})
	}
}

// The page's main document has long come to rest when the frame, in a process of its
// own, sends what was pressed there.
func TestWhatAFrameOfAnotherSiteSendsLateIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := startTill(t, "")
	other := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	base := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "GET" {
			base.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/pay" {
			fmt.Fprint(w, `<!doctype html><button id=pay onclick="setTimeout(()=>{for(const t=Date.now();Date.now()-t<500;);fetch('/order',{method:'POST'})})">Pay 12 €</button>`)
			return
		}
		fmt.Fprintf(w, `<!doctype html><iframe id=f src="%s/pay"></iframe>`, other)
	})
	s.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusPaymentRequired) }
	a := document(t, s.URL, `{"tool":"click","frame":["#f"],"selector":"#pay"}`)
	a.Match.URLs = append(a.Match.URLs, other[len("http://"):]+"/*")
	_, err := replayer.Play(t.Context(), browsertest.Page(t, s.URL), a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 20 * time.Second})
	wantCode(t, err, replayer.Uncertain, 0)
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

func TestATokenThatSomebodyHasEditedIsRefused(t *testing.T) {
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

func (l *fullLedger) Settled(ctx context.Context, run string, step int, done bool) error {
	return errors.New("disk full")
}

func TestWhatCouldNotBeWrittenDownCanBeSettled(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	page := browsertest.Page(t, s.URL)
	_, err := replayer.Play(t.Context(), page, placed(t, s), &replayer.Options{Commit: replayer.AllowCommits, Journal: &fullLedger{ledger{sent: map[string]bool{}}}, Timeout: 3 * time.Second})
	var e *replayer.Error
	errors.As(err, &e)
	if _, err := replayer.Settle(e.Resume, true); err != nil {
		t.Errorf("an uncertain run cannot be settled: %v", err)
	}
}
