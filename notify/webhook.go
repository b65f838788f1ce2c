package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
)

// The headers of a webhook's request.
const (
	TimestampHeader = "Reprise-Timestamp"
	SignatureHeader = "Reprise-Signature"
)

const (
	webhookName   = "webhook"
	signatureForm = "v1="
	// leastKey keeps keys from being guessed.
	leastKey = 16
)

// Webhook posts messages as JSON to an address, signed. It sends no links: it does not reach one person alone.
type Webhook struct {
	address string
	key     automation.Secret
	http    *http.Client
}

// WebhookOptions are the options of a Webhook.
type WebhookOptions struct {
	// Client makes the requests. Default: one of its own.
	Client *http.Client
}

// NewWebhook makes a channel to an https address, or an http one of this machine. The receiver has the same key, of 16
// characters or more.
func NewWebhook(address string, key automation.Secret, o *WebhookOptions) (*Webhook, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && weburl.IsLoopback(u.Hostname())) {
		return nil, &SendError{Channel: webhookName, Reason: "its address is neither https nor of this machine", Next: "check notify.webhook.url"}
	}
	if len(key.Reveal()) < leastKey {
		return nil, &SendError{Channel: webhookName, Reason: fmt.Sprintf("it has no key to sign with, of %d characters or more", leastKey), Next: "set the same one here and where it is received"}
	}
	client := &http.Client{}
	if o != nil && o.Client != nil {
		*client = *o.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Webhook{address, key, client}, nil
}

// Name is "webhook".
func (w *Webhook) Name() string { return webhookName }

// Payload is the body of a webhook's request.
type Payload struct {
	// Key is that of the message: a receiver that has seen it leaves the request alone.
	Key      string    `json:"key,omitempty"`
	Kind     string    `json:"kind"`
	Title    string    `json:"title,omitempty"`
	Text     string    `json:"text,omitempty"`
	Deadline time.Time `json:"deadline,omitzero"`
	At       time.Time `json:"at"`
	// Picture is a PNG, of the request that follows a message with the same key, whose Kind is "picture".
	Picture []byte `json:"picture,omitempty"`
}

// Send posts a message.
func (w *Webhook) Send(ctx context.Context, m Message) (string, error) {
	kind := m.Kind
	if kind == "" {
		kind = "message"
	}
	text := strings.TrimSpace(m.Text + "\n" + m.NoLink)
	return "", w.post(ctx, Payload{Key: m.Key, Kind: kind, Title: m.Title, Text: text, Deadline: m.Deadline, At: time.Now().UTC()})
}

// SendPicture posts a picture.
func (w *Webhook) SendPicture(ctx context.Context, m Message, _ string, png []byte) (string, error) {
	return "", w.post(ctx, Payload{Key: m.Key, Kind: "picture", Title: m.Title, At: time.Now().UTC(), Picture: png})
}

func (w *Webhook) post(ctx context.Context, p Payload) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address, bytes.NewReader(data))
	if err != nil {
		return &SendError{Channel: webhookName, Reason: "its address cannot be used", Next: "check notify.webhook.url"}
	}
	at := strconv.FormatInt(p.At.Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(TimestampHeader, at)
	r.Header.Set(SignatureHeader, signatureForm+sign(w.key.Reveal(), at, data))
	reply, err := w.http.Do(r)
	if err != nil {
		return w.failed(err)
	}
	_ = reply.Body.Close()
	if reply.StatusCode/100 == 2 {
		return nil
	}
	e := answered(webhookName, reply.StatusCode)
	if seconds, err := strconv.Atoi(reply.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.After = time.Duration(min(seconds, 3600)) * time.Second
	}
	if reply.StatusCode == http.StatusUnauthorized || reply.StatusCode == http.StatusForbidden {
		e.Next = "the receiver has another key, or a clock that is wrong"
	}
	return e
}

// failed leaves the address out, whose path is often a key.
func (w *Webhook) failed(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return unanswered(webhookName)
	case !isUnreached(err):
		return unread(webhookName)
	}
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err
	}
	return &SendError{Channel: webhookName, Reason: "it cannot be reached: " + strings.ReplaceAll(err.Error(), w.address, "[secret]"), Retry: true}
}

func sign(key, at string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// Verify returns why a webhook's request is not from a sender that has the key, or is not of this time, give or take
// five minutes; nil where it is. Its body was read before.
func Verify(key automation.Secret, header http.Header, body []byte, now time.Time) error {
	at := header.Get(TimestampHeader)
	seconds, err := strconv.ParseInt(at, 10, 64)
	given, is := strings.CutPrefix(header.Get(SignatureHeader), signatureForm)
	switch {
	case err != nil || !is:
		return errors.New("notify: the request is not signed")
	case !hmac.Equal([]byte(given), []byte(sign(key.Reveal(), at, body))):
		return errors.New("notify: the request has another signature")
	case now.Sub(time.Unix(seconds, 0)).Abs() > 5*time.Minute:
		return errors.New("notify: the request is not of this time")
	}
	return nil
}
