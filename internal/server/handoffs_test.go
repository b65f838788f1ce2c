package server_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/server"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/notify/notifytest"
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

func TestWhereNoOneTakesOverThereAreNoHandoffs(t *testing.T) {
	t.Parallel()
	s, _ := startAPI(t, nil)
	for _, path := range []string{"/events", "/handoffs", "/handoffs/x"} {
		s.does(t, 404, "GET", path, "")
	}
}

// Programs tell people something; each key once. Where no one can be told the answer says who was tried, and what to do.
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
	if e := s.fails(t, 502, server.NotTold, "POST", "/notify", `{"text": "x"}`); !strings.Contains(e["reason"].(string), "@BotFather") || strings.Contains(e["reason"].(string), notifytest.Token) {
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
