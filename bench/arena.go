package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"

	"github.com/go-reprise/reprise/browser"
)

// arena is a site and the clients that are compared there, each in a process of its
// own, with a warm browser of its own, of the same make and with the same flags: no
// client pays for what another has attached to a browser.
type arena struct {
	stage    *stage
	flows    []flow
	recorded map[string]json.RawMessage  // by flow
	browsers map[string]*browser.Browser // by who uses them
	controls map[string]*wire
	players  map[string]player
}

// The size of the window, that of a common laptop.
const width, height = 1280, 800

// newArena opens the site, and has some clients enter.
func newArena(ctx context.Context, names ...string) (*arena, error) {
	s, err := openStage()
	if err != nil {
		return nil, err
	}
	a := &arena{stage: s, flows: flows(), browsers: map[string]*browser.Browser{}, controls: map[string]*wire{}, players: map[string]player{}}
	if slices.Contains(names, nameReprise) {
		err = a.record(ctx)
	}
	for _, name := range names {
		if err == nil {
			err = a.enter(ctx, name)
		}
	}
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

func (a *arena) close() error {
	var errs []error
	for _, p := range a.players {
		errs = append(errs, p.close())
	}
	for _, control := range a.controls {
		_ = control.Close() // it only looks
	}
	for _, b := range a.browsers {
		errs = append(errs, b.Close())
	}
	return errors.Join(append(errs, a.stage.close())...)
}

// launch launches the browser of a client that has none.
func (a *arena) launch(ctx context.Context, name string) (*browser.Browser, error) {
	b, err := browser.Launch(ctx, &browser.Options{DebugPort: true, AnyNetwork: true, Width: width, Height: height})
	if err == nil {
		a.browsers[name] = b
	}
	return b, err
}

// replace has a client whose run has failed begin again, in another process and with
// another browser: that one may hang.
func (a *arena) replace(ctx context.Context, name string) error {
	_ = a.players[name].close() // it may have been killed
	_ = a.controls[name].Close()
	if err := a.browsers[name].Close(); err != nil {
		return err
	}
	delete(a.players, name)
	delete(a.controls, name)
	delete(a.browsers, name)
	return a.enter(ctx, name)
}

// enter launches a client's browser and starts the client.
func (a *arena) enter(ctx context.Context, name string) error {
	b, err := a.launch(ctx, name)
	if err != nil {
		return err
	}
	if a.controls[name], err = dial(ctx, b.Endpoint()); err != nil {
		return err
	}
	e := engagement{Client: name, Endpoint: b.Endpoint(), Site: a.stage.URL}
	for _, fl := range a.flows {
		e.Scripts = append(e.Scripts, fl.script)
	}
	if e.Documents, err = a.documents(name); err != nil {
		return err
	}
	cmd, err := commandOf(name)
	if err != nil {
		return err
	}
	p, err := engage(ctx, cmd, e)
	if err != nil {
		return err
	}
	a.players[name] = p
	return nil
}

// documents are what a client plays that plays documents.
func (a *arena) documents(name string) (map[string]json.RawMessage, error) {
	switch name {
	case nameReprise:
		return a.recorded, nil
	case namePlain, nameKeys:
		all := map[string]json.RawMessage{}
		for _, fl := range a.flows {
			doc, err := written(fl.script, a.stage.URL, name == nameKeys)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", fl.Name, err)
			}
			all[fl.Name] = doc
		}
		return all, nil
	}
	return nil, nil
}

func commandOf(name string) (*exec.Cmd, error) {
	if slices.Contains(peers, name) {
		return peerCommand()
	}
	return ourselves()
}

// rest waits for a client's browser.
func (a *arena) rest(ctx context.Context, name string) error {
	control := a.controls[name]
	if control == nil {
		return nil // it has none
	}
	return rest(ctx, control)
}
