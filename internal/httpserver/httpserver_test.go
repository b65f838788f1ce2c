package httpserver_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/httpserver"
)

// short is how long a client of the tests may take, and patience how long they wait for the
// server to end a connection: a busy machine may take its time.
const (
	short    = 100 * time.Millisecond
	patience = 30 * time.Second
)

// serve serves a handler, and returns its address. What is left out of the options is far
// longer than a test waits.
func serve(t *testing.T, o httpserver.Options, h http.HandlerFunc) string {
	t.Helper()
	for _, timeout := range []*time.Duration{&o.HeaderTimeout, &o.BodyTimeout, &o.IdleTimeout, &o.WriteTimeout} {
		if *timeout == 0 {
			*timeout = time.Hour
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, ended := httpserver.New(h, &o), make(chan error, 1)
	go func() { ended <- s.Serve(listener) }()
	t.Cleanup(func() {
		_ = s.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// echo answers with the body of a request.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "the handler's own answer", http.StatusBadRequest)
		return
	}
	_, _ = w.Write(body)
}

// dial connects a client that writes on its own.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c
}

func write(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// ends reads until the server has ended the connection, and returns what it said before.
func ends(t *testing.T, c net.Conn) string {
	t.Helper()
	said, err := io.ReadAll(c)
	if slow := (net.Error)(nil); errors.As(err, &slow) && slow.Timeout() {
		t.Errorf("the connection stays open; the server said %q", said)
	}
	return string(said)
}

func TestAClientThatSendsItsHeadByteByByteIsCutOff(t *testing.T) {
	t.Parallel()
	c := dial(t, serve(t, httpserver.Options{HeaderTimeout: short}, echo))
	over := make(chan struct{})
	go func() {
		defer close(over)
		tick := time.NewTicker(short / 10)
		defer tick.Stop()
		for _, b := range []byte("GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 1<<20)) {
			if _, err := c.Write([]byte{b}); err != nil {
				return
			}
			<-tick.C
		}
	}()
	ends(t, c)
	_ = c.Close()
	<-over
}

func TestAClientThatSaysNothingIsCutOff(t *testing.T) {
	t.Parallel()
	ends(t, dial(t, serve(t, httpserver.Options{HeaderTimeout: short}, echo)))
}

func TestAClientThatSendsHalfABodyIsCutOff(t *testing.T) {
	t.Parallel()
	for what, h := range map[string]http.HandlerFunc{
		"408 of a handler that reads it":              echo,
		"408 of a handler that reads and is silent":   func(_ http.ResponseWriter, r *http.Request) { _, _ = io.ReadAll(r.Body) },
		"204 of a handler that never looks at a body": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
	} {
		for _, head := range []string{"Content-Length: 10", "Transfer-Encoding: chunked"} {
			t.Run(what+", "+head, func(t *testing.T) {
				t.Parallel()
				c := dial(t, serve(t, httpserver.Options{BodyTimeout: short, HeaderTimeout: short}, h))
				write(t, c, "POST / HTTP/1.1\r\nHost: x\r\n"+head+"\r\n\r\n5\r\nhalf ")
				if said := ends(t, c); !strings.HasPrefix(said, "HTTP/1.1 "+what[:4]) {
					t.Errorf("it was answered %q", said)
				}
			})
		}
	}
}

func TestAClientThatIdlesIsCutOff(t *testing.T) {
	t.Parallel()
	c := dial(t, serve(t, httpserver.Options{IdleTimeout: short}, echo))
	for range 2 { // a connection that is used stays
		write(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		if body := make([]byte, 5); answer.StatusCode != http.StatusOK {
			t.Errorf("it answers %s", answer.Status)
		} else if _, err := io.ReadFull(answer.Body, body); err != nil || string(body) != "hello" {
			t.Errorf("it answers %q, %v", body, err)
		}
	}
	ends(t, c)
}

func TestAClientThatDoesNotReadIsCutOff(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	c := dial(t, serve(t, httpserver.Options{WriteTimeout: short}, func(w http.ResponseWriter, _ *http.Request) {
		for chunk := make([]byte, 1<<20); ; {
			if _, err := w.Write(chunk); err != nil {
				failed <- err
				return
			}
		}
	}))
	write(t, c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	select {
	case <-failed:
	case <-time.After(patience):
		t.Error("the handler still writes")
	}
}

func TestABodyOverTheLimitIsRefusedWith413(t *testing.T) {
	t.Parallel()
	const limit = 1000
	called := make(chan struct{}, 10)
	address := serve(t, httpserver.Options{MaxBody: limit}, func(w http.ResponseWriter, r *http.Request) {
		called <- struct{}{}
		echo(w, r)
	})
	for _, test := range []struct {
		what string
		body io.Reader
		want int
	}{
		{"the limit", strings.NewReader(strings.Repeat("x", limit)), 200},
		{"a byte more", strings.NewReader(strings.Repeat("x", limit+1)), 413},
		{"the limit, of no length told", io.MultiReader(strings.NewReader(strings.Repeat("x", limit))), 200},
		{"a byte more, of no length told", io.MultiReader(strings.NewReader(strings.Repeat("x", limit+1))), 413},
		{"without end", endless{}, 413},
	} {
		answer, err := http.Post("http://"+address+"/", "text/plain", test.body)
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
			continue
		}
		if _ = answer.Body.Close(); answer.StatusCode != test.want {
			t.Errorf("%s: %s, want %d", test.what, answer.Status, test.want)
		}
	}
	if len(called) != 4 {
		t.Errorf("the handler was called %d times: what says that it is too large is not for it", len(called))
	}
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestAHeadOverTheLimitIsRefusedWith431(t *testing.T) {
	t.Parallel()
	c := dial(t, serve(t, httpserver.Options{MaxHeader: 1000}, echo))
	write(t, c, "GET / HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("x", 10_000))
	if said := ends(t, c); !strings.HasPrefix(said, "HTTP/1.1 431 ") {
		t.Errorf("it is answered %.60q", said)
	}
}

// A stream of events lasts for as long as it likes: only the time for the request, and for
// each write, is bounded.
func TestALongStreamOfEventsSurvives(t *testing.T) {
	t.Parallel()
	const events, every = 20, short / 4 // together five times as long as anything may take
	o := httpserver.Options{HeaderTimeout: short, BodyTimeout: short, IdleTimeout: short, WriteTimeout: short}
	for _, method := range []string{"GET", "POST"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			address := serve(t, o, func(w http.ResponseWriter, r *http.Request) {
				if _, err := io.ReadAll(r.Body); err != nil {
					t.Error(err)
				}
				w.Header().Set("Content-Type", "text/event-stream")
				out, tick := http.NewResponseController(w), time.NewTicker(every)
				defer tick.Stop()
				for i := range events {
					if _, err := fmt.Fprintf(w, "data: %d\n\n", i); err != nil || out.Flush() != nil {
						t.Errorf("event %d: %v", i, err)
						return
					}
					if i == events/2 { // a silent spell
						<-time.After(3 * short)
					}
					select {
					case <-tick.C:
					case <-r.Context().Done():
						t.Errorf("after event %d the request is over: %v", i, r.Context().Err())
						return
					}
				}
			})
			r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address, strings.NewReader("hello"))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if said, err := io.ReadAll(answer.Body); err != nil || strings.Count(string(said), "data: ") != events {
				t.Errorf("it says %q, %v", said, err)
			}
		})
	}
}
