package main

import (
	"context"
	"fmt"
	"strings"
)

// directus writes an article: forms and lists that Vue draws, a calendar in a popover, a
// row that is chosen in a drawer, an editor of rich text in a frame, chips, a switch.
func directus() *app {
	return &app{
		name: "directus", about: "forms and lists that Vue draws, a calendar in a popover, a row that is chosen in a drawer, a rich-text editor in a frame, chips, a switch", held: true,
		needs: append(directusPackage.needs(directusProgram), postgresNeeds...),
		start: startDirectus,
		values: func(run int) values {
			return values{
				"title": oneOf(run, "Pruning", "Grafting", "Sowing") + fmt.Sprintf(" in week %d", 3+run), "status": oneOf(run, "In review", "Published", "Draft"),
				"day": fmt.Sprint(11 + run), "author": oneOf(run, "Beatrix Holm", "Tomas Reyes", "Wanda Okafor"), "section": oneOf(run, "Orchard", "Kitchen garden", "Greenhouse"),
				"tag": fmt.Sprintf("winter-%d", run), "body": fmt.Sprintf("It takes %d hours.", 2+run), "old": oneOf(run, "Frost", "Compost", "Slugs"), "note": fmt.Sprintf("Bring this up to date by week %d.", 5+run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[type=email]", who.user)
			p.fill("input[type=password]", who.password)
			p.click("button[type=submit]")
		},
		flow: func(p *person, v values) {
			p.click("a[href='/admin/content/articles']")
			p.click("a[href='/admin/content/articles/+']")
			p.fill("input[field=title]", v["title"])
			p.click("[field=status] .v-input")
			p.click("#menu-outlet .v-list-item{" + v["status"] + "}")
			p.click("[field=published] .v-input")
			p.click("#menu-outlet .flatpickr-day:not(.prevMonthDay):not(.nextMonthDay){" + v["day"] + "}")
			p.click(".many-to-one .v-input")
			p.click("#dialog-outlet td{" + v["author"] + "}")
			p.click("#dialog-outlet .header-bar button:has([data-icon=check])")
			p.click("[field=section] .label{" + v["section"] + "}")
			p.fill("[field=tags] input", v["tag"])
			p.press("Enter")
			p.click("[field=featured]")
			p.fill("#body iframe >>> body", v["body"])
			p.click("#main-content .header-bar .action-buttons button:has([data-icon=check])")
			p.click("td{" + v["old"] + "}")
			p.click("#sidebar .toggle .icon:has([data-icon=chat_bubble_outline])")
			p.fill("#sidebar .input-container .v-template-input", v["note"])
			p.click("#sidebar .post-comment button")
			p.see("#sidebar .comment-item")
		},
		want: func(s state, who account, v values) {
			s["article "+v["title"]] = strings.Join([]string{v["status"], v["day"], v["author"], v["section"], v["tag"], "featured", "<p>" + v["body"] + "</p>"}, "|")
			s["comment on "+v["old"]] = who.user + ": " + v["note"]
		},
	}
}

var directusPackage = npm{"directus", "10.13.4", ""}

// directusProgram is what its own program runs once it has asked whether there is a newer release.
const directusProgram = "@directus/api/dist/cli/run.js"

// noIsolate stands in for a part in machine code, which only flows of scripts use.
const noIsolate = `const m = require("module"), load = m._load;
m._load = (name, ...rest) => name === "./out/isolated_vm" ? {ivm: {}} : load(name, ...rest);
`

func startDirectus(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada@example.com", "Analytical-7"}, {"grace@example.com", "Compiler-19"}}
	folder, err := h.postgres(ctx)
	if err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	if err := h.write("isolate.cjs", noIsolate); err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	env := []string{
		"DB_CLIENT=pg", "DB_HOST=" + folder, "DB_PORT=5432", "DB_USER=postgres", "DB_DATABASE=postgres", "DB_PASSWORD=", "KEY=key", "SECRET=secret", "HOST=127.0.0.1", fmt.Sprint("PORT=", port), "PUBLIC_URL=" + url,
		"TELEMETRY=false", "WEBSOCKETS_ENABLED=false", "ADMIN_EMAIL=" + accounts[0].user, "ADMIN_PASSWORD=" + accounts[0].password, "NODE_OPTIONS=--require " + h.path("isolate.cjs"),
	}
	if _, err := h.run(ctx, env, "node", h.npm(directusPackage, directusProgram), "bootstrap"); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, env, "node", h.npm(directusPackage, directusProgram), "start")
	if err != nil {
		return nil, err
	}
	if err := server.up(ctx, answers(url+"/server/ping")); err != nil {
		return nil, err
	}
	if err := fillDirectus(ctx, h, folder, url, accounts); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		s := state{}
		rows, err := h.psql(ctx, folder, `select title, coalesce(status, ''), coalesce(extract(day from published)::text, ''), coalesce(w.name, ''), coalesce(section, ''), coalesce((select string_agg(t, ',') from json_array_elements_text(tags) t), ''), case when featured then 'featured' else '' end, coalesce(body, '')
			from articles a left join writers w on w.id = a.writer`)
		for _, r := range rows {
			add(s, "article "+r[0], strings.Join(r[1:], "|"))
		}
		if err != nil {
			return nil, err
		}
		rows, err = h.psql(ctx, folder, `select a.title, u.email, comment from directus_activity n join articles a on a.id::text = n.item join directus_users u on u.id = n."user" where action = 'comment' and collection = 'articles'`)
		for _, r := range rows {
			add(s, "comment on "+r[0], r[1]+": "+r[2])
		}
		return s, err
	}
	return &site{url: url + "/admin/", accounts: accounts, state: read}, nil
}

// fillDirectus makes the second account and what is written about: tables with forms, and rows.
func fillDirectus(ctx context.Context, h *host, folder, url string, accounts [2]account) error {
	var signedIn struct {
		Data struct {
			Token string `json:"access_token"`
		}
	}
	if err := post(ctx, url+"/auth/login", "", map[string]any{"email": accounts[0].user, "password": accounts[0].password}, &signedIn); err != nil {
		return err
	}
	roles, err := h.psql(ctx, folder, "select id from directus_roles")
	if err != nil {
		return err
	}
	type object = map[string]any
	field := func(name, kind, drawn string, options object) object {
		return object{"field": name, "type": kind, "meta": object{"interface": drawn, "options": options}, "schema": object{}}
	}
	id := object{"field": "id", "type": "integer", "meta": object{"hidden": true}, "schema": object{"is_primary_key": true, "has_auto_increment": true}}
	choices := func(texts ...string) object {
		var list []any
		for _, t := range texts {
			list = append(list, object{"text": t, "value": t})
		}
		return object{"choices": list}
	}
	var writers, articles []any
	for _, name := range []string{"Anders Lund", "Beatrix Holm", "Tomas Reyes", "Wanda Okafor"} {
		writers = append(writers, object{"name": name})
	}
	for _, title := range []string{"Compost", "Frost", "Ladders", "Slugs"} {
		articles = append(articles, object{"title": title})
	}
	for _, made := range []struct {
		path string
		body any
	}{
		{"users", object{"email": accounts[1].user, "password": accounts[1].password, "role": roles[0][0]}},
		{"collections", object{"collection": "writers", "schema": object{}, "meta": object{"display_template": "{{name}}"}, "fields": []any{id, field("name", "string", "input", nil)}}},
		{"collections", object{"collection": "articles", "schema": object{}, "meta": object{"display_template": "{{title}}"}, "fields": []any{
			id, field("title", "string", "input", nil), field("status", "string", "select-dropdown", choices("Draft", "In review", "Published")), field("published", "date", "datetime", nil),
			field("writer", "integer", "select-dropdown-m2o", object{"template": "{{name}}"}), field("section", "string", "select-radio", choices("Greenhouse", "Kitchen garden", "Orchard")),
			field("tags", "json", "tags", nil), field("featured", "boolean", "boolean", nil), field("body", "text", "input-rich-text-html", nil),
		}}},
		{"relations", object{"collection": "articles", "field": "writer", "related_collection": "writers"}},
		{"items/writers", writers}, {"items/articles", articles},
	} {
		if err := post(ctx, url+"/"+made.path, "Bearer "+signedIn.Data.Token, made.body, nil); err != nil {
			return err
		}
	}
	return nil
}
