package sealed

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
	"github.com/zalando/go-keyring"
)

// FileEnv names the environment variable that holds the path of a key file.
const FileEnv = "REPRISE_KEY_FILE"

// KeySource is where keys are: File or Keyring.
type KeySource interface {
	// Load returns the keys, or a *NoKeysError.
	Load(ctx context.Context) (*Keys, error)
	// Change stores what change makes of the keys that are there, nil for none. It is on
	// the disk when Change returns, and no one else changes them meanwhile.
	Change(ctx context.Context, change func(*Keys) (*Keys, error)) error
	// String is where it is, for people.
	String() string
}

const (
	keyFilePerm   = 0o600
	keyFolderPerm = 0o700
	othersMay     = 0o077
	maxKeyFile    = 64 << 10
	// How often a key that another process changes is asked for.
	lockPoll = 5 * time.Millisecond
)

// File is a key file, as servers have it. Only its owner may read it. It must not be in
// any of these directories: a store that is copied, or in git, would take the key along.
func File(path string, notIn ...string) (KeySource, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	for _, dir := range notIn {
		if dir != "" && within(resolved(path), resolved(dir)) {
			return nil, &PlaceError{path, errors.New("it would be stored next to what it opens"),
				"name a file outside of " + dir}
		}
	}
	return file(path), nil
}

// resolved follows symbolic links as far as the path exists.
func resolved(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil || filepath.Dir(path) == path {
		return cmp.Or(real, path)
	}
	return filepath.Join(resolved(filepath.Dir(path)), filepath.Base(path))
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

type file string

func (f file) String() string { return string(f) }

func (f file) Load(ctx context.Context) (*Keys, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	data, err := f.read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NoKeysError{Place: string(f)}
	}
	if err != nil {
		return nil, err
	}
	k, err := ParseKeys(data)
	if err != nil {
		return nil, &PlaceError{string(f), err, "take it back from a copy; it was not changed"}
	}
	return k, nil
}

func (f file) read() ([]byte, error) {
	in, err := os.Open(string(f))
	if err != nil {
		return nil, f.fail(err)
	}
	defer in.Close()
	info, err := in.Stat()
	switch {
	case err != nil:
		return nil, f.fail(err)
	case !info.Mode().IsRegular():
		return nil, &PlaceError{string(f), errors.New("it is no plain file"), ""}
	case info.Mode()&othersMay != 0:
		return nil, &PlaceError{string(f), errors.New("other users of this machine may read it"), "chmod 600 it, and think of it as known to them (reprise key rotate)"}
	case info.Size() > maxKeyFile:
		return nil, &PlaceError{string(f), errors.New("it is too large for keys"), ""}
	}
	data, err := io.ReadAll(io.LimitReader(in, maxKeyFile))
	return data, f.fail(err)
}

func (f file) fail(err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &PlaceError{string(f), err, ""}
}

func (f file) Change(ctx context.Context, change func(*Keys) (*Keys, error)) error {
	if err := os.MkdirAll(filepath.Dir(string(f)), keyFolderPerm); err != nil {
		return f.fail(err)
	}
	unlock, err := lock(ctx, string(f)+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	return changed(ctx, f, change, f.write)
}

// write replaces the file whole, and waits for the disk: what is sealed after it must
// never be without its key.
func (f file) write(_ context.Context, text []byte) error {
	if err := renameio.WriteFile(string(f), text, keyFilePerm, renameio.WithStaticPermissions(keyFilePerm)); err != nil {
		return f.fail(err)
	}
	d, err := os.Open(filepath.Dir(string(f)))
	if err != nil {
		return f.fail(err)
	}
	defer d.Close()
	_ = d.Sync() // which some file systems do not have; the file itself is synced
	return nil
}

// changed stores what change makes of the keys of a place.
func changed(ctx context.Context, p KeySource, change func(*Keys) (*Keys, error), write func(context.Context, []byte) error) error {
	now, err := p.Load(ctx)
	if err != nil && !errors.Is(err, ErrNoKeys) {
		return err
	}
	next, err := change(now)
	if err != nil || next == now {
		return err
	}
	text := next.text()
	if now != nil && bytes.Equal(text, now.text()) {
		return nil
	}
	return write(ctx, text)
}

// lock waits until no one else has the lock.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	l := flock.New(path, flock.SetPermissions(keyFilePerm))
	if _, err := l.TryLockContext(ctx, lockPoll); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, &PlaceError{path, err, ""}
	}
	return func() { _ = l.Unlock() }, nil
}

// Under what the keys are in the system's keyring.
const (
	keyringService = "reprise"
	keyringUser    = "keys"
)

// noKeyring is what to do where there is none, as on most servers.
const noKeyring = "where there is no keyring, name a key file with --key FILE or $" + FileEnv

// Keyring is the system's: the Keychain, or what answers as Secret Service on Linux.
func Keyring() KeySource { return keyringPlace{} }

type keyringPlace struct{}

func (keyringPlace) String() string { return "the system's keyring" }

func (p keyringPlace) Load(ctx context.Context) (*Keys, error) {
	text, err := asked(ctx, func() (string, error) { return keyring.Get(keyringService, keyringUser) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil, &NoKeysError{Place: p.String()}
	}
	if err != nil {
		return nil, p.fail(ctx, err)
	}
	k, err := ParseKeys([]byte(text))
	if err != nil {
		return nil, &PlaceError{p.String(), err, "it was not changed"}
	}
	return k, nil
}

// Change holds a lock in the user's cache: a keyring has none.
func (p keyringPlace) Change(ctx context.Context, change func(*Keys) (*Keys, error)) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return p.fail(ctx, err)
	}
	folder := filepath.Join(cache, "reprise")
	if err := os.MkdirAll(folder, keyFolderPerm); err != nil {
		return p.fail(ctx, err)
	}
	unlock, err := lock(ctx, filepath.Join(folder, "keyring.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	return changed(ctx, p, change, func(ctx context.Context, text []byte) error {
		_, err := asked(ctx, func() (string, error) { return "", keyring.Set(keyringService, keyringUser, string(text)) })
		return p.fail(ctx, err)
	})
}

func (p keyringPlace) fail(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return &PlaceError{p.String(), err, noKeyring}
}

// asked asks the keyring, which may ask a person to unlock it, and takes no context.
func asked(ctx context.Context, ask func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		text, err := ask()
		answers <- answer{text, err}
	}()
	select {
	case a := <-answers:
		return a.text, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
