package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/cli/report"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// playReport is what play says of a run.
type playReport struct {
	Run     string         `json:"run,omitempty"` // none for a dry run
	Row     int            `json:"row,omitempty"` // of the table of values, from 1
	Outcome store.RunState `json:"outcome"`
	DryRun  bool           `json:"dryRun,omitempty"`
	*replayer.Result
	Proposed   bool                 `json:"proposed"`           // there is something to accept
	Accepted   *savedAs             `json:"accepted,omitempty"` // what was accepted
	Report     string               `json:"report,omitempty"`   // the file that shows it
	Resume     string               `json:"resume,omitempty"`   // the token with which it goes on
	Suggestion *replayer.Suggestion `json:"suggestion,omitempty"`
	Error      *failure             `json:"error,omitempty"`

	attempt  *attempt
	played   error
	proposal *automation.Automation
	// nothingLeft is that earlier attempts had done all of it.
	nothingLeft bool
}

// reported is what is said of a run that has ended.
func (t *attempt) reported(outcome runner.Outcome, played error) *playReport {
	result, run := outcome.Result, outcome.Record
	if result.Steps == nil {
		result.Steps = []replayer.StepResult{} // for programs an empty list is a list
	}
	r := &playReport{
		DryRun: t.options.dryRun, Result: result, Outcome: run.State, Proposed: run.Proposal != nil, Report: t.report,
		attempt: t, played: played, proposal: run.Proposal, nothingLeft: outcome.NothingLeft,
	}
	var failed *replayer.Error
	if errors.As(played, &failed) {
		r.Resume, r.Suggestion = failed.Resume, failed.Suggestion
	}
	if outcome.Saved {
		r.Run = run.ID
	}
	return r
}

// reportPerm is the mode of a report, and of its directory: it shows an account's pages.
const reportPerm, reportDirPerm = 0o600, 0o700

// write writes the page that shows a run, and gives its file; "" where it cannot.
func (t *attempt) write(run report.Run) string {
	file, err := t.writeTo(run)
	if err != nil {
		t.app.warn(fmt.Errorf("the report is not written: %w", err))
		return ""
	}
	run.Record.Report = file
	return file
}

func (t *attempt) writeTo(run report.Run) (string, error) {
	dir, err := filepath.Abs(t.options.report)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, reportDirPerm); err != nil {
		return "", err
	}
	page, err := report.Page(run)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, run.Record.Automation+"-"+run.Record.ID+".html")
	return file, renameio.WriteFile(file, page, reportPerm)
}

// tell tells of a run, and accepts what it proposes if that was asked for.
func (r *playReport) tell(ctx context.Context) error {
	a, o := r.attempt.app, r.attempt.options
	var unsaved error
	if o.accept && r.Proposed {
		r.Accepted, unsaved = a.accept(ctx, r.attempt.store, r.attempt.doc, r.proposal, o.what)
	}
	failed := errors.Join(r.played, unsaved)
	if failed != nil {
		f := describe(failed)
		r.Error = &f
	}
	if a.json {
		return told(failed, a.printJSON(r))
	}
	return errors.Join(told(r.played, r.say()), unsaved)
}

// told marks what went wrong as told. What went wrong with telling is not.
func told(played, telling error) error {
	if played == nil || telling != nil {
		return errors.Join(played, telling)
	}
	return &toldError{played}
}

// say tells a person.
func (r *playReport) say() error {
	a, o := r.attempt.app, r.attempt.options
	var failed *replayer.Error
	if errors.As(r.played, &failed) {
		render.Failure(a.stderr, render.StyleOf(a.stderr), r.attempt.doc, failed)
		for _, line := range r.next(failed) {
			a.say("  %s", line)
		}
		return nil
	}
	how := fmt.Sprintf("in %s, at %s", render.Duration(time.Duration(r.Duration)), r.URL)
	if r.nothingLeft {
		how = "as you say: nothing was left to play"
	}
	_, err := fmt.Fprintf(a.stdout, "%s %s is %s %s\n", render.StyleOf(a.stdout).Green("✓"), label(r.Name, r.Account), r.verb(), how)
	if r.Seed != 0 {
		a.say("The hand was that of --seed %d", r.Seed)
	}
	if r.Report != "" {
		a.say("The report is %s", r.Report)
	}
	r.tellDrift(a, o)
	return err
}

func (r *playReport) verb() string {
	until := r.attempt.options.until
	switch {
	case r.DryRun:
		return "done, without what it would commit to"
	case until > 0 && until < len(r.attempt.doc.Steps):
		return fmt.Sprintf("done up to step %d", until)
	}
	return "done"
}

// next says what is kept of a run that failed, and how it goes on.
func (r *playReport) next(failed *replayer.Error) []string {
	var lines []string
	if r.Run != "" {
		lines = append(lines, fmt.Sprintf("The record of this run is %s.", r.Run))
	}
	if r.Report != "" {
		lines = append(lines, "The report is "+r.Report)
	}
	if r.Run == "" {
		return lines
	}
	again := r.attempt.commandLine()
	goOn := again + " --resume " + r.Run
	stays := r.attempt.app.endpoint() != "" && r.attempt.plan.Login == nil // with a login it was a page of its own
	switch {
	case failed.Code == replayer.Uncertain:
		lines = append(lines, "When you know:", "  "+goOn+" --settled done", "  "+goOn+" --settled not-done")
	case failed.Resume != "" && stays:
		lines = append(lines, "The page is still open. To go on in it, with the same values:", "  "+goOn)
	case failed.Suggestion != nil && failed.Suggestion.Tool == runner.SaveLoginTool:
		lines = append(lines, "Sign in again, and play it once more:", "  "+r.attempt.plan.Login.SaveAgain())
	case failed.Code == replayer.Blocked:
		lines = append(lines, "Its page is closed. To deal with it there, play it with --headed, or in a browser of yours with --browser:", "  "+again+" --headed")
	}
	return lines
}

// commandLine plays the same document, with none of its values.
func (t *attempt) commandLine() string {
	a, o := t.app, t.options
	line := "reprise play "
	switch {
	case o.what == "":
		line += runner.Named(t.doc.Name, t.doc.Match.Account)
	case isFile(o.what):
		line += runner.Quote(o.what)
	default:
		line += runner.Named(o.what, o.account)
	}
	for _, flag := range []struct{ name, value string }{{"data", a.data}, {"store", a.store}, {"browser", a.browser}, {"login", o.login}} {
		if flag.value != "" && !strings.ContainsAny(flag.value, "@?") { // there a password may be
			line += " --" + flag.name + " " + runner.Quote(flag.value)
		}
	}
	return line
}

// savedAs is a document that was saved.
type savedAs struct {
	Revision int    `json:"revision,omitempty"` // none of a file
	Path     string `json:"path,omitempty"`     // none where the store is no directory
}

// unsavedError is a proposal that could not be saved after a run that went well.
type unsavedError struct{ err error }

func (e *unsavedError) Error() string {
	why := e.err.Error()
	if errors.Is(e.err, store.ErrConflict) {
		why = "somebody changed the document while it was played. Play it again with --accept"
	}
	return "the run went well, but the renewed steps are not saved: " + why
}

func (e *unsavedError) Unwrap() error { return e.err }

// movedError is a file that was changed while it was played.
type movedError struct{ file string }

func (e *movedError) Error() string {
	return e.file + " was changed while it was played: play it again"
}

// accept saves what a run proposes in the place of what was played, unless that
// was changed meanwhile.
func (a *app) accept(ctx context.Context, kept store.Store, played, proposal *automation.Automation, what string) (*savedAs, error) {
	if isFile(what) {
		if err := a.replaceFile(what, played, proposal); err != nil {
			return nil, &unsavedError{err}
		}
		return &savedAs{Path: what}, nil
	}
	saved, err := kept.Automations().Save(ctx, proposal)
	if err != nil {
		return nil, &unsavedError{err}
	}
	return &savedAs{Revision: saved.Revision, Path: a.documentPath(saved.Name, saved.Match.Account)}, nil
}

// replaceFile replaces a file whole or not at all, with its permissions. Where it
// is a link, what it leads to is replaced.
func (a *app) replaceFile(file string, played, proposal *automation.Automation) error {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	now, err := readFile(a.stdin, target)
	if err != nil {
		return err
	}
	same, err := equal(now, played)
	if err != nil {
		return err
	}
	if !same {
		return &movedError{file}
	}
	return writeDocument(target, proposal) // which keeps the permissions of a file that is there
}

func equal(a, b *automation.Automation) (bool, error) {
	one, err := automation.Marshal(a)
	if err != nil {
		return false, err
	}
	other, err := automation.Marshal(b)
	return bytes.Equal(one, other), err
}

// tellDrift says that steps have drifted, and what to do about it or what was done.
func (r *playReport) tellDrift(a *app, o *playOptions) {
	drifted := render.Drifted(r.Drift)
	switch {
	case drifted == "" && o.accept:
		a.say("No step has drifted: there is nothing to save.")
	case drifted == "":
	case !r.Proposed:
		a.say("%s What the page shows of them makes no valid document: record them again.", drifted)
	case r.Accepted != nil && r.Accepted.Revision > 0:
		a.say("%s Saved as they are now, as revision %d.", drifted, r.Accepted.Revision)
	case r.Accepted != nil:
		a.say("%s Saved as they are now, in %s.", drifted, r.Accepted.Path)
	case o.accept: // why not is told as an error
	default:
		a.say("%s %s %s", render.StyleOf(a.stderr).Yellow("drift:"), drifted, r.whatToDo(o))
	}
}

func (r *playReport) whatToDo(o *playOptions) string {
	if o.what == "-" {
		return "Play it from a file with --accept to keep them as they are now."
	}
	document := runner.Named(r.Name, r.Account)
	if isFile(o.what) {
		document = runner.Quote(o.what)
	}
	see := ""
	if r.Run != "" {
		see = "See: reprise diff " + document + "; keep"
	} else {
		see = "Keep"
	}
	return fmt.Sprintf("%s: reprise play %s --accept", see, document)
}
