package cli

import (
	"slices"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
)

// check finds what cannot be meant, before anything is opened.
func (o *playOptions) check(a *app) error {
	switch {
	case o.what == "" && o.url == "":
		return usagef("what is to be played? Give a NAME, a FILE or --url")
	case o.what == "-" && o.values.file == "-":
		return usagef("standard input holds the document or the values, not both")
	case o.timeout <= 0:
		return usagef("--timeout: a step needs some time, %v is none", o.timeout)
	case o.repeat < 1 || o.parallel < 1:
		return usagef("--repeat and --parallel are counted from 1")
	case !slices.Contains([]string{"ask", "allow", "refuse"}, o.commit):
		return usagef("--commit %.40s: it is ask, allow or refuse", o.commit)
	case o.seed != 0 && !o.human:
		return usagef("--seed draws the person of --human: give that, too")
	case o.step && !render.IsTerminal(a.stdin):
		return usagef("--step waits for a key, and standard input is no terminal")
	}
	for _, check := range []func() error{o.asks.check, o.checkQueue, o.checkAccept, o.checkMany, o.checkResume} {
		if err := check(); err != nil {
			return err
		}
	}
	if o.url == "" {
		return nil
	}
	var err error
	o.url, err = address(o.url)
	return err
}

func (o *playOptions) checkAccept() error {
	switch {
	case o.accept && o.what == "-":
		return usagef("--accept: what comes from standard input cannot be saved back: name a FILE")
	case o.accept && o.dryRun:
		return usagef("--accept wants a whole run: a dry run does not show that what it found does what it did")
	case o.accept && (o.from > 1 || o.until > 0 || o.resume != ""):
		return usagef("--accept wants a whole run: leave --from, --until and --resume out")
	}
	return nil
}

// checkMany keeps what is about one run from what plays many.
func (o *playOptions) checkMany() error {
	if !o.values.isTable() && o.repeat == 1 {
		if o.parallel > 1 {
			return usagef("--parallel wants several to play: a table (.csv or .jsonl) for --vars, or --repeat")
		}
		return nil
	}
	switch {
	case o.accept:
		return usagef("--accept is for one run: play it once")
	case o.resume != "":
		return usagef("--resume goes on with one run: leave --repeat out, and give the values of that run")
	case o.step && o.parallel > 1:
		return usagef("--step is for one at a time: leave --parallel out")
	}
	return nil
}

func (o *playOptions) checkResume() error {
	switch {
	case o.settled != "" && o.settled != "done" && o.settled != "not-done":
		return usagef("--settled %.40s: it is done or not-done", o.settled)
	case o.settled != "" && o.resume == "":
		return usagef("--settled says what became of a run: name it with --resume")
	case o.resume != "" && o.dryRun:
		return usagef("--resume goes on with a run, which a dry run cannot: leave --dry-run out")
	}
	return nil
}

// checkSteps holds --from and --until to the document.
func (o *playOptions) checkSteps(doc *automation.Automation) error {
	n := len(doc.Steps)
	switch {
	case o.from < 0 || o.until < 0:
		return usagef("--from and --until: steps are counted from 1")
	case o.from > n || o.until > n:
		return usagef("--from and --until: %s has %d steps", doc.Name, n)
	case o.until > 0 && o.from > o.until:
		return usagef("--from %d is after --until %d", o.from, o.until)
	}
	return nil
}
