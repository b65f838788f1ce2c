package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/doctor"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/notify"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check what is installed, and say what is missing",
		Long: `Doctor checks the settings file, looks for Chrome, starts it and opens a page, looks whether
its sandbox is on, whether a window could be shown, whether browsers can outlive their process,
whether the data directory can be written and has room, whether all documents in it can
be read, whether the keyring or key file answers, and whether the Telegram bot and the desktop
that people are told by do; it names logins that are over, and browsers that are held. Of a
service that rents browsers out it checks the key, and opens no session, which would cost. It
ends with 1 if something does not work.`,
		Example: `  reprise doctor
  reprise doctor --browser http://localhost:9222 --json`,
		Args:              exactly(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              a.runUnset(func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context()) }),
	}
}

func (a *app) doctor(ctx context.Context) error {
	if _, err := a.storeAddress(); err != nil {
		return err
	}
	wrongSettings := a.readSettings()
	style := render.StyleOf(a.stdout)
	checks, failed := []doctor.Check{}, false
	options := &doctor.Options{
		Endpoint: a.endpoint(), Dir: a.dataDir(), OpenStore: a.openStore, Display: hasDisplay(),
		SettingsFile: a.config.File, SettingsError: wrongSettings,
	}
	options.Keys, options.KeysError = a.keyPlace()
	if options.Telegram, options.NotifyError = a.telegram(ctx); a.config.Notify.Desktop {
		options.Desktop = notify.NewDesktop(nil)
	}
	if a.rents() {
		rented, err := a.provider()
		if err != nil {
			return err
		}
		options.Service = rented
	}
	doctor.Run(ctx, options, func(c doctor.Check) {
		checks = append(checks, c)
		failed = failed || c.State == doctor.Fail
		if !a.json {
			printCheck(a, style, c)
		}
	})
	var wrong, printing error
	if failed {
		wrong = errors.New("something does not work")
	}
	if a.json {
		printing = a.printJSON(map[string]any{"ok": !failed, "checks": checks})
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return failure.Printed(wrong, printing)
}

func printCheck(a *app, style render.Style, c doctor.Check) {
	mark := map[doctor.State]string{
		doctor.OK: style.Green("ok  "), doctor.Warn: style.Yellow("warn"), doctor.Fail: style.Red("fail"),
	}[c.State]
	fmt.Fprintf(a.stdout, "%s  %-9s  %s\n", mark, c.Name, c.Detail)
	if c.Advice != "" {
		fmt.Fprintf(a.stdout, "                 %s\n", style.Dim(c.Advice))
	}
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "version",
		Short:             "Print the version",
		Long:              `Version prints the version of Reprise, of Go, and of the document format that it writes.`,
		Example:           `  reprise version --json`,
		Args:              exactly(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.runUnset(func(*cobra.Command, []string) error {
			v := versionOf()
			return a.result(v, func(render.Style) string {
				return fmt.Sprintf("reprise %s, document format %d, %s, %s\n", v.Version, v.Format, v.Go, v.System)
			})
		}),
	}
}

type versionReport struct {
	Version string `json:"version"`
	Format  int    `json:"format"`
	Go      string `json:"go"`
	System  string `json:"system"`
}

func versionOf() versionReport {
	v := versionReport{"unknown", automation.Format, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	return v
}
