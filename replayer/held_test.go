package replayer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
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

// senders are those by which a press of #go sends something to /x/1 that no word tells of.
var senders = map[string]string{
	"fetch":                 `<button id=go onclick="fetch('/x/1',{method:'POST',body:'a=1'})">Fiksu</button>`,
	"delete":                `<button id=go onclick="fetch('/x/1',{method:'DELETE'})">Fiksu</button>`,
	"xhr":                   `<button id=go onclick="let x=new XMLHttpRequest();x.open('PUT','/x/1');x.send('a')">Fiksu</button>`,
	"keepalive":             `<button id=go onclick="fetch('/x/1',{method:'POST',keepalive:true})">Fiksu</button>`,
	"beacon":                `<button id=go onclick="navigator.sendBeacon('/x/orders/place','a')">Fiksu</button>`,
	"form":                  `<form method=post action=/x/1><button id=go>Fiksu</button></form>`,
	"form.submit in a task": `<form id=f method=post action=/x/1></form><button id=go onclick="setTimeout(() => f.submit())">Fiksu</button>`,
	"promise":               `<button id=go onclick="Promise.resolve().then(() => fetch('/x/1',{method:'POST'}))">Fiksu</button>`,
	"popup":                 `<form method=post action=/x/1 target=_blank><button id=go>Fiksu</button></form>`,
	"worker":                `<button id=go>Fiksu</button><script>let w = new Worker("/worker.js"); go.onclick = () => w.postMessage(1)</script>`,
	"graphql":               `<button id=go onclick="fetch('/graphql',{method:'POST',headers:{'Content-Type':'application/json'},body:JSON.stringify({query:'mutation M { zork(id: 1) { id } }'})})">Fiksu</button>`,
	"redirect":              `<button id=go onclick="fetch('/again',{method:'POST',body:'a=1'})">Fiksu</button>`,
	"put in a form":         `<form method=post action=/x/1><input type=hidden name=_method value=delete><button id=go type=button onclick="this.form.submit()">Fiksu</button></form>`,
}

func TestWhatAPressSendsIsHeld(t *testing.T) {
	t.Parallel()
	for name, way := range senders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := startBox(t, map[string]string{"/": way, "/worker.js": "//js\nonmessage = () => fetch('/x/1', {method: 'POST'})"})
			page := browsertest.Page(t, b.URL)
			_, err := replayer.Play(t.Context(), page, document(t, b.URL, `{"tool":"click","selector":"#go"}`), &replayer.Options{Timeout: 5 * time.Second})
			e := wantCode(t, err, replayer.Refused, 0)
			t.Log(e.Reason)
			if got := b.all(); len(got) != 0 {
				t.Errorf("%v arrived", got)
			}
		})
	}
}
