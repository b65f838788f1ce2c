package browser

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/go-reprise/reprise/internal/gate"
)

// Defaults of Options.
const (
	// DefaultStartTimeout is how long a browser may take to start or to be reached.
	DefaultStartTimeout = 30 * time.Second
	// DefaultWidth and DefaultHeight are of the commonest screen of a desktop.
	DefaultWidth, DefaultHeight = 1920, 1080
)

// Options of Launch and Connect. The zero value, or nil, is an installed Chrome
// or Chromium without a window, with a fresh profile. Connect uses Stealth,
// AllowPrivateNetwork, AnyNetwork, StartTimeout and Logger.
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
	// browser is spoken to over a pipe that nobody else can open.
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
	if o.AnyNetwork {
		return nil
	}
	network := o.network
	network.AllowPrivate = o.AllowPrivateNetwork
	network.Env = o.Env
	for _, arg := range o.Args {
		if rules, given := strings.CutPrefix(arg, "--host-resolver-rules="); given {
			network.HostRules = rules
		}
	}
	return gate.NewRules(network)
}
