// Package recording has a user record in a browser: it shows the steps at the terminal while they
// happen, follows the terminal's keys, opens the recording desk, and waits for the end.
package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/cli/terminal"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/recorder"
)

// Options are what a recording needs.
type Options struct {
	Browser  *browser.Browser
	Page     *browser.Page
	URL      string // where it starts
	Recorder recorder.Options

	Until    *automation.Glob // an address that ends it; default: none
	Duration time.Duration    // after which it ends; default: none

	Desk       bool // open a recording desk
	DeskWindow bool // in a window next to the recorded one; default: print its link

	Terminal *terminal.Terminal // for the keys
	Out      io.Writer          // for the steps
	Style    render.Style
	Width    func() int // of the terminal that Out is, nil for none
	Logger   *slog.Logger
	Warn     func(error)
}

// Recorded is a recording that has ended.
type Recorded struct {
	Document *automation.Automation
	Omitted  []recorder.Omission // steps that could not be recorded
	User     string              // what was typed as a user name
	Ended    string              // why
}

// Why a recording ended.
const (
	interrupted = "interrupted"
	pageClosed  = "page closed"
	timeIsUp    = "time is up"
	urlReached  = "address reached"
)

var errTimeIsUp = errors.New(timeIsUp)

// stopTimeout bounds the end of a recording: a page that no longer responds must not block what
// was recorded.
const stopTimeout = 10 * time.Second

// Run records until ctx ends, the page is closed, or an option ends it. After an error it returns
// what was recorded until then, if anything was.
func Run(ctx context.Context, o *Options) (*Recorded, error) {
	steps := render.NewRecording(o.Out, o.Style, o.Width)
	recording := o.Recorder
	recording.OnChange = steps.Change
	r, err := recorder.Start(ctx, o.Page, &recording) // before the page navigates, so that nothing is missed
	if err != nil {
		return nil, err
	}
	ended := ""
	failed := o.Page.Navigate(ctx, o.URL)
	arrived := failed == nil
	if arrived {
		ended, failed = o.follow(ctx, r, steps)
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	document, integrity, err := r.Stop(stopping)
	steps.End()
	switch {
	case !arrived:
		return nil, failed // there is nothing to save
	case failed != nil:
		err = failed // and not what followed from it
	case ended == pageClosed && errors.Is(err, browser.ErrDisconnected):
		err = nil // the browser ended with its last page
	}
	if document == nil {
		return nil, err
	}
	return &Recorded{Document: document, Omitted: integrity.Omitted, User: r.Username(), Ended: ended}, err
}

// follow opens the desk, follows the keys of the terminal, and returns why the recording ended.
func (o *Options) follow(ctx context.Context, r *recorder.Recorder, steps *render.Recording) (string, error) {
	recording, end := context.WithCancel(ctx)
	defer end()
	keys := o.Terminal.Interactive()
	switch {
	case o.Width == nil:
		keys = false
	case keys:
		fmt.Fprintln(o.Out, keysHelp)
	default:
		fmt.Fprintln(o.Out, "Do the flow in the browser. When you are done, close the page or press Ctrl-C here.")
	}
	if o.Desk {
		defer o.openDesk(ctx, r, end)()
	}
	if keys {
		if restore, err := o.Terminal.SingleKeys(); err == nil { // not every terminal can
			defer func() { o.Warn(restore()) }()
			go (&shaper{recorder: r, steps: steps, end: end}).listen(recording, o.Terminal)
		}
	}
	if o.Duration > 0 {
		bounded, cancel := context.WithTimeoutCause(recording, o.Duration, errTimeIsUp)
		defer cancel()
		recording = bounded
	}
	main := o.Page.Target().Main()
	_, err := main.WaitURL(recording, main.Mark(), func(url string) bool { return o.Until != nil && o.Until.Match(url) })
	switch {
	case errors.Is(o.Page.Target().Err(), target.ErrClosed):
		return pageClosed, nil // whatever else ended with it
	case err == nil:
		return urlReached, nil
	case errors.Is(context.Cause(recording), errTimeIsUp):
		return timeIsUp, nil
	case recording.Err() != nil:
		return interrupted, nil
	}
	return "", fmt.Errorf("recording: %w", err)
}
