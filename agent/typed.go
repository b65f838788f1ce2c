package agent

import (
	"context"
	"encoding/json"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
)

// What is typed: into which fields it goes, and what the journal has of it.

// form makes the fields of a fillForm.
func (b *building) form(ctx context.Context, raw json.RawMessage) ([]map[string]any, error) {
	var given []struct{ Target, Frame, Value json.RawMessage }
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, refuse(InvalidArguments, argumentsNext, "fields does not fit")
	}
	var fields []map[string]any
	for _, g := range given {
		part := automation.Step{Tool: "typeInput"}
		b.about = nil
		if err := b.target(ctx, &part, g.Target, g.Frame); err != nil {
			return nil, err
		}
		value, err := asValue(g.Value)
		if err != nil {
			return nil, refuse(InvalidArguments, argumentsNext, "a value of fields does not fit")
		}
		field := map[string]any{"selector": part.Selector, "value": written(value)}
		if len(part.Frame) > 0 {
			field["frame"] = part.Frame
		}
		if len(part.Alternatives) > 0 {
			field["alternatives"] = part.Alternatives
		}
		if part.Fingerprint != nil {
			field["fingerprint"] = part.Fingerprint
		}
		fields = append(fields, field)
		element := replayer.Element{Step: part, Secret: true} // until somebody has looked
		if b.about != nil {
			element = *b.about
		} else if found, err := b.tools.Look(ctx, part); err != nil {
			return nil, err
		} else if found != nil {
			element = *found
		}
		b.parts = append(b.parts, element)
	}
	b.about = nil
	b.tellForm(given)
	return fields, nil
}

// look looks at the field that is about to be typed into: what goes into one that holds a
// secret is told nowhere. What nobody has seen counts as one.
func (b *building) look(ctx context.Context, step automation.Step) error {
	recorded := b.call.session.recording != nil && b.tool.isRecorded
	types := b.tool.name == "typeInput"
	if !types && !recorded || len(step.Selector) == 0 {
		return nil
	}
	if b.about == nil {
		found, err := b.tools.Look(ctx, step)
		if err != nil {
			return err
		}
		b.about = found
	}
	if !types || step.Value == nil || step.Value.Kind != automation.Literal {
		return nil
	}
	if b.about != nil && !b.about.Secret {
		return nil
	}
	b.secret = true
	b.call.told = masked(b.call.told, "value")
	return b.call.session.learnLiteral(step.Value.Value)
}

// tellForm has the journal told of a form without what goes into fields that hold secrets.
func (b *building) tellForm(given []struct{ Target, Frame, Value json.RawMessage }) {
	var told map[string]any
	if json.Unmarshal(b.call.told, &told) != nil {
		b.call.told = nil
		return
	}
	fields, _ := told["fields"].([]any)
	for i, element := range b.parts {
		value, err := asValue(given[i].Value)
		if !element.Secret || err != nil || value.Kind != automation.Literal || i >= len(fields) {
			continue
		}
		asMap(fields[i])["value"] = covered
		if b.call.session.learnLiteral(given[i].Value) != nil {
			b.call.told = nil
			return
		}
	}
	data, err := json.Marshal(told)
	if err != nil {
		data = nil
	}
	b.call.told = data
}

// covered stands where a secret stood.
const covered = "[secret]"

func masked(args json.RawMessage, key string) json.RawMessage {
	var fields map[string]any
	if json.Unmarshal(args, &fields) != nil {
		return nil
	}
	fields[key] = covered
	data, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return data
}

// learnLiteral notes a text that an agent has typed into a field that holds a secret.
func (s *session) learnLiteral(raw json.RawMessage) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil
	}
	secret, err := automation.NewSecret(text)
	if err != nil {
		return err
	}
	s.learn(secret)
	s.tools.Know(s.known()...)
	return nil
}
