package main

import (
	"context"
	"fmt"
	"strings"
)

// phpmyadmin adds a row to a table: a tree that is loaded as it is opened, pages that a
// script brings into the one that is there, a form whose fields are named by hashes.
func phpmyadmin() *app {
	return &app{
		name: "phpmyadmin", about: "a tree that is loaded as it is opened, pages brought into the one that is there, fields named by hashes", held: true,
		needs: append(append([]need{{"/usr/share/phpmyadmin/index.php", "apt-get install phpmyadmin"}}, phpNeeds...), mariadbNeeds...),
		start: startPhpmyadmin,
		values: func(run int) values {
			return values{"title": fmt.Sprintf("Atlas %d", run), "about": fmt.Sprintf("Maps of %d\nrivers", run), "kind": oneOf(run, "geography", "poetry")}
		},
		named: map[string]string{"pma_username": "user", "pma_password": "password"},
		signIn: func(p *person, who account) {
			p.fill("#input_username", who.user)
			p.fill("#input_password", who.password)
			p.click("#input_go")
			p.see("#pma_navigation_tree")
		},
		flow: func(p *person, v values) {
			p.click("#pma_navigation_tree a[href*='db=library']:not(.expander)")
			p.click("#tablesForm a[href*='table=books'][href*='sql'], #pma_navigation_tree a[href*='table=books'].hover_show_full")
			p.see(".result_query")
			p.see("#topmenu a[href*='/table/change']")
			p.click("#topmenu a[href*='/table/change']")
			p.fill("#field_2_3", v["title"])
			p.choose("#field_3_3, select[name^='fields[multi_edit][0]']", v["kind"])
			p.fill("#field_4_3", v["about"])
			p.click("#buttonYes")
			p.see("#result_query, .result_query, .alert-success")
		},
		want: func(s state, who account, v values) {
			s["book "+v["title"]] = who.user + "|" + v["kind"] + "|" + v["about"]
		},
	}
}

func startPhpmyadmin(ctx context.Context, h *host) (*site, error) {
	socket, err := h.mariadb(ctx, "library")
	if err != nil {
		return nil, err
	}
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	text := `create table library.books (id int auto_increment primary key, title varchar(80) not null, kind enum('history','geography','poetry') not null default 'history', about text, owner varchar(40));
		create trigger library.owned before insert on library.books for each row set new.owner = substring_index(user(), '@', 1);`
	for _, who := range accounts {
		text += fmt.Sprintf("create user %s@localhost identified by '%s'; grant select, insert, update, delete on library.* to %s@localhost;", who.user, who.password, who.user)
	}
	if _, err := h.query(ctx, socket, text); err != nil {
		return nil, err
	}
	if err := h.copyTree(ctx, "/usr/share/phpmyadmin", "www"); err != nil {
		return nil, err
	}
	config := fmt.Sprintf(`<?php $cfg['blowfish_secret'] = 'abcdefghijklmnopqrstuvwxyz012345'; $i = 1;
$cfg['Servers'][1] = ['auth_type' => 'cookie', 'host' => 'localhost', 'socket' => '%s', 'AllowNoPassword' => false];
$cfg['VersionCheck'] = false; $cfg['SendErrorReports'] = 'never'; $cfg['TempDir'] = '%s';
`, socket, h.dir)
	if err := h.write("pma/config.inc.php", config); err != nil {
		return nil, err
	}
	vendor := fmt.Sprintf(`f=%s; sed -i "s#/etc/phpmyadmin/#%s/#g; s#/var/lib/phpmyadmin/#%s/#g" $f`, h.path("www/libraries/vendor_config.php"), h.path("pma"), h.path("pma"))
	if _, err := h.run(ctx, nil, "sh", "-c", vendor); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www", "/index.php", port)
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.query(ctx, socket, "select title, owner, kind, about from library.books")
		s := state{}
		for _, r := range rows {
			add(s, "book "+r[0], r[1]+"|"+r[2]+"|"+strings.ReplaceAll(r[3], "\r\n", "\n"))
		}
		return s, err
	}
	return &site{url: url + "/index.php", accounts: accounts, state: read}, nil
}
