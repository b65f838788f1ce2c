package main

import (
	"context"
	"fmt"
	"strings"
)

// mediawiki changes settings and writes a page: lists and boxes that a toolkit draws over
// the browser's own once its scripts have run, tabs that hide most of a long form.
func mediawiki() *app {
	return &app{
		name: "mediawiki", about: "widgets that a toolkit puts over the browser's own when its scripts have run, a long form in tabs", held: true,
		needs: append([]need{{"/usr/share/mediawiki/index.php", "apt-get install mediawiki"}}, phpNeeds...),
		start: startMediawiki,
		values: func(run int) values {
			return values{"page": fmt.Sprintf("Fern %d", run), "text": fmt.Sprintf("Grows in '''shade''' %d.\n\nWater it.", run), "note": fmt.Sprintf("about fern %d", run)}
		},
		named:  map[string]string{"wpName": "user"},
		public: true,
		signIn: func(p *person, who account) {
			p.click("#pt-login a, #pt-login-2 a")
			p.fill("#wpName1", who.user)
			p.fill("#wpPassword1", who.password)
			p.click("#wpLoginAttempt")
			p.see("#pt-logout a")
		},
		flow: func(p *person, v values) {
			p.fill("#searchInput", v["page"])
			p.press("Enter")
			p.click(".mw-search-createlink a, a.new")
			p.fill("#wpTextbox1", v["text"])
			p.fill("#wpSummary", v["note"])
			p.click("#wpWatchthisWidget input, #wpWatchthis")
			p.click("#wpSave")
			p.see("#mw-content-text .mw-parser-output b")
		},
		want: func(s state, who account, v values) {
			s["page "+v["page"]] = who.user + ": " + v["text"] + " (" + v["note"] + ") watched by "
		},
	}
}

func startMediawiki(ctx context.Context, h *host) (*site, error) {
	if err := h.copyTree(ctx, "/usr/share/mediawiki", "www"); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	accounts := [2]account{{"Ada", "Analytical-7"}, {"Grace", "Compiler-19"}}
	if _, err := h.run(ctx, nil, "rm", "-f", h.path("www/LocalSettings.php")); err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "php", h.path("www/maintenance/install.php"), "--dbtype=sqlite", "--dbpath="+h.path("db"), "--dbname=wiki",
		fmt.Sprintf("--server=http://127.0.0.1:%d", port), "--scriptpath=", "--pass=Administrator-1", "Notes", "Admin"); err != nil {
		return nil, err
	}
	for _, who := range accounts {
		if _, err := h.run(ctx, nil, "php", h.path("www/maintenance/createAndPromote.php"), who.user, who.password); err != nil {
			return nil, err
		}
	}
	url, err := h.php(ctx, "www", "/index.php", port)
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) { return mediawikiState(ctx, h, h.path("db/wiki.sqlite")) }
	return &site{url: url + "/index.php?title=Main_Page", accounts: accounts, state: read}, nil
}

func mediawikiState(ctx context.Context, h *host, file string) (state, error) {
	rows, err := h.sqlite(ctx, file, `select page_title, actor_name, old_text, comment_text,
		(select group_concat(user_name) from watchlist join user on user_id = wl_user where wl_title = page_title and wl_namespace = 0)
		from page join revision on rev_page = page_id join slots on slot_revision_id = rev_id join content on content_id = slot_content_id
		join text on 'tt:' || old_id = content_address join actor on actor_id = rev_actor join revision_comment_temp on revcomment_rev = rev_id
		join comment on comment_id = revcomment_comment_id
		where page_namespace = 0 order by rev_id`)
	if err != nil {
		return nil, err
	}
	s := state{}
	for _, r := range rows {
		add(s, "page "+strings.ReplaceAll(r[0], "_", " "), r[1]+": "+r[2]+" ("+r[3]+") watched by "+r[4])
	}
	return s, nil
}
