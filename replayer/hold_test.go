package replayer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
)

// box takes whatever is sent to it, and counts by path.
type box struct {
	*httptest.Server
	got chan string // method and path
}

func startBox(t *testing.T, pages map[string]string) *box {
	t.Helper()
	b := &box{got: make(chan string, 100)}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/again" {
			http.Redirect(w, r, "/x/second", http.StatusTemporaryRedirect)
		}
		if r.Method != http.MethodGet {
			b.got <- r.Method + " " + r.URL.Path
		}
		page := pages[r.URL.Path]
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if len(page) > 3 && page[:3] == "//j" {
			w.Header().Set("Content-Type", "text/javascript")
		} else {
			fmt.Fprint(w, "<!doctype html><link rel=icon href=data:,>")
		}
		fmt.Fprint(w, page)
	}))
	t.Cleanup(b.Close)
	return b
}

// all is what has come so far.
func (b *box) all() []string {
	var all []string
	for {
		select {
		case one := <-b.got:
			all = append(all, one)
		default:
			return all
		}
	}
}

// senders are those by which a press of #go sends something to /x/1 that no word names.
var senders = map[string]string{
	"fetch":                 `<button id=go onclick="fetch('/x/1',{method:'POST',body:'a=1'})">Fiksu</button>`,
	"delete":                `<button id=go onclick="fetch('/x/1',{method:'DELETE'})">Fiksu</button>`,
	"xhr":                   `<button id=go onclick="let x=new XMLHttpRequest();x.open('PUT','/x/1');x.send('a')">Fiksu</button>`,
	"keepalive":             `<button id=go onclick="fetch('/x/1',{method:'POST',keepalive:true})">Fiksu</button>`,
	"form":                  `<form method=post action=/x/1><button id=go>Fiksu</button></form>`,
	"form.submit in a task": `<form id=f method=post action=/x/1></form><button id=go onclick="setTimeout(() => f.submit())">Fiksu</button>`,
	"promise":               `<button id=go onclick="Promise.resolve().then(() => fetch('/x/1',{method:'POST'}))">Fiksu</button>`,
	"popup":                 `<form method=post action=/x/1 target=_blank><button id=go>Fiksu</button></form>`,
	"worker":                `<button id=go>Fiksu</button><script>let w = new Worker("/worker.js"); go.onclick = () => w.postMessage(1)</script>`,
	"graphql":               `<button id=go onclick="fetch('/graphql',{method:'POST',headers:{'Content-Type':'application/json'},body:JSON.stringify({query:'mutation M { zork(id: 1) { id } }'})})">Fiksu</button>`,
	"beacon":                `<button id=go>Fiksu</button><script>go.onclick = () => navigator.sendBeacon("/x/1")</script>`,
	"shared worker":         `<button id=go>Fiksu</button><script>let w = new SharedWorker("/shared.js"); go.onclick = () => w.port.postMessage(1)</script>`,
	"frame":                 `<iframe src=/frame></iframe><button id=go onclick="frames[0].postMessage(1, '*')">Fiksu</button>`,
	"frame of another site": `<iframe id=f></iframe><button id=go hidden onclick="frames[0].postMessage(1, '*')">Fiksu</button><script>f.onload = () => go.hidden = false; f.src = "http://localhost:" + location.port + "/frame"</script>`,
	"service worker":        controlled + `<button id=go hidden onclick="fetch('/x/1',{method:'POST'})">Fiksu</button>`,
	"told to one":           controlled + `<button id=go hidden onclick="navigator.serviceWorker.controller.postMessage(1)">Fiksu</button>`,
	"redirect":              `<button id=go onclick="fetch('/again',{method:'POST',body:'a=1'})">Fiksu</button>`,
	"put in a form":         `<form method=post action=/x/1><input type=hidden name=_method value=delete><button id=go type=button onclick="this.form.submit()">Fiksu</button></form>`,
}

// sentLate are those whose request is sent after the press's own tasks: elsewhere.
var sentLate = []string{"worker", "shared worker", "service worker", "told to one", "frame", "frame of another site", "beacon"}

// controlled is a page that shows its button once its service worker has taken it over.
const controlled = `<script>navigator.serviceWorker.oncontrollerchange = () => go.hidden = false; navigator.serviceWorker.register("/service.js")</script>`

func TestWhatAPressSendsIsHeld(t *testing.T) {
	t.Parallel()
	for name, way := range senders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := startBox(t, map[string]string{"/": way, "/worker.js": "//js\nonmessage = () => fetch('/x/1', {method: 'POST'})",
				"/shared.js":  "//js\nonconnect = (e) => { e.ports[0].onmessage = () => fetch('/x/1', {method: 'POST'}) }",
				"/service.js": "//js\noninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim()); onfetch = (e) => e.respondWith(fetch(e.request)); onmessage = () => fetch('/x/1', {method: 'POST'})",
				"/frame":      "<script>onmessage = () => fetch('/x/1', {method: 'POST'})</script>"})
			page := browsertest.Page(t, "about:blank") // what a document may send before holding begins is its own
			_, err := replayer.Play(t.Context(), page, document(t, b.URL, fmt.Sprintf(`{"tool":"navigate","url":%q},{"tool":"click","selector":"#go"}`, b.URL)), &replayer.Options{Timeout: 5 * time.Second})
			if err != nil || !slices.Contains(sentLate, name) {
				wantCode(t, err, replayer.Refused, 1)
			}
			page.Rod().MustEval(`() => new Promise(done => setTimeout(done, 50))`)
			if got := b.all(); len(got) != 0 {
				t.Errorf("%v arrived", got)
			}
		})
	}
}

func TestWhatIsHeldIsSentOnceOnceApproved(t *testing.T) {
	t.Parallel()
	for name, way := range map[string]string{
		"fetch": senders["fetch"], "form": `<form method=post action=/x/1><input name=a value=1><input type=hidden name=b><button id=go type=button onclick="this.form.submit()">Fiksu</button></form>`,
		"popup": `<form method=post action=/x/1 target=_blank></form><button id=go onclick="document.forms[0].submit()">Fiksu</button>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := startBox(t, map[string]string{"/": way + `<script>let n = 0; go.addEventListener("click", () => document.title = ++n)</script>`})
			page := browsertest.Page(t, b.URL)
			l := &ledger{sent: map[string]bool{}}
			person := &approver{yes: true, before: func() {
				if got := b.all(); len(got) != 0 || len(l.sent) != 1 { // should the process be killed now, no one sends it again
					t.Errorf("before the answer %v arrived, and the journal has %v", got, l.sent)
				}
			}}
			result, err := replayer.Play(t.Context(), page, document(t, b.URL, `{"tool":"click","selector":"#go"}`), &replayer.Options{Person: person, Journal: l, Timeout: 5 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if got := b.all(); len(got) != 1 || got[0] != "POST /x/1" {
				t.Errorf("%v arrived", got)
			}
			if len(person.asked) != 1 || person.asked[0].Method != "POST" || person.asked[0].Request != b.URL+"/x/1" || person.asked[0].Label != "Fiksu" || person.asked[0].Origin != b.URL {
				t.Errorf("asked %+v", person.asked)
			}
			if !l.sent[l.key(result.Run, 0)] {
				t.Errorf("the journal has %v", l.sent)
			}
		})
	}
}

func TestWhatIsHeldIsNotSentOnceDenied(t *testing.T) {
	t.Parallel()
	b := startBox(t, map[string]string{"/": senders["fetch"]})
	page := browsertest.Page(t, b.URL)
	l := &ledger{sent: map[string]bool{}}
	for name, o := range map[string]*replayer.Options{"no": {Person: &approver{}}, "refuse": {Commit: replayer.RefuseCommits}} {
		o.Journal, o.Timeout = l, 5*time.Second
		_, err := replayer.Play(t.Context(), page, document(t, b.URL, `{"tool":"click","selector":"#go"}`), o)
		wantCode(t, err, replayer.Refused, 0)
		if got := b.all(); len(got) != 0 || len(l.sent) != 0 {
			t.Errorf("%s: %v arrived, and the journal has %v", name, got, l.sent)
		}
	}
}

// What a recording, a word or an address shows to be harmless, and what only reads, goes on.
func TestHarmlessRequestsAreNotHeld(t *testing.T) {
	t.Parallel()
	for name, way := range map[string]string{
		"a GraphQL query":        `<button id=go onclick="fetch('/graphql',{method:'POST',headers:{'Content-Type':'application/json'},body:JSON.stringify({query:'query Q { zork(id: 1) { id } }'})})">Fiksu</button>`,
		"a search by POST":       `<button id=go onclick="fetch('/api/search',{method:'POST',body:'q=1'})">Fiksu</button>`,
		"a basket":               `<button id=go onclick="fetch('/x/1',{method:'POST',body:'q=1'})">Add to basket</button>`,
		"a sign-in":              `<form method=post action=/x/1><input name=u><input type=password name=p><button id=go>Fiksu</button></form>`,
		"what is sent all along": `<script>navigator.sendBeacon("/x/1"); fetch("/x/2", {method: "POST"})</script><button id=go onclick="fetch('/x/2',{method:'POST'})">Fiksu</button>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := startBox(t, map[string]string{"/": way})
			page := browsertest.Page(t, "about:blank")
			_, err := replayer.Play(t.Context(), page, document(t, b.URL, fmt.Sprintf(`{"tool":"navigate","url":%q},{"tool":"click","selector":"#go"}`, b.URL)), &replayer.Options{Timeout: 5 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			browsertest.Until(t, "the request", func() bool { return len(b.all()) > 0 })
		})
	}
}

// A page may send late what a press set off: the next step asks for it, or a waiting one.
func TestALateRequestIsHeldForTheNextStep(t *testing.T) {
	t.Parallel()
	late := `<button id=go onclick="setTimeout(() => fetch('/x/1',{method:'POST'}).then(() => { document.title = 'done'; done.hidden = false }), 150)">Fiksu</button><p id=done hidden>done</p>`
	b := startBox(t, map[string]string{"/": late})
	steps := `{"tool":"click","selector":"#go"},{"tool":"waitFor","selector":"#done"}`
	page := browsertest.Page(t, b.URL)
	_, err := replayer.Play(t.Context(), page, document(t, b.URL, steps), &replayer.Options{Timeout: 5 * time.Second})
	wantCode(t, err, replayer.Refused, 1)
	if got := b.all(); len(got) != 0 {
		t.Errorf("%v arrived", got)
	}
	again := browsertest.Page(t, b.URL)
	person := &approver{yes: true}
	if _, err := replayer.Play(t.Context(), again, document(t, b.URL, steps), &replayer.Options{Person: person, Timeout: 5 * time.Second}); err != nil {
		t.Error(err)
	}
	if got := b.all(); len(got) != 1 || len(person.asked) != 1 || person.asked[0].Step != 0 {
		t.Errorf("%v arrived, and %+v was asked", got, person.asked)
	}
}

func TestALateRequestFailsOnceTheRunHasEnded(t *testing.T) {
	t.Parallel()
	b := startBox(t, map[string]string{"/": `<button id=go onclick="setTimeout(() => fetch('/x/1',{method:'POST'}).catch(() => document.title = 'failed'), 300)">Fiksu</button>`})
	page := browsertest.Page(t, b.URL)
	_, _ = replayer.Play(t.Context(), page, document(t, b.URL, `{"tool":"click","selector":"#go"}`), &replayer.Options{Timeout: 5 * time.Second})
	browsertest.Until(t, "the page to hear of it", func() bool { return page.Rod().MustEval(`() => document.title`).Str() == "failed" })
	if got := b.all(); len(got) != 0 {
		t.Errorf("%v arrived", got)
	}
}

func TestARedirectOfAHeldRequestIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	b := startBox(t, map[string]string{"/": senders["redirect"]})
	page := browsertest.Page(t, b.URL)
	person := &approver{yes: true}
	_, _ = replayer.Play(t.Context(), page, document(t, b.URL, `{"tool":"click","selector":"#go"}`), &replayer.Options{Person: person, Timeout: 5 * time.Second})
	if len(person.asked) != 2 || person.asked[1].Request != b.URL+"/x/second" {
		t.Errorf("asked %+v", person.asked)
	}
	if got := b.all(); len(got) != 2 {
		t.Errorf("%v arrived", got)
	}
}

func BenchmarkHoldingForReads(b *testing.B) {
	for name, html := range map[string]string{
		"sends nothing": `<button id=go>Fiksu</button>`,
		"reads":         `<button id=go onclick="fetch('/x/1')">Fiksu</button>`,
	} {
		server := serve(b, html)
		for _, policy := range []replayer.CommitPolicy{replayer.AllowCommits, replayer.AskCommits} {
			b.Run(name+"/"+string(policy), func(b *testing.B) {
				page := browsertest.Page(b, server.URL)
				s := replayer.Begin(page, &replayer.Options{Commit: policy, Timeout: 5 * time.Second})
				defer s.Close()
				selector, _ := selectors.Parse("#go")
				step := automation.Step{Tool: "click", Selector: selectors.Path{selector}}
				var took []time.Duration
				for b.Loop() {
					started := time.Now()
					if _, err := s.Do(b.Context(), step); err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(started))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/median")
			})
		}
	}
}
