package demosite

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// Event is something that a page of windows, frames or shadow roots sent to the server.
type Event struct {
	Source string // same, cross, srcdoc, shadow or window
	Host   string // the host and port that it was sent to
	Values url.Values
}

// Seen returns the events of /popup and /frames in the order in which they came.
func (s *Site) Seen() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := slices.Clone(s.seen)
	for i := range seen {
		seen[i].Values = cloneValues(seen[i].Values)
	}
	return seen
}

// sources are where an event can come from, with the words for it in the frame's own page.
var sources = map[string]string{
	"same":   "Frame of the same origin",
	"cross":  "Frame of another site",
	"srcdoc": "Frame inside a frame",
	"shadow": "Shadow root",
	"window": "New window",
}

func (s *Site) recordEvent(w http.ResponseWriter, r *http.Request) {
	source := r.PostFormValue("source")
	if _, ok := sources[source]; !ok {
		http.Error(w, "an event needs a source that the site has", http.StatusBadRequest)
		return
	}
	values := cloneValues(r.PostForm)
	values.Del("source")
	s.mu.Lock()
	s.seen = append(s.seen, Event{Source: source, Host: r.Host, Values: values})
	s.mu.Unlock()
	http.Redirect(w, r, "/seen/thanks", http.StatusSeeOther)
}

// eventView is what a page with one small form is rendered from.
type eventView struct {
	base
	Source, Title, Via, Cross string
}

func (s *Site) framesPage(w http.ResponseWriter, r *http.Request) {
	render(w, http.StatusOK, "frames.html", eventView{Cross: crossHost(r.Host)})
}

func (s *Site) innerFrame(w http.ResponseWriter, r *http.Request) {
	source := r.FormValue("source")
	title, ok := sources[source]
	if !ok {
		s.notFound(w, r)
		return
	}
	render(w, http.StatusOK, "inner.html", eventView{Source: source, Title: title})
}

func (s *Site) popupWindow(w http.ResponseWriter, r *http.Request) {
	render(w, http.StatusOK, "window.html", eventView{Source: "window", Via: r.FormValue("via")})
}

func cloneValues(v url.Values) url.Values {
	c := maps.Clone(v)
	for key := range c {
		c[key] = slices.Clone(c[key])
	}
	return c
}
