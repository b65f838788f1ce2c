package agent

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Called calls a tool with arguments of any bytes, as no client could.
func (s *Server) Called(ctx context.Context, name string, args []byte) *mcp.CallToolResult {
	for session := range s.mcp.Sessions() {
		return s.called(ctx, s.fixed[name], &mcp.CallToolRequest{Session: session, Params: &mcp.CallToolParamsRaw{Name: name, Arguments: json.RawMessage(args)}})
	}
	return nil
}

// Fixed are the names of all tools but those of automations.
func (s *Server) Fixed() []string {
	var names []string
	for name := range s.fixed {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Offered are the tools of the registry that agents are offered, and those left out.
func Offered() (offered, without []string) {
	for _, r := range registry {
		if !r.isLone() {
			offered = append(offered, r.name)
		}
	}
	return offered, leftOut
}

// Nexts are what to do about a failure of each kind.
var Nexts = nexts
