package providers

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-reprise/reprise/browser"
)

// local launches browsers on this machine. They end with this process, so that Attach and List
// know those that this provider has opened.
type local struct {
	mu       sync.Mutex
	sessions map[string]*browser.Session
}

func (l *local) Name() string { return LocalName }

func (l *local) Capabilities() browser.Capabilities { return browser.Capabilities{} }

func (l *local) Open(ctx context.Context, o *browser.SessionOptions) (*browser.Session, error) {
	if o == nil {
		o = &browser.SessionOptions{}
	}
	if err := check(l, o); err != nil {
		return nil, err
	}
	b, err := browser.Launch(ctx, o.Browser)
	if err != nil {
		return nil, err
	}
	s := &browser.Session{
		SessionInfo: browser.SessionInfo{Provider: LocalName, ID: strings.ToLower(rand.Text()), Created: time.Now()},
		Browser:     b,
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sessions[s.ID] = s
	return s, nil
}

func (l *local) Attach(_ context.Context, id string) (*browser.Session, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.sessions[id]; s != nil && s.Browser.Err() == nil {
		return s, nil
	}
	return nil, &browser.ProviderError{Provider: LocalName, Op: "attaching to a session", Code: browser.ProviderNotFound}
}

func (l *local) List(context.Context) ([]browser.SessionInfo, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	running := []browser.SessionInfo{}
	for id, s := range l.sessions {
		if s.Browser.Err() != nil { // it was closed, or has crashed
			delete(l.sessions, id)
			continue
		}
		running = append(running, s.SessionInfo)
	}
	slices.SortFunc(running, older)
	return running, nil
}

func (l *local) Close(_ context.Context, id string) error {
	l.mu.Lock()
	s := l.sessions[id]
	delete(l.sessions, id)
	l.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.Browser.Close()
}

// older orders sessions by when they were opened.
func older(a, b browser.SessionInfo) int { return a.Created.Compare(b.Created) }
