// Package desk shows a recording to the user who makes it, and lets them edit it: a page
// on this machine's loopback address, for a window next to the recorded one.
//
// The link of a desk opens it once: the secret in its fragment, which browsers send to no
// server, is exchanged for a session of one browser. Pages that the user visits meanwhile
// can neither read the desk nor press anything there.
package desk

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-reprise/reprise/internal/httpserver"
	"github.com/go-reprise/reprise/recorder"
)

// Options of a desk. The zero value, or nil, works.
type Options struct {
	// Stop is called, once, when the user ends the recording at the desk. Default:
	// the recording is stopped, and Recorder.Stop returns what there is.
	Stop func()
	// Logger logs requests that were refused. Default: not logged.
	Logger *slog.Logger
}

// Desk is a recording desk that is open.
type Desk struct {
	recorder *recorder.Recorder
	host     string // and port
	path     string // under which everything is: cookies know no ports
	stop     func()
	log      *slog.Logger
	server   *http.Server
	start    func(work func(context.Context)) // work that ends with the desk
	close    sync.Once
	closed   error
	end      func() error

	mu       sync.Mutex
	links    map[string]bool // secrets of links that were not used
	sessions map[string]bool
	note     note
	noted    chan struct{} // closed and replaced with each note
}

// note is a message of the desk's own.
type note struct {
	Text  string `json:"text"`
	Count int    `json:"count"` // the same can be said twice
}

// readTimeout bounds how long the body of a request may take to come.
const readTimeout = 10 * time.Second

// Serve opens a desk for a recording, on a port of its own. Close it; it ends with
// ctx, too.
func Serve(ctx context.Context, rec *recorder.Recorder, o *Options) (*Desk, error) {
	if o == nil {
		o = &Options{}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("opening the recording desk: %w", err)
	}
	d := &Desk{
		recorder: rec, host: listener.Addr().String(), path: "/" + newSecret() + "/", stop: o.Stop, log: o.Logger,
		links: map[string]bool{}, sessions: map[string]bool{}, noted: make(chan struct{}),
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(ctx)
	if d.stop == nil {
		d.stop = func() { d.start(func(ctx context.Context) { _, _, _ = rec.Stop(ctx) }) } // the caller of Recorder.Stop gets the result
	}
	d.stop = sync.OnceFunc(d.stop)
	d.server = httpserver.New(d.handler(), &httpserver.Options{BodyTimeout: readTimeout, MaxBody: maxBody})
	d.server.BaseContext = func(net.Listener) context.Context { return ctx }
	d.server.ErrorLog = slog.NewLogLogger(d.log.Handler(), slog.LevelDebug)
	var work sync.WaitGroup
	d.start = func(f func(context.Context)) { work.Go(func() { f(ctx) }) }
	work.Go(func() {
		if err := d.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			d.log.Error("the recording desk has ended", "error", err)
		}
	})
	ends := context.AfterFunc(ctx, func() { _ = d.server.Close() })
	d.end = func() error {
		ends()
		cancel()
		err := d.server.Close()
		work.Wait()
		return err
	}
	return d, nil
}

// URL returns a link that opens the desk, once, in one browser. Each call returns another.
func (d *Desk) URL() string {
	secret := newSecret()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.links[secret] = true
	return "http://" + d.host + d.path + "#" + secret
}

// Close closes the desk. The recording goes on. It may be called again.
func (d *Desk) Close() error {
	d.close.Do(func() { d.closed = d.end() })
	return d.closed
}

// say shows a message to the user.
func (d *Desk) say(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note = note{Text: text, Count: d.note.Count + 1}
	close(d.noted)
	d.noted = make(chan struct{})
}

func (d *Desk) lastNote() (note, <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.note, d.noted
}

// newSecret returns a secret that is too long to guess.
func newSecret() string {
	var random [24]byte
	_, _ = rand.Read(random[:]) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(random[:])
}
