package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// qbittorrent adds a download and changes settings: dialogs whose content is a document in a
// frame, menus that unfold under the pointer, a menu of the right button, rows that are drawn again.
func qbittorrent() *app {
	return &app{
		name: "qbittorrent", about: "dialogs whose content is a document in a frame, menus that unfold under the pointer, a menu of the right button, rows that are drawn again", held: true,
		needs: []need{{"/usr/bin/qbittorrent-nox", "apt-get install qbittorrent-nox"}},
		start: startQbittorrent,
		values: func(run int) values {
			name := fmt.Sprintf("%s-%d", oneOf(run, "Lakes", "Moors", "Cliffs"), run)
			return values{
				"name": name, "link": fmt.Sprintf("magnet:?xt=urn:btih:%040d&dn=%s", 100+run, name), "folder": fmt.Sprintf("/srv/films-%d", run),
				"category": oneOf(run, "Music", "Films", "Books"), "other": oneOf(run, "Rain", "Birds"), "again": oneOf(run, "Books", "Music", "Films"), "rate": fmt.Sprint(120 + run), "days": oneOf(run, "Weekends", "Weekdays"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#username", who.user)
			p.fill("#password", who.password)
			p.click("#login")
		},
		flow: func(p *person, v values) {
			p.see("#torrentsTableDiv td{" + v["other"] + "}")
			p.click("#desktopNavbar li a{File}")
			p.click("#downloadLink")
			p.fill("#downloadPage_iframe >>> #urls", v["link"])
			p.refill("#downloadPage_iframe >>> #savepath", v["folder"])
			p.fill("#downloadPage_iframe >>> #rename", v["name"])
			p.press("Tab")
			p.typing(v["category"]) // a list that shows its arrow alone
			p.click("#downloadPage_iframe >>> #submitButton")
			p.see("#torrentsTableDiv td{" + v["name"] + "}")
			p.rightClick("#torrentsTableDiv td{" + v["other"] + "}")
			p.hover("#torrentsTableMenu a[href='#Category']")
			p.click("#contextCategoryList a{" + v["again"] + "}")
			p.click("#desktopNavbar li a{Tools}")
			p.click("#preferencesLink")
			p.click("#PrefSpeedLink")
			p.refill("#up_limit_value", v["rate"])
			p.click("#limitSchedulingCheckbox")
			p.choose("#schedule_freq_select", v["days"])
			p.click("#preferencesPage_content input[value=Save]")
		},
		want: func(s state, _ account, v values) {
			s["folder of "+v["name"]], s["category of "+v["name"]] = v["folder"], v["category"]
			s["category of "+v["other"]] = v["again"]
			s["limit"], s["slower"] = v["rate"], "true "+v["days"]
		},
	}
}

func startQbittorrent(ctx context.Context, h *host) (*site, error) {
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	// It reaches no other host.
	settings := "[BitTorrent]\nSession\\DHTEnabled=false\nSession\\LSDEnabled=false\nSession\\PeXEnabled=false\nSession\\Interface=lo\nSession\\InterfaceName=lo\nSession\\AddTorrentPaused=true\n" +
		"[LegalNotice]\nAccepted=true\n[Network]\nPortForwardingEnabled=false\n[Preferences]\nWebUI\\Address=127.0.0.1\nWebUI\\Username=ada\nWebUI\\UseUPnP=false\n"
	if err := h.write("profile/qBittorrent/config/qBittorrent.conf", settings); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "qbittorrent-nox", "--profile="+h.path("profile"), fmt.Sprintf("--webui-port=%d", port))
	if err != nil {
		return nil, err
	}
	at := fmt.Sprintf("http://127.0.0.1:%d/", port)
	if err := server.up(ctx, answers(at)); err != nil {
		return nil, err
	}
	api := &qbittorrentAPI{at: at + "api/v2/", client: cookieClient()}
	who := account{"ada", "adminadmin"} // the password that it comes with, and it has one user
	if err := api.call(ctx, "auth/login", url.Values{"username": {who.user}, "password": {who.password}}, nil); err != nil {
		return nil, err
	}
	for _, category := range []string{"Books", "Films", "Music"} {
		if err := api.call(ctx, "torrents/createCategory", url.Values{"category": {category}, "savePath": {""}}, nil); err != nil {
			return nil, err
		}
	}
	for i, name := range []string{"Birds", "Moss", "Rain"} {
		link := fmt.Sprintf("magnet:?xt=urn:btih:%040d&dn=%s", i+1, name)
		if err := api.call(ctx, "torrents/add", url.Values{"urls": {link}, "paused": {"true"}}, nil); err != nil {
			return nil, err
		}
	}
	return &site{url: at, accounts: [2]account{who, who}, state: api.state}, nil
}

// qbittorrentAPI is what its page asks, too.
type qbittorrentAPI struct {
	at     string
	client *http.Client
}

func (a *qbittorrentAPI) state(ctx context.Context) (state, error) {
	var list []struct {
		Name, Category string
		Folder         string `json:"save_path"`
	}
	if err := a.call(ctx, "torrents/info", nil, &list); err != nil {
		return nil, err
	}
	var has struct {
		Rate      int  `json:"up_limit"`
		Scheduled bool `json:"scheduler_enabled"`
		Days      int  `json:"scheduler_days"`
	}
	if err := a.call(ctx, "app/preferences", nil, &has); err != nil {
		return nil, err
	}
	s := state{}
	for _, t := range list {
		add(s, "folder of "+t.Name, t.Folder)
		add(s, "category of "+t.Name, t.Category)
	}
	days := map[int]string{1: "Weekdays", 2: "Weekends"}
	s["limit"], s["slower"] = fmt.Sprint(has.Rate/1024), fmt.Sprint(has.Scheduled, " ", days[has.Days])
	return s, nil
}

func (a *qbittorrentAPI) call(ctx context.Context, method string, values url.Values, answer any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.at+method, strings.NewReader(values.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := a.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", method, res.Status)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(res.Body).Decode(answer)
}
