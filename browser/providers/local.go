package providers

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-reprise/reprise/browser"
)

// local starts browsers on this machine. They end with this process, so that Attach and List know
// those that this provider has opened; those that Keep started go on, and are known to all.
type local struct {
	mu       sync.Mutex
	sessions map[string]*browser.Session // that this provider drives
}

func (l *local) Name() string { return LocalName }

func (l *local) Capabilities() browser.Capabilities { return browser.Capabilities{KeepAlive: true} }

func (l *local) Open(ctx context.Context, o *browser.SessionOptions) (*browser.Session, error) {
	if o == nil {
		o = &browser.SessionOptions{}
	}
	if err := check(l, o); err != nil {
		return nil, err
	}
	if !o.KeepAlive {
		b, err := browser.Launch(ctx, o.Browser)
		if err != nil {
			return nil, err
		}
		return l.add(b, browser.SessionInfo{Provider: LocalName, ID: strings.ToLower(rand.Text()), Created: time.Now()}), nil
	}
	var keep browser.KeepOptions
	if o.Browser != nil {
		keep.Options = *o.Browser
	}
	b, err := browser.Keep(ctx, &keep)
	if err != nil {
		return nil, err
	}
	return l.addKept(b)
}

func (l *local) add(b *browser.Browser, info browser.SessionInfo) *browser.Session {
	s := &browser.Session{SessionInfo: info, Browser: b}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sessions[s.ID] = s
	return s
}

// addKept adds a browser that Keep started, which is let go where nothing is known of it.
func (l *local) addKept(b *browser.Browser) (*browser.Session, error) {
	all, err := kept()
	if err == nil {
		for _, info := range all {
			if info.ID == b.InstanceID() {
				return l.add(b, info), nil
			}
		}
		err = l.notFound("opening a session")
	}
	return nil, errors.Join(err, b.Close())
}

// kept returns the browsers of this user that Keep started, in whatever program.
func kept() ([]browser.SessionInfo, error) {
	all, err := browser.Instances()
	infos := []browser.SessionInfo{}
	for _, i := range all {
		infos = append(infos, browser.SessionInfo{Provider: LocalName, ID: i.ID, Created: i.Started})
	}
	return infos, err
}

func (l *local) notFound(op string) error {
	return &browser.ProviderError{Provider: LocalName, Op: op, Code: browser.ProviderNotFound}
}

// driven returns the session that this provider drives, nil for none.
func (l *local) driven(id string) *browser.Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.sessions[id]; s != nil && s.Browser.Err() == nil {
		return s
	}
	return nil
}

func (l *local) Attach(ctx context.Context, id string) (*browser.Session, error) {
	if s := l.driven(id); s != nil {
		return s, nil
	}
	const op = "attaching to a session"
	switch there, err := isKept(id); {
	case err != nil:
		return nil, err
	case !there:
		return nil, l.notFound(op)
	}
	b, err := browser.Attach(ctx, id, nil)
	switch {
	case errors.Is(err, browser.ErrEnded):
		return nil, l.notFound(op)
	case errors.Is(err, browser.ErrDriven):
		return nil, &browser.ProviderError{Provider: LocalName, Op: op, Code: browser.ProviderConflict, Err: err}
	case err != nil:
		return nil, err
	}
	return l.addKept(b)
}

func isKept(id string) (bool, error) {
	all, err := kept()
	return slices.ContainsFunc(all, func(i browser.SessionInfo) bool { return i.ID == id }), err
}

func (l *local) List(context.Context) ([]browser.SessionInfo, error) {
	running, err := kept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, s := range l.sessions {
		if s.Browser.Err() != nil { // it was closed, or has crashed
			delete(l.sessions, id)
			continue
		}
		if s.Browser.InstanceID() == "" {
			running = append(running, s.SessionInfo)
		}
	}
	slices.SortFunc(running, older)
	return running, nil
}

// Close ends a browser, also one that goes on while another program drives it.
func (l *local) Close(ctx context.Context, id string) error {
	l.mu.Lock()
	s := l.sessions[id]
	delete(l.sessions, id)
	l.mu.Unlock()
	if s != nil && s.Browser.Err() == nil {
		return s.Browser.Close()
	}
	if there, err := isKept(id); err != nil || !there {
		return err
	}
	b, err := browser.Attach(ctx, id, &browser.KeepOptions{Take: true})
	if errors.Is(err, browser.ErrEnded) {
		return nil
	}
	if err != nil {
		return err
	}
	return b.Close()
}

// older orders sessions by when they were opened.
func older(a, b browser.SessionInfo) int { return a.Created.Compare(b.Created) }
