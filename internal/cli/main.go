package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Main runs a command line and returns the exit code of the program.
func Main(args []string) int {
	cobra.EnableCommandSorting = false // they are listed as they are used
	ctx, stop := untilAsked(context.Background())
	defer stop()
	return newApp().execute(ctx, args)
}

// untilAsked returns a context that ends when the program is asked to end: by Ctrl-C,
// by SIGTERM, or because its terminal goes away. The second signal ends it at once.
func untilAsked(parent context.Context) (context.Context, func()) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(parent, signals...)
	context.AfterFunc(ctx, stop)
	// No one reads this channel. But with it, a write into a pipe that its reader has
	// closed is an error, and does not end the program before it has cleaned up.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return ctx, stop
}
