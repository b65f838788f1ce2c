package cdp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/go-reprise/reprise/internal/cdp"
)

// echo is a websocket server that sends back what it gets.
func echo(t *testing.T) (url string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		conn.SetReadLimit(-1)
		for {
			kind, data, err := conn.Read(r.Context())
			if err != nil || conn.Write(r.Context(), kind, data) != nil {
				return
			}
		}
	}))
	t.Cleanup(srv.Close)
	return "ws" + strings.TrimPrefix(srv.URL, "http")
}

// loop is a pipe whose end is its beginning.
func loop() cdp.Transport {
	r, w := io.Pipe()
	return cdp.NewPipe(w, r)
}

func TestATransportCarriesMessagesOfAnySize(t *testing.T) {
	t.Parallel()
	socket, err := cdp.DialWebSocket(t.Context(), echo(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, tr := range map[string]cdp.Transport{"pipe": loop(), "websocket": socket} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent []string
			for _, size := range []int{0, 1, 65535, 65536, 65537, 3 << 20, 5, 1 << 20, 70_000} {
				sent = append(sent, strings.Repeat("é"[:1+size%2], size))
			}
			go func() {
				for _, s := range sent {
					if err := tr.Send([]byte(s)); err != nil {
						t.Error(err)
					}
				}
			}()
			for _, want := range sent {
				got, err := tr.Read()
				if err != nil || string(got) != want {
					t.Fatalf("%d bytes, %v; want %d", len(got), err, len(want))
				}
			}
		})
	}
}

func TestClosingATransportEndsItsReadAndSend(t *testing.T) {
	t.Parallel()
	socket, err := cdp.DialWebSocket(t.Context(), echo(t))
	if err != nil {
		t.Fatal(err)
	}
	stuck, _ := io.Pipe()
	_, never := io.Pipe()
	for name, tr := range map[string]cdp.Transport{"pipe": cdp.NewPipe(never, stuck), "websocket": socket} {
		read, sent := make(chan error), make(chan error)
		go func() {
			_, err := tr.Read()
			read <- err
		}()
		go func() {
			for err := error(nil); ; err = tr.Send(make([]byte, 1<<20)) { // no one takes what is echoed
				if err != nil {
					sent <- err
					return
				}
			}
		}()
		for range 2 {
			if err := tr.Close(); err != nil {
				t.Errorf("%s: Close: %v", name, err)
			}
		}
		if err := <-sent; err == nil {
			t.Errorf("%s: Send succeeded", name)
		}
		if err := <-read; err == nil && name == "pipe" {
			t.Errorf("%s: Read succeeded", name)
		}
	}
}

func TestAPipeThatEndsInTheMiddleOfAMessage(t *testing.T) {
	t.Parallel()
	_, in := io.Pipe()
	out := io.NopCloser(strings.NewReader("{}\x00{\"id\":"))
	tr := cdp.NewPipe(in, out)
	if got, err := tr.Read(); err != nil || string(got) != "{}" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := tr.Read(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want an unexpected EOF", err)
	}
}

func TestDialingWhatDoesNotAnswerEndsWithItsContext(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	got := make(chan error)
	go func() {
		_, err := cdp.DialWebSocket(ctx, "ws://"+silent.Addr().String())
		got <- err
	}()
	conn, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	cancel(enough)
	if err := <-got; !errors.Is(err, enough) {
		t.Errorf("got %v, want the cause", err)
	}
}
