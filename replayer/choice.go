package replayer

import (
	"fmt"
	"reflect"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// chosen fills the holes of the step's selectors: they name what is to be chosen by the values
// of variables. The selectors without holes, and the evidence, are of what was chosen when the
// step was recorded, and count only where that is chosen again.
func (c *call) chosen() error {
	if c.filled || !c.step.MayHaveHoles() {
		return nil
	}
	declared, err := c.run.automation.Declared()
	if err != nil {
		return &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	names := c.step.SelectorNames(declared)
	if len(names) == 0 {
		return nil
	}
	again := true
	for _, name := range names {
		value, err := c.run.value(&automation.Value{Kind: automation.Variable, Name: name})
		if err != nil {
			return err
		}
		if isSecret(value) {
			return &Error{Code: Refused, Reason: fmt.Sprintf("the selectors of the step would show the secret %q to the page", name)}
		}
		preset, ok := declared.Default(name)
		again = again && ok && reflect.DeepEqual(preset, value)
	}
	var paths []selectors.Path
	for _, path := range append([]selectors.Path{c.step.Selector}, c.step.Alternatives...) {
		if !again && !automation.HasHoles(path, declared) {
			continue
		}
		filled, err := automation.FillHoles(path, declared, func(name string) (string, error) { return text(c.run.secrets.values[name]) })
		if err != nil {
			return &Error{Code: InvalidValue, Reason: err.Error(), Err: err}
		}
		paths = append(paths, filled)
	}
	c.step.Selector, c.step.Alternatives = paths[0], paths[1:]
	if c.filled = true; !again {
		c.step.Fingerprint, c.step.Offset = nil, nil
	}
	return nil
}
