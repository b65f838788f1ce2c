package cdp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	rodcdp "github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"github.com/go-reprise/reprise/internal/cdp"
)

type evaluated struct {
	Result struct{ Value any }
}

func TestBothTransportsSpeakToChromium(t *testing.T) {
	t.Parallel()
	for name, dial := range map[string]func(*testing.T) *cdp.Client{"pipe": overPipe, "websocket": overWebSocket} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t)
			session, _ := newSession(t, c, "about:blank")
			t.Run("long", func(t *testing.T) { longTexts(t, c, session) })
			t.Run("pipelined", func(t *testing.T) { pipelined(t, c, session) })
			t.Run("churn", func(t *testing.T) { churn(t, c, session) })
			t.Run("rod", func(t *testing.T) { underRod(t, c) })
			t.Run("crash", func(t *testing.T) { crash(t, c) })
			t.Run("end", func(t *testing.T) { theEnd(t, c, session) })
		})
	}
}

func longTexts(t *testing.T, c *cdp.Client, session string) {
	long := strings.Repeat("ä<\x00\u2028", 1<<18)
	expr, err := json.Marshal(long)
	if err != nil {
		t.Fatal(err)
	}
	got := ask[evaluated](t, c, session, "Runtime.evaluate", m{"expression": string(expr)})
	if got.Result.Value != long {
		t.Error("a long text did not come back as it was sent")
	}
}

func pipelined(t *testing.T, c *cdp.Client, session string) {
	const n = 2000
	calls := make([]*cdp.Call, n)
	for i := range calls {
		calls[i] = c.Send(session, "Runtime.evaluate", m{"expression": fmt.Sprintf("globalThis.n = (globalThis.n ?? -1) + 1; [n, %d].join()", i)})
	}
	for i, call := range calls {
		data, err := call.Wait(within(t))
		if want := fmt.Sprintf(`"%d,%d"`, i, i); err != nil || !strings.Contains(string(data), want) {
			t.Fatalf("call %d got %s, %v; want %s", i, data, err, want)
		}
	}
}

func churn(t *testing.T, c *cdp.Client, session string) {
	pending := c.Send(session, "Runtime.evaluate", m{"expression": "new Promise(() => {})", "awaitPromise": true})
	ask[struct{}](t, c, session, "Page.navigate", m{"url": "data:text/html,next"})
	if _, err := pending.Wait(within(t)); !cdp.IsContextGone(err) {
		t.Errorf("a promise of a page that was left: %v", err)
	}
	_, err := c.Send(session, "Runtime.evaluate", m{"expression": "1", "contextId": 424242}).Wait(within(t))
	if !cdp.IsContextGone(err) || !errors.Is(err, rodcdp.ErrCtxNotFound) {
		t.Errorf("a context that is not there: %v", err)
	}
	if _, err := c.Send(session, "Page.createIsolatedWorld", m{"frameId": "0"}).Wait(within(t)); !cdp.IsFrameGone(err) {
		t.Errorf("a frame that is not there: %v", err)
	}
	if _, err := c.Send("no such session", "Runtime.evaluate", m{"expression": "1"}).Wait(within(t)); !errors.Is(err, cdp.ErrSessionGone) {
		t.Errorf("a session that is not there: %v", err)
	}
}

func underRod(t *testing.T, c *cdp.Client) {
	browser := rod.New().Client(c).NoDefaultDevice().Context(within(t))
	if err := browser.Connect(); err != nil {
		t.Fatal(err)
	}
	page, err := browser.Page(proto.TargetCreateTarget{URL: "data:text/html,<input id=a>"})
	if err != nil {
		t.Fatal(err)
	}
	field, err := page.Element("#a")
	if err != nil {
		t.Fatal(err)
	}
	if err := field.Input("hello"); err != nil {
		t.Fatal(err)
	}
	if got, err := page.Eval(`() => document.querySelector("#a").value`); err != nil || got.Value.Str() != "hello" {
		t.Errorf("rod typed %v, %v", got, err)
	}
	if err := page.Close(); err != nil {
		t.Error(err)
	}
}

func crash(t *testing.T, c *cdp.Client) {
	session, _ := newSession(t, c, "about:blank") // no domain is enabled in it
	pending := c.Send(session, "Runtime.evaluate", m{"expression": "new Promise(() => {})", "awaitPromise": true})
	c.Send(session, "Page.crash", nil)
	if _, err := pending.Wait(within(t)); !errors.Is(err, cdp.ErrCrashed) {
		t.Fatalf("a call in flight: %v, want ErrCrashed", err)
	}
	if _, err := c.Send(session, "Runtime.evaluate", m{"expression": "1"}).Wait(within(t)); !errors.Is(err, cdp.ErrCrashed) {
		t.Errorf("a later call: %v, want ErrCrashed", err)
	}
	ask[struct{}](t, c, session, "Page.navigate", m{"url": "data:text/html,again"})
	if got := ask[evaluated](t, c, session, "Runtime.evaluate", m{"expression": "1 + 1"}); got.Result.Value != 2.0 {
		t.Errorf("after it was loaded again: %v", got)
	}
}

func theEnd(t *testing.T, c *cdp.Client, session string) {
	pending := c.Send(session, "Runtime.evaluate", m{"expression": "new Promise(() => {})", "awaitPromise": true})
	c.Send("", "Browser.crash", nil)
	<-c.Done()
	if _, err := pending.Wait(within(t)); !errors.Is(err, cdp.ErrClosed) && !errors.Is(err, cdp.ErrSessionGone) {
		t.Errorf("a call in flight: %v", err)
	}
	if _, err := c.Send("", "Browser.getVersion", nil).Wait(within(t)); !errors.Is(err, cdp.ErrClosed) {
		t.Errorf("a later call: %v", err)
	}
}
