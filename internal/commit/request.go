package commit

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Sent is a request that waits at the browser. Body is looked at in memory, for what
// names the operation alone, and is in nothing that is stored or told.
type Sent struct {
	Method string
	URL    string
	Kind   string // the protocol's ResourceType: Document, XHR, Fetch, Ping, …
	Type   string // content type
	Body   string
	Own    bool // it goes to the origin of the page
}

// Press is what is known of the press that a request followed.
type Press struct {
	Verdict  Verdict
	SignsIn  bool
	Recorded bool // the step's recording has seen the same request
}

// OnlyReads reports whether a request of this method changes nothing.
func OnlyReads(method string) bool {
	return method == "GET" || method == "HEAD" || method == "OPTIONS"
}

// Request decides what becomes of a request: Commits and Unknown wait for a person.
func Request(s Sent, p Press) Verdict {
	if OnlyReads(s.Method) {
		return Harmless
	}
	method, names, op := s.operation()
	if op == reads {
		return Harmless
	}
	path := readPath(pathOf(s.URL))
	if p.Verdict == Harmless && path == Commits {
		path = readTail(pathOf(s.URL)) // a step on the way of a booking is sent to /booking/guest
	}
	if named := readNames(names); named != Unknown {
		path = named // what the body calls the operation says more than an address that takes all of them
	}
	switch {
	case path == Commits && isDecisive(pathOf(s.URL), names):
		return Commits // whatever the label and the form say
	case p.SignsIn && s.Kind != "Ping" && method != "DELETE":
		return Harmless
	case path == Commits:
		return Commits
	case path == Harmless, (p.Verdict == Harmless || p.Recorded) && method != "DELETE":
		return Harmless
	case s.Kind == "Ping" && !s.Own, s.Kind == "CSPViolationReport":
		return Harmless // what pages tell others of themselves in passing
	}
	return Unknown
}

// isDecisive reports whether the end of an address, or what a body calls the operation,
// says pay, delete or the like, which nothing around it takes back.
func isDecisive(path string, names []string) bool {
	if len(names) == 0 {
		segments := strings.Split(strings.TrimRight(path, "/"), "/")
		names = segments[len(segments)-1:]
	}
	return slices.ContainsFunc(names, func(name string) bool { return decisive.in(parts(name)) })
}

type operation int

const (
	unsaid operation = iota
	reads
	mutates
)

var (
	// graphQL is a document's first keyword, after comments.
	graphQL      = regexp.MustCompile(`(?s)^(?:\s|,|#[^\n]*\n)*(query|mutation|subscription|fragment|\{)\b?\s*(\w*)`)
	anyMutation  = regexp.MustCompile(`(?:^|[}\s])mutation\b[^{]*\{\s*(\w+)?`)
	namesOfOp    = map[string]bool{"operationname": true, "_method": true, "method": true, "action": true, "op": true, "operation": true, "cmd": true, "command": true, "intent": true, "_action": true, "task": true}
	maxBodyParts = 1 << 20 // of what is looked at
)

// operation is what the body says that the request does: its method where that is
// overridden, names of the operation, and whether GraphQL calls it a query.
func (s Sent) operation() (method string, names []string, op operation) {
	method = s.Method
	if len(s.Body) == 0 || len(s.Body) > maxBodyParts {
		return method, nil, unsaid
	}
	note := func(key, value string) {
		if key = strings.ToLower(key); key == "_method" && value != "" {
			method = strings.ToUpper(value)
		}
		if namesOfOp[key] {
			names = append(names, value)
		}
	}
	switch body := strings.TrimSpace(s.Body); {
	case strings.HasPrefix(body, "{"), strings.HasPrefix(body, "["):
		op = readJSON(body, note, &names)
	case strings.Contains(s.Type, "urlencoded"):
		values, err := url.ParseQuery(body)
		if err != nil {
			break
		}
		for key, all := range values {
			if key == "query" && strings.Contains(s.URL, "graphql") {
				op = readGraphQL(all[0], &names)
			}
			note(key, all[0])
		}
	case strings.Contains(s.Type, "graphql"):
		op = readGraphQL(body, &names)
	}
	return method, names, op
}

// readJSON looks at the top of a body, or at each of a batch.
func readJSON(body string, note func(key, value string), names *[]string) operation {
	var batch []map[string]json.RawMessage
	if strings.HasPrefix(body, "[") {
		if json.Unmarshal([]byte(body), &batch) != nil {
			return unsaid
		}
	} else {
		var one map[string]json.RawMessage
		if json.Unmarshal([]byte(body), &one) != nil {
			return unsaid
		}
		batch = append(batch, one)
	}
	all := unsaid
	for i, one := range batch {
		is := unsaid
		for key, value := range one {
			var text string
			if json.Unmarshal(value, &text) != nil {
				continue
			}
			if key == "query" {
				if is = readGraphQL(text, names); is != unsaid {
					continue
				}
			}
			note(key, text)
		}
		if i == 0 || is > all || is == unsaid && all == reads {
			all = is
		}
	}
	return all
}

// readGraphQL is the kind of a document's operations: one mutation makes it one.
func readGraphQL(document string, names *[]string) operation {
	if m := anyMutation.FindStringSubmatch(document); m != nil {
		*names = append(*names, m[1])
		return mutates
	}
	if graphQL.MatchString(document) && strings.Contains(document, "{") {
		return reads
	}
	return unsaid
}

func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	action := ""
	for key, values := range u.Query() { // index.php?action=delete
		if namesOfOp[strings.ToLower(key)] {
			action += "/" + values[0]
		}
	}
	return u.Path + action
}
