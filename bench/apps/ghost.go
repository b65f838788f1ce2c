package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// ghost writes a post and publishes it: an editor that Ember draws, a menu of cards that a
// slash opens, a panel that slides in with a calendar, suggested tags and a switch, a
// publishing page of two steps.
func ghost() *app {
	return &app{
		name: "ghost", about: "an editor that Ember draws, a menu of cards that a slash opens, a panel that slides in with a calendar, suggested tags and a switch, a publishing page of two steps", held: true,
		needs: append(ghostPackage.needs(ghostProgram), mariadbNeeds...),
		start: startGhost,
		named: map[string]string{"identification": "user"},
		values: func(run int) values {
			return values{
				"title": oneOf(run, "Picking apples", "Pressing cider", "Drying pears", "Storing quinces") + fmt.Sprintf(" in week %d", 31+run), "body": fmt.Sprintf("We begin at %d in the morning.", 5+run), "day": fmt.Sprint(9 + run),
				"tag": oneOf(run, "Harvest", "Weather", "Market", "Recipes"), "access": oneOf(run, "Members only", "Paid-members only"), "excerpt": fmt.Sprintf("What %d of us did.", 14+run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[name=identification]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("button[type=submit]")
		},
		flow: func(p *person, v values) {
			p.click("a[title='New post']")
			p.fill(".gh-editor-title", v["title"])
			p.click(".koenig-editor__editor")
			p.typing(v["body"])
			p.press("Enter")
			p.typing("/")
			p.click(".koenig-cardmenu [title=Divider]")
			p.see(".koenig-editor__editor hr")
			p.click("button.settings-menu-toggle")
			p.click(".settings-menu-container input[placeholder='YYYY-MM-DD']")
			p.click(".ember-power-calendar-nav-control--previous")
			p.click(".ember-power-calendar-day--current-month{" + v["day"] + "}")
			p.click("#tag-input input")
			p.typing(v["tag"][:3])
			p.click(".ember-power-select-option[data-option-index='1']{" + v["tag"] + "}")
			p.click(".settings-menu-header h4") // it ends the choice
			p.choose(".settings-menu-container select", v["access"])
			p.fill("#custom-excerpt", v["excerpt"])
			p.click("label[for=featured]")
			p.click("button.settings-menu-toggle")
			p.click(".gh-publish-trigger")
			p.click("button{Continue, final review →}")
			p.clickAt(".gh-publish-cta-secondary", 20, -49) // the button above it, which swells and shrinks all the time
			p.see(".gh-back-to-editor")
		},
		want: func(s state, who account, v values) {
			day := thisMonth(1).AddDate(0, -1, dayOf(v)-1).Format(time.DateOnly)
			access := map[string]string{"Members only": "members", "Paid-members only": "paid"}[v["access"]]
			s["post "+v["title"]] = strings.Join([]string{who.user, "published", access, "1", v["excerpt"], day, v["tag"], "<p>" + v["body"] + "</p><hr>"}, "|")
		},
	}
}

var ghostPackage = npm{"ghost", "5.2.4", ""}

const ghostProgram = "ghost/ghost.js"

func startGhost(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada@example.com", "Analytical-7"}, {"grace@example.com", "Compiler-19"}}
	socket, err := h.mariadb(ctx, "ghost")
	if err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	for _, folder := range []string{"data", "files", "images", "logs", "media", "public", "settings", "themes"} {
		if err := os.MkdirAll(h.path("content", folder), 0o755); err != nil {
			return nil, err
		}
	}
	if err := os.Symlink(h.npm(ghostPackage, "ghost/content/themes/casper"), h.path("content/themes/casper")); err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	env := []string{
		"NODE_ENV=production", "database__client=mysql", "database__connection__socketPath=" + socket, "database__connection__user=ghost", "database__connection__password=ghost", "database__connection__database=ghost",
		"paths__contentPath=" + h.path("content") + "/", "url=" + url, "server__host=127.0.0.1", fmt.Sprint("server__port=", port), `logging__transports=["stdout"]`, "privacy__useUpdateCheck=false",
	}
	server, err := h.serve(h.npm(ghostPackage, "ghost"), env, "node", "ghost.js")
	if err != nil {
		return nil, err
	}
	type object = map[string]any
	setup := object{"setup": []object{{"name": "Ada Byron", "email": accounts[0].user, "password": accounts[0].password, "blogTitle": "Orchard"}}}
	if err := server.up(ctx, func(ctx context.Context) error {
		return postBy(ctx, http.DefaultClient, url+"/ghost/api/admin/authentication/setup/", "", setup, nil)
	}); err != nil {
		return nil, err
	}
	// The second account would come by a letter: it is put where the first one is.
	hash, err := h.run(ctx, nil, "node", "-e", "console.log(require(process.argv[1]).hashSync(process.argv[2], 10))", h.npm(ghostPackage, "bcryptjs"), accounts[1].password)
	if err != nil {
		return nil, err
	}
	fill := fmt.Sprintf(`use ghost; insert into users (id, name, slug, password, email, status, visibility, created_at, created_by) values ('second', 'Grace Hopper', 'grace', '%s', '%s', 'active', 'public', now(), '1');
		insert into roles_users (id, role_id, user_id) select 'second', id, 'second' from roles where name = 'Administrator';
		update users set accessibility = null;`, strings.TrimSpace(hash), accounts[1].user)
	for _, name := range []string{"Harvest", "Weather", "Market", "Recipes", "Visits"} {
		fill += fmt.Sprintf("insert into tags (id, name, slug, visibility, created_at, created_by) values ('%[1]s', '%[2]s', '%[1]s', 'public', now(), '1');", strings.ToLower(name), name)
	}
	if _, err := h.query(ctx, socket, fill); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.query(ctx, socket, `select title, coalesce((select group_concat(u.email) from ghost.posts_authors a join ghost.users u on u.id = a.author_id where a.post_id = p.id), ''), status, visibility, featured, coalesce(custom_excerpt, ''), coalesce(date(published_at), ''),
			coalesce((select group_concat(t.name) from ghost.posts_tags l join ghost.tags t on t.id = l.tag_id where l.post_id = p.id), ''), coalesce(html, '') from ghost.posts p`)
		s := state{}
		for _, r := range rows {
			add(s, "post "+r[0], strings.Join(r[1:], "|"))
		}
		if err != nil {
			return nil, err
		}
		rows, err = h.query(ctx, socket, "select name from ghost.tags")
		for _, r := range rows {
			add(s, "tag "+r[0], "there")
		}
		return s, err
	}
	return &site{url: url + "/ghost/", accounts: accounts, state: read}, nil
}
