package demosite_test

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/demosite"
)

// visitor is a browser without a page: a cookie jar that follows redirects and remembers them.
type visitor struct {
	t      *testing.T
	site   *demosite.Server
	client *http.Client
	trail  []string // the paths of the last request's redirects
}

// reply is the last answer of a request.
type reply struct {
	status int
	path   string
	body   string
	header http.Header
}

func start(t *testing.T, o *demosite.Options) *demosite.Server {
	t.Helper()
	s, err := demosite.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func visit(t *testing.T, s *demosite.Server) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t: t, site: s, client: &http.Client{Jar: jar}}
	v.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		v.trail = append(v.trail, r.URL.Path)
		return nil
	}
	return v
}

func (v *visitor) get(path string) reply { return v.do(http.MethodGet, path, nil, nil) }

func (v *visitor) post(path string, form url.Values) reply {
	return v.do(http.MethodPost, path, form, nil)
}

func (v *visitor) do(method, path string, form url.Values, header http.Header) reply {
	v.t.Helper()
	v.trail = nil
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.site.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, values := range header {
		r.Header[name] = values
	}
	w, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return reply{status: w.StatusCode, path: w.Request.URL.Path, body: string(body), header: w.Header}
}

var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// token returns the token of the page in a reply.
func (v *visitor) token(r reply) string {
	v.t.Helper()
	found := csrfField.FindStringSubmatch(r.body)
	if found == nil {
		v.t.Fatalf("%s (%d) carries no token", r.path, r.status)
	}
	return html.UnescapeString(found[1])
}

func (v *visitor) lookUp(token, email string) reply {
	v.t.Helper()
	return v.post("/signin/lookup", url.Values{"csrf": {token}, "identifier": {email}})
}

func (v *visitor) sendPassword(token, password string) reply {
	v.t.Helper()
	return v.post("/signin/challenge/pwd", url.Values{"csrf": {token}, "Passwd": {password}})
}

// signIn goes the whole way.
func (v *visitor) signIn(email, password string) reply {
	v.t.Helper()
	token := v.token(v.get("/signin"))
	v.lookUp(token, email)
	return v.sendPassword(token, password)
}
