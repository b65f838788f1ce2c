package providers

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/internal/weburl"
)

// How services are asked.
const (
	// requestTimeout is for one request: services answer a new session when its browser runs.
	requestTimeout = 30 * time.Second
	// maxAttempts of what may be sent again, with firstPause doubled between them.
	maxAttempts = 3
	firstPause  = 500 * time.Millisecond
	// maxLimitWait is how long a service's limits are waited out where ctx allows more: longer
	// than the minute by which they are counted.
	maxLimitWait = 2 * time.Minute
	// cleanupTimeout is for looking for a session that may have begun, also after ctx.
	cleanupTimeout = 20 * time.Second
	// maxReply of a service: a full page of sessions has some hundred KiB.
	maxReply = 4 << 20
	// maxReason is what is repeated of what a service says.
	maxReason = 200
)

// client speaks to the API of a service.
type client struct {
	name   string
	header string // that the key is sent in
	base   *url.URL
	key    func(context.Context) (automation.Secret, error)
	log    *slog.Logger
	http   *http.Client
}

func newClient(name, header, own string, o *Options) (*client, error) {
	u, err := url.Parse(baseURL(o, name, own))
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("the address of %s's API cannot be read: it is like %s", name, own)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !weburl.IsLocalEndpoint(u.Hostname())) {
		return nil, fmt.Errorf("the address of %s's API is not https: the key would be readable on the way", name)
	}
	key := o.Key
	if key == nil {
		key = fromEnv(name)
	}
	return &client{name, header, u, key, o.Logger, &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key goes nowhere else
	}}, nil
}

// request is one of the API.
type request struct {
	op           string // what it does, for errors
	method, path string
	query        url.Values
	body         any
	once         bool // it is not to be sent again where it may have arrived
}

// do sends a request, and decodes the answer. The service's limits are waited out within ctx,
// and its failures, unless the request is to be sent once.
func (c *client) do(ctx context.Context, r request, out any) error {
	waited := time.Duration(0)
	for attempt := 1; ; attempt++ {
		failed := c.send(ctx, r, out)
		if failed == nil {
			return nil
		}
		pause := firstPause << min(attempt-1, 6)
		switch {
		case failed.Code == browser.ProviderRateLimited: // nothing was done
			pause = max(pause, failed.After)
		case failed.Code == browser.ProviderUnavailable && attempt < maxAttempts && (!r.once || neverSent(failed)):
		default:
			return failed
		}
		waited += pause
		if deadline, has := ctx.Deadline(); waited > maxLimitWait || has && time.Now().Add(pause).After(deadline) {
			return failed
		}
		c.log.InfoContext(ctx, "waiting for the browser provider", "provider", c.name, "because", failed.Code, "for", pause)
		if err := wait(ctx, pause); err != nil {
			failed.Err = err
			return failed
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// neverSent reports whether a request has not reached the service.
func neverSent(failed *browser.ProviderError) bool {
	var at *net.OpError
	return errors.As(failed.Err, &at) && at.Op == "dial"
}

// send sends a request once.
func (c *client) send(ctx context.Context, r request, out any) *browser.ProviderError {
	failed := &browser.ProviderError{Provider: c.name, Op: r.op, Code: browser.ProviderUnavailable}
	key, err := c.ownKey(ctx)
	if err != nil {
		failed.Code, failed.Err, failed.Advice = browser.ProviderUnauthorized, err, "put the key into $"+keyEnv(c.name)
		return failed
	}
	secrets := redact.New(key)
	bounded, cancel := load.WithTimeoutCause(ctx, requestTimeout, fmt.Errorf("it did not answer within %v", requestTimeout))
	defer cancel()
	status, retryAfter, body, err := c.roundTrip(bounded, r, key)
	switch {
	case bounded.Err() != nil && err != nil:
		failed.Err = context.Cause(bounded)
	case errors.Is(err, errTooLarge):
		failed.Code, failed.Err = browser.ProviderBadReply, err
	case err != nil:
		failed.Err = withoutSecrets(err, secrets)
	case status >= 300:
		failed.Status, failed.Code = status, codeOf(status)
		failed.Reason = reasonIn(body, secrets)
		if failed.Code == browser.ProviderRateLimited {
			failed.After = retryAfter
		}
	case out != nil && json.Unmarshal(body, out) != nil: // its errors quote the answer
		failed.Code, failed.Status, failed.Err = browser.ProviderBadReply, status, errors.New("it is not the JSON that was asked for")
	default:
		return nil
	}
	return failed
}

// ownKey returns the key, if it is for this address.
func (c *client) ownKey(ctx context.Context) (string, error) {
	secret, err := c.key(ctx)
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(secret.Reveal())
	switch {
	case key == "":
		return "", errors.New("there is no key")
	case secret.HasOrigins() && !secret.AllowedOn(weburl.Origin(c.base)):
		return "", errors.New("the key may not be sent to " + weburl.Origin(c.base))
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("the key has characters that no key has")
	}
	return key, nil
}

var errTooLarge = fmt.Errorf("it has more than %d bytes", maxReply)

func (c *client) roundTrip(ctx context.Context, r request, key string) (status int, retryAfter time.Duration, body []byte, err error) {
	address := c.base.JoinPath(r.path)
	address.RawQuery = r.query.Encode()
	var sent io.Reader
	if r.body != nil {
		data, err := json.Marshal(r.body)
		if err != nil {
			return 0, 0, nil, err
		}
		sent = bytes.NewReader(data)
	}
	asked, err := http.NewRequestWithContext(ctx, r.method, address.String(), sent)
	if err != nil {
		return 0, 0, nil, err
	}
	asked.Header.Set(c.header, key)
	asked.Header.Set("Accept", "application/json")
	if sent != nil {
		asked.Header.Set("Content-Type", "application/json")
	}
	asked.GetBody = nil // net/http would send it again on a connection that has just ended
	answer, err := c.http.Do(asked)
	if err != nil {
		return 0, 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(answer.Body, maxReply+1))
	if err == nil && len(body) > maxReply {
		err = errTooLarge
	}
	return answer.StatusCode, retryAfterOf(answer.Header.Get("Retry-After"), time.Now()), body, err
}

// retryAfterOf reads the header in both of its forms: seconds, and a date.
func retryAfterOf(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

func codeOf(status int) browser.ProviderErrorCode {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return browser.ProviderUnauthorized
	case http.StatusPaymentRequired:
		return browser.ProviderPaymentRequired
	case http.StatusNotFound, http.StatusGone:
		return browser.ProviderNotFound
	case http.StatusConflict:
		return browser.ProviderConflict
	case http.StatusTooManyRequests:
		return browser.ProviderRateLimited
	case http.StatusRequestTimeout:
		return browser.ProviderUnavailable
	}
	switch {
	case status >= 500:
		return browser.ProviderUnavailable
	case status >= 400:
		return browser.ProviderInvalidRequest
	}
	return browser.ProviderBadReply // a redirect, which is not followed
}

// reasonIn returns what a service says of a failure: "" where that has a secret or an address in it.
func reasonIn(body []byte, secrets *redact.Index) string {
	var said struct {
		Message string          `json:"message"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &said) != nil {
		return ""
	}
	text := said.Message
	if text == "" && json.Unmarshal(said.Error, &text) != nil {
		var within struct {
			Message string `json:"message"`
		}
		_ = json.Unmarshal(said.Error, &within) // another form of it says nothing
		text = within.Message
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
	if strings.Contains(text, "://") || secrets.In(text) {
		return ""
	}
	if runes := []rune(text); len(runes) > maxReason {
		text = string(runes[:maxReason]) + "…"
	}
	return text
}

// withoutSecrets is an error of HTTP without the address, and without what the other side wrote
// where that has a secret in it.
func withoutSecrets(err error, secrets *redact.Index) error {
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	if secrets.In(err.Error()) {
		return errors.New("the connection failed")
	}
	return err
}

// open opens a session by create, which marks it with a tag that is new each time. Where it may
// have begun without that being known here, discard ends what has that tag; then it is tried again.
func (c *client) open(ctx context.Context, create func(tag string) (*browser.Session, error), discard func(ctx context.Context, tag string) error) (*browser.Session, error) {
	for attempt := 1; ; attempt++ {
		tag := newTag()
		s, err := create(tag)
		if err == nil {
			c.log.InfoContext(ctx, "a browser session is open", "provider", c.name, "id", s.ID, "region", s.Region, "expires", s.Expires)
			return s, nil
		}
		var failed *browser.ProviderError
		if !errors.As(err, &failed) || failed.Code != browser.ProviderUnavailable && failed.Code != browser.ProviderBadReply || neverSent(failed) {
			return nil, err
		}
		looking, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		lost := discard(looking, tag)
		cancel()
		if lost != nil {
			failed.Advice = "a session may have begun that could not be found and ended: look in the provider's dashboard; it ends by its time-out"
			return nil, err
		}
		if failed.Code == browser.ProviderBadReply || attempt == maxAttempts || ctx.Err() != nil || wait(ctx, firstPause<<(attempt-1)) != nil {
			return nil, err
		}
	}
}

// newTag is a random UUID (RFC 9562, version 4).
func newTag() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, says its package
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// sessionID is what IDs of sessions look like: they become a part of a path.
var sessionID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// checkID refuses an ID that no session has, before anything is sent.
func (c *client) checkID(op, id string) error {
	if sessionID.MatchString(id) {
		return nil
	}
	return &browser.ProviderError{Provider: c.name, Op: op, Code: browser.ProviderNotFound}
}

// badReply is an answer that says what cannot be.
func (c *client) badReply(op, why string) error {
	return &browser.ProviderError{Provider: c.name, Op: op, Code: browser.ProviderBadReply, Err: errors.New(why)}
}

// secretAddress checks an address that a service has answered, which is as good as a key.
func (c *client) secretAddress(op, address string, schemes ...string) (automation.Secret, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return automation.Secret{}, c.badReply(op, "an address in it cannot be read")
	}
	if u.Scheme != schemes[0] && (c.base.Scheme != "http" || u.Scheme != schemes[1] || !weburl.IsLocalEndpoint(u.Hostname())) {
		return automation.Secret{}, c.badReply(op, "an address in it is not "+schemes[0])
	}
	return automation.NewSecret(address)
}

func (c *client) socket(op, address string) (automation.Secret, error) {
	return c.secretAddress(op, address, "wss", "ws")
}

func (c *client) viewer(op, address string) (automation.Secret, error) {
	return c.secretAddress(op, address, "https", "http")
}

// warnOfView says once for a session what its live view means.
func (c *client) warnOfView(ctx context.Context, id string) {
	c.log.WarnContext(ctx, "the provider's live view is on: anyone who has its link has the browser", "provider", c.name, "id", id)
}

// end ends a session by release, and takes one that has ended already for ended.
func (c *client) end(ctx context.Context, id string, release request, running func(ctx context.Context, id string) (bool, error)) error {
	if !sessionID.MatchString(id) {
		return nil // there is none of that name
	}
	err := c.do(ctx, release, nil)
	var failed *browser.ProviderError
	switch {
	case err == nil:
		c.log.InfoContext(ctx, "a browser session is ended", "provider", c.name, "id", id)
		return nil
	case !errors.As(err, &failed):
		return err
	case failed.Code == browser.ProviderNotFound:
		return nil
	case failed.Code != browser.ProviderConflict && failed.Code != browser.ProviderInvalidRequest:
		return err
	}
	if still, looked := running(ctx, id); looked != nil || still {
		return err
	}
	return nil
}

// check refuses options that a provider has no capability for.
func check(p browser.Provider, o *browser.SessionOptions) error {
	can := p.Capabilities()
	lacks := ""
	switch {
	case o.Region != "" && len(can.Regions) == 0:
		lacks = "it has no regions to choose from"
	case o.Context != "" && !can.Contexts, o.SaveContext && !can.Contexts:
		lacks = "it stores no cookies from one session to the next: use a saved login"
	case o.SaveContext && o.Context == "":
		lacks = "SaveContext needs the name of a context"
	case o.KeepAlive && !can.KeepAlive:
		lacks = "it cannot keep a browser alive without a connection"
	case o.Timeout < 0, can.MaxSession > 0 && o.Timeout > can.MaxSession:
		lacks = fmt.Sprintf("a session lasts at most %v", can.MaxSession)
	case o.Timeout > 0 && can.MaxSession == 0:
		lacks = "it ends no sessions by time"
	case o.BlockAds && can.MaxSession == 0:
		lacks = "it blocks no advertisements"
	default:
		return nil
	}
	return &browser.ProviderError{Provider: p.Name(), Op: "opening a session", Code: browser.ProviderInvalidRequest, Err: errors.New(lacks)}
}
