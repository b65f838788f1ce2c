package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// nodered draws a flow: a node that is dragged from a palette, a form in a drawer, a
// list that the page draws, and a button that sends it all.
func nodered() *app {
	return &app{
		name: "node-red", about: "drag and drop, a drawing, forms in a drawer, lists that the page draws", held: true,
		needs: nodereds.needs("node-red/red.js"),
		start: startNodered, releases: true,
		named: map[string]string{"name": "name"},
		values: func(run int) values {
			return values{"name": fmt.Sprintf("Bell %d", run), "payload": fmt.Sprintf("ring %d times", run), "topic": fmt.Sprintf("house/%d", run)}
		},
		signIn: func(p *person, who account) {
			p.fill("#node-dialog-login-username", who.user)
			p.fill("#node-dialog-login-password", who.password)
			p.click("#node-dialog-login-submit")
			p.see("#red-ui-palette .red-ui-palette-node[data-palette-type=inject]")
		},
		flow: func(p *person, v values) {
			p.drag("#red-ui-palette .red-ui-palette-node[data-palette-type=inject]", "#red-ui-workspace-chart", -200, -100, false)
			p.doubleClick("#red-ui-workspace-chart .red-ui-flow-node-group")
			p.fill("#node-input-name", v["name"])
			p.click("#node-input-property-container li:first-child .red-ui-typedInput-container:nth-child(5) .red-ui-typedInput-type-select")
			p.click(".red-ui-typedInput-options a[value=str]")
			p.fill("#node-input-property-container li:first-child .red-ui-typedInput-container:nth-child(5) .red-ui-typedInput-input", v["payload"])
			p.fill("#node-input-property-container li:nth-child(2) .red-ui-typedInput-container:nth-child(5) .red-ui-typedInput-input", v["topic"])
			p.choose("#inject-time-type-select", "interval")
			p.click("#node-dialog-ok")
			p.click("#red-ui-header-button-deploy")
		},
		want: func(s state, who account, v values) {
			s["inject "+v["name"]] = "str:" + v["payload"] + "|" + v["topic"] + "|every 1"
		},
	}
}

var nodereds = npm{"node-red", "4", "3"}

func startNodered(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	users := []map[string]string{}
	for _, who := range accounts {
		hash, err := h.run(ctx, nil, "node", "-e", "console.log(require(process.argv[1]).hashSync(process.argv[2], 8))", h.npm(nodereds, "bcryptjs"), who.password)
		if err != nil {
			return nil, err
		}
		users = append(users, map[string]string{"username": who.user, "password": hash[:len(hash)-1], "permissions": "*"})
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	settings, err := json.Marshal(map[string]any{
		"uiHost": "127.0.0.1", "uiPort": port, "flowFile": "flows.json", "telemetry": map[string]any{"enabled": false, "updateNotification": false},
		"adminAuth": map[string]any{"type": "credentials", "users": users}, "editorTheme": map[string]any{"tours": false},
	})
	if err != nil {
		return nil, err
	}
	if err := h.write("red/settings.js", "module.exports = "+string(settings)+";\n"); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "node", h.npm(nodereds, "node-red/red.js"), "--userDir", h.path("red"), "--settings", h.path("red/settings.js"))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	return &site{url: url, accounts: accounts, state: func(context.Context) (state, error) { return flowsOf(h.path("red")) }}, server.up(ctx, answers(url))
}

func flowsOf(folder string) (state, error) {
	s := state{}
	data, err := os.ReadFile(filepath.Join(folder, "flows.json"))
	if os.IsNotExist(err) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	var nodes []struct{ Type, Name, Payload, PayloadType, Topic, Repeat string }
	if err := json.Unmarshal(data, &nodes); err != nil {
		return nil, err
	}
	for _, n := range nodes {
		if n.Type != "tab" {
			add(s, n.Type+" "+n.Name, n.PayloadType+":"+n.Payload+"|"+n.Topic+"|every "+n.Repeat)
		}
	}
	return s, nil
}
