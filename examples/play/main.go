// Play plays an automation by its name:
//
//	PASSWORD=… go run ./examples/play -data ./flows -name example email=ada@example.com password=$PASSWORD
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"strings"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func main() {
	data := flag.String("data", "", "directory where it is kept (default: the user's data directory)")
	name := flag.String("name", "example", "name that it is kept under")
	flag.Parse()
	if err := play(context.Background(), *data, *name, values(flag.Args())); err != nil {
		log.Fatal(err)
	}
}

// values reads name=value pairs.
func values(args []string) replayer.Map {
	m := replayer.Map{}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		m[name] = value
	}
	return m
}

func play(ctx context.Context, data, name string, values replayer.Map) error {
	kept, err := store.Open(ctx, data)
	if err != nil {
		return err
	}
	defer kept.Close()
	a, err := kept.Automations().Get(ctx, name, "")
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
	result, err := replayer.Play(ctx, page, a, &replayer.Options{
		Values: values,
		OnStep: func(s replayer.StepResult) { fmt.Println(s.Index+1, s.Tool, s.Selector, s.Skipped) },
	})
	if err != nil {
		return err
	}
	fmt.Println("done, at", result.URL)
	return nil
}
