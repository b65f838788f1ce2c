package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

const limitsLong = `Limits are what may be paid without asking a person: to one payee, at one site, in one
currency. A run pays within them where its document has an approve step, which tells where
payee and amount stand; the amount is read from the page. Whatever is over a limit, or is not
surely an amount, is asked for as ever. Every limit for a payee holds.

A payment counts in the day, week (from Monday) or month, in UTC, in which it was begun, until
it is known that it was not made: a run that is uncertain is resolved when it is resumed
(` + "`reprise help play`" + `).

Anyone who may write to the store may set limits. No tool of an agent can.`

func (a *app) limitsCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "limits",
		Short: "Set what may be paid without asking a person",
		Long:  limitsLong,
		Example: `  reprise limits add --site https://shop.example --payee "Meadow Water" --currency EUR --each 50 --sum 200 --per month
  reprise limits list
  reprise limits payments
  reprise limits rm 01kb3c5n7p9q2r4s6t8v0w1x3y`,
	}, a.limitsAddCommand(), a.limitsListCommand(), a.limitsPaymentsCommand(), a.limitsRemoveCommand())
}

// limitFlags are those of a limit.
type limitFlags struct{ site, payee, currency, each, sum, per string }

func (f *limitFlags) limit() (store.Limit, error) {
	l := store.Limit{Site: f.site, Payee: f.payee, Currency: f.currency, Per: store.Period(f.per)}
	for _, needed := range [][2]string{{"--site", f.site}, {"--payee", f.payee}, {"--currency", f.currency}, {"--sum", f.sum}} {
		if needed[1] == "" {
			return l, failure.Usagef("a limit needs %s", needed[0])
		}
	}
	var err error
	if l.Sum, err = store.ParseDecimal(f.sum, f.currency); err != nil {
		return l, failure.Usagef("--sum: %v", err)
	}
	if f.each != "" {
		if l.Each, err = store.ParseDecimal(f.each, f.currency); err != nil {
			return l, failure.Usagef("--each: %v", err)
		}
	}
	return l, nil
}

func (a *app) limitsAddCommand() *cobra.Command {
	var f limitFlags
	cmd := &cobra.Command{
		Use:               "add --site ORIGIN --payee NAME --currency CODE --sum AMOUNT",
		Short:             "Let runs pay without asking, up to an amount",
		Long:              "Add sets a limit. What was paid without asking in the same period counts against it from the beginning.",
		Example:           `  reprise limits add --site https://shop.example --payee "Meadow Water" --currency EUR --each 50 --sum 200`,
		Args:              exactly(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			l, err := f.limit()
			if err != nil {
				return err
			}
			l.By = userAtHost()
			return a.withStore(cmd.Context(), func(st store.Store) error {
				added, err := st.Limits().Add(cmd.Context(), l)
				if err != nil {
					return err
				}
				return a.result(render.LimitOf(store.LimitSummary{Limit: added}), func(s render.Style) string { return render.LimitAdded(s, added) })
			})
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.site, "site", "", "`ORIGIN` of the page that shows the payment, such as https://shop.example (default: none; it must be given)")
	flags.StringVar(&f.payee, "payee", "", "`NAME` of the payee, exactly as the page shows it (default: none; it must be given)")
	flags.StringVar(&f.currency, "currency", "", "`CODE` of the currency, by ISO 4217 (default: none; it must be given)")
	flags.StringVar(&f.sum, "sum", "", "at most this `AMOUNT` in a period, such as 200 or 49.90 (default: none; it must be given)")
	flags.StringVar(&f.each, "each", "", "at most this `AMOUNT` for one payment (default: that of --sum)")
	flags.StringVar(&f.per, "per", string(store.PerMonth), "`PERIOD` that --sum is for: day, week or month, in UTC")
	a.warn(cmd.RegisterFlagCompletionFunc("per", cobra.FixedCompletions([]string{"day", "week", "month"}, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func (a *app) limitsListCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "list",
		Short:             "List the limits, and what is left of them",
		Example:           "  reprise limits list --json",
		Args:              exactly(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd.Context(), func(st store.Store) error {
				all := []render.Limit{}
				for l, err := range st.Limits().List(cmd.Context()) {
					if err != nil {
						return err
					}
					all = append(all, render.LimitOf(l))
				}
				if len(all) == 0 && !a.json {
					a.say("No limits: a person is asked for every payment.")
					return nil
				}
				return a.result(all, func(render.Style) string { return render.Limits(all) })
			})
		}),
	}
}

func (a *app) limitsPaymentsCommand() *cobra.Command {
	limit := 20
	cmd := &cobra.Command{
		Use:               "payments",
		Short:             "List what was paid without asking, the newest first",
		Long:              "Payments shows the ledger: what is paid; what is reserved, because its outcome is unknown; and what was released, because it was not made.",
		Example:           "  reprise limits payments --json",
		Args:              exactly(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			if limit < 0 {
				return failure.Usagef("--limit is counted from 1, and 0 is all")
			}
			return a.withStore(cmd.Context(), func(st store.Store) error {
				all := []render.Payment{}
				for e, err := range st.Limits().Payments(cmd.Context()) {
					if err != nil {
						return err
					}
					if limit > 0 && len(all) == limit {
						break
					}
					all = append(all, render.PaymentOf(e))
				}
				if len(all) == 0 && !a.json {
					a.say("Nothing was paid without asking.")
					return nil
				}
				return a.result(all, func(render.Style) string { return render.Payments(all) })
			})
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "at most `N` of them, 0 is all")
	return cmd
}

func (a *app) limitsRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rm ID",
		Short:   "Remove a limit: a person is asked again",
		Example: "  reprise limits rm 01kb3c5n7p9q2r4s6t8v0w1x3y",
		Args:    exactly("ID"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			st, err := a.openStore(cmd.Context())
			if err != nil || len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			defer st.Close()
			var found []string
			for l, err := range st.Limits().List(cmd.Context()) {
				if err != nil || len(found) == maxCompletions {
					break
				}
				found = append(found, cobra.CompletionWithDesc(l.ID, render.LimitLine(l.Limit)))
			}
			return found, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd.Context(), func(st store.Store) error {
				if err := st.Limits().Remove(cmd.Context(), args[0]); err != nil {
					return err
				}
				return a.result(map[string]string{"removed": args[0]}, func(s render.Style) string {
					return s.Green("✓") + " Removed limit " + args[0] + ".\n"
				})
			})
		}),
	}
}

// printPaid returns a function that prints what a run has paid without asking.
func (a *app) printPaid(shown progress) func(context.Context, runner.Payment) {
	return func(ctx context.Context, p runner.Payment) {
		if line, is := shown.(interface{ Break() }); is {
			line.Break()
		}
		a.printPayment(ctx, p.Run, p.Payment, p.Left)
	}
}

// printPayment prints what was paid without asking, and what is left.
func (a *app) printPayment(ctx context.Context, run string, p store.Payment, left []store.Left) {
	a.logger().InfoContext(ctx, "paid within a limit", "run", run, "payee", p.Payee, "amount", p.Amount)
	a.say("%s", render.Paid(p, left))
}
