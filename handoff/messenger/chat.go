package messenger

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot/models"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/store"
)

const (
	// pollFor is how long one poll waits for messages, and pollLease how long who polls has the lease: one process
	// polls for a bot.
	pollFor   = 20 * time.Second
	pollLease = time.Minute
	// elsewhere is how soon a process that does not poll tries to.
	elsewhere = 5 * time.Second
	// answerTimeout bounds what a command may take.
	answerTimeout = 20 * time.Second
	maxPollPause  = 30 * time.Second
	// maxSkew is by how much the clocks here and of the server may differ.
	maxSkew = 5 * time.Minute
)

// command is what a person may write.
type command int

const (
	none command = iota
	returns
	aborts
	shows
	types
)

// commands are matched exactly, but for case and spaces around.
var commands = map[string]command{
	"done": returns, "all yours": returns, "go ahead": returns, "okay, try now": returns,
	"abort": aborts, "cancel": aborts,
	"screenshot": shows,
}

// typePrefix begins a text that goes into the page.
const typePrefix = "type:"

// parse returns the command that a text is, and the text to type.
func parse(text string) (c command, typed string) {
	trimmed := strings.TrimSpace(text)
	if len(trimmed) > len(typePrefix) && strings.EqualFold(trimmed[:len(typePrefix)], typePrefix) {
		if typed = strings.TrimPrefix(trimmed[len(typePrefix):], " "); typed != "" {
			return types, typed
		}
	}
	return commands[strings.ToLower(trimmed)], ""
}

// hear polls for messages while this process has the lease for that.
func (m *Messenger) hear(ctx context.Context) {
	place := store.Place{Site: "messenger", Account: "telegram bot " + strconv.FormatInt(m.options.Chat.Bot(), 10)}
	for ctx.Err() == nil {
		lease, err := m.options.Store.Lease(ctx, store.NewRunID(), runner.ThisProcess(), []store.Place{place}, pollLease)
		if err == nil {
			m.poll(ctx, lease)
			err = lease.Release(context.WithoutCancel(ctx))
		}
		var held *store.HeldError
		if err != nil && !errors.As(err, &held) && ctx.Err() == nil {
			m.options.Logger.WarnContext(ctx, "no one is heard", "error", err)
		}
		pause(ctx, elsewhere)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// poll does what people write from now on. Each message is confirmed before: it comes once, whatever becomes of it.
func (m *Messenger) poll(ctx context.Context, lease store.Lease) {
	m.polls.Store(true)
	defer m.polls.Store(false)
	var (
		began  time.Time // when all that had come before was read
		offset int64
		late   int // the last message of the person that came before, and is not done
		wait   time.Duration
		again  = firstPollPause
	)
	for ctx.Err() == nil {
		if lease.Renew(ctx, pollLease) != nil {
			return
		}
		updates, err := m.options.Chat.Updates(ctx, offset, wait)
		if err != nil {
			m.options.Logger.WarnContext(ctx, "messages could not be read", "error", err)
			pause(ctx, max(again, after(err)))
			again = min(2*again, maxPollPause)
			continue
		}
		again = firstPollPause
		if len(updates) > 0 {
			offset = updates[len(updates)-1].ID + 1
			if !m.confirm(ctx, lease, offset) {
				return
			}
		}
		switch {
		case !began.IsZero():
			for _, u := range updates {
				m.act(ctx, u, began)
			}
		case len(updates) > 0:
			for _, u := range updates {
				if id := m.tooLate(ctx, u); id != 0 {
					late = id
				}
			}
		default:
			began, wait = time.Now(), pollFor
			if late != 0 {
				m.work.Go(func() { m.answer(ctx, "What you sent while no one listened was not done. Send it again.", late) })
			}
		}
	}
}

// confirm has the server send no update before an offset again, and reports whether that is sure: until it is, nothing is
// done, so that nothing is done twice.
func (m *Messenger) confirm(ctx context.Context, lease store.Lease, offset int64) bool {
	for again := firstPollPause; ; again = min(2*again, maxPollPause) {
		_, err := m.options.Chat.Updates(ctx, offset, 0)
		if err == nil || ctx.Err() != nil {
			return err == nil
		}
		m.options.Logger.WarnContext(ctx, "messages could not be confirmed", "error", err)
		pause(ctx, max(again, after(err)))
		if lease.Renew(ctx, pollLease) != nil {
			return false
		}
	}
}

const firstPollPause = 500 * time.Millisecond

// after is how long a server asks to be left alone.
func after(err error) time.Duration {
	var failed *notify.SendError
	if errors.As(err, &failed) {
		return min(failed.After, time.Hour)
	}
	return 0
}

// act does what one update asks for, of this time.
func (m *Messenger) act(ctx context.Context, u *models.Update, began time.Time) {
	switch q, msg := m.own(u); {
	case q != nil:
		m.press(ctx, q)
	case msg != nil && !time.Unix(int64(msg.Date), 0).Before(began.Add(-maxSkew)): // it came after what had come before
		m.message(ctx, msg)
	}
}

// tooLate is of an update that came while no one listened: what may have changed since is not done, and a text to type is
// deleted. It returns the ID of a message that was a command, while a request was open.
func (m *Messenger) tooLate(ctx context.Context, u *models.Update) int {
	q, msg := m.own(u)
	if q != nil {
		m.pressedTooLate(ctx, q)
	}
	if msg == nil {
		return 0
	}
	switch c, _ := parse(msg.Text); c {
	case none:
		return 0
	case types:
		m.work.Go(func() { m.delete(ctx, msg.ID) })
	}
	if _, problem := m.meant(ctx, 0, msg); problem == noneOpen {
		return 0
	}
	return msg.ID
}

// own returns the press or the message that an update is: the configured person's, in their private chat, and no one else's.
func (m *Messenger) own(u *models.Update) (*models.CallbackQuery, *models.Message) {
	chat := m.options.Chat.Chat()
	if q := u.CallbackQuery; q != nil {
		if q.From.ID == chat && !q.From.IsBot && chatOf(q.Message) == chat {
			return q, nil
		}
		return nil, nil
	}
	msg := u.Message
	if msg == nil {
		return nil, nil
	}
	own := msg.From != nil && msg.From.ID == chat && !msg.From.IsBot && msg.Chat.ID == chat && msg.Chat.Type == models.ChatTypePrivate
	direct := msg.ForwardOrigin == nil && !msg.IsAutomaticForward && msg.ViaBot == nil && msg.SenderChat == nil && msg.EditDate == 0 && msg.BusinessConnectionID == ""
	if !own || !direct {
		return nil, nil
	}
	return nil, msg
}

func chatOf(m models.MaybeInaccessibleMessage) int64 {
	switch {
	case m.Message != nil:
		return m.Message.Chat.ID
	case m.InaccessibleMessage != nil:
		return m.InaccessibleMessage.Chat.ID
	}
	return 0
}

// message does what a person has written. A text to type is deleted from the chat, whatever becomes of it.
func (m *Messenger) message(ctx context.Context, msg *models.Message) {
	c, typed := parse(msg.Text)
	if c == none {
		return
	}
	reply := 0
	if msg.ReplyToMessage != nil {
		reply = msg.ReplyToMessage.ID
	}
	h, problem := m.meant(ctx, reply, msg)
	if problem == "" {
		problem = m.do(ctx, c, typed, h, msg.ID)
	}
	m.work.Go(func() {
		if c == types {
			m.delete(ctx, msg.ID)
		}
		if problem != "" {
			m.answer(ctx, problem, msg.ID)
		}
	})
}

// delete takes a message out of the chat, where the API lets it.
func (m *Messenger) delete(ctx context.Context, id int) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTimeout)
	defer cancel()
	err := m.options.Chat.Delete(ctx, id)
	var failed *notify.SendError
	if errors.As(err, &failed) && failed.Retry {
		pause(ctx, max(failed.After, firstPollPause))
		err = m.options.Chat.Delete(ctx, id)
	}
	if err != nil {
		m.say(ctx, "I could not delete what you sent: delete it yourself.", id)
	}
}

// answer is say, which the end of the process does not cut off.
func (m *Messenger) answer(ctx context.Context, text string, to int) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTimeout)
	defer cancel()
	m.say(ctx, text, to)
}

func (m *Messenger) say(ctx context.Context, text string, to int) {
	if _, err := m.options.Chat.Send(ctx, notify.Message{Text: text, ReplyTo: strconv.Itoa(to)}); err != nil {
		m.options.Logger.WarnContext(ctx, "an answer was not sent", "error", err)
	}
}

// meant returns the handoff that a message is about: that whose message it answers, or the only one that is open and was told
// of before. It is never guessed.
func (m *Messenger) meant(ctx context.Context, reply int, msg *models.Message) (h store.Handoff, problem string) {
	var open []store.Handoff
	for one, err := range m.options.Store.Handoffs().Running(ctx) {
		if err != nil {
			m.options.Logger.WarnContext(ctx, "requests could not be read", "error", err)
			return h, "The requests cannot be read now. Try again."
		}
		if one.Err != nil {
			continue
		}
		all, err := m.history(ctx, one.ID)
		if err != nil || !m.knewOf(one.Handoff, all, msg) {
			continue
		}
		if reply != 0 && all.has(m.options.Chat.Chat(), reply) {
			return one.Handoff, ""
		}
		open = append(open, one.Handoff)
	}
	switch {
	case reply != 0:
		return h, "That message is about no open request. Answer to the message of one."
	case len(open) == 0:
		return h, noneOpen
	case len(open) > 1:
		return h, "Which one? Several requests are open: answer to the message of one."
	}
	return open[0], ""
}

const noneOpen = "No request is open."

// knewOf reports whether the person was told of a handoff before they wrote a message. In the chat that is so by the order of
// its messages, whatever the clocks say.
func (m *Messenger) knewOf(h store.Handoff, all *history, msg *models.Message) bool {
	told := all.told[stageRequest]
	if len(told) == 0 {
		return false
	}
	if number, err := strconv.Atoi(told[0].Message); err == nil && told[0].Chat == m.options.Chat.Chat() {
		return msg.ID > number
	}
	return !time.Unix(int64(msg.Date), 0).Before(h.Started.Truncate(time.Second))
}

// has reports whether a message of the chat is about the handoff.
func (h *history) has(chat int64, message int) bool {
	for _, stage := range h.told {
		for _, t := range stage {
			if t.Chat == chat && t.Message == strconv.Itoa(message) {
				return true
			}
		}
	}
	return false
}

// do does a command, and returns what the person is told if it cannot be done.
func (m *Messenger) do(ctx context.Context, c command, typed string, of store.Handoff, message int) (problem string) {
	local := m.local(of.ID)
	if c == aborts && local == nil {
		if _, err := m.options.Store.Handoffs().End(ctx, of.ID, store.HandoffCancelled, nil); err != nil {
			return "It could not be cancelled."
		}
		return ""
	}
	switch {
	case c == types && local == nil:
		return "Another process has its page, which types nothing from here: open the link that you were sent, or come to the computer."
	case c == types:
		return typeInto(ctx, local, typed)
	case local == nil:
		m.work.Go(func() { m.doElsewhere(ctx, of.ID, c, message) })
	default:
		m.doHere(ctx, c, local, message)
	}
	return ""
}

// doHere begins to do a command that is no text: it may take longer than the next message waits.
func (m *Messenger) doHere(ctx context.Context, c command, h *handoff.Handoff, message int) {
	m.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTimeout)
		defer cancel()
		switch c {
		case aborts:
			h.Cancel()
		case returns:
			if _, err := h.Return(ctx); err != nil { // what is missing is told as a stage
				m.say(ctx, "The page could not be looked at. Try again.", message)
			}
		case shows:
			png, err := h.Picture(ctx)
			if err == nil {
				var id string
				if id, err = m.options.Chat.SendPicture(ctx, notify.Message{Title: "The page, with what is secret covered"}, strconv.Itoa(message), png); err == nil {
					m.noteAnother(ctx, h.ID(), notify.Sent{Channel: m.options.Chat.Name(), PictureID: id})
				}
			}
			if err != nil {
				m.say(ctx, "There is no picture of the page now.", message)
			}
		}
	})
}

func typeInto(ctx context.Context, h *handoff.Handoff, text string) (problem string) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	switch err := h.Type(ctx, text); {
	case err == nil:
		return ""
	case errors.Is(err, handoff.ErrCut):
		return "Only the beginning was typed: the field takes no more. Look at it in the live view."
	case errors.Is(err, handoff.ErrNoField):
		return "It was not typed: no field of the page that was handed over has the focus. Press one in the live view."
	}
	return "It was not typed: the page did not take it."
}

// A button's data are the answer, the approval's ID and its nonce: at most 64 bytes, and nothing to remember here.
var buttonData = regexp.MustCompile(`^([yn])\.([0-9a-z]{26})\.([A-Z2-7]{20,32})$`)

func buttons(id, nonce string) []notify.Button {
	return []notify.Button{{Label: "Yes", Data: "y." + id + "." + nonce}, {Label: "No", Data: "n." + id + "." + nonce}}
}

// press answers an approval.
func (m *Messenger) press(ctx context.Context, q *models.CallbackQuery) {
	parts := buttonData.FindStringSubmatch(q.Data)
	if parts == nil {
		return
	}
	yes := parts[1] == "y"
	_, err := runner.AnswerWith(ctx, m.options.Store, parts[2], parts[3], yes)
	var ended *store.ApprovalEndedError
	var dead *runner.EndedRunError
	line := "Denied."
	switch {
	case errors.As(err, &dead):
		line = "The run that asked has ended: nothing was sent."
	case errors.As(err, &ended):
		line = "It is " + string(ended.State) + ": this answer changes nothing."
	case err != nil:
		line = "This answer does not count."
	case yes:
		line = "Approved."
	}
	m.work.Go(func() { m.answerPress(ctx, q, line) })
}

// pressedTooLate has a person who pressed a button while no one listened know that they are to press it again.
func (m *Messenger) pressedTooLate(ctx context.Context, q *models.CallbackQuery) {
	parts := buttonData.FindStringSubmatch(q.Data)
	if parts == nil {
		return
	}
	if a, err := m.options.Store.Approvals().Get(ctx, parts[2]); err == nil && a.State == store.ApprovalPending {
		m.work.Go(func() {
			m.answerPress(ctx, q, "What you pressed while no one listened does not count. Press it again.")
		})
	}
}

// answerPress answers a press where it was made, and below its message, where it stays.
func (m *Messenger) answerPress(ctx context.Context, q *models.CallbackQuery, line string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTimeout)
	defer cancel()
	if err := m.options.Chat.AnswerButton(ctx, q.ID, line); err != nil {
		m.options.Logger.WarnContext(ctx, "a press was not answered", "error", err)
	}
	if number := messageOf(q.Message); number != 0 {
		m.say(ctx, line, number)
	}
}

func messageOf(m models.MaybeInaccessibleMessage) int {
	switch {
	case m.Message != nil:
		return m.Message.ID
	case m.InaccessibleMessage != nil:
		return m.InaccessibleMessage.MessageID
	}
	return 0
}
