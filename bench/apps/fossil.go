package main

import (
	"context"
	"fmt"
	"strings"
)

// fossilTicket files a ticket: a long form of the server's with lists of the browser's own,
// whose button to submit comes only with a preview.
func fossilTicket() *app {
	return &app{
		name: "fossil", about: "forms of the server's, lists of the browser's own, a preview before the button to submit", held: true,
		needs: []need{{"/usr/bin/fossil", "apt-get install fossil"}},
		start: startFossil,
		values: func(run int) values {
			return values{
				"title": fmt.Sprintf("Gate %d does not shut", run),
				"type":  oneOf(run, "Feature_Request", "Incident"), "severity": oneOf(run, "Minor", "Severe", "Cosmetic"),
				"detail": fmt.Sprintf("Seen on day %d,\nand again after rain.", run),
			}
		},
		named:  map[string]string{"u": "user", "p": "password", "user_id": "user"},
		public: true,
		signIn: func(p *person, who account) {
			p.click("a[href*='/login']")
			p.fill("#u", who.user)
			p.fill("#p", who.password)
			p.click("input[name=in]")
			p.see("a[href*='/ticket']")
		},
		flow: func(p *person, v values) {
			p.click("a[href$='/ticket']")
			p.click("a[href$='/tktnew']")
			p.fill("input[name=title]", v["title"])
			p.choose("select[name=type]", v["type"])
			p.choose("select[name=severity]", v["severity"])
			p.fill("textarea[name=icomment]", v["detail"])
			p.click("input[name=preview]")
			p.click("input[name=submit]")
			p.at("/tktview")
		},
		want: func(s state, who account, v values) {
			s["ticket "+v["title"]] = v["type"] + "|" + v["severity"] + "|Open|" + who.user + "|" + v["detail"]
		},
	}
}

func startFossil(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	repository := h.path("notes.fossil")
	env := []string{"HOME=" + h.dir, "USER=admin"}
	if _, err := h.run(ctx, env, "fossil", "init", "-A", "admin", repository); err != nil {
		return nil, err
	}
	for _, who := range accounts {
		if _, err := h.run(ctx, env, "fossil", "user", "new", who.user, who.user+"@example.com", who.password, "-R", repository); err != nil {
			return nil, err
		}
		if _, err := h.run(ctx, env, "fossil", "user", "capabilities", who.user, "cghijknorwtpz", "-R", repository); err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, env, "fossil", "server", repository, "--nojail", "--localhost", "--port", fmt.Sprint(port))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	if err := server.up(ctx, answers(url+"/login")); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		query := `select t.title || char(30) || t.type || '|' || t.severity || '|' || t.status || '|' || c.login || '|' || c.icomment || char(31)
			from ticket t left join ticketchng c on c.tkt_id = t.tkt_id;`
		out, err := h.run(ctx, env, "fossil", "sql", "-R", repository, "--readonly", query)
		if err != nil {
			return nil, err
		}
		s := state{}
		for one := range strings.SplitSeq(out, "\x1f") {
			if title, rest, is := strings.Cut(strings.Trim(one, "\r\n'"), "\x1e"); is {
				add(s, "ticket "+title, strings.ReplaceAll(rest, "\r\n", "\n"))
			}
		}
		return s, nil
	}
	return &site{url: url + "/home", accounts: accounts, state: read}, nil
}
