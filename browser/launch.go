package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-reprise/reprise/internal/gate"
	"github.com/go-reprise/reprise/internal/load"
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
	if err := errors.Join(o.checkArgs(), o.Page.Check()); err != nil {
		return nil, err
	}
	slow := fmt.Errorf("it did not answer within %v", o.StartTimeout)
	ctx, cancel := load.WithTimeoutCause(ctx, o.StartTimeout, slow)
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
	proxy := ""
	if own != nil {
		proxy = own.Proxy()
	}
	args := append(arguments(o, p.dir, version, sandbox), gateFlags(proxy)...)
	proc, err := start(path, args, withDumpsIn(p.dir, o.Env), p)
	if err != nil {
		return nil, &StartError{Path: path, Err: errors.Join(err, p.remove())}
	}
	o.Logger.Debug("the browser starts", "path", path, "version", version, "profile", p.dir, "pid", proc.pid)
	b, err := attach(ctx, proc.pipe, o, target.Options{Rules: rules, Gate: own, Emulation: o.Page.emulation(version)})
	if err != nil {
		return nil, proc.fail(path, err)
	}
	b.process, b.headed, b.version = proc, o.Headed, version
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
	if errors.Is(err, ErrDisconnected) && p.wait(pipeTimeout) { // the pipe closes a moment before the end
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

// sandboxRefusal returns why there is no point in asking for the sandbox, "" where
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

// Defaults of Options.
const (
	// DefaultStartTimeout is how long a browser may take to start or to be reached.
	DefaultStartTimeout = 30 * time.Second
	// DefaultWidth and DefaultHeight are of the commonest screen of a desktop.
	DefaultWidth, DefaultHeight = 1920, 1080
)

// Options of Launch and Connect. The zero value, or nil, is an installed Chrome
// or Chromium without a window, with a fresh profile. Connect uses Stealth, Page,
// AllowPrivateNetwork, AnyNetwork, KeepContexts, StartTimeout and Logger.
type Options struct {
	// Path of the program. Default: $REPRISE_CHROME, else the first of the usual
	// names and places.
	Path string
	// Headed shows a window. Default: none is shown.
	Headed bool
	// ProfileDir is a profile to use and keep. Default: a fresh one, removed by Close.
	ProfileDir string
	// Width and Height of the window, in CSS pixels. Default: DefaultWidth and
	// DefaultHeight; with Headed, what the browser and the desktop agree on.
	Width, Height int
	// Args are added to the program's arguments; lists of features are joined to
	// those that are there. The profile and the debugging port are not theirs to
	// set. Default: none.
	Args []string
	// Env is the program's environment. Default: that of this process.
	Env []string
	// DebugPort opens a port on loopback by which other programs on this machine
	// can control the browser, and read all that is typed in it: for tests and
	// tools. Endpoint tells its address. What they navigate to is not known here: in
	// the browser's own context private addresses may be reached. Default: none; the
	// browser is spoken to over a pipe that no one else can open.
	DebugPort bool
	// Stealth runs go-rod/stealth's script in each document. Default: off. Current
	// Chrome needs none of it: launched as Launch does, it shows no sign of being
	// controlled to public detectors, while the script, written for older
	// versions, changes what a page can check (values that differ in workers,
	// wrapped functions that show in stack traces, a missing navigator.webdriver
	// where Chrome has false).
	Stealth bool
	// AllowPrivateNetwork lets pages at public addresses reach private ones: loopback, the
	// local network. Default: only the addresses that the caller itself names (NewPage,
	// Navigate), and whatever pages ask for that are themselves at private addresses.
	AllowPrivateNetwork bool
	// AnyNetwork lets pages reach whatever the browser itself does, link-local and metadata
	// addresses too, by the system's own settings for proxies: for a browser that a person
	// drives. Default: all connections go through a gate in this process, which refuses
	// those, and uses the proxies that Env names (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY,
	// NO_PROXY).
	AnyNetwork bool
	// KeepContexts has the isolated pages of a browser that is connected to stay when the
	// connection ends, for Reconnect. The caller closes them. Default: they end with it, also
	// where this program is killed.
	KeepContexts bool
	// Page are the options of the pages that the browser opens: of one that is launched, of
	// all; of one that is connected to, of those that share nothing with its other pages, and
	// NewPage is ErrSharedContext. With a proxy, AnyNetwork does not allow link-local and
	// metadata addresses. Default: pages are as the browser is.
	Page *PageOptions
	// StartTimeout bounds the start. Default: DefaultStartTimeout.
	StartTimeout time.Duration
	// Logger is told how the browser was started, and what is out of the ordinary
	// about it (no sandbox). Default: silent.
	Logger *slog.Logger

	network gate.Options // how names are resolved and addresses connected to, for tests
}

func (o *Options) orDefaults() *Options {
	filled := Options{}
	if o != nil {
		filled = *o
	}
	if !filled.Headed && (filled.Width <= 0 || filled.Height <= 0) {
		filled.Width, filled.Height = DefaultWidth, DefaultHeight
	}
	if filled.StartTimeout <= 0 {
		filled.StartTimeout = DefaultStartTimeout
	}
	if filled.Logger == nil {
		filled.Logger = slog.New(slog.DiscardHandler)
	}
	return &filled
}

// ours are the arguments that Launch itself relies on.
var ours = map[string]string{
	"--user-data-dir":            "Options.ProfileDir sets it",
	"--remote-debugging-pipe":    "Launch always sets it",
	"--remote-debugging-port":    "Options.DebugPort sets it",
	"--remote-debugging-address": "the port is for this machine only",
}

// checkArgs refuses arguments that would break what Launch promises.
func (o *Options) checkArgs() error {
	for _, arg := range o.Args {
		name, _, _ := strings.Cut(arg, "=")
		why := ours[name]
		if strings.Contains(name, "proxy") && !o.AnyNetwork {
			why = "the gate is the browser's proxy: name the one behind it in the environment, or set Options.AnyNetwork"
		}
		if why != "" {
			return fmt.Errorf("Options.Args: %s cannot be given: %s", name, why)
		}
		if !strings.HasPrefix(name, "--") {
			return fmt.Errorf("Options.Args: %q is not a flag: they begin with --", arg)
		}
	}
	return nil
}

// rules are those of the browser's gates, nil for none.
func (o *Options) rules() *gate.Rules {
	if o.AnyNetwork && o.Page.proxy() == nil {
		return nil
	}
	network := o.network
	network.AllowPrivate = o.AllowPrivateNetwork || o.AnyNetwork
	network.Env = o.Env
	for _, arg := range o.Args {
		if rules, given := strings.CutPrefix(arg, "--host-resolver-rules="); given {
			network.HostRules = rules
		}
	}
	return gate.NewRules(network)
}

// quietFlags keep the browser from doing anything on its own: no traffic of its
// own, no questions, no throttling of what is out of view.
var quietFlags = []string{
	"--no-first-run",
	"--no-default-browser-check",
	"--no-startup-window", // the first page is the caller's
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-component-extensions-with-background-pages",
	"--disable-sync",
	"--disable-quic",
	"--disable-default-apps",
	"--disable-breakpad",
	"--disable-client-side-phishing-detection",
	"--disable-domain-reliability",
	"--disable-search-engine-choice-screen",
	"--hide-crash-restore-bubble",
	"--disable-background-timer-throttling",
	"--disable-backgrounding-occluded-windows",
	"--disable-renderer-backgrounding",
	"--disable-ipc-flooding-protection",
	"--disable-hang-monitor",
	"--disable-prompt-on-repost",
	"--allow-pre-commit-input", // or what is done to a page before its first frame is dropped
	"--metrics-recording-only",
	"--no-service-autorun",
	"--no-pings",
	"--password-store=basic",
	"--disable-save-password-bubble",
	"--use-mock-keychain",
	// Chrome 156 makes two pages of its own for the address bar of each window, also of one
	// that no one sees: that costs more than a small page of the person's.
	"--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,OmniboxWebUIPopup,Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,CertificateTransparencyComponentUpdater",
}

// arguments of a launch. Site isolation is left on, and nothing says that the
// browser is controlled: no --enable-automation, and no "Headless" in the user
// agent. Measured with public detectors, this needs no script in the page.
func arguments(o *Options, profile, version string, sandbox bool) []string {
	args := append([]string{}, quietFlags...)
	args = append(args,
		"--user-data-dir="+profile,
		"--remote-debugging-pipe",
		"--disable-blink-features=AutomationControlled",
	)
	if o.DebugPort {
		args = append(args, "--remote-debugging-port=0")
	}
	if o.Width > 0 && o.Height > 0 {
		args = append(args, fmt.Sprintf("--window-size=%d,%d", o.Width, o.Height))
	}
	if !o.Headed {
		args = append(args, headlessFlags(o, version)...)
	}
	if agent := o.agent(version); agent != "" {
		args = append(args, "--user-agent="+agent)
	}
	if !sandbox {
		args = append(args, "--no-sandbox")
	}
	if sharedMemoryIsSmall() {
		args = append(args, "--disable-dev-shm-usage")
	}
	return joinLists(append(args, o.Args...))
}

// gateFlags have the browser's own context use a gate ("" is none), and nothing that is no
// connection go past it: of WebRTC what is sent without one.
func gateFlags(proxy string) []string {
	if proxy == "" {
		return nil
	}
	return []string{"--proxy-server=" + proxy, "--proxy-bypass-list=" + gate.Bypass, "--webrtc-ip-handling-policy=disable_non_proxied_udp"}
}

// headlessFlags make a browser without a window look like one with a screen.
func headlessFlags(o *Options, version string) []string {
	return []string{
		"--headless=new",
		"--mute-audio",
		// No window is larger than its screen.
		fmt.Sprintf("--screen-info={%dx%d}", max(o.Width, DefaultWidth), max(o.Height, DefaultHeight)),
	}
}

// agent is the user agent of the browser, "" for its own. As a flag, workers say it too: of
// service and shared workers no protocol command changes what their navigator says.
func (o *Options) agent(version string) string {
	if e := o.Page.emulation(version); e != nil && e.UserAgent != "" {
		return e.UserAgent
	}
	if o.Headed {
		return ""
	}
	return userAgent(version, runtime.GOOS)
}

// userAgent is what the browser itself says, without "Headless". Chrome tells
// only its major version (https://www.chromium.org/updates/ua-reduction/).
func userAgent(version, system string) string {
	platform := "X11; Linux x86_64"
	if system == "darwin" {
		platform = "Macintosh; Intel Mac OS X 10_15_7"
	}
	major, _, _ := strings.Cut(version, ".")
	return fmt.Sprintf("Mozilla/5.0 (%s) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%s.0.0.0 Safari/537.36", platform, major)
}

// listFlags hold lists: of two, Chrome would forget the first.
var listFlags = map[string]bool{
	"--enable-features": true, "--disable-features": true,
	"--enable-blink-features": true, "--disable-blink-features": true,
}

// joinLists makes one flag of those that hold a list and are given twice.
func joinLists(args []string) []string {
	var joined []string
	at := map[string]int{}
	for _, arg := range args {
		name, list, _ := strings.Cut(arg, "=")
		if i, again := at[name]; again {
			joined[i] += "," + list
			continue
		}
		if listFlags[name] {
			at[name] = len(joined)
		}
		joined = append(joined, arg)
	}
	return joined
}
