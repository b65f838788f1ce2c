package recorder

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// variables names what was typed. What identifies a person, what is secret, and
// what looks like a secret by its own shape, becomes a variable; the rest stays as
// it is.
type variables struct {
	declared []variable
	byField  map[string]int // element id → index
	username string         // what was typed as the user name, never kept
}

type variable struct {
	name   string
	schema map[string]any
	typed  string // empty for a secret; never kept
	secret bool
}

func newVariables() *variables {
	return &variables{byField: map[string]int{}}
}

// value gives the value of a typeInput step.
func (vs *variables) value(e event) *automation.Value {
	name := nameOf(e.el, e.secret)
	if i, known := vs.byField[e.el.id]; known {
		name = vs.declared[i].name
	} else if name == "" && automation.LooksSecret(e.value) != "" {
		e.secret = true
		name = nameOf(e.el, true)
	}
	if name == "" {
		return literal(e.value)
	}
	i, known := vs.byField[e.el.id]
	if !known {
		i = vs.declare(name, e)
		vs.byField[e.el.id] = i
	}
	v := &vs.declared[i]
	v.typed = e.value
	if isUsername(v.name) {
		vs.username = e.value
	}
	return &automation.Value{Kind: automation.Variable, Name: vs.declared[vs.first(i)].name}
}

// first is the first variable with the value of this one: what is typed twice, in
// whatever fields, is one variable.
func (vs *variables) first(i int) int {
	v := vs.declared[i]
	for j, other := range vs.declared[:i] {
		if v.typed != "" && other.typed == v.typed {
			return j
		}
	}
	return i
}

// files gives the value of an upload step: always a variable, as another machine has
// other files. The names of those that were given say what is meant.
func (vs *variables) files(e event) *automation.Value {
	field := "files " + e.el.id // some take text as well
	i, known := vs.byField[field]
	if !known {
		i = vs.declare(fileName(e.el), event{el: e.el, value: strings.Join(e.values, ", ")})
		vs.byField[field] = i
	}
	v := &vs.declared[i]
	v.typed, v.schema = e.values[0], fileSchema(e)
	return &automation.Value{Kind: automation.Variable, Name: v.name}
}

func fileSchema(e event) map[string]any {
	one := map[string]any{"type": "string", "minLength": 1}
	schema := one
	if e.many {
		schema = map[string]any{"type": "array", "items": one, "minItems": 1}
	}
	schema["description"] = "path of a file"
	if names := strings.Join(e.values, ", "); names != "" && automation.LooksSecret(names) == "" {
		schema["description"] = "path of a file, as " + names
	}
	return schema
}

var notInVariable = regexp.MustCompile(`[^a-z0-9]+`)

// fileName is the name of the variable for what a field for files takes.
func fileName(el *element) string {
	for _, name := range el.fieldNames {
		name = strings.Trim(notInVariable.ReplaceAllString(strings.ToLower(name), "_"), "_")
		if name != "" && len(name) <= longestFileName && name[0] >= 'a' {
			return name
		}
	}
	return "file"
}

// longestFileName is more than authors write, and less than frameworks generate.
const longestFileName = 30

// declare makes a variable for a field, or gives that of a secret that is to be
// repeated: what else says the same is known when it has been typed. Of secrets whose
// fields say nothing of what they are, the page tells which are the same.
func (vs *variables) declare(name string, e event) int {
	unique := name
	for n := 2; ; n++ {
		i := vs.find(unique)
		if i < 0 {
			vs.declared = append(vs.declared, variable{name: unique, schema: schemaOf(e), secret: e.secret})
			return len(vs.declared) - 1
		}
		if v := vs.declared[i]; v.secret && e.secret && v.typed == e.value && (name != "secret" || e.value != "") {
			return i
		}
		unique = name + "_" + strconv.Itoa(n)
	}
}

func (vs *variables) find(name string) int {
	for i, v := range vs.declared {
		if v.name == name {
			return i
		}
	}
	return -1
}

// schema is the JSON Schema of the variables that steps use.
func (vs *variables) schema(used map[string]bool) (json.RawMessage, error) {
	properties, required := map[string]any{}, []string{}
	for _, v := range vs.declared {
		if used[v.name] {
			properties[v.name] = v.schema
			required = append(required, v.name)
		}
	}
	if len(required) == 0 {
		return nil, nil
	}
	return json.Marshal(map[string]any{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	})
}

// shortestQuoted is the shortest value that is looked for in selectors: shorter
// ones are in every text.
const shortestQuoted = 3

// unquoted is the first of several selectors that repeats nothing of what was typed
// as a variable, and holds nothing that looks like a secret.
func (vs *variables) unquoted(paths []selectors.Path) selectors.Path {
	for _, path := range paths {
		if text := path.String(); len(path) > 0 && !vs.quotedIn(text) && automation.LooksSecret(text) == "" {
			return path
		}
	}
	return nil
}

// quotedIn reports whether a text repeats what was typed as a variable.
func (vs *variables) quotedIn(text string) bool {
	lower := strings.ToLower(selectors.Plain(text))
	for _, v := range vs.declared {
		if len(v.typed) >= shortestQuoted && strings.Contains(lower, strings.ToLower(v.typed)) {
			return true
		}
	}
	return false
}

// schemaOf describes what a field takes, from the page's own constraints.
func schemaOf(e event) map[string]any {
	schema := map[string]any{"type": "string"}
	if e.secret {
		schema["writeOnly"] = true
		return schema // a limit on its length says something of it
	}
	switch e.el.inputType {
	case "email", "date":
		schema["format"] = e.el.inputType
	case "month":
		schema["pattern"] = `^\d{4,}-(?:0[1-9]|1[0-2])$`
	}
	if n, err := strconv.Atoi(e.el.limits["maxlength"]); err == nil && n > 0 && len([]rune(e.value)) <= n {
		schema["maxLength"] = n
	}
	if pattern := e.el.limits["pattern"]; pattern != "" {
		anchored := fmt.Sprintf("^(?:%s)$", pattern)
		if re, err := regexp.Compile(anchored); err == nil && re.MatchString(e.value) {
			schema["pattern"] = anchored
		}
	}
	return schema
}

// byToken names a variable by the autocomplete token of its field
// (https://html.spec.whatwg.org/#autofill).
var byToken = map[string]string{
	"username": "username", "email": "email", "tel": "phone", "tel-national": "phone", "name": "name",
	"given-name": "first_name", "family-name": "last_name", "additional-name": "middle_name", "nickname": "nickname",
	"organization": "organization", "street-address": "street", "address-line1": "street", "address-line2": "street_2",
	"address-level2": "city", "postal-code": "postal_code", "bday": "birthday",
	"current-password": "password", "new-password": "new_password", "one-time-code": "code",
	"cc-name": "card_holder", "cc-number": "card_number", "cc-csc": "card_code",
	"cc-exp": "card_expiry", "cc-exp-month": "card_expiry_month", "cc-exp-year": "card_expiry_year",
}

// birthday are the words about a date that says who somebody is.
var birthday = regexp.MustCompile(`(?i)birth|\bb-?day\b|\bdob\b|geburt|naissance|naci(miento|do)|nascita|nascimento|geboorte|urodz|рожд|生年|出生|생년`)

// wordRule is a name for what is called so.
type wordRule struct {
	words *regexp.Regexp
	name  string
}

// byWords names a variable by the words about its field, the first that fits.
var byWords = []wordRule{
	{regexp.MustCompile(`(?i)e-?mail|correo|courriel`), "email"},
	{regexp.MustCompile(`(?i)user.?(name|id)|login|benutzer|usuario|identifi`), "username"},
	{regexp.MustCompile(`(?i)phone|mobile|\btel|telefon|t[ée]l[ée]phone`), "phone"},
	{regexp.MustCompile(`(?i)first.?name|given.?name|vorname|pr[ée]nom`), "first_name"},
	{regexp.MustCompile(`(?i)last.?name|surname|family.?name|nachname`), "last_name"},
	{regexp.MustCompile(`(?i)(full|your)?.?\bname\b`), "name"},
	{regexp.MustCompile(`(?i)street|address|adresse|direcci`), "street"},
	{regexp.MustCompile(`(?i)zip|post(al)?.?code|plz`), "postal_code"},
	{regexp.MustCompile(`(?i)account.?(number|no)|iban|customer.?(number|id)`), "account_number"},
}

// secretsByWords does the same for secrets.
var secretsByWords = []wordRule{
	{regexp.MustCompile(`(?i)otp|one.?time|verification|2fa|mfa|totp`), "code"},
	{regexp.MustCompile(`(?i)cvv|cvc|security.?code`), "card_code"},
	{regexp.MustCompile(`(?i)card`), "card_number"},
	{regexp.MustCompile(`(?i)\bpin\b`), "pin"},
	{regexp.MustCompile(`(?i)ssn|social`), "ssn"},
	{regexp.MustCompile(`(?i)pass|pwd|kennwort|contrase|senha|wachtwoord`), "password"},
}

// nameOf is the name of the variable for a field, "" where what is typed stays
// as it is.
func nameOf(el *element, secret bool) string {
	byAutocomplete := ""
	for _, token := range el.tokens {
		if name := byToken[token]; name != "" {
			byAutocomplete = name
		}
	}
	about := strings.Join(append([]string{el.label}, el.fieldNames...), " ")
	switch {
	case byAutocomplete == "username" && (el.inputType == "email" || byWords[0].words.MatchString(about)):
		return "email"
	case byAutocomplete != "":
		return byAutocomplete
	case secret:
		return firstFit(secretsByWords, about, "secret")
	case el.inputType == "email":
		return "email"
	case el.inputType == "tel":
		return "phone"
	case el.inputType == "date" && birthday.MatchString(about):
		return "birthday"
	case el.inputType != "text":
		return ""
	}
	return firstFit(byWords, about, "")
}

func firstFit(rules []wordRule, text, otherwise string) string {
	for _, rule := range rules {
		if rule.words.MatchString(text) {
			return rule.name
		}
	}
	return otherwise
}

func isUsername(name string) bool {
	return name == "email" || name == "username" || strings.HasPrefix(name, "email_") || strings.HasPrefix(name, "username_")
}
