package runs

import (
	"os"
	"time"

	"github.com/go-reprise/reprise/store"
)

// clockSlack is by how much the beginning of one process may be told differently, as
// the clock of its machine is set.
const clockSlack = 2 * time.Second

// Self is this process.
func Self() *store.Process {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	began, _ := look(os.Getpid())
	return &store.Process{PID: os.Getpid(), Host: host, Started: began.UTC()}
}

// Lost reports whether a run ended without a word: its record says that it is
// performed, and whoever performed it has gone. Of other machines nothing is known.
func Lost(r store.Run) bool {
	if r.State != store.Running && r.State != store.WaitingForPerson || r.Process == nil {
		return false
	}
	host, err := os.Hostname()
	if err != nil || r.Process.Host != host || r.Process.PID <= 0 {
		return false
	}
	began, there := look(r.Process.PID)
	if !there {
		return true
	}
	if began.IsZero() || r.Process.Started.IsZero() {
		return false
	}
	return began.Sub(r.Process.Started).Abs() > clockSlack // another has its number now
}
