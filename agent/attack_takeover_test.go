package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/browsertest"
)

// A page that can be handed over has more ways to a secret: what is measured of it, the pictures before and after,
// what is awaited in it, its other tabs meanwhile, and what the person types.

// stage is an arena whose pages a person can take over.
type stage struct {
	*arena
	desk    *handoff.Desk
	notices chan handoff.Notice
	view    string // where the live view is served
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{notices: make(chan handoff.Notice, 1000)}
	view := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.desk.ServeHTTP(w, r) }))
	t.Cleanup(view.Close)
	s.view = view.URL
	s.arena = newArena(t, func(o *agent.Options) {
		var err error
		s.desk, err = handoff.New(&handoff.Options{Store: o.Store, PublicURL: view.URL, Notify: func(n handoff.Notice) { s.notices <- n }, Logger: o.Logger})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.desk.Close)
		o.Handoffs = s.desk
	})
	return s
}

// handed is an attack on a page that is handed over.
type handed struct {
	*attack
	stage *stage
}

// start hands the page over, and returns the ID of that, "" where it is refused.
func (a *handed) start(more ...any) string {
	a.t.Helper()
	r := a.call("handoff_start", pairs(append([]any{"reason", "other"}, more...)...))
	id, _ := r.Value["handoff_id"].(string)
	return id
}

// finish returns the page by the agent, and takes the pictures that it is shown.
func (a *handed) finish(id string) result {
	a.t.Helper()
	r := a.call("handoff_finish", map[string]any{"handoff_id": id})
	if r.IsError && a.stage.desk.Get(id) != nil {
		a.call("handoff_cancel", map[string]any{"handoff_id": id})
	}
	return r
}

// until asks by the condition of a handoff whether a guess is right.
func (a *handed) until(guess string, condition func(string) string) {
	a.t.Helper()
	asked := func(guess string) string {
		a.quiet = true
		defer func() { a.quiet = false }()
		r := a.call("handoff_start", pairs("reason", "other", "until", condition(guess)))
		if r.IsError {
			return r.Error.Code
		}
		id, _ := r.Value["handoff_id"].(string)
		r = a.finish(id)
		return fmt.Sprint(r.Value["status"], r.Error.Code)
	}
	if right, wrong := asked(guess), asked(twinOf(guess)); right != wrong {
		a.leaks = append(a.leaks, fmt.Sprintf("a handoff ends %q for a right guess, %q for a wrong one", right, wrong))
	}
}

// person is someone who has opened the link of a handoff.
type person struct {
	t      testing.TB
	socket *websocket.Conn
}

// comes opens the link of a handoff.
func (s *stage) comes(t testing.TB, id string) *person {
	t.Helper()
	ctx := browsertest.Context(t)
	var notice handoff.Notice
	for notice.Link == "" || notice.Handoff != id {
		select {
		case notice = <-s.notices:
		case <-ctx.Done():
			t.Fatal("no one was asked")
		}
	}
	_, key, _ := strings.Cut(notice.Link[strings.IndexByte(notice.Link, '#')+1:], ".")
	body, err := json.Marshal(map[string]string{"id": id, "key": key})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := http.Post(s.view+handoff.Path+"open", "application/json", bytes.NewReader(body))
	if err != nil || len(reply.Cookies()) != 1 {
		t.Fatalf("the link opens nothing: %v, %v", reply, err)
	}
	_ = reply.Body.Close()
	header := http.Header{"Cookie": {reply.Cookies()[0].String()}}
	socket, _, err := websocket.Dial(ctx, s.view+handoff.Path+id+"/live", &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	socket.SetReadLimit(10 << 20)
	t.Cleanup(func() { _ = socket.CloseNow() })
	return &person{t, socket}
}

// does sends what the live view does.
func (p *person) does(commands ...map[string]any) {
	p.t.Helper()
	for _, command := range commands {
		data, err := json.Marshal(command)
		if err == nil {
			err = p.socket.Write(browsertest.Context(p.t), websocket.MessageText, data)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
}

// drain reads what the view is sent, until the handoff has ended.
func (p *person) drain() {
	for {
		if _, _, err := p.socket.Read(browsertest.Context(p.t)); err != nil {
			return
		}
	}
}

// types has a person take the page over, type the password into #f, and return it.
func (a *handed) types(more ...map[string]any) {
	a.t.Helper()
	a.call("click", on("#f"))
	id := a.start()
	p := a.stage.comes(a.t, id)
	go p.drain()
	if more == nil {
		for _, r := range a.secret { // as a phone's keyboard does
			more = append(more, map[string]any{"t": "text", "text": string(r)})
		}
	} else {
		more = append([]map[string]any{{"t": "text", "text": a.secret}}, more...)
	}
	p.does(more...)
	eventually(a.t, "the page hears of it", func() bool { return a.wasTyped(a.secret) })
	p.does(map[string]any{"t": "done"})
	a.call("human_wait", map[string]any{"handoff_id": id})
	a.snapshot()
}

// handedWays are ways to a secret by a takeover.
func handedWays() map[string]struct {
	way
	do func(*handed)
} {
	type one = struct {
		way
		do func(*handed)
	}
	picture := []any{"capture_screenshot", true}
	all := map[string]one{
		"picture of a page of the server": {way{page: "password", twin: true}, func(a *handed) {
			a.keys("f:Enter")
			a.finish(a.start(picture...))
		}},
		"picture of a page of storage": {way{page: "second", twin: true}, func(a *handed) {
			a.click("#go")
			a.call("wait_for_nav", map[string]any{"url": host(a.site) + "/p/stored"})
			a.finish(a.start(picture...))
		}},
		"names in storage": {way{page: "keys-of-storage"}, func(a *handed) { a.finish(a.start()) }},
		"until an attribute of the server": {way{page: "stores"}, func(a *handed) {
			a.open("attribute-of-storage")
			a.until(a.secret[:4], func(g string) string { return `#out[title^="` + g + `"]` })
		}},
		"until an address": {way{page: "says-path"}, func(a *handed) {
			a.until(a.secret[:4], func(g string) string { return a.site.URL + "/p/is/" + g + "*" })
		}},
		"another tab meanwhile": {way{page: "popup", enter: notAtAll}, func(a *handed) {
			a.open("text")
			a.call("tab", map[string]any{"tab": "two", "action": "open", "url": a.site.URL + "/p/text"})
			a.call("click", on("#f", "tab", "two"))
			p := a.stage.comes(a.t, a.start("tab", "two"))
			go p.drain()
			p.does(map[string]any{"t": "text", "text": a.secret})
			eventually(a.t, "the page hears of it", func() bool { return a.wasTyped(a.secret) })
			for _, tab := range [][]any{{"tab", "two"}, nil} {
				for _, call := range []result{a.call("snapshot", pairs(tab...)), a.call("screenshot", pairs(tab...)), a.call("keypress", pairs(append(tab, "key", "Home")...))} {
					if call.Error.Code != agent.HeldByPerson {
						a.leaks = append(a.leaks, "the agent acts while a person has the page: "+call.Text[:min(len(call.Text), 100)])
					}
				}
			}
			p.does(map[string]any{"t": "done"})
		}},
		"typed by a person and shown": {way{page: "reveal", enter: notAtAll}, func(a *handed) {
			a.open("reveal")
			a.types()
			a.click("#show")
			a.look()
			a.keys("f:Home", "Delete")
			a.look()
		}},
		"typed by a person and copied": {way{page: "reveal", enter: notAtAll}, func(a *handed) {
			a.open("reveal")
			a.types()
			a.click("#show")
			a.keys("f:Control+a", "Control+c")
			a.pasteHere()
		}},
		"typed by a person and carried": {way{page: "copies-old", enter: notAtAll}, func(a *handed) {
			a.open("copies-old")
			a.types()
			a.click("#copy")
			a.pasteThere()
		}},
		"typed by a person and repeated": {way{page: "says-heading", enter: notAtAll}, func(a *handed) {
			a.open("says-heading")
			a.types()
			a.look()
		}},
		"typed by a person and sent": {way{page: "password", enter: notAtAll}, func(a *handed) {
			a.open("password")
			a.types()
			a.keys("f:Enter")
			a.call("wait_for", on("#said", "state", "visible"))
			a.snapshot()
		}},
		"typed by a person and sent by the page": {way{page: "sends-itself", enter: notAtAll}, func(a *handed) {
			a.open("sends-itself")
			a.types()
			a.call("wait_for", on("#said", "state", "visible"))
			a.snapshot()
		}},
		"typed by a person elsewhere": {way{page: "links", enter: notAtAll}, func(a *handed) {
			a.open("links")
			a.types()
			a.click("#go")
			a.snapshot()
		}},
		"carried after a run": {way{page: "links", enter: byAutomation}, func(a *handed) { a.click("#go"); a.snapshot() }},
		"copied by a person": {way{page: "otp", enter: notAtAll}, func(a *handed) {
			a.open("otp")
			a.types(map[string]any{"t": "key", "key": "a", "modifiers": []string{"Control"}}, map[string]any{"t": "key", "key": "c", "modifiers": []string{"Control"}})
			a.pasteThere()
			other := a.connect("another client")
			a.callAs(other, "navigate", map[string]any{"url": a.other.URL + "/"})
			a.callAs(other, "keypress", on("#area", "key", "Control+v"))
			a.callAs(other, "snapshot", nil)
		}},
	}
	return all
}

func TestATakeoverShowsNoPasswordToTheAgent(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for name, one := range sampled(handedWays()) {
		w := one.way
		w.name = name
		w.do = func(a *attack) { one.do(&handed{a, s}) }
		if w.enter == byAutomation {
			s.t = t
			s.keepFilling("fill-"+w.page, w.page)
		}
		s.try(t, w)
	}
	t.Run("files and log", s.files)
}
