package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/httpserver"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/server"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// agentOptions are the flags of commands that serve agents.
type agentOptions struct {
	commit         string // "" is the default for --ask
	asks           askFlags
	logins         []string
	let            []letLogin // parsed
	uploadFrom     []string
	timeout        time.Duration
	headed         bool
	share          bool
	owner          string // of calls and runs, "" for one owner a session
	privateNetwork bool
	takeover       takeoverFlags

	held *runner.Browsers // of a browser that outlives this process, nil for one that does not
}

const mcpLong = `Mcp serves an LLM agent over standard input and output, by the Model Context Protocol: it is
started by the agent's program, not by hand. docs/mcp.md has the settings of the usual ones.

Every stored automation is a tool by its name, run_google_login for google-login; others list
and match them, run tools of the registry one by one, and save what the agent did. The agent
sees no secret: it names an account, for what is in the vault, or a task that the token in
$REPRISE_TASK_TOKEN is for. Every call is written down; ` + "`reprise journal`" + ` shows it.

An agent sees its own calls and runs, and resumes its own: those of its session, and of earlier
ones with the same token for tasks. --share-journal shows it all.

With --login NAME an agent may begin signed in, with the login of that name that is stored for
the account that it names (` + "`reprise login`" + `): it names it, and sees nothing of what is in it.
--login NAME=ACCOUNT lets it use that of this account alone. Anyone who is signed in may do all
that the account may, where nothing is recorded, too: let agents begin with few.

Commit steps (paying, ordering, sending, deleting) are refused. With --ask store a person is
asked in the store before each: ` + "`reprise approvals`" + ` answers, on any machine that has the
store, and the agent's call waits for that as long as --answer-within; then the request
expires.
--commit allow asks no one.

The browser is started at the first call that needs one, without a window, or is the one that
--browser names; each client has a page of its own.`

func (a *app) mcpCommand() *cobra.Command {
	var o mcpOptions
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve an LLM agent over standard input and output (MCP)",
		Long:  mcpLong,
		Example: `  reprise mcp --data ~/flows --upload-from ~/Documents
  reprise mcp --login shop.example=ada@example.com --ask store
  {"mcpServers": {"reprise": {"command": "reprise", "args": ["mcp"]}}}`,
		Args:              between(nil, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.mcp(cmd.Context(), &o)
		}),
	}
	o.flags(cmd.Flags())
	o.takeover.withServer(cmd.Flags())
	a.completeAgent(cmd)
	return cmd
}

func (o *agentOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.commit, "commit", "", "what becomes of commit steps: `WHAT` is refuse, ask or allow (default: refuse, and with --ask store ask)")
	o.asks.agentFlags(f)
	f.StringArrayVar(&o.logins, "login", nil, "`NAME[=ACCOUNT]` of a saved login that agents may begin with, may be given again (default: none)")
	f.StringSliceVar(&o.uploadFrom, "upload-from", nil, "`DIR` that files may be read from, may be given again (default: none)")
	f.DurationVar(&o.timeout, "timeout", replayer.DefaultTimeout, "how long a step may take, as `DURATION`")
	f.BoolVar(&o.share, "share-journal", false, "let an agent see, and resume, the calls and runs of all others and of people (default: its own)")
	f.BoolVar(&o.headed, "headed", false, "show a window (default: none)")
	privateNetworkFlag(f, &o.privateNetwork)
}

func (a *app) completeAgent(cmd *cobra.Command) {
	const no = cobra.ShellCompDirectiveNoFileComp
	a.warn(cmd.RegisterFlagCompletionFunc("commit", cobra.FixedCompletions([]string{"refuse", "ask", "allow"}, no)))
	a.warn(cmd.RegisterFlagCompletionFunc("ask", cobra.FixedCompletions([]string{askNone, askStore}, no)))
	a.warn(cmd.RegisterFlagCompletionFunc("login", a.completeLetLogins))
	a.warn(cmd.MarkFlagDirname("upload-from"))
}

func (o *agentOptions) check() error {
	if err := errors.Join(o.asks.checkAgent(), o.takeover.check()); err != nil {
		return err
	}
	switch {
	case o.commit != "" && !slices.Contains([]string{"refuse", "ask", "allow"}, o.commit):
		return failure.Usagef("--commit %.40s: it is refuse, ask or allow", o.commit)
	case o.commit == "ask" && o.asks.where != askStore:
		return failure.Usagef("--commit ask: there is no one to ask: give --ask store, too")
	case o.timeout <= 0:
		return failure.Usagef("--timeout: a step needs some time, %v is none", o.timeout)
	}
	let, err := letLogins(o.logins)
	if err != nil {
		return err
	}
	o.let = let
	for i, dir := range o.uploadFrom {
		whole, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		o.uploadFrom[i] = whole
	}
	return nil
}

// policy is the policy for commit steps.
func (o *agentOptions) policy() replayer.CommitPolicy {
	switch {
	case o.commit != "":
		return replayer.CommitPolicy(o.commit)
	case o.asks.where == askStore:
		return replayer.AskCommits
	}
	return replayer.RefuseCommits
}

// agent returns the server for agents; own are the addresses under which it is served, and n tells people what agents write, nil
// for no one.
func (a *app) agent(ctx context.Context, st store.Store, o *agentOptions, own []string, desk *handoff.Desk, n *notify.Notifier) (*agent.Server, error) {
	values, err := a.agentValues(st)
	if err != nil {
		return nil, err
	}
	logins, err := a.agentLogins(ctx, st, o.let)
	if err != nil {
		return nil, err
	}
	return agent.New(ctx, &agent.Options{
		Notify: byAgent(n), Store: st, Values: values, Logins: logins, Commit: o.policy(), ApprovalTimeout: o.asks.timeout(), OnApprovalRequested: a.printRequest, OnPaid: a.printPayment, UploadFrom: o.uploadFrom, Timeout: o.timeout, SelfAddrs: own,
		Owner: o.owner, ShareJournal: o.share, Handoffs: desk,
		Browser: func(ctx context.Context) (*browser.Browser, error) {
			options := &browser.Options{Headed: o.headed, AllowPrivateNetwork: o.privateNetwork}
			if o.held == nil || !a.launches() {
				return a.openHeld(ctx, o.held, options)
			}
			options.Logger = a.logger()
			var err error
			if options.Page, err = a.pageOptions(ctx); err != nil {
				return nil, err
			}
			return o.held.Keep(ctx, &browser.KeepOptions{Options: *options, IdleTimeout: a.config.Browser.KeepAlive})
		},
		Version: versionOf().Version, Logger: a.logger(),
	})
}

// mcpOptions are the flags of mcp.
type mcpOptions struct{ agentOptions }

func (a *app) mcp(ctx context.Context, o *mcpOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	return a.withStore(ctx, func(st store.Store) error {
		o.owner = agent.OwnerOf(os.Getenv(taskTokenEnv))
		desk, stop, err := a.serveDesk(ctx, st, &o.takeover)
		if err != nil {
			return err
		}
		defer stop()
		n, _, err := a.notifier(ctx)
		if err != nil {
			return err
		}
		served, err := a.agent(ctx, st, &o.agentOptions, nil, desk, n)
		if err != nil {
			return err
		}
		defer func() { a.warn(served.Close()) }()
		if a.terminal().Interactive() {
			a.say("This speaks MCP on standard input and output: an agent's program starts it. Ctrl-C ends it.")
		}
		err = served.Run(ctx, &mcp.IOTransport{Reader: a.stdin, Writer: uncloser{a.stdout}})
		if ctx.Err() != nil {
			return nil // a server that was told to end has not failed
		}
		return err
	})
}

// uncloser does not close standard output.
type uncloser struct{ io.Writer }

func (uncloser) Close() error { return nil }

// serveOptions are the flags of serve.
type serveOptions struct {
	agentOptions
	listen    string
	hosts     []string
	tokenFile string
}

// tokenEnv names the environment variable that holds the token of serve, personTokenEnv the one with which
// people answer approvals and set limits over HTTP.
const (
	tokenEnv       = "REPRISE_TOKEN"
	personTokenEnv = "REPRISE_PERSON_TOKEN"
)

const serveLong = `Serve answers agents over HTTP, by the Model Context Protocol, at /mcp: many of them at once,
each with a page of its own. It answers other programs with JSON over HTTP: GET /openapi.json
describes that, and session.concurrent and session.timeout of the settings bound its sessions.
It listens on this machine only, unless --listen says otherwise.

Who has the token controls the browser. It is that of $REPRISE_TOKEN, or that in --token-file,
which is made where it is not there; else a new one, which is told once. Clients send it as
Authorization: Bearer TOKEN. Approvals are answered, limits set and live views opened over HTTP
with another token, that of $REPRISE_PERSON_TOKEN, which no agent may have; without it they
are not.

A request by another name than those of this machine is refused, as pages make it that rebind
their DNS name; --host adds a name (host:port). So is one from a page of another site.
Each client sees its own calls and runs alone, those of its session, and --share-journal shows
it all. There is no TLS here: beyond this machine put a proxy that has it in front.`

func (a *app) serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve LLM agents (MCP) and other programs (JSON) over HTTP",
		Long:  serveLong,
		Example: `  REPRISE_TOKEN=… reprise serve
  reprise serve --listen 127.0.0.1:7337 --token-file ~/.config/reprise/token`,
		Args:              between(nil, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.serve(cmd.Context(), &o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:7337", "`ADDRESS` to listen on")
	f.StringSliceVar(&o.hosts, "host", nil, "another `HOST:PORT` that it is reached by, may be given again (default: only this machine's names)")
	f.StringVar(&o.tokenFile, "token-file", "", "`FILE` that holds the token, made where it is not there (default: $"+tokenEnv+", else a new token each time)")
	o.flags(f)
	o.takeover.flags(f)
	a.completeAgent(cmd)
	return cmd
}

func (a *app) serve(ctx context.Context, o *serveOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	token, isNew, err := o.token()
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.listen)
	if err != nil {
		return failure.Usagef("--listen %s: %v", o.listen, err)
	}
	defer listener.Close() // again, after Serve
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return err
	}
	hosts := append(server.LoopbackHosts(port), o.hosts...)
	return a.withStore(ctx, func(st store.Store) error {
		a.cleanupAtStart(ctx, st)
		o.held = runner.NewBrowsers(st.Browsers(), a.warn)
		defer o.held.Close()
		desk, m, err := a.desk(ctx, st, &o.takeover, listener.Addr())
		if err != nil {
			return err
		}
		mount := map[string]http.Handler{}
		if desk != nil {
			defer desk.Close()
			a.restore(ctx, desk, o.privateNetwork)
			mount[handoff.Path] = desk
			if u, err := handoff.CheckPublicURL(o.takeover.publicURL); err == nil {
				hosts = append(hosts, u.Host)
			}
		}
		quiet := a.tells(ctx, m) // once the desk was restored
		defer func() {
			if desk != nil {
				desk.Close() // whose end people are told
			}
			quiet()
		}()
		n, _, err := a.notifier(ctx)
		if err != nil {
			return err
		}
		served, err := a.agent(ctx, st, &o.agentOptions, hosts, desk, n)
		if err != nil {
			return err
		}
		defer func() {
			if err := served.Close(); err != nil {
				o.held.Leave()
				a.warn(err)
			}
		}()
		handler, err := server.New(&server.Options{Agent: served, Token: token, PersonToken: os.Getenv(personTokenEnv), Hosts: hosts, API: a.api(st, &o.agentOptions), Mount: mount, Handoffs: desk, Notify: n, Logger: a.logger()})
		if err != nil {
			return err
		}
		defer handler.Close()
		a.say("Agents are served at http://%s%s", listener.Addr(), server.Path)
		if isNew {
			a.say("The token, which is not told again: %s", token)
		}
		s := httpserver.New(handler, nil)
		stop := context.AfterFunc(ctx, func() { _ = s.Close() }) // which ends open streams, too
		defer stop()
		err = s.Serve(listener)
		if ctx.Err() != nil || errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return err
	})
}

// api returns the options of the API of JSON over HTTP.
func (a *app) api(st store.Store, o *agentOptions) server.API {
	return server.API{
		MaxSessions: a.config.Session.Concurrent, SessionTimeout: a.config.Session.Timeout,
		CallTimeout: server.DefaultCallTimeout + o.asks.timeout(),
		Store:       st,
		Logins:      st.Logins(), LoginAllowed: func(name, account string) bool { return mayBegin(o.let, name, account) },
		Cleanup: func(ctx context.Context) ([]runner.Cleaned, error) {
			return runner.Cleanup(ctx, st, runner.CleanupOptions{Close: a.closeOrphan})
		},
		Version: versionOf().Version,
	}
}

// token returns the token, and whether it is new and stored nowhere.
func (o *serveOptions) token() (token string, isNew bool, err error) {
	if o.tokenFile == "" {
		if token := os.Getenv(tokenEnv); token != "" {
			return token, false, nil
		}
		return server.NewToken(), true, nil
	}
	data, err := files.Read(nil, o.tokenFile, files.MaxToken)
	if errors.Is(err, fs.ErrNotExist) {
		token = server.NewToken()
		return token, false, makeToken(o.tokenFile, token)
	}
	if err != nil {
		return "", false, err
	}
	if info, err := os.Stat(o.tokenFile); err != nil || info.Mode().Perm()&0o077 != 0 {
		return "", false, failure.Usagef("--token-file %s: others can read it: chmod 600 it, or remove it to have another made", o.tokenFile)
	}
	return strings.TrimSpace(string(data)), false, nil
}

// makeToken writes a token to a file that only its owner can read.
func makeToken(path, token string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(token + "\n")
	return errors.Join(err, f.Close())
}

// taskTokenEnv names the environment variable with the token that lets agents use tasks. It is
// not a flag, which other users could see.
const taskTokenEnv = "REPRISE_TASK_TOKEN"

// agentValues returns the values that an agent does not pass: those of the tasks that the token
// grants, and of the vault for an account.
func (a *app) agentValues(st store.Store) (func(context.Context, agent.ValuesRequest) (replayer.Values, error), error) {
	safe, err := a.safe(st)
	if err != nil {
		return nil, err
	}
	token := os.Getenv(taskTokenEnv)
	return func(ctx context.Context, w agent.ValuesRequest) (replayer.Values, error) {
		if w.Task != "" {
			if err := mayUse(ctx, safe, token, w.Task); err != nil {
				return nil, err
			}
		}
		return safe.Values(ctx, w.Automation, sealed.Scope{Task: w.Task, Account: w.Account})
	}, nil
}

// mayUse returns why an agent may not use a task, nil where it may.
func mayUse(ctx context.Context, safe *sealed.SecretStore, token, task string) error {
	const next = "ask a person for it: they start this server with $" + taskTokenEnv + " set to what `reprise task token` prints"
	if token == "" {
		return &agent.Error{Code: string(replayer.Refused), Reason: "this server was given no token for tasks", Next: next}
	}
	grant, err := safe.Grant(ctx, token)
	if err == nil {
		err = grant.Allowed(task, time.Now())
	}
	if err != nil {
		return &agent.Error{Code: string(replayer.Refused), Reason: err.Error(), Next: next, Err: err}
	}
	return nil
}

// letLogin is a saved login that agents may start with.
type letLogin struct {
	name, account string
	any           bool // all accounts
}

// letLogins parses --login: NAME for all accounts, or NAME=ACCOUNT.
func letLogins(flags []string) ([]letLogin, error) {
	var all []letLogin
	for _, flag := range flags {
		name, account, one := strings.Cut(flag, "=")
		if err := store.CheckEnvelopeName(store.LoginEnvelope, name, account); err != nil {
			return nil, failure.Usagef("--login %.80s: it is NAME or NAME=ACCOUNT: %v", flag, err)
		}
		all = append(all, letLogin{name, account, !one})
	}
	return all, nil
}

// agentLogins are the logins of a store that agents may start with: agent.Logins.
type agentLogins struct {
	app  *app
	st   store.Store
	safe *sealed.SecretStore
	let  []letLogin
}

// agentLogins returns the logins of --login, nil for none. It prints which do not exist: they may
// be saved later, or be mistyped.
func (a *app) agentLogins(ctx context.Context, st store.Store, let []letLogin) (agent.Logins, error) {
	if len(let) == 0 {
		return nil, nil
	}
	safe, err := a.safe(st)
	if err != nil {
		return nil, err
	}
	l := &agentLogins{a, st, safe, let}
	there, err := l.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range let {
		if !slices.ContainsFunc(there, func(l agent.Login) bool { return one.is(l.Name, l.Account) }) {
			a.say("There is no login %s yet: agents can begin with it when it is saved.", render.Label(one.name, one.account))
		}
	}
	return l, nil
}

func (l letLogin) is(name, account string) bool {
	return l.name == name && (l.any || l.account == account)
}

// mayBegin reports whether agents may begin with a login.
func mayBegin(let []letLogin, name, account string) bool {
	return slices.ContainsFunc(let, func(one letLogin) bool { return one.is(name, account) })
}

func (l *agentLogins) may(name, account string) bool { return mayBegin(l.let, name, account) }

// List reads only what is not sealed, so that no key is needed.
func (l *agentLogins) List(ctx context.Context) ([]agent.Login, error) {
	envelopes, err := listEnvelopes(ctx, l.st.Logins())
	var all []agent.Login
	for _, found := range envelopes {
		if k := render.LoginOf(found); k.Error == nil && l.may(k.Name, k.Account) {
			all = append(all, agent.Login{Name: k.Name, Account: k.Account, Origins: k.Origins, Saved: k.Saved, Expires: k.Expires})
		}
	}
	return all, err
}

// Open opens a login that agents may start with.
func (l *agentLogins) Open(ctx context.Context, name, account string) (*browser.StorageState, error) {
	u, err := l.open(ctx, name, account)
	if err != nil {
		return nil, err
	}
	return u.State, nil
}

// SignIn signs in with a login that agents may start with, where it is not good: by the
// automation that signs in, or by a person.
func (l *agentLogins) SignIn(ctx context.Context, name, account string, b *browser.Browser, person replayer.Person) (string, error) {
	if _, err := l.open(ctx, name, account); err != nil {
		return "", err
	}
	r := &runner.Runner{Store: l.st, Logger: l.app.logger(), Secrets: l.app.secrets(l.st)}
	pages := &runner.PrivatePages{Warn: l.app.warn, Browser: func(context.Context) (*browser.Browser, error) { return b, nil }}
	by, err := r.SignIn(ctx, runner.SignInRequest{Login: name, Account: account, Pages: pages, Person: person})
	if errors.Is(err, runner.ErrNoLoginCheck) {
		err = &agent.Error{Code: string(replayer.Refused), Reason: err.Error(), Next: "a person has to save that login again with --check", Err: err}
	}
	return string(by), err
}

// Used marks a login, unless it was saved again since.
func (l *agentLogins) Used(ctx context.Context, name, account string, saved time.Time, automation string, played error) error {
	u, err := l.open(ctx, name, account)
	if err != nil || !u.State.Saved().Equal(saved) {
		return err
	}
	return u.MarkAfter(ctx, time.Now(), automation, played)
}

// open opens a login, if agents may start with it.
func (l *agentLogins) open(ctx context.Context, name, account string) (*runner.Login, error) {
	if !l.may(name, account) {
		return nil, &agent.Error{
			Code: string(replayer.Refused), Reason: fmt.Sprintf("no agent may begin with the login %s here", render.Label(name, account)),
			Next: "list_automations tells with which they may; a person starts it with --login for another", Accounts: l.accounts(ctx, name),
		}
	}
	u, err := runner.OpenLogin(ctx, l.safe, name, account)
	if failure.Is[*store.EnvelopeNotFoundError](err) {
		return nil, &agent.Error{
			Code: agent.NotFound, Reason: fmt.Sprintf("there is no login %s", render.Label(name, account)), Err: err,
			Next: "list_automations tells which there are; a person saves another", Accounts: l.accounts(ctx, name),
		}
	}
	return u, err
}

// accounts are the accounts of the logins with a name that agents may start with.
func (l *agentLogins) accounts(ctx context.Context, name string) []string {
	all, err := l.List(ctx)
	var accounts []string
	for _, one := range all {
		if err == nil && one.Name == name && one.Account != "" {
			accounts = append(accounts, one.Account)
		}
	}
	return accounts
}

// completeLetLogins completes --login of commands that serve agents.
func (a *app) completeLetLogins(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	const no = cobra.ShellCompDirectiveNoFileComp
	all, err := a.logins(cmd.Context())
	if err != nil {
		return nil, no
	}
	var found []string
	for _, k := range all {
		for _, word := range []string{k.Name, k.Name + "=" + k.Account} {
			if strings.HasPrefix(word, begun) && !slices.Contains(found, word) {
				found = append(found, word)
			}
		}
	}
	return found, no
}
