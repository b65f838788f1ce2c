package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

func (a *app) loginCheckCommand() *cobra.Command {
	var account string
	cmd := &cobra.Command{
		Use:   "check NAME",
		Short: "Check whether the site still takes a login",
		Long: `Check plays the check that the login was saved with, in a page of its own, and marks the login as
good, unsure or signed_out. A good one is saved again, as a site may renew what it is shown.
No commit step is played.

Exit codes: 0 good; 1 not known or unsure; 3 a person has to sign in again.`,
		Example:           "  reprise login check shop.example --account ada@example.com",
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeLogins(1),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.checkLogin(cmd.Context(), args[0], account)
		}),
	}
	cmd.Flags().StringVar(&account, "account", "", "`ACCOUNT` whose it is (default: none)")
	return cmd
}

func (a *app) checkLogin(ctx context.Context, name, account string) error {
	return a.withStore(ctx, func(st store.Store) error {
		pages := &runner.PrivatePages{Warn: a.warn, Browser: func(ctx context.Context) (*browser.Browser, error) { return a.openBrowser(ctx, &browser.Options{}) }}
		defer func() { a.warn(pages.Close()) }()
		r := &runner.Runner{Store: st, Logger: a.logger(), Secrets: a.secrets(st)}
		state, err := r.VerifyLogin(ctx, name, account, pages)
		if err != nil {
			return err
		}
		return a.result(map[string]string{"login": name, "account": account, "state": string(state)}, func(s render.Style) string {
			return fmt.Sprintf("%s login %s is %s\n", s.Green("✓"), render.Label(name, account), state)
		})
	})
}

// maxStateFile bounds a storageState that is read.
const maxStateFile = 32 << 20

func (a *app) loginImportCommand() *cobra.Command {
	var o loginOptions
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Store a login from a storageState of Playwright's",
		Long: `Import reads a storageState as Playwright writes it (- is standard input), and seals what a login
can have of it: cookies, local storage, IndexedDB, and the session storage that other tools add.
What is left out is said, item by item. Remove the file then: anyone who has it is signed in.`,
		Example: `  reprise login import auth.json --name shop.example --account ada@example.com
  reprise login import auth.json --name shop --origin https://shop.example --check '#account'  --check-at https://shop.example/home`,
		Args: exactly("FILE"),
		RunE: a.run(func(cmd *cobra.Command, args []string) error { return a.importLogin(cmd.Context(), args[0], &o) }),
	}
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "`NAME` under which it is stored (default: the host, where the file is for one)")
	f.StringVar(&o.account, "account", "", "`ACCOUNT` that is signed in, as you call it (default: none)")
	f.StringArrayVar(&o.origins, "origin", nil, "`ORIGIN` that it is for, and no others (default: those that the file names, and the hosts of its cookies; may be repeated)")
	o.storedFlags(f)
	return cmd
}

func (a *app) importLogin(ctx context.Context, file string, o *loginOptions) error {
	data, err := files.Read(a.stdin, file, maxStateFile)
	if err != nil {
		return err
	}
	state, lost, err := browser.ReadPlaywright(data, o.origins...)
	var broken *browser.LoginError
	if errors.As(err, &broken) && broken.Reason != "" { // to sign in and save it again is no way to import it
		return fmt.Errorf("%s cannot be imported: %s (it must be what Playwright's storageState has written)", file, broken.Reason)
	}
	if err != nil {
		return err
	}
	first, err := url.Parse(state.Origins()[0])
	if err != nil {
		return err
	}
	if o.name == "" && len(state.Origins()) == 1 {
		o.name = first.Hostname()
	}
	if o.name == "" {
		return failure.Usagef("the file is for several origins: name the login with --name")
	}
	if err := o.checkStored(); err != nil {
		return err
	}
	l := &runner.Login{Name: o.name, Account: o.account, State: state}
	if l.Check, err = o.loginCheck(state.Origins()[0] + "/"); err != nil {
		return err
	}
	return a.withSafe(ctx, func(st store.Store, safe *sealed.SecretStore) error {
		if err := a.ensureKeys(ctx, safe); err != nil {
			return err
		}
		if l.Check != nil {
			if err := a.tryLogin(ctx, st, l); err != nil {
				return err
			}
		}
		return a.storeLogin(ctx, safe, l, o.notes, lost)
	})
}

// tryLogin has the check of a login pass in a page that is opened with it.
func (a *app) tryLogin(ctx context.Context, st store.Store, l *runner.Login) error {
	b, err := a.openBrowser(ctx, &browser.Options{})
	if err != nil {
		return err
	}
	defer func() { a.warn(b.Close()) }()
	page, err := l.NewPage(ctx, b)
	if err != nil {
		return err
	}
	defer a.closePage(ctx, b, page)
	return a.checked(ctx, st, l, page)
}

// loginExportOptions are the flags of login export.
type loginExportOptions struct {
	name, account, file string
	plain               bool
}

func (a *app) loginExportCommand() *cobra.Command {
	var o loginExportOptions
	cmd := &cobra.Command{
		Use:   "export NAME",
		Short: "Write a login as a storageState of Playwright's, not sealed",
		Long: `Export opens a login and writes it as Playwright reads it, in plain text, into a file that only you
can read. Anyone who has that is signed in: at a terminal you are asked first, and without one
--plain says that it is meant. What Playwright's form cannot hold is said, item by item.`,
		Example: `  reprise login export shop.example --account ada@example.com --to auth.json
  reprise login export shop.example --to auth.json --plain`,
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeLogins(1),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return a.exportLogin(cmd.Context(), &o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.account, "account", "", "`ACCOUNT` whose it is (default: none)")
	f.StringVar(&o.file, "to", "", "`FILE` that is written or replaced (default: NAME.json)")
	f.BoolVar(&o.plain, "plain", false, "write it without asking (default: ask at the terminal)")
	return cmd
}

func (a *app) exportLogin(ctx context.Context, o *loginExportOptions) error {
	if !o.plain && !a.terminal().Interactive() {
		return failure.Usagef("stdin is not a terminal; pass --plain: the file signs in anyone who has it")
	}
	if o.file == "" {
		o.file = o.name + ".json"
	}
	return a.withSafe(ctx, func(_ store.Store, safe *sealed.SecretStore) error {
		l, err := runner.OpenLogin(ctx, safe, o.name, o.account)
		if err != nil {
			return err
		}
		if !o.plain {
			yes, err := a.terminal().Confirm(ctx, fmt.Sprintf("Anyone who has %s is then signed in as %s. Write it? [y/N] ", o.file, render.Label(o.name, o.account)))
			if err != nil {
				return err
			}
			if !yes {
				return failure.ErrNotExported
			}
		}
		data, lost, err := l.State.Playwright()
		if err != nil {
			return err
		}
		if err := writePrivate(o.file, data); err != nil {
			return err
		}
		for _, loss := range lost {
			a.say("Lost: %s", loss)
		}
		return a.result(map[string]any{"login": o.name, "account": o.account, "file": o.file, "lost": append([]browser.Loss{}, lost...)}, func(s render.Style) string {
			return fmt.Sprintf("%s login %s is in %s, in plain text\n", s.Green("✓"), render.Label(o.name, o.account), o.file)
		})
	})
}

// writePrivate writes a file as a whole that only its owner may read, also where others could read the one
// before: renameio.WriteFile would take over that one's mode.
func writePrivate(file string, data []byte) error {
	out, err := renameio.NewPendingFile(file, renameio.WithStaticPermissions(files.Private))
	if err != nil {
		return err
	}
	if _, err := out.Write(data); err != nil {
		return errors.Join(err, out.Cleanup())
	}
	return out.CloseAtomicallyReplace()
}
