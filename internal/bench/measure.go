package bench

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"time"
)

// run is what one playing of a flow took.
type run struct {
	Wall     time.Duration `json:"wall"`
	CPU      time.Duration `json:"cpu"` // of this process, the site's server included
	Allocs   uint64        `json:"allocs"`
	Messages uint64        `json:"messages"`
	Most     uint64        `json:"most"` // messages in one step
}

// longestRun ends a run that will not end by itself.
const longestRun = 30 * time.Second

// settle is how long the browser may finish what the run before has left it.
const settle = 30 * time.Millisecond

// once plays a flow and has the server judge it.
func (a *arena) once(ctx context.Context, name string, fl flow) (run, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, longestRun, fmt.Errorf("the run took more than %v", longestRun))
	defer cancel()
	c := a.clients[name]
	verdict := fl.done(a.site.Site)
	time.Sleep(settle)
	runtime.GC() // so that no run pays for another one's garbage
	cpu, allocs, messages := cpuTime(), mallocs(), c.messages()
	var most, last uint64 = 0, messages
	started := time.Now()
	err := c.play(ctx, a.site.URL, fl, func() {
		now := c.messages()
		most, last = max(most, now-last), now
	})
	r := run{Wall: time.Since(started), CPU: cpuTime() - cpu, Allocs: mallocs() - allocs, Messages: c.messages() - messages, Most: most}
	if err == nil {
		err = verdict()
	}
	if err != nil {
		return r, fmt.Errorf("%s played %s: %w", name, fl.name, err)
	}
	return r, nil
}

// contest is some clients on one flow.
type contest struct {
	title   string
	flow    flow
	names   []string // the first is what the others are compared with
	runs    map[string][]run
	reprise []string // of names, those that the goals are for
}

// warmUps are played before a contest and not counted.
const warmUps = 3

// play has the clients take turns, so that whatever slows the machine slows all
// of them; each round begins with another one.
func (c *contest) play(ctx context.Context, a *arena, rounds int) error {
	c.runs = map[string][]run{}
	for round := -warmUps; round < rounds; round++ {
		for i := range c.names {
			name := c.names[(i+max(round, 0))%len(c.names)]
			r, err := a.once(ctx, name, c.flow)
			if err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
			if round >= 0 {
				c.runs[name] = append(c.runs[name], r)
			}
		}
	}
	return nil
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
