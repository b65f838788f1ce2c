package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// cncjs readies a milling machine with CNCjs: a workspace of boxes that React draws, pictures for
// buttons, switches that are links, a menu whose choice goes into a text at its caret, rows of a
// drawn table with switches and buttons of their own, dialogs.
func cncjs() *app {
	return &app{
		name: "cncjs", about: "a workspace of boxes that React draws, pictures for buttons, switches that are links, a menu whose choice goes into a text at its caret, rows of a drawn table with switches and buttons of their own, dialogs", held: true,
		needs: cncjsPackage.needs(cncjsProgram),
		start: startCNCjs,
		named: map[string]string{"name": "macro", "macro_name": "macro", "username_2": "mate", "title": "title", "password_2": "secret", "confirm_password": "secret"},
		values: func(run int) values {
			return values{
				"macro": oneOf(run, "Face", "Pocket", "Chamfer", "Engrave") + fmt.Sprintf(" %d", 4+run), "code": fmt.Sprintf("G0 F%d X", 300+run), "variable": oneOf(run, "[xmax]", "[xmin]", "[ymax]", "[zmax]"), "old": oneOf(run, "Square", "Drill", "Probe"), "lines": fmt.Sprintf("G1 Z-%d", 2+run),
				"title": oneOf(run, "Vent", "Horn", "Lamp", "Brush") + fmt.Sprintf(" %d", 20+run), "shell": fmt.Sprintf("relay %d on", 5+run), "off": cncjsCommands[(2+3*run)%8], "now": fmt.Sprintf("relay %d off", 40+run),
				"event": oneOf(run, "Feed Hold", "Homing", "Cycle Start", "Sleep"), "trigger": oneOf(run, "System", "G-code"), "then": fmt.Sprintf("beep %d", 70+run), "mate": oneOf(run, "iris", "tom", "nora", "hugo") + fmt.Sprint(run), "secret": fmt.Sprintf("Walnut-%d-tree", 55+run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[placeholder=Username]", who.user)
			p.fill("input[placeholder=Password]", who.password)
			p.click("form button")
			p.see("a[aria-label='New macro']")
		},
		flow: func(p *person, v values) {
			const dialog = "[class*=modal-content] "
			ok := func() { p.click(dialog + "button{OK}") }
			p.click("a[aria-label='New macro']")
			p.fill(dialog+"input[name=name]", v["macro"])
			p.fill(dialog+"textarea", v["code"])
			p.click(dialog + "button{Macro Variables}")
			p.click(dialog + "[role=menuitem]{" + v["variable"] + "}")
			ok()
			p.see("td{" + v["macro"] + "}")
			p.click("button[aria-label='Edit macro: " + v["old"] + "']")
			p.refill(dialog+"textarea", v["lines"])
			p.click(dialog + "button{Save Changes}")
			p.click("#sidebar a[aria-label=Settings]")
			p.click("[role=main] a{Commands}")
			p.see("[role=main] a{" + v["off"] + "}")
			p.click("[role=main] button{Add}")
			p.fill(dialog+"input[name=title]", v["title"])
			p.fill(dialog+"textarea", v["shell"])
			p.click(dialog + "a[aria-label='Enable command']")
			ok()
			p.see("[role=main] a{" + v["title"] + "}")
			p.click("[role=main] a{" + v["off"] + "}")
			p.refill(dialog+"textarea", v["now"])
			p.click(dialog + "a[aria-label='Enable command: " + v["off"] + "'], " + dialog + "a[aria-label='Enable command']")
			ok()
			p.see("[role=main] pre{" + v["now"] + "}")
			p.click("[role=main] a{Events}")
			p.click("[role=main] button{Add}")
			p.choose(dialog+"select[name=event]", v["event"])
			p.choose(dialog+"select[name=trigger]", v["trigger"])
			p.fill(dialog+"textarea", v["then"])
			ok()
			p.see("[role=main] pre{" + v["then"] + "}")
			p.click("[role=main] a{User Accounts}")
			p.click("[role=main] button{New Account}")
			p.fill(dialog+"input[name=name]", v["mate"])
			p.fill(dialog+"input[name=password]", v["secret"])
			p.fill(dialog+"input[name=confirm]", v["secret"])
			ok()
			p.see("[role=main] a{" + v["mate"] + "}")
		},
		want: func(s state, _ account, v values) {
			s["macro "+v["macro"]] = v["code"] + v["variable"]
			s["macro "+v["old"]] = v["lines"]
			s["command "+v["title"]] = "off|" + v["shell"]
			turned := "off|" // a switch is turned, whichever way it stands
			if strings.HasPrefix(s["command "+v["off"]], "off|") {
				turned = "on|"
			}
			s["command "+v["off"]] = turned + v["now"]
			s["event "+v["then"]] = strings.Join([]string{"on", map[string]string{"Feed Hold": "feedhold", "Homing": "homing", "Cycle Start": "cyclestart", "Sleep": "sleep"}[v["event"]], map[string]string{"System": "system", "G-code": "gcode"}[v["trigger"]]}, "|")
			s["user "+v["mate"]] = "on|" + v["secret"]
		},
	}
}

var cncjsPackage = npm{"cncjs", "1.11.5", ""}

const cncjsProgram = "cncjs/bin/cncjs"

// cncjsCommands are commands that are there before.
var cncjsCommands = []string{"Bell", "Cool down", "Dust", "Fan", "Lights", "Park", "Pump", "Vacuum"}

// cncjsSecret is a program that makes hashes of passwords, and cncjsKnown one that tells which of those that are
// typed in a flow hashes are made of.
const (
	cncjsSecret = `const {hashSync, genSaltSync} = require("bcrypt-nodejs"); console.log(process.argv.slice(1).map((text) => hashSync(text, genSaltSync(4))).join("\n"));`
	cncjsKnown  = `const {compareSync} = require("bcrypt-nodejs");
for (const hash of process.argv.slice(1)) console.log([55, 56, 57, 58, 59, 60].map((n) => "Walnut-" + n + "-tree").find((text) => compareSync(text, hash)) ?? "");`
)

func startCNCjs(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	modules := []string{"NODE_PATH=" + h.npm(cncjsPackage, "")}
	out, err := h.run(ctx, modules, "node", "-e", cncjsSecret, accounts[0].password, accounts[1].password)
	if err != nil {
		return nil, err
	}
	hashes := strings.Fields(out)
	type object = map[string]any
	var users, commands, macros []object
	for i, who := range accounts {
		users = append(users, object{"id": fmt.Sprint("user", i), "mtime": 1 + i, "enabled": true, "name": who.user, "password": hashes[i]})
	}
	for i, title := range cncjsCommands {
		commands = append(commands, object{"id": fmt.Sprint("command", i), "mtime": 1 + i, "enabled": true, "title": title, "commands": "true"})
	}
	for i, name := range []string{"Drill", "Probe", "Square"} {
		macros = append(macros, object{"id": fmt.Sprint("macro", i), "mtime": 1 + i, "name": name, "content": "G0 X0"})
	}
	settings, err := json.Marshal(object{
		"state": object{"allowAnonymousUsageDataCollection": false, "checkForUpdates": false, "controller": object{"exception": object{"ignoreErrors": false}}}, "secret": "a-secret-of-a-mill",
		"users": users, "commands": commands, "macros": macros, "events": []object{},
	})
	if err != nil {
		return nil, err
	}
	if err := h.write("mill/.cncrc", string(settings)); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, []string{"HOME=" + h.dir, "TZ=UTC"}, "node", h.npm(cncjsPackage, cncjsProgram), "--host", "127.0.0.1", "--port", fmt.Sprint(port), "--config", h.path("mill/.cncrc"))
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		s := state{}
		data, err := os.ReadFile(h.path("mill/.cncrc"))
		if err != nil {
			return nil, err
		}
		var kept struct {
			Users []struct {
				Name, Password string
				Enabled        bool
			}
			Commands []struct {
				Title, Commands string
				Enabled         bool
			}
			Events []struct {
				Event, Trigger, Commands string
				Enabled                  bool
			}
			Macros []struct{ Name, Content string }
		}
		if err := json.Unmarshal(data, &kept); err != nil {
			return nil, err
		}
		is := map[bool]string{true: "on", false: "off"}
		args := []string{"-e", cncjsKnown}
		for _, u := range kept.Users {
			args = append(args, u.Password)
		}
		known, err := h.run(ctx, modules, "node", args...)
		if err != nil {
			return nil, err
		}
		secrets := strings.Split(known, "\n")
		for i, u := range kept.Users {
			add(s, "user "+u.Name, is[u.Enabled]+"|"+secrets[i])
		}
		for _, c := range kept.Commands {
			add(s, "command "+c.Title, is[c.Enabled]+"|"+c.Commands)
		}
		for _, e := range kept.Events {
			add(s, "event "+e.Commands, strings.Join([]string{is[e.Enabled], e.Event, e.Trigger}, "|"))
		}
		for _, m := range kept.Macros {
			add(s, "macro "+m.Name, m.Content)
		}
		return s, nil
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	return &site{url: url, accounts: accounts, state: read}, server.up(ctx, answers(url))
}
