package store_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

// indexed is how many documents have an index file stored.
const indexed = 300

// indexedDir returns a directory of documents that changed long ago, for hosts that overlap,
// and its scopes. It was listed once, so that it has an index file.
func indexedDir(t *testing.T) (dir string, scopes map[string]automation.Scope) {
	t.Helper()
	dir, scopes = t.TempDir(), map[string]automation.Scope{}
	for i := range indexed {
		urls := []string{fmt.Sprintf("%s.example/%s", []string{"shop", "*.shop", "a.shop", "**.shop"}[i%4], []string{"*", "a/*", "a/b", fmt.Sprint("c", i)}[i/4%4])}
		a := storetest.Document(t, fmt.Sprintf("login-%d", i), []string{"", "ada", "eve"}[i%3], urls...)
		put(t, dir, a)
		scopes[a.Name] = a.Match
	}
	list(t, open(t, dir))
	if _, err := os.Stat(indexOf(dir)); err != nil {
		t.Fatal("no index is stored:", err)
	}
	return dir, scopes
}

func indexOf(dir string) string { return filepath.Join(dir, ".index", "automations.index") }

// put writes a document by hand, long ago.
func put(t *testing.T, dir string, a *automation.Automation) {
	t.Helper()
	name := a.Name
	if a.Match.Account != "" {
		name += "@" + a.Match.Account
	}
	write(t, file(dir, name+".json"), text(t, a))
	lastYear := time.Now().AddDate(-1, 0, 0)
	try(t, os.Chtimes(file(dir, name+".json"), lastYear, lastYear))
}

// matched returns what a store matches, or why it does not.
func matched(t *testing.T, s store.Store, url, account string) string {
	t.Helper()
	a, err := s.Automations().Match(t.Context(), url, account)
	if err != nil {
		return err.Error()
	}
	return a.Name + "@" + a.Match.Account
}

func TestAnIndexFileMatchesAsTheIndexDoes(t *testing.T) {
	t.Parallel()
	dir, scopes := indexedDir(t)
	want := automation.NewIndex()
	for name, scope := range scopes {
		try(t, want.Add(&automation.Automation{Name: name, Match: scope}))
	}
	for range 150 {
		url := fmt.Sprintf("https://%s.example/%s", []string{"shop", "a.shop", "b.shop", "x"}[rand.IntN(4)], []string{"", "a/b", "a/c", fmt.Sprint("c", rand.IntN(indexed))}[rand.IntN(4)])
		account := []string{"", "ada", "eve", "bob"}[rand.IntN(4)]
		wanted := ""
		if a, err := want.Match(url, account); err != nil {
			wanted = err.Error()
		} else {
			wanted = a.Name + "@" + a.Match.Account
		}
		if got := matched(t, open(t, dir), url, account); got != wanted {
			t.Fatalf("%s for %q: %s, want %s", url, account, got, wanted)
		}
	}
}

func TestAnIndexFileSparesReading(t *testing.T) {
	t.Parallel()
	dir, _ := indexedDir(t)
	path := file(dir, "login-0.json")
	before, err := os.ReadFile(path)
	try(t, err)
	lastYear := mtime(t, path)
	hidden := make([]byte, len(before)) // of the same size and time: only a read shows it
	try(t, os.WriteFile(path, hidden, 0o600))
	try(t, os.Chtimes(path, lastYear, lastYear))
	for name, s := range list(t, open(t, dir)) {
		if s.Err != nil {
			t.Errorf("%s was read", name)
		}
	}
}

func mtime(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Stat(path)
	try(t, err)
	return info.ModTime()
}

func TestChangesAreSeenInSpiteOfAnIndexFile(t *testing.T) {
	t.Parallel()
	dir, _ := indexedDir(t)
	a := storetest.Document(t, "login-0", "", "moved.example/*")
	write(t, file(dir, "login-0.json"), text(t, a)) // in place: the directory stays as it was
	if got := matched(t, open(t, dir), "https://moved.example/", ""); got != "login-0@" {
		t.Errorf("what was changed in place: %s", got)
	}
	put(t, dir, storetest.Document(t, "new", "", "new.example/*"))
	if got := matched(t, open(t, dir), "https://new.example/", ""); got != "new@" {
		t.Errorf("what was added: %s", got)
	}
	try(t, os.Remove(file(dir, "new.json")))
	if _, is := list(t, open(t, dir))["new@"]; is {
		t.Error("what was removed is listed")
	}
}

// The stored index is of another directory: all names are right, and no file is the same.
func TestAnIndexFileThatWasCopiedIsNotUsed(t *testing.T) {
	t.Parallel()
	dir, _ := indexedDir(t)
	other := t.TempDir()
	for i := range indexed {
		put(t, other, storetest.Document(t, fmt.Sprintf("login-%d", i), "", fmt.Sprintf("other%d.example/*", i)))
	}
	data, err := os.ReadFile(indexOf(dir))
	try(t, err)
	try(t, os.MkdirAll(filepath.Dir(indexOf(other)), 0o700))
	write(t, indexOf(other), data)
	if got := matched(t, open(t, other), "https://other6.example/", ""); got != "login-6@" {
		t.Errorf("it matches %s", got)
	}
}

func TestADamagedIndexFileIsMadeAgain(t *testing.T) {
	t.Parallel()
	dir, _ := indexedDir(t)
	whole, err := os.ReadFile(indexOf(dir))
	try(t, err)
	want := list(t, open(t, dir))
	for range 20 {
		damaged := append([]byte(nil), whole...)
		switch rand.IntN(3) {
		case 0:
			damaged = damaged[:rand.IntN(len(damaged))]
		case 1:
			damaged[rand.IntN(len(damaged))] ^= 1 << rand.IntN(8)
		case 2:
			damaged = append(damaged, damaged[rand.IntN(len(damaged)):]...)
		}
		write(t, indexOf(dir), damaged)
		if diff := cmp.Diff(want, list(t, open(t, dir))); diff != "" {
			t.Fatalf("with a damaged index (-want +got):\n%s", diff)
		}
	}
}

func TestGitIgnoresTheIndexFile(t *testing.T) {
	t.Parallel()
	dir, _ := indexedDir(t)
	git(t, dir, "init", "-q")
	git(t, dir, "add", "-A")
	if got := git(t, dir, "ls-files", ".index"); got != "" {
		t.Errorf("git has %s", got)
	}
}

func TestAListReadsAsFarAsItIsLookedAt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const documents = 100
	for i := range documents {
		put(t, dir, storetest.Document(t, fmt.Sprintf("login-%02d", i), ""))
	}
	next, stop := iter.Pull2(open(t, dir).Automations().List(t.Context()))
	defer stop()
	if first, err, _ := next(); err != nil || first.Name != "login-00" {
		t.Fatal(first, err)
	}
	changed := storetest.Document(t, "login-99", "")
	changed.Description = "changed meanwhile"
	put(t, dir, changed)
	var last store.Summary
	for s, err, more := next(); more; s, err, more = next() {
		try(t, err)
		last = s
	}
	if last.Name != changed.Name || last.Description != changed.Description {
		t.Errorf("the last one was read before the first was listed: %+v", last)
	}
}

// The bytes of the names of files have another order: - is before . and @, and % before letters.
func TestAListIsInTheOrderOfNamesAndAccounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := []string{"a@", "a@ada", "a@bob", "a@é", "a-b@", "a-b@ada", "a0@", "ab@"}
	for _, key := range []string{"ab@", "a@é", "a-b@ada", "a0@", "a@bob", "a-b@", "a@", "a@ada"} {
		name, account, _ := strings.Cut(key, "@")
		save(t, open(t, dir), storetest.Document(t, name, account))
	}
	var got []string
	for s, err := range open(t, dir).Automations().List(t.Context()) {
		try(t, err)
		got = append(got, s.Name+"@"+s.Account)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
