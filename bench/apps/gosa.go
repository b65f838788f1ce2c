package main

import (
	"context"
	"crypto/md5"  //nolint:gosec // its settings are summed up so
	"crypto/sha1" //nolint:gosec // its passwords are hashed so
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strings"
)

// gosa keeps the people of a directory with GOsa: pages from the server with Prototype and Materialize, a menu of
// actions, lists that are drawn over hidden ones, tabs that send the form, rows of icons that are buttons without words,
// rules that a password has to keep before it can be set.
func gosa() *app {
	return &app{
		name: "gosa", about: "pages from the server with Prototype and Materialize, a menu of actions, drawn lists, tabs that send the form, rows of icons that are buttons without words", held: true,
		needs: append([]need{{"/usr/share/gosa/html/index.php", "apt-get install gosa gosa-schema php-ldap"}, {"/usr/sbin/slapd", "apt-get install slapd ldap-utils"}}, phpNeeds...),
		start: startGosa,
		named: map[string]string{"last_name": "family", "first_name": "given", "username_2": "uid", "phone": "phone", "phone_2": "other", "password_2": "days", "password_3": "secret"},
		values: func(run int) values {
			return values{
				"family": oneOf(run, "Weaver", "Cooper", "Thatcher", "Sawyer"), "given": oneOf(run, "Nora", "Hugo", "Irma"), "uid": oneOf(run, "nora", "hugo", "irma") + fmt.Sprint(3+run), "sex": oneOf(run, "female", "male"), "tongue": oneOf(run, "German (German)", "Dutch (Dutch)", "French (French)"), "phone": fmt.Sprintf("555-17%d", 20+run), "room": fmt.Sprint("R", 12+run),
				"home": fmt.Sprintf("/home/house%d", 40+run), "shell": oneOf(run, "/bin/sh", "/bin/zsh", "/bin/ksh"), "group": gosaGroups[(3+run)%len(gosaGroups)], "days": fmt.Sprint(90 + run), "secret": gosaSecret(run),
				"old": gosaOld[(1+run)%len(gosaOld)], "other": fmt.Sprintf("556-18%d", 30+run), "gone": gosaOld[(4+run)%len(gosaOld)], "team": gosaGroups[(1+run)%len(gosaGroups)], "about": fmt.Sprintf("Those of hall %d", 6+run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[name=username]", who.user)
			p.fill("input[name=password]", who.password)
			p.press("Enter")
		},
		flow: func(p *person, v values) {
			pick := func(list, what string) {
				p.click(".select-wrapper:has([name=" + list + "]) input")
				p.click("ul.dropdown-content li{" + what + "}")
			}
			p.click("li.collection-item{Users}")
			p.click("a.dropdown-menu")
			p.click(`li[onclick*='"new"'] a`)
			p.fill("input[name=sn]", v["family"])
			p.fill("input[name=givenName]", v["given"])
			p.fill("input[name=uid]", v["uid"])
			pick("gender", v["sex"])
			pick("preferredLanguage", v["tongue"])
			p.fill("input[name=telephoneNumber]", v["phone"])
			p.fill("input[name=roomNumber]", v["room"])
			p.click("li.tab a{POSIX}")
			p.click("[name=modify_state]")
			p.fill("input[name=homeDirectory]", v["home"])
			pick("loginShell", v["shell"])
			pick("primaryGroup", v["group"])
			p.click("label:has([name=activate_shadowMax])")
			p.refill("input[name=shadowMax]", v["days"])
			p.click("[name=edit_finish]")
			p.fill("input[name=new_password]", v["secret"])
			p.fill("input[name=repeated_password]", v["secret"])
			p.click("[name=password_finish]")
			p.click("tr:has(a[title^='uid=" + v["old"] + ",']) input[title='Edit user']")
			p.refill("input[name=telephoneNumber]", v["other"])
			p.click("[name=edit_finish]")
			p.click("tr:has(a[title^='uid=" + v["gone"] + ",']) input[title='Remove user']")
			p.click("[name=delete_confirmed]")
			p.see("#tree-table")
			p.click("li.collection-item{Groups}")
			p.click("tr:has(a[title^='cn=" + v["team"] + ",']) a")
			p.refill("input[name=description]", v["about"])
			p.click("[name=edit_finish]")
			p.see("td{" + v["about"] + "}")
		},
		want: func(s state, _ account, v values) {
			s["person "+v["uid"]] = strings.Join([]string{
				"cn=" + v["given"] + " " + v["family"], "gecos=" + v["given"] + " " + v["family"], "gender=" + strings.ToUpper(v["sex"][:1]), "gidNumber=" + gosaGroupNumber(v["group"]), "givenName=" + v["given"], "homeDirectory=" + v["home"], "loginShell=" + v["shell"],
				"preferredLanguage=" + map[string]string{"German (German)": "de_DE", "Dutch (Dutch)": "nl_NL", "French (French)": "fr_FR"}[v["tongue"]], "roomNumber=" + v["room"], "shadowMax=" + v["days"], "sn=" + v["family"], "telephoneNumber=" + v["phone"], "userPassword=" + v["secret"],
			}, "|")
			s["person "+v["old"]] = gosaPerson(v["old"], v["other"])
			delete(s, "person "+v["gone"])
			s["entry cn="+v["team"]+",ou=groups,dc=farm,dc=example"] = strings.Join([]string{"cn=" + v["team"], "description=" + v["about"], "gidNumber=" + gosaGroupNumber(v["team"])}, "|")
		},
	}
}

// gosaOld are people who are there before, and gosaGroups are their groups.
var (
	gosaOld    = []string{"anders", "bruce", "dora", "mina", "peggy", "rowena", "viktor"}
	gosaGroups = []string{"bakers", "drovers", "millers", "shearers", "smiths"}
)

func gosaSecret(run int) string          { return fmt.Sprintf("Lantern#%d-oak", 50+run) }
func gosaGroupNumber(name string) string { return fmt.Sprint(10001 + slices.Index(gosaGroups, name)) }
func gosaPerson(name, tel string) string {
	return fmt.Sprintf("cn=%[1]s Old|givenName=%[1]s|sn=Old|telephoneNumber=%[2]s|userPassword=Candle-%[1]s", name, tel)
}

const gosaSlapd = `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
include /etc/ldap/schema/openldap.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/misc.schema
include /etc/ldap/schema/gosa/samba3.schema
include /etc/ldap/schema/gosa/gosystem.schema
include /etc/ldap/schema/gosa/gofon.schema
include /etc/ldap/schema/gosa/gofax.schema
include /etc/ldap/schema/gosa/goto.schema
include /etc/ldap/schema/gosa/goserver.schema
include /etc/ldap/schema/gosa/gosa-samba3.schema
include /etc/ldap/schema/gosa/trust.schema
`

func startGosa(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	ports, err := h.free(2)
	if err != nil {
		return nil, err
	}
	at := fmt.Sprintf("127.0.0.1:%d", ports[0])
	fill := "dn: dc=farm,dc=example\nobjectClass: dcObject\nobjectClass: organization\nobjectClass: gosaDepartment\nobjectClass: gosaAcl\ndc: farm\no: Farm\nou: farm\ndescription: Farm\n"
	for i, who := range accounts {
		fill += fmt.Sprintf("gosaAclEntry: %d:psub:%s:all/all;cmdrw\n", i, base64.StdEncoding.EncodeToString([]byte("uid="+who.user+",ou=people,dc=farm,dc=example")))
	}
	fill += "\n"
	for _, part := range []string{"people", "groups"} {
		fill += fmt.Sprintf("dn: ou=%[1]s,dc=farm,dc=example\nobjectClass: organizationalUnit\nou: %[1]s\n\n", part)
	}
	person := func(name, password, tel string) {
		fill += fmt.Sprintf("dn: uid=%[1]s,ou=people,dc=farm,dc=example\nobjectClass: top\nobjectClass: person\nobjectClass: organizationalPerson\nobjectClass: inetOrgPerson\nobjectClass: gosaAccount\nuid: %[1]s\ncn: %[1]s Old\nsn: Old\ngivenName: %[1]s\ntelephoneNumber: %[3]s\nuserPassword: %[2]s\n\n", name, password, tel)
	}
	for i, who := range accounts {
		person(who.user, who.password, fmt.Sprint("550-", i))
	}
	for i, name := range gosaOld {
		person(name, "Candle-"+name, fmt.Sprint("551-", i))
	}
	for _, name := range gosaGroups {
		fill += fmt.Sprintf("dn: cn=%[1]s,ou=groups,dc=farm,dc=example\nobjectClass: top\nobjectClass: posixGroup\ncn: %[1]s\ngidNumber: %[2]s\ndescription: The %[1]s\n\n", name, gosaGroupNumber(name))
	}
	const prepare = `cd "$1" && cp -r /etc/gosa etc && cp -rL /var/cache/gosa cache && mkdir -p spool cache/tmp && zcat -f /usr/share/doc/gosa/gosa.conf* >gosa.conf &&
		grep -rlE '/(usr/share|etc|var/cache|var/spool)/gosa' www cache --include=*.inc --include=*.php --include=class.cache | xargs sed -i "s#/usr/share/gosa#$1/www#g; s#/etc/gosa#$1/etc#g; s#/var/cache/gosa#$1/cache#g; s#/var/spool/gosa#$1/spool#g"`
	if err := h.copyTree(ctx, "/usr/share/gosa", "www"); err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "sh", "-c", prepare, "sh", h.dir); err != nil {
		return nil, err
	}
	template, err := os.ReadFile(h.path("gosa.conf"))
	if err != nil {
		return nil, err
	}
	_, other, _ := strings.Cut(string(template), "{if $cv.rfc2307bis}")
	other, _, _ = strings.Cut(other, "{/if}")
	settings := strings.NewReplacer(
		"{literal}", "", "{/literal}", "", "{if $cv.rfc2307bis}"+other+"{/if}", `rfc2307bis="false" accountPrimaryAttribute="uid"`, "{$config_checksum}", fmt.Sprintf("%x", md5.Sum(template)), "{$cv.instanceUUID}", "0a1b2c3d-1111-2222-3333-444455556666",
		"{$cv.location}", "Farm", "{$cv.base}", "dc=farm,dc=example", "{$cv.connection}", "ldap://"+at, "{$cv.admin}", "cn=root,dc=farm,dc=example", "{$cv.password}", "root", `warnSSL="true"`, `warnSSL="false"`,
	).Replace(string(template))
	if err := h.write("etc/gosa.conf", settings); err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(slapdSettings, "inetorgperson.schema\n")
	read := func(ctx context.Context) (state, error) { return h.readGosa(ctx, at) }
	if err := h.serveDirectory(ctx, at, gosaSlapd+rest, fill, read); err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www/html", "/index.php", ports[1], "date.timezone=UTC")
	if err != nil {
		return nil, err
	}
	return &site{url: url + "/index.php", accounts: accounts, state: read}, nil
}

// readGosa reads all people without what it adds to each, and which of the passwords that may have been set one has.
func (h *host) readGosa(ctx context.Context, at string) (state, error) {
	s, err := h.readDirectory(ctx, at)
	for key, text := range s {
		var lines []string
		for line := range strings.SplitSeq(text, "|") {
			name, value, _ := strings.Cut(line, "=")
			if hash, hashed := strings.CutPrefix(value, "{SSHA}"); hashed && name == "userPassword" {
				line = "userPassword=?"
				for run := range 20 { // as many as there may be runs
					if raw, err := base64.StdEncoding.DecodeString(hash); err == nil && len(raw) > sha1.Size {
						sum := sha1.Sum(append([]byte(gosaSecret(run)), raw[sha1.Size:]...)) //nolint:gosec // see above
						if string(sum[:]) == string(raw[:sha1.Size]) {
							line = "userPassword=" + gosaSecret(run)
						}
					}
				}
			}
			if name != "creatorsName" && !strings.HasPrefix(name, "samba") && (!strings.HasSuffix(strings.ToLower(name), "postaladdress") || strings.TrimSpace(value) != "") {
				lines = append(lines, line)
			}
		}
		s[key] = strings.Join(lines, "|")
		if strings.HasPrefix(key, "entry ") && !strings.HasSuffix(key, ",ou=groups,dc=farm,dc=example") {
			delete(s, key) // its settings, and one by which it tries its directory
		}
	}
	return s, err
}
