package runner

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

func TestARunActsOnTheSitesOfItsScopeAndOfWhatItPlays(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	document := func(name, urls, steps string) *automation.Automation {
		doc, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":%q,"match":{"urls":[%s]},"steps":[%s]}`, name, urls, steps))
		if err == nil {
			doc, err = st.Automations().Save(context.Background(), doc)
		}
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	document("inner", `"login.bank.co.uk"`, `{"tool":"run","args":{"name":"outer"}}`)
	outer := document("outer", `"accounts.shop.example/*","*.shop.example","shop.example","127.0.0.1:8080","localhost:3000","ada.github.io"`,
		`{"tool":"run","args":{"name":"inner"}},{"tool":"run","args":{"name":"missing"}}`)
	found, err := Places(t.Context(), st.Automations(), outer, "ada")
	var got []string
	for _, p := range found {
		got = append(got, p.Site+" "+p.Account)
	}
	slices.Sort(got)
	want := []string{"127.0.0.1 ada", "ada.github.io ada", "bank.co.uk ada", "localhost ada", "shop.example ada"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("it acts on %q, %v, want %q", got, err, want)
	}
}
