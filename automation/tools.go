package automation

import (
	"regexp"
	"slices"
)

// dotted is the name of a program's own tool.
var dotted = regexp.MustCompile(`^[a-z][a-z0-9-]*(\.[a-zA-Z][a-zA-Z0-9_-]*)+$`)

// rule says which fields of a step a tool needs and takes, by their keys in the
// document. A key that it needs one of is in anyOf.
type rule struct {
	needs, takes, anyOf []string
	args                []string // the keys of "args"; a "!" before one says that it is needed
}

var (
	// everyStep may say these, whatever its tool.
	everyStep = []string{"tool", "page", "expect", "optional", "when", "timeout", "effect", "intent", "x"}
	// target names an element; where a tool can do without one, it only takes it.
	target = []string{"frame", "selector", "alternatives", "fingerprint"}
	// point is a target at which the mouse acts.
	point = append(slices.Clone(target), "offset")
)

// tools are the tools of the format. Which of them a program can run is for its
// replayer to say; a document that names one is readable everywhere.
var tools = map[string]rule{
	"navigate":   {anyOf: []string{"url", "value"}},
	"click":      {needs: []string{"selector"}, takes: with(point, "button", "count", "hold", "modifiers")},
	"typeInput":  {needs: []string{"selector", "value"}, takes: with(target, "keys")},
	"fillForm":   {needs: []string{"args"}, takes: target, args: []string{"!fields"}},
	"keypress":   {needs: []string{"key"}, takes: target},
	"waitForNav": {takes: []string{"url"}},
	"select":     {needs: []string{"selector", "value"}, takes: target},
	"check":      {needs: []string{"selector"}, takes: with(point, "value")},
	"upload":     {needs: []string{"selector", "value"}, takes: target},
	"hover":      {needs: []string{"selector"}, takes: with(point, "modifiers")},
	"drag":       {needs: []string{"selector", "args"}, takes: with(point, "modifiers"), args: []string{"!to", "offset"}},
	"scroll":     {takes: target, anyOf: []string{"selector", "args"}, args: []string{"dx", "dy"}},
	"waitFor":    {takes: with(target, "value"), anyOf: []string{"selector", "url", "args"}, args: []string{"state", "text", "response"}},
	"assert":     {takes: with(target, "value"), anyOf: []string{"selector", "url"}, args: []string{"state", "attribute", "compare"}},
	"extract":    {needs: []string{"selector", "args"}, takes: target, args: []string{"!as", "attribute", "all"}},
	"screenshot": {takes: target, args: []string{"as", "fullPage"}},
	"dialog":     {takes: []string{"value"}, args: []string{"accept"}},
	"tab":        {needs: []string{"page"}, takes: []string{"url"}, args: []string{"action"}},
	"approve":    {needs: []string{"args"}, takes: target, args: []string{"payee", "amount", "currency", "origin"}},
	"handoff":    {args: []string{"reason", "message", "until"}},
	"run":        {needs: []string{"args"}, args: []string{"!name", "account", "values"}},
}

// ownTool is the rule of a program's tools: all they take is in "args".
var ownTool = rule{takes: []string{"args"}}

// Tools lists the names of the format's tools, sorted.
func Tools() []string {
	names := make([]string, 0, len(tools))
	for name := range tools {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func with(keys []string, more ...string) []string {
	return append(slices.Clone(keys), more...)
}

// known are all the keys that a step of this tool may have.
func (r rule) known() []string {
	all := slices.Concat(everyStep, r.needs, r.takes, r.anyOf)
	if len(r.args) > 0 {
		all = append(all, "args")
	}
	return all
}
