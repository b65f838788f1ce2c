package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/selectors"
)

// annotation is a type in TypeScript, as far as generated.ts has any.
var annotation = regexp.MustCompile(`(\w|\)): (string|boolean|number)\b`)

// isGenerated asks the page script's own isGenerated, which nothing outside calls:
// its file alone is run, without its types.
func isGenerated(ctx context.Context, t testing.TB, page *target.Page, tokens []string) []bool {
	t.Helper()
	source, err := os.ReadFile("src/locate/generated.ts")
	if err != nil {
		t.Fatal(err)
	}
	script := annotation.ReplaceAllString(strings.ReplaceAll(string(source), "export ", ""), "$1")
	data, err := json.Marshal(tokens)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := page.Send("Runtime.evaluate", map[string]any{
		"expression": fmt.Sprintf("(() => {%s\nreturn %s.map(isGenerated)})()", script, data), "returnByValue": true,
	}).Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Result struct{ Value []bool }
	}
	if err := json.Unmarshal(reply, &answer); err != nil || len(answer.Result.Value) != len(tokens) {
		t.Fatalf("the page script gave %s, %v", reply, err)
	}
	return answer.Result.Value
}

// What the page leaves out as generated and what is then ranked as such must be the same.
func TestGeneratedNamesAreToldAlikeInThePageAndOutside(t *testing.T) {
	t.Parallel()
	page := browsertest.Page(t, "").Target()
	for list, want := range map[string]bool{"written.txt": false, "made.txt": true} {
		data, err := os.ReadFile("../../selectors/testdata/" + list)
		if err != nil {
			t.Fatal(err)
		}
		tokens := strings.Fields(string(data))
		for i, got := range isGenerated(t.Context(), t, page, tokens) {
			if got != want {
				t.Errorf("%s holds %q: generated %t", list, tokens[i], got)
			}
		}
	}
}

// pieces are what random tokens are made of: what the patterns look for, and what they just miss.
var pieces = []string{
	"css-", "sc-", "svelte-", "mat-", "input-", "ember", "ext-gen", "yui_", "cdk-", "radix-", ":r", "«r", "»", ":", "_r_", "jss", "data-v-", "_ngcontent-", "__BVID__",
	"headlessui-", "menu-", "react-select-", "-", "_", "__", ".", "a", "Z", "7", "0a", "tab", "Item", "1234", "12345", "deadbeef", "DEADBEEF", "a8Kd", "ä", "按", "𝒳", "K",
	"550e8400-e29b-41d4-a716-446655440000", "xY", "3x", "longenoughtobeaword",
}

func TestRandomNamesAreToldAlikeInThePageAndOutside(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	tokens := make([]string, 20_000)
	made := 0
	for i := range tokens {
		for range 1 + random.IntN(6) {
			tokens[i] += pieces[random.IntN(len(pieces))]
		}
		if selectors.Generated(tokens[i]) {
			made++
		}
	}
	if made < len(tokens)/10 || made > len(tokens)*9/10 {
		t.Errorf("of %d tokens %d are generated: they try too little", len(tokens), made)
	}
	for i, got := range isGenerated(t.Context(), t, browsertest.Page(t, "").Target(), tokens) {
		if want := selectors.Generated(tokens[i]); got != want {
			t.Errorf("%q: the page says %t, selectors.Generated %t", tokens[i], got, want)
		}
	}
}

// FuzzGenerated: the page script and selectors.Generated agree on every token. Each
// seed is the beginning of many, as asking the page takes its time.
func FuzzGenerated(f *testing.F) {
	for _, list := range []string{"written.txt", "made.txt"} {
		data, err := os.ReadFile("../../selectors/testdata/" + list)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add("«r2» 𝒳1𝒳2 K1K2 ſ8a8b8c8 \u0000a1 css-1\n")
	page := browsertest.Page(f, "").Target()
	f.Fuzz(func(t *testing.T, text string) {
		var tokens []string
		for i, token := range strings.Fields(strings.ToValidUTF8(text, "")) {
			if i < 100 && len(token) < 100 { // more of them would only take longer
				tokens = append(tokens, variants(token)...)
			}
		}
		if len(tokens) == 0 {
			return
		}
		for i, got := range isGenerated(t.Context(), t, page, tokens) {
			if want := selectors.Generated(tokens[i]); got != want {
				t.Errorf("%q: the page says %t, selectors.Generated %t", tokens[i], got, want)
			}
		}
	})
}

// variants are a token and what it becomes by small changes.
func variants(token string) []string {
	all := []string{token, strings.ToUpper(token), strings.ToLower(token), token + "-1a2B3c", "css-" + token, "ember" + token, strings.Repeat(token, 9)}
	for i := range token {
		all = append(all, token[:i]+"7"+token[i:], strings.ToValidUTF8(token[i:], ""))
	}
	return all
}
