package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// adminjs keeps the dishes of a kitchen with AdminJS, whose forms React draws with styled
// elements: lists that are searched as one types, a calendar, an editor of formatted text, a
// drawer that filters a table, a menu in each row.
func adminjs() *app {
	return &app{
		name: "adminjs", about: "forms that React draws with styled elements, lists that are searched as one types, a calendar, an editor of formatted text, a drawer that filters a table, a menu in each row", held: true,
		needs: append(append(adminjsExpress.needs("@adminjs/express/lib/index.js"), adminjsSQL.needs("@adminjs/sql/lib/index.js")...), postgresNeeds...),
		start: startAdminjs,
		named: map[string]string{"title": "title"},
		values: func(run int) values {
			return values{
				"title": oneOf(run, "Leek tart", "Beet soup", "Rye cake", "Pea salad") + fmt.Sprintf(" no %d", 4+run), "supplier": oneOf(run, "Brook", "Hill", "Dale", "Fen"), "course": oneOf(run, "Starter", "Dessert", "Main course", "Side dish"),
				"day": thisMonth(11 + run).Format(adminjsDay), "price": fmt.Sprint(14 + run), "about": fmt.Sprintf("Serve within %d minutes.", 20+run), "old": fmt.Sprintf("Broth %d", 12+run), "now": fmt.Sprint(61 + run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[name=email]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("form button")
		},
		flow: func(p *person, v values) {
			p.click("[data-css=topbar] > *:first-child")
			p.click("[data-css=sidebar] a[href$='/resources/dishes']")
			p.click("a[data-testid=action-new]")
			p.fill("#title", v["title"])
			p.click("[data-testid=property-edit-supplier_id] input")
			p.typing(v["supplier"])
			p.click("[id*='-option-']{" + adminjsSuppliers[v["supplier"]] + "}")
			p.click("[data-testid=property-edit-course] input")
			p.click("[id*='-option-']{" + v["course"] + "}")
			p.click("[data-testid=property-edit-served_on] input")
			p.click(".react-datepicker__day[aria-label='" + v["day"] + "']")
			p.fill("#price", v["price"])
			p.click("[data-testid=property-edit-vegan] label")
			p.click("[data-testid=property-edit-about] .ProseMirror")
			p.typing(v["about"])
			p.click("[data-testid=button-save]")
			p.see("td[data-property-name=title]{" + v["title"] + "}")
			p.click("a{Filter}")
			p.fill("[data-testid=property-filter-title] input", v["old"])
			p.click("button{Apply changes}")
			p.see("tbody tr:only-child td[data-property-name=title]{" + v["old"] + "}")
			p.click("td[data-property-name=title]{" + v["old"] + "}")
			p.click("a[data-testid=action-edit]")
			p.refill("#price", v["now"])
			p.click("[data-testid=button-save]")
			p.see("td[data-property-name=title]{Broth 40}") // all are listed again
		},
		want: func(s state, who account, v values) {
			day, _ := time.Parse(adminjsDay, v["day"]) // it is written so
			s["dish "+v["title"]] = strings.Join([]string{adminjsSuppliers[v["supplier"]], v["course"], day.Format(time.DateOnly), v["price"], "true", "<p>" + v["about"] + "</p>", who.user}, "|")
			s["dish "+v["old"]] = strings.Join([]string{"", "", "", v["now"], "false", "", ""}, "|")
		},
	}
}

var (
	adminjsExpress = npm{"@adminjs/express", "6.1.1", ""} // AdminJS itself comes with it
	adminjsSQL     = npm{"@adminjs/sql", "2.2.6", ""}
)

// adminjsProgram serves the pages for the tables of a database.
const adminjsProgram = `import {createRequire} from "node:module";
import {writeFileSync} from "node:fs";
const {port, folder, accounts, courses, express: expressPath, sql} = JSON.parse(process.argv[2]);
const load = (from, name) => import(createRequire(from + "/").resolve(name));
const {default: AdminJS} = await import(expressPath + "/adminjs/index.js");
const {default: Plugin} = await import(expressPath + "/@adminjs/express/lib/index.js");
const {default: express} = await load(expressPath, "express");
const {Adapter, Database, Resource} = await import(sql + "/@adminjs/sql/lib/index.js");
AdminJS.registerAdapter({Database, Resource});
const db = await new Adapter("postgresql", {host: folder, user: "postgres", password: "none", database: "postgres"}).init();
const keep = (request, {currentAdmin}) => {
	if (request.payload) request.payload.keeper = currentAdmin.email;
	return request;
};
const admin = new AdminJS({rootPath: "/admin", resources: [
	{resource: db.table("suppliers"), options: {navigation: null, properties: {name: {isTitle: true}}}},
	{resource: db.table("dishes"), options: {navigation: null, sort: {sortBy: "id", direction: "desc"}, actions: {new: {before: keep}}, properties: {
		title: {isTitle: true}, keeper: {isVisible: false}, about: {type: "richtext"}, served_on: {type: "date"},
		course: {availableValues: courses.map((label, i) => ({label, value: "c" + i}))},
	}}},
]});
const app = express();
app.use(admin.options.rootPath, Plugin.buildAuthenticatedRouter(admin, {
	authenticate: (email, password) => accounts.find((one) => one.email === email && one.password === password) ?? null,
	cookieName: "admin", cookiePassword: "a-secret-that-is-long-enough-for-it",
}, null, {resave: false, saveUninitialized: false}));
app.listen(port, "127.0.0.1", () => writeFileSync("ready", ""));
`

// adminjsDay is how the middle days of a month are read out in the calendar.
const adminjsDay = "Choose Monday, January 2th, 2006"

// adminjsSuppliers are those who are found by what is typed.
var adminjsSuppliers = map[string]string{"Brook": "Brook Dairy", "Hill": "Hill Orchard", "Dale": "Dale Mill", "Fen": "Fen Gardens"}

var adminjsCourses = []string{"Dessert", "Main course", "Side dish", "Starter"}

func startAdminjs(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada@farm.example", "Analytical-7"}, {"grace@farm.example", "Compiler-19"}}
	folder, err := h.postgres(ctx)
	if err != nil {
		return nil, err
	}
	_, err = h.psql(ctx, folder, `create table suppliers (id serial primary key, name varchar(80) not null);
		insert into suppliers (name) values ('Brook Dairy'), ('Dale Mill'), ('Fen Gardens'), ('Hill Orchard'), ('Moor Bakers'), ('Vale Butchers');
		create table dishes (id serial primary key, title varchar(80) not null, supplier_id integer references suppliers (id), course varchar(20), served_on date, price integer, vegan boolean not null default false, about text, keeper varchar(80));
		insert into dishes (title, price) select 'Broth ' || n, n from generate_series(1, 40) n`)
	if err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	if err := h.write("kitchen.mjs", adminjsProgram); err != nil {
		return nil, err
	}
	type object = map[string]any
	var users []object
	for _, who := range accounts {
		users = append(users, object{"email": who.user, "password": who.password})
	}
	modules := func(n npm) string { return filepath.Dir(h.npm(n, "x")) }
	settings, err := json.Marshal(object{"port": port, "folder": folder, "accounts": users, "courses": adminjsCourses, "express": modules(adminjsExpress), "sql": modules(adminjsSQL)})
	if err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, []string{"NODE_ENV=production", "ADMIN_JS_SKIP_BUNDLE=true", "TZ=UTC"}, "node", "kitchen.mjs", string(settings))
	if err != nil {
		return nil, err
	}
	if err := server.up(ctx, h.has("ready")); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.psql(ctx, folder, `select title, coalesce(s.name, ''), coalesce(course, ''), coalesce(served_on::text, ''), coalesce(price::text, ''), vegan::text, coalesce(about, ''), coalesce(keeper, '') from dishes d left join suppliers s on s.id = d.supplier_id`)
		s := state{}
		for _, r := range rows {
			for i, course := range adminjsCourses {
				if r[2] == fmt.Sprint("c", i) {
					r[2] = course
				}
			}
			add(s, "dish "+r[0], strings.Join(r[1:], "|"))
		}
		return s, err
	}
	return &site{url: fmt.Sprintf("http://127.0.0.1:%d/admin", port), accounts: accounts, state: read}, nil
}
