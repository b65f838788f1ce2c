package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// phpldapadmin keeps a directory with phpLDAPadmin: a tree that unfolds by requests, pages that replace a part of
// themselves or all, a list that adds a field, a question before each change.
func phpldapadmin() *app {
	return &app{
		name: "phpldapadmin", about: "a tree that unfolds by requests, pages that replace a part of themselves or all, templates chosen by radios, a list that adds a field, a question before each change", held: true,
		needs: slices.Concat(phpNeeds, []need{
			{"/usr/share/phpldapadmin/htdocs/cmd.php", "apt-get install phpldapadmin php-ldap"},
			{"/usr/sbin/slapd", "apt-get install slapd"}, {"/usr/bin/ldapsearch", "apt-get install ldap-utils"},
		}),
		start: startPhpLDAPadmin,
		named: map[string]string{"first_name": "given", "street": "street", "postal_code": "zip", "phone": "phone"},
		values: func(run int) values {
			return values{
				"given": oneOf(run, "Nora", "Hugo", "Mina", "Karl"), "family": oneOf(run, "Lindt", "Sato", "Weber", "Ruiz") + fmt.Sprint(run), "firm": oneOf(run, "Hill", "Lake", "Moor") + fmt.Sprintf(" Mill %d", 3+run), "street": fmt.Sprintf("Lane %d", 40+run), "town": oneOf(run, "Ahlen", "Borken", "Coburg", "Dahme"), "zip": fmt.Sprint(48100 + run), "phone": fmt.Sprintf("555 01%d", 20+run), "mail": fmt.Sprintf("order%d@farm.example", 40+run),
				"field": oneOf(run, "title", "employeeType", "roomNumber"), "text": fmt.Sprintf("Row %d", 12+run), "old": "uid=" + phpldapadminOld[run%len(phpldapadminOld)], "now": oneOf(run, "Okafor", "Holm", "Braun") + fmt.Sprint(7+run), "gone": "uid=" + phpldapadminOld[(3+run)%len(phpldapadminOld)], "team": oneOf(run, "carters", "tanners", "coopers", "glovers"),
			}
		},
		signIn: func(p *person, who account) {
			p.click("a{login}")
			p.fill("input[name=login]", who.user)
			p.fill("input[name=login_pass]", who.password)
			p.click("input[type=submit]")
			p.see("#ajSID_1_nodes img[alt='+-']")
		},
		flow: func(p *person, v values) {
			entry := func(name string) string { return "a.phplm[title^='" + name + ",']" }
			unfold := func(name string) { p.click("a[onclick*='dn=" + name + "'] img[alt='+-']") }
			create := func(in, kind string) {
				p.click(entry(in))
				p.click("a{Create a child entry}")
				p.click("label{" + kind + "}")
			}
			unfold("dc%3Dfarm")
			create("ou=People", "Generic: Address Book Entry")
			p.fill("#new_values_givenname_0", v["given"])
			p.fill("#new_values_sn_0", v["family"])
			p.fill("#new_values_o_0", v["firm"])
			p.fill("#new_values_street_0", v["street"])
			p.fill("#new_values_l_0", v["town"])
			p.fill("#new_values_postalcode_0", v["zip"])
			p.fill("#new_values_telephonenumber_0", v["phone"])
			p.fill("#new_values_mail_0", v["mail"])
			p.click("#create_button")
			p.click("input[value=Commit]")
			p.click("a{Add new attribute}")
			p.choose("select[name=attr]", v["field"])
			p.fill("#new_values_"+strings.ToLower(v["field"])+"_0", v["text"])
			p.click("#create_button")
			p.click("input[value='Update Object']")
			unfold("ou%3DPeople")
			p.click(entry(v["old"]))
			p.refill("#new_values_sn_0", v["now"])
			p.click("#create_button")
			p.click("input[value='Update Object']")
			p.see("#ajSID_1_nodes " + entry(v["gone"]))
			p.click(entry(v["gone"]))
			p.click("a{Delete this entry}")
			p.click("input[value=Delete]")
			create("ou=Teams", "Generic: Posix Group")
			p.fill("#new_values_cn_0", v["team"])
			p.click("#create_button")
			p.click("input[value=Commit]")
			p.see("#new_values_gidnumber_0")
		},
		want: func(s state, who account, v values) {
			name := v["given"] + " " + v["family"]
			made := []string{"cn=" + name, "creatorsName=uid=" + who.user + ",ou=Keepers,dc=farm,dc=example", v["field"] + "=" + v["text"], "givenName=" + v["given"], "l=" + v["town"], "mail=" + v["mail"], "o=" + v["firm"], "postalCode=" + v["zip"], "sn=" + v["family"], "street=" + v["street"], "telephoneNumber=" + v["phone"]}
			slices.Sort(made)
			s["entry cn="+name+",ou=People,dc=farm,dc=example"] = strings.Join(made, "|")
			old := "person " + strings.TrimPrefix(v["old"], "uid=")
			if text, there := s[old]; there {
				fields := strings.Split(text, "|")
				for i, field := range fields {
					if strings.HasPrefix(field, "sn=") {
						fields[i] = "sn=" + v["now"]
					}
				}
				s[old] = strings.Join(fields, "|")
			}
			delete(s, "person "+strings.TrimPrefix(v["gone"], "uid="))
			s["members of "+v["team"]] = ""
		},
	}
}

// phpldapadminOld are people who are there before.
var phpldapadminOld = []string{"anders", "bruce", "gertrude", "humphry", "peggy", "rowena"}

const phpldapadminSettings = `<?php
$config->custom->session['blowfish'] = 'a-secret-of-a-farm-with-32-bytes';
$config->custom->appearance['hide_template_warning'] = true;
$servers = new Datastore();
$servers->newServer('ldap_pla');
$servers->setValue('server', 'name', 'Farm');
$servers->setValue('server', 'host', '127.0.0.1');
$servers->setValue('server', 'port', PORT);
$servers->setValue('server', 'base', array('dc=farm,dc=example'));
$servers->setValue('login', 'auth_type', 'session');
$servers->setValue('login', 'attr', 'uid');
$servers->setValue('login', 'base', array('ou=Keepers,dc=farm,dc=example'));
`

func startPhpLDAPadmin(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	ports, err := h.free(2)
	if err != nil {
		return nil, err
	}
	fill := "dn: dc=farm,dc=example\nobjectClass: dcObject\nobjectClass: organization\ndc: farm\no: Farm\n\n"
	for _, part := range []string{"People", "Teams", "Keepers"} {
		fill += fmt.Sprintf("dn: ou=%[1]s,dc=farm,dc=example\nobjectClass: organizationalUnit\nou: %[1]s\n\n", part)
	}
	for _, who := range accounts {
		fill += fmt.Sprintf("dn: uid=%[1]s,ou=Keepers,dc=farm,dc=example\nobjectClass: inetOrgPerson\nuid: %[1]s\ncn: %[1]s\nsn: %[1]s\nuserPassword: %[2]s\n\n", who.user, who.password)
	}
	for _, name := range phpldapadminOld {
		fill += fmt.Sprintf("dn: uid=%[1]s,ou=People,dc=farm,dc=example\nobjectClass: inetOrgPerson\nuid: %[1]s\ncn: %[1]s\nsn: Old\n\n", name)
	}
	if err := h.copyTree(ctx, "/usr/share/phpldapadmin", "www"); err != nil {
		return nil, err
	}
	if err := h.write("www/config/config.php", strings.Replace(phpldapadminSettings, "PORT", fmt.Sprint(ports[0]), 1)); err != nil {
		return nil, err
	}
	at := fmt.Sprintf("127.0.0.1:%d", ports[0])
	read := func(ctx context.Context) (state, error) { return h.readDirectory(ctx, at) }
	if err := h.serveDirectory(ctx, at, slapdSettings, fill, read); err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www", "/htdocs/index.php", ports[1], "date.timezone=UTC")
	if err != nil {
		return nil, err
	}
	return &site{url: url + "/htdocs/index.php", accounts: accounts, state: read}, nil
}
