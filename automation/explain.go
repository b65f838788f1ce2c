package automation

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// brokenRule says what a rule of a variable's schema asks for. It is given the
// rule and never the value.
func brokenRule(keyword string, s *jsonschema.Schema) string {
	switch keyword {
	case "type":
		return mustBe(s.Types)
	case "format":
		return "not a valid " + orThe(s.Format, "value of its format")
	case "pattern":
		if s.Pattern != nil {
			return "does not match the pattern " + shorten(s.Pattern.String())
		}
	case "minLength":
		return "must have " + atLeast(s.MinLength, "character")
	case "maxLength":
		return "must have " + atMost(s.MaxLength, "character")
	case "minItems":
		return "must have " + atLeast(s.MinItems, "item")
	case "maxItems":
		return "must have " + atMost(s.MaxItems, "item")
	case "minimum":
		return "must be at least " + number(s.Minimum)
	case "maximum":
		return "must be at most " + number(s.Maximum)
	case "exclusiveMinimum":
		return "must be more than " + number(s.ExclusiveMinimum)
	case "exclusiveMaximum":
		return "must be less than " + number(s.ExclusiveMaximum)
	case "multipleOf":
		return "must be a multiple of " + number(s.MultipleOf)
	case "enum":
		return "must be " + oneOf(s.Enum)
	case "const":
		return "must be " + oneOf(s.Constant)
	}
	return fmt.Sprintf("does not satisfy the rule %q", shorten(keyword))
}

func mustBe(types []string) string {
	if len(types) == 0 {
		return "is of the wrong type"
	}
	named := make([]string, len(types))
	for i, t := range types {
		article := "a "
		if strings.ContainsAny(t[:1], "aio") {
			article = "an "
		}
		if t == "null" {
			article = ""
		}
		named[i] = article + t
	}
	return "must be " + strings.Join(named, " or ")
}

func orThe(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return shorten(s)
}

func atLeast(n int, what string) string { return "at least " + count(n, what) }
func atMost(n int, what string) string  { return "at most " + count(n, what) }

// count says how many, where the rule stands at the variable itself.
func count(n int, what string) string {
	switch n {
	case -1:
		return "as many " + what + "s as the schema says"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func number(r *big.Rat) string {
	if r == nil {
		return "what the schema says"
	}
	if r.IsInt() {
		return r.Num().String()
	}
	return r.FloatString(4)
}

func oneOf(allowed []any) string {
	if len(allowed) == 0 {
		return "one of what the schema allows"
	}
	texts := make([]string, len(allowed))
	for i, v := range allowed {
		text, err := json.Marshal(v)
		if err != nil {
			return "one of what the schema allows"
		}
		texts[i] = string(text)
	}
	return shorten(strings.Join(texts, " or "))
}
