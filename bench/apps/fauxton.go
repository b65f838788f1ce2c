package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// fauxton keeps documents of a PouchDB server with Fauxton: pages of React that a hash leads to, a
// list that is narrowed as one types, cards of JSON, an editor of code in which a number is typed
// over, dialogs, a list of the browser's own, bars of messages that hide what is below them for a while.
func fauxton() *app {
	return &app{
		name: "fauxton", about: "pages of React that a hash leads to, a list that is narrowed as one types, cards of JSON, an editor of code in which a number is typed over, dialogs, bars of messages that hide what is below them for a while", held: true,
		needs: pouchdbPackage.needs(pouchdbProgram),
		start: startFauxton,
		named: map[string]string{"name": "new"},
		values: func(run int) values {
			return values{
				"db": oneOf(run, "mill", "orchard", "barn"), "begin": oneOf(run, "mi", "orc", "ba"), "doc": fmt.Sprintf("%q", fauxtonDocs[(1+run)%len(fauxtonDocs)]), "count": fmt.Sprint(41 + 7*run), "copy": fmt.Sprintf("lot-%d", 300+run),
				"drop": fmt.Sprintf("%q", fauxtonDocs[(4+run)%len(fauxtonDocs)]), "design": fmt.Sprintf("stock-%d", 60+run), "view": oneOf(run, "by-place", "by-size", "by-mark") + fmt.Sprint(run), "field": oneOf(run, "place", "count", "grade"), "reduce": oneOf(run, "_count", "_sum", "_stats"),
				"member": oneOf(run, "iris", "tom", "nora") + fmt.Sprint(8+run), "role": fmt.Sprintf("carters-%d", 12+run), "new": fmt.Sprintf("loft-%d", 20+run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#username", who.user)
			p.fill("#password", who.password)
			p.click("#submit")
			p.see("table.databases td a{mill}")
		},
		flow: func(p *person, v values) {
			open := func(doc string) { p.click(".doc-row[data-id=" + doc + "] .doc-edit-symbol a") }
			p.click("[data-name=jump-to-db] .Select-control")
			p.typing(v["begin"])
			p.click(".Select-option{" + v["db"] + "}")
			open(v["doc"])
			p.doubleClickAt("#doc-editor .ace_gutter-cell:nth-child(3)", 119, 0) // the number there
			p.typing(v["count"])
			p.click("button.save-doc")
			open(v["doc"]) // one is back at the list
			p.click("button[title='Clone Document']")
			p.refill(".clone-doc-modal input", v["copy"])
			p.click(".clone-doc-modal button.save")
			p.at("/" + v["copy"])
			p.click("a.faux-header__breadcrumbs-link{" + v["db"] + "}")
			open(v["drop"])
			p.click("button[title=Delete]")
			p.click("[role=dialog] button{Delete Document}")
			p.see("#all-docs")
			p.click("#new-all-docs-button .dropdown-toggle")
			p.click("#new-all-docs-button a{New View}")
			p.fill("#new-ddoc", v["design"])
			p.refill("#index-name", v["view"])
			p.doubleClickAt("#map-function .ace_gutter-cell:nth-child(2)", 119, 0) // the field that it counts by
			p.typing(v["field"])
			p.choose("#reduce-function-selector", v["reduce"])
			p.click("#save-view")
			p.at("/_view/")
			p.click("#permissions")
			p.fill(".permissions__members .permissions-add-user input", v["member"])
			p.click(".permissions__members .permissions-add-user button")
			p.fill(".permissions__admins .permissions-add-role input", v["role"])
			p.press("Enter")
			p.see(".permissions__admins li span{" + v["role"] + "}")
			p.click("#nav-links a{Databases}")
			p.click(".add-new-database-btn")
			p.fill("#js-new-database-name", v["new"])
			p.click("#js-create-database")
			p.at("/" + v["new"] + "/")
		},
		want: func(s state, _ account, v values) {
			doc := strings.Trim(v["doc"], `"`) // the cards have their names in quotes
			changed := fauxtonDoc(doc, v["count"])
			s[v["db"]+" doc "+doc] = changed
			s[v["db"]+" doc "+v["copy"]] = changed
			delete(s, v["db"]+" doc "+strings.Trim(v["drop"], `"`))
			s[v["db"]+" doc _design/"+v["design"]] = fmt.Sprintf(`{"language":"javascript","views":{%q:{"map":"function (doc) {\n  emit(doc.%s, 1);\n}","reduce":%q}}}`, v["view"], v["field"], v["reduce"])
			s[v["db"]+" security"] = fmt.Sprintf(`{"admins":{"roles":[%q]},"members":{"names":[%q]}}`, v["role"], v["member"])
			s[v["new"]+" security"] = fauxtonOpen
		},
	}
}

var pouchdbPackage = npm{"pouchdb-server", "4.2.0", ""}

const pouchdbProgram = "pouchdb-server/bin/pouchdb-server"

// fauxtonDocs are in each of the databases before.
var fauxtonDocs = []string{"barley", "eggs", "hay", "honey", "milk", "oats", "wool"}

// fauxtonDoc is what is in a document, but for its name and its revision.
func fauxtonDoc(name, count string) string {
	return fmt.Sprintf(`{"count":%s,"grade":%q,"place":%q}`, count, name[:1], "Bay of "+name)
}

// fauxtonOpen is who may use a database that was not closed to anyone.
const fauxtonOpen = `{}`

func startFauxton(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	config := fmt.Sprintf(`{"admins": {%q: %q, %q: %q}}`, accounts[0].user, accounts[0].password, accounts[1].user, accounts[1].password)
	if err := h.write("config.json", config); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "node", h.npm(pouchdbPackage, pouchdbProgram), "--in-memory", "--host", "127.0.0.1", "--port", fmt.Sprint(port), "--config", h.path("config.json"))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	type object = map[string]any
	client := cookieClient()
	err = postBy(ctx, client, url+"_session", "", object{"name": accounts[0].user, "password": accounts[0].password}, nil)
	for _, name := range []string{"barn", "mill", "orchard", "yard"} {
		if err == nil {
			err = fauxtonPut(ctx, client, url+name, "")
		}
		for i, doc := range fauxtonDocs {
			if err == nil {
				err = fauxtonPut(ctx, client, url+name+"/"+doc, fauxtonDoc(doc, fmt.Sprint(10+i)))
			}
		}
	}
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		s := state{}
		var names []string
		if err := getBy(ctx, client, url+"_all_dbs", &names); err != nil {
			return nil, err
		}
		for _, name := range names {
			var security object
			if err := getBy(ctx, client, url+name+"/_security", &security); err != nil {
				return nil, err
			}
			text, err := json.Marshal(security)
			if err != nil {
				return nil, err
			}
			add(s, name+" security", string(text))
			var all struct{ Rows []struct{ Doc object } }
			if err := getBy(ctx, client, url+name+"/_all_docs?include_docs=true", &all); err != nil {
				return nil, err
			}
			for _, r := range all.Rows {
				id := fmt.Sprint(r.Doc["_id"])
				delete(r.Doc, "_id")
				delete(r.Doc, "_rev")
				text, err := json.Marshal(r.Doc)
				if err != nil {
					return nil, err
				}
				add(s, name+" doc "+id, string(text))
			}
		}
		return s, nil
	}
	return &site{url: url + "_utils/", accounts: accounts, state: read}, nil
}

// fauxtonPut makes a database or a document.
func fauxtonPut(ctx context.Context, client *http.Client, url, body string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s: %s", url, res.Status)
	}
	return nil
}
