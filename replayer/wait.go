package replayer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/selectors"
)

// waitForNav waits until the tab has gone where it went when this was recorded,
// counted from before the step that made it go.
func waitForNav(ctx context.Context, c *call) (outcome, error) {
	match := func(string) bool { return true }
	if c.step.URL != "" {
		glob, err := automation.ParseGlob(c.step.URL)
		if err != nil {
			return outcome{}, &Error{Code: Refused, Reason: err.Error(), Err: err}
		}
		match = glob.MatchPath
	}
	if err := c.guessesAddress(); err != nil {
		return outcome{}, err
	}
	if c.run.idleBefore == c.index && c.index > 0 && match(c.page.Main().URL()) {
		return outcome{}, nil
	}
	ctx, cancel := load.WithDeadline(ctx, c.deadline)
	defer cancel()
	main := c.page.Main()
	wait := main.WaitNav
	if strings.ContainsAny(c.step.URL, "?#") { // as another tool recorded it
		wait = main.WaitURL
	}
	looks := 0
	reached, err := c.lookingOut(ctx, func(ctx context.Context) (target.Mark, error) {
		if looks++; looks == standsFrom+1 {
			if err := c.arrive(ctx); err != nil {
				return c.run.tabs.marks[c.page], err
			}
		}
		return wait(ctx, c.run.tabs.marks[c.page], match)
	})
	if guess := c.guessesAddress(); guess != nil {
		return outcome{}, guess
	}
	c.run.tabs.marks[c.page] = reached
	if err == nil {
		c.run.signedInAt = ""
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return outcome{}, &Error{Code: Timeout, Reason: fmt.Sprintf("the page did not go to %s; it is at %s", c.step.URL, shown(main.URL())), Err: err}
	}
	return outcome{}, err
}

// arrive goes to where a sign-in led when it was recorded, where it has led to another page of the site and
// stands there: some applications open what an account used last, or what it may see first. Nothing else is
// helped along so: an order that was refused would find the page that thanks for it.
func (c *call) arrive(ctx context.Context) error {
	from, at := c.run.signedInAt, c.page.URL()
	if from == "" || strings.ContainsAny(c.step.URL, "*?[{#") || samePlace(from, at) || origin(from) != origin(at) {
		return nil
	}
	scheme, _, _ := strings.Cut(at, "://")
	to := scheme + "://" + strings.TrimPrefix(c.step.URL, scheme+"://")
	if origin(to) != origin(at) || c.run.inScope(to) != nil || blockerOf(ctx, c.page, false, false) != nil {
		return nil
	}
	c.run.signedInAt = ""
	return c.page.Navigate(ctx, to)
}

// stateArgs are the arguments of waitFor and assert.
type stateArgs struct {
	State     string
	Text      *string
	Attribute string
	Compare   string
	Response  *struct {
		Method, URL string
		Status      int
	}
}

// waitFor waits for a state of an element, a text, an address or a reply.
func waitFor(ctx context.Context, c *call) (outcome, error) {
	var args stateArgs
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	out := outcome{}
	if c.step.URL != "" {
		if err := c.isAt(ctx); err != nil {
			return out, err
		}
	}
	if args.Response != nil {
		e := automation.Expectation{Kind: "response", Method: args.Response.Method, URL: args.Response.URL, Status: args.Response.Status}
		if err := c.expectResponse(ctx, e, c.run.tabs.replies.heard[c.page]); err != nil {
			return out, err
		}
	}
	if len(c.step.Selector) == 0 && args.Text == nil {
		return out, nil
	}
	out, err := c.checkState(ctx, args)
	var e *Error
	if errors.As(err, &e) && (e.Code == NotActionable || e.Code == NotFound && c.step.Fingerprint == nil && !c.step.Optional) && c.expired() {
		late := *e
		late.Code = Timeout
		return out, &late
	}
	return out, err
}

// assert holds the page to what it should be, within the step's time.
func assert(ctx context.Context, c *call) (outcome, error) {
	var args stateArgs
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	if c.step.URL != "" {
		if err := c.isAt(ctx); err != nil {
			return outcome{}, err
		}
	}
	if len(c.step.Selector) == 0 {
		return outcome{}, nil
	}
	out, err := c.checkState(ctx, args)
	var e *Error
	if errors.As(err, &e) && e.Code == NotActionable {
		differs := *e
		differs.Code = Changed
		return out, &differs
	}
	return out, err
}

// checkState asks the page to hold the step's element to a state, and to the step's value.
func (c *call) checkState(ctx context.Context, args stateArgs) (outcome, error) {
	step := c.step
	if len(step.Selector) == 0 {
		step.Selector = selectors.Path{{Kind: selectors.Text, Body: *args.Text}}
		args.Text = nil
	}
	req := requestFor(step, "state")
	req.State, req.Attribute, req.Compare, req.Text = cmp.Or(args.State, "visible"), args.Attribute, args.Compare, args.Text
	if args.State == "" && args.Attribute != "" {
		req.State = "attached"
	}
	if req.Text != nil {
		req.Compare = "contains"
	}
	v, err := c.run.value(c.step.Value)
	if err != nil {
		return outcome{}, err
	}
	if _, secret := v.(automation.Secret); secret {
		return outcome{}, &Error{Code: Refused, Reason: "a page is not compared with a secret"}
	}
	if v != nil {
		said, err := joined(v)
		if err != nil {
			return outcome{}, &Error{Code: InvalidValue, Reason: err.Error(), Err: err}
		}
		req.Text = &said
	}
	looking := *c
	looking.step = step
	at, err := looking.ready(ctx, req)
	return on(at, err), err
}

// joined is a value as a page would show it, a list one a line.
func joined(v any) (string, error) {
	texts, err := list(v)
	return strings.Join(texts, "\n"), err
}

// isAt waits until the page is at the step's address.
func (c *call) isAt(ctx context.Context) error {
	glob, err := automation.ParseGlob(c.step.URL)
	if err != nil {
		return &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	if err := c.guessesAddress(); err != nil {
		return err
	}
	ctx, cancel := load.WithDeadline(ctx, c.deadline)
	defer cancel()
	err = c.page.Main().WaitAt(ctx, glob.MatchPath)
	if guess := c.guessesAddress(); guess != nil {
		return guess
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Code: Timeout, Reason: fmt.Sprintf("the page is not at %s; it is at %s", c.step.URL, shown(c.page.URL())), Err: err}
	}
	return err
}

// expectResponse waits for a reply to a request that was made after the mark.
func (c *call) expectResponse(ctx context.Context, e automation.Expectation, mark int) error {
	wanted, traffic, err := c.requests(e.URL)
	if err != nil {
		return err
	}
	ctx, cancel := load.WithDeadline(ctx, c.deadline)
	defer cancel()
	_, after, err := traffic.WaitReply(ctx, mark, func(x target.Exchange) bool {
		return (e.Method == "" || e.Method == x.Method) && (e.Status == 0 || e.Status == x.Status) && wanted(x.URL)
	})
	if err == nil {
		c.run.tabs.replies.heard[c.page] = after
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Code: Timeout, Reason: fmt.Sprintf("no reply came that fits %s %s%s; these came: %s", cmp.Or(e.Method, "any method"), e.URL, ofStatus(e.Status), requestsOf(traffic.Requests(mark))), Err: err}
	}
	return err
}

// maxRest is how long a page may take to request what it requested when a step was recorded,
// longer than a recording waits for it.
const maxRest = 6 * time.Second

// maxSoon is how long a page may take to request what it requested before the next step, twice what
// a recording counts as soon.
const maxSoon = 1400 * time.Millisecond

// awaitRequest waits for the reply to what scripts requested after the step when it was recorded, or,
// where other steps follow, until it is requested: they wait for replies before they use anything.
// Where nothing of the kind comes, the page has had its time for it, and more as long as it waits for
// other replies or goes on to request: what the step is to lead to is for the other expectations.
func (c *call) awaitRequest(ctx context.Context, e automation.Expectation) error {
	wait, atMost := c.awaitSaved, maxRest
	if c.index+1 < len(c.run.automation.Steps) {
		wait, atMost = c.awaitBegun, maxSoon
	}
	mark, until := c.run.tabs.replies.heard[c.page], time.Now().Add(maxRest)
	for {
		traffic, since := c.run.tabs.replies.traffic[c.page], 0
		if traffic != nil {
			since = traffic.Mark()
		}
		resting, cancel := load.WithTimeout(ctx, atMost)
		err := wait(resting, e.URL)
		isOver := resting.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case !isOver:
			return err
		case traffic == nil || time.Now().After(until) || !traffic.IsAtIt(mark, since):
			return nil
		}
	}
}

// quietRequests is how long a page sends nothing that saves after a reply before it counts as having
// sent all: some save a draft first, or remove one in the end.
const quietRequests = 300 * time.Millisecond

// quietSocket is how long a socket sends nothing before the page counts as having sent all: editors
// send the rest when the server has acknowledged what they sent first, and some collect changes
// for half a second before.
const quietSocket = time.Second

// awaitBegun waits for a request to such an address.
func (c *call) awaitBegun(ctx context.Context, url string) error {
	requested, traffic, err := c.requests(url)
	if err != nil {
		return err
	}
	return traffic.WaitBegun(ctx, c.run.tabs.replies.heard[c.page], requested)
}

// requests are those of the step's tab, and what tells one to such an address.
func (c *call) requests(url string) (to func(string) bool, of *target.Traffic, err error) {
	glob, err := automation.ParseGlob(url)
	if err != nil {
		return nil, nil, &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	if of = c.run.tabs.replies.traffic[c.page]; of == nil {
		return nil, nil, &Error{Code: Refused, Reason: "the requests of this tab are not watched"}
	}
	return glob.MatchPath, of, nil
}

// awaitSaved waits for the reply to a request to such an address, or for what the page sends over a
// socket of that address.
func (c *call) awaitSaved(ctx context.Context, url string) error {
	saved, traffic, err := c.requests(url)
	if err != nil {
		return err
	}
	r := &c.run.tabs.replies
	_, sent, err := traffic.WaitReplyOrSent(ctx, r.heard[c.page], r.sent[c.page], saved)
	if err != nil {
		return err
	}
	quiet := quietRequests
	if sent {
		quiet = quietSocket
	}
	return traffic.WaitQuiet(ctx, r.heard[c.page], r.sent[c.page], saved, quiet)
}

// awaitDocuments waits for the documents that were asked for last, in whatever frame: a form that is still on its
// way when its tab is closed is not saved.
func (t *tabs) awaitDocuments(ctx context.Context) error {
	for _, page := range t.named {
		if err := page.WaitDocuments(ctx); err != nil && !target.IsLeft(err) {
			return err
		}
	}
	return nil
}

// replies are what servers answer, watched where a step waits for that.
type replies struct {
	watched bool
	traffic map[*target.Page]*target.Traffic
	heard   map[*target.Page]int // where the replies begin that a wait may count
	sent    map[*target.Page]int // where the frames of sockets begin
	used    map[*target.Page]int // where the requests begin since the last press or key
}

// hasSent reports whether a tab may have sent, since this was asked last, something that may change something.
func (r *replies) hasSent(page *target.Page) bool {
	traffic := r.traffic[page]
	if traffic == nil {
		return true
	}
	from := r.used[page]
	r.used[page] = traffic.Mark()
	return traffic.More(from, changes)
}

// mark has waits count what a tab asks for from now on.
func (r *replies) mark(page *target.Page) {
	if traffic := r.traffic[page]; traffic != nil {
		r.heard[page], r.sent[page] = traffic.Mark(), traffic.MarkSent()
	}
}

// watchReplies watches the requests of each tab if a step waits for a reply, or is a press after which
// something must follow, where presses is set.
func (t *tabs) watchReplies(ctx context.Context, steps []automation.Step, presses bool) (err error) {
	waits := func(step automation.Step) bool {
		return slices.ContainsFunc(step.Expect, func(e automation.Expectation) bool { return e.Kind == "response" || e.Kind == "request" }) || step.Tool == "waitFor" && strings.Contains(string(step.Args), `"response"`) ||
			presses && (len(step.Expect) > 0 || step.Tool == "waitForNav")
	}
	if t.replies.watched = slices.ContainsFunc(steps, waits); !t.replies.watched {
		return nil
	}
	for _, page := range t.named {
		if t.replies.traffic[page], err = page.WatchTraffic(ctx); err != nil {
			delete(t.replies.traffic, page)
			return err
		}
	}
	return nil
}

// awaitScripts waits for the scripts of a page that come over a slow network, before the time of the step begins, and as long
// at most.
func (c *call) awaitScripts(ctx context.Context) error {
	traffic := c.traffic()
	if traffic == nil || c.isPart || playsOthers(c.step.Tool) {
		return nil
	}
	bounded, cancel := load.WithTimeout(ctx, c.timeout)
	defer cancel()
	opening, stop := context.WithCancel(bounded)
	var opened sync.WaitGroup
	opened.Go(func() { _ = c.open(opening) }) // done again by a step that uses the page, which tells what fails
	err := traffic.WaitScripts(bounded)
	stop()
	opened.Wait()
	if err != nil && bounded.Err() == nil {
		return err
	}
	return context.Cause(ctx)
}

// open brings what the engine needs into a new document of the step's page, and waits until that has loaded.
func (c *call) open(ctx context.Context) error {
	main := c.page.Main()
	if used, known := c.run.tabs.used[c.page]; known && !main.Left(used) {
		return nil
	}
	if err := main.Settled(ctx); err != nil {
		return err
	}
	mark := main.Mark()
	if err := main.CallAt(ctx, mark, nil, "loaded"); err != nil && !target.IsLeft(err) {
		return err
	}
	c.run.tabs.used[c.page] = mark
	return nil
}

// awaitIdle waits until the page has what its scripts have asked for: a control that is used before works
// with less than what the page shows later. It is known where requests are watched.
func (c *call) awaitIdle(ctx context.Context) error {
	traffic, main := c.traffic(), c.page.Main()
	if traffic == nil {
		return nil
	}
	if err := c.open(ctx); err != nil {
		return err
	}
	news, err := traffic.WaitIdle(ctx)
	bounded, cancel := load.WithTimeout(ctx, maxAsking)
	defer cancel()
	for err == nil && news {
		mark := traffic.Mark()
		if err = main.Call(bounded, nil, "breathe"); target.IsLeft(err) {
			err = nil
		}
		if err != nil || !traffic.AsksOn(mark) { // it has handled what it was answered
			break
		}
		news, err = traffic.WaitIdle(bounded)
	}
	if bounded.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// awaitBeginning waits, where the last step has led to another document, until that could be used: what a page
// saves as it begins may be half of it until it has been told the rest.
func (c *call) awaitBeginning(ctx context.Context) error {
	used, known := c.run.tabs.used[c.page]
	if known && !c.page.Main().Left(used) || c.page.IsClosed() {
		return nil
	}
	bounded, cancel := load.WithTimeout(ctx, maxRest)
	defer cancel()
	err := c.awaitScripts(bounded)
	if err == nil {
		err = c.awaitIdle(bounded)
	}
	if bounded.Err() != nil || target.IsLeft(err) || c.page.IsClosed() {
		return context.Cause(ctx)
	}
	return err
}

// maxAsking is how long a page may go on asking for more with each reply before it is used: some never stop.
const maxAsking = 4 * time.Second

// traffic is what the step's page requests, nil where that is not watched.
func (c *call) traffic() *target.Traffic {
	if traffic := c.run.hold.trafficOf(c.page); traffic != nil {
		return traffic
	}
	return c.run.tabs.replies.traffic[c.page]
}

func ofStatus(status int) string {
	if status == 0 {
		return ""
	}
	return fmt.Sprintf(" with status %d", status)
}

// maxRequests are named in an error.
const maxRequests = 5

func requestsOf(all []target.Exchange) string {
	if len(all) == 0 {
		return "none"
	}
	var texts []string
	for _, e := range all[max(0, len(all)-maxRequests):] {
		texts = append(texts, fmt.Sprintf("%s %s %s", e.Method, shown(e.URL), outcomeOf(e)))
	}
	return strings.Join(texts, ", ")
}

// extract reads an element, or all that are named alike, for the caller of the run.
func extract(ctx context.Context, c *call) (outcome, error) {
	var args struct {
		As, Attribute string
		All           bool
	}
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	req := requestFor(c.step, "read")
	req.All, req.Attribute = args.All, args.Attribute
	at, err := c.ready(ctx, req)
	if err == nil {
		c.run.output(args.As, at.Said)
	}
	return on(at, err), err
}

// output stores a value for the caller, without the run's secrets.
func (r *run) output(name string, value any) {
	if r.result.Outputs == nil {
		r.result.Outputs = map[string]any{}
	}
	r.result.Outputs[name] = r.secrets.redactor.value(value)
}
