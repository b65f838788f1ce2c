package desk

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/recorder"
)

//go:embed web
var web embed.FS

// policy allows the desk's own files and nothing else. What it shows is text of pages,
// which may be hostile: no HTML can be made of a text here.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// cookie names the session.
const cookie = "reprise-desk"

// maxBody is more than any request needs.
const maxBody = 8 << 10

func (d *Desk) handler() http.Handler {
	mux := http.NewServeMux()
	for name, kind := range map[string]string{"": "text/html", "desk.css": "text/css", "desk.js": "text/javascript"} {
		mux.HandleFunc("GET "+d.path+name+exact(name), d.file(name, kind))
	}
	mux.HandleFunc("POST "+d.path+"session", d.openSession)
	mux.HandleFunc("GET "+d.path+"events", d.known(d.events))
	mux.HandleFunc("GET "+d.path+"picture/{id}", d.known(d.picture))
	mux.HandleFunc("POST "+d.path+"do", d.known(d.do))
	return d.guard(mux)
}

// exact ends the pattern of a folder, so that it does not match all in it.
func exact(name string) string {
	if name == "" {
		return "{$}"
	}
	return ""
}

// guard refuses what was not sent to the desk, or not by it: a name that leads to
// this machine is not the desk's (DNS rebinding), and a page of another origin may
// send what it likes.
func (d *Desk) guard(next http.Handler) http.Handler {
	_, port, _ := net.SplitHostPort(d.host)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
		switch {
		case r.Host != d.host && r.Host != "localhost:"+port:
			d.refuse(w, r, "it was sent to another host")
		case origin != "" && origin != "http://"+r.Host, origin == "" && r.Method != http.MethodGet:
			d.refuse(w, r, "it comes from another origin")
		case site != "" && site != "same-origin" && site != "none":
			d.refuse(w, r, "it comes from another site")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (d *Desk) refuse(w http.ResponseWriter, r *http.Request, why string) {
	d.log.Warn("the recording desk has refused a request", "method", r.Method, "why", why)
	http.Error(w, "refused: "+why, http.StatusForbidden)
}

func (d *Desk) file(name, kind string) http.HandlerFunc {
	if name == "" {
		name = "index.html"
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		data, err := web.ReadFile("web/" + name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", kind+"; charset=utf-8")
		_, _ = w.Write(data) // a client that is gone reads nothing
	}
}

// openSession exchanges the secret of a link for a session.
func (d *Desk) openSession(w http.ResponseWriter, r *http.Request) {
	secret, err := io.ReadAll(r.Body)
	d.mu.Lock()
	spent := err != nil || !d.links[string(secret)]
	session := newSecret()
	if !spent {
		delete(d.links, string(secret))
		d.sessions[session] = true
	}
	d.mu.Unlock()
	if spent {
		d.refuse(w, r, "its link is none, or was used already")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: session, Path: d.path, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.WriteHeader(http.StatusNoContent)
}

// known refuses requests without a session.
func (d *Desk) known(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		given, err := r.Cookie(cookie)
		d.mu.Lock()
		ok := err == nil && d.sessions[given.Value]
		d.mu.Unlock()
		if !ok {
			http.Error(w, "this desk is opened by its link", http.StatusUnauthorized)
			return
		}
		next(w, r)
	}
}

// events sends the recording as it is, each time that it has changed.
func (d *Desk) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	for {
		state, changed := d.recorder.State()
		said, noted := d.lastNote()
		data, err := json.Marshal(viewOf(state, said))
		if err != nil {
			return // of our own making: cannot happen
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", data); err != nil || out.Flush() != nil {
			return
		}
		select {
		case <-changed:
		case <-noted:
		case <-r.Context().Done():
			return
		}
	}
}

func (d *Desk) picture(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("id"))
	picture := d.recorder.Picture(id)
	if err != nil || picture == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "image/jpeg")
	_, _ = w.Write(picture)
}

// do runs the command of a request.
func (d *Desk) do(w http.ResponseWriter, r *http.Request) {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		d.refuse(w, r, "it is no JSON")
		return
	}
	var c command
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		http.Error(w, "this is not understood", http.StatusBadRequest)
		return
	}
	if err := d.obey(r.Context(), c); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// command is what the user has pressed at the desk.
type command struct {
	Do   string `json:"do"`
	ID   int    `json:"id"`
	To   int    `json:"to"`
	Text string `json:"text"` // an intent, a name, an effect
	From string `json:"from"` // a name
	On   bool   `json:"on"`
}

// obey runs a command.
func (d *Desk) obey(ctx context.Context, c command) error {
	r := d.recorder
	switch c.Do {
	case "pause":
		return r.Pause(ctx)
	case "resume":
		return r.Resume(ctx)
	case "undo":
		return d.undo(ctx)
	case "stop":
		d.stop()
		return nil
	case "rename":
		return r.Rename(ctx, c.Text)
	case "point":
		d.point(recorder.Pointing(c.Text))
		return nil
	case "rest":
		r.CancelPick()
		return nil
	}
	return d.shape(ctx, c)
}

// shape changes a step.
func (d *Desk) shape(ctx context.Context, c command) error {
	r := d.recorder
	switch c.Do {
	case "remove":
		return r.Remove(ctx, c.ID)
	case "move":
		return r.Move(ctx, c.ID, c.To)
	case "intent":
		return r.SetIntent(ctx, c.ID, c.Text)
	case "effect":
		return r.SetEffect(ctx, c.ID, automation.Effect(c.Text))
	case "optional":
		return r.SetOptional(ctx, c.ID, c.On)
	case "variable":
		return r.MarkVariable(ctx, c.ID, c.Text)
	case "renameVariable":
		return r.RenameVariable(ctx, c.From, c.Text)
	case "secret":
		return r.MarkSecret(ctx, c.ID)
	}
	return fmt.Errorf("the desk cannot do %q", c.Do)
}

func (d *Desk) undo(ctx context.Context) error {
	undone, err := d.recorder.Undo(ctx)
	if err == nil && !undone {
		return errors.New("there is no step to take back")
	}
	return err
}

// point lets the user pick an element, without waiting for it, and shows why it was refused.
func (d *Desk) point(what recorder.Pointing) {
	d.start(func(ctx context.Context) {
		_, err := d.recorder.PickElement(ctx, what)
		if err != nil && !errors.Is(err, recorder.ErrNotPointed) && !errors.Is(err, recorder.ErrStopped) && ctx.Err() == nil {
			d.say(err.Error())
		}
	})
}
