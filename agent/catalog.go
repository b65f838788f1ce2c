package agent

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// catalog is the automations that are offered as tools, as the store had them when it
// was last asked.
type catalog struct {
	mu     sync.Mutex
	byKey  map[key]*automation.Automation
	tools  map[string]string // of each name of an automation, the name of its tool
	offers map[string]string // of each tool, what it was made of: the revisions
}

// mostOffered is how many documents are offered as tools of their own: more than any
// client shows a model at once. The others are found and run by their names.
const mostOffered = 1000

// key is a document: its name and its account.
type key struct{ name, account string }

// toolOf gives the name of an automation's tool; "" where there is none.
func (c *catalog) toolOf(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tools[name]
}

// watch asks the store again and again, until the server is closed.
func (s *Server) watch() {
	again := time.NewTicker(s.options.Refresh)
	defer again.Stop()
	for {
		select {
		case <-again.C:
			if err := s.refresh(s.ctx); err != nil && s.ctx.Err() == nil {
				s.options.Logger.Warn("the automations could not be read", "error", err)
			}
		case <-s.ctx.Done():
			return
		}
	}
}

// fresh has a client that asks for the tools be told those of now, and one that calls a
// tool that has just come find it.
func (s *Server) fresh(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if call, is := req.GetParams().(*mcp.CallToolParamsRaw); method == "tools/list" || is && !s.offers(call.Name) {
			if err := s.refresh(ctx); err != nil {
				s.options.Logger.WarnContext(ctx, "the automations could not be read", "error", err)
			}
		}
		return next(ctx, method, req)
	}
}

// offers reports whether there is a tool of that name.
func (s *Server) offers(name string) bool {
	if s.fixed[name] != nil {
		return true
	}
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	_, is := s.kept.offers[name]
	return is
}

// refresh asks the store which automations there are, and offers those that have come or
// changed. Clients are told when the list has changed.
func (s *Server) refresh(ctx context.Context) error {
	c := &s.kept
	c.mu.Lock()
	defer c.mu.Unlock()
	now := map[key]*automation.Automation{}
	for summary, err := range s.options.Store.Automations().List(ctx) {
		if err != nil {
			return err
		}
		if len(now) == mostOffered {
			break
		}
		if summary.Err != nil {
			continue // whoever looks at the store is told why
		}
		a, err := s.newest(ctx, summary)
		if err != nil {
			return err
		}
		if a != nil {
			now[key{summary.Name, summary.Account}] = a
		}
	}
	c.byKey = now
	return s.offerAll(now)
}

// newest gives a document, read only where it is another than before; nil where it has
// gone meanwhile, or cannot be read.
func (s *Server) newest(ctx context.Context, summary store.Summary) (*automation.Automation, error) {
	if known := s.kept.byKey[key{summary.Name, summary.Account}]; known != nil && sameAs(known, summary) {
		return known, nil
	}
	a, err := s.options.Store.Automations().Get(ctx, summary.Name, summary.Account)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		s.options.Logger.WarnContext(ctx, "an automation could not be read", "name", summary.Name, "error", err)
		return nil, nil
	}
	return a, nil
}

// sameAs goes by what a list tells: a change by hand may keep the revision.
func sameAs(a *automation.Automation, s store.Summary) bool {
	return a.Revision == s.Revision && a.Description == s.Description && len(a.Steps) == s.Steps && slices.Equal(a.Match.URLs, s.URLs)
}

// offerAll makes the tools what the documents are. The catalog is locked.
func (s *Server) offerAll(now map[key]*automation.Automation) error {
	c := &s.kept
	named := map[string][]*automation.Automation{}
	for _, a := range slices.SortedFunc(maps.Values(now), byName) {
		named[a.Name] = append(named[a.Name], a)
	}
	tools, offers := map[string]string{}, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		made := s.runTool(name, named[name])
		tools[name], offers[made.name] = made.name, signature(named[name])
		if c.offers[made.name] == offers[made.name] {
			continue
		}
		offered, handler, err := s.offer(made)
		if err != nil {
			s.options.Logger.Warn("an automation is not offered as a tool", "name", name, "error", err)
			delete(offers, made.name)
			continue
		}
		s.mcp.AddTool(offered, handler)
	}
	var gone []string
	for tool := range c.offers {
		if _, still := offers[tool]; !still {
			gone = append(gone, tool)
		}
	}
	if len(gone) > 0 {
		s.mcp.RemoveTools(gone...)
	}
	c.tools, c.offers = tools, offers
	return nil
}
