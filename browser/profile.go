package browser

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// A fresh profile is a directory of its own among the temporary files:
//
//	reprise-profile-…/owner     locked by the process that made it
//	                  chrome/   what the browser writes
//
// The system drops the lock when the owner ends, however that happens: a profile
// whose lock is free belongs to a process that was killed, and the next launch
// removes it.
const (
	profilePrefix = "reprise-profile-"
	ownerFile     = "owner"
	chromeDir     = "chrome"
)

// removeTimeout is how long the last of the browser's helpers may go on writing
// into the profile.
const removeTimeout = 10 * time.Second

// unownedAfter is how long after its last change a profile without an owner file is left over: it takes
// milliseconds until a new one has that. A browser whose program was killed may write what it has
// in memory while a sweep removes its profile, and so make it again.
const unownedAfter = 10 * time.Second

// profile is the directory in which a browser keeps its state.
type profile struct {
	dir  string
	temp string       // the directory that is removed, "" when dir is the caller's
	lock *flock.Flock // of temp
}

// newProfile makes a fresh profile, or takes the caller's.
func newProfile(dir string) (*profile, error) {
	if dir == "" {
		sweepProfiles(os.TempDir())
		return freshProfile(os.TempDir())
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("the browser's profile: %w", err)
	}
	p := &profile{dir: dir}
	if err := p.writePreferences(); err != nil {
		return nil, fmt.Errorf("the browser's profile: %w", err)
	}
	return p, nil
}

// preferences turn off what Chrome shows above a page on its own: the bubble that offers to
// save a password has it in clear, and takes presses that are meant for the page, as the lists
// of autofill and the offers to translate and to restore do.
const preferences = `{
	"credentials_enable_service": false,
	"credentials_enable_autosignin": false,
	"profile": {
		"password_manager_enabled": false, "password_manager_leak_detection": false,
		"exit_type": "Normal", "exited_cleanly": true
	},
	"autofill": {"enabled": false, "profile_enabled": false, "credit_card_enabled": false},
	"translate": {"enabled": false},
	"session": {"restore_on_startup": 5},
	"download": {"prompt_for_download": false}
}
`

// writePreferences writes the preferences of a profile that has none yet. Those of a profile
// that a caller uses are the caller's.
func (p *profile) writePreferences() error {
	dir := filepath.Join(p.dir, "Default")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "Preferences"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(preferences)
	return errors.Join(err, f.Close())
}

func freshProfile(parent string) (*profile, error) {
	temp, err := os.MkdirTemp(parent, profilePrefix)
	if err != nil {
		return nil, fmt.Errorf("the browser's profile: %w", err)
	}
	p := &profile{dir: filepath.Join(temp, chromeDir), temp: temp}
	err = os.Mkdir(p.dir, 0o700)
	if err == nil {
		err = p.own()
	}
	if err == nil {
		err = p.writePreferences()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the browser's profile: %w", err), os.RemoveAll(temp))
	}
	return p, nil
}

// own takes the lock before the file has the name that a sweep looks for: no
// sweep ever finds a profile that is not yet locked.
func (p *profile) own() error {
	path := filepath.Join(p.temp, ownerFile)
	p.lock = flock.New(path + ".new")
	if err := p.lock.Lock(); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// sweepProfiles removes the profiles whose owner is no more. What it cannot
// remove now, the next sweep will.
func sweepProfiles(parent string) {
	dirs, err := filepath.Glob(filepath.Join(parent, profilePrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		if isMine(dir) {
			sweep(dir)
		}
	}
}

// isMine reports whether a directory is this user's: others may have made one
// of that name, or a link.
func isMine(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

func sweep(dir string) {
	owner := filepath.Join(dir, ownerFile)
	if _, err := os.Lstat(owner); errors.Is(err, fs.ErrNotExist) {
		if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > unownedAfter {
			_ = os.RemoveAll(dir)
		}
		return
	}
	lock := flock.New(owner, flock.SetFlag(os.O_RDWR)) // never made here
	if free, err := lock.TryLock(); err != nil || !free {
		return
	}
	removeSocket(filepath.Join(dir, chromeDir))
	if os.RemoveAll(filepath.Join(dir, chromeDir)) == nil { // the owner file must go last
		_ = os.RemoveAll(dir)
	}
	_ = lock.Unlock()
}

// remove removes a fresh profile. The browser has ended; what it left behind may
// still write for a moment, so that removing is tried until it succeeds.
func (p *profile) remove() error {
	if p.temp == "" {
		return nil
	}
	removeSocket(p.dir)
	var err error
	soon(removeTimeout, func() bool {
		err = os.RemoveAll(p.dir)
		return err == nil
	})
	if err == nil {
		err = os.RemoveAll(p.temp)
	}
	return errors.Join(err, p.lock.Unlock())
}

// Names that Chrome gives: a link in a profile to a socket in a directory of its
// own, also for temporary files, which a Chrome that was killed leaves there.
const (
	socketName = "SingletonSocket"
	cookieName = "SingletonCookie"
)

// removeSocket removes the directory of a dead browser's socket, if nothing else
// is in it.
func removeSocket(profile string) {
	socket, err := os.Readlink(filepath.Join(profile, socketName))
	if err != nil || filepath.Base(socket) != socketName {
		return
	}
	dir := filepath.Dir(socket)
	_ = os.Remove(socket)
	_ = os.Remove(filepath.Join(dir, cookieName))
	_ = os.Remove(dir)
}
