package demosite

import (
	"bytes"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"sync"
)

//go:embed web
var files embed.FS

// base is what the frame around every page is rendered from.
type base struct {
	Banner        bool
	ConsentCookie string
}

// templates parses the embedded pages when the first one is asked for: a program that carries the
// site without serving it does not pay for it. A page that does not parse is a bug that every test finds.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(files, "web/*.html"))
})

func render(w http.ResponseWriter, status int, name string, view any) {
	var page bytes.Buffer
	if err := templates().ExecuteTemplate(&page, name, view); err != nil {
		http.Error(w, "demosite: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = page.WriteTo(w) // fails only when the browser has gone
}

// page serves a template that needs to know nothing.
func (s *Site) page(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { render(w, http.StatusOK, name, base{}) }
}

// withBanner asks for consent until the browser has brought an answer.
func (s *Site) withBanner(r *http.Request) base {
	return base{
		Banner:        s.banner && cookieValue(r, consentCookie) == "",
		ConsentCookie: cookieName(r, consentCookie),
	}
}

func (s *Site) index(w http.ResponseWriter, r *http.Request) {
	render(w, http.StatusOK, "index.html", s.withBanner(r))
}

// messageView is what a page that only says something is rendered from.
type messageView struct {
	base
	Title, Message string
}

func (s *Site) notFound(w http.ResponseWriter, _ *http.Request) {
	render(w, http.StatusNotFound, "message.html", messageView{
		Title: "There is nothing here", Message: "The address may be mistyped.",
	})
}

func (s *Site) refuse(w http.ResponseWriter, _ *http.Request, title, message string) {
	render(w, http.StatusForbidden, "message.html", messageView{Title: title, Message: message})
}

func static(w http.ResponseWriter, r *http.Request) {
	web, err := fs.Sub(files, "web")
	if err != nil {
		http.Error(w, "demosite: "+err.Error(), http.StatusInternalServerError)
		return
	}
	http.FileServerFS(web).ServeHTTP(w, r)
}

func favicon(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, files, "web/static/meadow.svg")
}
