package store_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/store"
)

const (
	prunedRuns = 200
	// Each child is killed after up to so many records, within the next.
	maxPrunedBeforeKill = 40
	maxTimeOfPrune      = time.Millisecond
)

// pruneUntilKilled prunes everything that has ended.
func pruneUntilKilled(dir string) error {
	s, err := store.Open(context.Background(), dir)
	if err != nil {
		return err
	}
	n := 0
	for _, err := range s.Prune(context.Background(), store.PruneOptions{Before: time.Now()}) {
		if err != nil {
			return err
		}
		n++
		fmt.Println(n)
	}
	return nil
}

// killPrune starts a child that prunes, and kills it at a random moment. It reports whether
// that was before the child had ended.
func killPrune(t *testing.T, dir string) bool {
	t.Helper()
	cmd := child(t, "prune until killed", dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	try(t, err)
	try(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for n := rand.IntN(maxPrunedBeforeKill); n > 0 && lines.Scan(); n-- {
	}
	// The moment is the point of the test: it waits for nothing.
	<-time.After(rand.N(maxTimeOfPrune))
	killed := cmd.Process.Kill()
	for lines.Scan() {
	}
	return cmd.Wait() != nil && killed == nil
}

// endedRun stores a run that ended an hour ago, with three downloads.
func endedRun(t *testing.T, s store.Store, dir string, state store.RunState) string {
	t.Helper()
	r := store.Run{ID: store.NewRunID(), Automation: "login", State: state, Started: time.Now().Add(-2 * time.Hour), Finished: time.Now().Add(-time.Hour)}
	try(t, s.Runs().Save(t.Context(), r))
	for i := range 3 {
		write(t, filepath.Join(dir, "runs", r.ID, "downloads", fmt.Sprint(i)), []byte("a download"))
	}
	return r.ID
}

func TestAKilledPruneLeavesEachRecordWholeOrGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	var sent, all []string
	for i := range prunedRuns {
		run := endedRun(t, s, dir, []store.RunState{store.Done, store.Failed}[i%2])
		if all = append(all, run); i%2 == 1 {
			try(t, s.Commits().Begin(t.Context(), run, 3))
			try(t, s.Commits().Resolve(t.Context(), run, 3, true))
			sent = append(sent, run)
		}
		h, err := s.Handoffs().Start(t.Context(), store.Handoff{Run: run, Step: -1, Reason: "manual_recovery"}, time.Hour)
		try(t, err)
		_, err = s.Handoffs().End(t.Context(), h.ID, store.HandoffFinished, nil)
		try(t, err)
	}
	kills := 0
	for ; killPrune(t, dir); kills++ {
		wantWholeRuns(t, dir, all)
	}
	if kills < prunedRuns/maxPrunedBeforeKill {
		t.Errorf("only %d prunes were killed", kills)
	}
	for p, err := range open(t, dir).Prune(t.Context(), store.PruneOptions{Before: time.Now()}) {
		if err != nil || p.Left != "" {
			t.Fatal(p, err)
		}
	}
	if left := wantWholeRuns(t, dir, all); left > 0 {
		t.Errorf("%d runs are left", left)
	}
	for path := range tree(t, dir) {
		if strings.Contains(path, ".pruned-") || strings.HasPrefix(path, "handoffs/") || strings.Contains(path, "downloads") {
			t.Errorf("it left %s", path)
		}
	}
	for _, run := range sent {
		if err := open(t, dir).Commits().Begin(t.Context(), run, 3); !errors.Is(err, store.ErrAlreadySent) {
			t.Errorf("sending a step of %s again: %v", run, err)
		}
	}
}

// wantWholeRuns wants each run that has a record to have all its files, and returns how many have one.
func wantWholeRuns(t *testing.T, dir string, runs []string) (whole int) {
	t.Helper()
	for _, run := range runs {
		_, err := open(t, dir).Runs().Get(t.Context(), run)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		try(t, err)
		whole++
		downloads, err := os.ReadDir(filepath.Join(dir, "runs", run, "downloads"))
		if err != nil || len(downloads) != 3 {
			t.Fatalf("run %s has a record and %d downloads: %v", run, len(downloads), err)
		}
	}
	for h, err := range open(t, dir).Handoffs().List(t.Context()) {
		try(t, errors.Join(err, h.Err))
	}
	return whole
}

func TestFilesThatCannotBeRemovedAreReportedUntilTheyAre(t *testing.T) {
	t.Parallel()
	asAnyone(t)
	dir := t.TempDir()
	s := open(t, dir)
	closed, other := endedRun(t, s, dir, store.Done), endedRun(t, s, dir, store.Done)
	downloads := filepath.Join(dir, "runs", closed, "downloads")
	try(t, os.Chmod(downloads, 0o500))
	prune := func() (left, gone []string) {
		for p, err := range s.Prune(t.Context(), store.PruneOptions{Before: time.Now()}) {
			try(t, err)
			if gone = append(gone, p.ID); p.Left != "" {
				left = append(left, p.ID)
			}
		}
		return left, gone
	}
	if left, gone := prune(); len(gone) != 2 || len(left) != 1 || left[0] != closed {
		t.Errorf("of %s and %s, %v are gone, and of %v files are left", closed, other, gone, left)
	}
	if left, _ := prune(); len(left) != 1 || left[0] != closed {
		t.Errorf("the second time it left %v", left)
	}
	try(t, os.Chmod(filepath.Join(dir, "runs", ".pruned-"+closed, "downloads"), 0o700))
	if left, _ := prune(); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
	if rest, err := os.ReadDir(filepath.Join(dir, "runs")); err != nil || len(rest) > 0 {
		t.Errorf("%v is left: %v", rest, err)
	}
}

func TestAnIndexEntryThatDoesNotParseIsReadFromItsFile(t *testing.T) {
	t.Parallel()
	dir, _ := indexedDir(t)
	data, err := os.ReadFile(indexOf(dir))
	try(t, err)
	damaged := bytes.ReplaceAll(data, []byte("*.shop.example/*"), []byte("*.shop.ex mple/*"))
	if bytes.Equal(damaged, data) {
		t.Fatal("the index file has no such address")
	}
	head := bytes.IndexByte(data, '\n') + 1
	binary.LittleEndian.PutUint32(damaged[head:], crc32.Checksum(damaged[head+4:], crc32.MakeTable(crc32.Castagnoli)))
	want := matched(t, open(t, dir), "https://x.shop.example/x", "ada")
	write(t, indexOf(dir), damaged)
	if got := matched(t, open(t, dir), "https://x.shop.example/x", "ada"); got != want {
		t.Errorf("it matches %s, want %s", got, want)
	}
}
