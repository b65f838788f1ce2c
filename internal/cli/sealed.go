package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/cli/terminal"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

const taskLong = `Task stores the values that someone's task needs, under an ID: ` + "`reprise play NAME --task ID`" + `
uses them, and an agent passes the ID and never sees what is secret in them.

Everything is sealed with age. The key is in the system's keyring, or in the file that --key
or $REPRISE_KEY_FILE names, and never in the store; what stands next to what is sealed can be
read without it: the names of the values, which are secret and for which origins, and when
they were put there.`

func (a *app) taskCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "task",
		Short: "Store the values of a task, sealed",
		Long:  taskLong,
		Example: `  reprise task put order-17 < data.json
  reprise task list
  reprise play order --task order-17`,
	}, a.taskPutCommand(), a.taskListCommand(), a.taskRmCommand(), a.taskTokenCommand())
}

const taskPutLong = `Put reads a JSON object of values from standard input, and stores it sealed in place of what
the task had. A secret says where it may be typed, as exact origins: it is written

  {"email": "ada@example.com",
   "password": {"secret": "…", "origins": ["https://accounts.example.com"]}}

or --secret makes one of a plain text. A secret without origins is refused.`

func (a *app) taskPutCommand() *cobra.Command {
	var bound, automations []string
	cmd := &cobra.Command{
		Use:   "put ID",
		Short: "Seal and store the values of a task",
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

// originsOf splits NAME=ORIGIN.
func originsOf(pairs []string) (map[string][]string, error) {
	origins := map[string][]string{}
	for _, pair := range pairs {
		name, origin, found := strings.Cut(pair, "=")
		if !found || name == "" || !strings.Contains(origin, "://") {
			return nil, failure.Usagef("--secret wants NAME=ORIGIN, such as password=https://accounts.example.com")
		}
		origins[name] = append(origins[name], origin)
	}
	return origins, nil
}

func (a *app) putTask(ctx context.Context, id string, origins map[string][]string, automations []string) error {
	if a.terminal().Interactive() {
		a.say("Reading a JSON object of values from the terminal, up to Ctrl-D.")
	}
	data, err := a.readStdin(ctx)
	if err != nil {
		return err
	}
	values, err := sealed.ParseTask([]byte(data), origins)
	if err != nil {
		return err
	}
	for _, v := range values { // sealed all the same, but they may be typed anywhere, and printed
		if what := automation.DetectSecret(string(v.Plain)); what != "" {
			a.warn(fmt.Errorf("%s looks like %s and is not marked as a secret: --secret %s=https://… binds it to where it may be typed", v.Name, what, v.Name))
		}
	}
	return a.withSafe(ctx, func(_ store.Store, safe *sealed.SecretStore) error {
		if err := a.ensureKeys(ctx, safe); err != nil {
			return err
		}
		if err := safe.PutTask(ctx, sealed.Task{ID: id, Automations: automations, Values: values}); err != nil {
			return err
		}
		return a.printSealed("task", id, "", len(values))
	})
}

// readStdin reads values from standard input until ctx ends.
func (a *app) readStdin(ctx context.Context) (string, error) {
	return terminal.Interruptible(ctx, func() (string, error) {
		data, err := files.Read(a.stdin, "-", files.MaxValues)
		return string(data), err
	})
}

// printSealed prints what was sealed.
func (a *app) printSealed(kind, name, account string, values int) error {
	return a.result(map[string]any{kind: name, "account": account, "values": values}, func(s render.Style) string {
		return fmt.Sprintf("%s %s %s is stored, with %d values\n", s.Green("✓"), kind, render.Label(name, account), values)
	})
}

func (a *app) taskListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the tasks whose values are stored",
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
	return a.withStore(ctx, func(st store.Store) error {
		all, err := listEnvelopes(ctx, of(st))
		if err != nil {
			return err
		}
		if len(all) == 0 && !a.json {
			a.say("Nothing is stored%s yet. Begin with: %s", in(a.dataDir()), begin)
			return nil
		}
		return a.result(all, func(render.Style) string { return render.Envelopes(title, all) })
	})
}

// listEnvelopes returns the readable part of what is sealed. No key is needed.
func listEnvelopes(ctx context.Context, st store.Envelopes) ([]render.Envelope, error) {
	all := []render.Envelope{}
	for e, err := range st.List(ctx) {
		if err != nil {
			return nil, err
		}
		all = append(all, render.EnvelopeOf(e))
	}
	return all, nil
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
	return a.withStore(ctx, func(st store.Store) error {
		if err := of(st).Delete(ctx, name, account, store.AnyRevision); err != nil {
			return err
		}
		return a.result(map[string]string{"removed": name, "account": account}, func(render.Style) string {
			return render.Label(name, account) + " is removed\n"
		})
	})
}

// defaultTokenTime is one working day.
const defaultTokenTime = 8 * time.Hour

func (a *app) taskTokenCommand() *cobra.Command {
	lifetime := defaultTokenTime
	cmd := &cobra.Command{
		Use:   "token ID…",
		Short: "Print a token with which an agent may use tasks",
		Long: `Token prints a token that says which tasks anyone who has it may use, and until when. The agent
passes the ID of a task with it, and never sees the values. A token ends early when the key
that it was made with is forgotten (reprise key rotate --forget).`,
		Example:           "  reprise task token order-17 order-18 --for 24h",
		Args:              between([]string{"ID"}, 1000),
		ValidArgsFunction: a.completeTasks(1000),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.taskToken(cmd.Context(), args, lifetime)
		}),
	}
	cmd.Flags().DurationVar(&lifetime, "for", defaultTokenTime, "`DURATION` after which it has run out")
	return cmd
}

func (a *app) taskToken(ctx context.Context, ids []string, lasts time.Duration) error {
	if lasts <= 0 {
		return failure.Usagef("--for: a token needs some time")
	}
	return a.withSafe(ctx, func(_ store.Store, safe *sealed.SecretStore) error {
		grant := sealed.Grant{Tasks: ids, Until: time.Now().Add(lasts).UTC().Truncate(time.Second)}
		token, err := safe.Token(ctx, grant)
		if err != nil {
			return err
		}
		return a.result(map[string]any{"token": token, "tasks": ids, "until": grant.Until}, func(render.Style) string { return token + "\n" })
	})
}

// completeTasks completes the IDs of tasks.
func (a *app) completeTasks(max int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= max {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.completeSealed(cmd.Context(), store.Store.Tasks, begun), cobra.ShellCompDirectiveNoFileComp
	}
}

func (a *app) completeSealed(ctx context.Context, of func(store.Store) store.Envelopes, begun string) []string {
	st, err := a.openStore(ctx)
	if err != nil {
		return nil
	}
	defer st.Close()
	all, err := listEnvelopes(ctx, of(st))
	if err != nil {
		return nil
	}
	var found []string
	for _, l := range all {
		if strings.HasPrefix(l.Name, begun) {
			found = append(found, cobra.CompletionWithDesc(l.Name, l.Values()))
		}
	}
	return found
}

const credentialLong = `Credential stores what someone signs in with in the vault: secrets, for an account and for the
exact origins where they may be typed. A person puts them there by their own hand; no
recording does.

` + "`reprise play`" + ` takes the secrets of a document from the vault that nothing else gives it,
where one has the variable's name, is for this account (--account) and for an origin that the
document's scope writes out. It is typed at its own origins only, whatever the document says.`

func (a *app) credentialCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "credential",
		Short: "Store what someone signs in with, sealed",
		Long:  credentialLong,
		Example: `  reprise credential set example.com --account ada@example.com --origin https://accounts.example.com
  reprise credential list
  reprise play sign-in --account ada@example.com --var email=ada@example.com`,
	}, a.credentialSetCommand(), a.credentialListCommand(), a.credentialRmCommand())
}

// credentialOptions are the flags of credential set.
type credentialOptions struct {
	account         string
	origins, fields []string
	stdin           bool
}

func (a *app) credentialSetCommand() *cobra.Command {
	var o credentialOptions
	cmd := &cobra.Command{
		Use:   "set SITE",
		Short: "Put a secret into the vault",
		Long: `Set asks for a secret at the terminal, without showing it, and seals it; --from-stdin takes it
from standard input: one text, or for several fields a JSON object of them. It is never an
argument, which other users of the machine could see. SITE is a name for it, such as the host.

A field is named like the variable of the documents that ask for it: ` + "`reprise show NAME`" + ` tells.`,
		Example: `  reprise credential set example.com --account ada@example.com --origin https://accounts.example.com
  pass show bank | reprise credential set bank.example --origin https://bank.example --field pin --from-stdin`,
		Args: exactly("SITE"),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.setCredential(cmd.Context(), args[0], &o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.account, "account", "", "`ACCOUNT` whose it is (default: none)")
	f.StringArrayVar(&o.origins, "origin", nil, "`ORIGIN` where it may be typed: scheme, host and port, such as https://accounts.example.com (may be repeated)")
	f.StringArrayVar(&o.fields, "field", []string{"password"}, "`NAME` of the variable that it is for (may be repeated)")
	f.BoolVar(&o.stdin, "from-stdin", false, "read it from standard input (default: ask at the terminal)")
	return cmd
}

func (a *app) setCredential(ctx context.Context, site string, o *credentialOptions) error {
	switch {
	case len(o.origins) == 0:
		return failure.Usagef("where may it be typed? Give --origin https://example.com")
	case !o.stdin && !a.terminal().Interactive():
		return failure.Usagef("no one is there to be asked: give --from-stdin")
	}
	return a.withSafe(ctx, func(_ store.Store, safe *sealed.SecretStore) error {
		if err := a.ensureKeys(ctx, safe); err != nil { // before anything is typed
			return err
		}
		fields, err := o.read(ctx, a)
		if err != nil {
			return err
		}
		c := sealed.Credential{Site: site, Account: o.account, Origins: o.origins, Fields: fields}
		if err := safe.SetCredential(ctx, c); err != nil {
			return err
		}
		return a.printSealed("credential", site, o.account, len(fields))
	})
}

func (o *credentialOptions) read(ctx context.Context, a *app) (map[string]string, error) {
	fields := map[string]string{}
	if !o.stdin {
		for _, name := range o.fields {
			text, err := a.terminal().Secret(ctx, name+": ")
			if errors.Is(err, io.EOF) || err == nil && text == "" {
				return nil, failure.Usagef("nothing was typed for %s: nothing was stored", name)
			}
			if err != nil {
				return nil, err
			}
			fields[name] = text
		}
		return fields, nil
	}
	text, err := a.readStdin(ctx)
	if err != nil {
		return nil, err
	}
	if len(o.fields) == 1 {
		fields[o.fields[0]] = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
		return fields, nil
	}
	if fields, err = sealed.ParseFields([]byte(text)); err != nil {
		return nil, err
	}
	for _, name := range o.fields {
		if _, there := fields[name]; !there || len(fields) != len(o.fields) {
			return nil, failure.Usagef("--from-stdin: for several fields it is a JSON object of exactly these texts: %s", strings.Join(o.fields, ", "))
		}
	}
	return fields, nil
}

func (a *app) credentialListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List what is in the vault",
		Long:    "List tells for whom and for which origins there is something in the vault. It needs no key.",
		Example: "  reprise credential list",
		Args:    between(nil, 0),
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.listSealed(cmd.Context(), store.Store.Vault, "SITE", "reprise credential set SITE --account ACCOUNT --origin https://…")
		}),
	}
}

func (a *app) credentialRmCommand() *cobra.Command {
	var account string
	cmd := &cobra.Command{
		Use:     "rm SITE",
		Short:   "Remove something from the vault",
		Example: "  reprise credential rm example.com --account ada@example.com",
		Args:    exactly("SITE"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.completeSealed(cmd.Context(), store.Store.Vault, begun), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.rmSealed(cmd.Context(), store.Store.Vault, args[0], account)
		}),
	}
	cmd.Flags().StringVar(&account, "account", "", "`ACCOUNT` whose it is (default: none)")
	return cmd
}

// safe returns what a store has sealed, with the keys of --key, the environment or the system's
// keyring.
func (a *app) safe(st store.Store) (*sealed.SecretStore, error) {
	place, err := a.keyPlace()
	if err != nil {
		return nil, err
	}
	return sealed.New(st, place), nil
}

func (a *app) keyPlace() (sealed.KeySource, error) {
	path := a.key
	if path == "" {
		path = os.Getenv(sealed.FileEnv)
	}
	if path == "" {
		return sealed.Keyring(), nil
	}
	return sealed.File(path, a.dataDir())
}

// withSafe opens the store and its safe for a command.
func (a *app) withSafe(ctx context.Context, do func(store.Store, *sealed.SecretStore) error) error {
	return a.withStore(ctx, func(st store.Store) error {
		safe, err := a.safe(st)
		if err != nil {
			return err
		}
		return do(st, safe)
	})
}

// ensureKeys creates the first key before something is sealed, and prints where it is.
func (a *app) ensureKeys(ctx context.Context, safe *sealed.SecretStore) error {
	made, err := safe.EnsureKeys(ctx)
	if made {
		a.printKeyPlace()
	}
	return err
}

func (a *app) printKeyPlace() {
	place, err := a.keyPlace()
	if err != nil {
		return // it was made there
	}
	a.say("A new key is in %s. It is the only key that can decrypt your data: back it up.", place)
}

// secrets is runner.Runner.Secrets.
func (a *app) secrets(st store.Store) func() (*sealed.SecretStore, error) {
	return func() (*sealed.SecretStore, error) { return a.safe(st) }
}
