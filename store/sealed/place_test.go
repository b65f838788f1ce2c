package sealed

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/zalando/go-keyring"

	"github.com/go-reprise/reprise/store"
)

func wantPlaceError(t *testing.T, what string, err error, says string) {
	t.Helper()
	var failed *PlaceError
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: got %v, want a PlaceError that says %q", what, err, says)
	}
}

func TestAKeyFileIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	info, err := os.Stat(s.key)
	try(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v", info.Mode())
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620} {
		try(t, os.Chmod(s.key, mode))
		_, err = s.Keys(t.Context())
		wantPlaceError(t, mode.String(), err, "chmod 600")
	}
	try(t, os.Chmod(s.key, 0o600))
	if _, err := s.Keys(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAKeyFileIsNotInTheStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	try(t, os.Symlink(dir, link))
	for _, path := range []string{"key", "tasks/key", "tasks/../key"} {
		for _, root := range []string{dir, link} {
			_, err := File(filepath.Join(root, path), dir)
			wantPlaceError(t, path, err, "outside of")
		}
	}
	for _, path := range []string{dir + ".key", filepath.Join(dir, "..key", "..", "..", "key")} {
		if _, err := File(path, dir); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestAKeyFileThatIsNoneIsNotReplaced(t *testing.T) {
	t.Parallel()
	for what, text := range map[string]string{
		"empty": "", "other text": "hello", "only public": "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p\n",
		"torn": "AGE-SECRET-KEY-1GFPYY", "a long line": strings.Repeat("x", 70<<10),
	} {
		path := filepath.Join(t.TempDir(), "key")
		try(t, os.WriteFile(path, []byte(text), 0o600))
		s := New(newScene(t).st, place(t, path))
		_, load := s.Keys(t.Context())
		_, ensure := s.EnsureKeys(t.Context())
		_, fresh := s.NewKeys(t.Context())
		_, rotate := s.Rotate(t.Context(), true, nil)
		for _, err := range []error{load, ensure, fresh, rotate} {
			wantPlaceError(t, what, err, path)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("%s: it was changed", what)
		}
	}
}

func TestManyWhoBeginAtOnceMakeOneKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "key")
	st := newScene(t).st
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		made  int
	)
	for range 8 {
		group.Go(func() {
			s := New(st, place(t, path))
			ours, err := s.EnsureKeys(t.Context())
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if ours {
				made++
			}
		})
	}
	group.Wait()
	if made != 1 {
		t.Errorf("%d keys were made", made)
	}
}

func TestAKeyThatCannotBeChangedStillSeals(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	readOnly := New(s.st, readOnlyPlace{place(t, s.key)})
	values, err := ParseTask([]byte(taskData), nil)
	try(t, err)
	try(t, readOnly.PutTask(t.Context(), Task{ID: "order", Values: values}))
	if _, err := readOnly.Rotate(t.Context(), false, nil); !errors.Is(err, os.ErrPermission) {
		t.Errorf("rotating it: %v", err)
	}
}

// readOnlyPlace is what a key in a folder that is mounted read-only is: root, as whom
// these tests may run, is refused by no permission.
type readOnlyPlace struct{ KeySource }

func (readOnlyPlace) Change(context.Context, func(*Keys) (*Keys, error)) error {
	return &PlaceError{"there", os.ErrPermission, ""}
}

// The keyring is one for the whole process, so these run one after another.
func TestKeysAreInTheKeyring(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	keyring.MockInit()
	st, err := store.Open(t.Context(), t.TempDir())
	try(t, err)
	defer st.Close()
	s := &scene{SecretStore: New(st, Keyring()), st: st}
	if _, err := s.Keys(t.Context()); !errors.Is(err, ErrNoKeys) {
		t.Errorf("an empty keyring gives %v", err)
	}
	for _, want := range []bool{true, false} {
		if made, err := s.EnsureKeys(t.Context()); made != want || err != nil {
			t.Errorf("a key was made: %v, %v", made, err)
		}
	}
	s.fill(t)
	_, err = s.Rotate(t.Context(), true, nil)
	try(t, err)
	if n := openable(t, s.SecretStore); n != things {
		t.Errorf("%d of %d open", n, things)
	}
	try(t, keyring.Set(keyringService, keyringUser, "garbage"))
	_, err = s.Keys(t.Context())
	wantPlaceError(t, "garbage", err, "not changed")

	keyring.MockInitWithError(errors.New("no bus"))
	_, load := s.Keys(t.Context())
	_, ensure := s.EnsureKeys(t.Context())
	for _, err := range []error{load, ensure} {
		wantPlaceError(t, "a machine without a keyring", err, "--key FILE")
	}
}
