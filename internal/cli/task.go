package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

const taskLong = `Task keeps the values that somebody's task needs, under an ID: ` + "`reprise play NAME --task ID`" + `
uses them, and an agent passes the ID and never sees what is secret in them.

Everything is sealed with age. The key is in the system's keyring, or in the file that --key
or $REPRISE_KEY_FILE names, and never in the store; what stands beside what is sealed can be
read without it: the names of the values, which are secret and for which origins, and when
they were put there.`

func (a *app) taskCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "task",
		Short: "Keep the values of a task, sealed",
		Long:  taskLong,
		Example: `  reprise task put order-17 < data.json
  reprise task list
  reprise play order --task order-17`,
	}, a.taskPutCommand(), a.taskListCommand(), a.taskRmCommand(), a.taskTokenCommand())
}

const taskPutLong = `Put reads a JSON object of values from standard input, and keeps it sealed in place of what
the task had. A secret says where it may be typed, as exact origins: it is written

  {"email": "ada@example.com",
   "password": {"secret": "…", "origins": ["https://accounts.example.com"]}}

or --secret makes one of a plain text. A secret without origins is refused.`

func (a *app) taskPutCommand() *cobra.Command {
	var bound, automations []string
	cmd := &cobra.Command{
		Use:   "put ID",
		Short: "Seal and keep the values of a task",
		Long:  taskPutLong,
		Example: `  reprise task put order-17 < data.json
  reprise task put order-17 --secret password=https://accounts.example.com --for order < data.json`,
		Args: exactly("ID"),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			origins, err := originsOf(bound)
			if err != nil {
				return err
			}
			return a.putTask(cmd.Context(), args[0], origins, automations)
		}),
	}
	cmd.Flags().StringArrayVar(&bound, "secret", nil, "`NAME=ORIGIN`: the value is a secret, and may be typed there (default: as it is written; may be repeated)")
	cmd.Flags().StringArrayVar(&automations, "for", nil, "`NAME` of an automation that may use it (default: any; may be repeated)")
	return cmd
}

// originsOf takes NAME=ORIGIN apart.
func originsOf(pairs []string) (map[string][]string, error) {
	origins := map[string][]string{}
	for _, pair := range pairs {
		name, origin, found := strings.Cut(pair, "=")
		if !found || name == "" || !strings.Contains(origin, "://") {
			return nil, usagef("--secret wants NAME=ORIGIN, such as password=https://accounts.example.com")
		}
		origins[name] = append(origins[name], origin)
	}
	return origins, nil
}

func (a *app) putTask(ctx context.Context, id string, origins map[string][]string, automations []string) error {
	if render.IsTerminal(a.stdin) {
		a.say("Reading a JSON object of values from the terminal, up to Ctrl-D.")
	}
	data, err := interruptible(ctx, func() (string, error) {
		text, err := readInput(a.stdin, "-", maxValues)
		return string(text), err
	})
	if err != nil {
		return err
	}
	values, err := sealed.ParseTask([]byte(data), origins)
	if err != nil {
		return err
	}
	a.warnOfPlain(values)
	return a.withSafe(ctx, func(_ store.Store, safe *sealed.Safe) error {
		if err := a.ensureKeys(ctx, safe); err != nil {
			return err
		}
		if err := safe.PutTask(ctx, sealed.Task{ID: id, Automations: automations, Values: values}); err != nil {
			return err
		}
		return a.sealedNow("task", id, "", len(values))
	})
}

// sealedNow tells that something is kept.
func (a *app) sealedNow(kind, name, account string, values int) error {
	if a.json {
		return a.printJSON(map[string]any{kind: name, "account": account, "values": values})
	}
	_, err := fmt.Fprintf(a.stdout, "%s %s %s is kept, with %d values\n", render.StyleOf(a.stdout).Green("✓"), kind, label(name, account), values)
	return err
}

func (a *app) taskListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the tasks whose values are kept",
		Long:    "List tells which values each task has, which are secret and where they may be typed. It needs no key.",
		Example: "  reprise task list --json",
		Args:    between(nil, 0),
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.listSealed(cmd.Context(), store.Store.Tasks, "TASK", "reprise task put ID < data.json")
		}),
	}
}

// listSealed lists tasks or credentials.
func (a *app) listSealed(ctx context.Context, of func(store.Store) store.Envelopes, title, begin string) error {
	kept, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	all, err := labelsOf(ctx, of(kept))
	switch {
	case err != nil:
		return err
	case a.json:
		return a.printJSON(all)
	case len(all) == 0:
		a.say("Nothing is kept%s yet. Begin with: %s", in(a.dataDir()), begin)
		return nil
	}
	rows := [][]string{{title, "ACCOUNT", "FOR", "UPDATED", "VALUES"}}
	for _, l := range all {
		updated := "-"
		if !l.Updated.IsZero() {
			updated = l.Updated.Local().Format(time.DateTime)
		}
		rows = append(rows, []string{l.Name, dash(l.Account), dash(strings.Join(l.Automations, " ")), updated, l.words()})
	}
	_, err = io.WriteString(a.stdout, render.Table(rows))
	return err
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func (a *app) taskRmCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "rm ID",
		Short:             "Remove the values of a task",
		Example:           "  reprise task rm order-17",
		Args:              exactly("ID"),
		ValidArgsFunction: a.completeTasks(1),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.rmSealed(cmd.Context(), store.Store.Tasks, args[0], "")
		}),
	}
}

func (a *app) rmSealed(ctx context.Context, of func(store.Store) store.Envelopes, name, account string) error {
	kept, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	if err := of(kept).Delete(ctx, name, account, store.AnyRevision); err != nil {
		return err
	}
	return a.removed(name, account)
}

// defaultTokenTime is a working day.
const defaultTokenTime = 8 * time.Hour

func (a *app) taskTokenCommand() *cobra.Command {
	for_ := defaultTokenTime
	cmd := &cobra.Command{
		Use:   "token ID…",
		Short: "Print a token with which an agent may use tasks",
		Long: `Token prints a token that says which tasks whoever has it may use, and until when. The agent
passes the ID of a task with it, and never sees the values. A token ends early when the key
that it was made with is forgotten (reprise key rotate --forget).`,
		Example:           "  reprise task token order-17 order-18 --for 24h",
		Args:              between([]string{"ID"}, 1000),
		ValidArgsFunction: a.completeTasks(1000),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.taskToken(cmd.Context(), args, for_)
		}),
	}
	cmd.Flags().DurationVar(&for_, "for", defaultTokenTime, "`DURATION` after which it has run out")
	return cmd
}

func (a *app) taskToken(ctx context.Context, ids []string, lasts time.Duration) error {
	if lasts <= 0 {
		return usagef("--for: a token needs some time")
	}
	return a.withSafe(ctx, func(_ store.Store, safe *sealed.Safe) error {
		grant := sealed.Grant{Tasks: ids, Until: time.Now().Add(lasts).UTC().Truncate(time.Second)}
		token, err := safe.Token(ctx, grant)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(map[string]any{"token": token, "tasks": ids, "until": grant.Until})
		}
		_, err = fmt.Fprintln(a.stdout, token)
		return err
	})
}

// completeTasks completes the IDs of tasks.
func (a *app) completeTasks(most int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.completeSealed(cmd.Context(), store.Store.Tasks, begun), cobra.ShellCompDirectiveNoFileComp
	}
}

func (a *app) completeSealed(ctx context.Context, of func(store.Store) store.Envelopes, begun string) []string {
	kept, err := a.openStore(ctx)
	if err != nil {
		return nil
	}
	defer kept.Close()
	all, err := labelsOf(ctx, of(kept))
	if err != nil {
		return nil
	}
	var found []string
	for _, l := range all {
		if strings.HasPrefix(l.Name, begun) {
			found = append(found, cobra.CompletionWithDesc(l.Name, l.words()))
		}
	}
	return found
}
