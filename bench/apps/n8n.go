package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// n8n makes a workflow: a drawing that Vue shows, a panel of what can be added, a form in a
// dialog whose lists and number fields Element draws, a name that is typed where it stands, tags
// that are suggested, a switch that opens a message.
func n8n() *app {
	return &app{
		name: "n8n", about: "a drawing that Vue shows, a panel of what can be added, lists and number fields that Element draws, a name that is typed where it stands, suggested tags, a switch", held: true,
		needs: append(n8nPackage.needs(n8nProgram), postgresNeeds...),
		start: startN8n,
		named: map[string]string{"name": "name"},
		values: func(run int) values {
			return values{
				"days": fmt.Sprint(3 + run), "hour": oneOf(run, "7am", "5am", "9am", "4am"), "minute": fmt.Sprint(11 + run),
				"name": oneOf(run, "Water beds", "Feed hens", "Air cellar", "Wind clock") + fmt.Sprintf(" %d", 21+run), "tag": oneOf(run, "garden", "stable", "kitchen", "parlour"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[name=email]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("button{Sign in}")
		},
		flow: func(p *person, v values) {
			p.click("[data-test-id=resources-list-add]")
			p.click("[data-test-id=canvas-plus-button]")
			p.click("[data-test-id=node-creator-item-name]{On a Schedule}")
			p.refill("[data-test-id=parameter-input-daysInterval] input", v["days"])
			p.click(".parameter-item .parameter-input-list-wrapper > div:nth-child(3) input[readonly]")
			p.click(".el-select-dropdown__item .option-headline{" + v["hour"] + "}")
			p.refill("[data-test-id=parameter-input-triggerAtMinute] input", v["minute"])
			p.click("[data-test-id=back-to-canvas]")
			p.refill("[data-test-id=workflow-name-input]", v["name"])
			p.press("Enter")
			p.see("[data-test-id=workflow-save-button]{Saved}")
			p.click("[data-test-id=new-tag-link]")
			p.typing(v["tag"])
			p.click(".tags-dropdown .tag{" + v["tag"] + "}")
			p.click("[data-test-id=workflow-activator-status]") // it does nothing, and ends the choice
			p.see("[data-test-id=workflow-tags-container] .el-tag{" + v["tag"] + "}")
			p.click("[data-test-id=workflow-activate-switch]")
			p.click("button{Got it}")
			p.see("[data-test-id=workflow-activator-status]{Active}")
		},
		want: func(s state, who account, v values) {
			s["workflow "+v["name"]] = strings.Join([]string{who.user, "t", v["tag"], "n8n-nodes-base.scheduleTrigger", v["days"], strings.TrimSuffix(v["hour"], "am"), v["minute"], "1"}, "|")
		},
	}
}

var n8nPackage = npm{"n8n", "0.211.0", ""}

const n8nProgram = "n8n/bin/n8n"

// olderNode says that it is run by a release of Node that it asks for: it runs with later ones, too.
const olderNode = `Object.defineProperty(process, "versions", {value: {...process.versions, node: "18.20.0"}});
`

func startN8n(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada@example.com", "Analytical-7"}, {"grace@example.com", "Compiler-19"}}
	folder, err := h.postgres(ctx)
	if err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"node.cjs": olderNode, "home/empty": ""} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	env := []string{
		"DB_TYPE=postgresdb", "DB_POSTGRESDB_HOST=" + folder, "DB_POSTGRESDB_USER=postgres", "DB_POSTGRESDB_DATABASE=postgres", "DB_POSTGRESDB_PASSWORD=none", "N8N_USER_FOLDER=" + h.path("home"), "N8N_ENCRYPTION_KEY=key",
		"N8N_HOST=127.0.0.1", "N8N_LISTEN_ADDRESS=127.0.0.1", fmt.Sprint("N8N_PORT=", port), "GENERIC_TIMEZONE=UTC", "N8N_DIAGNOSTICS_ENABLED=false", "N8N_VERSION_NOTIFICATIONS_ENABLED=false",
		"N8N_TEMPLATES_ENABLED=false", "N8N_PERSONALIZATION_ENABLED=false", "N8N_HIRING_BANNER_ENABLED=false", "EXECUTIONS_PROCESS=main", "NODE_OPTIONS=--require " + h.path("node.cjs"),
	}
	server, err := h.serve(h.dir, env, "node", h.npm(n8nPackage, n8nProgram), "start")
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	if err := server.up(ctx, answers(url+"/healthz")); err != nil {
		return nil, err
	}
	if err := server.up(ctx, func(ctx context.Context) error { return fillN8n(ctx, url+"/rest", accounts) }); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		s := state{}
		rows, err := h.psql(ctx, folder, `select w.name, u.email, active, coalesce((select string_agg(t.name, ',') from workflows_tags l join tag_entity t on t.id = l."tagId" where l."workflowId" = w.id), ''),
			coalesce(nodes->0->>'type', ''), coalesce(r->>'daysInterval', ''), coalesce(r->>'triggerAtHour', ''), coalesce(r->>'triggerAtMinute', ''), json_array_length(nodes)
			from workflow_entity w join shared_workflow o on o."workflowId" = w.id join "user" u on u.id = o."userId" left join lateral (select nodes->0->'parameters'->'rule'->'interval'->0 r) x on true`)
		for _, r := range rows {
			add(s, "workflow "+r[0], strings.Join(r[1:], "|"))
		}
		if err != nil {
			return nil, err
		}
		rows, err = h.psql(ctx, folder, "select name from tag_entity")
		for _, r := range rows {
			add(s, "tag "+r[0], "there")
		}
		return s, err
	}
	return &site{url: url + "/", accounts: accounts, state: read}, nil
}

// fillN8n makes the accounts, who are known by cookies, something that is there before for each, and tags.
func fillN8n(ctx context.Context, rest string, accounts [2]account) error {
	type object = map[string]any
	clients := [2]*http.Client{cookieClient(), cookieClient()}
	// The first one who comes is the owner.
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, rest+"/login", nil)
	if err != nil {
		return err
	}
	res, err := clients[0].Do(req)
	if err != nil {
		return err
	}
	if err := res.Body.Close(); err != nil {
		return err
	}
	var owner struct{ Data struct{ ID string } }
	var invited struct {
		Data []struct{ User struct{ ID string } }
	}
	if err := postBy(ctx, clients[0], rest+"/owner", "", object{"email": accounts[0].user, "firstName": "Ada", "lastName": "Byron", "password": accounts[0].password}, &owner); err != nil {
		return err
	}
	if err := postBy(ctx, clients[0], rest+"/users", "", []object{{"email": accounts[1].user}}, &invited); err != nil {
		return err
	}
	joined := object{"inviterId": owner.Data.ID, "firstName": "Grace", "lastName": "Hopper", "password": accounts[1].password}
	if err := postBy(ctx, clients[1], rest+"/users/"+invited.Data[0].User.ID, "", joined, nil); err != nil {
		return err
	}
	for i, name := range []string{"Sweep yard", "Mend roof"} {
		if err := postBy(ctx, clients[i], rest+"/workflows", "", object{"name": name, "nodes": []any{}, "connections": object{}, "active": false, "settings": object{}, "tags": []any{}}, nil); err != nil {
			return err
		}
	}
	for _, name := range []string{"attic", "garden", "kitchen", "parlour", "stable"} {
		if err := postBy(ctx, clients[0], rest+"/tags", "", object{"name": name}, nil); err != nil {
			return err
		}
	}
	return nil
}
