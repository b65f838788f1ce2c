package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
)

// An agent is given the use of a password that it must not see. Each way below is one by
// which it tries to get at it nevertheless. One way alone:
//
//	go test ./agent -run 'TestAnAgentSeesNoPasswordThatItMayUse/edits/home_delete'

// way is one way to get at a password.
type way struct {
	name  string
	page  string   // of the site that the password is for
	enter entrance // how the password comes into the page before do
	do    func(*attack)
	// twin has the way be gone twice, with passwords of one shape: what it shows in
	// pictures and what it answers must not differ.
	twin  bool
	short bool // the password has 12 characters in place of 24
}

// entrance is how a password comes into a page.
type entrance int

const (
	byCall       entrance = iota // a call types it into a field that is for one, or an automation types it into #f
	byAutomation                 // an automation types it into #f
	byCallAlone                  // a call types it into #f, which is for no password: it may be refused
	notAtAll                     // the way does it
)

// arena is what ways share that are tried one after another: a server with a browser of
// its own, as all of a browser have one clipboard; the site that passwords are for, and
// one of another origin.
type arena struct {
	*place
	site  *httptest.Server
	other *httptest.Server
	log   *lockedBuffer

	mu      sync.Mutex
	secrets map[string]string // by account
	typed   []string          // that pages of the site have said was typed
	heard   []string          // all that the other origin was sent
	numbers int
	hows    map[string]func(string) string // the encodings of hostile pages
}

// stepTimeout is that of each call that has none of its own.
const stepTimeout = 2 * time.Second

// readTimeout is that of what is read, which is there when it is looked for, or was taken away.
const readTimeout = "500ms"

func newArena(t *testing.T, more ...func(*agent.Options)) *arena {
	t.Helper()
	r := &arena{log: &lockedBuffer{}, secrets: map[string]string{}}
	r.other = httptest.NewServer(http.HandlerFunc(r.serveOther))
	t.Cleanup(r.other.Close)
	r.other.URL = strings.Replace(r.other.URL, "127.0.0.1", "localhost", 1) // another site, too
	r.site = httptest.NewServer(http.HandlerFunc(r.serveSite))
	t.Cleanup(r.site.Close)
	r.place = at(t, func(o *agent.Options) {
		o.Commit, o.Timeout = replayer.AllowCommits, stepTimeout
		o.Logger = slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Values = func(_ context.Context, w agent.ValuesRequest) (replayer.Values, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.secrets[w.Account] == "" {
				return nil, nil
			}
			secret, err := automation.NewSecret(r.secrets[w.Account], r.site.URL)
			return replayer.Map{"pw": secret}, err
		}
		for _, change := range more {
			change(o)
		}
	})
	return r
}

// host is the host and port of a server.
func host(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }

// keepFilling keeps an automation that types the password into the field of a page, and
// does what else is said.
func (r *arena) keepFilling(name, page string, more ...string) {
	r.t.Helper()
	steps := append([]string{
		fmt.Sprintf(`{"tool": "navigate", "url": %q}`, r.site.URL+"/p/"+page),
		`{"tool": "typeInput", "selector": "#f", "value": {"kind": "variable", "name": "pw"}}`,
	}, more...)
	document := fmt.Sprintf(`{"format": 1, "name": %q, "match": {"urls": [%q]},
		"variables": {"type": "object", "properties": {"pw": {"type": "string", "writeOnly": true}}, "required": ["pw"], "additionalProperties": false},
		"steps": [%s]}`, name, host(r.site)+"/p/"+page, strings.Join(steps, ",\n"))
	a, err := automation.Parse([]byte(document))
	if err == nil {
		_, err = r.st.Automations().Save(r.t.Context(), a)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// serveOther is the other origin: it takes down all that it is sent.
func (r *arena) serveOther(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", q.Method, q.RequestURI)
	_ = q.Header.Write(&b) // memory
	b.Write(body)
	r.mu.Lock()
	r.heard = append(r.heard, b.String())
	r.mu.Unlock()
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, otherPage)
}

// serveSite is the site that passwords are for.
func (r *arena) serveSite(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	name := strings.TrimPrefix(q.URL.Path, "/p/")
	switch {
	case q.URL.Path == "/typed":
		r.mu.Lock()
		r.typed = append(r.typed, string(body))
		r.mu.Unlock()
	case q.URL.Path == "/coded":
		fmt.Fprint(w, r.hows[q.URL.Query().Get("how")](string(body)))
	case pages[name] != nil:
		fmt.Fprint(w, strings.NewReplacer("OTHER", r.other.URL, "SITE", r.site.URL).Replace(pages[name].html()))
	case strings.HasPrefix(q.URL.Path, "/said"): // what a server makes of a form
		said := q.FormValue("f") + q.URL.Query().Get("f")
		if len(body) > 0 && said == "" {
			said = string(body)
		}
		fmt.Fprint(w, (&page{body: "<h1 id=said></h1>", script: fmt.Sprintf("document.querySelector('#said').textContent = %q", said)}).html())
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (r *arena) wasTyped(secret string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, text := range r.typed {
		if strings.Contains(text, secret) {
			return true
		}
	}
	return false
}

// lockedBuffer is a buffer that may be written to by several.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(data)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// attack is a way being gone by an agent.
type attack struct {
	*arena
	t       *testing.T
	way     way
	account string
	secret  string
	client  *mcp.ClientSession

	mu       sync.Mutex
	looked   bool
	quiet    bool // what is received is the agent's own guess
	told     []sink
	pictures []image.Image
	answers  []string
	leaks    []string
}

// sink is what was told, and by what.
type sink struct{ by, text string }

// connect connects a client, all that it receives is told to the attack.
func (a *attack) connect(who string) *mcp.ClientSession {
	a.t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.server.Run(ctx, ours) }()
	wire := &mcp.LoggingTransport{Transport: theirs, Writer: wireTap{a, who}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: who, Version: "1"}, nil).Connect(a.t.Context(), wire, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() {
		_ = session.Close()
		cancel()
		<-ended
	})
	return session
}

// wireTap records what the client of an attack receives.
type wireTap struct {
	a   *attack
	who string
}

func (w wireTap) Write(line []byte) (int, error) {
	if data, received := strings.CutPrefix(string(line), "read: "); received {
		w.a.mu.Lock()
		defer w.a.mu.Unlock()
		if !w.a.quiet {
			w.a.told = append(w.a.told, sink{w.who, leaves([]byte(data))})
		}
	}
	return len(line), nil
}

// call calls a tool; whether that is refused is the server's business.
func (a *attack) call(name string, args map[string]any) result {
	a.t.Helper()
	r := a.callAs(a.client, name, args)
	for _, content := range r.Content {
		picture, is := content.(*mcp.ImageContent)
		if !is {
			continue
		}
		decoded, err := png.Decode(bytes.NewReader(picture.Data))
		if err != nil {
			a.t.Fatal(err)
		}
		a.pictures = append(a.pictures, decoded)
	}
	return r
}

func (a *attack) callAs(s *mcp.ClientSession, name string, args map[string]any) result {
	a.t.Helper()
	began := time.Now()
	r := call(a.t, s, name, args)
	if testing.Verbose() && *tellCalls {
		a.t.Logf("%v %s %v: %.600s", time.Since(began).Round(time.Millisecond), name, args, r.Text)
	}
	return r
}

// on are the arguments of a call on an element.
func on(target any, more ...any) map[string]any {
	args := map[string]any{"target": target}
	for i := 0; i < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return args
}

func (a *attack) open(url string) result {
	if !strings.HasPrefix(url, "http") {
		url = a.site.URL + "/p/" + url
	}
	return a.call("navigate", map[string]any{"url": url})
}

func (a *attack) click(target any) { a.call("click", on(target)) }
func (a *attack) snapshot() result { return a.call("snapshot", nil) }
func (a *attack) extract(target any, m ...any) {
	a.call("extract", on(target, append(m, "as", "it")...))
}
func (a *attack) picture(more ...any)      { a.call("screenshot", pairs(more...)) }
func (a *attack) variable() map[string]any { return map[string]any{"variable": "pw"} }
func (a *attack) typeIt(target any, m ...any) result {
	return a.call("type_input", on(target, append(m, "value", a.variable(), "account", a.account)...))
}

func pairs(more ...any) map[string]any {
	args := on(nil, more...)
	delete(args, "target")
	return args
}

// keys presses keys where the focus is. "f:Home" presses the first in #f.
func (a *attack) keys(all ...string) {
	for _, key := range all {
		if id, rest, in := strings.Cut(key, ":"); in && rest != "" {
			a.call("keypress", on("#"+id, "key", rest))
		} else {
			a.call("keypress", pairs("key", key))
		}
	}
}

// look looks at the page by all that tells texts.
func (a *attack) look() {
	a.snapshot()
	a.extract("#g")
	a.extract("#out")
	if !a.looked || !strings.HasPrefix(a.way.page, "says-") { // the field of those is a password's to the end
		a.extract("#f")
		a.extract("#f", "attribute", "value")
	}
	a.looked = true
	for _, read := range pages[a.way.page].reads {
		args := map[string]any{"as": "it", "target": read.target, "timeout": readTimeout}
		for key, value := range map[string]string{"attribute": read.attribute} {
			if value != "" {
				args[key] = value
			}
		}
		if read.frame != "" {
			args["frame"] = []string{read.frame}
		}
		if read.all {
			args["all"] = true
		}
		a.call("extract", args)
	}
}

// pasteHere pastes into the notes of the page, looks, and looks again at what is left of it.
func (a *attack) pasteHere() {
	a.keys("g:Control+v", "Shift+Insert", "Paste")
	a.seeNotes()
	a.keys("g:Control+a", "Delete", "Control+v", "Control+Home", "Delete", "Control+End", "Backspace")
	a.seeNotes()
}

func (a *attack) seeNotes() {
	a.snapshot()
	a.extract("#g")
	a.extract("#g", "attribute", "value")
}

// pasteThere pastes on the other origin, and looks.
func (a *attack) pasteThere() {
	a.open(a.other.URL + "/")
	a.keys("area:Control+v", "Shift+Insert", "Paste", "Control+Home", "Delete", "rich:Control+v")
	a.snapshot()
	a.extract("#area")
	a.extract("#rich")
}

// again types the password into the page again, after the agent was on the other origin:
// from then on its calls may act there.
func (a *attack) again() {
	a.open(a.other.URL + "/")
	a.open(a.way.page)
	a.typeIt("#f")
}

// run runs an automation for the account.
func (a *attack) run(name string) result {
	return a.call("run_automation", map[string]any{"name": name, "account": a.account})
}

// go on the way, with one password.
func (r *arena) walk(t *testing.T, w way, secret string) *attack {
	t.Helper()
	r.mu.Lock()
	r.numbers++
	account := fmt.Sprintf("a%d@example.com", r.numbers)
	r.secrets[account] = secret
	r.mu.Unlock()
	a := &attack{arena: r, t: t, way: w, account: account, secret: secret}
	a.client = a.connect("agent")
	defer func() { _ = a.client.Close() }() // its page is not left among those of the ways after it
	if !a.comesIn() {
		return a
	}
	if w.do == nil {
		a.look()
	} else {
		w.do(a)
	}
	if !r.wasTyped(secret) && w.enter != byCallAlone && w.enter != notAtAll {
		t.Errorf("the page has heard nothing of the password: the way tries nothing")
	}
	return a
}

// comesIn types the password into the page; false where it is refused.
func (a *attack) comesIn() bool {
	a.t.Helper()
	var r result
	switch w := a.way; w.enter {
	case notAtAll:
		return true
	case byCall, byCallAlone:
		a.open(w.page)
		if r = a.typeIt("#f"); r.IsError && w.enter == byCallAlone {
			a.look() // an error, and what was typed before it, tell nothing either
			return false
		}
	case byAutomation:
		r = a.run("fill-" + w.page)
	}
	if r.IsError {
		a.t.Fatalf("the password cannot be typed, and has to be: %s", r.Text)
	}
	return true
}

// judge reports what was given away.
func (a *attack) judge() {
	a.t.Helper()
	n := needlesOf(a.secret)
	a.mu.Lock()
	told := append([]sink{}, a.told...)
	a.mu.Unlock()
	a.arena.mu.Lock()
	for _, text := range a.heard {
		told = append(told, sink{"the other origin", text})
	}
	a.arena.mu.Unlock()
	seen := map[string]bool{}
	for _, s := range told {
		if found, around := n.find(s.text); found != nil && !seen[s.by+found.how] {
			seen[s.by+found.how] = true
			a.leaks = append(a.leaks, fmt.Sprintf("%s is shown %q (%s): …%s…", s.by, found.piece, found.how, around))
		}
	}
	for _, leak := range a.leaks {
		a.t.Error(leak)
	}
}

// differ reports what tells two passwords of one shape apart.
func (a *attack) differ(b *attack) {
	a.t.Helper()
	if len(a.pictures) != len(b.pictures) {
		a.t.Errorf("there are %d pictures with one password, %d with another", len(a.pictures), len(b.pictures))
		return
	}
	for i := range a.pictures {
		if n, where := differing(a.pictures[i], b.pictures[i]); n > 0 {
			a.t.Errorf("picture %d shows it: %d pixels differ with another password, in %v", i+1, n, where)
			keepPictures(a.t, fmt.Sprintf("%d", i+1), a.pictures[i], b.pictures[i])
		}
	}
	if one, other := fmt.Sprint(a.answers), fmt.Sprint(b.answers); one != other {
		a.t.Errorf("the answers tell two passwords apart: %s and %s", one, other)
	}
}

// differing is how many pixels of two pictures differ, and where.
func differing(a, b image.Image) (n int, where image.Rectangle) {
	if a.Bounds() != b.Bounds() {
		return 1, a.Bounds().Union(b.Bounds())
	}
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			if r1 != r2 || g1 != g2 || b1 != b2 {
				n++
				where = where.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return n, where
}

// keepPictures writes pictures that differ where $ATTACK_PICTURES says.
func keepPictures(t *testing.T, name string, pictures ...image.Image) {
	folder := os.Getenv("ATTACK_PICTURES")
	if folder == "" {
		return
	}
	for i, picture := range pictures {
		var b bytes.Buffer
		if err := png.Encode(&b, picture); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, fmt.Sprintf("%s-%s-%c.png", strings.ReplaceAll(t.Name(), "/", "_"), name, 'a'+i))
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// ask asks the page a question with a right guess and with a wrong one of its shape: both
// must be answered alike, and as fast.
func (a *attack) ask(tool, guess string, args func(guess string) map[string]any) {
	a.t.Helper()
	a.mu.Lock()
	a.quiet = true
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.quiet = false
		a.mu.Unlock()
	}()
	var right, wrong [2]answered
	for i := range 2 {
		right[i] = a.answered(tool, guess, args)
		wrong[i] = a.answered(tool, twinOf(guess), args)
	}
	if !alike(right[0].text, wrong[0].text) {
		a.leaks = append(a.leaks, fmt.Sprintf("%s is answered %q for a right guess, %q for a wrong one", tool, right[0].text, wrong[0].text))
		return
	}
	if slower(right, wrong) || slower(wrong, right) {
		a.leaks = append(a.leaks, fmt.Sprintf("%s takes %v for a right guess, %v for a wrong one", tool, right, wrong))
	}
}

// answered is how a question was answered.
type answered struct {
	text string
	took time.Duration
}

func (a answered) String() string { return a.took.Round(time.Millisecond).String() }

func slower(one, other [2]answered) bool {
	return min(one[0].took, one[1].took) > 3*max(other[0].took, other[1].took)+200*time.Millisecond
}

func (a *attack) answered(tool, guess string, args func(string) map[string]any) answered {
	began := time.Now()
	r := a.call(tool, args(guess))
	took := time.Since(began)
	if told, failed := r.Value["error"].(map[string]any); failed {
		delete(told, "step") // the number of the call
	}
	data, err := json.Marshal(r.Value)
	if err != nil {
		a.t.Fatal(err)
	}
	text := leaves(data)
	for _, form := range []string{guess, jsonOf(guess), "[secret]", "[hidden: it repeats a secret]"} {
		text = strings.ReplaceAll(text, form, "·")
	}
	return answered{strings.ReplaceAll(text, "\n", " "), took}
}

func jsonOf(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		return text
	}
	return strings.Trim(string(data), `"`)
}

// alike reports whether two texts are the same but for a guess that is cut in them.
func alike(right, wrong string) bool {
	return right == wrong || len(right) == len(wrong) && twinOf(right) == wrong || len(right) == len(wrong) && cutAlike(right, wrong)
}

func cutAlike(right, wrong string) bool {
	twin := twinOf(right)
	for i := range right {
		if right[i] != wrong[i] && twin[i] != wrong[i] {
			return false
		}
	}
	return true
}

// note notes an answer, which must be the same with another password of one shape.
func (a *attack) note(r result) {
	a.answers = append(a.answers, fmt.Sprintf("%v %s", r.IsError, r.Error.Code))
}

// try goes a way, and says what it gives away.
func (r *arena) try(t *testing.T, w way) (held bool) {
	secret := newPassword(24)
	if w.short {
		secret = newPassword(12)
	}
	return t.Run(w.name, func(t *testing.T) {
		r.t = t
		a := r.walk(t, w, secret)
		a.judge()
		if w.twin {
			b := r.walk(t, w, twinOf(secret))
			b.judge()
			a.differ(b)
		}
	})
}

// files scans what stands in the store's directory, and what was logged, for all passwords
// of the arena.
func (r *arena) files(t *testing.T) {
	var all []sink
	err := filepath.WalkDir(r.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(r.root, path)
		for line := range strings.Lines(string(data)) {
			all = append(all, sink{name, leaves([]byte(line))})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(r.log.String()) {
		all = append(all, sink{"the log", line})
	}
	seen := map[string]bool{}
	for account, secret := range r.secrets {
		n := needlesOf(secret)
		for _, s := range all {
			if found, around := n.find(s.text); found != nil && !seen[s.by+account] {
				seen[s.by+account] = true
				t.Errorf("%s has %q (%s): …%s…", s.by, found.piece, found.how, around)
			}
		}
	}
}

// sample is one of some ways, the first among them.
func sample(ways []way) (some []way) {
	for i := 0; i < len(ways); i += sampleOf {
		some = append(some, ways[i])
	}
	return some
}

func TestAnAgentSeesNoPasswordThatItMayUse(t *testing.T) {
	t.Parallel()
	for name, ways := range groups() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newArena(t)
			if !*tryAll {
				ways = sample(ways)
			}
			for _, w := range ways {
				if w.enter == byAutomation {
					r.t = t
					if _, err := r.st.Automations().Get(t.Context(), "fill-"+w.page, ""); err != nil {
						r.keepFilling("fill-"+w.page, w.page)
					}
				}
			}
			held, tried := 0, 0
			for _, w := range ways {
				tried++
				if r.try(t, w) {
					held++
				}
			}
			tried++
			if t.Run("files and log", r.files) {
				held++
			}
			t.Logf("%s: %d of %d ways held", name, held, tried)
		})
	}
}
