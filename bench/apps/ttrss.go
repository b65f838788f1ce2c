package main

import (
	"context"
	"crypto/sha1" //nolint:gosec // it is what the application takes
	"fmt"
	"strings"
)

// ttrss notes something about an article and makes a filter: lists and dialogs that Dojo
// draws, a dialog over a dialog, a tree of feeds, rows that a script draws.
func ttrss() *app {
	return &app{
		name: "ttrss", about: "lists and dialogs that Dojo draws, a dialog over a dialog, a tree, rows that a script draws", held: true,
		needs: append(append([]need{{"/usr/share/tt-rss/www/index.php", "apt-get install tt-rss"}}, postgresNeeds...), phpNeeds...),
		start: startTtrss,
		values: func(run int) values {
			return values{
				"feed": oneOf(run, "Gardens", "Harbours", "Kitchens"), "article": oneOf(run, "Quinces", "Plums", "Apples"), "note": fmt.Sprintf("Read it again in %d days.", 3+run),
				"caption": oneOf(run, "Fruit", "Trees", "Boats") + fmt.Sprintf(" only %d", run), "words": fmt.Sprintf("pear|fig %d", run), "field": oneOf(run, "Content", "Author"), "within": "+ " + oneOf(run, "Kitchens", "Markets", "Gardens"), "action": oneOf(run, "Set starred", "Publish article"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#login", who.user)
			p.fill("input[name=password]", who.password)
			p.click(".dijitButtonText{Log in}")
		},
		flow: func(p *person, v values) {
			p.see("#feedTree .dijitTreeLabel{Weekend}")
			p.click("#feedTree .dijitTreeExpandoClosed")
			p.click("#feedTree .dijitTreeLabel{" + v["feed"] + "}")
			article := "#headlines-frame [data-article-title='" + v["article"] + "']"
			p.click(article + " i.marked-pic")
			p.click(article + " i[title='Edit article note']")
			p.fill("#editNoteDlg textarea", v["note"])
			p.click("#editNoteDlg .dijitButtonText{Save}")
			p.see(article + " .article-note")
			p.click(".action-chooser .dijitButtonNode")
			p.click(".dijitMenuItemLabel{Preferences...}")
			p.click("#pref-tabs_tablist_filterConfigTab")
			p.click("#filterConfigTab .dijitButtonText{Create filter}")
			p.fill("#filter_new_form input[name=title]", v["caption"])
			p.click("#filterEditDlg section:nth-of-type(2) .dijitButtonText{Add}")
			p.fill("#filterDlg_regExp", v["words"])
			p.click("#filter_new_rule_form .dijitSelect .dijitButtonContents")
			p.click("#filter_type_menu .dijitMenuItemLabel{" + v["field"] + "}")
			p.click("#filter_new_rule_form select option{" + v["within"] + "}")
			p.click("#filterNewRuleDlg .dijitButtonText{Add rule}")
			p.see("#filterDlg_Matches li")
			p.click("#filterEditDlg section:nth-of-type(3) .dijitButtonText{Add}")
			p.click("#filter_new_action_form .dijitSelect .dijitButtonContents")
			p.click(".dijitSelectMenu .dijitMenuItemLabel{" + v["action"] + "}")
			p.click("#filterNewActionDlg .dijitButtonText{Add action}")
			p.see("#filterDlg_Actions li")
			p.click("#filterEditDlg .dijitButtonText{Create}")
			p.see("#filterTree .filterRules")
		},
		want: func(s state, who account, v values) {
			s[who.user+" article "+v["feed"]+": "+v["article"]] = "starred|" + v["note"]
			s[who.user+" filter "+v["caption"]] = strings.Join([]string{v["words"], v["field"], v["within"], v["action"]}, "|")
		},
	}
}

func startTtrss(ctx context.Context, h *host) (*site, error) {
	folder, err := h.postgres(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "psql", "-h", folder, "-U", "postgres", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "/usr/share/tt-rss/schema/ttrss_schema_pgsql.sql"); err != nil {
		return nil, err
	}
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	text := ""
	feeds, articles := []string{"Gardens", "Harbours", "Kitchens", "Markets"}, []string{"Apples", "Pears", "Plums", "Quinces"}
	for i, feed := range feeds {
		for j, title := range articles {
			text += fmt.Sprintf(`insert into ttrss_entries (id, title, guid, link, updated, content, content_hash, date_entered, date_updated, author) values (%[1]d, '%[2]s', '%[1]d', 'http://127.0.0.1/%[1]d', now(), '<p>%[2]s, as seen by %[3]s.</p>', '%[1]d', now() - interval '%[1]d minutes', now(), 'Someone'); `, 10*i+j+1, title, feed)
		}
	}
	for n, who := range accounts {
		user := 10 + n
		text += fmt.Sprintf(`insert into ttrss_users (id, login, pwd_hash, access_level) values (%d, '%s', 'SHA1:%x', 0); `, user, who.user, sha1.Sum([]byte(who.password)))
		text += fmt.Sprintf(`insert into ttrss_feed_categories (id, owner_uid, title) values (%d, %d, 'Weekend'); `, user, user)
		for i, feed := range feeds {
			text += fmt.Sprintf(`insert into ttrss_feeds (id, owner_uid, title, cat_id, feed_url) values (%d, %d, '%s', %d, 'http://127.0.0.1/%d.xml'); `, 10*user+i, user, feed, user, i)
			for j := range articles {
				text += fmt.Sprintf(`insert into ttrss_user_entries (ref_id, uuid, feed_id, owner_uid, tag_cache, label_cache) values (%d, '', %d, %d, '', ''); `, 10*i+j+1, 10*user+i, user)
			}
		}
	}
	if _, err := h.psql(ctx, folder, text); err != nil {
		return nil, err
	}
	if err := h.copyTree(ctx, "/usr/share/tt-rss/www", "www"); err != nil {
		return nil, err
	}
	for _, dir := range []string{"cache/images", "cache/upload", "cache/export", "cache/feeds", "cache/starred-images", "cache/simplepie", "lock", "www/feed-icons"} {
		if _, err := h.run(ctx, nil, "mkdir", "-p", h.path(dir)); err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	// Its own settings, with another database and other directories.
	settings := fmt.Sprintf("s#^.*include_once.*database.php.*#define('CACHE_DIR', '%[1]s/cache'); define('LOCK_DIRECTORY', '%[1]s/lock'); "+
		"$dbtype = 'pgsql'; $dbserver = '%[2]s'; $dbport = ''; $dbuser = 'postgres'; $dbname = 'postgres'; $dbpass = '';#; "+
		"s#%%SELF_URL_PATH#http://127.0.0.1:%[3]d/#; /define('\\(LOCK_DIRECTORY\\|CACHE_DIR\\)', '.var/d; s#'syslog'#''#; s#CHECK_FOR_UPDATES', true#CHECK_FOR_UPDATES', false#", h.dir, folder, port)
	if _, err := h.run(ctx, nil, "sh", "-c", `rm www/config.php && sed "$1" /etc/tt-rss/config.php >www/config.php`, "sh", settings); err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www", "/index.php", port, "disable_functions=posix_getuid") // by which it refuses to run as root
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		s := state{}
		rows, err := h.psql(ctx, folder, `select u.login, f.title, e.title, case when marked then 'starred' else '' end, coalesce(note, '') from ttrss_user_entries n
			join ttrss_entries e on e.id = ref_id join ttrss_feeds f on f.id = feed_id join ttrss_users u on u.id = n.owner_uid`)
		for _, r := range rows {
			add(s, r[0]+" article "+r[1]+": "+r[2], strings.Join(r[3:], "|"))
		}
		if err != nil {
			return nil, err
		}
		rows, err = h.psql(ctx, folder, `select u.login, f.title, coalesce(string_agg(distinct r.reg_exp, ','), ''), coalesce(string_agg(distinct t.description, ','), ''), coalesce((select '+ ' || string_agg(n.title, ',') from ttrss_feeds n where min(r.match_on) like '%"' || n.id || '"%'), ''), coalesce(string_agg(distinct d.description || a.action_param, ','), '')
			from ttrss_filters2 f join ttrss_users u on u.id = owner_uid left join ttrss_filters2_rules r on r.filter_id = f.id left join ttrss_filter_types t on t.id = filter_type
			left join ttrss_filters2_actions a on a.filter_id = f.id left join ttrss_filter_actions d on d.id = action_id group by f.id, u.login`)
		for _, r := range rows {
			add(s, r[0]+" filter "+r[1], strings.Join(r[2:], "|"))
		}
		return s, err
	}
	return &site{url: url + "/", accounts: accounts, state: read}, nil
}
