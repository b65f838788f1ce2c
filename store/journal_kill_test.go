package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/store"
)

const (
	// How many writers of one trace are killed, and how many traces there are: each look at
	// one reads all of it.
	journalKills   = 24
	tracesSoak     = 12
	fewestOfTheirs = journalKills / 2 // calls: fewer prove nothing
	// A line of this size takes the system several pages, and so a while in which it can be
	// torn; most lines are small, as most calls are.
	mostInLine  = 900 << 10
	largeInEach = 4
)

// traced is the only session of the store that is killed.
const traced = "s"

// journalUntilKilled writes calls down, each numbered by its ID, and says which are kept.
func journalUntilKilled(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	n := 0
	for _, err := range s.Journal().Trace(ctx, traced) {
		if err == nil {
			n++
		}
	}
	for {
		n++
		size := rand.IntN(200)
		if n%largeInEach == 0 {
			size = rand.IntN(mostInLine)
		}
		arguments, err := json.Marshal(map[string]string{"value": strings.Repeat("x", size)})
		if err != nil {
			return err
		}
		c := call(n)
		c.Arguments = arguments
		if _, err := s.Journal().Append(ctx, c); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// left is what a killed process has left of a trace.
type left struct {
	calls        int
	torn, behind bool // the beginning of a line, and a whole one that nobody was told is kept
}

// wantWhole wants all that was said to be kept to be there, and at most one call more, and
// the journal to say the same of it as a look at its file.
func wantWhole(t *testing.T, dir string, acknowledged int) left {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "traces", traced+".jsonl"))
	try(t, err)
	whole := bytes.Count(data, []byte("\n"))
	found := left{calls: whole, torn: len(data) > 0 && data[len(data)-1] != '\n', behind: whole > acknowledged}
	check, err := open(t, dir).Journal().Verify(t.Context(), traced)
	if err != nil || check.Calls != whole || check.Torn != found.torn {
		t.Fatalf("%d calls were said to be kept, the file has %d lines (torn: %v), and Verify says %+v, %v", acknowledged, whole, found.torn, check, err)
	}
	if whole != acknowledged && whole != acknowledged+1 {
		t.Fatalf("%d calls were said to be kept, and %d are there", acknowledged, whole)
	}
	n := 0
	for c, err := range open(t, dir).Journal().Trace(t.Context(), traced) {
		try(t, err)
		if n++; c.ID != fmt.Sprint("c", n) || c.Number != n {
			t.Fatalf("call %d is %s, with number %d", n, c.ID, c.Number)
		}
	}
	return found
}

// Whenever its writer is killed, a trace is whole up to its last whole line, says what is
// torn behind that, and goes on: also where that happens again and again before a call is
// said to be kept.
func TestAKilledWriterLeavesAWholeTrace(t *testing.T) {
	t.Parallel()
	traces := 1
	if *soak {
		traces = tracesSoak
	}
	for range traces {
		killWritersOf(t, t.TempDir())
	}
}

func killWritersOf(t *testing.T, dir string) {
	t.Helper()
	appendCall(t, open(t, dir), 1)
	last, torn, behind := 1, 0, 0
	for range journalKills {
		found := wantWhole(t, dir, killedWhile(t, "journal until killed", dir, "traces", last))
		last = found.calls
		if found.torn {
			torn++
		}
		if found.behind {
			behind++
		}
	}
	appendCall(t, open(t, dir), last+1)
	if found := wantWhole(t, dir, last+1); found.torn || found.behind {
		t.Errorf("after the next call it is %+v", found)
	}
	for path := range tree(t, filepath.Join(dir, "traces")) {
		if path != "." && path != "s.jsonl" && path != "s.head.json" {
			t.Errorf("%s is left after the next call", path)
		}
	}
	if last < fewestOfTheirs || behind == 0 {
		t.Errorf("only %d calls by %d children, of which %d were killed between a call and its acknowledgement: this proves nothing", last, journalKills, behind)
	}
	t.Logf("%d calls, %d kills: %d left a torn line, %d a call that nobody was told is kept", last, journalKills, torn, behind)
}
