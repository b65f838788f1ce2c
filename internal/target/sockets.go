package target

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
)

// Sent is what a page has sent that may save something, a frame over a WebSocket or a request of its
// scripts that does more than read: where to and when, never what it carries.
type Sent struct {
	URL    string    // of a socket with http or https for its scheme; "" for one that was open before the watch
	Size   int       // of a frame, as the protocol writes it
	At     time.Time // when the browser's report came
	Opened time.Time // the socket; zero for one that was open before the watch, and for a request
	Beat   bool      // one of several of its size that came at equal intervals: a timer sends it
	Frame  bool      // it is one, and no request
}

// How frames of one size are known as a timer's: their last two intervals are equal but for
// what timers are late. Keys follow one another sooner than any heartbeat.
const (
	minBeat   = 200 * time.Millisecond
	beatSlack = 50 * time.Millisecond
	maxSizes  = 100 // that are remembered of a socket
)

// sockets are what is known of a page's WebSockets.
type sockets struct {
	all   map[string]*socket // by session and request
	count int                // of the frames that were sent, heartbeats left out
}

type socket struct {
	url    string
	opened time.Time
	last   int  // the number of its last frame that was no heartbeat, 0 for none
	waits  bool // nothing has come over it since it was opened, or something was sent
	sizes  map[int]rhythm
}

// rhythm is when frames of one size came.
type rhythm struct {
	last, interval float64 // in seconds; 0 while unknown
}

// WatchSent calls sent, with the tree locked, for all that the page, its frames, and the pages that it
// opens meanwhile send, with the workers that belong to one of them alone. Stop it.
func (p *Page) WatchSent(ctx context.Context, sent func(*Page, Sent)) (*Traffic, error) {
	return p.watch(ctx, sent)
}

// socketEvent is what the browser reports of a socket, as far as it is of interest here.
type socketEvent struct {
	RequestID string  `json:"requestId"`
	URL       string  `json:"url"`
	Timestamp float64 `json:"timestamp"`
	Response  struct {
		Size size `json:"payloadData"`
	} `json:"response"`
}

// size is the length of a JSON value: the value is dropped as it is read.
type size int

func (s *size) UnmarshalJSON(data []byte) error {
	*s = size(len(data))
	return nil
}

var socketEvents = map[string]func(*Traffic, *Page, string, socketEvent){
	"Network.webSocketCreated":   (*Traffic).onSocket,
	"Network.webSocketFrameSent": (*Traffic).onSent,

	"Network.webSocketFrameReceived": (*Traffic).onAnswer,
	"Network.webSocketFrameError":    (*Traffic).onAnswer,
	"Network.webSocketClosed":        (*Traffic).onAnswer,
}

func (t *Traffic) onSocketEvent(e cdp.Event, handle func(*Traffic, *Page, string, socketEvent)) {
	tree := t.page.tree
	tree.mu.Lock()
	defer tree.mu.Unlock()
	s := tree.watched(e.SessionID)
	if s == nil || s.page != t.page && !s.page.isOf(t.page, t.since) {
		return
	}
	var said socketEvent
	if json.Unmarshal(e.Params, &said) != nil {
		return
	}
	handle(t, s.page, s.id+" "+said.RequestID, said)
	tree.change()
}

func (t *Traffic) onSocket(_ *Page, id string, said socketEvent) {
	if s := t.socket(id); s != nil {
		s.url, s.opened, s.waits = strings.Replace(said.URL, "ws", "http", 1), time.Now(), true
	}
}

func (t *Traffic) onAnswer(_ *Page, id string, _ socketEvent) {
	if s := t.sockets.all[id]; s != nil {
		s.waits = false
	}
}

// socket returns what is known of a socket, nil where there are too many.
func (t *Traffic) socket(id string) *socket {
	s := t.sockets.all[id]
	if s == nil && len(t.sockets.all) < keptExchanges {
		s = &socket{sizes: map[int]rhythm{}}
		t.sockets.all[id] = s
	}
	return s
}

func (t *Traffic) onSent(p *Page, id string, said socketEvent) {
	s := t.socket(id)
	if s == nil {
		return
	}
	sent := Sent{URL: s.url, Size: int(said.Response.Size), At: time.Now(), Opened: s.opened, Frame: true}
	if sent.Beat = s.beats(sent.Size, said.Timestamp); !sent.Beat {
		t.sockets.count++
		s.last, s.waits = t.sockets.count, true
	}
	if t.sent != nil {
		t.sent(p, sent)
	}
}

// beats notes a frame, and reports whether it continues the rhythm of those of its size.
func (s *socket) beats(size int, at float64) bool {
	before, known := s.sizes[size]
	if !known && len(s.sizes) >= maxSizes {
		clear(s.sizes)
	}
	now := rhythm{last: at}
	if known {
		now.interval = at - before.last
	}
	s.sizes[size] = now
	slack := max(beatSlack.Seconds(), before.interval/10)
	return before.interval >= minBeat.Seconds() && now.interval > before.interval-slack && now.interval < before.interval+slack
}

// MarkSent is the number of frames sent so far, without heartbeats.
func (t *Traffic) MarkSent() int {
	t.page.tree.mu.Lock()
	defer t.page.tree.mu.Unlock()
	return t.sockets.count
}

// lastSent returns the number of the last frame after a mark on a socket whose address satisfies ok, 0
// for none. A socket that was open before the watch may have any address. The tree is locked.
func (t *Traffic) lastSent(mark int, ok func(url string) bool) (number int) {
	for _, s := range t.sockets.all {
		if s.last > max(mark, number) && (s.url == "" || ok(s.url)) {
			number = s.last
		}
	}
	return number
}

// WaitReplyOrSent returns when a request after a mark whose address satisfies ok was answered, with
// the mark after it, or when a frame was sent after a mark of MarkSent on such a socket.
func (t *Traffic) WaitReplyOrSent(ctx context.Context, mark, sentMark int, ok func(url string) bool) (after int, sent bool, err error) {
	after = mark
	err = t.page.tree.Wait(ctx, func() (bool, error) {
		for i, e := range t.all[min(mark, len(t.all)):] {
			if e.Status != 0 && ok(e.URL) {
				after = mark + i + 1
				return true, nil
			}
		}
		sent = t.lastSent(sentMark, ok) > 0
		return sent, t.page.err()
	})
	return after, sent, err
}

var errNothingSent = errors.New("nothing more is sent")

// WaitQuiet returns when the page has sent nothing more for a while that may save something: no
// frame, heartbeats left out, on a socket whose address satisfies ok after a mark of MarkSent; no
// request after a mark whose address satisfies ok, or which does more than read. Those are answered then.
func (t *Traffic) WaitQuiet(ctx context.Context, mark, sentMark int, ok func(url string) bool, quiet time.Duration) error {
	type seen struct{ requests, open, frame int }
	look := func() (s seen) { // the tree is locked
		for _, e := range t.all[min(mark, len(t.all)):] {
			if !ok(e.URL) && e.onlyReads() {
				continue
			}
			s.requests++
			if e.Status == 0 && e.Failed == "" {
				s.open++
			}
		}
		s.frame = t.lastSent(sentMark, ok)
		return s
	}
	for {
		var before seen
		t.page.tree.Do(func() { before = look() })
		bounded, cancel := context.WithTimeoutCause(ctx, quiet, errNothingSent)
		err := t.page.tree.Wait(bounded, func() (bool, error) { return look() != before, t.page.err() })
		cancel()
		switch {
		case errors.Is(err, errNothingSent) && before.open == 0:
			return nil
		case err != nil && !errors.Is(err, errNothingSent):
			return err
		}
	}
}
