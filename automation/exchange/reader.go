package exchange

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/selectors"
)

// reader builds an automation of what a file says, step by step.
type reader struct {
	options ImportOptions
	format  Format
	losses

	at      int    // the step of the file that is being read
	command string // what it is called there

	title     string
	steps     []automation.Step
	from      []source // of each step, where it stood
	variables variables
	sites     []string          // globs of where it goes
	testIDs   []string          // attributes that the file's tool was told to know elements by
	pages     map[string]int    // tabs that were named, by the name that they have here
	addresses map[string]string // of tabs, where they were last
}

// source is where a step stood in the file.
type source struct {
	at      int
	command string
}

func (r *reader) fail(sentinel error, format string, args ...any) error {
	return &Error{File: r.options.File, Format: r.format, Step: r.at, Command: shorten(r.command), Reason: fmt.Sprintf(format, args...), Err: sentinel}
}

// begin turns to the next step of the file.
func (r *reader) begin(at int, command string) { r.at, r.command = at, command }

func (r *reader) lose(kind Kind, what, do string) {
	r.add(Loss{Step: r.at, Command: shorten(r.command), Kind: kind, What: what, Do: do})
}

// push adds a step, unless the document could not hold it: a stranger's file says
// anything.
func (r *reader) push(step automation.Step) bool {
	if err := r.check(step); err != nil {
		r.lose(Dropped, "it would be no valid step: "+shorten(err.Error()), "Record it again")
		return false
	}
	r.steps = append(r.steps, step)
	r.from = append(r.from, source{r.at, r.command})
	return true
}

// check validates a step alone, so that one that is wrong does not take the others
// with it.
func (r *reader) check(step automation.Step) error {
	alone := automation.Automation{Name: "step", Match: automation.Scope{URLs: []string{"localhost"}}, Steps: []automation.Step{step}}
	properties := map[string]any{}
	for _, name := range step.Value.Names() {
		properties[name] = map[string]string{"type": "string"}
	}
	if len(properties) > 0 {
		schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
		if err != nil {
			return err
		}
		alone.Variables = schema
	}
	err := alone.Validate()
	if problems := automation.Problems(err); len(problems) > 0 {
		return problems[0]
	}
	return err
}

// last is the step that was pushed last, nil where there is none.
func (r *reader) last() *automation.Step {
	if len(r.steps) == 0 {
		return nil
	}
	return &r.steps[len(r.steps)-1]
}

// element puts the ways to an element into a step, best first. It reports whether
// there is one.
func (r *reader) element(step *automation.Step, candidates []selectors.Path) bool {
	return r.elementBy(step, selectors.Rank(candidates, r.testIDs...))
}

// elementBy does so with ways that are in their order already.
func (r *reader) elementBy(step *automation.Step, ways []selectors.Path) bool {
	if len(ways) == 0 {
		r.lose(Dropped, "none of its selectors can be used here", "Record it again")
		return false
	}
	step.Selector, step.Alternatives = ways[0], nil
	if more := ways[1:min(len(ways), selectors.MaxKept)]; len(more) > 0 {
		step.Alternatives = more
	}
	return true
}

// popup names the tab that the step before has opened.
func (r *reader) popup(page string) {
	for i, step := range slices.Backward(r.steps) {
		if step.Tool == "click" || step.Tool == "keypress" || step.Tool == "typeInput" {
			r.steps[i].Expect = append(r.steps[i].Expect, automation.Expectation{Kind: "popup", Page: page})
			return
		}
	}
	r.lose(Changed, "no step before it opens its tab", "Give the step that does an expectation of the kind popup, with the page "+page)
}

// page returns the name here of a tab that the file knows by a key.
func (r *reader) page(key string) (name string, isNew bool) {
	if r.pages == nil {
		r.pages = map[string]int{}
	}
	n, known := r.pages[key]
	if !known {
		n = len(r.pages) + 1
		r.pages[key] = n
	}
	return fmt.Sprintf("popup%d", n), !known
}

// maxTitle is what of a file's title becomes the description.
const maxTitle = 300

// finish makes the automation.
func (r *reader) finish() (*automation.Automation, Report, error) {
	r.begin(whole, "")
	if n := len(r.variables.declared); n > maxVariables {
		return nil, nil, r.fail(ErrTooLarge, "%d values would be asked for, more than the %d allowed", n, maxVariables)
	}
	r.redact()
	if len(r.steps) == 0 {
		return nil, nil, r.fail(ErrNothing, "it holds no step that could be carried over")
	}
	a := &automation.Automation{
		Name: r.name(), Description: r.describe(), Steps: r.steps,
		Match: automation.Scope{URLs: slices.Compact(slices.Concat(r.options.URLs, r.sites)), Account: r.options.Account},
	}
	if len(a.Match.URLs) == 0 {
		return nil, nil, r.fail(ErrNothing, "it names no address, and nothing is typed where it is not known that it may be: say which site it is for")
	}
	err := r.withoutSecrets(a)
	if err == nil {
		a.Variables, err = r.variables.schema(a.Steps)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := a.Validate(); err != nil {
		return nil, nil, r.fail(err, "it makes no valid automation: %v", err)
	}
	r.redactReport()
	return a, r.report(), nil
}

var stepPlace = regexp.MustCompile(`^steps\[(\d+)\]`)

// withoutSecrets holds a document to its own rules: what a store would refuse is
// left out.
func (r *reader) withoutSecrets(a *automation.Automation) error {
	const most = 10 // looks at a document, each of which finds some fifty places
	looks := 0
	for err := a.CheckSecrets(); err != nil; err = a.CheckSecrets() {
		if looks++; looks > most {
			return r.fail(ErrTooLarge, "too much of it looks like a secret")
		}
		drop := map[int]bool{}
		for _, p := range automation.Problems(err) {
			if m := stepPlace.FindStringSubmatch(p.Path); m != nil {
				i, _ := strconv.Atoi(m[1])
				drop[i] = true
			} else if p.Path == "description" {
				a.Description = ""
			} else {
				return r.fail(p, "%s: it looks like a secret", p.Path)
			}
		}
		r.leaveOut(a, drop)
	}
	r.begin(whole, "")
	if len(a.Steps) == 0 {
		return r.fail(ErrNothing, "it holds no step that could be carried over")
	}
	return nil
}

func (r *reader) leaveOut(a *automation.Automation, drop map[int]bool) {
	var steps []automation.Step
	var from []source
	for i, step := range a.Steps {
		if r.begin(r.from[i].at, r.from[i].command); drop[i] {
			r.lose(Dropped, "it holds what looks like a secret in plain text, and is left out", "Record it again")
			continue
		}
		steps, from = append(steps, step), append(from, r.from[i])
	}
	a.Steps, r.from = steps, from
}

// notInNames is what a name cannot have.
var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

const maxName = 51

func (r *reader) name() string {
	if r.options.Name != "" {
		return r.options.Name
	}
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(r.clean(r.title)), "-"), "-0123456789")
	if len(name) > maxName {
		name = name[:maxName]
	}
	if name = strings.Trim(name, "-"); name == "" {
		return "imported"
	}
	return name
}

func (r *reader) describe() string {
	title := strings.Join(strings.Fields(r.clean(r.title)), " ")
	if runes := []rune(title); len(runes) > maxTitle {
		title = string(runes[:maxTitle])
	}
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return -1
		}
		return c
	}, title)
}

// clean returns "" for a text that repeats a secret.
func (r *reader) clean(text string) string {
	if r.variables.repeats(text) || looksSecret(text) != "" {
		return ""
	}
	return text
}

func literal(v any) *automation.Value {
	text, err := compact(v)
	if err != nil { // of strings, numbers and lists of them there is none
		text = []byte(`""`)
	}
	return &automation.Value{Kind: automation.Literal, Value: text}
}

func args(pairs map[string]any) json.RawMessage {
	text, err := compact(pairs)
	if err != nil {
		return nil
	}
	return text
}

// visits notes that the flow acts on the site of an address.
func (r *reader) visits(address string) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return
	}
	glob := weburl.SiteGlob(u) + "/*"
	if _, err := automation.ParseGlob(glob); err == nil && !slices.Contains(r.sites, glob) {
		alone := automation.Automation{Name: "a", Match: automation.Scope{URLs: []string{glob}}, Steps: []automation.Step{{Tool: "waitForNav"}}}
		if alone.Validate() == nil {
			r.sites = append(r.sites, glob)
		}
	}
}

// ledGlob is the glob of an address that a step led to; "" where it has none.
func ledGlob(raw, before string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	glob := weburl.LedGlob(raw, before, func(string) bool { return false })
	if _, err := automation.ParseGlob(glob); err != nil {
		return ""
	}
	return glob
}

// navigate pushes a step that goes to an address.
func (r *reader) navigate(page, address string) {
	step := automation.Step{Tool: "navigate", Page: page}
	if step.Value = r.template(address); step.Value == nil {
		step.URL = r.cleanAddress(address)
	}
	if r.push(step) {
		r.visits(address)
		r.isAt(page, address)
	}
}

// isAt notes where a tab is.
func (r *reader) isAt(page, address string) {
	if r.addresses == nil {
		r.addresses = map[string]string{}
	}
	r.addresses[page] = address
}

// cleanAddress is an address without what belongs to one visit or is a secret.
func (r *reader) cleanAddress(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw
	}
	before := u.String()
	u.User = nil
	query := u.Query()
	for name, values := range query {
		text := strings.Join(values, " ")
		if weburl.IsSecretParameter(name) || looksSecret(text) != "" {
			query.Del(name)
		}
	}
	if len(query) != len(u.Query()) {
		u.RawQuery = query.Encode()
	}
	if !strings.HasPrefix(u.Fragment, "/") && !strings.HasPrefix(u.Fragment, "!/") && (strings.Contains(u.Fragment, "=") || looksSecret(u.Fragment) != "") {
		u.Fragment = ""
	}
	if after := u.String(); after != before {
		r.lose(Changed, "the address held what belongs to one visit or one person; that is left out", "")
		return after
	}
	return raw
}

// arrived pushes the wait for a navigation that a step makes; one after another
// is one.
func (r *reader) arrived(page, address string) {
	before := r.addresses[page]
	r.isAt(page, address)
	last := r.last()
	if last == nil || last.Page == page && (last.Tool == "waitForNav" || last.Tool == "navigate") {
		return
	}
	step := automation.Step{Tool: "waitForNav", Page: page, URL: ledGlob(address, before)}
	if r.push(step) {
		r.visits(address)
	}
}
