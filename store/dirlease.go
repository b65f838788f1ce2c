package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/store/internal/files"
)

// dirLease is a lease of places in a directory: a file for each, which its process has
// locked. Such a lease ends with the process, and neither runs out nor is lost.
type dirLease struct {
	dir    *dir
	claims []*files.Claim
}

// leaseHolder is what stands in the file of a place, for people and for the error of others.
type leaseHolder struct {
	Site    string   `json:"site"`
	Account string   `json:"account,omitempty"`
	Run     string   `json:"run"`
	Process *Process `json:"process,omitempty"`
}

// Lease takes the lease of places. In a directory that cannot be written there are no
// leases, and none are needed: no commit step can be noted there, and so none is sent.
func (d *dir) Lease(ctx context.Context, run string, process *Process, places []Place, _ time.Duration) (Lease, error) {
	wanted := slices.Clone(places)
	slices.SortFunc(wanted, func(a, b Place) int { return strings.Compare(a.key(), b.key()) })
	l := &dirLease{dir: d}
	for _, p := range slices.Compact(wanted) {
		data, err := json.Marshal(leaseHolder{p.Site, p.Account, run, process})
		if err != nil {
			return nil, errors.Join(err, l.Release(ctx))
		}
		sum := sha256.Sum256([]byte(p.key()))
		claim, other, err := d.Claim(ctx, leasesDir+"/"+hex.EncodeToString(sum[:12])+".json", append(data, '\n'))
		if errors.Is(err, files.ErrClaimed) {
			var holder leaseHolder
			_ = json.Unmarshal(other, &holder) // where it cannot be read, no one is named
			err = &HeldError{Place: p, Run: holder.Run, Process: holder.Process}
		}
		if err != nil {
			return nil, errors.Join(err, l.Release(ctx))
		}
		l.claims = append(l.claims, claim)
	}
	return l, nil
}

func (p Place) key() string { return p.Site + "\n" + p.Account }

func (l *dirLease) Renew(ctx context.Context, _ time.Duration) error { return l.dir.Ready(ctx) }

func (l *dirLease) Release(context.Context) error {
	var failed error
	for _, claim := range l.claims {
		failed = errors.Join(failed, claim.Release())
	}
	l.claims = nil
	return failed
}

func (l *dirLease) Store() Store { return l.dir }
