package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/cli/recording"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/recorder"
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

const recordLong = `Record opens a browser at URL and records what you do in it: clicks, what you type and
choose, keys like Enter, and where that leads, also in frames and new tabs. Do the flow
once, then press Ctrl-C here or close the page.

What identifies you (a name, an e-mail address) and what is secret (a password, a code)
becomes a variable, which "reprise play" asks for; what else you type or choose becomes one
that has it as its default. No value of a secret is stored, not even its length, and neither
are the names, texts and addresses in which a page repeats six characters of it. A step that
cannot do without them is left out, and that is said. What looks like a secret all the same,
a card number or a token in an address, is not stored: the recording is refused, unless
--public says why it is none.

At a terminal, p pauses the recording and goes on with it, u takes the last step back, and
? lists the other keys: a check or a hover is added by pointing at it in the page.

Next to the recorded page a recording desk is opened, in a window of its own: it shows the
steps as they happen, and there you delete, move and explain them, and say what is a variable
or a secret. It is served on this machine alone, to the browser that opens its link first.
It is opened where the browser is started here with a window and a terminal is there; --desk
opens one elsewhere, too, and prints its link, and --no-desk opens none.

The recording ends with q, Ctrl-C or SIGTERM, when its page or the browser is closed, or by
--until-url or --for. What there is by then is saved, also when something went wrong; where
the data directory cannot be written, in a temporary file.

Record shows a window, and so needs a display. Without one, record in a browser that runs
elsewhere (--browser), or with --headless for a program that drives the flow: it then
prints the address by which any program on this machine can control that browser.`

func (a *app) recordCommand() *cobra.Command {
	var o recordOptions
	cmd := &cobra.Command{
		Use:   "record URL --name NAME",
		Short: "Open a browser, and record what you do in it",
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
	f.StringVar(&o.name, "name", "", "`NAME` to save it under: small letters, digits and - (default: none, it must be given)")
	f.StringVar(&o.account, "account", "", "`ACCOUNT` that it is for, as you call it (default: any)")
	f.StringVar(&o.description, "description", "", "`TEXT` that says what it does, for people (default: none)")
	f.StringVar(&o.out, "out", "", "`FILE` to write the document to (default: it is stored in the data directory)")
	f.BoolVar(&o.replace, "replace", false, "replace what is stored under this name and account (default: refuse)")
	f.BoolVar(&o.goOn, "append", false, "go on with what is stored under this name and account: add the steps at its end (default: refuse)")
	f.StringVar(&o.testID, "test-id-attribute", "", "`ATTRIBUTE` that the site's own tests find elements by, like data-part (default: data-testid and its kind)")
	f.StringVar(&o.public, "public", "", "`WHY` what looks like a secret in addresses or names is none (default: refuse to save it)")
	f.StringVar(&o.untilURL, "until-url", "", "end when the page has gone to an address like `GLOB`, host/path with * and ** (default: do not)")
	f.DurationVar(&o.duration, "for", 0, "end after this `DURATION`, like 90s (default: do not)")
	f.BoolVar(&o.headed, "headed", false, "show a window even where no display seems to be there (default: only if one is)")
	f.BoolVar(&o.desk, "desk", false, "open a recording desk even where no window or terminal seems to be there, and print its link (default: only if both are)")
	f.BoolVar(&o.noDesk, "no-desk", false, "open no recording desk (default: one in a window of its own)")
	f.BoolVar(&o.headless, "headless", false, "show no window, and open a port for the program that drives it (default: show one)")
	a.emulationFlags(cmd)
	cmd.MarkFlagsMutuallyExclusive("headed", "headless")
	cmd.MarkFlagsMutuallyExclusive("desk", "no-desk")
	cmd.MarkFlagsMutuallyExclusive("append", "replace")
	cmd.MarkFlagsMutuallyExclusive("append", "out")
	a.warn(cmd.RegisterFlagCompletionFunc("test-id-attribute", cobra.FixedCompletions(selectors.TestIDAttributes(), cobra.ShellCompDirectiveNoFileComp))) // only for a flag that there is not
	return cmd
}

// check validates the flags, before the user starts to record.
func (o *recordOptions) check(a *app) error {
	var err error
	if o.url, err = address(o.url); err != nil {
		return err
	}
	if o.name == "" {
		return failure.Usagef("--name is missing: under which name is the recording to be stored?")
	}
	if o.untilURL != "" {
		if o.until, err = automation.ParseGlob(o.untilURL); err != nil {
			return failure.Usagef("--until-url: %v", err)
		}
	}
	if o.testID != "" {
		if err = selectors.CheckTestIDAttribute(o.testID); err != nil {
			return failure.Usagef("--test-id-attribute: %v", err)
		}
	}
	if o.duration < 0 {
		return failure.Usagef("--for: %v is in the past", o.duration)
	}
	whole := &automation.Automation{
		Name: o.name, Description: o.description,
		Match: automation.Scope{URLs: []string{"localhost"}, Account: o.account}, // the recorder sets the real ones
		Steps: []automation.Step{{Tool: "navigate", URL: o.url}},
		X:     o.notes(),
	}
	if problems := automation.Problems(errors.Join(whole.Validate(), whole.CheckSecrets())); len(problems) > 0 {
		where := "--" + strings.TrimPrefix(problems[0].Path, "match.")
		if strings.HasPrefix(problems[0].Path, "steps[0].") {
			where = "URL"
		}
		return failure.Usagef("%s: %s", where, problems[0].Reason)
	}
	if err := a.checkSeen(); err != nil && !o.headless {
		return err
	}
	if a.launches() && !o.headed && !o.headless && !hasDisplay() {
		return failure.Usagef("there is no display to show a window on: record in a browser that runs elsewhere (--browser ENDPOINT), " +
			"or with --headless if a program drives it; --headed tries all the same")
	}
	return nil
}

// notes are those of the document on what looks like a secret and is none.
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

func (a *app) record(ctx context.Context, o *recordOptions) error {
	if err := o.check(a); err != nil {
		return err
	}
	dest, err := a.openDestination(ctx, o)
	if err != nil {
		return err
	}
	defer dest.close()
	b, err := a.openBrowser(ctx, &browser.Options{Headed: !o.headless, DebugPort: o.headless, AnyNetwork: true})
	if err != nil {
		return err
	}
	defer func() { a.warn(b.Close()) }()
	if o.headless && !a.rents() { // the endpoint of a rented one has a key in it
		a.say("endpoint %s", b.Endpoint())
	}
	page, err := a.openPage(ctx, b)
	if err != nil {
		return err
	}
	recorded, failed := recording.Run(ctx, &recording.Options{
		Browser: b, Page: page, URL: o.url, Until: o.until, Duration: o.duration,
		Recorder: recorder.Options{
			Name: o.name, Description: o.description, Account: o.account, TestIDAttribute: o.testID, Pictures: a.wantsDesk(o),
		},
		Desk: a.wantsDesk(o), DeskWindow: a.launches(),
		Terminal: a.terminal(), Out: a.stderr, Style: render.StyleOf(a.stderr), Width: a.width(), Logger: a.logger(), Warn: a.warn,
	})
	if recorded == nil {
		return failed
	}
	recorded.Document.X = o.notes()
	return a.saveRecording(context.WithoutCancel(ctx), dest, recorded, failed) // also after an interrupt
}

// wantsDesk reports whether a recording desk is opened: with --desk, and by default where there is a
// terminal and the browser is started here with a window.
func (a *app) wantsDesk(o *recordOptions) bool {
	if o.desk || o.noDesk {
		return o.desk
	}
	return a.launches() && !o.headless && a.width() != nil && a.terminal().Interactive()
}

// destination is where a recording is saved.
type destination struct {
	app      *app
	out      string      // a file; "" for the store
	name     string      // of the command line; it may be changed at the desk
	store    store.Store // nil for a file
	revision int         // of the document that is replaced

	before *automation.Automation // the document that --append extends, nil for none
}

// openDestination checks, before the user records, that nothing would be overwritten.
func (a *app) openDestination(ctx context.Context, o *recordOptions) (*destination, error) {
	if o.out != "" {
		_, err := os.Lstat(o.out)
		if err == nil && !o.replace {
			return nil, &files.ExistsError{What: o.out, Instead: "--out"}
		}
		return &destination{app: a, out: o.out}, nil
	}
	st, err := a.openStore(ctx)
	if err != nil {
		return nil, err
	}
	d := &destination{app: a, store: st, name: o.name}
	old, err := st.Automations().Get(ctx, o.name, o.account)
	switch {
	case errors.Is(err, store.ErrNotFound) && !o.goOn:
	case o.goOn && err == nil:
		d.before, d.revision = old, old.Revision
	case !o.replace && err == nil:
		err = &files.ExistsError{What: fmt.Sprintf("%s (revision %d)", render.Label(o.name, o.account), old.Revision), Instead: "--name or --account", Appendable: o.url != ""}
		return nil, errors.Join(err, st.Close())
	case o.replace && err == nil:
		d.revision = old.Revision
	default:
		return nil, errors.Join(err, st.Close())
	}
	return d, nil
}

func (d *destination) close() {
	if d.store != nil {
		d.app.warn(d.store.Close())
	}
}

// save saves a document, and returns it as it is stored, with its file.
func (d *destination) save(ctx context.Context, a *automation.Automation) (*automation.Automation, string, error) {
	if d.before != nil {
		whole, err := automation.Join(d.before, a)
		if err != nil {
			return nil, "", err
		}
		a = whole
	}
	if d.store == nil {
		if err := a.CheckSecrets(); err != nil {
			return nil, "", err
		}
		return a, d.out, files.WriteDocument(d.out, a)
	}
	if a.Name == d.name { // under another name it replaces nothing
		a.Revision = d.revision
	}
	saved, err := d.store.Automations().Save(ctx, a)
	if err != nil {
		return nil, "", err
	}
	return saved, d.app.documentPath(saved.Name, saved.Match.Account), nil
}

// saveRecording saves what was recorded, and prints it. failed is what went wrong while it was recorded.
func (a *app) saveRecording(ctx context.Context, d *destination, r *recording.Recorded, failed error) error {
	saved, path, err := d.save(ctx, r.Document)
	if errors.Is(err, automation.ErrLooksSecret) {
		return errors.Join(fmt.Errorf("nothing was stored: %w", err), failed, errors.New("record it again without it, or say with --public why it is none"))
	}
	if err != nil {
		file, lost := files.RescueDocument(r.Document)
		if lost != nil {
			return errors.Join(err, failed, fmt.Errorf("and it cannot be saved elsewhere: %w", lost))
		}
		return &failure.RescuedError{Err: errors.Join(err, failed), What: "What was recorded", File: file}
	}
	for _, o := range r.Omitted {
		a.say("A step is missing: %s.", o)
	}
	if failed != nil {
		return &failure.RescuedError{Err: failed, What: "What was recorded", File: path}
	}
	report := render.RecordedOf(saved, path, r.Omitted)
	report.Ended = r.Ended
	if report.Account == "" {
		report.User = r.User
	}
	err = a.result(report, report.Text)
	if report.User != "" && !a.json {
		a.say("You signed in as %s. To save a flow for one account only, record it with --account.", report.User)
	}
	return err
}
