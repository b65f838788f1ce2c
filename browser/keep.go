package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/gate"
	"github.com/go-reprise/reprise/internal/keeper"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
)

// Why a browser that Keep started cannot be attached to.
var (
	// ErrEnded: it has ended.
	ErrEnded = keeper.ErrGone
	// ErrDriven: another program drives it, and KeepOptions.Take is not set.
	ErrDriven = keeper.ErrDriven
	// ErrTakenOver: another program has taken it over. What this one sends has no effect.
	ErrTakenOver = keeper.ErrTakenOver
)

// DefaultIdleTimeout is how long a browser that Keep started goes on with no one driving it.
const DefaultIdleTimeout = 30 * time.Minute

// KeepOptions of Keep and Attach.
type KeepOptions struct {
	// Options of the browser. DebugPort is not for it: another way in would pass by who drives.
	// Attach uses those that Connect uses, but for AnyNetwork. Default: those of Launch.
	Options
	// IdleTimeout ends the browser when no program has driven it for so long. Default:
	// DefaultIdleTimeout.
	IdleTimeout time.Duration
	// Holder names the program that drives, for others: Instance.Holder. Default: its process
	// and its host.
	Holder string
	// Take has Attach take over from a program that drives the browser. Default: that is
	// ErrDriven.
	Take bool
}

// Instance is a browser that Keep started, and that runs.
type Instance struct {
	ID      string    `json:"id"`
	PID     int       `json:"pid"` // of the browser
	Started time.Time `json:"started"`
	Holder  string    `json:"holder"` // of the program that drives it, or last did
}

// Instances returns the browsers that Keep started for this user on this machine, and that
// run.
func Instances() ([]Instance, error) {
	all, err := keeper.List()
	var running []Instance
	for _, one := range all {
		running = append(running, Instance{ID: one.ID, PID: one.Browser, Started: one.Started, Holder: one.Holder})
	}
	return running, err
}

// Keep starts a browser that outlives this program, and drives it. A small process of its
// own, which runs this program's file, owns it. When this program ends without Close, also
// where it is killed, the browser goes on with its pages as they are: Attach drives it
// again, from any program of this user on this machine. It ends with Close, when no one has
// driven it for KeepOptions.IdleTimeout, and when its last page is closed with no one
// driving.
//
// While no one drives it, its pages go nowhere: the gate to the network is in the program that
// drives. What they ask for waits. A request that was held for a decision fails.
func Keep(ctx context.Context, o *KeepOptions) (*Browser, error) {
	if o == nil {
		o = &KeepOptions{}
	}
	options := o.Options.orDefaults()
	if err := errors.Join(options.checkArgs(), options.Page.Check()); err != nil {
		return nil, err
	}
	if o.DebugPort {
		return nil, errors.New("Options.DebugPort is not for Keep: a browser has one driver at a time")
	}
	ctx, cancel := load.WithTimeoutCause(ctx, options.StartTimeout, fmt.Errorf("it did not answer within %v", options.StartTimeout))
	defer cancel()
	path, err := Find(options)
	if err != nil {
		return nil, err
	}
	version, err := Version(ctx, path)
	if err != nil {
		return nil, &StartError{Path: path, Err: err}
	}
	if options.ProfileDir != "" {
		if options.ProfileDir, err = filepath.Abs(options.ProfileDir); err != nil {
			return nil, err
		}
	}
	why := sandboxRefusal(path)
	if why != "" {
		options.Logger.Warn("the browser runs without its sandbox", "because", why)
	}
	c := keeperConfig{
		Path: path, Idle: o.IdleTimeout, Holder: o.holder(), Gated: options.rules() != nil, Headed: options.Headed, ProfileDir: options.ProfileDir,
	}
	if c.Idle <= 0 {
		c.Idle = DefaultIdleTimeout
	}
	id, err := c.start(ctx, options, version, why == "")
	if err != nil {
		return nil, err
	}
	return attachTo(ctx, id, options, keeper.DialOptions{Holder: c.Holder}, target.Contexts{})
}

// Attach drives a browser that Keep started, by its Instance.ID. Its pages are those of Pages, as they
// are; what another program had in use there is not. Where its idle time was over, or it was
// closed, the error is ErrEnded.
func Attach(ctx context.Context, id string, o *KeepOptions) (*Browser, error) {
	if o == nil {
		o = &KeepOptions{}
	}
	options := o.Options.orDefaults()
	ctx, cancel := load.WithTimeoutCause(ctx, options.StartTimeout, fmt.Errorf("the browser did not answer within %v", options.StartTimeout))
	defer cancel()
	return attachTo(ctx, id, options, keeper.DialOptions{Take: o.Take, Holder: o.holder()}, target.Contexts{})
}

func (o *KeepOptions) holder() string {
	if o.Holder != "" {
		return o.Holder
	}
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}

// attachTo becomes the driver of a browser.
// What is known of its contexts goes on.
func attachTo(ctx context.Context, id string, o *Options, dial keeper.DialOptions, have target.Contexts) (*Browser, error) {
	client, err := keeper.Dial(ctx, id, dial)
	if err != nil {
		return nil, fmt.Errorf("attaching to the browser %s: %w", id, err)
	}
	var notes keeperNotes
	if err := json.Unmarshal(client.Notes, &notes); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	network := target.Options{Keep: true, Contexts: target.Contexts{Emulations: have.Emulations}, Emulation: o.Page.emulation(notes.Version)}
	for _, open := range client.Dialogs {
		d := target.OpenDialog{PageID: open.Target, Session: open.Session}
		if err := json.Unmarshal(open.Params, &d.Dialog); err != nil {
			return nil, errors.Join(err, client.Close())
		}
		network.Dialogs = append(network.Dialogs, d)
	}
	var fresh []*gate.Gate
	if notes.Gated {
		gated := *o
		gated.AnyNetwork = false
		network.Rules = gated.rules()
		network.Sockets = sockets{client}
		network.Gate, network.Contexts.Gates, fresh, err = gatesOf(client, network, have.Gates)
	}
	var b *Browser
	if err == nil {
		b, err = attachWithin(ctx, client.Transport(), client.Root, o, network)
	}
	if err == nil {
		b.keeper, b.headed, b.version = client, notes.Headed, notes.Version
		err = b.inherit(ctx)
	}
	if err != nil {
		if b != nil { // the gates that it was given go on with the next attempt
			b.tree.LeaveGates()
			b.gate = nil
			err = errors.Join(err, b.Detach())
		} else {
			err = errors.Join(err, client.Close())
		}
		for _, g := range fresh {
			_ = g.Close()
		}
		return nil, err
	}
	if dial.Take {
		if err := b.leaveTunnels(ctx); err != nil {
			o.Logger.Warn("connections through the driver before may be used again", "error", err)
		}
	}
	b.reopen = func(ctx context.Context, have target.Contexts) (*Browser, error) {
		return attachTo(ctx, id, o, keeper.DialOptions{Token: client.Token, Holder: dial.Holder}, have)
	}
	return b, nil
}

// leaveTunnels has pages go by connections of their own from now on: those that lie idle go through the
// driver before this one, which may stand still.
func (b *Browser) leaveTunnels(ctx context.Context) error {
	all := []error{b.tree.CloseIdle(ctx, "")}
	for id := range b.contexts {
		all = append(all, b.tree.CloseIdle(ctx, id))
	}
	return errors.Join(all...)
}

// inherit notes the browser contexts that earlier drivers have made.
func (b *Browser) inherit(ctx context.Context) error {
	reply, err := b.client.Call(ctx, "", "Target.getBrowserContexts", nil)
	var there struct {
		IDs []string `json:"browserContextIds"`
	}
	if err = errors.Join(err, decode(reply, &there)); err != nil {
		return err
	}
	for _, id := range there.IDs {
		b.contexts[id] = true
	}
	return nil
}

// gateState is what outlives a driver of a gate.
type gateState struct {
	Context string   `json:"context"` // "" is the browser's own
	Named   []string `json:"named,omitempty"`
	// Detour is of a gate that has a proxy of its own, or goes nowhere. The proxy is not stored, as it
	// has a password.
	Detour bool `json:"detour,omitempty"`
}

// gatesOf serves the gates that a browser has, but for those that are served; fresh are those that are
// not. One of a browser context that was never made is closed. Where a proxy belongs, and none is known
// here, pages go nowhere.
func gatesOf(client *keeper.Client, o target.Options, have map[string]*gate.Gate) (own *gate.Gate, of map[string]*gate.Gate, fresh []*gate.Gate, err error) {
	of = map[string]*gate.Gate{}
	for i, g := range client.Gates {
		var state gateState
		if len(g.State) > 0 {
			err = errors.Join(err, json.Unmarshal(g.State, &state))
		}
		served := have[state.Context]
		if i == 0 {
			served = have[""]
		}
		if served != nil && served.Addr() == g.ID {
			err = errors.Join(err, g.Listener.Close())
		} else {
			served = o.Rules.Serve(g.Listener)
			served.SetNamed(state.Named)
			fresh = append(fresh, served)
			if state.Detour {
				if o.Emulation != nil {
					o.Emulation.Configure(served)
				}
				if served.Direct() {
					served.Cut()
				}
			}
		}
		switch {
		case i == 0:
			own = served
		case state.Context == "" || of[state.Context] != nil:
			err = errors.Join(err, served.Close(), client.CloseGate(context.Background(), g.ID))
		default:
			of[state.Context] = served
		}
	}
	return own, of, fresh, err
}

// sockets are those of a keeper, as the tree of pages needs them.
type sockets struct{ client *keeper.Client }

func (s sockets) Listen(ctx context.Context) (net.Listener, error) {
	g, err := s.client.Listen(ctx)
	if err != nil {
		return nil, err
	}
	return g.Listener, nil
}

func (s sockets) Note(ctx context.Context, contextID string, of *gate.Gate) error {
	return s.client.Note(ctx, of.Addr(), gateState{contextID, of.Named(), !of.Direct()})
}

func (s sockets) Close(ctx context.Context, address string) error {
	return s.client.CloseGate(ctx, address)
}

// keeperConfig is what a keeper is started with, over its standard input.
type keeperConfig struct {
	Path       string
	Args       []string // of the browser, apart from its profile and its proxy
	Idle       time.Duration
	Holder     string
	Gated      bool
	Headed     bool
	Version    string
	ProfileDir string
}

// keeperNotes are for those that attach.
type keeperNotes struct {
	Gated   bool   `json:"gated"`
	Headed  bool   `json:"headed"`
	Version string `json:"version"`
}

// keeperStarted is what it answers with, over its standard output.
type keeperStarted struct {
	ID     string `json:"id,omitempty"`
	Error  string `json:"error,omitempty"`
	Stderr string `json:"stderr,omitempty"` // of the browser
	InUse  bool   `json:"in_use,omitempty"` // its profile
}

// keeperVariable has this program be a keeper, from the moment that this package is there.
const (
	keeperVariable = "REPRISE_KEEPER"
	asKeeper       = "1"
)

func init() {
	if os.Getenv(keeperVariable) != asKeeper || len(os.Args) != 1 {
		return
	}
	_ = os.Unsetenv(keeperVariable) // or the browser would have it
	if err := runKeeper(os.Stdin, os.Stdout); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// start starts a keeper with its browser, without the sandbox where that does not work.
func (c keeperConfig) start(ctx context.Context, o *Options, version string, sandbox bool) (id string, err error) {
	c.Version, c.Args = version, arguments(o, "", version, sandbox)
	id, err = c.startOnce(ctx, o)
	said := (*StartError)(nil)
	if !sandbox || !errors.As(err, &said) || !noSandbox(said.Stderr) {
		return id, err
	}
	sandboxless.Store(c.Path, true)
	o.Logger.Warn("the browser runs without its sandbox", "because", noneUsable)
	return c.start(ctx, o, version, false)
}

func (c keeperConfig) startOnce(ctx context.Context, o *Options) (string, error) {
	self, err := ownFile()
	if err != nil {
		return "", fmt.Errorf("finding the file of this program, for the keeper of the browser: %w", err)
	}
	cmd := exec.Command(self)
	cmd.Env = o.Env
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], keeperVariable+"="+asKeeper)
	cmd.Dir = "/" // it is in no one's way
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("starting the keeper of the browser: %w", err)
	}
	answered := make(chan keeperStarted, 1)
	go func() {
		var s keeperStarted
		err := json.NewEncoder(in).Encode(c)
		if err == nil {
			err = json.NewDecoder(io.LimitReader(out, maxVersionReply)).Decode(&s)
		}
		if err != nil {
			s.Error = fmt.Sprintf("its keeper (%s) did not answer: %v", self, err)
		}
		_ = in.Close()
		answered <- s
		_ = cmd.Wait() // so that it is no zombie when it ends
	}()
	select {
	case s := <-answered:
		if s.InUse {
			return "", &StartError{Path: c.Path, Stderr: s.Stderr, Err: ErrProfileInUse}
		}
		if s.Error != "" {
			return "", &StartError{Path: c.Path, Stderr: s.Stderr, Err: errors.New(s.Error)}
		}
		return s.ID, nil
	case <-ctx.Done():
		_ = cmd.Process.Signal(syscall.SIGTERM) // it ends the browser
		return "", &StartError{Path: c.Path, Err: context.Cause(ctx)}
	}
}

// ownFile is the file of this program, also where another has taken its name since it began.
func ownFile() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// runKeeper is the keeper: it reads its configuration, starts the browser, answers, and lasts
// as long as the browser does.
func runKeeper(in io.Reader, out io.Writer) error {
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	answer := func(s keeperStarted) error { return json.NewEncoder(out).Encode(s) }
	var c keeperConfig
	if err := json.NewDecoder(in).Decode(&c); err != nil {
		return errors.Join(err, answer(keeperStarted{Error: err.Error()}))
	}
	place, err := keeper.NewPlace()
	if err != nil {
		return errors.Join(err, answer(keeperStarted{Error: err.Error()}))
	}
	err = c.keep(ctx, place, answer)
	return errors.Join(err, place.Remove())
}

// keep starts the browser and has it go on.
func (c keeperConfig) keep(ctx context.Context, place *keeper.Place, answer func(keeperStarted) error) error {
	fail := func(err error, said string) error {
		return errors.Join(err, answer(keeperStarted{Error: err.Error(), Stderr: said, InUse: errors.Is(err, ErrProfileInUse)}))
	}
	o := keeper.Options{Idle: c.Idle, Holder: c.Holder}
	o.Notes, _ = json.Marshal(keeperNotes{c.Gated, c.Headed, c.Version}) // it is flags and a text
	proxy := ""
	if c.Gated {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return fail(err, "")
		}
		o.Gates = append(o.Gates, listener.(*net.TCPListener))
		proxy = gate.ProxyAt(listener.Addr())
	}
	p, err := newProfile(c.ProfileDir)
	if err != nil {
		return fail(err, "")
	}
	args := append(append(c.Args, "--user-data-dir="+p.dir), gateFlags(proxy)...) // of two that are alike the last counts
	proc, err := start(c.Path, args, withDumpsIn(p.dir, nil), p)
	if err != nil {
		return fail(errors.Join(err, p.remove()), "")
	}
	o.Browser, o.BrowserPID = proc.pipe, proc.pid
	ready := false
	err = keeper.Serve(ctx, place, o, func() error {
		ready = true
		return answer(keeperStarted{ID: place.ID})
	})
	if !ready {
		failed := proc.fail(c.Path, err)
		said := (*StartError)(nil)
		errors.As(failed, &said)
		return fail(said.Err, said.Stderr)
	}
	proc.wait(closeTimeout)
	return errors.Join(err, proc.end())
}

// Detach ends the driving of a browser that Keep started, and leaves it running with its pages. Of
// any other it is Close.
func (b *Browser) Detach() error {
	if b.keeper == nil {
		return b.Close()
	}
	b.closeOnce.Do(func() { b.closeErr = b.let(false) })
	return b.closeErr
}

// let lets go of a browser that Keep started, and ends it or not.
func (b *Browser) let(end bool) error {
	b.tree.FailHeld()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var err error
	ended := false
	if end {
		err = b.keeper.End(ctx)
		ended = err == nil
		if errors.Is(err, cdp.ErrClosed) {
			err = nil // it has ended, or is another's
		}
	}
	err = errors.Join(err, b.client.Close())
	b.tree.Close()
	if b.gate != nil {
		err = errors.Join(err, b.gate.Close())
	}
	_ = b.keeper.Close()
	if ended && !soon(closeTimeout+killTimeout+groupTimeout, b.keeper.Ended) {
		err = errors.Join(err, fmt.Errorf("the browser %s was told to end, and has not", b.keeper.ID))
	}
	return err
}

// InstanceID is the Instance.ID of a browser that Keep started, "" for any other.
func (b *Browser) InstanceID() string {
	if b.keeper == nil {
		return ""
	}
	return b.keeper.ID
}
