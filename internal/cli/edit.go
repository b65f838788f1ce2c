package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

const editLong = `Edit opens a kept document in your editor ($VISUAL, else $EDITOR, else vi), checks it when
you have saved and left, and keeps it as its next revision. Where something is wrong with it
you are told what and where, and can go on editing.

Nothing that you have written is lost: where it cannot be kept, also because somebody has
changed the document meanwhile, it stays in a temporary file, whose name is told.`

func (a *app) editCommand() *cobra.Command {
	var account string
	cmd := &cobra.Command{
		Use:   "edit NAME",
		Short: "Open a document in your editor, and check what you save",
		Long:  editLong,
		Example: `  reprise edit sign-in
  reprise edit sign-in --account ada@example.com
  VISUAL='code --wait' reprise edit sign-in`,
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeNames(false),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.edit(cmd.Context(), args[0], account)
		}),
	}
	cmd.Flags().StringVar(&account, "account", "", "`ACCOUNT` that the document is for (default: any)")
	a.completeAccounts(cmd)
	return cmd
}

// editedError is why what a person has written is not kept. It is in a file.
type editedError struct {
	err  error
	file string
}

func (e *editedError) Error() string {
	return fmt.Sprintf("%v\nWhat you have written is in %s", e.err, e.file)
}

func (e *editedError) Unwrap() error { return e.err }

// editing is a document that a person has in their editor.
type editing struct {
	app  *app
	doc  *automation.Automation // as it is kept
	file string                 // what they write
	text []byte                 // what was in it at first
}

func (a *app) edit(ctx context.Context, name, account string) error {
	kept, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	doc, err := kept.Automations().Get(ctx, name, account)
	if err != nil {
		return err
	}
	e, err := a.beginEditing(doc)
	if err != nil {
		return err
	}
	for {
		saved, err := e.round(ctx, kept)
		switch {
		case err == nil:
			return errors.Join(os.Remove(e.file), a.tellEdited(doc, saved))
		case !isMendable(err):
			return e.giveUp(err)
		}
		again, asking := a.goOn(ctx, err)
		if asking != nil || !again {
			return e.giveUp(errors.Join(err, asking))
		}
	}
}

// beginEditing writes the document to a file that only its person can read.
func (a *app) beginEditing(doc *automation.Automation) (*editing, error) {
	text, err := automation.Marshal(doc)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", doc.Name+"-*.json")
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	return &editing{app: a, doc: doc, file: f.Name(), text: text}, errors.Join(err, f.Close())
}

// round has the person write, and keeps what they wrote. It gives nil where they
// changed nothing.
func (e *editing) round(ctx context.Context, kept store.Store) (*automation.Automation, error) {
	if err := e.app.openEditor(e.file); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	text, err := readInput(nil, e.file, automation.MaxSize)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(text, e.text) {
		return nil, nil
	}
	doc, err := automation.Parse(text, automation.AnyTools())
	if err != nil {
		return nil, err
	}
	if doc.Name != e.doc.Name || doc.Match.Account != e.doc.Match.Account {
		return nil, &automation.Error{Path: "name", Reason: fmt.Sprintf("it is kept as %s, and edit does not rename: record or import it under the other name", label(e.doc.Name, e.doc.Match.Account))}
	}
	doc.Revision = e.doc.Revision // whatever was made of the number: it tells what they began with
	return kept.Automations().Save(ctx, doc)
}

// giveUp leaves what the person has written where they find it.
func (e *editing) giveUp(err error) error {
	if text, reading := readInput(nil, e.file, automation.MaxSize); reading == nil && bytes.Equal(text, e.text) {
		return errors.Join(err, os.Remove(e.file)) // they wrote nothing
	}
	return &editedError{err, e.file}
}

// isMendable reports whether an error is one that a person mends in their editor.
func isMendable(err error) bool { return len(automation.Problems(err)) > 0 }

// openEditor waits for the person to leave their editor. A signal that ends this
// program does not end the editor: what is in it is theirs to save.
func (a *app) openEditor(file string) error {
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		if _, err := exec.LookPath("vi"); err != nil {
			return usagef("there is no editor: set $VISUAL or $EDITOR to yours")
		}
		editor = "vi"
	}
	cmd := exec.Command("sh", "-c", editor+` "$1"`, "sh", file) // the variable may have arguments, as git takes it
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stdout, a.stderr
	if a.json {
		cmd.Stdout = a.stderr
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the editor (%s): %w", editor, err)
	}
	return nil
}

// goOn tells what is wrong and asks whether to edit again; where nobody can
// answer, neither.
func (a *app) goOn(ctx context.Context, wrong error) (bool, error) {
	if !render.IsTerminal(a.stdin) {
		return false, nil
	}
	a.say("%s %s", render.StyleOf(a.stderr).Red("reprise:"), strings.ReplaceAll(wrong.Error(), "\n", "\n  "))
	out, done := a.questions()
	defer done()
	answer, err := readAnswer(ctx, a.stdin, out, "Edit it again? [Y/n] ")
	return !strings.HasPrefix(strings.ToLower(answer), "n"), err
}

// tellEdited tells what was kept, if anything was.
func (a *app) tellEdited(before, saved *automation.Automation) error {
	if a.json {
		report := map[string]any{"name": before.Name, "account": before.Match.Account, "revision": before.Revision, "changed": saved != nil}
		if saved != nil {
			report["revision"] = saved.Revision
		}
		return a.printJSON(report)
	}
	if saved == nil {
		a.say("Nothing was changed.")
		return nil
	}
	_, err := fmt.Fprintf(a.stdout, "%s %s is kept, as revision %d\n", render.StyleOf(a.stdout).Green("✓"), label(saved.Name, saved.Match.Account), saved.Revision)
	return err
}

const diffLong = `Diff shows in what two documents differ, step by step. With one it shows what the last run
of it proposes: which steps have drifted, how far (0 is unchanged, 1 is nothing left of what
was recorded), with which confidence their elements were found, and what these steps would
be with --accept. Nothing is changed by it.

What is kept of an element beside its selectors is hashes; diff says only that this evidence
was renewed.

It ends with 0, whether there are differences or not; with --exit-code, with 1 where there
are.`

func (a *app) diffCommand() *cobra.Command {
	var account string
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "diff NAME|FILE [NAME|FILE]",
		Short: "Show what the last run would change in a document, or how two differ",
		Long:  diffLong,
		Example: `  reprise diff sign-in
  reprise diff sign-in --account ada@example.com --json
  reprise diff ./sign-in.json sign-in --exit-code`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("what is to be compared? Give a NAME or a FILE, or two of them")
			}
			return between(nil, 2)(cmd, args)
		},
		ValidArgsFunction: a.completeBoth(),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.diff(cmd.Context(), args, account, exitCode)
		}),
	}
	cmd.Flags().StringVar(&account, "account", "", "`ACCOUNT` that the kept documents are for (default: any)")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "end with 1 where there are differences (default: with 0)")
	a.completeAccounts(cmd)
	return cmd
}

// completeBoth completes either argument.
func (a *app) completeBoth() cobra.CompletionFunc {
	complete := a.completeNames(true)
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 1 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, nil, begun)
	}
}

// diffReport is what diff --json tells.
type diffReport struct {
	Run     string              `json:"run,omitempty"` // that proposes it
	Why     string              `json:"why,omitempty"` // code of why a run proposes nothing
	Reason  string              `json:"reason,omitempty"`
	Changes []automation.Change `json:"changes"`
	Drift   []store.Drift       `json:"drift,omitempty"`

	old, new *automation.Automation
	title    string
	accept   string // what saves it; "" where nothing does
}

func (a *app) diff(ctx context.Context, args []string, account string, exitCode bool) error {
	if len(args) == 2 && args[0] == "-" && args[1] == "-" {
		return usagef("standard input holds one document, not two")
	}
	old, err := a.document(ctx, args[0], account)
	if err != nil {
		return err
	}
	report := &diffReport{old: old, new: old}
	if len(args) == 2 {
		report.new, err = a.document(ctx, args[1], account)
		report.title = args[0] + " and " + args[1]
	} else {
		err = a.proposed(ctx, report, args[0])
	}
	if err != nil {
		return err
	}
	if report.Changes, err = automation.Diff(report.old, report.new); err != nil {
		return err
	}
	if err := report.tell(a); err != nil || !exitCode || len(report.Changes) == 0 {
		return err
	}
	return &toldError{errors.New("they differ")}
}

// proposed fills in what the last run of a document proposes, or why it proposes
// nothing.
func (a *app) proposed(ctx context.Context, report *diffReport, what string) error {
	doc := report.old
	command := runner.Named(doc.Name, doc.Match.Account)
	if isFile(what) {
		command = runner.Quote(what)
	}
	run, err := a.lastRun(ctx, doc, isFile(what))
	if err != nil {
		return err
	}
	saved, fits, err := madeFor(doc, run, isFile(what))
	if err != nil {
		return err
	}
	why := func(code, format string, args ...any) {
		report.Why, report.Reason = code, fmt.Sprintf(format, args...)
	}
	switch {
	case run == nil:
		why("no_run", "It has not been played yet, so nothing is known of how far it has drifted. Play it: reprise play %s", command)
		return nil
	case saved:
		why("accepted", "What its last run proposed is saved. Whether more has drifted, the next run tells: reprise play %s", command)
	case !fits:
		why("document_changed", "It was changed since its last run. What has drifted, the next run tells: reprise play %s", command)
	case run.State != store.Done:
		why("run_failed", "Its last run did not end well (%s), and proposes nothing: only what works is proposed. Play it again: reprise play %s", reasonOf(run), command)
	case run.Proposal == nil:
		why("no_drift", "Its last run found everything as it was recorded: there is nothing to change.")
	default:
		report.new, report.Drift = run.Proposal, run.Drift
		report.title = fmt.Sprintf("%s, and what its last run (%s) proposes", label(doc.Name, doc.Match.Account), run.Finished.Local().Format("2006-01-02 15:04"))
		report.accept = "reprise play " + command + " --accept"
	}
	report.Run = run.ID
	return nil
}

func reasonOf(run *store.Run) string {
	if run.Code == "" {
		return string(run.State)
	}
	return run.Code
}

// lastRun gives the newest run of a document that has ended, nil where there is
// none. Runs of files have no revision.
func (a *app) lastRun(ctx context.Context, doc *automation.Automation, file bool) (*store.Run, error) {
	kept, err := a.openStore(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { a.warn(kept.Close()) }()
	for r, err := range kept.Runs().List(ctx) {
		if err != nil {
			return nil, err
		}
		if r.Err == nil && !r.Finished.IsZero() && r.Automation == doc.Name && r.Account == doc.Match.Account && (r.Revision == 0) == file {
			return &r.Run, nil
		}
	}
	return nil, nil
}

// madeFor reports whether what a run proposed is what the document is now, and
// whether the run was one of the document as it is now. Of a file only what a run
// proposes tells that: it differs in the drifted steps alone.
func madeFor(doc *automation.Automation, run *store.Run, file bool) (saved, fits bool, err error) {
	if run == nil {
		return false, true, nil
	}
	fits = file || run.Revision == doc.Revision
	if run.Proposal == nil {
		return false, fits, nil
	}
	changes, err := automation.Diff(doc, run.Proposal)
	drifted := map[int]bool{}
	for _, d := range run.Drift {
		drifted[d.Step] = true
	}
	for _, c := range changes {
		fits = fits && (!file || drifted[c.Step])
	}
	return len(changes) == 0, fits, err
}

func (r *diffReport) tell(a *app) error {
	if a.json {
		return a.printJSON(r.forPrograms())
	}
	if r.Reason != "" {
		a.say("%s", r.Reason)
		return nil
	}
	if len(r.Changes) == 0 {
		a.say("There is no difference.")
		return nil
	}
	style := render.StyleOf(a.stdout)
	fmt.Fprintf(a.stdout, "%s\n\n", style.Dim(r.title))
	c := render.Comparison{Old: r.old, New: r.new, Changes: r.Changes, Drift: r.Drift}
	err := c.Write(a.stdout, style)
	if r.accept != "" {
		a.say("\nKeep it: %s", r.accept)
	}
	return err
}

// forPrograms leaves out the hashes of the evidence, which nobody can compare.
func (r *diffReport) forPrograms() diffReport {
	told := *r
	told.Changes = []automation.Change{} // for programs an empty list is a list
	for _, c := range r.Changes {
		if c.Step >= 0 && c.Path == fmt.Sprintf("steps[%d].fingerprint", c.Step) {
			c.Old, c.New = nil, nil
		}
		told.Changes = append(told.Changes, c)
	}
	return told
}
