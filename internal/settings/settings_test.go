package settings_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/settings"
)

// load reads a file of this text, with variables NAME=VALUE, and flags path=value.
func load(t *testing.T, text string, env []string, flags ...string) (*settings.Settings, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := &settings.Options{File: file, Env: func(name string) string {
		for _, v := range env {
			if value, is := strings.CutPrefix(v, name+"="); is {
				return value
			}
		}
		return ""
	}}
	for _, f := range flags {
		path, value, _ := strings.Cut(f, "=")
		o.Flags = append(o.Flags, settings.Flag{Path: path, Name: "--" + path, Text: value})
	}
	return settings.Load(o)
}

func TestFlagOverridesEnvironmentOverridesFileOverridesDefault(t *testing.T) {
	t.Parallel()
	const path = "handoff.timeout"
	file, env, flag := "handoff: {timeout: 20m}", "REPRISE_HANDOFF_TIMEOUT=15m", "handoff.timeout=12m"
	for _, c := range []struct {
		text   string
		env    []string
		flags  []string
		want   time.Duration
		origin settings.Origin
	}{
		{"", nil, nil, 30 * time.Minute, settings.Origin{Source: settings.FromDefault}},
		{file, nil, nil, 20 * time.Minute, settings.Origin{Source: settings.FromFile, Line: 1}},
		{file, []string{env}, nil, 15 * time.Minute, settings.Origin{Source: settings.FromEnv, Name: "REPRISE_HANDOFF_TIMEOUT"}},
		{file, []string{env}, []string{flag}, 12 * time.Minute, settings.Origin{Source: settings.FromFlag, Name: "--handoff.timeout"}},
	} {
		s, err := load(t, c.text, c.env, c.flags...)
		if err != nil {
			t.Fatal(err)
		}
		if s.Handoff.Timeout != c.want || s.Origin(path) != c.origin {
			t.Errorf("file %q, environment %q, flags %q: %v from %+v, want %v from %+v", c.text, c.env, c.flags, s.Handoff.Timeout, s.Origin(path), c.want, c.origin)
		}
	}
}

func TestWholeFileIsRead(t *testing.T) {
	t.Parallel()
	s, err := load(t, `# a comment
browser:
  provider: steel
  region: eu-central-1
  keep_alive: 1h30m
  block_ads: true
session: {timeout: 1200s, idle_reminder: 60s, concurrent: 3}
handoff: {timeout: 10m, warning: 1m}
notify:
  telegram: {chat: -1001234567890}
  webhook: {url: "https://hooks.example/reprise"}
  desktop: true
logins: {save: true}
emulate:
  device: Pixel 2
  locale: de-DE
  timezone: Europe/Berlin
  geolocation: 52.52,13.405,20
  permissions: [notifications, clipboard-read]
  color_scheme: dark
  offline: true
  headers: ["https://api.example=X-Tenant: 7"]
  proxy: http://proxy.example:3128
  downloads: /var/downloads
human_in_loop: {mode: act, detection: {threshold: 0.9}}
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := settings.Default()
	want.Browser = settings.Browser{Provider: settings.ProviderSteel, Region: "eu-central-1", KeepAlive: 90 * time.Minute, BlockAds: true}
	want.Session = settings.Session{Timeout: 20 * time.Minute, IdleReminder: time.Minute, Concurrent: 3}
	want.Handoff = settings.Handoff{Timeout: 10 * time.Minute, Warning: time.Minute}
	want.Notify = settings.Notify{TelegramChat: -1001234567890, Webhook: "https://hooks.example/reprise", Desktop: true}
	want.Logins.Save = true
	for _, d := range []string{
		cmp.Diff(want.Browser, s.Browser), cmp.Diff(want.Session, s.Session), cmp.Diff(want.Handoff, s.Handoff),
		cmp.Diff(want.Notify, s.Notify), cmp.Diff(want.Logins, s.Logins),
	} {
		if d != "" {
			t.Error(d)
		}
	}
	o := s.PageOptions()
	if len(o.Headers) != 1 || o.Headers[0].Origin != "https://api.example" || o.Headers[0].Name != "X-Tenant" || o.Headers[0].Value.Reveal() != "7" {
		t.Errorf("headers: %+v", o.Headers)
	}
	o.Headers = nil
	page := browser.PageOptions{
		Device: "Pixel 2", Locale: "de-DE", TimeZone: "Europe/Berlin", Geolocation: &browser.Geolocation{Latitude: 52.52, Longitude: 13.405, Accuracy: 20},
		Permissions: []string{"notifications", "clipboard-read"}, ColorScheme: "dark", Offline: true,
		Proxy: &browser.Proxy{Server: "http://proxy.example:3128"}, Downloads: "/var/downloads",
	}
	if got, want := fmt.Sprintf("%+v %+v %+v", *o, *o.Geolocation, o.Proxy.Server), fmt.Sprintf("%+v %+v %+v", page, *page.Geolocation, page.Proxy.Server); stripped(got) != stripped(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s.HumanInLoop.Mode != "act" || s.HumanInLoop.Detection.Threshold != 0.9 {
		t.Errorf("the guard's settings: %+v", s.HumanInLoop)
	}
}

// stripped leaves the addresses of pointers out.
func stripped(text string) string {
	return regexp.MustCompile(`0x[0-9a-f]+`).ReplaceAllString(text, "")
}

func TestListOfAFlagReplacesThatOfTheFile(t *testing.T) {
	t.Parallel()
	file := "emulate: {permissions: [camera, microphone]}"
	s, err := load(t, file, nil, "emulate.permissions=midi", "emulate.permissions=notifications")
	if err != nil || cmp.Diff([]string{"midi", "notifications"}, s.Emulate.Permissions) != "" {
		t.Errorf("%q, %v", s.Emulate.Permissions, err)
	}
	s, err = load(t, file, []string{"REPRISE_EMULATE_PERMISSIONS=midi\nnotifications\n"})
	if err != nil || cmp.Diff([]string{"midi", "notifications"}, s.Emulate.Permissions) != "" {
		t.Errorf("%q, %v", s.Emulate.Permissions, err)
	}
	if s, err = load(t, "", nil); err != nil || s.PageOptions() != nil {
		t.Errorf("without settings pages emulate %+v, %v", s.PageOptions(), err)
	}
}

func TestWhatIsWrongIsRefusedWithItsPathLineAndColumn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"unknown section", "brwser:\n  region: x\n", "1:1 brwser: unknown key; there are browser, "},
		{"unknown key", "browser:\n  regoin: x\n", "2:3 browser.regoin: unknown key; there are provider, region, "},
		{"unknown key below", "notify:\n  telegram:\n    chats: 1\n", "3:5 notify.telegram.chats: unknown key; there are chat"},
		{"text for a number", "session:\n  concurrent: two\n", "2:15 session.concurrent: is not a whole number"},
		{"fraction for a number", "session: {concurrent: 1.5}", "1:23 session.concurrent: is not a whole number"},
		{"text for true", "browser: {block_ads: 'true'}", "1:22 browser.block_ads: is not true or false"},
		{"number for a text", "browser: {region: 7}", "1:19 browser.region: is not a text"},
		{"list for a text", "browser: {region: [a]}", "1:19 browser.region: is not a text"},
		{"text for a section", "browser: local", "1:10 browser: is not a mapping"},
		{"list at the top", "- browser", "1:1 : is not a mapping"},
		{"time without unit", "handoff: {timeout: 1800}", "1:20 handoff.timeout: is not a duration with its unit"},
		{"time out of range", "handoff:\n  timeout: 2h\n", "2:12 handoff.timeout: must be at most 1h"},
		{"number out of range", "session: {concurrent: 0}", "1:23 session.concurrent: must be at least 1"},
		{"against another", "handoff: {timeout: 5m, warning: 6m}", "1:33 handoff.warning: must be below handoff.timeout, 5m"},
		{"key twice", "browser: {region: a, region: b}", "1:22 browser.region: is set twice"},
		{"alias", "browser: {region: &r a}\nlogins: *r\n", "2:9 logins: is an alias"},
		{"unknown provider", "browser: {provider: acme}", "1:21 browser.provider: must be local, browserbase, steel, or the address"},
		{"address with a key", "browser: {provider: 'wss://b.example/?apiKey=abc'}", "1:21 browser.provider: an address with a user or a query holds a key"},
		{"key of a token", "notify: {telegram: {bot_token: x}}", "1:21 notify.telegram.bot_token: looks like a key or a token"},
		{"token", "browser: {region: ghp_0123456789abcdefghijABCDEFGHIJ012345}", "1:19 browser.region: looks like a key or a token"},
		{"open webhook", "notify: {webhook: {url: 'http://hooks.example/'}}", "1:25 notify.webhook.url: must be an https address"},
		{"no device", "emulate: {device: Pixle 2}", `1:19 emulate.device: "Pixle 2" is not known; similar are Pixel 2`},
		{"no list", "emulate: {permissions: camera}", "1:24 emulate.permissions: is not a list"},
		{"item of a list", "emulate:\n  permissions:\n    - 7\n", "3:7 emulate.permissions[0]: is not a text"},
		{"no place", "emulate: {geolocation: '52'}", "1:24 emulate.geolocation: is not LATITUDE,LONGITUDE"},
		{"place off the map", "emulate: {geolocation: '99,0'}", "1:24 emulate.geolocation: \"{99 0 0}\" is not a latitude"},
		{"header with a key", "emulate: {headers: ['https://a.example=Authorization: x']}", "1:21 emulate.headers[0]: Authorization may hold a key"},
		{"header to everyone", "emulate: {headers: ['*=X: y']}", `1:21 emulate.headers[0]: "* X" needs an exact origin`},
		{"proxy with a password", "emulate: {proxy: 'http://a:b@p.example'}", "1:18 emulate.proxy: looks like a key or a token"},
		{"the guard's", "human_in_loop:\n  detection:\n    threshold: 7\n", "3:16 human_in_loop.detection.threshold: 7 is not between 0 and 1"},
		{"no YAML", "browser: [", "0:0 : is not YAML: "},
		{"two documents", "browser: {}\n---\nbrowser: {}\n", "0:0 : is not YAML: a second document"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := load(t, c.text, nil)
			var wrong *settings.Error
			if !errors.As(err, &wrong) || len(wrong.Problems) != 1 {
				t.Fatalf("got %v and %v, want one problem: %s", s, err, c.want)
			}
			p := wrong.Problems[0]
			if got := fmt.Sprintf("%d:%d %s: %s", p.Origin.Line, p.Column, p.Path, p.Reason); !strings.HasPrefix(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestAllProblemsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	_, err := load(t, "browser: {region: 7}\nsession: {concurrent: 0}\n", []string{"REPRISE_HANDOFF_TIMEOUT=soon"}, "browser.block_ads=perhaps")
	var wrong *settings.Error
	if !errors.As(err, &wrong) || len(wrong.Problems) != 4 {
		t.Fatalf("got %v, want four problems", err)
	}
	for _, want := range []string{
		"config.yaml:1:19: browser.region: ", "config.yaml:2:23: session.concurrent: ",
		"$REPRISE_HANDOFF_TIMEOUT: handoff.timeout: ", "--browser.block_ads: browser.block_ads: is not true or false",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
}

func TestSecretsInAddressesAreNotListed(t *testing.T) {
	t.Parallel()
	s, err := load(t, "", []string{"REPRISE_BROWSER=wss://me:pass@b.example:99/path?apiKey=canary", "REPRISE_NOTIFY_WEBHOOK_URL=https://hooks.example/services/canary"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Browser.Provider != "wss://me:pass@b.example:99/path?apiKey=canary" {
		t.Errorf("the provider is %s", s.Browser.Provider)
	}
	listed := fmt.Sprint(s.List())
	if strings.Contains(listed, "canary") || strings.Contains(listed, "pass") || !strings.Contains(listed, "wss://b.example:99/…") {
		t.Error(listed)
	}
}

func TestGuardsSettingsAreListedWithTheirPlace(t *testing.T) {
	t.Parallel()
	s, err := load(t, "human_in_loop:\n  detection:\n    threshold: 0.9\n    patterns: {ask: [over and out]}\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, shown := range s.List() {
		got[shown.Path] = fmt.Sprint(shown.Value, " ", shown.Source, " ", shown.Line)
	}
	for path, want := range map[string]string{
		"human_in_loop.mode": "log default 0", "human_in_loop.detection.threshold": "0.9 file 3",
		"human_in_loop.detection.patterns.ask": "[over and out] file 4", "human_in_loop.recovery.max_attempts": "3 default 0",
	} {
		if got[path] != want {
			t.Errorf("%s is %q, want %q", path, got[path], want)
		}
	}
}

func TestFileIsTheNamedElseOfTheEnvironmentElseTheUsers(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	s, err := settings.Load(nil)
	if err != nil || s.File != "" {
		t.Fatalf("without a file: %q, %v", s.File, err)
	}
	users, err := settings.DefaultFile()
	if err != nil {
		t.Fatal(err)
	}
	ofEnv, named := filepath.Join(home, "env.yaml"), filepath.Join(home, "named.yaml")
	if err := os.MkdirAll(filepath.Dir(users), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{users, ofEnv, named} {
		if err := os.WriteFile(file, []byte("browser: {region: r}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(o *settings.Options, want string) {
		t.Helper()
		if s, err := settings.Load(o); err != nil || s.File != want {
			t.Errorf("got %v, %v, want %s", s, err, want)
		}
	}
	read(nil, users)
	t.Setenv(settings.FileEnv, ofEnv)
	read(nil, ofEnv)
	read(&settings.Options{File: named}, named)
	if _, err := settings.Load(&settings.Options{File: filepath.Join(home, "none.yaml")}); err == nil || !strings.Contains(err.Error(), "none.yaml: no such file") {
		t.Errorf("a file that is named has to exist: %v", err)
	}
}

func TestFileThatIsTooLargeIsNotRead(t *testing.T) {
	t.Parallel()
	_, err := load(t, strings.Repeat("#\n", settings.MaxSize), nil)
	if err == nil || !strings.Contains(err.Error(), "is larger than") {
		t.Error(err)
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{"browser: {region: a}", "a: &a [*a]", "human_in_loop: {detection: {patterns: {ask: [x]}}}", "? [a]\n: b", "browser: !!binary aGVsbG8="} {
		f.Add(seed)
	}
	file := filepath.Join(f.TempDir(), "config.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := settings.Load(&settings.Options{File: file, Env: func(string) string { return "" }})
		var wrong *settings.Error
		if (s == nil) == (err == nil) || err != nil && !errors.As(err, &wrong) {
			t.Errorf("%v, %v", s, err)
		}
	})
}

func TestWhatIsReadToSetABrowserIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings.Default().List() {
		if (s.Path == "browser.provider" || strings.HasPrefix(s.Path, "emulate.")) && !strings.Contains(string(page), "| `"+s.Path+"` |") {
			t.Errorf("docs/configuration.md does not have %s", s.Path)
		}
	}
}
