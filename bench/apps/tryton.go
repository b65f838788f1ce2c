package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// tryton removes a party and makes another one: a tree as a menu, a list whose rows are
// marked, a menu of what to do and a question, a form that jQuery draws in a tab, lists of
// the browser whose options come from the server, a row of a table that is filled where it
// stands, a category that is suggested as one types.
func tryton() *app {
	return &app{
		name: "tryton", about: "a tree as a menu, a list whose rows are marked, a menu and a question, forms that jQuery draws in tabs, a row that is filled where it stands, suggestions as one types", held: true,
		needs: append([]need{
			{"/usr/bin/tryton-server", "apt-get install tryton-server tryton-sao tryton-modules-party"},
			{"/usr/share/tryton-sao/www/dist/tryton-sao.min.js", "apt-get install tryton-sao"},
			{"/usr/lib/python3/dist-packages/trytond/modules/party/__init__.py", "apt-get install tryton-modules-party"},
		}, phpNeeds...), // the latter to read its database
		start: startTryton,
		named: map[string]string{"name": "name", "street": "street", "city": "city", "postal_code": "code", "ask_dialog_entry": "password"},
		values: func(run int) values {
			return values{
				"old": oneOf(run, "Lake Forge", "North Barn", "South Barn", "Old Mill", "Green Yard", "West Wharf"), "name": oneOf(run, "Quay", "Bridge", "Meadow", "Harbour") + fmt.Sprintf(" Works %d", 4+run),
				"street": fmt.Sprintf("%d Ferry Lane", 17+run), "code": fmt.Sprint(4710 + run), "city": oneOf(run, "Aalborg", "Graz", "Ghent", "Porto"), "country": oneOf(run, "Denmark", "Austria", "Belgium", "Portugal"),
				"language": oneOf(run, "German", "French", "Dutch", "Polish"), "kind": oneOf(run, "Skype", "Jabber", "SIP", "IRC"), "contact": fmt.Sprintf("desk-%d", 60+run), "typed": oneOf(run, "Mill", "Bak", "Carr", "Grow"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill(".modal-dialog input[placeholder='User name']", who.user)
			p.click(".modal-dialog button[type=submit]")
			p.fill("#ask-dialog-entry", who.password)
			p.click(".modal-dialog:has(#ask-dialog-entry) button.btn-primary")
			p.see("#menu .column-char{Party}")
		},
		flow: func(p *person, v values) {
			p.click("#menu tbody tr:first-child .expander")
			p.doubleClick("#menu .column-char{Parties}")
			p.click("#tabcontent .column-char{" + v["old"] + "}")
			p.click("#tabcontent .navbar-brand")
			p.click("#tabcontent a#delete_")
			p.click(".confirmation-dialog .btn-primary")
			p.click("#tabcontent button#new_")
			p.see("#tabcontent .form-one2many .badge{1 / 1}") // the form is empty until then
			p.see("#tabcontent select[name=country]:has(option[value='1'])")
			p.fill("#tabcontent .form-char input[name=name]", v["name"])
			p.fill("#tabcontent textarea[name=street]", v["street"])
			p.fill("#tabcontent input[name=postal_code]", v["code"])
			p.fill("#tabcontent input[name=city]", v["city"])
			p.choose("#tabcontent select[name=country]", v["country"])
			p.choose("#tabcontent select[name=lang]", v["language"])
			p.click("#tabcontent td.form-one2many[colspan='2'] button[title=New]")
			p.choose("#tabcontent td[data-title^=Type] select", v["kind"])
			p.fill("#tabcontent td[data-title^=Value] input", v["contact"])
			p.fill("#tabcontent input[name=categories]", v["typed"])
			p.click("#tabcontent .form-many2many li.completion{" + partyKinds[v["typed"]] + "}")
			p.see("#tabcontent .form-many2many .column-char{" + partyKinds[v["typed"]] + "}")
			p.click("#tabcontent button#save")
			p.at("model/party.party/")
		},
		want: func(s state, who account, v values) {
			delete(s, "party "+v["old"])
			s["party "+v["name"]] = strings.Join([]string{who.user, v["language"], v["street"] + ", " + v["code"] + ", " + v["city"] + ", " + v["country"], strings.ToLower(v["kind"]) + " " + v["contact"], partyKinds[v["typed"]], "1"}, "|")
		},
	}
}

// partyKinds are the categories that are suggested for what is typed.
var partyKinds = map[string]string{"Mill": "Millers", "Bak": "Bakers", "Carr": "Carriers", "Grow": "Growers"}

const trytonFill = `import json, sys
from trytond.config import config
config.update_etc("trytond.conf")
from trytond.pool import Pool
from trytond.transaction import Transaction
Pool.start()
pool = Pool("farm")
pool.init()
with Transaction().start("farm", 1):
    groups = pool.get("res.group").search([])
    pool.get("res.user").create([{"name": name.title(), "login": name, "password": password, "groups": [("add", [g.id for g in groups])]} for name, password in json.loads(sys.argv[1])])
    pool.get("country.country").create([{"name": name, "code": code} for name, code in (("Denmark", "DK"), ("Austria", "AT"), ("Belgium", "BE"), ("Portugal", "PT"), ("Norway", "NO"))])
    pool.get("party.category").create([{"name": name} for name in ("Growers", "Millers", "Bakers", "Carriers", "Vets")])
    pool.get("party.party").create([{"name": name} for name in ("Old Mill", "Hill Dairy", "Lake Forge", "North Barn", "South Barn", "Green Yard", "West Wharf")])
    items = pool.get("ir.module.config_wizard.item")
    items.write(items.search([]), {"state": "done"})
`

func startTryton(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	settings := fmt.Sprintf("[database]\nuri = sqlite://\npath = %s\n[web]\nlisten = 127.0.0.1:%d\nroot = /usr/share/tryton-sao/www\n", h.dir, port)
	for name, text := range map[string]string{"trytond.conf": settings, "farm.sqlite": "", "password": "Master-key-1\n", "fill.py": trytonFill} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	if _, err := h.run(ctx, []string{"TRYTONPASSFILE=" + h.path("password")}, "tryton-server-admin", "-c", "trytond.conf", "-d", "farm", "-u", "party", "--activate-dependencies", "--email", "admin@example.com"); err != nil {
		return nil, err
	}
	who, err := json.Marshal([][2]string{{accounts[0].user, accounts[0].password}, {accounts[1].user, accounts[1].password}})
	if err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "/usr/bin/python3", "fill.py", string(who)); err != nil { // Debian's, which knows its packages
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "tryton-server", "-c", "trytond.conf", "-d", "farm")
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.sqlite(ctx, h.path("farm.sqlite"), `select p.name, u.login, coalesce((select l.name from party_party_lang x join ir_lang l on l.id = x.lang where x.party = p.id), ''),
			coalesce((select group_concat(coalesce(street, '') || ', ' || coalesce(postal_code, '') || ', ' || coalesce(city, '') || ', ' || coalesce(c.name, ''), '; ') from party_address a left join country_country c on c.id = a.country where a.party = p.id), ''),
			coalesce((select group_concat(m.type || ' ' || coalesce(m.value, ''), '; ') from party_contact_mechanism m where m.party = p.id), ''),
			coalesce((select group_concat(c.name) from party_category_rel r join party_category c on c.id = r.category where r.party = p.id), ''), p.active
			from party_party p left join res_user u on u.id = p.create_uid`)
		s := state{}
		for _, r := range rows {
			add(s, "party "+r[0], strings.Join(r[1:], "|"))
		}
		return s, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	return &site{url: url, accounts: accounts, state: read}, server.up(ctx, answers(url))
}
