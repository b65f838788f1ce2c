package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// zabbix plans a maintenance: lists that are elements of the page's own, a list of
// suggestions that becomes labels, a dialog over a form, a menu that unfolds.
func zabbix() *app {
	return &app{
		name: "zabbix", about: "lists that are elements of the page's own, suggestions that become labels, a dialog over a form, a menu that unfolds", held: true,
		needs: append(append([]need{
			{"/usr/share/zabbix/index.php", "apt-get install zabbix-frontend-php"},
			{"/usr/share/zabbix-server-mysql/schema.sql.gz", "apt-get install zabbix-server-mysql"}, // for its tables
		}, phpNeeds...), mariadbNeeds...),
		start: startZabbix,
		values: func(run int) values {
			return values{
				"name": oneOf(run, "Roof", "Cellar", "Yard") + fmt.Sprintf(" works %d", run), "about": fmt.Sprintf("Power is off for %d hours.", 2+run),
				"group": oneOf(run, "Linux servers", "Virtual machines"), "period": oneOf(run, "Daily", "One time only"), "till": fmt.Sprintf("2031-06-%02d 08:30", 15+run),
			}
		},
		named: map[string]string{"name": "name"},
		signIn: func(p *person, who account) {
			p.fill("#name", who.user)
			p.fill("#password", who.password)
			p.click("#enter")
		},
		flow: func(p *person, v values) {
			p.click("#config > a")
			p.click("#config a[href='maintenance.php']")
			p.click(".header-controls button, .header-controls a")
			p.fill("#mname", v["name"])
			p.click("label[for=maintenance_type_1]")
			p.refill("#active_till", v["till"])
			p.click("#maintenance_periods button[data-action=add]")
			p.click("#timeperiod_type, [name=timeperiod_type]")
			p.click("z-select[name=timeperiod_type] li{" + v["period"] + "}")
			p.click(".overlay-dialogue-footer button:not(.btn-alt)")
			p.fill("#groupids_ input[type=text], #groupids__ms", v["group"])
			p.click(".multiselect-suggest li")
			p.click("#add")
			p.click("table.list-table td a{" + v["name"] + "}")
			p.fill("#description", v["about"])
			p.click("#update")
			p.see("output.msg-good, .msg-good")
		},
		want: func(s state, _ account, v values) {
			s["maintenance "+v["name"]] = strings.Join([]string{"1", v["till"], map[string]string{"Daily": "2", "One time only": "0"}[v["period"]], v["group"], v["about"]}, "|")
		},
	}
}

func startZabbix(ctx context.Context, h *host) (*site, error) {
	socket, err := h.mariadb(ctx, "zabbix")
	if err != nil {
		return nil, err
	}
	// Without the templates, which are most of it.
	load := `zcat /usr/share/zabbix-server-mysql/schema.sql.gz | mariadb --no-defaults --socket="$1" -u root zabbix &&
		zcat /usr/share/zabbix-server-mysql/data.sql.gz | grep -E '^INSERT INTO .(role|role_rule|usrgrp|users|users_groups|hstgrp|config|regexps|graph_theme). ' |
		(echo 'set foreign_key_checks = 0;'; cat) | mariadb --no-defaults --socket="$1" -u root zabbix`
	if _, err := h.run(ctx, nil, "sh", "-c", load, "sh", socket); err != nil {
		return nil, err
	}
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	text := "use zabbix; update config set server_check_interval = 0;" // there is no server
	for i, who := range accounts {
		hash, err := h.run(ctx, nil, "php", "-r", "echo password_hash($argv[1], PASSWORD_BCRYPT);", who.password)
		if err != nil {
			return nil, err
		}
		text += fmt.Sprintf("insert into users (userid, username, passwd, roleid, lang, refresh) values (%[1]d, '%[2]s', '%[3]s', 3, 'en_GB', '0'); insert into users_groups (id, usrgrpid, userid) values (%[1]d, 7, %[1]d);", 100+i, who.user, hash)
	}
	for i, name := range []string{"Attic", "Hall", "Stairs"} {
		text += fmt.Sprintf("insert into maintenances (maintenanceid, name, description, active_since, active_till) values (%d, '%s', '', 1900000000, 1950000000);", 1+i, name)
	}
	text += "insert into ids (table_name, field_name, nextid) values ('maintenances', 'maintenanceid', 10);"
	if _, err := h.query(ctx, socket, text); err != nil {
		return nil, err
	}
	if err := h.copyTree(ctx, "/usr/share/zabbix", "www"); err != nil {
		return nil, err
	}
	config := "<?php $DB = ['TYPE' => 'MYSQL', 'SERVER' => 'localhost', 'PORT' => '0', 'DATABASE' => 'zabbix', 'USER' => 'zabbix', 'PASSWORD' => 'zabbix', 'SCHEMA' => '', 'ENCRYPTION' => false,\n" +
		"'KEY_FILE' => '', 'CERT_FILE' => '', 'CA_FILE' => '', 'VERIFY_HOST' => false, 'CIPHER_LIST' => '', 'VAULT_URL' => '', 'VAULT_DB_PATH' => '', 'VAULT_TOKEN' => '', 'DOUBLE_IEEE754' => true];\n" +
		"$ZBX_SERVER_NAME = 'Works'; $IMAGE_FORMAT_DEFAULT = IMAGE_FORMAT_PNG;\n"
	if err := h.write("zabbix.conf.php", config); err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "sed", "-i", "s#/etc/zabbix/#"+h.dir+"/#", h.path("www/include/classes/core/CConfigFile.php")); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www", "/index.php", port, "mysqli.default_socket="+socket, "date.timezone=UTC", "max_execution_time=300", "post_max_size=16M", "max_input_time=300")
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.query(ctx, socket, `select m.name, maintenance_type, active_till, coalesce(group_concat(distinct timeperiod_type), ''), coalesce(group_concat(distinct g.name), ''), description from zabbix.maintenances m
			left join zabbix.maintenances_windows w using (maintenanceid) left join zabbix.timeperiods t using (timeperiodid)
			left join zabbix.maintenances_groups mg on mg.maintenanceid = m.maintenanceid left join zabbix.hstgrp g on g.groupid = mg.groupid group by m.maintenanceid`)
		s := state{}
		for _, r := range rows {
			till, _ := strconv.ParseInt(r[2], 10, 64) // a column of numbers
			r[2] = time.Unix(till, 0).UTC().Format("2006-01-02 15:04")
			add(s, "maintenance "+r[0], strings.Join(r[1:], "|"))
		}
		return s, err
	}
	return &site{url: url + "/index.php", accounts: accounts, state: read}, nil
}
