package main

import (
	"context"
	"fmt"
	"strings"
)

// wordpress writes a post in the editor of blocks: contenteditable paragraphs that come and
// go, a drawer of settings, a publish button that asks once more, drafts saved meanwhile.
func wordpress() *app {
	return &app{
		name: "wordpress", about: "an editor of blocks, a drawer, a button that asks once more, drafts saved while typing",
		needs: append(append([]need{{"/usr/share/wordpress/wp-load.php", "apt-get install wordpress"}}, phpNeeds...), mariadbNeeds...),
		start: startWordpress,
		values: func(run int) values {
			return values{"title": fmt.Sprintf("Fence %d painted", run), "first": fmt.Sprintf("It took %d days.", run), "second": fmt.Sprintf("And %d tins.", run)}
		},
		named: map[string]string{"log": "user", "pwd": "password"},
		signIn: func(p *person, who account) {
			p.fill("#user_login", who.user)
			p.fill("#user_pass", who.password)
			p.click("#wp-submit")
			p.see("#menu-posts a.menu-top")
		},
		flow: func(p *person, v values) {
			p.click("#menu-posts a.menu-top")
			p.click("a.page-title-action")
			p.fill(".editor-post-title__input", v["title"])
			p.press("Enter")
			p.typing(v["first"])
			p.press("Enter")
			p.typing(v["second"])
			p.click(".editor-post-publish-panel__toggle, .editor-post-publish-button__button")
			p.click(".editor-post-publish-panel .editor-post-publish-button")
			p.see(".post-publish-panel__postpublish")
		},
		want: func(s state, who account, v values) {
			s["post "+v["title"]] = "publish by " + who.user + ": " + v["first"] + " / " + v["second"]
		},
	}
}

func startWordpress(ctx context.Context, h *host) (*site, error) {
	socket, err := h.mariadb(ctx, "wordpress")
	if err != nil {
		return nil, err
	}
	if err := h.copyTree(ctx, "/usr/share/wordpress", "www"); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	config := fmt.Sprintf(`<?php
define('DB_NAME', 'wordpress'); define('DB_USER', 'wordpress'); define('DB_PASSWORD', 'wordpress'); define('DB_HOST', 'localhost:%s');
define('WP_SITEURL', 'http://127.0.0.1:%d'); define('WP_HOME', 'http://127.0.0.1:%d');
define('WP_HTTP_BLOCK_EXTERNAL', true); define('DISABLE_WP_CRON', true); define('AUTOMATIC_UPDATER_DISABLED', true);
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`, socket, port, port)
	setup := `<?php
define('WP_INSTALLING', true);
require 'wp-load.php'; require 'wp-admin/includes/upgrade.php';
wp_install('Notes', 'admin', 'admin@example.com', false, '', 'Administrator-1');
`
	for _, who := range accounts {
		setup += fmt.Sprintf("$id = wp_create_user('%s', '%s', '%s@example.com'); (new WP_User($id))->set_role('author');\n", who.user, who.password, who.user)
		// The tour of the editor is closed, as it is for everyone who has been there before.
		setup += "update_user_meta($id, 'wp_persisted_preferences', ['core/edit-post' => ['welcomeGuide' => false], '_modified' => '2024-01-01T00:00:00.000Z']);\n"
	}
	if err := h.write("www/wp-config.php", config); err != nil {
		return nil, err
	}
	if err := h.write("www/setup.php", setup); err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "php", "-d", "memory_limit=512M", h.path("www/setup.php")); err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www", "/wp-login.php", port)
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) { return wordpressState(ctx, h, socket) }
	return &site{url: url + "/wp-login.php", accounts: accounts, state: read}, nil
}

// wordpressState reads the posts of users, without revisions.
func wordpressState(ctx context.Context, h *host, socket string) (state, error) {
	rows, err := h.query(ctx, socket, `select post_title, post_status, user_login, post_content from wordpress.wp_posts p join wordpress.wp_users u on u.ID = p.post_author
		where post_type = 'post' and post_status in ('publish', 'draft', 'pending')`)
	if err != nil {
		return nil, err
	}
	s := state{}
	for _, r := range rows {
		var text []string
		for _, block := range strings.Split(r[3], "<!-- /wp:paragraph -->") {
			_, inner, _ := strings.Cut(block, "<p>")
			if inner, _, is := strings.Cut(inner, "</p>"); is {
				text = append(text, inner)
			}
		}
		add(s, "post "+r[0], r[1]+" by "+r[2]+": "+strings.Join(text, " / "))
	}
	return s, nil
}
