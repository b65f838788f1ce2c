package replayer

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/automation"
)

// Values are a source of the values of variables.
type Values interface {
	// Value returns the value of a variable: a string, number, boolean or list, or
	// an automation.Secret. ErrNoValue reports that there is none.
	Value(ctx context.Context, name string) (any, error)
}

// ErrNoValue is the error of Values that do not have a variable.
var ErrNoValue = automation.ErrNoValue

// Map is Values in memory. A plain string for a variable that is marked
// writeOnly is taken as a secret without origins of its own.
type Map map[string]any

// Value returns the value of the key.
func (m Map) Value(_ context.Context, name string) (any, error) {
	v, ok := m[name]
	if !ok {
		return nil, ErrNoValue
	}
	return v, nil
}

// First returns Values in which each variable has the value of the first source that has it.
func First(sources ...Values) Values { return first(sources) }

type first []Values

func (f first) Value(ctx context.Context, name string) (any, error) {
	for _, source := range f {
		v, err := source.Value(ctx, name)
		if !errors.Is(err, ErrNoValue) {
			return v, err
		}
	}
	return nil, ErrNoValue
}

// gather gets and checks the values of all variables, before anything is done.
func gather(ctx context.Context, vars *automation.Variables, source Values) (map[string]any, error) {
	values := map[string]any{}
	for _, name := range vars.Names() {
		v, err := lookUp(ctx, source, name)
		if errors.Is(err, ErrNoValue) {
			preset, ok := vars.Default(name)
			if !ok {
				continue
			}
			v, err = preset, nil
		}
		if err != nil {
			return nil, invalid(fmt.Errorf("variable %q: %w", name, err))
		}
		if values[name], err = vars.Seal(name, v); err != nil {
			return nil, invalid(fmt.Errorf("variable %q: %w", name, err))
		}
	}
	if err := vars.CheckValues(values); err != nil {
		return nil, invalid(err)
	}
	return values, nil
}

func lookUp(ctx context.Context, source Values, name string) (any, error) {
	if source == nil {
		return nil, ErrNoValue
	}
	return source.Value(ctx, name)
}

// value resolves a step's value; nil where it has none.
func (r *run) value(v *automation.Value) (any, error) {
	if v == nil {
		return nil, nil
	}
	resolved, err := v.Resolve(func(name string) (any, error) {
		value, ok := r.secrets.values[name]
		if !ok {
			return nil, fmt.Errorf("variable %q: missing", name)
		}
		return value, nil
	})
	if err != nil {
		return nil, &Error{Code: InvalidValue, Reason: err.Error(), Err: err}
	}
	return resolved, nil
}

// text is a value as it is typed.
func text(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case automation.Secret, []any, map[string]any, nil:
		return "", fmt.Errorf("a value of type %T cannot be typed as text", v)
	}
	return fmt.Sprint(v), nil
}

// list is a value as the options to choose.
func list(v any) ([]string, error) {
	items, isList := v.([]any)
	if !isList {
		items = []any{v}
	}
	texts := make([]string, len(items))
	for i, item := range items {
		var err error
		if texts[i], err = text(item); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func isSecret(v any) bool {
	_, secret := v.(automation.Secret)
	return secret
}
