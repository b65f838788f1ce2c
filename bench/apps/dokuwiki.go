package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// dokuwiki writes a page of a wiki: a search that leads to a page that is not there yet, a
// text area with a bar of tools, drafts that are saved while one types.
func dokuwiki() *app {
	return &app{
		name: "dokuwiki", about: "forms of the server's, a text area with tools, drafts saved while typing",
		needs: append([]need{{"/usr/share/dokuwiki/doku.php", "apt-get install dokuwiki"}}, phpNeeds...),
		start: startDokuwiki,
		values: func(run int) values {
			return values{
				"page": fmt.Sprintf("meeting%d", run),
				"text": fmt.Sprintf("Agenda of meeting %d\n\n  * the budget\n  * and the fence", run),
				"note": fmt.Sprintf("first notes, %d", run),
			}
		},
		named:  map[string]string{"u": "user", "p": "password"},
		public: true,
		signIn: func(p *person, who account) {
			p.click("a[href*='do=login']")
			p.fill("#focus__this", who.user)
			p.fill("input[name=p]", who.password)
			p.click("#dw__login button[type=submit]")
			p.see("a[href*='do=logout']")
		},
		flow: func(p *person, v values) {
			p.fill("#qsearch__in", v["page"])
			p.press("Enter")
			p.click("a.wikilink2")
			// The page begins the next point of a list itself.
			p.fill("#wiki__text", strings.Replace(v["text"], "\n  * and", "\nand", 1))
			p.refill("#edit__summary", v["note"])
			p.click("#edbtn__save")
			p.see("#dokuwiki__pagetools li.edit a")
		},
		want: func(s state, who account, v values) {
			s["page "+v["page"]] = v["text"]
			s["change "+v["page"]] = "C by " + who.user + ": " + v["note"]
		},
	}
}

func startDokuwiki(ctx context.Context, h *host) (*site, error) {
	for from, to := range map[string]string{
		"/usr/share/dokuwiki": "www", "/etc/dokuwiki": "conf", "/var/lib/dokuwiki/data": "data",
	} {
		if err := h.copyTree(ctx, from, to); err != nil {
			return nil, err
		}
	}
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	users := ""
	for _, who := range accounts {
		hash, err := h.run(ctx, nil, "php", "-r", "echo password_hash($argv[1], PASSWORD_BCRYPT);", who.password)
		if err != nil {
			return nil, err
		}
		users += fmt.Sprintf("%s:%s:%s:%s@example.com:user\n", who.user, hash, who.user, who.user)
	}
	for name, text := range map[string]string{
		"www/inc/preload.php":  fmt.Sprintf("<?php define('DOKU_CONF', '%s/'); define('DOKU_MAIN_CONF', '%s/');\n", h.path("conf"), h.path("conf")),
		"conf/users.auth.php":  "# <?php exit()?>\n" + users,
		"conf/acl.auth.php":    "* @ALL 1\n* @user 8\n",
		"conf/local.php":       fmt.Sprintf("<?php $conf['savedir'] = '%s'; $conf['useacl'] = 1; $conf['superuser'] = '@admin'; $conf['title'] = 'Notes';\n", h.path("data")),
		"data/pages/start.txt": "Welcome.\n",
	} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www", "/doku.php", port)
	if err != nil {
		return nil, err
	}
	return &site{url: url + "/doku.php", accounts: accounts, state: func(context.Context) (state, error) { return dokuwikiState(h.path("data")) }}, nil
}

// dokuwikiState reads the pages and who has changed them.
func dokuwikiState(data string) (state, error) {
	s := state{}
	pages, err := filepath.Glob(data + "/pages/*.txt")
	if err != nil {
		return nil, err
	}
	for _, path := range pages {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		s["page "+name] = string(text)
		changes, err := os.ReadFile(data + "/meta/" + name + ".changes")
		if os.IsNotExist(err) {
			continue // it came with the package
		}
		if err != nil {
			return nil, err
		}
		var all []string
		for line := range strings.Lines(string(changes)) { // date, address, kind, page, user, summary, …
			part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(part) < 6 {
				return nil, fmt.Errorf("%s: %q is no change", path, line)
			}
			all = append(all, part[2]+" by "+part[4]+": "+part[5])
		}
		s["change "+name] = strings.Join(all, "\n")
	}
	return s, nil
}
