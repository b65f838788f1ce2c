package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// EnvPath names the environment variable that tells where Chrome is.
const EnvPath = "REPRISE_CHROME"

// names are looked up in PATH, places on the disk, in this order.
var (
	names = []string{"google-chrome-stable", "google-chrome", "chromium", "chromium-browser", "chrome"}

	places = map[string][]string{
		"linux": {"/opt/google/chrome/chrome", "/usr/lib/chromium/chromium", "/snap/bin/chromium"},
		"darwin": {
			"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
			"/Applications/Chromium.app/Contents/MacOS/Chromium",
		},
	}

	howToInstall = map[string]string{
		"linux":  "sudo apt-get install chromium (Debian), sudo dnf install chromium (Fedora), or Google Chrome from google.com/chrome",
		"darwin": "brew install --cask google-chrome",
	}
)

// NotFoundError reports that no browser was found, and how to get one.
type NotFoundError struct {
	Tried []string // what was looked for
	Err   error    // of a path that was given, else nil
}

func (e *NotFoundError) Error() string {
	how := howToInstall[runtime.GOOS]
	if how == "" {
		how = "Google Chrome from google.com/chrome"
	}
	return fmt.Sprintf("no Chrome or Chromium was found (tried %s): install one (%s), or name it in $%s",
		strings.Join(e.Tried, ", "), how, EnvPath)
}

func (e *NotFoundError) Unwrap() error { return e.Err }

// Find returns the path of the browser that Launch would start.
func Find(o *Options) (string, error) {
	given := os.Getenv(EnvPath)
	if o != nil && o.Path != "" {
		given = o.Path
	}
	if given != "" {
		path, err := exec.LookPath(given)
		if err != nil {
			return "", &NotFoundError{Tried: []string{given}, Err: err}
		}
		return path, nil
	}
	tried := append(append([]string{}, names...), places[runtime.GOOS]...)
	for _, name := range tried {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", &NotFoundError{Tried: tried}
}

var versionNumber = regexp.MustCompile(`\d+\.\d+\.\d+(\.\d+)?`)

// versions remembers what browsers answered, as long as their file is the same.
var versions sync.Map // of string by file

type file struct {
	path    string
	changed time.Time
}

// Version asks a browser for its version, like 156.0.8078.79. It asks once.
func Version(ctx context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", &NotFoundError{Tried: []string{path}, Err: err}
	}
	key := file{path, info.ModTime()}
	if known, ok := versions.Load(key); ok {
		return known.(string), nil
	}
	version, err := askForVersion(ctx, path)
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", path, err)
	}
	versions.Store(key, version)
	return version, nil
}

func askForVersion(ctx context.Context, path string) (string, error) {
	cmd := exec.CommandContext(ctx, path, "--version")
	// A wrapper's child would outlive it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", err
	}
	version := versionNumber.FindString(string(out))
	if version == "" {
		return "", errors.New("its answer holds none")
	}
	return version, nil
}
