package browser

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// quietFlags keep the browser from doing anything by itself: no traffic of its
// own, no questions, no throttling of what is out of view.
var quietFlags = []string{
	"--no-first-run",
	"--no-default-browser-check",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
	"--disable-quic",
	"--disable-default-apps",
	"--disable-breakpad",
	"--disable-client-side-phishing-detection",
	"--disable-background-timer-throttling",
	"--disable-backgrounding-occluded-windows",
	"--disable-renderer-backgrounding",
	"--disable-ipc-flooding-protection",
	"--disable-hang-monitor",
	"--metrics-recording-only",
	"--no-service-autorun",
	"--password-store=basic",
	"--use-mock-keychain",
	"--mute-audio",
	"--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,CertificateTransparencyComponentUpdater",
}

// flags are the arguments of a launch. Site isolation is left on, and nothing
// says that the browser is controlled: no --enable-automation, and no "Headless"
// in the user agent. Measured with public detectors, this needs no script in
// the page.
func flags(o *Options, profile, version string) []string {
	args := append([]string{}, quietFlags...)
	args = append(args,
		"--user-data-dir="+profile,
		"--disable-blink-features=AutomationControlled",
		fmt.Sprintf("--window-size=%d,%d", o.Width, o.Height),
		"--remote-debugging-pipe",
	)
	if o.DebugPort {
		args = append(args, "--remote-debugging-port=0")
	}
	if !o.Headed {
		args = append(args, "--headless=new", "--user-agent="+userAgent(version),
			fmt.Sprintf("--screen-info={%dx%d}", o.Width, o.Height))
	}
	args = append(args, containerFlags(o)...)
	return append(append(args, o.Args...), "about:blank")
}

// userAgent is what the browser itself says, without "Headless". Chrome tells
// only its major version (https://www.chromium.org/updates/ua-reduction/).
func userAgent(version string) string {
	system := "X11; Linux x86_64"
	if runtime.GOOS == "darwin" {
		system = "Macintosh; Intel Mac OS X 10_15_7"
	}
	major, _, _ := strings.Cut(version, ".")
	return fmt.Sprintf("Mozilla/5.0 (%s) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%s.0.0.0 Safari/537.36", system, major)
}

// containerFlags are what a container or root makes necessary, and nothing else.
func containerFlags(o *Options) []string {
	var args []string
	if why := sandboxImpossible(); why != "" {
		o.Logger.Info("the browser runs without its sandbox", "because", why)
		args = append(args, "--no-sandbox")
	}
	if sharedMemoryIsSmall() {
		o.Logger.Info("the browser uses /tmp for shared memory", "because", "/dev/shm is small")
		args = append(args, "--disable-dev-shm-usage")
	}
	return args
}

// sandboxImpossible says why Chrome's sandbox cannot work here, "" where it can.
func sandboxImpossible() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	if os.Geteuid() == 0 {
		return "it refuses its sandbox to root"
	}
	if userNamespaces() || setuidSandbox() {
		return ""
	}
	return "user namespaces are off and there is no setuid sandbox"
}

// userNamespaces reports whether an ordinary user may make them: Chrome's
// sandbox is built of them.
func userNamespaces() bool {
	if readsZero("/proc/sys/user/max_user_namespaces") || readsZero("/proc/sys/kernel/unprivileged_userns_clone") {
		return false
	}
	return !readsOne("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
}

func setuidSandbox() bool {
	for _, path := range []string{"/opt/google/chrome/chrome-sandbox", "/usr/lib/chromium/chrome-sandbox"} {
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSetuid != 0 {
			return true
		}
	}
	return false
}

func readsZero(path string) bool { return reads(path, "0") }
func readsOne(path string) bool  { return reads(path, "1") }

func reads(path, want string) bool {
	data, err := os.ReadFile(path)
	return err == nil && strings.TrimSpace(string(data)) == want
}
