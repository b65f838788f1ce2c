package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/cli/terminal"
	"github.com/go-reprise/reprise/internal/settings"
	"github.com/go-reprise/reprise/store/sealed"
)

// Main runs a command line and returns the exit code of the program.
func Main(args []string) int {
	cobra.EnableCommandSorting = false // they are listed as they are used
	ctx, stop := untilAsked(context.Background())
	defer stop()
	return newApp().execute(ctx, args)
}

// untilAsked returns a context that ends when the program is asked to end: by Ctrl-C,
// by SIGTERM, or because its terminal closes. The second signal ends it at once.
func untilAsked(parent context.Context) (context.Context, func()) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(parent, signals...)
	context.AfterFunc(ctx, stop)
	// No one reads this channel. But without it a write into a pipe that its reader has
	// closed ends the program before it has cleaned up; with it the write returns an error.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return ctx, stop
}

// app is what the commands share: their input and output, and the persistent flags.
type app struct {
	stdin, stdout, stderr *os.File

	data, store, browser string
	liveView             bool
	key                  string // file
	json, verbose        bool

	configFile string          // of --config
	set        []settings.Flag // what the flags of a command set, in their order
	config     *settings.Settings

	running bool // a command has started: a failure is no longer a wrong command line
}

func newApp() *app {
	return &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, config: settings.Default()}
}

// storeEnv is the environment variable that names the store, besides store.DataEnv.
const storeEnv = "REPRISE_STORE"

const tour = `Reprise records a flow in a browser once, saves it as a document with no password
in it, and plays it again with other values.

  reprise demo
        shows all of it, on a site of its own
  reprise record https://example.com/signin --name sign-in
        opens a browser: do the flow once, then press Ctrl-C
  reprise show sign-in
        what was recorded, and which values it asks for
  reprise play sign-in --var email=ada@example.com --var-env password=ADA_PASSWORD
        does it again, for anyone

  reprise help             all commands
  reprise help COMMAND     one of them
  reprise doctor           what is installed, and what is missing
`

const rootLong = `Reprise watches a person do a flow in a browser once, saves it as a document with no
secret in it, and plays it back with other values.

Results go to standard output, as JSON with --json; everything else goes to standard
error. Exit codes:

  0  done
  1  failed; with --json the error is on standard output: {"error": {"code": …}}
  2  a wrong command line, or a document that is not valid
  3  a person is needed`

// The groups of commands in the help, in this order.
const (
	groupDo     = "do"
	groupStored = "stored"
	groupAgents = "agents"
	groupOther  = "other"
)

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:               "reprise",
		Short:             "Record a flow in a browser once, play it with other values",
		Long:              rootLong,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
		RunE: a.runUnset(func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.stdout, tour)
			return err
		}),
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	a.globals(root)
	root.AddGroup(
		&cobra.Group{ID: groupDo, Title: "Record and play:"},
		&cobra.Group{ID: groupStored, Title: "Stored data:"},
		&cobra.Group{ID: groupAgents, Title: "For LLM agents:"},
		&cobra.Group{ID: groupOther, Title: "Other:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(groupDo, a.demoCommand(), a.recordCommand(), a.playCommand(), a.approvalsCommand(), a.limitsCommand(), a.handoffsCommand(), a.workCommand(), a.notifyCommand())
	add(groupStored, a.listCommand(), a.showCommand(), a.runsCommand(), a.editCommand(), a.diffCommand(), a.validateCommand(), a.rmCommand(), a.importCommand(), a.exportCommand(),
		a.taskCommand(), a.credentialCommand(), a.loginCommand(), a.keyCommand(), a.copyCommand(), a.journalCommand(), a.pruneCommand())
	add(groupAgents, a.mcpCommand(), a.serveCommand(), a.guardCommand())
	add(groupOther, a.doctorCommand(), a.configCommand(), a.cleanupCommand(), a.schemaCommand(), a.versionCommand())
	root.SetHelpCommandGroupID(groupOther)
	root.SetCompletionCommandGroupID(groupOther)
	return root
}

func (a *app) globals(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringVar(&a.data, "data", "", "`DIR` in which documents and runs are stored (default: $REPRISE_DATA, else the user's data directory)")
	flags.StringVar(&a.store, "store", "", "`URL` of a store, in place of a directory (default: $"+storeEnv+", else none)")
	flags.StringVar(&a.browser, "browser", "", "`BROWSER` to use: local, which is launched; browserbase or steel, which is rented; or http://host:port or ws://… of one that runs (default: $"+settings.Env("browser.provider")+", else browser.provider of the settings file, else local)")
	flags.BoolVar(&a.liveView, "live-view", false, "print the link of a rented browser's own live view; anyone who has the link has the browser (default: it is off)")
	flags.StringVar(&a.configFile, "config", "", "`FILE` of settings, YAML (default: $"+settings.FileEnv+", else reprise/config.yaml in the user's configuration directory)")
	flags.StringVar(&a.key, "key", "", "`FILE` of the key that tasks, credentials and logins are sealed with (default: $"+sealed.FileEnv+", else the system's keyring)")
	flags.BoolVar(&a.json, "json", false, "write the result, or the error, as JSON (default: for people)")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "tell on standard error what is done; never what is typed (default: quiet)")
}

// run marks the end of the checks of the command line, and reads the settings.
func (a *app) run(do func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return a.runUnset(func(cmd *cobra.Command, args []string) error {
		if err := a.readSettings(); err != nil {
			return err
		}
		return do(cmd, args)
	})
}

// runUnset is run for a command that also works with a settings file that is not valid.
func (a *app) runUnset(do func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.running = true
		return do(cmd, args)
	}
}

// execute runs a command line and returns the exit code.
func (a *app) execute(ctx context.Context, args []string) int {
	root := newRoot(a)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return failure.ExitDone
	}
	if !a.running {
		err = &failure.UsageError{Reason: err.Error()}
		a.json = a.json || asksForJSON(args)
	}
	f := failure.Of(err)
	switch {
	case failure.Is[*failure.PrintedError](err), errors.Is(err, syscall.EPIPE): // the reader has closed the pipe
	case a.json:
		a.warn(a.printJSON(map[string]failure.Failure{"error": f}))
	default:
		render.Error(a.stderr, render.StyleOf(a.stderr), cmd.CommandPath(), f)
	}
	return f.Exit
}

// exactly is for a command that takes all of these arguments, and no more.
func exactly(names ...string) cobra.PositionalArgs { return between(names, len(names)) }

// between is for a command that takes these arguments, and at most max.
func between(names []string, max int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fmt.Errorf("%s is missing", names[len(args)])
		case len(args) > max:
			return fmt.Errorf("%q is one argument too many", args[max])
		}
		return nil
	}
}

// group adds subcommands to a command that does nothing without one.
func group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	var names []string
	for _, c := range commands {
		names = append(names, c.Name())
		if c.ValidArgsFunction == nil {
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
	cmd.Args, cmd.ValidArgsFunction = cobra.ArbitraryArgs, cobra.NoFileCompletions
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s needs a subcommand: one of %s", cmd.CommandPath(), strings.Join(names, ", "))
		}
		return fmt.Errorf("unknown subcommand %.40q of %s; expected one of %s", args[0], cmd.CommandPath(), strings.Join(names, ", "))
	}
	cmd.AddCommand(commands...)
	return cmd
}

// asksForJSON looks for --json where the flags could not be parsed.
func asksForJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

// say prints a line for the user on standard error.
func (a *app) say(format string, args ...any) { fmt.Fprintf(a.stderr, format+"\n", args...) }

// warn prints an error that does not change the result.
func (a *app) warn(err error) {
	if err != nil {
		a.say("%s %v", render.StyleOf(a.stderr).Yellow("warning:"), err)
	}
}

// print writes the result for people.
func (a *app) print(text string) error {
	_, err := io.WriteString(a.stdout, text)
	return err
}

// printJSON writes the result for programs. It leaves <, > and & as they are: selectors are full
// of them.
func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// result writes the result: as JSON with --json, otherwise as the text for people.
func (a *app) result(v any, text func(render.Style) string) error {
	if a.json {
		return a.printJSON(v)
	}
	return a.print(text(render.StyleOf(a.stdout)))
}

// logger is for -v. It is passed to no code that logs what is typed or the protocol.
func (a *app) logger() *slog.Logger {
	if !a.verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// terminal is where the user is asked.
func (a *app) terminal() *terminal.Terminal {
	return &terminal.Terminal{In: a.stdin, Err: a.stderr}
}

// width returns the width of the terminal that progress is printed on, nil where there is none.
func (a *app) width() func() int { return render.WidthOf(a.stderr) }
