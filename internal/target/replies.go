package target

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Whether all of a reply has come.

// For how long the rest of a reply is waited for once nothing more of it comes, and at
// most: nobody tells of one that the page does not read, and some never end.
const (
	quietReply   = 100 * time.Millisecond
	quietShort   = 25 * time.Millisecond
	longestReply = time.Second
)

// shortReply is how long a reply may say that it is, in bytes, to come at once: what a
// server may send before it has heard back (RFC 6928, ten segments).
const shortReply = 14_600

var errQuiet = errors.New("no more of a reply comes")

// WaitOver returns when all exchanges after a mark that satisfy which are over, and what
// they gave is there, but for replies that nobody reads or that do not end.
func (t *Traffic) WaitOver(ctx context.Context, mark int, which func(Exchange) bool) error {
	if err := t.waitAll(ctx, mark, which, (*Exchange).Over); err != nil {
		return err
	}
	for {
		bounded, cancel := context.WithDeadlineCause(ctx, t.due(mark, which), errQuiet)
		err := t.waitAll(bounded, mark, which, func(e *Exchange) bool { return e.Whole || !e.Over() })
		cancel()
		if !errors.Is(err, errQuiet) {
			return err
		}
		if !time.Now().Before(t.due(mark, which)) {
			return nil
		}
	}
}

// due is until when the rest of replies is waited for.
func (t *Traffic) due(mark int, which func(Exchange) bool) (last time.Time) {
	for _, e := range t.Requests(mark) {
		if !which(e) || e.Whole || !e.Over() {
			continue
		}
		if due := e.due(); due.After(last) {
			last = due
		}
	}
	return last
}

func (e *Exchange) due() time.Time {
	due, longest := e.heard.Add(quietReply), e.answered.Add(longestReply)
	if e.atOnce {
		due = e.heard.Add(quietShort)
	}
	if due.After(longest) {
		return longest
	}
	return due
}

// Reading reports whether the page is reading a reply after a mark, and more of it may
// still come.
func (t *Traffic) Reading(mark int, which func(Exchange) bool) bool {
	read := func(e Exchange) bool { return which(e) && e.heard.After(e.answered) }
	return time.Now().Before(t.due(mark, read))
}

type reply struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
}

// isShort reports whether the reply says how long it is, and that is not much.
func (r reply) isShort() bool {
	for name, value := range r.Headers {
		if strings.EqualFold(name, "Content-Length") {
			n, err := strconv.Atoi(value)
			return err == nil && n <= shortReply
		}
	}
	return false
}
