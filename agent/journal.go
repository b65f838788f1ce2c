package agent

import (
	"context"
	"time"

	"github.com/go-reprise/reprise/store"
)

// writeTimeout bounds how long a call waits for the journal after it was done.
const writeTimeout = 30 * time.Second

// write writes a call down, also one whose client has gone.
func (s *Server) write(ctx context.Context, entry store.JournalCall) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	_, err := s.options.Store.Journal().Append(ctx, entry)
	return err
}

// The numbers of calls that journal gives.
const (
	usualRecent = 20
	mostRecent  = 200
)

func (s *Server) journalTool() *tool {
	return &tool{
		name: "journal", title: "Journal", readOnly: true,
		does: "Gives your last calls of tools, the newest first: what was called, with which arguments (secrets as names), how it ended, and for what.",
		schema: object(map[string]any{
			"kind":  map[string]any{"enum": []string{"recent"}},
			"limit": map[string]any{"type": "integer", "minimum": 1, "maximum": mostRecent, "description": "How many; 20 where it is left out."},
		}),
		do: s.recent,
	}
}

func (s *Server) recent(ctx context.Context, c *call) (*answer, error) {
	var args struct{ Limit int }
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	if args.Limit == 0 {
		args.Limit = usualRecent
	}
	calls, err := c.session.recent(ctx, args.Limit)
	if err != nil {
		return nil, err
	}
	told := []map[string]any{}
	for _, one := range calls {
		told = append(told, toldCall(one))
	}
	return &answer{value: map[string]any{"calls": told}}, nil
}

// recent returns the last calls that the client may see.
func (s *session) recent(ctx context.Context, limit int) ([]store.JournalCall, error) {
	if s.server.options.ShareJournal {
		return s.server.options.Store.Journal().Recent(ctx, limit)
	}
	return s.server.options.Store.Journal().RecentOf(ctx, s.owner(), limit)
}

func toldCall(c store.JournalCall) map[string]any {
	told := map[string]any{
		"session": c.Session, "number": c.Number, "tool": c.Tool, "outcome": c.Outcome, "started": c.Started, "took_ms": c.Took.Milliseconds(),
	}
	for key, value := range map[string]string{"intent": c.Intent, "code": c.Code, "reason": c.Reason, "run": c.Run, "url": c.URL} {
		if value != "" {
			told[key] = value
		}
	}
	if len(c.Arguments) > 0 {
		told["arguments"] = c.Arguments
	}
	return told
}
