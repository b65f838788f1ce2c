package handoff_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// site is a page with what a live view must carry.
const site = `<!doctype html><meta charset=utf-8><title>Shop</title><style>body { margin: 0 } * { font: 16px sans-serif } div > * { position: absolute; width: 180px; height: 30px }</style><div>
<input id=name style="left:20px;top:20px"><textarea id=long style="left:20px;top:70px"></textarea>
<select id=size style="left:20px;top:120px"><option>Small<option>Medium<option>Large</select>
<input id=day type=date style="left:20px;top:170px"><input id=volume type=range value=0 style="left:20px;top:220px;margin:0">
<button id=pop style="left:20px;top:270px" onclick="window.open('/popup')">Popup</button>
<button id=sure style="left:20px;top:320px" onclick="this.textContent = prompt('Your colour?', 'red')">Ask</button>
<input id=file type=file style="left:20px;top:370px"><input id=pass type=password style="left:20px;top:420px">
<button id=ok style="left:20px;top:470px" onclick="localStorage.signedin = 1; document.cookie = 'who=ada'; document.title = 'Account'; history.pushState(0, '', '/account')">Sign in</button></div>`

// scene is a page that a person has, and the desk.
type scene struct {
	desk    *handoff.Desk
	store   store.Store
	page    *browser.Page
	notices chan handoff.Notice
	url     string // of the desk
	dir     string // of the store
	log     bytes.Buffer
	lines   *lines // to the desk
}

// lines are the connections to a server, which can be cut.
type lines struct {
	net.Listener
	mu   sync.Mutex
	open []*net.TCPConn
}

func (l *lines) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.mu.Lock()
		l.open = append(l.open, conn.(*net.TCPConn))
		l.mu.Unlock()
	}
	return conn, err
}

// cut breaks all of them; what is under way on them is lost.
func (l *lines) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.open {
		_ = conn.SetLinger(0)
		_ = conn.Close()
	}
	l.open = nil
}

func begin(t *testing.T) *scene {
	t.Helper()
	return beginAt(t, site)
}

// beginAt is begin with a page of another kind.
func beginAt(t *testing.T, html string) *scene {
	t.Helper()
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/popup" {
			fmt.Fprint(w, `<!doctype html><title>Popup</title><body style="margin:0"><button style="position:fixed;inset:0" onclick="opener.document.getElementById('pop').textContent = 'was here'; window.close()">Close</button>`)
			return
		}
		if r.URL.Path == "/within" {
			fmt.Fprint(w, within)
			return
		}
		fmt.Fprint(w, strings.ReplaceAll(html, "OTHER", strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1)))
	}))
	t.Cleanup(shop.Close)
	dir := t.TempDir()
	st, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	s := &scene{store: st, dir: dir, page: browsertest.Page(t, shop.URL), notices: make(chan handoff.Notice, 10)}
	var served http.Handler
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { served.ServeHTTP(w, r) }))
	s.lines = &lines{Listener: server.Listener}
	server.Listener = s.lines
	server.Start()
	t.Cleanup(server.Close)
	s.url = server.URL
	if s.desk, err = handoff.New(&handoff.Options{Store: st, PublicURL: server.URL, Notify: func(n handoff.Notice) { s.notices <- n }, Logger: slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.desk.Close)
	served = s.desk
	return s
}

// start asks a person, and returns the link.
func (s *scene) start(t *testing.T, r handoff.Request) (*handoff.Handoff, string) {
	t.Helper()
	r.Page, r.Step = s.page, -1
	if r.Reason == "" {
		r.Reason = automation.ReasonLogin
	}
	h, err := s.desk.Start(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return h, (<-s.notices).Link
}

// viewer is the person's own browser, with the live view in it.
type viewer struct {
	t     *testing.T
	page  *browser.Page
	touch bool // the page is pressed by a finger
}

func (s *scene) open(t *testing.T, link string) *viewer {
	t.Helper()
	return s.openOn(t, link, nil)
}

// openOn opens it on a screen, which is a phone's where it is mobile; nil is the browser's own.
func (s *scene) openOn(t *testing.T, link string, screen *proto.EmulationSetDeviceMetricsOverride) *viewer {
	t.Helper()
	v := &viewer{t: t, page: browsertest.NewPage(t, "")}
	if screen != nil {
		rod, five := v.page.Rod().Context(browsertest.Context(t)), 5
		err := screen.Call(rod)
		if v.touch = screen.Mobile; v.touch && err == nil {
			err = (proto.EmulationSetTouchEmulationEnabled{Enabled: true, MaxTouchPoints: &five}).Call(rod)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := v.page.Navigate(browsertest.Context(t), link); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			said, err := v.page.Rod().Eval(`() => JSON.stringify([notice.textContent, what.textContent, document.getElementById("offer").innerText, document.querySelector("#offer :invalid")?.outerHTML, state, shape, canvas.dataset.frames, socket?.readyState])`)
			t.Log(said, err)
			t.Log(s.log.String())
		}
	})
	v.until("the first frame", `() => Number(document.getElementById("page").dataset.frames) > 0 && !!state && left !== undefined && document.getElementById("left").textContent !== ""`)
	return v
}

// until waits for a condition in the viewer's page.
func (v *viewer) until(what, condition string) {
	v.t.Helper()
	wait(v.t, v.page, what, condition)
}

func wait(t *testing.T, page *browser.Page, what, condition string) {
	t.Helper()
	browsertest.Until(t, what, func() bool {
		is, err := page.Rod().Context(browsertest.Context(t)).Eval(condition)
		return err == nil && is.Value.Bool()
	})
}

// value is what an expression is in the page that is handed over.
func (s *scene) value(t *testing.T, expression string) string {
	t.Helper()
	is, err := s.page.Rod().Context(browsertest.Context(t)).Eval(`async () => String(` + expression + `)`)
	if err != nil {
		t.Fatal(err)
	}
	return is.Value.Str()
}

func (s *scene) becomes(t *testing.T, expression, want string) {
	t.Helper()
	got := ""
	defer func() {
		if got != want {
			t.Logf("it is %q", got)
		}
	}()
	browsertest.Until(t, fmt.Sprintf("%s to be %q", expression, want), func() bool {
		is, err := s.page.Rod().Context(browsertest.Context(t)).Eval(`async () => String(` + expression + `)`)
		if err == nil { // the page may be on its way to another
			got = is.Value.Str()
		}
		return got == want
	})
}

// at is where a point of the handed page is in the viewer's.
func (v *viewer) at(x, y float64) (float64, float64) {
	v.t.Helper()
	is, err := v.page.Rod().Context(browsertest.Context(v.t)).Eval(`(x, y) => { const b = document.getElementById("page").getBoundingClientRect(); return [b.left + x / shape.w * b.width, b.top + (y + shape.top) / shape.h * b.height] }`, x, y)
	if err != nil {
		v.t.Fatal(err)
	}
	both := is.Value.Arr()
	return both[0].Num(), both[1].Num()
}

// press presses a point of the handed page.
func (v *viewer) press(x, y float64) {
	v.t.Helper()
	x, y = v.at(x, y)
	if v.touch {
		v.touches("touchStart", [2]float64{x, y})
		v.touches("touchEnd")
		return
	}
	if err := input.Press(browsertest.Context(v.t), v.page.Target(), x, y, input.Button{}); err != nil {
		v.t.Fatal(err)
	}
}

// pressUntil presses a point of the handed page, and again where nothing comes of it in the viewer: a frame that has
// just come is not watched yet, and a machine that is busy shows a page before it takes presses.
func (v *viewer) pressUntil(x, y float64, what, condition string) {
	v.t.Helper()
	v.pressUntilIn(v.page, x, y, what, condition)
}

// pressUntilIn is pressUntil for what comes of it in a page.
func (v *viewer) pressUntilIn(page *browser.Page, x, y float64, what, condition string) {
	v.t.Helper()
	const again = 5 * time.Second
	pressed := time.Time{}
	browsertest.Until(v.t, what, func() bool {
		if time.Since(pressed) > again {
			v.press(x, y)
			pressed = time.Now()
		}
		is, err := page.Rod().Context(browsertest.Context(v.t)).Eval(condition)
		return err == nil && is.Value.Bool()
	})
}

// click presses a control of the viewer itself.
func (v *viewer) click(selector string) {
	v.t.Helper()
	v.until(selector, `() => { const el = document.querySelector("`+selector+`"); return !!el && el.getBoundingClientRect().width > 0 && !el.disabled }`)
	if _, err := v.page.Rod().Context(browsertest.Context(v.t)).Eval(`(s) => document.querySelector(s).click()`, selector); err != nil {
		v.t.Fatal(err)
	}
}

// types types as a keyboard, an input method or the clipboard do.
func (v *viewer) types(text string) {
	v.t.Helper()
	if _, err := v.page.Target().Send("Input.insertText", map[string]any{"text": text}).Wait(browsertest.Context(v.t)); err != nil {
		v.t.Fatal(err)
	}
}

func TestAPersonDrivesThePageFromAnotherBrowser(t *testing.T) {
	t.Parallel()
	for name, screen := range map[string]proto.EmulationSetDeviceMetricsOverride{
		"phone":   {Width: 390, Height: 844, DeviceScaleFactor: 2, Mobile: true},
		"desktop": {Width: 1280, Height: 900, DeviceScaleFactor: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drivesAllOfIt(t, screen)
		})
	}
}

// drivesAllOfIt signs in, writes, chooses and answers, by the fingers where the screen is a phone's.
func drivesAllOfIt(t *testing.T, screen proto.EmulationSetDeviceMetricsOverride) {
	t.Helper()
	s := begin(t)
	h, link := s.start(t, handoff.Request{Instruction: "Sign in as ada.", Until: "text/Sign in", Capture: true})
	v := s.openOn(t, link, &screen)
	if address := v.page.URL(); strings.Contains(address, link[strings.IndexByte(link, '.')+1:]) && strings.HasSuffix(address, link[strings.LastIndexByte(link, '.'):]) {
		t.Errorf("the viewer's address %s has the key", address)
	}
	v.until("the instruction", `() => document.getElementById("what").textContent === "Sign in as ada."`)

	for id, at := range map[string]float64{"name": 35, "long": 85, "pass": 435} {
		s.press(t, v, id, 60, at)
		for _, text := range []string{"Привет ", "漢字かな ", "👩‍👩‍👧 e\u0301 ", strings.Repeat("0123456789", 50)} {
			v.types(text)
		}
		s.becomes(t, "document.getElementById('"+id+"').value", "Привет 漢字かな 👩‍👩‍👧 e\u0301 "+strings.Repeat("0123456789", 50))
	}

	v.press(60, 135)
	v.click("dialog button:nth-of-type(3)")
	s.becomes(t, "size.value", "Large")

	v.press(60, 185)
	v.until("the date", `() => !!document.querySelector("dialog input[type=date]")`)
	if _, err := v.page.Rod().Eval(`() => { document.querySelector("dialog input").value = "2026-02-03" }`); err != nil {
		t.Fatal(err)
	}
	v.click("dialog button.main")
	s.becomes(t, "day.value", "2026-02-03")

	v.press(110, 235) // the middle of the slider
	browsertest.Until(t, "the slider", func() bool { at := s.value(t, "volume.value"); return len(at) == 2 && at[0] >= '4' && at[0] <= '5' })

	v.press(60, 285)
	v.until("the popup", `() => state.tabs.length === 2 && state.tabs.some((tab) => tab.shown && tab.url.endsWith("/popup"))`)
	v.until("its frame", `() => { const p = draw.getImageData(canvas.width / 2, 5, 1, 1).data; return p[3] === 255 }`)
	v.press(300, 300)
	s.becomes(t, "pop.textContent", "was here")
	v.until("the first tab", `() => state.tabs.length === 1 && state.tabs[0].shown`)

	v.press(60, 335)
	v.until("the dialog", `() => document.querySelector("dialog p")?.textContent === "Your colour?"`)
	if _, err := v.page.Rod().Eval(`() => { document.querySelector("dialog input").value = "blue" }`); err != nil {
		t.Fatal(err)
	}
	v.click("dialog button.main")
	s.becomes(t, "sure.textContent", "blue")

	v.press(40, 385)
	v.until("the choice of a file", `() => !!document.querySelector("dialog input[type=file]")`)
	if _, err := v.page.Rod().Eval(`() => { const all = new DataTransfer(); all.items.add(new File(["the text"], "a b.txt")); document.querySelector("dialog input").files = all.files }`); err != nil {
		t.Fatal(err)
	}
	v.click("dialog button.main")
	s.becomes(t, "file.files[0]?.name", "a b.txt")
	if got := s.value(t, "await file.files[0].text()"); got != "the text" {
		t.Errorf("the file has %q", got)
	}

	v.press(60, 485)
	s.becomes(t, "document.title", "Account")
	v.click("#done")
	result, err := h.Wait(browsertest.Context(t))
	if err != nil || result.Status != handoff.Finished {
		t.Fatalf("it ended %s, %v", result.Status, err)
	}
	v.until("thanks", `() => document.body.classList.contains("ended")`)
	d := result.Delta
	if !d.URLChanged || !d.TitleChanged || d.OriginChanged || d.Cookies != 1 || strings.Join(d.KeysAdded, " ") != "signedin" {
		t.Errorf("the delta is %+v", d)
	}
	if result.After.Title != "" || result.Before.Title != "Shop" || result.Hint == "" || len(result.Pictures) != 2 {
		t.Errorf("it ended with %+v, and %d pictures", result, len(result.Pictures))
	}
	stored, err := s.store.Handoffs().Get(t.Context(), h.ID())
	if err != nil || stored.State != store.HandoffFinished || len(stored.After) == 0 {
		t.Errorf("the record is %+v, %v", stored, err)
	}
}

// press presses a field of the page until it has the focus.
func (s *scene) press(t *testing.T, v *viewer, id string, x, y float64) {
	t.Helper()
	v.pressUntilIn(s.page, x, y, "the focus in "+id, `() => document.activeElement.id === "`+id+`"`)
}

// A page is returned as often as MaxTries without what it must show.
func TestAPageIsReturnedWithWhatItMustShow(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, link := s.start(t, handoff.Request{Until: "#there"})
	v := s.open(t, link)
	v.click("#done")
	v.until("what is missing", `() => document.getElementById("unmet").textContent.includes("#there")`)
	if n := <-s.notices; n.Unmet == "" || n.Link != "" {
		t.Errorf("the person is told %+v", n)
	}
	if _, err := s.page.Rod().Eval(`() => { document.body.innerHTML = "<p id=there>Here" }`); err != nil {
		t.Fatal(err)
	}
	v.click("#done")
	if result, err := h.Wait(browsertest.Context(t)); err != nil || result.Status != handoff.Finished {
		t.Errorf("it ended %s, %v", result.Status, err)
	}

	h, _ = s.start(t, handoff.Request{Until: "#never"})
	for range handoff.MaxTries {
		if unmet, err := h.Return(browsertest.Context(t)); err != nil || unmet == "" {
			t.Fatalf("unmet is %q, %v", unmet, err)
		}
	}
	if result, err := h.Wait(browsertest.Context(t)); err != nil || result.Status != handoff.Cancelled {
		t.Errorf("after %d times it is %s, %v", handoff.MaxTries, result.Status, err)
	}
}

// A link opens the view once, on one device, by the desk's own name and from its own pages.
func TestALinkIsAKey(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, link := s.start(t, handoff.Request{})
	id, key, _ := strings.Cut(link[strings.IndexByte(link, '#')+1:], ".")
	open := func(key string, set func(*http.Request)) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+handoff.Path+"open", strings.NewReader(fmt.Sprintf(`{"id":%q,"key":%q}`, id, key)))
		if err != nil {
			t.Fatal(err)
		}
		if set != nil {
			set(r)
		}
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		return reply
	}
	want := func(what string, got *http.Response, status int) {
		t.Helper()
		if got.StatusCode != status {
			t.Errorf("%s: %s, want %d", what, got.Status, status)
		}
	}
	if preview, err := http.Get(strings.Replace(link, "#", "?", 1)); err != nil || preview.StatusCode != http.StatusOK {
		t.Fatalf("a preview: %v, %v", preview, err)
	}
	fromChat := func(path, mode string) *http.Response { // as a link in a chat's web client is followed
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+handoff.Path+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Sec-Fetch-Mode", mode)
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		return reply
	}
	want("the entry, from another site", fromChat("", "navigate"), http.StatusOK)
	want("the entry, read by another site", fromChat("", "no-cors"), http.StatusForbidden)
	want("the rest, from another site", fromChat("viewer.js", "navigate"), http.StatusForbidden)
	want("a guess", open("AAAAAAAAAAAAAAAAAAAAAAAAAA", nil), http.StatusForbidden)
	want("another origin", open(key, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }), http.StatusForbidden)
	want("another site", open(key, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }), http.StatusForbidden)
	want("another name", open(key, func(r *http.Request) { r.Host = "evil.example" }), http.StatusForbidden)
	first := open(key, nil)
	want("the link", first, http.StatusNoContent)
	if cookies := first.Cookies(); len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Path != handoff.Path {
		t.Fatalf("the cookies are %v", cookies)
	}
	want("the link again", open(key, nil), http.StatusForbidden)
	want("the link again, on its device", open(key, func(r *http.Request) { r.AddCookie(first.Cookies()[0]) }), http.StatusNoContent)
	live := func(cookie *http.Cookie) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+handoff.Path+id+"/live", nil)
		if err != nil {
			t.Fatal(err)
		}
		if cookie != nil {
			r.AddCookie(cookie)
		}
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		return reply
	}
	want("the view without a session", live(nil), http.StatusUnauthorized)
	if _, err := h.Finish(t.Context()); !errors.Is(err, handoff.ErrOpened) {
		t.Errorf("the agent's finish: %v", err)
	}

	again, err := h.Link(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	_, key, _ = strings.Cut(again[strings.IndexByte(again, '#')+1:], ".")
	want("another link", open(key, nil), http.StatusNoContent)
	want("the view of who had control before", live(first.Cookies()[0]), http.StatusUnauthorized)
	h.Cancel()
	want("the view of what has ended", live(first.Cookies()[0]), http.StatusGone)
}

// One who watches sees the page, and touches nothing.
func TestOneWhoWatchesDrivesNothing(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, link := s.start(t, handoff.Request{})
	watch, err := h.Link(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	watcher := s.open(t, watch)
	for _, message := range []string{`{"t":"down","x":60,"y":485,"button":"left"}`, `{"t":"up","x":60,"y":485,"button":"left"}`, `{"t":"done"}`, `{"t":"abort"}`} {
		if _, err := watcher.page.Rod().Eval(`(m) => socket.send(m)`, message); err != nil {
			t.Fatal(err)
		}
	}
	v := s.open(t, link)
	s.press(t, v, "name", 60, 35)
	v.types("mine")
	s.becomes(t, "document.getElementById('name').value", "mine")
	if title := s.value(t, "document.title"); title != "Shop" || s.desk.Get(h.ID()) == nil {
		t.Errorf("one who watches has made the title %q", title)
	}
}

// It ends once, at its deadline at the latest, and one page has one at a time.
func TestAHandoffEndsOnce(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, _ := s.start(t, handoff.Request{Timeout: time.Second})
	if _, err := s.desk.Start(t.Context(), handoff.Request{Page: s.page, Reason: automation.ReasonOther}); !errors.Is(err, handoff.ErrHeld) {
		t.Errorf("another one: %v", err)
	}
	result, err := h.Wait(browsertest.Context(t))
	if err != nil || result.Status != handoff.TimedOut || !strings.Contains(result.Hint, "no one has done it") {
		t.Errorf("late it is %+v, %v", result, err)
	}
	if s.desk.Held(s.page) != nil {
		t.Error("the page is held still")
	}
	h, _ = s.start(t, handoff.Request{})
	if result, err := h.Finish(browsertest.Context(t)); err != nil || result.Status != handoff.Finished {
		t.Errorf("no person has opened it, and it is %s, %v", result.Status, err)
	}
	h, _ = s.start(t, handoff.Request{})
	if err := s.page.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	if result, err := h.Wait(browsertest.Context(t)); err != nil || result.Status != handoff.Cancelled {
		t.Errorf("without its page it is %s, %v", result.Status, err)
	}
}

// What a person types, and what the page makes of it in its title and address, is in no file, result or log.
func TestWhatAPersonTypesIsStoredNowhere(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, link := s.start(t, handoff.Request{Capture: true})
	v := s.open(t, link)
	secret := canary.New()
	s.press(t, v, "pass", 60, 435)
	v.types(secret)
	s.becomes(t, "pass.value", secret)
	if _, err := s.page.Rod().Eval(`(v) => { document.title = "Hello " + v; history.pushState(0, "", "?token=" + v + "#" + v); localStorage.token = v; document.cookie = "token=" + v }`, secret); err != nil {
		t.Fatal(err)
	}
	v.click("#done")
	result, err := h.Wait(browsertest.Context(t))
	if err != nil || result.Status != handoff.Finished {
		t.Fatalf("it ended %s, %v", result.Status, err)
	}
	told, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	s.desk.Close()
	for where, data := range map[string][]byte{"the result": told, "the log": s.log.Bytes()} {
		if found, _ := canary.Find(data, secret); found != "" {
			t.Errorf("%s has it as %s", where, found)
		}
	}
	if err := filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if found, _ := canary.Find(data, secret); found != "" {
			t.Errorf("%s has it as %s", path, found)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// A dialog of the page is the person's to answer, and its owner's again when the page is returned.
func TestDialogsAreThePersonsAndThenTheOwnersAgain(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.page.Target().SetDialogs(func(target.Dialog) (bool, string, bool) { return true, "the owner", true })
	ask := func() {
		t.Helper()
		if _, err := s.page.Rod().Eval(`() => { setTimeout(() => { document.title = prompt("Who?") }) }`); err != nil {
			t.Fatal(err)
		}
	}
	h, link := s.start(t, handoff.Request{Until: "#never"})
	v := s.open(t, link)
	v.click("#done") // which has the page looked at
	v.until("what is missing", `() => !document.getElementById("unmet").hidden`)
	ask()
	v.until("the dialog", `() => document.querySelector("dialog p")?.textContent === "Who?"`)
	if _, err := v.page.Rod().Eval(`() => { document.querySelector("dialog input").value = "the person" }`); err != nil {
		t.Fatal(err)
	}
	v.click("dialog button.main")
	s.becomes(t, "document.title", "the person")
	h.Cancel()
	ask()
	s.becomes(t, "document.title", "the owner")
}

// Where the page repeats a secret its words are not looked for: whether they are there would tell a program that guesses.
// The person, who sees the page, returns it all the same; the program does not.
func TestAPageThatRepeatsASecretIsReturnedByThePerson(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, link := s.start(t, handoff.Request{Until: "text/Welcome"})
	if _, err := s.page.Rod().Eval(`() => pass.addEventListener("input", () => { ok.textContent = "Sign in with " + pass.value })`); err != nil {
		t.Fatal(err)
	}
	v := s.open(t, link)
	v.click("#keep") // which has the page know what is secret
	v.until("it to be recorded", `() => state.keep === true`)
	s.press(t, v, "pass", 60, 435)
	v.types(canary.New())
	s.becomes(t, "ok.textContent.length > 30", "true")
	v.click("#done")
	if result, err := h.Wait(browsertest.Context(t)); err != nil || result.Status != handoff.Finished {
		t.Errorf("it ended %s, %v", result.Status, err)
	}
	h, _ = s.start(t, handoff.Request{Until: "text/Welcome"})
	if _, err := h.Finish(browsertest.Context(t)); !errors.Is(err, replayer.ErrHidden) || s.desk.Get(h.ID()) == nil {
		t.Errorf("a program has finished it: %v", err)
	}
}

// One who watches is told no words of the page, which may repeat what the person types: neither of what has the focus,
// nor of a dialog.
func TestOneWhoWatchesIsToldNoWordsOfThePage(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, link := s.start(t, handoff.Request{})
	watch, err := h.Link(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	watcher, v := s.open(t, watch), s.open(t, link)
	hear := `() => { window.told = []; const next = heard; heard = (message) => { window.told.push(JSON.stringify(message)); next(message) } }`
	if _, err := watcher.page.Rod().Eval(hear); err != nil {
		t.Fatal(err)
	}
	secret := canary.New()
	if _, err := s.page.Rod().Eval(`() => { pass.addEventListener("input", () => { ok.ariaLabel = pass.value; sure.onclick = () => prompt(pass.value, pass.value) }) }`); err != nil {
		t.Fatal(err)
	}
	s.press(t, v, "pass", 60, 435)
	v.types(secret)
	s.becomes(t, "ok.ariaLabel", secret)
	s.press(t, v, "ok", 60, 485)
	v.until("its name", `() => state.field?.name.startsWith("Kanarie")`)
	watcher.until("the press", `() => window.told.join("").includes("/account")`)
	v.press(60, 335)
	v.until("the dialog", `() => document.querySelector("dialog p")?.textContent.startsWith("Kanarie")`)
	watcher.until("that there is one", `() => state.dialog?.type === "prompt"`)
	told, err := watcher.page.Rod().Eval(`() => window.told.join("\n")`)
	if err != nil || !strings.Contains(told.Value.Str(), `"prompt"`) {
		t.Fatalf("the watcher is told %v, %v", told, err)
	}
	if form, around := canary.Find([]byte(told.Value.Str()), secret); form != "" {
		t.Errorf("the watcher is told it, as %s: %s", form, around)
	}
	v.click("dialog button.main")
}
