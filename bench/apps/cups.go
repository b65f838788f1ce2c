package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
)

// cups adds a printer by the pages that follow one another, stops another, takes a third away and cancels a job: each
// press sends a form, lists of thousands of models, a list that sends itself, buttons that say the same in each row.
func cups() *app {
	return &app{
		name: "cups", about: "pages of forms that follow one another, a list of makes and one of models, lists that send themselves, buttons that say the same in each row", held: true,
		needs: []need{
			{"/usr/sbin/cupsd", "apt-get install cups"}, {"/usr/lib/cups/filter/foomatic-rip", "apt-get install cups-filters"},
			{"/usr/lib/cups/driver/foomatic-db-compressed-ppds", "apt-get install foomatic-db-compressed-ppds"},
		},
		start: startCUPS,
		values: func(run int) values {
			make, model := oneOf(run, "Apple", "Canon", "Dell"), oneOf(run, "LaserWriter 4/600 Foomatic/Postscript", "BJ-100 Foomatic/bj200", "3000cn Foomatic/pxlcolor")
			return values{
				"host": fmt.Sprintf("socket://10.1.%d.1:9100", 7+run), "name": fmt.Sprintf("dairy%d", 4+run), "about": fmt.Sprintf("Labels for milk of herd %d", 30+run), "where": fmt.Sprintf("Shed %d", 60+run),
				"make": make, "model": make + " " + model + " (recommended) (en)", "stopped": cupsPrinters[2*run%len(cupsPrinters)], "gone": cupsPrinters[(2*run+1)%len(cupsPrinters)], "job": cupsPrinters[len(cupsPrinters)-1-run%len(cupsPrinters)],
			}
		},
		flow: func(p *person, v values) {
			p.click("a{Administration}")
			p.click("input[value='Add Printer']")
			p.click("input[name=DEVICE_URI][value=socket]")
			p.click("input[value=Continue]")
			p.refill("input[name=DEVICE_URI][type=url]", v["host"])
			p.click("input[value=Continue]")
			p.fill("input[name=PRINTER_NAME]", v["name"])
			p.fill("input[name=PRINTER_INFO]", v["about"])
			p.fill("input[name=PRINTER_LOCATION]", v["where"])
			p.click("input[name=PRINTER_IS_SHARED]")
			p.click("input[value=Continue]")
			p.click("select[name=PPD_MAKE] option{" + v["make"] + "}")
			p.click("input[value=Continue]")
			p.click("select[name=PPD_NAME]")
			p.typing(v["model"])
			p.click("input[value='Add Printer']")
			p.see("input[value='Set Printer Options']")
			p.click("a{Printers}")
			p.click("tr td a{" + v["stopped"] + "}")
			p.choose("form[name=maintenance] select", "Reject Jobs")
			p.see("p a{" + v["stopped"] + "}")
			p.click("a{Printers}")
			p.click("tr td a{" + v["gone"] + "}")
			p.choose("form[name=administration] select", "Delete Printer")
			p.click("input[value='Delete Printer']")
			p.see("p{Printer " + v["gone"] + " has been deleted successfully.}")
			p.click("a{Jobs}")
			p.click("form:has([name=job_printer_uri][value='/printers/" + v["job"] + "']):has([value=cancel-job]) [type=submit]")
		},
		want: func(s state, _ account, v values) {
			s["printer "+v["name"]] = strings.Join([]string{v["about"], v["where"], v["host"], "Yes", "Yes", strings.TrimSuffix(v["model"], " (en)")}, "|")
			s["printer "+v["stopped"]] = strings.Replace(s["printer "+v["stopped"]], "|Yes|", "|No|", 1)
			delete(s, "printer "+v["gone"])
			maps.DeleteFunc(s, func(_, id string) bool {
				return strings.HasPrefix(id, v["gone"]+"-") || strings.HasPrefix(id, v["job"]+"-")
			})
		},
	}
}

// cupsPrinters are there before.
var cupsPrinters = []string{"north", "barn", "gate", "mill", "loft", "yard", "south", "office", "creek", "stall"}

func startCUPS(ctx context.Context, h *host) (*site, error) {
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	socket, open := h.path("cups.sock"), "AuthType None\nOrder allow,deny\nAllow all\n"
	if err := h.write("cupsd.conf", fmt.Sprintf("Listen 127.0.0.1:%d\nListen %s\nWebInterface Yes\nDefaultAuthType None\nBrowsing No\nDirtyCleanInterval 0\n<Location />\n%[3]s</Location>\n<Location /admin>\n%[3]s</Location>\n<Policy default>\n<Limit All>\n%[3]s</Limit>\n</Policy>\n", port, socket, open)); err != nil {
		return nil, err
	}
	places := ""
	for key, dir := range map[string]string{"ServerRoot": "root", "StateDir": "state", "CacheDir": "cache", "RequestRoot": "spool", "TempDir": "spool/tmp"} {
		if err := os.MkdirAll(h.path(dir), 0o755); err != nil {
			return nil, err
		}
		places += key + " " + h.path(dir) + "\n"
	}
	if err := h.write("cups-files.conf", places+"AccessLog stderr\nErrorLog stderr\nPageLog stderr\nSystemGroup root lpadmin\n"); err != nil {
		return nil, err
	}
	if err := h.write("list.txt", "Hay, oats\n"); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "/usr/sbin/cupsd", "-f", "-c", h.path("cupsd.conf"), "-s", h.path("cups-files.conf"))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	env := []string{"CUPS_SERVER=" + socket}
	for i, name := range cupsPrinters {
		if _, err := h.run(ctx, env, "lpadmin", "-p", name, "-E", "-v", fmt.Sprintf("socket://10.2.0.%d", 1+i), "-m", "raw", "-D", "Printer of the "+name, "-L", fmt.Sprintf("Room %d", 10+i)); err != nil {
			return nil, err
		}
		if _, err := h.run(ctx, env, "cupsdisable", name); err != nil { // its jobs wait
			return nil, err
		}
		if _, err := h.run(ctx, env, "lp", "-d", name, h.path("list.txt")); err != nil {
			return nil, err
		}
	}
	return &site{url: url, state: func(ctx context.Context) (state, error) { return cupsState(ctx, h, env) }}, nil
}

var (
	cupsPrinter = regexp.MustCompile(`(?s)<(?:Default)?Printer (\S+)>\n(.*?)</(?:Default)?Printer>`)
	cupsValue   = regexp.MustCompile(`(?m)^(\w+) (.*)$`)
)

// cupsState reads the printers as CUPS stores them, and the jobs that wait.
func cupsState(ctx context.Context, h *host, env []string) (state, error) {
	text, err := os.ReadFile(h.path("root", "printers.conf"))
	if err != nil {
		return nil, err
	}
	s := state{}
	for _, printer := range cupsPrinter.FindAllStringSubmatch(string(text), -1) {
		values := map[string]string{}
		for _, line := range cupsValue.FindAllStringSubmatch(printer[2], -1) {
			values[line[1]] = line[2]
		}
		add(s, "printer "+printer[1], strings.Join([]string{values["Info"], values["Location"], values["DeviceURI"], values["Accepting"], values["Shared"], values["MakeModel"]}, "|"))
	}
	waiting, err := h.run(ctx, env, "lpstat", "-W", "not-completed", "-o")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(waiting) {
		id, _, _ := strings.Cut(line, " ")
		add(s, "job "+id, id)
	}
	return s, nil
}
