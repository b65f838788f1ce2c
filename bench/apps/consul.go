package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// consul keeps who may do what with Consul: Ember with lists that are drawn as it scrolls, menus of boxes and labels without
// any script, lists that are searched, editors of code, dialogs over forms that make a part of what the form then saves.
func consul() *app {
	return &app{
		name: "consul", about: "Ember: rows that are drawn as it scrolls, menus of boxes and labels without script, lists that are searched, editors of code, dialogs that make a part of a form, cards that are radios", held: true,
		needs: []need{{program("consul"), "go get github.com/hashicorp/consul@v1.12.9"}},
		start: startConsul,
		named: map[string]string{"name": "policy", "name_2": "role", "name_3": "identity", "secret": "password"},
		values: func(run int) values {
			return values{
				"policy": oneOf(run, "hay", "wool", "rye") + fmt.Sprint("-readers-", 3+run), "rules": fmt.Sprintf(`key "field%d" { policy = "read" }`, 12+run), "about": fmt.Sprintf("For those of gate %d.", 7+run),
				"role": oneOf(run, "drover", "miller", "shearer") + fmt.Sprint("-", 4+run), "why": fmt.Sprintf("Asked for by hall %d", 5+run), "old": consulPolicies[(1+run)%len(consulPolicies)], "identity": oneOf(run, "cart", "mail", "web") + fmt.Sprint("-", 6+run),
				"key": oneOf(run, "gate", "barn", "pond") + fmt.Sprint("-", 8+run), "value": fmt.Sprintf("open until %d", 17+run), "gone": consulKeys[(2+run)%len(consulKeys)],
				"from": oneOf(run, "web", "api", "desk"), "to": oneOf(run, "mail", "billing", "search"), "note": fmt.Sprintf("Since week %d", 20+run), "effect": oneOf(run, "Deny", "Allow"), "match": oneOf(run, "Prefixed by", "Exact", "Regular Expression"), "path": fmt.Sprintf("/orders/%d", 30+run), "method": oneOf(run, "POST", "PUT", "DELETE"),
				"ends": consulAllowed[(1+run)%len(consulAllowed)],
			}
		},
		signIn: func(p *person, who account) {
			p.click("[role=banner] button{Log in}")
			p.fill("[role=dialog][open] input[name='auth[SecretID]']", who.password)
			p.press("Enter")
			p.see("[role=banner] button{Logout}")
		},
		flow: func(p *person, v values) {
			option := func(list, what string) {
				p.click(list + " .ember-power-select-trigger")
				p.click("li.ember-power-select-option{" + what + "}")
			}
			remove := func(row string) {
				p.click(row + " .popover-menu > label")
				p.click(row + " li.dangerous > label")
				p.click(row + " li.dangerous button")
			}
			p.click("nav a{Policies}")
			p.click("a.type-create")
			p.fill("main input[name='policy[Name]']", v["policy"])
			p.fill("main .CodeMirror-lines", v["rules"])
			p.fill("main textarea[name='policy[Description]']", v["about"])
			p.click("main form button[type=submit]{Save}")
			p.see("main a{" + v["policy"] + "}")
			p.click("nav a{Roles}")
			p.click("a.type-create")
			p.fill("main input[name='role[Name]']", v["role"])
			p.fill("main textarea[name='role[Description]']", v["why"])
			option(".policy-child-selector", v["old"])
			p.click(".policy-child-selector label.type-dialog")
			p.click("[role=dialog][open] input[value=service-identity]")
			p.fill("[role=dialog][open] input[name='policy[Name]']", v["identity"])
			p.click("[role=dialog][open] button[type=submit]")
			p.see(".policy-child-selector td{" + v["identity"] + "}")
			p.click("main form button[type=submit]{Save}")
			p.see("main a{" + v["role"] + "}")
			p.click("nav a{Key/Value}")
			p.click("a.type-create")
			p.fill("main input[name=additional]", v["key"])
			p.fill("main .CodeMirror-lines", v["value"])
			p.click("main form button[type=submit]{Save}")
			p.see("main a{" + v["key"] + "}")
			remove("tr:has(a[href$='/kv/" + v["gone"] + "/edit'])")
			p.click("nav a{Intentions}")
			p.click("a.type-create")
			option("main fieldset > div > fieldset:nth-of-type(1)", v["from"])
			option("main fieldset > div > fieldset:nth-of-type(2)", v["to"])
			p.fill("input[name=Description]", v["note"])
			p.click("label.radio-card header{Application Aware}")
			p.click("main button{Add permission}")
			p.click("[role=dialog][open] [role=radiogroup] label span{" + v["effect"] + "}")
			option("[data-property=pathtype]", v["match"])
			p.fill("input[name='intention-permission[Path]']", v["path"])
			p.click("[data-property=allmethods] span")
			p.click("[role=dialog][open] label span{" + v["method"] + "}")
			p.click("[role=dialog][open] footer button{Save}")
			p.click("main form button[type=submit]{Save}")
			p.see("main td.source a{" + v["from"] + "}")
			remove("tr:has(a[href*=':" + v["ends"] + ":'])")
		},
		want: func(s state, _ account, v values) {
			s["policy "+v["policy"]] = v["about"] + "|" + v["rules"]
			s["role "+v["role"]] = strings.Join([]string{v["why"], v["old"], v["identity"]}, "|")
			s["key "+v["key"]] = v["value"]
			delete(s, "key "+v["gone"])
			how := map[string]string{"Prefixed by": "PathPrefix", "Exact": "PathExact", "Regular Expression": "PathRegex"}[v["match"]]
			s["intention "+v["from"]+" to "+v["to"]] = strings.Join([]string{"", v["note"], strings.ToLower(v["effect"]), how, v["path"], v["method"]}, "|")
			delete(s, "intention "+v["ends"]+" to store")
		},
	}
}

// What is there before.
var (
	consulPolicies = []string{"gardeners", "readers", "stewards", "writers"}
	consulKeys     = []string{"axe", "cellar", "dairy", "mill", "orchard"}
	consulServices = []string{"api", "billing", "cart", "clock", "desk", "mail", "search", "store", "web"}
	consulAllowed  = []string{"billing", "cart", "clock", "search"} // to come to the store
)

func startConsul(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "11111111-aaaa-bbbb-cccc-000000000001"}, {"grace", "22222222-dddd-eeee-ffff-000000000002"}}
	ports, err := h.free(4)
	if err != nil {
		return nil, err
	}
	type object = map[string]any
	settings, err := json.Marshal(object{
		"server": true, "bootstrap_expect": 1, "data_dir": h.path("data"), "bind_addr": "127.0.0.1", "client_addr": "127.0.0.1", "node_name": "farm", "disable_update_check": true,
		"ui_config": object{"enabled": true}, "connect": object{"enabled": true}, "acl": object{"enabled": true, "default_policy": "deny", "tokens": object{"initial_management": accounts[0].password}},
		"ports": object{"http": ports[0], "dns": -1, "grpc": -1, "server": ports[1], "serf_lan": ports[2], "serf_wan": ports[3]},
	})
	if err != nil {
		return nil, err
	}
	if err := h.write("consul.json", string(settings)); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, program("consul"), "agent", "-config-file", h.path("consul.json"))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	ask := func(ctx context.Context, method, path string, body, answer any) error {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, method, url+"/v1/"+path, bytes.NewReader(data))
		if err != nil {
			return err
		}
		req.Header.Set("X-Consul-Token", accounts[0].password)
		return answered(http.DefaultClient, req, answer)
	}
	second := object{"SecretID": accounts[1].password, "Description": "Grace", "Policies": []object{{"ID": "00000000-0000-0000-0000-000000000001"}}}
	if err := server.up(ctx, func(ctx context.Context) error { return ask(ctx, http.MethodPut, "acl/token", second, &object{}) }); err != nil {
		return nil, err
	}
	put := func(path string, body, answer any) {
		if err == nil {
			err = ask(ctx, http.MethodPut, path, body, answer)
		}
	}
	var done bool
	for _, name := range consulPolicies {
		put("acl/policy", object{"Name": name, "Description": "As before", "Rules": `operator = "read"`}, &object{})
	}
	for _, name := range consulKeys {
		put("kv/"+name, "as before", &done)
	}
	for _, name := range consulServices {
		put("catalog/register", object{"Node": "barn", "Address": "127.0.0.9", "Service": object{"Service": name, "Port": 90}}, &done)
		put("config", object{"Kind": "service-defaults", "Name": name, "Protocol": "http"}, &done)
	}
	for _, name := range consulAllowed {
		put("connect/intentions/exact?source="+name+"&destination=store", object{"Action": "allow", "Description": "As before"}, &done)
	}
	read := func(ctx context.Context) (state, error) {
		return readConsul(func(path string, answer any) error { return ask(ctx, http.MethodGet, path, nil, answer) })
	}
	return &site{url: url + "/ui/", accounts: accounts, state: read}, err
}

func readConsul(get func(path string, answer any) error) (state, error) {
	type named struct{ ID, Name, Description, ServiceName string }
	var policies, tokens []named
	var roles []struct {
		named
		Policies, ServiceIdentities []named
	}
	var keys []struct {
		Key   string
		Value []byte
	}
	var intentions []struct {
		SourceName, DestinationName, Action, Description string
		Permissions                                      []struct {
			Action string
			HTTP   map[string]any
		}
	}
	for path, answer := range map[string]any{"acl/policies": &policies, "acl/tokens": &tokens, "acl/roles": &roles, "kv/?recurse": &keys, "connect/intentions": &intentions} {
		if err := get(path, answer); err != nil {
			return nil, err
		}
	}
	s := state{}
	for _, p := range policies {
		var whole struct{ Rules string }
		if err := get("acl/policy/"+p.ID, &whole); err != nil {
			return nil, err
		}
		add(s, "policy "+p.Name, p.Description+"|"+whole.Rules)
	}
	for _, t := range tokens {
		add(s, "token "+t.Description, "there")
	}
	for _, r := range roles {
		var parts []string
		for _, p := range append(r.Policies, r.ServiceIdentities...) {
			parts = append(parts, p.Name+p.ServiceName)
		}
		add(s, "role "+r.Name, strings.Join(append([]string{r.Description}, parts...), "|"))
	}
	for _, k := range keys {
		add(s, "key "+k.Key, string(k.Value))
	}
	for _, i := range intentions {
		text := i.Action + "|" + i.Description
		for _, p := range i.Permissions {
			text += "|" + p.Action
			for _, key := range []string{"PathExact", "PathPrefix", "PathRegex"} {
				if path, is := p.HTTP[key]; is {
					text += fmt.Sprintf("|%s|%v", key, path)
				}
			}
			if methods, is := p.HTTP["Methods"].([]any); is {
				text += "|" + strings.Trim(fmt.Sprint(methods), "[]")
			}
		}
		add(s, "intention "+i.SourceName+" to "+i.DestinationName, text)
	}
	return s, nil
}
