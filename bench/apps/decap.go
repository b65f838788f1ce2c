package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// decap writes pages of a site with Decap CMS: cards that React and Emotion draw, lists of React
// Select, some of them narrowed as one types, an editor of Slate, a list of objects that fold,
// a switch, a button that opens a menu.
func decap() *app {
	return &app{
		name: "decap", about: "cards that React and Emotion draw, lists of React Select, some of them narrowed as one types, an editor of Slate, a list of objects that fold, a switch, a button that opens a menu", held: true,
		needs: slices.Concat(decapPackage.needs(decapScript), decapServer.needs(decapProgram)),
		start: startDecap,
		named: map[string]string{"title": "title"},
		values: func(run int) values {
			return values{
				"title": oneOf(run, "First lambs", "New hens", "A late frost", "Old oaks") + fmt.Sprintf(" of year %d", 30+run), "kind": oneOf(run, "Notice", "Story", "Recipe"), "label": oneOf(run, "spring", "autumn", "winter"), "place": decapPlaces[(1+run)%len(decapPlaces)],
				"chore": fmt.Sprintf("Carry %d pails", 20+run), "who": oneOf(run, "Iris", "Tom", "Nora") + fmt.Sprint(" ", 4+run), "text": fmt.Sprintf("Seen on page %d.", 300+run), "old": decapPlaces[(2+run)%len(decapPlaces)], "size": fmt.Sprint(40 + run), "use": oneOf(run, "Grazing", "Wood", "Water"),
			}
		},
		flow: func(p *person, v values) {
			option := func(text string) { p.click("[class*=-menu] [class*=-option]{" + text + "}") }
			publish := func() {
				p.click("[role=button]{Publish}")
				p.click("[role=menuitem]{Publish now}")
				p.see("[role=button]{Published}")
			}
			p.click("button{Login}")
			p.click("main a[href='#/collections/posts/new']")
			p.fill("[id^=title-field]", v["title"])
			p.click("button{Now}")
			p.click("[id^=kind-field]")
			option(v["kind"])
			p.click("[id^=labels-field]")
			option(v["label"])
			p.fill("[id^=place-field]", v["place"][:3])
			option(v["place"])
			p.click("[id^=front-field]")
			p.click("button{Add chore}")
			p.fill("[id^=what-field]", v["chore"])
			p.fill("[id^=who-field]", v["who"])
			p.click("[data-slate-editor]")
			p.typing(v["text"])
			publish()
			p.click("a[href='#/collections/posts']")
			p.click("aside a{Places}")
			p.click("main a{" + v["old"] + "}")
			p.refill("[id^=size-field]", v["size"])
			p.click("[id^=use-field]")
			option(v["use"])
			publish()
		},
		want: func(s state, _ account, v values) {
			name := func(title string) string { return strings.ToLower(strings.ReplaceAll(title, " ", "-")) + ".md" }
			s["posts "+name(v["title"])] = fmt.Sprintf("---\ntitle: %s\nday: %s\nkind: %s\nlabels:\n  - %s\nplace: %s\nfront: true\nchores:\n  - what: %s\n    who: %s\n---\n%s\n",
				v["title"], time.Now().Format(time.DateOnly), v["kind"], v["label"], v["place"], v["chore"], v["who"], v["text"])
			s["places "+name(v["old"])] = fmt.Sprintf("---\ntitle: %s\nsize: %s\nuse: %s\n---\n", v["old"], v["size"], v["use"])
		},
	}
}

var (
	decapPackage = npm{"decap-cms", "3.16.3", ""}
	decapServer  = npm{"decap-server", "3.11.3", ""}
)

const (
	decapScript  = "decap-cms/dist/decap-cms.js"
	decapProgram = "decap-server/dist/middlewares.js"
)

// decapPlaces are there before.
var decapPlaces = []string{"Alder wood", "Birch hill", "Cedar lane", "Elder pond", "Hazel field"}

const decapPage = `<!doctype html><html><head><meta charset="utf-8"><title>Farm</title></head><body><script src="cms/decap-cms.js"></script></body></html>`

// decapServes is a program that serves the pages, and what keeps their files, at one port.
const decapServes = `const express = require("express"), {registerLocalFs} = require("decap-server/dist/middlewares.js");
(async () => {
	const app = express();
	app.use(express.static("www"));
	app.use(express.json({limit: "50mb"}));
	await registerLocalFs(app, {logger: {info() {}, error: console.error, debug() {}}});
	app.listen(+process.argv[2], "127.0.0.1");
})().catch((e) => { console.error(e); process.exit(1); });
`

const decapConfig = `backend: {name: proxy, proxy_url: "/api/v1", branch: main}
media_folder: media
locale: en
collections:
  - name: posts
    label: Posts
    label_singular: Post
    folder: posts
    create: true
    editor: {preview: false}
    fields:
      - {name: title, label: Title, widget: string}
      - {name: day, label: Day, widget: datetime, time_format: false, date_format: "YYYY-MM-DD", format: "YYYY-MM-DD", default: ""}
      - {name: kind, label: Kind, widget: select, options: [Notice, Recipe, Story]}
      - {name: labels, label: Labels, widget: select, multiple: true, required: false, options: [autumn, spring, summer, winter]}
      - {name: place, label: Place, widget: select, options: [Alder wood, Birch hill, Cedar lane, Elder pond, Hazel field]}
      - {name: front, label: On the front page, widget: boolean, required: false}
      - name: chores
        label: Chores
        label_singular: chore
        widget: list
        required: false
        fields:
          - {name: what, label: What, widget: string}
          - {name: who, label: Who, widget: string}
      - {name: body, label: Body, widget: markdown}
  - name: places
    label: Places
    label_singular: Place
    folder: places
    create: true
    editor: {preview: false}
    fields:
      - {name: title, label: Title, widget: string}
      - {name: size, label: Size, widget: number}
      - {name: use, label: Use, widget: select, options: [Grazing, Water, Wood]}
`

func startDecap(ctx context.Context, h *host) (*site, error) {
	files := map[string]string{"www/index.html": decapPage, "www/config.yml": decapConfig, "farm/posts/.keep": "", "farm/media/.keep": ""}
	for _, name := range decapPlaces {
		files["farm/places/"+strings.ToLower(strings.ReplaceAll(name, " ", "-"))+".md"] = "---\ntitle: " + name + "\nsize: 7\nuse: Grazing\n---\n"
	}
	for name, text := range files {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	if _, err := h.run(ctx, nil, "ln", "-s", filepath.Dir(h.npm(decapPackage, decapScript)), h.path("www/cms")); err != nil {
		return nil, err
	}
	if err := h.write("decap.js", decapServes); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	env := []string{"NODE_PATH=" + h.npm(decapServer, ""), "GIT_REPO_DIRECTORY=" + h.path("farm")}
	server, err := h.serve(h.dir, env, "node", "decap.js", fmt.Sprint(port))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	read := func(context.Context) (state, error) {
		s := state{}
		for _, kind := range []string{"posts", "places"} {
			names, err := filepath.Glob(h.path("farm", kind, "*.md"))
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				data, err := os.ReadFile(name)
				if err != nil {
					return nil, err
				}
				add(s, kind+" "+filepath.Base(name), string(data))
			}
		}
		return s, nil
	}
	return &site{url: url, state: read}, nil
}
