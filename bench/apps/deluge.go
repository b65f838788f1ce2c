package main

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // it is what the application takes
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// deluge adds a download and changes settings: windows, lists and grids that Ext draws, a
// window over a window, menus of the right button, fields whose ids are counted.
func deluge() *app {
	return &app{
		name: "deluge", about: "windows, lists and grids that Ext draws, a window over a window, menus of the right button, fields whose ids are counted", held: true,
		needs: []need{{"/usr/bin/deluge-web", "apt-get install deluge-web"}, {"/usr/bin/deluged", "apt-get install deluged"}},
		start: startDeluge,
		values: func(run int) values {
			name := fmt.Sprintf("%s-%d", oneOf(run, "Lakes", "Moors", "Cliffs"), run)
			return values{
				"link": fmt.Sprintf("magnet:?xt=urn:btih:%040d&dn=%s", 100+run, name), "folder": fmt.Sprintf("/srv/films-%d", run), "other": oneOf(run, "Rain", "Birds", "Moss"), "label": oneOf(run, "films", "music", "books"),
				"rate": fmt.Sprint(120 + run), "level": oneOf(run, "Handshake", "Either", "Full Stream"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill(".x-window input[type=password]", who.password)
			p.press("Enter")
		},
		flow: func(p *person, v values) {
			p.click(".x-toolbar button{Add}")
			p.click(".x-window button{Url}")
			p.fill(".x-window input[name=url]", v["link"])
			p.click(".x-window:has(input[name=url]) .x-window-footer button{Add}")
			p.click(".x-window .x-tab-strip-text{Options}")
			p.refill(".x-window input[name=download_location]", v["folder"])
			p.click(".x-window:has(input[name=download_location]) .x-window-footer button{Add}")
			p.see(".x-grid3-cell-inner{" + nameIn(v["link"]) + "}")
			p.click(".x-toolbar button{Preferences}")
			p.click(".x-window .x-list-body em{Bandwidth}")
			p.refill(".x-window:has(input[name=max_connections_per_second]) input[name=max_upload_speed]", v["rate"])
			p.click(".x-window .x-list-body em{Encryption}")
			p.click(".x-form-item:nth-child(2):has(.x-trigger-noedit) + .x-form-item .x-form-trigger")
			p.click(".x-combo-list-item{" + v["level"] + "}")
			p.click(".x-window:has(input[name=max_connections_per_second]) .x-window-footer button{OK}")
			p.rightClick(".x-grid3-cell-inner{" + v["other"] + "}")
			p.hover(".x-menu-item-text{Label}")
			p.click(".x-menu-item-text{" + v["label"] + "}")
		},
		want: func(s state, _ account, v values) {
			name := nameIn(v["link"])
			s["label of "+name], s["folder of "+name] = "", v["folder"]
			s["label of "+v["other"]] = v["label"]
			s["limit"], s["level"] = v["rate"], v["level"]
		},
	}
}

// nameIn is what a link calls what it leads to.
func nameIn(link string) string {
	_, name, _ := strings.Cut(link, "&dn=")
	return name
}

func startDeluge(ctx context.Context, h *host) (*site, error) {
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	daemon, err := h.port()
	if err != nil {
		return nil, err
	}
	who := account{"ada", "Analytical-7"} // it has one password, and no users
	conf := func(values map[string]any) string {
		text, _ := json.Marshal(values) // texts, numbers and lists of them
		return `{"file": 1, "format": 1}` + string(text)
	}
	for name, text := range map[string]string{
		"daemon/auth": "localclient:secret:10\n",
		// It reaches no other host.
		"daemon/core.conf": conf(map[string]any{
			"dht": false, "upnp": false, "natpmp": false, "lsd": false, "utpex": false, "listen_interface": "127.0.0.1", "outgoing_interface": "127.0.0.1", "add_paused": true, "enabled_plugins": []string{"Label"},
			"download_location": h.path("downloads"), "new_release_check": false,
		}),
		"web/hostlist.conf": `{"file": 3, "format": 1}` + fmt.Sprintf(`{"hosts": [["d52d636629464e5e855c52ae95cebf78", "127.0.0.1", %d, "localclient", "secret"]]}`, daemon),
		"web/web.conf":      `{"file": 2, "format": 1}` + fmt.Sprintf(`{"default_daemon": "d52d636629464e5e855c52ae95cebf78", "first_login": false, "pwd_salt": "salt", "pwd_sha1": "%x"}`, sha1.Sum([]byte("salt"+who.password))),
	} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	daemonServer, err := h.serve(h.dir, nil, "deluged", "-d", "-c", h.path("daemon"), "-p", fmt.Sprint(daemon), "-u", "127.0.0.1", "-i", "127.0.0.1")
	if err != nil {
		return nil, err
	}
	listens := func(ctx context.Context) error { // a page that asks for it before that is never answered
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", daemon))
		if err != nil {
			return err
		}
		return conn.Close()
	}
	if err := daemonServer.up(ctx, listens); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "deluge-web", "-d", "-c", h.path("web"), "-p", fmt.Sprint(port), "-i", "127.0.0.1", "--no-ssl")
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	api := &delugeAPI{url: url + "json", client: cookieClient()}
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	if err := api.call(ctx, "auth.login", []any{who.password}, nil); err != nil {
		return nil, err
	}
	connect := func(ctx context.Context) error {
		return api.call(ctx, "web.connect", []any{"d52d636629464e5e855c52ae95cebf78"}, nil)
	}
	if err := server.up(ctx, connect); err != nil {
		return nil, err
	}
	for _, label := range []string{"books", "films", "music"} {
		add := func(ctx context.Context) error { return api.call(ctx, "label.add", []any{label}, nil) }
		if err := server.up(ctx, add); err != nil { // the methods of plugins come some time after the others
			return nil, err
		}
	}
	for i, name := range []string{"Birds", "Moss", "Rain"} {
		link := fmt.Sprintf("magnet:?xt=urn:btih:%040d&dn=%s", i+1, name)
		if err := api.call(ctx, "core.add_torrent_magnet", []any{link, map[string]any{"add_paused": true}}, nil); err != nil {
			return nil, err
		}
	}
	return &site{url: url, accounts: [2]account{who, who}, state: api.state}, nil
}

// delugeAPI is what its page asks, too.
type delugeAPI struct {
	url    string
	client *http.Client
}

func (a *delugeAPI) state(ctx context.Context) (state, error) {
	var list map[string]struct {
		Name, Label string
		Folder      string `json:"download_location"`
	}
	if err := a.call(ctx, "core.get_torrents_status", []any{map[string]any{}, []string{"name", "label", "download_location"}}, &list); err != nil {
		return nil, err
	}
	var has struct {
		Rate  float64 `json:"max_upload_speed"`
		Level int     `json:"enc_level"`
	}
	if err := a.call(ctx, "core.get_config", nil, &has); err != nil {
		return nil, err
	}
	s := state{"limit": fmt.Sprint(has.Rate), "level": []string{"Handshake", "Full Stream", "Either"}[has.Level]}
	for _, t := range list {
		add(s, "label of "+t.Name, t.Label)
		add(s, "folder of "+t.Name, t.Folder)
	}
	return s, nil
}

func (a *delugeAPI) call(ctx context.Context, method string, params []any, answer any) error {
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := a.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var reply struct{ Result, Error json.RawMessage }
	if err := json.NewDecoder(res.Body).Decode(&reply); err != nil {
		return err
	}
	if len(reply.Error) > 0 && string(reply.Error) != "null" {
		return fmt.Errorf("%s: %s", method, reply.Error)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(reply.Result, answer)
}
