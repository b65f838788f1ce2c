package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// catalog is the automations that are offered as tools, as the store had them when it
// was last asked.
type catalog struct {
	mu     sync.Mutex
	byKey  map[key]*automation.Automation
	tools  map[string]string // of each name of an automation, the name of its tool
	offers map[string]string // of each tool, what it was made of: the revisions
}

// maxOffered is how many documents are offered as tools of their own: more than any
// client shows a model at once. The others are found and run by their names.
const maxOffered = 1000

// key is a document: its name and its account.
type key struct{ name, account string }

// toolOf returns the name of an automation's tool; "" where there is none.
func (c *catalog) toolOf(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tools[name]
}

const (
	// A file that was edited in its place changes no version of the store. All are looked at
	// after some time, at which this part of a processor's time goes to it.
	minFullRefresh = 10 * time.Second
	refreshPart    = 1000
)

// versioned is a store of automations that tells cheaply that none was added, removed or
// replaced: the version is the same, and not "".
type versioned interface {
	Version(ctx context.Context) (string, error)
}

// watch asks the store again and again, until the server is closed.
func (s *Server) watch() {
	again := time.NewTicker(s.options.Refresh)
	defer again.Stop()
	store, cheap := s.options.Store.Automations().(versioned)
	var seen string // version of the last refresh
	var full time.Time
	for {
		select {
		case <-again.C:
			version := ""
			if cheap {
				version, _ = store.Version(s.ctx) // why it cannot be read, refresh finds out
			}
			if version != "" && version == seen && time.Now().Before(full) {
				continue
			}
			began := time.Now()
			if err := s.refresh(s.ctx); err != nil && s.ctx.Err() == nil {
				s.options.Logger.Warn("the automations could not be read", "error", err)
				version = ""
			}
			seen, full = version, time.Now().Add(max(minFullRefresh, refreshPart*time.Since(began)))
		case <-s.ctx.Done():
			return
		}
	}
}

// fresh has a client that asks for the tools be told those of now, and one that calls a
// tool that has just come find it.
func (s *Server) fresh(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if call, is := req.GetParams().(*mcp.CallToolParamsRaw); method == "tools/list" || is && !s.offers(call.Name) {
			if err := s.refresh(ctx); err != nil {
				s.options.Logger.WarnContext(ctx, "the automations could not be read", "error", err)
			}
		}
		return next(ctx, method, req)
	}
}

// offers reports whether there is a tool of that name.
func (s *Server) offers(name string) bool {
	if s.fixed[name] != nil {
		return true
	}
	s.catalog.mu.Lock()
	defer s.catalog.mu.Unlock()
	_, is := s.catalog.offers[name]
	return is
}

// refresh asks the store which automations there are, and offers those that have come or
// changed. Clients are told when the list has changed.
func (s *Server) refresh(ctx context.Context) error {
	c := &s.catalog
	c.mu.Lock()
	defer c.mu.Unlock()
	now := map[key]*automation.Automation{}
	for summary, err := range s.options.Store.Automations().List(ctx) {
		if err != nil {
			return err
		}
		if len(now) == maxOffered {
			break
		}
		if summary.Err != nil {
			continue // anyone who looks at the store is told why
		}
		a, err := s.newest(ctx, summary)
		if err != nil {
			return err
		}
		if a != nil {
			now[key{summary.Name, summary.Account}] = a
		}
	}
	c.byKey = now
	return s.offerAll(now)
}

// newest returns a document, read only where it is another than before; nil where it has
// gone meanwhile, or cannot be read.
func (s *Server) newest(ctx context.Context, summary store.Summary) (*automation.Automation, error) {
	if known := s.catalog.byKey[key{summary.Name, summary.Account}]; known != nil && sameAs(known, summary) {
		return known, nil
	}
	a, err := s.options.Store.Automations().Get(ctx, summary.Name, summary.Account)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		s.options.Logger.WarnContext(ctx, "an automation could not be read", "name", summary.Name, "error", err)
		return nil, nil
	}
	return a, nil
}

// sameAs goes by what a list tells: a change by hand may keep the revision.
func sameAs(a *automation.Automation, s store.Summary) bool {
	return a.Revision == s.Revision && a.Description == s.Description && len(a.Steps) == s.Steps && slices.Equal(a.Match.URLs, s.URLs)
}

// offerAll makes the tools what the documents are. The catalog is locked.
func (s *Server) offerAll(now map[key]*automation.Automation) error {
	c := &s.catalog
	named := map[string][]*automation.Automation{}
	for _, a := range slices.SortedFunc(maps.Values(now), byName) {
		named[a.Name] = append(named[a.Name], a)
	}
	tools, offers := map[string]string{}, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		made := s.runTool(name, named[name])
		tools[name], offers[made.name] = made.name, signature(named[name])
		if c.offers[made.name] == offers[made.name] {
			continue
		}
		offered, handler, err := s.offer(made)
		if err != nil {
			s.options.Logger.Warn("an automation is not offered as a tool", "name", name, "error", err)
			delete(offers, made.name)
			continue
		}
		s.mcp.AddTool(offered, handler)
	}
	var gone []string
	for tool := range c.offers {
		if _, still := offers[tool]; !still {
			gone = append(gone, tool)
		}
	}
	if len(gone) > 0 {
		s.mcp.RemoveTools(gone...)
	}
	c.tools, c.offers = tools, offers
	return nil
}

func byName(a, b *automation.Automation) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Match.Account, b.Match.Account))
}

// signature differs between two states of an automation's documents.
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

// leave describes what becomes of commit steps.
func (s *Server) leave() string {
	if s.options.ApprovalTimeout > 0 && s.options.Commit != replayer.AllowCommits && s.options.Commit != replayer.RefuseCommits {
		return " It may have a commit step: a person is asked before that, and it waits for them."
	}
	return " It may have a commit step, which requires approval: it ends before that."
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
		schema["examples"] = labels[:min(len(labels), maxExamples)]
	}
	return schema
}

// maxExamples are how many accounts a schema names.
const maxExamples = 20

func commits(documents []*automation.Automation) bool {
	return slices.ContainsFunc(documents, func(a *automation.Automation) bool {
		return slices.ContainsFunc(a.Steps, func(s automation.Step) bool { return s.Effect == automation.Commit || s.Tool == "run" })
	})
}

// variablesOf returns the schemas of the variables that an agent may give: of all but the
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

// The bounds that all clients keep to.
const (
	maxName        = 64
	maxDescription = 500 // characters
)

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{2,63}$`)

// runPrefix begins the names of automations' tools.
const runPrefix = "run_"

// toolName makes the name of a tool: small letters, digits and _. Where that is taken by
// another, or too long, it ends with a mark that is the same each time.
func toolName(prefix, name string, taken func(string) bool) string {
	made := prefix + snake(name)
	if namePattern.MatchString(made) && !taken(made) {
		return made
	}
	sum := sha256.Sum256([]byte(prefix + name))
	mark := "_" + hex.EncodeToString(sum[:3])
	return made[:min(len(made), maxName-len(mark))] + mark
}

// snake writes a name with _ between its words: typeInput, google-login, acme.solve.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case unicode.IsUpper(r) && i > 0:
			b.WriteByte('_')
			b.WriteRune(unicode.ToLower(r))
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || unicode.IsUpper(r):
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}

// described is a description with how to pass an intent at its end, of at most
// maxDescription characters.
func described(does string) string {
	does = strings.Join(strings.Fields(does), " ")
	most := maxDescription - utf8.RuneCountInString(intentNote)
	if runes := []rune(does); len(runes) > most {
		does = string(runes[:most-1]) + "…"
	}
	return does + intentNote
}
