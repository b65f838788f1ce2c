package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"
)

// childVariable is set where this program is one client only.
const childVariable = "REPRISE_BENCH_CLIENT"

// isChild reports whether this process was started to be one client.
func isChild() bool { return os.Getenv(childVariable) != "" }

// request is a line that a client is sent after its engagement. Pages are how many
// play at once, each in a page of its own; 0 is the one that stays open.
type request struct {
	Play  string `json:"play"`
	Pages int    `json:"pages,omitempty"`
}

// report is the line that it answers with.
type report struct {
	Error    string        `json:"error,omitempty"`
	Wall     time.Duration `json:"wall"`
	CPU      time.Duration `json:"cpu"`
	Allocs   uint64        `json:"allocs"`
	Messages uint64        `json:"messages"`
	Most     uint64        `json:"most"`           // messages in one step
	Heap     uint64        `json:"heap,omitempty"` // bytes in use while all pages are open
}

// serveChild is one client: it reads its engagement, then requests, one a line, and
// answers each with a report. It ends with its input.
func serveChild(ctx context.Context, in io.Reader, out io.Writer) error {
	orders, answers := json.NewDecoder(in), json.NewEncoder(out)
	var e engagement
	if err := orders.Decode(&e); err != nil {
		return fmt.Errorf("reading the engagement: %w", err)
	}
	c, err := newClient(ctx, e)
	if err != nil {
		return answers.Encode(report{Error: err.Error()})
	}
	defer func() { _ = c.close() }() // the process ends with it
	if err := answers.Encode(report{}); err != nil {
		return err
	}
	for {
		var r request
		if err := orders.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(serve(ctx, c, e, r)); err != nil {
			return err
		}
	}
}

// serve plays once.
func serve(ctx context.Context, c client, e engagement, r request) report {
	s, err := e.script(r.Play)
	if err != nil {
		return report{Error: err.Error()}
	}
	if r.Pages > 0 {
		return serveMany(ctx, e, s, r.Pages)
	}
	runtime.GC() // so that no run pays for another one's garbage
	cpu, allocs, messages := cpuTime(), mallocs(), c.messages()
	var most, last uint64 = 0, messages
	started := time.Now()
	err = c.play(ctx, e.Site, s, func() {
		now := c.messages()
		most, last = max(most, now-last), now
	})
	done := report{Wall: time.Since(started), CPU: cpuTime() - cpu, Allocs: mallocs() - allocs, Messages: c.messages() - messages, Most: most}
	if err != nil {
		done.Error = err.Error()
	}
	return done
}

func (e engagement) script(name string) (script, error) {
	for _, s := range e.Scripts {
		if s.Name == name {
			return s, nil
		}
	}
	return script{}, fmt.Errorf("there is no script %q", name)
}

func cpuTime() time.Duration {
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
