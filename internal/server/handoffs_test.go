package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/server"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/notify/notifytest"
	"github.com/go-reprise/reprise/store"
)

// Programs read that a person is needed, and that one no longer is; the person alone ends it as done.
func TestHandoffsOverHTTP(t *testing.T) {
	t.Parallel()
	var desk *handoff.Desk
	s, site := startAPI(t, func(a *agent.Options, o *server.Options) {
		var err error
		if desk, err = handoff.New(&handoff.Options{Store: a.Store}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(desk.Close)
		a.Handoffs, o.Handoffs = desk, desk
	})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	stream, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	if kind := stream.Header.Get("Content-Type"); stream.StatusCode != http.StatusOK || kind != "text/event-stream" {
		t.Fatalf("the stream is %s, %q", stream.Status, kind)
	}
	lines := bufio.NewScanner(stream.Body)
	next := func() (e handoff.Event) {
		t.Helper()
		for lines.Scan() {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				if err := json.Unmarshal([]byte(data), &e); err != nil {
					t.Fatal(err)
				}
				return e
			}
		}
		t.Fatalf("the stream ended: %v", lines.Err())
		return e
	}

	page := browsertest.Page(t, site.URL+"/?secret=in-a-query")
	h, err := desk.Start(t.Context(), handoff.Request{Page: page, Reason: automation.ReasonCaptcha, Doing: "order", Step: -1})
	if err != nil {
		t.Fatal(err)
	}
	if e := next(); e.Kind != handoff.ActionRequired || e.Handoff != h.ID() || e.Reason != "captcha" || e.Text != "order" || strings.Contains(e.URL, "secret") || e.Deadline.IsZero() {
		t.Errorf("the event is %+v", e)
	}
	all := s.does(t, 200, "GET", "/handoffs", "")["handoffs"].([]any)
	if len(all) != 1 || all[0].(map[string]any)["handoff_id"] != h.ID() || all[0].(map[string]any)["status"] != "RUNNING" {
		t.Errorf("listed are %v", all)
	}
	s.does(t, 404, "GET", "/handoffs/none", "")
	if ended := s.does(t, 200, "POST", "/handoffs/"+h.ID()+"/cancel", ""); ended["status"] != "CANCELLED" || ended["after"] == nil {
		t.Errorf("cancelled it is %v", ended)
	}
	if e := next(); e.Kind != handoff.ActionResolved || e.Handoff != h.ID() || e.Status != "CANCELLED" {
		t.Errorf("the event is %+v", e)
	}
	s.does(t, 409, "POST", "/handoffs/"+h.ID()+"/cancel", "")
	s.does(t, 200, "GET", "/handoffs/"+h.ID(), "")
}

// What asks for a person, and who makes them a link or ends that, may be different processes.
func TestAHandoffOfAnotherProcessIsOpenedAndCancelledOverHTTP(t *testing.T) {
	t.Parallel()
	var desk, other *handoff.Desk
	view := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { other.ServeHTTP(w, r) }))
	t.Cleanup(view.Close)
	s, site := startAPI(t, func(a *agent.Options, o *server.Options) {
		for _, made := range []**handoff.Desk{&desk, &other} {
			var err error
			if *made, err = handoff.New(&handoff.Options{Store: a.Store, PublicURL: view.URL}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup((*made).Close)
		}
		a.Handoffs, o.Handoffs = desk, desk
		o.PersonToken, o.API.Store = personToken, a.Store
	})
	h, err := other.Start(t.Context(), handoff.Request{Page: browsertest.Page(t, site.URL), Reason: automation.ReasonLogin, Step: -1})
	if err != nil {
		t.Fatal(err)
	}
	link, _ := s.person(t, 201, "POST", "/handoffs/"+h.ID()+"/link", "")["link"].(string)
	_, key, _ := strings.Cut(link, "#"+h.ID()+".")
	opened := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, view.URL+handoff.Path+"open", strings.NewReader(fmt.Sprintf(`{"id": %q, "key": %q}`, h.ID(), key)))
	if other.ServeHTTP(opened, request); opened.Code != http.StatusNoContent {
		t.Errorf("the link %s is answered %d", link, opened.Code)
	}
	s.person(t, 409, "POST", "/handoffs/"+h.ID()+"/link", `{"view": true}`)
	if ended := s.does(t, 200, "POST", "/handoffs/"+h.ID()+"/cancel", ""); ended["status"] != "CANCELLED" || ended["ended"] == nil {
		t.Errorf("cancelled it is %v", ended)
	}
	if result, err := h.Wait(browsertest.Context(t)); err != nil || result.Status != handoff.Cancelled {
		t.Errorf("the process that has asked learns %s, %v", result.Status, err)
	}
	if again := s.fails(t, 409, agent.Conflict, "POST", "/handoffs/"+h.ID()+"/cancel", ""); again["reason"] != "the handoff is CANCELLED" {
		t.Errorf("once ended it is %v", again)
	}
}

// A program hands the page of its session over, and gets no link: that is the person's, who opens it once, on one device.
func TestAProgramHandsItsPageToAPerson(t *testing.T) {
	t.Parallel()
	var desk *handoff.Desk
	view := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { desk.ServeHTTP(w, r) }))
	t.Cleanup(view.Close)
	told := make(chan handoff.Notice, 1)
	s, site := startAPI(t, func(a *agent.Options, o *server.Options) {
		var err error
		if desk, err = handoff.New(&handoff.Options{Store: a.Store, PublicURL: view.URL, Notify: func(n handoff.Notice) { told <- n }}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(desk.Close)
		a.Handoffs, o.Handoffs = desk, desk
		o.PersonToken, o.API.Store = personToken, a.Store
	})
	const ask = `{"reason": "login", "instruction": "Sign in.", "until": "#never", "timeout_ms": 60000, "capture_screenshot": true, "wait": 0}`
	s.fails(t, 404, server.NoSession, "POST", "/handoffs", ask)
	if begun := s.does(t, 200, "POST", "/session/start", fmt.Sprintf(`{"url": %q}`, site.URL)); begun["link"] != "" {
		t.Errorf("the program has the link %v", begun["link"])
	}
	s.does(t, 400, "POST", "/handoffs", `{"reason": "because"}`)
	s.does(t, 400, "POST", "/handoffs", `{"reason": "login", "wait": 51}`)
	s.does(t, 400, "POST", "/handoffs", `{"reason": "login", "instruction": "`+strings.Repeat("я", 600)+`"}`)
	events, stop := desk.Events()
	defer stop()
	begun, data := s.send(t, "POST", "/handoffs", ask, nil)
	notice := <-told
	id := notice.Handoff
	if begun.StatusCode != http.StatusAccepted || begun.Header.Get("Location") != "/handoffs/"+id || notice.Instruction != "Sign in." || notice.Link == "" {
		t.Fatalf("it is answered %s %s, and the person is told %+v", begun.Status, data, notice)
	}
	if _, key, _ := strings.Cut(notice.Link, id+"."); key == "" || strings.Contains(string(data), key) {
		t.Errorf("the program has the person's link: %s", data)
	}
	if e := <-events; e.Kind != handoff.ActionRequired || !strings.Contains(e.Text, "Sign in.") {
		t.Errorf("programs are told %+v", e)
	}
	desk.Told(id, "", errors.New("no channel took it"))
	if e := <-events; e.Kind != handoff.NotTold || s.does(t, 200, "GET", "/handoffs/"+id, "")["not_told"] != "no channel took it" {
		t.Errorf("where no one was told programs are told %+v", e)
	}
	desk.Told(id, "", nil)
	if again := s.does(t, 200, "GET", "/handoffs/"+id, ""); again["not_told"] != nil {
		t.Errorf("then someone was: %v", again)
	}
	held := s.fails(t, 423, agent.HeldByPerson, "POST", "/session/stop", "")
	if suggested, _ := held["suggestion"].(map[string]any); fmt.Sprint(suggested) != fmt.Sprintf("map[arguments:map[id:%s] tool:GET /handoffs/{id}]", id) {
		t.Errorf("it suggests %v", suggested)
	}
	for path, body := range map[string]string{"/session/click": `{"selector": "#pay"}`, "/session/navigate": `{"url": "http://shop.example"}`, "/handoffs": ask} {
		s.fails(t, 423, agent.HeldByPerson, "POST", path, body)
	}
	s.fails(t, 423, agent.HeldByPerson, "GET", "/session/screenshot", "")

	link := "/handoffs/" + id + "/link"
	s.fails(t, 403, server.Forbidden, "POST", link, `{"view": true}`)
	foreign := func(r *http.Request) { asPerson(r); r.Header.Set("Origin", "https://evil.example") }
	s.doesAs(t, foreign, 403, "POST", link, "")
	s.person(t, 404, "POST", "/handoffs/none/link", "")
	open := func(link string, set func(*http.Request)) int {
		t.Helper()
		_, key, _ := strings.Cut(link, "#"+id+".")
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, view.URL+handoff.Path+"open", strings.NewReader(fmt.Sprintf(`{"id": %q, "key": %q}`, id, key)))
		if err != nil {
			t.Fatal(err)
		}
		set(r)
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		return reply.StatusCode
	}
	plain := func(*http.Request) {}
	for body, control := range map[string]bool{`{"view": true}`: false, "": true} {
		made := s.person(t, 201, "POST", link, body)
		if made["control"] != control {
			t.Errorf("for %q it is %v", body, made)
		}
		address, _ := made["link"].(string)
		got := []int{open(address, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }), open(address, plain), open(address, plain)}
		if want := []int{403, 204, 403}; !slices.Equal(got, want) {
			t.Errorf("opened from another site, once and again: %v, want %v", got, want)
		}
	}
	lost := s.person(t, 201, "POST", link, "")["link"].(string)
	late := s.person(t, 201, "POST", link, "")["link"].(string)
	if got := []int{open(notice.Link, plain), open(lost, plain)}; !slices.Equal(got, []int{403, 403}) {
		t.Errorf("links in whose place there is another: %v", got)
	}
	if ended := s.does(t, 200, "POST", "/handoffs/"+id+"/cancel", ""); ended["status"] != "CANCELLED" {
		t.Errorf("cancelled it is %v", ended)
	}
	if ended := s.does(t, 200, "GET", "/handoffs/"+id, ""); ended["delta_summary"] == nil || ended["delta"] == nil || ended["resume_hint"] == nil || ended["until"] != "#never" {
		t.Errorf("once ended it is told as %v", ended)
	}
	if got := open(late, plain); got != http.StatusGone {
		t.Errorf("the link of a handoff that has ended: %d", got)
	}
	s.person(t, 409, "POST", link, "")
	s.fails(t, 409, agent.LookFirst, "POST", "/session/click", `{"selector": "#name"}`)
	s.does(t, 200, "GET", "/session/screenshot", "")
	s.does(t, 200, "POST", "/session/click", `{"selector": "#name"}`)
}

// Programs read that an approval is waited for, and what became of it, also where the call is cancelled.
func TestProgramsReadWhatWaitsForAnApproval(t *testing.T) {
	t.Parallel()
	asked := make(chan store.Approval, 1)
	var desk *handoff.Desk
	s, site := startAPI(t, func(a *agent.Options, o *server.Options) {
		var err error
		if desk, err = handoff.New(&handoff.Options{Store: a.Store}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(desk.Close)
		a.Handoffs, o.Handoffs = desk, desk
		a.ApprovalTimeout, a.OnApprovalRequested = time.Minute, func(_ context.Context, one store.Approval) { asked <- one }
	})
	events, stop := desk.Events()
	defer stop()
	schema, ctx := s.described.schema("components", "schemas", "Event"), browsertest.Context(t)
	next := func() handoff.Event {
		t.Helper()
		var e handoff.Event
		select {
		case e = <-events:
		case <-ctx.Done():
			t.Fatal("there is no event")
		}
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		fits(t, "the event", schema, data)
		return e
	}
	s.does(t, 200, "POST", "/session/start", fmt.Sprintf(`{"url": %q}`, site.URL+"/bill?secret=in-a-query"))
	for _, c := range []struct {
		path, body, text string
		end              func(store.Approval)
		status           store.ApprovalState
	}{
		{"/session/request_approval", `{"selector": "#pay", "payee": "#to", "amount": "#sum"}`, "Pay now\nMeadow Water\n12,00 €", func(one store.Approval) {
			nonce, err := s.st.Approvals().IssueNonce(t.Context(), one.ID, "ada")
			if err == nil {
				_, err = s.st.Approvals().Answer(t.Context(), one.ID, nonce, false)
			}
			if err != nil {
				t.Error(err)
			}
		}, store.ApprovalDenied},
		{"/session/click", `{"selector": "#pay"}`, "Pay now", func(store.Approval) { s.does(t, 200, "POST", "/session/stop", "") }, store.ApprovalWithdrawn},
	} {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = s.send(t, "POST", c.path, c.body, nil)
		}()
		one := <-asked
		if e := next(); e.Kind != handoff.ApprovalRequired || e.Approval != one.ID || e.Run != one.Run || e.Text != c.text || strings.Contains(e.URL, "secret") || !e.Deadline.Equal(one.Deadline) {
			t.Errorf("the event is %+v", e)
		}
		c.end(one)
		if e := next(); e.Kind != handoff.ApprovalResolved || e.Approval != one.ID || e.Run != one.Run || e.Status != string(c.status) {
			t.Errorf("the event is %+v", e)
		}
		<-ended
	}
}

// A session in which a person has the page does not expire, and the program may wait for the end.
func TestASessionLastsWhileAPersonHasItsPage(t *testing.T) {
	t.Parallel()
	var desk *handoff.Desk
	told := make(chan handoff.Notice, 2)
	s, site := startAPI(t, func(a *agent.Options, o *server.Options) {
		var err error
		if desk, err = handoff.New(&handoff.Options{Store: a.Store, Notify: func(n handoff.Notice) { told <- n }}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(desk.Close)
		a.Handoffs, o.Handoffs = desk, desk
		o.PersonToken, o.API.Store = personToken, a.Store
		o.API.SessionTimeout = 3 * time.Second
	})
	s.does(t, 200, "POST", "/session/start", fmt.Sprintf(`{"url": %q}`, site.URL))
	s.does(t, 202, "POST", "/handoffs", `{"reason": "other", "timeout_ms": 6000}`)
	id := (<-told).Handoff
	s.person(t, 404, "POST", "/handoffs/"+id+"/link", "") // the person comes to the computer
	result, err := desk.Get(id).Wait(browsertest.Context(t))
	if err != nil || result.Status != handoff.TimedOut {
		t.Fatalf("it ended %s, %v", result.Status, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if h := desk.Get((<-told).Handoff); h != nil {
			_, _ = h.Return(t.Context())
		}
	}()
	if done := s.does(t, 200, "POST", "/handoffs", `{"reason": "other", "wait": 50, "capture_screenshot": true}`); done["status"] != "FINISHED" || done["resume_hint"] == "" || len(done["pictures"].([]any)) != 2 {
		t.Errorf("it is answered with %v", done)
	}
	<-ended
	browsertest.Until(t, "the session to end as no one uses it", func() bool { return s.status(t)["status"] == "no active session" })
}

func TestWhereNoOneTakesOverThereAreNoHandoffs(t *testing.T) {
	t.Parallel()
	s, _ := startAPI(t, nil)
	for _, path := range []string{"/events", "/handoffs", "/handoffs/x"} {
		s.does(t, 404, "GET", path, "")
	}
	s.does(t, 404, "POST", "/handoffs", `{"reason": "other"}`)
}

// Programs tell people something; each key once by a process. Where no one can be told the answer says who was tried, and what to do.
func TestPeopleAreToldOverHTTP(t *testing.T) {
	t.Parallel()
	chat := notifytest.Start(t)
	s, _ := startAPI(t, func(_ *agent.Options, o *server.Options) {
		bot, err := notify.NewTelegram(notifytest.Secret(), 77, &notify.TelegramOptions{API: chat.URL})
		if err == nil {
			o.Notify, err = notify.New(&notify.Options{Channels: []notify.Channel{bot}})
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	for range 2 {
		if sent := s.does(t, 200, "POST", "/notify", `{"title": "Invoices", "text": "October is paid.", "key": "october"}`); sent["channel"] != "telegram" || sent["id"] == "" {
			t.Errorf("sent was %v", sent)
		}
	}
	if all := chat.Sent(); len(all) != 1 || all[0].Text != "Invoices\nOctober is paid.\n\nThis was sent by a program, by POST /notify: Reprise asks nothing by it." {
		t.Errorf("the chat has %+v", all)
	}
	chat.Fail("sendMessage", notifytest.Failure{Code: 401})
	if e := s.fails(t, 502, agent.NotTold, "POST", "/notify", `{"text": "x"}`); !strings.Contains(e["reason"].(string), "@BotFather") || strings.Contains(e["reason"].(string), notifytest.Token) {
		t.Errorf("it fails with %v", e)
	}
	s.fails(t, 400, agent.InvalidArguments, "POST", "/notify", `{}`)
	s.does(t, 400, "POST", "/notify", `{"chat": 5}`)
}

func TestWhereNothingIsSetUpNoOneIsTold(t *testing.T) {
	t.Parallel()
	s, _ := startAPI(t, nil)
	s.fails(t, 404, agent.NotFound, "POST", "/notify", `{"text": "x"}`)
}
