package main

import (
	"bufio"
	"fmt"
	"net/http"
	"strconv"
)

// nodesOfRow is how many nodes, texts counted, one row of a generated table has.
const nodesOfRow = 25

// rowsOfTable is how many rows stand together under a heading.
const rowsOfTable = 40

// generate writes a page of about as many nodes as the path names: a shop's back
// office with ever more orders.
func generate(w http.ResponseWriter, r *http.Request) {
	nodes, err := strconv.Atoi(r.PathValue("nodes"))
	if err != nil || nodes < 0 || nodes > 1_000_000 {
		http.Error(w, "how many nodes?", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	out := bufio.NewWriter(w)
	defer out.Flush() // the browser that does not read it does not want it
	fmt.Fprint(out, `<!doctype html><title>Orders</title><style>td,a,button,input,select{padding:2px}</style>
<nav aria-label="Main"><ul><li><a href="/home">Home</a><li><a href="/orders">Orders</a><li><a href="/customers">Customers</a></ul></nav>
<form id="search"><label for="q">Search</label><input id="q" name="q" type="search"><button>Find orders</button></form><main>`)
	for row := range nodes / nodesOfRow {
		if row%rowsOfTable == 0 {
			fmt.Fprintf(out, "</tbody></table></section>\n<section><h2>Orders of week %d</h2><table><thead><tr><th>Number<th>Customer<th>State<th></tr></thead><tbody>", row/rowsOfTable+1)
		}
		fmt.Fprintf(out, `<tr class="order"><td><input type="checkbox" name="chosen" value="%[1]d"></td><td><a href="/orders/%[1]d">Order %[1]d</a></td><td>Customer of %[2]s street</td>`+
			`<td><select name="state-%[1]d"><option>open<option>sent<option>paid</select></td><td><span class="sum">%[3]d,00</span></td>`+
			`<td><button type="button" class="btn">Edit</button><button type="button" class="btn">Cancel order %[1]d</button></td></tr>`+"\n",
			row, strconv.FormatInt(int64(row*7919+13), 36), row*37%900)
	}
	fmt.Fprint(out, "</tbody></table></section></main><footer><a href=\"/imprint\">Imprint</a></footer>")
}
