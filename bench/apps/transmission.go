package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// transmission adds a download and changes settings: a page of one script, controls that
// are bare elements, rows that are drawn again, a menu of the right button, a dialog with
// tabs whose fields are saved as they change.
func transmission() *app {
	return &app{
		name: "transmission", about: "controls that are bare elements, rows that are drawn again, a menu of the right button, fields that are saved as they change", held: true,
		needs: []need{{"/usr/bin/transmission-daemon", "apt-get install transmission-daemon"}},
		start: startTransmission,
		values: func(run int) values {
			name := fmt.Sprintf("%s-%d", oneOf(run, "Pond", "Ants", "Hills"), run)
			return values{
				"name": name, "link": fmt.Sprintf("magnet:?xt=urn:btih:%040d&dn=%s", 100+run, name), "folder": fmt.Sprintf("/srv/films-%d", run),
				"rate": fmt.Sprint(120 + run), "days": oneOf(run, "Weekends", "Weekdays"),
			}
		},
		flow: func(p *person, v values) {
			p.click("#toolbar-open")
			p.fill("#torrent_upload_url", v["link"])
			p.refill("#add-dialog-folder-input", v["folder"])
			p.click("#torrent_auto_start")
			p.click("#upload_confirm_button")
			p.see(".torrent_name{" + v["name"] + "}")
			p.rightClick(".torrent_name{" + v["name"] + "}")
			p.click("#torrent_context_menu [data-command=move_top], .ui-menu [data-command=move_top]")
			p.click("#prefs-button")
			p.click("#prefs-tab-speed a")
			p.click("#speed-limit-up-enabled")
			p.refill("#speed-limit-up", v["rate"])
			p.click("#alt-speed-time-enabled")
			p.choose("#alt-speed-time-day", v["days"])
			p.click(".ui-dialog-titlebar-close, .ui-tab-dialog-close button")
		},
		want: func(s state, _ account, v values) {
			s["download "+v["name"]] = v["folder"] + "|paused"
			s["first"] = v["name"]
			s["limit"] = "true " + v["rate"]
			s["slower"] = "true " + v["days"]
		},
	}
}

func startTransmission(ctx context.Context, h *host) (*site, error) {
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	// It reaches no other host.
	settings, err := json.Marshal(map[string]any{
		"rpc-bind-address": "127.0.0.1", "rpc-port": port, "rpc-authentication-required": false, "dht-enabled": false, "lpd-enabled": false, "pex-enabled": false, "utp-enabled": false,
		"port-forwarding-enabled": false, "bind-address-ipv4": "127.0.0.1", "bind-address-ipv6": "::1", "download-dir": h.path("downloads"), "start-added-torrents": true, "speed-limit-up": 100,
	})
	if err != nil {
		return nil, err
	}
	if err := h.write("transmission/settings.json", string(settings)); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "transmission-daemon", "-f", "-g", h.path("transmission"))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/transmission/", port)
	if err := server.up(ctx, answers(url+"web/")); err != nil {
		return nil, err
	}
	for i, name := range []string{"Birds", "Moss", "Rain"} {
		link := fmt.Sprintf("magnet:?xt=urn:btih:%040d&dn=%s", i+1, name)
		if err := transmissionCall(ctx, url, "torrent-add", map[string]any{"filename": link, "paused": true}, nil); err != nil {
			return nil, err
		}
	}
	return &site{url: url + "web/", state: func(ctx context.Context) (state, error) { return transmissionState(ctx, url) }}, nil
}

func transmissionState(ctx context.Context, url string) (state, error) {
	var list struct {
		Arguments struct {
			Torrents []struct {
				Name, DownloadDir     string
				Status, QueuePosition int
			}
		}
	}
	if err := transmissionCall(ctx, url, "torrent-get", map[string]any{"fields": []string{"name", "downloadDir", "status", "queuePosition"}}, &list); err != nil {
		return nil, err
	}
	var session struct{ Arguments map[string]any }
	if err := transmissionCall(ctx, url, "session-get", map[string]any{}, &session); err != nil {
		return nil, err
	}
	s := state{}
	for _, t := range list.Arguments.Torrents {
		add(s, "download "+t.Name, t.DownloadDir+"|"+map[int]string{0: "paused"}[t.Status])
		if t.QueuePosition == 0 {
			add(s, "first", t.Name)
		}
	}
	has := session.Arguments
	s["limit"] = fmt.Sprint(has["speed-limit-up-enabled"], " ", has["speed-limit-up"])
	days := map[string]string{"127": "Everyday", "62": "Weekdays", "65": "Weekends"}
	s["slower"] = fmt.Sprint(has["alt-speed-time-enabled"], " ", days[fmt.Sprint(has["alt-speed-time-day"])])
	return s, nil
}

// transmissionCall asks as its page does: with a key that the first answer has.
func transmissionCall(ctx context.Context, url, method string, arguments map[string]any, answer any) error {
	body, err := json.Marshal(map[string]any{"method": method, "arguments": arguments})
	if err != nil {
		return err
	}
	key := ""
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"rpc", bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("X-Transmission-Session-Id", key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if res.StatusCode == http.StatusConflict && key == "" {
			key = res.Header.Get("X-Transmission-Session-Id")
			continue
		}
		var result struct{ Result string }
		if answer == nil {
			answer = &result
		}
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", method, strings.TrimSpace(res.Status))
		}
		return json.NewDecoder(res.Body).Decode(answer)
	}
}
