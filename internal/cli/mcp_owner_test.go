package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// callsAndReads has a client call a tool, and returns what the journal then tells it.
func callsAndReads(t *testing.T, s *mcp.ClientSession, mark string) string {
	t.Helper()
	var text string
	for _, call := range []mcp.CallToolParams{{Name: "list_automations", Arguments: map[string]any{"query": mark}}, {Name: "journal"}} {
		r, err := s.CallTool(t.Context(), &call)
		if err != nil || r.IsError {
			t.Fatalf("%s: %v, %+v", call.Name, err, r)
		}
		text = r.Content[0].(*mcp.TextContent).Text
	}
	return text
}

func TestAnAgentsJournalIsOfItsSessionOrItsToken(t *testing.T) {
	t.Parallel()
	const ownToken, otherToken = "reprise1.its-own.token", "reprise1.another.token"
	for _, test := range []struct {
		name        string
		over        func(*agents, *testing.T, *wire, *wire, ...string) func() *mcp.ClientSession
		flags       []string
		tokens      [2]string
		seesEarlier bool
	}{
		{name: "another session of a program", over: (*agents).overStandardInput},
		{name: "the same token", over: (*agents).overStandardInput, tokens: [2]string{ownToken, ownToken}, seesEarlier: true},
		{name: "another token", over: (*agents).overStandardInput, tokens: [2]string{ownToken, otherToken}},
		{name: "a program that shares", over: (*agents).overStandardInput, flags: []string{"--share-journal"}, seesEarlier: true},
		{name: "another client of a server", over: (*agents).overHTTP},
		{name: "another client of a server with a token for tasks", over: (*agents).overHTTP, tokens: [2]string{ownToken, ownToken}},
		{name: "a server that shares", over: (*agents).overHTTP, flags: []string{"--share-journal"}, seesEarlier: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := &agents{data: t.TempDir()}
			var passed, said wire
			var connect func() *mcp.ClientSession
			for i, token := range test.tokens {
				a.env = append(os.Environ(), "REPRISE_DATA="+a.data, taskTokenEnv+"="+token)
				if connect == nil || token != test.tokens[0] {
					connect = test.over(a, t, &passed, &said, test.flags...)
				}
				own, earlier := fmt.Sprintf("mark-%d", i), fmt.Sprintf("mark-%d", i-1)
				told := callsAndReads(t, connect(), own)
				if !strings.Contains(told, own) || i > 0 && strings.Contains(told, earlier) != test.seesEarlier {
					t.Errorf("client %d is told %s", i, told)
				}
			}
			if whole := a.run(t, "", "journal", "--json"); !strings.Contains(whole, "mark-0") || !strings.Contains(whole, "mark-1") || strings.Contains(whole, "its-own") {
				t.Errorf("a person is told %s", whole)
			}
		})
	}
}
