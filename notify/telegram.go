package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
)

// TelegramAPI is the server of the Bot API that is used where no other is named.
const TelegramAPI = "https://api.telegram.org"

const (
	telegramName = "telegram"
	// maxTelegram bounds a text, which has 4,096 characters there at most, and maxCaption that of a picture.
	maxTelegram = 3500
	maxCaption  = 900
	// maxAnswer bounds what is read of the server.
	maxAnswer = 8 << 20
)

// TelegramOptions are the options of a Telegram.
type TelegramOptions struct {
	// API is the address of a server that speaks the Bot API: https, or http on this machine. Default: TelegramAPI.
	API string
	// Client makes the requests. Default: one of its own.
	Client *http.Client
}

// Telegram sends to a chat, by a bot that is in it. Only a private chat, whose ID is above 0, gets links.
type Telegram struct {
	token automation.Secret
	chat  int64
	api   string
	http  *http.Client
	bot   *bot.Bot
}

// What a token looks like: whatever else it were, its text becomes part of an address.
var telegramToken = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{8,128}$`)

// NewTelegram makes a channel; token is the bot's. It makes no request.
func NewTelegram(token automation.Secret, chat int64, o *TelegramOptions) (*Telegram, error) {
	if o == nil {
		o = &TelegramOptions{}
	}
	if !telegramToken.MatchString(token.Reveal()) {
		return nil, &SendError{Channel: telegramName, Reason: "the token is not one of a bot", Next: "it is what @BotFather sends, as in 123456:ABC-DEF"}
	}
	if chat == 0 {
		return nil, &SendError{Channel: telegramName, Reason: "no chat is named", Next: "set notify.telegram.chat to the chat's ID"}
	}
	t := &Telegram{token: token, chat: chat, api: TelegramAPI}
	if o.API != "" {
		u, err := url.Parse(o.API)
		if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil || u.Scheme != "https" && !(u.Scheme == "http" && weburl.IsLoopback(u.Hostname())) {
			return nil, &SendError{Channel: telegramName, Reason: "the address of the Bot API is neither https nor of this machine", Next: "check notify.telegram.api"}
		}
		t.api = strings.TrimSuffix(o.API, "/")
	}
	client := &http.Client{}
	if o.Client != nil {
		*client = *o.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the token is in the address
	t.http = client
	var err error
	t.bot, err = bot.New(token.Reveal(), bot.WithSkipGetMe(), bot.WithServerURL(t.api), bot.WithHTTPClient(time.Minute, bounded{client}),
		bot.WithErrorsHandler(func(error) {}), bot.WithDefaultHandler(func(context.Context, *bot.Bot, *models.Update) {})) // the usual ones write to the log what comes in
	if err != nil {
		return nil, t.failed(err)
	}
	return t, nil
}

// Name is "telegram".
func (t *Telegram) Name() string { return telegramName }

// Chat is the ID of the chat: in a private one that of its person, too.
func (t *Telegram) Chat() int64 { return t.chat }

// Private reports whether the chat is of one person.
func (t *Telegram) Private() bool { return t.chat > 0 }

// Bot is the ID of the bot, which is no secret.
func (t *Telegram) Bot() int64 { return t.bot.ID() }

// Send sends the text, with the link where the chat is private. It cannot be forwarded from there.
func (t *Telegram) Send(ctx context.Context, m Message) (string, error) {
	link := ""
	if m.Link != nil && t.Private() {
		var err error
		if link, err = m.Link(ctx); err != nil {
			return "", &SendError{Channel: telegramName, Reason: "there is no link: " + err.Error()}
		}
	}
	p := &bot.SendMessageParams{ChatID: t.chat, Text: body(m, link, maxTelegram), ProtectContent: link != "", LinkPreviewOptions: &models.LinkPreviewOptions{IsDisabled: bot.True()}, ReplyParameters: t.replyTo(m.ReplyTo)}
	if len(m.Buttons) > 0 {
		row := make([]models.InlineKeyboardButton, len(m.Buttons))
		for i, b := range m.Buttons {
			row[i] = models.InlineKeyboardButton{Text: b.Label, CallbackData: b.Data}
		}
		p.ReplyMarkup = &models.InlineKeyboardMarkup{InlineKeyboard: [][]models.InlineKeyboardButton{row}}
	}
	sent, err := t.bot.SendMessage(ctx, p)
	if err != nil {
		return "", t.failed(err)
	}
	return strconv.Itoa(sent.ID), nil
}

// SendPicture sends a PNG as an answer to a message.
func (t *Telegram) SendPicture(ctx context.Context, m Message, id string, png []byte) (string, error) {
	sent, err := t.bot.SendPhoto(ctx, &bot.SendPhotoParams{
		ChatID: t.chat, Photo: &models.InputFileUpload{Filename: "page.png", Data: bytes.NewReader(png)}, Caption: shorten(m.Title, maxCaption),
		ProtectContent: true, ReplyParameters: t.replyTo(id),
	})
	if err != nil {
		return "", t.failed(err)
	}
	return strconv.Itoa(sent.ID), nil
}

func (t *Telegram) replyTo(id string) *models.ReplyParameters {
	n, err := strconv.Atoi(id)
	if err != nil {
		return nil
	}
	return &models.ReplyParameters{MessageID: n, AllowSendingWithoutReply: true}
}

// Delete deletes a message of the chat. After any failure of a server it may be called again: a message that is deleted
// already stays so.
func (t *Telegram) Delete(ctx context.Context, message int) error {
	_, err := t.bot.DeleteMessage(ctx, &bot.DeleteMessageParams{ChatID: t.chat, MessageID: message})
	failed := t.failed(err)
	var (
		status *httpError
		e      *SendError
	)
	if errors.As(err, &status) && errors.As(failed, &e) {
		e.Retry = status.status >= 500
	}
	return failed
}

// RemoveButtons takes the buttons from under a message.
func (t *Telegram) RemoveButtons(ctx context.Context, message int) error {
	_, err := t.bot.EditMessageReplyMarkup(ctx, &bot.EditMessageReplyMarkupParams{ChatID: t.chat, MessageID: message})
	return t.failed(err)
}

// AnswerButton answers the press of a button with a line that is shown to who pressed it.
func (t *Telegram) AnswerButton(ctx context.Context, press, line string) error {
	_, err := t.bot.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{CallbackQueryID: press, Text: shorten(line, 180)})
	return t.failed(err)
}

// Check asks who the bot is, and whether it is in the chat. It sends nothing to the chat.
func (t *Telegram) Check(ctx context.Context) (name string, err error) {
	me, err := t.bot.GetMe(ctx)
	if err != nil {
		return "", t.failed(err)
	}
	if _, err := t.bot.GetChat(ctx, &bot.GetChatParams{ChatID: t.chat}); err != nil {
		return "@" + me.Username, t.failed(err)
	}
	return "@" + me.Username, nil
}

// Updates returns what has come in from an offset on, and waits for that as long as is said, at most 50 seconds. It
// confirms what is below the offset, which does not come again. The library would confirm an update only after it was
// acted on.
func (t *Telegram) Updates(ctx context.Context, offset int64, wait time.Duration) ([]*models.Update, error) {
	ctx, cancel := context.WithTimeout(ctx, wait+answerWithin)
	defer cancel()
	asked, err := json.Marshal(map[string]any{"offset": offset, "timeout": int(min(wait, 50*time.Second).Seconds()), "allowed_updates": []string{"message", "callback_query"}})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.api+"/bot"+t.token.Reveal()+"/getUpdates", bytes.NewReader(asked))
	if err != nil {
		return nil, t.failed(err)
	}
	r.Header.Set("Content-Type", "application/json")
	reply, err := bounded{t.http}.Do(r)
	if err != nil {
		return nil, t.failed(err)
	}
	defer reply.Body.Close()
	var told struct {
		OK         bool              `json:"ok"`
		Result     []json.RawMessage `json:"result"`
		Code       int               `json:"error_code"`
		Parameters struct {
			RetryAfter int `json:"retry_after"`
		} `json:"parameters"`
	}
	if err := json.NewDecoder(reply.Body).Decode(&told); err != nil {
		return nil, &SendError{Channel: telegramName, Reason: "what came in cannot be read", Retry: true} // and is not quoted
	}
	if !told.OK {
		return nil, t.refused(told.Code, time.Duration(told.Parameters.RetryAfter)*time.Second)
	}
	all := make([]*models.Update, 0, len(told.Result))
	for _, one := range told.Result {
		var u models.Update
		if err := json.Unmarshal(one, &u); err != nil {
			u = models.Update{} // of a kind that the library does not know: it is passed over
			var number struct {
				ID int64 `json:"update_id"`
			}
			if json.Unmarshal(one, &number) != nil {
				continue
			}
			u.ID = number.ID
		}
		all = append(all, &u)
	}
	return all, nil
}

// answerWithin is how long after its time a poll is waited for.
const answerWithin = 10 * time.Second

// httpError is an answer of the server that is none of the API.
type httpError struct{ status int }

func (e *httpError) Error() string { return "the server answered " + strconv.Itoa(e.status) }

// bounded reads no more than it has to, and no answer that is not the API's.
type bounded struct{ client *http.Client }

func (b bounded) Do(r *http.Request) (*http.Response, error) {
	reply, err := b.client.Do(r)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(reply.Header.Get("Content-Type"))
	if reply.StatusCode >= 500 || kind != "application/json" {
		_ = reply.Body.Close()
		return nil, &httpError{reply.StatusCode}
	}
	reply.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(reply.Body, maxAnswer), reply.Body}
	return reply, nil
}

// failed returns a *SendError for an error of the library, whose texts have the address with the token in it; nil for nil.
func (t *Telegram) failed(err error) error {
	var (
		many   *bot.TooManyRequestsError
		moved  *bot.MigrateError
		status *httpError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &many):
		return t.refused(http.StatusTooManyRequests, time.Duration(many.RetryAfter)*time.Second)
	case errors.As(err, &moved):
		return &SendError{Channel: telegramName, Reason: "the group has another ID now", Next: fmt.Sprintf("set notify.telegram.chat to %d", moved.MigrateToChatID)}
	case errors.Is(err, bot.ErrorUnauthorized):
		return t.refused(http.StatusUnauthorized, 0)
	case errors.Is(err, bot.ErrorNotFound):
		return t.refused(http.StatusNotFound, 0)
	case errors.Is(err, bot.ErrorForbidden):
		return t.refused(http.StatusForbidden, 0)
	case errors.Is(err, bot.ErrorConflict):
		return t.refused(http.StatusConflict, 0)
	case errors.Is(err, bot.ErrorBadRequest):
		return t.refused(http.StatusBadRequest, 0)
	case errors.As(err, &status):
		return answered(telegramName, status.status)
	case errors.Is(err, context.DeadlineExceeded):
		return unanswered(telegramName)
	case isUnreached(err):
		return &SendError{Channel: telegramName, Reason: "it cannot be reached: " + t.redact(err), Retry: true}
	}
	return unread(telegramName)
}

// refused is what the API's code means.
func (t *Telegram) refused(code int, after time.Duration) *SendError {
	e := answered(telegramName, code)
	e.After = after
	switch code {
	case http.StatusUnauthorized, http.StatusNotFound:
		e.Reason, e.Next = "the token is not, or no longer, that of a bot", "ask @BotFather for it, and set it again"
	case http.StatusForbidden:
		e.Reason, e.Next = "the bot may not write to the chat", "the person opens the bot and presses Start, or adds it to the group"
	case http.StatusTooManyRequests:
		e.Reason = fmt.Sprintf("too many messages: it takes the next in %v", after)
	case http.StatusBadRequest:
		e.Reason, e.Next = "it refused the message, or there is no such chat", "check notify.telegram.chat"
	case http.StatusConflict:
		e.Reason, e.Next = "another program reads the messages of this bot", "give each its own bot, and remove the bot's webhook"
	}
	return e
}

func (t *Telegram) redact(err error) string {
	return strings.ReplaceAll(strings.ReplaceAll(err.Error(), t.token.Reveal(), "[secret]"), url.PathEscape(t.token.Reveal()), "[secret]")
}
