package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

const keyLong = `Key is about the key that tasks, credentials and logins are sealed with. It is in the system's
keyring, or in the file that --key or $REPRISE_KEY_FILE names, which its owner alone may read;
it is made when something is sealed for the first time. It is in no store: back it up.`

func (a *app) keyCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "key",
		Short: "Show, make and change the key that things are sealed with",
		Long:  keyLong,
		Example: `  reprise key show
  reprise key rotate
  reprise key add age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p`,
	}, a.keyShowCommand(), a.keyNewCommand(), a.keyRotateCommand(), a.keyOthersCommand("add"), a.keyOthersCommand("rm"))
}

func (a *app) keyShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   "Say where the key is, and what its public part is",
		Long:    "Show tells the public keys only: anyone who has one can have things sealed for you (reprise key add).",
		Example: "  reprise key show --json",
		Args:    between(nil, 0),
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.withSafe(cmd.Context(), func(_ store.Store, safe *sealed.SecretStore) error { return a.showKey(cmd.Context(), safe) })
		}),
	}
}

func (a *app) showKey(ctx context.Context, safe *sealed.SecretStore) error {
	place, err := a.keyPlace()
	if err != nil {
		return err
	}
	keys, err := safe.Keys(ctx)
	if err != nil {
		return err
	}
	view := map[string]any{"place": place.String(), "public": keys.Public()[0], "older": keys.Public()[1:], "others": keys.Others()}
	return a.result(view, func(render.Style) string {
		text := fmt.Sprintf("in      %s\npublic  %s\n", place, keys.Public()[0])
		for _, old := range keys.Public()[1:] {
			text += "older   " + old + "\n"
		}
		for _, other := range keys.Others() {
			text += "others  " + other + "\n"
		}
		return text
	})
}

func (a *app) keyNewCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "new",
		Short:   "Make a key where there is none",
		Example: "  reprise key new --key ~/.config/reprise/key",
		Args:    between(nil, 0),
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.withSafe(cmd.Context(), func(_ store.Store, safe *sealed.SecretStore) error {
				made, err := safe.NewKeys(cmd.Context())
				if err != nil {
					return err
				}
				if made {
					a.printKeyPlace()
				} else {
					a.say("There is a key already; it was left as it is.")
				}
				return a.showKey(cmd.Context(), safe)
			})
		}),
	}
}

func (a *app) keyRotateCommand() *cobra.Command {
	var forget bool
	cmd := &cobra.Command{
		Use:   "rotate",
		Short: "Make a new key, and seal everything for it",
		Long: `Rotate makes a new key and seals every task, credential and login of the store for it. It may
be broken off at any point: run it again, and it goes on. The old key is stored after the new one
and opens what was not sealed again, also in other stores; --forget has it forgotten once
nothing in this store needs it.

A key that someone else has seen is not mended by rotating it alone: they may have copied
what it opens. Change the passwords, and sign out where there are logins.`,
		Example: `  reprise key rotate
  reprise key rotate --forget`,
		Args: between(nil, 0),
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.resealed(cmd.Context(), func(safe *sealed.SecretStore, progress func(int)) (*sealed.Rotation, error) {
				return safe.Rotate(cmd.Context(), forget, progress)
			})
		}),
	}
	cmd.Flags().BoolVar(&forget, "forget", false, "forget the old keys when everything here is sealed for the new one; other stores that need them cannot be opened then (default: keep them)")
	return cmd
}

func (a *app) keyOthersCommand(name string) *cobra.Command {
	use := map[string]struct {
		short, long string
		do          func(*sealed.SecretStore, context.Context, string, func(int)) (*sealed.Rotation, error)
	}{
		"add": {"Seal everything for someone else, too", "Add seals everything, now and from now on, also for the key whose public part is given:\n`reprise key show` tells it on the other machine. They can open and change all of it.", (*sealed.SecretStore).AddRecipient},
		"rm":  {"No longer seal for someone else", "Rm seals everything again without someone. What they have seen they still know: change the\npasswords, too.", (*sealed.SecretStore).RemoveRecipient},
	}[name]
	return &cobra.Command{
		Use:     name + " PUBLIC",
		Short:   use.short,
		Long:    use.long,
		Example: "  reprise key " + name + " age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
		Args:    exactly("PUBLIC"),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.resealed(cmd.Context(), func(safe *sealed.SecretStore, progress func(int)) (*sealed.Rotation, error) {
				return use.do(safe, cmd.Context(), args[0], progress)
			})
		}),
	}
}

// resealed seals everything again, and prints the result.
func (a *app) resealed(ctx context.Context, do func(*sealed.SecretStore, func(int)) (*sealed.Rotation, error)) error {
	return a.withSafe(ctx, func(_ store.Store, safe *sealed.SecretStore) error {
		var progress func(int)
		if render.IsTerminal(a.stderr) && !a.json {
			progress = func(n int) { fmt.Fprintf(a.stderr, "\r%d sealed ", n) }
		}
		r, err := do(safe, progress)
		if err != nil {
			if r != nil {
				a.say("%d were sealed again. Run it again to go on.", r.Resealed)
			}
			return err
		}
		view := render.RotationOf(r)
		var failed error
		if len(r.Failed) > 0 {
			failed = errors.New(view.Unopened())
		}
		for _, f := range r.Failed {
			if !a.json {
				a.warn(f.Err)
			}
		}
		return failure.Printed(failed, a.result(view, view.Line))
	})
}
