package server

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

// What only people may do: answer approvals, set limits, and open the live view. It needs a token of its own, which no agent
// has: an agent that has the server's token could approve itself otherwise.

// forPeople reports whether a path is one that needs the person's token.
func forPeople(path string) bool {
	for _, p := range []string{"/approvals", "/limits"} {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return strings.HasPrefix(path, "/handoffs/") && strings.HasSuffix(path, "/link")
}

// peopleRoutes are the paths for people.
func (a *api) peopleRoutes() map[string]handler {
	return map[string]handler{
		"GET /approvals":              a.approvals,
		"GET /approvals/{id}":         a.approval,
		"GET /approvals/{id}/picture": a.approvalPicture,
		"POST /approvals/{id}/answer": a.answerApproval,
		"GET /limits":                 a.limits,
		"POST /limits":                a.addLimit,
		"DELETE /limits/{id}":         a.removeLimit,
		"GET /limits/payments":        a.payments,
		"POST /handoffs/{id}/link":    a.linkHandoff,
	}
}

// toldApproval is an approval request as JSON has it.
type toldApproval struct {
	ID       string              `json:"id"`
	State    store.ApprovalState `json:"state"`
	Run      string              `json:"run"`
	Step     int                 `json:"step"` // from 1
	Tool     string              `json:"tool"`
	Intent   string              `json:"intent,omitempty"`
	Says     string              `json:"says,omitempty"`
	Origin   string              `json:"origin"`
	URL      string              `json:"url"`
	Payee    string              `json:"payee,omitempty"`
	Amount   string              `json:"amount,omitempty"`
	Currency string              `json:"currency,omitempty"`
	Method   string              `json:"method,omitempty"`
	Request  string              `json:"request,omitempty"`
	Type     string              `json:"type,omitempty"`
	Size     int                 `json:"size,omitempty"`
	Asked    time.Time           `json:"asked"`
	Deadline time.Time           `json:"deadline"`
	Answered time.Time           `json:"answered,omitzero"`
	By       string              `json:"by,omitempty"`
	Used     time.Time           `json:"used,omitzero"`
}

func approvalOf(a store.Approval) toldApproval {
	return toldApproval{
		ID: a.ID, State: a.State, Run: a.Run, Step: a.Step + 1, Tool: a.Tool, Intent: a.Intent, Says: a.Label, Origin: a.Origin, URL: a.URL,
		Payee: a.Payee, Amount: a.Amount, Currency: a.Currency, Method: a.Method, Request: a.Request, Type: a.Type, Size: a.Size,
		Asked: a.Asked, Deadline: a.Deadline, Answered: a.Answered, By: a.By, Used: a.Spent,
	}
}

// maxListed are listed at once.
const maxListed = 100

// approvals lists those that can be answered, or all with ?all=true.
func (a *api) approvals(w http.ResponseWriter, r *http.Request) error {
	list := a.options.Store.Approvals().Pending
	if r.URL.Query().Get("all") == "true" {
		list = a.options.Store.Approvals().List
	}
	all := []toldApproval{}
	for one, err := range list(r.Context()) {
		if err != nil {
			return err
		}
		if len(all) == maxListed {
			break
		}
		if one.Err == nil {
			all = append(all, approvalOf(one.Approval))
		}
	}
	answer(w, http.StatusOK, map[string]any{"approvals": all})
	return nil
}

// missing makes an error of a store one of the API.
func missing(err error, where, what string) error {
	if errors.Is(err, store.ErrNotFound) {
		return refusal(agent.NotFound, "GET "+where+" lists them", "there is no such %s", what)
	}
	return err
}

func (a *api) approval(w http.ResponseWriter, r *http.Request) error {
	found, err := a.options.Store.Approvals().Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return missing(err, "/approvals", "approval")
	}
	answer(w, http.StatusOK, approvalOf(found))
	return nil
}

func (a *api) approvalPicture(w http.ResponseWriter, r *http.Request) error {
	picture, err := a.options.Store.Approvals().Picture(r.Context(), r.PathValue("id"))
	if err != nil {
		return missing(err, "/approvals", "picture")
	}
	kind := http.DetectContentType(picture)
	if kind != "image/png" && kind != "image/jpeg" {
		return refusal(agent.NotFound, "see GET /approvals/{id}", "there is no such picture")
	}
	answerBytes(w, http.StatusOK, kind, picture)
	return nil
}

// answeredBy names who has answered, for the record.
const answeredBy = "the person's token"

func (a *api) answerApproval(w http.ResponseWriter, r *http.Request) error {
	var body struct{ Approve *bool }
	if err := read(w, r, &body); err != nil {
		return err
	}
	if body.Approve == nil {
		return refusal(agent.InvalidArguments, "send true or false", "the body needs approve")
	}
	answered, err := runner.Answer(r.Context(), a.options.Store, r.PathValue("id"), answeredBy, *body.Approve)
	var ended *store.ApprovalEndedError
	var gone *runner.EndedRunError
	switch {
	case errors.As(err, &gone):
		return refusal(agent.Conflict, "nothing is to be done", "%v", gone)
	case errors.As(err, &ended):
		return refusal(agent.Conflict, "GET /approvals/{id} tells how", "%v", ended)
	case err != nil:
		return missing(err, "/approvals", "approval")
	}
	answer(w, http.StatusOK, approvalOf(answered))
	return nil
}

// toldLimit is a limit as JSON has it. Amounts are decimals.
type toldLimit struct {
	ID       string       `json:"id"`
	Site     string       `json:"site"`
	Payee    string       `json:"payee"`
	Currency string       `json:"currency"`
	Each     string       `json:"each"`
	Sum      string       `json:"sum"`
	Per      store.Period `json:"per"`
	Spent    string       `json:"spent,omitempty"`
	Rest     string       `json:"rest,omitempty"`
	Until    time.Time    `json:"until,omitzero"`
	By       string       `json:"by,omitempty"`
	Created  time.Time    `json:"created"`
}

func limitOf(l store.Limit) toldLimit {
	return toldLimit{ID: l.ID, Site: l.Site, Payee: l.Payee, Currency: l.Currency, Each: l.Each.Decimal(), Sum: l.Sum.Decimal(), Per: l.Per, By: l.By, Created: l.Created}
}

func (a *api) limits(w http.ResponseWriter, r *http.Request) error {
	all := []toldLimit{}
	for l, err := range a.options.Store.Limits().List(r.Context()) {
		if err != nil {
			return err
		}
		if l.Err == nil {
			told := limitOf(l.Limit)
			told.Spent, told.Rest, told.Until = l.Left.Spent.Decimal(), l.Left.Rest.Decimal(), l.Left.Until
			all = append(all, told)
		}
	}
	answer(w, http.StatusOK, map[string]any{"limits": all})
	return nil
}

// payments lists the newest entries of the ledger.
func (a *api) payments(w http.ResponseWriter, r *http.Request) error {
	all := []map[string]any{}
	for e, err := range a.options.Store.Limits().Payments(r.Context()) {
		if err != nil {
			return err
		}
		if len(all) == maxListed {
			break
		}
		if e.Err == nil {
			all = append(all, map[string]any{"run": e.Run, "step": e.Step + 1, "site": e.Site, "payee": e.Payee, "amount": e.Amount.Decimal(), "currency": e.Amount.Currency, "state": e.State, "begun": e.Begun})
		}
	}
	answer(w, http.StatusOK, map[string]any{"payments": all})
	return nil
}

func (a *api) addLimit(w http.ResponseWriter, r *http.Request) error {
	var body struct{ Site, Payee, Currency, Each, Sum, Per string }
	if err := read(w, r, &body); err != nil {
		return err
	}
	invalid := func(err error) error {
		return refusal(agent.InvalidArguments, "see GET /openapi.json; nothing was stored", "%v", err)
	}
	l := store.Limit{Site: body.Site, Payee: body.Payee, Currency: body.Currency, Per: store.Period(body.Per), By: answeredBy}
	var err error
	if l.Sum, err = store.ParseDecimal(body.Sum, body.Currency); err != nil {
		return invalid(err)
	}
	if body.Each != "" {
		if l.Each, err = store.ParseDecimal(body.Each, body.Currency); err != nil {
			return invalid(err)
		}
	}
	added, err := a.options.Store.Limits().Add(r.Context(), l)
	if wrong := new(store.InvalidLimitError); errors.As(err, &wrong) {
		return invalid(err)
	}
	if err != nil {
		return err
	}
	answer(w, http.StatusCreated, limitOf(added))
	return nil
}

func (a *api) removeLimit(w http.ResponseWriter, r *http.Request) error {
	if err := a.options.Store.Limits().Remove(r.Context(), r.PathValue("id")); err != nil {
		return missing(err, "/limits", "limit")
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
