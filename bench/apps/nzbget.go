package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// nzbget sets up a program that fetches news: one long form whose sections are shown and hidden, sets of
// fields that are added to it and have numbers in their ids, buttons in a row of which one is on, a server
// that starts again once all is saved, and a table whose rows open a dialog.
func nzbget() *app {
	return &app{
		name: "nzbget", about: "one long form whose sections are shown and hidden, sets of fields that are added to it and numbered, buttons in a row of which one is on, a server that starts again when all is saved", held: true,
		needs: []need{{"/usr/bin/nzbget", "apt-get install nzbget"}},
		start: startNzbget,
		named: map[string]string{"username_2": "login", "password_2": "secret"},
		values: func(run int) values {
			return values{
				"name": oneOf(run, "Barn feed", "Loft feed", "Yard feed", "Mill feed") + fmt.Sprintf(" %d", 4+run), "host": oneOf(run, "barn", "loft", "yard", "mill") + fmt.Sprintf("%d.example", 20+run), "port": fmt.Sprint(8563 + run),
				"login": oneOf(run, "iris", "tom", "nora", "hugo") + fmt.Sprint(70+run), "secret": fmt.Sprintf("Walnut-%d-tree", 55+run), "connections": fmt.Sprint(9 + run), "ip": oneOf(run, "ipv4", "ipv6"), "notes": fmt.Sprintf("Paid until %d.", 2040+run),
				"category": oneOf(run, "Lectures", "Poems", "Maps", "Letters") + fmt.Sprint(" ", 11+run), "folder": fmt.Sprintf("/srv/kind-%d", 30+run), "aliases": fmt.Sprintf("talk%d, hall%d*", run, run),
				"time": fmt.Sprintf("%02d:%02d", 5+run, 10+run), "days": oneOf(run, "1-5", "6,7", "2-4"), "command": oneOf(run, "PausePostProcess", "UnpauseScan", "PauseScan", "UnpausePostProcess"), "check": oneOf(run, "force", "manual", "always"), "limit": fmt.Sprint(41 + run),
				"old": nzbgetOld[(1+run)%len(nzbgetOld)], "priority": oneOf(run, "high", "very low", "low"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#LoginDialog_Username", who.user)
			p.fill("#LoginDialog_Password", who.password)
			p.click("#LoginDialog_Login")
			p.see("#DownloadsTable a{" + nzbgetOld[0] + "}")
		},
		flow: func(p *person, v values) {
			p.click("#ConfigTabLink")
			nzbgetSection(p, "NEWS-SERVERS")
			p.click(".config-add{Add another Server}")
			p.click("#S_Server2_Active input[value=yes i]")
			p.fill("#S_Server2_Name", v["name"])
			p.click("#S_Server2_Optional input[value=yes i]")
			p.refill("#S_Server2_Host", v["host"])
			p.refill("#S_Server2_Port", v["port"])
			p.refill("#S_Server2_Username", v["login"])
			p.refill("#S_Server2_Password", v["secret"])
			p.click("#S_Server2_Encryption input[value=yes i]")
			p.refill("#S_Server2_Connections", v["connections"])
			p.click("#S_Server2_IpVersion input[value=" + v["ip"] + " i]")
			p.fill("#S_Server2_Notes", v["notes"])
			nzbgetSection(p, "CATEGORIES")
			p.click(".config-add{Add another Category}")
			p.refill("#S_Category5_Name", v["category"])
			p.fill("#S_Category5_DestDir", v["folder"])
			p.click("#S_Category5_Unpack input[value=no i]")
			p.fill("#S_Category5_Aliases", v["aliases"])
			nzbgetSection(p, "SCHEDULER")
			p.click(".config-add{Add another Task}")
			p.refill("#S_Task2_Time", v["time"])
			p.refill("#S_Task2_WeekDays", v["days"])
			p.click("#S_Task2_Command input[value=" + v["command"] + " i]")
			nzbgetSection(p, "CHECK AND REPAIR")
			p.click("#S_ParCheck input[value=" + v["check"] + " i]")
			p.refill("#S_ParTimeLimit", v["limit"])
			p.click("#Config_Save")
			p.click("#ConfigReload")
			p.click("#DownloadsTable a{" + v["old"] + "}")
			p.choose("#DownloadsEdit_Priority", v["priority"])
			p.choose("#DownloadsEdit_Category", v["category"])
			p.click("#DownloadsEdit_Save")
		},
		want: func(s state, _ account, v values) {
			s["Server "+v["name"]] = fmt.Sprintf("Active=yes Cipher= Connections=%s Encryption=yes Group=0 Host=%s IpVersion=%s JoinGroup=no Level=0 Notes=%s Optional=yes Password=%s Port=%s Retention=0 Username=%s", v["connections"], v["host"], v["ip"], v["notes"], v["secret"], v["port"], v["login"])
			s["Category "+v["category"]] = fmt.Sprintf("Aliases=%s DestDir=%s Extensions= Unpack=no", v["aliases"], v["folder"])
			s["Task "+v["time"]] = fmt.Sprintf("Command=%s Param= WeekDays=%s", strings.ToLower(v["command"]), v["days"])
			s["ParCheck"], s["ParTimeLimit"] = v["check"], v["limit"]
			s["download "+v["old"]] = v["category"] + "|" + v["priority"]
		},
	}
}

// nzbgetSection shows a section, and looks until the page has scrolled to its head: what is pressed meanwhile is missed.
func nzbgetSection(p *person, name string) {
	p.click("#ConfigNav a{" + name + "}")
	p.do("look at "+name, func() error {
		select {
		case <-time.After(nzbgetScrolls):
			return nil
		case <-p.ctx.Done():
			return p.ctx.Err()
		}
	})
}

const nzbgetScrolls = time.Second

// nzbgetOld are downloads that are there before.
var nzbgetOld = []string{"Orchard in spring", "Birds of the fen", "How to thatch", "Songs for six", "Old mills"}

// nzbgetTemplate is the file of settings that its pages are made from.
const nzbgetTemplate = "/usr/share/nzbget/webui/nzbget.conf"

func startNzbget(ctx context.Context, h *host) (*site, error) {
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	who := account{"ada", "Analytical-7"} // it has one user who may change settings
	template, err := os.ReadFile(nzbgetTemplate)
	if err != nil {
		return nil, err
	}
	set := map[string]string{
		"MainDir": h.path("news"), "ControlPort": fmt.Sprint(port), "ControlUsername": who.user, "ControlPassword": who.password, "FormAuth": "yes",
		"Server1.Name": "Farm feed", "Server1.Host": "farm.example",
	}
	var lines []string
	for line := range strings.Lines(string(template)) {
		line = strings.TrimSpace(line)
		name, _, is := strings.Cut(line, "=")
		if value, there := set[name]; is && there {
			line = name + "=" + value
		}
		if is && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "Category") {
			lines = append(lines, line)
		}
	}
	for i, name := range []string{"Movies", "Series", "Music", "Software"} {
		lines = append(lines, fmt.Sprintf("Category%[1]d.Name=%[2]s\nCategory%[1]d.DestDir=\nCategory%[1]d.Unpack=yes\nCategory%[1]d.Extensions=\nCategory%[1]d.Aliases=", i+1, name))
	}
	lines = append(lines, "Task1.Time=08:00\nTask1.WeekDays=1-7\nTask1.Command=PauseDownload\nTask1.Param=")
	if err := h.write("nzbget.conf", strings.Join(lines, "\n")+"\n"); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "nzbget", "-c", h.path("nzbget.conf"), "-s", "-o", "OutputMode=log")
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	api := &nzbgetAPI{url + "jsonrpc", who}
	for i, name := range nzbgetOld {
		text := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><nzb xmlns="http://www.newzbin.com/DTD/2003/nzb"><file poster="a@farm.example" date="1700000000" subject="&quot;%[1]s.bin&quot; yEnc (1/1)"><groups><group>alt.farm</group></groups><segments><segment bytes="%[2]d" number="1">%[1]s@farm.example</segment></segments></file></nzb>`, name, 1000+i)
		if err := api.call(ctx, "append", []any{name + ".nzb", base64.StdEncoding.EncodeToString([]byte(text)), "Movies", 0, false, true, "", 0, "FORCE", []any{}}, nil); err != nil {
			return nil, err
		}
	}
	read := func(ctx context.Context) (state, error) { return readNzbget(ctx, h, api) }
	return &site{url: url, accounts: [2]account{who, who}, state: read}, nil
}

// nzbgetNumbered is an option of a set of which there may be several.
var nzbgetNumbered = regexp.MustCompile(`^(Server|Category|Task)(\d+)\.(\w+)$`)

// readNzbget reads the file of settings, in which a set is known by its name, and asks for the downloads.
func readNzbget(ctx context.Context, h *host, api *nzbgetAPI) (state, error) {
	text, err := os.ReadFile(h.path("nzbget.conf"))
	if err != nil {
		return nil, err
	}
	s, sets := state{}, map[string]map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, is := strings.Cut(strings.TrimSpace(line), "=")
		if !is || strings.HasPrefix(name, "#") {
			continue
		}
		part := nzbgetNumbered.FindStringSubmatch(name)
		if part == nil {
			add(s, name, strings.ToLower(value))
			continue
		}
		if sets[part[1]+part[2]] == nil {
			sets[part[1]+part[2]] = map[string]string{"": part[1]}
		}
		switch part[3] {
		case "Command", "Active", "Optional", "Encryption", "JoinGroup", "IpVersion", "Unpack":
			value = strings.ToLower(value)
		}
		sets[part[1]+part[2]][part[3]] = value
	}
	for _, set := range sets {
		key := "Name"
		if set[""] == "Task" {
			key = "Time"
		}
		var parts []string
		for name, value := range set {
			if name != "" && name != key {
				parts = append(parts, name+"="+value)
			}
		}
		slices.Sort(parts)
		add(s, set[""]+" "+set[key], strings.Join(parts, " "))
	}
	var groups []struct {
		NZBName, Category string
		MaxPriority       int
	}
	if err := api.call(ctx, "listgroups", []any{0}, &groups); err != nil {
		return nil, err
	}
	priorities := map[int]string{100: "very high", 50: "high", 0: "normal", -50: "low", -100: "very low"}
	for _, g := range groups {
		add(s, "download "+g.NZBName, g.Category+"|"+priorities[g.MaxPriority])
	}
	return s, nil
}

// nzbgetAPI is what its pages ask, too.
type nzbgetAPI struct {
	at  string
	who account
}

func (a *nzbgetAPI) call(ctx context.Context, method string, params []any, result any) error {
	body, err := json.Marshal(map[string]any{"method": method, "params": params})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.at, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.SetBasicAuth(a.who.user, a.who.password)
	answer := struct{ Result any }{result}
	return answered(http.DefaultClient, req, &answer)
}
