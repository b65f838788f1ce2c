package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

func TestADirectoryWithoutPermissionIsReadAndNotWritten(t *testing.T) {
	t.Parallel()
	asAnyone(t)
	dir := t.TempDir()
	before := save(t, open(t, dir), storetest.Document(t, "login", ""))
	files := tree(t, dir)
	for what, closed := range map[string][]string{
		"all of it":       {".", "automations", ".lock"},
		"the automations": {"automations"},
	} {
		for _, path := range closed {
			protect(t, filepath.Join(dir, path))
		}
		s := open(t, dir)
		if all := list(t, s); len(all) != 1 {
			t.Errorf("%s: List gives %v", what, all)
		}
		get(t, s, "login", "")
		if _, err := s.Automations().Match(t.Context(), "https://login.example/", ""); err != nil {
			t.Errorf("%s: Match: %v", what, err)
		}
		_, err := s.Automations().Save(t.Context(), before)
		wantDenied(t, what+": Save", err)
		wantDenied(t, what+": Delete", s.Automations().Delete(t.Context(), "login", "", 1))
		wantUnchanged(t, dir, before, files)
	}
}

func TestADirectoryThatCannotBeMadeSaysSo(t *testing.T) {
	t.Parallel()
	asAnyone(t)
	above := t.TempDir()
	protect(t, above)
	s := open(t, filepath.Join(above, "data"))
	_, err := s.Automations().Save(t.Context(), storetest.Document(t, "login", ""))
	wantDenied(t, "Save", err)
}

func TestAFileWithoutPermissionIsReportedUntilItHasIt(t *testing.T) {
	t.Parallel()
	asAnyone(t)
	dir := t.TempDir()
	s := open(t, dir)
	save(t, s, storetest.Document(t, "login", ""))
	path := file(dir, "login.json")
	lastYear := time.Now().AddDate(-1, 0, 0)
	try(t, os.Chtimes(path, lastYear, lastYear))
	const url = "https://login.example/"
	if _, err := s.Automations().Match(t.Context(), url, ""); err != nil {
		t.Fatal(err)
	}
	try(t, os.Chmod(path, 0))
	_, err := s.Automations().Match(t.Context(), url, "")
	var unread *store.DecodeError
	if !errors.As(err, &unread) || !errors.Is(unread.Unread[0].Err, fs.ErrPermission) {
		t.Errorf("Match: %v, want an DecodeError for the permission", err)
	}
	wantDenied(t, "List", list(t, s)["login@"].Err)
	_, err = s.Automations().Get(t.Context(), "login", "")
	wantDenied(t, "Get", err)
	try(t, os.Chmod(path, 0o600))
	if err := list(t, s)["login@"].Err; err != nil {
		t.Errorf("List still gives %v", err)
	}
}

func wantDenied(t *testing.T, what string, err error) {
	t.Helper()
	var where *store.PathError
	if !errors.Is(err, fs.ErrPermission) || !errors.As(err, &where) || where.Advice == "" {
		t.Errorf("%s: got %v, want a PathError that is fs.ErrPermission and advises", what, err)
	}
}

func protect(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	try(t, err)
	try(t, os.Chmod(path, info.Mode().Perm()&0o500))
	t.Cleanup(func() { os.Chmod(path, info.Mode().Perm()) })
}
