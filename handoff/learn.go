package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/draft"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/recorder/desk"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// Where the person switches that on, what they do is recorded, and offered to them as an automation once they
// have returned the page. The offer is in memory alone, and the run does not wait for it.

const (
	// offerTimeout is how long an offer stands, and stopTimeout how long the end of a recording may take.
	offerTimeout = 10 * time.Minute
	stopTimeout  = 3 * time.Second
	// maxOffer bounds what is sent to save an offer.
	maxOffer = 64 << 10
)

// learning records what a person does, while they want that.
type learning struct {
	mu       sync.Mutex
	recorder *recorder.Recorder
	blocker  automation.Reason
	url      string // of the page that it began at
	failed   string
	ended    bool
	lost     string // why what was recorded is not offered
}

// recorded is what was recorded.
type recorded struct {
	document *automation.Automation
	steps    []recorder.Step
	blocker  automation.Reason
	url      string
}

// keeps returns whether what the person does is recorded, nil where that is not for a person to decide: of a
// blocker that always needs one nothing is learned.
func (h *Handoff) keeps() (on *bool, failed string) {
	if !h.mayLearn() {
		return nil, ""
	}
	h.learning.mu.Lock()
	defer h.learning.mu.Unlock()
	is := h.learning.recorder != nil
	return &is, h.learning.failed
}

// mayLearn reports whether what the person does may be the answer to a blocker. Reasons that say nothing of the page
// are those of the page.
func (h *Handoff) mayLearn() bool {
	switch h.request.Reason {
	case automation.Reason2FA, automation.ReasonApproval:
		return false
	}
	return true
}

// keep begins to record, or ends that and forgets what was recorded.
func (h *Handoff) keep(ctx context.Context, on bool) {
	l := h.learning
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.ended || on == (l.recorder != nil) || !h.mayLearn():
		return
	case !on:
		_, _, _ = l.recorder.Stop(ctx) // of which nothing is wanted
		l.recorder = nil
		return
	}
	l.failed, l.blocker, l.url = "", h.request.Reason, h.page.URL()
	if !l.blocker.CanBeLearned() {
		l.blocker = replayer.Blocker(ctx, h.page)
	}
	if !l.blocker.CanBeLearned() {
		l.failed = "nothing that can be learned blocks this page: a code always needs a person"
		return
	}
	r, err := recorder.Start(ctx, h.page, &recorder.Options{Name: "learned", Takeover: true})
	if err != nil {
		l.failed = "it cannot be recorded"
		h.desk.options.Logger.WarnContext(ctx, "a takeover is not recorded", "handoff", h.ID(), "error", err)
		return
	}
	l.recorder = r
}

// stop ends the recording, and returns what was recorded; nil for nothing.
func (l *learning) stop(ctx context.Context) (*recorded, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if l.recorder == nil {
		return nil, nil
	}
	ctx, cancel := load.WithTimeout(ctx, stopTimeout)
	defer cancel()
	a, _, err := l.recorder.Stop(ctx)
	if err != nil { // what is not whole would not play
		return nil, err
	}
	state, _ := l.recorder.State()
	if len(state.Steps) != len(a.Steps) {
		return nil, fmt.Errorf("%d of its %d steps can be told", len(state.Steps), len(a.Steps))
	}
	return &recorded{a, state.Steps, l.blocker, l.url}, nil
}

// offer is what a person may save.
type offer struct {
	h        *Handoff
	document *automation.Automation
	deadline time.Time
	told     toldOffer

	mu sync.Mutex // one save at a time
}

// toldOffer is an offer as the viewer draws it.
type toldOffer struct {
	Name     string       `json:"name"`
	Replaces bool         `json:"replaces"` // an automation that deals with the same
	Site     string       `json:"site"`
	Account  string       `json:"account,omitempty"`
	Blocker  string       `json:"blocker"`
	Steps    []string     `json:"steps"`
	Fields   []offerField `json:"fields"`
	Vault    bool         `json:"vault"` // secrets can be stored
	Deadline time.Time    `json:"deadline"`
}

// offerField is a value that the automation types, which the person may put into the vault.
type offerField struct {
	Name    string   `json:"name"`
	Label   string   `json:"label"`
	Origins []string `json:"origins"`
	Stored  bool     `json:"stored"` // in the vault already
	Hidden  bool     `json:"hidden"` // while it is typed
}

// notOffered notes why what was recorded is not offered: the person is told as the page is returned.
func (h *Handoff) notOffered(ctx context.Context, why string) {
	h.desk.options.Logger.WarnContext(ctx, "a takeover is not offered as an automation", "handoff", h.ID(), "reason", why)
	h.learning.mu.Lock()
	defer h.learning.mu.Unlock()
	h.learning.lost = why
}

func (l *learning) why() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// offer offers what was recorded, if it is an answer to the blocker.
func (h *Handoff) offer(ctx context.Context, r *recorded) {
	a, words, err := learn(r)
	if err != nil {
		h.notOffered(ctx, err.Error())
		return
	}
	if text, err := automation.Marshal(a); err != nil || h.request.Redact.Text(string(text)) != string(text) {
		h.notOffered(ctx, "it repeats a secret")
		return
	}
	o := &offer{h: h, document: a, deadline: time.Now().Add(offerTimeout)}
	o.told = toldOffer{
		Site: hostOf(r.url), Account: h.record.Account, Blocker: string(r.blocker), Steps: words, Fields: fieldsOf(a, r.steps), Vault: h.desk.options.Secrets != nil, Deadline: o.deadline,
	}
	o.name(ctx, r.url)
	o.lookUp(ctx)
	d := h.desk
	d.mu.Lock()
	d.offers[h.record.ID] = o
	d.mu.Unlock()
	d.work.Go(func() {
		timer := time.NewTimer(offerTimeout)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-d.ctx.Done():
		}
		d.withdraw(h.record.ID)
	})
}

// name finds a name for the offer: that of the automation which deals with the same today, or a new one.
func (o *offer) name(ctx context.Context, url string) {
	all, a := o.h.desk.options.Store.Automations(), o.document
	if now, err := all.MatchBlocker(ctx, url, o.h.record.Account, a.Match.Blocker); err == nil && slices.Equal(now.Match.URLs, a.Match.URLs) {
		o.told.Name, o.told.Replaces = now.Name, true
		return
	}
	o.told.Name = draft.Unique(nameFor(a.Match.Blocker, o.told.Site), func(name string) bool {
		_, err := all.Get(ctx, name, "")
		return err == nil
	})
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// nameFor is a name for what deals with a blocker of a site.
func nameFor(blocker automation.Reason, site string) string {
	verb := map[automation.Reason]string{automation.ReasonLogin: "sign-in", automation.ReasonCaptcha: "human-check", automation.ReasonPermission: "consent"}[blocker]
	name := verb + "-" + notInName.ReplaceAllString(strings.ToLower(site), "-")
	return strings.Trim(name[:min(len(name), 45)], "-")
}

var notInCredential = regexp.MustCompile(`[^a-z0-9._]+`)

// credentialName is what a credential for a host is called: that of a port has no colon.
func credentialName(host string) string {
	return strings.Trim(notInCredential.ReplaceAllString(strings.ToLower(host), "-"), "-._")
}

// hostOf returns the host of an address, with its port.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// openNames are of variables that are no secret while they are typed.
var openNames = regexp.MustCompile(`^(email|username|phone|name|first_name|last_name|account_number)(_\d+)?$`)

// fieldsOf returns what the steps of an automation type, each with the origins of its fields.
func fieldsOf(a *automation.Automation, steps []recorder.Step) []offerField {
	fields := []offerField{}
	for _, step := range a.Steps {
		if step.Value == nil || step.Tool != "typeInput" && step.Tool != "dialog" {
			continue
		}
		var from recorder.Step
		for _, s := range steps { // those of the automation are fewer
			if v := s.Step.Value; v != nil && v.Name == step.Value.Name {
				from = s
				break
			}
		}
		at := slices.IndexFunc(fields, func(f offerField) bool { return f.Name == step.Value.Name })
		if at < 0 {
			at = len(fields)
			fields = append(fields, offerField{Name: step.Value.Name, Label: from.Label, Hidden: !openNames.MatchString(step.Value.Name)})
		}
		if origin, is := weburl.OriginOf(from.URL); is && !slices.Contains(fields[at].Origins, origin) {
			fields[at].Origins = append(fields[at].Origins, origin)
		}
	}
	return fields
}

// lookUp notes which values the vault has already.
func (o *offer) lookUp(ctx context.Context) {
	values, err := o.values(ctx)
	if err != nil {
		return // which is told when it is saved
	}
	for i, f := range o.told.Fields {
		has, err := values.Has(ctx, f.Name)
		o.told.Fields[i].Stored = has && err == nil
	}
}

// values are those that the vault has for the account.
func (o *offer) values(ctx context.Context) (*sealed.Values, error) {
	if o.h.desk.options.Secrets == nil {
		return nil, errNoVault
	}
	safe, err := o.h.desk.options.Secrets()
	if err != nil {
		return nil, err
	}
	return safe.Values(ctx, o.document, sealed.Scope{Account: o.h.record.Account})
}

var errNoVault = errors.New("there is no vault here for what it types: save it without that, and use reprise credential set")

// errPuzzle is of what no automation may do.
var errPuzzle = errors.New("a puzzle always needs a person")

// learn makes an automation for a blocker of what was recorded, and tells its steps in words. What was typed is a
// variable whose value is not in it; what only a person may do, and all that follows it, is a step that hands over.
func learn(r *recorded) (*automation.Automation, []string, error) {
	a := *r.document
	a.Name, a.Steps = "learned", nil
	a.Match.Blocker, a.Match.Account = r.blocker, ""
	checks := 0
	for _, s := range r.steps {
		if s.HumanCheck {
			checks++
		}
	}
	if r.blocker == automation.ReasonCaptcha && checks == 0 && !isLoneBox(r.steps) {
		return nil, nil, errPuzzle
	}
	var words []string
	var before typed
	add := func(step automation.Step, said string) { a.Steps, words = append(a.Steps, step), append(words, said) }
steps:
	for i, step := range r.document.Steps {
		s := r.steps[i]
		switch {
		case s.OneTimeCode, s.Typed && !before.maySay(s):
			add(handsOver(automation.Reason2FA, "Type the one-time code, and go on until nothing more is asked."), "You type the one-time code, and go on")
			break steps
		case step.Tool == "drag", s.HumanCheck && (checks > 1 || step.Tool != "click" && step.Tool != "check"):
			add(handsOver(automation.ReasonCaptcha, "Solve the check, and go on until nothing more is asked."), "You solve the check, and go on")
			break steps
		case step.Tool == "upload":
			add(handsOver(automation.ReasonManualRecovery, "Choose the file, and go on until nothing more is asked."), "You choose the file, and go on")
			break steps
		case step.Tool == "check" && (s.HumanCheck || r.blocker == automation.ReasonCaptcha):
			step.Tool, step.Value = "click", nil
		case step.Tool == "typeInput" || step.Tool == "dialog" && step.Value != nil:
			if step.Value.Kind != automation.Variable { // as what a date is set to
				step.Value = &automation.Value{Kind: automation.Variable, Name: fmt.Sprintf("value_%d", i+1)}
				r.steps[i].Step.Value, s.Step.Value = step.Value, step.Value
			}
		}
		if r.blocker == automation.ReasonPermission {
			step.Optional = false // it is what the automation is for
		}
		before.note(s)
		s.Step = step
		add(step, desk.Words(s))
	}
	for n := len(a.Steps); n > 0 && a.Steps[n-1].Tool == "waitForNav"; n-- { // where it leads to is where it was blocked
		a.Steps, words = a.Steps[:n-1], words[:n-1]
	}
	if !slices.ContainsFunc(a.Steps, acts) || a.Steps[0].Tool == "handoff" {
		return nil, nil, errors.New("nothing was done that can be done again")
	}
	if err := onlySecrets(&a); err != nil {
		return nil, nil, err
	}
	return &a, words, errors.Join(a.Validate(), a.CheckSecrets())
}

// typed is what a sign-in has typed so far. Who someone is, and one password, are the same the next time. Anything else that is
// asked for once something was sent, or after the password, may be another thing each time: a code, letters of a picture or of a
// password, whatever its field is called.
type typed struct {
	password    string // the selector of its field
	typed, sent bool
}

// maySay reports whether what a step types is the same the next time.
func (t *typed) maySay(s recorder.Step) bool {
	if s.Type == "password" {
		return t.password == "" || t.password == s.Step.Selector.String() // which was wrong the first time
	}
	return !t.sent && t.password == "" || s.Step.Value != nil && openNames.MatchString(s.Step.Value.Name)
}

func (t *typed) note(s recorder.Step) {
	switch {
	case s.Typed:
		t.typed = true
		if s.Type == "password" {
			t.password = s.Step.Selector.String()
		}
	case t.typed && (s.Step.Tool == "click" || s.Step.Tool == "keypress"):
		t.sent = true
	}
}

func acts(s automation.Step) bool {
	return s.Tool != "waitForNav" && s.Tool != "navigate" && s.Tool != "handoff"
}

// isLoneBox reports whether nothing but a box was ticked, and perhaps a button pressed after that: anything more
// may be a puzzle.
func isLoneBox(steps []recorder.Step) bool {
	boxes, presses := 0, 0
	for _, s := range steps {
		switch {
		case s.Step.Tool == "check" || s.Step.Tool == "click" && s.Kind == "checkbox":
			boxes++
		case s.Step.Tool == "click" && s.Kind == "button":
			presses++
		case s.Step.Tool != "waitForNav":
			return false
		}
	}
	return boxes == 1 && presses <= 1
}

// handsOver is a step that a person does.
func handsOver(reason automation.Reason, message string) automation.Step {
	args, _ := json.Marshal(map[string]string{"reason": string(reason), "message": message}) // texts only: cannot fail
	return automation.Step{Tool: "handoff", Args: args}
}

// onlySecrets declares the variables that the steps have: what was typed without a value, and what was chosen with
// that as its default.
func onlySecrets(a *automation.Automation) error {
	var before struct{ Properties map[string]map[string]any }
	if len(a.Variables) > 0 {
		if err := json.Unmarshal(a.Variables, &before); err != nil {
			return err
		}
	}
	declared, required := map[string]any{}, []string{}
	for name, schema := range before.Properties {
		if _, chosen := schema["default"]; chosen {
			declared[name] = schema
		}
	}
	for _, step := range a.Steps {
		if step.Tool == "typeInput" || step.Tool == "dialog" && step.Value != nil {
			if name := step.Value.Name; !slices.Contains(required, name) {
				declared[name], required = draft.Text(true), append(required, name)
			}
		}
	}
	var err error
	a.Variables, err = draft.Schema(declared, required)
	return err
}

// offerOf returns the offer of a handoff, nil for none.
func (d *Desk) offerOf(id string) *offer {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.offers[id]
}

func (d *Desk) withdraw(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.offers, id)
}

// serveOffer tells the person's device what is offered, and saves it. Only the device that had control is answered.
func (d *Desk) serveOffer(w http.ResponseWriter, r *http.Request, id string) {
	o := d.offerOf(id)
	if o == nil {
		http.Error(w, "there is nothing to be saved any more", http.StatusGone)
		return
	}
	if session := o.h.sessionOf(r); session == nil || !session.Control {
		http.Error(w, "open the link that you were sent", http.StatusUnauthorized)
		return
	}
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(o.told) // to one who may have gone
		return
	}
	var wanted savedOffer
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxOffer))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&wanted) != nil { // the error may quote a secret
		http.Error(w, "that is no answer to the offer", http.StatusBadRequest)
		return
	}
	if wanted.Save {
		if err := o.save(r.Context(), wanted); err != nil {
			http.Error(w, "It is not saved: "+err.Error(), http.StatusConflict)
			return
		}
	}
	d.withdraw(id)
	w.WriteHeader(http.StatusNoContent)
}

// savedOffer is what the person wants of an offer.
type savedOffer struct {
	Save bool   `json:"save"`
	Name string `json:"name"`
	// OnlyAccount has it be for the account of the run alone. Otherwise any account may use it, each with its own secrets.
	OnlyAccount bool              `json:"onlyAccount"`
	Values      map[string]string `json:"values"`
}

// save puts the values into the vault, and the automation into the store. Saving again what was saved in part is
// no conflict.
func (o *offer) save(ctx context.Context, wanted savedOffer) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	a := *o.document
	a.Name, a.Revision = wanted.Name, 0
	a.Description = fmt.Sprintf("Learned from a person, for %s", o.told.Site)
	if wanted.OnlyAccount {
		a.Match.Account = o.told.Account
	}
	if err := a.Validate(); err != nil {
		return err
	}
	all := o.h.desk.options.Store.Automations()
	switch now, err := all.Get(ctx, a.Name, a.Match.Account); {
	case err == nil && (now.Match.Blocker != a.Match.Blocker || !slices.Equal(now.Match.URLs, a.Match.URLs)):
		return fmt.Errorf("another automation is called %s: choose another name", a.Name)
	case err == nil:
		a.Revision = now.Revision
	case !errors.Is(err, store.ErrNotFound):
		return err
	}
	if err := o.saveValues(ctx, wanted.Values); err != nil {
		return err
	}
	_, err := all.Save(ctx, &a)
	if err == nil {
		o.h.desk.options.Logger.InfoContext(ctx, "a takeover was saved as an automation", "handoff", o.h.ID(), "automation", a.Name, "account", a.Match.Account)
	}
	return err
}

// saveValues puts values into the vault, each bound to the origins of the fields that it was typed in.
func (o *offer) saveValues(ctx context.Context, values map[string]string) error {
	byOrigins := map[string]*sealed.Credential{}
	for name, value := range values {
		at := slices.IndexFunc(o.told.Fields, func(f offerField) bool { return f.Name == name })
		if at < 0 {
			return errors.New("a value is for no field of it")
		}
		if value == "" {
			continue
		}
		f := o.told.Fields[at]
		key := strings.Join(f.Origins, " ")
		if byOrigins[key] == nil {
			byOrigins[key] = &sealed.Credential{Site: credentialName(o.told.Site), Account: o.told.Account, Origins: f.Origins, Fields: map[string]string{}}
		}
		byOrigins[key].Fields[name] = value
	}
	if len(byOrigins) == 0 {
		return nil
	}
	if o.h.desk.options.Secrets == nil {
		return errNoVault
	}
	safe, err := o.h.desk.options.Secrets()
	if err != nil {
		return err
	}
	made, err := safe.EnsureKeys(ctx)
	if err != nil {
		return err
	}
	if made && o.h.desk.options.KeyMade != nil {
		o.h.desk.options.KeyMade()
	}
	stored, err := o.values(ctx)
	if err != nil {
		return err
	}
	for _, c := range byOrigins {
		if err := safe.AddToCredential(ctx, *c, stored); err != nil {
			return err
		}
	}
	return nil
}
