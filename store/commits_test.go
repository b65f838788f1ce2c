package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/store"
)

// What a crash leaves between taking the name and writing the note, or of the note.
func TestATornNoteCountsAsSent(t *testing.T) {
	t.Parallel()
	dir, run := t.TempDir(), store.NewRunID()
	s := open(t, dir)
	try(t, s.Commits().Begin(t.Context(), run, 0))
	whole, err := os.ReadFile(filepath.Join(dir, "runs", run, "commits", "0.json"))
	try(t, err)
	want := map[int]bool{0: false}
	for length := range whole {
		try(t, os.WriteFile(filepath.Join(dir, "runs", run, "commits", strconv.Itoa(length)+".json"), whole[:length], 0o600))
		want[length] = false
	}
	got, err := s.Commits().Committed(t.Context(), run)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Sent gives %v (-want +got):\n%s", err, diff)
	}
	for step := range want {
		if err := s.Commits().Begin(t.Context(), run, step); !errors.Is(err, store.ErrAlreadySent) {
			t.Errorf("Sending of step %d gives %v, want ErrAlreadySent", step, err)
		}
	}
	try(t, s.Commits().Resolve(t.Context(), run, 1, false))
	try(t, s.Commits().Resolve(t.Context(), run, 2, true))
	got, err = s.Commits().Committed(t.Context(), run)
	if _, left := got[1]; left || !got[2] || err != nil {
		t.Errorf("after they were resolved, Sent gives %v, %v", got, err)
	}
}

func TestWhatIsNoNoteIsPassedOver(t *testing.T) {
	t.Parallel()
	dir, run := t.TempDir(), store.NewRunID()
	s := open(t, dir)
	try(t, s.Commits().Begin(t.Context(), run, 4))
	for _, name := range []string{"notes.txt", "x.json", ".4.json123", "4.json~"} {
		try(t, os.WriteFile(filepath.Join(dir, "runs", run, "commits", name), nil, 0o600))
	}
	got, err := s.Commits().Committed(t.Context(), run)
	if diff := cmp.Diff(map[int]bool{4: false}, got); diff != "" || err != nil {
		t.Errorf("Sent gives %v (-want +got):\n%s", err, diff)
	}
}

func TestANoteThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	dir, run := t.TempDir(), store.NewRunID()
	try(t, os.MkdirAll(filepath.Join(dir, "runs", run, "commits", "2.json"), 0o700))
	var where *store.PathError
	if sent, err := open(t, dir).Commits().Committed(t.Context(), run); !errors.As(err, &where) {
		t.Errorf("Sent gives %v, %v, want a PathError", sent, err)
	}
}

// commitsEach is how many steps each of two processes wants to send.
const commitsEach = 60

// sendMany prints which steps of a run this process may send.
func sendMany(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := io.ReadAll(os.Stdin); err != nil { // the other one is ready, too
		return err
	}
	for step := range commitsEach {
		switch err := s.Commits().Begin(ctx, "together", step); {
		case err == nil:
			fmt.Println(step)
		case !errors.Is(err, store.ErrAlreadySent):
			return err
		}
	}
	return s.Close()
}

func TestOfTwoProcessesOneMaySend(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var outs []*bufio.Scanner
	var goes []io.Closer
	for range 2 {
		cmd := child(t, "send", dir)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		try(t, err)
		out, err := cmd.StdoutPipe()
		try(t, err)
		try(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Wait() }) // what went wrong is missed in its output
		outs, goes = append(outs, bufio.NewScanner(out)), append(goes, in)
	}
	for _, out := range outs {
		if !out.Scan() || out.Text() != "ready" {
			t.Fatalf("a child is not ready: %q, %v", out.Text(), out.Err())
		}
	}
	for _, start := range goes {
		try(t, start.Close())
	}
	times := map[int]int{}
	for _, out := range outs {
		for out.Scan() {
			times[number(t, out.Text())]++
		}
	}
	for step := range commitsEach {
		if times[step] != 1 {
			t.Errorf("step %d was sent %d times", step, times[step])
		}
	}
}
