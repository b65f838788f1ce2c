package handoff

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/coder/websocket"
)

//go:embed viewer
var viewerFiles embed.FS

// What the live view may load and do: its own files, and frames as images.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

const (
	maxExchange = 4 << 10   // of a link, in bytes
	maxMessage  = 128 << 10 // of a viewer
	maxUpload   = 64 << 20  // of all files that are chosen at once
	// pongTimeout is how long a viewer may take to answer; one that has gone is noticed by that.
	pingEvery   = 10 * time.Second
	pongTimeout = 10 * time.Second
	// writeTimeout is how long one may take to read what it is sent: a frame of some 100 kB on a bad line.
	writeTimeout = 20 * time.Second
	// maxFiles are chosen at once, and the name of one has maxName bytes, as file systems have it.
	maxFiles = 100
	maxName  = 200
)

// ServeHTTP serves the live view under Path. It authenticates its users itself: by the links that requests have.
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	path, under := strings.CutPrefix(r.URL.Path, Path)
	own, err := url.Parse(d.options.PublicURL)
	if err != nil || !under || own.Host == "" {
		http.NotFound(w, r)
		return
	}
	if !strings.EqualFold(r.Host, own.Host) {
		http.Error(w, "the live view is not known by that host", http.StatusForbidden)
		return
	}
	if foreign(r, d.options.PublicURL) && !(path == "" && r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate") {
		http.Error(w, "pages of other sites are not answered", http.StatusForbidden)
		return
	}
	id, what, _ := strings.Cut(path, "/")
	switch {
	case r.Method == http.MethodPost && path == "open":
		d.serveOpen(w, r)
	case what == "live" && r.Method == http.MethodGet:
		d.serveLive(w, r, id)
	case what == "resolve" && r.Method == http.MethodPost:
		d.serveResolve(w, r, id)
	case what == "file" && r.Method == http.MethodPost:
		d.serveFile(w, r, id)
	case what == "offer" && (r.Method == http.MethodGet || r.Method == http.MethodPost):
		d.serveOffer(w, r, id)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		serveViewer(w, r, path)
	default:
		http.Error(w, "not allowed", http.StatusMethodNotAllowed)
	}
}

// foreign reports whether a request comes from a page of another site.
func foreign(r *http.Request, own string) bool {
	for _, origin := range r.Header.Values("Origin") {
		if !strings.EqualFold(origin, own) {
			return true
		}
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none"
}

func serveViewer(w http.ResponseWriter, r *http.Request, name string) {
	if name == "" {
		name = "index.html"
	}
	files, err := fs.Sub(viewerFiles, "viewer")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	data, err := fs.ReadFile(files, name)
	types := map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
	if err != nil || types[filepath.Ext(name)] == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", types[filepath.Ext(name)])
	_, _ = w.Write(data)
}

// serveOpen exchanges a link for the session of a device.
func (d *Desk) serveOpen(w http.ResponseWriter, r *http.Request) {
	var link struct{ ID, Key string }
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxExchange)).Decode(&link); err != nil {
		http.Error(w, "the link is not one", http.StatusBadRequest)
		return
	}
	h := d.Get(link.ID)
	if h == nil {
		http.Error(w, "the request has ended, or there is none", http.StatusGone)
		return
	}
	if h.sessionOf(r) != nil { // this device has it: a link that is opened again in it is not spent
		w.WriteHeader(http.StatusNoContent)
		return
	}
	session, err := h.exchange(r.Context(), link.Key)
	switch {
	case err != nil:
		d.options.Logger.ErrorContext(r.Context(), "a link was not opened", "handoff", link.ID, "error", err)
		http.Error(w, "the link cannot be opened now: try again", http.StatusServiceUnavailable)
	case session == "":
		http.Error(w, "the link was used, or is not one: ask for another", http.StatusForbidden)
	default:
		http.SetCookie(w, &http.Cookie{
			Name: cookieName(link.ID), Value: session, Path: Path, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: d.secure,
			Expires: h.latest().Add(offerTimeout),
		})
		w.WriteHeader(http.StatusNoContent)
	}
}

// latest is when the handoff has ended for sure, however often the person says "not yet".
func (h *Handoff) latest() time.Time {
	latest := h.record.Started.Add(MaxTimeout)
	if deadline := h.Deadline(); deadline.After(latest) {
		latest = deadline
	}
	return latest
}

// admitted returns the handoff and the session of a request; one that has none is answered.
func (d *Desk) admitted(w http.ResponseWriter, r *http.Request, id string) (*Handoff, *secretKey) {
	h := d.Get(id)
	if h == nil {
		http.Error(w, "the request has ended, or there is none", http.StatusGone)
		return nil, nil
	}
	session := h.sessionOf(r)
	if session == nil {
		http.Error(w, "open the link that you were sent", http.StatusUnauthorized)
		return nil, nil
	}
	return h, session
}

func (d *Desk) serveLive(w http.ResponseWriter, r *http.Request, id string) {
	h, session := d.admitted(w, r, id)
	if h == nil {
		return
	}
	socket, err := websocket.Accept(w, r, nil) // which checks the origin, too
	if err != nil {
		return
	}
	defer socket.CloseNow() //nolint:errcheck // it may be closed
	socket.SetReadLimit(maxMessage)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	v := &viewer{control: session.Control, frames: make(chan *frame, 1), say: make(chan []byte, 64), lost: cancel, inbox: h.inboxOf(session, r.URL.Query().Get("view")), arrived: make(chan struct{}, 1)}
	l := h.view(v)
	if l == nil {
		_ = socket.Close(websocket.StatusNormalClosure, "ended")
		return
	}
	defer l.leave(v)
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer cancel()
		l.read(ctx, socket, v)
	}()
	l.write(ctx, socket, v)
	<-ctx.Done()
	<-read // what is being done is done whole: the view ends with the last who leaves
}

// read does what a viewer asks for, in order.
func (l *live) read(ctx context.Context, socket *websocket.Conn, v *viewer) {
	for {
		_, data, err := socket.Read(ctx)
		if err != nil {
			return
		}
		var c command
		if json.Unmarshal(data, &c) != nil || !v.control {
			continue
		}
		v.once(c.N, func() { l.take(ctx, v, c) })
	}
}

// take does one thing that a viewer asks for.
func (l *live) take(ctx context.Context, v *viewer, c command) {
	switch c.Type {
	case "done", "not_yet", "abort":
		// A phone that sleeps as soon as it has sent this has returned the page all the same.
		if _, err := l.h.resolve(context.WithoutCancel(ctx), c.Type); err != nil {
			l.h.desk.options.Logger.WarnContext(ctx, "a page was not returned", "handoff", l.h.ID(), "error", err)
		}
		l.look()
	default:
		if reply := l.do(c); reply != nil {
			if data, err := json.Marshal(reply); err == nil {
				v.tell(data)
			}
		}
	}
}

// write sends a viewer frames and messages, until it is lost or the handoff has ended.
func (l *live) write(ctx context.Context, socket *websocket.Conn, v *viewer) {
	send := func(kind websocket.MessageType, data []byte) error {
		bounded, cancel := context.WithTimeout(ctx, writeTimeout)
		defer cancel()
		return socket.Write(bounded, kind, data)
	}
	say := func(message any) error {
		data, err := json.Marshal(message)
		if err != nil {
			return err
		}
		return send(websocket.MessageText, data)
	}
	if say(map[string]any{"t": "hello", "control": v.control, "seen": v.inbox.seen.Load()}) != nil {
		return
	}
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	var shown shape
	for {
		var err error
		select {
		case data := <-v.say:
			err = send(websocket.MessageText, data)
		case <-v.arrived:
			err = say(map[string]any{"t": "seen", "n": v.inbox.seen.Load()})
		case f := <-v.frames:
			if f.shape != shown {
				shown = f.shape
				err = say(shown)
			}
			if err == nil {
				err = send(websocket.MessageBinary, f.data)
			}
			go f.sent()
		case <-ping.C:
			bounded, cancel := context.WithTimeout(ctx, pongTimeout)
			err = socket.Ping(bounded)
			cancel()
		case <-l.h.done:
			result, _ := l.h.Wait(ctx)
			ended := map[string]any{"t": "end", "status": result.Status, "offer": v.control && l.h.desk.offerOf(l.h.ID()) != nil}
			if why := l.h.learning.why(); why != "" && v.control && result.Status == Finished {
				ended["lost"] = why
			}
			_ = say(ended)
			_ = socket.Close(websocket.StatusNormalClosure, "ended")
			return
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// serveFile answers the page with the files that it has asked for.
func (d *Desk) serveFile(w http.ResponseWriter, r *http.Request, id string) {
	h, session := d.admitted(w, r, id)
	if h == nil {
		return
	}
	h.mu.Lock()
	l := h.live
	h.mu.Unlock()
	if !session.Control || l == nil {
		http.Error(w, "only the one who has control chooses files", http.StatusForbidden)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
	err := l.choose(func(dir string) ([]string, error) { return saveFiles(dir, r) })
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, fmt.Sprintf("the files have more than %d MiB", maxUpload>>20), http.StatusRequestEntityTooLarge)
	case errors.Is(err, errNoChooser):
		http.Error(w, "the page asks for no file", http.StatusConflict)
	case err != nil:
		http.Error(w, "the files were not given to the page: choose them again", http.StatusBadRequest)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// saveFiles stores the files of a form, each under its own name in a directory of its own.
func saveFiles(dir string, r *http.Request) (paths []string, err error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, err
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return paths, nil
		}
		if err != nil {
			return nil, err
		}
		if len(paths) == maxFiles {
			return nil, fmt.Errorf("handoff: more than %d files", maxFiles)
		}
		place := filepath.Join(dir, fmt.Sprint(len(paths)))
		if err := os.Mkdir(place, 0o700); err != nil {
			return nil, err
		}
		path := filepath.Join(place, fileName(part.FileName()))
		if err := save(path, part); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
}

// fileName is the name of a file as it is stored: a name alone, which every file system takes.
func fileName(given string) string {
	name := filepath.Base(filepath.Clean("/" + strings.ReplaceAll(given, "\\", "/")))
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return '_'
		}
		return r
	}, name)
	if name == "/" || name == "." {
		return "file"
	}
	if ext := filepath.Ext(name); len(name) > maxName {
		if len(ext) > maxName/4 {
			ext = ""
		}
		name = strings.ToValidUTF8(name[:maxName-len(ext)], "") + ext
	}
	return name
}

func save(path string, from io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}
