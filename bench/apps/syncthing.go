package main

import (
	"context"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// syncthing shares a folder: a dialog with tabs that a framework redraws, fields whose
// values follow one another, a list of the browser's own whose values are objects.
func syncthing() *app {
	return &app{
		name: "syncthing", about: "dialogs with tabs that a framework redraws, fields that follow one another, a page that is drawn again each second", held: true,
		needs: []need{{"/usr/bin/syncthing", "apt-get install syncthing"}},
		start: startSyncthing,
		values: func(run int) values {
			return values{"label": fmt.Sprintf("Photos %d", run), "id": fmt.Sprintf("photos-%d", run), "path": fmt.Sprintf("~/photos-%d", run), "kind": oneOf(run, "Receive Only", "Send Only")}
		},
		flow: func(p *person, v values) {
			p.click("button[ng-click='addFolder()']")
			p.fill("#folderLabel", v["label"])
			p.refill("#folderID", v["id"])
			p.refill("#folderPath", v["path"])
			p.click("#editFolder a[href='#folder-advanced']")
			p.choose("select[ng-model='currentFolder.type']", v["kind"])
			p.click("#editFolder button[ng-click='saveFolder()']")
			p.see("#folders .panel-title, [id^='folder-']")
		},
		want: func(s state, _ account, v values) {
			s["folder "+v["id"]] = v["label"] + "|" + filepath.Base(v["path"]) + "|" + strings.ToLower(strings.ReplaceAll(v["kind"], " ", ""))
		},
	}
}

func startSyncthing(ctx context.Context, h *host) (*site, error) {
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	env := []string{"HOME=" + h.dir, "STNOUPGRADE=1", "STNODEFAULTFOLDER=1"}
	if _, err := h.run(ctx, env, "syncthing", "generate", "--home="+h.path("config"), "--no-default-folder"); err != nil {
		return nil, err
	}
	file := h.path("config/config.xml")
	// Nothing is asked of the network, nor of the user about reports.
	quiet := `sed -i -e 's#<globalAnnounceEnabled>true#<globalAnnounceEnabled>false#; s#<localAnnounceEnabled>true#<localAnnounceEnabled>false#; s#<relaysEnabled>true#<relaysEnabled>false#' \
		-e 's#<natEnabled>true#<natEnabled>false#; s#<urAccepted>0#<urAccepted>-1#; s#<crashReportingEnabled>true#<crashReportingEnabled>false#; s#<unackedNotificationID>.*</unackedNotificationID>##' "$1"`
	if _, err := h.run(ctx, nil, "sh", "-c", quiet, "sh", file); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, env, "syncthing", "serve", "--home="+h.path("config"), "--no-browser", fmt.Sprintf("--gui-address=127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	return &site{url: url, state: func(context.Context) (state, error) { return syncthingState(file) }}, server.up(ctx, answers(url))
}

func syncthingState(file string) (state, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var config struct {
		Folders []struct {
			ID    string `xml:"id,attr"`
			Label string `xml:"label,attr"`
			Path  string `xml:"path,attr"`
			Type  string `xml:"type,attr"`
		} `xml:"folder"`
	}
	if err := xml.Unmarshal(data, &config); err != nil {
		return nil, err
	}
	s := state{}
	for _, f := range config.Folders {
		add(s, "folder "+f.ID, f.Label+"|"+filepath.Base(f.Path)+"|"+f.Type)
	}
	return s, nil
}
