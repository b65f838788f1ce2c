package selectors

import (
	"slices"
	"strings"
	"testing"
)

func TestATestIDAttributeIsAPlainName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"data-qa", "data-qa_id", "id", "e2e", "x", strings.Repeat("a", 64)} {
		if err := CheckTestIDAttribute(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", "Data-QA", "data qa", `a"],*["`, "a]", "1a", "-a", "a:b", "a.b", "a\n", "ä", "value", strings.Repeat("a", 65)} {
		if CheckTestIDAttribute(name) == nil {
			t.Errorf("%q was taken", name)
		}
	}
}

func TestATestIDOfTheAuthorsOwnComesFirst(t *testing.T) {
	t.Parallel()
	all := paths(`aria/Pay[role="button"]`, "#pay", `[data-part="pay-button"]`, `[data-other="pay"]`)
	for attribute, want := range map[string]string{"data-part": `[data-part="pay-button"]`, "": `aria/Pay[role="button"]`} {
		if got := texts(Rank(all, attribute)); got[0] != want {
			t.Errorf("with %q: %q", attribute, got)
		}
	}
	generated := paths(`[data-part="a1b2c3d4e5"]`, "#pay")
	if got := texts(Rank(generated, "data-part")); !slices.Equal(got, []string{"#pay", `[data-part="a1b2c3d4e5"]`}) {
		t.Errorf("a generated test id is no better than a generated id: %q", got)
	}
}
