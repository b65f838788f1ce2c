package browser_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/go-rod/rod"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
)

// internet is a network in which names resolve to what a test says and every address is
// served by one handler on this machine.
type internet struct {
	t      *testing.T
	server *httptest.Server

	mu     sync.Mutex
	names  map[string][]string // addresses; of several lists, "a | b", one after the other
	asked  map[string]int
	dialed []netip.AddrPort
}

func newInternet(t *testing.T, serve http.HandlerFunc) *internet {
	t.Helper()
	n := &internet{t: t, server: httptest.NewServer(serve), asked: map[string]int{}, names: map[string][]string{
		"site.test": {"203.0.113.10"}, "other.test": {"203.0.113.20"}, "meta.test": {"169.254.169.254"}, "intra.test": {"10.1.2.3"}, "intra2.test": {"192.168.7.7"},
		"mapped.test": {"::ffff:169.254.169.254"}, "nat64.test": {"64:ff9b::a9fe:a9fe"}, "six.test": {"fe80::7"}, "both.test": {"203.0.113.30", "169.254.169.254"},
		"mixed.test": {"10.1.2.3", "203.0.113.40"}, "rebound.test": {"203.0.113.50", "|", "10.1.2.3"}, "rebound2.test": {"203.0.113.51", "|", "169.254.169.254"},
	}}
	t.Cleanup(n.server.Close)
	return n
}

func (n *internet) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	list, known := n.names[host]
	if strings.HasSuffix(host, ".other.test") {
		list, known = n.names["other.test"], true
	}
	if !known {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if i := slices.Index(list, "|"); i >= 0 {
		if n.asked[host] == 0 {
			list = list[:i]
		} else {
			list = list[i+1:]
		}
	}
	n.asked[host]++
	var ips []netip.Addr
	for _, text := range list {
		ips = append(ips, netip.MustParseAddr(text))
	}
	return ips, nil
}

func (n *internet) dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	n.mu.Lock()
	n.dialed = append(n.dialed, to)
	n.mu.Unlock()
	if to.Port() == 81 {
		return (&net.Dialer{}).DialContext(ctx, "tcp", "127.0.0.1:1") // no one is there
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", n.server.Listener.Addr().String())
}

// wasDialed reports whether a connection was made to an address of an IP address.
func (n *internet) wasDialed(ip string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.dialed, func(to netip.AddrPort) bool { return to.Addr().String() == ip })
}

// wasAsked reports whether the name of an address was resolved.
func (n *internet) wasAsked(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		n.t.Fatal(err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[u.Hostname()] > 0
}

// byUser runs an expression as by a click, which may open windows.
func byUser(t *testing.T, p *browser.Page, expression string) {
	t.Helper()
	if _, err := p.Rod().Context(within(t)).Evaluate(rod.Eval("() => { " + expression + " }").ByUser()); err != nil {
		t.Fatal(err)
	}
}

func (n *internet) launch(o *browser.Options) *browser.Browser {
	n.t.Helper()
	o.Env = []string{"HOME=" + n.t.TempDir()}
	// Service workers and the like are for secure origins.
	o.Args = append(o.Args, "--unsafely-treat-insecure-origin-as-secure=http://site.test,http://intra.test")
	browser.Network(o, n.lookup, n.dial)
	return launch(n.t, o)
}

// ways in which a page makes a request: what the page at /way holds. %s is the address.
var ways = map[string]string{
	"location":         `<script>location = "%s"</script>`,
	"meta refresh":     `<meta http-equiv=refresh content="0;url=%s">`,
	"link":             `<a id=a href="%s">x</a><script>a.click()</script>`,
	"download link":    `<a id=a download href="%s">x</a><script>a.click()</script>`,
	"form get":         `<form id=f action="%s"><input name=a></form><script>f.submit()</script>`,
	"form post":        `<form id=f method=post action="%s"><input name=a></form><script>f.submit()</script>`,
	"script":           `<script src="%s"></script>`,
	"module":           `<script type=module>import("%s").catch(() => {})</script>`,
	"iframe":           `<iframe src="%s"></iframe>`,
	"image":            `<img src="%s">`,
	"video":            `<video src="%s" preload=auto></video>`,
	"stylesheet":       `<link rel=stylesheet href="%s">`,
	"css url":          `<p style="background: url('%s')">x`,
	"font":             `<style>@font-face { font-family: f; src: url("%s") }</style><p style="font-family: f">x`,
	"svg use":          `<svg><image href="%s" width=9 height=9></svg>`,
	"object":           `<object data="%s"></object>`,
	"embed":            `<embed src="%s">`,
	"preload":          `<link rel=preload as=fetch crossorigin href="%s">`,
	"prefetch":         `<link rel=prefetch href="%s">`,
	"icon":             `<link rel=icon href="%s">`,
	"fetch":            `<script>fetch("%s", {mode: "no-cors"}).catch(() => {})</script>`,
	"fetch keepalive":  `<script>fetch("%s", {mode: "no-cors", keepalive: true, method: "POST"}).catch(() => {})</script>`,
	"xhr":              `<script>x = new XMLHttpRequest; x.open("GET", "%s"); x.send()</script>`,
	"beacon":           `<script>navigator.sendBeacon("%s", "x")</script>`,
	"event source":     `<script>new EventSource("%s")</script>`,
	"web socket":       `<script>new WebSocket("%s".replace("http", "ws"))</script>`,
	"window.open":      `<script>go = () => open("%s")</script>`,
	"opened twice":     `<script>go = () => { let w = open(""); w.location = "%s" }</script>`,
	"srcdoc":           `<iframe srcdoc="<img src='%s'>"></iframe>`,
	"worker":           `<script>new Worker(URL.createObjectURL(new Blob(["fetch('%s', {mode: 'no-cors'}).catch(() => {})"])))</script>`,
	"worker import":    `<script>new Worker(URL.createObjectURL(new Blob(["importScripts('%s')"])))</script>`,
	"shared worker":    `<script>new SharedWorker("/shared.js?to=" + encodeURIComponent("%s"))</script>`,
	"service worker":   `<script>navigator.serviceWorker.register("/service.js?to=" + encodeURIComponent("%s"))</script>`,
	"redirect 302":     `<script>location = "/redirect?code=302&to=" + encodeURIComponent("%s")</script>`,
	"redirect 307":     `<form id=f method=post></form><script>f.action = "/redirect?code=307&to=" + encodeURIComponent("%s"); f.submit()</script>`,
	"redirected fetch": `<script>fetch("/redirect?code=302&to=" + encodeURIComponent("%s"), {mode: "no-cors"}).catch(() => {})</script>`,
	"redirected image": `<script>new Image().src = "/redirect?code=302&to=" + encodeURIComponent("%s")</script>`,
}

// serveWays serves pages that do what a way says.
func serveWays(w http.ResponseWriter, r *http.Request) {
	to := r.URL.Query().Get("to")
	w.Header().Set("Content-Type", "text/html")
	switch r.URL.Path {
	case "/way":
		_, _ = fmt.Fprintf(w, "<!doctype html><title>way</title>"+ways[r.URL.Query().Get("way")], to)
	case "/redirect":
		code := http.StatusFound
		if r.URL.Query().Get("code") == "307" {
			code = http.StatusTemporaryRedirect
		}
		http.Redirect(w, r, to, code)
	case "/shared.js", "/service.js":
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = fmt.Fprintf(w, `fetch(%q, {mode: "no-cors"}).catch(() => {}); self.onfetch = () => {}`, to)
	default:
		_, _ = fmt.Fprintf(w, "<title>%s</title><p>secret of %s", r.Host, r.Host)
	}
}

// A public place is reached in every way that there is here, or the test would show nothing.
func TestNoWayLeadsFromAPublicPageToAnAddressThatIsRefused(t *testing.T) {
	t.Parallel()
	n := newInternet(t, serveWays)
	b := n.launch(&browser.Options{})
	b.Refuse("reprise.test:7337", "127.0.0.1:7338")
	n.names["reprise.test"], n.names["alias.test"], n.names["loop.test"] = []string{"203.0.113.60"}, []string{"203.0.113.60"}, []string{"127.0.0.1"}
	places := map[string]string{ // and what the refusal says
		"":                         "",
		"http://meta.test/x":       "link-local",
		"http://169.254.169.254/x": "link-local",
		"http://intra.test/x":      "private address",
		"http://loop.test:7338/x":  "Reprise's own",
	}
	for name := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := b.NewIsolatedPage(within(t), "")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = p.Close(context.WithoutCancel(t.Context())) }()
			stop, err := p.Target().Tree().SaveDownloads(within(t), p.Target().ContextID()) // as in a run
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
			for place, why := range places {
				if why == "" {
					place = "http://" + strings.ReplaceAll(name, " ", "-") + ".other.test/x"
				}
				address := "http://site.test/way?way=" + url.QueryEscape(name) + "&to=" + url.QueryEscape(place)
				if err := p.Navigate(within(t), address); err != nil {
					t.Fatal(err)
				}
				if strings.Contains(ways[name], "go =") {
					byUser(t, p, "go()")
				}
				if why == "" {
					browsertest.Until(t, name+" to reach "+place, func() bool { return n.wasAsked(place) })
					continue
				}
				browsertest.Until(t, name+" to ask for "+place, func() bool { return p.Refusal(place) != nil })
				if err := p.Refusal(place); !strings.Contains(err.Error(), why) {
					t.Errorf("%s: %v, want %q", place, err, why)
				}
			}
		})
	}
	t.Cleanup(func() {
		for _, ip := range []string{"169.254.169.254", "10.1.2.3", "127.0.0.1", "203.0.113.60"} {
			if n.wasDialed(ip) {
				t.Errorf("a connection was made to %s", ip)
			}
		}
	})
}

func TestAnAddressIsRefusedInEveryForm(t *testing.T) {
	t.Parallel()
	n := newInternet(t, serveWays)
	n.names["redirects.test"] = []string{"203.0.113.70"}
	b := n.launch(&browser.Options{AllowPrivateNetwork: true})
	p, err := b.NewIsolatedPage(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{
		"169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[64:ff9b::a9fe:a9fe]", "[fe80::7]",
		"[fd00:ec2::254]", "100.100.100.200", "0.0.0.0", "[::]", "meta.test", "META.test.", "metadata.google.internal", "mapped.test", "nat64.test", "six.test", "both.test",
	} {
		for _, address := range []string{"http://" + host + "/latest", "http://redirects.test/redirect?to=" + url.QueryEscape("https://"+host+"/latest")} {
			err := p.Navigate(within(t), address)
			var failed *browser.NavigationError
			if !errors.As(err, &failed) || !errors.As(err, new(*browser.RefusedError)) || !strings.Contains(err.Error(), "link-local and metadata addresses are never opened") {
				t.Errorf("%s: %v", address, err)
			}
		}
	}
	for _, to := range n.dialed {
		if to.Addr() != netip.MustParseAddr("203.0.113.70") {
			t.Errorf("a connection was made to %s", to)
		}
	}
}

func TestAPrivateAddressIsReachedWhereTheCallerNamesItOrThePageIsPrivate(t *testing.T) {
	t.Parallel()
	n := newInternet(t, serveWays)
	b := n.launch(&browser.Options{})
	p, err := b.NewIsolatedPage(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	reaches := func(address string, want bool) {
		t.Helper()
		got := eval[bool](t, p, fmt.Sprintf(`fetch(%q, {mode: "no-cors", cache: "no-store"}).then(() => true, () => false)`, address))
		if got != want {
			t.Errorf("%s reaches %s: %t, want %t (%v)", p.URL(), address, got, want, p.Refusal(address))
		}
	}
	goes := func(address string) {
		t.Helper()
		if err := p.Navigate(within(t), address); err != nil {
			t.Fatal(err)
		}
	}
	goes("http://site.test/a")
	reaches("http://intra.test/x", false)
	goes("http://intra.test/a") // named
	reaches("http://intra2.test/x", true)
	reaches("http://intra.test:8080/x", true) // another port of where it is, as that of its API
	reaches("http://other.test/x", true)
	goes("http://site.test/a")
	reaches("http://intra2.test/x", false) // the connection that lies idle is no hole
	reaches("http://intra.test/x", true)   // named
	goes("http://intra.test/redirect?to=" + url.QueryEscape("http://intra.test/b"))
	goes("http://intra.test/way?way=link&to=" + url.QueryEscape("http://intra2.test/b"))
	if err := p.WaitURL(within(t), func(url string) bool { return url == "http://intra2.test/b" }); err != nil {
		t.Fatal(err)
	}
	goes("http://intra.test/way?way=link&to=" + url.QueryEscape("http://site.test/redirect?to="+url.QueryEscape("http://192.168.7.8/by-a-public-site")))
	browsertest.Until(t, "a refusal", func() bool { return p.Refusal("http://192.168.7.8/") != nil })
	goes("http://intra.test/a")
	// A public page in another tab of the context.
	byUser(t, p, `open("http://site.test/popup")`)
	browsertest.Until(t, "the popup", func() bool { return popups(t, b, "http://site.test/popup") })
	reaches("http://127.0.0.1:8000/x", false)
	reaches("http://intra.test/x", true)

	// From nowhere, by a redirect of a public site.
	fresh, err := b.NewIsolatedPage(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.Navigate(within(t), "http://site.test/redirect?to="+url.QueryEscape("http://intra2.test/x")); !errors.As(err, new(*browser.RefusedError)) {
		t.Errorf("a public site redirects to a private one: %v", err)
	}
	if err := fresh.Navigate(within(t), "http://intra.test/redirect?to="+url.QueryEscape("http://intra2.test/x")); err != nil {
		t.Errorf("a private site redirects to another: %v", err)
	}
}

func popups(t *testing.T, b *browser.Browser, at string) bool {
	t.Helper()
	pages, err := b.Pages(within(t))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(pages, func(p *browser.Page) bool { return p.URL() == at })
}

func TestANameThatResolvesToAnotherAddressTheSecondTimeIsNoHole(t *testing.T) {
	t.Parallel()
	n := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		serveWays(w, r)
	})
	b := n.launch(&browser.Options{})
	for host, ip := range map[string]string{"rebound.test": "10.1.2.3", "rebound2.test": "169.254.169.254"} {
		p, err := b.NewIsolatedPage(t.Context(), "http://"+host+"/a") // named, and public
		if err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, p, `fetch("/x", {cache: "no-store"}).then(r => r.text(), () => "no")`); got != "no" {
			t.Errorf("%s: the page reads %s", host, got)
		}
		if n.wasDialed(ip) {
			t.Errorf("%s: a connection was made to %s", host, ip)
		}
	}
	p, err := b.NewIsolatedPage(t.Context(), "http://mixed.test/a") // has both
	if err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, p, `fetch("/x", {cache: "no-store"}).then(r => r.text(), () => "no")`); got == "no" || n.wasDialed("10.1.2.3") {
		t.Errorf("a name that has a public address and a private one: %s; %v", got, n.dialed)
	}
}

func TestPrivateAddressesAreReachedWhereAnOptionAllowsIt(t *testing.T) {
	t.Parallel()
	n := newInternet(t, serveWays)
	for name, o := range map[string]*browser.Options{"allowed": {AllowPrivateNetwork: true}} {
		p, err := n.launch(o).NewIsolatedPage(t.Context(), "http://site.test/redirect?to="+url.QueryEscape("http://intra.test/x"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p.URL() != "http://intra.test/x" {
			t.Errorf("%s: the page is at %s", name, p.URL())
		}
	}
}

func TestTheBrowsersOwnContextIsHeldToTheSameRules(t *testing.T) {
	t.Parallel()
	n := newInternet(t, serveWays)
	p := open(t, n.launch(&browser.Options{}), "http://site.test/a")
	for _, to := range []string{"http://meta.test/x", "http://intra.test/x"} {
		err := p.Navigate(within(t), "http://site.test/redirect?to="+url.QueryEscape(to))
		if !errors.As(err, new(*browser.RefusedError)) {
			t.Errorf("%s: %v", to, err)
		}
	}
	b := n.launch(&browser.Options{DebugPort: true})
	endpoint, err := url.Parse(b.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	p = open(t, b, "http://site.test/redirect?to=http%3A%2F%2Fintra.test%2Fx") // other programs name what they go to
	if err := p.Navigate(within(t), "http://"+endpoint.Host+"/json/list"); !errors.As(err, new(*browser.RefusedError)) {
		t.Errorf("where the browser is controlled: %v", err)
	}
}

func TestABrowserOnThisMachineThatIsConnectedToIsHeldToTheRules(t *testing.T) {
	t.Parallel()
	n := newInternet(t, serveWays)
	there := launch(t, &browser.Options{AnyNetwork: true, DebugPort: true})
	o := &browser.Options{}
	browser.Network(o, n.lookup, n.dial)
	b, err := browser.Connect(t.Context(), there.Endpoint(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	p, err := b.NewIsolatedPage(t.Context(), "http://site.test/a")
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"http://meta.test/x", "http://intra.test/x", strings.Replace(there.Endpoint(), "ws:", "http:", 1)} {
		err := p.Navigate(within(t), "http://site.test/redirect?to="+url.QueryEscape(to))
		if !errors.As(err, new(*browser.RefusedError)) {
			t.Errorf("%s: %v", to, err)
		}
	}
}

// Chrome has had a limit of 32 connections by one proxy.
func TestManyConnectionsAreOpenAtOnce(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/events":
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprint(w, "data: x\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "/socket":
			c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
			if err == nil {
				_, _, _ = c.Read(r.Context())
			}
		}
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	p, err := launch(t, nil).NewIsolatedPage(t.Context(), srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	eval[bool](t, p, fmt.Sprintf(`Promise.all([...Array(80).keys()].map(i => new Promise(open => {
		const host = "h" + (i %% 20) + ".localhost:%s";
		if (i < 60) new EventSource("http://" + host + "/events").onmessage = open;
		else new WebSocket("ws://" + host + "/socket").onopen = open;
	}))).then(() => true)`, port))
}

// ownAddress is an address of this machine that is not loopback, from which WebRTC
// sends nothing.
func ownAddress(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if n, isNet := a.(*net.IPNet); isNet && n.IP.To4() != nil && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			return n.IP.String()
		}
	}
	t.Skip("this machine has no network: WebRTC sends nothing")
	return ""
}

// No connection shows what is sent without one: a STUN server of the page's own choice.
func TestNothingOfWebRTCGoesPastTheGate(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"any network": true, "": false} {
		heard, err := net.ListenPacket("udp4", ownAddress(t)+":0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = heard.Close() })
		got := make(chan bool, 1)
		go func() {
			_, _, err := heard.ReadFrom(make([]byte, 1500))
			got <- err == nil
		}()
		n := newInternet(t, serveWays)
		o := &browser.Options{AnyNetwork: want}
		address := n.server.URL
		p, err := n.launch(o).NewIsolatedPage(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		gathered := eval[string](t, p, fmt.Sprintf(`new Promise(done => {
			const pc = new RTCPeerConnection({iceServers: [{urls: "stun:%s"}]}), seen = [];
			pc.createDataChannel("x");
			pc.onicecandidate = e => e.candidate ? seen.push(e.candidate.candidate) : done(seen.join(" "));
			setTimeout(() => done("not all of them: " + seen.join(" ")), 5000);
			pc.createOffer().then(o => pc.setLocalDescription(o));
		})`, heard.LocalAddr()))
		_ = heard.Close()
		if sent := <-got; sent != want {
			t.Errorf("%s: the STUN server heard something: %t, want %t; candidates:\n%s", name, sent, want, gathered)
		}
	}
}

func TestWhatFailsIsToldAsWithoutAGate(t *testing.T) {
	t.Parallel()
	n := newInternet(t, serveWays)
	b := n.launch(&browser.Options{})
	p, err := b.NewIsolatedPage(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"http://nowhere.test/x":  "net::ERR_NAME_NOT_RESOLVED",
		"http://other.test:81/x": "net::ERR_CONNECTION_REFUSED",
		"http://site.test/redirect?to=http%3A%2F%2Fnowhere.test%2Fx":                "net::ERR_NAME_NOT_RESOLVED",
		"http://site.test/redirect?to=" + url.QueryEscape("http://other.test:81/x"): "net::ERR_CONNECTION_REFUSED",
	} {
		err := p.Navigate(within(t), address)
		if err == nil || !strings.Contains(err.Error(), want) || errors.As(err, new(*browser.RefusedError)) {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
}
