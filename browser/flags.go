package browser

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/go-reprise/reprise/internal/gate"
)

// quietFlags keep the browser from doing anything by itself: no traffic of its
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
	"--use-mock-keychain",
	// Chrome 156 makes two pages of its own for the address bar of each window, also of one
	// that nobody sees: that costs more than a small page of the person's.
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
	if !sandbox {
		args = append(args, "--no-sandbox")
	}
	if sharedMemoryIsSmall() {
		args = append(args, "--disable-dev-shm-usage")
	}
	return joinLists(append(args, o.Args...))
}

// gateFlags have the browser's own context use a gate, and nothing that is no connection
// go past it: of WebRTC what is sent without one.
func gateFlags(g *gate.Gate) []string {
	if g == nil {
		return nil
	}
	return []string{"--proxy-server=" + g.Proxy(), "--proxy-bypass-list=" + gate.Bypass, "--webrtc-ip-handling-policy=disable_non_proxied_udp"}
}

// headlessFlags make a browser without a window look like one with a screen.
func headlessFlags(o *Options, version string) []string {
	return []string{
		"--headless=new",
		"--mute-audio",
		"--user-agent=" + userAgent(version, runtime.GOOS),
		// No window is larger than its screen.
		fmt.Sprintf("--screen-info={%dx%d}", max(o.Width, DefaultWidth), max(o.Height, DefaultHeight)),
	}
}

// userAgent is what the browser itself says, without "Headless". Chrome tells
// only its major version (https://www.chromium.org/updates/ua-reduction/). As a
// flag, workers say it too.
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
