package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/recorder/desk"
	"github.com/go-reprise/reprise/selectors"
	"github.com/go-reprise/reprise/store"
)

// recordOptions are the flags of record.
type recordOptions struct {
	url, name, account, description, out, untilURL, testID, public string
	duration                                                       time.Duration
	headed, headless, replace, goOn                                bool
	desk, noDesk                                                   bool

	until *automation.Glob // of untilURL, nil for none
}

const recordLong = `Record opens a browser at URL and keeps what you do in it: clicks, what you type and
choose, keys like Enter, and where that leads, also in frames and new tabs. Do the flow
once, then press Ctrl-C here or close the page.

What identifies you (a name, an e-mail address) and what is secret (a password, a code)
becomes a variable, which "reprise play" asks for. The value of a secret is not kept, not even
its length, and neither are the names, texts and addresses in which a page repeats six
characters of it. A step that cannot do without them is left out, and that is said. What looks
like a secret all the same, a card number or a token in an address, is not kept: the recording
is refused, unless --public says why it is none.

At a terminal, p pauses the recording and goes on with it, u takes the last step back, and
? lists the other keys: a check or a hover is added by pointing at it in the page.

Beside the recorded page a recording desk is opened, in a window of its own: it shows the
steps as they happen, and there you delete, move and explain them, and say what is a variable
or a secret. It is served on this machine alone, to the browser that opens its link first.
It is opened where the browser is started here with a window and a terminal is there; --desk
opens one elsewhere, too, and prints its link, and --no-desk opens none.

The recording ends with q, Ctrl-C or SIGTERM, when its page or the browser is closed, or by
--until-url or --for. What there is by then is kept, also when something went wrong; where
the data directory cannot be written, in a temporary file.

Record shows a window, and so needs a display. Without one, record in a browser that runs
elsewhere (--browser), or with --headless for a program that drives the flow: it then
prints the address by which any program on this machine can control that browser.`

func (a *app) recordCommand() *cobra.Command {
	var o recordOptions
	cmd := &cobra.Command{
		Use:   "record URL --name NAME",
		Short: "Open a browser, and keep what you do in it",
		Long:  recordLong,
		Example: `  reprise record https://example.com/signin --name sign-in
  reprise record example.com/signin --name sign-in --account ada@example.com --replace
  reprise record https://example.com/signin --name sign-in --until-url 'example.com/home'
  reprise record https://example.com/order --name order --out order.json
  reprise record https://example.com/pay --name order --append
  reprise record https://example.com/ --name tour --test-id-attribute data-part
  reprise record https://example.com/ --name tour --browser http://localhost:9222`,
		Args:              exactly("URL"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			o.url = args[0]
			return a.record(cmd.Context(), &o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "`NAME` to keep it under: small letters, digits and - (default: none, it must be given)")
	f.StringVar(&o.account, "account", "", "`ACCOUNT` that it is for, as you call it (default: any)")
	f.StringVar(&o.description, "description", "", "`TEXT` that says what it does, for people (default: none)")
	f.StringVar(&o.out, "out", "", "`FILE` to write the document to (default: it is kept in the data directory)")
	f.BoolVar(&o.replace, "replace", false, "replace what is kept under this name and account (default: refuse)")
	f.BoolVar(&o.goOn, "append", false, "go on with what is kept under this name and account: add the steps at its end (default: refuse)")
	f.StringVar(&o.testID, "test-id-attribute", "", "`ATTRIBUTE` that the site's own tests find elements by, like data-part (default: data-testid and its kind)")
	f.StringVar(&o.public, "public", "", "`WHY` what looks like a secret in addresses or names is none (default: refuse to keep it)")
	f.StringVar(&o.untilURL, "until-url", "", "end when the page has gone to an address like `GLOB`, host/path with * and ** (default: do not)")
	f.DurationVar(&o.duration, "for", 0, "end after this `DURATION`, like 90s (default: do not)")
	f.BoolVar(&o.headed, "headed", false, "show a window even where no display seems to be there (default: only if one is)")
	f.BoolVar(&o.desk, "desk", false, "open a recording desk even where no window or terminal seems to be there, and print its link (default: only if both are)")
	f.BoolVar(&o.noDesk, "no-desk", false, "open no recording desk (default: one in a window of its own)")
	f.BoolVar(&o.headless, "headless", false, "show no window, and open a port for the program that drives it (default: show one)")
	cmd.MarkFlagsMutuallyExclusive("headed", "headless")
	cmd.MarkFlagsMutuallyExclusive("desk", "no-desk")
	cmd.MarkFlagsMutuallyExclusive("append", "replace")
	cmd.MarkFlagsMutuallyExclusive("append", "out")
	a.warn(cmd.RegisterFlagCompletionFunc("test-id-attribute", cobra.FixedCompletions(selectors.TestIDAttributes(), cobra.ShellCompDirectiveNoFileComp))) // only for a flag that there is not
	return cmd
}

// check says what is wrong with the flags, before a person begins to record.
func (o *recordOptions) check(a *app) error {
	var err error
	if o.url, err = address(o.url); err != nil {
		return err
	}
	if o.name == "" {
		return usagef("--name is missing: under which name is the recording to be kept?")
	}
	if o.untilURL != "" {
		if o.until, err = automation.ParseGlob(o.untilURL); err != nil {
			return usagef("--until-url: %v", err)
		}
	}
	if o.testID != "" {
		if err = selectors.CheckTestIDAttribute(o.testID); err != nil {
			return usagef("--test-id-attribute: %v", err)
		}
	}
	if o.duration < 0 {
		return usagef("--for: %v is in the past", o.duration)
	}
	whole := &automation.Automation{
		Name: o.name, Description: o.description,
		Match: automation.Scope{URLs: []string{"localhost"}, Account: o.account}, // the recorder knows the real ones
		Steps: []automation.Step{{Tool: "navigate", URL: o.url}},
		X:     o.notes(),
	}
	if problems := automation.Problems(errors.Join(whole.Validate(), whole.CheckSecrets())); len(problems) > 0 {
		where := "--" + strings.TrimPrefix(problems[0].Path, "match.")
		if strings.HasPrefix(problems[0].Path, "steps[0].") {
			where = "URL"
		}
		return usagef("%s: %s", where, problems[0].Reason)
	}
	if a.endpoint() == "" && !o.headed && !o.headless && !hasDisplay() {
		return usagef("there is no display to show a window on: record in a browser that runs elsewhere (--browser ENDPOINT), " +
			"or with --headless if a program drives it; --headed tries all the same")
	}
	return nil
}

// notes say that what looks like a secret is none.
func (o *recordOptions) notes() json.RawMessage {
	if o.public == "" {
		return nil
	}
	notes, err := json.Marshal(map[string]string{"public": o.public})
	if err != nil {
		return nil // a map of strings: cannot happen
	}
	return notes
}

// hasDisplay reports whether a window would be seen.
func hasDisplay() bool {
	return runtime.GOOS == "darwin" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

func (a *app) record(ctx context.Context, o *recordOptions) error {
	if err := o.check(a); err != nil {
		return err
	}
	keep, err := a.keeperFor(ctx, o)
	if err != nil {
		return err
	}
	defer keep.close()
	b, err := a.openBrowser(ctx, &browser.Options{Headed: !o.headless, DebugPort: o.headless, AnyNetwork: true})
	if err != nil {
		return err
	}
	defer func() { a.warn(b.Close()) }()
	if o.headless {
		a.say("endpoint %s", b.Endpoint())
	}
	recorded, failed := a.watch(ctx, b, o)
	if recorded == nil {
		return failed
	}
	// What was recorded is kept, whatever has ended.
	return a.keep(context.WithoutCancel(ctx), keep, recorded, failed)
}

// recorded is what watching gave.
type recorded struct {
	document *automation.Automation
	omitted  []recorder.Omission // steps that could not be kept
	user     string              // what was typed as a user name
	ended    string              // why
}

// longestStop bounds the end of a recording: a page that does not answer any more
// must not hold back what was heard.
const longestStop = 10 * time.Second

// watch records in a page of the browser, until something ends it.
func (a *app) watch(ctx context.Context, b *browser.Browser, o *recordOptions) (*recorded, error) {
	page, err := a.openPage(ctx, b)
	if err != nil {
		return nil, err
	}
	steps := render.NewRecording(a.stderr, render.StyleOf(a.stderr), a.width())
	// It is watched before it goes anywhere, so that nothing is missed.
	r, err := recorder.Start(ctx, page, &recorder.Options{
		Name: o.name, Description: o.description, Account: o.account, TestIDAttribute: o.testID, OnChange: steps.Change,
		Pictures: a.wantsDesk(o),
	})
	if err != nil {
		return nil, err
	}
	arrived := page.Navigate(ctx, o.url)
	ended, waited := "", arrived
	if arrived == nil && a.width() != nil {
		a.say("%s", a.howToEnd())
	}
	following, end := context.WithCancel(ctx)
	defer end()
	if arrived == nil && a.wantsDesk(o) {
		defer a.openDesk(ctx, b, page, r, end)()
	}
	if arrived == nil {
		ended, waited = a.follow(following, page, o, &shaper{recorder: r, steps: steps, end: end})
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestStop)
	defer cancel()
	document, integrity, err := r.Stop(stopping)
	steps.End()
	switch {
	case arrived != nil:
		return nil, arrived // there is nothing that is worth keeping
	case waited != nil:
		err = waited // and not what followed from it
	case ended == pageClosed && errors.Is(err, browser.ErrLost):
		err = nil // the browser ended with its last page
	}
	if document == nil {
		return nil, err
	}
	document.X = o.notes()
	return &recorded{document: document, omitted: integrity.Omitted, user: r.Username(), ended: ended}, err
}

// howToEnd is what a person at the terminal is told.
func (a *app) howToEnd() string {
	if render.IsTerminal(a.stdin) {
		return keysHelp
	}
	return "Do the flow in the browser. When you are done, close the page or press Ctrl-C here."
}

// follow waits for the end of the recording, and has the person at the terminal shape it.
func (a *app) follow(ctx context.Context, page *browser.Page, o *recordOptions, s *shaper) (string, error) {
	if !render.IsTerminal(a.stdin) || a.width() == nil {
		return o.wait(ctx, page)
	}
	restore, err := singleKeys(a.stdin)
	if err != nil {
		return o.wait(ctx, page) // a terminal that cannot do so
	}
	defer func() { a.warn(restore()) }()
	go s.listen(ctx, a.stdin)
	return o.wait(ctx, page)
}

// Why a recording ended.
const (
	interrupted = "interrupted"
	pageClosed  = "page closed"
	timeIsUp    = "time is up"
	thereNow    = "address reached"
)

var errTimeIsUp = errors.New(timeIsUp)

// wait waits for the end of the recording.
func (o *recordOptions) wait(ctx context.Context, page *browser.Page) (string, error) {
	if o.duration > 0 {
		bounded, cancel := context.WithTimeoutCause(ctx, o.duration, errTimeIsUp)
		defer cancel()
		ctx = bounded
	}
	main := page.Target().Main()
	_, err := main.WaitURL(ctx, main.Mark(), func(url string) bool { return o.until != nil && o.until.Match(url) })
	if errors.Is(page.Target().Err(), target.ErrClosed) {
		return pageClosed, nil // whatever ended with it
	}
	return whyEnded(ctx, err)
}

func whyEnded(ctx context.Context, err error) (string, error) {
	switch {
	case err == nil:
		return thereNow, nil
	case errors.Is(context.Cause(ctx), errTimeIsUp):
		return timeIsUp, nil
	case ctx.Err() != nil:
		return interrupted, nil
	}
	return "", fmt.Errorf("recording: %w", err)
}

// wantsDesk reports whether a recording desk is opened: where it was asked for, and
// unasked where somebody sits before a window that was opened here, and a terminal.
func (a *app) wantsDesk(o *recordOptions) bool {
	if o.desk || o.noDesk {
		return o.desk
	}
	return a.showsWindow(o) && a.width() != nil && render.IsTerminal(a.stdin)
}

// showsWindow reports whether the browser is started here, with a window.
func (a *app) showsWindow(o *recordOptions) bool { return a.endpoint() == "" && !o.headless }

// openDesk opens a recording desk in a window beside the recorded page, or says where
// it is. One that cannot be opened holds up no recording. The desk ends it by end.
func (a *app) openDesk(ctx context.Context, b *browser.Browser, page *browser.Page, r *recorder.Recorder, end func()) (closeDesk func()) {
	d, err := desk.Serve(ctx, r, &desk.Options{Stop: end, Logger: a.logger()})
	if err != nil {
		a.warn(err)
		return func() {}
	}
	if !b.HasWindow(ctx) || a.endpoint() != "" {
		a.say("desk %s", d.URL()) // whoever drives that browser need not be who records
		return func() { a.warn(d.Close()) }
	}
	window, err := b.NewWindow(ctx, d.URL())
	if err != nil {
		a.warn(err)
		a.say("desk %s", d.URL())
		return func() { a.warn(d.Close()) }
	}
	if err := stand(ctx, window.Target(), page.Target()); err != nil {
		a.logger().Debug("the recording desk stands where the browser has put it", "error", err)
	}
	return func() { a.warn(d.Close()) }
}

// deskWidth is that of the desk's window, in pixels of the screen.
const deskWidth = 480

// bounds of a window on the screen.
type bounds struct {
	Left   int `json:"left"`
	Top    int `json:"top"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

type window struct {
	ID     int    `json:"windowId"`
	Bounds bounds `json:"bounds"`
}

// stand puts the desk's window beside the recorded one, as far as the screen goes,
// and that one in front.
func stand(ctx context.Context, at, recorded *target.Page) error {
	var own, other window
	var screen struct {
		Result struct {
			Value int `json:"value"`
		} `json:"result"`
	}
	err := errors.Join(
		ask(ctx, at, "Browser.getWindowForTarget", nil, &own),
		ask(ctx, recorded, "Browser.getWindowForTarget", nil, &other),
		ask(ctx, at, "Runtime.evaluate", map[string]any{"expression": "screen.availLeft + screen.availWidth"}, &screen),
	)
	if err != nil {
		return err
	}
	beside := other.Bounds
	beside.Left, beside.Width = max(0, min(beside.Left+beside.Width, screen.Result.Value-deskWidth)), deskWidth
	return errors.Join(
		ask(ctx, at, "Browser.setWindowBounds", map[string]any{"windowId": own.ID, "bounds": beside}, nil),
		ask(ctx, recorded, "Page.bringToFront", nil, nil),
	)
}

func ask(ctx context.Context, page *target.Page, method string, params, out any) error {
	reply, err := page.Send(method, params).Wait(ctx)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(reply, out)
}

// existsError is a recording that would take the place of another.
type existsError struct {
	what, instead string
	goOn          bool // it can be gone on with
}

func (e *existsError) Error() string {
	goOn := ""
	if e.goOn {
		goOn = ", go on with it with --append"
	}
	return fmt.Sprintf("%s is already kept: choose another %s%s, or replace it with --replace", e.what, e.instead, goOn)
}

// keptError is something that went wrong with a recording which is kept all the same.
type keptError struct {
	err  error
	file string
}

func (e *keptError) Error() string {
	return fmt.Sprintf("%v\nWhat was recorded is in %s", e.err, e.file)
}

func (e *keptError) Unwrap() error { return e.err }

// keeper knows where a recording goes.
type keeper struct {
	app      *app
	out      string      // a file; "" for the store
	name     string      // that was given, and may have been changed at the desk
	store    store.Store // nil for a file
	revision int         // of the document that is replaced

	before *automation.Automation // the document that the recording goes on with, nil for none
}

// keeperFor finds out before a person records whether there is room for it.
func (a *app) keeperFor(ctx context.Context, o *recordOptions) (*keeper, error) {
	if o.out != "" {
		_, err := os.Lstat(o.out)
		if err == nil && !o.replace {
			return nil, &existsError{what: o.out, instead: "--out"}
		}
		return &keeper{app: a, out: o.out}, nil
	}
	kept, err := a.openStore(ctx)
	if err != nil {
		return nil, err
	}
	k := &keeper{app: a, store: kept, name: o.name}
	old, err := kept.Automations().Get(ctx, o.name, o.account)
	switch {
	case errors.Is(err, store.ErrNotFound) && !o.goOn:
	case o.goOn && err == nil:
		k.before, k.revision = old, old.Revision
	case !o.replace && err == nil:
		err = &existsError{what: fmt.Sprintf("%s (revision %d)", label(o.name, o.account), old.Revision), instead: "--name or --account", goOn: o.url != ""}
		return nil, errors.Join(err, kept.Close())
	case o.replace && err == nil:
		k.revision = old.Revision
	default:
		return nil, errors.Join(err, kept.Close())
	}
	return k, nil
}

// label is how a person calls a document.
func label(name, account string) string {
	if account == "" {
		return name
	}
	return name + " for " + account
}

func (k *keeper) close() {
	if k.store != nil {
		k.app.warn(k.store.Close())
	}
}

// save gives the document as it was kept, and its file.
func (k *keeper) save(ctx context.Context, a *automation.Automation) (*automation.Automation, string, error) {
	if k.before != nil {
		whole, err := automation.Join(k.before, a)
		if err != nil {
			return nil, "", err
		}
		a = whole
	}
	if k.store == nil {
		if err := a.CheckSecrets(); err != nil {
			return nil, "", err
		}
		return a, k.out, writeDocument(k.out, a)
	}
	if a.Name == k.name { // under another name it takes the place of none
		a.Revision = k.revision
	}
	saved, err := k.store.Automations().Save(ctx, a)
	if err != nil {
		return nil, "", err
	}
	return saved, k.app.documentPath(saved.Name, saved.Match.Account), nil
}

// ownFile is the mode of a document: it says which accounts a person has.
const ownFile fs.FileMode = 0o600

func writeDocument(file string, a *automation.Automation) error {
	data, err := automation.Marshal(a)
	if err != nil {
		return err
	}
	return renameio.WriteFile(file, data, ownFile)
}

// rescue puts a document that could not be kept where its person finds it.
func rescue(a *automation.Automation) (string, error) {
	f, err := os.CreateTemp("", a.Name+"-*.json")
	if err != nil {
		return "", err
	}
	file := f.Name()
	return file, errors.Join(f.Close(), writeDocument(file, a))
}

// keep keeps what was recorded, and tells of it. failed is what went wrong while
// it was recorded.
func (a *app) keep(ctx context.Context, k *keeper, r *recorded, failed error) error {
	saved, path, err := k.save(ctx, r.document)
	if errors.Is(err, automation.ErrLooksSecret) {
		return errors.Join(fmt.Errorf("nothing was kept: %w", err), failed, errors.New("record it again without it, or say with --public why it is none"))
	}
	if err != nil {
		file, lost := rescue(r.document)
		if lost != nil {
			return errors.Join(err, failed, fmt.Errorf("and it cannot be kept elsewhere: %w", lost))
		}
		return &keptError{err: errors.Join(err, failed), file: file}
	}
	for _, o := range r.omitted {
		a.say("A step is missing: %s.", o)
	}
	report := reportOf(saved, path, r)
	switch {
	case failed != nil:
		return &keptError{err: failed, file: path}
	case a.json:
		return a.printJSON(report)
	}
	return report.tell(a, render.StyleOf(a.stdout))
}

// recordReport is what record says of what it kept.
type recordReport struct {
	Name      string           `json:"name"`
	Account   string           `json:"account,omitempty"`
	Revision  int              `json:"revision"`
	Path      string           `json:"path,omitempty"` // none where the store is no directory
	URLs      []string         `json:"urls"`
	Steps     int              `json:"steps"`
	Omitted   []omission       `json:"omitted,omitempty"`
	Variables []variableReport `json:"variables"`
	User      string           `json:"user,omitempty"` // what was typed as a user name, where no account was given
	Ended     string           `json:"ended"`
}

// omission is a step that was left out.
type omission struct {
	After int    `json:"after"` // the number of the step before it
	Tool  string `json:"tool"`
	Why   string `json:"why"`
}

// variableReport is a value that play asks for.
type variableReport struct {
	Name     string `json:"name"`
	Secret   bool   `json:"secret"`
	Required bool   `json:"required"`
}

func reportOf(a *automation.Automation, path string, r *recorded) *recordReport {
	report := &recordReport{
		Name: a.Name, Account: a.Match.Account, Revision: a.Revision, Path: path, URLs: a.Match.URLs,
		Steps: len(a.Steps), Variables: variablesOf(a), Ended: r.ended,
	}
	for _, o := range r.omitted {
		report.Omitted = append(report.Omitted, omission{After: o.After, Tool: o.Tool, Why: o.Why})
	}
	if report.Account == "" {
		report.User = r.user
	}
	return report
}

func variablesOf(a *automation.Automation) []variableReport {
	variables := []variableReport{}
	declared, err := a.Declared()
	if err != nil {
		return variables // it was validated: cannot happen
	}
	required := map[string]bool{}
	for _, name := range declared.Required() {
		required[name] = true
	}
	for _, name := range declared.Names() {
		variables = append(variables, variableReport{name, declared.IsSecret(name), required[name]})
	}
	return variables
}

func (r *recordReport) tell(a *app, s render.Style) error {
	var facts render.Facts
	facts.Add("steps", fmt.Sprint(r.Steps))
	facts.Add("account", r.account())
	facts.Add("revision", fmt.Sprint(r.Revision))
	if r.Path != "" {
		facts.Add("file", r.Path)
	}
	var variables []string
	for _, v := range r.Variables {
		if v.Secret {
			v.Name += "  (secret: its value is not kept)"
		}
		variables = append(variables, v.Name)
	}
	facts.Add("variables", variables...)
	_, err := fmt.Fprintf(a.stdout, "%s %s is kept.\n%sPlay it:\n  %s\n", s.Green("✓"), s.Bold(r.Name), render.Table(facts), r.command())
	if r.User != "" {
		a.say("You signed in as %s. To keep a flow for one account only, record it with --account.", r.User)
	}
	return err
}

func (r *recordReport) account() string {
	if r.Account == "" {
		return "any"
	}
	return r.Account
}

// command is a command line that plays it.
func (r *recordReport) command() string {
	words := []string{"reprise play", r.Name}
	if r.Revision == 0 {
		words[1] = runner.Quote(r.Path)
	} else if r.Account != "" {
		words = append(words, "--account", runner.Quote(r.Account))
	}
	for _, v := range r.Variables {
		switch {
		case v.Secret:
			words = append(words, "--var-env", v.Name+"="+strings.ToUpper(v.Name))
		case v.Required:
			words = append(words, "--var", v.Name+"=…")
		}
	}
	return strings.Join(words, " ")
}
