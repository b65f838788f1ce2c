package main

import (
	"context"
	"fmt"
	"strings"
)

// unleash makes a feature flag, a rule of whom it is for, and switches it on: forms that React
// and Material UI draw in dialogs, a menu of kinds, lists that are drawn, a slider, tabs, chips, switches.
func unleash() *app {
	return &app{
		name: "unleash", about: "forms that React and Material UI draw in dialogs, a menu of kinds, lists that are drawn, a slider, tabs, chips, switches", held: true,
		needs: append(unleashPackage.needs(unleashProgram), postgresNeeds...),
		start: startUnleash,
		named: map[string]string{"name": "name", "description": "about", "title": "title"},
		values: func(run int) values {
			return values{
				"name": oneOf(run, "basket", "checkout", "search") + fmt.Sprintf("-beta-%d", run), "about": fmt.Sprintf("Asked for by %d shops.", 12+run), "kind": oneOf(run, "Experiment", "Operational", "Kill switch", "Permission"),
				"title": oneOf(run, "Testers", "Staff", "Neighbours") + fmt.Sprintf(" of week %d", 20+run), "share": oneOf(run, "25%", "75%", "50%", "0%"), "sticky": oneOf(run, "sessionId", "random", "default"), "group": fmt.Sprintf("wave-%d", 3+run),
				"field": oneOf(run, "environment", "userId", "sessionId"), "operator": oneOf(run, "NOT_IN is not one of", "STR_CONTAINS is a string that contains", "STR_ENDS_WITH is a string that ends with", "STR_STARTS_WITH is a string that starts with"), "value": fmt.Sprintf("shop%d", 40+run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#username", who.user)
			p.fill("#password", who.password)
			p.click("button[type=submit]")
		},
		flow: func(p *person, v values) {
			p.click("h3{Default}")
			p.click("button{New feature flag}")
			p.fill("[data-testid=FORM_NAME_INPUT] input", v["name"])
			p.fill("[data-testid=FORM_DESCRIPTION_INPUT] textarea", v["about"])
			p.click("[role=dialog] button{Release}")
			p.click(".MuiPopover-root li{" + v["kind"] + "}")
			p.click("[role=dialog] button{Impression data off}")
			p.click("[role=dialog] button[type=submit]")
			p.see("h1{" + v["name"] + "}")
			p.click("[data-testid=FEATURE_ENVIRONMENT_ACCORDION_development] button{Add strategy}")
			p.fill("#title-input", v["title"])
			p.click("form .MuiSlider-markLabel{" + v["share"] + "}")
			p.click("#stickiness-select")
			p.click("[role=listbox] [data-value=" + v["sticky"] + "]")
			p.refill("#groupId-input", v["group"])
			p.click("[data-testid=STRATEGY_TARGETING_TAB]")
			p.click("form button{Add constraint}")
			p.click("#context-field-select")
			p.click("[role=listbox] [data-value=" + v["field"] + "]")
			p.click("#operator-select")
			p.click("[role=listbox] [data-value=" + operator(v) + "]")
			p.fill("[data-testid=CONSTRAINT_VALUES_INPUT] input", v["value"])
			p.click("form button{Add values}")
			p.click("form button{Done}")
			p.click("form button{Save strategy}")
			p.click("[data-testid=TOGGLE-" + v["name"] + "-development] input")
			p.see("h3{Enabled in environments (1)}")
		},
		want: func(s state, who account, v values) {
			s["flag "+v["name"]] = strings.Join([]string{who.user, strings.ToLower(strings.ReplaceAll(v["kind"], " ", "-")), v["about"], "impressions", "development"}, "|")
			s["strategy of "+v["name"]] = strings.Join([]string{v["title"], "development", "flexibleRollout", strings.TrimSuffix(v["share"], "%"), v["sticky"], v["group"], v["field"] + " " + operator(v) + " " + v["value"], "1"}, "|")
		},
	}
}

// operator is what an operator is called before what it means.
func operator(v values) string {
	name, _, _ := strings.Cut(v["operator"], " ")
	return name
}

var unleashPackage = npm{"unleash-server", "6.4.1", ""}

const unleashProgram = "unleash-server/dist/server.js"

func startUnleash(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	folder, err := h.postgres(ctx)
	if err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	env := []string{
		"DATABASE_HOST=" + folder, "DATABASE_USERNAME=postgres", "DATABASE_NAME=postgres", "DATABASE_PASSWORD=none", "DATABASE_SSL=false", "HTTP_HOST=127.0.0.1", fmt.Sprint("HTTP_PORT=", port), "UNLEASH_URL=" + url,
		"CHECK_VERSION=false", "SEND_TELEMETRY=false", "SIMPLE_LOGIN_LIMIT_PER_MINUTE=1000", "UNLEASH_DEFAULT_ADMIN_USERNAME=" + accounts[0].user, "UNLEASH_DEFAULT_ADMIN_PASSWORD=" + accounts[0].password,
	}
	server, err := h.serve(h.dir, env, "node", h.npm(unleashPackage, unleashProgram))
	if err != nil {
		return nil, err
	}
	if err := server.up(ctx, answers(url+"/health")); err != nil {
		return nil, err
	}
	if err := secondUnleash(ctx, url, accounts); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		s := state{}
		rows, err := h.psql(ctx, folder, `select f.name, coalesce(u.username, ''), type, coalesce(description, ''), case when impression_data then 'impressions' else '' end, coalesce((select string_agg(environment, ',') from feature_environments e where e.feature_name = f.name and enabled), '')
			from features f left join users u on u.id = f.created_by_user_id where archived_at is null`)
		for _, r := range rows {
			add(s, "flag "+r[0], strings.Join(r[1:], "|"))
		}
		if err != nil {
			return nil, err
		}
		rows, err = h.psql(ctx, folder, `select feature_name, coalesce(title, ''), environment, strategy_name, parameters->>'rollout', parameters->>'stickiness', parameters->>'groupId',
			coalesce((select string_agg((c->>'contextName') || ' ' || (c->>'operator') || ' ' || coalesce((select string_agg(v, ',') from json_array_elements_text(c->'values') v), ''), '; ') from json_array_elements(constraints::json) c), ''), case when coalesce(disabled, false) then '0' else '1' end
			from feature_strategies`)
		for _, r := range rows {
			add(s, "strategy of "+r[0], strings.Join(r[1:], "|"))
		}
		return s, err
	}
	return &site{url: url + "/", accounts: accounts, state: read}, nil
}

// secondUnleash makes the second account, as the first one, who is known by a cookie.
func secondUnleash(ctx context.Context, url string, accounts [2]account) error {
	client := cookieClient()
	if err := postBy(ctx, client, url+"/auth/simple/login", "", map[string]any{"username": accounts[0].user, "password": accounts[0].password}, nil); err != nil {
		return err
	}
	return postBy(ctx, client, url+"/api/admin/user-admin", "", map[string]any{"username": accounts[1].user, "name": "Grace", "password": accounts[1].password, "rootRole": 1, "sendEmail": false}, nil)
}
