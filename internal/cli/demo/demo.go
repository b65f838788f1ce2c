// Package demo shows the whole way on the built-in site: a flow is recorded while
// a person does it, kept without what is secret, and played for someone else. It
// asks the server, not the page, whether that worked.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// Options are what a demonstration needs. All but Width are required.
type Options struct {
	Browser *browser.Browser
	Store   store.Store
	Dir     string       // of the store: its files are searched for passwords; "" is none
	Out     io.Writer    // where the story is printed
	Style   render.Style // of the story
	Width   func() int   // of the terminal; nil is none
}

// Result is what came of it.
type Result struct {
	Site  string `json:"site"`
	Flows []Flow `json:"flows"`
}

// Flow is one flow of the demonstration.
type Flow struct {
	Name      string            `json:"name"`
	Path      string            `json:"path,omitempty"`
	Steps     int               `json:"steps"`
	Variables []string          `json:"variables"`
	Secrets   []string          `json:"secrets"`
	Run       string            `json:"run"`
	Duration  replayer.Duration `json:"duration"` // of the replay
	Checks    []Check           `json:"checks"`
}

// Check is something that was promised, and whether it holds.
type Check struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
}

// BrokenError is what did not turn out as promised.
type BrokenError struct{ Checks []Check }

func (e *BrokenError) Error() string {
	var broken []string
	for _, c := range e.Checks {
		if !c.OK {
			broken = append(broken, c.What)
		}
	}
	return "the demonstration did not show that " + strings.Join(broken, "; nor that ")
}

// demo is one demonstration.
type demo struct {
	Options
	site *demosite.Server
}

// Run serves the site, shows both flows, and stops serving.
func Run(ctx context.Context, o *Options) (result *Result, err error) {
	site, err := demosite.Start(nil)
	if err != nil {
		return nil, fmt.Errorf("serving the built-in site: %w", err)
	}
	defer func() { err = errors.Join(err, site.Close()) }()
	d := &demo{Options: *o, site: site}
	result = &Result{Site: site.URL}
	d.title("Reprise records a flow once, and plays it for someone else")
	d.line("A small site is served at %s, for this computer alone.", site.URL)
	for i, f := range []flow{signIn(site), order(site)} {
		shown, err := d.show(ctx, i+1, f)
		if err != nil {
			return result, err
		}
		result.Flows = append(result.Flows, *shown)
	}
	return result, nil
}

// show records a flow, saves it and plays it.
func (d *demo) show(ctx context.Context, number int, f flow) (*Flow, error) {
	d.title(fmt.Sprintf("%d. %s", number, f.title))
	d.line("%s", f.recording)
	recorded, err := d.record(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("recording %s: %w", f.name, err)
	}
	doc, err := d.save(ctx, recorded)
	if err != nil {
		return nil, fmt.Errorf("keeping %s: %w", f.name, err)
	}
	shown, err := d.describe(doc, f)
	if err != nil {
		return nil, err
	}
	d.line("\n%s", f.playing)
	run, duration, err := d.play(ctx, doc, f)
	if err != nil {
		return nil, fmt.Errorf("playing %s: %w", f.name, err)
	}
	shown.Run, shown.Duration = run, replayer.Duration(duration)
	return shown, d.check(shown, f)
}

// record records the flow while a simulated user does it.
func (d *demo) record(ctx context.Context, f flow) (_ *automation.Automation, err error) {
	page, err := d.Browser.NewIsolatedPage(ctx, "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closing(ctx, page)) }()
	steps := render.NewRecording(d.Out, d.Style, d.Width)
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: f.name, Description: f.description, OnChange: steps.Change})
	if err != nil {
		return nil, err
	}
	did := d.act(ctx, page, f)
	doc, _, err := r.Stop(context.WithoutCancel(ctx))
	steps.End()
	return doc, errors.Join(did, err)
}

func (d *demo) act(ctx context.Context, page *browser.Page, f flow) error {
	if err := page.Navigate(ctx, d.site.URL+f.path); err != nil {
		return err
	}
	p := simuser.At(page.Target())
	for _, act := range f.acts {
		if err := act(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// closeTimeout bounds the closing of a page after the demonstration was broken off.
const closeTimeout = 5 * time.Second

func closing(ctx context.Context, page *browser.Page) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	return page.Close(ctx)
}

// save saves the document, and replaces the one of an earlier demonstration.
func (d *demo) save(ctx context.Context, doc *automation.Automation) (*automation.Automation, error) {
	old, err := d.Store.Automations().Get(ctx, doc.Name, "")
	switch {
	case err == nil:
		doc.Revision = old.Revision
	case !errors.Is(err, store.ErrNotFound):
		return nil, err
	}
	return d.Store.Automations().Save(ctx, doc)
}

// describe prints what was saved.
func (d *demo) describe(doc *automation.Automation, f flow) (*Flow, error) {
	declared, err := doc.Declared()
	if err != nil {
		return nil, err
	}
	shown := &Flow{Name: doc.Name, Steps: len(doc.Steps), Variables: declared.Names(), Secrets: declared.Secrets()}
	if d.Dir != "" {
		shown.Path = filepath.Join(d.Dir, "automations", doc.Name+".json")
	}
	if !f.whole {
		d.line("\nStored%s; it asks for %s.", in(shown.Path), strings.Join(shown.Variables, ", "))
		return shown, nil
	}
	d.line("\nThis is stored%s:", in(shown.Path))
	return shown, render.Document(indented{d.Out}, doc)
}

func in(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}

// play plays the document in a page that has never seen the site, and keeps the
// record of the run.
func (d *demo) play(ctx context.Context, doc *automation.Automation, f flow) (run string, took time.Duration, err error) {
	page, err := d.Browser.NewIsolatedPage(ctx, "")
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, closing(ctx, page)) }()
	progress := render.NewPlaying(d.Out, d.Style, d.Width, doc.Steps)
	result, played := replayer.Play(ctx, page, doc, &replayer.Options{Values: f.values, Commit: replayer.AllowCommits, OnStart: progress.Start, OnStep: progress.Step})
	var failed *replayer.Error
	if errors.As(played, &failed) {
		progress.End(failed)
	}
	record := runner.RecordOf(doc, result, played)
	kept := d.Store.Runs().Save(context.WithoutCancel(ctx), record)
	return record.ID, time.Duration(result.Duration), errors.Join(played, kept)
}

// check asks the server and the disk whether all is as promised.
func (d *demo) check(shown *Flow, f flow) error {
	clean, err := d.holdsNoPassword()
	if err != nil {
		return err
	}
	shown.Checks = append(f.prove(), clean)
	return d.report(shown)
}

// report prints what was promised, and whether it holds.
func (d *demo) report(shown *Flow) error {
	fmt.Fprintln(d.Out)
	broken := false
	for _, c := range shown.Checks {
		mark := d.Style.Green("✓")
		if !c.OK {
			mark, broken = d.Style.Red("✗"), true
		}
		fmt.Fprintf(d.Out, "  %s %s\n", mark, c.What)
	}
	if broken {
		return &BrokenError{shown.Checks}
	}
	return nil
}

func (d *demo) title(words string) { fmt.Fprintf(d.Out, "\n%s\n\n", d.Style.Bold(words)) }

func (d *demo) line(format string, args ...any) { fmt.Fprintf(d.Out, format+"\n", args...) }

// indented writes with four spaces before each line of what one Write is given.
type indented struct{ w io.Writer }

func (i indented) Write(p []byte) (int, error) {
	text := strings.TrimSuffix(string(p), "\n")
	_, err := fmt.Fprintf(i.w, "    %s\n", strings.ReplaceAll(text, "\n", "\n    "))
	return len(p), err
}
