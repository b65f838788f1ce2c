package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"
)

// DataEnv names the environment variable that holds the data directory.
const DataEnv = "REPRISE_DATA"

// Opener opens a store by its address.
type Opener func(ctx context.Context, url string) (Store, error)

var registry = struct {
	sync.RWMutex
	open map[string]Opener
}{open: map[string]Opener{}}

var schemePattern = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]*)://`)

// Register makes a driver known under a URL scheme. A driver's package calls
// it from init. As in database/sql, it panics when the scheme is taken or open
// is nil: a program in which that happens was put together wrongly.
func Register(scheme string, open Opener) {
	registry.Lock()
	defer registry.Unlock()
	if open == nil {
		panic("store: Register of " + scheme + " without a function")
	}
	if _, taken := registry.open[scheme]; taken {
		panic("store: Register of " + scheme + " twice")
	}
	registry.open[scheme] = open
}

// Open opens a store: "" is the directory that DefaultDir gives, scheme://…
// goes to the driver that is registered for it, and anything else is a
// directory. A directory that does not exist is an empty store, and is made by
// the first call that writes.
func Open(ctx context.Context, url string) (Store, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if m := schemePattern.FindStringSubmatch(url); m != nil {
		return openScheme(ctx, m[1], url)
	}
	if url != "" {
		return openDir(url)
	}
	dir, err := DefaultDir()
	if err != nil {
		return nil, err
	}
	return openDir(dir)
}

func openScheme(ctx context.Context, scheme, url string) (Store, error) {
	registry.RLock()
	open, known := registry.open[scheme], slices.Sorted(maps.Keys(registry.open))
	registry.RUnlock()
	if open == nil {
		return nil, &SchemeError{Scheme: scheme, Known: known}
	}
	return open(ctx, url)
}

// DefaultDir is where a person's data is when they name no place:
// $REPRISE_DATA; else ~/Library/Application Support/reprise on macOS, and
// $XDG_DATA_HOME/reprise or ~/.local/share/reprise elsewhere.
func DefaultDir() (string, error) {
	if dir := os.Getenv(DataEnv); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) && runtime.GOOS != "darwin" {
		return filepath.Join(dir, "reprise"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("store: no data directory: set %s: %w", DataEnv, err)
	}
	if !filepath.IsAbs(home) {
		return "", errors.New("store: no data directory: the home directory is not an absolute path: set " + DataEnv)
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "reprise"), nil
	}
	return filepath.Join(home, ".local", "share", "reprise"), nil
}
