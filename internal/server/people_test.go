package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/internal/server"
	"github.com/go-reprise/reprise/store"
)

const personToken = "a-token-of-a-person"

func asPerson(r *http.Request) { r.Header.Set("Authorization", "Bearer "+personToken) }

// asksForPeople starts a sidecar that people answer, and stores what a run has asked.
func asksForPeople(t *testing.T) (*sidecar, store.Approval) {
	t.Helper()
	s := startWith(t, nil, func(a *agent.Options, o *server.Options) {
		o.PersonToken, o.API.Store, o.API.Rate = personToken, a.Store, 1000
	})
	a, err := s.st.Approvals().Ask(t.Context(), store.ApprovalRequest{
		Run: store.NewRunID(), Step: 2, Tool: "click", Label: "Pay", Origin: "https://shop.example", URL: "https://shop.example/pay",
		Payee: "Meadow Water", Amount: "12,00 €", Picture: []byte("\xff\xd8\xff\xe0 a picture"),
	}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return s, a
}

// person makes a request as someone who has the person's token.
func (s *sidecar) person(t *testing.T, status int, method, path, body string) told {
	t.Helper()
	return s.doesAs(t, asPerson, status, method, path, body)
}

func TestPeopleAnswerOverHTTP(t *testing.T) {
	t.Parallel()
	s, a := asksForPeople(t)
	// Who has the server's token alone, as agents do, may not even see them.
	for _, path := range []string{"/approvals", "/approvals/" + a.ID, "/approvals/" + a.ID + "/picture", "/limits"} {
		s.fails(t, 403, server.Forbidden, "GET", path, "")
	}
	s.fails(t, 403, server.Forbidden, "POST", "/approvals/"+a.ID+"/answer", `{"approve": true}`)
	s.doesAs(t, func(r *http.Request) { r.Header.Del("Authorization") }, 401, "GET", "/approvals", "")
	if now, err := s.st.Approvals().Get(t.Context(), a.ID); err != nil || now.State != store.ApprovalPending {
		t.Fatalf("it is %s, %v", now.State, err)
	}
	// The person's token opens nothing else.
	s.doesAs(t, asPerson, 401, "GET", "/runs", "")

	all := s.person(t, 200, "GET", "/approvals", "")["approvals"].([]any)
	if len(all) != 1 || all[0].(map[string]any)["payee"] != "Meadow Water" || all[0].(map[string]any)["step"] != 3.0 {
		t.Errorf("listed are %v", all)
	}
	if one := s.person(t, 200, "GET", "/approvals/"+a.ID, ""); one["state"] != "pending" || one["amount"] != "12,00 €" {
		t.Errorf("it is %v", one)
	}
	if answer, data := s.send(t, "GET", "/approvals/"+a.ID+"/picture", "", asPerson); answer.StatusCode != 200 || answer.Header.Get("Content-Type") != "image/jpeg" || string(data) != "\xff\xd8\xff\xe0 a picture" {
		t.Errorf("its picture is %s, %d bytes", answer.Status, len(data))
	}
	s.person(t, 400, "POST", "/approvals/"+a.ID+"/answer", `{}`)
	if one := s.person(t, 200, "POST", "/approvals/"+a.ID+"/answer", `{"approve": true}`); one["state"] != "approved" || one["by"] != "the person's token" {
		t.Errorf("answered it is %v", one)
	}
	s.person(t, 409, "POST", "/approvals/"+a.ID+"/answer", `{"approve": false}`)
	s.person(t, 404, "POST", "/approvals/none/answer", `{"approve": true}`)
	if left := s.person(t, 200, "GET", "/approvals", "")["approvals"].([]any); len(left) != 0 {
		t.Errorf("still listed are %v", left)
	}
	if left := s.person(t, 200, "GET", "/approvals?all=true", "")["approvals"].([]any); len(left) != 1 {
		t.Errorf("of all are listed %v", left)
	}
}

func TestPeopleSetLimitsOverHTTP(t *testing.T) {
	t.Parallel()
	s, _ := asksForPeople(t)
	const body = `{"site": "https://shop.example", "payee": "Meadow Water", "currency": "eur", "sum": "200", "each": "49.90"}`
	s.fails(t, 403, server.Forbidden, "POST", "/limits", body)
	for _, wrong := range []string{`{}`, `{"site": "https://shop.example", "payee": "Meadow Water", "currency": "EUR", "sum": "1e9"}`, `{"site": "shop", "payee": "Meadow Water", "currency": "EUR", "sum": "1"}`} {
		s.person(t, 400, "POST", "/limits", wrong)
	}
	added := s.person(t, 201, "POST", "/limits", body)
	if added["each"] != "49.90" || added["sum"] != "200.00" || added["per"] != "month" {
		t.Errorf("it is %v", added)
	}
	all := s.person(t, 200, "GET", "/limits", "")["limits"].([]any)
	if len(all) != 1 || all[0].(map[string]any)["rest"] != "200.00" {
		t.Errorf("listed are %v", all)
	}
	bill := store.Payment{Site: "https://shop.example", Payee: "Meadow Water", Amount: store.Money{Minor: 1250, Currency: "EUR"}}
	if _, err := s.st.Commits().BeginPayment(t.Context(), store.NewRunID(), 3, bill); err != nil {
		t.Fatal(err)
	}
	s.fails(t, 403, server.Forbidden, "GET", "/limits/payments", "")
	paid := s.person(t, 200, "GET", "/limits/payments", "")["payments"].([]any)
	if len(paid) != 1 || paid[0].(map[string]any)["amount"] != "12.50" || paid[0].(map[string]any)["state"] != "reserved" || paid[0].(map[string]any)["step"] != 4.0 {
		t.Errorf("the ledger is %v", paid)
	}
	id := added["id"].(string)
	s.person(t, 204, "DELETE", "/limits/"+id, "")
	s.person(t, 404, "DELETE", "/limits/"+id, "")
}

func TestWithoutAPersonsTokenNoOneAnswers(t *testing.T) {
	t.Parallel()
	s, _ := startAPI(t, nil)
	s.fails(t, 403, server.Forbidden, "GET", "/approvals", "")
	s.doesAs(t, asPerson, 401, "GET", "/limits", "")
	if _, err := server.New(&server.Options{Agent: &agent.Server{}, Token: token, PersonToken: token, Hosts: []string{"x"}, API: server.API{Store: s.st}}); err == nil {
		t.Error("one token is taken for both")
	}
}
