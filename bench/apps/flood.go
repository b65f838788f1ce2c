package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// flood adds a download, marks another one and limits the rates: a page that React draws, dialogs
// with tabs, fields under which marks are suggested, a menu of the right button, settings that are
// saved together.
func flood() *app {
	return &app{
		name: "flood", about: "a page that React draws, dialogs with tabs, fields under which marks are suggested, a menu of the right button, settings that are saved together", held: true,
		needs: append(floodPackage.needs(floodProgram), need{"/usr/bin/transmission-daemon", "apt-get install transmission-daemon"}),
		start: startFlood,
		values: func(run int) values {
			name := fmt.Sprintf("%s-%d", oneOf(run, "Pond", "Ants", "Hills", "Dunes"), run)
			return values{
				"link": fmt.Sprintf("magnet:?xt=urn:btih:%040d&dn=%s", 100+run, name), "tag": oneOf(run, "nature", "travel", "school") + fmt.Sprint(run), "folder": fmt.Sprintf("/srv/films-%d", 30+run),
				"old": oneOf(run, "Birds", "Moss", "Rain", "Clay"), "mark": oneOf(run, "seen", "keep", "loan") + fmt.Sprint(run), "rate": fmt.Sprint((120 + run) * 1024), "down": fmt.Sprint((300 + run) * 1024),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[name=username]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("button[type=submit]")
		},
		flow: func(p *person, v values) {
			p.click(".action-bar [aria-label='Add Torrent']")
			p.fill(".modal input[name^=urls]", v["link"])
			p.fill("#tags", v["tag"])
			p.refill("#destination", v["folder"])
			p.click("label:has(#start)")
			p.click(".modal__actions button[type=submit]")
			p.see("[data-torrent-name=" + floodName(v) + "]")
			p.rightClick("[data-torrent-name=" + v["old"] + "]")
			p.click(".context-menu li button{Set Tags}")
			p.fill(".modal #tags", v["mark"])
			p.click(".modal__actions .button--primary")
			p.click("[aria-label=Settings]")
			p.click(".modal__tab button{Bandwidth}")
			p.refill("#throttleGlobalUpSpeed", v["rate"])
			p.refill("#throttleGlobalDownSpeed", v["down"])
			p.click(".modal__actions .button--primary")
		},
		want: func(s state, who account, v values) {
			s[who.user+" has "+floodName(v)] = strings.Join([]string{v["folder"], v["tag"], "paused"}, "|")
			s[who.user+" sends"], s[who.user+" fetches"] = v["rate"], v["down"]
			s[who.user+" has "+v["old"]] = strings.Join([]string{"", v["mark"], "paused"}, "|")
		},
	}
}

// floodName is what the link calls the download.
func floodName(v values) string {
	_, name, _ := strings.Cut(v["link"], "&dn=")
	return name
}

var floodPackage = npm{"flood", "4.16.2", ""}

const floodProgram = "flood/dist/index.js"

func startFlood(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	urls := map[string]string{}
	for _, who := range accounts { // each has a program of their own
		port, err := h.port()
		if err != nil {
			return nil, err
		}
		settings, err := json.Marshal(map[string]any{ // it reaches no other host
			"rpc-bind-address": "127.0.0.1", "rpc-port": port, "rpc-authentication-required": false, "dht-enabled": false, "lpd-enabled": false, "pex-enabled": false, "utp-enabled": false,
			"port-forwarding-enabled": false, "bind-address-ipv4": "127.0.0.1", "bind-address-ipv6": "::1", "download-dir": h.path("downloads"), "start-added-torrents": false,
		})
		if err != nil {
			return nil, err
		}
		if err := h.write(who.user+"/settings.json", string(settings)); err != nil {
			return nil, err
		}
		server, err := h.serve(h.dir, nil, "transmission-daemon", "-f", "-g", h.path(who.user))
		if err != nil {
			return nil, err
		}
		urls[who.user] = fmt.Sprintf("http://127.0.0.1:%d/transmission/", port)
		if err := server.up(ctx, answers(urls[who.user]+"web/")); err != nil {
			return nil, err
		}
		for i, name := range []string{"Birds", "Moss", "Rain", "Clay"} {
			link := fmt.Sprintf("magnet:?xt=urn:btih:%040d&dn=%s", i+1, name)
			if err := transmissionCall(ctx, urls[who.user], "torrent-add", map[string]any{"filename": link, "paused": true}, nil); err != nil {
				return nil, err
			}
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	server, err := h.serve(h.dir, []string{"NODE_ENV=production"}, "node", h.npm(floodPackage, floodProgram), "-d", h.path("flood"), "-p", fmt.Sprint(port), "--auth", "default")
	if err != nil {
		return nil, err
	}
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	client := cookieClient() // the first account makes the second
	for _, who := range accounts {
		program := map[string]any{"client": "Transmission", "type": "rpc", "version": 1, "url": urls[who.user] + "rpc", "username": "", "password": ""}
		if err := postBy(ctx, client, url+"api/auth/register?cookie="+fmt.Sprint(who == accounts[0]), "", map[string]any{"username": who.user, "password": who.password, "client": program, "level": 10}, nil); err != nil {
			return nil, err
		}
	}
	read := func(ctx context.Context) (state, error) {
		s := state{}
		for _, user := range slices.Sorted(maps.Keys(urls)) {
			var list struct {
				Arguments struct {
					Torrents []struct {
						Name, DownloadDir string
						Labels            []string
						Status            int
					}
				}
			}
			if err := transmissionCall(ctx, urls[user], "torrent-get", map[string]any{"fields": []string{"name", "downloadDir", "labels", "status"}}, &list); err != nil {
				return nil, err
			}
			var session struct{ Arguments map[string]any }
			if err := transmissionCall(ctx, urls[user], "session-get", map[string]any{}, &session); err != nil {
				return nil, err
			}
			for name, key := range map[string]string{"sends": "speed-limit-up", "fetches": "speed-limit-down"} {
				rate, _ := session.Arguments[key].(float64) // in units of 1024
				s[user+" "+name] = fmt.Sprint(int(rate) * 1024)
			}
			for _, t := range list.Arguments.Torrents {
				folder := strings.TrimPrefix(t.DownloadDir, h.path("downloads"))
				add(s, user+" has "+t.Name, strings.Join([]string{folder, strings.Join(t.Labels, ","), map[int]string{0: "paused"}[t.Status]}, "|"))
			}
		}
		return s, nil
	}
	return &site{url: url, accounts: accounts, state: read}, nil
}
