package server

import (
	"cmp"
	"context"
	_ "embed" // of openapi.json
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// Defaults of API.
const (
	// DefaultMaxSessions is how many browser sessions may be open.
	DefaultMaxSessions = 1
	// DefaultSessionTimeout is when a session ends that no one uses.
	DefaultSessionTimeout = 30 * time.Minute
	// DefaultCallTimeout is what the longest time of a step allows, and some for a page to open.
	DefaultCallTimeout = 10 * time.Minute
	// DefaultRate is how many requests a second are answered: more than a program that waits
	// for each answer makes, and less than a loop without one.
	DefaultRate = 20
)

// API are the options of the API of JSON over HTTP. The zero value works.
type API struct {
	// MaxSessions is how many browser sessions may be open at once; a run with a page of its own
	// counts as one. Default: DefaultMaxSessions.
	MaxSessions int
	// SessionTimeout ends a session that is not used. Default: DefaultSessionTimeout.
	SessionTimeout time.Duration
	// CallTimeout is how long a call in a session may take, waiting for an approval included.
	// Default: DefaultCallTimeout.
	CallTimeout time.Duration
	// Rate is how many requests a second are answered on average. Default: DefaultRate.
	Rate float64
	// Store has the approvals that people answer, and the limits that they set. Default: nil; then
	// Options.PersonToken must be "", too.
	Store store.Store
	// Logins are the saved logins that are listed and deleted as contexts. Default: none.
	Logins store.Envelopes
	// LoginAllowed reports whether a login is shown at all: those that agents may begin with.
	// Default: none is.
	LoginAllowed func(name, account string) bool
	// Cleanup closes orphaned browsers. Default: nil, there is nothing to clean up.
	Cleanup func(ctx context.Context) ([]runner.Cleaned, error)
	// Version is told to clients. Default: "dev".
	Version string
}

// api answers requests of JSON over HTTP.
type api struct {
	options  API
	sessions *sessions
	records  *agent.Client // that asks for what needs no page
	desk     *handoff.Desk // nil where no one takes over
	notifier *notify.Notifier
	rate     *rate.Limiter
	ctx      context.Context // of runs, which outlive their requests
	cancel   context.CancelFunc
	runs     sync.WaitGroup
}

func newAPI(o *Options) (*api, error) {
	a := &api{options: o.API, desk: o.Handoffs, notifier: o.Notify}
	a.options.MaxSessions = cmp.Or(max(a.options.MaxSessions, 0), DefaultMaxSessions)
	a.options.SessionTimeout = cmp.Or(max(a.options.SessionTimeout, 0), DefaultSessionTimeout)
	a.options.CallTimeout = cmp.Or(max(a.options.CallTimeout, 0), DefaultCallTimeout)
	a.options.Rate = cmp.Or(max(a.options.Rate, 0), DefaultRate)
	a.options.Version = cmp.Or(a.options.Version, "dev")
	owner := agent.OwnerOf(o.Token)
	var err error
	if a.records, err = o.Agent.Client(owner); err != nil {
		return nil, err
	}
	a.sessions = &sessions{agent: o.Agent, owner: owner, max: a.options.MaxSessions, timeout: a.options.SessionTimeout}
	a.rate = rate.NewLimiter(rate.Limit(a.options.Rate), max(1, int(2*a.options.Rate)))
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a, nil
}

func (a *api) close() {
	a.cancel()
	a.sessions.close()
	a.runs.Wait()
	a.records.Close()
}

// handler answers a request; an error that it returns is answered as one.
type handler func(w http.ResponseWriter, r *http.Request) error

// routes are the paths of the API.
func (a *api) routes() map[string]handler {
	all := map[string]handler{
		"GET /health":                    a.health,
		"GET /openapi.json":              a.openAPI,
		"POST /session/start":            a.start,
		"POST /session/stop":             a.stop,
		"POST /session/navigate":         a.navigate,
		"POST /session/click":            a.click,
		"POST /session/request_approval": a.requestApproval,
		"POST /session/type":             a.typeText,
		"POST /session/scroll":           a.scroll,
		"GET /session/screenshot":        a.screenshot,
		"GET /session/status":            a.status,
		"GET /contexts":                  a.contexts,
		"DELETE /contexts/{name}":        a.deleteContext,
		"POST /cleanup":                  a.cleanup,
		"GET /automations":               a.automations,
		"POST /automations/{name}/play":  a.play,
		"GET /runs":                      a.listRuns,
		"GET /runs/{id}":                 a.run,
		"GET /events":                    a.events,
		"GET /handoffs":                  a.handoffs,
		"POST /handoffs":                 a.startHandoff,
		"GET /handoffs/{id}":             a.handoff,
		"POST /handoffs/{id}/cancel":     a.cancelHandoff,
		"POST /notify":                   a.notify,
	}
	maps.Copy(all, a.peopleRoutes())
	return all
}

// limited is a handler that answers no more requests than the rate.
func (a *api) limited(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !a.rate.Allow() {
			w.Header().Set("Retry-After", "1")
			answerError(w, refusal(agent.TooManyRequests, "wait a second and send it again", "there are more than %g requests a second", a.options.Rate))
			return
		}
		if err := h(w, r); err != nil {
			answerError(w, err)
		}
	}
}

//go:embed openapi.json
var openAPI []byte

func (a *api) openAPI(w http.ResponseWriter, _ *http.Request) error {
	answerBytes(w, http.StatusOK, "application/json", openAPI)
	return nil
}

func (a *api) health(w http.ResponseWriter, _ *http.Request) error {
	a.sessions.mu.Lock()
	taken := a.sessions.taken
	a.sessions.mu.Unlock()
	answer(w, http.StatusOK, map[string]any{"status": "ok", "version": a.options.Version, "sessions": taken, "max_sessions": a.options.MaxSessions})
	return nil
}

// Sessions.

// picture is a PNG as JSON has it: encoding/json writes it in base64.
type picture []byte

// pictured answers with what a call returned and a picture of the page after it.
func (a *api) pictured(ctx context.Context, client *agent.Client, value map[string]any) (map[string]any, error) {
	shot, err := a.shoot(ctx, client, false)
	if err != nil {
		return nil, err
	}
	value["picture"] = picture(shot)
	return value, nil
}

func (a *api) shoot(ctx context.Context, client *agent.Client, fullPage bool) ([]byte, error) {
	result, err := a.call(ctx, client, "screenshot", map[string]any{"full_page": fullPage})
	if err != nil {
		return nil, err
	}
	if len(result.Pictures) == 0 {
		return nil, refusal(agent.Failed, "try again", "there is no picture")
	}
	return result.Pictures[0], nil
}

func (a *api) start(w http.ResponseWriter, r *http.Request) error {
	var body struct{ URL, Context, Account, Intent *string }
	if err := read(w, r, &body); err != nil {
		return err
	}
	client, err := a.sessions.reserve()
	if err != nil {
		return err
	}
	value, err := a.arrive(r.Context(), client, given{"url": body.URL, "login": body.Context, "account": body.Account, "intent": body.Intent})
	if err != nil {
		a.sessions.release(client)
		return err
	}
	value["session"], value["link"] = client.ID(), "" // a link is the person's: see linkHandoff
	var login string
	if body.Context != nil {
		login = *body.Context
	}
	a.sessions.begin(client, login)
	answer(w, http.StatusOK, value)
	return nil
}

// arrive goes to an address, and returns where that led, with a picture.
func (a *api) arrive(ctx context.Context, client *agent.Client, args given) (map[string]any, error) {
	result, err := a.call(ctx, client, "navigate", args.set())
	if err != nil {
		return nil, err
	}
	return a.pictured(ctx, client, result.Value)
}

// given are arguments of a tool, each a pointer or JSON, nil where the request has none.
type given map[string]any

// set are those that the request has.
func (g given) set() map[string]any {
	args := map[string]any{}
	for name, value := range g {
		switch v := value.(type) {
		case *string:
			if v != nil {
				args[name] = *v
			}
		case json.RawMessage:
			if v != nil {
				args[name] = v
			}
		}
	}
	return args
}

func (a *api) stop(w http.ResponseWriter, r *http.Request) error {
	var body struct{}
	if err := read(w, r, &body); err != nil {
		return err
	}
	stopped, err := a.sessions.stop(r.URL.Query().Get("session"))
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, map[string]any{"session": stopped.ID(), "stopped": true})
	return nil
}

// inSession answers with what do returns, in the session that the request is for.
func (a *api) inSession(w http.ResponseWriter, r *http.Request, body any, do func(context.Context, *agent.Client) (map[string]any, error)) error {
	if err := read(w, r, body); err != nil {
		return err
	}
	session, done, err := a.sessions.use(r.URL.Query().Get("session"))
	if err != nil {
		return err
	}
	defer done()
	value, err := do(r.Context(), session.Client)
	if err != nil {
		return err
	}
	value["session"] = session.ID()
	answer(w, http.StatusOK, value)
	return nil
}

func (a *api) navigate(w http.ResponseWriter, r *http.Request) error {
	var body struct{ URL, Intent *string }
	return a.inSession(w, r, &body, func(ctx context.Context, client *agent.Client) (map[string]any, error) {
		return a.arrive(ctx, client, given{"url": body.URL, "intent": body.Intent})
	})
}

// target names the element of a body that has a selector or a text.
func target(selector json.RawMessage, text *string) (any, error) {
	if (selector == nil) == (text == nil) {
		return nil, refusal(agent.InvalidArguments, "name an element by its selector, or by its text", "the body needs selector or text, and not both")
	}
	if text != nil {
		return "text/" + *text, nil
	}
	return selector, nil
}

func (a *api) click(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Selector, Frame       json.RawMessage
		Text, Timeout, Intent *string
	}
	return a.inSession(w, r, &body, func(ctx context.Context, client *agent.Client) (map[string]any, error) {
		args := given{"frame": body.Frame, "timeout": body.Timeout, "intent": body.Intent}.set()
		var err error
		if args["target"], err = target(body.Selector, body.Text); err != nil {
			return nil, err
		}
		result, err := a.call(ctx, client, "click", args)
		return result.Value, err
	})
}

// requestApproval has a person approve what the page shows, before the click that sends it.
func (a *api) requestApproval(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Selector, Frame                                json.RawMessage
		Text, Payee, Amount, Currency, Timeout, Intent *string
	}
	return a.inSession(w, r, &body, func(ctx context.Context, client *agent.Client) (map[string]any, error) {
		args := given{"frame": body.Frame, "payee": body.Payee, "amount": body.Amount, "currency": body.Currency, "timeout": body.Timeout, "intent": body.Intent}.set()
		var err error
		if args["target"], err = target(body.Selector, body.Text); err != nil {
			return nil, err
		}
		result, err := a.call(ctx, client, "request_approval", args)
		var e *agent.Error
		if errors.As(err, &e) && e.Code == agent.NotFound { // the tool, where no one is asked
			err = refusal(agent.NotFound, "start the server with --ask store", "no one is asked for approvals here")
		}
		return result.Value, err
	})
}

// focused is the selector of the field that has the focus, in shadow roots, too, whose hosts match
// :focus as well.
const focused = "pierce/:is(input, textarea, select, [contenteditable]):focus"

func (a *api) typeText(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Text, Variable, Task, Account, Timeout, Intent *string
		Selector, Frame                                json.RawMessage
	}
	return a.inSession(w, r, &body, func(ctx context.Context, client *agent.Client) (map[string]any, error) {
		args := given{
			"target": body.Selector, "frame": body.Frame, "value": body.Text, "task": body.Task, "account": body.Account, "timeout": body.Timeout, "intent": body.Intent,
		}.set()
		if (body.Text == nil) == (body.Variable == nil) {
			return nil, refusal(agent.InvalidArguments, "give the text, or name a variable of a task or an account", "the body needs text or variable, and not both")
		}
		if body.Variable != nil {
			args["value"] = map[string]any{"variable": *body.Variable}
		}
		if args["target"] == nil {
			args["target"] = focused
		}
		result, err := a.call(ctx, client, "type_input", args)
		return result.Value, err
	})
}

// scrolled is how far a scroll goes that does not say: most of a usual viewport.
const scrolled = 600

func (a *api) scroll(w http.ResponseWriter, r *http.Request) error {
	body := struct {
		Direction string
		Pixels    float64
		Intent    *string
	}{Pixels: scrolled}
	return a.inSession(w, r, &body, func(ctx context.Context, client *agent.Client) (map[string]any, error) {
		args := given{"intent": body.Intent}.set()
		switch body.Direction {
		case "up":
			args["dy"] = -body.Pixels
		case "down":
			args["dy"] = body.Pixels
		case "left":
			args["dx"] = -body.Pixels
		case "right":
			args["dx"] = body.Pixels
		default:
			return nil, refusal(agent.InvalidArguments, "name one of them", "direction is up, down, left or right")
		}
		result, err := a.call(ctx, client, "scroll", args)
		return result.Value, err
	})
}

func (a *api) screenshot(w http.ResponseWriter, r *http.Request) error {
	session, done, err := a.sessions.use(r.URL.Query().Get("session"))
	if err != nil {
		return err
	}
	defer done()
	shot, err := a.shoot(r.Context(), session.Client, r.URL.Query().Get("full_page") == "true")
	if err != nil {
		return err
	}
	answerBytes(w, http.StatusOK, "image/png", shot)
	return nil
}

func (a *api) status(w http.ResponseWriter, _ *http.Request) error {
	status, open := "active", a.sessions.list()
	if len(open) == 0 {
		status = "no active session"
	}
	answer(w, http.StatusOK, map[string]any{"status": status, "sessions": open, "max_sessions": a.options.MaxSessions})
	return nil
}

// What is stored.

// savedLogin is a login as GET /contexts has it.
type savedLogin struct {
	Name         string           `json:"name"`
	Account      string           `json:"account,omitempty"`
	Domain       string           `json:"domain"` // of the first origin, "" where it is not known
	Origins      []string         `json:"origins"`
	Notes        string           `json:"notes,omitempty"`
	Saved        time.Time        `json:"saved,omitzero"`
	Expires      time.Time        `json:"expires,omitzero"`
	LastUsed     time.Time        `json:"last_used,omitzero"`
	LastVerified time.Time        `json:"last_verified,omitzero"`
	State        store.LoginState `json:"state"`
}

func (a *api) contexts(w http.ResponseWriter, r *http.Request) error {
	all := []savedLogin{}
	if a.options.Logins != nil && a.options.LoginAllowed != nil {
		for e, err := range a.options.Logins.List(r.Context()) {
			if err != nil {
				return err
			}
			if e.Err == nil && a.options.LoginAllowed(e.Name, e.Account) {
				all = append(all, savedLoginOf(e.Envelope))
			}
		}
	}
	answer(w, http.StatusOK, map[string]any{"contexts": all})
	return nil
}

func savedLoginOf(e store.Envelope) savedLogin {
	l := savedLogin{Name: e.Name, Account: e.Account, Origins: []string{}, Saved: e.Updated, Expires: e.Expires, State: store.LoginUnsure}
	if len(e.Fields) > 0 && len(e.Fields[0].Origins) > 0 { // the other fields are for the same
		l.Origins = e.Fields[0].Origins
		if u, err := url.Parse(l.Origins[0]); err == nil {
			l.Domain = u.Hostname()
		}
	}
	if status := e.Login; status != nil {
		l.Notes, l.LastUsed, l.LastVerified, l.State = status.Notes, status.LastUsed, status.LastVerified, cmp.Or(status.State, l.State)
	}
	return l
}

func (a *api) deleteContext(w http.ResponseWriter, r *http.Request) error {
	name, account := r.PathValue("name"), r.URL.Query().Get("account")
	missing := refusal(agent.NotFound, "GET /contexts shows which there are", "there is no such context")
	if a.options.Logins == nil || a.options.LoginAllowed == nil || !a.options.LoginAllowed(name, account) {
		return missing
	}
	err := a.options.Logins.Delete(r.Context(), name, account, store.AnyRevision)
	if errors.Is(err, store.ErrNotFound) {
		return missing
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *api) cleanup(w http.ResponseWriter, r *http.Request) error {
	var body struct{}
	if err := read(w, r, &body); err != nil {
		return err
	}
	all := []runner.Cleaned{}
	if a.options.Cleanup != nil {
		found, err := a.options.Cleanup(r.Context())
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	answer(w, http.StatusOK, map[string]any{"browsers": all})
	return nil
}

// record answers with what a tool returns that needs no page.
func (a *api) record(w http.ResponseWriter, r *http.Request, tool string, args map[string]any) error {
	if text := r.URL.Query().Get("limit"); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil {
			return refusal(agent.InvalidArguments, "give a whole number", "limit is not a number")
		}
		args["limit"] = limit
	}
	result, err := a.call(r.Context(), a.records, tool, args)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, result.Value)
	return nil
}

func (a *api) automations(w http.ResponseWriter, r *http.Request) error {
	args := map[string]any{}
	if query := r.URL.Query().Get("query"); query != "" {
		args["query"] = query
	}
	return a.record(w, r, "list_automations", args)
}

func (a *api) listRuns(w http.ResponseWriter, r *http.Request) error {
	return a.record(w, r, "run_status", map[string]any{})
}

func (a *api) run(w http.ResponseWriter, r *http.Request) error {
	return a.record(w, r, "run_status", map[string]any{"run": r.PathValue("id")})
}

// Runs.

// Bounds of how many seconds a request waits for the end of its run.
const (
	defaultWait = 30
	maxWait     = 600
)

func (a *api) play(w http.ResponseWriter, r *http.Request) error {
	body := struct {
		Vars                                   json.RawMessage
		Account, Task, Context, Resume, Intent *string
		Wait                                   float64
	}{Wait: defaultWait}
	if err := read(w, r, &body); err != nil {
		return err
	}
	if body.Wait < 0 || body.Wait > maxWait {
		return refusal(agent.InvalidArguments, "GET /runs/{id} tells how a longer one ends", "wait is at most %d seconds", maxWait)
	}
	client, done, err := a.pageOf(r.URL.Query().Get("session"))
	if err != nil {
		return err
	}
	name := r.PathValue("name")
	args := given{"name": &name, "vars": body.Vars, "account": body.Account, "task": body.Task, "login": body.Context, "resume": body.Resume, "intent": body.Intent}.set()
	p := playing{begun: make(chan string, 1), ended: make(chan played, 1)}
	ctx, cancel := context.WithCancel(a.ctx)
	a.runs.Go(func() {
		defer cancel()
		result, err := client.Call(ctx, "run_automation", args, &agent.CallOptions{RunBegun: func(id string) { p.begun <- id }})
		done() // first: who has the answer may play the next
		p.ended <- played{result, err}
	})
	// Until it has begun, no one knows its ID: it is not left to itself.
	begins, stop := context.WithTimeout(r.Context(), a.options.CallTimeout)
	defer stop()
	run, end := p.begin(begins)
	if run == "" && end == nil {
		cancel()
		return refusal(string(replayer.Timeout), "play it again later; nothing was done", "the run did not begin: its page was in use, or did not open")
	}
	if end == nil {
		end = p.end(r.Context(), time.Duration(body.Wait*float64(time.Second)))
	}
	switch {
	case end == nil:
		w.Header().Set("Location", "/runs/"+run)
		answer(w, http.StatusAccepted, map[string]any{"run": run, "state": store.Running, "automation": name})
	case end.err != nil:
		return end.err
	default:
		answer(w, http.StatusOK, end.result.Value)
	}
	return nil
}

// playing is a run that is under way.
type playing struct {
	begun chan string // its ID
	ended chan played
}

// begin waits until the run has an ID, or has ended; neither is there once ctx is done.
func (p playing) begin(ctx context.Context) (run string, end *played) {
	select {
	case run := <-p.begun:
		return run, nil
	case end := <-p.ended:
		return "", &end
	case <-ctx.Done():
		return "", nil
	}
}

// end waits for the end of the run for some time; nil is a run that goes on.
func (p playing) end(ctx context.Context, wait time.Duration) *played {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case end := <-p.ended:
		return &end
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

// pageOf returns the client in whose page a run is played: that of the session that is named, or
// of the only one; else one of its own, for this run alone.
func (a *api) pageOf(id string) (*agent.Client, func(), error) {
	session, done, err := a.sessions.use(id)
	if err == nil {
		return session.Client, done, nil
	}
	if !errors.Is(err, errNoSession) {
		return nil, nil, err
	}
	client, err := a.sessions.reserve()
	if err != nil {
		return nil, nil, err
	}
	return client, func() { a.sessions.release(client) }, nil
}

// played is how a run ended.
type played struct {
	result agent.Result
	err    error
}
