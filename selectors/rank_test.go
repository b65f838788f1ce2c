package selectors

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// tokensIn are the tokens of a list in testdata, which the test of the page script reads, too.
func tokensIn(t testing.TB, list string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + list)
	if err != nil {
		t.Fatal(err)
	}
	tokens := strings.Fields(string(data))
	if len(tokens) < 40 {
		t.Fatalf("%s holds %d tokens: this reads the wrong thing", list, len(tokens))
	}
	return tokens
}

func TestGeneratedTellsProgramsFromPeople(t *testing.T) {
	t.Parallel()
	for _, token := range tokensIn(t, "written.txt") {
		if Generated(token) {
			t.Errorf("%q was written by a person", token)
		}
	}
	for _, token := range tokensIn(t, "made.txt") {
		if !Generated(token) {
			t.Errorf("%q was made by a program", token)
		}
	}
}

func paths(texts ...string) []Path {
	all := make([]Path, len(texts))
	for i, text := range texts {
		all[i], _ = ParsePath(strings.Split(text, " >>> ")...)
	}
	return all
}

func texts(all []Path) []string {
	list := make([]string, len(all))
	for i, p := range all {
		list[i] = p.String()
	}
	return list
}

func TestRankKeepsTheBestOfEachSourceInOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, candidates, want string }{
		{"one of each", `xpath//html/body/form/input[2] | form > input.big | text/Sign in | #email | aria/E-mail | aria/E-mail[role="textbox"] | testid/email`,
			`testid/email | aria/E-mail[role="textbox"] | aria/E-mail | #email | text/Sign in | form > input.big | xpath//html/body/form/input[2]`},
		{"at most seven", `testid/a | [data-testid="a"] | aria/A[role="b"] | aria/A | [placeholder="A"] | #a | [name="a"] | text/A | .a | .b | pierce/.a | xpath//a | xpath//b`,
			`testid/a | aria/A[role="b"] | aria/A | [name="a"] | text/A | .a | xpath//a`},
		{"test attributes in CSS", `#a | button[data-cy='pay now']`, `button[data-cy='pay now'] | #a`},
		{"name before id", `#passwd | input[name="Passwd"]`, `input[name="Passwd"]`},
		{"a generated id is only structure", `#mat-input-0 | form > input | text/Go`, `text/Go | form > input`},
		{"a generated id is better than none", `xpath//input | #mat-input-0`, `#mat-input-0 | xpath//input`},
		{"a generated name or test id too", `[name="x7Gh2Kq"] | testid/550e8400-e29b-41d4-a716-446655440000 | text/Go`, `text/Go | [name="x7Gh2Kq"]`},
		{"positions are worse than length", `div:nth-child(2) | main > section.checkout > div.row > button.pay`, `main > section.checkout > div.row > button.pay`},
		{"hashed classes are worse than positions", `.Button_primary__3xY2z | div:nth-child(2)`, `div:nth-child(2)`},
		{"a role alone is structure", `aria/[role="button"] | text/Go`, `text/Go | aria/[role="button"]`},
		{"an anchored XPath", `xpath//html/body/div[1]/div[3]/input | xpath///*[@id="email"]`, `xpath///*[@id="email"]`},
		{"an XPath of a generated id", `xpath//html/body/div[1]/div[3]/input | xpath///*[@id="ember1234"]`, `xpath//html/body/div[1]/div[3]/input`},
		{"fewer roots", `my-app >>> my-form >>> #email | my-form >>> #email`, `my-form >>> #email`},
		{"words next to it are better than a class, which others of a kind have", `#app > div:nth-child(2) | text/Garage >>> near/i.star | i.star`, `text/Garage near/i.star | i.star`},
		{"words of its own are better than those next to it", `text/Garage >>> near/i.star | text/Star`, `text/Star | text/Garage near/i.star`},
		{"the last part counts", `#app >>> button.x | text/Go`, `text/Go | #app >>> button.x`},
		{"twice the same", `#a | #a`, `#a`},
		{"nothing", ``, ``},
	} {
		candidates := strings.Split(c.candidates, " | ")
		r := rand.New(rand.NewPCG(1, 1))
		for range 20 {
			r.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
			if got := strings.Join(texts(Rank(paths(candidates...))), " | "); got != c.want {
				t.Errorf("%s: %v gives\n%s, want\n%s", c.name, candidates, got, c.want)
				break
			}
		}
	}
}

func TestRankDropsWhatAHostilePageInvents(t *testing.T) {
	t.Parallel()
	hostile := []Path{nil, {}, {{Kind: CSS, Body: "a["}}, {{Kind: "js", Body: "alert(1)"}}, {{Kind: CSS, Body: "text/x"}},
		{{Kind: Text, Body: "a\x00"}}, {{Kind: CSS, Body: strings.Repeat("a", MaxLength+1)}}, slices.Repeat(Path{{Kind: CSS, Body: "a"}}, MaxParts+1),
		{{Kind: TestID}}, {{Kind: Aria, Body: `[role=""]`}}, {{Kind: CSS, Body: "a"}, {Kind: XPath, Body: "'"}}}
	good := Path{{Kind: CSS, Body: "#a"}}
	if got := texts(Rank(append(hostile, good))); !slices.Equal(got, []string{"#a"}) {
		t.Errorf("kept %v", got)
	}
}

func TestRankLeavesItsArgumentAlone(t *testing.T) {
	t.Parallel()
	candidates := paths("xpath//a", "#a", "testid/a")
	Rank(candidates)
	if got := texts(candidates); !slices.Equal(got, []string{"xpath//a", "#a", "testid/a"}) {
		t.Errorf("now %v", got)
	}
}
