package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
)

// etherpad writes in a pad: an editor in a frame in a frame, which writes what is typed
// itself, and sends each change over a socket that attaches after the page is there.
func etherpad() *app {
	return &app{
		name: "etherpad", about: "an editor in a frame in a frame that writes itself what is typed, sent over a socket that attaches late",
		needs: etherpads.needs("ep_etherpad-lite/node/server.js"),
		start: startEtherpad,
		named: map[string]string{"name": "pad"},
		values: func(run int) values {
			return values{"pad": fmt.Sprintf("minutes%d", run), "text": fmt.Sprintf("Present: %d people\nDecided: plan %d", run, run)}
		},
		flow: func(p *person, v values) {
			p.fill("#padname", v["pad"])
			p.click("#go2Name button")
			p.at("/p/")
			const editor = "iframe[name=ace_outer] >>> iframe[name=ace_inner] >>> #innerdocbody"
			p.see("[data-key=bold] button")          // nothing lies over it any more
			p.see(editor + " .ace-line + .ace-line") // the text that it begins with has come
			p.click(editor)
			p.press("a", "Control")
			p.typing(v["text"])
			p.press("a", "Control")
			p.click("[data-key=bold] button")
			p.see("iframe[name=ace_outer] >>> iframe[name=ace_inner] >>> #innerdocbody b")
		},
		want: func(s state, _ account, v values) {
			s["pad "+v["pad"]] = "<strong>" + strings.Replace(v["text"], "\n", "</strong><br><strong>", 1) + "</strong>"
		},
	}
}

var etherpads = npm{"ep_etherpad-lite", "1.8.14", ""}

func startEtherpad(ctx context.Context, h *host) (*site, error) {
	// It looks for itself as src in a folder with node_modules.
	layout := `mkdir -p pad/node_modules && cp -r "$1/ep_etherpad-lite" pad/src && mkdir -p pad/src/node_modules && for package in "$1"/*; do
		name=$(basename "$package"); [ "$name" = ep_etherpad-lite ] || [ -e "pad/src/node_modules/$name" ] || ln -s "$package" "pad/src/node_modules/$name"; done && ln -s ../src pad/node_modules/ep_etherpad-lite`
	if _, err := h.run(ctx, nil, "sh", "-c", layout, "sh", h.npm(etherpads, "")); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	settings := fmt.Sprintf(`{"title": "Pads", "ip": "127.0.0.1", "port": %d, "dbType": "dirty", "dbSettings": {"filename": %q}, "skinName": "no-skin", "defaultPadText": "",
		"minify": true, "maxAge": 0, "loglevel": "WARN"}`, port, h.path("pad/dirty.db"))
	if err := h.write("pad/settings.json", settings); err != nil {
		return nil, err
	}
	server, err := h.serve(h.path("pad"), []string{"NODE_ENV=production"}, "node", "src/node/server.js")
	if err != nil {
		return nil, err
	}
	at := fmt.Sprintf("http://127.0.0.1:%d", port)
	if err := server.up(ctx, answers(at+"/")); err != nil {
		return nil, err
	}
	key, err := os.ReadFile(h.path("pad/APIKEY.txt"))
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) { return pads(ctx, at, strings.TrimSpace(string(key))) }
	return &site{url: at + "/", state: read}, nil
}

// pads asks the application for the text of all pads.
func pads(ctx context.Context, at, key string) (state, error) {
	ask := func(what string, with url.Values, answer any) error {
		with.Set("apikey", key)
		return getJSON(ctx, at+"/api/1.2.1/"+what+"?"+with.Encode(), answer)
	}
	var all struct{ Data struct{ PadIDs []string } }
	if err := ask("listAllPads", url.Values{}, &all); err != nil {
		return nil, err
	}
	s := state{}
	for _, id := range all.Data.PadIDs {
		var pad struct{ Data struct{ HTML string } }
		if err := ask("getHTML", url.Values{"padID": {id}}, &pad); err != nil {
			return nil, err
		}
		_, body, _ := strings.Cut(pad.Data.HTML, "<body>")
		body, _, _ = strings.Cut(body, "</body>")
		s["pad "+id] = strings.TrimSuffix(strings.TrimSuffix(body, "<br>"), "<br>")
	}
	return s, nil
}
