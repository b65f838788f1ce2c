package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

// icingaweb keeps those who may watch a network with Icinga Web 2: a menu that the mouse opens,
// two columns next to each other that a script fills, rows that open the second one, switches,
// forms that are sent as one changes a part of them, ids that are others at each visit.
func icingaweb() *app {
	return &app{
		name: "icingaweb", about: "a menu that the mouse opens, two columns that a script fills, rows that open the second one, switches, forms that are sent as one changes a part of them, ids that are others at each visit", held: true,
		needs: append(append([]need{{"/usr/share/icingaweb2/public/index.php", "apt-get install icingaweb2"}}, phpNeeds...), mariadbNeeds...),
		start: startIcingaweb,
		named: map[string]string{"password_2": "secret", "username_2": "user2", "name": "role", "role_name": "role"},
		values: func(run int) values {
			return values{
				"user2": oneOf(run, "iris", "tom", "nora", "hugo") + fmt.Sprint(run), "secret": fmt.Sprintf("Walnut-%d-tree", 55+run), "old": icingawebOld[(1+run)%len(icingawebOld)], "group": oneOf(run, "night", "day", "spare", "late") + fmt.Sprintf("-%d", 5+run),
				"role": oneOf(run, "watchers", "callers", "drivers", "cooks") + fmt.Sprintf(" %d", 10+run), "parent": oneOf(run, "readers", "guests", "writers"), "members": fmt.Sprintf("alma,extra%d", 40+run), "perm": oneOf(run, "applicationlog", "applicationsessions"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[name=username]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("input[name=btn_submit][value=Login]")
			p.see(".config-nav-item button")
		},
		flow: func(p *person, v values) {
			p.hover(".config-nav-item button")
			p.click(".config-menu .flyout a{Access Control}")
			p.click("#col1 .tabs a{Users}")
			p.click("#col1 a[href^='/user/add']")
			p.fill("#main input[name=user_name]", v["user2"])
			p.fill("#main input[name=password]", v["secret"])
			p.click("#main input[type=submit][value=Add]")
			p.see("#col1 td a{" + v["user2"] + "}")
			p.click("#col1 td a{" + v["old"] + "}")
			p.click("a[title='Edit user " + v["old"] + "']")
			p.click("label[for*='UserForm_is_active-'].toggle-switch")
			p.click("input[type=submit][value=Save]")
			p.see("#col1 tr.inactive, #col2 .content")
			p.click("#col1 .tabs a{User Groups}")
			p.click("#col1 a[href^='/group/add']")
			p.fill("#main input[name=group_name]", v["group"])
			p.click("#main input[type=submit][value=Add]")
			p.see("#col1 td a{" + v["group"] + "}")
			p.click("#col1 .tabs a{Roles}")
			p.click("#col1 a[href='/role/add']")
			p.fill("#main input[name=name]", v["role"])
			p.choose("#main select[name=parent]", v["parent"])
			p.fill("#main textarea[name=users]", v["members"])
			p.click("#fieldset-application_elements summary")
			p.click("#fieldset-application_elements label[for*='RoleForm_" + v["perm"] + "-'].toggle-switch")
			p.click("#main input[type=submit][value='Create Role']")
			p.see("#col1 td a{" + v["role"] + "}")
		},
		want: func(s state, _ account, v values) {
			s["user "+v["user2"]] = "1|" + v["secret"]
			s["user "+v["old"]] = "0|"
			s["group "+v["group"]] = "there"
			perm := map[string]string{"applicationlog": "application/log", "applicationsessions": "application/sessions"}[v["perm"]]
			s["role "+v["role"]] = strings.Join([]string{`parent="` + v["parent"] + `"`, `permissions="` + perm + `"`, `users="` + v["members"] + `"`}, " ")
		},
	}
}

var icingawebOld = []string{"alma", "bert", "cleo", "dora", "emil"}

// icingawebKnown is a program that tells which of the passwords that are typed in a flow hashes are made of.
const icingawebKnown = `foreach (array_slice($argv, 1) as $hash) { $is = ''; for ($n = 55; $n < 62; $n++) if (password_verify("Walnut-$n-tree", $hash)) $is = "Walnut-$n-tree"; echo $is, "\n"; }`

const icingawebRouter = `<?php
if (is_file($_SERVER['DOCUMENT_ROOT'] . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH))) return false;
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php'; $_SERVER['SCRIPT_FILENAME'] = $_SERVER['DOCUMENT_ROOT'] . '/index.php';
require $_SERVER['SCRIPT_FILENAME'];
`

func startIcingaweb(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	socket, err := h.mariadb(ctx, "icinga")
	if err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "sh", "-c", `mariadb --no-defaults --socket="$1" -u root icinga </usr/share/icingaweb2/schema/mysql.schema.sql`, "sh", socket); err != nil {
		return nil, err
	}
	text := "use icinga;"
	for _, who := range accounts {
		hash, err := h.run(ctx, nil, "php", "-r", "echo password_hash($argv[1], PASSWORD_BCRYPT);", who.password)
		if err != nil {
			return nil, err
		}
		text += fmt.Sprintf("insert into icingaweb_user (name, active, password_hash) values ('%s', 1, '%s');", who.user, hash)
	}
	for _, name := range icingawebOld {
		text += fmt.Sprintf("insert into icingaweb_user (name, active, password_hash) values ('%s', 1, 'none');", name)
	}
	if _, err := h.query(ctx, socket, text); err != nil {
		return nil, err
	}
	const connect = "type = \"db\"\ndb = \"mysql\"\nhost = \"localhost\"\ndbname = \"icinga\"\nusername = \"icinga\"\npassword = \"icinga\"\ncharset = \"utf8mb4\"\n"
	for name, text := range map[string]string{
		"config.ini":    "[global]\nconfig_backend = \"db\"\nconfig_resource = \"db\"\nmodule_path = \"" + h.path("none") + "\"\n[logging]\nlog = \"file\"\nlevel = \"ERROR\"\nfile = \"" + h.path("icinga.log") + "\"\n",
		"resources.ini": "[db]\n" + connect, "authentication.ini": "[people]\nbackend = \"db\"\nresource = \"db\"\n", "groups.ini": "[groups]\nbackend = \"db\"\nresource = \"db\"\n",
		"roles.ini": "[chiefs]\nusers = \"ada,grace\"\npermissions = \"*\"\n\n[readers]\nusers = \"\"\n\n[writers]\nusers = \"\"\n\n[guests]\nusers = \"\"\n",
	} {
		if err := h.write("conf/"+name, text); err != nil {
			return nil, err
		}
	}
	if err := h.write("router.php", icingawebRouter); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	const public = "/usr/share/icingaweb2/public"
	server, err := h.serve(public, []string{"PHP_CLI_SERVER_WORKERS=6", "ICINGAWEB_CONFIGDIR=" + h.path("conf")}, "php", "-S", fmt.Sprintf("127.0.0.1:%d", port), "-t", public, "-d", "display_errors=0",
		"-d", "session.save_path="+h.dir, "-d", "pdo_mysql.default_socket="+socket, "-d", "date.timezone=UTC", h.path("router.php"))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	read := func(ctx context.Context) (state, error) {
		s := state{}
		rows, err := h.query(ctx, socket, "select name, active, password_hash from icinga.icingaweb_user")
		if err != nil {
			return nil, err
		}
		args := []string{"-r", icingawebKnown}
		for _, r := range rows {
			args = append(args, r[2])
		}
		known, err := h.run(ctx, nil, "php", args...)
		if err != nil {
			return nil, err
		}
		secrets := strings.Split(known, "\n")
		for i, r := range rows {
			add(s, "user "+r[0], r[1]+"|"+secrets[i])
		}
		rows, err = h.query(ctx, socket, "select name, 'there' from icinga.icingaweb_group")
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			add(s, "group "+r[0], r[1])
		}
		data, err := os.ReadFile(h.path("conf/roles.ini"))
		if err != nil {
			return nil, err
		}
		for part := range strings.SplitSeq("\n"+string(data), "\n[") {
			name, rest, is := strings.Cut(part, "]\n")
			if !is {
				continue
			}
			var lines []string
			for line := range strings.Lines(rest) {
				if key, value, is := strings.Cut(strings.TrimSpace(line), "="); is && strings.TrimSpace(value) != `""` && strings.TrimSpace(value) != `"0"` {
					lines = append(lines, strings.TrimSpace(key)+"="+strings.TrimSpace(value))
				}
			}
			slices.Sort(lines)
			add(s, "role "+name, strings.Join(lines, " "))
		}
		return s, nil
	}
	return &site{url: url, accounts: accounts, state: read}, server.up(ctx, answers(url+"authentication/login"))
}
