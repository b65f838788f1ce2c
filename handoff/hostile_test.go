package handoff_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

var soak = flag.Bool("soak", false, "hand a page over 100 times")

// opened exchanges a link for the cookie of a device.
func (s *scene) opened(t *testing.T, link string) *http.Cookie {
	t.Helper()
	id, key, _ := strings.Cut(link[strings.IndexByte(link, '#')+1:], ".")
	reply, err := http.Post(s.url+handoff.Path+"open", "application/json", strings.NewReader(fmt.Sprintf(`{"id":%q,"key":%q}`, id, key)))
	if err != nil || len(reply.Cookies()) != 1 {
		t.Fatalf("opening it: %v, %v", reply, err)
	}
	_ = reply.Body.Close()
	return reply.Cookies()[0]
}

func (s *scene) posts(t *testing.T, path, kind string, cookie *http.Cookie, body io.Reader) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+handoff.Path+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	if cookie != nil {
		r.AddCookie(cookie)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(text)
}

// The person alone resolves a request: done, not yet, or not at all.
func TestAPersonResolvesARequest(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, link := s.start(t, handoff.Request{Timeout: 10 * time.Minute})
	watch, err := h.Link(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	events, stop := s.desk.Events()
	defer stop()
	resolve := func(cookie *http.Cookie, status string) (int, string) {
		t.Helper()
		return s.posts(t, h.ID()+"/resolve", "application/json", cookie, strings.NewReader(`{"type":"RESOLVE_ACTION_REQUIRED","status":"`+status+`"}`))
	}
	if code, _ := resolve(nil, "done"); code != http.StatusUnauthorized {
		t.Errorf("a stranger: %d", code)
	}
	if code, _ := resolve(s.opened(t, watch), "done"); code != http.StatusForbidden {
		t.Errorf("one who watches: %d", code)
	}
	cookie := s.opened(t, link)
	if code, _ := resolve(cookie, "maybe"); code != http.StatusBadRequest {
		t.Errorf("another word: %d", code)
	}
	before := h.Deadline()
	if code, said := resolve(cookie, "not_yet"); code != http.StatusOK || !strings.Contains(said, `"RUNNING"`) || !h.Deadline().After(before) {
		t.Errorf("not yet: %d %s, and it lasts until %v, before until %v", code, said, h.Deadline(), before)
	}
	if e := <-events; e.Kind != handoff.ActionRequired || !e.Deadline.Equal(h.Deadline()) {
		t.Errorf("programs are told %+v", e)
	}
	if stored, err := s.store.Handoffs().Get(t.Context(), h.ID()); err != nil || !stored.Deadline.Equal(h.Deadline()) {
		t.Errorf("it is stored until %v, %v", stored.Deadline, err)
	}
	if code, said := resolve(cookie, "done"); code != http.StatusOK || !strings.Contains(said, `"FINISHED"`) {
		t.Errorf("done: %d %s", code, said)
	}
	if e := <-events; e.Kind != handoff.ActionResolved || e.Status != "FINISHED" {
		t.Errorf("programs are told %+v", e)
	}
	if code, _ := resolve(cookie, "done"); code != http.StatusGone {
		t.Errorf("again: %d", code)
	}
}

// An agent that finishes a handoff while its person opens it has not finished it: the page is the person's by then.
func TestAPersonWhoComesWhileAnAgentFinishesHasThePage(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, link := s.start(t, handoff.Request{Until: "#signed"})
	finished := make(chan error, 1)
	go func() {
		_, err := h.Finish(t.Context())
		finished <- err
	}()
	s.opened(t, link)
	if _, err := s.page.Rod().Eval(`() => { document.body.append(Object.assign(document.createElement("p"), { id: "signed", textContent: "Signed in" })) }`); err != nil {
		t.Fatal(err)
	}
	if err := <-finished; !errors.Is(err, handoff.ErrOpened) {
		t.Errorf("the agent has finished it: %v", err)
	}
	if stored, err := s.store.Handoffs().Get(t.Context(), h.ID()); err != nil || stored.State != handoff.Running {
		t.Errorf("it is %s, %v", stored.State, err)
	}
}

// What a viewer with control sends that is no command does nothing, and what is too large ends its connection.
func TestAViewerSendsGarbage(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, link := s.start(t, handoff.Request{})
	cookie := s.opened(t, link)
	address := s.url + handoff.Path + h.ID() + "/live"
	for _, origin := range []string{"https://evil.example", "null"} {
		header := http.Header{"Cookie": {cookie.String()}, "Origin": {origin}}
		if socket, _, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPHeader: header}); err == nil {
			_ = socket.CloseNow()
			t.Errorf("a page of %s is connected", origin)
		}
	}
	dial := func() *websocket.Conn {
		t.Helper()
		socket, _, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPHeader: http.Header{"Cookie": {cookie.String()}}})
		if err != nil {
			t.Fatal(err)
		}
		socket.SetReadLimit(10 << 20)
		return socket
	}
	socket := dial()
	for _, message := range []string{"", "{", "[]", "null", `"x"`, strings.Repeat("[", 50_000), `{"t":1}`, `{"t":"down","x":1e308,"y":-1e308,"button":"left"}`,
		`{"t":"move","x":"a"}`, `{"t":"key","key":"\u0000"}`, `{"t":"key","key":"` + strings.Repeat("k", 10_000) + `","modifiers":["x","x"]}`, `{"t":"choose","indexes":[-1,99999999]}`,
		`{"t":"dialog","number":99,"accept":true}`, `{"t":"tab","id":"../../x"}`, `{"t":"up","button":"none","count":-5}`, `{"t":"wheel","dx":1e99}`, `{"t":"open"}`, "\xff\xfe"} {
		for _, kind := range []websocket.MessageType{websocket.MessageText, websocket.MessageBinary} {
			if kind == websocket.MessageText && message == "\xff\xfe" {
				continue // which is no text
			}
			if err := socket.Write(t.Context(), kind, []byte(message)); err != nil {
				t.Fatalf("after %.40q: %v", message, err)
			}
		}
	}
	if err := socket.Write(t.Context(), websocket.MessageText, []byte(`{"t":"reload"}`)); err != nil {
		t.Fatal(err)
	}
	_ = socket.Write(t.Context(), websocket.MessageText, bytes.Repeat([]byte("x"), 1<<20)) // it may be cut within
	for {
		if _, _, err := socket.Read(browsertest.Context(t)); err != nil {
			break
		}
	}
	again := dial()        // control is the device's, not the connection's
	defer again.CloseNow() //nolint:errcheck // it may be closed
	if err := again.Write(t.Context(), websocket.MessageText, []byte(`{"t":"done"}`)); err != nil {
		t.Fatal(err)
	}
	if result, err := h.Wait(browsertest.Context(t)); err != nil || result.Status != handoff.Finished {
		t.Errorf("it ended %s, %v", result.Status, err)
	}
}

// Files have names alone, and a choice that fails can be made again.
func TestAnUploadStaysInItsPlace(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, link := s.start(t, handoff.Request{})
	v := s.open(t, link)
	cookies, err := v.page.Rod().Cookies([]string{s.url + handoff.Path})
	if err != nil || len(cookies) != 1 {
		t.Fatalf("the cookies are %v, %v", cookies, err)
	}
	cookie := &http.Cookie{Name: cookies[0].Name, Value: cookies[0].Value}
	v.press(40, 385)
	v.until("the choice of a file", `() => !!document.querySelector("dialog input[type=file]")`)
	upload := func(names ...string) int {
		t.Helper()
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for _, name := range names {
			part, err := form.CreateFormFile("file", name)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = part.Write([]byte("x")) // into memory
		}
		_ = form.Close()
		code, _ := s.posts(t, h.ID()+"/file", form.FormDataContentType(), cookie, &body)
		return code
	}
	if code := upload(make([]string, 101)...); code != http.StatusBadRequest {
		t.Errorf("too many: %d", code)
	}
	if code := upload("../../../etc/" + strings.Repeat("long ", 100) + "passwd.txt"); code != http.StatusNoContent {
		t.Errorf("then one: %d", code)
	}
	s.becomes(t, "file.files.length", "1")
	if name := s.value(t, "file.files[0].name"); strings.ContainsAny(name, "/\\") || len(name) > 255 || !strings.HasSuffix(name, ".txt") {
		t.Errorf("its name is %q", name)
	}
	if _, err := os.Stat("/etc/passwd.txt"); err == nil {
		t.Error("it was written elsewhere")
	}
	if code := upload("a"); code != http.StatusConflict {
		t.Errorf("that the page has not asked for: %d", code)
	}
}

// A page that a person has may do what it likes: it ends with the person's answer, or with the page.
func TestAPageMisbehavesWhileAPersonHasIt(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, link := s.start(t, handoff.Request{})
	v := s.open(t, link)
	if _, err := s.page.Rod().Eval(`() => { setTimeout(() => { for (;;) alert("again") }) }`); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		v.until("a dialog", `() => ask.open && !!state.dialog`)
		v.click("dialog button.main")
	}
	v.click("#done")
	if result, err := h.Wait(browsertest.Context(t)); err != nil || result.Status != handoff.Finished {
		t.Errorf("with dialogs without end it ended %s, %v", result.Status, err)
	}
}

// helped serves orders to one who has signed in.
func helped(t *testing.T) string {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, err := r.Cookie("who")
		switch {
		case r.URL.Path == "/login" && r.FormValue("pass") == "right":
			http.SetCookie(w, &http.Cookie{Name: "who", Value: "ada", Path: "/"})
			http.Redirect(w, r, "/orders", http.StatusSeeOther)
		case r.URL.Path == "/out":
			http.SetCookie(w, &http.Cookie{Name: "who", Path: "/", MaxAge: -1})
			_, _ = io.WriteString(w, "out")
		case r.URL.Path == "/login" || err != nil:
			_, _ = io.WriteString(w, `<body style="margin:0"><form action=/login method=post><input name=user><input type=password name=pass autofocus style="position:absolute;left:20px;top:40px;width:200px;height:30px"><button style="position:absolute;left:20px;top:90px;width:100px;height:30px">Sign in</button></form>`)
		default:
			_, _ = io.WriteString(w, `<button id=next onclick="document.title = 'done'">Next</button>`)
		}
	}))
	t.Cleanup(site.Close)
	return site.URL
}

// A person signs in through the view, releases the page, and the next step of the run works, in the same page.
func TestARunGoesOnWhereAPersonHasSignedIn(t *testing.T) {
	t.Parallel()
	s := begin(t)
	site := helped(t)
	times := 3
	if *soak {
		times = 100
	}
	a, err := automation.Parse([]byte(fmt.Sprintf(`{"format": 1, "name": "next", "match": {"urls": ["%[1]s/*"]}, "steps": [{"tool": "navigate", "url": "%[1]s/orders"}, {"tool": "click", "selector": "#next"}]}`, site)))
	if err != nil {
		t.Fatal(err)
	}
	before := s.page.ID()
	for i := range times {
		if err := s.page.Navigate(browsertest.Context(t), site+"/out"); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := replayer.Play(t.Context(), s.page, a, &replayer.Options{Person: s.desk.Person(nil, nil), Timeout: time.Minute})
			ended <- err
		}()
		var link string
		select {
		case n := <-s.notices:
			link = n.Link
		case err := <-ended:
			t.Fatalf("run %d asks no one: %v", i, err)
		}
		s.signIn(t, link)
		select {
		case err := <-ended:
			if title := s.value(t, "document.title"); err != nil || title != "done" {
				t.Fatalf("run %d: %v, and the title is %q", i, err, title)
			}
		case <-browsertest.Context(t).Done():
			t.Fatalf("run %d has not ended", i)
		}
	}
	if s.page.ID() != before {
		t.Error("it is another page")
	}
}

// signIn signs in as a person's device does, and returns the page.
func (s *scene) signIn(t *testing.T, link string) {
	t.Helper()
	ctx := browsertest.Context(t)
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	id, _, _ := strings.Cut(u.Fragment, ".")
	socket, _, err := websocket.Dial(ctx, s.url+handoff.Path+id+"/live", &websocket.DialOptions{HTTPHeader: http.Header{"Cookie": {s.opened(t, link).String()}}})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.CloseNow() //nolint:errcheck // it may be closed
	socket.SetReadLimit(10 << 20)
	go func() {
		for {
			if _, _, err := socket.Read(context.WithoutCancel(ctx)); err != nil {
				return
			}
		}
	}()
	for _, m := range []string{`{"t":"down","x":60,"y":55,"button":"left"}`, `{"t":"up","x":60,"y":55,"button":"left"}`, `{"t":"text","text":"right"}`, `{"t":"key","key":"Enter"}`} {
		if err := socket.Write(ctx, websocket.MessageText, []byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	wait(t, s.page, "the orders", `() => !!document.getElementById("next")`)
	if err := socket.Write(ctx, websocket.MessageText, []byte(`{"t":"done"}`)); err != nil {
		t.Fatal(err)
	}
}
