package cli

import (
	"context"
	"os"
	"time"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// taskTokenEnv names the environment variable that holds the token by which agents may
// use tasks. It is no flag: other users see those.
const taskTokenEnv = "REPRISE_TASK_TOKEN"

// agentValues gives the values that an agent does not: of the tasks that the token is
// for, and what the vault has for an account.
func (a *app) agentValues(kept store.Store) (func(context.Context, agent.Wanted) (replayer.Values, error), error) {
	safe, err := a.safe(kept)
	if err != nil {
		return nil, err
	}
	token := os.Getenv(taskTokenEnv)
	return func(ctx context.Context, w agent.Wanted) (replayer.Values, error) {
		if w.Task != "" {
			if err := mayUse(ctx, safe, token, w.Task); err != nil {
				return nil, err
			}
		}
		return safe.Values(ctx, w.Automation, sealed.Use{Task: w.Task, Account: w.Account})
	}, nil
}

// mayUse says why an agent may not use a task.
func mayUse(ctx context.Context, safe *sealed.Safe, token, task string) error {
	const next = "ask a person for it: they start this server with $" + taskTokenEnv + " set to what `reprise task token` prints"
	if token == "" {
		return &agent.Error{Code: string(replayer.Refused), Reason: "this server was given no token for tasks", Next: next}
	}
	grant, err := safe.Grant(ctx, token)
	if err == nil {
		err = grant.Allowed(task, time.Now())
	}
	if err != nil {
		return &agent.Error{Code: string(replayer.Refused), Reason: err.Error(), Next: next, Err: err}
	}
	return nil
}
