package browser

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-rod/rod"
	rodcdp "github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"github.com/go-reprise/reprise/internal/cdp"
)

// rodSeam makes rod's browser over the same connection, when it is asked for.
type rodSeam struct {
	mu      sync.Mutex
	browser *rod.Browser
}

func (s *rodSeam) page(client *cdp.Client, id string) (*rod.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.browser == nil {
		b := rodOver(client)
		if err := b.Connect(); err != nil {
			return nil, err
		}
		s.browser = b
	}
	return s.browser.PageFromTarget(proto.TargetTargetID(id))
}

// rodOver is a rod browser that changes nothing by itself and prints nothing:
// what rod takes from its -rod flag is turned off, as its trace prints what is
// typed.
func rodOver(client rod.CDPClient) *rod.Browser {
	return rod.New().Client(client).NoDefaultDevice().ControlURL("").Monitor("").Trace(false)
}

// lostPage is a rod page whose every call returns err.
func lostPage(id string, err error) *rod.Page {
	b := rodOver(&lostClient{err: err})
	if b.Connect() != nil { // what lostClient answers is enough for this
		return nil
	}
	p, failed := b.PageFromTarget(proto.TargetTargetID(id))
	if failed != nil {
		return nil
	}
	return p
}

// lostClient is a connection to a browser that is not there.
type lostClient struct{ err error }

func (c *lostClient) Event() <-chan *rodcdp.Event {
	none := make(chan *rodcdp.Event)
	close(none)
	return none
}

// Call answers what rod asks to make a page, and nothing else.
func (c *lostClient) Call(_ context.Context, _, method string, _ any) ([]byte, error) {
	switch method {
	case "Target.setDiscoverTargets":
		return []byte(`{}`), nil
	case "Target.attachToTarget":
		return []byte(`{"sessionId":"lost"}`), nil
	}
	return nil, fmt.Errorf("%s: %w", method, c.err)
}
