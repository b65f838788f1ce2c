// Package keeper has a browser outlive the programs that drive it. A small process, the
// keeper, owns the browser, its pipe and the listening sockets of its gates, and lets one
// program at a time drive it over a Unix socket. A program that ends, however that happens,
// leaves the browser with its pages as they are; another one attaches, and gets the same
// pages and the same ways to the network.
//
// Each driver has a browser session of its own (Target.attachToBrowserTarget), so that what
// it had attached, enabled and held ends with it, as it does with a connection of its own.
// Drivers are told apart by a number that only grows: what comes from an earlier one has no
// effect once a later one drives.
//
// [Serve] is the process, [Dial] the way to it. Nothing here knows what is shown.
package keeper

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Files of a keeper, in a directory of its own that only its user may enter.
const (
	socketFile = "socket"
	keyFile    = "key"   // until it begins to end
	ownerFile  = "owner" // locked as long as the keeper runs
	stateFile  = "state" // what is known of it from outside, as Info
)

// Why a browser cannot be driven.
var (
	// ErrGone: no keeper of that name runs.
	ErrGone = errors.New("the browser has ended")
	// ErrDriven: another program drives it.
	ErrDriven = errors.New("another program drives the browser")
	// ErrTakenOver: another program drives it in this one's place.
	ErrTakenOver = errors.New("another program has taken over the browser")

	errOtherVersion = errors.New("the browser was started by another version of Reprise, and only that one drives it; it ends when no program has driven it for a while")
)

// Bounds of what is heard over a socket before it is known to be a driver's, and of what a
// keeper stores for its drivers.
const (
	maxRequest  = 64 << 10
	maxState    = 1 << 20
	maxGates    = 1_000
	helloTime   = 10 * time.Second
	keyBytes    = 32
	maxPathName = 100 // of a Unix socket: 104 on macOS, 108 on Linux
)

// hello is the first line of a connection to a keeper.
type hello struct {
	Version int    `json:"version"`
	Key     string `json:"key"`
	// Role is "control", for requests, or "drive", for the browser's protocol; a driver has
	// one of each.
	Role string `json:"role"`
	// Token is the driver's number, 0 for a new driver. Take has a new one take over.
	Token uint64 `json:"token,omitempty"`
	Take  bool   `json:"take,omitempty"`
	// Holder says which program this is, for those that find it driven.
	Holder string `json:"holder,omitempty"`
}

const version = 1

// welcome answers a hello. A line for each gate follows, with its socket.
type welcome struct {
	Error string `json:"error,omitempty"` // by its name below
	Token uint64 `json:"token,omitempty"`
	Root  string `json:"root,omitempty"` // the driver's browser session
	Gates int    `json:"gates,omitempty"`
	// Dialogs are open.
	Dialogs []Dialog `json:"dialogs,omitempty"`
	// Notes are those of the program that started the browser.
	Notes json.RawMessage `json:"notes,omitempty"`
}

// errorNames are the errors that a keeper answers with.
var errorNames = map[string]error{"driven": ErrDriven, "taken over": ErrTakenOver, "gone": ErrGone}

// request is what a driver asks of its keeper.
type request struct {
	Op    string          `json:"op"`
	Gate  string          `json:"gate,omitempty"`
	State json.RawMessage `json:"state,omitempty"`
}

// What can be asked: a new gate, to note something of one, to close one, and the end of the
// browser.
const (
	opListen = "listen"
	opNote   = "note"
	opClose  = "close"
	opEnd    = "end"
)

// answer is what the keeper answers. The socket of a new gate comes with it.
type answer struct {
	Error string `json:"error,omitempty"`
	Gate  *Gate  `json:"gate,omitempty"`
}

// Gate is a listening socket that outlives the driver that serves it.
type Gate struct {
	ID string `json:"id"`
	// State is what its drivers have noted of it.
	State json.RawMessage `json:"state,omitempty"`
	// Listener is the socket, the driver's to serve and to close: the keeper has its own end.
	Listener net.Listener `json:"-"`
}

// Info is what is known of a keeper without asking it.
type Info struct {
	ID      string    `json:"id"`
	PID     int       `json:"pid"`     // of the keeper
	Browser int       `json:"browser"` // its process
	Started time.Time `json:"started"`
	Holder  string    `json:"holder,omitempty"` // of the last driver
}

// Root is the directory that the keepers of this user are in, once there are any: in
// $XDG_RUNTIME_DIR, or where there is none, among the temporary files. One that others may enter is
// refused.
func Root() (string, error) {
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "reprise-"+strconv.Itoa(os.Getuid()))
	} else {
		dir = filepath.Join(dir, "reprise")
	}
	if err := checkPrivate(dir); !errors.Is(err, os.ErrNotExist) {
		return dir, err
	}
	return dir, nil
}

// makeRoot is Root, made where it is not there.
func makeRoot() (string, error) {
	dir, err := Root()
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("the directory for sockets of browsers: %w", err)
	}
	return dir, checkPrivate(dir)
}

// checkPrivate refuses a directory that another user owns or may enter.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(stat.Uid) != os.Geteuid() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s must be a directory that is this user's and that no one else may enter (mode 0700)", dir)
	}
	return nil
}

func newKey() string {
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // it never fails
	return hex.EncodeToString(key)
}

// readLine reads one JSON line, no longer than limit.
func readLine(r *bufio.Reader, limit int, out any) error {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) || len(line) > limit {
		return fmt.Errorf("a line is longer than %d bytes", limit)
	}
	if err != nil {
		if errors.Is(err, io.EOF) && len(line) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	return json.Unmarshal(line, out)
}

// writeLine writes one JSON line, with a socket or, for -1, none.
func writeLine(conn *net.UnixConn, line any, socket int) error {
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if socket < 0 {
		_, err = conn.Write(data)
		return err
	}
	n, _, err := conn.WriteMsgUnix(data[:1], syscall.UnixRights(socket), nil)
	if err == nil {
		_, err = conn.Write(data[n:])
	}
	return err
}

// socketReader reads from a connection, and collects the sockets that come with it, in their order.
type socketReader struct {
	conn    *net.UnixConn
	sockets []int
}

func (r *socketReader) Read(p []byte) (int, error) {
	oob := make([]byte, syscall.CmsgSpace(4*maxAtOnce))
	n, oobn, _, _, err := r.conn.ReadMsgUnix(p, oob)
	if oobn > 0 {
		messages, bad := syscall.ParseSocketControlMessage(oob[:oobn])
		if bad != nil {
			return max(n, 0), bad
		}
		for i := range messages {
			if fds, bad := syscall.ParseUnixRights(&messages[i]); bad == nil {
				r.sockets = append(r.sockets, fds...)
			}
		}
	}
	if n == 0 && err == nil {
		err = io.EOF
	}
	return max(n, 0), err // recvmsg has -1 for an error, of which a bufio.Reader panics
}

// maxAtOnce is how many sockets one read can take; each is sent alone.
const maxAtOnce = 8

// listener is the next socket.
func (r *socketReader) listener() (net.Listener, error) {
	if len(r.sockets) == 0 {
		return nil, errors.New("the keeper sent no socket")
	}
	f := os.NewFile(uintptr(r.sockets[0]), "gate")
	r.sockets = r.sockets[1:]
	l, err := net.FileListener(f)
	return l, errors.Join(err, f.Close())
}

// close closes what was not taken.
func (r *socketReader) close() {
	for _, fd := range r.sockets {
		_ = syscall.Close(fd)
	}
	r.sockets = nil
}
