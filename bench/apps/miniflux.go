package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
)

// feeds is where the feeds are served that miniflux subscribes to: their address is typed.
const feeds = 18473

// miniflux subscribes to a feed: pages from the server with a little script, a category
// that is made and then chosen, a part that unfolds, a search, a button that changes its label.
func miniflux() *app {
	return &app{
		name: "miniflux", about: "pages from the server, a category that is made and then chosen, a part that unfolds, a search, a button that changes its label", held: true,
		needs: append(append([]need{{program("miniflux.app"), "go install miniflux.app/v2@v2.3.5"}}, postgresNeeds...), phpNeeds...),
		start: startMiniflux,
		values: func(run int) values {
			return values{"category": oneOf(run, "Orchard", "Forest", "Meadow") + fmt.Sprint(" ", run), "feed": fmt.Sprintf("http://127.0.0.1:%d/%d.xml", feeds, run), "entry": oneOf(run, "Pears", "Apples") + fmt.Sprint(" ", run)}
		},
		signIn: func(p *person, who account) {
			p.fill("#form-username", who.user)
			p.fill("#form-password", who.password)
			p.click(".login-form button[type=submit]")
		},
		flow: func(p *person, v values) {
			p.click("a[data-page=categories]")
			p.click("a[href='/category/create']")
			p.fill("#form-title", v["category"])
			p.click("main button[type=submit]")
			p.click("#header-menu a[href='/subscribe']")
			p.fill("#form-url", v["feed"])
			p.choose("#form-category", v["category"])
			p.click("main details summary")
			p.click("input[name=ignore_entry_updates]")
			p.click("main button[type=submit]")
			p.see("article.item")
			p.click("a[data-page=search]")
			p.fill("#search-input", v["entry"])
			p.press("Enter")
			p.click("article.item .item-title a{News " + v["entry"][len(v["entry"])-1:] + " " + v["entry"] + "}") // the feed's name is there for screen readers
			p.click(".entry-actions [data-toggle-starred]")
			p.see("[data-toggle-starred][data-value=star]")
		},
		want: func(s state, who account, v values) {
			s[who.user+" has "+v["category"]] = v["feed"] + "|t|starred " + v["entry"]
		},
	}
}

func startMiniflux(ctx context.Context, h *host) (*site, error) {
	for run := range 20 { // as many as there may be runs
		items := ""
		for i, title := range []string{"Apples", "Quinces", "Pears", "Plums"} {
			items += fmt.Sprintf("<item><title>%s %d</title><link>http://127.0.0.1:%d/%d/%d</link><guid>%d/%d</guid><description>About %s.</description></item>", title, run, feeds, run, i, run, i, title)
		}
		if err := h.write(fmt.Sprintf("feeds/%d.xml", run), fmt.Sprintf("<rss version='2.0'><channel><title>News %d</title><link>http://127.0.0.1:%d/</link>%s</channel></rss>", run, feeds, items)); err != nil {
			return nil, err
		}
	}
	if _, err := h.php(ctx, "feeds", "/0.xml", feeds); err != nil {
		return nil, err
	}
	folder, err := h.postgres(ctx)
	if err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	at := fmt.Sprintf("127.0.0.1:%d", port)
	env := []string{
		"DATABASE_URL=user=postgres dbname=postgres sslmode=disable host=" + folder, "LISTEN_ADDR=" + at, "BASE_URL=http://" + at, "RUN_MIGRATIONS=1", "DISABLE_SCHEDULER_SERVICE=1",
		"FETCHER_ALLOW_PRIVATE_NETWORKS=1", "CREATE_ADMIN=1", "ADMIN_USERNAME=admin", "ADMIN_PASSWORD=Administrator-1",
	}
	server, err := h.serve(h.dir, env, program("miniflux.app"))
	if err != nil {
		return nil, err
	}
	if err := server.up(ctx, answers("http://"+at+"/healthcheck")); err != nil {
		return nil, err
	}
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	admin := "Basic " + base64.StdEncoding.EncodeToString([]byte("admin:Administrator-1"))
	for _, who := range accounts {
		if err := post(ctx, "http://"+at+"/v1/users", admin, map[string]any{"username": who.user, "password": who.password}, nil); err != nil {
			return nil, err
		}
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.psql(ctx, folder, `select u.username, c.title, coalesce(f.feed_url, ''), coalesce(f.ignore_entry_updates, false), coalesce('starred ' || string_agg(e.title, ',') filter (where e.starred), '')
			from categories c join users u on u.id = c.user_id left join feeds f on f.category_id = c.id left join entries e on e.feed_id = f.id group by 1, 2, 3, 4, f.id`)
		s := state{}
		for _, r := range rows {
			add(s, r[0]+" has "+r[1], strings.Join(r[2:], "|"))
		}
		return s, err
	}
	return &site{url: "http://" + at + "/", accounts: accounts, state: read}, nil
}
