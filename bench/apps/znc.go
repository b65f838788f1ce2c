package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
)

// znc keeps a bouncer's networks with ZNC's web admin: long forms from the server, rows of fields that a button adds and
// a hidden field sums up, a box for each of two dozen modules, links of rows that all say the same.
func znc() *app {
	return &app{
		name: "znc", about: "long forms from the server, rows of unnamed fields that a button adds and a hidden field sums up, a box for each of two dozen modules, links of rows that all say the same", held: true,
		needs: []need{{"/usr/bin/znc", "apt-get install znc"}},
		start: startZNC,
		named: map[string]string{"secret": "secret"},
		values: func(run int) values {
			return values{
				"name": oneOf(run, "meadow", "harbour", "quarry", "orchard"), "nick": oneOf(run, "nora", "hugo", "mina") + fmt.Sprint(run), "host": fmt.Sprintf("irc%d.farm.example", 4+run), "port": fmt.Sprint(7001 + run), "secret": fmt.Sprintf("Walnut-%d-tree", 55+run), "module": oneOf(run, "keepnick", "stickychan", "route_replies"),
				"chan": oneOf(run, "#lambs", "#geese", "#ploughs") + fmt.Sprint(run), "key": fmt.Sprintf("key%d", 30+run), "lines": fmt.Sprint(120 + run),
				"old": oneOf(run, "moor", "fen", "dale"), "bye": fmt.Sprintf("Off to field %d", 12+run),
				"request": oneOf(run, "VERSION", "TIME", "FINGER"), "reply": fmt.Sprintf("Ask at gate %d", 8+run), "skin": oneOf(run, "forest", "ice", "dark-clouds"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#user", who.user)
			p.fill("#pass", who.password)
			p.click("input[value=Login]")
		},
		flow: func(p *person, v values) {
			p.click("#menu a{Your Settings}")
			p.click("a[href*=addnetwork]")
			p.fill("#name", v["name"])
			p.refill("#nick", v["nick"])
			p.click("#doconnect_checkbox")
			p.click("#servers_add")
			p.fill(".servers_row_host", v["host"])
			p.refill(".servers_row_port", v["port"])
			p.fill(".servers_row_pass", v["secret"])
			p.click("#lm_" + v["module"])
			p.click("input[value='Add Network and continue']")
			p.click("a[href*=addchan]")
			p.fill("#name", v["chan"])
			p.fill("#key", v["key"])
			p.refill("#buffersize", v["lines"])
			p.click("#opt_detached")
			p.click("input[value='Add Channel and return']")
			p.click("#menu a{Your Settings}")
			p.click("a[href*='editnetwork'][href$='network=" + v["old"] + "']")
			p.refill("#quitmsg", v["bye"])
			p.click("input[value='Save and return']")
			p.click("#ctcpreplies_add")
			p.fill("#ctcpreplies_tbody tr:last-child .ctcpreplies_row_request", v["request"])
			p.fill("#ctcpreplies_tbody tr:last-child .ctcpreplies_row_response", v["reply"])
			p.choose("#skin", v["skin"])
			p.click("input[value='Save and return']")
			p.see("a[href*=adduser]")
		},
		want: func(s state, who account, v values) {
			network := who.user + "/" + v["name"]
			modules := []string{"simple_away", v["module"]} // one is there by default
			slices.Sort(modules)
			zncSet(s, network, "Nick", v["nick"], "Server", v["host"]+" +"+v["port"]+" "+v["secret"], "LoadModule", strings.Join(modules, zncAnd), "Encoding", "^UTF-8", "FloodBurst", "9", "FloodRate", "2.00", "IRCConnectEnabled", "false", "JoinDelay", "0", "TrustAllCerts", "false", "TrustPKI", "true")
			zncSet(s, network+"/"+v["chan"], "Key", v["key"], "Buffer", v["lines"], "Detached", "true", "Disabled", "true")
			zncSet(s, who.user+"/"+v["old"], "QuitMsg", v["bye"])
			replies := append(strings.Split(s[who.user+" CTCPReply"], zncAnd), v["request"]+" "+v["reply"])
			slices.Sort(replies)
			zncSet(s, who.user, "CTCPReply", strings.Join(replies, zncAnd), "Skin", v["skin"])
		},
	}
}

// zncAnd is between the values of what a section has several lines for.
const zncAnd = "; and "

// zncSet sets what a section of the settings has lines for.
func zncSet(s state, section string, fields ...string) {
	for i := 0; i < len(fields); i += 2 {
		s[section+" "+fields[i]] = fields[i+1]
	}
}

const zncListener = `Version = 1.8.2
LoadModule = webadmin
<Listener web>
	Port = %d
	Host = 127.0.0.1
	IPv6 = false
	AllowIRC = false
</Listener>
`

// zncOld are the networks of each account before, and zncReplies what it answers.
var zncOld = [2][]string{{"fen", "moor", "dale"}, {"brook", "dale", "copse", "fen", "heath", "moor", "weald"}}
var zncReplies = [2][]string{{"SOURCE The farm"}, {"ERRMSG None", "SOURCE The lake", "USERINFO Grace"}}

func startZNC(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	config := fmt.Sprintf(zncListener, port)
	for i, who := range accounts {
		config += fmt.Sprintf("<User %s>\n\tAdmin = true\n\tAllow = *\n\tMaxNetworks = 20\n\t<Pass password>\n\t\tMethod = plain\n\t\tHash = %s\n\t</Pass>\n", who.user, who.password)
		for _, reply := range zncReplies[i] {
			config += "\tCTCPReply = " + reply + "\n"
		}
		for _, name := range zncOld[i] {
			config += fmt.Sprintf("\t<Network %s>\n\t\tIRCConnectEnabled = false\n\t\tServer = %s.example 6667\n\t\t<Chan #%s>\n\t\t</Chan>\n\t</Network>\n", name, name, name)
		}
		config += "</User>\n"
	}
	if err := h.write("znc/configs/znc.conf", config); err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "chown", "-R", "_znc", "znc"); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "setpriv", "--reuid=_znc", "--clear-groups", "znc", "--foreground", "--datadir", h.path("znc")) // as root it waits for half a minute
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	if err := server.cmd.Process.Signal(syscall.SIGUSR1); err != nil { // it writes what is left to its defaults, too
		return nil, err
	}
	read := func(context.Context) (state, error) { return readZNC(h) }
	written := func(ctx context.Context) error {
		s, err := read(ctx)
		if err == nil && s["ada JoinTries"] == "" {
			err = fmt.Errorf("the settings are not written")
		}
		return err
	}
	return &site{url: url, accounts: accounts, state: read}, server.up(ctx, written)
}

// readZNC reads the sections of its settings.
func readZNC(h *host) (state, error) {
	text, err := os.ReadFile(h.path("znc/configs/znc.conf"))
	if err != nil {
		return nil, err
	}
	s := state{}
	var at []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		key, value, is := strings.Cut(line, " = ")
		switch {
		case strings.HasPrefix(line, "</"):
			at = at[:len(at)-1]
		case strings.HasPrefix(line, "<"):
			_, name, _ := strings.Cut(strings.Trim(line, "<>"), " ")
			at = append(slices.Clip(at), name)
		case is:
			add(s, strings.TrimSpace(strings.Join(at, "/")+" "+key), value)
		}
	}
	return s, nil
}
