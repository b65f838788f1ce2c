package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"sort"
	"strings"
	"sync"
	"time"
)

// Message is what a person is told. It is plain text, and holds no secret: the caller redacts it.
type Message struct {
	// Key names the message: a Notifier sends each of the last 4096 keys once. Default: "", it is sent in any case.
	Key string
	// Kind is for programs that receive it: "request", "reminder", … Default: "message".
	Kind string
	// Title is its first line, and Text the rest. One of them is needed. Where they are too long for a channel the longest
	// lines are shortened, and if that is not enough the end is cut.
	Title, Text string
	// Whole is how many lines of the text, from its first on, are neither shortened nor cut, however long they are: a channel
	// that cannot take them does not take the message. Default: 0.
	Whole int
	// Link returns a link by which the one person who receives it has access. A channel calls it only where it reaches one
	// person. Default: nil, there is none.
	Link func(context.Context) (string, error)
	// NoLink is what those are told who get no link. Default: nothing.
	NoLink string
	// Answers says what may be answered, and is shown by a channel in which a person is heard. Default: nothing may.
	Answers string
	// Deadline is until when it counts. Default: zero, that is not said.
	Deadline time.Time
	// Buttons are shown by a channel that has them. Default: none.
	Buttons []Button
	// ReplyTo is the ID of a message of the same channel that this one answers. Default: "", none.
	ReplyTo string
	// OnSent is called once the text was sent, before its picture is. Default: nil, no one is told.
	OnSent func(context.Context, Sent)
	// Picture returns a PNG, in which what is secret is covered. It is called once the text was sent. Default: nil, none.
	Picture func(context.Context) ([]byte, error)
}

// Button is an answer that a person may press; Data comes back to the program, and is of at most 64 bytes.
type Button struct{ Label, Data string }

// Channel is a way to reach people. It is safe for concurrent use.
type Channel interface {
	// Name is for people: "telegram", "webhook", "desktop".
	Name() string
	// Send sends a message without its picture, once, and returns its ID there, "" for none. What went wrong is a
	// *SendError.
	Send(ctx context.Context, m Message) (id string, err error)
}

// Pictures is a Channel that shows pictures.
type Pictures interface {
	// SendPicture sends the picture of a message that has the ID, and returns the ID of the picture's own message, "" for
	// none.
	SendPicture(ctx context.Context, m Message, id string, png []byte) (pictureID string, err error)
}

// Sent is where a message has gone.
type Sent struct {
	Channel string `json:"channel"`
	ID      string `json:"id,omitempty"`
	// Linked reports whether it had the link.
	Linked bool `json:"linked,omitempty"`
	// Pictured reports whether its picture has followed, and PictureID is the ID of that.
	Pictured  bool   `json:"pictured,omitempty"`
	PictureID string `json:"picture_id,omitempty"`
}

// SendError is why a channel did not take a message. It holds no token, and nothing of what a server has answered.
type SendError struct {
	Channel string
	Reason  string
	Next    string // what a person does about it
	// Retry reports whether the message was certainly not taken, and may be later: after After, at the earliest.
	Retry bool
	After time.Duration
	// Unsure reports whether it may have been taken all the same: it is not sent by that channel again.
	Unsure bool
}

func (e *SendError) Error() string {
	text := "notify: " + e.Channel + ": " + e.Reason
	if e.Next != "" {
		text += " (" + e.Next + ")"
	}
	return text
}

// Error is of a message that no channel took: no one was told.
type Error struct{ Tried []*SendError }

func (e *Error) Error() string {
	if len(e.Tried) == 0 {
		return "notify: no one can be told: no channel is set up"
	}
	all := make([]string, len(e.Tried))
	for i, one := range e.Tried {
		all[i] = strings.TrimPrefix(one.Error(), "notify: ")
	}
	return "notify: no one was told: " + strings.Join(all, "; ")
}

// Limits of a Notifier.
const (
	// DefaultTimeout is how long all channels may take for a message, and DefaultChannelTimeout how long each.
	DefaultTimeout        = 20 * time.Second
	DefaultChannelTimeout = 8 * time.Second
	// attemptTimeout is how long a channel may leave one attempt without an answer, where another one may be tried. What it
	// did with the message is not known then: it is not sent there again.
	attemptTimeout = 4 * time.Second
	maxAttempts    = 4
	firstBackOff   = 200 * time.Millisecond
	// pictureTimeout is how long a picture may take, and pictureAttempts how often it is sent.
	pictureTimeout = 10 * time.Second
	// maxKeys is how many keys a Notifier remembers.
	maxKeys = 4096
)

// Options of a Notifier.
type Options struct {
	// Channels are tried in this order. One is needed.
	Channels []Channel
	// Timeout bounds what a message may take, and ChannelTimeout what each channel may. Default: DefaultTimeout and
	// DefaultChannelTimeout.
	Timeout, ChannelTimeout time.Duration
	// Logger is told when a channel fails and the next is tried. Default: silent.
	Logger *slog.Logger
}

// Notifier sends messages by the first of its channels that takes them. It is safe for concurrent use.
type Notifier struct {
	options Options

	mu     sync.Mutex
	keys   map[string]*sending
	old    []string                      // keys in the order in which they were sent
	unsure map[string]map[int]*SendError // by key, and the place of a channel which may have taken that message
}

// sending is a message that is sent, or was.
type sending struct {
	done chan struct{}
	sent Sent
	err  error
}

// New makes a Notifier.
func New(o *Options) (*Notifier, error) {
	if o == nil || len(o.Channels) == 0 {
		return nil, &Error{}
	}
	n := &Notifier{options: *o, keys: map[string]*sending{}, unsure: map[string]map[int]*SendError{}}
	if n.options.Timeout <= 0 {
		n.options.Timeout = DefaultTimeout
	}
	if n.options.ChannelTimeout <= 0 {
		n.options.ChannelTimeout = DefaultChannelTimeout
	}
	if n.options.Logger == nil {
		n.options.Logger = slog.New(slog.DiscardHandler)
	}
	return n, nil
}

// Send sends a message, and its picture after it. A key that was sent before, or is being sent, is not sent again: the
// result is that of the first time. An *Error is of a message that no one got.
func (n *Notifier) Send(ctx context.Context, m Message) (Sent, error) {
	if m.Title == "" && m.Text == "" {
		return Sent{}, errors.New("notify: a message needs a title or a text")
	}
	if m.Key == "" {
		return n.send(ctx, m)
	}
	n.mu.Lock()
	s, known := n.keys[m.Key]
	if !known {
		s = &sending{done: make(chan struct{})}
		n.keys[m.Key] = s
	}
	n.mu.Unlock()
	if known {
		select {
		case <-s.done:
			return s.sent, s.err
		case <-ctx.Done():
			return Sent{}, context.Cause(ctx)
		}
	}
	s.sent, s.err = n.send(ctx, m)
	n.mu.Lock()
	if s.err != nil {
		delete(n.keys, m.Key) // it may be tried again
	} else {
		delete(n.unsure, m.Key)
		if n.old = append(n.old, m.Key); len(n.old) > maxKeys {
			delete(n.keys, n.old[0])
			n.old = n.old[1:]
		}
	}
	n.mu.Unlock()
	close(s.done)
	return s.sent, s.err
}

// noteUnsure notes that a channel, by its place, may have taken the message of a key.
func (n *Notifier) noteUnsure(key string, channel int, e *SendError) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.unsure[key] == nil {
		if len(n.unsure) == maxKeys {
			n.unsure = map[string]map[int]*SendError{}
		}
		n.unsure[key] = map[int]*SendError{}
	}
	n.unsure[key][channel] = e
}

func (n *Notifier) send(ctx context.Context, m Message) (Sent, error) {
	bounded, cancel := context.WithTimeout(ctx, n.options.Timeout)
	defer cancel()
	failed := &Error{}
	n.mu.Lock()
	before := maps.Clone(n.unsure[m.Key])
	n.mu.Unlock()
	for i, c := range n.options.Channels {
		if e := before[i]; e != nil {
			failed.Tried = append(failed.Tried, e)
			continue
		}
		own, linked := m, false
		if m.Link != nil {
			own.Link = func(ctx context.Context) (string, error) {
				link, err := m.Link(ctx)
				linked = link != ""
				return link, err
			}
		}
		id, err := n.sendBy(bounded, c, own, i == len(n.options.Channels)-1)
		if err == nil {
			sent := Sent{Channel: c.Name(), ID: id, Linked: linked}
			if m.OnSent != nil {
				m.OnSent(ctx, sent)
			}
			sent.PictureID, sent.Pictured = n.sendPicture(ctx, c, m, id)
			return sent, nil
		}
		if ctx.Err() != nil {
			return Sent{}, context.Cause(ctx)
		}
		n.options.Logger.WarnContext(ctx, "a channel did not take a message", "channel", c.Name(), "error", err)
		failed.Tried = append(failed.Tried, err)
		if err.Unsure && m.Key != "" {
			n.noteUnsure(m.Key, i, err)
		}
	}
	return Sent{}, failed
}

// sendBy tries one channel, again where the message was certainly not taken. The last one may take all the time that there is.
func (n *Notifier) sendBy(ctx context.Context, c Channel, m Message, last bool) (id string, failed *SendError) {
	each := attemptTimeout
	if last {
		each = n.options.Timeout
	} else {
		bounded, cancel := context.WithTimeout(ctx, n.options.ChannelTimeout)
		defer cancel()
		ctx = bounded
	}
	until, _ := ctx.Deadline()
	pause := firstBackOff
	for attempt := 1; ; attempt++ {
		trying, done := context.WithTimeout(ctx, each)
		id, err := c.Send(trying, m)
		done()
		if err == nil {
			return id, nil
		}
		if !errors.As(err, &failed) {
			failed = &SendError{Channel: c.Name(), Reason: err.Error()}
		}
		wait := max(pause, failed.After)
		if !failed.Retry || attempt == maxAttempts || time.Until(until) < wait {
			return "", failed
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return "", failed
		}
		pause *= 2
	}
}

// sendPicture sends the picture of a message that was sent. One that cannot be taken or sent is left out: the text is
// what counts.
func (n *Notifier) sendPicture(ctx context.Context, c Channel, m Message, id string) (pictureID string, is bool) {
	shows, is := c.(Pictures)
	if !is || m.Picture == nil {
		return "", false
	}
	ctx, cancel := context.WithTimeout(ctx, pictureTimeout)
	defer cancel()
	png, err := m.Picture(ctx)
	if err == nil && len(png) > 0 {
		pictureID, err = shows.SendPicture(ctx, m, id, png)
	}
	var failed *SendError
	if errors.As(err, &failed) && failed.Retry {
		select {
		case <-time.After(max(firstBackOff, failed.After)):
			pictureID, err = shows.SendPicture(ctx, m, id, png)
		case <-ctx.Done():
		}
	}
	if err != nil {
		n.options.Logger.WarnContext(ctx, "the picture of a message was not sent", "channel", c.Name(), "error", err)
	}
	return pictureID, err == nil && len(png) > 0
}

// body is the text of a message for a channel, of at most so many bytes; link is "" for one that gets none.
func body(m Message, link string, limit int) string {
	var end []string
	if m.Answers != "" {
		end = append(end, m.Answers)
	}
	if !m.Deadline.IsZero() {
		end = append(end, "Until "+m.Deadline.Local().Format("15:04 MST")+".")
	}
	switch {
	case link != "":
		end = append(end, link, "Full access: do not forward.")
	case m.NoLink != "":
		end = append(end, m.NoLink)
	}
	last := strings.Join(end, "\n")
	return strings.TrimSpace(fit(m, max(0, limit-len(last)-2)) + "\n\n" + last)
}

// minLine is to how many bytes a line is shortened at most: where that is not enough, the end of a text is cut.
const minLine = 40

// fit returns the title and the text of a message in at most so many bytes, or as many as must be whole. A long line,
// which a page may have written, is shortened alone: it pushes no other out of the message.
func fit(m Message, limit int) string {
	var lines []string
	if m.Title != "" {
		lines = strings.Split(m.Title, "\n")
	}
	first := len(lines)
	lines = append(lines, strings.Split(strings.TrimSpace(m.Text), "\n")...)
	last := min(first+m.Whole, len(lines))
	isWhole := func(i int) bool { return i >= first && i < last }
	size := func(longest int) (n int) {
		for i, line := range lines {
			if n += len(line) + 1; !isWhole(i) {
				n -= max(0, len(line)-longest)
			}
		}
		return n
	}
	if longest := sort.Search(limit, func(n int) bool { return size(n+1) > limit }); longest >= minLine {
		for i := range lines {
			if !isWhole(i) {
				lines[i] = shorten(lines[i], longest)
			}
		}
	}
	if m.Whole > 0 {
		limit = max(limit, len(strings.Join(lines[:last], "\n"))+len("\n"+more))
	}
	return shorten(strings.TrimSpace(strings.Join(lines, "\n")), limit)
}

// more is where a text was cut.
const more = "…"

// shorten cuts a text to so many bytes, at the end of a character.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	text = text[:max(0, limit-len(more))]
	return strings.ToValidUTF8(text, "") + more
}

// isRefused reports whether a server that answers with a status has certainly not taken a message, and may later. A
// gateway answers 502 or 504 also when the server that it asked has taken it.
func isRefused(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusInternalServerError || status == http.StatusServiceUnavailable
}

// mayBeSent is what a person does where it is not known whether a message was taken.
const mayBeSent = "it may have been sent; check the network"

// answered is the error of a channel whose server answered with a status that is no success.
func answered(channel string, status int) *SendError {
	e := &SendError{Channel: channel, Reason: fmt.Sprintf("it answered %d", status), Retry: isRefused(status)}
	if status >= 500 && !e.Retry {
		e.Next, e.Unsure = mayBeSent, true
	}
	return e
}

// unread is the error of a channel whose server was reached and whose answer was not: no error quotes one, as it may
// repeat the message with its link.
func unread(channel string) *SendError {
	return &SendError{Channel: channel, Reason: "its answer was cut off, or is not understood", Next: mayBeSent, Unsure: true}
}

// isUnreached reports whether an error is of a server that was not reached: it quotes none of its answers.
func isUnreached(err error) bool {
	var (
		dial        *net.OpError
		lookup      *net.DNSError
		certificate *tls.CertificateVerificationError
	)
	return errors.As(err, &lookup) || errors.As(err, &certificate) || errors.As(err, &dial) && dial.Op == "dial"
}

// unanswered is the error of a channel that did not answer in time.
func unanswered(channel string) *SendError {
	return &SendError{Channel: channel, Reason: "it did not answer in time", Next: mayBeSent, Unsure: true}
}
