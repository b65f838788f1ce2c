package browser_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/target"
)

// facts are what a place where scripts run tells of the browser, and what the server hears
// of it.
type facts struct {
	Languages, Locale, Zone, Agent string
	Hints                          string // platform and mobile, "" where there are none
	Heard                          heard
}

type heard struct{ Language, Agent, Hints string }

// tellFacts is the source of an asynchronous function that returns the facts.
const tellFacts = `async () => ({
	languages: navigator.languages.join(), locale: Intl.NumberFormat().resolvedOptions().locale,
	zone: Intl.DateTimeFormat().resolvedOptions().timeZone + " " + new Date(0).getHours(), agent: navigator.userAgent,
	hints: navigator.userAgentData?.platform ? navigator.userAgentData.platform + " " + navigator.userAgentData.mobile : "",
	heard: await (await fetch("/heard?" + Math.random())).json(),
})`

// emulationSite serves a page from which facts are told of every place: places() returns them
// by name.
func emulationSite(w http.ResponseWriter, r *http.Request) {
	tell := "const tell = " + tellFacts + ";\n"
	script := func(text string) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, tell+text)
	}
	switch r.URL.Path {
	case "/heard":
		h := heard{r.Header.Get("Accept-Language"), r.Header.Get("User-Agent"), strings.Trim(r.Header.Get("Sec-Ch-Ua-Platform"), `"`) + " " + r.Header.Get("Sec-Ch-Ua-Mobile")}
		_ = json.NewEncoder(w).Encode(h)
	case "/worker.js":
		script("tell().then(postMessage)")
	case "/shared.js":
		script("onconnect = e => tell().then(f => e.ports[0].postMessage(f))")
	case "/service.js":
		script("onmessage = e => e.waitUntil(tell().then(f => e.source.postMessage(f)))")
	case "/nested.js":
		script(`new Worker("/worker.js").onmessage = e => postMessage(e.data)`)
	case "/tell":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<script>`+tell+`tell().then(f => (opener ?? parent).postMessage(f, "*"))</script>`)
	default:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><meta name=viewport content="width=device-width"><script>`+tell+`
const message = (from, start) => new Promise(done => { from.addEventListener("message", e => done(e.data), {once: true}); start?.() });
const shown = url => message(window, () => { const f = document.createElement("iframe"); f.src = url; document.body.append(f) });
async function places() {
	const all = {page: await tell()};
	all.frame = await shown("/tell");
	all["frame of another site"] = await shown("http://other.test/tell");
	all.popup = await message(window, () => window.open("/tell"));
	all["popup of another site"] = await message(window, () => window.open("http://other.test/tell"));
	all.worker = await message(new Worker("/worker.js"));
	all["nested worker"] = await message(new Worker("/nested.js"));
	const shared = new SharedWorker("/shared.js");
	all["shared worker"] = await message(shared.port, () => shared.port.start());
	if (navigator.serviceWorker) {
		await navigator.serviceWorker.register("/service.js");
		const ready = await navigator.serviceWorker.ready;
		all["service worker"] = await message(navigator.serviceWorker, () => ready.active.postMessage(""));
	}
	return all;
}</script><body>`)
	}
}

// with opens a page of a new browser with options, at a public address.
func (n *internet) with(o *browser.PageOptions, url string) *browser.Page {
	n.t.Helper()
	b := n.launch(&browser.Options{Args: []string{"--disable-popup-blocking"}})
	p, err := b.NewPageWith(within(n.t), url, o)
	if err != nil {
		n.t.Fatal(err)
	}
	return p
}

func TestLocaleAndTimeZoneAgreeEverywhere(t *testing.T) {
	t.Parallel()
	p := newInternet(t, emulationSite).with(&browser.PageOptions{Locale: "de-DE", TimeZone: "Asia/Tokyo"}, "http://site.test/")
	agent := eval[string](t, p, "navigator.userAgent")
	for place, got := range eval[map[string]facts](t, p, "places()") {
		want := facts{
			Languages: "de-DE,de", Locale: "de-DE", Zone: "Asia/Tokyo 9", Agent: agent, Hints: got.Hints,
			Heard: heard{Language: "de-DE,de;q=0.9", Agent: agent, Hints: got.Heard.Hints},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", place, d)
		}
	}
}

func TestDeviceIsOneEverywhere(t *testing.T) {
	t.Parallel()
	phone := &browser.PageOptions{Device: "Pixel 2"}
	t.Run("of a page", func(t *testing.T) {
		t.Parallel()
		isPixel(t, newInternet(t, emulationSite).with(phone, "http://site.test/"), "shared worker", "service worker")
	})
	t.Run("of a browser", func(t *testing.T) {
		t.Parallel()
		b := newInternet(t, emulationSite).launch(&browser.Options{Page: phone, Args: []string{"--disable-popup-blocking"}})
		isPixel(t, open(t, b, "http://site.test/"))
	})
}

// isPixel checks that a page and all its places are on a phone; in those that are excepted the
// server alone is told.
func isPixel(t *testing.T, p *browser.Page, excepted ...string) {
	t.Helper()
	type screen struct {
		Width, Touches int
		Ratio          float64
		Coarse, Touch  bool
	}
	got := eval[screen](t, p, `({width: innerWidth, ratio: devicePixelRatio, touches: navigator.maxTouchPoints,
		coarse: matchMedia("(pointer: coarse)").matches, touch: "ontouchstart" in window})`)
	if d := cmp.Diff(screen{Width: 411, Touches: 5, Ratio: 2, Coarse: true, Touch: true}, got); d != "" {
		t.Error(d)
	}
	type hints struct{ Brand, Model, Platform, PlatformVersion string }
	told := eval[hints](t, p, `navigator.userAgentData.getHighEntropyValues(["model", "platformVersion"]).then(h =>
		({brand: h.brands.find(b => b.brand === "Chromium")?.version, model: h.model, platform: h.platform, platformVersion: h.platformVersion}))`)
	_, version, _ := strings.Cut(eval[string](t, p, "navigator.userAgent"), "Chrome/")
	version, _, _ = strings.Cut(version, ".")
	if d := cmp.Diff(hints{Brand: version, Model: "Pixel 2", Platform: "Android", PlatformVersion: "8.0"}, told); d != "" {
		t.Errorf("client hints:\n%s", d)
	}
	for place, got := range eval[map[string]facts](t, p, "places()") {
		if slices.Contains(excepted, place) {
			got.Agent = got.Heard.Agent
		}
		if !strings.Contains(got.Agent, "Android 8.0; Pixel 2") || got.Heard.Agent != got.Agent {
			t.Errorf("%s: the user agent is %s, and the server hears %s", place, got.Agent, got.Heard.Agent)
		}
		if !strings.Contains(got.Agent, " Chrome/") || strings.Contains(got.Agent, "Chrome/114") {
			t.Errorf("%s: the user agent %s does not have this browser's version", place, got.Agent)
		}
		if got.Hints != "" && got.Hints != "Android true" || got.Heard.Hints != " " && got.Heard.Hints != "Android ?1" {
			t.Errorf("%s: the client hints are %q, and the server hears %q", place, got.Hints, got.Heard.Hints)
		}
	}
}

func TestWhatThereIsNotIsRefusedWithWhatComesClosest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    browser.PageOptions
		near string
	}{
		{browser.PageOptions{Device: "Pixle 2"}, "Pixel 2"},
		{browser.PageOptions{Device: "ipad p"}, "iPad Pro"},
		{browser.PageOptions{TimeZone: "Berlin"}, "Europe/Berlin"},
		{browser.PageOptions{TimeZone: "Europe/Berln"}, "Europe/Berlin"},
		{browser.PageOptions{TimeZone: "america/new_york"}, "America/New_York"},
		{browser.PageOptions{Locale: "de_DE"}, "de-DE"},
		{browser.PageOptions{Locale: "germ"}, ""},
		{browser.PageOptions{ColorScheme: "blue"}, ""},
		{browser.PageOptions{Geolocation: &browser.Geolocation{Latitude: 91}}, ""},
		{browser.PageOptions{Headers: []browser.Header{{Origin: "https://a.example/path", Name: "X"}}}, ""},
		{browser.PageOptions{Headers: []browser.Header{{Origin: "https://a.example", Name: "X Y"}}}, ""},
		{browser.PageOptions{Headers: []browser.Header{{Origin: "https://a.example", Name: "Host"}}}, ""},
		{browser.PageOptions{Proxy: &browser.Proxy{Server: "http://me:canary@p.example"}}, ""},
		{browser.PageOptions{Proxy: &browser.Proxy{Server: "ftp://p.example"}}, ""},
		{browser.PageOptions{Downloads: "here"}, ""},
	} {
		var refused *browser.PageOptionError
		if err := c.o.Check(); !errors.As(err, &refused) || c.near != "" && (len(refused.Near) == 0 || refused.Near[0] != c.near) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%+v: %v, similar are %q, want %q first", c.o, err, refused, c.near)
		}
	}
}

func TestLocaleAndTimeZoneOutliveThePageThatOpenedAnother(t *testing.T) {
	t.Parallel()
	p := newInternet(t, emulationSite).with(&browser.PageOptions{Locale: "de-DE", TimeZone: "Asia/Tokyo"}, "http://site.test/")
	byUser(t, p, `window.open("/")`)
	popup, err := p.Target().WaitPopup(within(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Target().Close(within(t)); err != nil { // not the context
		t.Fatal(err)
	}
	var got struct{ Zone, Locale string }
	page := pageOf(t, p.Browser(), popup.ID())
	got.Zone = eval[string](t, page, "Intl.DateTimeFormat().resolvedOptions().timeZone")
	got.Locale = eval[string](t, page, "Intl.NumberFormat().resolvedOptions().locale")
	if got.Zone != "Asia/Tokyo" || got.Locale != "de-DE" {
		t.Errorf("after its opener was closed, a popup is in %+v", got)
	}
}

// pageOf returns the tab of an ID.
func pageOf(t *testing.T, b *browser.Browser, id string) *browser.Page {
	t.Helper()
	pages, err := b.Pages(within(t))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(pages, func(p *browser.Page) bool { return p.ID() == id })
	if i < 0 {
		t.Fatalf("there is no page %s", id)
	}
	return pages[i]
}

func TestHeadersGoToTheirOriginAlone(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	got := map[string]string{} // what came with a request, by host and path
	site := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		got[r.Host+r.URL.Path] = r.Method + " " + strings.Join(r.Header.Values("X-Tenant"), ",")
		mu.Unlock()
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "text/html")
		switch to := r.URL.Query().Get("to"); {
		case to != "":
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		case strings.HasSuffix(r.URL.Path, ".js"):
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `self.onmessage = e => { const p = fetch(e.data); (e.waitUntil ?? (() => {})).call(e, p); p.then(() => (e.source ?? self).postMessage("")) }`)
		default:
			fmt.Fprint(w, `<title>ready</title><body>`)
		}
	})
	key, err := automation.NewSecret("tenant-canary")
	if err != nil {
		t.Fatal(err)
	}
	o := &browser.PageOptions{Headers: []browser.Header{{Origin: "http://site.test", Name: "X-Tenant", Value: key}}}
	if printed := fmt.Sprintf("%v %+v", o, o.Headers); strings.Contains(printed, "canary") {
		t.Error(printed)
	}
	p := site.with(o, "http://site.test/document")
	eval[bool](t, p, `(async () => {
		const answered = (from, start) => new Promise(done => { from.onmessage = done; start() });
		const frame = url => new Promise(done => { const f = document.createElement("iframe"); f.onload = done; f.src = url; document.body.append(f) });
		await fetch("/fetch");
		await fetch("/post", {method: "POST", body: "x", headers: {"X-Tenant": "of the page"}});
		await fetch("http://other.test/fetch");
		await fetch("http://site.test/there?to=http://other.test/redirected");
		await fetch("http://other.test/back?to=http://site.test/redirected");
		await frame("/frame");
		await frame("http://other.test/frame");
		await frame("/frame-there?to=http://other.test/frame-redirected");
		const w = new Worker("/worker.js");
		await answered(w, () => w.postMessage("/from-worker"));
		await answered(w, () => w.postMessage("http://other.test/from-worker"));
		await navigator.serviceWorker.register("/service.js");
		const ready = await navigator.serviceWorker.ready;
		await answered(navigator.serviceWorker, () => ready.active.postMessage("/from-service"));
		await answered(navigator.serviceWorker, () => ready.active.postMessage("http://other.test/from-service"));
		return true;
	})()`)
	byUser(t, p, `window.open("/popup")`)
	popup, err := p.Target().WaitPopup(within(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := popup.Loaded(within(t)); err != nil {
		t.Fatal(err)
	}
	if err := p.Navigate(within(t), "http://site.test/away?to=http://other.test/document"); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	delete(got, "site.test/favicon.ico")
	delete(got, "other.test/favicon.ico")
	delete(got, "site.test/service.js") // loaded where no one can add to it
	const with = "tenant-canary"
	want := map[string]string{
		"site.test/document": "GET " + with, "site.test/fetch": "GET " + with, "site.test/post": "POST " + with,
		"other.test/fetch": "GET ", "site.test/there": "GET " + with, "other.test/redirected": "GET ",
		"other.test/back": "GET ", "site.test/redirected": "GET " + with,
		"site.test/frame": "GET " + with, "other.test/frame": "GET ", "site.test/frame-there": "GET " + with, "other.test/frame-redirected": "GET ",
		"site.test/worker.js": "GET " + with, "site.test/from-worker": "GET " + with, "other.test/from-worker": "GET ",
		"site.test/from-service": "GET " + with, "other.test/from-service": "GET ",
		"site.test/popup": "GET " + with, "site.test/away": "GET " + with, "other.test/document": "GET ",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestHeadersAreAddedToWhatIsHeldAndSentOnce(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	site := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			got <- r.Header.Get("X-Tenant")
		}
	})
	value, err := automation.NewSecret("seven")
	if err != nil {
		t.Fatal(err)
	}
	p := site.with(&browser.PageOptions{Headers: []browser.Header{{Origin: "http://site.test", Name: "X-Tenant", Value: value}}}, "http://site.test/")
	fresh, err := p.Target().FreshConnections(within(t))
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Stop()
	holding, err := p.Target().Hold(within(t), func(*target.Request) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	defer holding.Stop()
	byUser(t, p, `void fetch("/pay", {method: "POST", body: "x"})`)
	if err := holding.WaitHeld(within(t)); err != nil {
		t.Fatal(err)
	}
	if err := holding.Continue(within(t), holding.Held()[0]); err != nil {
		t.Fatal(err)
	}
	if tenant := <-got; tenant != "seven" {
		t.Errorf("the request that was held came with %q", tenant)
	}
	holding.Stop()
	fresh.Stop()
	byUser(t, p, `void fetch("/later", {method: "POST", body: "x"})`)
	if tenant := <-got; tenant != "seven" {
		t.Errorf("a request that no one holds any more came with %q", tenant)
	}
}

// connectProxy is an HTTP proxy that connects everyone who has its password to a server.
func connectProxy(t *testing.T, to string) (address string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var seen []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Method+" "+r.Host)
		mu.Unlock()
		credentials := &http.Request{Header: http.Header{"Authorization": r.Header.Values("Proxy-Authorization")}}
		if user, password, _ := credentials.BasicAuth(); user != "ada" || password != "proxy-canary" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		server, err := net.Dial("tcp", to)
		if err != nil {
			t.Error(err)
			return
		}
		client, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		fmt.Fprint(client, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { defer server.Close(); _, _ = io.Copy(server, client) }()
		defer client.Close()
		_, _ = io.Copy(client, server)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
}

func TestProxyIsUsedWithItsPasswordThatNoProcessShows(t *testing.T) {
	t.Parallel()
	password, err := automation.NewSecret("proxy-canary")
	if err != nil {
		t.Fatal(err)
	}
	for name, anyNetwork := range map[string]bool{"through the gate": false, "without rules": true} {
		t.Run(name, func(t *testing.T) {
			site := newInternet(t, emulationSite)
			address, asked := connectProxy(t, site.server.Listener.Addr().String())
			var log strings.Builder
			o := &browser.Options{
				AnyNetwork: anyNetwork, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
				Page: &browser.PageOptions{Proxy: &browser.Proxy{Server: address, Username: "ada", Password: password}},
			}
			b := site.launch(o)
			p := open(t, b, "http://site.test/")
			if eval[string](t, p, "document.URL") != "http://site.test/" {
				t.Error("the page was not loaded")
			}
			if got := asked(); !slices.Contains(got, "CONNECT site.test:80") {
				t.Errorf("the proxy was asked for %q", got)
			}
			arguments := strings.Join(running(t, b.Profile()), "")
			if strings.Contains(arguments, "proxy-canary") || strings.Contains(log.String(), "proxy-canary") || strings.Contains(fmt.Sprintf("%+v", o.Page), "proxy-canary") {
				t.Error("the password is in arguments, logs or printed options")
			}
		})
	}
	t.Run("of one page", func(t *testing.T) {
		site := newInternet(t, emulationSite)
		address, asked := connectProxy(t, site.server.Listener.Addr().String())
		b := site.launch(&browser.Options{})
		open(t, b, "http://site.test/")
		if got := asked(); len(got) != 0 {
			t.Errorf("a page without a proxy asked it for %q", got)
		}
		if _, err := b.NewPageWith(within(t), "http://site.test/", &browser.PageOptions{Proxy: &browser.Proxy{Server: address, Username: "ada", Password: password}}); err != nil {
			t.Error(err)
		}
		if got := asked(); !slices.Contains(got, "CONNECT site.test:80") {
			t.Errorf("the proxy was asked for %q", got)
		}
		wrong, err := automation.NewSecret("wrong-canary")
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.NewPageWith(within(t), "http://site.test/", &browser.PageOptions{Proxy: &browser.Proxy{Server: address, Username: "ada", Password: wrong}})
		var failed *browser.NavigationError
		if !errors.As(err, &failed) || !strings.Contains(failed.Reason, "407") || strings.Contains(err.Error(), "canary") {
			t.Errorf("with a wrong password: %v", err)
		}
	})
}

func TestPlaceSchemeAndPermissionsHoldInFramesAndPopups(t *testing.T) {
	t.Parallel()
	o := &browser.PageOptions{ColorScheme: "dark", Geolocation: &browser.Geolocation{Latitude: 52.5, Longitude: 13.4, Accuracy: 7}, Permissions: []string{"notifications"}}
	p := newInternet(t, emulationSite).with(o, "http://site.test/")
	const tell = `(async () => {
		const at = navigator.geolocation ? await new Promise(done => navigator.geolocation.getCurrentPosition(p => done([p.coords.latitude, p.coords.longitude, p.coords.accuracy].join()), e => done(e.message))) : "none";
		return [matchMedia("(prefers-color-scheme: dark)").matches, at, Notification.permission].join(" ");
	})()`
	const want = "true 52.5,13.4,7 granted"
	if got := eval[string](t, p, tell); got != want {
		t.Errorf("page: %s", got)
	}
	byUser(t, p, `window.open("/")`)
	popup, err := p.Target().WaitPopup(within(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, pageOf(t, p.Browser(), popup.ID()), tell); got != want {
		t.Errorf("popup: %s", got)
	}
	inFrame := eval[bool](t, p, `new Promise(done => {
		const f = document.createElement("iframe");
		f.onload = () => done(f.contentWindow.matchMedia("(prefers-color-scheme: dark)").matches);
		f.src = "/";
		document.body.append(f);
	})`)
	if !inFrame {
		t.Error("a frame is not dark")
	}
	var refused *browser.PageOptionError
	if _, err := p.Browser().NewPageWith(within(t), "", &browser.PageOptions{Permissions: []string{"teleport"}}); !errors.As(err, &refused) || refused.Option != "Permissions" {
		t.Errorf("a permission that there is not: %v", err)
	}
}

func TestOfflinePageReachesNothing(t *testing.T) {
	t.Parallel()
	site := newInternet(t, emulationSite)
	p := site.with(&browser.PageOptions{Offline: true}, "")
	traffic, err := p.Target().WatchTraffic(within(t))
	if err != nil {
		t.Fatal(err)
	}
	traffic.Stop()
	var failed *browser.NavigationError
	if err := p.Navigate(within(t), "http://site.test/"); !errors.As(err, &failed) || !strings.Contains(failed.Reason, "ERR_INTERNET_DISCONNECTED") {
		t.Errorf("an offline page went to a site: %v", err)
	}
	if eval[bool](t, p, "navigator.onLine") {
		t.Error("an offline page says that it is online")
	}
	if site.wasDialed("203.0.113.10") {
		t.Error("a connection was made")
	}
}

func TestDownloadsAreSavedInTheirDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	site := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file" {
			w.Header().Set("Content-Disposition", `attachment; filename="../report.txt"`)
			fmt.Fprint(w, "content")
		}
	})
	p := site.with(&browser.PageOptions{Downloads: dir}, "http://site.test/")
	if err := p.Target().Loaded(within(t)); err != nil { // a download that is asked for before is not always told of
		t.Fatal(err)
	}
	stop, err := p.Target().Tree().SaveDownloads(within(t), p.Target().ContextID()) // as a replay does
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if err := p.Navigate(within(t), "http://site.test/file"); err != nil {
		t.Fatal(err)
	}
	d, err := p.Target().WaitDownload(within(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Target().Tree().WaitDownloaded(within(t), d.ID, patience); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the directory has %q, %v", files, err)
	}
	if content, err := os.ReadFile(files[0]); err != nil || string(content) != "content" || !strings.HasSuffix(files[0], "report.txt") {
		t.Errorf("%s has %q, %v", files[0], content, err)
	}
}

func TestPagesOfAConnectedBrowserEmulateAlone(t *testing.T) {
	t.Parallel()
	owner := launch(t, &browser.Options{DebugPort: true})
	theirs := open(t, owner, "about:blank")
	b, err := browser.Connect(within(t), owner.Endpoint(), &browser.Options{Page: &browser.PageOptions{TimeZone: "Asia/Tokyo", Device: "Pixel 2"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	if _, err := b.NewPage(within(t), ""); !errors.Is(err, browser.ErrSharedContext) {
		t.Errorf("a page that shares cookies with others: %v", err)
	}
	p, err := b.NewIsolatedPage(within(t), "")
	if err != nil {
		t.Fatal(err)
	}
	const tell = `Intl.DateTimeFormat().resolvedOptions().timeZone + " " + /Pixel 2.*Chrome\/1[0-9][0-9][.]0/.test(navigator.userAgent)`
	if got := eval[string](t, p, tell); got != "Asia/Tokyo true" {
		t.Errorf("its own page: %s", got)
	}
	if got := eval[string](t, theirs, tell); strings.Contains(got, "Tokyo") || strings.Contains(got, "true") {
		t.Errorf("another program's page: %s", got)
	}
}
