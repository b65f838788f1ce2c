package main

import (
	"context"
	"fmt"
	"strings"
)

// postfixadmin keeps the mailboxes of domains: menus that unfold, forms from the server
// without ids, passwords that are typed twice, a list that shows another domain as it is
// chosen, links in rows that all say the same.
func postfixadmin() *app {
	return &app{
		name: "postfixadmin", about: "menus that unfold, forms from the server without ids, a password that is typed twice, a list that sends itself as one chooses, links in rows that all say the same", held: true,
		needs: append([]need{{"/usr/share/postfixadmin/public/login.php", "apt-get install postfixadmin"}}, phpNeeds...),
		start: startPostfixadmin,
		named: map[string]string{"fUsername": "user", "fPassword": "password", "new_password": "secret", "name": "name", "username": "local"},
		values: func(run int) values {
			return values{
				"domain": oneOf(run, "vale", "moor", "fen", "dell") + fmt.Sprintf("%d.example", 3+run), "about": fmt.Sprintf("Leased until %d.", 2040+run), "aliases": fmt.Sprint(21 + run), "boxes": fmt.Sprint(31 + run),
				"local": oneOf(run, "iris", "tom", "nora", "hugo") + fmt.Sprint(".", run), "at": oneOf(run, "mill.example", "barn.example"), "secret": fmt.Sprintf("Walnut-%d-tree", 55+run), "name": oneOf(run, "Iris Vane", "Tom Bell", "Nora Lund", "Hugo Clay"), "quota": fmt.Sprint(40 + run),
				"alias": oneOf(run, "sales", "press", "repairs") + fmt.Sprint("-", run), "aliasAt": oneOf(run, "farm.example", "orchard.example"), "to": fmt.Sprintf("one%d@farm.example\ntwo%d@barn.example", run, run),
				"list": oneOf(run, "orchard.example", "farm.example", "croft.example", "mill.example", "barn.example"), "old": oneOf(run, "clerk", "porter", "cook"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#fUsername", who.user)
			p.fill("#fPassword", who.password)
			p.click("button[name=submit]")
		},
		flow: func(p *person, v values) {
			p.click("#navbar a.dropdown-toggle{Domain List}")
			p.click("#navbar li.open .dropdown-menu a{New Domain}")
			p.fill("input[name='value[domain]']", v["domain"])
			p.fill("input[name='value[description]']", v["about"])
			p.refill("input[name='value[aliases]']", v["aliases"])
			p.refill("input[name='value[mailboxes]']", v["boxes"])
			p.click("input[name='value[default_aliases]']")
			p.click("input[name=submit]")
			p.see(".alert-info li{The domain " + v["domain"] + " has been added.}")
			p.click("#navbar a.dropdown-toggle{Virtual List}")
			p.click("#navbar li.open .dropdown-menu a{Add Mailbox}")
			p.fill("input[name='value[local_part]']", v["local"])
			p.choose("#domain", v["at"])
			p.fill("input[name='value[password]']", v["secret"])
			p.fill("input[name='value[password2]']", v["secret"])
			p.fill("input[name='value[name]']", v["name"])
			p.refill("input[name='value[quota]']", v["quota"])
			p.click("input[name='value[welcome_mail]']")
			p.click("input[name=submit]")
			p.see(".alert-info")
			p.click("#navbar a.dropdown-toggle{Virtual List}")
			p.click("#navbar li.open .dropdown-menu a{Add Alias}")
			p.fill("input[name='value[localpart]']", v["alias"])
			p.choose("#domain", v["aliasAt"])
			p.fill("textarea[name='value[goto]']", v["to"])
			p.click("input[name=submit]")
			p.see(".alert-info")
			p.click("#navbar a.dropdown-toggle{Virtual List}")
			p.click("#navbar li.open .dropdown-menu a{Virtual List}")
			p.choose("select[name=domain]", v["list"])
			p.at("domain=" + v["list"])
			p.click(fmt.Sprintf("#mailbox_table a[href*='editactive'][href*='id=%s%%40%s']", v["old"], v["list"]))
			p.see(fmt.Sprintf("#mailbox_table a[href*='editactive'][href*='id=%s%%40%s']{NO}", v["old"], v["list"]))
		},
		want: func(s state, who account, v values) {
			s["domain "+v["domain"]] = strings.Join([]string{v["about"], v["aliases"], v["boxes"], "1"}, "|")
			box := v["local"] + "@" + v["at"]
			s["mailbox "+box] = strings.Join([]string{v["secret"], v["name"], v["quota"], "1"}, "|")
			s["alias "+box] = box + "|1"
			s["alias "+v["alias"]+"@"+v["aliasAt"]] = strings.ReplaceAll(v["to"], "\n", ",") + "|1"
			old := v["old"] + "@" + v["list"]
			s["mailbox "+old], s["alias "+old] = "Old-box-1|"+v["old"]+"|0|0", old+"|0" // what it gets goes with it
			for _, done := range []string{"create_domain " + v["domain"], "create_alias " + box, "create_mailbox " + box, "create_alias " + v["alias"] + "@" + v["aliasAt"], "edit_alias " + old, "edit_mailbox " + old} {
				add(s, "done by "+who.user, done)
			}
		},
	}
}

// postfixadminDomains are there before, each with the same mailboxes.
var (
	postfixadminDomains = []string{"barn.example", "croft.example", "farm.example", "mill.example", "orchard.example"}
	postfixadminOld     = []string{"baker", "clerk", "cook", "porter"}
)

func startPostfixadmin(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada@farm.example", "Analytical-7"}, {"grace@farm.example", "Compiler-19"}}
	if err := h.copyTree(ctx, "/usr/share/postfixadmin", "www"); err != nil {
		return nil, err
	}
	settings := fmt.Sprintf("<?php $CONF = array_merge($CONF, ['database_type' => 'sqlite', 'database_name' => '%s', 'encrypt' => 'cleartext', 'emailcheck_resolve_domain' => 'NO', 'quota' => 'YES', 'fetchmail' => 'NO']);\n", h.path("mail.db"))
	// The file of Debian's own questions may be read by its web server alone.
	for name, text := range map[string]string{"www/config.local.php": settings, "www/dbconfig.inc.php": "<?php $dbtype = $dbserver = $dbuser = $dbpass = $dbname = $dbport = $basepath = '';\n", "mail.db": "", "www/templates_c/empty": ""} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	if _, err := h.run(ctx, nil, "sh", "-c", "cd www/public && php upgrade.php"); err != nil {
		return nil, err
	}
	var text []string
	for _, who := range accounts {
		text = append(text, fmt.Sprintf("insert into admin (username, password, superadmin) values ('%s', '%s', 1)", who.user, who.password), fmt.Sprintf("insert into domain_admins (username, domain) values ('%s', 'ALL')", who.user))
	}
	for _, domain := range postfixadminDomains {
		text = append(text, fmt.Sprintf("insert into domain (domain, description, transport, maxquota) values ('%s', '', 'virtual', 100)", domain))
		for _, name := range postfixadminOld {
			text = append(text, fmt.Sprintf("insert into mailbox (username, password, name, maildir, local_part, domain) values ('%[1]s@%[2]s', 'Old-box-1', '%[1]s', '%[2]s/%[1]s/', '%[1]s', '%[2]s')", name, domain),
				fmt.Sprintf("insert into alias (address, goto, domain) values ('%[1]s@%[2]s', '%[1]s@%[2]s', '%[2]s')", name, domain))
		}
	}
	for _, one := range text {
		if _, err := h.sqlite(ctx, h.path("mail.db"), one); err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www/public", "/login.php", port, "date.timezone=UTC")
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		s := state{}
		for kind, query := range map[string]string{
			"domain":  "select domain, description, aliases, mailboxes, active from domain where domain <> 'ALL'",
			"mailbox": "select username, password, name, quota / 1024000, active from mailbox", // what is called an MB there
			"alias":   "select address, goto, active from alias",
			"done by": "select substr(username, 1, instr(username || ' ', ' ') - 1), action || ' ' || data from log order by id",
		} {
			rows, err := h.sqlite(ctx, h.path("mail.db"), query)
			if err != nil {
				return nil, err
			}
			for _, r := range rows {
				add(s, kind+" "+r[0], strings.Join(r[1:], "|"))
			}
		}
		return s, nil
	}
	return &site{url: url + "/login.php", accounts: accounts, state: read}, nil
}
