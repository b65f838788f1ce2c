package bench

import (
	"embed"
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/httpserver"
)

// pages are those that only a benchmark needs.
//
//go:embed web
var pages embed.FS

// stage is the built-in site and two pages more: a to-do list that draws itself late,
// and a table of 20,000 elements. It remembers what it was sent.
type stage struct {
	*demosite.Site
	URL string

	server *http.Server
	mu     sync.Mutex
	lists  [][]todo
	edits  []stockEdit
}

// todo is an item of the list, stockEdit what was saved in the table.
type (
	todo struct {
		Text string `json:"text"`
		Done bool   `json:"done"`
	}
	stockEdit struct {
		Item  string `json:"item"`
		Count string `json:"count"`
	}
)

// How long a client may take to say what it wants, and the most that it may say. A
// browser with many pages on a busy machine opens connections long before it uses them.
const (
	headerTimeout = 10 * time.Minute
	maxBody       = 64 << 10
)

func openStage() (*stage, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &stage{Site: demosite.New(&demosite.Options{NoBanner: true}), URL: "http://" + listener.Addr().String()}
	s.server = httpserver.New(s.routes(), &httpserver.Options{HeaderTimeout: headerTimeout, IdleTimeout: headerTimeout, MaxBody: maxBody})
	go func() { _ = s.server.Serve(listener) }() // ends with close
	return s, nil
}

func (s *stage) close() error { return s.server.Close() }

func (s *stage) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.Site)
	mux.HandleFunc("GET /todo", file("web/todo.html"))
	mux.HandleFunc("GET /todo.js", file("web/todo.js"))
	mux.HandleFunc("POST /todo", take(s, &s.lists))
	mux.HandleFunc("GET /stock", func(w http.ResponseWriter, _ *http.Request) { writeBig(w, `<script src="/stock.js"></script>`) })
	mux.HandleFunc("GET /stock.js", file("web/stock.js"))
	mux.HandleFunc("POST /stock", take(s, &s.edits))
	return mux
}

func file(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, pages, name) }
}

// take appends what a page has sent to all that was sent before.
func take[T any](s *stage, all *[]T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var one T
		if err := json.NewDecoder(r.Body).Decode(&one); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		*all = append(*all, one)
		s.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	}
}

// taken are those that came after the first n.
func taken[T any](s *stage, all *[]T, n int) []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone((*all)[n:])
}
