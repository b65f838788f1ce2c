package replayer

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// chosen fills the holes of the step's selectors: they name what is to be chosen by the values
// of variables. The selectors without holes, and the evidence, are of what was chosen when the
// step was recorded, and count only where that is chosen again; of another, they tell the kind.
func (c *call) chosen() error {
	if c.filled || !c.step.MayHaveHoles() {
		return nil
	}
	declared := c.run.declared
	fill := func(path selectors.Path) (selectors.Path, error) {
		filled, err := automation.FillHoles(path, declared, func(name string) (string, error) { return text(c.run.secrets.values[name]) })
		if err != nil {
			return nil, &Error{Code: InvalidValue, Reason: err.Error(), Err: err}
		}
		return filled, nil
	}
	again, err := c.again(c.step.SelectorNames(declared))
	if err != nil {
		return err
	}
	if to := c.step.DragTo(); automation.HasHoles(to, declared) {
		if _, err := c.again(automation.HolesIn(to, declared)); err != nil {
			return err
		}
		if to, err = fill(to); err != nil {
			return err
		}
		if c.step, err = c.step.WithDragTo(to); err != nil {
			return err
		}
	}
	if len(c.step.SelectorNames(declared)) == 0 {
		c.filled = true
		return nil
	}
	var paths []selectors.Path
	recorded := c.step
	for _, path := range append([]selectors.Path{c.step.Selector}, c.step.Alternatives...) {
		if !again && !automation.HasHoles(path, declared) {
			continue
		}
		filled, err := fill(path)
		if err != nil {
			return err
		}
		paths = append(paths, filled)
	}
	c.step.Selector, c.step.Alternatives = paths[0], paths[1:]
	// What else a row said, and where it stood, may be another's by now.
	isSaid := automation.HasHoles(recorded.Selector, declared)
	isOfWords := len(recorded.Selector) == 1 && recorded.Selector[0].Kind == selectors.Text
	c.filled, c.said = true, again && isSaid && (len(recorded.Selector) > 1 || recorded.Selector[0].Kind == selectors.Aria)
	if again && isSaid && isOfWords {
		c.kin = kinOf(&recorded)
	}
	if !again {
		if c.kin = kinOf(&recorded); c.kin != nil && len(recorded.Selector) > 1 {
			c.kin.sameControl = !automation.HasHoles(recorded.Selector[len(recorded.Selector)-1:], declared)
		}
		if c.kin != nil {
			c.kin.Begins = begins(&recorded, declared)
		}
		if c.step.Fingerprint = nil; c.kin == nil || !c.kin.sameControl { // else it is pressed where it was, as on a picture in a cell
			c.step.Offset = nil
		}
	}
	return nil
}

// again looks up variables of which selectors have holes, and reports whether all are as they were recorded. A day is not: its
// calendar may show another month, which has a day at its place that looks like it.
func (c *call) again(names []string) (bool, error) {
	again := true
	for _, name := range names {
		value, err := c.run.value(&automation.Value{Kind: automation.Variable, Name: name})
		if err != nil {
			return false, err
		}
		if isSecret(value) {
			return false, &Error{Code: Refused, Reason: fmt.Sprintf("the selectors of the step would show the secret %q to the page", name)}
		}
		if isDate(value) {
			c.day, _ = value.(string)
		}
		preset, ok := c.run.declared.Default(name)
		again = again && ok && reflect.DeepEqual(preset, value) && !isDate(value)
	}
	return again, nil
}

// kin is what another choice has in common with the one that was recorded: which of the elements
// that say its words is of the list, and not the control that opened it.
type kin struct {
	Key    string            `json:"key"`
	Tag    string            `json:"tag"`
	Role   string            `json:"role,omitempty"`
	Own    map[string]string `json:"own,omitempty"`
	Shapes []string          `json:"shapes,omitempty"` // where elements of the list stand, in whatever position
	Places []string          `json:"places,omitempty"` // what the boxes around them say of themselves
	Rise   int               `json:"rise,omitempty"`   // as in [selectors.Fingerprint]
	Told   string            `json:"told,omitempty"`   // the same
	Whole  bool              `json:"whole,omitempty"`  // the same
	Above  string            `json:"above,omitempty"`  // what the boxes around it are called, hashed
	Turns  []int             `json:"turns,omitempty"`  // which of those of its tag in its box it was, and then each box around it
	Begins bool              `json:"begins,omitempty"` // it began with what was typed, as "later" with "lat"
	Group  string            `json:"group,omitempty"`  // a CSS selector of the radio buttons that it is one of

	sameControl bool   // of another row: what is chosen names the row alone
	row         string // what the row said that was chosen when the step was recorded, hashed
}

// chosenRow are the hashed words of a row, and of the one that was chosen when the step was recorded. What is used
// later may repeat them: "Delete pigs@farm.example" is that of the row Pigs.
type chosenRow struct {
	Was string `json:"was"`
	Is  string `json:"is"`
}

// maxChosenRows are remembered, the last ones.
const maxChosenRows = 8

// noteRow remembers a row that was chosen in place of another one.
func (c *call) noteRow(is string) {
	if c.kin == nil || c.kin.row == "" || is == "" || is == c.kin.row {
		return
	}
	row := chosenRow{Was: c.kin.row, Is: is}
	if !slices.Contains(c.run.rows, row) {
		c.run.rows = append(c.run.rows, row)
	}
	c.run.rows = c.run.rows[max(0, len(c.run.rows)-maxChosenRows):]
}

// begins reports whether what was chosen when a step was recorded began with what was typed for it.
func begins(recorded *automation.Step, declared *automation.Variables) bool {
	words := recorded.Selector[len(recorded.Selector)-1].Words()
	return words != "" && slices.ContainsFunc(recorded.SelectorNames(declared), func(name string) bool {
		typed, _ := declared.Default(name)
		text, _ := typed.(string)
		return text != "" && len(text) < len(words) && strings.EqualFold(words[:len(text)], text)
	})
}

var (
	position = regexp.MustCompile(`\[\d+\]|:nth-of-type\(\d+\)`)
	ofGroup  = regexp.MustCompile(`^(input\[name="(?:[^"\\]|\\.)*"\])\[value=`)
	ofRecord = regexp.MustCompile(`@id="[^"]*\d`) // an identifier with a number is of one record of several
)

// kinOf returns it for a step as it was recorded, nil where there is no evidence.
func kinOf(step *automation.Step) *kin {
	print := step.Fingerprint
	if print == nil || print.Tag == "" {
		return nil
	}
	k := &kin{Key: print.Key, Tag: print.Tag, Role: print.Role, Own: map[string]string{}, Rise: print.Rise, Told: print.Told, Whole: print.Whole, Above: print.Around["above"], row: print.Around["row"] + print.Around["before"] + print.Around["after"]}
	for _, feature := range []string{"class", "inner"} {
		if own := print.Own[feature]; own != "" {
			k.Own[feature] = own
		}
	}
	for _, path := range append([]selectors.Path{step.Selector}, step.Alternatives...) {
		if len(path) != 1 || ofRecord.MatchString(path[0].Body) {
			continue
		}
		if group := ofGroup.FindStringSubmatch(path[0].Body); group != nil && path[0].Kind == selectors.CSS && print.Role == "radio" {
			k.Group = group[1]
		}
		where := position.ReplaceAllString(path[0].Body, "")
		switch {
		case path[0].Kind == selectors.XPath:
			k.Shapes, k.Turns = append(k.Shapes, "xpath/"+where), turnsOf(path[0].Body)
		case path[0].Kind == selectors.CSS && strings.Contains(where, " > "):
			k.Places = append(k.Places, where)
		}
	}
	return k
}

var turn = regexp.MustCompile(`^[\w-]+(?:\[(\d+)\])?$`)

// turnsOf lists the positions in an XPath, from its end up to what is known otherwise.
func turnsOf(xpath string) (turns []int) {
	for _, part := range slices.Backward(strings.Split(xpath, "/")) {
		found := turn.FindStringSubmatch(part)
		if found == nil {
			break
		}
		at, err := strconv.Atoi(found[1])
		if err != nil {
			at = 1
		}
		turns = append(turns, at)
	}
	return turns
}
