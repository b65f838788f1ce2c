package demo

import (
	"context"
	"fmt"
	"net/url"

	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/replayer"
)

// flow is something that a user does on the site.
type flow struct {
	name, description  string
	title              string
	recording, playing string // what is printed before
	path               string // where it begins
	whole              bool   // the document is shown
	acts               []act
	values             replayer.Map   // for the replay
	prove              func() []Check // that the replay did it
}

// act is one gesture.
type act func(context.Context, *simuser.User) error

func click(path string) act {
	return func(ctx context.Context, p *simuser.User) error { return p.Click(ctx, path) }
}

func fill(path, text string) act {
	return func(ctx context.Context, p *simuser.User) error { return p.Fill(ctx, path, text) }
}

func press(key string) act {
	return func(ctx context.Context, p *simuser.User) error { return p.Press(ctx, key) }
}

func see(part string) act {
	return func(ctx context.Context, p *simuser.User) error { return p.See(ctx, part) }
}

// signIn is a sign-in in two steps, as the large providers have it.
func signIn(site *demosite.Server) flow {
	first, second := site.Accounts()[0], site.Accounts()[1]
	return flow{
		name: "demo-sign-in", description: "Sign in to the built-in site",
		title:     "A sign-in",
		recording: fmt.Sprintf("%s signs in, with the mouse and the keyboard, and the recorder watches:", first.Name),
		playing:   fmt.Sprintf("Now it is played for %s, in a window that has never seen the site:", second.Name),
		path:      "/signin",
		whole:     true,
		acts: []act{
			click("#accept-all"),
			fill("#identifierId", first.Email), click("#identifierNext"),
			fill("#password", first.Password), click("#passwordNext"),
			see("/dashboard"),
		},
		values: replayer.Map{"email": second.Email, "password": second.Password},
		prove: func() []Check {
			return []Check{
				{fmt.Sprintf("the server has signed %s in, once", second.Email), site.SignIns(second.Email) == 1},
				{fmt.Sprintf("it has not signed %s in again", first.Email), site.SignIns(first.Email) == 1},
			}
		},
	}
}

// order is a plain form with every usual kind of field.
func order(site *demosite.Server) flow {
	values := replayer.Map{"name": "Grace Hopper", "email": "grace@example.com", "phone": "+1 555 1234", "city": "New York"}
	return flow{
		name: "demo-order", description: "Order a seed box on the built-in site",
		title:     "A form",
		recording: "Ada Lovelace orders a seed box:",
		playing:   "Grace Hopper orders the same:",
		path:      "/form",
		acts: []act{
			fill("#name", "Ada Lovelace"), fill("#email", "ada@example.com"), fill("#phone", "+44 20 7946"), fill("#city", "London"),
			click("#country"), press("ArrowDown"), press("Enter"),
			fill("#quantity", "3"), fill("#date", "12312026"), click("input[name=delivery][value=express]"),
			click("#gift"), click("label.check:has(#terms)"), click("#submit"), see("/form/done"),
		},
		values: values,
		prove: func() []Check {
			sent := site.Submissions()
			return []Check{
				{"the server has two orders", len(sent) == 2},
				{"the second is Grace Hopper's, and for the rest like the first", len(sent) == 2 && isOrderOf(values, sent[1], sent[0])},
			}
		},
	}
}

// isOrderOf reports whether an order has these values, and those of a pattern
// where they say nothing.
func isOrderOf(values replayer.Map, order, pattern url.Values) bool {
	for field := range pattern {
		want, given := values[field]
		if !given {
			want = pattern.Get(field)
		}
		if order.Get(field) != want {
			return false
		}
	}
	return len(order) == len(pattern)
}
