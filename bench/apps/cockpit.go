package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cockpit makes a group and an account of a machine, says when it ends, edits, locks and deletes others: pages that React
// draws with PatternFly in frames of the same origin, a menu outside of them, dialogs, menus of rows, a list one may type in.
func cockpit() *app {
	return &app{
		name: "cockpit", about: "pages that React draws with PatternFly in frames, a menu outside of them, dialogs, menus of rows that are alike, a list one may type in, a date", held: true,
		needs: []need{
			{"/usr/lib/cockpit/cockpit-ws", "apt-get install cockpit-ws"}, {"/usr/bin/cockpit-bridge", "apt-get install cockpit-bridge"},
			{"/usr/share/cockpit/users/manifest.json", "apt-get install cockpit-system"}, {"/usr/bin/sudo", "apt-get install sudo"},
		},
		start: startCockpit,
		values: func(run int) values {
			name := oneOf(run, "Nora Hill", "Hugo Lane", "Mina Brook")
			return values{
				"group": oneOf(run, "weavers", "millers", "coopers") + fmt.Sprint(run), "id": fmt.Sprint(2001 + run),
				"name": name, "login": strings.ToLower(strings.Fields(name)[0]) + fmt.Sprint(4+run), "secret": cockpitSecret(run), "joins": cockpitGroups[run%len(cockpitGroups)],
				"until": fmt.Sprintf("203%d-0%d-1%d", 1+run%8, 3+run%6, run%9), "days": fmt.Sprint(61 + run),
				"known": cockpitUsers[run%len(cockpitUsers)], "renamed": fmt.Sprintf("Keeper of shed %d", 12+run),
				"locked": cockpitUsers[(2+run)%len(cockpitUsers)], "gone": cockpitUsers[(5+run)%len(cockpitUsers)], "ended": cockpitGroups[(3+run)%len(cockpitGroups)],
			}
		},
		named: map[string]string{"name": "group", "name_2": "name", "username_2": "login", "new_password": "secret", "name_3": "renamed"},
		signIn: func(p *person, who account) {
			p.fill("#login-user-input", who.user)
			p.fill("#login-password-input", who.password)
			p.click("#login-button")
			p.click("#super-user-indicator button")
			p.fill("#switch-to-admin-access-password", who.password)
			p.click("button{Authenticate}")
			p.see("#super-user-indicator button{Administrative access}")
		},
		flow: func(p *person, v values) {
			const page = "iframe[name$='/users'] >>> "
			const dialog = page + "[role=dialog] "
			row := func(user string) string { return page + "#accounts-list tr:has(a[href='#/" + user + "']) " }
			p.click("a[href='/users']")
			p.click(page + "#groups-create")
			p.fill(page+"#groups-create-name", v["group"])
			p.refill(page+"#groups-create-id", v["id"])
			p.click(dialog + "button{Create}")
			p.click(page + "#accounts-create")
			p.fill(page+"#accounts-create-real-name", v["name"])
			p.refill(page+"#accounts-create-user-name", v["login"])
			p.fill(page+"#accounts-create-password-pw1", v["secret"])
			p.fill(page+"#accounts-create-password-pw2", v["secret"])
			p.click(page + "#accounts-create-force-password-change")
			p.click(dialog + "button{Create}")
			p.click(row(v["login"]) + "a")
			p.click(page + "#account-groups")
			p.click(page + "[role=option]{" + v["joins"] + "}")
			p.click(page + "#account-expiration-button")
			p.click(page + "#account-expiration-expires")
			p.fill(page+"#account-expiration-input input", v["until"])
			p.click(dialog + "button{Change}")
			p.click(page + "#password-expiration-button")
			p.click(page + "#password-expiration-expires")
			p.fill(page+"#password-expiration-input", v["days"])
			p.click(dialog + "button{Change}")
			p.click(page + "a{Accounts}")
			p.click(row(v["known"]) + "a")
			p.refill(page+"#account-real-name", v["renamed"])
			p.press("Tab")
			p.see(page + "h2{" + v["renamed"] + "}")
			p.click(page + "a{Accounts}")
			p.see(row(v["known"]) + "td{" + v["renamed"] + "}")
			p.fill(page+"#groups-filter input", v["ended"])
			p.click(page + "#groups-list tbody button[aria-label=Actions]")
			p.click(page + "[role=menuitem]{Delete group}")
			p.click(dialog + "button{Delete}")
			p.click(row(v["locked"]) + "button[aria-label=Actions]")
			p.click(page + "[role=menuitem]{Lock account}")
			p.click(dialog + "button{Lock}")
			p.click(row(v["gone"]) + "button[aria-label=Actions]")
			p.click(page + "[role=menuitem]{Delete account}")
			p.click(page + "#account-confirm-delete-files")
			p.click(dialog + "button{Delete}")
			p.see(page + "#accounts-list tbody:not(:has(a[href='#/" + v["gone"] + "']))")
		},
		want: func(s state, _ account, v values) {
			s["group "+v["group"]] = v["id"] + "|"
			until, err := time.Parse(time.DateOnly, v["until"])
			if err != nil {
				s["date"] = err.Error()
			}
			s["user "+v["login"]] = strings.Join([]string{v["name"], "must change", v["days"], until.Format(time.DateOnly), v["secret"]}, "|")
			s["home "+v["login"]] = ""
			cockpitJoin(s, v["joins"], v["login"])
			_, rest, _ := strings.Cut(s["user "+v["known"]], "|")
			s["user "+v["known"]] = v["renamed"] + "|" + rest
			s["user "+v["locked"]] += "|locked"
			delete(s, "user "+v["gone"])
			delete(s, "home "+v["gone"])
			for key, text := range s {
				if of, members, is := strings.Cut(text, "|"); is && strings.HasPrefix(key, "group ") {
					s[key] = of + "|" + strings.Join(slices.DeleteFunc(strings.Split(members, ","), func(one string) bool { return one == v["gone"] }), ",")
				}
			}
			delete(s, "group "+v["ended"])
		},
	}
}

var cockpitAccounts = [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}

// cockpitUsers and cockpitGroups are there before, each user in one of the groups.
var (
	cockpitUsers  = []string{"alma", "bert", "cleo", "dora", "emil", "fritz", "gerda", "henry"}
	cockpitGroups = []string{"apiary", "barn", "dairy", "forge", "garden", "mill", "smithy", "stable"}
)

func cockpitName(user string) string { return strings.ToUpper(user[:1]) + user[1:] + " of the farm" }

func cockpitSecret(run int) string { return fmt.Sprintf("Walnut-%d-trees", 55+run) }

// cockpitJoin adds a user to what is known of a group.
func cockpitJoin(s state, group, user string) {
	id, members, _ := strings.Cut(s["group "+group], "|")
	all := append(strings.FieldsFunc(members, func(r rune) bool { return r == ',' }), user)
	slices.Sort(all)
	s["group "+group] = id + "|" + strings.Join(all, ",")
}

// cockpitMachine makes what it takes for the machine's own: a mount namespace with folders of the host in place of
// those that it writes, and users and groups that do not depend on what else is installed.
const cockpitMachine = `set -e
for folder in etc:/etc home:/home mail:/var/mail log:/var/log run:/run; do
	mount --bind "${folder%%:*}" "${folder#*:}"
done
exec /usr/lib/cockpit/cockpit-ws --no-tls --address 127.0.0.1 --port "$0"
`

func startCockpit(ctx context.Context, h *host) (*site, error) {
	if _, err := h.run(ctx, nil, "cp", "-a", "/etc", "etc"); err != nil {
		return nil, err
	}
	for _, folder := range []string{"home", "mail", "log", "run"} {
		if err := os.MkdirAll(h.path(folder), 0o755); err != nil {
			return nil, err
		}
	}
	if err := cockpitPeople(ctx, h); err != nil {
		return nil, err
	}
	// Words of a dictionary are in a package of its own.
	if err := h.write("etc/security/pwquality.conf", "dictcheck = 0\n"); err != nil {
		return nil, err
	}
	if err := h.write("etc/cockpit/cockpit.conf", "[WebService]\nAllowUnencrypted = true\n"); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, []string{"LANG=C.UTF-8"}, "unshare", "--mount", "sh", "-c", cockpitMachine, strconv.Itoa(port))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	return &site{url: url, accounts: cockpitAccounts, state: func(ctx context.Context) (state, error) { return readCockpit(ctx, h) }}, server.up(ctx, answers(url))
}

// cockpitPeople writes who there is: those of each system, the accounts, and users and groups besides.
func cockpitPeople(ctx context.Context, h *host) error {
	master := map[string]string{}
	for _, name := range []string{"passwd", "group"} {
		text, err := os.ReadFile("/usr/share/base-passwd/" + name + ".master")
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Split(strings.TrimSpace(line), ":")
			if name == "group" && len(fields) < 4 {
				fields = append(fields, make([]string, 4-len(fields))...)
			}
			fields[1] = map[string]string{"passwd": "x", "group": ""}[name]
			if fields[0] == "sudo" {
				fields[3] = cockpitAccounts[0].user + "," + cockpitAccounts[1].user
			}
			master[name] += strings.Join(fields, ":") + "\n"
			if name == "passwd" {
				master["shadow"] += fields[0] + ":*:20000:0:99999:7:::\n"
			}
		}
	}
	id := 1000
	person := func(login, name, password string) error {
		id++
		hash, err := h.run(ctx, nil, "openssl", "passwd", "-6", password)
		if err != nil {
			return err
		}
		master["passwd"] += fmt.Sprintf("%s:x:%d:%[2]d:%s:/home/%[1]s:/bin/bash\n", login, id, name)
		master["shadow"] += login + ":" + strings.TrimSpace(hash) + ":20000:0:99999:7:::\n"
		master["group"] += fmt.Sprintf("%s:x:%d:\n", login, id)
		if err := h.write("home/"+login+"/notes.txt", "Of "+name+"\n"); err != nil {
			return err
		}
		_, err = h.run(ctx, nil, "chown", "-R", fmt.Sprintf("%d:%[1]d", id), "home/"+login)
		return err
	}
	for _, who := range cockpitAccounts {
		if err := person(who.user, cockpitName(who.user), who.password); err != nil {
			return err
		}
	}
	for i, login := range cockpitUsers {
		if err := person(login, cockpitName(login), cockpitOld); err != nil {
			return err
		}
		master["group"] += fmt.Sprintf("%s:x:%d:%s\n", cockpitGroups[i], 1500+i, login)
	}
	for name, text := range master {
		if err := os.WriteFile(h.path("etc", name), []byte(text), 0); err != nil { // as who may read it there
			return err
		}
	}
	for _, name := range []string{"etc/subuid", "etc/subgid", "etc/gshadow", "log/lastlog", "log/wtmp", "log/btmp", "run/utmp"} {
		if err := h.write(name, ""); err != nil {
			return err
		}
	}
	return nil
}

// cockpitOld is the password of all who are there before.
const cockpitOld = "Chestnut-leaf-3"

// firstMatch is a program for Perl, which prints the first of several passwords that a hash is of.
const firstMatch = `my $hash = shift; for (@ARGV) { if (crypt($_, $hash) eq $hash) { print; last } }`

// readCockpit reads the users and groups of the machine that are none of the system's.
func readCockpit(ctx context.Context, h *host) (state, error) {
	rows := map[string]map[string][]string{}
	for _, name := range []string{"passwd", "shadow", "group"} {
		text, err := os.ReadFile(h.path("etc", name))
		if err != nil {
			return nil, err
		}
		rows[name] = map[string][]string{}
		for line := range strings.Lines(string(text)) {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), ":")
			rows[name][fields[0]] = fields
		}
	}
	secrets := []string{cockpitOld, cockpitAccounts[0].password, cockpitAccounts[1].password}
	for run := range 20 { // as many as there may be runs
		secrets = append(secrets, cockpitSecret(run))
	}
	s := state{}
	for login, fields := range rows["passwd"] {
		if len(fields[2]) != 4 { // one of the system
			continue
		}
		kept := rows["shadow"][login]
		if kept == nil {
			return nil, fmt.Errorf("%s has no password", login)
		}
		hash, locked := strings.CutPrefix(kept[1], "!")
		secret, err := h.run(ctx, nil, "perl", append([]string{"-e", firstMatch, hash}, secrets...)...)
		if err != nil {
			return nil, err
		}
		until := ""
		if kept[7] != "" {
			days, err := strconv.Atoi(kept[7])
			if err != nil {
				return nil, err
			}
			until = time.Unix(0, 0).UTC().AddDate(0, 0, days).Format(time.DateOnly)
		}
		text := strings.Join([]string{strings.TrimRight(fields[4], ","), map[bool]string{true: "must change"}[kept[2] == "0"], kept[4], until, secret}, "|")
		if locked {
			text += "|locked"
		}
		s["user "+login] = text
	}
	for name, fields := range rows["group"] {
		if _, own := rows["passwd"][name]; !own && len(fields[2]) == 4 {
			s["group "+name] = fields[2] + "|" + fields[3]
		}
	}
	homes, err := os.ReadDir(h.path("home"))
	if err != nil {
		return nil, err
	}
	for _, one := range homes {
		s["home "+one.Name()] = ""
	}
	return s, nil
}
