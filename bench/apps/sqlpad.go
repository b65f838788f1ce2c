package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// sqlpad asks a database with SQLPad, draws what it answered, and lets a colleague in: a bar of
// buttons that are pictures, an editor of code, a table that is drawn in view alone, dialogs and
// drawers of Reach UI, tags that are chosen in a list of Downshift's.
func sqlpad() *app {
	return &app{
		name: "sqlpad", about: "a bar of buttons that are pictures, an editor of code, a table that is drawn in view alone, dialogs and drawers of Reach UI, tags that are chosen in a list under their field", held: true,
		needs: append(sqlpadPackage.needs(sqlpadProgram), mariadbNeeds...),
		start: startSQLPad,
		named: map[string]string{"query_name": "name", "email_2": "new", "name": "source", "connection_name": "source"},
		values: func(run int) values {
			return values{
				"in": oneOf(run, "Farm books", "Orchard", "Dairy"), "name": oneOf(run, "Heads by kind", "Old stock", "Count of all", "Young ones") + fmt.Sprintf(" %d", 20+run), "text": fmt.Sprintf("select kind, heads, born from animals where heads > %d order by heads", 2+run),
				"tag": fmt.Sprintf("plans-%d", 31+run), "kept": oneOf(run, "yearly", "fences", "prices", "vet"), "begin": oneOf(run, "ye", "fe", "pr", "ve"), "chart": oneOf(run, "Bar - Vertical", "Bar - Horizontal"), "column": oneOf(run, "heads", "born"), "new": fmt.Sprintf("nora%d@farm.example", 5+run), "role": oneOf(run, "Editor", "Admin"),
				"old": sqlpadOld[(1+run)%len(sqlpadOld)] + " Dairy", "title": fmt.Sprintf("Read on page %d", 70+run), "source": fmt.Sprintf("Mill %d", 3+run), "driver": oneOf(run, "Presto", "Crate", "Apache Drill"), "host": fmt.Sprintf("mill-%d.farm.example", 40+run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[name=email]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("button[type=submit]")
			p.see("#query-ace-editor")
		},
		flow: func(p *person, v values) {
			const bar = "#root > div > div:first-child > div > "
			close := func() { p.click("[data-reach-dialog-content] [class*=titleWrapper] button") }
			p.clickAt("input[placeholder='Query name']", -248, 0) // the list of databases, which never stands still
			p.typing(v["in"])
			p.press("Enter")
			p.fill("input[placeholder='Query name']", v["name"])
			p.click(".ace_content")
			p.typing(v["text"])
			p.click(bar + "button{Run}")
			p.see(".truncate{sheep}")
			p.click(bar + "input + div + button") // tags
			p.fill("[data-reach-dialog-content] input", v["tag"])
			p.press("Enter")
			p.typing(v["begin"])
			p.click("[data-reach-dialog-content] li{" + v["kept"] + "}")
			close()
			p.click(bar + "button[class*=primary] + div + button") // how it is drawn
			p.choose("[data-reach-dialog-content] select", v["chart"])
			p.choose("[data-reach-dialog-content] div:nth-child(1) > select.w-100", "kind")
			p.choose("[data-reach-dialog-content] div:nth-child(2) > select.w-100", v["column"])
			p.click("[data-reach-dialog-content] button{OK}")
			p.click(bar + "button:nth-of-type(6)") // save
			p.at("/queries/")
			p.click(bar + "button{Queries}")
			p.choose("[data-reach-dialog-content] select", "All")
			p.click("[data-reach-dialog-content] a{" + strings.Replace(v["old"], " ", "", 1) + "}") // two lines, its name and where it asks
			p.see("input[placeholder='Query name'][value='" + strings.TrimSuffix(v["old"], " Dairy") + "']")
			p.refill("input[placeholder='Query name']", v["title"])
			p.click(bar + "button:nth-of-type(6)")
			p.click("[data-reach-menu-button]")
			p.click("[data-reach-menu-item]{Users}")
			p.click("[data-reach-dialog-content] button{Add user}")
			p.fill("form input[name=email]", v["new"])
			p.choose("form select[name=role]", v["role"])
			p.click("form button{Add user}")
			p.see("[data-reach-dialog-content] div{" + v["new"] + strings.ToLower(v["role"]) + " - not signed up yet}")
			close()
			p.click("[data-reach-menu-button]")
			p.click("[data-reach-menu-item]{Connections}")
			p.click("[data-reach-dialog-content] button{Add connection}")
			p.fill("form input[name=name]", v["source"])
			p.choose("form select[name=driver]", v["driver"])
			p.fill("form input[name=host]", v["host"])
			p.click("form button{Save}")
			p.see("[data-reach-dialog-content] div{" + v["source"] + v["host"] + "}")
		},
		want: func(s state, who account, v values) {
			tags := []string{v["kept"], v["tag"]}
			slices.Sort(tags)
			s["query "+v["name"]] = strings.Join([]string{who.user, v["in"], v["text"], strings.Join(tags, ","), map[string]string{"Bar - Vertical": "verticalbar", "Bar - Horizontal": "bar"}[v["chart"]], "kind " + v["column"]}, "|")
			old := "query " + strings.TrimSuffix(v["old"], " Dairy")
			s["query "+v["title"]] = s[old]
			delete(s, old)
			s["user "+v["new"]] = strings.ToLower(v["role"])
			s["connection "+v["source"]] = map[string]string{"Presto": "presto", "Crate": "crate", "Apache Drill": "drill"}[v["driver"]] + " " + v["host"]
		},
	}
}

var sqlpadPackage = npm{"sqlpad", "3.1.0", ""}

const sqlpadProgram = "sqlpad/server.js"

// sqlpadOld are queries that are there before.
var sqlpadOld = []string{"Eggs", "Wool", "Milk", "Hay", "Honey"}

// sqlpadBridge leads a port to the socket of the databases, as the driver is told ports alone.
const sqlpadBridge = `const net = require("net"), [port, socket] = process.argv.slice(1);
net.createServer((from) => {
	const to = net.connect(socket);
	from.pipe(to).pipe(from);
	from.on("error", () => to.destroy());
	to.on("error", () => from.destroy());
}).listen(+port, "127.0.0.1");`

func startSQLPad(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada@farm.example", "Analytical-7"}, {"grace@farm.example", "Compiler-19"}}
	socket, err := h.mariadb(ctx, "farm")
	if err != nil {
		return nil, err
	}
	if _, err := h.query(ctx, socket, "use farm; create table animals (kind varchar(20), heads int, born int); insert into animals values ('geese', 9, 2023), ('goats', 14, 2021), ('sheep', 40, 2020), ('hens', 80, 2022)"); err != nil {
		return nil, err
	}
	ports, err := h.free(2)
	if err != nil {
		return nil, err
	}
	if _, err := h.serve(h.dir, nil, "node", "-e", sqlpadBridge, fmt.Sprint(ports[1]), socket); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "node", h.npm(sqlpadPackage, sqlpadProgram), "--dbPath", h.path("sqlpad"), "--ip", "127.0.0.1", "--port", fmt.Sprint(ports[0]))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", ports[0])
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	type object = map[string]any
	client, other := cookieClient(), cookieClient()
	post := func(client *http.Client, path string, body object, answer any) {
		if err == nil {
			err = postBy(ctx, client, url+"api/"+path, "", body, answer)
		}
	}
	signUp := func(client *http.Client, who account) {
		post(client, "signup", object{"email": who.user, "password": who.password, "passwordConfirmation": who.password}, nil)
	}
	signUp(client, accounts[0]) // the first one is an administrator
	post(client, "users", object{"email": accounts[1].user, "role": "admin"}, nil)
	signUp(other, accounts[1])
	var made struct {
		Connection struct {
			ID string `json:"_id"`
		}
	}
	for _, name := range []string{"Farm books", "Orchard", "Dairy"} {
		post(client, "connections", object{"name": name, "driver": "mysql", "host": "127.0.0.1", "port": fmt.Sprint(ports[1]), "database": "farm", "username": "farm", "password": "farm"}, &made)
	}
	for _, name := range sqlpadOld {
		post(client, "queries", object{"name": name, "connectionId": made.Connection.ID, "tags": []string{"fences", "prices", "vet", "yearly"}, "queryText": "select heads from animals"}, nil)
	}
	if err != nil {
		return nil, err
	}
	get := func(ctx context.Context, path string, answer any) error {
		return getBy(ctx, client, url+"api/"+path, answer)
	}
	read := func(ctx context.Context) (state, error) {
		s := state{}
		var connections struct {
			Connections []struct {
				ID                 string `json:"_id"`
				Name, Driver, Host string
			}
		}
		if err := get(ctx, "connections", &connections); err != nil {
			return nil, err
		}
		names := map[string]string{}
		for _, c := range connections.Connections {
			names[c.ID] = c.Name
			add(s, "connection "+c.Name, c.Driver+" "+c.Host)
		}
		var users struct {
			Users []struct{ Email, Role string }
		}
		if err := get(ctx, "users", &users); err != nil {
			return nil, err
		}
		for _, u := range users.Users {
			add(s, "user "+u.Email, u.Role)
		}
		var queries struct {
			Queries []struct {
				Name, ConnectionID, QueryText, CreatedBy string
				Tags                                     []string
				ChartConfiguration                       struct {
					ChartType string
					Fields    map[string]string
				}
			}
		}
		if err := get(ctx, "queries", &queries); err != nil {
			return nil, err
		}
		for _, q := range queries.Queries {
			slices.Sort(q.Tags)
			add(s, "query "+q.Name, strings.Join([]string{q.CreatedBy, names[q.ConnectionID], q.QueryText, strings.Join(q.Tags, ","), q.ChartConfiguration.ChartType, strings.TrimSpace(q.ChartConfiguration.Fields["barlabel"] + " " + q.ChartConfiguration.Fields["barvalue"])}, "|"))
		}
		return s, nil
	}
	return &site{url: url, accounts: accounts, state: read}, nil
}
