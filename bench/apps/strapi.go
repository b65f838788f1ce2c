package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// strapi removes a visit and writes another one: tables with a menu for each row, forms whose
// lists and calendar Radix draws in React, an editor of blocks, a relation that is searched,
// a pair of words as a switch.
func strapi() *app {
	return &app{
		name: "strapi", about: "tables with a menu for each row, lists and a calendar that Radix draws in React, an editor of blocks, a relation that is searched, a pair of words as a switch", held: true,
		needs: append(append(strapiPackage.needs(strapiProgram), pgDriver.needs("pg/lib/index.js")...), postgresNeeds...),
		start: startStrapi,
		named: map[string]string{"name": "name"},
		values: func(run int) values {
			return values{
				"old": oneOf(run, strapiVisits[2:]...), "name": oneOf(run, "Pond walk", "Hedge day", "Barn evening", "Orchard tour") + fmt.Sprintf(" %d", 6+run), "kind": oneOf(run, "Tasting", "Concert", "Workshop", "Tour"), "day": fmt.Sprint(11 + run),
				"guests": fmt.Sprint(23 + run), "about": fmt.Sprintf("Bring boots and %d pounds.", 8+run), "block": oneOf(run, "Heading 2", "Quote", "Heading 3"), "host": oneOf(run, "Kofi Mensah", "Jo Park", "Lea Braun", "Ines Ruiz"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[name=email]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("button[type=submit]")
		},
		flow: func(p *person, v values) {
			p.click("a[aria-label='Content Manager']")
			p.click("a[href*='collection-types/api::visit.visit']")
			p.click(fmt.Sprintf("tr:has([aria-label='Select %d']) td:last-child button[aria-haspopup=menu]", idOfVisit(v["old"])))
			p.click("[role=menuitem]{Delete entry}")
			p.click("[role=alertdialog] button{Confirm}")
			p.click("a[href$='api::visit.visit/create']")
			p.fill("input[name=name]", v["name"])
			p.click("[role=combobox][name=kind]")
			p.click("[role=option]{" + v["kind"] + "}")
			p.click("input[name=day]")
			p.click("[role=dialog] td{" + v["day"] + "}")
			p.fill("input[name=guests]", v["guests"])
			p.click("input[name=indoors]")
			p.click("[data-slate-editor]")
			p.typing(v["about"])
			p.click("[role=combobox][name=about]")
			p.click("[role=option]{" + v["block"] + "}")
			p.click("input[name=host]")
			p.click("[role=option]{" + v["host"] + "}")
			p.click("button{Publish}")
			p.see("[role=status]{Published}")
		},
		want: func(s state, who account, v values) {
			delete(s, "visit "+v["old"])
			kind, level, _ := strings.Cut(strings.ToLower(v["block"]), " ")
			s["visit "+v["name"]] = strings.Join([]string{"draft", who.user, v["kind"], thisMonth(dayOf(v)).Format(time.DateOnly), v["guests"], "t", strings.TrimSpace(kind + " " + level), v["about"], "1", v["host"]}, "|")
			s["published "+v["name"]] = strings.Replace(s["visit "+v["name"]], "draft", "published", 1)
		},
	}
}

// strapiVisits are there before, with numbers in this order.
var strapiVisits = []string{"Spring fair", "Summer fair", "Goat race", "Night walk", "Plum day", "Kite day", "Moth count", "Seed swap"}

func idOfVisit(name string) int {
	for i, one := range strapiVisits {
		if one == name {
			return i + 1
		}
	}
	return 0
}

var strapiPackage = npm{"@strapi/strapi", "5.12.0", ""}

const strapiProgram = "@strapi/strapi/bin/strapi.js"

// noPictures stands in for a part in machine code, which only makes pictures smaller.
const noPictures = `const m = require("module"), load = m._load;
m._load = (name, ...rest) => name === "sharp" ? Object.assign(() => ({metadata: async () => ({})}), {cache() {}, concurrency() {}}) : load(name, ...rest);
`

var strapiFiles = map[string]string{
	"package.json":          `{"name": "farm", "private": true, "version": "0.1.0", "dependencies": {"@strapi/strapi": "5.12.0", "react": "18", "react-dom": "18", "react-router-dom": "6", "styled-components": "6"}, "strapi": {"uuid": false}}`,
	"pictures.cjs":          noPictures,
	"config/database.js":    `module.exports = () => ({connection: {client: "postgres", connection: {host: process.env.FOLDER, user: "postgres", database: "postgres", password: "none", ssl: false}, pool: {min: 0, max: 5}}});`,
	"config/server.js":      `module.exports = () => ({host: "127.0.0.1", port: Number(process.env.PORT), app: {keys: ["a", "b"]}});`,
	"config/admin.js":       `module.exports = () => ({auth: {secret: "secret"}, apiToken: {salt: "salt"}, transfer: {token: {salt: "salt"}}, flags: {nps: false, promoteEE: false}});`,
	"config/middlewares.js": `module.exports = ["strapi::logger", "strapi::errors", "strapi::security", "strapi::cors", "strapi::poweredBy", "strapi::query", "strapi::body", "strapi::session", "strapi::favicon", "strapi::public"];`,
	"src/index.js":          `module.exports = {register() {}, bootstrap() {}};`,
	"src/api/host/content-types/host/schema.json": `{"kind": "collectionType", "collectionName": "hosts", "info": {"singularName": "host", "pluralName": "hosts", "displayName": "Host"}, "options": {"draftAndPublish": false},
"attributes": {"name": {"type": "string", "required": true}}}`,
	"src/api/visit/content-types/visit/schema.json": `{"kind": "collectionType", "collectionName": "visits", "info": {"singularName": "visit", "pluralName": "visits", "displayName": "Visit"}, "options": {"draftAndPublish": true},
"attributes": {"name": {"type": "string", "required": true}, "kind": {"type": "enumeration", "enum": ["Tour", "Tasting", "Workshop", "Concert"]}, "day": {"type": "date"}, "guests": {"type": "integer"}, "indoors": {"type": "boolean", "default": false}, "about": {"type": "blocks"}, "host": {"type": "relation", "relation": "manyToOne", "target": "api::host.host"}}}`,
	"public/uploads/empty": "", "database/migrations/empty": "",
}

func startStrapi(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada@example.com", "Analytical-7"}, {"grace@example.com", "Compiler-19"}}
	folder, err := h.postgres(ctx)
	if err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	for name, text := range strapiFiles {
		if err := h.write("farm/"+name, text); err != nil {
			return nil, err
		}
	}
	if err := os.Symlink(h.npm(strapiPackage, ""), h.path("farm/node_modules")); err != nil {
		return nil, err
	}
	env := []string{"NODE_ENV=production", "STRAPI_TELEMETRY_DISABLED=true", fmt.Sprint("PORT=", port), "FOLDER=" + folder, "NODE_PATH=" + h.npm(pgDriver, "")}
	// Its pages are built once, as that takes a minute.
	pages := h.npm(strapiPackage, "../pages")
	if _, err := os.Stat(pages + "/index.html"); err != nil {
		if _, err := h.run(ctx, env, "sh", "-c", `cd farm && node "$1" build && mkdir -p "$2" && cp -r build/. "$2"`, "sh", h.npm(strapiPackage, strapiProgram), pages); err != nil {
			return nil, err
		}
	} else if err := os.Symlink(pages, h.path("farm/build")); err != nil {
		return nil, err
	}
	server, err := h.serve(h.path("farm"), env, "node", "--require", h.path("farm/pictures.cjs"), h.npm(strapiPackage, strapiProgram), "start")
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	if err := server.up(ctx, answers(url+"/_health")); err != nil {
		return nil, err
	}
	if err := fillStrapi(ctx, url, accounts); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.psql(ctx, folder, `select case when v.published_at is null then 'visit ' else 'published ' end || v.name, case when v.published_at is null then 'draft' else 'published' end, coalesce(u.email, ''), coalesce(kind, ''), coalesce(day::text, ''), coalesce(guests::text, ''), coalesce(indoors::text, ''), coalesce(about, 'null')::text,
			coalesce((select string_agg(h.name, ',') from visits_host_lnk l join hosts h on h.id = l.host_id where l.visit_id = v.id), '') from visits v left join admin_users u on u.id = v.created_by_id`)
		s := state{}
		for _, r := range rows {
			var blocks []struct {
				Type     string
				Level    int
				Children []struct{ Text string }
			}
			if err := json.Unmarshal([]byte(r[7]), &blocks); err != nil {
				return nil, err
			}
			var kinds, texts []string
			for _, b := range blocks {
				if b.Level > 0 {
					b.Type += fmt.Sprint(" ", b.Level)
				}
				kinds = append(kinds, b.Type)
				for _, c := range b.Children {
					texts = append(texts, c.Text)
				}
			}
			r[6] = r[6][:1]
			add(s, r[0], strings.Join(append(append(r[1:7:7], strings.Join(kinds, ","), strings.Join(texts, ","), fmt.Sprint(len(blocks))), r[8]), "|"))
		}
		return s, err
	}
	return &site{url: url + "/admin/", accounts: accounts, state: read}, nil
}

// fillStrapi makes the accounts, who may do everything, and what is there before.
func fillStrapi(ctx context.Context, url string, accounts [2]account) error {
	type object = map[string]any
	var first, second struct {
		Data struct {
			Token             string
			RegistrationToken string
		}
	}
	if err := post(ctx, url+"/admin/register-admin", "", object{"firstname": "Ada", "lastname": "Byron", "email": accounts[0].user, "password": accounts[0].password}, &first); err != nil {
		return err
	}
	bearer := "Bearer " + first.Data.Token
	if err := post(ctx, url+"/admin/users", bearer, object{"firstname": "Grace", "lastname": "Hopper", "email": accounts[1].user, "roles": []int{1}}, &second); err != nil {
		return err
	}
	joined := object{"firstname": "Grace", "lastname": "Hopper", "password": accounts[1].password}
	if err := post(ctx, url+"/admin/register", "", object{"registrationToken": second.Data.RegistrationToken, "userInfo": joined}, nil); err != nil {
		return err
	}
	for _, name := range []string{"Ines Ruiz", "Jo Park", "Kofi Mensah", "Lea Braun", "Mina Sato"} {
		if err := post(ctx, url+"/content-manager/collection-types/api::host.host", bearer, object{"name": name}, nil); err != nil {
			return err
		}
	}
	for _, name := range strapiVisits {
		if err := post(ctx, url+"/content-manager/collection-types/api::visit.visit", bearer, object{"name": name}, nil); err != nil {
			return err
		}
	}
	return nil
}
