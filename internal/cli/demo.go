package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/demo"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

func (a *app) demoCommand() *cobra.Command {
	var headed, takeover bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See it work: a sign-in is recorded, and played for someone else",
		Long: `Demo serves a small site on this computer, signs in to it with real mouse and keyboard input
while the recorder watches, shows what was saved, plays it for a second account in a private
window, and asks the server who is signed in. Then it does the same with a form. No network
is touched. With --takeover an agent meets the sign-in, and a person signs in for it in the
live view, from a browser of their own; the second time no one is called.

What it saves goes to a temporary directory, unless --data or --store names another place.
It ends with 1 if anything is not as it promises.`,
		Example: `  reprise demo
  reprise demo --takeover
  reprise demo --headed --data ./flows`,
		Args:              exactly(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              a.run(func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), headed, takeover) }),
	}
	cmd.Flags().BoolVar(&takeover, "takeover", false, "see a person help an agent that meets a sign-in (default: see a recording)")
	cmd.Flags().BoolVar(&headed, "headed", false, "show the windows (default: none)")
	return cmd
}

// demoReport is a demonstration as --json prints it.
type demoReport struct {
	Data string `json:"data,omitempty"` // the directory with everything that was saved
	*demo.Result
}

func (a *app) demo(ctx context.Context, headed, takeover bool) (err error) {
	done, err := a.demoPlace()
	if err != nil {
		return err
	}
	defer func() { done(ctx, err) }()
	return a.withStore(ctx, func(st store.Store) error {
		b, err := a.openBrowser(ctx, &browser.Options{Headed: headed})
		if err != nil {
			return err
		}
		defer func() { a.warn(b.Close()) }()
		out := a.stdout
		if a.json {
			out = a.stderr // the story is for people
		}
		show := demo.Run
		if takeover {
			show = demo.Takeover
		}
		result, err := show(ctx, &demo.Options{
			Browser: b, Store: st, Dir: a.dataDir(), Out: out, Style: render.StyleOf(out), Width: render.WidthOf(out),
		})
		if err != nil {
			return err
		}
		if takeover {
			return a.result(demoReport{a.dataDir(), result}, func(s render.Style) string { return "\n" + s.Green("All of it is as promised.") + "\n" })
		}
		return a.result(demoReport{a.dataDir(), result}, a.whatNext)
	})
}

// demoPlace chooses where the demonstration stores what it makes: a new temporary directory unless
// the flags name a place. done removes it again when the demonstration was interrupted.
func (a *app) demoPlace() (done func(context.Context, error), err error) {
	if a.data != "" || a.store != "" {
		return func(context.Context, error) {}, nil
	}
	if a.data, err = os.MkdirTemp("", "reprise-demo-"); err != nil {
		return nil, err
	}
	return func(ctx context.Context, err error) {
		switch {
		case err == nil:
		case ctx.Err() != nil:
			a.warn(os.RemoveAll(a.data))
		case os.Remove(a.data) != nil: // it is not empty
			a.say("What there is until then is in %s", a.data)
		}
	}, nil
}

// whatNext tells the user where everything is, and what to do next.
func (a *app) whatNext(s render.Style) string {
	dir := a.dataDir()
	flag := "--data " + runner.Quote(dir)
	if dir == "" {
		flag = "--store " + runner.Quote(a.store)
	}
	return fmt.Sprintf(`
%s

Everything that was stored is in %s
  reprise list %s
  reprise show demo-sign-in %s

Now a flow of your own:
  reprise record https://example.com/signin --name sign-in
`, s.Green("All of it is as promised."), filepath.Join(dir, "automations")+" and next to it", flag, flag)
}
