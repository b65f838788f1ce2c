package cdp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/go-reprise/reprise/internal/cdp"
)

// peer is the browser's end of a pipe, played by a test.
type peer struct {
	t   testing.TB
	in  *bufio.Reader
	out io.WriteCloser
}

// command is what the client sent.
type command struct {
	ID        uint64          `json:"id"`
	SessionID string          `json:"sessionId"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
}

// connect returns a client and the browser that it speaks to.
func connect(t testing.TB) (*cdp.Client, *peer) {
	t.Helper()
	theirIn, ourIn := io.Pipe()
	ourOut, theirOut := io.Pipe()
	c := cdp.New(cdp.NewPipe(ourIn, ourOut))
	t.Cleanup(func() { _ = c.Close() })
	return c, &peer{t: t, in: bufio.NewReader(theirIn), out: theirOut}
}

// next reads a command.
func (p *peer) next() command {
	p.t.Helper()
	data, err := p.in.ReadBytes(0)
	if err != nil {
		p.t.Fatalf("the client wrote no command: %v", err)
	}
	var c command
	if err := json.Unmarshal(data[:len(data)-1], &c); err != nil {
		p.t.Fatalf("the client wrote %q: %v", data, err)
	}
	return c
}

// say writes a message.
func (p *peer) say(format string, args ...any) {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.out, format+"\x00", args...); err != nil {
		p.t.Fatalf("the client does not read: %v", err)
	}
}

// attach sends the event of a session on a target, through a parent session.
func (p *peer) attach(parent, session, target string) {
	p.t.Helper()
	p.say(`{"method":"Target.attachedToTarget","sessionId":%q,"params":{"sessionId":%q,"targetInfo":{"targetId":%q}}}`,
		parent, session, target)
}

// settle returns when the client has handled everything that was said.
func (p *peer) settle(c *cdp.Client) {
	p.t.Helper()
	call := c.Send("", "Settle.now", nil)
	for cmd := p.next(); cmd.Method != "Settle.now"; cmd = p.next() {
	}
	p.say(`{"id":%d,"result":{}}`, c.Sent())
	if _, err := call.Wait(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}
