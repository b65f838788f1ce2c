package handoff_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// club is a site whose pages want a sign-in, and other things before that.
type club struct {
	*httptest.Server
	mu        sync.Mutex
	passwords map[string]string
	sessions  map[string]string // cookie → who
	signIns   map[string]int
	code      string // that is asked for after the password, "" for none
}

const clubStyle = `<!doctype html><meta charset=utf-8><style>body { margin: 0 } * { font: 16px sans-serif } .at { position: absolute; left: 20px; width: 180px; height: 30px }</style>`

func newClub(t *testing.T) *club {
	t.Helper()
	c := &club{passwords: map[string]string{}, sessions: map[string]string{}, signIns: map[string]int{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		c.mu.Lock()
		defer c.mu.Unlock()
		who := ""
		if cookie, err := r.Cookie("session"); err == nil {
			who = c.sessions[cookie.Value]
		}
		enter := func(name string) {
			c.signIns[name]++
			key := rand.Text()
			c.sessions[key] = name
			http.SetCookie(w, &http.Cookie{Name: "session", Value: key, Path: "/", HttpOnly: true})
			http.Redirect(w, r, "/orders", http.StatusSeeOther)
		}
		name := r.FormValue("user")
		switch {
		case r.URL.Path == "/signin" && r.Method == http.MethodPost && c.passwords[name] != "" && r.FormValue("pass") == c.passwords[name]:
			if c.code == "" {
				enter(name)
				return
			}
			fmt.Fprintf(w, clubStyle+`<h1 class=at style="top:0">Your code, %[1]s</h1><form method=post action=/code><input type=hidden name=user value=%[1]s><input class=at id=code name=code aria-label="Code" autocomplete=one-time-code style="top:50px"><button class=at style="top:100px">Verify</button></form>`, name)
		case r.URL.Path == "/code" && r.FormValue("code") == c.code:
			enter(name)
		case r.URL.Path == "/card" && r.Method == http.MethodPost:
			if file, _, err := r.FormFile("card"); err == nil && c.passwords[name] == r.FormValue("pass") {
				_ = file.Close()
				enter(name)
				return
			}
			http.Error(w, "no card", http.StatusForbidden)
		case r.URL.Path == "/card" && who == "":
			fmt.Fprint(w, clubStyle+`<form method=post enctype=multipart/form-data><input class=at id=user name=user aria-label="User name" style="top:20px"><input class=at id=pass type=password name=pass aria-label="Password" style="top:70px"><input class=at id=file type=file name=card aria-label="Card" style="top:120px"><button class=at id=go style="top:170px">Sign in</button></form>`)
		case r.URL.Path == "/portal" && who == "":
			fmt.Fprint(w, clubStyle+`<title>Sign in</title><h1 class=at style="top:0">Sign in</h1><input class=at id=mail type=email aria-label="E-mail of your account" style="top:70px"><button class=at id=go style="top:120px" onclick="window.open('/window?user=' + encodeURIComponent(mail.value))">Continue</button>`)
		case r.URL.Path == "/window" && r.Method == http.MethodPost && c.passwords[name] != "" && r.FormValue("pass") == c.passwords[name]:
			c.signIns[name]++
			key := rand.Text()
			c.sessions[key] = name
			http.SetCookie(w, &http.Cookie{Name: "session", Value: key, Path: "/", HttpOnly: true})
			fmt.Fprint(w, `<script>opener.location = "/orders"; close()</script>`)
		case r.URL.Path == "/window":
			fmt.Fprintf(w, clubStyle+`<form method=post><input type=hidden name=user value="%s"><input class=at id=pass type=password name=pass aria-label="Password" style="top:20px"><button class=at id=go style="top:70px">Sign in</button></form>`, html.EscapeString(name))
		case r.URL.Path == "/signin":
			fmt.Fprint(w, clubStyle+`<form method=post><input class=at id=user name=user aria-label="User name" style="top:20px"><input class=at id=pass type=password name=pass aria-label="Password" style="top:70px"><button class=at id=go style="top:120px">Sign in</button></form>`)
		case r.URL.Path == "/news":
			fmt.Fprint(w, clubStyle+`<p style="height:3000px">`+strings.Repeat("News. ", 200)+`</p><button class=at id=next style="top:20px" onclick="document.title = 'Next'">Next</button><div id=cookie-banner style="position:fixed;inset:0;background:#eee"><button class=at id=agree style="top:20px" onclick="this.parentNode.remove()">Accept all</button></div>`)
		case r.URL.Path == "/human":
			fmt.Fprint(w, clubStyle+`<title>Just a moment</title><form id=challenge-form><label class=at style="top:20px"><input type=checkbox id=human onclick="location = '/human/in'"> I am human</label></form>`)
		case r.URL.Path == "/puzzle":
			fmt.Fprint(w, clubStyle+`<title>Just a moment</title><form id=challenge-form></form><label class=at style="top:20px"><input type=checkbox id=one> A bridge</label><label class=at style="top:70px"><input type=checkbox id=two> Another</label><button class=at id=go type=button style="top:120px" onclick="if (one.checked && two.checked) location = '/human/in'">Verify</button>`)
		case r.URL.Path == "/human/in" || who != "":
			fmt.Fprintf(w, clubStyle+`<title>Orders</title><p>%s</p><button class=at id=next style="top:120px" onclick="document.title = 'Next'">Next</button>`, who)
		default:
			http.Redirect(w, r, "/signin", http.StatusSeeOther)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *club) signedIn(who string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.signIns[who]
}

// lesson is a scene in which runs of an automation are blocked.
type lesson struct {
	scene
	club   *club
	runner *runner.Runner
	safe   *sealed.SecretStore
}

func beginLesson(t *testing.T) *lesson {
	t.Helper()
	l := &lesson{club: newClub(t)}
	l.dir, l.notices = t.TempDir(), make(chan handoff.Notice, 10)
	var err error
	if l.store, err = store.Open(t.Context(), filepath.Join(l.dir, "data")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.store.Close() })
	keys, err := sealed.File(filepath.Join(t.TempDir(), "key"), l.dir)
	if err != nil {
		t.Fatal(err)
	}
	l.safe = sealed.New(l.store, keys)
	secrets := func() (*sealed.SecretStore, error) { return l.safe, nil }
	log := slog.New(slog.NewTextHandler(&locked{w: &l.log}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var served http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { served.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	l.url = server.URL
	if l.desk, err = handoff.New(&handoff.Options{Store: l.store, PublicURL: server.URL, Secrets: secrets, Notify: func(n handoff.Notice) { l.notices <- n }, Logger: log}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.desk.Close)
	served = l.desk
	l.runner = &runner.Runner{Store: l.store, Secrets: secrets, Logger: log}
	return l
}

// locked is a writer for several goroutines.
type locked struct {
	mu sync.Mutex
	w  *bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// run begins a run that goes to a path and presses Next there, in a page that has never seen the site.
func (l *lesson) run(t *testing.T, path, account string, person replayer.Person) <-chan error {
	t.Helper()
	doc, err := automation.Parse(fmt.Appendf(nil, `{"format": 1, "name": "next", "match": {"urls": ["%[1]s/*"]}, "steps": [
		{"tool": "navigate", "url": "%[1]s%[2]s"}, {"tool": "click", "selector": "#next"}]}`, l.club.URL, path))
	if err != nil {
		t.Fatal(err)
	}
	if l.page, err = browsertest.Browser(t).NewIsolatedPage(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.page.Close(context.Background()) })
	ended := make(chan error, 1)
	page := l.page
	go func() {
		_, err := l.runner.Run(t.Context(), runner.Request{Document: doc, Account: account, Pages: runner.OpenPage{Page: page}, Options: replayer.Options{Person: person}}, runner.Events{})
		ended <- err
	}()
	return ended
}

// person is who is called, through the desk.
func (l *lesson) person(account string) replayer.Person {
	return l.desk.Person(nil, func(_ context.Context, _ replayer.Handoff, r *handoff.Request) { r.Account = account })
}

// alone wants a run to come to its end without anyone.
func (l *lesson) alone(t *testing.T, path, account string) {
	t.Helper()
	ended := l.run(t, path, account, l.person(account))
	select {
	case err := <-ended:
		if err != nil {
			t.Fatalf("the run for %q: %v", account, err)
		}
	case n := <-l.notices:
		t.Fatalf("a person was called: %+v", n)
	}
	if title := l.value(t, "document.title"); title != "Next" {
		t.Fatalf("the run for %q ended at %q", account, title)
	}
}

// called waits for the person to be called, and opens their view.
func (l *lesson) called(t *testing.T, keep bool) (*viewer, handoff.Notice) {
	t.Helper()
	var n handoff.Notice
	select {
	case n = <-l.notices:
	case <-browsertest.Context(t).Done():
		t.Fatalf("no one was called; the log:\n%s", l.log.String())
	}
	v := l.open(t, n.Link)
	if keep {
		v.click("#keep")
		v.until("it to be recorded", `() => state.keep === true`)
	}
	return v, n
}

// signsIn signs in by hand.
func (l *lesson) signsIn(t *testing.T, v *viewer, user, pass string) {
	t.Helper()
	l.press(t, v, "user", 60, 35)
	v.types(user)
	l.becomes(t, "document.getElementById('user').value", user)
	l.press(t, v, "pass", 60, 85)
	v.types(pass)
	l.becomes(t, "document.getElementById('pass').value", pass)
	v.press(60, 135)
}

// fills fills in a field of the viewer itself.
func (v *viewer) fills(id, text string) {
	v.t.Helper()
	v.until(id, `() => !!document.getElementById("`+id+`")`)
	if _, err := v.page.Rod().Eval(`(id, text) => { document.getElementById(id).value = text }`, id, text); err != nil {
		v.t.Fatal(err)
	}
}

// savesOffer fills in the values of an offer, each after its name, and saves it.
func (v *viewer) savesOffer(values ...string) {
	v.t.Helper()
	v.until("the offer", `() => !document.getElementById("offer").hidden`)
	for i := 0; i < len(values); i += 2 {
		v.fills("value-"+values[i], values[i+1])
	}
	v.saves()
}

func (v *viewer) saves() {
	v.t.Helper()
	v.click("#save")
	v.until("it to be saved", `() => document.getElementById("what").textContent.startsWith("Saved")`)
}

// finds returns the files of the data in which one of the texts is.
func (l *lesson) finds(t *testing.T, text string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(l.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if form, _ := canary.Find(data, text); form != "" {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A sign-in that a person did once needs no one the next time, for their account and for another one that has its own
// secrets. What they typed is nowhere but in the vault.
func TestASignInIsLearnedFromATakeover(t *testing.T) {
	l := beginLesson(t)
	password := canary.New()
	l.club.passwords = map[string]string{"ada": password, "grace": "grace-pass-77"}
	ended := l.run(t, "/orders", "ada", l.person("ada"))
	v, _ := l.called(t, true)
	l.signsIn(t, v, "ada", password)
	l.becomes(t, "document.title", "Orders")
	v.click("#done")
	if err := <-ended; err != nil { // before anything is saved
		t.Fatalf("the run that the person helped: %v", err)
	}
	v.until("the offer", `() => !document.getElementById("offer").hidden`)
	said, err := v.page.Rod().Eval(`() => document.getElementById("offer").innerText`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Type into “User name”", "Type into “Password”", "Click “Sign in”", l.club.URL} {
		if !strings.Contains(said.Value.Str(), want) {
			t.Errorf("the offer does not say %q:\n%s", want, said.Value.Str())
		}
	}
	v.fills("value-username", "ada")
	v.fills("value-password", password)
	v.fills("offerName", "club-sign-in")
	v.saves()

	doc, err := l.store.Automations().Get(t.Context(), "club-sign-in", "")
	if err != nil {
		t.Fatal(err)
	}
	declared, err := doc.Declared()
	if err != nil || doc.Match.Blocker != automation.ReasonLogin || len(doc.Steps) != 3 || strings.Join(declared.Secrets(), " ") != "password username" {
		t.Errorf("it is saved as %+v, with the secrets %v", doc, declared.Secrets())
	}
	l.alone(t, "/orders", "ada")
	if err := l.safe.SetCredential(t.Context(), sealed.Credential{Site: "club", Account: "grace", Origins: []string{l.club.URL}, Fields: map[string]string{"username": "grace", "password": "grace-pass-77"}}); err != nil {
		t.Fatal(err)
	}
	l.alone(t, "/orders", "grace")
	if ada, grace := l.club.signedIn("ada"), l.club.signedIn("grace"); ada != 2 || grace != 1 {
		t.Errorf("ada has signed in %d times, grace %d", ada, grace)
	}
	for _, path := range l.finds(t, password) {
		t.Errorf("the password is in %s", path)
	}
	if form, _ := canary.Find(l.log.Bytes(), password); form != "" {
		t.Error("the password is in the log")
	}

	// It fails: the person is told what did, and what they do replaces it.
	l.club.mu.Lock()
	l.club.passwords["ada"] = "another-pass-12"
	l.club.mu.Unlock()
	ended = l.run(t, "/orders", "ada", l.person("ada"))
	v, n := l.called(t, true)
	if !strings.Contains(n.Text, "the learned automation club-sign-in did not help") {
		t.Errorf("the person is told %q", n.Text)
	}
	l.signsIn(t, v, "ada", "another-pass-12")
	l.becomes(t, "document.title", "Orders")
	v.click("#done")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	v.until("the offer", `() => !document.getElementById("offer").hidden && document.getElementById("offerName").value === "club-sign-in"`)
	v.fills("value-password", "another-pass-12")
	v.saves()
	l.alone(t, "/orders", "ada")
}

// With the switch off nothing is recorded, and nothing is offered.
func TestNothingIsKeptUnlessItIsSwitchedOn(t *testing.T) {
	l := beginLesson(t)
	l.club.passwords = map[string]string{"ada": "ada-pass-123"}
	for _, on := range []bool{false, true} { // and switched off again
		ended := l.run(t, "/orders", "ada", l.person("ada"))
		v, n := l.called(t, on)
		l.signsIn(t, v, "ada", "ada-pass-123")
		l.becomes(t, "document.title", "Orders")
		if on {
			v.click("#keep")
			v.until("it to be off", `() => state.keep === false`)
		}
		v.click("#done")
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		v.until("thanks", `() => document.body.classList.contains("ended")`)
		reply, err := v.page.Rod().Eval(`async (id) => (await fetch(id + "/offer")).status`, n.Handoff)
		if err != nil || reply.Value.Int() != http.StatusGone {
			t.Errorf("an offer is answered with %v, %v", reply, err)
		}
	}
	for sum := range l.store.Automations().List(t.Context()) {
		t.Errorf("%s is stored", sum.Name)
	}
}

// A question for consent, and a box that is ticked alone, become presses.
func TestConsentAndALoneBoxBecomePresses(t *testing.T) {
	l := beginLesson(t)
	for path, reason := range map[string]automation.Reason{"/news": automation.ReasonPermission, "/human": automation.ReasonCaptcha} {
		ended := l.run(t, path, "", l.person(""))
		v, n := l.called(t, true)
		if n.Reason != string(reason) {
			t.Fatalf("%s is blocked by %s", path, n.Reason)
		}
		v.press(40, 35)
		l.becomes(t, "!document.querySelector('#agree, #human')", "true")
		v.click("#done")
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		v.savesOffer()
		l.alone(t, path, "")
	}
	for sum, err := range l.store.Automations().List(t.Context()) {
		doc, failed := l.store.Automations().Get(t.Context(), sum.Name, "")
		if err != nil || failed != nil || len(doc.Steps) != 1 || doc.Steps[0].Tool != "click" {
			t.Errorf("it is saved as %+v, %v, %v", doc, err, failed)
		}
	}
}

// What is more than a box to tick may be a puzzle: nothing of it is offered, and the person is told so.
func TestAPuzzleAlwaysNeedsAPerson(t *testing.T) {
	l := beginLesson(t)
	ended := l.run(t, "/puzzle", "", l.person(""))
	v, _ := l.called(t, true)
	v.press(40, 35)
	v.press(40, 85)
	l.becomes(t, "one.checked && two.checked", "true")
	v.press(60, 135)
	l.becomes(t, "document.title", "Orders")
	v.click("#done")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	v.until("the reason", `() => document.getElementById("why").textContent.startsWith("What you did cannot be saved: ")`)
	for sum := range l.store.Automations().List(t.Context()) {
		t.Errorf("%s is stored", sum.Name)
	}
}

// A one-time code is never stored: what comes before it is played, and then the person is called for it.
func TestACodeAlwaysNeedsAPerson(t *testing.T) {
	l := beginLesson(t)
	l.club.passwords, l.club.code = map[string]string{"ada": "ada-pass-123"}, "Q7K2M9X4W3Z8T5V6" // so long that no half of it stands in what is sealed by chance
	for round := range 2 {
		ended := l.run(t, "/orders", "ada", l.person("ada"))
		v, n := l.called(t, round == 0)
		if round == 0 {
			l.signsIn(t, v, "ada", "ada-pass-123")
		} else if n.Reason != string(automation.Reason2FA) {
			t.Fatalf("the person is called for %s: %s", n.Reason, n.Text)
		}
		l.becomes(t, "!!document.getElementById('code')", "true")
		l.press(t, v, "code", 60, 65)
		v.types(l.club.code)
		v.press(60, 115)
		l.becomes(t, "document.title", "Orders")
		v.click("#done")
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if round > 0 {
			break
		}
		v.savesOffer("username", "ada", "password", "ada-pass-123")
	}
	if l.club.signedIn("ada") != 2 {
		t.Errorf("ada has signed in %d times", l.club.signedIn("ada"))
	}
	for _, path := range l.finds(t, l.club.code) {
		t.Errorf("the code is in %s", path)
	}
}

// A file is the person's to choose, each time: what comes before it is played, and neither its name nor what it holds is
// stored.
func TestAFileOfASignInIsChosenByThePersonEachTime(t *testing.T) {
	l := beginLesson(t)
	l.club.passwords = map[string]string{"ada": "ada-pass-123"}
	secret := canary.New()
	for round := range 2 {
		ended := l.run(t, "/card", "ada", l.person("ada"))
		v, n := l.called(t, round == 0)
		if round == 0 {
			l.press(t, v, "user", 60, 35)
			v.types("ada")
			l.press(t, v, "pass", 60, 85)
			v.types("ada-pass-123")
			l.becomes(t, "pass.value", "ada-pass-123")
		} else if n.Reason != string(automation.ReasonManualRecovery) || !strings.Contains(n.Instruction, "Choose the file") {
			t.Fatalf("the person is called for %s: %s", n.Reason, n.Instruction)
		}
		v.press(40, 135)
		v.until("the choice of a file", `() => !!document.querySelector("dialog input[type=file]")`)
		if _, err := v.page.Rod().Eval(`(text) => { const all = new DataTransfer(); all.items.add(new File([text], text.slice(-12) + ".txt")); document.querySelector("dialog input").files = all.files }`, secret); err != nil {
			t.Fatal(err)
		}
		v.click("dialog button.main")
		l.becomes(t, "file.files.length", "1")
		v.press(60, 185)
		l.becomes(t, "document.title", "Orders")
		v.click("#done")
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if round > 0 {
			break
		}
		v.savesOffer("username", "ada", "password", "ada-pass-123")
	}
	if l.club.signedIn("ada") != 2 {
		t.Errorf("ada has signed in %d times", l.club.signedIn("ada"))
	}
	for _, text := range []string{secret, secret[len(secret)-12:]} {
		for _, path := range l.finds(t, text) {
			t.Errorf("the file is told in %s", path)
		}
	}
}

// A sign-in that goes on in a window of its own is learned with it.
func TestASignInInAPopupIsLearned(t *testing.T) {
	l := beginLesson(t)
	l.club.passwords = map[string]string{"ada@club.example": "ada-pass-123", "grace@club.example": "grace-pass-77"}
	ended := l.run(t, "/portal", "ada", l.person("ada"))
	v, _ := l.called(t, true)
	l.press(t, v, "mail", 60, 85)
	v.types("ada@club.example")
	l.becomes(t, "mail.value", "ada@club.example")
	v.press(60, 135)
	v.until("the popup", `() => state.tabs.length === 2 && state.tabs.some((tab) => tab.shown && tab.url.includes("/window"))`)
	v.until("its frame", `() => shape.w > 0 && state.tabs.length === 2`)
	v.pressUntil(60, 35, "the field", `() => !!state.field?.secret`)
	v.types("ada-pass-123")
	v.press(60, 85)
	l.becomes(t, "document.title", "Orders")
	v.until("the first tab", `() => state.tabs.length === 1 && state.tabs[0].shown`)
	v.click("#done")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	v.savesOffer("email", "ada@club.example", "password", "ada-pass-123")
	l.alone(t, "/portal", "ada")
	if err := l.safe.SetCredential(t.Context(), sealed.Credential{Site: "club", Account: "grace", Origins: []string{l.club.URL}, Fields: map[string]string{"email": "grace@club.example", "password": "grace-pass-77"}}); err != nil {
		t.Fatal(err)
	}
	l.alone(t, "/portal", "grace")
	if ada, grace := l.club.signedIn("ada@club.example"), l.club.signedIn("grace@club.example"); ada != 2 || grace != 1 {
		t.Errorf("ada has signed in %d times, grace %d", ada, grace)
	}
}

// What an input method composes is one text of one field, and is recorded as little as what keys type.
func TestWhatAnInputMethodComposesIsLearnedAsOneText(t *testing.T) {
	l := beginLesson(t)
	const name = "漢字かな交じり"
	l.club.passwords = map[string]string{name: "ada-pass-123"}
	ended := l.run(t, "/orders", "ada", l.person("ada"))
	v, _ := l.called(t, true)
	l.press(t, v, "user", 60, 35)
	for _, composed := range []string{"k", "か", "かん", "漢字", "漢字かな交"} {
		if _, err := v.page.Target().Send("Input.imeSetComposition", map[string]any{"text": composed, "selectionStart": len([]rune(composed)), "selectionEnd": len([]rune(composed))}).Wait(browsertest.Context(t)); err != nil {
			t.Fatal(err)
		}
	}
	v.types(name)
	l.becomes(t, "document.getElementById('user').value", name)
	l.press(t, v, "pass", 60, 85)
	v.types("ada-pass-123")
	l.becomes(t, "document.getElementById('pass').value", "ada-pass-123")
	v.press(60, 135)
	l.becomes(t, "document.title", "Orders")
	v.click("#done")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	v.until("the offer", `() => !document.getElementById("offer").hidden`)
	if said, err := v.page.Rod().Eval(`() => offerSteps.innerText`); err != nil || strings.Count(said.Value.Str(), "Type into") != 2 {
		t.Errorf("the offer is %v, %v", said, err)
	}
	v.fills("value-username", name)
	v.fills("value-password", "ada-pass-123")
	v.saves()
	l.alone(t, "/orders", "ada")
	for _, text := range []string{name, "漢字かな交"} {
		for _, path := range l.finds(t, text) {
			t.Errorf("what was composed is in %s", path)
		}
	}
}
