package bench

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/internal/demosite"
)

// The values that the form is played with. Recorded were others.
var order = url.Values{
	"name": {"Grace Hopper"}, "email": {"grace@example.com"}, "phone": {"+1 555 1234"}, "city": {"New York"},
	"country": {"Austria"}, "quantity": {"3"}, "date": {"2026-12-31"}, "delivery": {"express"},
	"note": {"Please ring twice"}, "gift": {"yes"}, "terms": {"accepted"},
}

// formFlow fills the plain form in and sends it.
func formFlow() flow {
	steps := []step{{Do: goTo, Text: "/form"}}
	for _, name := range []string{"name", "email", "phone", "city"} {
		steps = append(steps, step{Do: fill, CSS: "#" + name, Text: order.Get(name), Variable: name})
	}
	steps = append(steps,
		step{Do: choose, CSS: "#country", Text: order.Get("country")},
		step{Do: fill, CSS: "#quantity", Text: order.Get("quantity")},
		step{Do: set, CSS: "#date", Text: order.Get("date")},
		step{Do: tick, CSS: "input[name=delivery][value=express]"},
		step{Do: fill, CSS: "#note", Text: order.Get("note")},
		step{Do: tick, CSS: "#gift"},
		step{Do: tick, CSS: "#terms"},
		step{Do: press, CSS: "#submit"},
		step{Do: arrive, CSS: "#reference", Text: "/form/done"},
	)
	return flow{script: script{Name: "form", Steps: steps}, done: sentOnce}
}

func sentOnce(s *stage) func(context.Context) error {
	before := len(s.Submissions())
	return func(context.Context) error {
		sent := s.Submissions()[before:]
		if len(sent) != 1 {
			return fmt.Errorf("the form was sent %d times, want once", len(sent))
		}
		if !maps.EqualFunc(sent[0], order, slices.Equal) {
			return fmt.Errorf("the form was sent with %v, want %v", sent[0], order)
		}
		return nil
	}
}

// signInFlow signs the second account in; the first was recorded.
func signInFlow() flow {
	who := demosite.BuiltinAccounts()[1]
	return flow{
		script: script{Name: "sign-in", Scripted: true, Steps: []step{
			{Do: goTo, Text: "/signin"},
			{Do: fill, CSS: "#identifierId", Text: who.Email, Variable: "email"},
			{Do: press, CSS: "#identifierNext"},
			{Do: fill, CSS: "input[name=Passwd]", Text: who.Password, Variable: "password", Moves: true},
			{Do: press, CSS: "#passwordNext"},
			{Do: arrive, CSS: "#account-email", Text: "/dashboard"},
		}},
		done: func(s *stage) func(context.Context) error { return signedInOnce(s, who.Email) },
	}
}

func signedInOnce(s *stage, email string) func(context.Context) error {
	before := signIns(s)
	before[strings.ToLower(email)]++
	return func(context.Context) error {
		if after := signIns(s); !maps.Equal(before, after) {
			return fmt.Errorf("the accounts have signed in %v times, want %v", after, before)
		}
		return nil
	}
}

func signIns(s *stage) map[string]int {
	counts := map[string]int{}
	for _, a := range s.Accounts() {
		counts[strings.ToLower(a.Email)] = s.SignIns(a.Email)
	}
	return counts
}
