// Command reprise records flows in a browser, keeps them as documents that hold
// no secret, and plays them with other values. `reprise help` tells the rest.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	cobra.EnableCommandSorting = false // they are listed as they are used
	ctx, stop := untilAsked(context.Background())
	code := newApp().execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// untilAsked gives a context that ends when the program is asked to: by Ctrl-C,
// by SIGTERM, or because its terminal goes away. Who asks twice means at once.
func untilAsked(parent context.Context) (context.Context, func()) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(parent, signals...)
	context.AfterFunc(ctx, stop)
	// Nobody listens. But so, what is written into a pipe that its reader has
	// closed is an error, and not the end of the program before it has cleaned up.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return ctx, stop
}
