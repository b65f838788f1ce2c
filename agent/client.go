package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/replayer"
)

// Client calls the tools of a Server in the same process. It is what a client over MCP is: it
// has a page of its own, its calls are checked, allowed, redacted and written down alike, and
// it sees the calls and runs of its owner alone. Close it.
type Client struct{ session *session }

// Result is what a call of a Client returns, redacted.
type Result struct {
	Value    map[string]any // as JSON has it
	Pictures [][]byte       // PNG
}

// CallOptions of a call of a Client. The zero value, or nil, works.
type CallOptions struct {
	// RunBegun is told the ID of the run that the call plays, when its record is there.
	// Default: no one.
	RunBegun func(id string)
}

// Status is what a Client is at.
type Status struct {
	URL string // of its page, without what may be secret; "" where there is none
	// WaitsFor is the approval that a call of a lone tool waits for, nil for none.
	WaitsFor map[string]any
}

// OwnerOf is the owner of the calls and runs of who has a token: a hash of the token, so that it
// is the same after a restart. Without a token it is "".
func OwnerOf(token string) string {
	if token == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("reprise owner\n" + token))
	return hex.EncodeToString(sum[:])
}

// Client makes a client whose calls and runs belong to an owner, as Options.Owner has it; "" is
// that of the options. The error is ErrClosed.
func (s *Server) Client(owner string) (*Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	begun := newSession(s)
	if owner != "" {
		begun.ownedBy = owner
	}
	s.work.Go(func() {
		<-begun.ctx.Done()
		begun.leave()
		begun.free()
	})
	return &Client{begun}, nil
}

// ID is the session of the client in the journal.
func (c *Client) ID() string { return c.session.id }

// Call calls a tool, by its name, with arguments that are an object in JSON. The error is an
// *Error, redacted.
func (c *Client) Call(ctx context.Context, name string, args any, o *CallOptions) (Result, error) {
	s := c.session.server
	t := s.fixed[name]
	if t == nil {
		return Result{}, refuse(NotFound, "list_automations is one", "there is no tool %.80q", name)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return Result{}, refuse(InvalidArguments, argumentsNext, "the arguments are not JSON")
	}
	called := &call{session: c.session}
	if o != nil && o.RunBegun != nil {
		called.runBegun = sync.OnceFunc(func() { o.RunBegun(called.run) })
	}
	given, e := s.handle(ctx, t, called, raw)
	if e != nil {
		return Result{}, redactedError(e, c.session.redactor())
	}
	made := done(given, c.session.redactor())
	result := Result{Value: asMap(made.StructuredContent)}
	for _, content := range made.Content {
		if picture, is := content.(*mcp.ImageContent); is {
			result.Pictures = append(result.Pictures, picture.Data)
		}
	}
	return result, nil
}

// redactedError is an error without secrets in any of its fields.
func redactedError(e *Error, redact *replayer.Redactor) *Error {
	clean := &Error{Code: Failed}
	if data, err := json.Marshal(redact.Value(plain(e))); err == nil {
		_ = json.Unmarshal(data, clean) // it is an Error's own JSON
	}
	clean.Err = e.Err
	return clean
}

// Status returns what the client is at, also while a call is under way.
func (c *Client) Status() Status {
	status := Status{URL: c.session.redactor().Text(withoutQuery(c.session.url()))}
	if asked := c.session.waitsFor(); asked != nil {
		status.WaitsFor = asMap(c.session.redactor().Value(plain(toldApproval(*asked))))
	}
	return status
}

// Held returns why the page may not be closed: an *Error with the code HeldByPerson while a person has it, else nil.
func (c *Client) Held() error { return c.session.heldError() }

// Close cancels the calls that are under way and closes the page. It may be called again.
func (c *Client) Close() {
	c.session.leave()
	<-c.session.freed
}
