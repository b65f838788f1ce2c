package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// tiddlywiki writes a note: an editor in a frame that a script has written, tags that are
// pills, and changes that are sent some time after they were made.
func tiddlywiki() *app {
	return &app{
		name: "tiddlywiki", about: "an application of one page, an editor in a frame, tags as pills, changes sent later",
		needs: tiddlywikis.needs("tiddlywiki/tiddlywiki.js"),
		start: startTiddlywiki, releases: true,
		named: map[string]string{"name": "tag"},
		values: func(run int) values {
			return values{"title": fmt.Sprintf("Note %d", run), "text": fmt.Sprintf("Oats, %d\nand barley", run), "tag": fmt.Sprintf("field%d", run)}
		},
		flow: func(p *person, v values) {
			p.click(".tc-page-controls button[class*=new-tiddler]")
			p.refill(".tc-titlebar.tc-edit-texteditor", v["title"])
			p.fill(".tc-edit-tags input", v["tag"])
			p.click(".tc-edit-tags .tc-add-tag-button button")
			p.refill("iframe.tc-edit-texteditor-body >>> textarea", v["text"])
			p.click(".tc-tiddler-edit-frame button[title='Confirm changes to this tiddler']")
			p.see(".tc-tiddler-view-frame[data-tiddler-title='" + v["title"] + "']")
		},
		want: func(s state, _ account, v values) {
			s[v["title"]] = v["tag"] + "|" + v["text"]
		},
	}
}

var tiddlywikis = npm{"tiddlywiki", "5.4.0", "5.2.7"}

func startTiddlywiki(ctx context.Context, h *host) (*site, error) {
	script := h.npm(tiddlywikis, "tiddlywiki/tiddlywiki.js")
	if _, err := h.run(ctx, nil, "node", script, h.path("wiki"), "--init", "server"); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "node", script, h.path("wiki"), "--listen", fmt.Sprintf("port=%d", port), "host=127.0.0.1")
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	return &site{url: url, state: func(context.Context) (state, error) { return tiddlers(h.path("wiki", "tiddlers")) }}, server.up(ctx, answers(url))
}

// tiddlers reads the notes, without the application's own state and drafts.
func tiddlers(folder string) (state, error) {
	s := state{}
	all, err := filepath.Glob(folder + "/*.tid")
	if err != nil {
		return nil, err
	}
	for _, path := range all {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		head, text, _ := strings.Cut(string(data), "\n\n")
		fields := map[string]string{}
		for line := range strings.Lines(head) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			fields[name] = value
		}
		if !strings.HasPrefix(fields["title"], "$:/") {
			add(s, fields["title"], fields["tags"]+"|"+text)
		}
	}
	return s, nil
}
