package replayer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/load"
)

// A calendar opens with the month that it is, or with another one: the presses that were recorded lead to the month of a day
// from where it stood then. So the months are turned until the one is shown that the day is of.

const (
	// maxTurns is how many months are turned at most: ten years.
	maxTurns = 120

	// turnsWithin is how long a calendar may take to show another month.
	turnsWithin = 2 * time.Second

	yearAndMonth = "2006-01"
)

func isDate(value any) bool {
	text, is := value.(string)
	_, err := time.Parse(time.DateOnly, text)
	return is && err == nil
}

// dayAhead is the day that is chosen next in a calendar, after this press and others of the same control; zero for none.
// It also reports whether this is the last of them.
func (c *call) dayAhead() (day time.Time, isLast bool) {
	if c.run.isSession || c.isPart || c.dry {
		return time.Time{}, false
	}
	steps, next := c.run.automation.Steps, c.index+1
	pressed := steps[c.index].Selector
	for next < len(steps) && steps[next].Tool == "click" && slices.Equal(steps[next].Selector, pressed) {
		next++
	}
	if next == len(steps) || steps[next].Tool != "click" || steps[next].Page != c.step.Page || len(steps[next].Selector) != 1 {
		return time.Time{}, false
	}
	names := automation.HolesIn(steps[next].Selector, c.run.declared)
	if len(names) != 1 || automation.HasHoles(pressed, c.run.declared) {
		return time.Time{}, false
	}
	value, err := c.run.value(&automation.Value{Kind: automation.Variable, Name: names[0]})
	text, is := value.(string)
	if err != nil || !is {
		return time.Time{}, false
	}
	day, _ = time.Parse(time.DateOnly, text) // zero for what is no date
	return day, next == c.index+1
}

// turnTo presses a control that turns the months of a calendar, as far as the day is away; once where others follow. One
// that turns no months is pressed as it was recorded.
func (c *call) turnTo(ctx context.Context, day time.Time, isLast bool) (outcome, error) {
	shown, err := c.monthsShown(ctx, nil)
	if err != nil {
		return outcome{}, err
	}
	away := monthsTo(day, shown)
	if len(shown) > 0 && away == 0 {
		return outcome{skipped: "the calendar shows the month of the day that is chosen next"}, nil
	}
	out, err := c.press(ctx, requestFor(c.step, "click"))
	for turns := 1; err == nil && len(shown) > 0 && !out.stop && (isLast || turns == 1); turns++ {
		before := shown
		if shown, err = c.monthsShown(ctx, before); err != nil || len(shown) == 0 || slices.Equal(shown, before) {
			break
		}
		was := away
		if away = monthsTo(day, shown); away == 0 || !isLast {
			break
		}
		if max(away, -away) >= max(was, -was) || turns == maxTurns {
			return out, &Error{Code: Changed, Reason: fmt.Sprintf("the calendar shows %s, and this leads away from %s", strings.Join(shown, " and "), day.Format(time.DateOnly))}
		}
		err = c.part(ctx, c.step)
	}
	return out, err
}

// monthsShown are the months that the calendar shows around a control; with those before, once it shows others, or after some time.
func (c *call) monthsShown(ctx context.Context, before []string) ([]string, error) {
	req := requestFor(c.step, "months")
	if before == nil {
		at, err := c.ready(ctx, req)
		return at.Months, err
	}
	req.Value = strings.Join(before, ",")
	bounded, cancel := load.WithTimeout(ctx, turnsWithin)
	defer cancel()
	at, err := c.ready(bounded, req)
	if bounded.Err() != nil && ctx.Err() == nil {
		return before, nil
	}
	return at.Months, err
}

// monthsTo is how many months a day is after those that are shown, or before them where that is negative.
func monthsTo(day time.Time, shown []string) int {
	least := 0
	for i, text := range shown {
		month, err := time.Parse(yearAndMonth, text)
		if err != nil {
			continue
		}
		away := 12*(day.Year()-month.Year()) + int(day.Month()) - int(month.Month())
		if i == 0 || max(away, -away) < max(least, -least) {
			least = away
		}
	}
	return least
}
