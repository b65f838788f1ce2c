package messenger

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/plaintext"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/store"
)

// words are what a person is told at a stage of a handoff. Its record was redacted when it was made.
func (m *Messenger) words(h store.Handoff, all *history, stage string) notify.Message {
	served := handoff.Served{}
	if all.served != nil {
		served = *all.served
	}
	message := notify.Message{Key: h.ID + "-" + stage, Kind: stage, Deadline: h.Deadline}
	if first := all.told[stageRequest]; len(first) > 0 {
		message.ReplyTo = first[0].Message
	}
	picture := func() {
		if local := m.local(h.ID); local != nil {
			message.Picture = local.Picture
		}
	}
	switch {
	case stage == stageRequest:
		message.Title = "A person is needed: " + h.Reason
		message.Text = m.request(h)
		message.NoLink = comeTo(served)
		if served.Public() {
			message.Link = func(ctx context.Context) (string, error) { return handoff.NewLink(ctx, m.options.Store, h.ID, false) }
		}
		picture()
	case strings.HasPrefix(stage, stageUnmet):
		message.Kind = "unmet"
		message.Title = "Not yet: " + h.Reason
		message.Text = fmt.Sprintf("%s\nThat was try %d of %d. You still have the page, until %s.", plaintext.Line(all.unmet[len(all.unmet)-1]), len(all.unmet), handoff.MaxTries, clock(h.Deadline))
		picture()
	case stage == stageReminder:
		message.Title = "Still waiting: " + h.Reason
		message.Text = join(h.Doing, h.Instruction) + "\nIt closes at " + clock(h.Deadline) + "."
		message.NoLink = wayIn(h, all, served)
	case strings.HasPrefix(stage, stageWarning):
		message.Kind = "warning"
		message.Title = "It closes at " + clock(h.Deadline) + ": " + h.Reason
		message.Text = join(h.Doing, h.Instruction)
		message.NoLink = wayIn(h, all, served)
	default:
		message.Deadline = time.Time{}
		message.Title, message.Text = ended(h)
	}
	return message
}

func (m *Messenger) request(h store.Handoff) string {
	var lines facts
	lines.add("What was being done, and what blocks it", h.Doing)
	lines.add("Page", h.URL)
	lines.add("Account", h.Account)
	lines.add("Please", h.Instruction)
	switch {
	case m.polls.Load() && m.local(h.ID) != nil:
		lines = append(lines, "Or answer here: done, abort, screenshot, or type: and a text for the field that has the focus.")
	case m.options.Chat != nil:
		lines = append(lines, "Or answer here: done, abort, screenshot.")
	}
	return lines.String()
}

// wayIn is how one comes to the page who was sent a link before.
func wayIn(h store.Handoff, all *history, served handoff.Served) string {
	switch {
	case !served.Public():
		return comeTo(served)
	case all.opened:
		return "It is open on the device that opened the link. For another: reprise handoffs link " + h.ID
	}
	return "The link that you were sent last opens it, once."
}

// comeTo is what one is told who gets no link.
func comeTo(s handoff.Served) string {
	host := s.Host
	if host == "" {
		host = "that runs it"
	}
	return "Come to the computer " + host + "."
}

// facts are the lines of a message, each of one fact. What pages and agents say stays on its line: it begins no other.
type facts []string

// add adds a fact, unless nothing is known of it.
func (f *facts) add(name, text string) {
	if text = plaintext.Line(text); text != "" {
		*f = append(*f, name+": "+text)
	}
}

func (f facts) String() string { return strings.Join(f, "\n") }

func clock(t time.Time) string { return t.Local().Format("15:04 MST") }

func join(texts ...string) string {
	var all []string
	for _, text := range texts {
		if text = plaintext.Line(text); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// ended is how a handoff ended.
func ended(h store.Handoff) (title, text string) {
	retry := ""
	if h.Run != "" {
		retry = "Start the run again with: reprise runs retry " + h.Run
	}
	switch h.State {
	case store.HandoffFinished:
		return "Done: " + h.Reason, "The page was returned, and it goes on."
	case store.HandoffTimedOut:
		return "Time is up: " + h.Reason, join("No one returned the page in time, and it was taken back.", h.Doing, retry)
	}
	return "Cancelled: " + h.Reason, join("No one has the page any more.", h.Doing, retry)
}

// approvalWords are what an approver is told. What is paid to whom, and where, comes first and is never cut, whatever else
// a page or an agent says.
func approvalWords(a store.Approval) notify.Message {
	var lines facts
	lines.add("Payee", a.Payee)
	amount := a.Amount
	if a.Currency != "" && !strings.Contains(amount, a.Currency) {
		amount += " " + a.Currency
	}
	lines.add("Amount", amount)
	lines.add("Origin", a.Origin)
	whole := len(lines)
	lines.add("Presses", a.Label)
	lines.add("Said to be for", a.Intent) // by an agent, or by who has written the automation
	if a.Request != "" {
		lines.add("Sends", fmt.Sprintf("%s %s, %d bytes of %s", a.Method, a.Request, a.Size, cmp.Or(a.Type, "an unknown type")))
	}
	lines.add("Page", a.URL)
	lines.add("Run", a.Run)
	lines = append(lines, "No answer in time denies it.")
	return notify.Message{
		Key: a.ID, Kind: "approval", Title: "Approval needed: " + a.Tool, Text: lines.String(), Whole: whole, Deadline: a.Deadline,
		NoLink: "At a computer: reprise approvals yes " + a.ID + ", or no.",
	}
}
