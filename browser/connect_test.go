package browser_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
)

func TestAConnectedBrowserGoesOnAfterClose(t *testing.T) {
	t.Parallel()
	host := launch(t, &browser.Options{DebugPort: true})
	mine := open(t, host, "data:text/html,mine")
	socket, err := url.Parse(host.Endpoint())
	if err != nil || socket.Scheme != "ws" || socket.Hostname() != "127.0.0.1" {
		t.Fatalf("the endpoint is %s, %v", host.Endpoint(), err)
	}
	for _, endpoint := range []string{host.Endpoint(), "http://" + socket.Host, "http://" + socket.Host + "/"} {
		b, err := browser.Connect(t.Context(), endpoint, nil)
		if err != nil {
			t.Fatal(err)
		}
		if b.Endpoint() != host.Endpoint() {
			t.Errorf("%s: the endpoint is %s, want %s", endpoint, b.Endpoint(), host.Endpoint())
		}
		if host.HasWindow(t.Context()) || b.HasWindow(t.Context()) {
			t.Errorf("%s: it says that it has a window", endpoint)
		}
		if !has(t, b, mine.ID()) {
			t.Errorf("%s: it does not have the page that was there", endpoint)
		}
		theirs := open(t, b, "data:text/html,theirs")
		for range 2 {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
		if _, err := b.NewPage(t.Context(), ""); !errors.Is(err, browser.ErrDisconnected) {
			t.Errorf("%s: NewPage after Close: %v", endpoint, err)
		}
		if !has(t, host, theirs.ID()) {
			t.Errorf("%s: the page that it opened is gone", endpoint)
		}
	}
	if got := eval[string](t, mine, "document.body.innerText"); got != "mine" {
		t.Errorf("the page that was there says %q", got)
	}
}

func has(t *testing.T, b *browser.Browser, id string) bool {
	t.Helper()
	pages, err := b.Pages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if p.ID() == id {
			return true
		}
	}
	return false
}

func TestConnectTellsWhatIsWrongWithAnEndpoint(t *testing.T) {
	t.Parallel()
	const secret = "canary-secret"
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/json") {
			_, _ = fmt.Fprint(w, `{"webSocketDebuggerUrl": ""}`)
			return
		}
		http.Error(w, "no such page", http.StatusNotFound)
	}))
	t.Cleanup(site.Close)
	host := strings.TrimPrefix(site.URL, "http://")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	unused := free.Addr().String()
	_ = free.Close()
	for endpoint, want := range map[string]string{
		"http://" + unused + "?token=" + secret:        "refused",
		"ws://" + unused + "/" + secret:                "refused",
		"ws://u:" + secret + "@" + unused:              "refused",
		"http://" + host + "/?k=" + secret:             "names no browser",
		"ws://" + host + "/x?k=" + secret:              "404",
		"ws://" + host + "/devtools/page/" + secret:    "one page",
		"ftp://" + host + "/" + secret:                 `"ftp"`,
		"localhost:9222":                               "not an address",
		"9222":                                         "not an address",
		"":                                             "not an address",
		"http://nowhere.invalid:9222/?token=" + secret: "nowhere.invalid",
	} {
		b, err := browser.Connect(t.Context(), endpoint, nil)
		if err == nil {
			_ = b.Close()
		}
		var failed *browser.ConnectError
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a ConnectError with %q", endpoint, err, want)
		}
		if strings.Contains(fmt.Sprintf("%v %+v", err, failed), secret) {
			t.Errorf("the error tells the key: %v", err)
		}
	}
}

func TestConnectingToWhatSpeaksOtherwiseEnds(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{"hello": "not a protocol message", "": "did not answer within 300ms"} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c, err := websocket.Accept(w, r, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = c.CloseNow() }()
			if said != "" {
				_ = c.Write(r.Context(), websocket.MessageText, []byte(said))
			}
			_, _, _ = c.Read(r.Context())          // what it was asked
			_, _, _ = c.Read(context.Background()) // until the other side goes
		}))
		t.Cleanup(srv.Close)
		b, err := browser.Connect(t.Context(), "ws"+strings.TrimPrefix(srv.URL, "http"), &browser.Options{StartTimeout: 300 * time.Millisecond})
		if err == nil {
			_ = b.Close()
		}
		var failed *browser.ConnectError
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), want) {
			t.Errorf("one that says %q: %v, want a ConnectError with %q", said, err, want)
		}
	}
}

func TestTabsThatWereOpenBeforeConnectAreLeftAlone(t *testing.T) {
	t.Parallel()
	host := launch(t, &browser.Options{DebugPort: true})
	open(t, host, "data:text/html,<title>mine</title>")
	b, err := browser.Connect(t.Context(), host.Endpoint(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	var pages []*browser.Page
	browsertest.Until(t, "the address of the tab, which Chrome tells others a moment later", func() bool {
		if pages, err = b.Pages(t.Context()); err != nil || len(pages) != 1 {
			t.Fatalf("%d tabs, %v", len(pages), err)
		}
		return pages[0].URL() == "data:text/html,<title>mine</title>"
	})
	if err := pages[0].Navigate(within(t), "data:text/html,other"); err != nil {
		t.Fatal(err)
	}
	if err := pages[0].WaitURL(within(t), func(url string) bool { return strings.HasSuffix(url, "other") }); err != nil {
		t.Error(err)
	}
}

func TestConnectingToWhatDoesNotAnswerEnds(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the system accepts for it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	for _, scheme := range []string{"ws://", "http://"} {
		_, err := browser.Connect(t.Context(), scheme+silent.Addr().String(), &browser.Options{StartTimeout: 50 * time.Millisecond})
		if err == nil || !strings.Contains(err.Error(), "did not answer within 50ms") {
			t.Errorf("%s: %v", scheme, err)
		}
		enough := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(enough)
		if _, err := browser.Connect(ctx, scheme+silent.Addr().String(), nil); !errors.Is(err, enough) {
			t.Errorf("%s: %v, want the cause of the context", scheme, err)
		}
	}
}
