// Play plays a document in a browser of its own, without a window. Values are given
// as NAME=VALUE; those of secrets come from the environment, as REPRISE_NAME. With
// -commit it also does commit steps; otherwise it ends before the first.
//
//	REPRISE_PASSWORD=… go run ./examples/play sign-in.json email=ada@example.com
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
)

func main() {
	commit := flag.Bool("commit", false, "also do commit steps, such as paying (default: end before them)")
	flag.Parse()
	if flag.NArg() < 1 {
		log.Fatal("usage: play [-commit] FILE [NAME=VALUE]…")
	}
	policy := replayer.RefuseCommits
	if *commit {
		policy = replayer.AllowCommits
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := play(ctx, flag.Arg(0), flag.Args()[1:], policy); err != nil {
		log.Fatal(err)
	}
}

func play(ctx context.Context, file string, values []string, policy replayer.CommitPolicy) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	doc, err := automation.Parse(data)
	if err != nil {
		return err
	}
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	page, err := b.NewPage(ctx, "")
	if err != nil {
		return err
	}
	given := replayer.Map{}
	for _, pair := range values {
		name, value, _ := strings.Cut(pair, "=")
		given[name] = value
	}
	result, err := replayer.Play(ctx, page, doc, &replayer.Options{
		Values: replayer.First(given, environment{}),
		Commit: policy,
		OnStep: func(s replayer.StepResult) { fmt.Println(s.Index+1, s.Tool, s.Selector) },
	})
	if err != nil {
		return err // a *replayer.Error: its step, its code, and what was tried
	}
	fmt.Println("done, at", result.URL)
	return nil
}

// environment is where the values of secrets come from. Values of your own, from a
// vault or a task, are made the same way.
type environment struct{}

func (environment) Value(_ context.Context, name string) (any, error) {
	value, ok := os.LookupEnv("REPRISE_" + strings.ToUpper(name))
	if !ok {
		return nil, replayer.ErrNoValue
	}
	return automation.NewSecret(value)
}
