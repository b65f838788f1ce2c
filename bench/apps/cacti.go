package main

import (
	"context"
	"fmt"
	"strings"
)

// cacti keeps the places of devices with Cacti: a menu that unfolds, pages that a script brings
// into the one that is there, lists that jQuery UI draws over those of the browser, rows that are
// marked by a press, a list of actions that asks again.
func cacti() *app {
	return &app{
		name: "cacti", about: "a menu that unfolds, pages that a script brings into the one that is there, lists that jQuery UI draws, rows that are marked by a press, a list of actions that asks again", held: true,
		needs: append(append([]need{
			{"/usr/share/cacti/site/sites.php", "apt-get install cacti"},
		}, phpNeeds...), mariadbNeeds...),
		start: startCacti,
		named: map[string]string{"name": "name", "street": "street", "street_2": "later", "postal_code": "zip"},
		values: func(run int) values {
			return values{
				"name": oneOf(run, "Quarry", "Harbour", "Depot", "Mill") + fmt.Sprintf(" no %d", 3+run), "street": fmt.Sprintf("%d Long Lane", 12+run), "city": oneOf(run, "Leiden", "Utrecht", "Zwolle", "Breda"), "zip": fmt.Sprintf("23%d AX", 11+run), "country": oneOf(run, "Netherlands", "Belgium", "Denmark"),
				"zone": oneOf(run, "Europe/Amsterdam", "Europe/Brussels", "Europe/Copenhagen", "Europe/Madrid"), "notes": fmt.Sprintf("Key %d is at the gate.\nRing twice.", 60+run), "code": fmt.Sprintf("S-%d", 900+run), "old": fmt.Sprintf("Store %d", 12+run), "later": fmt.Sprintf("%d Short Lane", 72+run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#login_username", who.user)
			p.fill("#login_password", who.password)
			p.click("input[type=submit]")
			p.see("#menu_management")
		},
		flow: func(p *person, v values) {
			p.click("#menu_management > a")
			p.click("#menu a[href*='sites.php']")
			p.click(".cactiFilterAdd a")
			p.refill("#name", v["name"])
			p.fill("#address1", v["street"])
			p.fill("#city", v["city"])
			p.fill("#postal_code", v["zip"])
			p.fill("#country", v["country"])
			p.click("#timezone_click")
			p.click(".ui-menu-item{" + v["zone"] + "}")
			p.fill("#alternate_id", v["code"])
			p.fill("#notes", v["notes"])
			p.click("input[value=Create]")
			p.see("#address1[value='" + v["street"] + "']") // it is shown again
			p.refill("#address1", v["later"])
			p.click("input[value=Save]")
			p.see("#address1[value='" + v["later"] + "']")
			p.click("input[value=Return]")
			p.fill("#filter", v["old"])
			p.press("Enter")
			p.see("tr.tableRow:last-child a{" + v["old"] + "}")
			p.click("tr.tableRow input[title='" + v["old"] + "']")
			p.click("#drp_action-button")
			p.click(".ui-selectmenu-open li{Delete}")
			p.click(".actionsDropdownButton input")
			p.click("input[value=Continue]")
			p.see("tr.tableRow em, .navBarNavigationNone")
		},
		want: func(s state, _ account, v values) {
			s["site "+v["name"]] = strings.Join([]string{v["later"], v["city"], v["zip"], v["country"], v["zone"], v["code"], v["notes"]}, "|")
			delete(s, "site "+v["old"])
		},
	}
}

func startCacti(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	socket, err := h.mariadb(ctx, "cacti")
	if err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "sh", "-c", `mariadb --no-defaults --socket="$1" -u root cacti </usr/share/doc/cacti/cacti.sql`, "sh", socket); err != nil {
		return nil, err
	}
	text := "use cacti; update version set cacti = '1.2.24';"
	for i, who := range accounts {
		hash, err := h.run(ctx, nil, "php", "-r", "echo password_hash($argv[1], PASSWORD_BCRYPT);", who.password)
		if err != nil {
			return nil, err
		}
		text += fmt.Sprintf("insert into user_auth (id, username, password, full_name, password_change) values (%[1]d, '%[2]s', '%[3]s', '%[2]s', ''); insert into user_auth_realm (realm_id, user_id) select realm_id, %[1]d from user_auth_realm where user_id = 1;", 10+i, who.user, hash)
	}
	text += "grant select on mysql.time_zone_name to cacti@localhost;"
	for i, zone := range []string{"Amsterdam", "Athens", "Berlin", "Brussels", "Copenhagen", "Dublin", "Lisbon", "Madrid", "Oslo", "Paris"} {
		text += fmt.Sprintf("insert into mysql.time_zone_name values ('Europe/%s', %d);", zone, 1+i)
	}
	for n := range 20 {
		text += fmt.Sprintf("insert into sites (name, notes) values ('Store %d', '');", 1+n)
	}
	if _, err := h.query(ctx, socket, text); err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "mkdir", "www"); err != nil {
		return nil, err
	}
	if err := h.copyTree(ctx, "/usr/share/cacti/site", "www/cacti"); err != nil {
		return nil, err
	}
	settings := "<?php $database_type = 'mysql'; $database_default = $database_username = $database_password = 'cacti'; $database_hostname = 'localhost'; $database_port = ''; $database_retries = 1;\n" +
		"$database_ssl = false; $database_ssl_key = $database_ssl_cert = $database_ssl_ca = ''; $database_persist = false; $poller_id = 1; $url_path = '/cacti/'; $cacti_session_name = 'Cacti'; $disable_log_rotation = true;\n"
	for name, text := range map[string]string{"www/cacti/include/config.php": settings, "www/cacti/log/cacti.log": "", "www/cacti/rra/empty": ""} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www", "/cacti/index.php", port, "pdo_mysql.default_socket="+socket, "mysqli.default_socket="+socket, "date.timezone=UTC", "max_execution_time=60")
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.query(ctx, socket, "select name, address1, city, postal_code, country, timezone, alternate_id, notes from cacti.sites")
		s := state{}
		for _, r := range rows {
			add(s, "site "+r[0], strings.ReplaceAll(strings.Join(r[1:], "|"), "\r\n", "\n"))
		}
		return s, err
	}
	return &site{url: url + "/cacti/index.php", accounts: accounts, state: read}, nil
}
