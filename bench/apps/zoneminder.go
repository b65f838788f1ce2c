package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// zoneminder looks after cameras with ZoneMinder: pages of a server with Bootstrap and jQuery, lists
// that Chosen draws over those of the browser, tables that a script fills, tabs of a long form, dialogs
// that a request brings.
func zoneminder() *app {
	return &app{
		name: "zoneminder", about: "pages of a server with Bootstrap and jQuery, lists that Chosen draws over those of the browser, tables that a script fills, tabs of a long form, dialogs that a request brings", held: true,
		needs: append(append([]need{{"/usr/share/zoneminder/www/index.php", "apt-get install zoneminder"}}, phpNeeds...), mariadbNeeds...),
		start: startZoneMinder,
		named: map[string]string{"name": "filter", "username_2": "user2", "new_password": "secret"},
		values: func(run int) values {
			return values{
				"name": oneOf(run, "Gate", "Yard", "Barn", "Pond") + fmt.Sprintf(" %d", 20+run), "notes": fmt.Sprintf("On pole %d.", 4+run), "function": oneOf(run, "Nodect", "Modect", "Record"), "group": oneOf(run, "Outside", "Road", "Inside"),
				"path": fmt.Sprintf("rtsp://pole-%d.farm.example/live", 40+run), "by": oneOf(run, "UDP", "HTTP Tunnel", "UDP Multicast"), "width": fmt.Sprint(1280 + 16*run), "height": fmt.Sprint(704 + 16*run),
				"old": zoneminderCameras[(2+run)%len(zoneminderCameras)], "now": oneOf(run, "Monitor", "Mocord"), "filter": oneOf(run, "Foxes", "Crows", "Guests") + fmt.Sprintf(" %d", 7+run), "of": oneOf(run, "Cause", "Notes", "Name"), "is": oneOf(run, "not equal to", "equal to"), "text": fmt.Sprintf("tail-%d", 60+run),
				"user2": oneOf(run, "iris", "tom", "nora", "hugo") + fmt.Sprint(run), "secret": fmt.Sprintf("Walnut-%d-tree", 55+run), "language": oneOf(run, "en_gb", "fr_fr", "es_es"), "may": oneOf(run, "View", "Edit"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#inputUsername", who.user)
			p.fill("#inputPassword", who.password)
			p.click("form button[type=submit]")
		},
		flow: func(p *person, v values) {
			p.see("a{" + v["old"] + "}")
			p.click("button[name=addBtn]")
			p.refill("input[name='newMonitor[Name]']", v["name"])
			p.fill("textarea[name='newMonitor[Notes]']", v["notes"])
			p.choose("select[name='newMonitor[Type]']", "Ffmpeg")
			p.choose("select[name='newMonitor[Function]']", v["function"])
			p.click("select[name='newMonitor[GroupIds][]'] + .chosen-container")
			p.click("select[name='newMonitor[GroupIds][]'] + .chosen-container li{" + v["group"] + "}")
			p.click("#source-tab")
			p.fill("input[name='newMonitor[Path]']", v["path"])
			p.choose("select[name='newMonitor[Method]']", v["by"])
			p.refill("input[name='newMonitor[Width]']", v["width"])
			p.refill("input[name='newMonitor[Height]']", v["height"])
			p.click("#contentButtons button[value=save]")
			p.see("a{" + v["name"] + "}")
			p.click(fmt.Sprintf("tr:nth-child(%d) td.colFunction a", 1+slices.Index(zoneminderCameras, v["old"])))
			p.choose("#newFunction", v["now"])
			p.click("#modalFunction button{Save}")
			p.click("#getFilterHTML a")
			p.fill("input[name='filter[Name]']", v["filter"])
			p.click("select[name='filter[Query][terms][0][attr]'] + .chosen-container a")
			p.click("select[name='filter[Query][terms][0][attr]'] + .chosen-container li{" + v["of"] + "}")
			p.click("select[name='filter[Query][terms][0][op]'] + .chosen-container a")
			p.click("select[name='filter[Query][terms][0][op]'] + .chosen-container li{" + v["is"] + "}")
			p.fill("input[name='filter[Query][terms][0][val]']", v["text"])
			p.click("input[name='filter[AutoArchive]']")
			p.click("#Save")
			p.click("#getOptionsHTML a")
			p.click("a[href*='tab=users']")
			p.click("button{Add New User}")
			p.refill("input[name='newUser[Username]']", v["user2"])
			p.fill("input[name='newUser[Password]']", v["secret"])
			p.fill("input[name=conf_password]", v["secret"])
			p.choose("select[name='newUser[Language]']", v["language"])
			p.choose("select[name='newUser[Events]']", v["may"])
			p.click("#contentButtons button{Save}")
			p.see("a{" + v["user2"] + "}")
		},
		want: func(s state, who account, v values) {
			s["camera "+v["name"]] = strings.Join([]string{"Ffmpeg", v["function"], "1", v["path"], map[string]string{"UDP Multicast": "rtpMulti", "UDP": "rtpUni", "HTTP Tunnel": "rtpRtspHttp"}[v["by"]], v["width"], v["height"], v["notes"], v["group"]}, "|")
			if text, there := s["camera "+v["old"]]; there {
				parts := strings.Split(text, "|")
				parts[1] = v["now"]
				s["camera "+v["old"]] = strings.Join(parts, "|")
			}
			s["filter "+v["filter"]] = strings.Join([]string{v["of"] + " " + map[string]string{"equal to": "=", "not equal to": "!="}[v["is"]] + " " + v["text"], who.user, "1", "0"}, "|")
			s["user "+v["user2"]] = strings.Join([]string{"1", v["language"], "None", v["may"], "None", "None", v["secret"]}, "|")
		},
	}
}

// zoneminderCameras are there before.
var zoneminderCameras = []string{"Attic", "Cellar", "Hall", "Kitchen", "Porch"}

func startZoneMinder(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	socket, err := h.mariadb(ctx, "zm")
	if err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "sh", "-c", `mariadb --no-defaults --socket="$1" -u root </usr/share/zoneminder/db/zm_create.sql`, "sh", socket); err != nil {
		return nil, err
	}
	text := "use zm; update Config set Value = '1' where Name = 'ZM_OPT_USE_AUTH'; update Config set Value = '0' where Name in ('ZM_SHOW_PRIVACY', 'ZM_CHECK_FOR_UPDATES', 'ZM_TELEMETRY_DATA', 'ZM_LOG_LEVEL_SYSLOG', 'ZM_ENABLE_CSRF_MAGIC');" +
		"update Config set Value = '1.36.33' where Name in ('ZM_DYN_DB_VERSION', 'ZM_DYN_CURR_VERSION', 'ZM_DYN_LAST_VERSION'); update Config set Value = 'UTC' where Name = 'ZM_TIMEZONE'; delete from Users;"
	const can = "System, Stream, Events, Control, Monitors, `Groups`, Devices, Snapshots"
	for _, who := range accounts {
		hash, err := h.run(ctx, nil, "php", "-r", "echo password_hash($argv[1], PASSWORD_BCRYPT);", who.password)
		if err != nil {
			return nil, err
		}
		text += fmt.Sprintf("insert into Users (Username, Password, Language, Enabled, %s) values ('%s', '%s', '', 1, 'Edit', 'View', 'Edit', 'Edit', 'Edit', 'Edit', 'Edit', 'Edit');", can, who.user, hash)
	}
	for i, name := range zoneminderCameras {
		text += fmt.Sprintf("insert into Monitors (Name, Type, `Function`, Enabled, Path, Width, Height, Colours, Sequence) values ('%s', 'Ffmpeg', 'None', 0, 'rtsp://cam-%d.farm.example/', 640, 480, 4, %d);", name, i, 1+i)
	}
	for _, name := range []string{"Inside", "Outside", "Road"} {
		text += fmt.Sprintf("insert into `Groups` (Name) values ('%s');", name)
	}
	if _, err := h.query(ctx, socket, text); err != nil {
		return nil, err
	}
	if err := h.copyTree(ctx, "/usr/share/zoneminder/www", "www"); err != nil {
		return nil, err
	}
	const settings = `mkdir -p www/cache conf.d events logs run && sed -i "s|'/etc/zm/zm.conf'|'$PWD/zm.conf'|; s|'/etc/zm/conf.d'|'$PWD/conf.d'|; s|'/var/cache/zoneminder'|'$PWD/www/cache'|; s|'/tmp/zm'|'$PWD/run'|" www/includes/config.php`
	if _, err := h.run(ctx, nil, "sh", "-c", settings); err != nil {
		return nil, err
	}
	conf := "ZM_PATH_DATA=/usr/share/zoneminder\nZM_PATH_BIN=" + h.path("none") + "\nZM_PATH_LIB=/usr/lib\nZM_PATH_CONF=" + h.dir + "\nZM_PATH_WEB=" + h.path("www") + "\nZM_PATH_CGI=" + h.path("none") +
		"\nZM_WEB_USER=root\nZM_WEB_GROUP=root\nZM_DB_TYPE=mysql\nZM_DB_HOST=localhost:" + socket + "\nZM_DB_NAME=zm\nZM_DB_USER=zm\nZM_DB_PASS=zm\nZM_DB_SSL_CA_CERT=\nZM_DB_SSL_CLIENT_KEY=\nZM_DB_SSL_CLIENT_CERT=\nZM_SERVER_HOST=\n" +
		"ZM_DIR_EVENTS=" + h.path("events") + "\nZM_DIR_SOUNDS=sounds\nZM_DIR_EXPORTS=" + h.path("run") + "\nZM_PATH_ZMS=/none\nZM_PATH_MAP=" + h.path("run") + "\nZM_PATH_SOCKS=" + h.path("run") + "\nZM_PATH_LOGS=" + h.path("logs") + "\nZM_PATH_SWAP=" + h.path("run") + "\nZM_PATH_ARP=\nZM_PATH_SHUTDOWN=\nZM_PATH_FFMPEG=\n"
	if err := h.write("zm.conf", conf); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www", "/index.php", port, "date.timezone=UTC", "error_log="+h.path("php.log"))
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		s := state{}
		for kind, query := range map[string]string{
			"camera": "select Name, Type, `Function`, Enabled, Path, coalesce(Method, ''), Width, Height, coalesce(Notes, ''), (select coalesce(group_concat(g.Name order by g.Name), '') from zm.Groups_Monitors x join zm.`Groups` g on g.Id = x.GroupId where x.MonitorId = m.Id) from zm.Monitors m",
			"group":  "select Name, 'there' from zm.`Groups`",
			"user":   "select Username, Enabled, Language, Stream, Events, Control, Monitors, Password from zm.Users",
			"filter": "select f.Name, Query_json, coalesce(u.Username, ''), AutoArchive, AutoDelete from zm.Filters f left join zm.Users u on u.Id = f.UserId",
		} {
			rows, err := h.query(ctx, socket, query)
			if err != nil {
				return nil, err
			}
			for _, r := range rows {
				if kind == "filter" {
					r[1] = termsOf(r[1])
				}
				if kind == "user" {
					known, err := h.run(ctx, nil, "php", "-r", icingawebKnown, r[len(r)-1])
					if err != nil {
						return nil, err
					}
					r[len(r)-1] = strings.TrimSpace(known)
				}
				add(s, kind+" "+r[0], strings.Join(r[1:], "|"))
			}
		}
		return s, nil
	}
	return &site{url: url + "/index.php", accounts: accounts, state: read}, nil
}

// termsOf are the terms of a filter, as one says them.
func termsOf(query string) string {
	var asked struct {
		Terms []struct{ Attr, Op, Val string }
	}
	if err := json.Unmarshal([]byte(query), &asked); err != nil {
		return query
	}
	var said []string
	for _, t := range asked.Terms {
		said = append(said, t.Attr+" "+t.Op+" "+t.Val)
	}
	return strings.Join(said, ", ")
}
