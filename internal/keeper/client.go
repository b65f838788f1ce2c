package keeper

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/go-reprise/reprise/internal/cdp"
)

// DialOptions of Dial.
type DialOptions struct {
	// Token is that of the driver which comes back. Default: 0, a new driver.
	Token uint64
	// Take has a new driver take over from another one. Default: that is ErrDriven.
	Take bool
	// Holder says who drives, for others to read.
	Holder string
}

// Client is a driver's way to a keeper.
type Client struct {
	ID      string
	Token   uint64
	Root    string          // the browser session that stands for the browser
	Gates   []*Gate         // that are open
	Dialogs []Dialog        // that are open
	Notes   json.RawMessage // of the program that started it

	dir     string
	drive   net.Conn
	control *net.UnixConn

	mu sync.Mutex // one request at a time
	in *bufio.Reader
	of *socketReader
}

// Dial becomes the driver of a browser. ctx bounds the dialling only. The error is ErrGone,
// ErrDriven or ErrTakenOver where it is one of these.
func Dial(ctx context.Context, id string, o DialOptions) (*Client, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	if filepath.Base(id) != id || id == "." || id == ".." {
		return nil, ErrGone
	}
	c := &Client{ID: id, dir: filepath.Join(root, id)}
	key, err := os.ReadFile(filepath.Join(c.dir, keyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrGone
	}
	if err != nil {
		return nil, err
	}
	h := hello{Version: version, Key: string(key), Role: "control", Token: o.Token, Take: o.Take, Holder: o.Holder}
	if c.control, err = c.open(ctx, h); err != nil {
		return nil, err
	}
	c.of = &socketReader{conn: c.control}
	c.in = bufio.NewReaderSize(c.of, maxState)
	stop := context.AfterFunc(ctx, func() { _ = c.control.SetDeadline(time.Now()) })
	err = c.hear()
	if stop(); err == nil {
		h.Role, h.Token = "drive", c.Token
		c.drive, err = c.open(ctx, h)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		for _, g := range c.Gates {
			_ = g.Listener.Close()
		}
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Client) open(ctx context.Context, h hello) (*net.UnixConn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(c.dir, socketFile))
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%w: %w", ErrGone, err) // its process was killed, or is about to end
	}
	unix := conn.(*net.UnixConn)
	if err := writeLine(unix, h, -1); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrGone, err), conn.Close())
	}
	return unix, nil
}

// hear reads the welcome.
func (c *Client) hear() error {
	var w welcome
	if err := c.line(&w); err != nil {
		return c.lost(err)
	}
	if err := asError(w.Error); err != nil {
		return err
	}
	if w.Gates < 0 || w.Gates > maxGates {
		return fmt.Errorf("the keeper has %d gates", w.Gates)
	}
	c.Token, c.Root, c.Notes, c.Dialogs = w.Token, w.Root, w.Notes, w.Dialogs
	for range w.Gates {
		g := &Gate{}
		if err := c.line(g); err != nil {
			return c.lost(err)
		}
		var err error
		if g.Listener, err = c.of.listener(); err != nil {
			return err
		}
		c.Gates = append(c.Gates, g)
	}
	return nil
}

// lost returns why a keeper has no more to say to a driver that it has just admitted.
func (c *Client) lost(err error) error {
	if _, there := os.Stat(filepath.Join(c.dir, keyFile)); errors.Is(there, fs.ErrNotExist) || c.Ended() {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return fmt.Errorf("%w: %w", ErrTakenOver, err)
}

func asError(name string) error {
	switch err := errorNames[name]; {
	case name == "":
		return nil
	case err != nil:
		return err
	}
	return errors.New(name)
}

func (c *Client) line(out any) error { return readLine(c.in, maxState, out) }

// Transport is the way to the browser, for a client within Root.
func (c *Client) Transport() cdp.Transport { return cdp.NewPipe(c.drive, c.drive) }

// askTime is how long a keeper may take to answer, which it does at once.
const askTime = 10 * time.Second

// ask asks something of the keeper. It waits for the answer also when ctx is done, as the next question
// would have it for its own; a keeper that does not answer is lost.
func (c *Client) ask(ctx context.Context, q request) (*Gate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	slow := time.AfterFunc(askTime, func() { _ = errors.Join(c.control.Close(), c.drive.Close()) })
	defer slow.Stop()
	err := writeLine(c.control, q, -1)
	var a answer
	if err == nil {
		err = c.line(&a)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", cdp.ErrClosed, err)
	}
	if err := asError(a.Error); err != nil {
		return nil, err
	}
	if a.Gate != nil {
		a.Gate.Listener, err = c.of.listener()
	}
	return a.Gate, err
}

// Listen opens a gate.
func (c *Client) Listen(ctx context.Context) (*Gate, error) {
	g, err := c.ask(ctx, request{Op: opListen})
	if err == nil && g == nil {
		err = errors.New("the keeper opened no socket")
	}
	return g, err
}

// Note stores what a later driver must know of a gate.
func (c *Client) Note(ctx context.Context, gate string, state any) error {
	data, err := json.Marshal(state)
	if err != nil {
		return err
	}
	_, err = c.ask(ctx, request{Op: opNote, Gate: gate, State: data})
	return err
}

// CloseGate closes the keeper's end of a gate.
func (c *Client) CloseGate(ctx context.Context, gate string) error {
	_, err := c.ask(ctx, request{Op: opClose, Gate: gate})
	return err
}

// End ends the browser.
func (c *Client) End(ctx context.Context) error {
	_, err := c.ask(ctx, request{Op: opEnd})
	return err
}

// Ended reports whether the keeper, and so the browser and its profile, has gone.
func (c *Client) Ended() bool { return !runs(c.dir) }

// Close drives it no more. The browser goes on.
func (c *Client) Close() error {
	err := c.control.Close()
	if c.drive != nil {
		err = errors.Join(err, c.drive.Close())
	}
	c.of.close()
	return err
}

// List returns the keepers of this user that run.
func List() ([]Info, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	dirs, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []Info
	for _, d := range dirs {
		dir := filepath.Join(root, d.Name())
		data, err := os.ReadFile(filepath.Join(dir, stateFile))
		var info Info
		if err == nil && json.Unmarshal(data, &info) == nil && info.ID == d.Name() && runs(dir) {
			all = append(all, info)
		}
	}
	return all, nil
}

// runs reports whether the keeper of a directory runs: it has its lock.
func runs(dir string) bool {
	lock := flock.New(filepath.Join(dir, ownerFile), flock.SetFlag(os.O_RDWR)) // never made here
	free, err := lock.TryLock()
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	if free {
		_ = lock.Unlock()
	}
	return !free
}
