package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// medusa runs a shop with the admin pages of Medusa 2: tables with a menu for each row, drawers and full-screen
// dialogs with an address of their own, tabs that lead through a form, lists of Ariakit, a calendar of React Aria.
func medusa() *app {
	return &app{
		name: "medusa", about: "tables with a menu for each row, drawers and dialogs with an address of their own, tabs that lead through a form, lists of Ariakit, a calendar of React Aria, switches of Radix", held: true,
		needs: slices.Concat(medusaPackage.needs(medusaProgram), postgresNeeds),
		start: startMedusa,
		named: map[string]string{"first_name": "first", "last_name": "last", "email_2": "mail", "company": "company", "phone": "phone", "company_2": "firm", "name": "campaign", "name_2": "channel", "username": "code"},
		values: func(run int) values {
			return values{
				"first": oneOf(run, "Nora", "Hugo", "Mina", "Karl"), "last": oneOf(run, "Lindt", "Sato", "Weber", "Ruiz"), "mail": fmt.Sprintf("order%d@farm.example", 40+run), "company": oneOf(run, "Hill", "Lake", "Moor") + fmt.Sprintf(" Inn %d", 3+run), "phone": fmt.Sprintf("555 01%d", 20+run), "group": oneOf(run, "Cooks", "Shops", "Bakers"),
				"old": oneOf(run, "tom", "lea", "wanda") + "@mill.example", "firm": oneOf(run, "Old", "New", "High") + fmt.Sprintf(" Oven %d", 7+run),
				"title": oneOf(run, "Rye", "Oat", "Plum", "Goat") + fmt.Sprintf(" box %d", 11+run), "subtitle": fmt.Sprintf("For %d people", 4+run), "text": fmt.Sprintf("Packed in week %d.", 30+run), "type": oneOf(run, "Cheese", "Bread", "Cider"), "collection": oneOf(run, "Autumn", "Winter", "Spring"), "tag": oneOf(run, "raw", "smoked", "local"),
				"campaign": oneOf(run, "Harvest", "Thaw", "Lent", "May") + fmt.Sprintf(" days %d", 26+run), "code": fmt.Sprintf("DAYS-%d", 60+run), "day": monthDay(15 + run).Format(longDay), "time": fmt.Sprintf("09%d", 31+run), "why": fmt.Sprintf("For row %d.", 80+run), "limit": fmt.Sprint(250 + run),
				"channel": oneOf(run, "Market", "Gate", "Van", "Post") + fmt.Sprintf(" stall %d", 2+run), "about": fmt.Sprintf("Open %d hours.", 5+run), "gone": oneOf(run, "Honey", "Wool", "Eggs"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[name=email]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("button[type=submit]")
			p.see("aside a[href='/app/customers']")
		},
		flow: func(p *person, v values) {
			const dialog, top = "[role=dialog] ", "[role=dialog] ~ [role=dialog] " // a product has two dialogs, one on the other
			choose := func(name, text string) {
				p.click(top + "input[role=combobox]" + name)
				p.click("[role=listbox]:not([hidden]) [role=option]{" + text + "}")
			}
			p.click("aside a[href='/app/customers']")
			p.click("main a[href='/app/customers/create']")
			p.fill(dialog+"input[name=first_name]", v["first"])
			p.fill(dialog+"input[name=last_name]", v["last"])
			p.fill(dialog+"input[name=email]", v["mail"])
			p.fill(dialog+"input[name=company_name]", v["company"])
			p.fill(dialog+"input[name=phone]", v["phone"])
			p.click(dialog + "button[type=submit]")
			p.click("a[href$=add-customer-groups] button")
			p.click(fmt.Sprintf(dialog+"tbody tr:nth-child(%d) [role=checkbox]", 1+slices.Index(medusaGroups, v["group"])))
			p.click(dialog + "button{Save}")
			p.see("main td a{" + v["group"] + "}")
			p.click("aside a[href='/app/customers']")
			p.see("main td a{" + v["old"] + "}")
			p.click(fmt.Sprintf("main tbody tr:nth-child(%d) [aria-haspopup=menu]", 1+slices.Index(medusaCustomers, strings.TrimSuffix(v["old"], "@mill.example"))))
			p.click("[role=menuitem]{Edit}")
			p.fill(dialog+"input[name=company_name]", v["firm"])
			p.click(dialog + "button[type=submit]")
			p.click("aside a[href='/app/products']")
			p.click("main a[href='/app/products/create'], main a[href='create']")
			p.fill(top+"input[name=title]", v["title"])
			p.fill(top+"input[name=subtitle]", v["subtitle"])
			p.fill(top+"textarea[name=description]", v["text"])
			p.click(top + "button{Continue}")
			choose("[name=type_id]", v["type"])
			choose("[name=collection_id]", v["collection"])
			choose(":not([name])", v["tag"])
			p.click(top + "button{Continue}")
			p.click(top + "button{Publish}")
			p.see("main h1{" + v["title"] + "}")
			p.click("aside a[href='/app/promotions']")
			p.click("aside a[href='/app/campaigns']")
			p.click("main a[href='/app/campaigns/create'], main a[href='create']")
			p.fill(dialog+"input[name=name]", v["campaign"])
			p.fill(dialog+"input[name=campaign_identifier]", v["code"])
			p.click(dialog + "button[aria-label=Calendar]")
			p.click("[role=gridcell] [aria-label='" + v["day"] + "']")
			p.click("[aria-label='Time input'] [aria-label=hour]")
			p.typing(v["time"] + "a")
			p.fill(dialog+"textarea[name=description]", v["why"])
			p.fill(dialog+"input[name='budget.limit']", v["limit"])
			p.click(dialog + "button{Create}")
			p.see("main h1{" + v["campaign"] + "}")
			p.click("aside a[href='/app/settings']")
			p.click("aside a[href='/app/settings/product-types']")
			p.see("main td a{" + v["gone"] + "}")
			p.click(fmt.Sprintf("main tbody tr:nth-child(%d) [aria-haspopup=menu]", 1+slices.Index(medusaTypes, v["gone"])))
			p.click("[role=menuitem]{Delete}")
			p.click("[role=alertdialog] button{Delete}")
			p.click("aside a[href='/app/settings/sales-channels']")
			p.click("main a[href='/app/settings/sales-channels/create'], main a[href='create']")
			p.fill(dialog+"input[name=name]", v["channel"])
			p.fill(dialog+"textarea[name=description]", v["about"])
			p.click(dialog + "[role=switch]")
			p.click(dialog + "button{Save}")
			p.see("main h1{" + v["channel"] + "}")
		},
		want: func(s state, _ account, v values) {
			s["customer "+v["mail"]] = strings.Join([]string{v["first"], v["last"], v["company"], v["phone"], v["group"]}, "|")
			if old, there := s["customer "+v["old"]]; there {
				fields := strings.Split(old, "|")
				fields[2] = v["firm"]
				s["customer "+v["old"]] = strings.Join(fields, "|")
			}
			s["product "+v["title"]] = strings.Join([]string{"published", v["subtitle"], v["text"], v["type"], v["collection"], v["tag"], "1"}, "|")
			day, err := time.Parse(longDay, v["day"])
			s["campaign "+v["campaign"]] = strings.Join([]string{v["code"], day.Format(time.DateOnly) + " " + v["time"], v["why"], "usage", v["limit"]}, "|")
			if err != nil {
				s["campaign "+v["campaign"]] = err.Error()
			}
			delete(s, "type "+v["gone"])
			s["channel "+v["channel"]] = v["about"] + "|off"
		},
	}
}

var medusaPackage = npm{"@medusajs/medusa", "2.21.2", ""}

const medusaProgram = "@medusajs/cli/cli.js"

// What is there before, as it is listed.
var (
	medusaGroups    = []string{"Bakers", "Cooks", "Shops", "Schools"}
	medusaCustomers = []string{"iris", "tom", "wanda", "lea", "jo"}
	medusaTypes     = []string{"Bread", "Cheese", "Cider", "Honey", "Wool", "Eggs"}
)

const medusaConfig = `const {defineConfig} = require("@medusajs/framework/utils");
const all = "http://127.0.0.1:" + process.env.PORT;
module.exports = defineConfig({projectConfig: {databaseUrl: process.env.DATABASE_URL, http: {storeCors: all, adminCors: all, authCors: all, jwtSecret: "secret", cookieSecret: "secret"}, cookieOptions: {secure: false, sameSite: "lax"}}});
`

const medusaPages = `require("@medusajs/admin-bundler").build({path: "/app", outDir: process.argv[1], backendUrl: "/", sources: [], plugins: []}).catch((e) => { console.error(e); process.exit(1); });`

// startMedusa builds its pages and its tables once, as that takes two minutes.
func startMedusa(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada@farm.example", "Analytical-7"}, {"grace@farm.example", "Compiler-19"}}
	folder, err := h.postgres(ctx)
	if err != nil {
		return nil, err
	}
	ports, err := h.free(2)
	if err != nil {
		return nil, err
	}
	if _, err := h.serve(h.dir, nil, "node", "-e", sqlpadBridge, fmt.Sprint(ports[1]), folder+"/.s.PGSQL.5432"); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"medusa-config.js": medusaConfig, "package.json": `{"name": "shop", "private": true, "dependencies": {"@medusajs/medusa": "2.21.2"}}`, "src/.keep": "", "public/.keep": ""} {
		if err := h.write("shop/"+name, text); err != nil {
			return nil, err
		}
	}
	pages, tables := h.npm(medusaPackage, "../pages"), h.npm(medusaPackage, "../tables.sql")
	for from, to := range map[string]string{h.npm(medusaPackage, ""): "shop/node_modules", pages: "shop/public/admin"} {
		if err := os.Symlink(from, h.path(to)); err != nil {
			return nil, err
		}
	}
	env := []string{"NODE_ENV=production", "MEDUSA_DISABLE_TELEMETRY=true", fmt.Sprint("PORT=", ports[0]), fmt.Sprintf("DATABASE_URL=postgres://postgres@127.0.0.1:%d/postgres", ports[1])}
	program := h.npm(medusaPackage, medusaProgram)
	const in = `cd shop && exec "$@"`
	if _, err := os.Stat(pages + "/index.html"); err != nil {
		if _, err := h.run(ctx, env, "sh", "-c", in, "sh", "node", "-e", medusaPages, pages); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(tables); err == nil {
		if _, err := h.run(ctx, nil, "psql", "-h", folder, "-U", "postgres", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", tables); err != nil {
			return nil, err
		}
	} else {
		if _, err := h.run(ctx, env, "sh", "-c", in, "sh", "node", program, "db:migrate", "--skip-scripts"); err != nil {
			return nil, err
		}
		for _, who := range accounts {
			if _, err := h.run(ctx, env, "sh", "-c", in, "sh", "node", program, "user", "-e", who.user, "-p", who.password); err != nil {
				return nil, err
			}
		}
		if _, err := h.run(ctx, nil, "pg_dump", "-h", folder, "-U", "postgres", "-f", tables, "postgres"); err != nil {
			return nil, err
		}
	}
	server, err := h.serve(h.path("shop"), env, "node", program, "start", "-H", "127.0.0.1", "-p", fmt.Sprint(ports[0]))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	if err := server.up(ctx, answers(url+"/health")); err != nil {
		return nil, err
	}
	if err := fillMedusa(ctx, url, accounts[0]); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.psql(ctx, folder, `select 'customer ' || email, concat_ws('|', first_name, last_name, coalesce(company_name, ''), coalesce(phone, ''), (select coalesce(string_agg(g.name, ',' order by g.name), '') from customer_group_customer x join customer_group g on g.id = x.customer_group_id where x.customer_id = c.id and x.deleted_at is null)) from customer c where deleted_at is null
union all select 'product ' || title, concat_ws('|', status, coalesce(subtitle, ''), coalesce(description, ''), (select coalesce(min(value), '') from product_type t where t.id = p.type_id), (select coalesce(min(title), '') from product_collection t where t.id = p.collection_id), (select coalesce(string_agg(t.value, ',' order by t.value), '') from product_tags x join product_tag t on t.id = x.product_tag_id where x.product_id = p.id), (select count(*) from product_variant x where x.product_id = p.id and x.deleted_at is null)) from product p where deleted_at is null
union all select 'campaign ' || name, concat_ws('|', campaign_identifier, to_char(starts_at, 'YYYY-MM-DD HH24MI'), coalesce(description, ''), b.type, b."limit"::int) from promotion_campaign c left join promotion_campaign_budget b on b.campaign_id = c.id where c.deleted_at is null
union all select 'type ' || value, 'there' from product_type where deleted_at is null
union all select 'channel ' || name, concat_ws('|', coalesce(description, ''), case when is_disabled then 'off' else 'on' end) from sales_channel where deleted_at is null`)
		s := state{}
		for _, r := range rows {
			add(s, r[0], r[1])
		}
		return s, err
	}
	return &site{url: url + "/app/", accounts: accounts, state: read}, nil
}

// fillMedusa makes what is there before.
func fillMedusa(ctx context.Context, url string, who account) error {
	type object = map[string]any
	var signedIn struct{ Token string }
	if err := post(ctx, url+"/auth/user/emailpass", "", object{"email": who.user, "password": who.password}, &signedIn); err != nil {
		return err
	}
	var err error
	each := func(path, key string, names []string, more func(string) object) {
		for _, name := range names {
			body := object{key: name}
			if more != nil {
				body = more(name)
			}
			if err == nil {
				err = post(ctx, url+"/admin/"+path, "Bearer "+signedIn.Token, body, nil)
			}
		}
	}
	each("customer-groups", "name", medusaGroups, nil)
	each("customers", "email", medusaCustomers, func(name string) object {
		return object{"email": name + "@mill.example", "first_name": strings.ToUpper(name[:1]) + name[1:], "last_name": "Holm"}
	})
	each("collections", "title", []string{"Spring", "Autumn", "Winter"}, nil)
	each("product-types", "value", medusaTypes, nil)
	each("product-tags", "value", []string{"local", "raw", "smoked"}, nil)
	return err
}
