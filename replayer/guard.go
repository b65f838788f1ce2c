package replayer

import (
	"context"
	"slices"
	"sync"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/target"
)

// guard watches what a page sends while something commits, and keeps the browser from
// sending it again. It stays from one commit to the next: to begin anew takes longer.
type guard struct {
	traffic *target.Traffic
	fresh   *target.Fresh // nil in a browser that does not show its internals
	shared  bool          // the traffic is that of the run's hold
}

// mostTraffic is after how many requests a guard is begun anew: what is remembered of
// them has a bound.
const mostTraffic = 1_000

// guarded gives the guard of the call's page.
func (c *call) guarded(ctx context.Context) (*guard, error) {
	r := c.run
	g := r.guards[c.page]
	if g != nil && (g.traffic.Mark() > mostTraffic || g.shared && g.traffic != r.hold.trafficOf(c.page)) {
		g.stop()
		delete(r.guards, c.page)
		g = nil
	}
	if g == nil {
		begun, err := c.begin(ctx)
		if err != nil {
			return nil, err
		}
		g, r.guards[c.page] = begun, begun
	}
	if held, _ := r.hold.first(c.page); held != nil && len(held.Held()) > 0 {
		return g, nil // its navigation may be what waits
	}
	return g, c.page.Loaded(ctx)
}

func (c *call) begin(ctx context.Context) (*guard, error) {
	g := &guard{}
	var err, repeated error
	var both sync.WaitGroup
	both.Go(func() { g.fresh, repeated = c.page.FreshConnections(ctx) })
	if g.traffic = c.run.hold.trafficOf(c.page); g.traffic != nil {
		g.shared = true
	} else {
		g.traffic, err = c.page.WatchTraffic(ctx)
	}
	both.Wait()
	if err != nil {
		g.stop()
		return nil, err
	}
	if repeated != nil {
		c.run.log.WarnContext(ctx, "the browser may repeat a request whose connection breaks", "step", c.index, "error", repeated)
	}
	return g, nil
}

func (g *guard) stop() {
	if g.traffic != nil && !g.shared {
		g.traffic.Stop()
	}
	if g.fresh != nil {
		g.fresh.Stop()
	}
}

// unguard ends the guard of a commit, unless the document says that another follows.
func (r *run) unguard(p *pending) {
	g := r.guards[p.page]
	if g == nil || slices.ContainsFunc(r.automation.Steps[min(p.index+1, len(r.automation.Steps)):], commits) {
		return
	}
	delete(r.guards, p.page)
	g.stop()
}

func commits(step automation.Step) bool { return step.Effect == automation.Commit }
