package messenger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/handoff/messenger"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/notify/notifytest"
	"github.com/go-reprise/reprise/store"
)

// listens waits until a messenger listens.
func (s *scene) listens(t testing.TB) {
	t.Helper()
	n := s.chat.Calls("getUpdates")
	browsertest.Until(t, "the next poll", func() bool { return s.chat.Calls("getUpdates") > n+1 })
}

// What the question of a payment is about, the person sees where the buttons are.
func TestAnApprovalInTheChatHasItsPicture(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.run(t, person, nil)
	var shown bytes.Buffer
	if err := jpeg.Encode(&shown, image.NewRGBA(image.Rect(0, 0, 40, 30)), nil); err != nil {
		t.Fatal(err)
	}
	asked := store.ApprovalRequest{Run: store.NewRunID(), Tool: "click", Label: "Pay", Origin: "https://shop.example", URL: "https://shop.example/pay", Picture: shown.Bytes()}
	if _, err := s.store.Approvals().Ask(t.Context(), asked, time.Hour); err != nil {
		t.Fatal(err)
	}
	sent := s.sent(t, 2)
	got, err := png.Decode(bytes.NewReader(sent[1].Photo))
	if err != nil || got.Bounds() != image.Rect(0, 0, 40, 30) || len(sent[0].Photo) > 0 {
		t.Errorf("%d messages, and the second has the picture %v, %v", len(sent), got, err)
	}
}

// Where no one can be told of an approval, programs that read the events learn it.
func TestWhereNoOneIsToldOfAnApprovalProgramsLearnIt(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.takeover(t, person)
	events, stop := s.desk.Events()
	t.Cleanup(stop)
	s.chat.Fail("sendMessage", notifytest.Failure{Code: 401})
	a := s.ask(t)
	for e := range events {
		if e.Kind == handoff.NotTold {
			if e.Approval != a.ID || e.Run != a.Run || !strings.Contains(e.Text, "@BotFather") {
				t.Errorf("the event is %+v", e)
			}
			break
		}
	}
	s.sent(t, 1)
}

// A question that has ended has no buttons any more, and who was asked is told that silence denied it.
func TestAQuestionThatHasEndedHasNoButtons(t *testing.T) {
	t.Parallel()
	s := begin(t)
	_, stop := s.run(t, person, nil)
	s.listens(t)
	answered := s.ask(t)
	yes, _ := data(t, s.sent(t, 1)[0])
	s.chat.Press(person, person, s.chat.Sent()[0].ID, yes)
	if m := s.sent(t, 2)[1]; m.Text != "Approved." || m.ReplyTo != s.chat.Sent()[0].ID { // which stays
		t.Errorf("the answer is %+v", m)
	}
	s.expires(t)
	s.sent(t, 3)
	stop() // another process knows of it, too
	s.run(t, person, nil)
	all := s.sent(t, 4)
	browsertest.Until(t, "both to lose their buttons", func() bool { return s.chat.Sent()[0].Markup == "" && s.chat.Sent()[2].Markup == "" })
	if all[3].ReplyTo != all[2].ID || !strings.HasPrefix(all[3].Text, "No one answered in time: it is denied") || strings.Contains(all[3].Text, "No answer in time") || len(s.chat.Sent()) != 4 {
		t.Errorf("told was %+v", s.chat.Sent())
	}
	if a, err := s.store.Approvals().Get(t.Context(), answered.ID); err != nil || a.State != store.ApprovalApproved {
		t.Errorf("%+v, %v", a, err)
	}
}

// noted waits until it is noted of an approval that people were told something.
func (s *scene) noted(t testing.TB, id, what string) {
	t.Helper()
	browsertest.Until(t, "a note: "+what, func() bool {
		a, err := s.store.Approvals().Get(t.Context(), id)
		return err == nil && slices.Contains(a.Offered, what)
	})
}

// expires asks something that no one answers.
func (s *scene) expires(t testing.TB) {
	t.Helper()
	if _, err := s.store.Approvals().Ask(t.Context(), store.ApprovalRequest{Run: store.NewRunID(), Tool: "click", Label: "Pay", Origin: "https://shop.example", URL: "https://shop.example/pay"}, 2*time.Second); err != nil {
		t.Fatal(err)
	}
}

// Who cannot answer in the chat is told as well how a question has ended, also that of a run which was killed; and once, by
// whichever process.
func TestHowAQuestionEndedIsToldWhereNoOneIsHeard(t *testing.T) {
	t.Parallel()
	s := begin(t)
	for range 3 {
		s.run(t, person, func(o *messenger.Options) { o.Store, o.Chat = s.open(t), nil })
	}
	s.expires(t)
	killed := s.ask(t)
	s.sent(t, 2)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.store.Runs().Save(t.Context(), store.Run{ID: killed.Run, Automation: "pay", State: store.WaitingForPerson, Started: time.Now(), Process: &store.Process{PID: 1 << 22, Host: host}}); err != nil {
		t.Fatal(err)
	}
	s.sent(t, 4)
	ended := func() []string {
		var all []string
		for _, m := range s.chat.Sent() {
			if !strings.HasPrefix(m.Text, "Approval needed") {
				title, _, _ := strings.Cut(m.Text, ":")
				all = append(all, title)
			}
		}
		slices.Sort(all)
		return all
	}
	for a, err := range s.store.Approvals().List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		s.noted(t, a.ID, "told of its end")
	}
	if diff := cmp.Diff([]string{"No one answered in time", "The run no longer waits for it"}, ended()); diff != "" {
		t.Errorf("told was (-want +got):\n%s", diff)
	}
}

// Who pressed a button while no process listened is told to press it again.
func TestAPressWhileNoOneListenedIsToldSo(t *testing.T) {
	t.Parallel()
	s := begin(t)
	_, stop := s.run(t, person, nil)
	s.listens(t)
	a := s.ask(t)
	yes, _ := data(t, s.sent(t, 1)[0])
	stop()
	s.chat.Press(person, person, s.chat.Sent()[0].ID, yes)
	s.run(t, person, nil)
	if m := s.sent(t, 2)[1]; !strings.Contains(m.Text, "Press it again.") || m.ReplyTo != s.chat.Sent()[0].ID {
		t.Errorf("the answer is %+v", m)
	}
	if now, err := s.store.Approvals().Get(t.Context(), a.ID); err != nil || now.State != store.ApprovalPending {
		t.Errorf("%+v, %v", now, err)
	}
	s.listens(t)
	s.chat.Press(person, person, s.chat.Sent()[0].ID, yes)
	browsertest.Until(t, "the answer to count", func() bool {
		now, err := s.store.Approvals().Get(t.Context(), a.ID)
		return err == nil && now.State == store.ApprovalApproved
	})
}

// What a person writes counts by the order of the chat's messages, though the clock of its server is slow.
func TestAMessageCountsWhateverTheClockOfTheServerSays(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.run(t, person, nil)
	s.listens(t)
	h := s.serve(t, time.Hour)
	s.told(t, h.ID)
	typed := s.chat.Say(person, person, "type: hunter2", slow)
	browsertest.Until(t, "the text to be deleted", func() bool { return slices.Contains(s.chat.Deleted(), typed) })
	s.chat.Say(person, person, "abort", slow)
	s.becomes(t, h.ID, store.HandoffCancelled)
}

func slow(m map[string]any) { m["date"] = time.Now().Add(-time.Minute).Unix() }

// Where a run has sent a commit step, no one is told to start it again.
func TestARunThatHasCommittedIsNotToBeStartedAgain(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.run(t, person, nil)
	h := s.serve(t, time.Hour)
	if err := s.store.Commits().Begin(t.Context(), h.Run, 2); err != nil {
		t.Fatal(err)
	}
	s.told(t, h.ID)
	if _, err := s.store.Handoffs().End(t.Context(), h.ID, store.HandoffCancelled, nil); err != nil {
		t.Fatal(err)
	}
	if text := s.sent(t, 2)[1].Text; strings.Contains(text, "runs retry") || !strings.Contains(text, "--resume "+h.Run) {
		t.Errorf("it says\n%s", text)
	}
}

// forgetful is a store that does not take the first notes that people were told of an approval.
type forgetful struct {
	store.Store
	left atomic.Int32
}

func (f *forgetful) Approvals() store.Approvals { return forgetfulApprovals{f.Store.Approvals(), f} }

type forgetfulApprovals struct {
	store.Approvals
	of *forgetful
}

func (f forgetfulApprovals) NoteTold(ctx context.Context, id, what string) error {
	if f.of.left.Add(-1) >= 0 {
		return errors.New("not now")
	}
	return f.Approvals.NoteTold(ctx, id, what)
}

// That people were told of an approval is written down in the end, and they are told once.
func TestThatPeopleWereToldOfAnApprovalIsWrittenDown(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.run(t, person, func(o *messenger.Options) {
		f := &forgetful{Store: o.Store}
		f.left.Store(2)
		o.Store = f
	})
	a := s.ask(t)
	s.noted(t, a.ID, "told by telegram, message 2")
	if n := len(s.chat.Sent()); n != 1 {
		t.Errorf("%d messages were sent", n)
	}
}

// What was written while no process listened is not done, as things may have changed since; who wrote it is told so, and
// what was to be typed does not stay in the chat.
func TestWhatWasWrittenWhileNoOneListenedIsToldSo(t *testing.T) {
	t.Parallel()
	s := begin(t)
	_, stop := s.run(t, person, nil)
	s.listens(t)
	h := s.serve(t, time.Hour)
	s.told(t, h.ID)
	stop()
	typed := s.chat.Say(person, person, "type: hunter2", nil)
	s.chat.Say(person, person, "thanks!", nil)
	last := s.chat.Say(person, person, "abort", nil)
	s.chat.Say(stranger, stranger, "abort", nil)
	s.run(t, person, nil)
	is := func(m notifytest.Message) bool {
		return strings.HasPrefix(m.Text, "What you sent while no one listened")
	}
	browsertest.Until(t, "a word on it", func() bool { return slices.ContainsFunc(s.chat.Sent(), is) })
	browsertest.Until(t, "the text to be deleted", func() bool { return slices.Contains(s.chat.Deleted(), typed) })
	words := slices.DeleteFunc(s.chat.Sent(), func(m notifytest.Message) bool { return !is(m) })
	if len(words) != 1 || words[0].ReplyTo != last || len(s.chat.Deleted()) != 1 {
		t.Errorf("told %+v, deleted %v, want one answer to message %d", words, s.chat.Deleted(), last)
	}
	if state := s.state(t, h.ID); state != store.HandoffRunning {
		t.Errorf("it is %s", state)
	}
	s.listens(t)
	s.chat.Say(person, person, "abort", nil)
	s.becomes(t, h.ID, store.HandoffCancelled)
}

// A message whose confirmation fails, though the server has carried it out, is done once it is confirmed, and once.
func TestAMessageIsDoneOnceItIsSurelyConfirmed(t *testing.T) {
	t.Parallel()
	s := begin(t)
	to, err := url.Parse(s.chat.URL)
	if err != nil {
		t.Fatal(err)
	}
	var spoil atomic.Int32
	forward := httputil.NewSingleHostReverseProxy(to)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := new(bytes.Buffer)
		_, _ = body.ReadFrom(r.Body)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body.Bytes())), int64(body.Len())
		confirms := strings.HasSuffix(r.URL.Path, "getUpdates") && strings.Contains(body.String(), `"timeout":0`)
		if confirms && spoil.Load() > 0 {
			forward.ServeHTTP(httptest.NewRecorder(), r)
			spoil.Add(-1)
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	bot, err := notify.NewTelegram(notifytest.Secret(), person, &notify.TelegramOptions{API: proxy.URL})
	if err != nil {
		t.Fatal(err)
	}
	s.run(t, person, func(o *messenger.Options) { o.Chat = bot })
	s.listens(t)
	h := s.serve(t, time.Hour)
	s.told(t, h.ID)
	spoil.Store(2)
	s.chat.Say(person, person, "abort", nil)
	browsertest.Until(t, "two failures", func() bool { return spoil.Load() == 0 })
	s.becomes(t, h.ID, store.HandoffCancelled)
}

// What a person answers about the page of a process that does not hear the chat is done by that process; but nothing is typed
// there, which would have to be stored.
func TestAnAnswerReachesThePageOfAnotherProcess(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.run(t, person, func(o *messenger.Options) { o.Store = s.open(t) })
	s.listens(t)
	s.takeover(t, person) // another process, which has the page
	h, told := s.start(t, browsertest.Page(t, s.site), handoff.Request{Until: "[id=welcome]"})
	if !strings.Contains(told.Text, "answer here: done, abort, screenshot.") {
		t.Errorf("it says\n%s", told.Text)
	}
	before := len(s.sent(t, 2))
	typed := s.chat.Say(person, person, "type: hunter2", nil)
	if text := s.sent(t, before+1)[before].Text; !strings.Contains(text, "types nothing from here") || !slices.Contains(s.chat.Deleted(), typed) {
		t.Errorf("a text is answered with %q; deleted are %v", text, s.chat.Deleted())
	}
	asked := s.chat.Say(person, person, "screenshot", nil)
	if m := s.sent(t, before+2)[before+1]; len(m.Photo) == 0 || m.ReplyTo != asked {
		t.Errorf("a screenshot is answered with %+v", m)
	}
	s.chat.Say(person, person, "done", nil)
	if m := s.sent(t, before+3)[before+2]; !strings.Contains(m.Text, "try 1 of") {
		t.Errorf("done of a page that lacks what it must show is answered with %+v", m)
	}
	if state := s.state(t, h.ID()); state != store.HandoffRunning {
		t.Errorf("it is %s", state)
	}
	for e := range s.store.Handoffs().Events(t.Context(), h.ID()) {
		if strings.Contains(string(e.Data), "hunter2") {
			t.Errorf("the text is stored in %s", e.Data)
		}
	}
}

// Where the process that has the page is gone, who answers is told so, and what they wanted is not done later.
func TestAnAnswerForAPageWhoseProcessIsGoneIsToldSo(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.run(t, person, nil)
	s.listens(t)
	h := s.serve(t, time.Hour)
	s.told(t, h.ID)
	before := len(s.sent(t, 1))
	s.chat.Say(person, person, "done", nil)
	if text := s.sent(t, before+1)[before].Text; !strings.Contains(text, "does not answer") {
		t.Errorf("done is answered with %q", text)
	}
	if state := s.state(t, h.ID); state != store.HandoffRunning {
		t.Errorf("it is %s", state)
	}
}

// Of several processes one hears the bot, and when it ends another does.
func TestOneProcessHearsTheBot(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h := s.serve(t, time.Hour)
	_, stop := s.run(t, person, func(o *messenger.Options) { o.Store = s.open(t) })
	s.listens(t)
	for range 3 {
		s.run(t, person, func(o *messenger.Options) { o.Store = s.open(t) })
	}
	s.told(t, h.ID)
	for range 3 { // which each ends a poll
		s.chat.Say(person, person, "thanks!", nil)
		s.listens(t)
	}
	stop()
	s.listens(t)
	s.chat.Say(person, person, "abort", nil)
	s.becomes(t, h.ID, store.HandoffCancelled)
	if n := s.chat.Conflicts(); n != 0 {
		t.Errorf("%d polls met another", n)
	}
}

// An answer to a picture is an answer to its request, also where several are open.
func TestAnAnswerToAPictureIsMeantForItsRequest(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.takeover(t, person)
	other, _ := s.start(t, browsertest.Page(t, s.site), handoff.Request{})
	h, _ := s.start(t, browsertest.Page(t, s.site), handoff.Request{})
	s.listens(t)
	answers := func(word string, to int) {
		s.chat.Say(person, person, word, func(m map[string]any) {
			m["reply_to_message"] = map[string]any{"message_id": to, "date": 1, "chat": m["chat"]}
		})
	}
	sent := s.sent(t, 4)
	answers("screenshot", sent[3].ID)
	picture := s.sent(t, 5)[4]
	browsertest.Until(t, "a note of it", func() bool {
		for e := range s.store.Handoffs().Events(t.Context(), h.ID()) {
			if strings.Contains(string(e.Data), fmt.Sprintf("%q", fmt.Sprint("picture-", picture.ID))) {
				return true
			}
		}
		return false
	})
	answers("abort", picture.ID)
	s.becomes(t, h.ID(), store.HandoffCancelled)
	if state := s.state(t, other.ID()); state != store.HandoffRunning {
		t.Errorf("the other one is %s", state)
	}
}

// The reminder says by which way one comes in.
func TestAReminderOfAnOpenPageTellsOfNoLink(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.takeover(t, person)
	h, text := s.start(t, browsertest.Page(t, s.site), handoff.Request{Timeout: 20 * time.Second})
	_, link, _ := strings.Cut(text.Text, "#"+h.ID()+".")
	key, _, _ := strings.Cut(link, "\n")
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://help.example/handoff/open", strings.NewReader(fmt.Sprintf(`{"id":%q,"key":%q}`, h.ID(), key)))
	w := httptest.NewRecorder()
	s.desk.ServeHTTP(w, r)
	if w.Code != http.StatusNoContent {
		t.Fatalf("opened with %d", w.Code)
	}
	if got := s.sent(t, 3)[2].Text; !strings.Contains(got, "reprise handoffs link "+h.ID()) || strings.Contains(got, "opens it, once") {
		t.Errorf("the reminder says\n%s", got)
	}
}
