package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// nocodb removes a row of a table and adds another one: a grid whose cells have a menu of
// their own, a drawer with lists, a calendar and stars that Ant Design draws in Vue.
func nocodb() *app {
	return &app{
		name: "nocodb", about: "a grid whose cells have a menu of their own, a drawer with lists, a calendar and stars that Ant Design draws in Vue", held: true,
		needs: append(nocodbPackage.needs("nocodb/dist/bundle.js"), postgresNeeds...),
		start: startNocodb,
		named: map[string]string{"title": "title"},
		values: func(run int) values {
			return values{
				"old": oneOf(run, "Hoe", "Adze", "Maul", "Sieve", "Wedge", "Scythe"), "title": oneOf(run, "Billhook", "Dibber", "Froe", "Mattock") + fmt.Sprintf(" no. %d", 8+run), "shed": oneOf(run, "Yard", "South", "Loft", "North"), "day": fmt.Sprint(12 + run),
				"price": fmt.Sprintf("%d.5", 31+run), "note": fmt.Sprintf("Sharpened %d times.", 3+run), "tag": oneOf(run, "heavy", "loud", "sharp"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[placeholder='Enter your work email']", who.user)
			p.fill("input[type=password]", who.password)
			p.click("button[type=submit]")
		},
		flow: func(p *person, v values) {
			p.click("td{Farm}")
			p.click(".nc-tbl-title [data-testid=truncate-label]{Tools}")
			p.rightClick("tr.nc-grid-row td[data-title=Title]{" + v["old"] + "}")
			p.click("[role=menuitem] .nc-project-menu-item{Delete Row}")
			p.click(".nc-add-new-row-btn")
			p.fill(".nc-expand-col-Title input", v["title"])
			p.click(".nc-expand-col-Shed .ant-select-selector")
			p.click(".ant-select-item-option{" + v["shed"] + "}")
			p.click(".nc-expand-col-Bought input")
			p.click(".ant-picker-cell-in-view .ant-picker-cell-inner{" + v["day"] + "}")
			p.fill(".nc-expand-col-Price input", v["price"])
			p.click(".nc-expand-col-Lent .nc-cell-hover-show > div")
			p.click(".nc-expand-col-Grade .ant-rate-star:nth-child(4) .ant-rate-star-second")
			p.fill(".nc-expand-col-Note textarea", v["note"])
			p.click(".nc-expand-col-Tags .ant-select-selector")
			p.click(".ant-select-dropdown:not(.ant-select-dropdown-hidden) .ant-select-item-option{" + v["tag"] + "}")
			p.click("button{save Save & Exit}")
			p.see("tr.nc-grid-row td[data-title=Title]{" + v["title"] + "}")
		},
		want: func(s state, who account, v values) {
			delete(s, "tool "+v["old"])
			s["tool "+v["title"]] = strings.Join([]string{who.user, v["shed"], thisMonth(dayOf(v)).Format(time.DateOnly), v["price"], "t", "4", v["note"], v["tag"]}, "|")
		},
	}
}

var nocodbPackage = npm{"nocodb", "0.109.7", ""}

const nocodbServer = `// sqlite3 is in machine code, and another server keeps what there is.
const Module = require("module"), load = Module._load;
Module._load = (name, ...rest) => name === "sqlite3" ? {verbose: () => ({})} : load(name, ...rest);
const {Noco} = require("nocodb"), server = require("express")();
server.enable("trust proxy");
server.use(require("cors")({exposedHeaders: "xc-db-response"}));
const listening = server.listen(Number(process.env.PORT), "127.0.0.1", async () => server.use(await Noco.init({}, listening, server)));
`

func startNocodb(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada@example.com", "Analytical-7"}, {"grace@example.com", "Compiler-19"}}
	folder, err := h.postgres(ctx)
	if err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	if err := h.write("noco.js", nocodbServer); err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	env := []string{
		"NODE_PATH=" + h.npm(nocodbPackage, ""), fmt.Sprint("PORT=", port), fmt.Sprintf(`NC_DB_JSON={"client": "pg", "connection": {"host": %q, "port": 5432, "user": "postgres", "password": "none", "database": "postgres"}}`, folder),
		"NC_TOOL_DIR=" + h.dir, "NC_DISABLE_TELE=true", "NC_AUTH_JWT_SECRET=secret", "NC_PUBLIC_URL=" + url,
	}
	server, err := h.serve(h.dir, env, "node", "noco.js")
	if err != nil {
		return nil, err
	}
	table, err := "", server.up(ctx, func(ctx context.Context) error {
		return post(ctx, url+"/api/v1/auth/user/signup", "", map[string]any{"email": accounts[0].user, "password": accounts[0].password}, nil)
	})
	if err == nil {
		table, err = fillNocodb(ctx, url, accounts)
	}
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.psql(ctx, folder, fmt.Sprintf(`select title, coalesce((select string_agg(distinct a."user", ',') from nc_audit_v2 a where op_sub_type = 'INSERT' and a.row_id = t.id::text), ''), coalesce(shed, ''), coalesce(bought::text, ''), coalesce(trim_scale(price)::text, ''), lent, coalesce(grade, 0), coalesce(note, ''), coalesce(tags, '') from %q t`, table))
		s := state{}
		for _, r := range rows {
			add(s, "tool "+r[0], strings.Join(r[1:], "|"))
		}
		return s, err
	}
	return &site{url: url + "/dashboard/", accounts: accounts, state: read}, nil
}

// fillNocodb makes the second account, who may do the same, and a table with rows. It returns what the table is called.
func fillNocodb(ctx context.Context, url string, accounts [2]account) (string, error) {
	type object = map[string]any
	var signedIn struct{ Token string }
	if err := post(ctx, url+"/api/v1/auth/user/signin", "", object{"email": accounts[0].user, "password": accounts[0].password}, &signedIn); err != nil {
		return "", err
	}
	client := &http.Client{Transport: withHeader{"xc-auth", signedIn.Token}}
	var project struct{ ID string }
	var table struct {
		ID    string
		Table string `json:"table_name"`
	}
	if err := postBy(ctx, client, url+"/api/v1/db/meta/projects", "", object{"title": "Farm"}, &project); err != nil {
		return "", err
	}
	choices := func(name, title, kind string, texts ...string) object {
		var options []object
		for _, t := range texts {
			options = append(options, object{"title": t, "color": "#cfdffe"})
		}
		return object{"column_name": name, "title": title, "uidt": kind, "colOptions": object{"options": options}, "dtxp": "'" + strings.Join(texts, "','") + "'"}
	}
	column := func(name, title, kind string) object {
		return object{"column_name": name, "title": title, "uidt": kind}
	}
	title := column("title", "Title", "SingleLineText")
	title["pv"] = true
	for _, made := range []struct {
		path         string
		body, answer any
	}{
		{"/api/v1/auth/user/signup", object{"email": accounts[1].user, "password": accounts[1].password}, nil},
		{"/api/v1/db/meta/projects/" + project.ID + "/users", object{"email": accounts[1].user, "roles": "creator"}, nil},
		{"/api/v1/db/meta/projects/" + project.ID + "/tables", object{"table_name": "tools", "title": "Tools", "columns": []object{
			column("id", "Id", "ID"), title, choices("shed", "Shed", "SingleSelect", "North", "South", "Yard", "Loft"), choices("tags", "Tags", "MultiSelect", "sharp", "heavy", "loud", "old"),
			column("bought", "Bought", "Date"), column("price", "Price", "Decimal"), column("lent", "Lent", "Checkbox"), column("grade", "Grade", "Rating"), column("note", "Note", "LongText"),
		}}, &table},
	} {
		if err := postBy(ctx, client, url+made.path, "", made.body, made.answer); err != nil {
			return "", err
		}
	}
	for _, name := range []string{"Rake", "Hoe", "Adze", "Maul", "Sieve", "Wedge", "Scythe"} {
		if err := postBy(ctx, client, url+"/api/v1/db/data/noco/"+project.ID+"/"+table.ID, "", object{"Title": name}, nil); err != nil {
			return "", err
		}
	}
	return table.Table, nil
}

// withHeader sends a header with each request.
type withHeader struct{ name, value string }

func (w withHeader) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set(w.name, w.value)
	return http.DefaultTransport.RoundTrip(req)
}
