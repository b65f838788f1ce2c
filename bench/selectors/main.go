package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
)

// options are what a run is asked for.
type options struct {
	set     string
	seed    string
	only    []string
	kinds   *regexp.Regexp
	pages   *regexp.Regexp
	targets int
	workers int
	speed   bool
	parts   bool
	json    string
	dump    string
	dir     string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "selbench:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	h, err := newHarness(ctx, o)
	if err != nil {
		return err
	}
	report, err := h.measure(ctx)
	if err == nil && o.speed {
		report.speeds, err = h.speed(ctx)
	}
	if err := errors.Join(err, h.close()); err != nil {
		return err
	}
	report.print(os.Stdout)
	if err := report.writeDump(o.dump); err != nil {
		return err
	}
	return report.writeJSON(o.json)
}

func parse(args []string) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("selbench", flag.ContinueOnError)
	flags.StringVar(&o.set, "set", "held", "pages to measure on: tuning, or held, on which nothing may be tuned")
	flags.StringVar(&o.seed, "seed", "", "chooses other elements and other changes on the same pages; figures are reported on one that is new")
	flags.StringVar(&o.json, "json", "", "file to write all figures to")
	flags.StringVar(&o.dump, "dump", "", "file to write each case to that Reprise did not get right, one a line")
	flags.StringVar(&o.dir, "dir", "bench/selectors", "folder of this command's sources and pages")
	flags.IntVar(&o.targets, "targets", 12, "elements to look for on each page")
	flags.IntVar(&o.workers, "workers", 2, "pages to measure at the same time")
	flags.BoolVar(&o.speed, "speed", false, "also time generated pages of 10,000 to 100,000 nodes, one after the other")
	flags.BoolVar(&o.parts, "parts", false, "measure Reprise with parts of itself, in place of what other projects use")
	only := flags.String("only", "", "contestants to measure, with commas between them, in small letters or not; all when empty")
	kinds := flags.String("kinds", "", "regular expression of the kinds of change")
	pages := flags.String("pages", "", "regular expression of the pages")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if *only != "" {
		o.only = strings.Split(strings.ToLower(*only), ",")
	}
	var errs [2]error
	o.kinds, errs[0] = regexp.Compile(*kinds)
	o.pages, errs[1] = regexp.Compile(*pages)
	return o, errors.Join(errs[:]...)
}
