package main

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// nagvis makes a map, a user and a role, writes another text into a box that is drawn on a map and deletes the box next to
// it, sets a user's role, renames a map, and deletes a map, a user and a role: menus of a bar and of the right button,
// dialogs of several forms that say the same, an editor, two lists between which items are moved.
func nagvis() *app {
	return &app{
		name: "nagvis", about: "boxes drawn on a map, menus of a bar and of the right button, dialogs of several forms that say the same, an editor, two lists between which items are moved", held: true,
		needs: append([]need{{nagvisFiles + "/share/index.php", "apt-get install nagvis"}, {"/usr/bin/sqlite3", "apt-get install sqlite3"}}, phpNeeds...),
		start: startNagvis,
		values: func(run int) values {
			n := 12 + run
			return values{
				"map": oneOf(run, "pasture", "orchard", "meadow") + fmt.Sprint(n), "alias": fmt.Sprintf("Field %d", 3*n), "called": fmt.Sprintf("The field by gate %d", n), "listed": oneOf(run, "No", "Yes"),
				"open": nagvisAlias(nagvisMaps[run%4]), "box": nagvisBoxes[run%4], "text": fmt.Sprintf("Gate to row %d", 5*n), "x": fmt.Sprint(300 + n), "gone": nagvisBoxes[(2+run)%4],
				"login": oneOf(run, "wilma", "xaver", "yvonne") + fmt.Sprint(n), "secret": nagvisSecret(run), "known": nagvisUsers[run%4], "may": nagvisRoles[run%4], "left": nagvisUsers[4+(1+run)%4],
				"role": oneOf(run, "Reapers", "Drovers", "Bakers") + fmt.Sprint(n), "ended": nagvisRoles[4+(3+run)%4],
				"from": nagvisMaps[8+(1+run)%4], "to": oneOf(run, "terrace", "vineyard", "thicket") + fmt.Sprint(n), "dropped": nagvisMaps[4+(2+run)%4],
			}
		},
		named: map[string]string{"name": "login", "name_2": "role", "password_2": "secret"},
		signIn: func(p *person, who account) {
			p.fill("#user_login", who.user)
			p.fill("#user_pass", who.password)
			p.click("#submit")
		},
		flow: func(p *person, v values) {
			menu := func(name, item string) {
				p.click("#" + name + "-ddheader")
				p.click("#" + name + "-ddcontent a{" + item + "}")
			}
			done := func(form string) { p.click("#popupWindow #" + form + " input[type=submit]") }
			open := strings.TrimPrefix(v["open"], nagvisAlias(""))
			of := func(box string) string { return "#" + nagvisID(open, box) }
			act := func(box, item string) {
				p.rightClick(of(box) + "-label")
				p.click(of(box) + "-context a{" + item + "}")
			}
			menu("wui", "Manage Maps")
			p.fill("#create_map [name=name]", v["map"])
			p.fill("#create_map [name=alias]", v["alias"])
			done("create_map")
			p.at("show=" + v["map"])
			menu("map", "Map Options")
			p.refill("#addmodify #alias", v["called"])
			p.click("#toggle_show_in_multisite")
			p.choose("#show_in_multisite", v["listed"])
			done("addmodify")
			menu("views", v["open"])
			p.at("show=" + open)
			act(v["box"], "Unlock")
			act(v["box"], "Modify object")
			p.refill(".nicEdit-main", v["text"])
			p.refill("#addmodify #x", v["x"])
			done("addmodify")
			act(v["gone"], "Unlock")
			act(v["gone"], "Delete object")
			menu("user", "Manage Users")
			p.fill("#create [name=name]", v["login"])
			p.fill("#password1", v["secret"])
			p.fill("#create #password2", v["secret"])
			done("create")
			menu("user", "Manage Users")
			p.choose("#edit #user_id", v["known"])
			p.click("#roles_available option{" + v["may"] + "}")
			p.click("#add")
			done("edit")
			menu("user", "Manage Users")
			p.choose("#delete #user_id", v["left"])
			done("delete")
			menu("user", "Manage Roles")
			p.fill("#create [name=name]", v["role"])
			done("create")
			menu("user", "Manage Roles")
			p.choose("#delete #role_id", v["ended"])
			done("delete")
			menu("wui", "Manage Maps")
			p.choose("#rename_map [name=name]:not([type=hidden])", v["from"])
			p.fill("#new_name", v["to"])
			done("rename_map")
			menu("wui", "Manage Maps")
			p.choose("#delete_map [name=name]:not([type=hidden])", v["dropped"])
			done("delete_map")
		},
		want: func(s state, _ account, v values) {
			s["map "+v["map"]] = v["called"] + "|" + map[string]string{"Yes": "1", "No": "0"}[v["listed"]]
			open := strings.TrimPrefix(v["open"], nagvisAlias(""))
			s[nagvisKey(open, v["box"])] = strings.Join([]string{v["text"], v["x"], fmt.Sprint(nagvisTop(v["box"]))}, "|")
			delete(s, nagvisKey(open, v["gone"]))
			s["user "+v["login"]] = v["secret"] + "|"
			s["user "+v["known"]] = nagvisOld + "|" + v["may"]
			delete(s, "user "+v["left"])
			s["role "+v["role"]] = ""
			delete(s, "role "+v["ended"])
			rename := map[string]string{"map " + v["from"]: "map " + v["to"]}
			for _, text := range nagvisBoxes {
				rename[nagvisKey(v["from"], text)] = nagvisKey(v["to"], text)
			}
			for from, to := range rename {
				s[to] = s[from]
				delete(s, from)
			}
			delete(s, "map "+v["dropped"])
			for _, text := range nagvisBoxes {
				delete(s, nagvisKey(v["dropped"], text))
			}
		},
	}
}

// nagvisFiles are those of its package.
const nagvisFiles = "/usr/share/nagvis"

// These are there before. The first four maps may be drawn on, the next be deleted, and the last be renamed.
var (
	nagvisMaps  = []string{"barn", "dairy", "forge", "garden", "kiln", "loft", "mill", "smithy", "apiary", "bakery", "cellar", "dovecote"}
	nagvisBoxes = []string{"North door", "East door", "South door", "West door"} // of each map
	nagvisUsers = []string{"alma", "bert", "cleo", "dora", "emil", "fritz", "gerda", "henry"}
	nagvisRoles = []string{"Keepers", "Millers", "Weavers", "Shepherds", "Coopers", "Thatchers", "Farriers", "Tanners"}
)

func nagvisAlias(name string) string { return "The " + name }

// nagvisSide is the word by which a box is told from the others of its map, nagvisID what it is called in its file.
func nagvisSide(text string) string { return strings.ToLower(strings.Fields(text)[0]) }

func nagvisID(name, text string) string { return name + nagvisSide(text) }

func nagvisKey(name, text string) string { return "box " + name + " " + nagvisSide(text) }

func nagvisTop(text string) int { return 150 + 120*slices.Index(nagvisBoxes, text) }

func nagvisSecret(run int) string { return fmt.Sprintf("Walnut-%d-trees", 55+run) }

// nagvisOld is the password of all who are there before.
const nagvisOld = "Chestnut-leaf-3"

// nagvisLayOut lays out its files in a folder of the host, where they are in a system, and has its settings name no other.
// With the release of PHP in the system it takes for an error what is but no longer recommended.
const nagvisLayOut = `set -e
mkdir -p root etc/maps etc/conf.d etc/profiles var/tmpl/cache var/tmpl/compile
cp -rL /usr/share/nagvis/share share 2>copy.log || ! grep -v "cannot stat" copy.log
ln -s ../share root/nagvis
cp /etc/nagvis/nagvis.ini.php etc/
cp -r /etc/nagvis/geomap etc/
find share -name '*.php' -exec sed -i "s#'/etc/nagvis#'$PWD/etc#; s#'/var/cache/nagvis#'$PWD/var#; s#set_error_handler(\"nagvisExceptionErrorHandler\")#set_error_handler(\"nagvisExceptionErrorHandler\", E_ALL \& ~E_DEPRECATED)#" {} +
sed -i "s#^base=.*#base=\"$PWD/\"#; s#^backendtype=\"mklivestatus\"#backendtype=\"Test\"#; /^socket=/d" etc/nagvis.ini.php
`

func startNagvis(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	if _, err := h.run(ctx, nil, "sh", "-c", nagvisLayOut); err != nil {
		return nil, err
	}
	for _, name := range nagvisMaps {
		text := "define global {\n    alias=" + nagvisAlias(name) + "\n    backend_id=live_1\n}\n"
		for _, box := range nagvisBoxes {
			text += fmt.Sprintf("define textbox {\n    object_id=%s\n    x=300\n    y=%d\n    w=160\n    h=40\n    text=%s\n}\n", nagvisID(name, box), nagvisTop(box), box)
		}
		if err := h.write("etc/maps/"+name+".cfg", text); err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	const page = "/nagvis/frontend/nagvis-js/index.php"
	url, err := h.php(ctx, "root", page, port)
	if err != nil {
		return nil, err
	}
	// That page was the first that was asked for, which makes its database.
	settings, err := os.ReadFile(filepath.Join(nagvisFiles, "share/server/core/defines/global.php"))
	if err != nil {
		return nil, err
	}
	found := nagvisSalt.FindSubmatch(settings)
	if found == nil {
		return nil, fmt.Errorf("%s says nothing of passwords", nagvisFiles)
	}
	r := &nagvisReader{h: h, salt: string(found[1])}
	var rows string
	user := func(name, password string) {
		rows += fmt.Sprintf("insert into users (name, password) values ('%s', '%s');\n", name, r.hash(password))
	}
	for _, who := range accounts {
		user(who.user, who.password)
		rows += fmt.Sprintf("insert into users2roles select userId, roleId from users, roles where users.name = '%s' and roles.name = 'Administrators';\n", who.user)
	}
	for _, name := range nagvisUsers {
		user(name, nagvisOld)
	}
	for _, name := range nagvisRoles {
		rows += fmt.Sprintf("insert into roles (name) values ('%s');\n", name)
	}
	if _, err := h.run(ctx, nil, "sqlite3", "-cmd", ".timeout 20000", h.path("etc/auth.db"), "begin immediate;\n"+rows+"commit;"); err != nil {
		return nil, err
	}
	return &site{url: url + page, accounts: accounts, state: r.read}, nil
}

// nagvisSalt is what its passwords are hashed with.
var nagvisSalt = regexp.MustCompile(`'AUTH_PASSWORD_SALT', '(\w+)'`)

// nagvisTag is what an editor may put around a text.
var nagvisTag = regexp.MustCompile(`<[^>]*>`)

// nagvisReader reads the files of the maps and the database of who may do what.
type nagvisReader struct {
	h    *host
	salt string
}

func (r *nagvisReader) hash(password string) string {
	sum := sha1.Sum([]byte(r.salt + password))
	return hex.EncodeToString(sum[:])
}

func (r *nagvisReader) read(ctx context.Context) (state, error) {
	s := state{}
	files, err := filepath.Glob(r.h.path("etc/maps/*.cfg"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if err := readNagvisMap(file, s); err != nil {
			return nil, err
		}
	}
	known := map[string]string{r.hash(nagvisOld): nagvisOld}
	for run := range 20 { // as many as there may be runs
		known[r.hash(nagvisSecret(run))] = nagvisSecret(run)
	}
	const users = `select name, password, ifnull((select group_concat(r.name) from users2roles join roles r using (roleId) where users2roles.userId = users.userId), '') from users`
	rows, err := r.h.sqlite(ctx, r.h.path("etc/auth.db"), users)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		add(s, "user "+row[0], known[row[1]]+"|"+row[2])
	}
	// Roles of its own lose what they may do with maps that come with it and are not there, as soon as a map is deleted.
	const roles = `select name, (select group_concat(permId) from roles2perms where roleId = roles.roleId) from roles where roleId > 4`
	rows, err = r.h.sqlite(ctx, r.h.path("etc/auth.db"), roles)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		add(s, "role "+row[0], row[1])
	}
	return s, nil
}

// readNagvisMap reads the file of a map, whose boxes are known by what they are called in it.
func readNagvisMap(file string, s state) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(file), ".cfg")
	for part := range strings.SplitSeq(string(text), "define ") {
		kind, rest, _ := strings.Cut(part, " ")
		fields := map[string]string{}
		for line := range strings.Lines(rest) {
			if key, value, is := strings.Cut(strings.TrimSpace(line), "="); is {
				fields[strings.TrimSpace(key)] = strings.TrimSpace(value)
			}
		}
		shown := strings.TrimSpace(html.UnescapeString(nagvisTag.ReplaceAllString(fields["text"], "")))
		switch kind {
		case "": // what is before the first
		case "global":
			add(s, "map "+name, fields["alias"]+"|"+fields["show_in_multisite"])
		default:
			side := slices.IndexFunc(nagvisBoxes, func(one string) bool { return strings.HasSuffix(fields["object_id"], nagvisSide(one)) })
			if side < 0 {
				return fmt.Errorf("%s has what was not there before: %s", file, part)
			}
			add(s, nagvisKey(name, nagvisBoxes[side]), strings.Join([]string{shown, fields["x"], fields["y"]}, "|"))
		}
	}
	return nil
}
