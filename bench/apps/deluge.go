package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// deluge changes preferences: windows, lists and boxes of which a toolkit draws every part,
// with ids that it counts.
func deluge() *app {
	return &app{
		name: "deluge", about: "windows, lists and boxes that a toolkit draws, with ids that it counts", held: true,
		needs: []need{{"/usr/bin/deluge-web", "apt-get install deluge-web"}, {"/usr/bin/deluged", "apt-get install deluged"}},
		start: startDeluge,
		values: func(run int) values {
			return values{"folder": fmt.Sprintf("/tmp/no-such-folder-%d", run)}
		},
		flow: func(p *person, who account, v values) {
			p.fill("input[name=password]", who.password)
			p.press("Enter")
			p.click(".x-deluge-preferences")
			p.refill("input[name=download_location]", v["folder"])
			p.click("input[name=pre_allocate_storage] ~ label, input[name=pre_allocate_storage]")
			p.click(".x-window .x-panel-btns .x-toolbar-right td:nth-child(3) button, .x-window-bl .x-toolbar-cell:nth-child(3) button")
		},
		want: func(s state, _ account, v values) {
			s["download_location"] = v["folder"]
			s["pre_allocate_storage"] = map[string]string{"true": "false", "false": "true"}[s["pre_allocate_storage"]]
		},
	}
}

func startDeluge(ctx context.Context, h *host) (*site, error) {
	who := account{"", "deluge"} // there is one for everyone, and it comes with the package
	daemon, err := h.port()
	if err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{
		"deluge/core.conf":     fmt.Sprintf(`{"file": 1, "format": 1}{"daemon_port": %d, "dht": false, "upnp": false, "natpmp": false, "lsd": false, "utpex": false, "new_release_check": false}`, daemon),
		"deluge/auth":          "localclient:local:10\n",
		"deluge/hostlist.conf": fmt.Sprintf(`{"file": 3, "format": 1}{"hosts": [["0123456789abcdef0123456789abcdef", "127.0.0.1", %d, "localclient", "local"]]}`, daemon),
		"deluge/web.conf":      `{"file": 2, "format": 1}{"first_login": false, "default_daemon": "0123456789abcdef0123456789abcdef", "show_session_speed": false}`,
	} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	if _, err := h.serve(h.dir, nil, "deluged", "-d", "-c", h.path("deluge"), "-L", "warning"); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "deluge-web", "-d", "-c", h.path("deluge"), "-i", "127.0.0.1", "-p", fmt.Sprint(port), "-L", "warning")
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	read := func(context.Context) (state, error) {
		text, err := os.ReadFile(h.path("deluge/core.conf"))
		if err != nil {
			return nil, err
		}
		var config map[string]any
		_, body, _ := strings.Cut(string(text), "}{")
		if err := json.Unmarshal([]byte("{"+strings.TrimSpace(body)), &config); err != nil {
			return nil, err
		}
		s := state{"download_location": "", "pre_allocate_storage": "false"}
		for key := range s {
			if value, there := config[key]; there {
				s[key] = fmt.Sprint(value)
			}
		}
		return s, nil
	}
	return &site{url: url, accounts: [2]account{who, who}, state: read}, server.up(ctx, answers(url))
}
