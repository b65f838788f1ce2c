package cases

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// site serves the files of a case under two names, and remembers what it hears.
type site struct {
	URL     string
	names   *strings.Replacer // of cases, as they are on this machine
	files   map[string]string
	headers map[string]textproto.MIMEHeader

	mu    sync.Mutex
	heard []string
}

// saidScript is in every page. It keeps what it needs, as pages bend their builtins,
// and says things in order.
const saidScript = `(() => {
	const Request = XMLHttpRequest, open = Request.prototype.open, send = Request.prototype.send, text = String;
	const beacon = navigator.sendBeacon.bind(navigator), url = new URL("/said", document.currentScript.src).href;
	globalThis.said = (what) => {
		const request = new Request();
		try { open.call(request, "POST", url, false); send.call(request, text(what)) } catch { beacon(url, text(what)) }
	};
})();`

const head = `<!doctype html><meta charset=utf-8><script src="/said.js"></script>`

func serve(t *testing.T, a *txtar.Archive) *site {
	t.Helper()
	s := &site{files: map[string]string{}, headers: map[string]textproto.MIMEHeader{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	there := strings.Replace(host, "127.0.0.1", "localhost", 1)
	s.URL, s.names = server.URL, strings.NewReplacer("here.test", host, "there.test", there)
	for _, f := range a.Files {
		s.files["/"+strings.TrimSuffix(f.Name, "page.html")] = s.names.Replace(string(f.Data))
	}
	for line := range strings.Lines(s.files["/headers"]) {
		name, header, _ := strings.Cut(strings.TrimSpace(line), " ")
		key, value, ok := strings.Cut(header, ": ")
		if !ok {
			t.Fatalf("headers: %q is not: FILE NAME: VALUE", line)
		}
		path := "/" + strings.TrimSuffix(name, "page.html")
		if s.headers[path] == nil {
			s.headers[path] = textproto.MIMEHeader{}
		}
		s.headers[path].Add(key, value)
	}
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	switch {
	case r.URL.Path == "/favicon.ico":
		w.WriteHeader(http.StatusNoContent)
	case r.URL.Path == "/said.js":
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, saidScript)
	case r.URL.Path == "/said":
		body, _ := io.ReadAll(r.Body)
		s.hear(string(body))
	default:
		s.file(w, r)
	}
}

func (s *site) file(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err == nil && (r.Method == http.MethodPost || r.URL.RawQuery != "") {
		query, _ := url.QueryUnescape(r.Form.Encode())
		s.hear(strings.TrimSpace(r.Method + " " + r.URL.Path + " " + query))
	}
	s.mu.Lock()
	data, found := s.files[r.URL.Path]
	s.mu.Unlock()
	if !found {
		data = "<title>" + r.URL.Path + "</title>" + r.URL.Path
	}
	for key, values := range s.headers[r.URL.Path] {
		w.Header()[key] = values
	}
	if w.Header().Get("Content-Type") == "" && (!found || strings.HasSuffix(r.URL.Path, "/") || strings.HasSuffix(r.URL.Path, ".html")) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		data = head + data
	}
	_, _ = io.WriteString(w, data)
}

func (s *site) hear(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = append(s.heard, strings.Split(what, "\n")...)
}

// said is what was heard since the last forget.
func (s *site) said() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.heard)
}

// change puts the files that a case has for when it is played in the place of those that
// it was recorded with.
func (s *site) change() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, data := range s.files {
		if later, is := strings.CutPrefix(name, "/played/"); is {
			s.files["/"+later] = data
		}
	}
}

func (s *site) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = nil
}

// general puts the names of cases for those of this machine.
func (s *site) general(text string) string {
	host := strings.TrimPrefix(s.URL, "http://")
	there := strings.Replace(host, "127.0.0.1", "localhost", 1)
	return strings.NewReplacer(host, "here.test", there, "there.test").Replace(text)
}
