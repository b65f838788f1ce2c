package selectors

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParseReadsEveryKind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Selector{
		`#email`:                              {CSS, `#email`},
		`input[name="a/b{;}"] > li:not(.x)`:   {CSS, `input[name="a/b{;}"] > li:not(.x)`},
		`#a\/b\;\[`:                           {CSS, `#a\/b\;\[`},
		`a[href='it\'s']`:                     {CSS, `a[href='it\'s']`},
		`日本語`:                                 {CSS, `日本語`},
		`aria/Next[role="button"]`:            {Aria, `Next[role="button"]`},
		`aria/aria/x`:                         {Aria, `aria/x`},
		`text/Sign in`:                        {Text, `Sign in`},
		`text/ an open " and [ are only text`: {Text, ` an open " and [ are only text`},
		`xpath///*[@id="email"]`:              {XPath, `//*[@id="email"]`},
		`xpath/(//a[text()="]"])[1]`:          {XPath, `(//a[text()="]"])[1]`},
		`xpath///a[text()='\']`:               {XPath, `//a[text()='\']`},
		`pierce/#email`:                       {Pierce, `#email`},
		`testid/sub/mit`:                      {TestID, `sub/mit`},
		`near/aria/Delete[role="button"]`:     {Near, `aria/Delete[role="button"]`},
		`near/i.star`:                         {Near, `i.star`},
		`value/Garage`:                        {Value, `Garage`},
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("%s is %+v, %v", text, got, err)
		}
		if got.String() != text {
			t.Errorf("%s comes back as %s", text, got)
		}
	}
}

func TestParseSaysWhyItRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, reason string }{
		{"", "nothing"}, {"  ", "nothing"}, {"text/", "nothing"}, {"xpath/ ", "nothing"}, {"pierce/", "nothing"}, {"testid/", "nothing"}, {"aria/", "nothing"}, {"near/", "nothing"},
		{"near/near/a", "near what is near"}, {"near/text/", "nothing"}, {"near/a[b", "missing"},
		{`aria/[role=""]`, "neither"},
		{"css/#email", `write "#email"`}, {"pierce/css/#a", "no prefix"},
		{"foo/bar", "prefix"}, {"Text/x", "prefix"}, {"/html/body", "prefix"}, {"//a", "prefix"},
		{"a{}", "no place"}, {"a;b", "no place"}, {"a/*c*/", "no place"},
		{"a[b", "missing"}, {"a]", "closes nothing"}, {"a:not(.b", "missing"}, {"a)", "closes nothing"}, {"a[b)", "closes nothing"}, {"([)]", "closes nothing"},
		{`a[b="c]`, "quote"}, {`a[b='c"]`, "quote"}, {`a[b="c\"]`, "quote"}, {`a\`, "backslash"},
		{`xpath///a[@b="c]`, "quote"}, {"xpath/(//a", "missing"}, {"xpath///a]", "closes nothing"},
		{"a\x00b", "U+0000"}, {"text/a\nb", "U+000A"}, {"text/a\tb", "U+0009"}, {"a\x7f", "U+007F"}, {"text/\xff", "UTF-8"},
		{"text/" + strings.Repeat("a", MaxLength), "4096"},
	} {
		got, err := Parse(c.text)
		var parse *ParseError
		if !errors.As(err, &parse) {
			t.Errorf("%q is %+v, %v", c.text, got, err)
			continue
		}
		if !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%q: the error does not say %q: %v", c.text, c.reason, err)
		}
		if len(err.Error()) > 400 {
			t.Errorf("%q: the error has %d bytes", c.text, len(err.Error()))
		}
	}
}

// What a selector looks for by words takes other words, and stays what it is.
func TestASelectorTakesOtherWords(t *testing.T) {
	for before, after := range map[string]string{
		"text/Off":                    "text/On",
		`aria/Off[role="radio"]`:      `aria/On[role="radio"]`,
		"aria/Off":                    "aria/On",
		`near/aria/Off[role="radio"]`: `near/aria/On[role="radio"]`,
		"near/text/Off":               "near/text/On",
		"#off":                        "#off",
		"near/input":                  "near/input",
		`xpath//input[@value="Off"]`:  `xpath//input[@value="Off"]`,
	} {
		s, err := Parse(before)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.WithWords("On")
		if err != nil || got.String() != after {
			t.Errorf("%s with other words is %s, %v; want %s", before, got, err, after)
		}
		if back, err := got.WithWords(s.Words()); err != nil || back != s {
			t.Errorf("%s with its own words again is %s, %v", before, back, err)
		}
	}
	if s, err := (Selector{Kind: Text, Body: "Off"}).WithWords("two\nlines"); err == nil {
		t.Errorf("a selector looks for two lines: %q", s)
	}
}

func TestAriaNamesKeepTheirBracketsAndQuotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, role, text string }{
		{"Next", "button", `aria/Next[role="button"]`},
		{"Next", "", `aria/Next`},
		{"", "button", `aria/[role="button"]`},
		{"Pay [now]", "button", `aria/Pay [now][role="button"]`},
		{`say "hi"`, "link", `aria/say "hi"[role="link"]`},
		{`a[role="b"]`, "c", `aria/a[role="b"][role="c"]`},
		{`a[role="b"]`, "", `aria/a[role="b"][role=""]`},
		{`a[role=""]`, "", `aria/a[role=""][role=""]`},
		{`a[role="b c"]`, "", `aria/a[role="b c"]`},
		{`a[role='b']`, "", `aria/a[role='b']`},
		{`]["`, "doc-part", `aria/]["[role="doc-part"]`},
	} {
		s, err := NewAria(c.name, c.role)
		if err != nil || s.String() != c.text {
			t.Errorf("%+v is %s, %v", c, s, err)
			continue
		}
		parsed, err := Parse(c.text)
		if err != nil {
			t.Error(err)
		}
		if name, role := parsed.Aria(); name != c.name || role != c.role {
			t.Errorf("%s is %q, %q", c.text, name, role)
		}
	}
	for _, c := range [][2]string{{"", ""}, {"a", `b"]`}, {"a", "b c"}, {"a\x00", ""}, {" ", ""}} {
		if s, err := NewAria(c[0], c[1]); err == nil {
			t.Errorf("%q is accepted as %s", c, s)
		}
	}
	if name, role := (Selector{CSS, `a[role="b"]`}).Aria(); name+role != "" {
		t.Errorf("CSS has %q, %q", name, role)
	}
}

func TestPathIsAStringOrAnArray(t *testing.T) {
	t.Parallel()
	type step struct {
		Selector Path `json:"selector,omitempty"`
	}
	for _, c := range []struct {
		text string
		want Path
	}{
		{`{"selector":"a > b"}`, Path{{CSS, "a > b"}}},
		{`{"selector":["my-app","aria/Next[role=\"button\"]"]}`, Path{{CSS, "my-app"}, {Aria, `Next[role="button"]`}}},
		{`{"selector":["text/Garage","near/i.star"]}`, Path{{Text, "Garage"}, {Near, "i.star"}}},
		{`{}`, nil},
	} {
		var got step
		if err := json.Unmarshal([]byte(c.text), &got); err != nil || !slices.Equal(got.Selector, c.want) {
			t.Errorf("%s is %v, %v", c.text, got, err)
		}
		var out strings.Builder
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(got); err != nil || out.String() != c.text+"\n" {
			t.Errorf("%s comes back as %s, %v", c.text, out.String(), err)
		}
	}
	var one, none Path
	if err := json.Unmarshal([]byte(`["a"]`), &one); err != nil || len(one) != 1 {
		t.Error(one, err)
	}
	if err := json.Unmarshal([]byte(`null`), &none); err != nil || none != nil {
		t.Error(none, err)
	}
	for _, bad := range []string{`[]`, `1`, `{}`, `[1]`, `["a",""]`, `"css/a"`, `[["a"]]`, `true`, `["a` + strings.Repeat(`","a`, MaxParts) + `"]`} {
		var p Path
		if err := json.Unmarshal([]byte(bad), &p); err == nil {
			t.Errorf("%s is read as %v", bad, p)
		}
	}
}

func TestValidateFindsWhatParseWouldNotGive(t *testing.T) {
	t.Parallel()
	for _, s := range []Selector{{}, {"js", "x"}, {CSS, "text/x"}, {CSS, "xpath///a"}, {Aria, ""}, {Text, " "}} {
		if s.Validate() == nil {
			t.Errorf("%+v is valid", s)
		}
		if _, err := s.MarshalText(); err == nil {
			t.Errorf("%+v is written", s)
		}
		if (Path{{CSS, "a"}, s}).Validate() == nil {
			t.Errorf("a path with %+v is valid", s)
		}
	}
}

// FuzzParse: whatever is accepted comes back unchanged, and is balanced.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"#a", "near/text/x", `a[b="c"]`, `aria/Pay [now][role="button"]`, "text/x", "xpath///*[@id='a']", "pierce/a:not(b)", "testid/x", `aria/x[role=""]`, `a\`, "css/a", "foo/bar", "a\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			var parse *ParseError
			if !errors.As(err, &parse) {
				t.Fatalf("%T", err)
			}
			return
		}
		if s.String() != text {
			t.Fatalf("%q comes back as %q", text, s)
		}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		want := Path{s}
		if s.Kind == Near {
			want = Path{{Text, "x"}, s}
		}
		data, err := json.Marshal(want)
		var p Path
		if err != nil || json.Unmarshal(data, &p) != nil || !slices.Equal(p, want) {
			t.Fatalf("%q is %s in JSON, and then %v, %v", text, data, p, err)
		}
		if s.Kind == Aria {
			name, role := s.Aria()
			if again, err := NewAria(name, role); err == nil {
				if n, r := again.Aria(); n != name || r != role {
					t.Fatalf("%q is %q, %q, and then %q, %q", text, name, role, n, r)
				}
			}
		}
	})
}

// FuzzAria: every name and role that can be written is read back.
func FuzzAria(f *testing.F) {
	f.Add("Pay [now]", "button")
	f.Add(`x[role="y"]`, "")
	f.Add(`x[role="`, `y`)
	f.Fuzz(func(t *testing.T, name, role string) {
		s, err := NewAria(name, role)
		if err != nil {
			return
		}
		parsed, err := Parse(s.String())
		if err != nil || parsed != s {
			t.Fatalf("%+v: %+v, %v", s, parsed, err)
		}
		if n, r := parsed.Aria(); n != name || r != role {
			t.Fatalf("%q, %q became %q, %q", name, role, n, r)
		}
	})
}
