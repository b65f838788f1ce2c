// Package browser launches or connects to Chrome and opens pages in it. It never
// downloads a browser, keeps site isolation on, and leaves no process or profile
// behind.
package browser

import (
	"log/slog"
	"time"
)

// DefaultStartTimeout is how long a browser may take to start or to be reached.
const DefaultStartTimeout = 30 * time.Second

// Options of Launch and Connect. The zero value, or nil, is an installed Chrome
// or Chromium without a window, with a fresh profile.
type Options struct {
	// Path of the program. Default: $REPRISE_CHROME, else the first of the usual
	// names and places.
	Path string
	// Headed shows a window. Default: none is shown.
	Headed bool
	// ProfileDir is a profile to use and keep. Default: a fresh one, removed by Close.
	ProfileDir string
	// Width and Height of the window, in CSS pixels. Default: 1920 × 1080.
	Width, Height int
	// Args are added to the program's arguments. Default: none.
	Args []string
	// Env is the program's environment. Default: that of this process.
	Env []string
	// DebugPort opens a port on loopback by which other programs on this machine
	// can control the browser, and read all that is typed in it: for tests and
	// tools. Endpoint tells its address. Default: none; the browser is spoken to
	// over a pipe that nobody else can open.
	DebugPort bool
	// Stealth runs go-rod/stealth's script in each document. Default: off. Current
	// Chrome needs none of it: launched as Launch does, it shows no sign of being
	// controlled, while the script, written for older versions, changes what a
	// page can check (values that differ in workers, wrapped functions that show
	// in stack traces, a missing navigator.webdriver where Chrome has false).
	Stealth bool
	// StartTimeout bounds the start. Default: DefaultStartTimeout.
	StartTimeout time.Duration
	// Logger is told how the browser was started. Default: silent.
	Logger *slog.Logger
}

func (o *Options) orDefaults() *Options {
	filled := Options{}
	if o != nil {
		filled = *o
	}
	if filled.Width <= 0 || filled.Height <= 0 {
		filled.Width, filled.Height = 1920, 1080
	}
	if filled.StartTimeout <= 0 {
		filled.StartTimeout = DefaultStartTimeout
	}
	if filled.Logger == nil {
		filled.Logger = slog.New(slog.DiscardHandler)
	}
	return &filled
}
