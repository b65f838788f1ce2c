package bench

import (
	"fmt"
	"net/http"
	"strings"
)

// bigRows makes the page one of 20,000 elements: eight for each row, and some.
const bigRows = 2499

// writeBig writes a long table of the kind that administrators work in: most of its
// buttons look alike, and above it is a form. It isolates itself from other
// origins, so that Chrome lets it have a clock that is fine enough, and its links
// lead nowhere. More stands at its end.
func writeBig(w http.ResponseWriter, more string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Stock</title><style>td{padding:2px 8px}</style><h1>Stock</h1>
<form onsubmit="return false"><label for="search">Search the stock</label><input id="search" name="search"><button>Find</button></form>
<table onclick="return false">`)
	for i := range bigRows {
		fmt.Fprintf(&b, `<tr class="row"><td><a href="/item/%d">Item %d</a></td><td><span>In stock: %d</span></td><td><button>Edit</button><button>Remove item %d</button></td></tr>`,
			i, i, i%40, i)
	}
	b.WriteString(`</table>` + more)
	_, _ = fmt.Fprint(w, b.String()) // fails only when the browser has gone
}
