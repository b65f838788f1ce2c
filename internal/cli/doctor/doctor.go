// Package doctor checks what Reprise needs on this machine, and advises what to do
// about what is missing.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// State is the result of a check.
type State string

// The states.
const (
	OK   State = "ok"
	Warn State = "warn" // something is different, and most works
	Fail State = "fail"
)

// Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Detail string `json:"detail"`
	Advice string `json:"advice,omitempty"` // what to do
}

// Options are what to check.
type Options struct {
	Endpoint  string                                     // of a running browser; "" is one that is launched
	Service   browser.Provider                           // that rents a browser out, in place of both; nil for none
	Dir       string                                     // of the store, "" where it is none
	OpenStore func(context.Context) (store.Store, error) // the store
	Display   bool                                       // whether a window would be seen

	// Keys is where the keys for what is sealed are; nil where KeysError says why that is not known.
	Keys      sealed.KeySource
	KeysError error

	// Telegram and Desktop tell people; nil where they are not set up, or where NotifyError says why they cannot be used.
	Telegram    *notify.Telegram
	Desktop     *notify.Desktop
	NotifyError error

	SettingsFile  string // "" where there is none
	SettingsError error  // why the settings cannot be used
}

// Run makes one check after the other, and passes each to found.
func Run(ctx context.Context, o *Options, found func(Check)) {
	checks := []func(context.Context, *Options) []Check{settings, program, start, display, keeper, directory, space, documents, keys, logins, people, orphans}
	for _, check := range checks {
		if ctx.Err() != nil {
			return
		}
		for _, c := range check(ctx, o) {
			found(c)
		}
	}
}

// settings tells what is wrong with the settings file.
func settings(_ context.Context, o *Options) []Check {
	switch {
	case o.SettingsError != nil:
		return []Check{{"settings", Fail, o.SettingsError.Error(), "`reprise config check` lists this alone; docs/configuration.md describes the file"}}
	case o.SettingsFile == "":
		return []Check{{"settings", OK, "there is no settings file", ""}}
	}
	return []Check{{"settings", OK, o.SettingsFile, ""}}
}

// keysTimeout is how long a keyring may take, which may ask a person to unlock it.
const keysTimeout = 10 * time.Second

// keys reads the keys for what is sealed.
func keys(ctx context.Context, o *Options) []Check {
	if o.KeysError != nil {
		return []Check{{"keys", Fail, o.KeysError.Error(), ""}}
	}
	asking, cancel := context.WithTimeoutCause(ctx, keysTimeout, fmt.Errorf("%s did not answer within %v", o.Keys, keysTimeout))
	defer cancel()
	_, err := o.Keys.Load(asking)
	switch {
	case err == nil:
		return []Check{{"keys", OK, fmt.Sprintf("%s has the key for what is sealed", o.Keys), ""}}
	case errors.Is(err, sealed.ErrNoKeys):
		return []Check{{"keys", OK, fmt.Sprintf("%s has none yet; the first secret that is stored makes one", o.Keys), ""}}
	}
	return []Check{{"keys", Warn, err.Error(), "without a key no tasks, credentials and logins can be used; all else works"}} // it says what to do
}

// peopleTimeout is how long a server of chats may take.
const peopleTimeout = 10 * time.Second

// people asks the bot who it is and whether it is in its chat, and looks for the desktop's program. It tells no one.
func people(ctx context.Context, o *Options) (all []Check) {
	add := func(detail string, err error) {
		c := Check{"notify", OK, detail, ""}
		var failed *notify.SendError
		if err != nil {
			c.State, c.Detail = Fail, err.Error()
		}
		if errors.As(err, &failed) {
			c.Detail, c.Advice = failed.Channel+": "+failed.Reason, failed.Next
		}
		all = append(all, c)
	}
	if o.NotifyError != nil {
		add("", o.NotifyError)
	}
	if o.Telegram != nil {
		ctx, cancel := context.WithTimeout(ctx, peopleTimeout)
		defer cancel()
		name, err := o.Telegram.Check(ctx)
		kind := "a group, which gets no links"
		if o.Telegram.Private() {
			kind = "private"
		}
		add(fmt.Sprintf("the bot %s is in its chat, which is %s", name, kind), err)
	}
	if o.Desktop != nil {
		add("the desktop shows messages", o.Desktop.Check())
	}
	return all
}

// program looks for the browser that would be launched.
func program(ctx context.Context, o *Options) []Check {
	if o.Endpoint != "" || o.Service != nil {
		return nil
	}
	path, err := browser.Find(nil)
	if err != nil {
		return []Check{{"chrome", Fail, err.Error(), "install Chrome or Chromium, or name it in $" + browser.EnvPath}}
	}
	version, err := browser.Version(ctx, path)
	if err != nil {
		return []Check{{"chrome", Fail, err.Error(), "run it by hand to see what is wrong: " + path + " --version"}}
	}
	return []Check{{"chrome", OK, fmt.Sprintf("%s, version %s", path, version), ""}}
}

// start opens a page of the built-in site.
func start(ctx context.Context, o *Options) []Check {
	if o.Service != nil {
		return service(ctx, o.Service)
	}
	notes := &warnings{}
	began := time.Now()
	b, err := open(ctx, o, slog.New(notes))
	if err != nil {
		return []Check{{"browser", Fail, err.Error(), advise(err)}}
	}
	checks := []Check{page(ctx, b, began)}
	if err := b.Close(); err != nil {
		checks = append(checks, Check{"end", Warn, "closing the browser: " + err.Error(), ""})
	}
	if o.Endpoint != "" {
		return checks
	}
	return append(checks, notes.check())
}

// service asks a service for its sessions, which needs a key that it accepts. None is opened:
// that would cost.
func service(ctx context.Context, p browser.Provider) []Check {
	began := time.Now()
	running, err := p.List(ctx)
	if err != nil {
		return []Check{{"provider", Fail, err.Error(), ""}} // it says what to do
	}
	return []Check{{"provider", OK, fmt.Sprintf("%s accepts the key, in %v; %d sessions run", p.Name(), time.Since(began).Round(time.Millisecond), len(running)), ""}}
}

func open(ctx context.Context, o *Options, log *slog.Logger) (*browser.Browser, error) {
	if o.Endpoint != "" {
		return browser.Connect(ctx, o.Endpoint, &browser.Options{Logger: log})
	}
	return browser.Launch(ctx, &browser.Options{Logger: log})
}

func advise(err error) string {
	var missing *browser.NotFoundError
	var unreachable *browser.ConnectError
	switch {
	case errors.As(err, &missing):
		return "see above"
	case errors.As(err, &unreachable):
		return "start it with --remote-debugging-port=9222, and give http://localhost:9222"
	}
	return "what the browser said is above; a library may be missing, or memory"
}

func page(ctx context.Context, b *browser.Browser, began time.Time) Check {
	site, err := demosite.Start(nil)
	if err != nil {
		return Check{"browser", Fail, err.Error(), "a program must be able to listen on 127.0.0.1"}
	}
	defer site.Close()
	p, err := b.NewIsolatedPage(ctx, site.URL)
	if err != nil {
		return Check{"browser", Fail, "it runs, and opens no page: " + err.Error(), "a proxy or a policy may keep it from " + site.URL}
	}
	took := time.Since(began).Round(time.Millisecond)
	if err := p.Close(ctx); err != nil {
		return Check{"browser", Fail, "a page could not be closed: " + err.Error(), ""}
	}
	return Check{"browser", OK, fmt.Sprintf("it starts and opens a page, in %v", took), ""}
}

// display checks whether a user could record here.
func display(_ context.Context, o *Options) []Check {
	switch {
	case o.Endpoint != "", o.Service != nil:
		return nil
	case o.Display:
		return []Check{{"display", OK, "windows can be shown", ""}}
	}
	return []Check{{"display", Warn, "there is none, so no window can be shown",
		"playing needs none; to record, use --browser with a browser that runs elsewhere"}}
}

// directory looks whether the data directory can be written.
func directory(_ context.Context, o *Options) []Check {
	if o.Dir == "" {
		return nil
	}
	there := existing(o.Dir)
	f, err := os.CreateTemp(there, ".reprise-doctor-")
	if err != nil {
		return []Check{{"data", Fail, fmt.Sprintf("%s cannot be written: %v", o.Dir, errors.Unwrap(err)),
			"give this user the right to, or name another place with --data or $" + store.DataEnv}}
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return []Check{{"data", Fail, err.Error(), ""}}
	}
	detail := o.Dir
	if there != o.Dir {
		detail += ", which the first recording will make"
	}
	return []Check{{"data", OK, detail, ""}}
}

// existing is the directory itself, or the nearest one above it that is there.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// documents checks that all stored documents can be read.
func documents(ctx context.Context, o *Options) []Check {
	st, err := o.OpenStore(ctx)
	if err != nil {
		return []Check{{"documents", Fail, err.Error(), ""}}
	}
	defer st.Close()
	var broken []Check
	n := 0
	for s, err := range st.Automations().List(ctx) {
		n++
		name := s.Name
		if s.Account != "" {
			name += " for " + s.Account
		}
		switch {
		case err != nil:
			return []Check{{"documents", Fail, err.Error(), ""}}
		case s.Err != nil:
			first, _, _ := strings.Cut(s.Err.Error(), "\n")
			broken = append(broken, Check{"documents", Warn, name + ": " + first,
				"`reprise validate " + s.Name + "` says all that is wrong with it"})
		}
	}
	if len(broken) > 0 {
		return broken
	}
	if n == 0 {
		return []Check{{"documents", OK, "none is stored yet", ""}}
	}
	return []Check{{"documents", OK, fmt.Sprintf("%d are stored, and all of them can be read", n), ""}}
}

// warnings is a log handler that collects the warnings of a launch: that Chrome's sandbox is off.
type warnings struct{ because []string }

// Enabled is for warnings alone.
func (w *warnings) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle collects a warning.
func (w *warnings) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += ", " + a.Key + " " + a.Value.String()
		return true
	})
	w.because = append(w.because, text)
	return nil
}

// WithAttrs and WithGroup are not used by a launch.
func (w *warnings) WithAttrs([]slog.Attr) slog.Handler { return w }

// WithGroup is not used by a launch.
func (w *warnings) WithGroup(string) slog.Handler { return w }

func (w *warnings) check() Check {
	if len(w.because) == 0 {
		return Check{"sandbox", OK, "Chrome's own sandbox is on", ""}
	}
	advice := "run Reprise as a user other than root"
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		advice = "allow user namespaces to the browser, or open only pages that you trust"
	}
	return Check{"sandbox", Warn, strings.Join(w.because, "; "), advice}
}
