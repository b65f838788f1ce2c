package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// graphite draws what was measured with Graphite: a page in a frame that ExtJS 3 draws, a tree whose
// branches are fetched as they unfold, buttons that are icons alone, menus in menus that open as the mouse
// comes, questions with a field, a list that is fetched as one types, windows that stay open.
func graphite() *app {
	return &app{
		name: "graphite-web", about: "a page in a frame that ExtJS 3 draws, a tree whose branches are fetched as they unfold, buttons that are icons alone, menus in menus that open as the mouse comes, questions with a field, a list that is fetched as one types", held: true,
		needs: append([]need{{graphiteStatic + "/js/composer.js", "apt-get install graphite-web"}}, phpNeeds...), // the latter to read its database
		start: startGraphite,
		values: func(run int) values {
			return values{
				"place": graphitePlaces[(1+run)%len(graphitePlaces)], "what": oneOf(run, "eggs", "hay", "milk"), "quantity": fmt.Sprint(7 + run), "unit": oneOf(run, "days", "weeks", "minutes"),
				"title": oneOf(run, "In the barn", "On the farm", "At the mill") + fmt.Sprintf(" %d", 30+run), "mode": oneOf(run, "Stacked", "All", "First Only"), "least": fmt.Sprint(10 + run), "thick": fmt.Sprint(2 + run),
				"other": "farm." + graphitePlaces[(3+run)%len(graphitePlaces)] + "." + oneOf(run, "milk", "eggs", "hay"), "factor": fmt.Sprintf("1.%d", 1+run), "name": oneOf(run, "Weekly look", "Daily look", "Yearly look") + fmt.Sprintf(" %d", 40+run),
				"old": graphiteOld[(1+run)%len(graphiteOld)], "renamed": oneOf(run, "As it was", "As it is", "As it may be") + fmt.Sprintf(" in %d", 2031+run), "gone": graphiteOld[(3+run)%len(graphiteOld)],
			}
		},
		signIn: func(p *person, who account) {
			p.fill("input[name=username]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("input[type=submit]")
			p.see("#composerFrame >>> .x-tree-node span{Metrics}")
		},
		flow: func(p *person, v values) {
			const in = "#composerFrame >>> "
			prompt := func(text string) {
				p.refill(in+".x-window-dlg .ext-mb-input", text)
				p.click(in + ".x-window-dlg button{OK}")
			}
			option := func(names ...string) {
				p.click(in + "button{Graph Options}")
				for _, name := range names[:len(names)-1] {
					p.hover(in + ".x-menu:not(.x-hide-offsets) .x-menu-item-text{" + name + "}")
				}
				p.click(in + ".x-menu:not(.x-hide-offsets) .x-menu-item-text{" + names[len(names)-1] + "}")
			}
			for _, name := range []string{"Metrics", "farm", v["place"], v["what"]} {
				p.click(in + ".x-tree-node a span{" + name + "}")
			}
			p.click(in + "[style*='clock.png'] button")
			p.refill(in+"#time-quantity", v["quantity"])
			p.press("Tab")
			p.click(in + "#time-units + img")
			p.click(in + ".x-combo-list-item{" + v["unit"] + "}")
			p.click(in + ".x-window:has(#time-quantity) .x-tool-close")
			option("Graph Title")
			prompt(v["title"])
			option("Y-Axis", "Minimum")
			prompt(v["least"])
			option("Display", "Line Thickness")
			prompt(v["thick"])
			option("Area Mode", v["mode"])
			p.press("Escape")
			p.click(in + "button{Graph Data}")
			p.click(in + ".x-list-body dl em{farm." + v["place"] + "." + v["what"] + "}")
			p.click(in + "button{Apply Function}")
			p.hover(in + ".x-menu:not(.x-hide-offsets) .x-menu-item-text{Transform}")
			p.click(in + ".x-menu:not(.x-hide-offsets) .x-menu-item-text{Scale}")
			prompt(v["factor"])
			p.click(in + ".x-window:has(.x-list-body) button{Add}")
			p.fill(in+"#addTargetWindow input", v["other"][:len(v["other"])-2])
			p.click(in + ".x-combo-list-item{" + v["other"] + "}")
			p.click(in + "#addTargetWindow button{OK}")
			p.click(in + ".x-window:has(.x-list-body) .x-tool-close")
			p.click(in + "[style*='save.png'] button")
			prompt(v["name"])
			p.click(in + ".x-window-dlg button{OK}")
			p.click(in + ".x-tree-node a span{" + v["old"] + "}")
			option("Graph Title")
			prompt(v["renamed"])
			p.click(in + "[style*='save.png'] button")
			p.click(in + ".x-window-dlg button{OK}")
			p.see(in + ".x-window-dlg .ext-mb-text{Graph saved successfully}")
			p.click(in + ".x-window-dlg button{OK}")
			p.click(in + "[style*='trash.png'] button")
			prompt(v["gone"])
			p.see(in + ".x-window-dlg .ext-mb-text{Graph deleted successfully}")
			p.click(in + ".x-window-dlg button{OK}")
		},
		want: func(s state, who account, v values) {
			of := who.user + " "
			s[of+v["name"]] = strings.Join([]string{
				"areaMode=" + map[string]string{"Stacked": "stacked", "All": "all", "First Only": "first"}[v["mode"]], "from=-" + v["quantity"] + v["unit"], "lineWidth=" + v["thick"],
				"target=scale(farm." + v["place"] + "." + v["what"] + "," + v["factor"] + ")", "target=" + v["other"], "title=" + v["title"], "yMin=" + v["least"],
			}, " ")
			s[of+v["old"]] = "target=farm.barn.eggs title=" + v["renamed"]
			delete(s, of+v["gone"])
		},
	}
}

const graphiteStatic = "/usr/share/graphite-web/static"

// graphitePlaces are where something was measured, and graphiteOld graphs that each account has before.
var (
	graphitePlaces = []string{"barn", "dairy", "loft", "mill", "yard"}
	graphiteOld    = []string{"First eggs", "More eggs", "Fewer eggs", "Late eggs", "Last eggs"}
)

// graphiteFill is a program that makes accounts, their graphs, and what was measured.
const graphiteFill = `import os, whisper
from django.contrib.auth.models import User
from graphite.account.models import MyGraph, Profile
for name, password in %s:
	user = User.objects.create_superuser(name, name + '@example.com', password)
	profile, _ = Profile.objects.get_or_create(user=user)
	for graph in %s:
		MyGraph.objects.create(profile=profile, name=graph, url='http://localhost/render/?width=600&height=400&target=farm.barn.eggs')
for place in %s:
	os.makedirs('store/whisper/farm/' + place)
	for what in ['eggs', 'hay', 'milk']:
		whisper.create('store/whisper/farm/' + place + '/' + what + '.wsp', [(60, 1440)])
`

func startGraphite(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	list := func(texts []string) string { return "['" + strings.Join(texts, "', '") + "']" }
	var users []string
	for _, who := range accounts {
		users = append(users, fmt.Sprintf("('%s', '%s')", who.user, who.password))
	}
	for name, text := range map[string]string{
		"local.py": fmt.Sprintf(`SECRET_KEY = 'a-secret-of-a-farm'
STORAGE_DIR = '%[1]s/store'
WHISPER_DIR = '%[1]s/store/whisper'
INDEX_FILE = '%[1]s/store/index'
LOG_DIR = '%[1]s/log'
LOG_ROTATION = False
CONF_DIR = '%[1]s'
CARBONLINK_HOSTS = []
DATABASES = {'default': {'NAME': '%[1]s/graphite.db', 'ENGINE': 'django.db.backends.sqlite3'}}
`, h.dir),
		"ours.py": "from graphite.settings import *\nDEBUG = True\nSTATICFILES_DIRS = ['" + graphiteStatic + "']\nSTATIC_ROOT = None\n",
		"fill.py": fmt.Sprintf(graphiteFill, "["+strings.Join(users, ", ")+"]", list(graphiteOld), list(graphitePlaces)),
		"log/x":   "", "store/index": "",
	} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	env := []string{"DJANGO_SETTINGS_MODULE=ours", "GRAPHITE_SETTINGS_MODULE=local", "PYTHONPATH=" + h.dir, "PYTHONWARNINGS=ignore"}
	const python = "/usr/bin/python3" // Debian's, which knows its packages
	for _, args := range [][]string{{"migrate", "--run-syncdb"}, {"shell", "-c", "exec(open('fill.py').read())"}} {
		if _, err := h.run(ctx, env, python, append([]string{"-m", "django"}, args...)...); err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, env, python, "-m", "django", "runserver", "--noreload", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	at := fmt.Sprintf("http://127.0.0.1:%d/account/login", port)
	read := func(ctx context.Context) (state, error) { return readGraphite(ctx, h) }
	return &site{url: at, accounts: accounts, state: read}, server.up(ctx, answers(at))
}

// readGraphite reads the graphs that each account has saved, without the size that they were drawn in.
func readGraphite(ctx context.Context, h *host) (state, error) {
	rows, err := h.sqlite(ctx, h.path("graphite.db"), "select u.username, g.name, g.url from account_mygraph g join account_profile p on p.id = g.profile_id join auth_user u on u.id = p.user_id")
	if err != nil {
		return nil, err
	}
	s := state{}
	for _, r := range rows {
		_, query, _ := strings.Cut(r[2], "?")
		params, err := url.ParseQuery(query)
		if err != nil {
			return nil, err
		}
		var parts []string
		for name, all := range params {
			if name != "_salt" && name != "width" && name != "height" {
				parts = append(parts, name+"="+strings.Join(all, " "+name+"="))
			}
		}
		slices.Sort(parts)
		add(s, r[0]+" "+r[1], strings.Join(parts, " "))
	}
	return s, nil
}
