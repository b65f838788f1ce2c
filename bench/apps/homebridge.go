package main

import (
	"context"
	"crypto/pbkdf2"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// homebridge sets up the pages of Homebridge and who may use them: forms that Angular and
// Bootstrap draw, rows that have a button with a picture alone, a form that is made from a
// schema, a choice that is saved at once, a switch, cards that each have the same buttons.
func homebridge() *app {
	return &app{
		name: "homebridge", about: "forms that Angular and Bootstrap draw in dialogs, rows that have a button with a picture alone, a choice that is saved at once, cards that each have the same buttons", held: true,
		needs: homebridgePages.needs(homebridgeProgram),
		start: startHomebridge,
		named: map[string]string{"new_password": "secret", "username_2": "login", "name": "name"},
		values: func(run int) values {
			return values{
				"theme": oneOf(run, "Teal", "Red", "Indigo", "Green"), "units": oneOf(run, "Fahrenheit", "Celsius"), "mdns": oneOf(run, "Avahi", "Ciao", "Bonjour HAP"),
				"login": fmt.Sprintf("guest%d", 3+run), "name": oneOf(run, "Irma", "Jonas", "Karin", "Lev") + fmt.Sprintf(" Berg %d", run), "secret": guestSecret(run), "old": oneOf(run, "Olga", "Pavel", "Rosa", "Viktor"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#form-username", who.user)
			p.fill("#form-pass", who.password)
			p.click("button[type=submit]")
		},
		flow: func(p *person, v values) {
			p.click("a[href='/settings']")
			p.click("app-settings li:first-child button")
			p.choose("ngb-modal-window select[name=theme]", v["theme"])
			p.choose("ngb-modal-window select[name=tempUnits]", v["units"])
			p.click("ngb-modal-window .modal-footer .btn-primary")
			p.see("ngb-modal-window *{Please restart Homebridge for the changes to apply.}")
			p.click("ngb-modal-window .modal-footer:not([hidden]) button{Close}")
			p.choose("select[aria-label='mDNS Advertiser']", v["mdns"])
			p.click("a[href='/users']")
			p.click("button[aria-label='Add User']")
			p.fill("ngb-modal-window #form-username", v["login"])
			p.fill("ngb-modal-window #form-name", v["name"])
			p.fill("ngb-modal-window #form-pass", v["secret"])
			p.fill("ngb-modal-window #form-pass-confirm", v["secret"])
			p.click("ngb-modal-window label[for=isAdmin]")
			p.click("ngb-modal-window button[type=submit]")
			p.see("h4{" + v["name"] + "}")
			p.click(fmt.Sprintf("app-users .col-md-6:nth-child(%d) button.btn-sml", 3+strings.Index("Olga Pavel Rosa Viktor", v["old"])/5))
			p.see(".toast-success")
		},
		want: func(s state, _ account, v values) {
			s["settings"] = strings.Join([]string{strings.ToLower(v["theme"]), strings.ToLower(v["units"][:1]), strings.ToLower(strings.ReplaceAll(v["mdns"], " ", "-"))}, "|")
			s["user "+v["login"]] = strings.Join([]string{v["name"], v["secret"], "user"}, "|")
			delete(s, "user "+strings.ToLower(v["old"]))
		},
	}
}

// guestSecret is what a user who is made signs in with.
func guestSecret(run int) string { return fmt.Sprintf("Lantern-%d-oak", 50+run) }

var homebridgePages = npm{"homebridge-config-ui-x", "4.56.4", ""}

const homebridgeProgram = "homebridge-config-ui-x/dist/bin/standalone.js"

// noTerminal stands in for a part in machine code, which only its terminal uses.
const noTerminal = `const m = require("module"), load = m._load;
m._load = (name, ...rest) => name.includes("node-pty-prebuilt") ? {} : load(name, ...rest);
`

func startHomebridge(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	type object = map[string]any
	config, err := json.Marshal(object{
		"bridge": object{"name": "Homebridge", "username": "0E:3C:22:18:EC:01", "port": 51826, "pin": "031-45-154"}, "accessories": []any{},
		"platforms": []any{object{"platform": "config", "name": "Config", "port": port, "host": "127.0.0.1", "auth": "form", "theme": "auto", "tempUnits": "c", "lang": "auto"}},
	})
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"home/config.json": string(config), "terminal.cjs": noTerminal} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	server, err := h.serve(h.dir, nil, "node", "--require", h.path("terminal.cjs"), h.npm(homebridgePages, homebridgeProgram), "--user-storage-path", h.path("home"))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	if err := post(ctx, url+"/api/setup-wizard/create-first-user", "", object{"name": "Ada", "username": accounts[0].user, "password": accounts[0].password}, nil); err != nil {
		return nil, err
	}
	var signedIn struct {
		Token string `json:"access_token"`
	}
	if err := post(ctx, url+"/api/auth/login", "", object{"username": accounts[0].user, "password": accounts[0].password}, &signedIn); err != nil {
		return nil, err
	}
	users := []object{{"name": "Grace", "username": accounts[1].user, "password": accounts[1].password, "admin": true}}
	for _, name := range []string{"Olga", "Pavel", "Rosa", "Viktor"} {
		users = append(users, object{"name": name, "username": strings.ToLower(name), "password": "Candle-" + name, "admin": false})
	}
	for _, u := range users {
		if err := post(ctx, url+"/api/users", "Bearer "+signedIn.Token, u, nil); err != nil {
			return nil, err
		}
	}
	return &site{url: url + "/", accounts: accounts, state: func(context.Context) (state, error) { return homebridgeState(h.path("home")) }}, nil
}

// homebridgeState reads its files: what is set, the rest of what could be, and who may sign in.
func homebridgeState(folder string) (state, error) {
	var config struct {
		Bridge    map[string]any
		Platforms []map[string]any
	}
	if err := readJSON(folder+"/config.json", &config); err != nil {
		return nil, err
	}
	var users []struct {
		Username, Name, HashedPassword, Salt string
		Admin                                bool
	}
	if err := readJSON(folder+"/auth.json", &users); err != nil {
		return nil, err
	}
	s := state{}
	advertiser, _ := config.Bridge["advertiser"].(string)
	delete(config.Bridge, "advertiser")
	for _, p := range config.Platforms {
		add(s, "settings", fmt.Sprintf("%v|%v|%s", p["theme"], p["tempUnits"], advertiser))
		delete(p, "theme")
		delete(p, "tempUnits")
	}
	s["the rest"] = fmt.Sprint(config) // the keys of maps are printed in order
	for _, u := range users {
		kind, secret := "user", "as it was"
		if u.Admin {
			kind = "admin"
		}
		for run := range 20 { // as many as there may be runs
			key, err := pbkdf2.Key(sha512.New, guestSecret(run), []byte(u.Salt), 1000, 64)
			if err != nil {
				return nil, err
			}
			if hex.EncodeToString(key) == u.HashedPassword {
				secret = guestSecret(run)
			}
		}
		add(s, "user "+u.Username, strings.Join([]string{u.Name, secret, kind}, "|"))
	}
	return s, nil
}

func readJSON(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
