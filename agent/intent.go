package agent

import (
	"encoding/json"

	"github.com/go-reprise/reprise/automation"
)

// intentNote ends every tool's description.
const intentNote = ` Optional "intent": 1 to 120 characters, what this is for; it is kept in the journal. Leave the key out otherwise.`

// intentSchema is what a tool's schema says of it. The length is not among it: what is
// wrong with an intent has a code of its own.
var intentSchema = map[string]any{"type": "string", "description": "What this call is for, in 1 to 120 characters, for people who read the journal. Never used to find anything."}

// takeIntent takes the intent out of arguments; "" where there is none. The error is of
// the code InvalidIntent.
func takeIntent(fields map[string]json.RawMessage) (string, error) {
	raw, given := fields["intent"]
	if !given {
		return "", nil
	}
	delete(fields, "intent")
	const next = `say in 1 to 120 characters what the call is for, or leave the key "intent" out; nothing was done`
	var intent *string
	if err := json.Unmarshal(raw, &intent); err != nil || intent == nil {
		return "", refuse(InvalidIntent, next, "the intent is not a text")
	}
	if err := automation.CheckIntent(*intent); err != nil {
		return "", refuse(InvalidIntent, next, "%v", err)
	}
	return *intent, nil
}
