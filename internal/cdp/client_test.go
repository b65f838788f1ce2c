package cdp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-reprise/reprise/internal/cdp"
)

func TestCommandsArriveInTheOrderOfTheirSends(t *testing.T) {
	t.Parallel()
	const n = 10_000
	c, browser := connect(t)
	calls := make([]*cdp.Call, n)
	for i := range calls { // none is awaited, and no one reads yet
		calls[i] = c.Send("S", "Test.nth", map[string]int{"n": i})
	}
	for i := range n {
		cmd := browser.next()
		if want := fmt.Sprintf(`{"n":%d}`, i); cmd.SessionID != "S" || cmd.Method != "Test.nth" || string(cmd.Params) != want {
			t.Fatalf("command %d is %+v with %s", i, cmd, cmd.Params)
		}
		browser.say(`{"id":%d,"sessionId":"S","result":%s}`, cmd.ID, cmd.Params)
	}
	for i, call := range calls {
		got, err := call.Wait(t.Context())
		if want := fmt.Sprintf(`{"n":%d}`, i); err != nil || string(got) != want {
			t.Fatalf("call %d got %s, %v; want %s", i, got, err, want)
		}
	}
	if c.Sent() != n {
		t.Errorf("Sent() = %d, want %d", c.Sent(), n)
	}
}

func TestRepliesFindTheirCallsInAnyOrder(t *testing.T) {
	t.Parallel()
	c, browser := connect(t)
	one, two := c.Send("", "Test.one", nil), c.Send("", "Test.two", nil)
	first, second := browser.next(), browser.next()
	browser.say(`{"id":%d,"error":{"code":-32000,"message":"no","data":"really"}}`, second.ID)
	browser.say(`{"id":%d,"result":{"a":1}}`, first.ID)
	if got, err := one.Wait(t.Context()); err != nil || string(got) != `{"a":1}` {
		t.Errorf("one got %s, %v", got, err)
	}
	_, err := two.Wait(t.Context())
	if e := (*cdp.Error)(nil); !errors.As(err, &e) || *e != (cdp.Error{Method: "Test.two", Code: -32000, Message: "no", Data: "really"}) {
		t.Errorf("two got %#v", err)
	}
}

func TestAMessageIsWhatChromeExpects(t *testing.T) {
	t.Parallel()
	c, browser := connect(t)
	c.Send("", "Test.bare", nil)
	c.Send("", "Test.script", map[string]string{"source": `a<b && "ü"`})
	bare, err := browser.in.ReadString(0)
	if err != nil || strings.Contains(bare, "params") || strings.Contains(bare, "sessionId") {
		t.Errorf("a command without parameters and session is %q, %v", bare, err)
	}
	script, err := browser.in.ReadString(0)
	if err != nil || !strings.Contains(script, `{"source":"a<b && \"ü\""}`) {
		t.Errorf("a script is sent as %q, %v", script, err)
	}
}

func TestWaitReturnsTheCauseOfItsContext(t *testing.T) {
	t.Parallel()
	c, browser := connect(t)
	bored := errors.New("bored")
	ctx, cancel := context.WithCancelCause(t.Context())
	call := c.Send("", "Test.slow", nil)
	cancel(bored)
	if _, err := call.Wait(ctx); !errors.Is(err, bored) {
		t.Errorf("Wait: %v, want the cause", err)
	}
	if _, err := c.Call(ctx, "", "Test.never", nil); !errors.Is(err, bored) {
		t.Errorf("Call: %v, want the cause", err)
	}
	cmd := browser.next()
	browser.say(`{"id":%d,"result":{}}`, cmd.ID)
	if _, err := call.Wait(t.Context()); err != nil {
		t.Errorf("a second Wait: %v", err)
	}
	if _, err := call.Wait(ctx); err != nil {
		t.Errorf("a reply that is here counts more than a context that ended: %v", err)
	}
	if c.Sent() != 1 {
		t.Error("a Call whose context had ended was sent")
	}
}

func TestParametersThatJSONCannotExpressFailTheirCallOnly(t *testing.T) {
	t.Parallel()
	c, browser := connect(t)
	if _, err := c.Send("", "Test.bad", make(chan int)).Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "Test.bad") {
		t.Errorf("got %v", err)
	}
	good := c.Send("", "Test.good", nil)
	browser.say(`{"id":%d,"result":{}}`, browser.next().ID)
	if _, err := good.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestTheEndOfTheBrowserFailsEverything(t *testing.T) {
	t.Parallel()
	c, browser := connect(t)
	pending := c.Send("S", "Test.pending", nil)
	browser.next()
	if c.Err() != nil {
		t.Error("a client that works has an error")
	}
	_ = browser.out.Close()
	<-c.Done()
	for name, call := range map[string]*cdp.Call{"pending": pending, "later": c.Send("", "Test.later", nil)} {
		_, err := call.Wait(t.Context())
		if !errors.Is(err, cdp.ErrClosed) || !errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "Test."+name) {
			t.Errorf("%s call: %v", name, err)
		}
	}
	if !errors.Is(c.Err(), cdp.ErrClosed) {
		t.Errorf("Err() = %v", c.Err())
	}
	if _, open := <-c.Event(); open {
		t.Error("the stream of events of an ended client is open")
	}
}

func TestWhatIsNoMessageEndsTheClient(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"", "not JSON", "[]", "null", "{}", `"canary-secret"`, `{"id":"canary-secret"}`, `{"id":-1}`, `{"id":1.5}`,
		`{"id":1,"result":{"v":"canary-secret"}`, `{"method":5}`, `{"method":"A.b","params":{]}`,
		`{"error":{"code":-32700,"message":"Message must be valid JSON"}}`,
	} {
		c, browser := connect(t)
		call := c.Send("", "Test.pending", nil)
		browser.next()
		browser.say("%s", said)
		_, err := call.Wait(t.Context())
		if !errors.Is(err, cdp.ErrClosed) {
			t.Errorf("%q: %v, want ErrClosed", said, err)
		}
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("the error quotes the message: %v", err)
		}
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // fails when a goroutine is left
		c, browser := connect(t)
		c.Event() // its goroutine too
		browser.say(`{"method":"A.b"}`)
		pending := c.Send("", "Test.pending", nil)
		synctest.Wait() // the writer is now stuck: no one reads
		done := make(chan error)
		for range 3 {
			go func() { done <- c.Close() }()
		}
		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		_, err := pending.Wait(t.Context())
		if !errors.Is(err, cdp.ErrClosed) || c.Err() != cdp.ErrClosed {
			t.Errorf("the call has %v, the client %v", err, c.Err())
		}
	})
}

func TestCloseWaitsForTheHandlerThatRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, browser := connect(t)
		release := make(chan struct{})
		c.OnEvent(func(cdp.Event) { <-release })
		browser.say(`{"method":"A.b"}`)
		closed := make(chan error, 1)
		go func() { closed <- c.Close() }()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("Close returned while a handler ran")
		default:
		}
		close(release)
		if err := <-closed; err != nil {
			t.Error(err)
		}
	})
}

func TestManyGoroutinesShareAClient(t *testing.T) {
	t.Parallel()
	c, browser := connect(t)
	const workers, each = 16, 200
	go func() {
		for range workers * each {
			cmd := browser.next()
			browser.say(`{"id":%d,"result":%s}`, cmd.ID, cmd.Params)
		}
	}()
	errs := make(chan error, workers)
	for w := range workers {
		go func() {
			errs <- func() error {
				for i := range each {
					want := fmt.Sprintf(`{"w":[%d,%d]}`, w, i)
					got, err := c.Call(t.Context(), "", "Test.echo", json.RawMessage(want))
					if err != nil || string(got) != want {
						return fmt.Errorf("got %s, %w; want %s", got, err, want)
					}
				}
				return nil
			}()
		}()
	}
	for range workers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
