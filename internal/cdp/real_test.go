package cdp_test

import (
	"errors"
	"testing"

	"github.com/go-reprise/reprise/internal/cdp"
)

func TestBothTransportsSpeakToChromium(t *testing.T) {
	t.Parallel()
	for name, dial := range map[string]func(*testing.T) *cdp.Client{"pipe": overPipe, "websocket": overWebSocket} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t)
			session, _ := newSession(t, c, "about:blank")
			type result struct{ Result struct{ Value any } }
			got := ask[result](t, c, session, "Runtime.evaluate", m{"expression": "1 + 1"})
			if got.Result.Value != 2.0 {
				t.Errorf("1 + 1 = %v", got.Result.Value)
			}
			long := ask[result](t, c, session, "Runtime.evaluate", m{"expression": "'ä'.repeat(3e6)"})
			if s, _ := long.Result.Value.(string); len(s) != 6e6 {
				t.Errorf("a long string came with %d bytes, want 6e6", len(s))
			}
		})
	}
}

func TestAfterACrash(t *testing.T) {
	t.Parallel()
	c := overPipe(t)
	session, target := newSession(t, c, "about:blank")
	_ = target
	ask[struct{}](t, c, session, "Inspector.enable", nil)
	c.OnEvent(func(e cdp.Event) { t.Logf("event %s %s", e.Method, e.Params) })
	pending := c.Send(session, "Runtime.evaluate", m{"expression": "new Promise(() => {})", "awaitPromise": true})
	crash := c.Send(session, "Page.crash", nil)
	_, err := pending.Wait(within(t))
	t.Log(err)
	if !errors.Is(err, cdp.ErrCrashed) {
		t.Error(err)
	}
	_, err = crash.Wait(within(t))
	t.Log("crash", err)
}
