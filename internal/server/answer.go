package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/replayer"
)

// The codes of errors of the API in addition to those of package agent and of replayer.Code.
const (
	Unauthorized     = "unauthorized"
	Forbidden        = "forbidden" // by another host, or from a page of another site
	NoSession        = "no_session"
	TooManySessions  = "too_many_sessions"
	TooLarge         = "too_large"
	MethodNotAllowed = "method_not_allowed"
)

// statuses are those of the codes. That of any other code is 500.
var statuses = map[string]int{
	agent.InvalidArguments: http.StatusBadRequest,
	agent.InvalidIntent:    http.StatusBadRequest,
	Unauthorized:           http.StatusUnauthorized,
	Forbidden:              http.StatusForbidden,
	agent.NotFound:         http.StatusNotFound,
	NoSession:              http.StatusNotFound,
	MethodNotAllowed:       http.StatusMethodNotAllowed,
	agent.Conflict:         http.StatusConflict,
	TooManySessions:        http.StatusConflict,
	TooLarge:               http.StatusRequestEntityTooLarge,
	agent.TooManyRequests:  http.StatusTooManyRequests,

	// It was not allowed.
	string(replayer.Refused):    http.StatusForbidden,
	string(replayer.OutOfScope): http.StatusForbidden,
	// The request was understood, and the page is not as it has to be for it.
	string(replayer.NotFound):      http.StatusUnprocessableEntity,
	string(replayer.Ambiguous):     http.StatusUnprocessableEntity,
	string(replayer.Changed):       http.StatusUnprocessableEntity,
	string(replayer.NotActionable): http.StatusUnprocessableEntity,
	string(replayer.InvalidValue):  http.StatusUnprocessableEntity,
	// A person must deal with it first.
	string(replayer.Blocked):   http.StatusConflict,
	string(replayer.Uncertain): http.StatusConflict,
	agent.HeldByPerson:         http.StatusLocked,
	agent.LookFirst:            http.StatusConflict,
	// The site, the browser, or a channel to people did not do its part.
	agent.NotTold:                     http.StatusBadGateway,
	string(replayer.BrowserLost):      http.StatusBadGateway,
	string(replayer.NavigationFailed): http.StatusBadGateway,
	string(replayer.Timeout):          http.StatusGatewayTimeout,
	string(replayer.Cancelled):        http.StatusServiceUnavailable,
}

func refusal(code, next, format string, args ...any) *agent.Error {
	return &agent.Error{Code: code, Next: next, Reason: fmt.Sprintf(format, args...)}
}

// failure is the body of an answer to a request that failed.
type failure struct {
	Error *agent.Error `json:"error"`
}

// answerError answers with an error, in JSON.
func answerError(w http.ResponseWriter, err error) {
	var e *agent.Error
	if !errors.As(err, &e) {
		e = &agent.Error{Code: agent.Failed, Reason: err.Error()}
	}
	e = overHTTP(e)
	status, known := statuses[e.Code]
	if !known {
		status = http.StatusInternalServerError
	}
	answer(w, status, failure{e})
}

// calls are those of the API that do what a tool of an agent does.
var calls = map[string]string{"request_human": "POST /handoffs", "handoff_start": "POST /handoffs", "human_wait": "GET /handoffs/{id}"}

// overHTTP has an error suggest a call of this API in place of a tool, or none.
func overHTTP(e *agent.Error) *agent.Error {
	if e.Suggestion == nil {
		return e
	}
	told, suggested := *e, *e.Suggestion
	suggested.Tool = calls[suggested.Tool]
	told.Suggestion = &suggested
	if suggested.Tool == "" {
		told.Suggestion, told.Next = nil, strings.TrimSuffix(e.Next, agent.SuggestNext)
	}
	if id, is := suggested.Arguments["handoff_id"]; is {
		suggested.Arguments = map[string]string{"id": id}
	}
	return &told
}

func answer(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":{"code":"failed","reason":"the answer is not JSON"}}`)
	}
	answerBytes(w, status, "application/json", append(data, '\n'))
}

func answerBytes(w http.ResponseWriter, status int, kind string, data []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(data) // a client that has gone reads nothing
}

// answerNoRoute answers a request for what there is not, or not by that method, as the handler
// of an http.ServeMux for it would, in JSON.
func answerNoRoute(w http.ResponseWriter, r *http.Request, notFound http.Handler) {
	probe := &probe{header: http.Header{}}
	notFound.ServeHTTP(probe, r)
	if probe.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", probe.header.Get("Allow"))
		answerError(w, refusal(MethodNotAllowed, "see GET /openapi.json", "this path does not take the method; it takes %s", probe.header.Get("Allow")))
		return
	}
	answerError(w, refusal(agent.NotFound, "see GET /openapi.json", "there is no such path"))
}

// probe sees with what a handler answers.
type probe struct {
	header http.Header
	status int
}

func (p *probe) Header() http.Header         { return p.header }
func (p *probe) WriteHeader(status int)      { p.status = status }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }

// maxBody is how many bytes a body of the API may have.
const maxBody = 1 << 20

// read reads the body of a request, which is an object of JSON; none is an empty one. What is
// wrong with it is not quoted: there may be a secret in it.
func read(w http.ResponseWriter, r *http.Request, to any) error {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return refusal(TooLarge, "send less", "the body has more than %d bytes", maxBody)
	}
	if err != nil {
		return refusal(agent.InvalidArguments, "send it again", "the body cannot be read")
	}
	if len(data) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil || d.More() {
		return refusal(agent.InvalidArguments, "see GET /openapi.json; nothing was done", "the body is not the object of JSON that this path takes")
	}
	return nil
}

// timedOut is the error of a call that took longer than the API allows.
func timedOut(ctx context.Context, err error) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	return refusal(string(replayer.Timeout), "see GET /session/status and GET /session/screenshot for what was done", "the call took longer than this server allows")
}
