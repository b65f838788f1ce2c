package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
)

func byName(a, b *automation.Automation) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Match.Account, b.Match.Account))
}

// signature tells one state of an automation's documents from another.
func signature(documents []*automation.Automation) string {
	var b strings.Builder
	for _, a := range documents {
		fmt.Fprintf(&b, "%q %d %p\n", a.Match.Account, a.Revision, a)
	}
	return b.String()
}

// runTool is the tool of an automation, for all accounts that there are documents for.
func (s *Server) runTool(name string, documents []*automation.Automation) *tool {
	fixed := func(made string) bool { return s.fixed[made] != nil }
	properties, needed := variablesOf(documents)
	vars := object(properties)
	vars["description"] = "The values that are yours to give; what is secret comes from the task or is stored for the account."
	schema := object(s.takesLogin(map[string]any{"vars": vars, "account": accountSchema(documents), "task": taskSchema, "resume": resumeSchema}))
	does := cmp.Or(documents[0].Description, "Runs the automation "+name)
	if !strings.HasSuffix(does, ".") {
		does += "."
	}
	if len(needed) > 0 {
		does += " Needs " + strings.Join(needed, ", ") + ", in vars or from the task."
	}
	if commits(documents) {
		does += s.leave()
	}
	return &tool{
		name: toolName(runPrefix, name, fixed), title: cmp.Or(documents[0].Description, name), does: does,
		schema: schema, destructive: commits(documents), page: true, do: s.runNamed(name),
	}
}

// leave says what becomes of what commits.
func (s *Server) leave() string {
	if s.options.Ask > 0 && s.options.Commit != replayer.AllowCommits && s.options.Commit != replayer.RefuseCommits {
		return " It may commit to something: a person is asked before that, and it waits for them."
	}
	return " It may commit to something: without leave it ends before that."
}

var (
	taskSchema   = map[string]any{"type": "string", "minLength": 1, "maxLength": 200, "description": "The task whose values are used."}
	resumeSchema = map[string]any{"type": "string", "pattern": "^[0-9a-z]{26}$", "description": "The run to go on with, after what it was blocked by is dealt with in the same page."}
)

func accountSchema(documents []*automation.Automation) map[string]any {
	schema := map[string]any{"type": "string", "minLength": 1, "maxLength": 300, "description": "For whom: the label of an account."}
	var labels []string
	for _, a := range documents {
		if a.Match.Account != "" {
			labels = append(labels, a.Match.Account)
		}
	}
	if len(labels) > 0 {
		schema["examples"] = labels[:min(len(labels), mostExamples)]
	}
	return schema
}

// mostExamples are how many accounts a schema names.
const mostExamples = 20

func commits(documents []*automation.Automation) bool {
	return slices.ContainsFunc(documents, func(a *automation.Automation) bool {
		return slices.ContainsFunc(a.Steps, func(s automation.Step) bool { return s.Effect == automation.Commit || s.Tool == "run" })
	})
}

// variablesOf gives the schemas of the variables that an agent may give: of all but the
// secrets; and which of them are needed by every document.
func variablesOf(documents []*automation.Automation) (properties map[string]any, needed []string) {
	properties = map[string]any{}
	secret, times := map[string]bool{}, map[string]int{}
	for _, a := range documents {
		declared, err := a.Declared()
		if err != nil {
			continue
		}
		var schema struct {
			Properties map[string]map[string]any `json:"properties"`
		}
		_ = json.Unmarshal(a.Variables, &schema) // Declared has read it
		for _, name := range declared.Names() {
			if declared.IsSecret(name) {
				secret[name] = true
			} else if _, known := properties[name]; !known {
				properties[name] = alone(schema.Properties[name])
			} else {
				properties[name] = loosest(properties[name], alone(schema.Properties[name]))
			}
		}
		for _, name := range declared.Required() {
			if _, preset := declared.Default(name); !preset {
				times[name]++
			}
		}
	}
	for name := range secret {
		delete(properties, name) // also where only one of the documents says that it is one
	}
	for name, n := range times {
		if n == len(documents) && !secret[name] {
			needed = append(needed, name)
		}
	}
	slices.Sort(needed)
	return properties, needed
}

// alone is the schema of a variable that can stand elsewhere; what refers to another
// part of its document is left to the run to check.
func alone(schema map[string]any) map[string]any {
	if data, err := json.Marshal(schema); schema == nil || err != nil || strings.Contains(string(data), `"$`) {
		return map[string]any{}
	}
	return schema
}

// loosest is a schema that takes what either takes.
func loosest(a, b any) any {
	one, err := json.Marshal(a)
	other, failed := json.Marshal(b)
	if err == nil && failed == nil && string(one) == string(other) {
		return a
	}
	return map[string]any{"anyOf": []any{a, b}}
}
