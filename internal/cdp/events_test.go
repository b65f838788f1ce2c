package cdp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/cdp"
)

func TestAReplyComesAfterTheEventsBeforeItWereHandled(t *testing.T) {
	t.Parallel()
	c, browser := connect(t)
	var seen []string // no lock: the race detector checks the promise too
	c.OnEvent(func(e cdp.Event) { seen = append(seen, e.SessionID+" "+e.Method+" "+string(e.Params)) })
	for round := range 200 {
		seen = nil
		call := c.Send("", "Test.ask", nil)
		id := browser.next().ID
		browser.say(`{"method":"A.one","params":{"n":%d}}`, round)
		browser.say(`{"sessionId":"S","method":"A.two","params":{}}`)
		browser.say(`{"id":%d,"result":{}}`, id)
		if _, err := call.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(` A.one {"n":%d}, S A.two {}`, round)
		if got := strings.Join(seen, ", "); got != want {
			t.Fatalf("when the reply was here, %q had been handled; want %q", got, want)
		}
	}
}

func TestAHandlerMaySendWhileTheBrowserDoesNotRead(t *testing.T) {
	t.Parallel()
	c, browser := connect(t)
	const n = 500
	big := strings.Repeat("x", 10_000)
	c.OnEvent(func(e cdp.Event) { c.Send("", "Test.answer", map[string]string{"big": big}) })
	for range n {
		browser.say(`{"method":"A.b","params":{}}`) // would block for ever if the handler did
	}
	for range n {
		if cmd := browser.next(); cmd.Method != "Test.answer" {
			t.Fatalf("got %s", cmd.Method)
		}
	}
}

func TestARemovedHandlerHearsNoLaterEvent(t *testing.T) {
	t.Parallel()
	c, browser := connect(t)
	var first, second int
	var remove func()
	remove = c.OnEvent(func(cdp.Event) {
		first++
		remove() // from within itself
		remove() // and again
	})
	c.OnEvent(func(cdp.Event) { second++ })
	browser.say(`{"method":"A.b"}`)
	browser.say(`{"method":"A.b"}`)
	browser.settle(c)
	if first != 1 || second != 2 {
		t.Errorf("the handlers heard %d and %d events, want 1 and 2", first, second)
	}
}

func TestTheStreamHoldsWhatNoOneHasTakenYet(t *testing.T) {
	t.Parallel()
	c, browser := connect(t)
	browser.say(`{"method":"A.early"}`)
	browser.settle(c)
	events := c.Event()
	const n = 2000
	for i := range n {
		browser.say(`{"sessionId":"S","method":"A.b","params":{"i":%d}}`, i)
	}
	browser.settle(c) // all are read though none is taken
	for i := range n {
		e := <-events
		if want := fmt.Sprintf(`{"i":%d}`, i); e.SessionID != "S" || e.Method != "A.b" || string(e.Params) != want {
			t.Fatalf("event %d is %+v %s", i, e, e.Params)
		}
	}
	if c.Event() != events {
		t.Error("a second Event gives another channel")
	}
	_ = browser.out.Close()
	if e, open := <-events; open {
		t.Errorf("after the end came %+v", e)
	}
}

func TestAReplyIsHeardInItsPlaceAmongTheEvents(t *testing.T) {
	t.Parallel()
	c, browser := connect(t)
	var order []string
	c.OnEvent(func(e cdp.Event) { order = append(order, e.Method) })
	note := func(result json.RawMessage) { order = append(order, string(result)) }
	c.SendThen("", "Test.good", nil, note)
	c.SendThen("", "Test.bad", nil, note)
	good, bad := browser.next(), browser.next()
	browser.say(`{"method":"A.before"}`)
	browser.say(`{"id":%d,"result":{"n":1}}`, good.ID)
	browser.say(`{"id":%d,"error":{"code":-32000,"message":"no"}}`, bad.ID)
	browser.say(`{"method":"A.after"}`)
	browser.settle(c)
	if want := []string{"A.before", `{"n":1}`, "A.after"}; !slices.Equal(order, want) {
		t.Errorf("heard %q, want %q", order, want)
	}
}
