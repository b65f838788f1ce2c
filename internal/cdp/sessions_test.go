package cdp_test

import (
	"context"
	"errors"
	"testing"

	"github.com/go-reprise/reprise/internal/cdp"
)

func TestTheCallsOfASessionFailWhenItEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		event string
		want  map[string]error // by session; the others go on
	}{
		"detached, with what was attached through it": {
			`{"method":"Target.detachedFromTarget","params":{"sessionId":"page"}}`,
			map[string]error{"page": cdp.ErrSessionGone, "frame": cdp.ErrSessionGone, "nested": cdp.ErrSessionGone},
		},
		"one frame detached": {
			`{"method":"Target.detachedFromTarget","sessionId":"page","params":{"sessionId":"frame"}}`,
			map[string]error{"frame": cdp.ErrSessionGone, "nested": cdp.ErrSessionGone},
		},
		"crashed, told to the session": {
			`{"method":"Inspector.targetCrashed","sessionId":"page","params":{}}`,
			map[string]error{"page": cdp.ErrCrashed},
		},
		"crashed, told to who discovers targets": {
			`{"method":"Target.targetCrashed","params":{"targetId":"T1","status":"crashed","errorCode":5}}`,
			map[string]error{"page": cdp.ErrCrashed, "again": cdp.ErrCrashed},
		},
		"of an unknown session": {
			`{"method":"Target.detachedFromTarget","params":{"sessionId":"x"}}`,
			map[string]error{},
		},
		"of nothing": {
			`{"method":"Target.targetCrashed","params":{}}`,
			map[string]error{},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, browser := connect(t)
			browser.attach("", "page", "T1")
			browser.attach("", "again", "T1")
			browser.attach("page", "frame", "T2")
			browser.attach("frame", "nested", "T3")
			browser.attach("", "other", "T4")
			calls := map[string]*cdp.Call{}
			for _, s := range []string{"", "page", "again", "frame", "nested", "other"} {
				calls[s] = c.Send(s, "Test.pending", nil)
			}
			browser.say("%s", test.event)
			browser.settle(c)
			for s, call := range calls {
				ctx, cancel := context.WithCancelCause(t.Context())
				cancel(errStillPending)
				want := test.want[s]
				if want == nil {
					want = errStillPending
				}
				if _, err := call.Wait(ctx); !errors.Is(err, want) {
					t.Errorf("session %q: %v, want %v", s, err, want)
				}
			}
		})
	}
}

var errStillPending = errors.New("still pending")

func TestACrashedSessionAnswersAtOnceUntilItsPageIsLoadedAgain(t *testing.T) {
	t.Parallel()
	c, browser := connect(t)
	browser.attach("", "page", "T1")
	browser.say(`{"method":"Inspector.targetCrashed","sessionId":"page","params":{}}`)
	browser.attach("", "late", "T1")
	browser.settle(c)
	for _, s := range []string{"page", "late"} {
		if _, err := c.Send(s, "Runtime.evaluate", nil).Wait(t.Context()); !errors.Is(err, cdp.ErrCrashed) {
			t.Errorf("session %s: %v, want ErrCrashed", s, err)
		}
	}
	navigation := c.Send("page", "Page.navigate", nil)
	cmd := browser.next()
	if cmd.Method != "Page.navigate" {
		t.Fatalf("the browser got %s", cmd.Method)
	}
	browser.say(`{"method":"Target.targetCrashed","params":{"targetId":"T1"}}`) // of the same crash
	browser.say(`{"id":%d,"sessionId":"page","result":{}}`, cmd.ID)
	if _, err := navigation.Wait(t.Context()); err != nil {
		t.Errorf("the navigation: %v", err)
	}
	browser.say(`{"method":"Inspector.targetReloadedAfterCrash","sessionId":"page","params":{}}`)
	browser.settle(c)
	c.Send("page", "Runtime.evaluate", nil)
	if cmd := browser.next(); cmd.Method != "Runtime.evaluate" {
		t.Fatalf("the browser got %s", cmd.Method)
	}
}

func TestTheEndOfASessionIsHandledBeforeItsCallsFail(t *testing.T) {
	t.Parallel()
	c, browser := connect(t)
	handled := false
	c.OnEvent(func(cdp.Event) { handled = true })
	call := c.Send("page", "Test.pending", nil)
	browser.next()
	browser.say(`{"method":"Target.detachedFromTarget","params":{"sessionId":"page"}}`)
	if _, err := call.Wait(t.Context()); !errors.Is(err, cdp.ErrSessionGone) || !handled {
		t.Errorf("handled: %v, error: %v", handled, err)
	}
}
