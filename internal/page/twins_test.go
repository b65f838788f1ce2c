package page_test

import (
	"strings"
	"testing"
)

// Twins are called alike, whatever their names come from: each is told where it
// stands among those that say of themselves what it says.
func TestTwinsAreThoseThatAreCalledAlike(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, buttons, want string }{
		{"by their texts", `<button>Edit</button><button>Remove</button><button>Edit</button>`, "1 of 2, -, 2 of 2"},
		{"but for case and white space", `<button>Edit me</button><button> edit   me </button><button>Edit  us</button>`, "1 of 2, 2 of 2, -"},
		{"and for what text is within", `<button>Edit</button><button><b>Edit</b></button><button>Edi</button>`, "1 of 2, 2 of 2, -"},
		{"by a label", `<button>Edit</button><button aria-label="Edit">✎</button><button aria-label="Remove">Edit</button>`, "1 of 2, 2 of 2, -"},
		{"by another element", `<p id=p>Edit</p><button>Edit</button><button aria-labelledby=p></button><button></button>`, "1 of 2, 2 of 2, -"},
		{"but for the end of a long text", strings.Repeat("<button>"+strings.Repeat("Edit all of it ", 15)+"</button>", 2) + `<button>` + strings.Repeat("Edit all of it ", 16) + `</button>`, "1 of 3, 2 of 3, 3 of 3"},
		{"of one tag", `<button>Edit</button><a href=#>Edit</a><button>Edit</button>`, "1 of 2, -, 2 of 2"},
		{"with the same classes", `<button class=a>Edit</button><button class=b>Edit</button><button class=a>Edit</button>`, "1 of 2, -, 2 of 2"},
		{"in shadow roots, too", `<button>Edit</button><div><template shadowrootmode=open><button>Edit</button><button>Remove</button></template></div><button>Edit</button>`, "1 of 3, 2 of 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, ctx := open(t, test.buttons).Page(), within(t)
			var reply struct{ Result struct{ Value string } }
			ask(ctx, t, p, &reply, "Runtime.evaluate", map[string]any{
				"expression": `[...document.querySelectorAll("button,a")].map((el) => __reprise.call("", "describe", el, "key").value.fingerprint.twins)
					.map((twins) => twins ? twins[0] + 1 + " of " + twins[1] : "-").join(", ")`,
				"contextId": describer(ctx, t, p), "returnByValue": true,
			})
			if got := reply.Result.Value; got != test.want {
				t.Errorf("they are %q, want %q", got, test.want)
			}
		})
	}
}
