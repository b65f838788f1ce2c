package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// agentOptions are the flags of what serves agents.
type agentOptions struct {
	commit         string // "" is what --ask calls for
	asks           askFlags
	logins         []string
	let            []letLogin // what they say
	uploadFrom     []string
	timeout        time.Duration
	headed         bool
	share          bool
	owner          string // whose calls and runs are, "" for each session its own
	privateNetwork bool
}

const mcpLong = `Mcp serves an LLM agent over standard input and output, by the Model Context Protocol: it is
started by the agent's program, not by hand. docs/mcp.md has the settings of the usual ones.

Every kept automation is a tool by its name, run_google_login for google-login; others list
and match them, run tools of the registry one by one, and keep what the agent did. The agent
sees no secret: it names an account, for what is in the vault, or a task that the token in
$REPRISE_TASK_TOKEN is for. Every call is written down; ` + "`reprise journal`" + ` shows it.

An agent sees its own calls and runs, and resumes its own: those of its session, and of earlier
ones with the same token for tasks. --share-journal shows it all.

With --login NAME an agent may begin signed in, with the login of that name that is kept for
the account that it names (` + "`reprise login`" + `): it names it, and sees nothing of what is in it.
--login NAME=ACCOUNT lets it use that of this account alone. Whoever is signed in may do all
that the account may, where nothing is recorded, too: let agents begin with few.

What pays, orders, sends or deletes is refused. With --ask store a person is asked in the store
before it: ` + "`reprise approvals`" + ` answers, on any machine that has the store, and the agent's
call waits for that as long as --answer-within; no answer is a no. --commit allow asks nobody.

The browser is started at the first call that needs one, without a window, or is the one that
--browser names; each client has a page of its own.`

func (a *app) mcpCommand() *cobra.Command {
	var o agentOptions
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
	a.completeAgent(cmd)
	return cmd
}

func (o *agentOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.commit, "commit", "", "what becomes of what pays, orders, sends or deletes: `WHAT` is refuse, ask or allow (default: refuse, and with --ask store ask)")
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
	a.warn(cmd.RegisterFlagCompletionFunc("ask", cobra.FixedCompletions([]string{askNobody, askStore}, no)))
	a.warn(cmd.RegisterFlagCompletionFunc("login", a.completeLetLogins))
	a.warn(cmd.MarkFlagDirname("upload-from"))
}

func (o *agentOptions) check() error {
	if err := o.asks.checkAgent(); err != nil {
		return err
	}
	switch {
	case o.commit != "" && !slices.Contains([]string{"refuse", "ask", "allow"}, o.commit):
		return usagef("--commit %.40s: it is refuse, ask or allow", o.commit)
	case o.commit == "ask" && o.asks.where != askStore:
		return usagef("--commit ask: there is nobody to ask: give --ask store, too")
	case o.timeout <= 0:
		return usagef("--timeout: a step needs some time, %v is none", o.timeout)
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

// policy is what becomes of what commits.
func (o *agentOptions) policy() replayer.CommitPolicy {
	switch {
	case o.commit != "":
		return replayer.CommitPolicy(o.commit)
	case o.asks.where == askStore:
		return replayer.AskCommits
	}
	return replayer.RefuseCommits
}

// agent makes the server for agents; own are the addresses that it is reached at.
func (a *app) agent(ctx context.Context, kept store.Store, o *agentOptions, own []string) (*agent.Server, error) {
	values, err := a.agentValues(kept)
	if err != nil {
		return nil, err
	}
	logins, err := a.agentLogins(ctx, kept, o.let)
	if err != nil {
		return nil, err
	}
	return agent.New(ctx, &agent.Options{
		Store: kept, Values: values, Logins: logins, Commit: o.policy(), Ask: o.asks.lasting(), Asked: a.sayAsked, UploadFrom: o.uploadFrom, Timeout: o.timeout, Own: own,
		Owner: o.owner, ShareJournal: o.share,
		Browser: func(ctx context.Context) (*browser.Browser, error) {
			return a.openBrowser(ctx, &browser.Options{Headed: o.headed, AllowPrivateNetwork: o.privateNetwork})
		},
		Version: versionOf().Version, Logger: a.logger(),
	})
}

func (a *app) mcp(ctx context.Context, o *agentOptions) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	kept, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	o.owner = ownerOf(os.Getenv(taskTokenEnv))
	served, err := a.agent(ctx, kept, o, nil)
	if err != nil {
		return err
	}
	defer func() { a.warn(served.Close()) }()
	if render.IsTerminal(a.stdin) {
		a.say("This speaks MCP on standard input and output: an agent's program starts it. Ctrl-C ends it.")
	}
	err = served.Run(ctx, &mcp.IOTransport{Reader: a.stdin, Writer: keptOpen{a.stdout}})
	if ctx.Err() != nil {
		return nil // being told to end is no failure of a server
	}
	return err
}

// ownerOf is whose the calls and runs are of a program that was started with a token for
// tasks, "" for none: that of the token's hash, so that they are its own when it is started
// again.
func ownerOf(token string) string {
	if token == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("reprise owner\n" + token))
	return hex.EncodeToString(sum[:])
}

// keptOpen is not closed with what writes to it.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }
