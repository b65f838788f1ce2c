package runner

import (
	"path/filepath"

	"github.com/go-reprise/reprise/store"
)

// DownloadDir returns the directory in which what a run downloads is saved when no one names
// one: in the store where that is a directory of this machine, else in the user's own, under
// the same names. It is "" where there is neither; then nothing is saved.
func DownloadDir(st store.Store, run string) string {
	if local, ok := st.(interface{ DownloadDir(run string) string }); ok {
		return local.DownloadDir(run)
	}
	dir, err := store.DefaultDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "runs", run, "downloads")
}
