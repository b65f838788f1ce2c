package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

func TestWhatCannotBeReadIsReportedAndHindersNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	save(t, s, storetest.Document(t, "login", ""))
	outside := filepath.Join(t.TempDir(), "outside.json")
	write(t, outside, text(t, storetest.Document(t, "linked", "")))
	bad := map[string]struct {
		make func(path string)
		want error
	}{
		"half.json":   {func(p string) { write(t, p, []byte(`{"format": 1, "name": "ha`)) }, nil},
		"later.json":  {func(p string) { write(t, p, []byte(`{"format": 99}`)) }, automation.ErrFormat},
		"empty.json":  {func(p string) { write(t, p, nil) }, nil},
		"other.json":  {func(p string) { write(t, p, text(t, storetest.Document(t, "mine", ""))) }, store.ErrMisplaced},
		"mine@a.json": {func(p string) { write(t, p, text(t, storetest.Document(t, "mine", "b"))) }, store.ErrMisplaced},
		"mine@%41.json": {
			func(p string) { write(t, p, text(t, storetest.Document(t, "mine", "a"))) }, store.ErrMisplaced,
		},
		"Big.json":     {func(p string) { write(t, p, text(t, storetest.Document(t, "big", ""))) }, store.ErrMisplaced},
		"linked.json":  {func(p string) { try(t, os.Symlink(outside, p)) }, syscall.ELOOP},
		"folder.json":  {func(p string) { try(t, os.Mkdir(p, 0o700)) }, store.ErrNotRegular},
		"pipe.json":    {func(p string) { try(t, syscall.Mkfifo(p, 0o600)) }, store.ErrNotRegular},
		"huge.json":    {func(p string) { write(t, p, nil); try(t, os.Truncate(p, 50<<20)) }, store.ErrTooLarge},
		"unknown.json": {func(p string) { write(t, p, []byte(`{"format":1,"name":"unknown","nme":"x"}`)) }, nil},
	}
	for name, b := range bad {
		b.make(file(dir, name))
	}
	write(t, file(dir, "README.md"), []byte("not an automation"))
	write(t, file(dir, ".hidden.json"), []byte("nor this"))

	listed := map[string]store.Summary{}
	for one, err := range s.Automations().List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		var where *store.PathError
		switch {
		case one.Err == nil:
			listed[one.Name] = one
		case errors.As(one.Err, &where):
			listed[filepath.Base(where.Path)] = one
		default:
			t.Errorf("%v does not say which file it is", one.Err)
		}
	}
	if len(listed) != len(bad)+1 || listed["login"].Steps != 3 {
		t.Errorf("List gives %d, want %d and the good one: %v", len(listed), len(bad), listed)
	}
	for name, b := range bad {
		err := listed[name].Err
		if err == nil || b.want != nil && !errors.Is(err, b.want) {
			t.Errorf("%s: got %v, want %v", name, err, b.want)
		}
	}
	if got, want := listed["mine@a.json"], "a"; got.Name != "mine" || got.Account != want {
		t.Errorf("mine@a.json is listed as %q, %q", got.Name, got.Account)
	}
	if _, err := s.Automations().Match(t.Context(), "https://login.example/", ""); err != nil {
		t.Errorf("Match of the good one: %v", err)
	}
	_, err := s.Automations().Match(t.Context(), "https://half.example/", "")
	var unread *store.DecodeError
	if !errors.As(err, &unread) || len(unread.Unread) != len(bad) {
		t.Errorf("Match of a bad one: %v, want an DecodeError of %d", err, len(bad))
	}
}

func TestWhatCannotBeReadIsNotOverwritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	path := file(dir, "login.json")
	write(t, path, []byte("a day's work, and a slip"))
	var where *store.PathError
	if _, err := s.Automations().Get(t.Context(), "login", ""); !errors.As(err, &where) || where.Path != path {
		t.Errorf("Get: %v, want a PathError of %s", err, path)
	}
	for _, revision := range []int{0, 1} {
		a := storetest.Document(t, "login", "")
		a.Revision = revision
		if _, err := s.Automations().Save(t.Context(), a); !errors.As(err, &where) {
			t.Errorf("Save at %d: %v, want a PathError", revision, err)
		}
		if err := s.Automations().Delete(t.Context(), "login", "", revision); !errors.As(err, &where) {
			t.Errorf("Delete of %d: %v, want a PathError", revision, err)
		}
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "a slip") {
		t.Errorf("the file now holds %q, %v", data, err)
	}
	if err := s.Automations().Delete(t.Context(), "login", "", store.AnyRevision); err != nil {
		t.Errorf("Delete of any revision: %v", err)
	}
	save(t, s, storetest.Document(t, "login", ""))
}

func TestASymbolicLinkIsNotFollowed(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	write(t, outside, []byte("precious"))
	s := open(t, dir)
	run := store.Run{ID: store.NewRunID(), Automation: "login", State: store.Done}
	record := filepath.Join(dir, "runs", run.ID, "run.json")
	for _, target := range []string{outside, filepath.Join(t.TempDir(), "not-there")} {
		path := file(dir, "login.json")
		for _, link := range []string{path, record} {
			try(t, os.MkdirAll(filepath.Dir(link), 0o700))
			try(t, os.Symlink(target, link))
		}
		_, err := s.Automations().Save(t.Context(), storetest.Document(t, "login", ""))
		var where *store.PathError
		if !errors.Is(err, syscall.ELOOP) || !errors.As(err, &where) || where.Path != path || where.Advice == "" {
			t.Errorf("Save: %v, want a PathError of %s that advises", err, path)
		}
		if _, err := s.Runs().Get(t.Context(), run.ID); !errors.Is(err, syscall.ELOOP) {
			t.Errorf("Runs.Get: %v, want that it is a link", err)
		}
		// The record of a run is written by one, so what is there is replaced.
		try(t, s.Runs().Save(t.Context(), run))
		if data, err := os.ReadFile(outside); err != nil || string(data) != "precious" {
			t.Errorf("the file behind the link holds %q, %v", data, err)
		}
		if _, err := os.Lstat(target); target != outside && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file was made behind the link: %v", err)
		}
		if got, err := os.Readlink(path); err != nil || got != target {
			t.Errorf("the automation's link is now %q, %v", got, err)
		}
		try(t, os.Remove(path))
		try(t, os.Remove(record))
	}
}

func TestABrokenRunIsListedWithItsReason(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	good := store.Run{ID: store.NewRunID(), Automation: "login", State: store.Done}
	try(t, s.Runs().Save(t.Context(), good))
	want := map[string]bool{good.ID: true}
	for _, data := range []string{
		"{", `{"format": 2}`, `{}`, `{"format":1,"id":"` + good.ID + `"}`, `{"format":1,"steps":[{"duration":"long"}]}`,
	} {
		id := store.NewRunID()
		want[id] = false
		write(t, filepath.Join(dir, "runs", id, "run.json"), []byte(data))
		if _, err := s.Runs().Get(t.Context(), id); err == nil || errors.Is(err, store.ErrNotFound) {
			t.Errorf("Get of %s: %v", data, err)
		}
	}
	try(t, os.Mkdir(filepath.Join(dir, "runs", store.NewRunID()), 0o700))
	write(t, filepath.Join(dir, "runs", "notes.txt"), nil)
	got := map[string]bool{}
	for r, err := range s.Runs().List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got[r.ID] = r.Err == nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
}

func TestAFileInThePlaceOfADirectoryIsSaidAndKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "automations")
	write(t, path, []byte("precious"))
	s := open(t, dir)
	_, saving := s.Automations().Save(t.Context(), storetest.Document(t, "login", ""))
	_, getting := s.Automations().Get(t.Context(), "login", "")
	_, matching := s.Automations().Match(t.Context(), "https://login.example/", "")
	for what, err := range map[string]error{"Save": saving, "Get": getting, "Match": matching} {
		var where *store.PathError
		if !errors.Is(err, syscall.ENOTDIR) || !errors.As(err, &where) || where.Advice == "" {
			t.Errorf("%s: got %v, want a PathError that is ENOTDIR and advises", what, err)
		}
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "precious" {
		t.Errorf("the file holds %q, %v", data, err)
	}
}

// What an earlier version wrote has no word of drift.
func TestARecordWithoutAProposalIsRead(t *testing.T) {
	t.Parallel()
	dir, id := t.TempDir(), store.NewRunID()
	write(t, filepath.Join(dir, "runs", id, "run.json"), []byte(`{"format": 1, "id": "`+id+`", "automation": "login", "revision": 2, "state": "done",
		"steps": [{"index": 0, "tool": "click", "outcome": "done", "selector": "#go", "duration": "2ms"}]}`))
	want := store.Run{
		ID: id, Automation: "login", Revision: 2, State: store.Done,
		Steps: []store.RunStep{{Tool: "click", Outcome: store.StepDone, Selector: "#go", Duration: 2 * time.Millisecond}},
	}
	got, err := open(t, dir).Runs().Get(t.Context(), id)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Get gives %v (-want +got):\n%s", err, diff)
	}
}
