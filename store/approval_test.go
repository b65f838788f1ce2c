package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
	"github.com/go-reprise/reprise/store/storetest"
)

func ask(t testing.TB, s store.Store) store.Approval {
	t.Helper()
	a, err := s.Approvals().Ask(t.Context(), storetest.Question(store.NewRunID()), time.Hour)
	try(t, err)
	return a
}

func approvalFile(dir, id string) string { return filepath.Join(dir, "approvals", id+".json") }

func TestANonceIsInNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	a := ask(t, s)
	nonce, err := s.Approvals().IssueNonce(t.Context(), a.ID, "ada")
	try(t, err)
	_, err = s.Approvals().Answer(t.Context(), a.ID, nonce, true)
	try(t, err)
	hashes := 0
	for path, mode := range tree(t, dir) {
		if strings.HasPrefix(mode, "d") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		try(t, err)
		if strings.Contains(string(data), nonce) {
			t.Errorf("%s holds the nonce:\n%s", path, data)
		}
		hashes += strings.Count(string(data), driver.Rules.NonceHash(nonce))
	}
	if hashes != 1 {
		t.Errorf("its hash is in the files %d times, so they were not looked through", hashes)
	}
}

// answersEach is how many questions two processes answer at the same time.
const answersEach = 30

// answerMany answers what it reads lines of, each an ID and a nonce, and prints which of its
// answers count.
func answerMany(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	lines, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(lines)) {
		id, nonce, _ := strings.Cut(strings.TrimSpace(line), " ")
		_, err := s.Approvals().Answer(ctx, id, nonce, true)
		var ended *store.ApprovalEndedError
		switch {
		case err == nil:
			fmt.Println(id)
		case !errors.As(err, &ended):
			return err
		}
	}
	return s.Close()
}

func TestOfTwoProcessesOneAnswers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	savers := make([]*saver, 2)
	for i := range savers {
		savers[i] = startChild(t, "answer", dir)
	}
	questions, ids := make([]string, 2), []string{}
	for range answersEach {
		a := ask(t, s)
		ids = append(ids, a.ID)
		for i := range questions {
			nonce, err := s.Approvals().IssueNonce(t.Context(), a.ID, fmt.Sprint(i))
			try(t, err)
			questions[i] += a.ID + " " + nonce + "\n"
		}
	}
	for i, c := range savers {
		_, err := io.WriteString(c.in, questions[i])
		try(t, err)
	}
	for _, c := range savers {
		try(t, c.in.Close())
	}
	by := map[string]string{}
	for i, c := range savers {
		for c.lines.Scan() {
			if who := by[c.lines.Text()]; who != "" {
				t.Errorf("%s was answered by %s and by %d", c.lines.Text(), who, i)
			}
			by[c.lines.Text()] = fmt.Sprint(i)
		}
		try(t, c.cmd.Wait())
	}
	for _, id := range ids {
		if a, err := s.Approvals().Get(t.Context(), id); err != nil || a.By != by[id] || by[id] == "" {
			t.Errorf("%s was answered by %q, and says %q, %v", id, by[id], a.By, err)
		}
	}
}

// A file that was changed, or that another program has written, is no approval.
func TestAnApprovalThatCannotBeReadIsListedAndIsNoYes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	whole := ask(t, s)
	text, err := os.ReadFile(approvalFile(dir, whole.ID))
	try(t, err)
	for what, change := range map[string][2]string{
		"torn":                  {"\n}", ""},
		"a newer format":        {`"format": 1`, `"format": 99`},
		"of another ID":         {whole.ID, store.NewRunID()},
		"a state of its own":    {`"pending"`, `"sure"`},
		"approved by no one":    {`"pending"`, `"approved"`},
		"without an end":        {`"deadline": "20`, `"deadline": "29`},
		"an address with words": {`/pay"`, `/pay?token=1"`},
		"spent before":          {`"pending"`, `"pending", "spent": "2026-01-01T00:00:00Z"`},
	} {
		spoiled := strings.Replace(string(text), change[0], change[1], 1)
		if spoiled == string(text) {
			t.Fatalf("%s: nothing was changed in\n%s", what, text)
		}
		try(t, os.WriteFile(approvalFile(dir, whole.ID), []byte(spoiled), 0o600))
		var where *store.PathError
		if _, err := s.Approvals().Get(t.Context(), whole.ID); !errors.As(err, &where) {
			t.Errorf("%s: Get gives %v, want a PathError", what, err)
		}
		if _, err := s.Approvals().Redeem(t.Context(), whole.ID, whole.Run); !errors.As(err, &where) {
			t.Errorf("%s: Spend gives %v", what, err)
		}
		unread := 0
		for a, err := range s.Approvals().Pending(t.Context()) {
			if err != nil || a.Err == nil || a.ID != whole.ID {
				t.Errorf("%s: Pending gives %+v, %v", what, a, err)
			}
			unread++
		}
		if unread != 1 {
			t.Errorf("%s: Pending gives %d", what, unread)
		}
		ask(t, s) // which hinders nothing
		for _, a := range pendingOf(t, s) {
			try(t, s.Approvals().Withdraw(t.Context(), a.ID))
		}
	}
}

func pendingOf(t *testing.T, s store.Store) (all []store.Approval) {
	t.Helper()
	for a, err := range s.Approvals().Pending(t.Context()) {
		try(t, err)
		if a.Err == nil {
			all = append(all, a.Approval)
		}
	}
	return all
}

func TestOldQuestionsAreNotReadToFindPendingOnes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	a := ask(t, s)
	old := "00" + a.ID[2:] // of many years ago
	try(t, os.WriteFile(approvalFile(dir, old), []byte("{"), 0o600))
	if diff := cmp.Diff([]store.Approval{a}, pendingOf(t, s)); diff != "" {
		t.Errorf("pending are (-want +got):\n%s", diff)
	}
	for p, err := range s.Approvals().Pending(t.Context()) {
		if err != nil || p.ID == old {
			t.Errorf("Pending gives %+v, %v", p, err)
		}
	}
}

// startChild starts a child that prints that it is ready.
func startChild(t *testing.T, what, dir string) *saver {
	t.Helper()
	c := &saver{cmd: child(t, what, dir)}
	c.cmd.Stderr = os.Stderr
	var err error
	c.in, err = c.cmd.StdinPipe()
	try(t, err)
	out, err := c.cmd.StdoutPipe()
	try(t, err)
	c.lines = bufio.NewScanner(out)
	try(t, c.cmd.Start())
	if !c.lines.Scan() || c.lines.Text() != "ready" {
		t.Fatalf("a child is not ready: %q, %v", c.lines.Text(), c.lines.Err())
	}
	return c
}
