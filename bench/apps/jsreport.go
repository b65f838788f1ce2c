package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// jsreport removes what a report was fed with and makes another report: a tree whose nodes
// have a menu, a menu whose part opens where the pointer rests, a dialog of two steps, an
// editor that draws its text around a hidden text area, tabs, a bar of buttons.
func jsreport() *app {
	return &app{
		name: "jsreport", about: "a tree whose nodes have a menu, a menu whose part opens where the pointer rests, a dialog of two steps, an editor that draws its text, tabs", held: true,
		needs: jsreportPackage.needs("jsreport/index.js"),
		start: startJsreport,
		named: map[string]string{"name": "name", "name_2": "data"}, // the second field has "name..." in it
		values: func(run int) values {
			return values{
				"old": oneOf(run, "harvest", "rainfall", "members", "suppliers", "wages", "orders"), "name": oneOf(run, "baskets", "crates", "barrels", "sacks") + fmt.Sprintf("-%d", 40+run), "engine": oneOf(run, "jsrender", "none"),
				"recipe": oneOf(run, "html-with-browser-client", "text"), "data": oneOf(run, "weights", "prices", "counts", "dates") + fmt.Sprintf("-%d", 70+run), "text": fmt.Sprintf("Totals of the last %d weeks", 6+run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#username", who.user)
			p.fill("input[name=password]", who.password)
			p.click("form button")
		},
		flow: func(p *person, v values) {
			p.rightClick("label.EntityTree-link{" + v["old"] + "}")
			p.click(".EntityTree-contextButton{Delete}")
			p.click(".ReactModal__Content button.danger")
			p.click("[title='Add new'] button")
			p.hover(".EntityTree-contextButton.EntityTree-hasNestedLevels")
			p.click(".EntityTree-nestedLevel .EntityTree-contextButton{template}")
			p.fill(".ReactModal__Content input[type=text]", v["name"])
			p.choose(".ReactModal__Content select:has(option[value=jsrender])", v["engine"])
			p.choose(".ReactModal__Content select:has(option[value=html-to-xlsx])", v["recipe"])
			p.click(".ReactModal__Content button{Next}")
			p.fill(".ReactModal__Content input[placeholder='name...']", v["data"])
			p.click(".ReactModal__Content button{Ok}")
			p.see("label.EntityTree-link{" + v["name"] + "*}")
			p.typing(v["text"]) // the editor has the cursor
			p.click(".toolbar-button[title^='Save all']")
			p.see("label.EntityTree-link{" + v["name"] + "}")
		},
		want: func(s state, who account, v values) {
			delete(s, "data "+v["old"])
			s["data "+v["data"]] = who.user + "|"
			s["template "+v["name"]] = strings.Join([]string{who.user, v["engine"], v["recipe"], v["data"], v["text"]}, "|")
		},
	}
}

var jsreportPackage = npm{"jsreport", "3.13.0", ""}

const jsreportServer = `const jsreport = require("jsreport")({
	rootDirectory: __dirname, tempDirectory: __dirname + "/temp", httpPort: Number(process.env.PORT), store: {provider: "fs"}, blobStorage: {provider: "fs"},
	extensions: {authentication: {cookieSession: {secret: "secret"}, admin: {username: "root", password: "Master-key-1"}}, "chrome-pdf": {enabled: false}, freeze: {enabled: false}, "sample-template": {createSamples: false}},
});
jsreport.init().catch((e) => { console.error(e); process.exit(1); });
`

func startJsreport(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"reports/server.js": jsreportServer, "reports/package.json": `{"name": "reports", "dependencies": {}}`} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	if err := os.Symlink(h.npm(jsreportPackage, ""), h.path("reports/node_modules")); err != nil {
		return nil, err
	}
	server, err := h.serve(h.path("reports"), []string{fmt.Sprint("PORT=", port)}, "node", "server.js")
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://root:Master-key-1@127.0.0.1:%d", port) // a client sends these as who it is
	if err := server.up(ctx, answers(url+"/api/ping")); err != nil {
		return nil, err
	}
	client := &http.Client{Transport: withoutToken{}}
	type object = map[string]any
	var ids []string
	for _, who := range accounts {
		var made struct {
			ID string `json:"_id"`
		}
		if err := postBy(ctx, client, url+"/odata/users", "", object{"name": who.user, "username": who.user, "password": who.password}, &made); err != nil {
			return nil, err
		}
		ids = append(ids, made.ID)
	}
	for _, name := range []string{"harvest", "rainfall", "members", "suppliers", "wages", "orders", "visits"} {
		if err := postBy(ctx, client, url+"/odata/data", "", object{"name": name, "dataJson": "{}", "readPermissions": ids, "editPermissions": ids}, nil); err != nil {
			return nil, err
		}
	}
	read := func(ctx context.Context) (state, error) { return jsreportState(ctx, url) }
	return &site{url: fmt.Sprintf("http://127.0.0.1:%d/", port), accounts: accounts, state: read}, nil
}

// withoutToken leaves out who a client is where it is in the address already.
type withoutToken struct{}

func (withoutToken) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if who := req.URL.User; who != nil {
		password, _ := who.Password()
		req.SetBasicAuth(who.Username(), password)
	}
	return http.DefaultTransport.RoundTrip(req)
}

// jsreportState reads the templates, what they are fed with, and who may change both.
func jsreportState(ctx context.Context, url string) (state, error) {
	type entity struct {
		ID                                               string `json:"_id"`
		Name, Shortid, Engine, Recipe, Content, Username string
		Data                                             struct{ Shortid string }
		EditPermissions                                  []string
	}
	all := map[string][]entity{}
	for _, kind := range []string{"users", "data", "templates"} {
		var told struct{ Value []entity }
		if err := getJSON(ctx, url+"/odata/"+kind, &told); err != nil {
			return nil, err
		}
		all[kind] = told.Value
	}
	names, s := map[string]string{}, state{}
	for _, u := range all["users"] {
		names[u.ID] = u.Name
	}
	owners := func(e entity) string {
		var who []string
		for _, id := range e.EditPermissions {
			who = append(who, names[id])
		}
		return strings.Join(who, ",")
	}
	for _, d := range all["data"] {
		names[d.Shortid] = d.Name
		add(s, "data "+d.Name, owners(d)+"|"+d.Content)
	}
	for _, t := range all["templates"] {
		add(s, "template "+t.Name, strings.Join([]string{owners(t), t.Engine, t.Recipe, names[t.Data.Shortid], t.Content}, "|"))
	}
	return s, nil
}
