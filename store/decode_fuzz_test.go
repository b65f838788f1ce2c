package store

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/store/internal/files"
)

func FuzzDecodeApproval(f *testing.F) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := storedApproval{
		ID: NewRunID(), ApprovalRequest: ApprovalRequest{Run: "run", Tool: "click", Label: "Pay", Origin: "https://shop.example", URL: "https://shop.example/pay"},
		Asked: now, Deadline: now.Add(time.Hour), State: ApprovalPending, Offers: []offer{{hashOf([]byte("n")), "ada"}},
	}
	for _, state := range []ApprovalState{ApprovalPending, ApprovalApproved} {
		if s.State = state; state == ApprovalApproved {
			s.Answered, s.Spent, s.By = now, now, "ada"
		}
		data, err := encodeApproval(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decodeApproval(data)
		if err != nil {
			return
		}
		a := s.at(now)
		if a.Validate() != nil || !idPattern.MatchString(a.ID) || a.Deadline.Sub(a.Asked) > MaxApproval || a.State == ApprovalPending && !now.Before(a.Deadline) {
			t.Errorf("it is read as %+v", a)
		}
		if whyNotApproved(a, a.Run, now) == nil && (s.State != ApprovalApproved || s.Answered.IsZero() || !s.Spent.IsZero()) {
			t.Errorf("an approval that is none counts: %+v", s)
		}
		again, err := encodeApproval(s)
		if err != nil || len(again) > maxApprovalSize {
			t.Errorf("it is written with %d bytes, %v", len(again), err)
		}
		if _, err := decodeApproval(again); err != nil {
			t.Errorf("what was read is not read back: %v", err)
		}
	})
}

func FuzzDecodeHandoff(f *testing.F) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	h := Handoff{ID: NewRunID(), Run: "run", Session: "s", Reason: "why", URL: "https://shop.example/", State: HandoffRunning, Started: now, Deadline: now, Before: json.RawMessage(`{"a":[1]}`)}
	for _, state := range []HandoffState{HandoffRunning, HandoffFinished} {
		if h.State = state; state == HandoffFinished {
			h.Ended, h.After = now, json.RawMessage(`{"<b>":1e9}`)
		}
		data, err := encodeHandoff(h)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := decodeHandoff(data)
		if err != nil {
			return
		}
		if h.Validate() != nil || !idPattern.MatchString(h.ID) || isEnd(h.State) == h.Ended.IsZero() || h.Deadline.Sub(h.Started) > MaxHandoff {
			t.Errorf("it is read as %+v", h)
		}
		again, err := encodeHandoff(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeHandoff(again); err != nil {
			t.Errorf("what was read is not read back: %v", err)
		}
	})
}

// Whatever is in the file, an event is put after whole lines, and one follows another.
func FuzzEventsFile(f *testing.F) {
	line, err := encodeEvent(HandoffEvent{Number: 1, ID: "a", At: time.Now(), Kind: "viewed", Data: json.RawMessage(`{"a":1}`)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{})
	f.Add(append(line, '\n'))
	f.Add(append(append(line, '\n'), line[:len(line)/2]...))
	dir, err := files.Open(f.TempDir(), nil, pathError)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(dir.Path("events.jsonl"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		log, err := dir.OpenLog("events.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		last, end, err := lastEvent(log)
		switch {
		case err != nil:
		case end < 0 || end > int64(len(data)) || end > 0 && data[end-1] != '\n' || (end == 0) != (last.Number == 0):
			t.Errorf("the last is %+v, and ends at %d of %d", last, end, len(data))
		case last.Number > 0 && last.validate("") != nil:
			t.Errorf("the last is %+v", last)
		}
	})
}

// A step is shown with the keys that its record has.
func TestAStepHasOneJSON(t *testing.T) {
	t.Parallel()
	inner := RunStep{Index: 1, Tool: "click", Outcome: StepFailed, Selector: "a > b", Duration: 1500 * time.Millisecond, Code: "gone"}
	step := RunStep{Tool: "navigate", Outcome: StepDone, Started: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Steps: []RunStep{inner}}
	const want = `{"index":0,"tool":"navigate","outcome":"done","started":"2026-03-01T12:00:00Z","duration":"0s",` +
		`"steps":[{"index":1,"tool":"click","outcome":"failed","selector":"a > b","duration":"1.5s","code":"gone"}]}`
	got, err := encodePlain(step)
	if err != nil || string(got) != want {
		t.Errorf("it is written as %s, %v, want %s", got, err, want)
	}
	var again RunStep
	if err := json.Unmarshal(got, &again); err != nil || !reflect.DeepEqual(again, step) {
		t.Errorf("it is read as %+v, %v, want %+v", again, err, step)
	}
	if err := json.Unmarshal([]byte(`{"index": 2, "duration": "soon"}`), &again); err == nil || !strings.Contains(err.Error(), "steps[2].duration") {
		t.Errorf("a duration that is none gives %v", err)
	}
}
