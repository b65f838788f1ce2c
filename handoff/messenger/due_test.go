package messenger

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/store"
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
		{"before the end", running, []string{"request", "reminder"}, 0, true, served, 25, "warning", false},
		{"with no reminder after", running, []string{"request", "warning"}, 0, true, served, 26, "", false},
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
