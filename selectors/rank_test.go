package selectors

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var (
	written = strings.Fields(`
		email password next submit-button username login_form identifierId passwordNext btn-primary nav-item-3 col-md-6
		col2 step1 step-12 address_line_1 line2 h1 utf8 year-2024 q3-2024 iso8601 base64-input oauth2-consent sha256
		mp3player s3bucket ipv4address x509cert e2e-submit i18n-picker k8s-menu web3modal user[email] Passwd firstName
		billingAddressLine1 iPhone15Pro macOS HTMLElement signInWithSSO b2b-login a11y-menu h264 mainNav
		search__input--active MuiButton-root css-grid sc-header mat-form-field ng-invalid v-btn p-button tab3content
		row1col2 v1alpha2 facade décès-formulaire 按钮 cart:total react-app ember-view headlessui-menu data-testid
		pay-now-button form2 checkout-step2-form iOSApp eMail toDoList`)
	made = strings.Fields(`
		:r1: :r1a: radix-:r3: «r2» _r_a_ ember1234 ember42 ext-gen1034 yui_3_18_1_1_1584 css-1a2b3c4 css-19kzrtu
		css-0 css-1q2w3e-MuiButton sc-bdVaJa sc-1f2ug0x-0 jss12 Button_primary__3xY2z styles_card__a8Kd3 svelte-1xyz9a
		_ngcontent-abc-c12 data-v-7ba5bd90 mat-input-0 mat-mdc-form-field-label-3 cdk-4 headlessui-menu-button-3 react-select-2-input
		550e8400-e29b-41d4-a716-446655440000 id-550E8400-E29B-41D4-A716-446655440000 a1b2c3d4e5 x7Gh2Kq item-8392831 gwt-uid-12
		ui-id-3 __BVID__23 mantine-8xk2 field-1700000000000 yDmH0d main.4f3a9c1b 9f86d081884c7d65 rc_select_0 react-aria1234-x`)
)

func TestGeneratedTellsProgramsFromPeople(t *testing.T) {
	t.Parallel()
	for _, token := range written {
		if Generated(token) {
			t.Errorf("%q was written by a person", token)
		}
	}
	for _, token := range made {
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
