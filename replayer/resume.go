package replayer

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
)

// token is where a run stopped, and how it goes on from there. It holds none of its values.
type token struct {
	Run      string            `json:"run"`
	Document string            `json:"doc"`  // its digest
	Step     int               `json:"step"` // the next one
	URL      string            `json:"url"`
	Tabs     map[string]string `json:"tabs,omitempty"`    // name → the browser's
	Sent     []int             `json:"sent,omitempty"`    // steps that were sent, and are not sent again
	Open     *int              `json:"open,omitempty"`    // of them, the one whose consequence was not seen
	Resolved map[int]bool      `json:"settled,omitempty"` // what was found out since
	Inner    string            `json:"inner,omitempty"`   // token of the automation that the step plays
	InDoubt  bool              `json:"inDoubt,omitempty"` // the step may have had its effect when the browser was lost
}

// tokenVersion begins each token, so that a later version can tell it from its own.
const tokenVersion = "r1."

// tokenFor returns the token of a run that stopped at a step.
func (r *run) tokenFor(step int, open *pending) string {
	t := token{Run: r.result.Run, Document: digest(r.automation), Step: step, URL: r.secrets.redact(shown(r.tabs.first.URL())), Tabs: map[string]string{}, Inner: r.nesting.token, InDoubt: r.commits.inDoubt}
	for name, page := range r.tabs.named {
		t.Tabs[name] = page.ID()
	}
	for sent := range r.commits.sent {
		t.Sent = append(t.Sent, sent)
	}
	slices.Sort(t.Sent)
	if open != nil {
		t.Open = &open.index
	}
	return t.text()
}

func parseToken(text string) (*token, error) {
	body, ok := strings.CutPrefix(text, tokenVersion)
	data, err := base64.RawURLEncoding.DecodeString(body)
	t := &token{}
	if !ok || err != nil || json.Unmarshal(data, t) != nil || t.Run == "" || t.Step < 0 || t.Open != nil && *t.Open < 0 {
		return nil, &Error{Code: Refused, Reason: "what is to be resumed is no token of a run"}
	}
	return t, nil
}

// ResolveUncertain returns the token with which a run that ended as uncertain resumes, once it was found
// out whether what it had sent was done: then it resumes after that; otherwise it does it now.
func ResolveUncertain(resume string, done bool) (string, error) {
	t, err := parseToken(resume)
	if err != nil {
		return "", err
	}
	if t.Open == nil && t.Inner != "" { // it was sent by the automation that it plays
		if t.Inner, err = ResolveUncertain(t.Inner, done); err != nil {
			return "", err
		}
		return t.text(), nil
	}
	if t.Open == nil {
		return "", &Error{Code: Refused, Reason: "the run did not end as uncertain: there is nothing to resolve"}
	}
	open := *t.Open
	t.Open, t.Resolved = nil, map[int]bool{open: done}
	if t.Step = open; done {
		t.Step = open + 1
	} else {
		t.Sent = slices.DeleteFunc(t.Sent, func(step int) bool { return step == open })
	}
	return t.text(), nil
}

func (t *token) text() string {
	data, err := json.Marshal(t)
	if err != nil {
		return "" // strings and numbers only: cannot happen
	}
	return tokenVersion + base64.RawURLEncoding.EncodeToString(data)
}

// digest distinguishes documents.
func digest(a *automation.Automation) string {
	steps, err := automation.Marshal(a)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(steps)
	return hex.EncodeToString(sum[:8])
}

// resume takes up a run where it stopped. The page must be where it was then; where the
// user has brought it on, its next step must find its element.
func (r *run) resume(ctx context.Context) error {
	if r.options.Resume == "" {
		return nil
	}
	t, err := parseToken(r.options.Resume)
	if err != nil {
		return err
	}
	if t.Document != digest(r.automation) {
		return &Error{Code: Refused, Reason: "the run to be resumed was of another document, or of another revision of this one"}
	}
	if n := len(r.automation.Steps); t.Step > n || t.Open != nil && *t.Open >= n {
		return &Error{Code: Refused, Reason: "the run to be resumed had come to its end"}
	}
	r.result.Run, r.from, r.nesting.resume = t.Run, t.Step, t.Inner
	for _, step := range t.Sent {
		r.commits.sent[step] = true
	}
	if err := r.reopen(ctx, t.Tabs); err != nil {
		return err
	}
	if t.Open != nil {
		if err := r.confirmByPage(ctx, *t.Open, t.URL); err != nil {
			return err
		}
	}
	if t.InDoubt && t.Open == nil && len(t.Resolved) == 0 {
		if err := r.lookForEffect(ctx, t); err != nil {
			return err
		}
	}
	for step, done := range t.Resolved {
		if err := r.options.Journal.Resolve(ctx, r.result.Run, step, done); err != nil {
			return &Error{Code: Refused, Reason: "what was found out could not be written down: " + err.Error(), Err: err}
		}
	}
	r.skipWaits()
	return r.isThere(t)
}

// recall takes over what earlier attempts at this run have sent.
func (r *run) recall(ctx context.Context) error {
	sent, err := r.options.Journal.Committed(ctx, r.result.Run)
	if err != nil {
		return &Error{Code: Refused, Reason: "what this run has sent before could not be read: " + err.Error(), Err: err}
	}
	for step, seen := range sent {
		r.commits.sent[step] = true
		switch {
		case !seen:
			return &Error{Code: Uncertain, Reason: sentBefore(step)}
		case step >= r.from:
			return &Error{Code: Uncertain, Reason: fmt.Sprintf("step %d was sent before and done, so the run cannot begin before it; resume it after that", step+1)}
		}
	}
	return nil
}

// skipWaits leaves out the waits for where the page is already.
func (r *run) skipWaits() {
	for _, step := range r.automation.Steps[r.from:] {
		page := r.tabs.named[step.Page]
		if step.Tool != "waitForNav" || step.URL == "" || page == nil {
			return
		}
		if glob, err := automation.ParseGlob(step.URL); err != nil || !glob.MatchPath(page.URL()) {
			return
		}
		r.from++
	}
}

// mayHaveActed reports whether the step, at which the browser was lost, may have had an effect that
// doing it again would have twice. One that sets something to a value, or only looks, has not.
func (c *call) mayHaveActed() bool {
	switch c.step.Tool {
	case "click", "keypress", "drag":
		return c.acted
	case "typeInput":
		var args struct{ At string }
		if decodeArgs(c.step, &args) != nil || args.At != "" {
			return true
		}
		v, err := c.run.value(c.step.Value)
		typed, _ := v.(string)
		return err != nil || c.acted && strings.Contains(typed, "\n") // which sends a form
	case "tab", "dialog":
		return true
	}
	return strings.Contains(c.step.Tool, ".") // a program's own
}

// lookForEffect finds out by the page whether the step at which the browser was lost has had its effect: the
// page has gone where it leads since, or shows what the document expects after it. Where nothing
// shows that, it is not done again.
func (r *run) lookForEffect(ctx context.Context, t *token) error {
	steps := r.automation.Steps
	if at, ok := r.wentOn(t.Step, t.URL); ok {
		r.from = at
		return nil
	}
	step := steps[t.Step]
	c := r.newCall(t.Step, step)
	c.deadline = load.After(lookTimeout)
	seen := 0
	for _, e := range step.Expect {
		if e.Kind != "text" && len(e.Selector) == 0 {
			continue
		}
		if c.expect(ctx, already{}, []automation.Expectation{e}) != nil {
			seen = 0
			break
		}
		seen++
	}
	if seen > 0 {
		r.from = t.Step + 1
		return nil
	}
	return &Error{Code: BrowserLost, Step: -1, Resume: r.options.Resume, Reason: fmt.Sprintf(
		"the connection was lost while step %d was done, and nothing in the page shows whether it was: look, and resume with that step or with the next one", t.Step+1)}
}

// lookTimeout bounds the look for what a document expects after a step.
const lookTimeout = 2 * time.Second

// wentOn returns the step after those that wait for where a step leads, if the page has gone there
// from an address.
func (r *run) wentOn(step int, from string) (next int, ok bool) {
	steps := r.automation.Steps
	last := step
	for last+1 < len(steps) && steps[last+1].Tool == "waitForNav" {
		last++
	}
	if last == step || steps[last].URL == "" {
		return 0, false
	}
	glob, err := automation.ParseGlob(steps[last].URL)
	page := r.tabs.named[steps[last].Page]
	if err != nil || page == nil || glob.MatchPath(from) || !glob.MatchPath(page.URL()) {
		return 0, false
	}
	return last + 1, true
}

// confirmByPage confirms a commit that was sent if its page has gone where it leads since the run
// stopped, at an address.
func (r *run) confirmByPage(ctx context.Context, open int, stopped string) error {
	next, ok := r.wentOn(open, stopped)
	if !ok {
		return &Error{Code: Uncertain, Reason: fmt.Sprintf("%s; the page is at %s", sentBefore(open), shown(r.tabs.first.URL()))}
	}
	r.from = max(r.from, next)
	return r.options.Journal.Resolve(ctx, r.result.Run, open, true)
}

func sentBefore(step int) string {
	return fmt.Sprintf("step %d was sent before, and what followed is not known: find out whether it was done, and resolve it", step+1)
}

// reopen finds the tabs that the run had opened.
func (r *run) reopen(ctx context.Context, tabs map[string]string) error {
	if len(tabs) <= 1 {
		return nil
	}
	open, err := r.tabs.first.Tree().Pages(ctx)
	if err != nil {
		return err
	}
	for name, id := range tabs {
		i := slices.IndexFunc(open, func(p *target.Page) bool { return p.ID() == id })
		if name == "" || i < 0 {
			continue // a step that needs it fails
		}
		open[i].Use()
		r.tabs.named[name] = open[i]
		r.tabs.marks[open[i]] = open[i].Main().Mark()
	}
	return nil
}

// isThere returns nil if the page is where the run stopped, or shows what its next step uses.
func (r *run) isThere(t *token) error {
	if r.from >= len(r.automation.Steps) {
		return nil
	}
	next := r.automation.Steps[r.from]
	if samePlace(t.URL, r.secrets.redact(shown(r.tabs.first.URL()))) || next.Tool == "navigate" || r.from > t.Step {
		return nil
	}
	if err := r.scope.check(r.tabs.first.URL()); err != nil {
		return err
	}
	if len(next.Selector) == 0 && next.Tool != "waitForNav" {
		return &Error{Code: OutOfScope, Reason: fmt.Sprintf("the run stopped at %s, and the page is at %s: go there first", t.URL, shown(r.tabs.first.URL()))}
	}
	return nil
}

func samePlace(a, b string) bool {
	u, errA := url.Parse(a)
	v, errB := url.Parse(b)
	return errA == nil && errB == nil && u.Scheme == v.Scheme && u.Host == v.Host && u.Path == v.Path
}
