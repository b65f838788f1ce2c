package browser

import (
	"slices"
	"strings"
	"testing"
)

func TestNoArgumentWeakensTheBrowserOrTellsThatItIsControlled(t *testing.T) {
	t.Parallel()
	for _, o := range []*Options{nil, {Headed: true}, {DebugPort: true}, {Headed: true, Width: 800, Height: 600}} {
		args := arguments(o.orDefaults(), "/profile", "156.0.8078.79", true)
		line := strings.Join(args, " ")
		for _, bad := range []string{
			"enable-automation", "site-isolation", "site-per-process", "disable-web-security", "no-sandbox",
			"ignore-certificate", "HeadlessChrome", "remote-allow-origins", "remote-debugging-address",
		} {
			if strings.Contains(line, bad) {
				t.Errorf("%+v: %s is among the arguments", o, bad)
			}
		}
		for _, needed := range []string{"--remote-debugging-pipe", "--user-data-dir=/profile", "--disable-blink-features=AutomationControlled"} {
			if !slices.Contains(args, needed) {
				t.Errorf("%+v: %s is missing", o, needed)
			}
		}
		headed := o != nil && o.Headed
		if strings.Contains(line, "--headless=new") == headed || strings.Contains(line, "--user-agent=") == headed {
			t.Errorf("%+v: headless is wrong: %s", o, line)
		}
		if port := o != nil && o.DebugPort; strings.Contains(line, "--remote-debugging-port=") != port {
			t.Errorf("%+v: the port is wrong: %s", o, line)
		}
	}
	if !slices.Contains(arguments((&Options{}).orDefaults(), "", "1", false), "--no-sandbox") {
		t.Error("without a sandbox, --no-sandbox is missing")
	}
}

func TestListsOfFeaturesAreJoined(t *testing.T) {
	t.Parallel()
	got := joinLists([]string{"--disable-features=A,B", "--mute-audio", "--lang=de", "--disable-features=C", "--enable-features=D", "--lang=fr"})
	want := []string{"--disable-features=A,B,C", "--mute-audio", "--lang=de", "--enable-features=D", "--lang=fr"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestUserAgentIsThatOfTheSystem(t *testing.T) {
	t.Parallel()
	for system, want := range map[string]string{
		"linux":  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
		"darwin": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
	} {
		if got := userAgent("156.0.8078.79", system); got != want {
			t.Errorf("%s: %s", system, got)
		}
	}
}
