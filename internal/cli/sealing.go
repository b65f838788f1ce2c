package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// safe gives what a store has sealed, with the keys that --key, the environment or the
// system's keyring has.
func (a *app) safe(kept store.Store) (*sealed.Safe, error) {
	place, err := a.keyPlace()
	if err != nil {
		return nil, err
	}
	return sealed.New(kept, place), nil
}

func (a *app) keyPlace() (sealed.Place, error) {
	path := a.key
	if path == "" {
		path = os.Getenv(sealed.FileEnv)
	}
	if path == "" {
		return sealed.Keyring(), nil
	}
	return sealed.File(path, a.dataDir())
}

// withSafe opens the store and its safe, for a command about them.
func (a *app) withSafe(ctx context.Context, do func(store.Store, *sealed.Safe) error) error {
	kept, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	safe, err := a.safe(kept)
	if err != nil {
		return err
	}
	return do(kept, safe)
}

// ensureKeys makes the first key before the first thing is sealed, and says where it is.
func (a *app) ensureKeys(ctx context.Context, safe *sealed.Safe) error {
	made, err := safe.EnsureKeys(ctx)
	if made {
		a.saidKey()
	}
	return err
}

func (a *app) saidKey() {
	place, err := a.keyPlace()
	if err != nil {
		return // it was made there
	}
	a.say("A new key is in %s. What is sealed opens with it alone: keep a copy in a safe place.", place)
}

// secrets is runner.Runner.Secrets.
func (a *app) secrets(st store.Store) func() (*sealed.Safe, error) {
	return func() (*sealed.Safe, error) { return a.safe(st) }
}

// labelled is what stands on something sealed, as --json tells it.
type labelled struct {
	Name        string        `json:"name"`
	Account     string        `json:"account,omitempty"`
	Fields      []store.Field `json:"fields"`
	Automations []string      `json:"automations,omitempty"`
	Created     time.Time     `json:"created,omitzero"`
	Updated     time.Time     `json:"updated,omitzero"`
	Expires     time.Time     `json:"expires,omitzero"`
	Error       *failure      `json:"error,omitempty"` // why it cannot be read
}

// labels lists what is sealed. No key is needed.
func labelsOf(ctx context.Context, kept store.Envelopes) ([]labelled, error) {
	all := []labelled{}
	for e, err := range kept.List(ctx) {
		if err != nil {
			return nil, err
		}
		l := labelled{Name: e.Name, Account: e.Account, Fields: e.Fields, Automations: e.Automations, Created: e.Created, Updated: e.Updated, Expires: e.Expires}
		if e.Err != nil {
			f := describe(e.Err)
			l.Error = &f
		}
		all = append(all, l)
	}
	return all, nil
}

// words says which fields there are, and where the secret ones may be typed.
func (l labelled) words() string {
	if l.Error != nil {
		first, _, _ := strings.Cut(l.Error.Reason, "\n")
		return "cannot be read: " + first
	}
	var fields []string
	for _, f := range l.Fields {
		word := f.Name
		if f.Secret {
			word += " (secret, for " + strings.Join(f.Origins, " ") + ")"
		}
		fields = append(fields, word)
	}
	return strings.Join(fields, ", ")
}

// removed tells that something is gone.
func (a *app) removed(what, account string) error {
	if a.json {
		return a.printJSON(map[string]string{"removed": what, "account": account})
	}
	_, err := fmt.Fprintf(a.stdout, "%s is removed\n", label(what, account))
	return err
}

// group makes a command of those that follow it.
func group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	var names []string
	for _, c := range commands {
		names = append(names, c.Name())
		if c.ValidArgsFunction == nil {
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
	cmd.Args, cmd.ValidArgsFunction = cobra.ArbitraryArgs, cobra.NoFileCompletions
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		given := "nothing"
		if len(args) > 0 {
			given = fmt.Sprintf("%.40q", args[0])
		}
		return fmt.Errorf("%s is followed by %s, and not by %s", cmd.CommandPath(), strings.Join(names, ", "), given)
	}
	cmd.AddCommand(commands...)
	return cmd
}

// warnOfPlain tells of values that look like secrets and are not marked as such: they are
// sealed all the same, but may be typed anywhere, and told.
func (a *app) warnOfPlain(values []sealed.Value) {
	for _, v := range values {
		if what := automation.LooksSecret(string(v.Plain)); what != "" {
			a.warn(fmt.Errorf("%s looks like %s and is not marked as a secret: --secret %s=https://… binds it to where it may be typed", v.Name, what, v.Name))
		}
	}
}
