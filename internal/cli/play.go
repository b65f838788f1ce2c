package cli

import (
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/values"
	"github.com/go-reprise/reprise/replayer"
)

// playOptions are the flags of play.
type playOptions struct {
	what, url, account string
	values             values.Flags
	login              string
	saveLogin, signIn  bool
	dryRun, headed     bool
	wait               bool
	privateNetwork     bool
	accept, step       bool
	human              bool
	takeover           takeoverFlags
	seed               uint64
	timeout            time.Duration
	commit             string
	from, until        int // numbers from 1, 0 is not given
	repeat, parallel   int
	report             string // directory
	downloads          string // directory
	resume, settled    string
	queued             queueFlags
	asks               askFlags
}

const playLong = `Play does again what was recorded, with other values. What to play is NAME, as it is stored,
or FILE (an argument with a / in it, or that ends in .json; - is standard input), or what is
stored for the address of --url and the account of --account.

Values come from --var NAME=VALUE, from an environment variable with --var-env
NAME=VARIABLE, from a JSON object in a file (--vars FILE, - is standard input), from a task
(--task ID, see ` + "`reprise task`" + `), and secrets from the vault, for this account and by the
exact origins of the document's scope (see ` + "`reprise credential`" + `). Where two of them name one
variable, the first of this list counts. A secret never comes from --var: command lines are
seen by other users and stored by shells. On a terminal play asks for the secrets that are
missing. All values are checked before the browser starts.

With --login it begins signed in, with what ` + "`reprise login save`" + ` has saved for this account, in
a page that shares nothing with others. Where the site no longer takes that, the run meets the
sign-in, ends with blocked, and marks the login as signed out. Some sites renew a sign-in at
each visit and take the old one no more: with --save-login the login is saved again when the
run has ended well, and its check, where it has one, has passed in the run's page. Runs that
do so with one login wait for one another (--wait), or say that they cannot.

A flow that does not begin by going somewhere begins at --url. The browser is one of its
own, without a window and without anyone's cookies, unless --browser names another. In that
one it uses the only page, if it is blank, or else a new one, which stays open.

Where the page has changed, what was recorded of an element may still be enough to know it
again. Such a step has drifted: it works, and play says so. --accept saves the document with
these steps renewed, if the run ended well, and not if it was a dry run: only a whole run
shows that what was found does what it did. ` + "`reprise diff NAME`" + ` shows what that would be.

For one account, one run at a time acts on a site: while another does, play ends and says
which, or waits for it with --wait. The rows of a table share that, and so does --repeat.

A commit step is one that cannot be undone (paying, ordering, sending, deleting), as it was
recorded or as its control and its page show. At a terminal play asks before each; where
there is no one to ask it ends there. --commit allow does them without asking, --commit
refuse ends before the first. What is sent is written down before, and never sent again by
another attempt at the same run. Where what follows was not seen the run is uncertain: find
out whether it was done, and say so with --settled.

With --ask store an approval request is stored, and anyone who has the store answers it from
anywhere (` + "`reprise approvals`" + `). The run waits for that as long as --answer-within; then the
request expires, and the step is refused. That is how runs are asked for that a worker
plays (--queue).

The record of the run is stored next to the documents, from its beginning on; it holds none of
the values given to it. ` + "`reprise runs`" + ` shows it. --resume goes on with a run that stopped: in
its page, where --browser names the browser that still has it, else in a new one, from --from
or from the beginning. What the site downloads is saved with the record, or in --downloads,
and the run ends when it is complete. --report writes a page with pictures of each step, in
which what is secret is covered.

With --queue a worker plays it (` + "`reprise work`" + `), on any machine or on that of --on, and play
follows that to its end; it needs a store that the machines share (--store). What is queued
can be read by others, so secrets do not come with it: a task has them.

With --vars naming a table (.csv, its first line the names of the variables; or .jsonl, an
object a line) it is played once for each row, and with --repeat N times, each time with
cookies of its own; --parallel says how many at once.

Exit codes: 0 done; 1 failed, also for a value that is missing or unfit (invalid_value), and
where any of many did; 2 a wrong command line, such as a secret in --var, or a document that is
not valid; 3 a person is needed (refused, blocked, uncertain).`

func (a *app) playCommand() *cobra.Command {
	var o playOptions
	cmd := &cobra.Command{
		Use:   "play NAME|FILE|--url URL",
		Short: "Do again what was recorded, with other values",
		Long:  playLong,
		Example: `  reprise play sign-in --var email=ada@example.com --var-env password=ADA_PASSWORD
  reprise play sign-in --account ada@example.com --vars values.json --json
  reprise play --url https://example.com/signin --account ada@example.com
  reprise play order --task order-17
  reprise play order --account ada@example.com --login shop.example
  reprise play ./order.json --dry-run --headed
  reprise play sign-in --vars values.json --accept
  reprise play order --vars orders.csv --parallel 4 --commit allow --report reports
  reprise play order --resume 01kb3c5n7p9q2r4s6t8v0w1x3y --settled done
  reprise play order --var item=seeds --commit allow --queue
  reprise play order --var item=seeds --ask store --answer-within 1h --queue`,
		Args:              between(nil, 1),
		ValidArgsFunction: a.completeNames(true),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.what = args[0]
			}
			return a.play(cmd.Context(), &o)
		}),
	}
	o.flags(cmd.Flags())
	a.emulationFlags(cmd)
	a.completeAccounts(cmd)
	a.completePlay(cmd)
	return cmd
}

func (o *playOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.url, "url", "", "`URL` to begin at, and to look a document up by where none is named (default: none)")
	f.StringVar(&o.account, "account", "", "`ACCOUNT` that it is played for (default: any)")
	o.values.Register(f)
	f.StringVar(&o.login, "login", "", "`NAME` of a login to begin with, so that the account is signed in (default: no one is)")
	f.BoolVar(&o.saveLogin, "save-login", false, "save the login again when the run has ended well, as the site has renewed it (default: leave it as it is)")
	f.BoolVar(&o.signIn, "sign-in", false, "look first whether the login is good, and sign in again where it is not: by the automation for that, or by you (default: begin with it as it is)")
	o.queued.flags(f)
	o.asks.flags(f)
	f.StringVar(&o.commit, "commit", string(replayer.AskCommits), "`POLICY` for commit steps: ask, allow or refuse")
	f.BoolVar(&o.wait, "wait", false, "wait while another run acts for the account on the same site (default: that is an error)")
	f.BoolVar(&o.dryRun, "dry-run", false, "stop before the first commit step, after finding its element; no record is stored (default: play everything)")
	f.IntVar(&o.from, "from", 0, "`N` of the first step that is played (default: 1)")
	f.IntVar(&o.until, "until", 0, "`N` of the last step that is played (default: the last)")
	f.BoolVar(&o.step, "step", false, "wait for a key before each step; q ends (default: go on)")
	f.IntVar(&o.repeat, "repeat", 1, "play it `N` times")
	f.IntVar(&o.parallel, "parallel", 1, "play `N` at once, of the rows of --vars and of --repeat")
	f.StringVar(&o.report, "report", "", "`DIR` in which a page is written that shows the run (default: none)")
	f.StringVar(&o.downloads, "downloads", "", "`DIR` in which files are saved that the site sends (default: runs/RUN/downloads, with the record of the run)")
	f.BoolVar(&o.human, "human", false, "use the mouse and the keys as a person does, in a person's time (default: full speed)")
	f.Uint64Var(&o.seed, "seed", 0, "`N` draws that person: the same N, the same movements (default: a new one each time)")
	f.StringVar(&o.resume, "resume", "", "`RUN` that stopped, or its token, to go on with (default: begin a new one)")
	f.StringVar(&o.settled, "settled", "", "what became of what the uncertain run had sent, `done` or not-done (default: no one knows)")
	f.BoolVar(&o.accept, "accept", false, "after a run that ended well, save the steps that have drifted as they would be recorded now (default: only tell of them)")
	f.BoolVar(&o.headed, "headed", false, "show a window (default: none)")
	privateNetworkFlag(f, &o.privateNetwork)
	o.takeover.withServer(f)
	f.DurationVar(&o.timeout, "timeout", replayer.DefaultTimeout, "`DURATION` that a step may take, where the document does not say")
}

// completePlay completes flags.
func (a *app) completePlay(cmd *cobra.Command) {
	const no = cobra.ShellCompDirectiveNoFileComp
	for flag, complete := range map[string]cobra.CompletionFunc{
		"commit":  cobra.FixedCompletions([]string{"ask", "allow", "refuse"}, no),
		"ask":     cobra.FixedCompletions([]string{askTerminal, askStore}, no),
		"settled": cobra.FixedCompletions([]string{"done", "not-done"}, no),
		"resume":  a.completeRuns(stopped),
		"on":      cobra.NoFileCompletions,
		"task":    a.completeTasks(math.MaxInt),
		"login":   a.completeLogins(math.MaxInt),
		"downloads": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		"report": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	} {
		a.warn(cmd.RegisterFlagCompletionFunc(flag, complete)) // only for a flag that there is not
	}
}

// check validates the flags, before anything is opened.
func (o *playOptions) check(a *app) error {
	switch {
	case o.what == "" && o.url == "":
		return failure.Usagef("what is to be played? Give a NAME, a FILE or --url")
	case o.what == "-" && o.values.File == "-":
		return failure.Usagef("standard input holds the document or the values, not both")
	case o.timeout <= 0:
		return failure.Usagef("--timeout: a step needs some time, %v is none", o.timeout)
	case o.repeat < 1 || o.parallel < 1:
		return failure.Usagef("--repeat and --parallel are counted from 1")
	case !slices.Contains([]string{"ask", "allow", "refuse"}, o.commit):
		return failure.Usagef("--commit %.40s: it is ask, allow or refuse", o.commit)
	case o.saveLogin && (o.login == "" || o.dryRun):
		return failure.Usagef("--save-login saves the login of a whole run: name it with --login, and leave --dry-run out")
	case o.signIn && (o.login == "" || o.dryRun || o.resume != ""):
		return failure.Usagef("--sign-in signs in for a whole run: name a login with --login, and leave --dry-run and --resume out")
	case o.seed != 0 && !o.human:
		return failure.Usagef("--seed draws the person of --human: give that, too")
	case o.step && !a.terminal().Interactive():
		return failure.Usagef("--step waits for a key, and standard input is no terminal")
	}
	if len(a.set) > 0 && o.queued.queue {
		return failure.Usagef("--queue: what pages emulate is the worker's affair: leave %s out, and give it to `reprise work`", a.set[0].Name)
	}
	for _, check := range []func() error{o.asks.check, o.checkQueue, o.checkAccept, o.checkMany, o.checkResume, o.takeover.check} {
		if err := check(); err != nil {
			return err
		}
	}
	if o.url == "" {
		return nil
	}
	var err error
	o.url, err = address(o.url)
	return err
}

func (o *playOptions) checkAccept() error {
	switch {
	case o.accept && o.what == "-":
		return failure.Usagef("--accept: what comes from standard input cannot be saved back: name a FILE")
	case o.accept && o.dryRun:
		return failure.Usagef("--accept wants a whole run: a dry run does not show that what it found does what it did")
	case o.accept && (o.from > 1 || o.until > 0 || o.resume != ""):
		return failure.Usagef("--accept wants a whole run: leave --from, --until and --resume out")
	}
	return nil
}

// checkMany refuses for many runs what is for one.
func (o *playOptions) checkMany() error {
	if !o.values.IsTable() && o.repeat == 1 {
		if o.parallel > 1 {
			return failure.Usagef("--parallel wants several to play: a table (.csv or .jsonl) for --vars, or --repeat")
		}
		return nil
	}
	switch {
	case o.accept:
		return failure.Usagef("--accept is for one run: play it once")
	case o.signIn:
		return failure.Usagef("--sign-in is for one run: play it once")
	case o.saveLogin:
		return failure.Usagef("--save-login is for one run: play it once, or have workers play many (--queue)")
	case o.resume != "":
		return failure.Usagef("--resume goes on with one run: leave --repeat out, and give the values of that run")
	case o.step && o.parallel > 1:
		return failure.Usagef("--step is for one at a time: leave --parallel out")
	}
	return nil
}

func (o *playOptions) checkResume() error {
	switch {
	case o.settled != "" && o.settled != "done" && o.settled != "not-done":
		return failure.Usagef("--settled %.40s: it is done or not-done", o.settled)
	case o.settled != "" && o.resume == "":
		return failure.Usagef("--settled says what became of a run: name it with --resume")
	case o.resume != "" && o.dryRun:
		return failure.Usagef("--resume goes on with a run, which a dry run cannot: leave --dry-run out")
	}
	return nil
}

// checkSteps validates --from and --until against the document.
func (o *playOptions) checkSteps(doc *automation.Automation) error {
	n := len(doc.Steps)
	switch {
	case o.from < 0 || o.until < 0:
		return failure.Usagef("--from and --until: steps are counted from 1")
	case o.from > n || o.until > n:
		return failure.Usagef("--from and --until: %s has %d steps", doc.Name, n)
	case o.until > 0 && o.from > o.until:
		return failure.Usagef("--from %d is after --until %d", o.from, o.until)
	}
	return nil
}
