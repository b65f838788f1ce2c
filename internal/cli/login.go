package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/cli/values"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

const loginLong = `Login saves what a browser has after someone has signed in, sealed: cookies, and the local
storage, session storage and databases (IndexedDB) of the origins that it is for, 16 MiB at
most. ` + "`reprise play --login NAME`" + ` begins with it, and so needs no password, and no second
factor that only a person can give.

Anyone who opens one is signed in. What a site stores elsewhere is not in it, such as in
caches; keys that the browser does not let out are named. The site decides how long it takes
one: when it no longer does, a run ends with blocked at the sign-in, says so, and marks the
login as signed_out. One whose check has passed is good, and any other is unsure.`

func (a *app) loginCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "login",
		Short: "Save a browser's sign-in, sealed, to begin runs with",
		Long:  loginLong,
		Example: `  reprise login save shop.example --account ada@example.com
  reprise login list
  reprise play order --account ada@example.com --login shop.example`,
	}, a.loginSaveCommand(), a.loginListCommand(), a.loginCheckCommand(), a.loginImportCommand(), a.loginExportCommand(), a.loginRmCommand())
}

func (a *app) loginListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the logins that are stored",
		Long: `List tells for whom and for which origins there is a login, since when, when it was used and when
its check passed last, and its state: good, unsure or signed_out. It needs no key.`,
		Example: "  reprise login list --json",
		Args:    between(nil, 0),
		RunE:    a.run(func(cmd *cobra.Command, _ []string) error { return a.listLogins(cmd.Context()) }),
	}
}

func (a *app) listLogins(ctx context.Context) error {
	all, err := a.logins(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 && !a.json {
		a.say("Nothing is stored%s yet. Begin with: reprise login save NAME --account ACCOUNT --url https://…", in(a.dataDir()))
		return nil
	}
	return a.result(all, func(render.Style) string { return render.Logins(all) })
}

func (a *app) logins(ctx context.Context) (all []render.Login, err error) {
	all = []render.Login{}
	err = a.withStore(ctx, func(st store.Store) error {
		envelopes, err := listEnvelopes(ctx, st.Logins())
		for _, e := range envelopes {
			all = append(all, render.LoginOf(e))
		}
		return err
	})
	return all, err
}

func (a *app) loginRmCommand() *cobra.Command {
	var account string
	cmd := &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove a login",
		Long: `Rm removes what is stored. The site does not hear of it: to end the sign-in itself, sign out there
of all devices.`,
		Example:           "  reprise login rm shop.example --account ada@example.com",
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeLogins(1),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.rmSealed(cmd.Context(), store.Store.Logins, args[0], account)
		}),
	}
	cmd.Flags().StringVar(&account, "account", "", "`ACCOUNT` whose it is (default: none)")
	return cmd
}

// completeLogins completes the names of logins.
func (a *app) completeLogins(max int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		const no = cobra.ShellCompDirectiveNoFileComp
		if len(args) >= max {
			return nil, no
		}
		all, err := a.logins(cmd.Context())
		if err != nil {
			return nil, no
		}
		var found []string
		for _, l := range all {
			if strings.HasPrefix(l.Name, begun) {
				found = append(found, cobra.CompletionWithDesc(l.Name, strings.TrimSpace(l.Account+" "+l.For())))
			}
		}
		return found, no
	}
}

// loginOptions are the flags of login save.
type loginOptions struct {
	name, account, url string
	origins            []string
	untilURL           string
	headed             bool
	automation         string
	check, checkAt     string
	notes              string
	values             values.Flags

	until *automation.Glob // of untilURL, nil for none
}

const loginSaveLong = `Save opens a browser window for you to sign in at --url (default: NAME, where that is a host),
with cookies of its own, also in the browser of --browser. When you are signed in, press Enter
at the terminal: what the browser then has is sealed under NAME, in place of what there was.
With --until-url it is saved as soon as the window has gone to such an address, and no one
need be at a terminal.

With --check it is looked whether one is signed in before it is stored, and later by
` + "`reprise login check`" + ` and by runs with --save-login: at the address of --check-at something is to
be seen, or the page is to stay at an address, or an automation ends well, of which no commit
step is played. The check is sealed; the notes of --notes are not. Where a login is replaced, its
check is used again.

With --automation a document is played that signs in, as play does it with these values, and
what the browser has when it has ended well is saved.

The login is for the origins where you began and where you are then, or those of the document's
scope, or for those of --origin and no others. Nothing of other origins is stored, and it is
never used elsewhere; a cookie that a site gives to all its subdomains stays one of all of them.`

func (a *app) loginSaveCommand() *cobra.Command {
	var o loginOptions
	cmd := &cobra.Command{
		Use:   "save NAME",
		Short: "Sign in, and save the login",
		Long:  loginSaveLong,
		Example: `  reprise login save shop.example --account ada@example.com
  reprise login save shop --url https://accounts.shop.example/signin --origin https://shop.example
  reprise login save shop --url https://shop.example/signin --until-url 'shop.example/home' --browser http://localhost:9222
  reprise login save shop --automation sign-in --account ada@example.com --task ada`,
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeLogins(1),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return a.saveLogin(cmd.Context(), &o)
		}),
	}
	o.flags(cmd.Flags())
	cmd.MarkFlagsMutuallyExclusive("automation", "url")
	cmd.MarkFlagsMutuallyExclusive("automation", "until-url")
	a.warn(errors.Join(cmd.RegisterFlagCompletionFunc("automation", a.completeNames(true)), cmd.RegisterFlagCompletionFunc("task", a.completeTasks(2)))) // only for flags that there are not
	return cmd
}

func (o *loginOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.account, "account", "", "`ACCOUNT` that is signed in, as you call it (default: that of --automation, else none)")
	f.StringVar(&o.url, "url", "", "`URL` at which one signs in (default: NAME, where that is a host)")
	f.StringArrayVar(&o.origins, "origin", nil, "`ORIGIN` that it is for, and no others: scheme, host and port, such as https://shop.example (default: where one begins and ends; may be repeated)")
	f.StringVar(&o.untilURL, "until-url", "", "save when the window has gone to an address like `GLOB`, host/path with * and ** (default: when you say so at the terminal)")
	f.BoolVar(&o.headed, "headed", false, "show a window even where no display seems to be there; with --automation, show one (default: only if one is, and none)")
	f.StringVar(&o.automation, "automation", "", "`NAME` or FILE of a document that signs in, to be played (default: you sign in)")
	o.storedFlags(f)
	o.values.Register(f)
}

// storedFlags are the flags for what is stored next to the sign-in.
func (o *loginOptions) storedFlags(f *pflag.FlagSet) {
	f.StringVar(&o.check, "check", "", "`CHECK` that shows who is signed in: a selector (also text/…), url=GLOB or automation=NAME (default: that of the login that is replaced, else none)")
	f.StringVar(&o.checkAt, "check-at", "", "`URL` to go to for a selector or url=GLOB (default: where the window is then)")
	f.StringVar(&o.notes, "notes", "", "`TEXT` stored with it, for all to read (default: none)")
}

// checkStored validates what is stored, but for the sign-in itself.
func (o *loginOptions) checkStored() error {
	err := store.CheckEnvelopeName(store.LoginEnvelope, o.name, o.account)
	if err != nil {
		return err
	}
	if _, err = automation.NewSecret("", o.origins...); err != nil {
		return failure.Usagef("--origin: %v", err)
	}
	if err := sealed.CheckLoginNotes(o.name, o.notes); err != nil {
		return failure.Usagef("--notes: %v", err)
	}
	if o.checkAt != "" {
		if o.checkAt, err = address(o.checkAt); err != nil {
			return err
		}
	}
	switch _, err := o.loginCheck("https://any.example/"); {
	case err != nil:
		return failure.Usagef("--check: %v", err)
	case o.check == "" && o.checkAt != "":
		return failure.Usagef("--check-at is where --check looks: give that, too")
	}
	return nil
}

// loginCheck is the check of the flags, nil for none. here is where it looks if they do not say.
func (o *loginOptions) loginCheck(here string) (*runner.LoginCheck, error) {
	if o.check == "" {
		return nil, nil
	}
	return runner.ParseLoginCheck(o.check, cmp.Or(o.checkAt, here))
}

// validate checks the flags, before the user signs in.
func (o *loginOptions) validate(a *app) (err error) {
	if err := o.checkStored(); err != nil {
		return err
	}
	if o.automation != "" {
		return nil
	}
	if o.url == "" && strings.ContainsAny(o.name, ".") {
		o.url = o.name
	}
	if o.url == "" {
		return failure.Usagef("where does one sign in? Give --url, or --automation")
	}
	if o.url, err = address(o.url); err != nil {
		return err
	}
	if o.untilURL != "" {
		if o.until, err = automation.ParseGlob(o.untilURL); err != nil {
			return failure.Usagef("--until-url: %v", err)
		}
	}
	if err := a.checkSeen(); err != nil {
		return err
	}
	switch {
	case o.values.Given():
		return failure.Usagef("values are for a document that signs in: name it with --automation")
	case o.until == nil && !a.terminal().Interactive():
		return failure.Usagef("no one is there to say when they are signed in: give --until-url, or --automation")
	case a.launches() && !o.headed && !hasDisplay():
		return failure.Usagef("there is no display to show a window on: sign in in a browser that runs elsewhere (--browser ENDPOINT), " +
			"or have a document do it (--automation); --headed tries all the same")
	}
	return nil
}

func (a *app) saveLogin(ctx context.Context, o *loginOptions) error {
	if err := o.validate(a); err != nil {
		return err
	}
	return a.withSafe(ctx, func(st store.Store, safe *sealed.SecretStore) error {
		if err := a.ensureKeys(ctx, safe); err != nil { // before the user signs in
			return err
		}
		signIn := a.signInByHand
		if o.automation != "" {
			signIn = a.signInByPlaying
		}
		l, err := signIn(ctx, st, o)
		if err != nil {
			return err
		}
		return a.storeLogin(ctx, safe, l, o.notes, nil)
	})
}

// storeLogin stores a login whose check, where it has one, has just passed, and says what is
// in it and what is not. lost is what a file had besides.
func (a *app) storeLogin(ctx context.Context, safe *sealed.SecretStore, l *runner.Login, notes string, lost []browser.Loss) error {
	state := store.LoginUnsure
	if l.Check != nil {
		state = store.LoginGood
	}
	if err := l.Store(ctx, safe, time.Now(), state, notes); err != nil {
		return err
	}
	view := render.SavedLogin(l.Name, l.Account, l.State)
	view.State, view.Notes, view.Lost = state, notes, lost
	for _, line := range view.Lacks() {
		a.say("%s", line)
	}
	return a.result(view, view.SavedLine)
}

// signInByHand opens a window in which the user signs in.
func (a *app) signInByHand(ctx context.Context, st store.Store, o *loginOptions) (*runner.Login, error) {
	b, err := a.openBrowser(ctx, &browser.Options{Headed: true, AnyNetwork: true})
	if err != nil {
		return nil, err
	}
	defer func() { a.warn(b.Close()) }()
	page, err := b.NewWindow(ctx, o.url)
	if err != nil {
		return nil, err
	}
	defer a.closePage(ctx, b, page)
	if err := o.signedIn(ctx, a, page); err != nil {
		return nil, err
	}
	return a.capture(ctx, st, o, page, originOf(o.url))
}

// closePage closes a page that is no longer needed.
func (a *app) closePage(ctx context.Context, b *browser.Browser, page *browser.Page) {
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := page.Close(closing); err != nil && b.Err() == nil {
		a.warn(err)
	}
}

// closeTimeout bounds the closing of a page.
const closeTimeout = 5 * time.Second

// signedIn waits until the user is signed in.
func (o *loginOptions) signedIn(ctx context.Context, a *app, page *browser.Page) error {
	if o.until != nil {
		return page.WaitURL(ctx, o.until.Match)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() { // ends with ctx
		select {
		case <-page.Done():
			cancel(errors.Join(failure.ErrNotSignedIn, page.Err()))
		case <-ctx.Done():
		}
	}()
	answer, err := a.terminal().Ask(ctx, "Sign in in the browser's window. Press Enter here when you are signed in, or n and Enter to give up: ")
	if err == nil && strings.HasPrefix(strings.ToLower(answer), "n") {
		err = failure.ErrNotSignedIn
	}
	return err
}

// capture takes the login after the page has loaded: its scripts may store something, too.
// Where there is a check it must pass, in the same page: a site may renew what it is shown.
func (a *app) capture(ctx context.Context, st store.Store, o *loginOptions, page *browser.Page, began ...string) (*runner.Login, error) {
	if err := page.Target().Loaded(ctx); err != nil {
		return nil, err
	}
	origins := o.origins
	if len(origins) == 0 {
		origins = began
		if here := originOf(page.URL()); here != "" {
			origins = append(origins, here)
		}
	}
	l := &runner.Login{Name: o.name, Account: o.account}
	var err error
	if l.State, err = page.StorageState(ctx, origins...); err != nil {
		return nil, err
	}
	here, _, _ := strings.Cut(page.URL(), "#")
	here, _, _ = strings.Cut(here, "?")
	if l.Check, err = o.loginCheck(here); err != nil {
		return nil, err
	}
	if l.Check == nil {
		l.Check = a.knownCheck(ctx, st, l)
	}
	if l.Check == nil {
		return l, nil
	}
	return l, a.checked(ctx, st, l, page)
}

// knownCheck returns the check of the login that is replaced, nil for none that can be read.
func (a *app) knownCheck(ctx context.Context, st store.Store, l *runner.Login) *runner.LoginCheck {
	safe, err := a.safe(st)
	if err != nil {
		return nil
	}
	before, err := runner.OpenLogin(ctx, safe, l.Name, l.Account)
	if err != nil {
		return nil
	}
	return before.Check
}

// checked has the check of a login that is not stored yet pass, and takes what the page has then.
func (a *app) checked(ctx context.Context, st store.Store, l *runner.Login, page *browser.Page) error {
	r := &runner.Runner{Store: st, Logger: a.logger(), Secrets: a.secrets(st)}
	_, err := r.CheckLogin(ctx, page, l)
	if failed := new(replayer.Error); errors.As(err, &failed) {
		said := *failed
		said.Reason = "the login is not stored, as its check has failed: " + failed.Reason
		return &said
	}
	if err != nil {
		return fmt.Errorf("the login is not stored, as it cannot be checked: %w", err)
	}
	if err := page.Target().Loaded(ctx); err != nil {
		return err
	}
	l.State, err = page.RenewStorageState(ctx, l.State)
	return err
}

// originOf is the origin of an address, "" for one that has none.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return weburl.Origin(u)
}

// signInByPlaying plays a document that signs in.
func (a *app) signInByPlaying(ctx context.Context, st store.Store, o *loginOptions) (*runner.Login, error) {
	flags := &playOptions{
		what: o.automation, account: o.account, values: o.values, headed: o.headed,
		commit: string(replayer.AskCommits), timeout: replayer.DefaultTimeout, repeat: 1, parallel: 1,
	}
	if err := flags.check(a); err != nil {
		return nil, err
	}
	p, err := a.prepare(ctx, st, flags)
	if err != nil {
		return nil, err
	}
	if o.account == "" {
		o.account = p.doc.Match.Account
	}
	origins, err := p.doc.Match.Origins()
	if err != nil {
		return nil, err
	}
	b, err := a.openBrowser(ctx, &browser.Options{Headed: o.headed})
	if err != nil {
		return nil, err
	}
	defer func() { a.warn(b.Close()) }()
	page, err := b.NewIsolatedPage(ctx, "")
	if err != nil {
		return nil, err
	}
	defer a.closePage(ctx, b, page)
	t, err := p.playIn(ctx, runner.OpenPage{Page: page}, b.HasWindow)
	if err != nil {
		return nil, err
	}
	if t.err != nil {
		return nil, t.print(ctx)
	}
	return a.capture(ctx, st, o, page, origins...)
}
