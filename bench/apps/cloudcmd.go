package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// cloudcmd keeps files with Cloud Commander: two panels whose rows are dragged from one to the
// other, a menu of the right button, dialogs that ask for a name, buttons named after keys, an
// editor of text over all of it.
func cloudcmd() *app {
	return &app{
		name: "cloudcmd", about: "two panels whose rows are dragged from one to the other, a menu of the right button, dialogs that ask for a name, buttons named after keys, an editor of text over all of it", held: true,
		needs: cloudcmdPackage.needs(cloudcmdProgram),
		start: startCloudcmd,
		values: func(run int) values {
			return values{
				"folder": oneOf(run, "letters", "bills", "plans", "maps") + fmt.Sprintf("-%d", 2030+run), "into": oneOf(run, "barn", "loft", "shed", "mill"), "copied": cloudcmdFiles[(1+4*run)%16], "old": cloudcmdFiles[(6+4*run)%16], "name": fmt.Sprintf("kept-%d.txt", 70+run),
				"gone": cloudcmdFiles[(3+4*run)%16], "note": cloudcmdFiles[(8+4*run)%16], "text": fmt.Sprintf("Count %d of them. ", 300+run),
			}
		},
		flow: func(p *person, v values) {
			row := func(panel, name string) string { return "[data-name=js-" + panel + "] .name a{" + name + "}" }
			answer := func(text string) {
				p.refill(".smalltalk [data-name=js-input]", text)
				p.click(".smalltalk button[data-name=js-ok]")
			}
			p.click("#f7")
			answer(v["folder"])
			p.see(row("left", v["folder"]))
			p.rightClick(row("left", v["old"]))
			p.click(".menu [data-menu-path=Rename] label, [data-menu-path=Rename]")
			answer(v["name"])
			p.see(row("left", v["name"]))
			p.click(row("left", v["gone"]))
			p.click("#f8")
			p.click(".smalltalk button[data-name=js-ok]")
			p.click(row("left", v["note"]))
			p.click("#f4")
			p.click(".ace_content")
			p.press("Home", "Control")
			p.typing(v["text"])
			p.press("s", "Control")
			p.press("Escape")
			p.doubleClick(row("right", v["into"]))
			p.see(row("right", "first.txt"))
			p.drag(row("left", v["copied"]), "[data-name=js-right] [data-name=js-files]", 0, 0, true)
			p.click(".smalltalk button[data-name=js-ok]")
			p.see(row("right", v["copied"]))
		},
		want: func(s state, _ account, v values) {
			s[v["folder"]] = "a folder"
			s[v["name"]] = s[v["old"]]
			delete(s, v["old"])
			delete(s, v["gone"])
			s[v["note"]] = v["text"] + s[v["note"]]
			s[v["into"]+"/"+v["copied"]] = s[v["copied"]]
		},
	}
}

var cloudcmdPackage = npm{"cloudcmd", "17.4.0", ""}

const cloudcmdProgram = "cloudcmd/bin/cloudcmd.mjs"

// cloudcmdFiles are there before.
var cloudcmdFiles = []string{"apples.txt", "bees.txt", "cider.txt", "ducks.txt", "eggs.txt", "fence.txt", "geese.txt", "hay.txt", "iron.txt", "jam.txt", "kale.txt", "lambs.txt", "milk.txt", "nuts.txt", "oats.txt", "pears.txt"}

func startCloudcmd(ctx context.Context, h *host) (*site, error) {
	for _, name := range cloudcmdFiles {
		if err := h.write("root/"+name, "All of "+name+"\n"); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"barn", "loft", "mill", "shed"} {
		if err := h.write("root/"+name+"/first.txt", "First.\n"); err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, []string{"HOME=" + h.dir, "TZ=UTC"}, "node", h.npm(cloudcmdPackage, cloudcmdProgram), "--root", h.path("root"), "--port", fmt.Sprint(port), "--no-auth", "--no-open", "--no-online", "--no-one-file-panel", "--no-terminal", "--no-console", "--no-contact", "--editor", "edward")
	if err != nil {
		return nil, err
	}
	read := func(context.Context) (state, error) {
		s, root := state{}, h.path("root")
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || path == root {
				return err
			}
			name := strings.TrimPrefix(path, root+"/")
			if entry.IsDir() {
				s[name] = "a folder"
				return nil
			}
			text, err := os.ReadFile(path)
			s[name] = string(text)
			return err
		})
		return s, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	return &site{url: url, state: read}, server.up(ctx, answers(url))
}
