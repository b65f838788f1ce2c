package main

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/cmd/reprise/internal/tell"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// agentOptions are the flags of what serves agents.
type agentOptions struct {
	commit     string
	uploadFrom []string
	timeout    time.Duration
	headed     bool
}

const mcpLong = `Mcp serves an LLM agent over standard input and output, by the Model Context Protocol: it is
started by the agent's program, not by hand. docs/mcp.md has the settings of the usual ones.

Every kept automation is a tool by its name, run_google_login for google-login; others list
and match them, run tools of the registry one by one, and keep what the agent did. The agent
sees no secret: it names an account, for what is in the vault, or a task that the token in
$REPRISE_TASK_TOKEN is for. What pays, orders, sends or deletes is refused, unless --commit
allow says otherwise. Every call is written down; ` + "`reprise journal`" + ` shows it.

The browser is started at the first call that needs one, without a window, or is the one that
--browser names; each client has a page of its own.`

func (a *app) mcpCommand() *cobra.Command {
	var o agentOptions
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve an LLM agent over standard input and output (MCP)",
		Long:  mcpLong,
		Example: `  reprise mcp --data ~/flows --upload-from ~/Documents
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
	f.StringVar(&o.commit, "commit", string(replayer.RefuseCommits), "what becomes of what pays, orders, sends or deletes: `WHAT` is refuse or allow")
	f.StringSliceVar(&o.uploadFrom, "upload-from", nil, "`DIR` that files may be read from, may be given again (default: none)")
	f.DurationVar(&o.timeout, "timeout", replayer.DefaultTimeout, "how long a step may take, as `DURATION`")
	f.BoolVar(&o.headed, "headed", false, "show a window (default: none)")
}

func (a *app) completeAgent(cmd *cobra.Command) {
	const no = cobra.ShellCompDirectiveNoFileComp
	a.warn(cmd.RegisterFlagCompletionFunc("commit", cobra.FixedCompletions([]string{"refuse", "allow"}, no)))
	a.warn(cmd.MarkFlagDirname("upload-from"))
}

func (o *agentOptions) check() error {
	switch {
	case !slices.Contains([]string{"refuse", "allow"}, o.commit):
		return usagef("--commit %.40s: it is refuse or allow", o.commit)
	case o.timeout <= 0:
		return usagef("--timeout: a step needs some time, %v is none", o.timeout)
	}
	for i, dir := range o.uploadFrom {
		whole, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		o.uploadFrom[i] = whole
	}
	return nil
}

// agent makes the server for agents; own are the addresses that it is reached at.
func (a *app) agent(ctx context.Context, kept store.Store, o *agentOptions, own []string) (*agent.Server, error) {
	values, err := a.agentValues(kept)
	if err != nil {
		return nil, err
	}
	return agent.New(ctx, &agent.Options{
		Store: kept, Values: values, Commit: replayer.CommitPolicy(o.commit), UploadFrom: o.uploadFrom, Timeout: o.timeout, Own: own,
		Browser: func(ctx context.Context) (*browser.Browser, error) {
			return a.openBrowser(ctx, &browser.Options{Headed: o.headed})
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
	served, err := a.agent(ctx, kept, o, nil)
	if err != nil {
		return err
	}
	defer func() { a.warn(served.Close()) }()
	if tell.IsTerminal(a.stdin) {
		a.say("This speaks MCP on standard input and output: an agent's program starts it. Ctrl-C ends it.")
	}
	err = served.Run(ctx, &mcp.IOTransport{Reader: a.stdin, Writer: keptOpen{a.stdout}})
	if ctx.Err() != nil {
		return nil // being told to end is no failure of a server
	}
	return err
}

// keptOpen is not closed with what writes to it.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }
