package bench

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/internal/demosite"
)

// act is what a step does.
type act string

const (
	goTo   act = "goto"   // text is a path of the site
	fill   act = "fill"   // a field that text is typed into
	choose act = "choose" // a list that the option named text is chosen in
	set    act = "set"    // a field with a picker of the browser's own
	press  act = "press"
	arrive act = "arrive" // at the path text, whose page shows css
)

// step is one thing to do, in terms that every client has.
type step struct {
	Do   act    `json:"do"`
	CSS  string `json:"css,omitempty"`
	Text string `json:"text,omitempty"`
	// Moves says that the page brings the element in by itself, and is not done
	// with it when it is there.
	Moves bool `json:"moves,omitempty"`
}

// flow is what all clients are to do.
type flow struct {
	name  string
	steps []step
	// Scripted says that the page does nothing right before its scripts have run.
	scripted bool
	// done asks the server what became of the flow: it is called before a run,
	// and what it gives, after it.
	done func(*demosite.Site) (verdict func() error)
}

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
		steps = append(steps, step{Do: fill, CSS: "#" + name, Text: order.Get(name)})
	}
	steps = append(steps,
		step{Do: choose, CSS: "#country", Text: order.Get("country")},
		step{Do: fill, CSS: "#quantity", Text: order.Get("quantity")},
		step{Do: set, CSS: "#date", Text: order.Get("date")},
		step{Do: press, CSS: "input[name=delivery][value=express]"},
		step{Do: fill, CSS: "#note", Text: order.Get("note")},
		step{Do: press, CSS: "#gift"},
		step{Do: press, CSS: "#terms"},
		step{Do: press, CSS: "#submit"},
		step{Do: arrive, CSS: "#reference", Text: "/form/done"},
	)
	return flow{name: "form", steps: steps, done: sentOnce}
}

func sentOnce(site *demosite.Site) func() error {
	before := len(site.Submissions())
	return func() error {
		sent := site.Submissions()[before:]
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
func signInFlow(accounts []demosite.Account) flow {
	who := accounts[1]
	return flow{
		name:     "sign-in",
		scripted: true,
		steps: []step{
			{Do: goTo, Text: "/signin"},
			{Do: fill, CSS: "#identifierId", Text: who.Email},
			{Do: press, CSS: "#identifierNext"},
			{Do: fill, CSS: "input[name=Passwd]", Text: who.Password, Moves: true},
			{Do: press, CSS: "#passwordNext"},
			{Do: arrive, CSS: "#account-email", Text: "/dashboard"},
		},
		done: func(site *demosite.Site) func() error { return signedInOnce(site, who.Email) },
	}
}

func signedInOnce(site *demosite.Site, email string) func() error {
	before := signIns(site)
	before[strings.ToLower(email)]++
	return func() error {
		if after := signIns(site); !maps.Equal(before, after) {
			return fmt.Errorf("the accounts have signed in %v times, want %v", after, before)
		}
		return nil
	}
}

func signIns(site *demosite.Site) map[string]int {
	counts := map[string]int{}
	for _, a := range site.Accounts() {
		counts[strings.ToLower(a.Email)] = site.SignIns(a.Email)
	}
	return counts
}
