package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
)

// fuxa sets up who may use the pictures of a plant, the keys of its programs, whom it informs of alarms and for how long
// it holds what it has seen: dialogs that Angular Material draws, drawn lists, boxes in a list, a date field, switches,
// rows that have buttons with a picture alone, tabs, a menu that unfolds from a round button.
func fuxa() *app {
	return &app{
		name: "fuxa", about: "dialogs that Angular Material draws, drawn lists, boxes in a list, a date field, switches, rows that have buttons with a picture alone, tabs, a menu that unfolds from a round button", held: true,
		needs: slices.Concat(fuxaServer.needs(fuxaProgram), newerNode.needs(newerNodeProgram)),
		start: startFuxa,
		named: map[string]string{"password_2": "secret"},
		values: func(run int) values {
			return values{
				"login": oneOf(run, "iris", "tom", "nora", "hugo") + fmt.Sprint("-", 3+run), "name": oneOf(run, "Iris Vane", "Tom Reed", "Nora Falk", "Hugo Dahl"), "secret": fuxaSecret(run), "group": oneOf(run, "Operator", "Engineer", "Supervisor", "Manager"), "first": oneOf(run, "Barn", "Mill", "Yard"),
				"old": fuxaPeople[(1+run)%3], "called": fmt.Sprintf("Shift leader %d", 11+run), "more": oneOf(run, "Manager", "Supervisor", "Engineer"), "gone": fuxaPeople[3+(1+run)%4],
				"key": oneOf(run, "Scale", "Pump", "Gate", "Silo") + fmt.Sprint(" ", 21+run), "for": fmt.Sprintf("Reads %d times an hour", 31+run), "until": fmt.Sprintf("2031-%02d-%02d", 3+run, 14+run), "lost": fuxaKeys[(2+run)%len(fuxaKeys)],
				"alarm": oneOf(run, "Night shift", "Day shift", "Weekend") + fmt.Sprint(" ", 41+run), "to": fmt.Sprintf("shift%d@farm.example", 51+run), "mode": oneOf(run, "notify one for priority", "notify all new active alarms"), "delay": fmt.Sprint(5 + run), "priority": oneOf(run, "High", "Low", "Message"),
				"told": fuxaAlarms[(1+run)%len(fuxaAlarms)], "other": fmt.Sprintf("desk%d@farm.example", 61+run), "seen": oneOf(run, "30 days", "7 days", "90 days"), "rung": oneOf(run, "90 days", "30 days", "3 year"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("app-login input[type=text]", who.user)
			p.fill("app-login input[type=password]", who.password)
			p.click("app-login button{OK}")
			p.see("app-header button[title='Edit Project']")
		},
		flow: func(p *person, v values) {
			setUp := func(what string) {
				p.click("app-header button[title='Edit Project']")
				p.click("app-setup span{" + what + "}")
			}
			row := func(i int, icon string) string {
				return fmt.Sprintf("mat-row:nth-of-type(%d) button mat-icon{%s}", 1+i, icon)
			}
			setUp("Users")
			p.see("mat-cell{" + v["old"] + "}")
			p.click("button.fab-add")
			p.fill("app-user-edit input[formcontrolname=username]", v["login"])
			p.fill("app-user-edit input[formcontrolname=fullname]", v["name"])
			p.fill("app-user-edit input[formcontrolname=password]", v["secret"])
			p.click("app-user-edit mat-list-option{" + v["group"] + "}")
			p.click("app-user-edit mat-select[formcontrolname=start]")
			p.click("mat-option{" + v["first"] + "}")
			p.click("app-user-edit button{OK}")
			p.see("mat-cell{" + v["login"] + "}")
			p.click(row(3+slices.Index(fuxaPeople, v["old"]), "edit"))
			p.refill("app-user-edit input[formcontrolname=fullname]", v["called"])
			p.click("app-user-edit mat-list-option{" + v["more"] + "}")
			p.click("app-user-edit button{OK}")
			p.see("mat-cell{" + v["called"] + "}")
			p.click(row(3+slices.Index(fuxaPeople, v["gone"]), "clear"))
			p.click("app-confirm-dialog button{OK}")
			setUp("API Keys")
			p.see("mat-cell{" + v["lost"] + "}")
			p.click("button.fab-add")
			p.fill("app-api-key-property input[formcontrolname=name]", v["key"])
			p.fill("app-api-key-property input[formcontrolname=description]", v["for"])
			p.clickAt("app-api-key-property input[formcontrolname=expires]", -100, 0)
			p.typing(v["until"][5:7] + v["until"][8:] + v["until"][:4])
			p.click("app-api-key-property mat-slide-toggle[formcontrolname=enabled] button")
			p.click("app-api-key-property button{OK}")
			p.see("mat-cell{" + v["key"] + "}")
			p.click(row(slices.Index(fuxaKeys, v["lost"]), "clear"))
			p.click("app-confirm-dialog button{OK}")
			setUp("Notifications")
			p.see("mat-cell{" + v["told"] + "}")
			p.click("button.fab-add")
			p.fill("app-notification-property input[formcontrolname=name]", v["alarm"])
			p.fill("app-notification-property input[formcontrolname=receiver]", v["to"])
			p.click("app-notification-property mat-select[formcontrolname=type]")
			p.click("mat-option{Alarms}")
			p.click("app-notification-property input[formcontrolname=delay]")
			p.press("Backspace") // the editor of pictures takes Ctrl+A in a field of numbers
			p.typing(v["delay"])
			p.click("app-notification-property mat-select[formcontrolname=mode]")
			p.click("mat-option{" + v["mode"] + "}")
			p.click("app-notification-property mat-checkbox label{" + v["priority"] + "}")
			p.click("app-notification-property button{OK}")
			p.see("mat-cell{" + v["alarm"] + "}")
			p.click(row(slices.Index(fuxaAlarms, v["told"]), "edit"))
			p.refill("app-notification-property input[formcontrolname=receiver]", v["other"])
			p.click("app-notification-property button{OK}")
			p.see("mat-cell{" + v["other"] + "}")
			setUp("Settings")
			p.click("app-app-settings [role=tab]{DAQ storage}")
			p.click("app-app-settings .tab-daq .mt15 mat-select")
			p.click("mat-option{" + v["seen"] + "}")
			p.click("app-app-settings [role=tab]{Alarms}")
			p.click("app-app-settings .tab-alarms mat-select")
			p.click("mat-option{" + v["rung"] + "}")
			p.click("app-app-settings button{OK}")
			p.click("a.fab-toggle")
			p.click("ngx-fab-item-button .content{Home}")
			p.click("app-home .header-login button")
			p.click("mat-dialog-container button{Sign out}")
			p.at("/home")
		},
		want: func(s state, _ account, v values) {
			groups := map[string]int{"Operator": 2, "Engineer": 4, "Supervisor": 8, "Manager": 16}
			s["user "+v["login"]] = strings.Join([]string{v["name"], fmt.Sprint(groups[v["group"]]), v["first"], v["secret"]}, "|")
			s["user "+v["old"]] = strings.Join([]string{v["called"], fmt.Sprint(1 + groups[v["more"]]), "", ""}, "|")
			delete(s, "user "+v["gone"])
			s["key "+v["key"]] = strings.Join([]string{v["for"], v["until"], "false"}, "|")
			delete(s, "key "+v["lost"])
			mode := map[string]string{"notify all new active alarms": "0", "notify one for priority": "1"}
			priority := map[string]string{"High": "high", "Low": "low", "Message": "info"}
			s["alarm "+v["alarm"]] = strings.Join([]string{v["to"], v["delay"], mode[v["mode"]], priority[v["priority"]]}, "|")
			s["alarm "+v["told"]] = strings.Join([]string{v["other"], "1", "0", "highhigh"}, "|")
			lasts := map[string]string{"7 days": "days7", "30 days": "days30", "90 days": "days90", "3 year": "year3"}
			s["settings"] = lasts[v["seen"]] + "|" + lasts[v["rung"]]
		},
	}
}

var fuxaServer = npm{"@frangoteam/fuxa", "1.3.4", ""}

const fuxaProgram = "@frangoteam/fuxa/main.js"

// What is there before: users, of whom some stay and some are removed, keys of programs, who is told of alarms, and the
// pictures that a user may begin with.
var (
	fuxaPeople = []string{"alma", "bert", "cleo", "dora", "emil", "fritz", "gerda"}
	fuxaKeys   = []string{"Clock", "Dryer", "Fan", "Mixer", "Sieve"}
	fuxaAlarms = []string{"Fire", "Frost", "Power", "Water"}
	fuxaViews  = []string{"Barn", "Mill", "Yard"}
)

// fuxaSecret is what a user who is made signs in with.
func fuxaSecret(run int) string { return fmt.Sprintf("Walnut-%d-tree", 55+run) }

// fuxaSQLite stands in for a part in machine code by what Node.js has itself.
const fuxaSQLite = `const {DatabaseSync} = require("node:sqlite");
class Database {
	constructor(file, mode, done = mode) { this.d = new DatabaseSync(file); this.later(done, null); }
	later(done, ...a) { if (typeof done === "function") setImmediate(() => done.apply(this, a)); return this; }
	ask(a, q, act) {
		const done = typeof a.at(-1) === "function" ? a.pop() : null;
		let out, err = null;
		try { out = act(this.d.prepare(q), a.flat().map((v) => v === undefined ? null : typeof v === "boolean" ? +v : v)); } catch (e) { err = e; }
		if (done) setImmediate(() => done.call({changes: Number(out?.changes), lastID: Number(out?.lastInsertRowid)}, err, out));
		return this;
	}
	run(q, ...a) { return this.ask(a, q, (s, v) => s.run(...v)); }
	all(q, ...a) { return this.ask(a, q, (s, v) => s.all(...v)); }
	get(q, ...a) { return this.ask(a, q, (s, v) => s.get(...v)); }
	exec(q, done) { try { this.d.exec(q); } catch (e) { return this.later(done, e); } return this.later(done, null); }
	prepare(q) { return {run: (...a) => this.run(q, ...a), finalize: () => {}}; }
	serialize(f) { f(); }
	close(done) { this.d.close(); this.later(done, null); }
}
module.exports = {Database, OPEN_READONLY: 1, OPEN_READWRITE: 2, OPEN_CREATE: 4, verbose: () => module.exports};
`

// fuxaHook brings that in.
const fuxaHook = `const m = require("module"), load = m._load;
m._load = (name, ...rest) => name === "sqlite3" ? require("./sqlite.cjs") : load(name, ...rest);
`

// fuxaSettings lifts the limits of requests a minute, which those who ask for its state soon reach.
const fuxaSettings = `module.exports = {...require(%q), apiRateLimitMax: 1e6, authRateLimitMax: 1e6, logApiLevel: "none"};
`

func startFuxa(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{
		"sqlite.cjs": fuxaSQLite, "hook.cjs": fuxaHook, "_appdata/settings.js": fmt.Sprintf(fuxaSettings, h.npm(fuxaServer, "@frangoteam/fuxa/settings.default.js")),
		"_appdata/mysettings.json": `{"secureEnabled": true, "secretCode": "a-secret-of-a-plant", "tokenExpiresIn": "1h", "hideEditorOnboarding": true, "daqstore": {"type": "SQlite", "retention": "year1"}, "alarms": {"retention": "year1"}}`,
	} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	server, err := h.serve(h.dir, []string{"HOME=" + h.dir}, h.npm(newerNode, newerNodeProgram), "--require", h.path("hook.cjs"), h.npm(fuxaServer, fuxaProgram), "--userDir", h.dir, "--port", fmt.Sprint(port))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	api := &fuxaAPI{at: url + "api/", secrets: map[string]string{}}
	if api.token, err = api.signIn(ctx, "admin", "123456"); err != nil {
		return nil, err
	}
	if err := api.fill(ctx, accounts); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) { return api.read(ctx, h) }
	return &site{url: url + "editor", accounts: accounts, state: read}, nil
}

// fuxaAPI is what its pages ask.
type fuxaAPI struct {
	at, token string
	secrets   map[string]string // of those who were made, by their names
}

func (a *fuxaAPI) call(ctx context.Context, method, what string, body, answer any) error {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, a.at+what, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Access-Token", a.token)
	if answer != nil {
		return answered(http.DefaultClient, req, answer)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", what, res.Status)
	}
	return nil
}

func (a *fuxaAPI) signIn(ctx context.Context, user, password string) (string, error) {
	var answer struct{ Data struct{ Token string } }
	err := a.call(ctx, http.MethodPost, "signin", map[string]string{"username": user, "password": password}, &answer)
	return answer.Data.Token, err
}

func (a *fuxaAPI) fill(ctx context.Context, accounts [2]account) error {
	type object = map[string]any
	user := func(name, full, password string, groups int) error {
		return a.call(ctx, http.MethodPost, "users", object{"params": object{"username": name, "fullname": full, "password": password, "groups": groups, "info": `{"start":""}`}}, nil)
	}
	for _, who := range accounts {
		if err := user(who.user, "Who looks after all", who.password, -1); err != nil {
			return err
		}
	}
	for i, name := range fuxaPeople {
		if err := user(name, fmt.Sprintf("Worker %d", 1+i), "Barley-3-field", 1); err != nil {
			return err
		}
	}
	for i, name := range fuxaViews {
		if err := a.call(ctx, http.MethodPost, "projectData", object{"cmd": "set-view", "data": object{"id": fmt.Sprint("v_", 1+i), "name": name, "type": "svg", "svgcontent": "", "items": object{}, "variables": object{}, "property": object{"events": []object{}}, "profile": object{"width": 1024, "height": 768, "bkcolor": "#ffffffff", "margin": 10, "align": "topCenter"}}}, nil); err != nil {
			return err
		}
	}
	var keys []object
	for i, name := range fuxaKeys {
		keys = append(keys, object{"id": fmt.Sprint("ak_", 1+i), "name": name, "key": fmt.Sprint("key-of-the-", strings.ToLower(name)), "description": "", "created": "2026-01-02T00:00:00.000Z", "expires": "2030-01-02T00:00:00.000Z", "enabled": true})
	}
	if err := a.call(ctx, http.MethodPost, "apikeys", object{"params": keys}, nil); err != nil {
		return err
	}
	for i, name := range fuxaAlarms {
		if err := a.call(ctx, http.MethodPost, "projectData", object{"cmd": "set-notification", "data": object{"id": fmt.Sprint("n_", 1+i), "name": name, "receiver": "all@farm.example", "type": "alarms", "delay": 1, "interval": 0, "enabled": true, "mode": 0, "subscriptions": object{"highhigh": true}}}, nil); err != nil {
			return err
		}
	}
	return nil
}

func (a *fuxaAPI) read(ctx context.Context, h *host) (state, error) {
	s := state{}
	var project struct {
		HMI           struct{ Views []struct{ ID, Name string } }
		Notifications []struct {
			Name, Receiver string
			Delay, Mode    any
			Enabled        bool
			Subscriptions  map[string]bool
		}
	}
	if err := a.call(ctx, http.MethodGet, "project", nil, &project); err != nil {
		return nil, err
	}
	views := map[string]string{}
	for _, v := range project.HMI.Views {
		views[v.ID] = v.Name
		add(s, "view "+v.Name, "there")
	}
	for _, n := range project.Notifications {
		parts := []string{n.Receiver, fmt.Sprint(n.Delay), fmt.Sprint(n.Mode)}
		for _, priority := range []string{"highhigh", "high", "low", "info"} {
			if n.Subscriptions[priority] {
				parts = append(parts, priority)
			}
		}
		if !n.Enabled {
			parts = append(parts, "off")
		}
		add(s, "alarm "+n.Name, strings.Join(parts, "|"))
	}
	var users []struct {
		Username, Fullname, Info string
		Groups                   int
	}
	if err := a.call(ctx, http.MethodGet, "users", nil, &users); err != nil {
		return nil, err
	}
	for _, u := range users {
		var info struct{ Start string }
		_ = json.Unmarshal([]byte(u.Info), &info) // the first has none
		add(s, "user "+u.Username, strings.Join([]string{u.Fullname, fmt.Sprint(u.Groups), views[info.Start], a.secret(ctx, u.Username)}, "|"))
	}
	var keys []struct {
		Name, Description, Expires string
		Enabled                    bool
	}
	if err := a.call(ctx, http.MethodGet, "apikeys", nil, &keys); err != nil {
		return nil, err
	}
	for _, k := range keys {
		day, _, _ := strings.Cut(k.Expires, "T")
		add(s, "key "+k.Name, strings.Join([]string{k.Description, day, fmt.Sprint(k.Enabled)}, "|"))
	}
	var set struct{ DAQStore, Alarms struct{ Retention string } }
	text, err := os.ReadFile(h.path("_appdata", "mysettings.json"))
	if err == nil {
		err = json.Unmarshal(text, &set)
	}
	s["settings"] = set.DAQStore.Retention + "|" + set.Alarms.Retention
	return s, err
}

// secret is which of those that are typed in a flow one signs in with who was made there.
func (a *fuxaAPI) secret(ctx context.Context, user string) string {
	if slices.Contains(fuxaPeople, user) || slices.Contains([]string{"admin", "ada", "grace"}, user) {
		return ""
	}
	for run := range 6 {
		if a.secrets[user] != "" {
			break
		}
		if _, err := a.signIn(ctx, user, fuxaSecret(run)); err == nil {
			a.secrets[user] = fuxaSecret(run)
		}
	}
	return a.secrets[user]
}
