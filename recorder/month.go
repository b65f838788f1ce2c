package recorder

import (
	"encoding/json"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// A calendar is what was done in one: its months are turned by pressing one control, and then a day is chosen.
type calendar struct {
	steps   int            // that there were so far
	turning []int          // those that have just pressed the same control of it, one after the other
	by      string         // the selector of that
	months  string         // that it showed before
	turns   map[int]string // by the step that turns them, the variable of the day that is to be seen
}

func (c *calendar) pressed(step *automation.Step, el *element) {
	isOf := step.Tool == "click" && el.months != "" && el.date == "" && el.day == ""
	if by := step.Selector.String(); !isOf || by != c.by {
		c.turning, c.by, c.months = nil, by, el.months
	}
	if isOf {
		c.turning = append(c.turning, c.steps)
	}
}

// hasTurnedTo reports whether a day is of another month than was shown before: at another time that is more or fewer presses
// away.
func (c *calendar) hasTurnedTo(el *element) bool {
	return len(c.turning) > 0 && el.day+el.date != "" && el.months != c.months
}

// note has what was pressed turn to the month of the day that a step chooses by a variable.
func (c *calendar) note(step *automation.Step, declared []offered) {
	for _, v := range declared {
		text, _ := v.value.(string)
		if dateOf(text) == "" || !strings.Contains(step.Selector.String(), said{name: v.name}.hole()) {
			continue
		}
		for _, i := range c.turning {
			if c.turns == nil {
				c.turns = map[int]string{}
			}
			c.turns[i] = v.name
		}
	}
}

// fill puts into the steps of a document what they turn to.
func (c *calendar) fill(steps []automation.Step) error {
	for i, name := range c.turns {
		args, err := json.Marshal(map[string]string{"turnTo": name})
		if err != nil {
			return err
		}
		steps[i].Args = args
	}
	return nil
}
