package commit_test

import (
	"testing"

	"github.com/go-reprise/reprise/internal/commit"
)

func TestStructureDecidesWhereWordsAreUnknown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		e    commit.Evidence
		want commit.Verdict
	}{
		"nothing is known":                    {commit.Evidence{Label: "Zuk"}, commit.Unknown},
		"a word, with an emoji":               {commit.Evidence{Label: "🔒 → Pay"}, commit.Commits},
		"a word before a longer text":         {commit.Evidence{Label: "Delete this and view the rest later"}, commit.Commits},
		"a day whose short name is a verb":    {commit.Evidence{Label: "Tue Mar 18 2031"}, commit.Unknown},
		"that verb alone":                     {commit.Evidence{Label: "Tue"}, commit.Commits},
		"that verb before an amount":          {commit.Evidence{Label: "Tue 10 €"}, commit.Commits},
		"a price and a form":                  {commit.Evidence{Label: "Zuk", Method: "post", Action: "/x", Near: "Total 12,00 €"}, commit.Commits},
		"a price alone":                       {commit.Evidence{Label: "Zuk", Near: "Total 12,00 €"}, commit.Unknown},
		"card fields":                         {commit.Evidence{Label: "Continue", Method: "post", Fields: []string{"text cc-number"}, Near: "Total 12,00 €"}, commit.Commits},
		"a bin":                               {commit.Evidence{Icons: []string{"icon-trash"}}, commit.Commits},
		"a telling action":                    {commit.Evidence{Label: "Zuk", Method: "post", Action: "/checkout/pay"}, commit.Commits},
		"yes to a question":                   {commit.Evidence{Label: "Yes", Dialog: "Delete this file? Yes No"}, commit.Commits},
		"no to it":                            {commit.Evidence{Label: "No", Dialog: "Delete this file? Yes No"}, commit.Harmless},
		"a button that dismisses it":          {commit.Evidence{Label: "Zuk", Dismiss: true, Dialog: "Delete this file?"}, commit.Harmless},
		"a recipient and a text":              {commit.Evidence{Label: "Zuk", Fields: []string{"text to", "textarea body"}}, commit.Commits},
		"a password":                          {commit.Evidence{Label: "Zuk", Method: "post", Fields: []string{"text user", "password p"}}, commit.Harmless},
		"a password, to delete":               {commit.Evidence{Label: "Yes", Method: "post", Headings: "Delete account", Fields: []string{"password p"}}, commit.Commits},
		"a search":                            {commit.Evidence{Label: "Zuk", Search: true, Near: "12 €"}, commit.Harmless},
		"a state":                             {commit.Evidence{Label: "Zuk", Toggle: true}, commit.Harmless},
		"a basket next to a price":            {commit.Evidence{Label: "Add to basket", Method: "post", Action: "/x", Near: "12 €"}, commit.Harmless},
		"a banner about cookies":              {commit.Evidence{Label: "Accept all", Dialog: "We use cookies. Change your order at any time?"}, commit.Harmless},
		"the last word where verbs come last": {commit.Evidence{Label: "Siparişi göster"}, commit.Harmless},
		"a commit that stands last":           {commit.Evidence{Label: "Siparişi onayla"}, commit.Commits},
		"an order that is cancelled":          {commit.Evidence{Label: "Cancel order"}, commit.Commits},
		"filters that are cleared":            {commit.Evidence{Label: "Xóa bộ lọc"}, commit.Harmless},
		"capitals without accents":            {commit.Evidence{Label: "ΑΚΥΡΩΣΗ ΡΑΝΤΕΒΟΥ"}, commit.Commits},
		"an amount in the label":              {commit.Evidence{Label: "Zuk · 12 €", Near: "Zuk · 12 €"}, commit.Commits},
		"a search elsewhere on the page":      {commit.Evidence{Label: "Zuk", Fields: []string{"search q"}}, commit.Unknown},
		"what leads on from a payment's page": {commit.Evidence{Label: "Next", Path: "/checkout", Near: "12 €"}, commit.Unknown},
		"a question that only unfolds":        {commit.Evidence{Label: "How do I delete my account?"}, commit.Harmless},
	} {
		if got := commit.Judge(test.e); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func TestARequestIsJudgedByWhatItSays(t *testing.T) {
	t.Parallel()
	const json, form = "application/json", "application/x-www-form-urlencoded"
	for name, test := range map[string]struct {
		s    commit.Sent
		p    commit.Press
		want commit.Verdict
	}{
		"what only reads":                 {commit.Sent{Method: "GET", URL: "https://a.example/delete"}, commit.Press{}, commit.Harmless},
		"an address that says little":     {commit.Sent{Method: "POST", URL: "https://a.example/x/1"}, commit.Press{}, commit.Unknown},
		"the same, recorded":              {commit.Sent{Method: "POST", URL: "https://a.example/x/1"}, commit.Press{Recorded: true}, commit.Harmless},
		"a deletion, recorded":            {commit.Sent{Method: "DELETE", URL: "https://a.example/x/1"}, commit.Press{Recorded: true}, commit.Unknown},
		"paying, recorded":                {commit.Sent{Method: "POST", URL: "https://a.example/pay"}, commit.Press{Recorded: true}, commit.Commits},
		"paying after a harmless word":    {commit.Sent{Method: "POST", URL: "https://a.example/checkout/pay"}, commit.Press{Verdict: commit.Harmless}, commit.Commits},
		"deleting after a harmless word":  {commit.Sent{Method: "DELETE", URL: "https://a.example/x/1"}, commit.Press{Verdict: commit.Harmless}, commit.Unknown},
		"deleting an account, signing in": {commit.Sent{Method: "POST", URL: "https://a.example/account/delete"}, commit.Press{SignsIn: true}, commit.Commits},
		"leaving a session":               {commit.Sent{Method: "DELETE", URL: "https://a.example/session"}, commit.Press{}, commit.Harmless},
		"a search":                        {commit.Sent{Method: "POST", URL: "https://a.example/api/search"}, commit.Press{}, commit.Harmless},
		"a query":                         {commit.Sent{Method: "POST", URL: "https://a.example/graphql", Type: json, Body: `{"query":"query Q { a }"}`}, commit.Press{}, commit.Harmless},
		"a mutation":                      {commit.Sent{Method: "POST", URL: "https://a.example/graphql", Type: json, Body: `{"query":"mutation { zork }"}`}, commit.Press{}, commit.Unknown},
		"a batch with one":                {commit.Sent{Method: "POST", URL: "https://a.example/graphql", Type: json, Body: `[{"query":"{ a }"},{"query":"mutation { zork }"}]`}, commit.Press{}, commit.Unknown},
		"a mutation that says what":       {commit.Sent{Method: "POST", URL: "https://a.example/graphql", Type: json, Body: `{"query":"mutation { deleteUser(id: 1) }"}`}, commit.Press{}, commit.Commits},
		"a form that overrides":           {commit.Sent{Method: "POST", URL: "https://a.example/x", Type: form, Body: "_method=delete"}, commit.Press{}, commit.Commits},
		"a beacon":                        {commit.Sent{Method: "POST", URL: "https://a.example/x", Kind: "Ping"}, commit.Press{}, commit.Harmless},
		"a beacon to the page's own site": {commit.Sent{Method: "POST", URL: "https://a.example/x", Kind: "Ping", Own: true}, commit.Press{}, commit.Unknown},
		"a beacon that pays":              {commit.Sent{Method: "POST", URL: "https://a.example/pay", Kind: "Ping"}, commit.Press{}, commit.Commits},
		"a sign-in":                       {commit.Sent{Method: "POST", URL: "https://a.example/x"}, commit.Press{SignsIn: true}, commit.Harmless},
	} {
		if got := commit.Request(test.s, test.p); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("Pay 12 €", "Delete it?", "/cart", `{"query":"mutation a{b}"}`)
	f.Add("później_", "", "%zz", "[{}]")
	f.Fuzz(func(_ *testing.T, label, near, path, body string) {
		v := commit.Judge(commit.Evidence{Label: label, Near: near, Dialog: near, Headings: label, Path: path, Action: path, Href: path, Marks: []string{label}, Fields: []string{near}, Icons: []string{label}})
		commit.Request(commit.Sent{Method: "POST", URL: path, Body: body, Type: "application/json"}, commit.Press{Verdict: v})
	})
}
