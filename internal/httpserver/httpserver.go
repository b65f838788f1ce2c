// Package httpserver makes HTTP servers that bound what each client may take of them: the
// time to send a request and to read an answer, and the bytes of both parts of a request.
// A stream of events lasts for as long as it likes.
package httpserver

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// Options of a server. The zero value, or nil, works.
type Options struct {
	// HeaderTimeout is how long the head of a request may take to come. Default: 10 s, far
	// more than any client needs.
	HeaderTimeout time.Duration
	// BodyTimeout is how long its body may take after that. Default: 30 s.
	BodyTimeout time.Duration
	// IdleTimeout is how long a connection stays open between two requests. Default: 2 min.
	IdleTimeout time.Duration
	// WriteTimeout is how long a client may take to read what is written at once: a whole
	// answer, or an event of a stream. Default: 1 min.
	WriteTimeout time.Duration
	// MaxHeader is how many bytes the head may have, to some thousand. Default: 64 KiB.
	MaxHeader int
	// MaxBody is how many bytes the body may have. Default: 4 MiB.
	MaxBody int64
}

// New returns a server for a handler. A body that is too large, or too slow, is answered with
// 413 or 408 whatever the handler makes of the error that it reads.
func New(h http.Handler, o *Options) *http.Server {
	if o == nil {
		o = &Options{}
	}
	header, body := cmp.Or(o.HeaderTimeout, 10*time.Second), cmp.Or(o.BodyTimeout, 30*time.Second)
	return &http.Server{
		Handler:           &limited{h, cmp.Or(o.MaxBody, 4<<20), cmp.Or(o.WriteTimeout, time.Minute)},
		ReadHeaderTimeout: header,
		ReadTimeout:       header + body,
		IdleTimeout:       cmp.Or(o.IdleTimeout, 2*time.Minute),
		MaxHeaderBytes:    cmp.Or(o.MaxHeader, 64<<10),
	}
}

// limited is a handler behind the limits that net/http does not keep itself. Its WriteTimeout
// would end every stream: there is one for each write in its place. Its ReadTimeout ends none,
// as net/http lifts it once a request has been read.
type limited struct {
	next         http.Handler
	maxBody      int64
	writeTimeout time.Duration
}

func (l *limited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &writer{ResponseWriter: w, conn: http.NewResponseController(w), timeout: l.writeTimeout}
	out.extend() // what an earlier request has left behind
	if r.ContentLength > l.maxBody {
		w.Header().Set("Connection", "close")
		http.Error(w, http.StatusText(http.StatusRequestEntityTooLarge), http.StatusRequestEntityTooLarge)
		return
	}
	r.Body = &body{ReadCloser: http.MaxBytesReader(w, r.Body, l.maxBody), writer: out}
	l.next.ServeHTTP(out, r)
	if out.refused != 0 && !out.begun {
		out.WriteHeader(out.refused)
	}
	out.extend() // for what is buffered
}

// body is that of a request.
type body struct {
	io.ReadCloser
	writer *writer
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		b.writer.refused = http.StatusRequestEntityTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		b.writer.refused = http.StatusRequestTimeout
	}
	return n, err
}

// writer answers a request.
type writer struct {
	http.ResponseWriter
	conn    *http.ResponseController
	timeout time.Duration
	refused int // the status with which the request is refused, 0 where it is not
	begun   bool
}

// extend grants the client time for the next write.
func (w *writer) extend() { _ = w.conn.SetWriteDeadline(time.Now().Add(w.timeout)) } // fails where there is no connection

func (w *writer) WriteHeader(status int) {
	if status >= http.StatusOK && !w.begun {
		w.begun = true
		if w.refused != 0 {
			status = w.refused
			w.Header().Set("Connection", "close") // the rest of the body is not read
		}
	}
	w.extend()
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(p []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	w.extend()
	return w.ResponseWriter.Write(p)
}

// FlushError is for http.ResponseController, and Flush for who asks for an http.Flusher.
func (w *writer) FlushError() error {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	w.extend()
	return w.conn.Flush()
}

func (w *writer) Flush() { _ = w.FlushError() }

// Unwrap is for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
