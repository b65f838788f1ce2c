package main

import (
	"context"
	"crypto/sha1" //nolint:gosec // its passwords are hashed so
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// davical keeps the people of a server of calendars with DAViCal: pages from the server with a menu that the mouse opens,
// forms in rows of tables so that no form is around its fields, boxes that buttons tick in groups and that are there
// two or three times, rows that a script makes a link as the mouse comes, deleting that is confirmed by a link.
func davical() *app {
	return &app{
		name: "davical", about: "pages from the server: a menu that the mouse opens, forms in rows of tables that are not around their fields, boxes that buttons tick in groups, rows that a script makes links as the mouse comes", held: true,
		needs: append(append([]need{{"/usr/share/davical/htdocs/admin.php", "apt-get install davical"}}, phpNeeds...), postgresNeeds...),
		start: startDavical,
		named: map[string]string{"username_2": "uid", "password_2": "secret", "email": "mail", "name": "team"},
		values: func(run int) values {
			return values{
				"uid": oneOf(run, "nora", "hugo", "irma") + fmt.Sprint(3+run), "secret": davicalSecret(run), "name": oneOf(run, "Nora Weaver", "Hugo Cooper", "Irma Thatcher") + fmt.Sprint(" ", 3+run), "mail": fmt.Sprintf("desk%d@farm.example", 20+run),
				"tongue": oneOf(run, "Deutsch", "Suomi", "Magyar"), "dates": oneOf(run, "US Format", "ISO Format"), "kind": oneOf(run, "Resource", "Person"),
				"friend": davicalName(davicalPeople[(1+run)%4]), "may": oneOf(run, "Read/Write", "Free/Busy", "Read"), "also": oneOf(run, "Override a Lock", "Write Access Controls", "Read Access Controls"),
				"path": oneOf(run, "harvest", "lambing", "market") + fmt.Sprint(6+run), "title": oneOf(run, "Harvest", "Lambing", "Market days") + fmt.Sprint(" of ", 2030+run), "zone": oneOf(run, "Europe/Vienna", "Africa/Cairo", "Asia/Tokyo"), "busy": oneOf(run, "Transparent", "Opaque"), "about": fmt.Sprintf("Days at gate %d.", 7+run),
				"team": davicalGroups[(2+run)%len(davicalGroups)], "joins": davicalName(davicalPeople[(2+run)%4]), "leaves": davicalName(oneOf(run, "bruce", "dora")), "gone": davicalPeople[4+(1+run)%4],
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[name=username]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("input[name=submit]")
		},
		flow: func(p *person, v values) {
			menu := func(part, what string) {
				p.hover("#menu > ul > li > a{" + part + "}")
				p.click("#menu a.submenu{" + what + "}")
			}
			menu("User Functions", "Create Principal")
			p.fill("input[name=xxxxusername]", v["uid"])
			p.refill("input[name=newpass1]", v["secret"])
			p.refill("input[name=newpass2]", v["secret"])
			p.fill("input[name=fullname]", v["name"])
			p.fill("input[name=email]", v["mail"])
			p.choose("select[name=locale]", v["tongue"])
			p.choose("select[name=date_format_type]", v["dates"])
			p.choose("select[name=type_id]", v["kind"])
			p.click("input[name=submit]")
			p.see("select[name=to_principal]")
			p.choose("select[name=to_principal]", v["friend"])
			p.click("[id^=toggle_priv_grant_privileges_][value='" + v["may"] + "']")
			p.click("label:has([name='grant_privileges[" + davicalBoxes[v["also"]] + "]'])")
			p.click("input[name=savegrantrow]")
			p.see("td{" + v["friend"] + "}")
			p.click("a{Create Collection}")
			p.fill("input[name=collection_name]", v["path"])
			p.fill("input[name=dav_displayname]", v["title"])
			p.click("input[type=checkbox][name=publicly_readable]")
			p.choose("select[name=timezone]", v["zone"])
			p.choose("select[name=schedule_transp]", v["busy"])
			p.fill("textarea[name=description]", v["about"])
			p.click("input[name=submit]")
			p.see("input[value='Apply Changes']")
			menu("User Functions", "List Groups")
			p.click("td{" + davicalName(v["team"]) + "}")
			p.choose("select[name=member_id]", v["joins"])
			p.click("input[name=savegrouprow]")
			p.see("td{" + v["joins"] + "}")
			p.click("a[href$='delete_member=" + davicalID(v["leaves"]) + "']")
			menu("User Functions", "List Users")
			p.click("td{" + v["gone"] + "}")
			p.click("a{Delete Principal}")
			p.click("a.error{Confirm Deletion of the Principal}")
		},
		want: func(s state, _ account, v values) {
			tongue := map[string]string{"Deutsch": "de_DE", "Suomi": "fi_FI", "Magyar": "hu_HU"}[v["tongue"]]
			s["principal "+v["uid"]] = strings.Join([]string{v["name"], v["mail"], v["kind"], tongue, v["dates"][:1], "t", "f", "7680", v["secret"]}, "|")
			for home, title := range map[string]string{"calendar": "calendar", "addresses": "addressbook", ".in": "Inbox", ".out": "Outbox"} {
				s["collection /"+v["uid"]+"/"+home+"/"] = fmt.Sprintf("%s %s|%t|%t|f||opaque|", v["name"], title, home != "addresses", home == "addresses")
			}
			s["collection /"+v["uid"]+"/"+v["path"]+"/"] = strings.Join([]string{v["title"], "true", "false", "t", v["zone"], strings.ToLower(v["busy"])[:6], v["about"]}, "|")
			may := map[string]int{"Read": 4641, "Read/Write": 65255, "Free/Busy": 4608}[v["may"]] | map[string]int{"Override a Lock": 8, "Read Access Controls": 16, "Write Access Controls": 256}[v["also"]]
			s["grant "+v["uid"]+" to "+v["friend"]] = fmt.Sprint(may)
			members := slices.DeleteFunc(strings.Split(s["members "+davicalName(v["team"])], ","), func(name string) bool { return name == v["leaves"] || name == "" })
			members = append(members, v["joins"])
			slices.Sort(members)
			s["members "+davicalName(v["team"])] = strings.Join(members, ",")
			delete(s, "principal "+v["gone"])
		},
	}
}

// davicalPeople are there before: some of the first join a group, and some of the last go.
var (
	davicalPeople = []string{"viktor", "rowena", "mina", "peggy", "anders", "conrad", "elsa", "fritz", "bruce", "dora"}
	davicalGroups = []string{"bakers", "drovers", "millers", "shearers"}
	davicalBoxes  = map[string]string{"Override a Lock": "unlock", "Read Access Controls": "read-acl", "Write Access Controls": "write-acl"}
	davicalZones  = []string{"Africa/Cairo", "America/Lima", "Asia/Tokyo", "Europe/Vienna"}
)

func davicalSecret(run int) string   { return fmt.Sprintf("Lantern-%d-oak", 50+run) }
func davicalName(user string) string { return strings.ToUpper(user[:1]) + user[1:] + " Old" }

// davicalID is the number of one of its people, the first of whom come after the accounts.
func davicalID(name string) string {
	return fmt.Sprint(1003 + slices.IndexFunc(davicalPeople, func(user string) bool { return davicalName(user) == name }))
}

func startDavical(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	folder, err := h.postgres(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, []string{"PGHOST=" + folder, "PGUSER=postgres"}, "sh", "/usr/share/davical/dba/create-database.sh", "davical", "root"); err != nil {
		return nil, err
	}
	var fill strings.Builder
	principal := func(user, password, name string, kind int) {
		fmt.Fprintf(&fill, `insert into dav_principal (username, password, fullname, displayname, email, type_id, user_active, default_privileges, date_format_type, locale) values ('%[1]s', '**%[2]s', '%[3]s', '%[3]s', '%[1]s@farm.example', %[4]d, true, 0::bit(24), 'E', 'en');`, user, password, name, kind)
	}
	for _, who := range accounts {
		principal(who.user, who.password, strings.ToUpper(who.user[:1])+who.user[1:], 1)
		fmt.Fprintf(&fill, `insert into role_member (role_no, user_no) select 1, user_no from dav_principal where username = '%s';`, who.user)
	}
	for _, user := range davicalPeople {
		principal(user, "Candle-"+user, davicalName(user), 1)
	}
	for _, user := range davicalGroups {
		principal(user, "Candle-"+user, davicalName(user), 3)
		fmt.Fprintf(&fill, `insert into group_member (group_id, member_id) select g.principal_id, m.principal_id from dav_principal g, dav_principal m where g.username = '%s' and m.username in ('bruce', 'dora');`, user)
	}
	for _, zone := range davicalZones {
		fmt.Fprintf(&fill, `insert into timezones (tzid, olson_name, active, vtimezone) values ('%[1]s', '%[1]s', true, e'BEGIN:VTIMEZONE\nTZID:%[1]s\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0100\nEND:STANDARD\nEND:VTIMEZONE\n');`, zone)
	}
	if _, err := h.psql(ctx, folder, fill.String(), "davical"); err != nil {
		return nil, err
	}
	if err := h.copyTree(ctx, "/usr/share/davical", "www"); err != nil {
		return nil, err
	}
	settings := fmt.Sprintf("<?php\n$c->pg_connect[] = \"host=%s dbname=davical user=davical_app\";\n$c->admin_email = 'root@farm.example';\n", folder)
	if err := h.write("config.php", settings); err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "sed", "-i", "s#'/etc/davical/config.php'#'"+h.path("config.php")+"'#g", h.path("www/htdocs/always.php")); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www/htdocs", "/index.php", port, "date.timezone=UTC")
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) { return h.readDavical(ctx, folder) }
	return &site{url: url + "/admin.php", accounts: accounts, state: read}, nil
}

// readDavical reads its principals with which of the passwords that may have been set one has, their collections, grants and groups.
func (h *host) readDavical(ctx context.Context, folder string) (state, error) {
	rows, err := h.psql(ctx, folder, `
		select 'principal ' || username, concat_ws('|', fullname, email, principal_type_desc, locale, date_format_type, user_active, exists (select from role_member r where r.user_no = p.user_no and role_no = 1), default_privileges::int, password) from dav_principal p join principal_type on principal_type_id = type_id
		union all select 'collection ' || dav_name, concat_ws('|', dav_displayname, is_calendar::text, is_addressbook::text, publicly_readable, coalesce(timezone, ''), schedule_transp, coalesce(description, '')) from collection
		union all select 'grant ' || coalesce(b.username, 'a collection') || ' to ' || t.displayname, privileges::int::text from grants left join dav_principal b on b.principal_id = by_principal join dav_principal t on t.principal_id = to_principal
		union all select 'members ' || g.displayname, string_agg(m.displayname, ',' order by m.displayname collate "C") from group_member join dav_principal g on g.principal_id = group_id join dav_principal m on m.principal_id = member_id group by 1`, "davical")
	if err != nil {
		return nil, err
	}
	s := state{}
	for _, row := range rows {
		value := row[1]
		if before, hash, hashed := strings.Cut(value, "{SSHA}"); hashed {
			at := strings.LastIndex(before, "|")
			value = before[:at+1] + "?"
			for run := range 20 { // as many as there may be runs
				if raw, err := base64.StdEncoding.DecodeString(hash); err == nil && len(raw) > sha1.Size {
					sum := sha1.Sum(append([]byte(davicalSecret(run)), raw[sha1.Size:]...)) //nolint:gosec // see above
					if string(sum[:]) == string(raw[:sha1.Size]) {
						value = before[:at+1] + davicalSecret(run)
					}
				}
			}
		}
		add(s, row[0], value)
	}
	return s, nil
}
