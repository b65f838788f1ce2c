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

// NotFoundError says that no browser was found, and how to get one.
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

// Find gives the path of the browser that Launch would start.
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

// Version asks a browser for its version, like 156.0.8078.79.
func Version(ctx context.Context, path string) (string, error) {
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", path, err)
	}
	version := versionNumber.FindString(string(out))
	if version == "" {
		return "", fmt.Errorf("asking %s for its version: %w", path, errors.New("it gave none"))
	}
	return version, nil
}
