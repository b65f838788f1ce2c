package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// signalk keeps what a boat knows of itself with Signal K: pages that React draws with CoreUI, a
// menu whose parts fold out, rows of tables that open a form below them, switches drawn over check
// boxes, lists that bring other fields.
func signalk() *app {
	return &app{
		name: "signalk", about: "pages that React draws with CoreUI, a menu whose parts fold out, rows of tables that open a form below them, switches drawn over check boxes, lists that bring other fields", held: true,
		needs: signalkPackage.needs(signalkProgram),
		start: startSignalK,
		named: map[string]string{"password_2": "secret", "name": "name", "username_2": "mate"},
		values: func(run int) values {
			return values{
				"name": oneOf(run, "Heron", "Petrel", "Dunlin", "Curlew") + fmt.Sprintf(" %d", 7+run), "kind": oneOf(run, "Fishing", "Sailing", "Tug", "Pleasure"), "length": fmt.Sprint(11 + run),
				"id": oneOf(run, "wind", "radar", "sonar", "log") + fmt.Sprintf("-%d", 31+run), "by": oneOf(run, "UDP", "TCP Client", "GPSD"), "event": fmt.Sprintf("nmea%d", 40+run), "not": oneOf(run, "RMC,ROT", "GLL,VTG", "GSV,GSA", "DBT,MTW"),
				"old": signalkOld[(1+run)%len(signalkOld)], "heard": fmt.Sprintf("bus%d", 70+run), "mate": oneOf(run, "iris", "tom", "nora", "hugo") + fmt.Sprint(run), "secret": fmt.Sprintf("Walnut-%d-tree", 55+run), "may": oneOf(run, "Read/Write", "Admin", "Read Only"),
				"hand": signalkHands[(1+run)%len(signalkHands)],
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[name=username]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("main button{Login}")
			p.see(".sidebar a{Security}")
		},
		flow: func(p *person, v values) {
			p.click(".sidebar a{Server}")
			p.click(".sidebar a[href='#/serverConfiguration/settings']")
			p.refill("main input[name=name]", v["name"])
			p.choose("main select[name=aisShipType]", v["kind"])
			p.refill("main input[name=length]", v["length"])
			p.click("main .card:has(input[name=name]) .card-footer button{Save}")
			p.click(".sidebar a[href='#/serverConfiguration/connections/-']")
			p.see("main td{" + v["old"] + "}")
			p.click("main button{Add}")
			p.choose("main select[name=type]", "NMEA 0183")
			p.click("main label.switch:has(input[name=enabled])")
			p.fill("main input[name=id]", v["id"])
			p.choose("main select[name='options.type']", v["by"])
			p.fill("main input[name='options.sentenceEvent']", v["event"])
			p.click("main label.switch:has(input[name='options.removeNulls'])")
			p.fill("main input[name='options.ignoredSentences']", v["not"])
			p.click("main button{Apply}")
			p.see("main td{" + v["id"] + "}")
			p.click("main td{" + v["old"] + "}")
			p.refill("main input[name='options.sentenceEvent']", v["heard"])
			p.click("main button{Apply}")
			p.click(".sidebar a{Security}")
			p.click(".sidebar a[href='#/security/users']")
			p.see("main td{" + v["hand"] + "}")
			p.click("main button{Add}")
			p.fill("main input[name=userId]", v["mate"])
			p.fill("main input[name=password]", v["secret"])
			p.fill("main input[name=confirmPassword]", v["secret"])
			p.choose("main select[name=type]", v["may"])
			p.click("main button{Apply}")
			p.see("main td{" + v["mate"] + "}")
			p.click("main td{" + v["hand"] + "}")
			p.choose("main select[name=type]", "Admin")
			p.click("main button{Apply}")
			p.see("main td{Admin}")
		},
		want: func(s state, _ account, v values) {
			s["boat"] = v["name"] + "|" + v["kind"] + "|" + v["length"]
			s["connection "+v["id"]] = strings.Join([]string{"off", map[string]string{"UDP": "udp", "TCP Client": "tcp", "GPSD": "gpsd"}[v["by"]], v["event"], v["not"], "without nulls"}, "|")
			s["connection "+v["old"]] = "off|udp|" + v["heard"] + "||"
			s["user "+v["mate"]] = map[string]string{"Read/Write": "readwrite", "Admin": "admin", "Read Only": "readonly"}[v["may"]] + "|" + v["secret"]
			s["user "+v["hand"]] = "admin|"
		},
	}
}

var signalkPackage = npm{"signalk-server", "2.23.0", ""}

const signalkProgram = "signalk-server/bin/signalk-server"

// signalkOld are connections that are there before, and signalkHands users.
var (
	signalkOld   = []string{"compass", "depth", "gps", "pilot"}
	signalkHands = []string{"alma", "bert", "cleo", "dora", "emil"}
)

// signalkSecret is a program that makes hashes of passwords, and signalkKnown one that tells which of those
// that are typed in a flow hashes are made of.
const (
	signalkSecret = `const {hashSync} = require("bcryptjs"); console.log(process.argv.slice(1).map((text) => hashSync(text, 4)).join("\n"));`
	signalkKnown  = `const {compareSync} = require("bcryptjs");
for (const hash of process.argv.slice(1)) console.log([55, 56, 57, 58, 59, 60].map((n) => "Walnut-" + n + "-tree").find((text) => compareSync(text, hash)) ?? "");`
)

func startSignalK(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	modules := []string{"NODE_PATH=" + h.npm(signalkPackage, "")}
	// It looks for its pages below its own folder, where npm puts them only if there are others.
	if _, err := h.run(ctx, nil, "sh", "-c", `mkdir -p "$1/node_modules" && ln -sfn ../../@signalk "$1/node_modules/@signalk"`, "sh", h.npm(signalkPackage, "signalk-server")); err != nil {
		return nil, err
	}
	out, err := h.run(ctx, modules, "node", "-e", signalkSecret, accounts[0].password, accounts[1].password, "none")
	if err != nil {
		return nil, err
	}
	hashes := strings.Fields(out)
	type object = map[string]any
	var users, connections []object
	for i, who := range accounts {
		users = append(users, object{"username": who.user, "type": "admin", "password": hashes[i]})
	}
	for _, name := range signalkHands {
		users = append(users, object{"username": name, "type": "readonly", "password": hashes[2]})
	}
	for i, name := range signalkOld {
		connections = append(connections, object{"id": name, "enabled": false, "pipeElements": []object{{"type": "providers/simple", "options": object{
			"logging": false, "type": "NMEA0183", "subOptions": object{"type": "udp", "port": fmt.Sprint(7001 + i), "validateChecksum": true},
		}}}})
	}
	for name, content := range map[string]any{
		"security.json":   object{"allow_readonly": false, "expiration": "1d", "secretKey": "a-secret-of-a-boat", "users": users, "devices": []object{}},
		"settings.json":   object{"interfaces": object{"nmea-tcp": false, "tcp": false}, "ssl": false, "mdns": false, "pipedProviders": connections, "security": object{"strategy": "./tokensecurity"}},
		"baseDeltas.json": []object{{"context": "vessels.self", "updates": []object{{"values": []object{{"path": "", "value": object{"name": "Old boat"}}}}}}},
	} {
		text, err := json.Marshal(content)
		if err == nil {
			err = h.write("boat/"+name, string(text))
		}
		if err == nil {
			err = os.Chmod(h.path("boat", name), 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, []string{"SIGNALK_NODE_CONFIG_DIR=" + h.path("boat"), "HOME=" + h.dir, fmt.Sprint("PORT=", port)}, "node", h.npm(signalkPackage, signalkProgram))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/admin/", port)
	read := func(ctx context.Context) (state, error) { return readSignalK(ctx, h, modules) }
	return &site{url: url + "#/login", accounts: accounts, state: read}, server.up(ctx, answers(url))
}

// readSignalK reads the files that the server keeps.
func readSignalK(ctx context.Context, h *host, modules []string) (state, error) {
	s := state{}
	var security struct {
		Users []struct{ Username, Type, Password string }
	}
	if err := readJSON(h.path("boat", "security.json"), &security); err != nil {
		return nil, err
	}
	args := []string{"-e", signalkKnown}
	for _, u := range security.Users {
		args = append(args, u.Password)
	}
	known, err := h.run(ctx, modules, "node", args...)
	if err != nil {
		return nil, err
	}
	secrets := strings.Split(known, "\n")
	for i, u := range security.Users {
		add(s, "user "+u.Username, u.Type+"|"+secrets[i])
	}
	var settings struct {
		PipedProviders []struct {
			ID           string
			Enabled      bool
			PipeElements []struct {
				Options struct {
					SubOptions struct {
						Type, SentenceEvent string
						IgnoredSentences    []string
						RemoveNulls         bool
					}
				}
			}
		}
	}
	if err := readJSON(h.path("boat", "settings.json"), &settings); err != nil {
		return nil, err
	}
	for _, c := range settings.PipedProviders {
		parts := []string{"off", "", "", "", ""}
		if c.Enabled {
			parts[0] = "on"
		}
		for _, e := range c.PipeElements {
			o := e.Options.SubOptions
			parts[1], parts[2], parts[3] = o.Type, o.SentenceEvent, strings.Join(o.IgnoredSentences, ",")
			if o.RemoveNulls {
				parts[4] = "without nulls"
			}
		}
		add(s, "connection "+c.ID, strings.Join(parts, "|"))
	}
	var deltas []struct {
		Updates []struct {
			Values []struct {
				Path  string
				Value struct {
					Name    string
					Overall float64
				}
			}
		}
	}
	if err := readJSON(h.path("boat", "baseDeltas.json"), &deltas); err != nil {
		return nil, err
	}
	parts := make([]string, 3)
	for _, d := range deltas {
		for _, u := range d.Updates {
			for _, v := range u.Values {
				switch v.Path {
				case "":
					parts[0] = v.Value.Name
				case "design.aisShipType":
					parts[1] = v.Value.Name
				case "design.length":
					parts[2] = fmt.Sprint(v.Value.Overall)
				}
			}
		}
	}
	s["boat"] = strings.Join(parts, "|")
	return s, nil
}
