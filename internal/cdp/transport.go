package cdp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/go-reprise/reprise/internal/load"
)

// Transport carries whole messages. Send is called by one goroutine and Read by
// another one; Close, by any, makes both return. Send does not keep data; what
// Read returns is good until the next Read.
type Transport interface {
	Send(data []byte) error
	Read() ([]byte, error)
	Close() error
}

// maxMessage bounds what is read into memory for one message. Chrome's own
// bound is 256 MiB; the largest that a page causes (a full-page screenshot, a
// heap of cookies) are a tenth of it.
const maxMessage = 256 << 20

// readBuffer holds most messages whole; larger ones grow a buffer of their own.
const readBuffer = 64 << 10

// errTooBig ends a connection before it fills the memory.
var errTooBig = fmt.Errorf("a message is larger than %d MiB", maxMessage>>20)

// DialWebSocket connects to a browser's endpoint (ws:// or wss://). ctx bounds
// the connecting only.
func DialWebSocket(ctx context.Context, url string) (Transport, error) {
	conn, _, err := websocket.Dial(ctx, url, nil) // the default is not to compress
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	conn.SetReadLimit(maxMessage)
	alive, end := context.WithCancel(context.Background())
	s := &socket{conn: conn, end: end}
	go s.stayAlive(alive)
	return s, nil
}

type socket struct {
	conn *websocket.Conn
	in   buffer
	end  context.CancelFunc
}

// pingEvery is how often a browser is asked whether it is there, and how long it may take to
// say so: a network that is gone closes no connection.
const pingEvery = 15 * time.Second

// stayAlive ends a connection over which nothing comes back.
func (s *socket) stayAlive(ctx context.Context) {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		answered, cancel := load.WithTimeout(ctx, pingEvery)
		err := s.conn.Ping(answered)
		cancel()
		if err != nil {
			_ = s.Close()
			return
		}
	}
}

func (s *socket) Send(data []byte) error {
	return s.conn.Write(context.Background(), websocket.MessageText, data)
}

func (s *socket) Read() ([]byte, error) {
	_, r, err := s.conn.Reader(context.Background())
	if err != nil {
		return nil, err
	}
	return s.in.readAll(r)
}

// Close does not wait for the browser's closing frame: a browser that is stuck
// would make it wait for seconds.
func (s *socket) Close() error {
	s.end()
	_ = s.conn.CloseNow() // it is gone either way
	return nil
}

// buffer is read into again and again.
type buffer struct{ b []byte }

func (b *buffer) readAll(r io.Reader) ([]byte, error) {
	if cap(b.b) == 0 || cap(b.b) > maxKept*16 {
		b.b = make([]byte, 0, readBuffer)
	}
	b.b = b.b[:0]
	for {
		n, err := r.Read(b.b[len(b.b):cap(b.b)])
		b.b = b.b[:len(b.b)+n]
		if errors.Is(err, io.EOF) {
			return b.b, nil
		}
		if err != nil {
			return nil, err
		}
		if len(b.b) == cap(b.b) {
			b.b = append(b.b, 0)[:len(b.b)]
		}
	}
}

// NewPipe is Chrome's --remote-debugging-pipe: messages that end with a NUL,
// written to in (the browser's descriptor 3) and read from out (its 4).
func NewPipe(in io.WriteCloser, out io.ReadCloser) Transport {
	return &pipe{in: in, out: out, r: bufio.NewReaderSize(out, readBuffer)}
}

type pipe struct {
	in   io.WriteCloser
	out  io.ReadCloser
	r    *bufio.Reader
	sent []byte // one message and its NUL, so that it is one write
	long []byte // a message that is larger than r
	once sync.Once
	err  error
}

func (p *pipe) Send(data []byte) error {
	p.sent = append(append(p.sent[:0], data...), 0)
	_, err := p.in.Write(p.sent)
	if cap(p.sent) > maxKept {
		p.sent = nil
	}
	return err
}

func (p *pipe) Read() ([]byte, error) {
	if cap(p.long) > maxKept*16 {
		p.long = nil
	}
	p.long = p.long[:0]
	for {
		part, err := p.r.ReadSlice(0)
		switch {
		case err == nil && len(p.long) == 0:
			return part[:len(part)-1], nil
		case err == nil:
			p.long = append(p.long, part...)
			return p.long[:len(p.long)-1], nil
		case errors.Is(err, io.EOF) && len(p.long)+len(part) > 0:
			return nil, io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(p.long)+len(part) > maxMessage:
			return nil, errTooBig
		}
		p.long = append(p.long, part...)
	}
}

func (p *pipe) Close() error {
	p.once.Do(func() { p.err = errors.Join(p.in.Close(), p.out.Close()) })
	return p.err
}
