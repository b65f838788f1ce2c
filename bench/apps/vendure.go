package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// vendure makes a promotion of a shop: forms that Angular draws, menus of kinds whose fields
// come then, a calendar in a popover, an editor of rich text, a list that is searched.
func vendure() *app {
	return &app{
		name: "vendure", about: "forms that Angular draws, menus of kinds whose fields come then, a calendar in a popover, a rich-text editor, a list that is searched", held: true,
		needs: append(append(append(vendureCore.needs("@vendure/core/dist/index.js"), vendurePages.needs("@vendure/admin-ui-plugin/lib/index.js")...), pgDriver.needs("pg/lib/index.js")...), postgresNeeds...),
		start: startVendure,
		named: map[string]string{"name": "name"},
		values: func(run int) values {
			return values{
				"name": oneOf(run, "Spring", "Harvest", "Winter") + fmt.Sprintf(" sale %d", run), "text": fmt.Sprintf("For orders of %d or more.", 40+run), "code": fmt.Sprintf("BLOOM%d", run), "day": fmt.Sprint(12 + run),
				"uses": fmt.Sprint(2 + run), "group": oneOf(run, "Members", "Gardeners", "Staff"), "percent": fmt.Sprint(15 + run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#login_username", who.user)
			p.fill("#login_password", who.password)
			p.click("button[type=submit]")
		},
		flow: func(p *person, v values) {
			p.click("a[href='/admin/marketing/promotions']")
			p.click("a[href='/admin/marketing/promotions/create']")
			p.fill("#name", v["name"])
			p.fill(".vdr-prosemirror", v["text"])
			p.click("vdr-datetime-picker[formcontrolname=startsAt] .calendar-button")
			p.click(".cdk-overlay-container td{" + v["day"] + "}")
			p.press("Escape")
			p.fill("#couponCode", v["code"])
			p.fill("#perCustomerUsageLimit", v["uses"])
			p.click("[formarrayname=conditions] vdr-dropdown button")
			p.click(".cdk-overlay-container button{Customer is a member of the specified group}")
			p.click("[formarrayname=conditions] ng-select")
			p.click(".ng-option{" + v["group"] + "}")
			p.click("[formarrayname=actions] vdr-dropdown button")
			p.click(".cdk-overlay-container button{Discount order by { discount }%}")
			p.refill("[formarrayname=actions] input[type=number]", v["percent"])
			p.click("vdr-ab-right button.btn-primary")
			p.see("vdr-ab-right button{Update}")
		},
		want: func(s state, _ account, v values) {
			s["promotion "+v["name"]] = strings.Join([]string{"<p>" + v["text"] + "</p>", v["code"], v["day"], v["uses"], v["group"], v["percent"]}, "|")
		},
	}
}

var (
	vendureCore  = npm{"@vendure/core", "2.3.4", ""}
	vendurePages = npm{"@vendure/admin-ui-plugin", "2.3.4", ""}
	pgDriver     = npm{"pg", "8.13.1", ""}
)

// vendureServer starts the shop, and makes the second account and groups of customers.
const vendureServer = `// bcrypt is in machine code: another digest does here.
const Module = require("module"), load = Module._load;
Module._load = (name, ...rest) => name === "bcrypt" ? {} : load(name, ...rest);
const digest = (text) => require("crypto").createHash("sha256").update(text).digest("hex");
const {bootstrap, Populator, LanguageCode, dummyPaymentHandler} = require("@vendure/core");
const {AdminUiPlugin} = require("@vendure/admin-ui-plugin");
const {port, ui, folder, accounts, groups} = JSON.parse(process.argv[2]);
(async () => {
	const app = await bootstrap({
		apiOptions: {port, hostname: "127.0.0.1", adminApiPath: "admin-api", shopApiPath: "shop-api"},
		authOptions: {passwordHashingStrategy: {hash: async (text) => digest(text), check: async (text, hash) => digest(text) === hash}, tokenMethod: ["cookie", "bearer"], superadminCredentials: {identifier: accounts[0].user, password: accounts[0].password}, cookieOptions: {secret: "secret"}},
		dbConnectionOptions: {type: "postgres", host: folder, username: "postgres", database: "postgres", synchronize: true, logging: false},
		paymentOptions: {paymentMethodHandlers: [dummyPaymentHandler]},
		plugins: [AdminUiPlugin.init({route: "admin", port: ui})],
	});
	await app.get(Populator).populateInitialData({
		defaultLanguage: LanguageCode.en, defaultZone: "Europe", countries: [{name: "Denmark", code: "DK", zone: "Europe"}],
		taxRates: [{name: "Standard", percentage: 20}], shippingMethods: [], paymentMethods: [], collections: [],
	});
	let token = "";
	const ask = async (query, variables) => {
		const reply = await fetch("http://127.0.0.1:" + port + "/admin-api", {method: "POST", headers: {"Content-Type": "application/json", Authorization: "Bearer " + token}, body: JSON.stringify({query, variables})});
		token = reply.headers.get("vendure-auth-token") || token;
		const {data, errors} = await reply.json();
		if (errors) throw new Error(JSON.stringify(errors));
		return data;
	};
	await ask("mutation ($user: String!, $password: String!) { login(username: $user, password: $password) { __typename } }", accounts[0]);
	const {roles} = await ask("{ roles { items { id code } } }");
	const roleIds = roles.items.filter((r) => r.code.includes("super_admin")).map((r) => r.id);
	await ask("mutation ($input: CreateAdministratorInput!) { createAdministrator(input: $input) { id } }", {input: {emailAddress: accounts[1].user, firstName: "Grace", lastName: "Hopper", password: accounts[1].password, roleIds}});
	for (const name of groups) await ask("mutation ($input: CreateCustomerGroupInput!) { createCustomerGroup(input: $input) { id } }", {input: {name}});
	require("fs").writeFileSync("ready", "");
})().catch((e) => { console.error(e); process.exit(1); });
`

func startVendure(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada@example.com", "Analytical-7"}, {"grace@example.com", "Compiler-19"}}
	folder, err := h.postgres(ctx)
	if err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	pages, err := h.port()
	if err != nil {
		return nil, err
	}
	if err := h.write("vendure.js", vendureServer); err != nil {
		return nil, err
	}
	type object = map[string]any
	var users []object
	for _, who := range accounts {
		users = append(users, object{"user": who.user, "password": who.password})
	}
	settings, err := json.Marshal(object{"port": port, "ui": pages, "folder": folder, "accounts": users, "groups": []string{"Gardeners", "Members", "Staff", "Visitors"}})
	if err != nil {
		return nil, err
	}
	modules := strings.Join([]string{h.npm(vendureCore, ""), h.npm(vendurePages, ""), h.npm(pgDriver, "")}, ":")
	server, err := h.serve(h.dir, []string{"NODE_PATH=" + modules}, "node", "vendure.js", string(settings))
	if err != nil {
		return nil, err
	}
	if err := server.up(ctx, h.has("ready")); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.psql(ctx, folder, `select t.name, t.description, coalesce(p."couponCode", ''), coalesce(extract(day from p."startsAt")::text, ''), coalesce(p."perCustomerUsageLimit"::text, ''), coalesce((select name from customer_group g where g.id::text = p.conditions::json->0->'args'->0->>'value'), p.conditions), coalesce(p.actions::json->0->'args'->0->>'value', '')
			from promotion p join promotion_translation t on t."baseId" = p.id where p."deletedAt" is null`)
		s := state{}
		for _, r := range rows {
			add(s, "promotion "+r[0], strings.Join(r[1:], "|"))
		}
		return s, err
	}
	return &site{url: fmt.Sprintf("http://127.0.0.1:%d/admin/", port), accounts: accounts, state: read}, nil
}
