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
