package replayer

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/selectors"
)

// Session calls tools one by one in a page, as an agent does or a program that
// explores: with the checks, the policy for commits and the typed errors of a run,
// and with what earlier calls have opened. It is not safe for concurrent use.
type Session struct {
	run       *run
	snapshots snapshots
	led       led
	err       error // why it cannot be used
}

// Begin begins a session in a page. It acts on the site that the page shows, and on
// those that its own calls of navigate go to. Options.Values are looked up when a call
// names a variable: what is secret must come as an automation.Secret. Close it.
func Begin(page *browser.Page, o *Options) *Session {
	if o == nil {
		o = &Options{}
	}
	options := *o
	options.From, options.Until, options.Resume = 0, 0, ""
	s := &Session{run: newRun(page, page.Target(), &automation.Automation{Name: "session"}, options)}
	s.run.isSession, s.run.ledOn = true, s.extendScope
	s.run.secrets.use(map[string]any{})
	if address := page.URL(); address != "" && address != "about:blank" {
		s.run.scope.add(address)
	}
	s.namePopups()
	s.led = led{leads: map[*target.Page]lead{}} // they were there before
	return s
}

// Do calls a tool with the fields of a step. The error is an *Error, whose Step is the
// number of the call, from 0.
func (s *Session) Do(ctx context.Context, step automation.Step) (StepResult, error) {
	r := s.run
	i := len(r.automation.Steps)
	if r.granted != nil && !r.granted.outlives(step) {
		r.granted = nil
	}
	err := s.prepare(ctx, step)
	if err != nil {
		err = r.ended(ctx, stepError(ctx, err, i, step), i)
	} else {
		_, err = r.step(ctx, i, step)
	}
	s.led.pressed()
	var e *Error
	if errors.As(err, &e) {
		e.Resume = ""
		return StepResult{}, e
	}
	return r.result.Steps[len(r.result.Steps)-1], nil
}

// RequestApproval asks Options.Person for an approval of a click that is not done yet: of the element that a
// step names by its selector, and of what the page shows where the query says. It counts for the next commit
// step of the session, once, within a minute, and if everything is as it was approved then; otherwise
// nothing is sent. The error is an *Error.
func (s *Session) RequestApproval(ctx context.Context, click automation.Step, q PaymentQuery) (StepResult, error) {
	args, err := json.Marshal(q)
	if err != nil {
		return StepResult{}, err
	}
	click.Tool, click.Args = "requestApproval", args
	return s.Do(ctx, click)
}

// prepare checks a call, looks up the values that it names, and confines its secrets, before it
// becomes the next step.
func (s *Session) prepare(ctx context.Context, step automation.Step) error {
	r := s.run
	if s.err != nil {
		return s.err
	}
	if err := s.check(step); err != nil {
		return &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	if _, err := r.tool(step); err != nil {
		return err
	}
	s.namePopups()
	if err := s.hasTab(step); err != nil {
		return err
	}
	if err := s.gather(ctx, step); err != nil {
		return err
	}
	if err := r.saveDownloads(ctx); err != nil {
		return err
	}
	for _, page := range r.tabs.named {
		if err := r.secrets.confine(ctx, page); err != nil {
			return err
		}
	}
	r.automation.Steps = append(r.automation.Steps, step)
	s.led.begin(r, step)
	if step.Tool == "navigate" {
		r.tabs.first.Tree().Do(func() { r.scope.add(step.URL) }) // dialogs ask it there
	}
	return nil
}

// check holds a call to the rules of the format, as if it were a document of one step.
func (s *Session) check(step automation.Step) error {
	if _, is := sessionTools[step.Tool]; is {
		return nil
	}
	declared := map[string]any{}
	for _, name := range namesIn(step) {
		declared[name] = map[string]any{}
	}
	variables, err := json.Marshal(map[string]any{"type": "object", "properties": declared})
	if err != nil {
		return err
	}
	anywhere := automation.Scope{URLs: []string{"session.invalid/*"}} // where it may act is checked when it does
	one := automation.Automation{Name: "session", Match: anywhere, Variables: variables, Steps: []automation.Step{step}}
	return one.Validate()
}

func namesIn(step automation.Step) []string {
	var names []string
	if step.Value != nil {
		names = step.Value.Names()
	}
	if step.When != nil && step.When.Variable != "" {
		names = append(names, step.When.Variable)
	}
	return append(names, automation.NamesInArgs(step)...)
}

// gather looks up the variables that a call names.
func (s *Session) gather(ctx context.Context, step automation.Step) error {
	for _, name := range namesIn(step) {
		v, err := lookUp(ctx, s.run.options.Values, name)
		if errors.Is(err, ErrNoValue) {
			continue // the call fails because it is missing
		}
		if err != nil {
			return invalid(err)
		}
		s.run.secrets.values[name] = v
	}
	s.run.secrets.use(s.run.secrets.values)
	return nil
}

// Redact has the session redact secrets that pages in it may repeat although none of its
// own calls has typed them, as after a run in the same page.
func (s *Session) Redact(secrets ...automation.Secret) {
	if s.err != nil {
		return
	}
	values := maps.Clone(s.run.secrets.values)
	for i, secret := range secrets {
		values[fmt.Sprintf("%s%d", knownPrefix, i)] = secret // under names that no variable has
	}
	s.run.secrets.use(values)
}

const knownPrefix = " known "

// URL is the address of the first tab, without its query.
func (s *Session) URL() string { return s.run.secrets.redact(shown(s.run.tabs.first.URL())) }

// Page returns the page of a tab, as one that is handed over; "" is the first.
func (s *Session) Page(ctx context.Context, tab string) (*browser.Page, error) {
	page, err := s.run.tabs.open(tab)
	if err != nil || tab == "" {
		return s.run.tabs.browserPage, err
	}
	return s.run.tabs.browserPage.Browser().Page(ctx, page.ID())
}

// Outputs are what calls of extract have read.
func (s *Session) Outputs() map[string]any { return s.run.result.Outputs }

// Pictures are what calls of screenshot have taken since the last call of Pictures.
func (s *Session) Pictures() []Picture {
	taken := s.run.result.Pictures
	s.run.result.Pictures = nil
	return taken
}

// Close ends the session. The page stays as it is. It may be called again.
func (s *Session) Close() {
	if s.err == nil {
		s.err = &Error{Code: Refused, Reason: "the session has ended"}
		s.run.close()
	}
}

// DefaultSnapshotSize is how many characters an outline of a page has at most when the
// caller sets no limit: what a model reads in a moment, and more than most pages need.
const DefaultSnapshotSize = 16_000

// minSnapshotSize is what the address, and the note that there is more, need.
const minSnapshotSize = 500

// Snapshot is what a page shows, as an outline by roles and names for a caller that cannot
// see it. What can be used has a reference, which stays the element's as long as its
// document is there: Session.Refer makes selectors of it.
type Snapshot struct {
	URL     string `json:"url"` // without its query
	Title   string `json:"title,omitempty"`
	Outline string `json:"outline"`
	More    bool   `json:"more,omitempty"` // there is more than the size allowed
}

// snapshots are the references of a session.
type snapshots struct {
	key       string // of the hashes by which elements are described
	documents []seenDocument
}

// seenDocument is one of which an outline was returned.
type seenDocument struct {
	page  string
	frame *target.Frame
	mark  target.Mark
}

// outlined is what the page script returns.
type outlined struct {
	Title string `json:"title"`
	Lines []struct {
		Depth   int      `json:"depth"`
		Role    string   `json:"role"`
		Name    string   `json:"name"`
		Ref     int      `json:"ref"`
		Value   string   `json:"value"`
		Options []string `json:"options"`
		States  []string `json:"states"`
	} `json:"lines"`
	More bool `json:"more"`
}

// Snapshot returns an outline of a tab ("" is the first) of at most size characters, 0 is
// DefaultSnapshotSize. Secrets that the session knows are in none.
func (s *Session) Snapshot(ctx context.Context, page string, size int) (Snapshot, error) {
	if s.err != nil {
		return Snapshot{}, s.err
	}
	if size <= 0 {
		size = DefaultSnapshotSize
	}
	size = max(size, minSnapshotSize)
	s.namePopups()
	p, err := s.tabNamed(page)
	if err != nil {
		return Snapshot{}, runError(ctx, err)
	}
	ctx, cancel := load.WithTimeout(ctx, s.run.options.Timeout)
	defer cancel()
	var b strings.Builder
	seen, err := s.outline(ctx, page, p.Main(), size, &b)
	if err != nil {
		return Snapshot{}, runError(ctx, err)
	}
	shot := Snapshot{Title: s.run.secrets.redact(seen.Title), More: seen.More}
	for _, f := range innerFrames(p) { // which are there now that the page has loaded
		if shot.More = shot.More || b.Len() >= size; shot.More {
			break
		}
		seen, err := s.outline(ctx, page, f, size-b.Len(), &b)
		if target.IsLeft(err) || f.Gone() {
			continue
		}
		if err != nil {
			return Snapshot{}, runError(ctx, err)
		}
		shot.More = seen.More
	}
	shot.URL = s.run.secrets.redact(shown(p.URL()))
	shot.Outline = cut(s.run.secrets.redact(b.String()), size)
	shot.More = shot.More || len(shot.Outline) < b.Len()
	return shot, nil
}

// innerFrames are the frames within a page, in an order that stays.
func innerFrames(p *target.Page) []*target.Frame {
	frames := p.Frames()[1:]
	slices.SortFunc(frames, func(a, b *target.Frame) int { return strings.Compare(a.ID(), b.ID()) })
	return frames
}

// outline writes what a frame's document shows.
func (s *Session) outline(ctx context.Context, page string, f *target.Frame, size int, b *strings.Builder) (seen outlined, err error) {
	var mark target.Mark
	for {
		if err := f.Settled(ctx); err != nil {
			return seen, err
		}
		mark, seen = f.Mark(), outlined{}
		if unloaded := f.Unloaded(); unloaded != nil { // what the browser shows there is not the site's
			fmt.Fprintf(b, "not loaded: %s: %s\n", shown(unloaded.URL), unloaded.Reason)
			return seen, nil
		}
		err = f.CallAt(ctx, mark, &seen, "outline", s.run.secrets.piecesFor(f), size)
		if !target.IsLeft(err) || f.Parent() != nil {
			break
		}
	}
	if err != nil || f.Parent() != nil && len(seen.Lines) == 0 {
		return seen, err
	}
	number := s.document(page, f, mark)
	if f.Parent() != nil {
		fmt.Fprintf(b, "frame of %s:\n", shown(f.URL()))
	}
	for _, line := range seen.Lines {
		b.WriteString(strings.Repeat("  ", min(line.Depth, 12)))
		if line.Role == "text" {
			b.WriteString(line.Name + "\n")
			continue
		}
		b.WriteString(line.Role)
		if line.Name != "" {
			fmt.Fprintf(b, " %q", line.Name)
		}
		if line.Ref > 0 {
			fmt.Fprintf(b, " [d%de%d]", number, line.Ref)
		}
		if line.Value != "" {
			fmt.Fprintf(b, " value=%q", line.Value)
		}
		if len(line.Options) > 0 {
			fmt.Fprintf(b, " options=%q", line.Options)
		}
		if len(line.States) > 0 {
			b.WriteString(" " + strings.Join(line.States, " "))
		}
		b.WriteByte('\n')
	}
	return seen, nil
}

// document returns the number of a document, from 1: no two of a session have the same.
func (s *Session) document(page string, f *target.Frame, mark target.Mark) int {
	for i, d := range s.snapshots.documents {
		if d.frame == f && d.page == page && !f.Left(d.mark) {
			return i + 1
		}
	}
	s.snapshots.documents = append(s.snapshots.documents, seenDocument{page, f, mark})
	return len(s.snapshots.documents)
}

// cut is a text of at most so many bytes, cut between two lines.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	return text[:strings.LastIndexByte(text[:size], '\n')+1]
}

// Element is one that a step is about to use.
type Element struct {
	// Step holds where it is: Page, Frame, Selector, Alternatives and Fingerprint.
	Step   automation.Step
	Secret bool   // it is a field that holds a secret
	Label  string // as a user knows it
	Kind   string // of the field that it is: "email", "password", "select", …; "" for none
	// Words are those by which its authors call the field: autocomplete, name, id.
	Words []string
}

// described as the page script has it.
type about struct {
	Candidates  [][]string             `json:"candidates"`
	Fingerprint *selectors.Fingerprint `json:"fingerprint"`
	Secret      bool                   `json:"secret"`
	Label       string                 `json:"label"`
	Kind        string                 `json:"kind"`
	Words       []string               `json:"words"`
}

var refPattern = regexp.MustCompile(`^d([0-9]{1,6})e([0-9]{1,9})$`)

// IsRef reports whether a text is a reference of a Snapshot's kind.
func IsRef(text string) bool { return refPattern.MatchString(text) }

// ResolveRef returns the element of a reference. One whose document or whose element is not
// there any more is Gone: its caller takes another snapshot.
func (s *Session) ResolveRef(ctx context.Context, ref string) (Element, error) {
	if s.err != nil {
		return Element{}, s.err
	}
	gone := &Error{Code: NotFound, Step: -1, Reason: fmt.Sprintf("%.40s is of no element that is there: the page has changed since; take another snapshot", strconv.Quote(ref))}
	m := refPattern.FindStringSubmatch(ref)
	if m == nil {
		return Element{}, gone
	}
	document, _ := strconv.Atoi(m[1]) // they are digits, and few
	number, _ := strconv.Atoi(m[2])
	if document < 1 || document > len(s.snapshots.documents) || number < 1 {
		return Element{}, gone
	}
	d := s.snapshots.documents[document-1]
	var found *about
	err := s.run.secrets.teach(ctx, d.frame)
	if err == nil {
		err = d.frame.CallAt(ctx, d.mark, &found, "about", number, [][]string{}, s.hashKey(), 0)
	}
	if target.IsLeft(err) || err == nil && found == nil {
		return Element{}, gone
	}
	if err != nil {
		return Element{}, runError(ctx, err)
	}
	element := found.element()
	element.Step.Page = d.page
	element.Step.Frame, err = s.framePath(ctx, d.frame)
	if err != nil {
		return Element{}, runError(ctx, err)
	}
	return element, nil
}

// Inspect returns the element that a step names, when it comes, as it would be recorded now;
// nil where it does not come in the step's time, or names none.
func (s *Session) Inspect(ctx context.Context, step automation.Step) (*Element, error) {
	if s.err != nil || len(step.Selector) == 0 {
		return nil, s.err
	}
	c := s.run.newCall(len(s.run.automation.Steps), step)
	ctx, cancel := load.WithDeadline(ctx, c.deadline.Add(busyGrace))
	defer cancel()
	for {
		f, err := c.frame(ctx)
		var e *Error
		if errors.As(err, &e) {
			return nil, nil // the step reports it when it is done
		}
		if err == nil {
			err = f.Settled(ctx)
		}
		if err == nil && s.run.inScope(f.Address()) != nil {
			return nil, nil
		}
		var found *about
		if err == nil {
			err = s.run.secrets.teach(ctx, f)
		}
		if err == nil {
			err = f.Call(ctx, &found, "about", 0, requestFor(step, "where").Paths, s.hashKey(), c.remaining())
		}
		switch {
		case target.IsLeft(err):
			continue
		case err != nil:
			return nil, runError(ctx, err)
		case found == nil:
			return nil, nil
		}
		element := found.element()
		element.Step.Page, element.Step.Frame = step.Page, step.Frame
		return &element, nil
	}
}

func (a *about) element() Element {
	var paths []selectors.Path
	for _, candidate := range a.Candidates {
		if path, err := selectors.ParsePath(candidate...); err == nil {
			paths = append(paths, path)
		}
	}
	e := Element{Secret: a.Secret, Label: a.Label, Kind: a.Kind, Words: a.Words}
	e.Step.Fingerprint = a.Fingerprint
	if ranked := selectors.Rank(paths); len(ranked) > 0 {
		e.Step.Selector, e.Step.Alternatives = ranked[0], ranked[1:]
	}
	return e
}

// framePath is how a frame is found from its page: the elements that hold the frames
// around it, outermost first.
func (s *Session) framePath(ctx context.Context, f *target.Frame) ([]selectors.Path, error) {
	var path []selectors.Path
	for ; f.Parent() != nil; f = f.Parent() {
		var owner about
		if err := f.CallOnOwner(ctx, &owner, "describe", s.hashKey(), ""); err != nil {
			return nil, err
		}
		path = append([]selectors.Path{owner.element().Step.Selector}, path...)
	}
	return path, nil
}

// hashKey is the key of the fingerprints that this session makes.
func (s *Session) hashKey() string {
	if s.snapshots.key == "" {
		key := make([]byte, 8)
		_, _ = rand.Read(key) // never fails: crypto/rand ends the program instead
		s.snapshots.key = hex.EncodeToString(key)
	}
	return s.snapshots.key
}
