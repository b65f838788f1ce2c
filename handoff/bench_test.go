package handoff_test

import (
	"bytes"
	"context"
	"fmt"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/store"
)

// BenchmarkLiveView measures the live view of a page of 1280 by 720 over the loopback, with a client that draws nothing:
// frames a second of a page that changes all the time, and the time from a press to the first frame after it.
func BenchmarkLiveView(b *testing.B) {
	browsertest.Slot(b)
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/moves" {
			fmt.Fprint(w, `<!doctype html><body style="margin:0"><style>i { position: absolute; width: 200px; height: 200px; background: linear-gradient(red, blue) }</style><i></i><script>let n = 0; (function f() { document.querySelector("i").style.transform = "translate(" + (n++ % 900) + "px," + (n % 400) + "px)"; requestAnimationFrame(f) })()</script>`)
			return
		}
		fmt.Fprint(w, `<!doctype html><body style="margin:0;height:100vh" onmousedown="document.body.style.background = document.body.style.background ? '' : 'teal'">`)
	}))
	defer shop.Close()
	st, err := store.Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	var desk *handoff.Desk
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { desk.ServeHTTP(w, r) }))
	defer server.Close()
	notices := make(chan handoff.Notice, 1)
	if desk, err = handoff.New(&handoff.Options{Store: st, PublicURL: server.URL, Notify: func(n handoff.Notice) { notices <- n }}); err != nil {
		b.Fatal(err)
	}
	defer desk.Close()
	see := func(b *testing.B, path string) (*websocket.Conn, func()) {
		page := browsertest.Page(b, shop.URL+path)
		h, err := desk.Start(b.Context(), handoff.Request{Page: page, Reason: automation.ReasonOther, Step: -1})
		if err != nil {
			b.Fatal(err)
		}
		_, link, _ := strings.Cut((<-notices).Link, "#")
		id, key, _ := strings.Cut(link, ".")
		opened, err := http.Post(server.URL+handoff.Path+"open", "application/json", strings.NewReader(fmt.Sprintf(`{"id":%q,"key":%q}`, id, key)))
		if err != nil {
			b.Fatal(err)
		}
		_ = opened.Body.Close()
		header := http.Header{"Cookie": {opened.Cookies()[0].String()}}
		socket, reply, err := websocket.Dial(b.Context(), server.URL+handoff.Path+id+"/live", &websocket.DialOptions{HTTPHeader: header})
		if err != nil {
			b.Fatal(err, reply)
		}
		socket.SetReadLimit(10 << 20)
		return socket, h.Cancel
	}
	frame := func(ctx context.Context, socket *websocket.Conn) ([]byte, error) {
		for {
			if kind, data, err := socket.Read(ctx); err != nil || kind == websocket.MessageBinary {
				return data, err
			}
		}
	}
	b.Run("frames", func(b *testing.B) {
		socket, end := see(b, "/moves")
		defer end()
		n := 0
		for b.Loop() {
			if _, err := frame(b.Context(), socket); err != nil {
				b.Fatal(err)
			}
			n++
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "frames/s")
	})
	b.Run("chromium", func(b *testing.B) { // a viewer that draws, on the same machine
		page := browsertest.Page(b, shop.URL+"/moves")
		h, err := desk.Start(b.Context(), handoff.Request{Page: page, Reason: automation.ReasonOther, Step: -1})
		if err != nil {
			b.Fatal(err)
		}
		defer h.Cancel()
		viewer := browsertest.Page(b, (<-notices).Link).Rod().Context(b.Context())
		const next = `async () => { const frames = () => document.getElementById("page")?.dataset.frames; const had = frames(); while (frames() === had) await new Promise((resolve) => setTimeout(resolve, 1)) }`
		if _, err := viewer.Eval(next); err != nil {
			b.Fatal(err)
		}
		n := 0
		for b.Loop() {
			if _, err := viewer.Eval(next); err != nil {
				b.Fatal(err)
			}
			n++
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "frames/s")
	})
	b.Run("press", func(b *testing.B) {
		socket, end := see(b, "/")
		defer end()
		if _, err := frame(b.Context(), socket); err != nil {
			b.Fatal(err)
		}
		dark := false
		var took []time.Duration
		for b.Loop() {
			began := time.Now()
			for _, m := range []string{"down", "up"} {
				if err := socket.Write(b.Context(), websocket.MessageText, []byte(`{"t":"`+m+`","x":100,"y":100,"button":"left","count":1}`)); err != nil {
					b.Fatal(err)
				}
			}
			for dark = !dark; ; { // until a frame shows what the press has done
				data, err := frame(b.Context(), socket)
				if err != nil {
					b.Fatal(err)
				}
				arrived := time.Now()
				shot, err := jpeg.Decode(bytes.NewReader(data))
				if err != nil {
					b.Fatal(err)
				}
				if red, _, _, _ := shot.At(200, 200).RGBA(); (red < 0x8000) == dark {
					began = began.Add(time.Since(arrived)) // decoding is the bench's own
					break
				}
			}
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/median")
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms/p95")
	})
}
