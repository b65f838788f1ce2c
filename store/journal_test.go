package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
)

// traceOf makes a trace of so many calls, and gives the directory of its store.
func traceOf(t *testing.T, calls int) (store.Store, string) {
	t.Helper()
	root := t.TempDir()
	s, err := store.Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for i := range calls {
		appendCall(t, s, i)
	}
	return s, root
}

// call is one of many of a session.
func call(i int) store.JournalCall {
	return store.JournalCall{
		Session: "s", ID: fmt.Sprint("c", i), Tool: "click", Outcome: store.CallDone, Intent: "press <it>",
		Arguments: json.RawMessage(`{"selector": "#go"}`), Started: time.Date(2026, 3, 1, 12, 0, i, 0, time.UTC),
	}
}

func appendCall(t *testing.T, s store.Store, i int) {
	t.Helper()
	if _, err := s.Journal().Append(t.Context(), call(i)); err != nil {
		t.Fatal(err)
	}
}

func TestWhatWasChangedInATraceShows(t *testing.T) {
	t.Parallel()
	lines := func(change func([][]byte) [][]byte) func([]byte) []byte {
		return func(data []byte) []byte {
			all := bytes.SplitAfter(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
			return bytes.Join(change(all), nil)
		}
	}
	for name, c := range map[string]struct {
		change func([]byte) []byte
		line   int
	}{
		"a letter":      {func(d []byte) []byte { return bytes.Replace(d, []byte(`"c2"`), []byte(`"c9"`), 1) }, 3},
		"a hash":        {lines(func(l [][]byte) [][]byte { l[1][len(l[1])-5] ^= 1; return l }), 2},
		"a line out":    {lines(func(l [][]byte) [][]byte { return append(l[:2:2], l[3:]...) }), 3},
		"two in turn":   {lines(func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l }), 2},
		"the first out": {lines(func(l [][]byte) [][]byte { return l[1:] }), 1},
		"the last out":  {lines(func(l [][]byte) [][]byte { return l[:4] }), 5},
		"all out":       {func([]byte) []byte { return nil }, 1},
		"a line twice":  {lines(func(l [][]byte) [][]byte { return append(l[:4:4], l[3], l[4]) }), 5},
		"white space":   {func(d []byte) []byte { return bytes.Replace(d, []byte(`,"id":"c3"`), []byte(`, "id":"c3"`), 1) }, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, root := traceOf(t, 5)
			file := filepath.Join(root, "traces", "s.jsonl")
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			changed := c.change(bytes.Clone(data))
			if bytes.Equal(changed, data) {
				t.Fatal("nothing was changed")
			}
			if err := os.WriteFile(file, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err = s.Journal().Verify(t.Context(), "s")
			var broken *store.BrokenTraceError
			if !errors.As(err, &broken) || broken.Line != c.line {
				t.Errorf("Verify says %v, want line %d", err, c.line)
			}
		})
	}
}

func TestATraceWhoseFileIsGoneShows(t *testing.T) {
	t.Parallel()
	s, root := traceOf(t, 2)
	if err := os.Remove(filepath.Join(root, "traces", "s.jsonl")); err != nil {
		t.Fatal(err)
	}
	var broken *store.BrokenTraceError
	if _, err := s.Journal().Verify(t.Context(), "s"); !errors.As(err, &broken) {
		t.Errorf("Verify says %v", err)
	}
}

// A crash may come at any byte of a line, and between the line and the record of where
// the trace ends. Whatever it has left, nothing that was acknowledged is lost, and the
// next call follows.
func TestATraceGoesOnAfterACrashAtAnyByte(t *testing.T) {
	t.Parallel()
	_, root := traceOf(t, 3)
	whole, err := os.ReadFile(filepath.Join(root, "traces", "s.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	last := whole[bytes.LastIndexByte(whole[:len(whole)-1], '\n')+1:]
	for cut := 0; cut <= len(last); cut += 37 {
		if len(last)-cut < 37 {
			cut = len(last) // the whole line is there, and was not acknowledged
		}
		s, root := traceOf(t, 2)
		f, err := os.OpenFile(filepath.Join(root, "traces", "s.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(last[:cut]); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		kept := 2
		if cut == len(last) {
			kept = 3
		}
		check, err := s.Journal().Verify(t.Context(), "s")
		if err != nil || check.Calls != kept || check.Torn != (cut > 0 && kept == 2) {
			t.Fatalf("cut at %d of %d: %+v, %v", cut, len(last), check, err)
		}
		appendCall(t, s, 2) // the same call again, by a caller that got no acknowledgement
		appendCall(t, s, 3)
		check, err = s.Journal().Verify(t.Context(), "s")
		if err != nil || check.Calls != 4 || check.Torn {
			t.Fatalf("cut at %d, and gone on: %+v, %v", cut, check, err)
		}
	}
}

// A caller that repeats a call, because it was not acknowledged, gets its answer now:
// from then on it shows where it is missing.
func TestACallThatIsMadeAgainAfterACrashCounts(t *testing.T) {
	t.Parallel()
	s, root := traceOf(t, 2)
	file, head := filepath.Join(root, "traces", "s.jsonl"), filepath.Join(root, "traces", "s.head.json")
	before, err := os.ReadFile(file)
	try(t, err)
	ends, err := os.ReadFile(head)
	try(t, err)
	appendCall(t, s, 2)
	try(t, os.WriteFile(head, ends, 0o600)) // as if its writer was killed between the line and this
	appendCall(t, s, 2)
	if check, err := s.Journal().Verify(t.Context(), "s"); err != nil || check.Calls != 3 {
		t.Errorf("Verify says %+v, %v", check, err)
	}
	try(t, os.WriteFile(file, before, 0o600))
	var broken *store.BrokenTraceError
	if _, err := s.Journal().Verify(t.Context(), "s"); !errors.As(err, &broken) || broken.Line != 3 {
		t.Errorf("without that call Verify says %v, want line 3", err)
	}
}

func TestNothingIsAddedToATraceThatWasCutOff(t *testing.T) {
	t.Parallel()
	s, root := traceOf(t, 3)
	if err := os.Truncate(filepath.Join(root, "traces", "s.jsonl"), 10); err != nil {
		t.Fatal(err)
	}
	_, err := s.Journal().Append(t.Context(), store.JournalCall{Session: "s", ID: "x", Tool: "click", Outcome: store.CallDone, Started: time.Now()})
	var broken *store.BrokenTraceError
	if !errors.As(err, &broken) || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("Append says %v", err)
	}
}

func TestWhatIsNotThereHasNoKeyInATrace(t *testing.T) {
	t.Parallel()
	c := store.JournalCall{Session: "s", ID: "c", Tool: "snapshot", Outcome: store.CallDone, Started: time.Unix(0, 0)}
	line, _, _, err := driver.Rules.EncodeCall(c, driver.TraceEnd{})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"intent", "arguments", "code", "reason", "run", "url", "evidence"} {
		if strings.Contains(string(line), `"`+key+`"`) {
			t.Errorf("there is a key %q in %s", key, line)
		}
	}
}

func FuzzDecodeCall(f *testing.F) {
	f.Add([]byte(`{"n":1,"id":"a","session":"s","tool":"click","outcome":"done","started":"2026-03-01T12:00:00Z","took_ms":1,"before":"","hash":""}`))
	f.Fuzz(func(_ *testing.T, line []byte) {
		_, _ = driver.Rules.DecodeCall(line)
		_, _ = driver.Rules.CheckCall("s", line, driver.TraceEnd{})
	})
}

func ExampleJournal() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	c := store.JournalCall{Session: "morning", ID: "1", Tool: "click", Outcome: store.CallDone, Started: time.Now()}
	if _, err := s.Journal().Append(ctx, c); err != nil {
		fmt.Println(err)
		return
	}
	check, err := s.Journal().Verify(ctx, "morning")
	fmt.Println(check.Calls, err)
	// Output: 1 <nil>
}

const (
	// How many writers of one trace are killed, and how many traces there are: each look at
	// one reads all of it.
	journalKills   = 24
	tracesSoak     = 12
	fewestOfTheirs = journalKills / 2 // calls: fewer prove nothing
	// A line of this size takes the system several pages, and so a while in which it can be
	// torn; most lines are small, as most calls are.
	maxInLine   = 900 << 10
	largeInEach = 4
)

// traced is the only session of the store that is killed.
const traced = "s"

// journalUntilKilled writes calls down, each numbered by its ID, and prints which are stored.
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
			size = rand.IntN(maxInLine)
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
	calls                int
	torn, unacknowledged bool // the beginning of a line, and a whole one that was not acknowledged
}

// wantWhole wants all that was acknowledged to be there, and at most one call more, and
// the journal to report the same as its file.
func wantWhole(t *testing.T, dir string, acknowledged int) left {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "traces", traced+".jsonl"))
	try(t, err)
	whole := bytes.Count(data, []byte("\n"))
	found := left{calls: whole, torn: len(data) > 0 && data[len(data)-1] != '\n', unacknowledged: whole > acknowledged}
	check, err := open(t, dir).Journal().Verify(t.Context(), traced)
	if err != nil || check.Calls != whole || check.Torn != found.torn {
		t.Fatalf("%d calls were said to be stored, the file has %d lines (torn: %v), and Verify says %+v, %v", acknowledged, whole, found.torn, check, err)
	}
	if whole != acknowledged && whole != acknowledged+1 {
		t.Fatalf("%d calls were said to be stored, and %d are there", acknowledged, whole)
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

// Whenever its writer is killed, a trace is whole up to its last whole line, reports what
// is torn after that, and goes on: also where that happens again and again before a call is
// acknowledged.
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
	last, torn, unacknowledged := 1, 0, 0
	for range journalKills {
		found := wantWhole(t, dir, killedWhile(t, "journal until killed", dir, "traces", last))
		last = found.calls
		if found.torn {
			torn++
		}
		if found.unacknowledged {
			unacknowledged++
		}
	}
	appendCall(t, open(t, dir), last+1)
	if found := wantWhole(t, dir, last+1); found.torn || found.unacknowledged {
		t.Errorf("after the next call it is %+v", found)
	}
	for path := range tree(t, filepath.Join(dir, "traces")) {
		if path != "." && path != "s.jsonl" && path != "s.head.json" {
			t.Errorf("%s is left after the next call", path)
		}
	}
	if last < fewestOfTheirs || unacknowledged == 0 {
		t.Errorf("only %d calls by %d children, of which %d were killed between a call and its acknowledgement: this proves nothing", last, journalKills, unacknowledged)
	}
	t.Logf("%d calls, %d kills: %d left a torn line, %d a call that no one was told is stored", last, journalKills, torn, unacknowledged)
}
