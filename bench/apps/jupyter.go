package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// jupyter writes a file: a menu that opens another tab, an editor that draws its text
// itself around a hidden text area, a dialog, and a shortcut that saves.
func jupyter() *app {
	return &app{
		name: "jupyter", about: "another tab, an editor that draws its text around a hidden text area, a dialog, a shortcut",
		needs: []need{{"/usr/bin/jupyter-notebook", "apt-get install jupyter-notebook"}},
		start: startJupyter,
		values: func(run int) values {
			return values{"file": fmt.Sprintf("harvest%d.txt", run), "text": fmt.Sprintf("apples,%d\npears,%d", run, run+1)}
		},
		signIn: func(p *person, who account) {
			p.fill("#password_input", who.password)
			p.click("#login_submit")
			p.see("#new-dropdown-button")
		},
		flow: func(p *person, v values) {
			p.click("#new-dropdown-button")
			p.click("#new-file a")
			p.tab()
			p.click("#filename, .filename")
			p.refill(".modal-dialog input", v["file"])
			p.click(".modal-dialog .btn-primary")
			p.click(".CodeMirror-lines")
			p.typing(v["text"])
			p.press("s", "Control")
		},
		want: func(s state, _ account, v values) { s["file "+v["file"]] = v["text"] },
	}
}

// jupyterEdit changes a file that is there: a link to another tab, and the same editor.
func jupyterEdit() *app {
	a := jupyter()
	a.name, a.about = "jupyter-edit", "a link to another tab, an editor that draws its text around a hidden text area, a shortcut"
	a.values = func(run int) values { return values{"text": fmt.Sprintf("plums,%d\nquinces,%d", run, run+1)} }
	a.flow = func(p *person, v values) {
		p.click("#notebook_list a.item_link[href$='readme.txt']")
		p.tab()
		p.click(".CodeMirror-lines")
		p.press("a", "Control")
		p.typing(v["text"])
		p.press("s", "Control")
	}
	a.want = func(s state, _ account, v values) { s["file readme.txt"] = v["text"] }
	return a
}

func startJupyter(ctx context.Context, h *host) (*site, error) {
	who := account{"", "Analytical-7"} // there is one for everyone
	hash, err := h.run(ctx, nil, "/usr/bin/python3", "-c", "import sys; from notebook.auth import passwd; print(passwd(sys.argv[1]))", who.password)
	if err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	if err := h.write("files/readme.txt", "Files of the farm.\n"); err != nil {
		return nil, err
	}
	env := []string{"HOME=" + h.dir, "JUPYTER_CONFIG_DIR=" + h.path("config"), "JUPYTER_DATA_DIR=" + h.path("data"), "JUPYTER_RUNTIME_DIR=" + h.path("run")}
	server, err := h.serve(h.dir, env, "/usr/bin/jupyter-notebook", "--allow-root", "--no-browser", "--ip=127.0.0.1", fmt.Sprintf("--port=%d", port),
		"--notebook-dir="+h.path("files"), "--NotebookApp.password="+strings.TrimSpace(hash))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	read := func(context.Context) (state, error) {
		s := state{}
		all, err := filepath.Glob(h.path("files/*.txt"))
		for _, path := range all {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			s["file "+filepath.Base(path)] = string(text)
		}
		return s, err
	}
	return &site{url: url, accounts: [2]account{who, who}, state: read}, server.up(ctx, answers(url+"login"))
}
