package recorder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/draft"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/selectors"
)

// automation makes the document.
func (r *Recorder) automation() (*automation.Automation, error) {
	a := &automation.Automation{
		Name:        r.shaping.name,
		Description: r.options.Description,
		Match:       automation.Scope{URLs: r.scope(), Account: r.options.Account},
	}
	if a.Name == "" {
		a.Name = defaultName(r.start, a.Match.URLs)
		if r.merger.secrets.in(a.Name) {
			a.Name = "flow"
		}
	}
	used, offers := map[string]bool{}, &offer{vs: r.merger.names}
	for i, en := range r.merger.entries {
		step := en.shown()
		if r.merger.expectsChange(i) {
			step.Expect = []automation.Expectation{{Kind: "change"}}
		}
		r.merger.awaits(i, &step)
		if r.merger.expectsUpdate(i, step.Expect) {
			step.Expect = append(slices.Clone(step.Expect), automation.Expectation{Kind: "update"})
		}
		offers.step(&step, &en)
		r.unquote(&step, en.el)
		offers.unsay(&step, en.el)
		step.BindEvidence()
		for _, name := range valueNames(step.Value) {
			used[name] = true
		}
		a.Steps = append(a.Steps, step)
	}
	if len(a.Steps) == 0 {
		return nil, ErrNothingRecorded
	}
	if err := offers.calendar.fill(a.Steps); err != nil {
		return nil, err
	}
	said, err := json.Marshal(a.Steps)
	if err != nil {
		return nil, err
	}
	offered := slices.DeleteFunc(offers.declared, func(v offered) bool { // of one that no selector could take another value would do nothing
		return !used[v.name] && !bytes.Contains(said, []byte("${"+v.name+"}"))
	})
	if a.Variables, err = r.merger.names.schema(used, offered); err != nil {
		return nil, err
	}
	if err := a.Validate(); err != nil {
		return a, fmt.Errorf("what was recorded is not a valid automation: %w", err)
	}
	return a, nil
}

// unquote drops the selectors of a step that repeat what was typed. Where all do, the
// position of the element is left, which holds no words.
func (r *Recorder) unquote(step *automation.Step, el *element) {
	all := r.merger.names.unquoted(pathsOf(step))
	if len(all) == 0 && len(step.Selector) > 0 && el != nil && len(el.place) > 0 {
		all = []selectors.Path{el.place}
	}
	if len(all) > 0 {
		step.Selector, step.Alternatives = all[0], all[1:]
	}
	frameAlternatives, any := make([][]selectors.Path, len(step.FrameAlternatives)), false
	for i, others := range step.FrameAlternatives {
		frameAlternatives[i] = r.merger.names.unquoted(others)
		any = any || len(frameAlternatives[i]) > 0
	}
	if step.FrameAlternatives = frameAlternatives; !any {
		step.FrameAlternatives = nil
	}
}

func valueNames(v *automation.Value) []string {
	if v == nil {
		return nil
	}
	return v.Names()
}

// scope returns the page that the recording begins at, by which it is found, and every other
// host that something was done on, in the order of the steps. A run may go on to any page of
// these hosts (automation.Scope.Covers).
func (r *Recorder) scope() (globs []string) {
	var sites []string
	note := func(address string) {
		site, ok := draft.SiteGlob(address)
		if !ok || slices.Contains(sites, site) {
			return
		}
		if sites = append(sites, site); len(sites) > 1 {
			globs = append(globs, site)
		} else {
			globs = r.beginning(address, site)
		}
	}
	note(r.start)
	for _, en := range r.merger.entries {
		switch {
		case en.el != nil:
			note(en.el.url)
		case en.step.Tool == "navigate":
			note(en.step.URL)
		}
	}
	return globs
}

// beginning returns the globs of the page at an address, with and without a slash at its end.
// Where no glob of its path takes it in, that is the glob of its site.
func (r *Recorder) beginning(address, site string) []string {
	glob := weburl.AddressGlob(address, func(part string) bool { return r.merger.given(part) || r.merger.secrets.in(part) })
	globs := []string{glob}
	if root := strings.TrimSuffix(site, "*"); glob != root && glob != site {
		other, cut := strings.CutSuffix(glob, "/")
		if !cut {
			other += "/"
		}
		globs = append(globs, other)
	}
	if !(automation.Scope{URLs: globs}).MatchURL(address) {
		return []string{site}
	}
	return globs
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// defaultName makes a name of a host.
func defaultName(start string, globs []string) string {
	host := ""
	if u, err := url.Parse(start); err == nil {
		host = u.Hostname()
	}
	if host == "" && len(globs) > 0 {
		host, _, _ = strings.Cut(globs[0], "/")
	}
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(host), "-"), "-")
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		name = "flow-" + name
	}
	return strings.Trim(name[:min(len(name), 50)], "-")
}

// effectOf proposes what a step does to the world, as far as its recording shows: a
// control with the label of a commit step commits; any other control that sets something
// off writes, unless it only navigated; setting a value reads. What scripts send is not
// looked at, as the browser would report it with all that it carries.
func (en *entry) effectOf() automation.Effect {
	switch {
	case en.step.Tool == "waitForNav":
		return "" // waits for what another step did
	case en.step.Tool == "upload", en.step.Tool == "drag":
		return automation.Write // a page may send, or store, what it is given at once
	case !en.acts(), en.caret && en.step.Key != "Enter":
		return automation.Read
	case automation.IsCommitLabel(en.name()):
		return automation.Commit
	case en.led == "formSubmissionPost":
		return automation.Write
	case en.led == "formSubmissionGet", en.el != nil && en.el.role == "link", en.step.Key == "Tab", en.step.Key == "Shift+Tab":
		return automation.Read
	}
	return automation.Write
}

// acts reports whether the step sets something off, and not only a value.
func (en *entry) acts() bool { return en.step.Tool == "click" || en.step.Tool == "keypress" }

// name returns the label of the control that the step uses.
func (en *entry) name() string {
	switch {
	case en.submit != "":
		return en.submit
	case en.el != nil && !en.el.editable:
		return en.el.label
	}
	return ""
}

// variables names what was typed. What identifies someone, what is secret, and
// what looks like a secret by its own form becomes a variable; the rest stays literal
// until the document is made (offer).
type variables struct {
	declared []variable
	byField  map[string]int // element id → index
	username string         // what was typed as the user name, never stored
	texts    bool           // every text is a secret
}

type variable struct {
	name   string
	schema map[string]any
	typed  string // empty for a secret; never stored
	secret bool
}

func newVariables() *variables {
	return &variables{byField: map[string]int{}}
}

// value returns the value of a typeInput step.
func (vs *variables) value(e event) *automation.Value {
	name, field := nameOf(e.el, e.secret), fieldKey(e.el, e.run)
	if e.secret {
		field = e.el.id
	}
	if e.at != "" { // a part of what the field is called after
		name = ""
	}
	if name == anySecret && vs.texts { // it may be no more secret than a name
		name = draft.VariableName(anySecret, append([]string{nameOf(e.el, false), e.el.label}, e.el.fieldNames...)...)
	}
	if name == "new_password" && vs.find("password") < 0 && !strings.Contains(strings.ToLower(e.el.called()), "new") {
		name = "password" // sign-ins say that it is a new one, so that password managers leave it alone
	}
	if i, known := vs.byField[field]; known {
		name = vs.declared[i].name
	} else if name == "" && automation.DetectSecret(e.value) != "" {
		e.secret = true
		name = nameOf(e.el, true)
	}
	if name == "" {
		return literal(e.value)
	}
	i, known := vs.byField[field]
	if !known {
		i = vs.declare(name, e)
		vs.byField[field] = i
	}
	v := &vs.declared[i]
	v.typed = e.value
	if isUsername(v.name) {
		vs.username = e.value
	}
	return &automation.Value{Kind: automation.Variable, Name: vs.declared[vs.first(i)].name}
}

// called is what the page calls a field: its label, its name and its identifier, a line each.
func (el *element) called() string {
	return strings.Join(append([]string{el.label}, el.fieldNames...), "\n")
}

// caption is the text next to a field without a label: next to a control of a row is a value.
func (el *element) caption() string {
	if el.row != nil {
		return ""
	}
	return el.nextTo
}

// authorNames are the name and the identifier of a field that are the same at the next visit.
func (el *element) authorNames() []string {
	return slices.DeleteFunc(slices.Clone(el.fieldNames), selectors.Generated)
}

// fieldKey identifies what is typed in a field: all of it or, in an editor, one stretch of
// text, which is a value of its own.
func fieldKey(el *element, run int) string {
	if run == 0 {
		return el.id
	}
	return el.id + "~" + strconv.Itoa(run)
}

// first returns the first variable with the value of this one: what is typed twice, in
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

// files returns the value of an upload step: always a variable, as another machine has
// other files. The names of those that were chosen are its description.
func (vs *variables) files(e event) *automation.Value {
	field := "files " + e.el.id // some take text as well
	i, known := vs.byField[field]
	if !known {
		i = vs.declare(draft.VariableName("file", e.el.fieldNames...), event{el: e.el, value: strings.Join(e.values, ", ")})
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
	if names := strings.Join(e.values, ", "); names != "" && automation.DetectSecret(names) == "" {
		schema["description"] = "path of a file, as " + names
	}
	return schema
}

// declare makes a variable for a field, or returns that of a secret that is to be
// repeated; other repetitions are found by what was typed (first). Where nothing names
// the secrets, the page sends which are the same (merger.same).
func (vs *variables) declare(name string, e event) int {
	unique := name
	for n := 2; ; n++ {
		i := vs.find(unique)
		if i < 0 {
			vs.declared = append(vs.declared, variable{name: unique, schema: schemaOf(e), secret: e.secret})
			return len(vs.declared) - 1
		}
		if v := vs.declared[i]; v.secret && e.secret && v.typed == e.value && (name != anySecret || e.value != "") {
			return i
		}
		unique = name + "_" + strconv.Itoa(n)
	}
}

// add declares a variable like another, under a name that is free.
func (vs *variables) add(like variable) int {
	name := like.name
	for n := 2; vs.find(like.name) >= 0; n++ {
		like.name = name + "_" + strconv.Itoa(n)
	}
	vs.declared = append(vs.declared, like)
	return len(vs.declared) - 1
}

func (vs *variables) find(name string) int {
	for i, v := range vs.declared {
		if v.name == name {
			return i
		}
	}
	return -1
}

// mark makes a variable of the value of a step.
func (vs *variables) mark(en *entry, name string) error {
	field := fieldKey(en.el, en.run)
	i, known := vs.byField[field]
	switch {
	case known && name == "":
		return nil
	case known:
		return fmt.Errorf("it is the variable %q already", vs.declared[i].name)
	case name == "":
		name = vs.unique(ownName(en.el))
	}
	if err := vs.checkName(name); err != nil {
		return err
	}
	typed := textOf(en.step.Value)
	vs.declared = append(vs.declared, variable{name: name, schema: schemaOf(event{el: en.el, value: typed}), typed: typed})
	vs.byField[field] = len(vs.declared) - 1
	en.step.Value = &automation.Value{Kind: automation.Variable, Name: name}
	return nil
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

func (vs *variables) checkName(name string) error {
	switch {
	case !variableName.MatchString(name):
		return fmt.Errorf("%q is no name for a variable: it begins with a letter and has letters, digits, _ and - only", name)
	case vs.find(name) >= 0:
		return fmt.Errorf("there is a variable %q already: choose another name", name)
	}
	return nil
}

// unique returns the name, or one made of it that no variable has.
func (vs *variables) unique(name string) string {
	return draft.Unique(name, func(name string) bool { return vs.find(name) >= 0 })
}

// ownName returns a name for a variable made of what its field is called.
func ownName(el *element) string {
	label, fieldNames := el.label, el.fieldNames
	if el.row != nil { // "Select Apples"
		fieldNames = slices.DeleteFunc(slices.Clone(fieldNames), el.row.isIn)
		if el.row.named {
			label = strings.ReplaceAll(label, el.row.texts[0], "")
		}
	}
	named := append([]string{nameOf(el, false), label}, fieldNames...)
	return draft.VariableName("value", append(named, el.caption(), el.list)...)
}

func (vs *variables) isSecret(name string) bool {
	i := vs.find(name)
	return i >= 0 && vs.declared[i].secret
}

func (vs *variables) clone() variables {
	return variables{declared: slices.Clone(vs.declared), byField: maps.Clone(vs.byField), username: vs.username, texts: vs.texts}
}

// schema returns the JSON Schema of the variables that steps use.
func (vs *variables) schema(used map[string]bool, offers []offered) (json.RawMessage, error) {
	properties, names := map[string]any{}, []string{}
	for _, v := range vs.declared {
		if used[v.name] {
			properties[v.name] = v.schema
			names = append(names, v.name)
		}
	}
	for _, v := range offers {
		properties[v.name] = v.schema()
	}
	return draft.Schema(properties, names)
}

// shortestQuoted is the shortest value that is looked for in selectors: shorter
// ones are in every text.
const shortestQuoted = 3

// unquoted returns those of several selectors that repeat nothing of what was typed as a
// variable, and hold nothing that looks like a secret: they would fit no other values.
func (vs *variables) unquoted(paths []selectors.Path) (all []selectors.Path) {
	for _, path := range paths {
		if text := path.String(); len(path) > 0 && !vs.quotedIn(text) && automation.DetectSecret(text) == "" {
			all = append(all, path)
		}
	}
	return all
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
	schema := draft.Text(e.secret)
	if e.secret {
		return schema // a limit on its length would reveal something of it
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

// birthday matches the words about a date that identifies someone.
var birthday = regexp.MustCompile(`(?i)birth|\bb-?day\b|\bdob\b|geburt|naissance|naci(miento|do)|nascita|nascimento|geboorte|urodz|рожд|生年|出生|생년`)

// wordRule is a name for what is called so.
type wordRule struct {
	words *regexp.Regexp
	name  string
}

// byWords names a variable by the words about its field, the first that fits.
var byWords = []wordRule{
	{regexp.MustCompile(`(?i)e-?mail|correo|courriel`), "email"},
	{regexp.MustCompile(`(?im)user.?(name|id)|login|benutzer|usuario|^\W*(your\W)?identifi`), "username"},
	{regexp.MustCompile(`(?i)phone|mobile|\btel(?:\b|_|no|nr|num)|telefon|t[ée]l[ée]phone`), "phone"},
	{regexp.MustCompile(`(?i)first.?name|given.?name|vorname|pr[ée]nom`), "first_name"},
	{regexp.MustCompile(`(?i)last.?name|surname|family.?name|nachname`), "last_name"},
	{regexp.MustCompile(`(?im)^\W*((full|your|legal|real|contact|recipient|customer)\W?)*name\b`), "name"},
	{regexp.MustCompile(`(?im)street|^\W*((home|postal|mailing|billing|shipping|delivery|contact|residential|current|your)\W?)*address|adresse|direcci`), "street"},
	{regexp.MustCompile(`(?i)zip|post(al)?.?code|plz`), "postal_code"},
	{regexp.MustCompile(`(?i)account.?(number|no)|iban|customer.?(number|no)\b`), "account_number"},
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

// anySecret is the name of a secret of which nothing is known.
const anySecret = "secret"

// nameOf is the name of the variable for a field, "" where what is typed stays
// as it is.
func nameOf(el *element, secret bool) string {
	byAutocomplete := ""
	for _, token := range el.tokens {
		if name := byToken[token]; name != "" {
			byAutocomplete = name
		}
	}
	about := el.called()
	switch {
	case byAutocomplete == "username" && (el.inputType == "email" || byWords[0].words.MatchString(about)):
		return "email"
	case byAutocomplete != "":
		return byAutocomplete
	case secret:
		return firstFit(secretsByWords, about+"\n"+el.caption(), anySecret)
	case el.inputType == "email":
		return "email"
	case el.inputType == "tel":
		return "phone"
	case el.inputType == "date" && birthday.MatchString(about):
		return "birthday"
	case el.inputType != "text":
		return ""
	}
	name := firstFit(byWords, about, "")
	if caption := firstFit(byWords, el.caption(), ""); name == "" && (caption == "email" || caption == "username") { // its label leads nowhere
		return caption
	}
	if label := cmp.Or(el.label, el.caption()); (name == "name" || name == "street") && ofAThing.MatchString(label) && firstFit(byWords, label, "") != name {
		return ""
	}
	return name
}

// ofAThing matches the label of a name or an address that is no person's, as "Table name" where the page calls the field "name".
var ofAThing = regexp.MustCompile(`(?i)\pL\W+(?:name|address)\b`)

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
