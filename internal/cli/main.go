package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/go-reprise/reprise/internal/cli/render"
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
// by SIGTERM, or because its terminal goes away. The second signal ends it at once.
func untilAsked(parent context.Context) (context.Context, func()) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(parent, signals...)
	context.AfterFunc(ctx, stop)
	// No one reads this channel. But with it, a write into a pipe that its reader has
	// closed is an error, and does not end the program before it has cleaned up.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return ctx, stop
}

// app is what the commands share: where they read and write, and the flags that
// all of them have.
type app struct {
	stdin, stdout, stderr *os.File

	data, store, browser string
	key                  string // file
	json, verbose        bool

	running bool // a command has begun: what fails now is no matter of how it was called
}

func newApp() *app { return &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr} }

// The environment variables beside store.DataEnv and browser.EnvPath.
const (
	storeEnv   = "REPRISE_STORE"
	browserEnv = "REPRISE_BROWSER"
)

const tour = `Reprise records a flow in a browser once, keeps it as a document with no password
in it, and plays it again with other values.

  reprise demo
        shows all of it, on a site of its own
  reprise record https://example.com/signin --name sign-in
        opens a browser: do the flow once, then press Ctrl-C
  reprise show sign-in
        what was recorded, and which values it asks for
  reprise play sign-in --var email=ada@example.com --var-env password=ADA_PASSWORD
        does it again, for anybody

  reprise help             all commands
  reprise help COMMAND     one of them
  reprise doctor           what is installed, and what is missing
`

const rootLong = `Reprise watches a person do a flow in a browser once, keeps it as a document with no
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
	groupKept   = "kept"
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
		RunE: a.run(func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.stdout, tour)
			return err
		}),
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	a.globals(root)
	root.AddGroup(
		&cobra.Group{ID: groupDo, Title: "Record and play:"},
		&cobra.Group{ID: groupKept, Title: "What is kept:"},
		&cobra.Group{ID: groupAgents, Title: "For LLM agents:"},
		&cobra.Group{ID: groupOther, Title: "Other:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(groupDo, a.demoCommand(), a.recordCommand(), a.playCommand(), a.approvalsCommand(), a.workCommand())
	add(groupKept, a.listCommand(), a.showCommand(), a.runsCommand(), a.editCommand(), a.diffCommand(), a.validateCommand(), a.rmCommand(), a.importCommand(), a.exportCommand(),
		a.taskCommand(), a.credentialCommand(), a.loginCommand(), a.keyCommand(), a.copyCommand(), a.journalCommand())
	add(groupAgents, a.mcpCommand(), a.serveCommand(), a.guardCommand())
	add(groupOther, a.doctorCommand(), a.schemaCommand(), a.versionCommand())
	root.SetHelpCommandGroupID(groupOther)
	root.SetCompletionCommandGroupID(groupOther)
	return root
}

func (a *app) globals(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringVar(&a.data, "data", "", "`DIR` in which documents and runs are kept (default: $REPRISE_DATA, else the user's data directory)")
	flags.StringVar(&a.store, "store", "", "`URL` of a store, in place of a directory (default: $"+storeEnv+", else none)")
	flags.StringVar(&a.browser, "browser", "", "`ENDPOINT` of a running browser to use, http://host:port or ws://… (default: $"+browserEnv+", else one is launched)")
	flags.StringVar(&a.key, "key", "", "`FILE` of the key that tasks, credentials and logins are sealed with (default: $"+sealed.FileEnv+", else the system's keyring)")
	flags.BoolVar(&a.json, "json", false, "write the result, or the error, as JSON (default: for people)")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "tell on standard error what is done; never what is typed (default: quiet)")
}

// run is the end of what can be wrong with how a command was called.
func (a *app) run(do func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.running = true
		return do(cmd, args)
	}
}

// execute runs a command line and gives the exit code.
func (a *app) execute(ctx context.Context, args []string) int {
	root := newRoot(a)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitDone
	}
	if !a.running {
		err = &usageError{reason: err.Error()}
		a.json = a.json || asksForJSON(args)
	}
	return a.fail(cmd, err)
}

// exactly is for a command that takes these arguments, all of them, and no more.
func exactly(names ...string) cobra.PositionalArgs { return between(names, len(names)) }

// between is for a command that takes these arguments, and at most so many.
func between(names []string, most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fmt.Errorf("%s is missing", names[len(args)])
		case len(args) > most:
			return fmt.Errorf("%q is one argument too many", args[most])
		}
		return nil
	}
}

// asksForJSON looks for the flag where the flags could not be read.
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

// say tells a person something.
func (a *app) say(format string, args ...any) { fmt.Fprintf(a.stderr, format+"\n", args...) }

// warn tells of an error that does not change what was done.
func (a *app) warn(err error) {
	if err != nil {
		a.say("%s %v", render.StyleOf(a.stderr).Yellow("warning:"), err)
	}
}

// logger is for -v. What is typed is never logged by those that it is given to,
// and the protocol is given none.
func (a *app) logger() *slog.Logger {
	if !a.verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// width is that of the terminal that progress is told on, nil where there is none.
func (a *app) width() func() int { return widthOf(a.stderr) }

func widthOf(f *os.File) func() int {
	if !render.IsTerminal(f) {
		return nil
	}
	return func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil || width <= 0 {
			return usualWidth
		}
		return width
	}
}

// usualWidth is of a terminal that does not tell its own.
const usualWidth = 80

// printJSON writes v as the result, for programs.
func (a *app) printJSON(v any) error { return writeJSON(a.stdout, v) }

// writeJSON leaves <, > and & as they are: selectors are full of them.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
