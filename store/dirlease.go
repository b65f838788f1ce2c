package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// leasesDir holds a file for each place, which the process that has its lease keeps
// locked. The system unlocks it when that process ends, however it ends, so that such a
// lease neither runs out nor is lost.
const leasesDir = "leases"

// dirLease is a lease of places in a directory.
type dirLease struct {
	dir   *dir
	files []*flock.Flock
}

// leaseHolder is what stands in the file of a place: who has its lease, for people and for
// the error of others.
type leaseHolder struct {
	Site    string   `json:"site"`
	Account string   `json:"account,omitempty"`
	Run     string   `json:"run"`
	Process *Process `json:"process,omitempty"`
}

// Lease takes the lease of places. In a directory that cannot be written no lease can be
// taken, and none is needed: no commit can be noted there, and so none is sent.
func (d *dir) Lease(ctx context.Context, run string, process *Process, places []Place, _ time.Duration) (Lease, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	l := &dirLease{dir: d}
	folder := filepath.Join(d.root, leasesDir)
	if err := makeDir(folder); err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			return l, nil
		}
		return nil, err
	}
	wanted := slices.Clone(places)
	slices.SortFunc(wanted, func(a, b Place) int { return strings.Compare(a.Site+"\n"+a.Account, b.Site+"\n"+b.Account) })
	for _, p := range slices.Compact(wanted) {
		if err := l.take(folder, run, process, p); err != nil {
			return nil, errors.Join(err, l.Release(ctx))
		}
	}
	return l, nil
}

func (l *dirLease) take(folder, run string, process *Process, p Place) error {
	sum := sha256.Sum256([]byte(p.Site + "\n" + p.Account))
	path := filepath.Join(folder, hex.EncodeToString(sum[:12])+".json")
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW), flock.SetPermissions(filePerm))
	taken, err := lock.TryLock()
	if err != nil {
		return pathError("lock", path, err)
	}
	if !taken {
		var holder leaseHolder
		data, _, _ := readFile(path, maxCommitSize)
		_ = json.Unmarshal(data, &holder) // it is being written, or is another's: the place is taken all the same
		return &HeldError{Place: p, Run: holder.Run, Process: holder.Process}
	}
	l.files = append(l.files, lock)
	data, err := json.Marshal(leaseHolder{p.Site, p.Account, run, process})
	if err != nil {
		return err
	}
	return pathError("save", path, os.WriteFile(path, append(data, '\n'), filePerm)) // in place: the lock is on this very file
}

func (l *dirLease) Renew(ctx context.Context, _ time.Duration) error { return l.dir.ready(ctx) }

func (l *dirLease) Release(context.Context) error {
	var failed error
	for _, lock := range l.files {
		failed = errors.Join(failed, pathError("unlock", lock.Path(), lock.Unlock()))
	}
	l.files = nil
	return failed
}

func (l *dirLease) Store() Store { return l.dir }
