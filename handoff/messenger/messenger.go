// Package messenger tells people by package notify what a store has for them: the requests of handoffs, with reminders
// and how they ended, and approvals that are asked for. In a private chat it hears what they answer.
//
//	m, err := messenger.New(&messenger.Options{Store: st, Notifier: n, Desk: desk})
//	go m.Run(ctx)
//
// Any number of processes do so on one store: each message is sent once. Who sends it has a lease on it meanwhile, and
// notes in the store that it was sent. A message whose sender died is sent by another once the lease has ended.
package messenger

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/store"
)

const (
	// DefaultWarning is how long before its end a person is warned.
	DefaultWarning = 5 * time.Minute

	// lookEvery is how often the store is read: a person is told within two seconds.
	lookEvery = 500 * time.Millisecond
	// localFirst is how long a request is left to the process that has its page, which takes pictures of it; and
	// servedWithin how long it may take to note where that is.
	localFirst   = time.Second
	servedWithin = 10 * time.Second
	// leaseFor is longer than a message may take with its picture.
	leaseFor = time.Minute
	// tellEndsFor is how long after its end a person is told of that, and lookBack how old a handoff may be of which
	// there may be something to tell.
	tellEndsFor = time.Hour
	lookBack    = store.MaxHandoff + tellEndsFor
	// lastWords is how long a process tells people things after its end.
	lastWords = 5 * time.Second
	// slowly is how often it is read what was paid and which questions have ended, and
	// paidBack how old a payment may be of which a process that has begun just now tells.
	slowly   = 5 * time.Second
	paidBack = 31 * 24 * time.Hour
	// A message that no one got is tried again after firstRetry, and then ever later.
	firstRetry = 5 * time.Second
	maxRetry   = 2 * time.Minute
)

// Options of a Messenger.
type Options struct {
	// Store has what is told. It is needed, and stays the caller's.
	Store store.Store
	// Notifier sends it. It is needed.
	Notifier *notify.Notifier
	// Desk has the pages of this process. Default: nil, all pages are elsewhere.
	Desk *handoff.Desk
	// Warning is how long before its end a person is warned. Default: DefaultWarning.
	Warning time.Duration
	// Chat is heard: its person answers in it. It is private. Default: nil, no one is heard.
	Chat *notify.Telegram
	// Failed is told when no one could be told of something, with its ID. Default: the logger is.
	Failed func(id string, err error)
	// Logger is told of what goes wrong unseen. Default: silent. What people write is in no log.
	Logger *slog.Logger
}

// Messenger tells people, and hears them.
type Messenger struct {
	options Options
	name    string // tells it from others
	kick    chan struct{}
	work    sync.WaitGroup
	polls   atomic.Bool // who answers in the chat is heard by this process
	ledger  time.Time   // when it is read again, as what is read slowly; zero before the first time

	mu     sync.Mutex
	busy   map[string]bool      // what is being told
	over   map[string]time.Time // of what there is nothing more to tell
	failed map[string]failure   // what no one got
	nonces map[string]string    // of approvals that no one got yet: only so many are issued
}

// failure is of a message that no one got.
type failure struct {
	again time.Time
	pause time.Duration
}

// New makes a Messenger.
func New(o *Options) (*Messenger, error) {
	if o == nil || o.Store == nil || o.Notifier == nil {
		return nil, errors.New("messenger: Options.Store and Notifier are needed")
	}
	if o.Chat != nil && !o.Chat.Private() {
		return nil, errors.New("messenger: answers are heard in a private chat only: its ID is above 0")
	}
	m := &Messenger{options: *o, name: rand.Text(), kick: make(chan struct{}, 1), busy: map[string]bool{}, over: map[string]time.Time{}, failed: map[string]failure{}, nonces: map[string]string{}}
	if m.options.Warning <= 0 {
		m.options.Warning = DefaultWarning
	}
	if m.options.Logger == nil {
		m.options.Logger = slog.New(slog.DiscardHandler)
	}
	if m.options.Failed == nil {
		m.options.Failed = func(id string, err error) { m.options.Logger.Error("no one was told", "id", id, "error", err) }
	}
	return m, nil
}

// Notice has the store be read at once: it is for handoff.Options.Notify, and does not block.
func (m *Messenger) Notice(handoff.Notice) {
	select {
	case m.kick <- struct{}{}:
	default:
	}
}

// Run tells people, and hears them, until ctx ends; then it tells what there is still to tell, which takes a few seconds
// at most.
func (m *Messenger) Run(ctx context.Context) {
	defer m.finish(ctx)
	if m.options.Chat != nil {
		m.work.Go(func() { m.hear(ctx) })
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for away := false; ctx.Err() == nil; {
		err := m.look(ctx)
		if err != nil && ctx.Err() == nil && !away { // once, while it lasts
			m.options.Logger.WarnContext(ctx, "what there is to tell could not be read", "error", err)
		}
		away = err != nil
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-m.kick:
		}
	}
}

// finish waits for what is under way, and looks a last time: what a process ends with it, its people are told.
func (m *Messenger) finish(ctx context.Context) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	m.work.Wait()
	m.ledger = time.Time{}
	if err := m.look(last); err != nil {
		m.options.Logger.WarnContext(last, "what there is to tell could not be read", "error", err)
	}
	m.work.Wait()
}

// look begins to tell what there is to tell.
func (m *Messenger) look(ctx context.Context) error {
	now := time.Now()
	m.mu.Lock()
	for id, since := range m.over {
		if now.Sub(since) > 2*lookBack {
			delete(m.over, id)
		}
	}
	m.mu.Unlock()
	for h, err := range m.options.Store.Handoffs().List(ctx) {
		if err != nil {
			return err
		}
		if h.Err == nil && now.Sub(h.Started) > lookBack {
			break
		}
		if h.Err == nil {
			m.tell(ctx, h.ID, func(ctx context.Context) error { return m.tellHandoff(ctx, h.ID) })
		}
	}
	for a, err := range m.options.Store.Approvals().Pending(ctx) {
		if err != nil {
			return err
		}
		if a.Err == nil {
			m.tell(ctx, a.ID, func(ctx context.Context) error { return m.tellApproval(ctx, a.ID) })
		}
	}
	if now.Before(m.ledger) {
		return nil
	}
	since := now.Add(-lookBack)
	if m.ledger.IsZero() {
		since = now.Add(-paidBack)
	}
	m.ledger = now.Add(slowly)
	if err := m.endApprovals(ctx, now); err != nil {
		return err
	}
	return m.tellPayments(ctx, since)
}

// tell does something about an ID, unless it is being done, was done for good, or failed just now.
func (m *Messenger) tell(ctx context.Context, id string, do func(context.Context) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, over := m.over[id]; over || m.busy[id] || time.Now().Before(m.failed[id].again) {
		return
	}
	m.busy[id] = true
	m.work.Go(func() {
		err := do(ctx)
		m.mu.Lock()
		delete(m.busy, id)
		before, again := m.failed[id]
		delete(m.failed, id)
		if err != nil && ctx.Err() == nil { // the last look tries what the end of the process has cut off
			pause := min(max(2*before.pause, firstRetry), maxRetry)
			m.failed[id] = failure{time.Now().Add(pause), pause}
		}
		m.mu.Unlock()
		if err != nil && !again && ctx.Err() == nil {
			m.options.Failed(id, err)
		}
	})
}

// isOver has an ID be left alone from now on.
func (m *Messenger) isOver(id string) {
	m.mu.Lock()
	m.over[id] = time.Now()
	m.mu.Unlock()
}

// leased does something that one process does at a time, and nothing where another does it.
func (m *Messenger) leased(ctx context.Context, id string, do func(context.Context) error) error {
	lease, err := m.options.Store.Lease(ctx, store.NewRunID(), runner.ThisProcess(), []store.Place{{Site: "messenger", Account: id}}, leaseFor)
	var held *store.HeldError
	if errors.As(err, &held) {
		return nil
	}
	if err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseFor)
	defer cancel()
	// What is being sent as the process ends may be with the person already: it is sent and written down, else the next
	// process sends it again.
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastWords, cancel) })()
	return errors.Join(do(bounded), lease.Release(context.WithoutCancel(ctx)))
}

// The stages of a handoff that a person is told of. That of a page that was returned too early has a number: unmet-1, …
const (
	stageRequest  = "request"
	stageUnmet    = "unmet-"
	stageReminder = "reminder"
	stageWarning  = "warning-" // and the deadline, which moves where the page was returned too early
	stageEnd      = "end"
)

// told is the data of an event that a person was told of a stage.
type told struct {
	Stage   string `json:"stage"`
	Channel string `json:"channel"`
	Chat    int64  `json:"chat,omitempty"` // and the ID of the message there, for a chat
	Message string `json:"message,omitempty"`
	Linked  bool   `json:"linked,omitempty"` // it had a link
}

// history is what was told of a handoff, and what there may be to tell.
type history struct {
	told   map[string][]told // by stage
	served *handoff.Served   // nil for not yet
	opened bool              // by its link
	unmet  []string
	wanted []wanted       // of its page, by people
	taken  map[int]string // by whom, by the message that wants it
}

func (m *Messenger) history(ctx context.Context, id string) (*history, error) {
	all := &history{told: map[string][]told{}, taken: map[int]string{}}
	for e, err := range m.options.Store.Handoffs().Events(ctx, id) {
		if err != nil {
			return nil, err
		}
		switch e.Kind {
		case store.HandoffTold:
			var t told
			if json.Unmarshal(e.Data, &t) == nil {
				all.told[t.Stage] = append(all.told[t.Stage], t)
			}
		case handoff.UnmetEvent:
			var text string
			if json.Unmarshal(e.Data, &text) == nil {
				all.unmet = append(all.unmet, text)
			}
		case handoff.OpenedEvent:
			all.opened = true
		case wantedEvent, takenEvent:
			var w wanted
			if json.Unmarshal(e.Data, &w) != nil {
				continue
			}
			if e.Kind == wantedEvent {
				all.wanted = append(all.wanted, w)
			} else if all.taken[w.Message] == "" {
				all.taken[w.Message] = w.By
			}
		case handoff.ServedEvent:
			var s handoff.Served
			if json.Unmarshal(e.Data, &s) == nil {
				all.served = &s
			}
		}
	}
	return all, nil
}

// due returns the stage that a person is to be told of at a time, "" for none; over reports that there never will be one.
func due(h store.Handoff, all *history, local bool, warning time.Duration, now time.Time) (stage string, over bool) {
	was := func(stage string) bool { return len(all.told[stage]) > 0 }
	if h.State != store.HandoffRunning {
		if !was(stageRequest) || was(stageEnd) || now.Sub(h.Ended) > tellEndsFor {
			return "", true
		}
		return stageEnd, false
	}
	if !was(stageRequest) {
		age := now.Sub(h.Started)
		if local || age >= localFirst && all.served != nil || age >= servedWithin {
			return stageRequest, false
		}
		return "", false
	}
	if n := len(all.unmet); n > 0 && !was(stageUnmet+strconv.Itoa(n)) {
		return stageUnmet + strconv.Itoa(n), false
	}
	lasts := h.Deadline.Sub(h.Started)
	warns, reminds := h.Deadline.Add(-warning), h.Started.Add(lasts/3)
	switch {
	case warning < lasts && !now.Before(warns):
		if stage := stageWarning + strconv.FormatInt(h.Deadline.Unix(), 10); !was(stage) {
			return stage, false
		}
	case !now.Before(reminds) && !was(stageReminder):
		return stageReminder, false
	}
	return "", false
}

// tellHandoff tells the stage of a handoff that is due.
func (m *Messenger) tellHandoff(ctx context.Context, id string) error {
	find := func(ctx context.Context) (h store.Handoff, all *history, stage string, err error) {
		if h, err = m.options.Store.Handoffs().Get(ctx, id); err != nil {
			return h, nil, "", err
		}
		if all, err = m.history(ctx, id); err != nil {
			return h, nil, "", err
		}
		// A page that went with its process no one returns; one in a browser that outlives it may be taken up again.
		if h.State == store.HandoffRunning && h.Browser == "" && all.served != nil && runner.Gone(all.served.Process) {
			if h, err = m.options.Store.Handoffs().End(ctx, id, store.HandoffCancelled, nil); err != nil {
				return h, nil, "", err
			}
		}
		stage, over := due(h, all, m.local(id) != nil, m.options.Warning, time.Now())
		if over {
			m.isOver(id)
		}
		return h, all, stage, nil
	}
	_, all, stage, err := find(ctx)
	if local := m.local(id); local != nil && err == nil {
		m.doWanted(ctx, local, all)
	}
	if err != nil || stage == "" {
		return err
	}
	return m.leased(ctx, id, func(ctx context.Context) error {
		h, all, stage, err := find(ctx) // another process may have told it
		if err != nil || stage == "" {
			return err
		}
		message := m.words(ctx, h, all, stage)
		message.OnSent = func(ctx context.Context, sent notify.Sent) {
			if err := m.note(ctx, id, stage, sent); err != nil { // it is sent again by no process that knows its key
				m.options.Logger.ErrorContext(ctx, "that a person was told was not written down", "handoff", id, "error", err)
			}
		}
		sent, err := m.options.Notifier.Send(ctx, message)
		if err == nil {
			if all, err = m.history(ctx, id); err == nil && len(all.told[stage]) == 0 {
				err = m.note(ctx, id, stage, sent)
			}
		}
		if sent.PictureID != "" {
			m.noteAnother(ctx, id, sent)
		}
		m.couldTell(id, h.Run, err)
		return err
	})
}

// couldTell has those who asked know whether someone could be told.
func (m *Messenger) couldTell(id, run string, err error) {
	var none *notify.Error
	if m.options.Desk != nil && (err == nil || errors.As(err, &none)) {
		m.options.Desk.Told(id, run, err)
	}
}

// note writes down that a person was told, and where.
func (m *Messenger) note(ctx context.Context, id, stage string, sent notify.Sent) error {
	t := told{Stage: stage, Channel: sent.Channel, Message: sent.ID, Linked: sent.Linked}
	if m.options.Chat != nil && sent.Channel == m.options.Chat.Name() {
		t.Chat = m.options.Chat.Chat()
	}
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	_, err = m.options.Store.Handoffs().Note(ctx, id, store.HandoffEvent{ID: "told-" + stage, Kind: store.HandoffTold, Data: data})
	return err
}

// noteAnother notes a message that is about a handoff without telling a stage of it, as a picture is: it may be answered as
// well.
func (m *Messenger) noteAnother(ctx context.Context, id string, sent notify.Sent) {
	sent.ID = sent.PictureID
	if err := m.note(ctx, id, "picture-"+sent.ID, sent); err != nil {
		m.options.Logger.WarnContext(ctx, "a picture was not written down", "handoff", id, "error", err)
	}
}

// local returns a handoff whose page is in this process, nil for none.
func (m *Messenger) local(id string) *handoff.Handoff {
	if m.options.Desk == nil {
		return nil
	}
	return m.options.Desk.Get(id)
}
