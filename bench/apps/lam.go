package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
)

// lam removes a person of a directory and adds another one with LDAP Account Manager: pages
// from the server where each button sends the whole form, tabs that are such buttons, pages
// below a page, two lists between which one moves, pictures that are pressed, a calendar.
func lam() *app {
	return &app{
		name: "lam", about: "pages from the server where each button sends the whole form, tabs that are such buttons, pages below a page, two lists between which one moves, pictures that are pressed, a calendar", held: true,
		needs: append([]need{
			{"/usr/share/ldap-account-manager/templates/login.php", "apt-get install ldap-account-manager"},
			{"/usr/sbin/slapd", "apt-get install slapd"}, {"/usr/bin/ldapsearch", "apt-get install ldap-utils"},
		}, phpNeeds...),
		start: startLam,
		named: map[string]string{"first_name": "given", "street": "street", "email": "mail", "username_2": "uid"},
		values: func(run int) values {
			return values{
				"old": oneOf(run, lamOld[2:]...), "given": oneOf(run, "Ines", "Kofi", "Lea", "Jo", "Mina", "Odo", "Ria"), "family": oneOf(run, "Ruiz", "Mensah", "Braun", "Park", "Sato", "Lund", "Holm"), "about": fmt.Sprintf("Works %d days a week", 3+run), "street": fmt.Sprintf("Mill Lane %d", 20+run), "mail": fmt.Sprintf("hand-%d@example.org", 50+run),
				"uid": oneOf(run, "ines", "kofi", "lea", "jo") + fmt.Sprint(7+run), "group": oneOf(run, "millers", "drovers", "hands", "grooms"), "shell": oneOf(run, "/bin/ksh", "/bin/dash", "/bin/csh"), "team": oneOf(run, "shearers", "bakers", "weavers", "smiths"),
				"warning": fmt.Sprint(14 + run), "day": thisMonth(17+run).AddDate(1, 0, 0).Format(lamDay),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#username", who.user)
			p.fill("#passwd", who.password)
			p.click("#btn_checklogin")
		},
		flow: func(p *person, v values) {
			p.click("a[title=Delete][href*='uid%3D" + v["old"] + "%2C']")
			p.click("#btn_delete")
			p.click("#btn_new")
			p.fill("#givenName", v["given"])
			p.fill("#sn", v["family"])
			p.fill("#description_0", v["about"])
			p.fill("#street_0", v["street"])
			p.fill("#mail_0", v["mail"])
			p.click("button[name=form_main_posixAccount]")
			p.refill("#uid", v["uid"])
			p.choose("#gidNumber", v["group"])
			p.choose("#loginShell", v["shell"])
			p.click("#btn_form_subpage_posixAccount_group_open")
			p.click("#groups_2 option{" + v["team"] + "}")
			p.click("#btn_groups_left")
			p.see("#groups_1 option{" + v["team"] + "}")
			p.click("#btn_form_subpage_posixAccount_attributes_back")
			p.click("button[name=form_main_shadowAccount]")
			p.click("#btn_form_subpage_shadowAccount_attributes_addObjectClass")
			p.refill("#shadowwarning", v["warning"])
			p.click("#btn_form_subpage_shadowAccount_expire_open")
			p.click("#shadowexpire")
			p.click(".flatpickr-calendar.open .flatpickr-day[aria-label='" + v["day"] + "']")
			p.click("#btn_form_subpage_shadowAccount_attributes_change")
			p.click("#btn_accountContainerSaveAccount")
			p.see("button{Edit again}")
		},
		want: func(s state, who account, v values) {
			delete(s, "person "+v["old"])
			expires, _ := time.Parse(lamDay, v["day"]) // it is written so
			name := v["given"] + " " + v["family"]
			s["person "+v["uid"]] = strings.Join([]string{
				"cn=" + name, "creatorsName=uid=" + who.user + ",ou=Keepers,dc=farm,dc=example", "description=" + v["about"], "gidNumber=" + lamGroupNumber(v["group"]), "givenName=" + v["given"], "homeDirectory=/home/" + v["uid"], "loginShell=" + v["shell"], "mail=" + v["mail"],
				fmt.Sprint("shadowExpire=", expires.Unix()/86400), "shadowInactive=10", "shadowMax=365", "shadowMin=1", "shadowWarning=" + v["warning"], "sn=" + v["family"], "street=" + v["street"],
			}, "|")
			s["members of "+v["team"]] = strings.Trim(s["members of "+v["team"]]+" "+v["uid"], " ")
		},
	}
}

var (
	// lamOld are the people who are there before.
	lamOld    = []string{"bruce", "annett", "rowena", "gertrude", "humphry", "mina", "anders", "peggy"}
	lamGroups = []string{"bakers", "drovers", "grooms", "hands", "millers", "shearers", "smiths", "weavers"}
)

// lamDay is how a day of the calendar is named.
const lamDay = "January 2, 2006"

func lamGroupNumber(name string) string { return fmt.Sprint(10001 + slices.Index(lamGroups, name)) }

const slapdSettings = `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
database mdb
maxsize 67108864
suffix dc=farm,dc=example
rootdn cn=root,dc=farm,dc=example
rootpw root
directory DIR/directory
access to attrs=userPassword by users write by anonymous auth
access to * by users write by * read
`

const lamSettings = `ServerURL: ldap://AT
Admins: cn=root,dc=farm,dc=example
Passwd: lam
tools: treeViewSuffix: dc=farm,dc=example
defaultLanguage: en_GB.utf8
scriptRights: 750
cachetimeout: 0
searchLimit: 0
loginMethod: search
loginSearchSuffix: ou=Keepers,dc=farm,dc=example
loginSearchFilter: uid=%USER%
modules: posixAccount_user_minUID: 10000
modules: posixAccount_user_maxUID: 30000
modules: posixGroup_group_minGID: 10000
modules: posixGroup_group_maxGID: 20000
modules: posixAccount_user_uidGeneratorUsers: range
modules: posixAccount_group_gidGeneratorUsers: range
modules: posixGroup_pwdHash: SSHA
modules: posixAccount_pwdHash: SSHA
activeTypes: user,group
types: suffix_user: ou=People,dc=farm,dc=example
types: attr_user: #uid;#givenName;#sn;#uidNumber;#gidNumber
types: modules_user: inetOrgPerson,posixAccount,shadowAccount
types: suffix_group: ou=Teams,dc=farm,dc=example
types: attr_group: #cn;#gidNumber;#memberUID;#description
types: modules_group: posixGroup
timeZone: UTC
`

func startLam(ctx context.Context, h *host) (*site, error) {
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
	for _, name := range lamGroups {
		fill += fmt.Sprintf("dn: cn=%[1]s,ou=Teams,dc=farm,dc=example\nobjectClass: posixGroup\ncn: %[1]s\ngidNumber: %[2]s\n\n", name, lamGroupNumber(name))
	}
	for i, name := range lamOld {
		fill += fmt.Sprintf("dn: uid=%[1]s,ou=People,dc=farm,dc=example\nobjectClass: inetOrgPerson\nobjectClass: posixAccount\nuid: %[1]s\ncn: %[1]s\nsn: Old\ngivenName: %[1]s\nuidNumber: %[2]d\ngidNumber: 10001\nhomeDirectory: /home/%[1]s\n\n", name, 10001+i)
	}
	at := fmt.Sprintf("127.0.0.1:%d", ports[0])
	if err := h.copyTree(ctx, "/usr/share/ldap-account-manager", "www"); err != nil {
		return nil, err
	}
	if err := h.write("www/config/lam.conf", strings.ReplaceAll(lamSettings, "AT", at)); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) { return h.readDirectory(ctx, at) }
	if err := h.serveDirectory(ctx, at, slapdSettings, fill, read); err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www", "/templates/login.php", ports[1], "date.timezone=UTC")
	if err != nil {
		return nil, err
	}
	return &site{url: url + "/templates/login.php", accounts: accounts, state: read}, nil
}

// serveDirectory starts slapd with some entries, and waits until they can be read. DIR in its settings is the host's own.
func (h *host) serveDirectory(ctx context.Context, at, settings, entries string, read func(context.Context) (state, error)) error {
	for name, text := range map[string]string{"slapd.conf": strings.ReplaceAll(settings, "DIR", h.dir), "fill.ldif": entries, "directory/empty": ""} {
		if err := h.write(name, text); err != nil {
			return err
		}
	}
	if _, err := h.run(ctx, nil, "slapadd", "-f", "slapd.conf", "-l", "fill.ldif"); err != nil {
		return err
	}
	server, err := h.serve(h.dir, nil, "slapd", "-d", "0", "-f", "slapd.conf", "-h", "ldap://"+at)
	if err != nil {
		return err
	}
	return server.up(ctx, func(ctx context.Context) error { _, err := read(ctx); return err })
}

// readDirectory reads all people, with all that the directory has of them but numbers that are given in turn.
func (h *host) readDirectory(ctx context.Context, at string) (state, error) {
	out, err := h.run(ctx, nil, "ldapsearch", "-x", "-H", "ldap://"+at, "-D", "cn=root,dc=farm,dc=example", "-w", "root", "-b", "dc=farm,dc=example", "-LLL", "-o", "ldif-wrap=no", "*", "creatorsName")
	if err != nil {
		return nil, err
	}
	s := state{}
	for entry := range strings.SplitSeq(out, "\n\n") {
		has := map[string][]string{}
		for line := range strings.Lines(entry) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			if short, coded := strings.CutSuffix(name, ":"); coded {
				text, err := base64.StdEncoding.DecodeString(value)
				if err != nil {
					return nil, err
				}
				name, value = short, string(text)
			}
			has[name] = append(has[name], value)
		}
		var lines []string
		for name, values := range has {
			if !slices.Contains([]string{"dn", "objectClass", "uid", "uidNumber", "shadowLastChange"}, name) {
				lines = append(lines, name+"="+strings.Join(values, ","))
			}
		}
		slices.Sort(lines)
		switch dn := strings.Join(has["dn"], ""); {
		case strings.Contains(dn, ",ou=Teams,"):
			add(s, "members of "+strings.Join(has["cn"], ","), strings.Join(has["memberUid"], " "))
		case has["uid"] == nil && dn != "":
			s["entry "+dn] = strings.Join(lines, "|")
		case dn != "":
			add(s, "person "+strings.Join(has["uid"], ","), strings.Join(lines, "|"))
		}
	}
	return s, nil
}
