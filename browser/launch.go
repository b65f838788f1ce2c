package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/go-reprise/reprise/internal/gate"
	"github.com/go-reprise/reprise/internal/target"
)

// ErrProfileInUse: Options.ProfileDir is open in another browser.
var ErrProfileInUse = errors.New("the profile is open in another browser: close that one, or name another directory")

// StartError is a browser that did not start.
type StartError struct {
	Path   string
	Stderr string // the last lines of what it said
	Err    error
}

func (e *StartError) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("starting %s: %v (it said nothing)", e.Path, e.Err)
	}
	return fmt.Sprintf("starting %s: %v; it said:\n%s", e.Path, e.Err, e.Stderr)
}

func (e *StartError) Unwrap() error { return e.Err }

// Launch starts an installed Chrome or Chromium and speaks to it over a pipe that
// no other program can open. Close it. ctx bounds the start only. What fails is
// told by a *NotFoundError or a *StartError.
//
// Chrome's sandbox is used wherever it works: it is off for root on Linux, to
// whom Chrome refuses it, and where Chrome says that the system has none to
// offer, as in many containers. Options.Logger is told.
func Launch(ctx context.Context, o *Options) (*Browser, error) {
	o = o.orDefaults()
	if err := o.checkArgs(); err != nil {
		return nil, err
	}
	slow := fmt.Errorf("it did not answer within %v", o.StartTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, o.StartTimeout, slow)
	defer cancel()
	path, err := Find(o)
	if err != nil {
		return nil, err
	}
	version, err := Version(ctx, path)
	if err != nil {
		return nil, &StartError{Path: path, Err: err}
	}
	why := sandboxRefusal(path)
	if why != "" {
		o.Logger.Warn("the browser runs without its sandbox", "because", why)
	}
	return launchEither(ctx, o, path, version, why == "")
}

// launchEither launches without the sandbox what cannot be launched with it.
func launchEither(ctx context.Context, o *Options, path, version string, sandbox bool) (*Browser, error) {
	b, err := launch(ctx, o, path, version, sandbox)
	said := (*StartError)(nil)
	if !sandbox || !errors.As(err, &said) || !noSandbox(said.Stderr) {
		return b, err
	}
	sandboxless.Store(path, true)
	o.Logger.Warn("the browser runs without its sandbox", "because", noneUsable)
	return launch(ctx, o, path, version, false)
}

func launch(ctx context.Context, o *Options, path, version string, sandbox bool) (*Browser, error) {
	rules, own, err := openGate(o)
	if err != nil {
		return nil, err
	}
	b, err := launchBehind(ctx, o, path, version, sandbox, rules, own)
	if err != nil && own != nil {
		err = errors.Join(err, own.Close())
	}
	return b, err
}

// openGate opens the gate of the browser's own context, nil where it has none.
func openGate(o *Options) (*gate.Rules, *gate.Gate, error) {
	rules := o.rules()
	if rules == nil {
		return nil, nil, nil
	}
	own, err := rules.Open()
	if err == nil && o.DebugPort {
		own.AllowPrivate() // what other programs name is not heard here
	}
	return rules, own, err
}

func launchBehind(ctx context.Context, o *Options, path, version string, sandbox bool, rules *gate.Rules, own *gate.Gate) (*Browser, error) {
	p, err := newProfile(o.ProfileDir)
	if err != nil {
		return nil, err
	}
	args := append(arguments(o, p.dir, version, sandbox), gateFlags(own)...)
	proc, err := start(path, args, withDumpsIn(p.dir, o.Env), p)
	if err != nil {
		return nil, &StartError{Path: path, Err: errors.Join(err, p.remove())}
	}
	o.Logger.Debug("the browser starts", "path", path, "version", version, "profile", p.dir, "pid", proc.pid)
	b, err := attach(ctx, proc.pipe, o, target.Options{Rules: rules, Gate: own})
	if err != nil {
		return nil, proc.fail(path, err)
	}
	b.process, b.headed = proc, o.Headed
	if o.DebugPort {
		b.endpoint, err = proc.endpoint(ctx)
	}
	if err != nil {
		return nil, errors.Join(proc.fail(path, err), b.Close())
	}
	b.refuseEndpoint()
	return b, nil
}

// withDumpsIn has Chrome's crash handler write into the profile, which is removed:
// a dump of a renderer's memory holds what was typed in it. Without this variable
// dumps go to a place in the user's home that outlives the browser.
func withDumpsIn(profile string, env []string) []string {
	if env == nil {
		env = os.Environ()
	}
	return append(slices.Clip(env), "BREAKPAD_DUMP_LOCATION="+filepath.Join(profile, "Crashes"))
}

// fail ends what did not start, and says why.
func (p *process) fail(path string, err error) error {
	if errors.Is(err, ErrLost) && p.wait(pipeTimeout) { // the pipe closes a moment before the end
		err = errors.New(p.state)
	}
	p.kill()
	ended := p.end()
	said := p.stderr.String()
	if profileInUse(said) {
		err = ErrProfileInUse
	}
	return &StartError{Path: path, Stderr: said, Err: errors.Join(err, ended)}
}

// profileInUse reports whether Chrome ended because its profile is open already:
// without a window it refuses, with one it hands over to the other and ends.
func profileInUse(said string) bool {
	return strings.Contains(said, "ProcessSingleton") || strings.Contains(said, "existing browser session")
}

// sandboxless are the browsers that were found to have no sandbox on this system.
var sandboxless sync.Map

// sandboxRefusal says why there is no point in asking for the sandbox, "" where
// there is.
func sandboxRefusal(path string) string {
	if runtime.GOOS == "linux" && os.Geteuid() == 0 {
		return "it refuses it to root"
	}
	if _, known := sandboxless.Load(path); known {
		return noneUsable
	}
	return ""
}

const noneUsable = "it found none that it can use on this system"

// noSandbox reports whether Chrome ended because of the sandbox. It alone knows:
// user namespaces may be off for everyone, or for all but a browser that a
// profile of AppArmor names, and a setuid helper may stand in for them.
func noSandbox(stderr string) bool {
	for _, words := range []string{
		"No usable sandbox",
		"Failed to move to new namespace",
		"Running as root without --no-sandbox",
	} {
		if strings.Contains(stderr, words) {
			return true
		}
	}
	return false
}
