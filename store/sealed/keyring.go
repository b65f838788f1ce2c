package sealed

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/zalando/go-keyring"
)

// Under what the keys are in the system's keyring.
const (
	keyringService = "reprise"
	keyringUser    = "keys"
)

// noKeyring says what to do where there is none, as on most servers.
const noKeyring = "where there is no keyring, name a key file with --key FILE or $" + FileEnv

// Keyring is the system's: the Keychain, or what answers as Secret Service on Linux.
func Keyring() Place { return keyringPlace{} }

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
