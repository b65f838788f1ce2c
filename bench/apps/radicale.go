package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// radicale makes a calendar: an application of one page whose scenes are all in it, most of
// them hidden, and rows that are copies of a hidden one.
func radicale() *app {
	return &app{
		name: "radicale", about: "an application of one page, all of its scenes in it and most hidden, a list of choices",
		needs: []need{{"/usr/bin/radicale", "apt-get install radicale"}},
		start: startRadicale,
		values: func(run int) values {
			return values{"title": fmt.Sprintf("Garden %d", run), "about": fmt.Sprintf("What grows in year %d", run), "kind": oneOf(run, "tasks", "journal")}
		},
		signIn: func(p *person, who account) {
			p.fill("#loginscene [data-name=user]", who.user)
			p.fill("#loginscene [data-name=password]", who.password)
			p.click("#loginscene button[type=submit]")
			p.see("#collectionsscene [data-name=new]")
		},
		flow: func(p *person, v values) {
			p.click("#collectionsscene [data-name=new]")
			p.refill("#createcollectionscene [data-name=displayname]", v["title"])
			p.fill("#createcollectionscene [data-name=description]", v["about"])
			p.choose("#createcollectionscene [data-name=type]", v["kind"])
			p.click("#createcollectionscene button[type=submit], #createcollectionscene [data-name=submit]")
			p.see("#collectionsscene [data-name=new]")
		},
		want: func(s state, who account, v values) {
			s[who.user+" "+v["title"]] = map[string]string{"tasks": "VCALENDAR VTODO ", "journal": "VCALENDAR VJOURNAL "}[v["kind"]] + v["about"]
		},
	}
}

func startRadicale(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	users := ""
	for _, who := range accounts {
		users += who.user + ":" + who.password + "\n"
	}
	if err := h.write("users", users); err != nil {
		return nil, err
	}
	config := fmt.Sprintf("[server]\nhosts = 127.0.0.1:%d\n[auth]\ntype = htpasswd\nhtpasswd_filename = %s\nhtpasswd_encryption = plain\ndelay = 0\n[storage]\nfilesystem_folder = %s\n",
		port, h.path("users"), h.path("data"))
	if err := h.write("config", config); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "radicale", "--config", h.path("config"))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/.web/", port)
	return &site{url: url, accounts: accounts, state: func(context.Context) (state, error) { return radicaleState(h.path("data")) }}, server.up(ctx, answers(url))
}

func radicaleState(data string) (state, error) {
	s := state{}
	all, err := filepath.Glob(data + "/collection-root/*/*/.Radicale.props")
	if err != nil {
		return nil, err
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var props map[string]string
		if err := json.Unmarshal(text, &props); err != nil {
			return nil, err
		}
		user := filepath.Base(filepath.Dir(filepath.Dir(path)))
		add(s, user+" "+props["D:displayname"], props["tag"]+" "+props["C:supported-calendar-component-set"]+" "+props["C:calendar-description"])
	}
	return s, nil
}
