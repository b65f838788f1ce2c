package cli

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

const credentialLong = `Credential keeps what somebody signs in with in the vault: secrets, for an account and for the
exact origins where they may be typed. A person puts them there by their own hand; no
recording does.

` + "`reprise play`" + ` takes the secrets of a document from the vault that nothing else gives it,
where one has the variable's name, is for this account (--account) and for an origin that the
document's scope writes out. It is typed at its own origins only, whatever the document says.`

func (a *app) credentialCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "credential",
		Short: "Keep what somebody signs in with, sealed",
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
		return usagef("where may it be typed? Give --origin https://example.com")
	case !o.stdin && !render.IsTerminal(a.stdin):
		return usagef("nobody is there to be asked: give --from-stdin")
	}
	return a.withSafe(ctx, func(_ store.Store, safe *sealed.Safe) error {
		if err := a.ensureKeys(ctx, safe); err != nil { // before somebody types for nothing
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
		return a.sealedNow("credential", site, o.account, len(fields))
	})
}

func (o *credentialOptions) read(ctx context.Context, a *app) (map[string]string, error) {
	fields := map[string]string{}
	if !o.stdin {
		out, done := a.questions()
		defer done()
		for _, name := range o.fields {
			text, err := readSecret(ctx, a.stdin, out, name+": ")
			if errors.Is(err, io.EOF) || err == nil && text == "" {
				return nil, usagef("nothing was typed for %s: nothing was kept", name)
			}
			if err != nil {
				return nil, err
			}
			fields[name] = text
		}
		return fields, nil
	}
	text, err := interruptible(ctx, func() (string, error) {
		data, err := readInput(a.stdin, "-", maxValues)
		return string(data), err
	})
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
			return nil, usagef("--from-stdin: for several fields it is a JSON object of exactly these texts: %s", strings.Join(o.fields, ", "))
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
