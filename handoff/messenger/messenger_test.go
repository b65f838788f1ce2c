package messenger_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/handoff/messenger"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/notify/notifytest"
	"github.com/go-reprise/reprise/store"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

const (
	person   = 77
	stranger = 78
	group    = -100
)

const site = `<!doctype html><meta charset=utf-8><title>Shop</title><style>body { margin: 0 } input, iframe { position: absolute; left: 20px; width: 300px; height: 40px; border: 0 }</style>
<input id=code style="top:20px" autofocus><input id=pass type=password style="top:80px"><input id=shown style="top:140px">`

// logged is a log that several goroutines write.
type logged struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *logged) bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all.Bytes())
}

// scene is a desk whose person has a chat.
type scene struct {
	store store.Store
	dir   string
	chat  *notifytest.Telegram
	desk  *handoff.Desk
	log   logged
	site  string
}

func begin(t testing.TB) *scene {
	t.Helper()
	s := &scene{dir: t.TempDir(), chat: notifytest.Start(t)}
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, site)
	}))
	t.Cleanup(shop.Close)
	s.site = shop.URL
	s.store = s.open(t)
	return s
}

func (s *scene) open(t testing.TB) store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), s.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

// run has a messenger run as a process of its own would, until stop is called.
func (s *scene) run(t testing.TB, chat int64, change func(*messenger.Options)) (m *messenger.Messenger, stop func()) {
	t.Helper()
	logger := slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	bot, err := notify.NewTelegram(notifytest.Secret(), chat, &notify.TelegramOptions{API: s.chat.URL})
	if err != nil {
		t.Fatal(err)
	}
	n, err := notify.New(&notify.Options{Channels: []notify.Channel{bot}, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	o := &messenger.Options{Store: s.store, Notifier: n, Desk: s.desk, Logger: logger}
	if chat > 0 {
		o.Chat = bot
	}
	if change != nil {
		change(o)
	}
	if m, err = messenger.New(o); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return m, stop
}

// takeover makes the desk, and a messenger for it.
func (s *scene) takeover(t testing.TB, chat int64) {
	t.Helper()
	var m *messenger.Messenger
	var err error
	s.desk, err = handoff.New(&handoff.Options{
		Store: s.store, PublicURL: "https://help.example", Notify: func(n handoff.Notice) { m.Notice(n) },
		Logger: slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.desk.Close)
	m, _ = s.run(t, chat, nil)
	if chat > 0 {
		browsertest.Until(t, "the first poll", func() bool { return s.chat.Calls("getUpdates") > 1 })
	}
}

// start hands a page over, and waits until its person was told, with a picture.
func (s *scene) start(t testing.TB, page *browser.Page, r handoff.Request) (*handoff.Handoff, notifytest.Message) {
	t.Helper()
	r.Page, r.Step, r.Reason = page, -1, automation.Reason2FA
	before := len(s.chat.Sent())
	h, err := s.desk.Start(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	s.sent(t, before+2)
	return h, s.chat.Sent()[before]
}

// sent waits until so many messages were sent.
func (s *scene) sent(t testing.TB, n int) []notifytest.Message {
	t.Helper()
	browsertest.Until(t, fmt.Sprintf("%d messages", n), func() bool { return len(s.chat.Sent()) >= n })
	return s.chat.Sent()
}

// told waits until it is noted that people were told of a request: what they write before is about none.
func (s *scene) told(t testing.TB, id string) {
	t.Helper()
	browsertest.Until(t, "a note that people were told", func() bool {
		for e := range s.store.Handoffs().Events(t.Context(), id) {
			if e.Kind == store.HandoffTold {
				return true
			}
		}
		return false
	})
}

func (s *scene) state(t testing.TB, id string) store.HandoffState {
	t.Helper()
	h, err := s.store.Handoffs().Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return h.State
}

func (s *scene) becomes(t testing.TB, id string, want store.HandoffState) {
	t.Helper()
	browsertest.Until(t, "the state "+string(want), func() bool { return s.state(t, id) == want })
}

// value is what an expression is in a page.
func value(t testing.TB, page *browser.Page, expression string) string {
	t.Helper()
	is, err := page.Rod().Context(browsertest.Context(t)).Eval(`() => String(` + expression + `)`)
	if err != nil {
		t.Fatal(err)
	}
	return is.Value.Str()
}

// A person is told what was being done, what blocks it, what to do, until when, and by which link; a picture follows.
func TestAPersonIsToldOfABlocker(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.takeover(t, person)
	h, text := s.start(t, browsertest.Page(t, s.site), handoff.Request{Doing: "pay the bill", Blocker: "a code blocks it", Instruction: "Enter the code."})
	for _, want := range []string{"2fa", "pay the bill: a code blocks it", "Please: Enter the code.", "https://help.example/handoff/#" + h.ID() + ".", h.Deadline().Local().Format("15:04"), "Full access: do not forward."} {
		if !strings.Contains(text.Text, want) {
			t.Errorf("%q is not in %q", want, text.Text)
		}
	}
	picture := s.chat.Sent()[1]
	if _, err := png.Decode(bytes.NewReader(picture.Photo)); err != nil || picture.ReplyTo != text.ID || text.Chat != person || !text.Protects {
		t.Errorf("the picture: %v, after %+v", err, text)
	}
	_, link, _ := strings.Cut(text.Text, "#"+h.ID()+".")
	key, _, _ := strings.Cut(link, "\n")
	open := func() int { // as the proxy in front of the desk passes it on
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://help.example/handoff/open", strings.NewReader(fmt.Sprintf(`{"id":%q,"key":%q}`, h.ID(), key)))
		w := httptest.NewRecorder()
		s.desk.ServeHTTP(w, r)
		return w.Code
	}
	if first, second := open(), open(); first != http.StatusNoContent || second != http.StatusForbidden {
		t.Errorf("the link is answered with %d, and again with %d", first, second)
	}
	s.nowhere(t, "the key of the link", key, text.Text)
}

// nowhere looks for a text in what was written down, and in all that was sent but one message.
func (s *scene) nowhere(t testing.TB, what, text, but string) {
	t.Helper()
	sinks := map[string][]byte{"the log": s.log.bytes()}
	for i, m := range s.chat.Sent() {
		if m.Text != but {
			sinks[fmt.Sprint("message ", i)] = []byte(m.Text + m.Markup + string(m.Photo))
		}
	}
	sinks["answers"] = []byte(strings.Join(s.chat.Answers(), "\n"))
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			sinks[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for sink, data := range sinks {
		if form, around := canary.Find(data, text); form != "" {
			t.Errorf("%s is in %s, %s: %s", what, sink, form, around)
		}
	}
}

// A group is told without a link, and none is made for it.
func TestAGroupGetsNoLink(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.takeover(t, group)
	h, text := s.start(t, browsertest.Page(t, s.site), handoff.Request{})
	links := 0
	for e, err := range s.store.Handoffs().Events(t.Context(), h.ID()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == "link" {
			links++
		}
	}
	if strings.Contains(text.Text, "http") && strings.Contains(text.Text, "#") || !strings.Contains(text.Text, "Come to the computer ") || links != 1 {
		t.Errorf("the group got %q, and there are %d links: the terminal's is one", text.Text, links)
	}
}

// The person returns the page from the chat: it is looked at, and where it does not show what it must they are asked
// again, with another picture.
func TestThePersonReturnsThePageFromTheChat(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.takeover(t, person)
	page := browsertest.Page(t, s.site)
	h, _ := s.start(t, page, handoff.Request{Until: "#done"})
	s.chat.Say(person, person, " Okay, try NOW ", nil)
	if again := s.sent(t, 4)[2:]; !strings.Contains(again[0].Text, "Not yet") || len(again[1].Photo) == 0 || s.state(t, h.ID()) != store.HandoffRunning {
		t.Errorf("it was asked again with %q", again[0].Text)
	}
	value(t, page, `document.body.insertAdjacentHTML("beforeend", "<p id=done>x</p>")`)
	s.chat.Say(person, person, "done", nil)
	s.becomes(t, h.ID(), store.HandoffFinished)
	if last := s.sent(t, 5)[4]; !strings.Contains(last.Text, "Done") {
		t.Errorf("the end is told with %q", last.Text)
	}
	h, _ = s.start(t, page, handoff.Request{})
	s.chat.Say(person, person, "Abort", nil)
	s.becomes(t, h.ID(), store.HandoffCancelled)
}

// A text goes into the field that has the focus, is deleted from the chat, and is nowhere else: not in what is stored,
// logged or sent, nor in a picture. So it is with what the page's own fields for secrets hold.
func TestATextGoesIntoThePageAndNowhereElse(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.takeover(t, person)
	page := browsertest.Page(t, s.site)
	hidden := canary.New()
	value(t, page, fmt.Sprintf("pass.value = %q", hidden))
	value(t, page, `code.focus()`)
	s.start(t, page, handoff.Request{Capture: true})
	typed := canary.New()
	id := s.chat.Say(person, person, "Type: "+typed, nil)
	browsertest.Until(t, "the text to be typed", func() bool { return value(t, page, "code.value") == typed })
	value(t, page, "shown.value = code.value") // which repeats it
	browsertest.Until(t, "the message to be deleted", func() bool { return slices.Contains(s.chat.Deleted(), id) })
	before := len(s.chat.Sent())
	s.chat.Say(person, person, "screenshot", nil)
	picture := s.sent(t, before+1)[before]
	shot, err := png.Decode(bytes.NewReader(picture.Photo))
	if err != nil {
		t.Fatal(err)
	}
	covered := color.NRGBA{0x33, 0x33, 0x3b, 0xff}
	for what, y := range map[string]int{"the field": 40, "the password": 100, "what repeats it": 160} {
		if got := color.NRGBAModel.Convert(shot.At(60, y)); got != covered {
			t.Errorf("%s is %v in the picture", what, got)
		}
	}
	if got := color.NRGBAModel.Convert(shot.At(600, 300)); got == covered {
		t.Error("all of the picture is covered")
	}
	s.chat.Say(person, person, "abort", nil)
	s.sent(t, before+2)
	s.nowhere(t, "what was typed", typed, "")
	s.nowhere(t, "the password", hidden, "")
}

// A code goes into boxes of one character each, whether the page moves the focus at once or a moment later; and of what a field
// does not take the person is told.
func TestATextThatAFieldHasNoRoomForIsTypedOnOrToldOf(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.takeover(t, person)
	page := browsertest.Page(t, s.site)
	s.start(t, page, handoff.Request{})
	for name, move := range map[string]string{"at once": "next?.focus()", "a moment later": "setTimeout(() => next?.focus(), 20)"} {
		value(t, page, fmt.Sprintf(`(document.body.innerHTML = '<input maxlength=1>'.repeat(6), [...document.querySelectorAll('input')].forEach((box, i, all) => box.addEventListener('input', () => { const next = all[i + 1]; %s })), document.querySelector('input').focus())`, move))
		s.chat.Say(person, person, "type: 123456", nil)
		const boxes = `[...document.querySelectorAll('input')].map((box) => box.value).join('|')`
		browsertest.Until(t, "the code in the boxes, "+name, func() bool { return value(t, page, boxes) == "1|2|3|4|5|6" })
	}
	before := len(s.chat.Sent())
	value(t, page, `(document.body.innerHTML = '<input maxlength=4 value=99>', document.querySelector('input').focus())`)
	s.chat.Say(person, person, "type: 1234", nil)
	if text := s.sent(t, before+1)[before].Text; !strings.HasPrefix(text, "Only the beginning was typed") {
		t.Errorf("it is answered with %q", text)
	}
}

// A text is typed only into a document of the origin that was handed over, and only into a field. It is deleted anyway.
func TestATextGoesToNoOtherOrigin(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.takeover(t, person)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><input id=code autofocus style="width:100%">`)
	}))
	t.Cleanup(other.Close)
	page := browsertest.Page(t, s.site)
	s.start(t, page, handoff.Request{})
	say := func(what string) {
		t.Helper()
		before := len(s.chat.Sent())
		id := s.chat.Say(person, person, "type: 123456", nil)
		if reply := s.sent(t, before+1)[before]; !strings.Contains(reply.Text, "not typed") || strings.Contains(reply.Text, "123456") {
			t.Errorf("%s: it is answered with %q", what, reply.Text)
		}
		browsertest.Until(t, "the message to be deleted", func() bool { return slices.Contains(s.chat.Deleted(), id) })
	}
	value(t, page, "document.activeElement.blur()")
	say("no field")
	value(t, page, `code.readOnly = true, code.focus()`)
	say("a field that takes none")
	if err := page.Navigate(t.Context(), other.URL); err != nil {
		t.Fatal(err)
	}
	value(t, page, "code.focus()")
	say("another origin")
	if got := value(t, page, "code.value"); got != "" {
		t.Errorf("the other origin got %q", got)
	}
}

// With several open requests a message must name one, by answering its message. It is never guessed.
func TestAMessageNamesItsRequest(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.takeover(t, person)
	first, told := s.start(t, browsertest.Page(t, s.site), handoff.Request{})
	second, _ := s.start(t, browsertest.Page(t, s.site), handoff.Request{})
	s.chat.Say(person, person, "done", nil)
	if last := s.sent(t, 5)[4]; !strings.Contains(last.Text, "Which one?") {
		t.Errorf("it is answered with %q", last.Text)
	}
	answers := func(id int) func(map[string]any) {
		return func(m map[string]any) {
			m["reply_to_message"] = map[string]any{"message_id": id, "date": 1, "chat": m["chat"]}
		}
	}
	s.chat.Say(person, person, "done", answers(told.ID))
	s.becomes(t, first.ID(), store.HandoffFinished)
	s.sent(t, 6)
	s.chat.Say(person, person, "done", answers(told.ID)) // it has ended: the other one is not meant
	if last := s.sent(t, 7)[6]; !strings.Contains(last.Text, "no open request") || s.state(t, second.ID()) != store.HandoffRunning {
		t.Errorf("it is answered with %q", last.Text)
	}
}

func (s *scene) ask(t testing.TB) store.Approval {
	t.Helper()
	a, err := s.store.Approvals().Ask(t.Context(), store.ApprovalRequest{Run: store.NewRunID(), Tool: "click", Label: "Pay", Origin: "https://shop.example", URL: "https://shop.example/pay", Payee: "Meadow Water", Amount: "42.00", Currency: "EUR"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// data are those of a message's buttons.
func data(t testing.TB, m notifytest.Message) (yes, no string) {
	t.Helper()
	var markup struct {
		Rows [][]struct {
			Data string `json:"callback_data"`
		} `json:"inline_keyboard"`
	}
	if err := json.Unmarshal([]byte(m.Markup), &markup); err != nil || len(markup.Rows) != 1 || len(markup.Rows[0]) != 2 {
		t.Fatalf("%v: %s", err, m.Markup)
	}
	yes, no = markup.Rows[0][0].Data, markup.Rows[0][1].Data
	if len(yes) > 64 || len(no) > 64 {
		t.Errorf("a button has %d bytes", len(yes))
	}
	return yes, no
}

// An approval is answered by its buttons, once, by its person.
func TestAnApprovalIsAnsweredByItsButtons(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.run(t, person, nil)
	browsertest.Until(t, "the first poll", func() bool { return s.chat.Calls("getUpdates") > 1 })
	one := s.ask(t)
	m := s.sent(t, 1)[0]
	for _, want := range []string{"Meadow Water", "42.00 EUR", "https://shop.example", "Pay"} {
		if !strings.Contains(m.Text, want) {
			t.Errorf("%q is not in %q", want, m.Text)
		}
	}
	yes, no := data(t, m)
	two := s.ask(t)
	otherYes, otherNo := data(t, s.sent(t, 2)[1])
	s.chat.Press(stranger, stranger, m.ID, yes)
	s.chat.Press(stranger, person, m.ID, yes)
	s.chat.Press(person, group, m.ID, yes)
	s.chat.Press(person, person, m.ID, "y."+two.ID+"."+yes[strings.LastIndex(yes, ".")+1:]) // the nonce of another
	s.chat.Press(person, person, m.ID, no)
	s.chat.Press(person, person, m.ID, yes) // too late
	s.chat.Press(person, person, m.ID, otherYes)
	s.chat.Press(person, person, m.ID, otherNo)
	browsertest.Until(t, "all answers", func() bool { return len(s.chat.Answers()) == 5 })
	for id, want := range map[string]store.ApprovalState{one.ID: store.ApprovalDenied, two.ID: store.ApprovalApproved} {
		if a, err := s.store.Approvals().Get(t.Context(), id); err != nil || a.State != want || a.By != "Telegram user 77" {
			t.Errorf("%+v, %v, want %s", a, err, want)
		}
	}
	asked := func(a store.Approval) int {
		return slices.IndexFunc(s.chat.Sent(), func(m notifytest.Message) bool { return strings.Contains(m.Markup, a.ID) })
	}
	late := s.ask(t)
	browsertest.Until(t, "another question", func() bool { return asked(late) >= 0 })
	lateYes, _ := data(t, s.chat.Sent()[asked(late)])
	if err := s.store.Runs().Save(t.Context(), store.Run{ID: late.Run, Automation: "pay", State: store.Failed, Started: time.Now(), Finished: time.Now()}); err != nil {
		t.Fatal(err)
	}
	s.chat.Press(person, person, m.ID, lateYes)
	browsertest.Until(t, "that the run has ended", func() bool {
		return slices.Contains(s.chat.Answers(), "The run that asked has ended: nothing was sent.")
	})
	if _, err := messenger.New(&messenger.Options{Store: s.store, Notifier: &notify.Notifier{}, Chat: must(notify.NewTelegram(notifytest.Secret(), group, nil))}); err == nil {
		t.Error("a group is heard")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Nothing but the commands of the one person in the private chat has an effect: 10,000 messages of others, of groups,
// forwarded, edited, old or with other words leave all as it is, and are not even answered.
func TestNothingElseInTheChatHasAnEffect(t *testing.T) {
	t.Parallel()
	s := begin(t)
	old := s.chat.Say(person, person, "abort", nil) // before the start
	s.takeover(t, person)
	page := browsertest.Page(t, s.site)
	h, told := s.start(t, page, handoff.Request{})
	a := s.ask(t)
	yes, _ := data(t, s.sent(t, 3)[2])
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"done", "all yours", "go ahead", "okay, try now", "abort", "cancel", "screenshot", "type: 123456"}
	const letters = "dongeabrtcl shy:,!\u00e9\u202e\n\x00/<"
	noise := func() string {
		word := []rune(words[random.IntN(len(words)-1)])
		switch random.IntN(5) {
		case 0:
			return string(word) + string([]rune(letters)[random.IntN(len([]rune(letters)))]) + "x"
		case 1:
			return string(word[:len(word)-1])
		case 2:
			return "/" + string(word)
		case 3:
			return "type " + string(word)
		}
		text := make([]rune, random.IntN(40))
		for i := range text {
			text[i] = []rune(letters)[random.IntN(len([]rune(letters)))]
		}
		return "." + string(text)
	}
	for i := range 10_000 {
		word := words[random.IntN(len(words))]
		change := func(set map[string]any) func(map[string]any) {
			return func(m map[string]any) {
				for key, value := range set {
					m[key] = value
				}
			}
		}
		bot := map[string]any{"id": person, "is_bot": true, "first_name": "x"}
		switch i % 12 {
		case 0:
			s.chat.Say(stranger, stranger, word, nil)
		case 1:
			s.chat.Say(person, group, word, nil)
		case 2:
			s.chat.Say(stranger, group, word, nil)
		case 3:
			s.chat.Say(person, person, word, change(map[string]any{"forward_origin": map[string]any{"type": "hidden_user", "date": 1, "sender_user_name": "x"}}))
		case 4:
			s.chat.Say(person, person, word, change(map[string]any{"via_bot": bot}))
		case 5:
			s.chat.Say(person, person, word, change(map[string]any{"date": time.Now().Add(-time.Hour).Unix()}))
		case 6:
			s.chat.Say(person, person, word, change(map[string]any{"edit_date": time.Now().Unix()}))
		case 7:
			s.chat.Say(person, person, word, change(map[string]any{"from": bot, "sender_chat": map[string]any{"id": person, "type": "channel"}}))
		case 8:
			s.chat.Update(map[string]any{"edited_message": map[string]any{"message_id": 1, "date": time.Now().Unix(), "text": word, "chat": map[string]any{"id": person, "type": "private"}, "from": map[string]any{"id": person}}})
		case 9:
			s.chat.Press(stranger, person, told.ID, yes)
		case 10:
			s.chat.Press(person, person, told.ID, strings.Replace(yes, "y.", noise(), 1))
		default:
			s.chat.Say(person, person, noise(), nil)
		}
	}
	browsertest.Until(t, "all of it to be read", func() bool { all, _ := s.chat.Confirmed(); return all })
	last := s.chat.Say(person, person, "type: 42", nil) // what is meant still works
	browsertest.Until(t, "the text to be typed", func() bool { return value(t, page, "code.value") != "" })
	browsertest.Until(t, "the message to be deleted", func() bool { return len(s.chat.Deleted()) > 0 })
	approval, err := s.store.Approvals().Get(t.Context(), a.ID)
	if err != nil || approval.State != store.ApprovalPending || s.state(t, h.ID()) != store.HandoffRunning || value(t, page, "code.value") != "42" {
		t.Errorf("%v: the approval is %s, the handoff %s, the field %q", err, approval.State, s.state(t, h.ID()), value(t, page, "code.value"))
	}
	if sent, deleted, answers := s.chat.Sent(), s.chat.Deleted(), s.chat.Answers(); len(sent) != 3 || !slices.Equal(deleted, []int{last}) || len(answers) != 0 {
		t.Errorf("%d messages were sent, %v deleted, %d presses answered (the old one is %d)", len(sent), deleted, len(answers), old)
	}
}

// serve begins a handoff as another process does that has the page, and no channel.
func (s *scene) serve(t testing.TB, lasting time.Duration) store.Handoff {
	t.Helper()
	return s.started(t, store.Handoff{Step: -1, Reason: "login", Doing: "order", Run: store.NewRunID()}, lasting, json.RawMessage(`{"host":"box-7"}`))
}

// started is a handoff whose page is where served says.
func (s *scene) started(t testing.TB, h store.Handoff, lasting time.Duration, served json.RawMessage) store.Handoff {
	t.Helper()
	if h.Run != "" {
		if err := s.store.Runs().Save(t.Context(), store.Run{ID: h.Run, Automation: "order", Revision: 1, State: store.WaitingForPerson, Started: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	h, err := s.store.Handoffs().Start(t.Context(), h, lasting)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.store.Handoffs().Note(t.Context(), h.ID, store.HandoffEvent{ID: "served", Kind: handoff.ServedEvent, Data: served}); err != nil {
		t.Fatal(err)
	}
	return h
}

// A page that has gone with its process no one is called for any longer, and its person is told that; one in a browser that
// outlives it may be taken up again.
func TestNoOneIsCalledForAPageThatHasGoneWithItsProcess(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.run(t, person, nil)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	process := exec.CommandContext(t.Context(), "cat")
	input, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	served, err := json.Marshal(handoff.Served{Host: host, Process: &store.Process{PID: process.Process.Pid, Host: host}})
	if err != nil {
		t.Fatal(err)
	}
	lost := s.started(t, store.Handoff{Step: -1, Reason: "login", Run: store.NewRunID()}, time.Hour, served)
	kept := s.started(t, store.Handoff{Step: -1, Reason: "2fa", Browser: "a kept one"}, time.Hour, served)
	s.sent(t, 2)
	if state := s.state(t, lost.ID); state != store.HandoffRunning {
		t.Errorf("while its process runs it is %s", state)
	}
	if err := errors.Join(input.Close(), process.Wait()); err != nil {
		t.Fatal(err)
	}
	s.becomes(t, lost.ID, store.HandoffCancelled)
	if text := s.sent(t, 3)[2].Text; !strings.Contains(text, "Cancelled: login") || !strings.Contains(text, "reprise runs retry "+lost.Run) {
		t.Errorf("told was\n%s", text)
	}
	if state := s.state(t, kept.ID); state != store.HandoffRunning {
		t.Errorf("the other one is %s", state)
	}
}

// However many processes watch a store, each request and each approval of any machine is told once.
func TestARequestFromAnyMachineIsToldOnce(t *testing.T) {
	t.Parallel()
	s := begin(t)
	const watchers, requests = 4, 10
	for range watchers {
		s.run(t, person, func(o *messenger.Options) { o.Store, o.Chat = s.open(t), nil })
	}
	for range requests {
		s.serve(t, time.Hour)
		s.ask(t)
	}
	all := s.sent(t, 2*requests)
	if !slices.ContainsFunc(all, func(m notifytest.Message) bool { return strings.Contains(m.Text, "Come to the computer box-7.") }) {
		t.Errorf("told were %+v", all)
	}
	calls := s.chat.Calls("sendMessage")
	s.run(t, person, func(o *messenger.Options) { o.Chat = nil }) // one that comes later, with no memory of it
	last := s.serve(t, time.Hour)
	browsertest.Until(t, "the last one", func() bool { return s.chat.Calls("sendMessage") > calls })
	seen := map[string]int{}
	for _, m := range s.chat.Sent() {
		seen[m.Text]++
	}
	if n := len(s.chat.Sent()); n != 2*requests+1 {
		t.Errorf("%d messages were sent, want %d; the last request is %s: %v", n, 2*requests+1, last.ID, seen)
	}
}

// What a process has begun to tell and did not, as it died, another tells.
func TestWhatADeadProcessDidNotTellAnotherTells(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h := s.serve(t, time.Hour)
	lease, err := s.open(t).Lease(t.Context(), h.ID, nil, []store.Place{{Site: "messenger", Account: h.ID}}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	s.run(t, person, nil)
	other := s.serve(t, time.Hour)
	if sent := s.sent(t, 1); len(sent) != 1 {
		t.Errorf("sent were %+v: the first is being told by another process", sent)
	}
	if err := lease.Release(t.Context()); err != nil { // as when it dies
		t.Fatal(err)
	}
	s.sent(t, 2)
	for _, id := range []string{h.ID, other.ID} {
		if _, err := s.store.Handoffs().Get(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
}

// What a process is telling as it ends is told to its end, and not again by the next one.
func TestWhatIsBeingToldAsAProcessEndsIsToldOnce(t *testing.T) {
	t.Parallel()
	s := begin(t)
	answered := make(chan struct{})
	s.chat.Fail("sendMessage", notifytest.Failure{Until: answered})
	_, stop := s.run(t, person, nil)
	s.serve(t, time.Hour)
	s.sent(t, 1)
	time.AfterFunc(100*time.Millisecond, func() { close(answered) })
	stop()
	s.run(t, person, nil)
	last := s.serve(t, time.Hour)
	s.told(t, last.ID)
	if all := s.chat.Sent(); len(all) != 2 {
		t.Errorf("two requests were told as %+v", all)
	}
}

// A reminder, a warning and how it ended are told, also by a process that begins in the middle; and each once.
func TestTimersOutliveTheirProcess(t *testing.T) {
	t.Parallel()
	s := begin(t)
	quiet := func(o *messenger.Options) { o.Chat, o.Warning = nil, time.Second }
	_, stop := s.run(t, person, quiet)
	h := s.serve(t, 6*time.Second)
	s.sent(t, 1)
	stop()
	_, stop = s.run(t, person, quiet)
	if m := s.sent(t, 2)[1]; !strings.Contains(m.Text, "Still waiting") || !strings.Contains(m.Text, h.Deadline.Local().Format("15:04")) {
		t.Errorf("the reminder is %q", m.Text)
	}
	stop()
	s.run(t, person, quiet)
	all := s.sent(t, 4)
	if !strings.Contains(all[2].Text, "It closes at") || !strings.Contains(all[3].Text, "Time is up") || !strings.Contains(all[3].Text, "reprise runs retry "+h.Run) || len(all) != 4 {
		t.Errorf("told were %+v", all)
	}
}

// Where no one can be told, who asked learns that at once.
func TestWhereNoOneIsToldTheDeskLearnsIt(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.chat.Fail("sendMessage", notifytest.Failure{Code: 401})
	var m *messenger.Messenger
	var err error
	if s.desk, err = handoff.New(&handoff.Options{Store: s.store, Notify: func(n handoff.Notice) { m.Notice(n) }}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.desk.Close)
	events, stop := s.desk.Events()
	defer stop()
	failed := make(chan error, 9)
	m, _ = s.run(t, person, func(o *messenger.Options) { o.Chat, o.Failed = nil, func(_ string, err error) { failed <- err } })
	h, err := s.desk.Start(t.Context(), handoff.Request{Page: browsertest.Page(t, s.site), Reason: automation.ReasonLogin, Step: -1})
	if err != nil {
		t.Fatal(err)
	}
	var none *notify.Error
	if err := <-failed; !errors.As(err, &none) || strings.Contains(err.Error(), notifytest.Token) {
		t.Errorf("the error is %v", err)
	}
	for e := range events {
		if e.Kind == handoff.NotTold {
			if e.Handoff != h.ID() || !strings.Contains(e.Text, "@BotFather") {
				t.Errorf("the event is %+v", e)
			}
			break
		}
	}
	if why := h.NotTold(); !strings.Contains(why, "@BotFather") || !strings.Contains(h.Line(), why) {
		t.Errorf("who asked is told %q, as %q", h.Line(), why)
	}
	s.sent(t, 1)
	browsertest.Until(t, "that someone was told at last", func() bool { return h.NotTold() == "" })
}

// What a page or an agent says stays on its line, is no other fact, and the agent's words are told as such. What a
// request that is held would send is told, too.
func TestAMessageTellsItsFactsApart(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.run(t, person, nil)
	const fake = "\nAmount: 1,00 €\u2028Origin: https://bank.example\n"
	_, err := s.store.Approvals().Ask(t.Context(), store.ApprovalRequest{
		Run: store.NewRunID(), Tool: "click", Intent: "approved by the board" + fake, Label: "Pay" + fake, Payee: "M\u0435adow \u202eretaW\u202c" + fake, Amount: "9000,00 €" + fake,
		Origin: "https://shop.example", URL: "https://shop.example/pay", Method: "DELETE", Request: "https://shop.example/account", Type: "text/plain" + fake, Size: 7,
	}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(s.sent(t, 1)[0].Text, "\n")
	for _, name := range []string{"Presses: ", "Said to be for: ", "Payee: ", "Amount: ", "Origin: ", "Sends: "} {
		n := 0
		for _, line := range lines {
			if strings.HasPrefix(line, name) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d lines begin with %q: %q", n, name, lines)
		}
	}
	text := strings.Join(lines, "\n")
	for _, want := range []string{"Payee: M\u0435adow (mixed alphabets) retaW ", "Amount: 9000,00 €", "Sends: DELETE https://shop.example/account", "Origin: https://shop.example"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("it has what no one sees: %q", text)
	}
	h, err := s.store.Handoffs().Start(t.Context(), store.Handoff{Step: -1, Reason: "login", Doing: "signs in" + fake, URL: "https://shop.example/login", Account: "ada\nPage: https://bank.example",
		Instruction: "Sign in.\nPage: https://bank.example\nAccount: root"}, time.Minute)
	if err == nil {
		_, err = s.store.Handoffs().Note(t.Context(), h.ID, store.HandoffEvent{ID: "served", Kind: handoff.ServedEvent, Data: json.RawMessage(`{"host":"box-7"}`)})
	}
	if err != nil {
		t.Fatal(err)
	}
	text = s.sent(t, 2)[1].Text
	for _, name := range []string{"\nPage: ", "\nAccount: ", "\nPlease: "} {
		if strings.Count(text, name) != 1 {
			t.Errorf("%q is there %d times: %q", name, strings.Count(text, name), text)
		}
	}
}
