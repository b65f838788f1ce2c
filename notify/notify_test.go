package notify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/notify/notifytest"
)

const chat = 77

func secret(t testing.TB, text string) automation.Secret {
	t.Helper()
	s, err := automation.NewSecret(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func telegram(t testing.TB, s *notifytest.Telegram, chat int64) *notify.Telegram {
	t.Helper()
	c, err := notify.NewTelegram(notifytest.Secret(), chat, &notify.TelegramOptions{API: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func notifier(t testing.TB, o notify.Options) *notify.Notifier {
	t.Helper()
	n, err := notify.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// second is a channel that takes everything.
type second struct {
	mu  sync.Mutex
	got []notify.Message
}

func (s *second) Name() string { return "second" }

func (s *second) Send(_ context.Context, m notify.Message) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, m)
	return "", nil
}

func (s *second) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.got)
}

// Whatever the first channel does, the message is told once: by it, or else by the next. A call that hung, or that a
// gateway answered, may have been taken there: it is not made again.
func TestAChannelThatFailsIsFollowedByTheNext(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failures []notifytest.Failure
		first    int // messages that the first channel took
		calls    int
	}{
		"no failure":                    {nil, 1, 1},
		"500 once":                      {[]notifytest.Failure{{Code: 500}}, 1, 2},
		"503 once":                      {[]notifytest.Failure{{Code: 503, Body: "<html>unavailable"}}, 1, 2},
		"429 for a second":              {[]notifytest.Failure{{Code: 429, RetryAfter: 1}}, 1, 2},
		"429 for an hour":               {[]notifytest.Failure{{Code: 429, RetryAfter: 3600}}, 0, 1},
		"500 again and again":           {slicesOf(notifytest.Failure{Code: 500}, 9), 0, 4},
		"hangs":                         {[]notifytest.Failure{{Hang: true}}, 0, 1},
		"hangs, and took it":            {[]notifytest.Failure{{Hang: true, Taken: true}}, 1, 1},
		"502":                           {[]notifytest.Failure{{Code: 502, Body: "<html>bad gateway"}}, 0, 1},
		"502, and its server took it":   {[]notifytest.Failure{{Code: 502, Body: "<html>bad gateway", Taken: true}}, 1, 1},
		"504, and its server took it":   {[]notifytest.Failure{{Code: 504, Body: "<html>timeout", Taken: true}}, 1, 1},
		"a 502 in JSON, and it took it": {[]notifytest.Failure{{Code: 502, Taken: true}}, 1, 1},
		"forbidden":                     {[]notifytest.Failure{{Code: 403}}, 0, 1},
		"revoked":                       {[]notifytest.Failure{{Code: 401}}, 0, 1},
		"not JSON":                      {[]notifytest.Failure{{Code: 200, Body: "hello"}}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, next := notifytest.Start(t), &second{}
			s.Fail("sendMessage", c.failures...)
			unknown := len(c.failures) > 0 && c.failures[0].Taken // it cannot be known that the first has it
			n := notifier(t, notify.Options{Channels: []notify.Channel{telegram(t, s, chat), next}})
			m := notify.Message{Key: "a", Title: "Sign in", Text: "at the shop"}
			for range 3 {
				sent, err := n.Send(t.Context(), m)
				wants := "telegram"
				if c.first == 0 || unknown {
					wants = "second"
				}
				if err != nil || sent.Channel != wants {
					t.Errorf("it was sent by %q, %v, want %s", sent.Channel, err, wants)
				}
			}
			wantNext := 1 - c.first
			if unknown {
				wantNext = 1
			}
			if got := len(s.Sent()); got != c.first || next.count() != wantNext || s.Calls("sendMessage") != c.calls {
				t.Errorf("the first has %d messages after %d calls, and the next %d; want %d after %d, and %d", got, s.Calls("sendMessage"), next.count(), c.first, c.calls, wantNext)
			}
		})
	}
}

// A message that its only channel may have taken is not sent again, however often it is tried, and another channel takes it.
func TestAMessageThatMayHaveBeenTakenIsNotSentAgain(t *testing.T) {
	t.Parallel()
	s, next := notifytest.Start(t), &second{}
	s.Fail("sendMessage", notifytest.Failure{Code: 504, Taken: true})
	n := notifier(t, notify.Options{Channels: []notify.Channel{telegram(t, s, chat)}})
	for range 3 {
		var none *notify.Error
		if _, err := n.Send(t.Context(), notify.Message{Key: "a", Text: "x"}); !errors.As(err, &none) || len(none.Tried) != 1 || !none.Tried[0].Unsure {
			t.Errorf("it is answered with %v", err)
		}
	}
	if len(s.Sent()) != 1 {
		t.Errorf("it was sent %d times", len(s.Sent()))
	}
	if _, err := n.Send(t.Context(), notify.Message{Key: "b", Text: "x"}); err != nil || len(s.Sent()) != 2 {
		t.Errorf("another one: %v, %d sent", err, len(s.Sent()))
	}
	// Where the first may have it, the next gets it for sure.
	s.Fail("sendMessage", notifytest.Failure{Code: 504, Taken: true})
	n = notifier(t, notify.Options{Channels: []notify.Channel{telegram(t, s, chat), next}})
	if sent, err := n.Send(t.Context(), notify.Message{Key: "a", Text: "x"}); err != nil || sent.Channel != "second" {
		t.Errorf("the next: %v, %v", sent, err)
	}
}

// A channel that answers late is waited for where there is no other one.
func TestTheLastChannelIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := notifier(t, notify.Options{Channels: []notify.Channel{late{}}})
		if _, err := n.Send(t.Context(), notify.Message{Text: "x"}); err != nil {
			t.Error(err)
		}
		n = notifier(t, notify.Options{Channels: []notify.Channel{late{}, &second{}}})
		if sent, err := n.Send(t.Context(), notify.Message{Text: "x"}); err != nil || sent.Channel != "second" {
			t.Errorf("where there is another: %v, %v", sent, err)
		}
	})
}

type late struct{}

func (late) Name() string { return "late" }

func (late) Send(ctx context.Context, _ notify.Message) (string, error) {
	select {
	case <-time.After(6 * time.Second):
		return "", nil
	case <-ctx.Done():
		return "", &notify.SendError{Channel: "late", Reason: "no answer", Unsure: true}
	}
}

// What the library cannot read is passed over, and hides nothing that came with it; a server that does not answer is asked again.
func TestAnUpdateThatIsNotUnderstoodHidesNoOther(t *testing.T) {
	t.Parallel()
	s := notifytest.Start(t)
	s.Say(78, 78, "x", func(m map[string]any) { m["forward_origin"] = map[string]any{"type": "from_the_future"} })
	last := s.Say(chat, chat, "abort", nil)
	updates, err := telegram(t, s, chat).Updates(t.Context(), 0, 0)
	if err != nil || len(updates) != 2 || updates[0].ID == 0 || updates[0].Message != nil || updates[1].Message == nil || updates[1].Message.ID != last {
		t.Errorf("they are %+v, %v", updates, err)
	}
	s.Fail("getUpdates", notifytest.Failure{Hang: true})
	if _, err := telegram(t, s, chat).Updates(t.Context(), 0, 0); err == nil {
		t.Error("a server that does not answer is waited for")
	}
}

func slicesOf(f notifytest.Failure, n int) (all []notifytest.Failure) {
	for range n {
		all = append(all, f)
	}
	return all
}

// Many who send the same key at once send it once, and all of them are told how.
func TestAKeyIsSentOnceByAllWhoSendIt(t *testing.T) {
	t.Parallel()
	s := notifytest.Start(t)
	n := notifier(t, notify.Options{Channels: []notify.Channel{telegram(t, s, chat)}})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if sent, err := n.Send(t.Context(), notify.Message{Key: "a", Text: "x"}); err != nil || sent.ID == "" {
				t.Errorf("it was sent as %+v, %v", sent, err)
			}
		})
	}
	all.Wait()
	if got := s.Sent(); len(got) != 1 {
		t.Errorf("it was sent %d times", len(got))
	}
	for range 2 { // without a key each is one of its own
		if _, err := n.Send(t.Context(), notify.Message{Text: "y"}); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Sent(); len(got) != 3 {
		t.Errorf("%d messages were sent, want 3", len(got))
	}
}

// Where no one can be told the error comes at once, and says who was tried, what went wrong and what to do, and nothing
// of the token.
func TestWhereNoOneWasToldTheErrorSaysWhatToDo(t *testing.T) {
	t.Parallel()
	s := notifytest.Start(t)
	s.Fail("sendMessage", notifytest.Failure{Code: 401}, notifytest.Failure{Hang: true})
	var log bytes.Buffer
	gone, err := notify.NewTelegram(notifytest.Secret(), chat, &notify.TelegramOptions{API: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	n := notifier(t, notify.Options{
		Channels: []notify.Channel{telegram(t, s, chat), gone, telegram(t, s, chat), notify.NewDesktop(&notify.DesktopOptions{Program: "no-such-program"})},
		Logger:   slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	_, err = n.Send(t.Context(), notify.Message{Key: "a", Text: "x"})
	var failed *notify.Error
	if !errors.As(err, &failed) || len(failed.Tried) != 4 {
		t.Fatalf("the error is %v", err)
	}
	for i, want := range []string{"@BotFather", "cannot be reached", "did not answer in time", "no-such-program is not installed"} {
		if text := failed.Tried[i].Error(); !strings.Contains(text, want) {
			t.Errorf("channel %d: %q, want %q", i, text, want)
		}
	}
	for what, text := range map[string]string{"the error": err.Error(), "its parts": fmt.Sprintf("%+v", failed.Tried[1]), "the log": log.String()} {
		if form, around := canary.Find([]byte(text), notifytest.Token); form != "" {
			t.Errorf("%s has the token, %s: %s", what, form, around)
		}
	}
	if _, err := n.Send(t.Context(), notify.Message{Key: "a", Text: "x"}); err != nil { // it was not told, and may be now
		t.Errorf("again: %v", err)
	}
	if _, err := notify.New(nil); !errors.As(err, &failed) {
		t.Errorf("without a channel: %v", err)
	}
}

// A link goes to a private chat, which cannot forward it. A group, a webhook and the desktop get the words without it,
// and do not even have it made.
func TestALinkGoesToOnePersonAlone(t *testing.T) {
	t.Parallel()
	const link = "https://help.example/handoff/#id.key"
	s := notifytest.Start(t)
	var posted []byte
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { posted, _ = io.ReadAll(r.Body) }))
	t.Cleanup(hook.Close)
	webhook, err := notify.NewWebhook(hook.URL, secret(t, "a key of the webhook"), nil)
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	m := notify.Message{Title: "Sign in", Link: func(context.Context) (string, error) { made++; return link, nil }, NoLink: "Come to the computer box."}
	for _, c := range []notify.Channel{telegram(t, s, -chat), webhook} {
		if _, err := notifier(t, notify.Options{Channels: []notify.Channel{c}}).Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := notifier(t, notify.Options{Channels: []notify.Channel{telegram(t, s, chat)}}).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	sent := s.Sent()
	if made != 1 || strings.Contains(sent[0].Text+string(posted), "key") || !strings.Contains(sent[0].Text, "Come to the computer box.") || !strings.Contains(string(posted), "Come to the computer") {
		t.Errorf("%d links were made; the group got %q, the webhook %s", made, sent[0].Text, posted)
	}
	if text := sent[1].Text; !strings.Contains(text, link) || !strings.Contains(text, "do not forward") || strings.Contains(text, "Come to") || !sent[1].Protects {
		t.Errorf("the private chat got %q", text)
	}
}

// A server may repeat the message in what it answers: the error and the log, which others than its person read, have
// nothing of that.
func TestNoErrorRepeatsWhatAServerAnswers(t *testing.T) {
	t.Parallel()
	const link = "https://help.example/handoff/#id.canary-of-a-link"
	answers := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprintf(w, body, said(r))
		}
	}
	for name, handler := range map[string]http.HandlerFunc{
		"cut off":             answers(200, `{"ok":true,"result":{"message_id":1,"text":%q`),
		"of another kind":     answers(200, `{"ok":true,"result":%q}`),
		"a refusal":           answers(400, `{"ok":false,"error_code":400,"description":%q}`),
		"a code of its own":   answers(418, `{"ok":false,"error_code":418,"description":%q}`),
		"an error of its own": answers(500, `{"ok":false,"error_code":500,"description":%q}`),
		"no HTTP": func(w http.ResponseWriter, r *http.Request) {
			text := said(r)
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, text+"\r\n\r\n")
				_ = conn.Close()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(handler)
			t.Cleanup(server.Close)
			bot, err := notify.NewTelegram(notifytest.Secret(), chat, &notify.TelegramOptions{API: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			webhook, err := notify.NewWebhook(server.URL, secret(t, "a key of the webhook"), nil)
			if err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			n := notifier(t, notify.Options{Channels: []notify.Channel{bot, refusing{webhook}}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			_, err = n.Send(t.Context(), notify.Message{Title: "canary-of-a-link", Link: func(context.Context) (string, error) { return link, nil }})
			if err == nil {
				t.Fatal("it was sent")
			}
			for what, text := range map[string]string{"the error": err.Error(), "the log": log.String()} {
				if form, around := canary.Find([]byte(text), "canary-of-a-link"); form != "" {
					t.Errorf("%s has the link, %s: %s", what, form, around)
				}
			}
		})
	}
}

// said is the message of a request, as either channel sends it.
func said(r *http.Request) string {
	if text := r.FormValue("text"); text != "" { // of several parts, with the link
		return text
	}
	body, _ := io.ReadAll(r.Body)
	return string(body)
}

// refusing is a webhook that takes nothing: its server's success is none here.
type refusing struct{ *notify.Webhook }

func (r refusing) Send(ctx context.Context, m notify.Message) (string, error) {
	if _, err := r.Webhook.Send(ctx, m); err != nil {
		return "", err
	}
	return "", errors.New("refused")
}

// The text goes first; the picture follows, and one that cannot be taken or sent takes nothing from the text.
func TestAPictureFollowsItsText(t *testing.T) {
	t.Parallel()
	s := notifytest.Start(t)
	n := notifier(t, notify.Options{Channels: []notify.Channel{telegram(t, s, chat)}})
	m := notify.Message{Title: "Sign in", Picture: func(context.Context) ([]byte, error) {
		if len(s.Sent()) != 1 {
			t.Error("the picture was taken before the text was sent")
		}
		return []byte("png"), nil
	}}
	s.Fail("sendPhoto", notifytest.Failure{Code: 500})
	sent, err := n.Send(t.Context(), m)
	got := s.Sent()
	if err != nil || !sent.Pictured || len(got) != 2 || string(got[1].Photo) != "png" || got[1].ReplyTo != got[0].ID {
		t.Errorf("sent as %+v, %v: %+v", sent, err, got)
	}
	m.Picture = func(context.Context) ([]byte, error) { return []byte("png"), nil }
	for name, fails := range map[string]notifytest.Failure{
		"refused":                   {Code: 400},
		"taken after a gateway 502": {Code: 502, Body: "<html>bad gateway", Taken: true},
		"taken after a gateway 504": {Code: 504, Body: "<html>timeout", Taken: true},
	} {
		before := s.Calls("sendPhoto")
		s.Fail("sendPhoto", fails)
		if sent, err := n.Send(t.Context(), m); err != nil || sent.Pictured || s.Calls("sendPhoto") != before+1 {
			t.Errorf("%s: sent as %+v, %v, in %d calls", name, sent, err, s.Calls("sendPhoto")-before)
		}
	}
}

// A 502 of a gateway does not stop what is to be deleted from being deleted: that may be asked for twice.
func TestADeletionThatAGatewayAnsweredMayBeAskedForAgain(t *testing.T) {
	t.Parallel()
	s := notifytest.Start(t)
	s.Fail("deleteMessage", notifytest.Failure{Code: 502, Body: "<html>bad gateway"})
	var failed *notify.SendError
	if err := telegram(t, s, chat).Delete(t.Context(), 5); !errors.As(err, &failed) || !failed.Retry {
		t.Errorf("it fails with %+v", err)
	}
}

// A long text is cut, and not its link.
func TestALongTextIsCutAndItsLinkIsNot(t *testing.T) {
	t.Parallel()
	s := notifytest.Start(t)
	n := notifier(t, notify.Options{Channels: []notify.Channel{telegram(t, s, chat)}})
	m := notify.Message{Title: "Sign in", Text: strings.Repeat("é", 9000), Link: func(context.Context) (string, error) { return "https://help.example/#key", nil }, Deadline: time.Now()}
	if _, err := n.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if text := s.Sent()[0].Text; len(text) > 4096 || !strings.Contains(text, "https://help.example/#key\nFull access: do not forward.") || !strings.Contains(text, "é…") {
		t.Errorf("%d bytes, ending in %q", len(text), text[len(text)-100:])
	}
}

// Of several lines the longest are shortened, and not those that must be whole; a text of many lines is cut at its end.
func TestALongLineHidesNoOther(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 3000)
	for name, c := range map[string]struct {
		text  string
		whole int
		lines []string // that they begin with
		most  int
	}{
		"a long first line":    {long + "\nAmount: 9000,00 €\nOrigin: https://shop.example", 0, []string{"Pay", "é", "Amount: 9000,00 €", "Origin: https://shop.example"}, 3500},
		"two long lines":       {long + "\nAmount: 9000,00 €\n" + long, 0, []string{"Pay", "é", "Amount: 9000,00 €", "é"}, 3500},
		"a whole line":         {strings.Repeat("w", 3000) + "\n" + long + "\nend", 1, []string{"Pay", strings.Repeat("w", 3000), "é", "end"}, 3500},
		"more than fits whole": {strings.Repeat("w", 3900) + "\n" + long, 1, []string{"Pay", strings.Repeat("w", 3900), "…"}, 4096},
		"fewer than are whole": {"a\nb", 9, []string{"Pay", "a", "b"}, 3500},
		"many lines":           {strings.Repeat("of sixty letters, which none of the others has in this text.\n", 99), 0, []string{"Pay", "of sixty letters, which none of the others has in this text."}, 3500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := notifytest.Start(t)
			if _, err := notifier(t, notify.Options{Channels: []notify.Channel{telegram(t, s, chat)}}).Send(t.Context(), notify.Message{Title: "Pay", Text: c.text, Whole: c.whole}); err != nil {
				t.Fatal(err)
			}
			text := s.Sent()[0].Text
			lines := strings.Split(text, "\n")
			for i, want := range c.lines {
				if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
					t.Fatalf("line %d does not begin with %q: %q", i, want, text)
				}
			}
			if len(text) > c.most || len(text) < c.most-200 && len(c.text) > c.most {
				t.Errorf("it has %d bytes of %d", len(text), c.most)
			}
		})
	}
}

// The example in the documentation of webhooks accepts what is sent, and nothing that was changed, or is old.
func TestAWebhookIsSigned(t *testing.T) {
	t.Parallel()
	key := secret(t, "a key of the webhook")
	var header http.Header
	var body []byte
	answers := []int{503, 204}
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, body = r.Header, nil
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(answers[0])
		answers = answers[1:]
	}))
	t.Cleanup(hook.Close)
	c, err := notify.NewWebhook(hook.URL, key, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := notifier(t, notify.Options{Channels: []notify.Channel{c}}).Send(t.Context(), notify.Message{Key: "k", Kind: "request", Title: "Sign in"}); err != nil {
		t.Fatal(err)
	}
	if err := notify.Verify(key, header, body, time.Now()); err != nil || !bytes.Contains(body, []byte(`"kind":"request"`)) {
		t.Errorf("%v: %s", err, body)
	}
	for what, err := range map[string]error{
		"another key":     notify.Verify(secret(t, "another key of it"), header, body, time.Now()),
		"another body":    notify.Verify(key, header, append([]byte(" "), body...), time.Now()),
		"another time":    notify.Verify(key, http.Header{notify.TimestampHeader: {"1"}, notify.SignatureHeader: header[notify.SignatureHeader]}, body, time.Now()),
		"an old request":  notify.Verify(key, header, body, time.Now().Add(6*time.Minute)),
		"no signature":    notify.Verify(key, http.Header{}, body, time.Now()),
		"an early answer": notify.Verify(key, header, body, time.Now().Add(-6*time.Minute)),
	} {
		if err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	for what, address := range map[string]string{"http": "http://hooks.example/", "a file": "file:///etc/passwd"} {
		if _, err := notify.NewWebhook(address, key, nil); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	if _, err := notify.NewWebhook("https://hooks.example/", secret(t, "short"), nil); err == nil {
		t.Error("a short key is accepted")
	}
}

// A webhook that says when it takes the next message has it no sooner, and one that says so of an hour does not have it.
func TestAWebhookIsAskedAgainWhenItSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		after   string
		calls   int
		by      string
		atLeast time.Duration
	}{
		"429 for a second": {429, "1", 2, "webhook", time.Second},
		"503 for a second": {503, "1", 2, "webhook", time.Second},
		"429 for an hour":  {429, "3600", 1, "second", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := make(chan time.Time, 9)
			hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				calls <- time.Now()
				if len(calls) == 1 {
					w.Header().Set("Retry-After", c.after)
					w.WriteHeader(c.status)
				}
			}))
			t.Cleanup(hook.Close)
			webhook, err := notify.NewWebhook(hook.URL, secret(t, "a key of the webhook"), nil)
			if err != nil {
				t.Fatal(err)
			}
			sent, err := notifier(t, notify.Options{Channels: []notify.Channel{webhook, &second{}}}).Send(t.Context(), notify.Message{Text: "x"})
			if err != nil || sent.Channel != c.by || len(calls) != c.calls {
				t.Fatalf("it was sent by %q after %d calls, %v; want %s after %d", sent.Channel, len(calls), err, c.by, c.calls)
			}
			if first := <-calls; c.calls > 1 {
				if waited := (<-calls).Sub(first); waited < c.atLeast {
					t.Errorf("it was asked again after %v, want %v at least", waited, c.atLeast)
				}
			}
		})
	}
}

// A desktop's program is run with the texts as arguments: nothing in them is an option, markup or a command.
func TestADesktopShowsTextsAsTheyAre(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program, out := filepath.Join(dir, "notify-send"), filepath.Join(dir, "out")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" > "+out+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	n := notifier(t, notify.Options{Channels: []notify.Channel{notify.NewDesktop(&notify.DesktopOptions{Program: program})}})
	if _, err := n.Send(t.Context(), notify.Message{Title: "--help", Text: "<b>$(id)</b>"}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil || !strings.HasSuffix(string(got), "--\n--help\n&lt;b&gt;$(id)&lt;/b&gt;\n") {
		t.Errorf("%v: it was run with %q", err, got)
	}
}

// All channels together take no longer than is said.
func TestAMessageTakesNoLongerThanIsSaid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := notifier(t, notify.Options{Channels: []notify.Channel{hangs{}, hangs{}, hangs{}, hangs{}, hangs{}, hangs{}, hangs{}}})
		began := time.Now()
		_, err := n.Send(t.Context(), notify.Message{Text: "x"})
		if took := time.Since(began); err == nil || took > notify.DefaultTimeout {
			t.Errorf("%v after %v", err, took)
		}
	})
}

type hangs struct{}

func (hangs) Name() string { return "hangs" }

func (hangs) Send(ctx context.Context, _ notify.Message) (string, error) {
	<-ctx.Done()
	return "", &notify.SendError{Channel: "hangs", Reason: "no answer", Retry: true}
}

func TestWhatIsNoTokenIsRefused(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"x", "1:short", "123456:aaaaaaaaa/../getMe?", "123456:aaaaaaaaaaaa\n"} {
		_, err := notify.NewTelegram(secret(t, token), chat, nil)
		var failed *notify.SendError
		if !errors.As(err, &failed) || strings.Contains(err.Error(), token) {
			t.Errorf("%q: %v", token, err)
		}
	}
	if _, err := notify.NewTelegram(notifytest.Secret(), chat, &notify.TelegramOptions{API: "http://telegram.example"}); err == nil {
		t.Error("a token goes over http")
	}
}

func TestABotIsChecked(t *testing.T) {
	t.Parallel()
	s := notifytest.Start(t)
	if name, err := telegram(t, s, chat).Check(t.Context()); err != nil || name != "@reprise_test_bot" {
		t.Errorf("it is %s, %v", name, err)
	}
	s.Fail("getChat", notifytest.Failure{Code: 400})
	if _, err := telegram(t, s, chat).Check(t.Context()); err == nil || !strings.Contains(err.Error(), "notify.telegram.chat") {
		t.Errorf("a chat that there is not: %v", err)
	}
}
