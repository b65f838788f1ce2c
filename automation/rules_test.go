package automation

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/selectors"
)

// The published schema and the tables say the same of every tool.
func TestTheSchemaAndTheTablesAgree(t *testing.T) {
	t.Parallel()
	type block struct {
		If struct {
			Properties map[string]struct {
				Const   string
				Pattern string
			}
		}
		Then struct {
			Required      []string
			PropertyNames struct{ Enum []string }
			AnyOf         []struct{ Required []string }
			Properties    struct {
				Args struct {
					Required      []string
					PropertyNames struct{ Enum []string }
				}
			}
		}
	}
	var schema struct {
		Properties map[string]any
		Defs       map[string]struct {
			Properties map[string]json.RawMessage
			AllOf      []block
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	same := func(what string, got, want []string) {
		t.Helper()
		got, want = slices.Clone(got), slices.Clone(want)
		sort.Strings(got)
		sort.Strings(want)
		if !slices.Equal(got, slices.Compact(want)) {
			t.Errorf("%s: the schema says %v, the tables %v", what, got, want)
		}
	}
	keys := func(fields []field) (all []string) {
		for _, f := range fields {
			all = append(all, f.key)
		}
		return all
	}
	var format int
	for name, fields := range map[string][]field{
		"step": (&Step{}).fields(), "offset": (&Offset{}).fields(), "expectation": (&Expectation{}).fields(), "condition": (&Condition{}).fields(),
		"identity": (&Identity{}).fields(), "fingerprint": fingerprintFields(&selectors.Fingerprint{}),
	} {
		var got []string
		for key := range schema.Defs[name].Properties {
			got = append(got, key)
		}
		same(name, got, keys(fields))
	}
	var got []string
	for key := range schema.Properties {
		got = append(got, key)
	}
	same("document", got, keys((&Automation{}).fields(&format)))

	seen := map[string]bool{}
	check := func(kind string, rules map[string]rule, known func(rule) []string) {
		for _, b := range schema.Defs[kind].AllOf {
			name, r := "", rule{}
			for _, p := range b.If.Properties {
				if name = p.Const; name == "" {
					name, r = "a program's own", ownTool
				} else {
					r = rules[name]
				}
			}
			seen[name] = true
			var anyOf, args, neededArgs []string
			for _, one := range b.Then.AnyOf {
				anyOf = append(anyOf, one.Required...)
			}
			for _, key := range r.args {
				if needed := strings.TrimPrefix(key, "!"); needed != key {
					neededArgs = append(neededArgs, needed)
				}
				args = append(args, strings.TrimPrefix(key, "!"))
			}
			if len(args) > 0 {
				args = append(args, "x")
			}
			same(name+" takes", b.Then.PropertyNames.Enum, known(r))
			same(name+" needs", b.Then.Required, r.needs)
			same(name+" needs one of", anyOf, r.anyOf)
			same(name+" arguments", b.Then.Properties.Args.PropertyNames.Enum, args)
			same(name+" needed arguments", b.Then.Properties.Args.Required, neededArgs)
		}
	}
	check("step", tools, rule.known)
	check("expectation", consequences, func(r rule) []string { return slices.Concat([]string{"kind", "x"}, r.needs, r.takes) })
	for _, name := range slices.Concat(Tools(), []string{"popup", "dialog", "download", "response", "element", "text", "a program's own"}) {
		if !seen[name] {
			t.Errorf("the schema says nothing of %s", name)
		}
	}
}

func TestTheToolsAreThoseOfTheDesign(t *testing.T) {
	t.Parallel()
	want := strings.Fields("navigate click typeInput fillForm keypress waitForNav select check upload hover drag scroll waitFor assert extract screenshot dialog tab approve handoff run")
	slices.Sort(want)
	if got := Tools(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	text := string(golden(t)["testdata/golden/everything.json"])
	for _, name := range want {
		if !strings.Contains(text, `"tool": "`+name+`"`) {
			t.Errorf("the golden document does not use %s", name)
		}
	}
	for _, f := range (&Step{}).fields() {
		if !strings.Contains(text, `"`+f.key+`": `) {
			t.Errorf("the golden document does not use %s", f.key)
		}
	}
}

func TestValidateFindsInAStructWhatParseFindsInADocument(t *testing.T) {
	t.Parallel()
	good := func() *Automation {
		return &Automation{Name: "a", Match: Scope{URLs: []string{"example.com"}}, Steps: []Step{{Tool: "click", Selector: css("#a")}}}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for path, change := range map[string]func(*Automation){
		"name":                      func(a *Automation) { a.Name = "" },
		"description":               func(a *Automation) { a.Description = "\xff" },
		"revision":                  func(a *Automation) { a.Revision = -1 },
		"match.urls":                func(a *Automation) { a.Match.URLs = nil },
		"match.account":             func(a *Automation) { a.Match.Account = strings.Repeat("a", 201) },
		"variables":                 func(a *Automation) { a.Variables = json.RawMessage(`{`) },
		"identity.selector":         func(a *Automation) { a.Identity = &Identity{Value: &Value{Kind: Literal, Value: json.RawMessage(`1`)}} },
		"steps":                     func(a *Automation) { a.Steps = nil },
		"steps[0].selector":         func(a *Automation) { a.Steps[0].Selector = selectors.Path{{Kind: "js", Body: "x"}} },
		"steps[0].alternatives[0]":  func(a *Automation) { a.Steps[0].Alternatives = []selectors.Path{nil} },
		"steps[0].frame[0]":         func(a *Automation) { a.Steps[0].Frame = []selectors.Path{{}} },
		"steps[0].offset.x":         func(a *Automation) { a.Steps[0].Offset = &Offset{-0.1, 0} },
		"steps[0].timeout":          func(a *Automation) { a.Steps[0].Timeout = -1 },
		"steps[0].count":            func(a *Automation) { a.Steps[0].Count = -1 },
		"steps[0].intent":           func(a *Automation) { a.Steps[0].Intent = "\t" },
		"steps[0].when":             func(a *Automation) { a.Steps[0].When = &Condition{} },
		"steps[0].expect[0].kind":   func(a *Automation) { a.Steps[0].Expect = []Expectation{{}} },
		"steps[0].expect[0].status": func(a *Automation) { a.Steps[0].Expect = []Expectation{{Kind: "response", URL: "a.b", Status: 7}} },
		"steps[0].value":            func(a *Automation) { a.Steps[0].Value = &Value{Kind: Literal, Value: json.RawMessage(`1`)} },
		"steps[1].value.value": func(a *Automation) {
			a.Steps = append(a.Steps, Step{Tool: "typeInput", Selector: css("#a"), Value: &Value{Kind: Literal, Value: json.RawMessage(`{`)}})
		},
		"steps[1].args": func(a *Automation) {
			a.Steps = append(a.Steps, Step{Tool: "acme.solve", Args: json.RawMessage(`{"a":1,"a":2}`)})
		},
		"x":                        func(a *Automation) { a.X = json.RawMessage(`{`) },
		"steps[0].x":               func(a *Automation) { a.Steps[0].X = json.RawMessage(`nothing`) },
		"match.x.a":                func(a *Automation) { a.Match.X = json.RawMessage(`{"a":1,"a":2}`) },
		"steps[0].fingerprint.tag": func(a *Automation) { a.Steps[0].Fingerprint = &selectors.Fingerprint{} },
		"steps[0].expect[0].x":     func(a *Automation) { a.Steps[0].Expect = []Expectation{{Kind: "dialog", X: json.RawMessage(`]`)}} },
		"steps[0].fingerprint.own.id": func(a *Automation) {
			a.Steps[0].Fingerprint = &selectors.Fingerprint{Tag: "a", Own: map[string]string{"id": "\xff"}}
		},
	} {
		a := good()
		change(a)
		found := Problems(a.Validate())
		if len(found) != 1 || found[0].Path != path {
			t.Errorf("want %s, got %v", path, found)
		}
	}
}

func TestKeysAreNamedAsTheBrowserNamesThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Enter": "|Enter", "a": "|a", "A": "|A", "é": "|é", "日": "|日", " ": "| ", "+": "|+", "-": "|-", "F12": "|F12", "Shift": "|Shift",
		"Control+A": "Control|A", "Control+Shift+ArrowLeft": "Control,Shift|ArrowLeft", "Control++": "Control|+", "ControlOrMeta+c": "ControlOrMeta|c",
		"Alt+Control+Meta+Shift+Delete": "Alt,Control,Meta,Shift|Delete", "Control+ ": "Control| ", "Control+Meta": "Control|Meta",
	} {
		k, err := ParseKey(text)
		if got := strings.Join(k.Modifiers, ",") + "|" + k.Name; err != nil || got != want {
			t.Errorf("%q is %q, %v", text, got, err)
		}
		if k.String() != text {
			t.Errorf("%q comes back as %q", text, k)
		}
	}
	for text, reason := range map[string]string{
		"": "not a key", "enter": `"Enter"`, "Return": `"Enter"`, "Esc": `"Escape"`, "Space": `" "`, "Ctrl+A": "not a key", "control+A": "not a key", "Control+Control+A": "twice",
		"Control+": "not a key", "++": "not a key", "A+Control": "not a key", "Control+AB": "not a key", "\x00": "not a key", "\n": "not a key", "\u200b": "not a key", "\xff": "not a key",
		"F25": "not a key", "Control + A": "not a key", "ArrowUp ": "not a key", "up": `"ArrowUp"`, "ControlOrMeta": "not a key",
	} {
		k, err := ParseKey(text)
		if err == nil {
			t.Errorf("%q is %v", text, k)
		} else if !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: the error does not say %s: %v", text, reason, err)
		}
	}
	for _, name := range KeyNames() {
		if k, err := ParseKey(name); err != nil || k.Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNavigateGoesOnlyWhereAPersonWould(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"https://accounts.google.com/", "http://example.com", "https://example.com:8443/a%2fb?q=a b"[:31], "http://localhost:3000/", "http://127.0.0.1:41234/x", "http://[::1]:1/", "http://192.168.1.1/",
		"https://example.com/?next=file:///etc/passwd#javascript:x", "https://[2001:db8::1]/", "https://xn--bcher-kva.example/", "http://my_host/", "https://example.com/é?é=ü",
	} {
		if err := CheckURL(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "example.com", "//example.com", "/path", "about:blank", "file:///etc/passwd", "FILE:///etc/passwd", "data:text/html,x", "javascript:alert(1)", "JavaScript://example.com/%0aalert(1)", "chrome://settings",
		"chrome-extension://abc/x", "view-source:https://example.com", "blob:https://example.com/x", "ftp://example.com", "ws://example.com", "devtools://x", "filesystem:https://example.com/x", "intent://x", "mailto:a@b",
		"https://user:password@example.com/", "https://@example.com/", "https:/example.com", "https:example.com", "https:///example.com", "https://example.com\\@evil.example/", "https://exa mple.com", " https://example.com", "https://example.com/\n",
		"http://169.254.169.254/latest/meta-data/", "http://169.254.0.1/", "http://[fe80::1]/", "http://[febf::1]/", "http://[fe80::1%25eth0]/", "http://[::ffff:169.254.169.254]/", "http://[::ffff:a9fe:a9fe]/", "http://[64:ff9b::a9fe:a9fe]/",
		"http://[fd00:ec2::254]/", "http://2852039166/", "http://0xa9fea9fe/", "http://0251.0376.0251.0376/", "http://169.254.43518/", "http://169.254.169.254./", "http://100.100.100.200/", "http://168.63.129.16/", "http://192.0.0.192/",
		"http://metadata.google.internal/", "http://METADATA.google.internal/", "http://metadata/", "http://metadata.google.internal./", "http://instance-data/", "http://0.0.0.0/", "http://0/", "http://[::]/", "http://[::169.254.169.254]/", "http://[2002:a9fe:a9fe::1]/",
	} {
		err := CheckURL(bad)
		if err == nil {
			t.Errorf("%q may be opened", bad)
		} else if strings.Contains(err.Error(), "password@") {
			t.Errorf("a password in %v", err)
		}
	}
}

func TestWhatPaysOrdersSendsOrDeletesCommits(t *testing.T) {
	t.Parallel()
	for _, label := range []string{
		"Pay", "Pay $42.00", "Pay now", "Place order", "Place your order", "Buy now", "Confirm payment", "Review and pay", "Send", "Send message", "Delete", "Delete 3 files",
		"Yes, delete it", "Cancel subscription", "Book this room", "Transfer", "Publish",
		"Jetzt bezahlen", "Zahlungspflichtig bestellen", "Löschen", "Nachricht senden", "Überweisen", "Payer", "Valider le paiement", "Supprimer", "Pagar", "Comprar ahora", "Eliminar",
		"Acquista", "Invia", "Betalen", "Verwijderen", "Zapłać", "Usuń", "Betala", "Satın al", "Оплатить", "Удалить", "支付", "提交订单", "注文を確定する", "削除", "결제하기", "삭제",
	} {
		if !IsCommitLabel(label) {
			t.Errorf("%q does not commit", label)
		}
	}
}

func TestWhatOnlySoundsLikeItDoesNot(t *testing.T) {
	t.Parallel()
	for _, label := range []string{
		"", "Next", "Sign in", "Log in", "Search", "Save", "Continue", "Add to cart", "Checkout", "My orders", "Border", "Payments", "Payment history", "Payroll", "Buyer's guide", "Read the post",
		"Postcode", "Sender", "Booking details", "Bookmarks", "Guest book", "How to pay", "Show deleted", "Undelete", "Weiter", "Anmelden", "Bestellungen", "Bezahlmethoden", "Suivant", "Paiements", "Siguiente",
		"Send code", "Send me a new code", "Send verification code", "Send login link", "Далее", "下一步", "次へ",
		"By choosing to go on you agree that we may pay, send, transfer or delete anything that we like to",
	} {
		if IsCommitLabel(label) {
			t.Errorf("%q commits", label)
		}
	}
}
