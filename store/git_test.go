package store_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

// git works in a directory, as no one in particular.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_DIR="+filepath.Join(dir, ".git"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// changedLines returns the files that differ from the last commit, with how many lines came and
// went in each.
func changedLines(t *testing.T, dir string) map[string]int {
	t.Helper()
	all := map[string]int{}
	for line := range strings.Lines(git(t, dir, "diff", "--numstat", "HEAD")) {
		fields := strings.Fields(line)
		added, err := strconv.Atoi(fields[0])
		try(t, err)
		removed, err := strconv.Atoi(fields[1])
		try(t, err)
		all[fields[2]] = added + removed
	}
	return all
}

func commit(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "kept")
}

// Under git a change is as small as what was changed, in the one file that it is about.
func TestAChangeOfAStepIsADiffOfFewLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	s := open(t, dir)
	save(t, s, storetest.Document(t, "other", ""))
	a := storetest.Document(t, "login", "ada")
	for range 20 {
		a.Steps = append(a.Steps, a.Steps[1])
	}
	a = save(t, s, a)
	keepSealed(t, s)
	commit(t, dir)
	if tracked := git(t, dir, "ls-files"); !strings.Contains(tracked, "automations/login@ada.json\n") || !strings.Contains(tracked, "tasks/login.age\n") {
		t.Errorf("what is stored is\n%s", tracked)
	}

	a.Steps[7].Intent = "enter the other address"
	a = save(t, s, a)
	// The line of the intent and that of the revision, each removed and added.
	if got := changedLines(t, dir); len(got) != 1 || got["automations/login@ada.json"] != 4 {
		t.Errorf("a change of one line changes %v", got)
	}
	commit(t, dir)
	for range 3 {
		a = save(t, s, a)
	}
	if got := changedLines(t, dir); got["automations/login@ada.json"] != 2 {
		t.Errorf("saving what is the same changes %v, want the revision alone", got)
	}
	commit(t, dir)
	a.Steps = append(a.Steps[:3:3], append([]automation.Step{{Tool: "keypress", Key: "Enter"}}, a.Steps[3:]...)...)
	save(t, s, a)
	if got := changedLines(t, dir)["automations/login@ada.json"]; got > 8 {
		t.Errorf("a step more changes %d lines", got)
	}
	if text := git(t, dir, "diff", "--stat", "HEAD"); strings.Contains(text, "Bin") {
		t.Errorf("git takes it for a binary file:\n%s", text)
	}
}

func keepSealed(t *testing.T, s store.Store) {
	t.Helper()
	_, err := s.Tasks().Save(t.Context(), storetest.Envelope("login", ""))
	try(t, err)
}
