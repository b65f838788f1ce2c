package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// converse talks with others through Converse.js and Prosody: components of Lit whose names in the
// document are new each time, menus that open next to their buttons, a list under a field that is
// narrowed as one types, a picker of signs that is searched, dialogs, a form that the server describes.
func converse() *app {
	return &app{
		name: "converse", about: "components of Lit whose names in the document are new each time, menus that open next to their buttons, a list under a field that is narrowed as one types, a picker of signs, dialogs, a form that the server describes", held: true,
		needs: slices.Concat(conversePackage.needs(converseScript), []need{{"/usr/bin/prosody", "apt-get install prosody"}, {"/usr/share/doc/lua-dbi-sqlite3", "apt-get install lua-dbi-sqlite3"}}, phpNeeds),
		start: startConverse,
		named: map[string]string{"name": "jid", "name_2": "name", "name_3": "renamed"},
		values: func(run int) values {
			return values{
				"jid": fmt.Sprintf("peer%d@farm.example", 40+run), "name": oneOf(run, "Ines Roy", "Kofi Hall", "Lea Braun") + fmt.Sprintf(" %d", 2+run), "begin": oneOf(run, "Mi", "Ba", "Da"), "group": oneOf(run, "Mill", "Barn", "Dairy"),
				"who": converseContacts[run%6].name, "text": fmt.Sprintf("The calf is %d days old. ", 30+run), "word": oneOf(run, "tractor", "rooster", "snail"), "sign": oneOf(run, "🚜", "🐓", "🐌"), "renamed": oneOf(run, "Aunt", "Vet", "Smith") + fmt.Sprintf(" of gate %d", 7+run),
				"room": fmt.Sprintf("harvest-%d@rooms.farm.example", 20+run), "nick": oneOf(run, "Miller", "Shepherd", "Carter") + fmt.Sprint(run), "title": fmt.Sprintf("Harvest of year %d", 31+run), "about": fmt.Sprintf("Who mows field %d.", 12+run), "seen": oneOf(run, "Anyone", "Moderators only"), "kept": fmt.Sprint(35 + run), "said": fmt.Sprintf("We begin at gate %d.", 50+run),
				"gone": converseContacts[(3+run)%6].name,
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#converse-login-jid", who.user)
			p.fill("#converse-login-password", who.password)
			p.click("#converse-login button[type=submit]")
			p.see(".contact-name{Uma Stone}")
		},
		flow: func(p *person, v values) {
			const dialog = ".modal.show "
			p.click(".dropdown--contacts > button")
			p.click("a.add-contact")
			p.fill(dialog+"input[name=jid]", v["jid"])
			p.fill(dialog+"input[name=name]", v["name"])
			p.click(dialog + "input[name=groups]")
			p.typing(v["begin"])
			p.click(dialog + "li{" + v["group"] + "}")
			p.click(dialog + "button{Add}")
			p.see(".contact-name{" + v["name"] + "}")
			p.click(".contact-name{" + v["who"] + "}")
			p.fill("textarea.chat-textarea", v["text"])
			p.click(".toggle-emojis")
			p.fill(".emoji-search", v["word"])
			p.click("li.emoji:not(.hidden) a{" + v["sign"] + "}")
			p.click(".send-button")
			p.see(".chat-msg__text")
			p.click("converse-chat-heading .dropdown-toggle")
			p.click(".show-user-details-modal")
			p.click("#edit-tab")
			p.refill(dialog+"input[name=name]", v["renamed"])
			p.click(dialog + "button{Update}")
			p.see(".contact-name{" + v["renamed"] + "}")
			p.click("#chatrooms .dropdown-toggle")
			p.click("a.show-add-muc-modal")
			p.fill(dialog+"input[name=chatroom]", v["room"])
			p.fill(dialog+"input[name=nickname]", v["nick"])
			p.click(dialog + "input[name=join]")
			p.see(".chat-head-chatroom .chatbox-title__text{" + converseRoom(v["room"]) + "}")
			p.click(".chat-head-chatroom .dropdown-toggle")
			p.click(".configure-chatroom-button")
			p.fill(dialog+"input[name='muc#roomconfig_roomname']", v["title"])
			p.fill(dialog+"input[name='muc#roomconfig_roomdesc']", v["about"])
			p.click(dialog + "input[name='muc#roomconfig_persistentroom']")
			p.choose(dialog+"select[name='muc#roomconfig_whois']", v["seen"])
			p.refill(dialog+"input[name='muc#roomconfig_historylength']", v["kept"])
			p.click(dialog + "input[type=submit]")
			p.see(".chat-head-chatroom .chatbox-title__text{" + v["title"] + "}")
			p.fill("converse-muc textarea.chat-textarea", v["said"])
			p.press("Enter")
			contact := "li:has([data-jid='" + converseAddress(v["gone"]) + "'])"
			p.hover(contact)
			p.click(contact + " .dropdown-toggle")
			p.click(contact + " a.remove-xmpp-contact")
			p.click(dialog + "button{Confirm}")
		},
		want: func(s state, who account, v values) {
			contact := func(address string) string { return who.user + " knows " + address }
			s[contact(v["jid"])] = v["name"] + "|" + v["group"] + "|none|subscribe"
			if text, there := s[contact(converseAddress(v["who"]))]; there {
				s[contact(converseAddress(v["who"]))] = v["renamed"] + strings.TrimPrefix(text, v["who"])
			}
			for _, side := range [][2]string{{who.user, converseAddress(v["who"])}, {converseAddress(v["who"]), who.user}} {
				add(s, side[0]+" has with "+side[1], v["text"]+v["sign"])
			}
			room := v["room"]
			s["room "+room] = strings.Join([]string{v["title"], v["about"], "true", map[string]string{"Anyone": "anyone"}[v["seen"]], v["kept"]}, "|")
			add(s, room+" has with "+v["nick"], v["said"])
			s[who.user+" keeps "+room] = v["nick"] + "|true"
			delete(s, contact(converseAddress(v["gone"])))
		},
	}
}

var conversePackage = npm{"converse.js", "14.0.0", ""}

const converseScript = "converse.js/dist/converse.min.js"

// converseContacts are whom both accounts know before.
var converseContacts = []struct{ name, group string }{{"Tom Ode", "Barn"}, {"Nora Vale", "Mill"}, {"Iris Ruiz", "Barn"}, {"Hugo Lind", "Mill"}, {"Jo Park", "Dairy"}, {"Mina Sato", "Dairy"}, {"Uma Stone", "Barn"}}

func converseAddress(name string) string {
	first, _, _ := strings.Cut(strings.ToLower(name), " ")
	return first + "@farm.example"
}

// converseRoom is how a room is called at first.
func converseRoom(address string) string {
	name, _, _ := strings.Cut(address, "@")
	return name
}

// prosodySettings are those of the server, with its port and the folder it is in.
const prosodySettings = `run_as_root = true
data_path = "%[2]s/data"
pidfile = "%[2]s/prosody.pid"
certificates = "%[2]s/data"
modules_enabled = { "disco"; "roster"; "saslauth"; "blocklist"; "bookmarks"; "carbons"; "pep"; "private"; "smacks"; "vcard4"; "vcard_legacy"; "ping"; "mam"; "websocket"; "http_files"; "posix" }
modules_disabled = { "s2s"; "tls" }
c2s_ports = { }
http_ports = { %[1]d }
http_interfaces = { "127.0.0.1" }
https_ports = { }
http_files_dir = "%[2]s/www"
http_paths = { files = "/" }
http_default_host = "farm.example"
consider_websocket_secure = true
c2s_require_encryption = false
allow_unencrypted_plain_auth = true
authentication = "internal_plain"
storage = "sql"
sql = { driver = "SQLite3", database = "prosody.sqlite" }
log = { info = "*console" }
VirtualHost "farm.example"
Component "rooms.farm.example" "muc"
  modules_enabled = { "muc_mam" }
`

// conversePage is a page with nothing but Converse.js.
const conversePage = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Talk</title><link rel="stylesheet" href="/dist/converse.min.css"></head>
<body class="converse-fullscreen"><div id="conversejs-bg"></div>
<script type="module">
import "/dist/converse.min.js";
converse.initialize({assets_path: "/dist/", websocket_url: "ws://" + location.host + "/xmpp-websocket", view_mode: "fullscreen", theme: "classic", discover_connection_methods: false, blacklisted_plugins: ["converse-omemo"], play_sounds: false, i18n: "en"});
</script></body></html>
`

func startConverse(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada@farm.example", "Analytical-7"}, {"grace@farm.example", "Compiler-19"}}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	settings := h.path("prosody.cfg.lua")
	if err := h.write("prosody.cfg.lua", fmt.Sprintf(prosodySettings, port, h.dir)); err != nil {
		return nil, err
	}
	if err := h.write("www/index.html", conversePage); err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "sh", "-c", `mkdir -p data && ln -s "$(dirname "$1")" www/dist`, "sh", h.npm(conversePackage, converseScript)); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "prosody", "--config", settings, "-F")
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	known := map[string]string{}
	for _, who := range accounts {
		known[who.user] = who.password
	}
	for _, c := range converseContacts {
		known[converseAddress(c.name)] = "Walnut-55-tree"
	}
	var fill []string
	for user, password := range known {
		user, _, _ = strings.Cut(user, "@")
		fill = append(fill, fmt.Sprintf("('farm.example', '%s', 'accounts', 'password', 'string', '%s')", user, password))
	}
	for _, who := range accounts {
		user, _, _ := strings.Cut(who.user, "@")
		for _, c := range converseContacts {
			fill = append(fill, fmt.Sprintf(`('farm.example', '%s', 'roster', '%s', 'json', '{"subscription": "both", "name": "%s", "groups": {"%s": true}}')`, user, converseAddress(c.name), c.name, c.group))
		}
	}
	if _, err := h.sqlite(ctx, h.path("data/prosody.sqlite"), "insert into prosody values "+strings.Join(fill, ", ")); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) { return converseState(ctx, h) }
	return &site{url: url, accounts: accounts, state: read}, nil
}

// converseState is whom the accounts know, which rooms there are, and what was said where.
func converseState(ctx context.Context, h *host) (state, error) {
	file := h.path("data/prosody.sqlite")
	rows, err := h.sqlite(ctx, file, `select store, user || '@' || host, "key", value from prosody where store in ('roster', 'config', 'blocklist', 'vcard')`)
	if err != nil {
		return nil, err
	}
	s := state{}
	for _, r := range rows {
		switch {
		case r[0] == "roster" && strings.Contains(r[2], "@"):
			var c struct {
				Name, Subscription, Ask string
				Groups                  map[string]bool
			}
			if err := json.Unmarshal([]byte(r[3]), &c); err != nil {
				return nil, err
			}
			add(s, r[1]+" knows "+r[2], strings.TrimSuffix(strings.Join([]string{c.Name, strings.Join(slices.Sorted(maps.Keys(c.Groups)), ","), c.Subscription, c.Ask}, "|"), "|"))
		case r[0] == "config" && r[2] == "_data":
			var c struct {
				Name, Description, Whois string
				Persistent               bool
				History                  int `json:"history_length"`
			}
			if err := json.Unmarshal([]byte(r[3]), &c); err != nil {
				return nil, err
			}
			add(s, "room "+r[1], fmt.Sprintf("%s|%s|%t|%s|%d", c.Name, c.Description, c.Persistent, c.Whois, c.History))
		case r[0] == "blocklist" || r[0] == "vcard":
			add(s, r[1]+" "+r[0], r[3])
		}
	}
	rows, err = h.sqlite(ctx, file, `select store, user || '@' || host, "with", "key", value from prosodyarchive where store <> 'offline' order by sort_id`)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		body := converseBody.FindStringSubmatch(r[4])
		switch {
		case r[0] == "pep_urn:xmpp:bookmarks:1":
			add(s, r[1]+" keeps "+r[3], converseText(converseNick, r[4])+"|"+converseAttribute(r[4], "autojoin")) // its name is put right when one signs in again
		case body != nil:
			_, nick, _ := strings.Cut(converseAttribute(r[4], "from"), "/")
			with := strings.TrimPrefix(r[2], "message<groupchat")
			if r[0] == "muc_log" {
				with = nick
			}
			add(s, r[1]+" has with "+with, body[1])
		}
	}
	return s, nil
}

var (
	converseBody = regexp.MustCompile(`<body>([^<]*)</body>`)
	converseNick = regexp.MustCompile(`<nick>([^<]*)</nick>`)
)

// converseText is what an expression finds in a text, "" where it finds nothing.
func converseText(what *regexp.Regexp, text string) string {
	found := what.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return found[1]
}

// converseAttribute is the first attribute of a name.
func converseAttribute(text, name string) string {
	return converseText(regexp.MustCompile(` `+name+`='([^']*)'`), text)
}
