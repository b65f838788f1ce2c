package messenger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/plaintext"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/store"
)

// words are what a person is told at a stage of a handoff. Its record was redacted when it was made.
func (m *Messenger) words(ctx context.Context, h store.Handoff, all *history, stage string) notify.Message {
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
		message.Text, message.Answers = request(h), m.answers(h)
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
		m.wayIn(&message, h, all, served)
	case strings.HasPrefix(stage, stageWarning):
		message.Kind = "warning"
		message.Title = "It closes at " + clock(h.Deadline) + ": " + h.Reason
		message.Text = join(h.Doing, h.Instruction)
		m.wayIn(&message, h, all, served)
	default:
		message.Deadline = time.Time{}
		message.Title, message.Text = ended(h, m.goOn(ctx, h))
	}
	return message
}

func request(h store.Handoff) string {
	var lines facts
	lines.add("What was being done, and what blocks it", h.Doing)
	lines.add("Page", h.URL)
	lines.add("Account", h.Account)
	lines.add("Please", h.Instruction)
	return lines.String()
}

// answers are what a person may write about a handoff, "" where no one is heard.
func (m *Messenger) answers(h store.Handoff) string {
	switch {
	case m.options.Chat == nil:
		return ""
	case m.polls.Load() && m.local(h.ID) != nil:
		return "Or answer here: done, abort, screenshot, or type: and a text for the field that has the focus."
	}
	return "Or answer here: done, abort, screenshot."
}

// wayIn says how one comes to the page who was told of it before.
func (m *Messenger) wayIn(message *notify.Message, h store.Handoff, all *history, served handoff.Served) {
	message.NoLink = comeTo(served)
	switch {
	case !served.Public():
	case all.opened:
		message.NoLink = "It is open on the device that opened the link. For another: reprise handoffs link " + h.ID
	case slices.ContainsFunc(all.told[stageRequest], func(t told) bool { return t.Linked }):
		message.NoLink = "The link that you were sent last opens it, once."
	default:
		message.Link = func(ctx context.Context) (string, error) { return handoff.NewLink(ctx, m.options.Store, h.ID, false) }
	}
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

// goOn says how one goes on with the run of a handoff that was not finished, "" where it has none.
func (m *Messenger) goOn(ctx context.Context, h store.Handoff) string {
	id, _, _ := strings.Cut(h.Run, ".")
	if id == "" || h.State == store.HandoffFinished {
		return ""
	}
	run, err := m.options.Store.Runs().Get(ctx, id)
	if err != nil {
		return ""
	}
	sent, err := m.options.Store.Commits().Committed(ctx, id)
	if err != nil {
		return ""
	}
	if why := runner.WhyNoRetry(run, len(sent)); why != "" {
		return "The run is not started again: " + why
	}
	return "Start the run again with: reprise runs retry " + id
}

// ended is how a handoff ended.
func ended(h store.Handoff, goOn string) (title, text string) {
	switch h.State {
	case store.HandoffFinished:
		return "Done: " + h.Reason, "The page was returned, and it goes on."
	case store.HandoffTimedOut:
		return "Time is up: " + h.Reason, join("No one returned the page in time, and it was taken back.", h.Doing, goOn)
	}
	return "Cancelled: " + h.Reason, join("No one has the page any more.", h.Doing, goOn)
}

// approvalWords are what an approver is told.
func approvalWords(a store.Approval) notify.Message {
	message := approvalFacts(a)
	message.Key, message.Kind, message.Title, message.Deadline = a.ID, "approval", "Approval needed: "+a.Tool, a.Deadline
	message.Text += "\nNo answer in time denies it."
	message.NoLink = "At a computer: reprise approvals yes " + a.ID + ", or no."
	return message
}

// approvalFacts are a message of what is to be approved. What is paid to whom, and where, comes first and is never cut, whatever
// else a page or an agent says.
func approvalFacts(a store.Approval) notify.Message {
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
	return notify.Message{Text: lines.String(), Whole: whole}
}
