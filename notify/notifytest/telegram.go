// Package notifytest has a server that speaks the part of Telegram's Bot API that package notify uses, with its errors,
// for tests.
package notifytest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
)

// Token is that of the server's bot.
const Token = "123456:canary-of-a-bot-token"

// Secret is Token as a secret.
func Secret() automation.Secret {
	s, err := automation.NewSecret(Token)
	if err != nil {
		panic(err)
	}
	return s
}

// Message is one that the bot has sent.
type Message struct {
	ID       int
	Chat     int64
	Text     string // or the caption
	Photo    []byte // nil for a text
	ReplyTo  int
	Markup   string // JSON, "" for no buttons
	Protects bool
	At       time.Time
}

// Failure is how a call is answered instead.
type Failure struct {
	Code       int
	RetryAfter int    // seconds
	Body       string // that is no JSON, as a proxy sends it
	Hang       bool   // until the client has gone
	Taken      bool   // the call was carried out before
	// Until is when the call, which is carried out at once, is answered well: when it is closed. nil for no such answer.
	Until <-chan struct{}
}

// Telegram is the server. It is safe for concurrent use.
type Telegram struct {
	URL string

	mu       sync.Mutex
	changed  chan struct{} // closed, and replaced, when something comes in
	sent     []Message
	failures map[string][]Failure
	updates  []json.RawMessage // from firstID on
	firstID  int64
	confirm  int64
	polled   time.Time // when updates were last handed out
	deleted  []int
	answers  []string
	calls    map[string]int
	nextID   int
	clock    func() time.Time
	// polling are those under way, and conflicts those that met another.
	polling, conflicts int
}

// Start starts a server, until the test ends.
func Start(t testing.TB) *Telegram {
	s := &Telegram{changed: make(chan struct{}), failures: map[string][]Failure{}, firstID: 1000, confirm: 1000, calls: map[string]int{}, nextID: 1, clock: time.Now}
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, ended) }))
	t.Cleanup(func() {
		close(ended)
		server.CloseClientConnections()
		server.Close()
	})
	s.URL = server.URL
	return s
}

// Fail has the next calls of a method fail, one after the other.
func (s *Telegram) Fail(method string, failures ...Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures[method] = append(s.failures[method], failures...)
}

// Sent returns what the bot has sent.
func (s *Telegram) Sent() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent)
}

// Deleted returns the messages that the bot has deleted, and Answers what it has answered to presses of buttons.
func (s *Telegram) Deleted() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.deleted)
}

// Answers returns what the bot has answered to presses of buttons.
func (s *Telegram) Answers() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.answers)
}

// Calls returns how often a method was called.
func (s *Telegram) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// Conflicts is how many polls came while another one was under way: a bot is heard by one.
func (s *Telegram) Conflicts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conflicts
}

// Confirmed reports whether all that came in was confirmed, and when it was last handed out.
func (s *Telegram) Confirmed() (all bool, polled time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.confirm >= s.firstID+int64(len(s.updates)), s.polled
}

// Say has a person write a text to the chat. Change may be nil; it changes the message, as its JSON has it.
func (s *Telegram) Say(user, chat int64, text string, change func(message map[string]any)) (id int) {
	m := s.message(user, chat)
	m["text"] = text
	if change != nil {
		change(m)
	}
	s.Update(map[string]any{"message": m})
	return m["message_id"].(int)
}

// Press has a person press a button that has the data.
func (s *Telegram) Press(user, chat int64, message int, data string) {
	m := s.message(user, chat)
	m["message_id"] = message
	s.Update(map[string]any{"callback_query": map[string]any{
		"id": fmt.Sprint("press", time.Now().UnixNano()), "from": map[string]any{"id": user, "first_name": "x"}, "message": m, "data": data, "chat_instance": "1",
	}})
}

func (s *Telegram) message(user, chat int64) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	kind := "private"
	if chat < 0 {
		kind = "supergroup"
	}
	return map[string]any{
		"message_id": s.nextID, "date": s.clock().Unix(), "chat": map[string]any{"id": chat, "type": kind}, "from": map[string]any{"id": user, "first_name": "x"},
	}
}

// Update has any update come in; its ID is set.
func (s *Telegram) Update(u map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u["update_id"] = s.firstID + int64(len(s.updates))
	data, err := json.Marshal(u)
	if err != nil {
		panic(err)
	}
	s.updates = append(s.updates, data)
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Telegram) serve(w http.ResponseWriter, r *http.Request, ended <-chan struct{}) {
	rest, is := strings.CutPrefix(r.URL.Path, "/bot"+Token+"/")
	if !is {
		answer(w, http.StatusUnauthorized, map[string]any{"ok": false, "error_code": 401, "description": "Unauthorized"})
		return
	}
	form := map[string]string{}
	var photo []byte
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		for key, value := range body {
			form[key] = fmt.Sprint(value)
			if n, is := value.(float64); is {
				form[key] = strconv.FormatInt(int64(n), 10)
			}
		}
	} else if r.ParseMultipartForm(16<<20) == nil && r.MultipartForm != nil {
		for key, values := range r.MultipartForm.Value {
			form[key] = values[0]
		}
		for _, files := range r.MultipartForm.File {
			if f, err := files[0].Open(); err == nil {
				photo, _ = io.ReadAll(f)
			}
		}
	}
	s.mu.Lock()
	s.calls[rest]++
	var fails *Failure
	if next := s.failures[rest]; len(next) > 0 {
		fails = &next[0]
		s.failures[rest] = next[1:]
	}
	s.mu.Unlock()
	if fails != nil && fails.Until == nil {
		if fails.Taken {
			s.do(rest, form, photo)
		}
		fail(w, r, *fails, ended)
		return
	}
	if rest == "getUpdates" {
		s.mu.Lock()
		s.polling++
		other := s.polling > 1
		if other {
			s.conflicts++
		}
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			s.polling--
			s.mu.Unlock()
		}()
		if other {
			answer(w, http.StatusConflict, map[string]any{"ok": false, "error_code": 409, "description": "Conflict: terminated by other getUpdates request"})
			return
		}
		answer(w, http.StatusOK, map[string]any{"ok": true, "result": s.poll(r, form, ended)})
		return
	}
	result, known := s.do(rest, form, photo)
	if !known {
		answer(w, http.StatusNotFound, map[string]any{"ok": false, "error_code": 404, "description": "Not Found"})
		return
	}
	if fails != nil {
		select {
		case <-fails.Until:
		case <-r.Context().Done():
		case <-ended:
		}
	}
	answer(w, http.StatusOK, map[string]any{"ok": true, "result": result})
}

func fail(w http.ResponseWriter, r *http.Request, f Failure, ended <-chan struct{}) {
	switch {
	case f.Hang:
		select {
		case <-r.Context().Done():
		case <-ended:
		}
	case f.Body != "":
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.Code)
		_, _ = io.WriteString(w, f.Body)
	default:
		told := map[string]any{"ok": false, "error_code": f.Code, "description": http.StatusText(f.Code)}
		if f.RetryAfter > 0 {
			told["parameters"] = map[string]any{"retry_after": f.RetryAfter}
		}
		answer(w, f.Code, told)
	}
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// do carries a call out.
func (s *Telegram) do(method string, form map[string]string, photo []byte) (result any, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	chat, _ := strconv.ParseInt(form["chat_id"], 10, 64)
	switch method {
	case "getMe":
		return map[string]any{"id": 123456, "is_bot": true, "first_name": "Reprise", "username": "reprise_test_bot"}, true
	case "getChat":
		return map[string]any{"id": chat, "type": "private"}, true
	case "sendMessage", "sendPhoto":
		s.nextID++
		m := Message{ID: s.nextID, Chat: chat, Text: form["text"] + form["caption"], Photo: photo, Markup: form["reply_markup"], Protects: form["protect_content"] == "true", At: time.Now()}
		var reply struct {
			ID int `json:"message_id"`
		}
		_ = json.Unmarshal([]byte(form["reply_parameters"]), &reply)
		m.ReplyTo = reply.ID
		s.sent = append(s.sent, m)
		return map[string]any{"message_id": m.ID, "date": m.At.Unix(), "chat": map[string]any{"id": chat, "type": "private"}}, true
	case "deleteMessage":
		id, _ := strconv.Atoi(form["message_id"])
		s.deleted = append(s.deleted, id)
		return true, true
	case "editMessageReplyMarkup":
		id, _ := strconv.Atoi(form["message_id"])
		for i := range s.sent {
			if s.sent[i].ID == id && s.sent[i].Chat == chat {
				s.sent[i].Markup = form["reply_markup"]
				return true, true
			}
		}
		return nil, false
	case "answerCallbackQuery":
		s.answers = append(s.answers, form["text"])
		return true, true
	}
	return nil, false
}

// poll confirms what is below the offset, and returns what is not; it waits for that.
func (s *Telegram) poll(r *http.Request, form map[string]string, ended <-chan struct{}) []json.RawMessage {
	offset, _ := strconv.ParseInt(form["offset"], 10, 64)
	wait, _ := strconv.Atoi(form["timeout"])
	timer := time.NewTimer(time.Duration(wait) * time.Second)
	defer timer.Stop()
	for {
		s.mu.Lock()
		last := s.firstID + int64(len(s.updates))
		if offset < 0 {
			offset = max(s.confirm, last+offset)
		}
		s.confirm = max(s.confirm, min(offset, last))
		if s.confirm < last {
			all := slices.Clone(s.updates[s.confirm-s.firstID:])
			s.polled = time.Now()
			s.mu.Unlock()
			return all[:min(len(all), 100)]
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-timer.C:
			return []json.RawMessage{}
		case <-r.Context().Done():
			return []json.RawMessage{}
		case <-ended:
			return []json.RawMessage{}
		}
	}
}
