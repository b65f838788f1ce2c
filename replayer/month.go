package replayer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/selectors"
)

// A calendar opens with the month that it is, or with another one: as many presses as were recorded lead to the month of a day
// only from where it stood then.

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

// turnTo presses a control that turns the months of a calendar until it shows that of the day that a variable is, which may be
// as it opens. With a variable that is no date, or where no month is to be seen, it is pressed once, as it was recorded.
func (c *call) turnTo(ctx context.Context, name string) (outcome, error) {
	value, err := c.run.value(&automation.Value{Kind: automation.Variable, Name: name})
	if err != nil {
		return outcome{}, err
	}
	shown, err := c.monthsShown(ctx, nil)
	if err != nil {
		return outcome{}, err
	}
	text, _ := value.(string)
	day, err := time.Parse(time.DateOnly, text)
	away, isCalendar := monthsTo(day, shown)
	if err != nil || !isCalendar {
		return c.press(ctx, requestFor(c.step, "click"))
	}
	if away == 0 {
		return outcome{skipped: "the calendar shows the month of " + text}, nil
	}
	out, err := c.press(ctx, requestFor(c.step, "click"))
	for turns := 1; err == nil && !out.stop; turns++ {
		was := away
		if shown, err = c.monthsShown(ctx, shown); err != nil {
			return out, err
		}
		if away, isCalendar = monthsTo(day, shown); away == 0 || !isCalendar {
			return out, nil
		}
		if abs(away) >= abs(was) || turns == maxTurns {
			return out, &Error{Code: Changed, Reason: fmt.Sprintf("the calendar shows %s, and this does not lead to %s", strings.Join(shown, " and "), text)}
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

// turnToChosen has the calendar in which a step chooses a day show the month of that, where it does not, by what turns it: no
// press on that needs to have been recorded. What turns by how many months, and back or on, is seen as it is pressed.
func (c *call) turnToChosen(ctx context.Context) error {
	day, err := time.Parse(time.DateOnly, c.day)
	if err != nil || c.kin == nil || c.dry {
		return nil
	}
	shown, err := c.calendarShown(ctx, nil)
	steps := map[string]int{} // by what turns, of months
	for turns := 0; err == nil; turns++ {
		away, isCalendar := monthsTo(day, shown.Months)
		if shown.Done || !isCalendar || away == 0 {
			return nil
		}
		by := turner(shown.Turners, steps, away)
		if by == "" || turns == maxTurns {
			return &Error{Code: Changed, Reason: fmt.Sprintf("the calendar shows %s, and nothing was found that leads to %s", strings.Join(shown.Months, " and "), day.Format(time.DateOnly))}
		}
		if err := c.turnBy(ctx, by); err != nil {
			return err
		}
		was := shown
		if shown, err = c.calendarShown(ctx, was.Months); err == nil && !shown.Done {
			from, _ := monthsTo(day, was.Months[:1])
			to, _ := monthsTo(day, shown.Months[:min(1, len(shown.Months))])
			steps[by] = from - to
		}
	}
	if ctx.Err() != nil {
		return err
	}
	return nil // the press says what is missing
}

// turnBy presses what turns a calendar.
func (c *call) turnBy(ctx context.Context, by string) error {
	path, err := selectors.ParsePath(by)
	if err != nil {
		return err
	}
	return c.part(ctx, automation.Step{Tool: "click", Selector: path, Page: c.step.Page, Frame: c.step.Frame, FrameAlternatives: c.step.FrameAlternatives})
}

// turner is what leads closer to a month that is so many away: what is known to, or else what was not pressed yet, from the side
// to which it should lead. "" for nothing.
func turner(all []string, steps map[string]int, away int) string {
	best, left := "", abs(away)
	for _, by := range all {
		if step, isKnown := steps[by]; isKnown && abs(away-step) < left {
			best, left = by, abs(away-step)
		}
	}
	if best != "" {
		return best
	}
	all = slices.Clone(all)
	if away > 0 {
		slices.Reverse(all)
	}
	for _, by := range all {
		if _, isKnown := steps[by]; !isKnown {
			return by
		}
	}
	return ""
}

// calendarShown is the calendar in which a step chooses a day, or done where it shows that day or is none; with months, once it
// shows others, or after some time.
func (c *call) calendarShown(ctx context.Context, months []string) (found, error) {
	req := requestFor(c.step, "calendar")
	if months == nil {
		return c.ready(ctx, req)
	}
	req.Value = strings.Join(months, ",")
	bounded, cancel := load.WithTimeout(ctx, turnsWithin)
	defer cancel()
	at, err := c.ready(bounded, req)
	if bounded.Err() != nil && ctx.Err() == nil {
		req.Value = ""
		return c.ready(ctx, req)
	}
	return at, err
}

// monthsTo is how many months a day is after the closest of those that are shown, or before it where that is negative; false
// where none is shown.
func monthsTo(day time.Time, shown []string) (int, bool) {
	var away []int
	for _, text := range shown {
		if month, err := time.Parse(yearAndMonth, text); err == nil {
			away = append(away, 12*(day.Year()-month.Year())+int(day.Month()-month.Month()))
		}
	}
	if len(away) == 0 {
		return 0, false
	}
	return slices.MinFunc(away, func(one, other int) int { return abs(one) - abs(other) }), true
}

func abs(n int) int { return max(n, -n) }
