package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// parse keeps data with Parse and its dashboard, which React draws with names of classes that
// mean nothing and hardly a role or label: a menu, a form in a dialog with a calendar and a
// switch of its own, a cell of a table that is typed into, a list that is drawn over a field.
func parse() *app {
	return &app{
		name: "parse", about: "a menu, forms in dialogs without labels or roles, a calendar, switches and lists that React draws, a cell of a table that is typed into", held: true,
		needs: append(append(parseServer.needs("parse-server/lib/index.js"), parseDashboard.needs("parse-dashboard/Parse-Dashboard/app.js")...), postgresNeeds...),
		start: startParse,
		named: map[string]string{"name": "name"},
		values: func(run int) values {
			return values{
				"name": oneOf(run, "Rowan", "Hazel", "Quince", "Medlar") + fmt.Sprintf(" no %d", 7+run), "height": fmt.Sprint(2 + run), "day": fmt.Sprint(12 + run), "hour": fmt.Sprint(7 + run), "minute": fmt.Sprint(21 + run),
				"note": fmt.Sprintf("Stake it for %d years.", 2+run), "grown": fmt.Sprint(14 + run), "tree": oneOf(run, "Oak", "Elm", "Ash", "Fir"),
				"setting": fmt.Sprintf("winter%dplan", run), "kind": oneOf(run, "Array", "Object"), "setTo": oneOf(run, fmt.Sprintf(`["mulch %d"]`, run), fmt.Sprintf(`{"prune":%d}`, run)),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[name=username]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("input[type=submit]")
		},
		flow: func(p *person, v values) {
			p.click("a{Garden}")
			p.see("div{No data to display}") // what comes late for one class is shown for the next
			p.click("a[title=Tree]")
			p.see("span{" + v["tree"] + "}")
			p.click("div > span{Edit}")
			p.click("div{Add a row with modal}")
			field := func(n int) string { return fmt.Sprintf(".zs02ooq62vJbBaG5sPYq > div:nth-child(%d) ", n) }
			p.fill(field(1)+"input", v["height"])
			p.click("div{Pick a date and time…}")
			p.click("div > button{" + v["day"] + "}")
			p.refill(".jkfj5eTd2oxMCHhiFhZB input:first-of-type", v["hour"])
			p.refill(".jkfj5eTd2oxMCHhiFhZB input:last-of-type", v["minute"])
			p.click("button{Set time}")
			p.fill(field(3)+"input", v["name"])
			p.fill(field(5)+"input", v["note"])
			p.click(field(6) + ".KrMu4kIGs9zlPmFdjKME")
			p.click("button{Close}")
			p.click("button{Add}")
			p.see("span{" + v["name"] + "}")
			p.doubleClick(fmt.Sprintf(".KBmYgnTaj27m0mnVnFYn > div:nth-last-child(%d) > span:nth-child(3)", 3+strings.Index("Oak Elm Ash Fir", v["tree"])/4))
			p.refill("input:not([type])", v["grown"])
			p.press("Enter")
			p.see("span{" + v["grown"] + "}")
			p.click("a{Config}")
			p.click("button{Create a parameter}")
			p.fill("input[placeholder='New parameter']", v["setting"])
			p.click("div[value=String]")
			p.click("button > div{" + v["kind"] + "}")
			p.fill("textarea", v["setTo"])
			p.click("button{Create}")
			p.see("td{" + v["setting"] + "}")
		},
		want: func(s state, _ account, v values) {
			s["tree "+v["name"]] = strings.Join([]string{v["height"], fmt.Sprintf("%s %02s:%02s", v["day"], v["hour"], v["minute"]), v["note"], "pruned"}, "|")
			s["tree "+v["tree"]] = v["grown"] + "|||"
			s["setting "+v["setting"]] = v["setTo"]
		},
	}
}

var (
	parseServer    = npm{"parse-server", "6.5.0", ""}
	parseDashboard = npm{"parse-dashboard", "5.4.0", ""}
)

// parseProgram serves both. What keeps the data knows databases at ports alone, so that there is one for its socket.
const parseProgram = `const net = require("net"), express = require("express");
const {port, bridge, folder, accounts, trees} = JSON.parse(process.argv[2]);
(async () => {
	await new Promise((resolve) => net.createServer((from) => {
		const to = net.connect(folder + "/.s.PGSQL.5432");
		from.pipe(to).pipe(from);
		from.on("error", () => to.destroy());
		to.on("error", () => from.destroy());
	}).listen(bridge, "127.0.0.1", resolve));
	const {ParseServer} = require("parse-server"), ParseDashboard = require("parse-dashboard");
	const url = "http://127.0.0.1:" + port + "/parse";
	const server = new ParseServer({databaseURI: "postgres://postgres:none@127.0.0.1:" + bridge + "/postgres", appId: "garden", masterKey: "master", serverURL: url, allowClientClassCreation: false, silent: true, logsFolder: null});
	await server.start();
	const app = express();
	app.use("/parse", server.app);
	app.use("/", new ParseDashboard({apps: [{serverURL: url, appId: "garden", masterKey: "master", appName: "Garden"}], users: accounts.map(({user, password}) => ({user, pass: password})), useEncryptedPasswords: false}, {allowInsecureHTTP: true, cookieSessionSecret: "secret"}));
	await new Promise((resolve) => app.listen(port, "127.0.0.1", resolve));
	const send = async (path, body) => {
		const reply = await fetch(url + path, {method: "POST", headers: {"Content-Type": "application/json", "X-Parse-Application-Id": "garden", "X-Parse-Master-Key": "master"}, body: JSON.stringify(body)});
		if (!reply.ok) throw new Error(await reply.text());
	};
	const type = (type) => ({type});
	await send("/schemas/Tree", {className: "Tree", fields: {name: type("String"), height: type("Number"), pruned: type("Boolean"), planted: type("Date"), keeper: type("String"), note: type("String")}});
	for (const name of trees) await send("/classes/Tree", {name, height: 3, pruned: false});
	require("fs").writeFileSync("ready", "");
})().catch((e) => { console.error(e); process.exit(1); });
`

func startParse(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	folder, err := h.postgres(ctx)
	if err != nil {
		return nil, err
	}
	ports, err := h.free(2)
	if err != nil {
		return nil, err
	}
	if err := h.write("parse.js", parseProgram); err != nil {
		return nil, err
	}
	type object = map[string]any
	var users []object
	for _, who := range accounts {
		users = append(users, object{"user": who.user, "password": who.password})
	}
	settings, err := json.Marshal(object{"port": ports[0], "bridge": ports[1], "folder": folder, "accounts": users, "trees": []string{"Oak", "Elm", "Ash", "Fir"}})
	if err != nil {
		return nil, err
	}
	modules := h.npm(parseServer, "") + ":" + h.npm(parseDashboard, "")
	server, err := h.serve(h.dir, []string{"NODE_PATH=" + modules}, "node", "parse.js", string(settings))
	if err != nil {
		return nil, err
	}
	if err := server.up(ctx, h.has("ready")); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		s := state{}
		rows, err := h.psql(ctx, folder, `select coalesce(name, ''), coalesce(height::text, ''), coalesce(to_char(planted at time zone 'UTC', 'FMDD HH24:MI'), ''), coalesce(note, ''), case when pruned then 'pruned' else '' end || coalesce(keeper, '') from "Tree"`)
		for _, r := range rows {
			add(s, "tree "+r[0], strings.Join(r[1:], "|"))
		}
		if err != nil {
			return nil, err
		}
		there, err := h.psql(ctx, folder, `select to_regclass('"_GlobalConfig"')`)
		if err != nil || there[0][0] == "" {
			return s, err
		}
		rows, err = h.psql(ctx, folder, `select key, replace(value::text, ': ', ':') from "_GlobalConfig", jsonb_each(params)`)
		for _, r := range rows {
			add(s, "setting "+r[0], r[1])
		}
		return s, err
	}
	return &site{url: fmt.Sprintf("http://127.0.0.1:%d/", ports[0]), accounts: accounts, state: read}, nil
}
