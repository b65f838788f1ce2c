package agent

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// lone is a tool of the registry as an agent calls it, by itself.
type registered struct {
	name       string // in the registry
	as         string // what an agent calls it; "" is the same with _ between its words
	does       string
	takes      map[string]any
	needs      []string
	args       []string // of what it takes, what stands in a step's "args"
	values     bool     // it takes a value, which may be a variable's
	reads      bool     // it changes nothing
	mayCommit  bool     // what it presses may pay, order, send or delete
	isRecorded bool     // record_start keeps it as a step
}

// What tools take.
var (
	targetSchema = map[string]any{
		"description": `An element: a reference of a snapshot ("d1e5"), or a selector (CSS, or aria/Name[role="button"], text/…, xpath/…); several are looked up each in the shadow root of the one before.`,
		"anyOf":       []any{map[string]any{"type": "string", "minLength": 1, "maxLength": 4096}, map[string]any{"type": "array", "minItems": 1, "maxItems": 16, "items": map[string]any{"type": "string", "minLength": 1, "maxLength": 4096}}},
	}
	frameSchema = map[string]any{"type": "array", "maxItems": 16, "items": map[string]any{"type": "string", "minLength": 1, "maxLength": 4096}, "description": "With a selector: those of the frames that it is in, outermost first. A reference needs none."}
	tabSchema   = map[string]any{"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{0,50}$", "description": "The name of the tab; the first has none."}
	timeSchema  = map[string]any{"type": "string", "pattern": "^[0-9]{1,4}(ms|s)$", "description": "How long it may take, such as 10s."}
	valueSchema = map[string]any{
		"description": `The value; {"variable": "password"} is one that you do not see, of the task or stored for the account.`,
		"anyOf": []any{
			map[string]any{"type": []string{"string", "boolean", "number"}},
			map[string]any{"type": "array", "maxItems": 200, "items": map[string]any{"type": "string"}},
			object(map[string]any{"variable": map[string]any{"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"}}, "variable"),
		},
	}
	textSchema   = map[string]any{"type": "string", "minLength": 1, "maxLength": 10_000}
	flagSchema   = map[string]any{"type": "boolean"}
	wheelSchema  = map[string]any{"type": "number", "minimum": -100_000, "maximum": 100_000}
	stateSchema  = map[string]any{"enum": automation.States}
	globSchema   = map[string]any{"type": "string", "minLength": 1, "maxLength": 2048, "description": "host[:port][/path], * is within a part, ** whole parts."}
	moreSchema   = map[string]any{"type": "array", "uniqueItems": true, "items": map[string]any{"enum": []string{"Alt", "Control", "Meta", "Shift"}}}
	offsetSchema = object(map[string]any{"x": map[string]any{"type": "number", "minimum": 0, "maximum": 1}, "y": map[string]any{"type": "number", "minimum": 0, "maximum": 1}}, "x", "y")
)

// registry are the format's tools that an agent calls one by one. Those that it leaves
// out are for documents: run has tools of its own here, and approve and handoff are for
// a person to be called by.
var registry = []registered{
	{name: "navigate", does: "Goes to an address (http or https).", isRecorded: true,
		takes: map[string]any{"url": map[string]any{"type": "string", "minLength": 1, "maxLength": 8192}}, needs: []string{"url"}},
	{name: "click", does: "Presses an element, when it can be seen, is enabled and stands still. What pays, orders, sends or deletes is refused without leave.", mayCommit: true, isRecorded: true,
		takes: onTarget(map[string]any{"button": map[string]any{"enum": []string{"left", "middle", "right"}}, "count": map[string]any{"type": "integer", "minimum": 1, "maximum": 3}, "modifiers": moreSchema, "offset": offsetSchema}), needs: []string{"target"}},
	{name: "typeInput", does: "Makes a text what a field holds.", values: true, isRecorded: true,
		takes: onTarget(map[string]any{"value": valueSchema, "keys": map[string]any{"type": "boolean", "description": "Key by key, for pages that listen to keys."}}), needs: []string{"target", "value"}},
	{name: "fillForm", does: "Fills several fields, each as what it is: texts, boxes (true, false), lists, files.", values: true, isRecorded: true, args: []string{"fields"},
		takes: map[string]any{"fields": map[string]any{"type": "array", "minItems": 1, "maxItems": 100, "items": object(map[string]any{"target": targetSchema, "frame": frameSchema, "value": valueSchema}, "target", "value")}}, needs: []string{"fields"}},
	{name: "keypress", does: `Presses a key, such as Enter or Control+A, where the focus is, or in an element.`, mayCommit: true, isRecorded: true,
		takes: onTarget(map[string]any{"key": map[string]any{"type": "string", "minLength": 1, "maxLength": 100}}), needs: []string{"key"}},
	{name: "waitForNav", does: "Waits until the tab has gone to an address.", reads: true, isRecorded: true, takes: map[string]any{"url": globSchema}, needs: []string{"url"}},
	{name: "select", does: "Chooses options of a list, by their words or values.", values: true, isRecorded: true, takes: onTarget(map[string]any{"value": valueSchema}), needs: []string{"target", "value"}},
	{name: "check", does: "Sets a box, a radio or a switch; value false clears it.", values: true, mayCommit: true, isRecorded: true, takes: onTarget(map[string]any{"value": valueSchema}), needs: []string{"target"}},
	{name: "upload", as: "file_upload", does: "Gives files to a field, or drops them on an element. Only files of the folders that a person has allowed.", values: true, isRecorded: true,
		takes: onTarget(map[string]any{"value": valueSchema}), needs: []string{"target", "value"}},
	{name: "hover", does: "Has the mouse come over an element.", isRecorded: true, takes: onTarget(map[string]any{"offset": offsetSchema, "modifiers": moreSchema}), needs: []string{"target"}},
	{name: "drag", as: "drag_drop", does: "Drags an element to another.", mayCommit: true, isRecorded: true, args: []string{"to"},
		takes: onTarget(map[string]any{"to": targetSchema, "offset": offsetSchema, "modifiers": moreSchema}), needs: []string{"target", "to"}},
	{name: "scroll", does: "Brings an element into view, or turns the wheel by dx and dy over it, or over the page.", args: []string{"dx", "dy"}, takes: onTarget(map[string]any{"dx": wheelSchema, "dy": wheelSchema})},
	{name: "waitFor", does: "Waits for an element to be in a state, for a text, or for an address.", reads: true, isRecorded: true, args: []string{"state", "text"},
		takes: onTarget(map[string]any{"state": stateSchema, "text": textSchema, "url": globSchema})},
	{name: "assert", does: "Holds an element, or the address, to what it should be; an error says that it is not.", reads: true, isRecorded: true, args: []string{"state", "attribute", "compare"},
		takes: onTarget(map[string]any{"url": globSchema, "value": valueSchema, "state": stateSchema, "attribute": textSchema, "compare": map[string]any{"enum": automation.Comparisons}})},
	{name: "extract", does: "Reads an element, or all that are named alike. A field that holds a secret is never read.", reads: true, isRecorded: true, args: []string{"as", "attribute", "all"},
		takes: onTarget(map[string]any{"as": map[string]any{"type": "string", "minLength": 1, "maxLength": 64, "description": "The name under which it is given."}, "attribute": textSchema, "all": flagSchema}), needs: []string{"target", "as"}},
	{name: "screenshot", does: "Takes a picture of the page; what is secret is covered. A snapshot costs less and is what other tools use.", reads: true, args: []string{"fullPage"},
		takes: onTarget(map[string]any{"full_page": flagSchema})},
	{name: "dialog", does: "Says how the next dialog of the page is answered.", isRecorded: true, args: []string{"accept"},
		takes: map[string]any{"accept": flagSchema, "value": map[string]any{"type": "string", "maxLength": 10_000, "description": "What a prompt is answered with."}}},
	{name: "tab", does: "Opens, shows or closes a tab, by a name of yours.", isRecorded: true, args: []string{"action"},
		takes: map[string]any{"action": map[string]any{"enum": automation.TabActions}, "url": map[string]any{"type": "string", "minLength": 1, "maxLength": 8192}}, needs: []string{"tab"}},
}

// leftOut are the tools of the format that no agent calls one by one.
var leftOut = []string{"approve", "handoff", "run"}

func onTarget(more map[string]any) map[string]any {
	all := map[string]any{"target": targetSchema, "frame": frameSchema}
	maps.Copy(all, more)
	return all
}

// tools are those of the registry, for an agent: the format's and the program's own.
func (s *Server) registered() ([]*tool, error) {
	var all []*tool
	for _, r := range registry {
		properties := map[string]any{"tab": tabSchema, "timeout": timeSchema}
		maps.Copy(properties, r.takes)
		if r.values {
			properties["task"], properties["account"] = taskSchema, accountSchema(nil)
		}
		if r.name == "navigate" {
			properties = s.takesLogin(properties)
		}
		as := r.as
		if as == "" {
			as = snake(r.name)
		}
		all = append(all, &tool{
			name: as, title: strings.ReplaceAll(as, "_", " "), does: r.does, schema: object(properties, r.needs...),
			readOnly: r.reads, destructive: r.mayCommit, page: true, do: r.do,
		})
	}
	for _, name := range s.options.Tools.Names() {
		if slices.Contains(automation.Tools(), name) {
			continue
		}
		own, err := s.ownTool(name)
		if err != nil {
			return nil, err
		}
		all = append(all, own)
	}
	return all, nil
}

// ownTool is one of the program's own.
func (s *Server) ownTool(name string) (*tool, error) {
	data, err := s.options.Tools.Schema(name)
	if err != nil {
		return nil, err
	}
	var schema struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		return nil, err
	}
	r := registered{name: name, isRecorded: true}
	properties := map[string]any{"args": alone(asMap(schema.Properties["args"])), "tab": tabSchema, "timeout": timeSchema}
	does := "A tool of this program: " + name + "."
	if said := s.options.Tools.Description(name); said != "" {
		does = said
	}
	return &tool{name: name, title: name, does: does, schema: object(properties), destructive: true, page: true, do: r.do}, nil
}
