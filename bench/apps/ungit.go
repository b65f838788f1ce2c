package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ungit commits one of several files with Ungit, marks where that is with a branch and a tag, and
// tidies up: a page that Knockout draws again after each request, marks that are pictures, menus
// and dialogs of Bootstrap, a form that opens at a commit of the graph.
func ungit() *app {
	return &app{
		name: "ungit", about: "a page that Knockout draws again after each request, rows of files with marks that are pictures, menus and dialogs of Bootstrap, a form that opens at a commit of a graph", held: true,
		needs: ungitPackage.needs(ungitProgram),
		start: startUngit,
		named: map[string]string{"title": "title", "new_branch_name": "branch", "name": "remote"},
		values: func(run int) values {
			return values{
				"file": ungitFiles[(2+3*run)%len(ungitFiles)], "title": oneOf(run, "Count the hens", "Move the gate", "Sow the clover", "Mend the roof") + fmt.Sprintf(" in week %d", 20+run), "body": fmt.Sprintf("Asked for on page %d.", 300+run),
				"branch": oneOf(run, "spring", "hay", "frost", "lambs") + fmt.Sprintf("-%d", 40+run), "tag": fmt.Sprintf("v%d.0", 7+run), "bad": ungitFiles[(7+3*run)%len(ungitFiles)], "scrap": fmt.Sprintf("scrap-%d.tmp", 2+run),
				"remote": oneOf(run, "barn", "loft", "mill", "shed") + fmt.Sprint(run), "url": fmt.Sprintf("https://git.example/farm-%d.git", 60+run), "gone": oneOf(run, "old-pond", "old-well", "old-fence", "old-road"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#inputUsername", who.user)
			p.fill("#inputPassword", who.password)
			p.click(".login button[type=submit]")
			p.see(".home .repository")
		},
		flow: func(p *person, v values) {
			row := func(name string) string { // the changed ones, and then the new ones
				return fmt.Sprintf(".files .file:nth-child(%d)", 1+slices.Index(append(slices.Clone(ungitFiles), ungitScraps()...), name))
			}
			p.click(".home .repository h4")
			p.see(".files .name span{" + v["file"] + "}")
			p.click(".btn-toolbar button{Toggle all}")
			p.click(row(v["file"]) + " .checkmark")
			p.fill("input[aria-label='Commit message title']", v["title"])
			p.fill("textarea[aria-label='Commit message body']", v["body"])
			p.click("button.commit-btn{Commit}")
			p.see(".commit .title{" + v["title"] + "}")
			for _, kind := range []string{"Branch", "Tag"} {
				p.click(".nodeContainer:first-child .showBranchingForm")
				p.fill(".nodeContainer:first-child input[aria-label='New branch name']", v[strings.ToLower(kind)])
				p.click(".nodeContainer:first-child .new-ref button{" + kind + "}")
				p.see(".nodeContainer:first-child .ref." + strings.ToLower(kind) + "{" + v[strings.ToLower(kind)] + "}")
			}
			// One of them is committed, so that the rows below are one higher.
			p.click(strings.Replace(row(v["bad"]), "nth-child(8)", "nth-child(7)", 1) + " button.discard")
			p.click(".modal button{Yes}")
			p.see(".btn-toolbar button{14 files, 0 to be commited}")
			p.click(fmt.Sprintf(".files .file:nth-child(%d) button.ignore", len(ungitFiles)-2+1+slices.Index(ungitScraps(), v["scrap"])))
			p.click(".branch button.dropdown-toggle")
			p.click("[data-ta-clickable='refs/heads/" + v["gone"] + "-remove']")
			p.click(".modal button{Yes}")
			p.click(".fetchButton button.dropdown-toggle")
			p.click("a.add-new-remote")
			p.fill("#Name", v["remote"])
			p.fill("#Url", v["url"])
			p.click(".modal button{Submit}")
			p.see(".fetchButton a[data-ta-clickable='" + v["remote"] + "'], .fetchButton")
		},
		want: func(s state, _ account, v values) {
			s["commit "+v["title"]] = v["body"] + "|" + v["file"] + " | " + s["refs/heads/main"]
			s["refs/heads/main"], s["refs/heads/"+v["branch"]], s["refs/tags/"+v["tag"]] = v["title"], v["title"], v["title"]
			for _, name := range []string{v["file"], v["bad"], v["scrap"]} {
				delete(s, "changed "+name)
			}
			s["changed .gitignore"] = "??"
			if before := s["ignored"]; before != "" {
				s["ignored"] = before + " " + v["scrap"]
			} else {
				s["ignored"] = v["scrap"]
			}
			delete(s, "refs/heads/"+v["gone"])
			s["remote "+v["remote"]] = v["url"]
		},
	}
}

var ungitPackage = npm{"ungit", "1.5.28", ""}

const ungitProgram = "ungit/bin/ungit"

// ungitFiles are changed already, in the order in which they are shown.
var ungitFiles = []string{"barn.txt", "bees.txt", "corn.txt", "ducks.txt", "geese.txt", "goats.txt", "hens.txt", "hives.txt", "oats.txt", "pears.txt", "sheep.txt"}

// ungitScraps are files that are in no commit.
func ungitScraps() []string {
	var names []string
	for n := range 5 {
		names = append(names, fmt.Sprintf("scrap-%d.tmp", 1+n))
	}
	return names
}

func startUngit(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	settings, err := json.Marshal(map[string]any{
		"port": port, "launchBrowser": false, "authentication": true, "users": map[string]string{accounts[0].user: accounts[0].password, accounts[1].user: accounts[1].password},
		"defaultRepositories": []string{h.path("farm")}, "autoFetch": false, "bugtracking": false, "ungitVersionCheckOverride": true, "gitVersionCheckOverride": true,
	})
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"home/.ungitrc": string(settings), "home/.gitconfig": "[user]\nname = Farm\nemail = farm@farm.example\n[init]\ndefaultBranch = main\n"} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	env := []string{"HOME=" + h.path("home")}
	for _, name := range ungitFiles {
		if err := h.write("farm/"+name, "first\n"); err != nil {
			return nil, err
		}
	}
	if _, err := h.run(ctx, env, "sh", "-c", "cd farm && git init -q && git add . && git commit -q -m Begin && for b in pond well fence road; do git branch old-$b; done"); err != nil {
		return nil, err
	}
	for _, name := range append(slices.Clone(ungitFiles), ungitScraps()...) {
		if err := h.write("farm/"+name, "first\nand "+name+"\n"); err != nil {
			return nil, err
		}
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	server, err := h.serve(h.dir, env, "node", h.npm(ungitPackage, ungitProgram))
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		s := state{}
		git := func(args ...string) (string, error) {
			return h.run(ctx, append(env, "GIT_OPTIONAL_LOCKS=0"), "git", append([]string{"-C", h.path("farm")}, args...)...)
		}
		log, err := git("log", "--all", "--reverse", "--name-only", "--format=%x1e%s%x1f%b%x1f")
		if err != nil {
			return nil, err
		}
		before := ""
		for one := range strings.SplitSeq(strings.TrimPrefix(log, "\x1e"), "\x1e") {
			parts := strings.Split(one, "\x1f")
			add(s, "commit "+parts[0], strings.TrimSpace(parts[1])+"|"+strings.Join(strings.Fields(parts[2]), " ")+" | "+before)
			before = parts[0]
		}
		for kind, args := range map[string][]string{"": {"for-each-ref", "--format=%(refname) %(if)%(*subject)%(then)%(*subject)%(else)%(subject)%(end)"}, "changed": {"status", "--porcelain"}, "remote": {"config", "--get-regexp", "remote.*url|x"}} {
			out, err := git(args...)
			if err != nil && kind != "remote" { // there may be none
				return nil, err
			}
			for line := range strings.Lines(out) {
				line = strings.TrimSuffix(line, "\n")
				switch name, text, _ := strings.Cut(line, " "); kind {
				case "changed":
					add(s, "changed "+line[3:], strings.TrimSpace(line[:2]))
				case "remote":
					if name, is := strings.CutPrefix(name, "remote."); is {
						add(s, "remote "+strings.TrimSuffix(name, ".url"), text)
					}
				default:
					add(s, name, text)
				}
			}
		}
		if h.has("farm/.gitignore")(ctx) == nil {
			text, err := h.run(ctx, nil, "cat", "farm/.gitignore")
			if err != nil {
				return nil, err
			}
			s["ignored"] = strings.Join(strings.Fields(text), " ")
		}
		return s, nil
	}
	return &site{url: url, accounts: accounts, state: read}, server.up(ctx, answers(url))
}
