package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

const editLong = `Edit opens a stored document in your editor ($VISUAL, else $EDITOR, else vi), checks it when
you have saved and left, and saves it as its next revision. Where something is wrong with it
you are told what and where, and can go on editing.

Nothing that you have written is lost: where it cannot be stored, also because someone has
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

// editing is a document that is open in the user's editor.
type editing struct {
	app  *app
	doc  *automation.Automation // as it is stored
	file string                 // that the editor has open
	text []byte                 // its original content
}

func (a *app) edit(ctx context.Context, name, account string) error {
	return a.withStore(ctx, func(st store.Store) error {
		doc, err := st.Automations().Get(ctx, name, account)
		if err != nil {
			return err
		}
		e, err := a.beginEditing(doc)
		if err != nil {
			return err
		}
		for {
			saved, err := e.round(ctx, st)
			switch {
			case err == nil:
				return errors.Join(os.Remove(e.file), a.printEdited(doc, saved))
			case len(automation.Problems(err)) == 0 || !a.terminal().Interactive():
				return e.giveUp(err)
			}
			a.say("%s %s", render.StyleOf(a.stderr).Red("reprise:"), strings.ReplaceAll(err.Error(), "\n", "\n  "))
			answer, asking := a.terminal().Ask(ctx, "Edit it again? [Y/n] ")
			if asking != nil || strings.HasPrefix(strings.ToLower(answer), "n") {
				return e.giveUp(errors.Join(err, asking))
			}
		}
	})
}

// beginEditing writes the document to a file that only the user can read.
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

// round opens the editor and saves what was written. It returns nil where nothing was changed.
func (e *editing) round(ctx context.Context, st store.Store) (*automation.Automation, error) {
	if err := e.app.openEditor(e.file); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	text, err := files.Read(nil, e.file, automation.MaxSize)
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
		return nil, &automation.Error{Path: "name", Reason: fmt.Sprintf("it is stored as %s, and edit does not rename: record or import it under the other name", render.Label(e.doc.Name, e.doc.Match.Account))}
	}
	doc.Revision = e.doc.Revision // whatever the file says: a conflict shows against what was edited
	return st.Automations().Save(ctx, doc)
}

// giveUp leaves the file for the user, unless nothing was written.
func (e *editing) giveUp(err error) error {
	if text, reading := files.Read(nil, e.file, automation.MaxSize); reading == nil && bytes.Equal(text, e.text) {
		return errors.Join(err, os.Remove(e.file)) // unchanged
	}
	return &failure.RescuedError{Err: err, What: "What you have written", File: e.file}
}

// openEditor waits for the user to leave the editor. A signal that ends this program does not
// end the editor, in which the user can still save.
func (a *app) openEditor(file string) error {
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		if _, err := exec.LookPath("vi"); err != nil {
			return failure.Usagef("there is no editor: set $VISUAL or $EDITOR to yours")
		}
		editor = "vi"
	}
	cmd := exec.Command("sh", "-c", editor+` "$1"`, "sh", file) // the variable may have arguments, as for git
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stdout, a.stderr
	if a.json {
		cmd.Stdout = a.stderr
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the editor (%s): %w", editor, err)
	}
	return nil
}

// printEdited prints what was saved, if anything was.
func (a *app) printEdited(before, saved *automation.Automation) error {
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
	_, err := fmt.Fprintf(a.stdout, "%s %s is stored, as revision %d\n", render.StyleOf(a.stdout).Green("✓"), render.Label(saved.Name, saved.Match.Account), saved.Revision)
	return err
}

const diffLong = `Diff shows in what two documents differ, step by step. With one it shows what the last run
of it proposes: which steps have drifted, how far (0 is unchanged, 1 is nothing left of what
was recorded), with which confidence their elements were found, and what these steps would
be with --accept. Nothing is changed by it.

What is stored of an element next to its selectors is hashes; diff says only that this evidence
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
				return failure.Usagef("what is to be compared? Give a NAME or a FILE, or two of them")
			}
			return between(nil, 2)(cmd, args)
		},
		ValidArgsFunction: a.completeBoth(),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.diff(cmd.Context(), args, account, exitCode)
		}),
	}
	cmd.Flags().StringVar(&account, "account", "", "`ACCOUNT` that the stored documents are for (default: any)")
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

// diffReport is a diff of two documents.
type diffReport struct {
	render.Difference
	old, new *automation.Automation
	title    string
	accept   string // the command line that saves the changes, "" for none
}

func (a *app) diff(ctx context.Context, args []string, account string, exitCode bool) error {
	if len(args) == 2 && args[0] == "-" && args[1] == "-" {
		return failure.Usagef("standard input holds one document, not two")
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
	if err := report.print(a); err != nil || !exitCode || len(report.Changes) == 0 {
		return err
	}
	return failure.Printed(errors.New("they differ"), nil)
}

// proposed adds what the last run of a document proposes, or why it proposes nothing.
func (a *app) proposed(ctx context.Context, report *diffReport, what string) error {
	doc := report.old
	command := runner.Named(doc.Name, doc.Match.Account)
	if files.IsDocument(what) {
		command = runner.Quote(what)
	}
	run, err := a.lastRun(ctx, doc, files.IsDocument(what))
	if err != nil {
		return err
	}
	saved, fits, err := madeFor(doc, run, files.IsDocument(what))
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
		why("run_failed", "Its last run did not end well (%s), and proposes nothing: only what works is proposed. Play it again: reprise play %s", cmp.Or(run.Code, string(run.State)), command)
	case run.Proposal == nil:
		why("no_drift", "Its last run found everything as it was recorded: there is nothing to change.")
	default:
		report.new, report.Drift = run.Proposal, run.Drift
		report.title = fmt.Sprintf("%s, and what its last run (%s) proposes", render.Label(doc.Name, doc.Match.Account), run.Finished.Local().Format("2006-01-02 15:04"))
		report.accept = "reprise play " + command + " --accept"
	}
	report.Run = run.ID
	return nil
}

// lastRun returns the newest run of a document that has ended, nil for none. Runs of files have
// no revision.
func (a *app) lastRun(ctx context.Context, doc *automation.Automation, file bool) (last *store.Run, err error) {
	err = a.withStore(ctx, func(st store.Store) error {
		for r, err := range st.Runs().List(ctx) {
			if err != nil {
				return err
			}
			if r.Err == nil && !r.Finished.IsZero() && r.Automation == doc.Name && r.Account == doc.Match.Account && (r.Revision == 0) == file {
				last = &r.Run
				return nil
			}
		}
		return nil
	})
	return last, err
}

// madeFor reports whether the document already is what a run proposed, and whether the run was of
// the document as it is now. A file has no revision: there the proposal differs in drifted steps only.
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

func (r *diffReport) print(a *app) error {
	switch {
	case a.json:
		return a.printJSON(r.ForJSON())
	case r.Reason != "":
		a.say("%s", r.Reason)
		return nil
	case len(r.Changes) == 0:
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
