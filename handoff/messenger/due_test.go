package messenger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

// What is told when follows from the record, its events and the time alone: a process that begins in the middle tells
// what is due, and nothing twice.
func TestWhatIsToldFollowsFromTheRecord(t *testing.T) {
	t.Parallel()
	began := time.Now()
	at := func(minutes float64) time.Time { return began.Add(time.Duration(minutes * float64(time.Minute))) }
	running := store.Handoff{State: store.HandoffRunning, Started: began, Deadline: at(30)}
	ends := running
	ends.State, ends.Ended = store.HandoffTimedOut, at(30)
	brief := running
	brief.Deadline = at(4)
	later := running // it was returned too early, which moves its end
	later.Deadline = at(56)
	warning := func(h store.Handoff) string { return fmt.Sprint("warning-", h.Deadline.Unix()) }
	served := &handoff.Served{}
	for _, c := range []struct {
		what  string
		h     store.Handoff
		told  []string
		unmet int
		local bool
		where *handoff.Served
		at    float64
		want  string
		over  bool
	}{
		{"at once, where the page is", running, nil, 0, true, nil, 0, "request", false},
		{"elsewhere, a second later", running, nil, 0, false, served, 0.001, "", false},
		{"elsewhere, after that", running, nil, 0, false, served, 0.02, "request", false},
		{"of a process that died at once", running, nil, 0, false, nil, 0.1, "", false},
		{"later, too", running, nil, 0, false, nil, 0.2, "request", false},
		{"it was told", running, []string{"request"}, 0, true, served, 5, "", false},
		{"at a third", running, []string{"request"}, 0, true, served, 10, "reminder", false},
		{"once", running, []string{"request", "reminder"}, 0, true, served, 15, "", false},
		{"before the end", running, []string{"request", "reminder"}, 0, true, served, 25, warning(running), false},
		{"with no reminder after", running, []string{"request", warning(running)}, 0, true, served, 26, "", false},
		{"before an end that has moved, again", later, []string{"request", "reminder", "unmet-1", warning(running)}, 1, true, served, 51, warning(later), false},
		{"the last of what is missing", running, []string{"request", "unmet-1"}, 2, true, served, 1, "unmet-2", false},
		{"which was told", running, []string{"request", "unmet-1", "unmet-2"}, 2, true, served, 1, "", false},
		{"a brief one has no warning", brief, []string{"request", "reminder"}, 0, true, served, 3.9, "", false},
		{"its end", ends, []string{"request"}, 0, false, served, 31, "end", false},
		{"once, too", ends, []string{"request", "end"}, 0, false, served, 31, "", true},
		{"of one that no one was told of", ends, nil, 0, false, served, 31, "", true},
		{"no news any more", ends, []string{"request"}, 0, false, served, 95, "", true},
	} {
		all := &history{told: map[string][]told{}, served: c.where}
		for _, stage := range c.told {
			all.told[stage] = []told{{Stage: stage}}
		}
		for i := range c.unmet {
			all.unmet = append(all.unmet, fmt.Sprint(i))
		}
		if got, over := due(c.h, all, c.local, DefaultWarning, at(c.at)); got != c.want || over != c.over {
			t.Errorf("%s: %q, over %v, want %q, %v", c.what, got, over, c.want, c.over)
		}
	}
}

// A payment is told of once its outcome is known, or was unknown for a while, and again when that changes.
func TestWhichPaymentsAreToldOf(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	m := &Messenger{options: Options{Store: st}}
	now := time.Now()
	for _, c := range []struct {
		state, told store.LedgerState
		age         time.Duration
		want        bool
	}{
		{store.Paid, "", 0, true},
		{store.Paid, store.Paid, 0, false},
		{store.Reserved, "", time.Minute, false}, // it is being made
		{store.Reserved, "", 3 * time.Minute, true},
		{store.Reserved, store.Reserved, time.Hour, false},
		{store.Paid, store.Reserved, time.Hour, true},
		{store.Released, store.Reserved, time.Hour, true},
		{store.Released, "", time.Hour, false}, // nothing was made of it
	} {
		e := store.LedgerEntry{Run: store.NewRunID(), State: c.state, Told: c.told, Begun: now.Add(-c.age)}
		if got, err := m.isToBeTold(t.Context(), e); err != nil || got != c.want {
			t.Errorf("%s after %v, told %q: %v, %v", c.state, c.age, c.told, got, err)
		}
	}
	e := store.LedgerEntry{Run: store.NewRunID(), State: store.Reserved, Begun: now}
	if err := st.Runs().Save(t.Context(), store.Run{ID: e.Run, Automation: "pay", State: store.Uncertain, Started: now, Finished: now}); err != nil {
		t.Fatal(err)
	}
	if got, err := m.isToBeTold(t.Context(), e); err != nil || !got {
		t.Errorf("as soon as its run has ended as uncertain: %v, %v", got, err)
	}
}

// People use the words that they are shown.
func TestWhatPeopleMayWrite(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]command{
		"done": returns, "all yours": returns, "Go ahead": returns, "okay, try now": returns, " DONE\n": returns,
		"abort": aborts, "cancel": aborts, "screenshot": shows, "type: x": types,
		"done!": none, "not done": none, "type:": none, "": none,
	} {
		if got, _ := parse(text); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

// titles is a channel that notes what it is sent.
type titles struct{ got []string }

func (*titles) Name() string { return "titles" }

func (c *titles) Send(_ context.Context, m notify.Message) (string, error) {
	c.got = append(c.got, m.Title)
	return "", nil
}

// A process that ends just as it begins to tell how a handoff ended tells it before it is gone.
func TestAProcessThatEndsTellsWhatItHasBegunToTell(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	h, err := st.Handoffs().Start(t.Context(), store.Handoff{Step: -1, Reason: "login"}, time.Hour)
	if err == nil {
		_, err = st.Handoffs().Note(t.Context(), h.ID, store.HandoffEvent{ID: "told-request", Kind: store.HandoffTold, Data: []byte(`{"stage":"request","channel":"titles"}`)})
	}
	if err == nil {
		_, err = st.Handoffs().End(t.Context(), h.ID, store.HandoffFinished, nil)
	}
	if err == nil {
		_, err = st.Limits().Add(t.Context(), storetest.WaterLimit(1000, 2500))
	}
	channel := &titles{}
	n, failed := notify.New(&notify.Options{Channels: []notify.Channel{channel}})
	m, broken := New(&Options{Store: st, Notifier: n})
	if err = errors.Join(err, failed, broken); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m.tell(ctx, h.ID, func(ctx context.Context) error { return m.tellHandoff(ctx, h.ID) })
	m.work.Wait()
	if err := m.look(t.Context()); err != nil { // some moments before
		t.Fatal(err)
	}
	m.work.Wait()
	run := store.NewRunID()
	if _, err := st.Commits().BeginPayment(t.Context(), run, 0, storetest.WaterBill(1000)); err != nil {
		t.Fatal(err)
	}
	if err := st.Commits().Resolve(t.Context(), run, 0, true); err != nil {
		t.Fatal(err)
	}
	m.finish(ctx)
	if !slices.Equal(channel.got, []string{"Done: login", "Paid without asking: 10.00 EUR to " + storetest.WaterBill(1).Payee}) {
		t.Errorf("told was %q", channel.got)
	}
}

func FuzzParse(f *testing.F) {
	for text := range commands {
		f.Add(text)
		f.Add(" " + text + "\n")
		f.Add(text + "!")
	}
	f.Add("type: x")
	f.Add("TYPE:")
	f.Fuzz(func(t *testing.T, text string) {
		c, typed := parse(text)
		if (c == types) != (typed != "") {
			t.Errorf("%q is %v, and types %q", text, c, typed)
		}
	})
}
